// Converts orders and own trades of one side to rows of the store and back.

import type { Instrument } from '../../model/instrument.ts';
import { InvariantError } from '../../base/errors.ts';
import type { StoredRecordReader } from '../records/rowStore.ts';
import {
  type IdMaps,
  type OrderRecord,
  orderRecord,
  type OrderTerms,
  storedOrderText,
  startOf,
  tradeIn,
  tradeRecord,
  type StoredTradeTerms,
  tradeText,
  visibleStateIn,
} from './orderRecords.ts';
import { orderNumberOf, type OrderStart, type OwnTrade, type ArchiveReader, type UserOrder, wireOrderId } from './userOrder.ts';

/** Makes orders and trades of one side from stored records, and returns the terms that only this side has. */
export interface RowKind<O, T> {
  /** Returns an order of this side with its own terms. */
  order(start: OrderStart, terms: OrderTerms): O;
  /** Returns the terms of an order that only this side has. */
  termsOf(order: O): OrderTerms;
  /** Returns a trade of this side with its own terms. */
  trade(common: OwnTrade, terms: StoredTradeTerms): T;
  /** Returns the terms of a trade that only this side has. */
  tradeTermsOf(trade: T): StoredTradeTerms;
}

/** Where records are read from. A persistent exchange replaces the reader. */
export interface ArchiveSource {
  reader: StoredRecordReader;
}

/** The stored orders and trades of one side. Reads need ended orders, a restart needs open ones. */
export class OrderRows<O extends UserOrder, T extends OwnTrade> implements ArchiveReader<O, T> {
  readonly names: IdMaps;
  readonly #prefix: string;
  readonly #kind: RowKind<O, T>;
  readonly #archive: ArchiveSource;
  readonly #tags = new Map<Instrument, number>();

  constructor(prefix: string, names: IdMaps, kind: RowKind<O, T>, archived: ArchiveSource) {
    this.#prefix = prefix;
    this.names = names;
    this.#kind = kind;
    this.#archive = archived;
  }

  /** Returns the ended order stored at an offset. */
  order(storeOffset: number): O {
    const stored = this.#archive.reader.read(orderRecord, storeOffset);
    const order = this.restoreOrder(stored);
    order.ended = order.visible = visibleStateIn(stored);
    return order;
  }
  /** Returns the trade stored at an offset. */
  trade(storeOffset: number): T {
    const stored = this.#archive.reader.read(tradeRecord, storeOffset);
    return this.#kind.trade(tradeIn(stored, this.names), stored.futures);
  }
  /** Returns the tag of an instrument. Tags count in the order of first use. */
  tagOf(instrument: Instrument): number {
    let tag = this.#tags.get(instrument);
    if (tag === undefined) this.#tags.set(instrument, (tag = this.#tags.size));
    return tag;
  }

  /** Returns the order of a record, as if it were open. It is not added to the venue or the book. */
  restoreOrder(stored: OrderRecord): O {
    const order = this.#kind.order(
      { ...startOf(stored, wireOrderId(this.#prefix, stored.number), this.names), venueOrder: null },
      stored.futures,
    );
    const state = visibleStateIn(stored);
    order.isAdmitted = state.isAdmitted;
    order.feeUnits = state.feeUnits;
    order.profitUnits = state.profitUnits;
    order.averageTicks = state.averageTicks;
    return order;
  }

  orderText(order: O): string {
    return storedOrderText(order, orderNumberOf(order.id), this.#kind.termsOf(order), this.names);
  }
  tradeText(accountIndex: number, trade: T): string {
    return tradeText(accountIndex, trade, this.#kind.tradeTermsOf(trade), this.names);
  }
}

/**
 * Maps the names in records to accounts and instruments of the config. The caller must drop records whose account or instrument the config no
 * longer has.
 */
export function idMapsOf(
  market: IdMaps['market'],
  accounts: readonly { readonly uid: string }[],
  instrumentNamed: (name: string) => Instrument | undefined,
): IdMaps {
  const indexes = new Map(accounts.map(({ uid }, index) => [uid, index]));
  const findOrFail = <T>(value: T | undefined, name: string): T => {
    if (value === undefined) throw new InvariantError(`the records name ${name}, which this exchange does not have`);
    return value;
  };
  return {
    market,
    uidOf: (account) => findOrFail(accounts[account], `account ${account}`).uid,
    accountOf: (uid) => findOrFail(indexes.get(uid), `account ${uid}`),
    instrumentOf: (name) => findOrFail(instrumentNamed(name), name),
  };
}
