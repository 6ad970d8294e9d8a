// What a driver needs of an exchange whose prices are rows: in this process, or in another one that is asked by messages.

import type { RowAct, BarMatching } from '../../src/paperExchange/replayed/barMatching.ts';
import type { Service } from '../../src/paperExchange/service.ts';

/** A row that is being worked off; prices in ticks. */
export interface DrivenBar {
  /** Id of its instrument. */
  readonly instrument: string;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly closeMs: number;
}

export type DrivenAct = { readonly act: 'open' | 'inside'; readonly bar: DrivenBar } | { readonly act: 'closed' };

/** Orders that have not ended, as the exchange knows, and what they have filled. */
export interface OpenOrders {
  readonly count: number;
  readonly filledLots: number;
}

export interface DrivenRows {
  /** When the next rows close; Infinity: there are none. */
  nextMs(): number | Promise<number>;
  goByActs(): void | Promise<void>;
  goWhole(): void | Promise<void>;
  /** The next act of the rows that have just closed; null: they are over. */
  next(): DrivenAct | null | Promise<DrivenAct | null>;
  /** MARKET orders that arrive from now on trade at `price`, in the market of the newest act. */
  quote(price: number): void | Promise<void>;
  openOrders(): OpenOrders | Promise<OpenOrders>;
}

/** The rows of a service in this process. */
export class ServiceRows implements DrivenRows {
  readonly #rows: BarMatching;
  readonly #service: Service;
  #newest: RowAct | null = null;
  #isByActs = false;

  constructor(service: Service) {
    if (service.rows === null) throw new Error('the exchange follows no rows');
    this.#rows = service.rows;
    this.#service = service;
  }

  /** The act that was given last, while its rows are not over. */
  get newest(): DrivenAct | null {
    return this.#newest === null ? null : drivenAct(this.#newest);
  }

  /** The act to continue with after a restart: the newest, or the first of rows that closed just before the bot was killed. */
  unfinished(): DrivenAct | null {
    return this.newest ?? (this.#isByActs ? this.next() : null);
  }

  nextMs(): number {
    return this.#rows.nextMs;
  }
  goByActs(): void {
    this.#isByActs = true;
    this.#rows.goByActs();
  }
  goWhole(): void {
    this.#isByActs = false;
    this.#rows.goWhole();
    this.#newest = null;
  }
  next(): DrivenAct | null {
    this.#newest = this.#rows.next();
    return this.newest;
  }
  quote(price: number): void {
    if (this.#newest === null || this.#newest.act === 'closed') throw new Error('no row is being worked off');
    this.#newest.barMarket.holdPrice(price);
  }
  openOrders(): OpenOrders {
    const { spot, futures } = this.#service.sides;
    const open = [...(spot?.live() ?? []), ...(futures?.live() ?? [])];
    const waiting = futures?.triggers.pending().length ?? 0;
    return { count: open.length + waiting, filledLots: open.reduce((lots, { live }) => lots + (live?.filledLots ?? 0), 0) };
  }
}

function drivenAct(act: RowAct): DrivenAct {
  if (act.act === 'closed') return { act: 'closed' };
  const market = act.barMarket;
  const { open, high, low } = market.series.bar(market.row);
  return { act: act.act, bar: { instrument: market.market.instrument.id, open, high, low, closeMs: market.series.closeMs(market.row) } };
}
