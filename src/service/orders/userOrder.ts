// Orders of users as the exchange knows them beyond matching: client ids, what reads already show, and the ways to find one.

import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import type { VenueOrder, VenueStatus } from '../../venue/venueOrder.ts';
import type { Resting } from '../matching/orderBook.ts';
import { page } from './page.ts';

/** What reads show of an order: its past, where there is a delay. */
export interface Shown {
  readonly status: VenueStatus;
  /** False: it is on its way to the book. */
  readonly isAdmitted: boolean;
  readonly filledLots: number;
  readonly filledUnits: number;
  /** Of futures, in units of the settlement asset: fees paid, and profit of what the order closed. */
  readonly feeUnits: number;
  readonly profitUnits: number;
}

export interface OrderStart {
  /** Text id on the wire. */
  readonly id: string;
  readonly account: number;
  readonly clientOrderId: string | null;
  readonly intent: OrderIntent;
  readonly placedMs: number;
  readonly live: VenueOrder | null;
}

export class UserOrder {
  readonly id: string;
  readonly account: number;
  readonly clientOrderId: string | null;
  readonly intent: OrderIntent;
  readonly placedMs: number;
  /** The venue's record while it can still fill; null afterwards. */
  live: VenueOrder | null;
  /** Where it stands in the book. */
  resting: Resting | null = null;
  isAdmitted = false;
  feeUnits = 0;
  profitUnits = 0;
  /** Null until reads show it at all. */
  shown: Shown | null = null;
  /** Its end, once it has one. */
  ended: Shown | null = null;

  constructor({ id, account, clientOrderId, intent, placedMs, live }: OrderStart) {
    this.id = id;
    this.account = account;
    this.clientOrderId = clientOrderId;
    this.intent = intent;
    this.placedMs = placedMs;
    this.live = live;
  }

  get instrument(): Instrument {
    return this.intent.instrument;
  }
}

/** Of an own trade; amounts in whole numbers of their scales. */
export interface OwnTrade {
  readonly instrument: Instrument;
  readonly tradeId: number;
  readonly bidId: string;
  readonly askId: string;
  readonly price: number;
  readonly lots: number;
  readonly timeMs: number;
  readonly isBuyer: boolean;
  readonly isMaker: boolean;
  readonly fee: number;
  readonly feeInBase: boolean;
}

/** Orders and own trades of one account. */
class Shelf<O, T> {
  readonly byClientId = new Map<string, O>();
  /** Orders that reads show as open, oldest first. */
  readonly open = new Map<string, O>();
  /** Oldest first. */
  readonly trades: T[] = [];
}

/** How many of the newest orders are at hand without naming an account. */
const LATEST = 100;

export class UserOrders<O extends UserOrder, T extends OwnTrade> {
  readonly #latest: O[] = [];
  readonly #byId = new Map<string, O>();
  readonly #shelves: Shelf<O, T>[] = [];

  add(order: O): void {
    this.#byId.set(order.id, order);
    this.#latest.push(order);
    if (this.#latest.length > 2 * LATEST) this.#latest.splice(0, LATEST);
    // A client id that is given again reaches the latest order.
    if (order.clientOrderId !== null) this.#shelf(order.account).byClientId.set(order.clientOrderId, order);
  }

  /** Null where the account has no such order. */
  find(account: number, id: string): O | null {
    const order = this.#byId.get(id);
    return order?.account === account ? order : null;
  }

  /** The newest of all accounts, at most a hundred, newest first. */
  latest(): readonly O[] {
    return this.#latest.slice(-LATEST).toReversed();
  }

  /** The account whose order it is; null: nobody's here. */
  ownerOf(id: string): number | null {
    return this.#byId.get(id)?.account ?? null;
  }

  byClientId(account: number, clientOrderId: string): O | null {
    return this.#shelf(account).byClientId.get(clientOrderId) ?? null;
  }

  /** From now on reads show this of the order. */
  show(order: O, shown: Shown): void {
    order.shown = shown;
    const { open } = this.#shelf(order.account);
    if (isOpen(shown.status)) open.set(order.id, order);
    else open.delete(order.id);
  }

  showTrade(account: number, trade: T): void {
    this.#shelf(account).trades.push(trade);
  }

  /** Newest first; null: of every instrument. */
  open(account: number, instrument: Instrument | null, limit: number): readonly O[] {
    return page(Array.from(this.#shelf(account).open.values()), limit, (order) => instrument === null || order.instrument === instrument);
  }

  /** Newest first; from a trade id on where one is given (see `page`). */
  trades(account: number, instrument: Instrument | null, limit: number, fromId: number | null): readonly T[] {
    const isBefore = fromId === null ? null : ({ tradeId }: T): boolean => tradeId < fromId;
    return page(this.#shelf(account).trades, limit, (trade) => instrument === null || trade.instrument === instrument, isBefore);
  }

  #shelf(account: number): Shelf<O, T> {
    while (this.#shelves.length <= account) this.#shelves.push(new Shelf());
    return this.#shelves[account]!;
  }
}

export const isOpen = (status: VenueStatus): boolean => status === 'NEW' || status === 'PARTIALLY_FILLED' || status === 'PENDING_CANCEL';
