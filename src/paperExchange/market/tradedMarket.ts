// One instrument as it is traded: its book, and the tape of its trades; spot and futures alike.

import type { Instrument } from '../../model/instrument.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import type { Matcher } from '../matching/matcher.ts';
import type { Tape } from './tape.ts';

export interface TradedMarket {
  readonly instrument: Instrument;
  readonly matcher: Matcher;
  readonly tape: Tape;
  /** Ticks at which the rest of the world trades: the last point of the source of prices; 0: there is none. */
  referencePrice: number;
  /** Rows of bars that are every order's counterparty; null: orders meet orders. */
  rows: Rows | null;
}

/** What an order has to do with the rows of its market. */
export interface Rows {
  /** A row is being worked off: who answers to what it has done so far takes part in the rest of it, and no delay applies. */
  readonly isActing: boolean;
  /** The time that counts for what comes at `nowMs`. */
  sentMs(nowMs: number): number;
  /** True in the middle of a row: a cancel that arrives then acts after it. */
  isMidBar(timeMs: number): boolean;
  /** Runs when the row at hand is over. */
  afterRow(run: () => void): void;
  /** The rate, whole in 10^-12, of the funding that comes next after `nowMs`; `later`: of so many after it. 0: none comes. */
  fundingRate(nowMs: number, later: number): number;
  /** An order has arrived. */
  admitted(order: VenueOrder): void;
}
