// What a replay needs of the engine whose orders it matches.

import type { RowCursor } from '../../indicators/graph/series.ts';
import type { BarColumns, TickColumn } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderId } from '../../model/order.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Bracket, Brackets } from '../../orders/stops/brackets.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { ExchangeSink } from '../../ports/exchange.ts';

/** The execution feed of an instrument. Orders match its rows. */
export interface MatchedFeed {
  readonly instrument: Instrument;
  readonly bars: BarColumns;
  /** Opens and closes in whole ticks. */
  readonly openTicks: TickColumn;
  readonly closeTicks: TickColumn;
  /** The newest delivered row, and the row of the first element of the columns. */
  readonly cursor: RowCursor & { readonly base: number };
  /** The row after the last one of the current block. */
  readonly blockEnd: number;
  /** Returns the close time of a row in the current block, ms UTC. */
  closeOf(row: number): number;
  /** Returns the first undelivered row of the current block that closes after `ms`; `blockEnd` if there is no such row. */
  firstAfter(ms: number): number;
}

/** Brackets of filled entries: their local stops and how they fire. */
export interface Guards {
  readonly onHit: (bracket: Bracket, price: number) => void;
  hit(bracket: Bracket, price: number): void;
  /** Price at which the current stop leg fires; NaN outside. */
  readonly hitPrice: number;
  /** True while a stop cancels its sibling orders. These cancels act at once. */
  readonly cancelsOwnOrders: boolean;
  /** Time of the events that the current legs react to, inside the row being matched; NaN outside. */
  legTimeMs: number;
}

/** Sends the stop entries that a row reaches. Times are ms UTC, prices are ticks. `fireAtOpen` is true if it has sent one. */
export interface WatchedEntries {
  fireAtOpen(instrumentIndex: number, openMs: number, open: number): boolean;
  fireInRow(instrumentIndex: number, openMs: number, open: number, high: number, low: number): void;
}

/** What the replay needs of the engine. */
export interface ReplayHost extends ExchangeSink {
  readonly nowMs: number;
  readonly instruments: readonly Instrument[];
  /** By instrument. */
  readonly execution: readonly MatchedFeed[];
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly bracketManager: Guards;
  readonly drafts: { readonly entries: WatchedEntries };
  readonly queue: DueQueue;
  readonly runs: readonly { readonly name: string }[];
  /** A replay gives no cause, because it loses the reply itself. */
  outcomeUnknown(orderId: OrderId, cause?: string): void;
  /** True if something may be due that the loop has not seen yet. */
  hasPendingWork: boolean;
  /** Returns the newest close of an instrument in ticks; NaN before its first bar. */
  lastTicks(instrumentIndex: number): number;
  /** Returns the price of an instrument before its first bar, in ticks. */
  startTicks(instrumentIndex: number): number;
  /** Writes a line to the log of the run, under the name of a strategy. */
  log(strategyName: string, message: string, fields: Readonly<Record<string, unknown>>): void;
}
