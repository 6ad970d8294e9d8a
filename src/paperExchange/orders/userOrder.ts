// User orders as the exchange keeps them: client order ids, the state that reads show, and lookups.

import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import type { VenueOrder, VenueStatus } from '../../venue/venueOrder.ts';
import type { RestingOrder } from '../matching/orderBook.ts';
import { ClientIds } from './clientIds.ts';
import { type PagedRow, PagedList } from './pagedList.ts';
import { Offsets } from './offsets.ts';
import { listPage } from './page.ts';

/** The state of an order that reads show. With a visibility delay it lags behind. */
export interface VisibleState {
  readonly status: VenueStatus;
  /** False while the order is on its way to the book. */
  readonly isAdmitted: boolean;
  readonly filledLots: number;
  readonly filledUnits: number;
  /** Futures only, in units of the settlement asset: fees paid, and profit of the quantity that the order closed. */
  readonly feeUnits: number;
  readonly profitUnits: number;
  /** Futures only: average price of the fills, in ticks with a fraction. */
  readonly averageTicks: number;
}

/** The state of an order that has just been placed. */
export const NEW_ORDER_STATE: VisibleState = {
  status: 'NEW',
  isAdmitted: false,
  filledLots: 0,
  filledUnits: 0,
  feeUnits: 0,
  profitUnits: 0,
  averageTicks: 0,
};

/** An order as it was placed. */
export interface OrderStart {
  /** Text id on the wire. */
  readonly id: string;
  readonly account: number;
  readonly clientOrderId: string | null;
  readonly intent: OrderIntent;
  readonly placedMs: number;
  readonly venueOrder: VenueOrder | null;
}

/** One order of an account. */
export class UserOrder {
  /** Order id on the wire. */
  readonly id: string;
  /** Index of the account. */
  readonly account: number;
  /** The client's own id; null if it gave none. */
  readonly clientOrderId: string | null;
  /** What was ordered, in whole numbers. */
  readonly intent: OrderIntent;
  /** Time of the request, ms UTC. */
  readonly placedMs: number;
  /** The venue's record while the order can still fill; null afterwards. */
  venueOrder: VenueOrder | null;
  /** The entry in the book; null: the order does not rest. */
  resting: RestingOrder | null = null;
  /** True once the order has passed the delay and was offered to the book. */
  isAdmitted = false;
  /** The position of the order in the sequence of all orders that have rested; 0: it never rested. */
  restSequence = 0;
  /** Sums over its fills: fees, and for futures realised profit; then the average price in ticks with a fraction. */
  feeUnits = 0;
  profitUnits = 0;
  averageTicks = 0;
  /** Null until reads show the order. */
  visible: VisibleState | null = null;
  /** The final state; null until the order has ended. */
  ended: VisibleState | null = null;
  /** True while the order is among the pending writes. */
  isChanged = false;
  /** Neighbours in the list of the account's orders that reads show as open. */
  older: this | null = null;
  newer: this | null = null;

  constructor({ id, account, clientOrderId, intent, placedMs, venueOrder }: OrderStart) {
    this.id = id;
    this.account = account;
    this.clientOrderId = clientOrderId;
    this.intent = intent;
    this.placedMs = placedMs;
    this.venueOrder = venueOrder;
  }

  /** The instrument of the order. */
  get instrument(): Instrument {
    return this.intent.instrument;
  }
}

/** Returns what reads are to show of an open order. */
export function visibleStateOf(
  { isAdmitted, feeUnits, profitUnits, averageTicks }: UserOrder,
  { status, filledLots, filledUnits }: VenueOrder,
): VisibleState {
  if (status === 'NEW' && !isAdmitted && filledLots === 0) return NEW_ORDER_STATE;
  return { status, isAdmitted, filledLots, filledUnits, feeUnits, profitUnits, averageTicks };
}

/** An own trade. Amounts are whole numbers of their scales. */
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

/** Reads orders and trades back from the store. */
export interface ArchiveReader<O, T> {
  /** Reads an order that has ended. */
  order(storeOffset: number): O;
  trade(storeOffset: number): T;
  /** Returns the tag by which pages are filtered. */
  tagOf(instrument: Instrument): number;
}

/** A linked list through the orders themselves, so that it needs no memory of its own. */
class OpenOrderChain<O extends UserOrder> {
  #newest: O | null = null;

