// The names under which the container knows what a bot is made of; each carries the type of what it names.

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
import type { VenueSeat } from './kinds/parts.ts';

/** A function, because a constant declared as ServiceIdentifier<T> is narrowed to `symbol` and loses its T. */
function token<T>(name: string): ServiceIdentifier<T> {
  return Symbol.for(`isobar.${name}`);
}

/** What somebody outside of the bot may watch or collect. */
export interface Observers {
  readonly log: LogLine;
  readonly progressCells: Int32Array | null;
  /** Nobody reads the columns of its orders: they are not kept. */
  readonly dropsOrders?: boolean;
}

/** What is no part of its own (parts.ts), but an argument of parts. */
export const TOKENS = Object.freeze({
  given: token<FactoryInput>('given'),
  instant: token<Instant>('instant'),
  instruments: token<readonly Instrument[]>('instruments'),
  feeds: token<readonly FeedRun[]>('feeds'),
  ledger: token<Ledger>('ledger'),
  reservations: token<Reservations>('reservations'),
  brackets: token<Brackets>('brackets'),
  limits: token<ResolvedLimits>('limits'),
  /** Bound by the world that the bot lives in: a replay, a live exchange, a stub. */
  absenceBounds: token<AbsenceBounds>('absenceBounds'),
  /** What opens the venue of a replay; null where there is none. */
  venue: token<VenueSeat | null>('venue'),
});

/** The part as it takes effect. */
export const idOf = <Made>({ name }: PartToken<Made>): ServiceIdentifier<Made> => token<Made>(name);
/** The part as isobar binds it, where a module rebinds it. */
export const ownIdOf = <Made>({ name }: PartToken<Made>): ServiceIdentifier<Made> => token<Made>(`own.${name}`);
/** The addition at position `at` to a part. */
export const addedIdOf = <Made>({ name }: PartToken<Made>, at: number): ServiceIdentifier<Made> => token<Made>(`added.${name}.${at}`);
