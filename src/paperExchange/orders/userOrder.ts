// Orders of users as the exchange knows them beyond matching: client ids, what reads already show, and the ways to find one.

import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import type { VenueOrder, VenueStatus } from '../../venue/venueOrder.ts';
import type { Resting } from '../matching/orderBook.ts';
import { ClientIds } from './clientIds.ts';
import { type PagedRow, PagedList } from './pagedList.ts';
import { Offsets } from './offsets.ts';
import { page } from './page.ts';

/** What reads show of an order: its past, where there is a delay. */
export interface VisibleState {
  readonly status: VenueStatus;
  /** False: it is on its way to the book. */
  readonly isAdmitted: boolean;
  readonly filledLots: number;
  readonly filledUnits: number;
  /** Of futures, in units of the settlement asset: fees paid, and profit of what the order closed. */
  readonly feeUnits: number;
  readonly profitUnits: number;
  /** The same: average price of its fills, in ticks with a fraction. */
  readonly averageTicks: number;
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
  /** Its turn among all that have rested; 0: it never did. */
  rested = 0;
  feeUnits = 0;
  profitUnits = 0;
  averageTicks = 0;
  /** Null until reads show it at all. */
  visible: VisibleState | null = null;
  /** Its end, once it has one. */
  ended: VisibleState | null = null;
  /** It is among what is to be written down. */
  isChanged = false;
  /** Its neighbours among the orders of the account that reads show as open. */
  older: this | null = null;
  newer: this | null = null;

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

/** What has gone to where it lies, as readers find it again. */
export interface ArchiveReader<O, T> {
  /** An order that is over. */
  order(place: number): O;
  trade(place: number): T;
  /** What pages are cut by. */
  tagOf(instrument: Instrument): number;
}

/** A chain of orders, which they hold themselves: it takes no room beside them, however many they are. */
class OpenOrderChain<O extends UserOrder> {
  #newest: O | null = null;

  /** An order that is in it already stays where it is. */
  add(order: O): void {
    if (this.#has(order)) return;
    const before = this.#newest;
    order.older = before;
    if (before !== null) before.newer = order;
    this.#newest = order;
  }

  remove(order: O): void {
    if (!this.#has(order)) return;
    const { older, newer } = order;
    if (older !== null) older.newer = newer;
    if (newer === null) this.#newest = older;
    else newer.older = older;
    order.older = order.newer = null;
  }

  /** Newest first; null: of every instrument. */
  newest(instrument: Instrument | null, limit: number): readonly O[] {
    const found: O[] = [];
    for (let order = this.#newest; order !== null && found.length < limit; order = order.older)
      if (instrument === null || order.instrument === instrument) found.push(order);
    return found;
  }

  /** All but the newest have a newer one. */
  #has(order: O): boolean {
    return order.newer !== null || this.#newest === order;
  }
}

/** Open orders and own trades of one account. */
class AccountOrders<O extends UserOrder, T> {
  /** Orders that reads show as open. */
  readonly open = new OpenOrderChain<O>();
  readonly trades: PagedList<T>;

  constructor(past: ArchiveReader<O, T>) {
    this.trades = new PagedList((place) => past.trade(place));
  }
}

/** How many of the newest orders are at hand without naming an account. */
const LATEST = 100;
/** Digits of an id on the wire that count orders. */
const NUMBER_DIGITS = 15;

/** Ids on the wire: nineteen digits, as on real services, so that a client that reads them as doubles is found out. */
export const wireId = (prefix: string, number: number): string => prefix + String(number).padStart(NUMBER_DIGITS, '0');
/** The number in an id on the wire. */
export const orderNumberOf = (id: string): number => Number(id.slice(-NUMBER_DIGITS));

export class UserOrders<O extends UserOrder, T extends OwnTrade> {
  readonly #prefix: string;
  readonly #archive: ArchiveReader<O, T>;
  readonly #latest: O[] = [];
  /** By number: those that are not over, or not for reads, or lie nowhere yet. */
  readonly #inMemory = new Map<number, O>();
  /** By number. */
  readonly #places = new Offsets();
  readonly #clientIds: ClientIds;
  readonly #shelves: AccountOrders<O, T>[] = [];

  constructor(prefix: string, past: ArchiveReader<O, T>) {
    this.#prefix = prefix;
    this.#archive = past;
    this.#clientIds = new ClientIds((number, account, id) => {
      const order = this.numbered(number);
      return order?.account === account && order.clientOrderId === id;
    });
  }

