// One market that replays bars: its next row, and when an order or a cancel counts as arrived while a row is processed.

import { ConfigError } from '../../base/errors.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { VenueOrder } from '../../venue/venueOrder.ts';
import type { BarRows, TradedMarket } from '../market/tradedMarket.ts';
import type { PriceLevel } from '../matching/orderBook.ts';
import type { ReplayedSeries } from './barSeries.ts';

/** The stage of a row: its open has been matched, or its range too. Orders that arrive now count as arrived at `timeMs`. */
export interface RowStage {
  readonly act: 'open' | 'inside';
  readonly timeMs: number;
}

/** Price and time at which MARKET orders that arrive now execute. */
interface Quote {
  /** Ticks. */
  readonly priceTicks: number;
  readonly timeMs: number;
}

/** A market whose orders trade with replayed bars. */
export class ReplayedMarket implements BarRows {
  readonly market: TradedMarket;
  readonly book: BarBook;
  readonly series: ReplayedSeries;
  /** The row that is matched next; it has not closed yet. */
  row: number;
  /** The stage of the row that is being matched; null between rows. */
  stage: RowStage | null = null;
  #quote: Quote | null = null;
  /** Cancels that arrived inside the row. They take effect after it, because the order of events within a row is unknown. */
  readonly #lateCancels: (() => void)[] = [];
  readonly #graceMs: number;

  /** `graceMs`: how long after the open of a row an arrival still counts as present at its open. */
  constructor(market: TradedMarket, book: BarBook, series: ReplayedSeries, graceMs: number) {
    this.market = market;
    this.book = book;
    this.series = series;
    this.row = series.firstRow;
    this.#graceMs = graceMs;
  }

  get nextCloseMs(): number {
    return this.series.closeMs(this.row);
  }

  get isActing(): boolean {
    return this.stage !== null;
  }

  sentMs(nowMs: number): number {
    if (this.stage !== null) return this.stage.timeMs;
    const openMs = this.series.openMs(this.row);
    return nowMs > openMs && nowMs <= openMs + this.#graceMs ? openMs : nowMs;
  }

  isMidBar(timeMs: number): boolean {
    return this.stage === null && this.series.openMs(this.row) < timeMs;
  }

  fundingRate(nowMs: number, skippedCount: number): number {
    const { funding } = this.series;
    const nextIndex = funding.findIndex(({ timeMs }) => timeMs > nowMs);
    return nextIndex < 0 ? 0 : (funding[nextIndex + skippedCount]?.rate ?? 0);
  }

  quotedLevel(): Pick<PriceLevel, 'price' | 'lots'> | null {
    const { series, row } = this;
    if (row >= series.length) return null;
    return row === 0
      ? { price: series.startTicks, lots: 1 }
      : { price: series.bar(row - 1).close, lots: Math.max(1, series.wholeLots(row - 1)) };
  }

  runAfterRow(cancel: () => void): void {
    this.#lateCancels.push(cancel);
  }

  onAdmission(order: VenueOrder): void {
    const quote = this.#quote;
    if (quote === null || order.limit !== 0) return;
    this.book.execute(order, quote.priceTicks, Math.max(quote.timeMs, order.admittedMs));
  }

  /** Makes MARKET orders trade at `price` until the row moves on. The row must have traded there. Throws ConfigError otherwise. */
  holdPrice(price: number): void {
    const { stage, series, row } = this;
    if (stage === null) throw new ConfigError('price: no row is being matched', 'send { next: true } first');
    const { open, high, low } = series.bar(row);
    if (!(Number.isInteger(price) && price >= low && price <= high)) {
      throw new ConfigError(`price: expected ${low} to ${high} ticks, where the row has traded, got ${price}`, 'send a price of the row');
    }
    // The open trades at the start of the row. The time of any other price is unknown, so its fills are reported at the close.
    this.#quote = { priceTicks: price, timeMs: price === open && stage.act === 'open' ? stage.timeMs : series.closeMs(row) };
  }

  /** Moves to the next stage of the row. The quote belonged to the previous stage. */
  moveTo(stage: RowStage | null): void {
    this.stage = stage;
    this.#quote = null;
  }

  /** Runs the cancels that waited for the end of the row. */
  runLateCancels(): void {
    for (const cancel of this.#lateCancels.splice(0)) cancel();
  }
}
