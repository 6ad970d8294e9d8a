// The names under which the container knows the parts of a bot; each carries the type of what it names.

import type { ServiceIdentifier } from 'inversify';
import type { FeedRun } from '../engine/feeds/feed.ts';
import type { Engine } from '../engine/engine.ts';
import type { LogLine } from '../ports/log.ts';
import type { Instant } from '../engine/feeds/instant.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Brackets } from '../orders/stops/brackets.ts';
import type { OrderManager } from '../orders/orderManager.ts';
import type { Reservations } from '../orders/reserve/reservation.ts';
import type { Fence } from '../orders/prove/resolver.ts';
import type { Ledger } from '../portfolio/ledger.ts';
import type { ExchangePort } from '../ports/exchange.ts';
import type { Journal } from '../ports/journal.ts';
import type { ResolvedLimits } from '../risk/limits/resolve.ts';
import type { RiskModule } from '../risk/riskModule.ts';
import type { DueQueue } from '../ports/dueQueue.ts';
import type { RunPlan } from '../definition/plan/plan.ts';

/** A function, because a constant declared as ServiceIdentifier<T> is narrowed to `symbol` and loses its T. */
function token<T>(name: string): ServiceIdentifier<T> {
  return Symbol.for(`isobar.${name}`);
}

/** What somebody outside of the bot may watch or collect. */
export interface Observers {
  readonly log: LogLine;
  readonly beat: Int32Array | null;
  /** Nobody reads the columns of its orders: they are not kept. */
  readonly dropsOrders?: boolean;
}

export const TOKENS = Object.freeze({
  plan: token<RunPlan>('plan'),
  observers: token<Observers>('observers'),
  instant: token<Instant>('instant'),
  instruments: token<readonly Instrument[]>('instruments'),
  feeds: token<readonly FeedRun[]>('feeds'),
  ledger: token<Ledger>('ledger'),
  reservations: token<Reservations>('reservations'),
  brackets: token<Brackets>('brackets'),
  limits: token<ResolvedLimits>('limits'),
  risk: token<RiskModule>('risk'),
  orders: token<OrderManager>('orders'),
  engine: token<Engine>('engine'),
  // Bound by the world that the bot lives in: a replay, a live exchange, a stub.
  exchange: token<ExchangePort>('exchange'),
  journal: token<Journal>('journal'),
  queue: token<DueQueue>('queue'),
  fence: token<Fence>('fence'),
});