  /** Adds an order. One that is already in the list keeps its position. */
  add(order: O): void {
    if (this.#has(order)) return;
    const earlierNewest = this.#newest;
    order.older = earlierNewest;
    if (earlierNewest !== null) earlierNewest.newer = order;
    this.#newest = order;
  }

  /** Removes an order. Does nothing if it is not in the list. */
  remove(order: O): void {
    if (!this.#has(order)) return;
    const { older, newer } = order;
    if (older !== null) older.newer = newer;
    if (newer === null) this.#newest = older;
    else newer.older = older;
    order.older = order.newer = null;
  }

  /** Returns at most `limit` orders, newest first. `instrument` null: every instrument. */
  newest(instrument: Instrument | null, limit: number): readonly O[] {
    const orders: O[] = [];
    for (let order = this.#newest; order !== null && orders.length < limit; order = order.older)
      if (instrument === null || order.instrument === instrument) orders.push(order);
    return orders;
  }

  /** True when the order is in the list: every listed order except the newest has a newer one. */
  #has(order: O): boolean {
    return order.newer !== null || this.#newest === order;
  }
}

/** Open orders and own trades of one account. */
class AccountOrders<O extends UserOrder, T> {
  /** Orders that reads show as open. */
  readonly open = new OpenOrderChain<O>();
  readonly trades: PagedList<T>;

  constructor(archive: ArchiveReader<O, T>) {
    this.trades = new PagedList((storeOffset) => archive.trade(storeOffset));
  }
}

/** Number of newest orders of all accounts that stay in memory. */
const MAX_LATEST = 100;
/** Digits of a wire id that count orders. */
const NUMBER_DIGITS = 15;

/** Returns an id of 19 digits, as on real services. A client that parses ids as doubles loses digits, which tests then detect. */
export const wireOrderId = (prefix: string, number: number): string => prefix + String(number).padStart(NUMBER_DIGITS, '0');
/** Returns the number in a wire id. */
export const orderNumberOf = (id: string): number => Number(id.slice(-NUMBER_DIGITS));

/** All orders of one side, found by number, id or client order id. */
export class UserOrders<O extends UserOrder, T extends OwnTrade> {
  readonly #prefix: string;
  readonly #archive: ArchiveReader<O, T>;
  readonly #latest: O[] = [];
  /** By number: orders that have not ended, whose end reads do not show yet, or that are not in the store yet. */
  readonly #inMemory = new Map<number, O>();
  /** Store offsets by number. */
  readonly #storeOffsets = new Offsets();
  readonly #clientIds: ClientIds;
  readonly #accounts: AccountOrders<O, T>[] = [];

  constructor(prefix: string, archive: ArchiveReader<O, T>) {
    this.#prefix = prefix;
    this.#archive = archive;
    this.#clientIds = new ClientIds((number, account, id) => {
      const order = this.orderNumbered(number);
      return order?.account === account && order.clientOrderId === id;
    });
  }

