// The ids of the parts of a bot in the container. Each id carries the type of its part.

import type { BarMarket, OrderGateway } from '../ports/exchange.ts';
import type { ServiceIdentifier } from 'inversify';
import type { FeedRun } from '../engine/feeds/feed.ts';
import type { LogLine } from '../ports/log.ts';
import type { Instant } from '../engine/feeds/instant.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Brackets } from '../orders/stops/brackets.ts';
import type { Reservations } from '../orders/reserve/reservation.ts';
import type { AbsenceBounds } from '../orders/prove/resolver.ts';
import type { Ledger } from '../portfolio/ledger.ts';
import type { ResolvedLimits } from '../risk/limits/resolve.ts';
import type { FactoryInput } from './composeModule.ts';
import type { PartToken } from './parts.ts';
import type { VenueDeps } from './kinds/parts.ts';

/** Returns an id. A constant declared as ServiceIdentifier<T> would be narrowed to `symbol` and lose its T. */
function token<T>(name: string): ServiceIdentifier<T> {
  return Symbol.for(`isobar.${name}`);
}

/** Receivers of what a bot reports while it runs. */
export interface Observers {
  readonly log: LogLine;
  readonly progressCells: Int32Array | null;
  /** True to drop the columns of orders, because the caller does not read them. */
  readonly dropsOrders?: boolean;
}

/** Ids of objects that parts need and that modules cannot rebind. PARTS has the others. */
export const TOKENS = Object.freeze({
  /** The first argument of every factory of a module. */
  given: token<FactoryInput>('given'),
  instant: token<Instant>('instant'),
  instruments: token<readonly Instrument[]>('instruments'),
  feeds: token<readonly FeedRun[]>('feeds'),
  ledger: token<Ledger>('ledger'),
  reservations: token<Reservations>('reservations'),
  brackets: token<Brackets>('brackets'),
  limits: token<ResolvedLimits>('limits'),
  // The world of the bot (a replay, a live exchange, a stub) binds the following ids.
  /** Replay: the exchange adapter and the market behind it, in one object. */
  replayed: token<OrderGateway & BarMarket>('replayed'),
  absenceBounds: token<AbsenceBounds>('absenceBounds'),
  /** The parts that open the venue of a replay. Null for a live bot. */
  venue: token<VenueDeps | null>('venue'),
});

/** Returns the id of the part that the bot uses. */
export const idOf = <Made>({ name }: PartToken<Made>): ServiceIdentifier<Made> => token<Made>(name);
/** Returns the id under which isobar binds its own part when a module rebinds the part. */
export const ownIdOf = <Made>({ name }: PartToken<Made>): ServiceIdentifier<Made> => token<Made>(`own.${name}`);
/** Returns the id of the addition number `index` to a part. */
export const addedIdOf = <Made>({ name }: PartToken<Made>, index: number): ServiceIdentifier<Made> => token<Made>(`added.${name}.${index}`);