  /** Orders that are in memory. */
  get inMemory(): number {
    return this.#inMemory.size;
  }
  /** Those that have not ended, the oldest first. */
  live(): readonly O[] {
    return Array.from(this.#inMemory.values()).filter(({ live }) => live !== null);
  }

  add(order: O): void {
    const number = orderNumberOf(order.id);
    this.#inMemory.set(number, order);
    this.#latest.push(order);
    if (this.#latest.length > 2 * LATEST) this.#latest.splice(0, LATEST);
    this.name(number, order.account, order.clientOrderId);
  }

  /** A client id that is given again reaches the latest order. The order can be found already. */
  name(number: number, account: number, clientOrderId: string | null): void {
    if (clientOrderId !== null) this.#clientIds.add(number, account, clientOrderId);
  }

  /** The order has come to its end, and this is where it lies: it need not be at hand once reads show it so. */
  put(number: number, place: number): void {
    this.#places.set(number, place);
    const order = this.#inMemory.get(number);
    if (order !== undefined) this.#evict(order, number);
  }

  /** Null: there is none. */
  numbered(number: number): O | null {
    const order = this.#inMemory.get(number);
    if (order !== undefined) return order;
    const place = this.#places.get(number);
    return place < 0 ? null : this.#archive.order(place);
  }

  /** Null where the account has no such order. */
  find(account: number, id: string): O | null {
    const number = orderNumberOf(id);
    if (!Number.isSafeInteger(number) || wireId(this.#prefix, number) !== id) return null;
    const order = this.numbered(number);
    return order?.account === account ? order : null;
  }

  /** The newest of all accounts, at most a hundred, newest first. */
  latest(): readonly O[] {
    return this.#latest.slice(-LATEST).toReversed();
  }

  /** The account whose order it is; null: nobody's here. */
  ownerOf(id: string): number | null {
    return id.startsWith(this.#prefix) ? (this.numbered(orderNumberOf(id))?.account ?? null) : null;
  }

  byClientId(account: number, clientOrderId: string): O | null {
    const number = this.#clientIds.find(account, clientOrderId);
    return number < 0 ? null : this.numbered(number);
  }

  /** From now on reads show this of the order. */
  show(order: O, shown: VisibleState): void {
    order.visible = shown;
    const { open } = this.#ordersOf(order.account);
    if (isOpen(shown.status)) open.add(order);
    else {
      open.remove(order);
      this.#evict(order, orderNumberOf(order.id));
    }
  }

  showTrade(account: number, trade: PagedRow<T>): void {
    this.#ordersOf(account).trades.push(trade);
  }
  /** One that lies there since an earlier life of the exchange. */
  restoreTrade(account: number, place: number, tag: number): void {
    this.#ordersOf(account).trades.restore(place, tag);
  }

  /** Newest first; null: of every instrument. */
  open(account: number, instrument: Instrument | null, limit: number): readonly O[] {
    return this.#ordersOf(account).open.newest(instrument, limit);
  }

  /** Newest first; from a trade id on where one is given (see `page`). */
  trades(account: number, instrument: Instrument | null, limit: number, fromId: number | null): readonly T[] {
    const isBefore = fromId === null ? null : ({ tradeId }: T): boolean => tradeId < fromId;
    return page(this.#ordersOf(account).trades, limit, instrument === null ? null : this.#archive.tagOf(instrument), isBefore);
  }

  #evict(order: O, number: number): void {
    if (order.ended !== null && order.visible === order.ended && this.#places.get(number) >= 0) this.#inMemory.delete(number);
  }

  #ordersOf(account: number): AccountOrders<O, T> {
    while (this.#shelves.length <= account) this.#shelves.push(new AccountOrders(this.#archive));
    return this.#shelves[account]!;
  }
}

export const isOpen = (status: VenueStatus): boolean => status === 'NEW' || status === 'PARTIALLY_FILLED' || status === 'PENDING_CANCEL';