  /** Number of orders in memory. */
  get inMemory(): number {
    return this.#inMemory.size;
  }
  /** Returns the orders that have not ended, oldest first. */
  unended(): readonly O[] {
    return Array.from(this.#inMemory.values()).filter(({ venueOrder }) => venueOrder !== null);
  }

  /** Adds a new order. */
  add(order: O): void {
    const number = orderNumberOf(order.id);
    this.#inMemory.set(number, order);
    this.#latest.push(order);
    if (this.#latest.length > 2 * MAX_LATEST) this.#latest.splice(0, MAX_LATEST);
    this.registerClientId(number, order.account, order.clientOrderId);
  }

  /** Registers a client order id. A reused id finds its latest order. The order itself must already be findable. */
  registerClientId(number: number, accountIndex: number, clientOrderId: string | null): void {
    if (clientOrderId !== null) this.#clientIds.add(number, accountIndex, clientOrderId);
  }

  /** Notes the offset of an ended order in the store. The order leaves memory once reads show its end. */
  markArchived(number: number, storeOffset: number): void {
    this.#storeOffsets.set(number, storeOffset);
    const order = this.#inMemory.get(number);
    if (order !== undefined) this.#evict(order, number);
  }

  /** Returns the order with a number, from memory or the store; null if there is no such order. */
  orderNumbered(number: number): O | null {
    const order = this.#inMemory.get(number);
    if (order !== undefined) return order;
    const storeOffset = this.#storeOffsets.get(number);
    return storeOffset < 0 ? null : this.#archive.order(storeOffset);
  }

  /** Returns the order with a wire id; null if the account has no such order. */
  find(accountIndex: number, id: string): O | null {
    const number = orderNumberOf(id);
    if (!Number.isSafeInteger(number) || wireOrderId(this.#prefix, number) !== id) return null;
    const order = this.orderNumbered(number);
    return order?.account === accountIndex ? order : null;
  }

  /** Returns the newest orders of all accounts, at most 100, newest first. */
  latest(): readonly O[] {
    return this.#latest.slice(-MAX_LATEST).toReversed();
  }

  /** Returns the account of an order; null if no user of this exchange has it. */
  ownerOf(id: string): number | null {
    return id.startsWith(this.#prefix) ? (this.orderNumbered(orderNumberOf(id))?.account ?? null) : null;
  }

  /** Returns the latest order with a client order id; null if the account has none. */
  byClientId(accountIndex: number, clientOrderId: string): O | null {
    const number = this.#clientIds.find(accountIndex, clientOrderId);
    return number < 0 ? null : this.orderNumbered(number);
  }

  /** Sets what reads show of the order from now on. An order that they show as ended stays so, although a longer delay may bring an earlier state later. */
  show(order: O, visible: VisibleState): void {
    if (order.visible !== null && !isOpen(order.visible.status)) return;
    order.visible = visible;
    const { open } = this.#ordersOf(order.account);
    if (isOpen(visible.status)) open.add(order);
    else {
      open.remove(order);
      this.#evict(order, orderNumberOf(order.id));
    }
  }

  /** Makes a trade visible to reads. */
  showTrade(accountIndex: number, trade: PagedRow<T>): void {
    this.#ordersOf(accountIndex).trades.push(trade);
  }
  /** Restores a trade that an earlier process has stored. */
  restoreTrade(accountIndex: number, storeOffset: number, tag: number): void {
    this.#ordersOf(accountIndex).trades.restore(storeOffset, tag);
  }

  /** Returns the orders that reads show as open, newest first. `instrument` null: every instrument. */
  visiblyOpen(accountIndex: number, instrument: Instrument | null, limit: number): readonly O[] {
    return this.#ordersOf(accountIndex).open.newest(instrument, limit);
  }

  /** Returns own trades, newest first. With `fromId`, from that trade id on (see `listPage`). */
  trades(accountIndex: number, instrument: Instrument | null, limit: number, fromId: number | null): readonly T[] {
    return this.tradeIndexes(accountIndex, instrument, limit, fromId).map((index) => this.tradeAt(accountIndex, index));
  }
  /** Returns the indexes of own trades in the account's list, like `trades`. The index of a trade never changes. */
  tradeIndexes(accountIndex: number, instrument: Instrument | null, limit: number, fromId: number | null): readonly number[] {
    const { trades } = this.#ordersOf(accountIndex);
    const isBefore = fromId === null ? null : (index: number): boolean => trades.at(index).tradeId < fromId;
    const indexList = { length: trades.length, tagAt: (index: number) => trades.tagAt(index), at: (index: number) => index };
    return listPage(indexList, limit, instrument === null ? null : this.#archive.tagOf(instrument), isBefore);
  }
  /** Returns the own trade at an index. */
  tradeAt(accountIndex: number, index: number): T {
    return this.#ordersOf(accountIndex).trades.at(index);
  }

  /** Returns the number of own trades that reads show. */
  tradeCount(accountIndex: number): number {
    return this.#ordersOf(accountIndex).trades.length;
  }
  /** Removes an order from memory if it is in the store and reads show its end. */
  #evict(order: O, number: number): void {
    if (order.ended !== null && order.visible === order.ended && this.#storeOffsets.get(number) >= 0) this.#inMemory.delete(number);
  }

  #ordersOf(accountIndex: number): AccountOrders<O, T> {
    while (this.#accounts.length <= accountIndex) this.#accounts.push(new AccountOrders(this.#archive));
    return this.#accounts[accountIndex]!;
  }
}

/** True for a status in which the order can still fill. */
export const isOpen = (status: VenueStatus): boolean => status === 'NEW' || status === 'PARTIALLY_FILLED' || status === 'PENDING_CANCEL';
