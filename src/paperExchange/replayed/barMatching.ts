// Markets whose prices are rows of bars: at its close a row is matched by the rules of a backtest, whole or act by act (docs/matching.md).

import type { Scheduler } from '../../ports/scheduler.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import { RowOrder } from '../../venue/futures/rowOrder.ts';
import { BarMarket } from './barMarket.ts';
import { BarMargin } from './barMargin.ts';

/**
 * What a row has done since the act before. `open`: orders that it opens at or beyond have filled, at its open. `inside`: resting orders
 * have filled that it reached. `closed`: every row of this time is over, positions are judged, and the bars can be read.
 */
export type RowAct = { readonly act: 'open' | 'inside'; readonly lane: BarMarket } | { readonly act: 'closed'; readonly timeMs: number };

/** The two sides of the exchange, as far as rows need them. */
export interface RowSides {
  readonly futures: FuturesExchange | null;
}

export class BarMatching {
  readonly #lanes: readonly BarMarket[];
  readonly #scheduler: Scheduler;
  readonly #futures: FuturesExchange | null;
  readonly #margin: BarMargin | null;
  /** Of contracts. */
  readonly #orders = new Map<BarMarket, RowOrder>();
  /** The acts of the rows that close now, as far as they are still to come. */
  #acts: Generator<RowAct> | null = null;
  #isByActs = false;

  constructor(lanes: readonly BarMarket[], { futures }: RowSides, scheduler: Scheduler) {
    // In the order of their ids, as everywhere: what fills first may take the money that another wants.
    this.#lanes = lanes.toSorted((a, b) => (a.market.instrument.id < b.market.instrument.id ? -1 : 1));
    this.#scheduler = scheduler;
    this.#futures = futures;
    const contracts = lanes.filter(({ market }) => market.instrument.market === 'futures');
    if (futures !== null) {
      for (const lane of contracts) {
        this.#orders.set(lane, new RowOrder(futures.venue, lane.market.instrument, (...of) => futures.endPosition(...of)));
      }
    }
    this.#margin = futures === null || contracts.length === 0 ? null : new BarMargin(futures, contracts);
    for (const { market, book, series } of lanes) book.lastPrice = market.referencePrice = series.startTicks;
    for (const lane of contracts) {
      const first = lane.series.funding.findIndex(({ timeMs }) => timeMs >= scheduler.nowMs);
      if (first >= 0) this.#awaitFunding(lane, first);
    }
    this.#awaitRow();
  }

  /** When the next rows close; Infinity: there are none. */
  get nextMs(): number {
    return this.#lanes.reduce((next, lane) => Math.min(next, lane.nextCloseMs), Infinity);
  }
  /** The market whose row is being worked off; null: none is. */
  get activeMarket(): BarMarket | null {
    return this.#lanes.find(({ isActing }) => isActing) ?? null;
  }

  /** From now on rows wait, when they close, for `next` to be called for each of their acts. */
  goByActs(): void {
    this.#isByActs = true;
  }
  /** Rows are matched whole again, and the rest of those at hand now. */
  goWhole(): void {
    this.#isByActs = false;
    while (this.next() !== null);
  }
  /** The next act of the rows that have just closed; null: they are over, and the next ones are still to come. */
  next(): RowAct | null {
    const step = this.#acts?.next();
    if (step !== undefined && step.done !== true) return step.value;
    this.#acts = null;
    return null;
  }

  #awaitRow(): void {
    const { nextMs } = this;
    if (nextMs === Infinity) return;
    this.#scheduler.at(nextMs, () => {
      this.#acts = this.#rows(nextMs);
      if (!this.#isByActs) this.goWhole();
    });
  }

  *#rows(timeMs: number): Generator<RowAct> {
    const closing = this.#lanes.filter((lane) => lane.nextCloseMs === timeMs);
    for (const lane of closing) yield* this.#row(lane);
    this.#margin?.settle(closing, timeMs);
    this.#margin?.pay();
    for (const lane of closing) this.#publishBar(lane);
    this.#awaitRow();
    yield { act: 'closed', timeMs };
  }

  *#row(lane: BarMarket): Generator<RowAct> {
    const { book, series, row } = lane;
    const { openMs, open, high, low } = series.bar(row);
    const closeMs = series.closeMs(row);
    const order = this.#orders.get(lane) ?? null;
    const traded = { openMs, closeMs, open, high, low };
    lane.moveTo({ act: 'open', timeMs: openMs });
    if (order === null) book.matchOpen(openMs, open, series.lots(row));
    else order.open(traded, series.marksOf(row), series.lots(row));
    yield { act: 'open', lane };
    lane.moveTo({ act: 'open', timeMs: openMs });
    if (order === null) book.matchRange(openMs, closeMs, open, high, low);
    else {
      const triggers = this.#futures!.triggers.inRow((childMs) => lane.moveTo({ act: 'open', timeMs: childMs }));
      order.inside(traded, series.marksOf(row), triggers);
    }
    lane.moveTo({ act: 'inside', timeMs: closeMs });
    yield { act: 'inside', lane };
    lane.moveTo(null);
    lane.actLateCancels();
  }

  /** The bar can be read, and is the last price. */
  #publishBar(lane: BarMarket): void {
    const { market, book, series, row } = lane;
    const bar = series.bar(row);
    market.tape.klines.close(series.bars.interval, bar);
    book.lastPrice = market.referencePrice = bar.close;
    lane.row++;
  }

  /** Funding in the middle of a row is paid at once; at the end of one, once the row is matched. */
  #awaitFunding(lane: BarMarket, at: number): void {
    const funding = lane.series.funding[at];
    if (funding === undefined) return;
    this.#scheduler.at(funding.timeMs, () => {
      this.#margin?.queueFunding(lane, funding);
      if (this.#acts === null && this.nextMs > funding.timeMs) this.#margin?.pay();
      this.#awaitFunding(lane, at + 1);
    });
  }
}
