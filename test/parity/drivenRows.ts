// Defines what a driver needs of an exchange whose prices are rows, and implements it for an exchange in this process.

import type { RowAct, BarMatching } from '../../src/paperExchange/replayed/barMatching.ts';
import type { Service } from '../../src/paperExchange/service.ts';

/** The row of one instrument that the exchange matches now. Prices are in ticks. */
export interface DrivenBar {
  /** Id of its instrument. */
  readonly instrument: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly closeMs: number;
}

/** One act of matching. `open`: orders fill at the open of the bar. `inside`: orders fill within its range. `closed`: all bars have closed. */
export type DrivenAct = { readonly act: 'open' | 'inside'; readonly bar: DrivenBar } | { readonly act: 'closed' };

/** Number of open orders at the exchange, and the lots that they have filled. */
export interface OpenOrderTotals {
  readonly count: number;
  readonly filledLots: number;
}

/** The rows of an exchange, for a driver. The exchange is in this process, or answers over HTTP. */
export interface DrivenRows {
  /** Time at which the next rows close. Infinity when there are none. */
  nextMs(): number | Promise<number>;
  /** From now on, the exchange matches the next rows act by act: it stops after each one until `next` is called. */
  matchByActs(): void | Promise<void>;
  /** From now on, the exchange matches rows as a whole, and also the rest of the current ones. */
  matchWholeRows(): void | Promise<void>;
  /** Returns the next act of the rows that have just closed. Null after the last one. */
  next(): DrivenAct | null | Promise<DrivenAct | null>;
  /** Sets the price of MARKET orders that arrive from now on, in the market of the newest act. */
  quote(price: number): void | Promise<void>;
  openOrders(): OpenOrderTotals | Promise<OpenOrderTotals>;
}

/** Implements the rows of an exchange in this process. */
export class ServiceRows implements DrivenRows {
  readonly #rows: BarMatching;
  readonly #service: Service;
  #newest: RowAct | null = null;
  #isByActs = false;

  constructor(service: Service) {
    if (service.barMatching === null) throw new Error('the exchange follows no rows');
    this.#rows = service.barMatching;
    this.#service = service;
  }

  /** The act that was returned last. Null once its rows have ended. */
  get newest(): DrivenAct | null {
    return this.#newest === null ? null : drivenAct(this.#newest);
  }

  /** Returns the act to continue with after a restart: the newest, or the first of rows that closed just before the kill. */
  unfinished(): DrivenAct | null {
    return this.newest ?? (this.#isByActs ? this.next() : null);
  }

  nextMs(): number {
    return this.#rows.nextMs;
  }
  matchByActs(): void {
    this.#isByActs = true;
    this.#rows.matchByActs();
  }
  matchWholeRows(): void {
    this.#isByActs = false;
    this.#rows.matchWholeRows();
    this.#newest = null;
  }
  next(): DrivenAct | null {
    this.#newest = this.#rows.next();
    return this.newest;
  }
  quote(price: number): void {
    if (this.#newest === null || this.#newest.act === 'closed') throw new Error('no row is being matched');
    this.#newest.barMarket.holdPrice(price);
  }
  openOrders(): OpenOrderTotals {
    const { spot, futures } = this.#service.sides;
    const openOrders = [...(spot?.unendedOrders() ?? []), ...(futures?.unendedOrders() ?? [])];
    const triggerCount = futures?.triggers.pending().length ?? 0;
    const filledLots = openOrders.reduce((lots, { venueOrder }) => lots + (venueOrder?.filledLots ?? 0), 0);
    return { count: openOrders.length + triggerCount, filledLots };
  }
}

/** Returns an act of the exchange in the form for a driver. */
function drivenAct(rowAct: RowAct): DrivenAct {
  if (rowAct.act === 'closed') return { act: 'closed' };
  const { series, row, market } = rowAct.barMarket;
  const { open, high, low } = series.bar(row);
  return { act: rowAct.act, bar: { instrument: market.instrument.id, open, high, low, closeMs: series.closeMs(row) } };
}
