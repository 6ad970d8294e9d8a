// What a replay needs of the bot whose orders it matches.

import type { RowCursor } from '../../indicators/graph/series.ts';
import type { BarColumns, TickColumn } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderId } from '../../model/order.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Bracket, Brackets } from '../../orders/stops/brackets.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { ExchangeSink } from '../../ports/exchange.ts';

/** The finest feed of an instrument: its rows are what orders are matched against. */
export interface MatchedFeed {
  readonly instrument: Instrument;
  readonly bars: BarColumns;
  /** Opens and closes in whole ticks. */
  readonly openTicks: TickColumn;
  readonly closeTicks: TickColumn;
  /** Newest delivered row. */
  readonly cursor: RowCursor;
  /** End of the current block: the row after its last. */
  readonly to: number;
  /** Close of a row of the current block, ms UTC. */
  closeOf(row: number): number;
  /** The first row of the current block that is still to be delivered and closes after `ms`; `to` when there is none. */
  firstAfter(ms: number): number;
}

/** Guards of what entries have filled: stops that the bot itself watches, and how they go off. */
export interface Guards {
  readonly onHit: (bracket: Bracket, price: number) => void;
  hit(bracket: Bracket, price: number): void;
  /** Price at which the stop leg in work goes off; NaN outside. */
  readonly hitPrice: number;
  /** A stop is taking back its siblings: these cancels act at once. */
  readonly takesBack: boolean;
  /** Time of what the legs in work answer, inside the row that is being matched; NaN outside. */
  legTimeMs: number;
}

export interface ReplayHost extends ExchangeSink {
  readonly nowMs: number;
  readonly instruments: readonly Instrument[];
  /** By instrument. */
  readonly execution: readonly MatchedFeed[];
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly bracketManager: Guards;
  readonly queue: DueQueue;
  readonly runs: readonly { readonly name: string }[];
  /** A replay needs no cause: it is the one that loses the answer. */
  outcomeUnknown(order: OrderId, cause?: string): void;
  /** Something may be due that the loop has not looked at. */
  hasPendingWork: boolean;
  /** Newest close of an instrument in ticks; NaN before its first bar. */
  lastTicks(instrument: number): number;
  /** The price of an instrument before its first bar, in ticks. */
  startTicks(instrument: number): number;
  log(strategy: string, message: string, fields: Readonly<Record<string, unknown>>): void;
}
