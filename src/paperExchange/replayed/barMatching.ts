// Matching in bar markets: at its close, a row is matched by the rules of a backtest, as a whole or act by act (docs/matching.md).

import type { Scheduler } from '../../ports/scheduler.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import { RowOrder } from '../../venue/futures/rowOrder.ts';
import { ReplayedMarket } from './barMarket.ts';
import { BarMargin } from './barMargin.ts';

/**
 * One step of matching a row. `open`: orders at or beyond the open have filled at the open. `inside`: resting orders within
 * its range have filled. `closed`: every row of this time has ended, positions are judged, and the bars are visible.
 */
export type RowAct =
  | { readonly act: 'open' | 'inside'; readonly barMarket: ReplayedMarket }
  | { readonly act: 'closed'; readonly timeMs: number };

/** The sides of the exchange that bar matching needs. */
export interface RowSides {
  readonly futures: FuturesExchange | null;
}

/** Matches the rows of all markets that replay bars, in order of their closes. */
export class BarMatching {
  readonly #barMarkets: readonly ReplayedMarket[];
  readonly #scheduler: Scheduler;
  readonly #futures: FuturesExchange | null;
  readonly #margin: BarMargin | null;
  /** The order of events in a row of a contract, with its liquidations. */
  readonly #rowOrders = new Map<ReplayedMarket, RowOrder>();
  /** The remaining acts of the rows that close now. */
  #acts: Generator<RowAct> | null = null;
  #isByActs = false;

  constructor(barMarkets: readonly ReplayedMarket[], { futures }: RowSides, scheduler: Scheduler) {
    // Sorted by id, as everywhere: an order that fills first may take the money that another order needs.
    this.#barMarkets = barMarkets.toSorted((a, b) => (a.market.instrument.id < b.market.instrument.id ? -1 : 1));
    this.#scheduler = scheduler;
    this.#futures = futures;
    const contracts = barMarkets.filter(({ market }) => market.instrument.market === 'futures');
    if (futures !== null) {
      for (const barMarket of contracts) {
        this.#rowOrders.set(
          barMarket,
          new RowOrder(futures.venue, barMarket.market.instrument, (...liquidation) => futures.endPosition(...liquidation)),
        );
      }
    }
    this.#margin = futures === null || contracts.length === 0 ? null : new BarMargin(futures, contracts);
    for (const { market, book, series } of barMarkets) book.lastPrice = market.referencePrice = series.startTicks;
    for (const barMarket of contracts) {
      const firstDue = barMarket.series.funding.findIndex(({ timeMs }) => timeMs >= scheduler.nowMs);
      if (firstDue >= 0) this.#awaitFunding(barMarket, firstDue);
    }
    this.#awaitRow();
  }

  /** Time at which the next rows close; Infinity: no more rows. */
  get nextMs(): number {
    return this.#barMarkets.reduce((earliestMs, barMarket) => Math.min(earliestMs, barMarket.nextCloseMs), Infinity);
  }
  /** The market whose row is being processed; null: none. */
  get activeMarket(): ReplayedMarket | null {
    return this.#barMarkets.find(({ isActing }) => isActing) ?? null;
  }

  /** Switches to act-by-act matching: closing rows wait until `next` is called for each of their acts. */
  matchByActs(): void {
    this.#isByActs = true;
  }
  /** Switches back to matching whole rows, and finishes the current ones. */
  matchWholeRows(): void {
    this.#isByActs = false;
    while (this.next() !== null);
  }
  /** Runs the next act of the rows that have just closed. Returns null if they have ended and the next rows have not closed yet. */
  next(): RowAct | null {
    const step = this.#acts?.next();
    if (step !== undefined && step.done !== true) return step.value;
    this.#acts = null;
    return null;
  }

  /** Schedules the matching of the next rows at their close. */
  #awaitRow(): void {
    const { nextMs } = this;
    if (nextMs === Infinity) return;
    this.#scheduler.at(nextMs, () => {
      this.#acts = this.#rows(nextMs);
      if (!this.#isByActs) this.matchWholeRows();
    });
  }

  /** Matches all rows that close at `timeMs`, act by act. */
  *#rows(timeMs: number): Generator<RowAct> {
    const closing = this.#barMarkets.filter((barMarket) => barMarket.nextCloseMs === timeMs);
    for (const barMarket of closing) yield* this.#row(barMarket);
    this.#margin?.judgePositions(closing, timeMs);
    this.#margin?.payQueuedFunding();
    for (const barMarket of closing) this.#publishBar(barMarket);
    this.#awaitRow();
    yield { act: 'closed', timeMs };
  }

  /** Matches the row of one market: its open, then its range. */
  *#row(barMarket: ReplayedMarket): Generator<RowAct> {
    const { book, series, row } = barMarket;
    const { openMs, open, high, low } = series.bar(row);
    const closeMs = series.closeMs(row);
    const rowOrder = this.#rowOrders.get(barMarket) ?? null;
    const traded = { openMs, closeMs, open, high, low };
    barMarket.moveTo({ act: 'open', timeMs: openMs });
    if (book.readsBar) book.bar = series.fillBar(row);
    if (rowOrder === null) book.matchOpen(openMs, open, series.wholeLots(row));
    else rowOrder.open(traded, series.marksOf(row), series.wholeLots(row));
    yield { act: 'open', barMarket };
    barMarket.moveTo({ act: 'open', timeMs: openMs });
    if (rowOrder === null) book.matchRange(openMs, closeMs, open, high, low);
    else {
      const triggers = this.#futures!.triggers.triggersOfRow((childMs) => barMarket.moveTo({ act: 'open', timeMs: childMs }));
      rowOrder.matchAfterOpen(traded, series.marksOf(row), triggers);
    }
    barMarket.moveTo({ act: 'inside', timeMs: closeMs });
    yield { act: 'inside', barMarket };
    barMarket.moveTo(null);
    barMarket.runLateCancels();
  }

  /** Makes the bar visible and its close the last price. */
  #publishBar(barMarket: ReplayedMarket): void {
    const { market, book, series, row } = barMarket;
    const bar = series.bar(row);
    market.tape.klines.addClosedBar(series.bars.interval, bar);
    book.lastPrice = market.referencePrice = bar.close;
    barMarket.row++;
  }

  /** Pays funding when it is due: at once in the middle of a row, or after matching at the end of one. */
  #awaitFunding(barMarket: ReplayedMarket, index: number): void {
    const funding = barMarket.series.funding[index];
    if (funding === undefined) return;
    this.#scheduler.at(funding.timeMs, () => {
      this.#margin?.queueFunding(barMarket, funding);
      if (this.#acts === null && this.nextMs > funding.timeMs) this.#margin?.payQueuedFunding();
      this.#awaitFunding(barMarket, index + 1);
    });
  }
}
