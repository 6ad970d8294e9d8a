// One instrument as it is traded, on spot or futures: its order book and the tape of its trades.

import type { Instrument } from '../../model/instrument.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import type { Matcher } from '../matching/matcher.ts';
import type { PriceLevel } from '../matching/orderBook.ts';
import type { Tape } from './tape.ts';

/** The trading of one instrument. */
export interface TradedMarket {
  readonly instrument: Instrument;
  readonly matcher: Matcher;
  readonly tape: Tape;
  /** Price at which other traders trade, in ticks: the last point of the price source. 0: there is no source. */
  referencePrice: number;
  /** Bars that are the counterparty of every order. Null: orders match each other. */
  barRows: BarRows | null;
}

/** How orders interact with the bars of their market. */
export interface BarRows {
  /** True while a row is processed. Orders that react to it then take part in the rest of the row, without delays. */
  readonly isActing: boolean;
  /** Returns the effective time of an order that arrives at `nowMs`. */
  sentMs(nowMs: number): number;
  /** True in the middle of a row. A cancel that arrives then takes effect after the row. */
  isMidBar(timeMs: number): boolean;
  /** Calls `onRowEnd` when the current row has ended. */
  runAfterRow(onRowEnd: () => void): void;
  /** Returns the rate of the next funding after `nowMs`, whole in 10^-12. `later` skips that many fundings. 0: no funding follows. */
  fundingRate(nowMs: number, later: number): number;
  /** Returns the price of the last row and what it traded, as the one level of either side of the depth. Null when no row follows. */
  quotedLevel(): Pick<PriceLevel, 'price' | 'lots'> | null;
  /** Reports that an order has arrived. */
  onAdmission(order: VenueOrder): void;
}
