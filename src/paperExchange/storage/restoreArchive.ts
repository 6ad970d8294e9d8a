// Rebuilds the lookups of ended orders, triggers and trades after a start. It reads only the owner and the ids of each row.

import type { Market } from '../../model/instrument.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import { reductionRecord } from '../futures/reductionRecord.ts';
import { type TriggerRecord, triggerRecord, type WaitingTriggerRecord } from '../futures/triggerRecord.ts';
import { type OpenOrderRecord, orderRecord, tradeRecord } from '../orders/orderRecords.ts';
import type { Layout } from '../records/layout.ts';
import type { Service } from '../service.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';
import type { ArchivedKind } from './recordTable.ts';

/** The owner of a row: market side, account, and the tag of its instrument. */
interface RowOwner {
  readonly side: SpotExchange | FuturesExchange;
  readonly account: number;
  readonly tag: number;
}

/** Order numbers are multiplied by this before a smaller tag is added, so that sums sort by the number. */
const MAX_TAGS = 2 ** 13;

/** A row of the store, still as bytes. */
export interface ArchivedRow {
  readonly bytes: Buffer;
  /** The row is the bytes from `start` to `end`. */
  readonly start: number;
  readonly end: number;
  /** Layout of the file that has the row. */
  readonly layout: Layout;
  /** Offset of the row in the store. */
  readonly storeOffset: number;
}

/**
 * Matches the first fields of usual rows. Parsing all fields would take several times as long. A row with an escape, or with fields in
 * another order, is parsed as a whole.
 */
const ORDER_OWNER = /^\["order","(spot|futures)",(\d{1,15}),"([^"\\]*)",(?:null|"([^"\\]*)"),"([^"\\]*)",/;
const TRADE_OWNER = /^\["trade","(spot|futures)","([^"\\]*)","([^"\\]*)",/;

/** Collects the archived rows of all files, oldest first. */
export class ArchiveRestorer {
  readonly #service: Service;
  readonly #owners = new Map<string, RowOwner | null>();
  /** Futures only, by account: numbers of orders, each combined with its tag. */
  readonly #orders: number[][] = [];
  readonly #triggers = new Map<number, { readonly account: number; readonly tag: number }>();
  #newestTrigger: TriggerRecord | null = null;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Restores an archived row. Throws ConfigError if the row is invalid. */
  apply(kind: ArchivedKind, row: ArchivedRow): void {
    if (kind === 'trade') return this.#restoreTrade(row);
    if (kind === 'order') return this.#restoreOrder(row);
    const { layout, storeOffset } = row;
    if (kind === 'trigger') return this.#restoreTrigger(layout.read(triggerRecord, textOf(row)), storeOffset);
    this.#service.sides.futures?.profits.restore(layout.read(reductionRecord, textOf(row)), storeOffset);
  }

  /** Registers the client order id of an open order and adds it to the history. */
  addOpenOrder({ market, number, uid, clientOrderId, symbol }: OpenOrderRecord): void {
    const owner = this.#ownerOf(market, uid, symbol);
    if (owner !== null) this.#register(owner, number, clientOrderId);
  }

  /** Builds the lists that are sorted by creation. Archived rows are sorted by the time at which they ended. */
  finish(): void {
    const { futures } = this.#service.sides;
    if (futures === null) return;
    this.#orders.forEach((numbers, account) => {
      const sorted = Float64Array.from(numbers).toSorted();
      sorted.forEach((combined, index) => {
        if (combined !== sorted[index - 1]) futures.addToHistory(account, Math.floor(combined / MAX_TAGS), combined % MAX_TAGS);
      });
    });
    const triggers = Array.from(this.#triggers).toSorted(([a], [b]) => a - b);
    for (const [id, { account, tag }] of triggers) futures.triggers.addToList(id, account, tag);
    if (this.#newestTrigger !== null) futures.triggers.restoreArchived(this.#newestTrigger);
  }

  /** Adds a waiting or ended trigger to the list of its account. */
  addTrigger({ number, uid, symbol }: TriggerRecord | WaitingTriggerRecord): void {
    const owner = this.#ownerOf('futures', uid, symbol);
    if (owner !== null) this.#triggers.set(number, owner);
  }

  #restoreTrade(row: ArchivedRow): void {
    const match = TRADE_OWNER.exec(startOfRow(row));
    const { market, uid, symbol } = match === null ? row.layout.read(tradeRecord, textOf(row)) : ownerIn(match);
    const owner = this.#ownerOf(market, uid, symbol);
    owner?.side.orders.restoreTrade(owner.account, row.storeOffset, owner.tag);
  }

  /** Registers an archived order by its numbers and ids. The order itself stays on disk. */
  #restoreOrder(row: ArchivedRow): void {
    const match = ORDER_OWNER.exec(startOfRow(row));
    const order = match === null ? row.layout.read(orderRecord, textOf(row)) : orderIn(match);
    const owner = this.#ownerOf(order.market, order.uid, order.symbol);
    if (owner === null) return;
    owner.side.orders.markArchived(order.number, row.storeOffset);
    this.#register(owner, order.number, order.clientOrderId);
  }

  /** Makes an order findable by its client order id and, for futures, by its history. */
  #register({ side, account, tag }: RowOwner, number: number, clientOrderId: string | null): void {
    side.orders.registerClientId(number, account, clientOrderId);
    if ('profits' in side) (this.#orders[account] ??= []).push(number * MAX_TAGS + tag);
  }

  /** Notes where an ended trigger is stored, and which one is the newest. */
  #restoreTrigger(stored: TriggerRecord, storeOffset: number): void {
    this.addTrigger(stored);
    this.#service.sides.futures?.triggers.markArchived(stored.number, storeOffset);
    if (stored.number > (this.#newestTrigger?.number ?? 0)) this.#newestTrigger = stored;
  }

  /** Returns the owner of a record; null if the exchange no longer has that side. */
  #ownerOf(market: Market, uid: string, symbol: string): RowOwner | null {
    const key = `${market},${uid},${symbol}`;
    const cached = this.#owners.get(key);
    if (cached !== undefined) return cached;
    const side = this.#service.sides[market];
    const names = side?.orderRows.names;
    const hasSide = side !== null && names !== undefined;
    const owner = hasSide ? { side, account: names.accountOf(uid), tag: side.orderRows.tagOf(names.instrumentOf(symbol)) } : null;
    this.#owners.set(key, owner);
    return owner;
  }
}

/** Enough bytes for the first fields of usual rows. */
const START_BYTES = 192;

/** Returns the start of a row; empty if the fields may be in another order. */
const startOfRow = ({ bytes, start, end, layout }: ArchivedRow): string =>
  layout.isCurrent ? bytes.toString('latin1', start, Math.min(end, start + START_BYTES)) : '';

const textOf = ({ bytes, start, end }: ArchivedRow): string => bytes.toString('latin1', start, end);

/** Returns the owner of a trade from a match of TRADE_OWNER. */
const ownerIn = ([, market, uid, symbol]: RegExpExecArray) => ({
  market: market === 'spot' ? ('spot' as const) : ('futures' as const),
  uid: uid!,
  symbol: symbol!,
});

/** Returns the first fields of an order from a match of ORDER_OWNER. */
const orderIn = ([, market, number, uid, clientOrderId, symbol]: RegExpExecArray) => ({
  market: market === 'spot' ? ('spot' as const) : ('futures' as const),
  number: Number(number),
  uid: uid!,
  clientOrderId: clientOrderId ?? null,
  symbol: symbol!,
});
