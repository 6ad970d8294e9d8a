// Converts orders and own trades of one side to store rows and back. Ended orders are read by clients; open ones are restored at a restart.

import type { Instrument } from '../../model/instrument.ts';
import { InvariantError } from '../../base/errors.ts';
import {
  type IdMaps,
  orderRow,
  type StoredOrderRow,
  readRow,
  visibleStateInRow,
  startOf,
  type TermsRow,
  tradeIn,
  tradeRow,
  type StoredTradeRow,
  type ValueRow,
} from './rows.ts';
import type { RowReader } from './rowStore.ts';
import { orderNumberOf, type OrderStart, type OwnTrade, type ArchiveReader, type UserOrder, wireId } from './userOrder.ts';

/** The row fields that only one side has. */
export interface RowKind<O, T> {
  order(start: OrderStart, terms: TermsRow | null): O;
  termsOf(order: O): TermsRow | null;
  trade(common: OwnTrade, value: ValueRow | null): T;
  valueOf(trade: T): ValueRow | null;
  /** Returns the average price of a filled order, as far as its value determines it. */
  averageTicks(instrument: Instrument, lots: number, valueUnits: number): number;
}

/** Where rows are read from. A persistent exchange replaces the reader. */
export interface ArchiveSource {
  reader: RowReader;
}

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

  order(place: number): O {
    return this.fromRow(readRow<StoredOrderRow>(this.#archive.reader.read(place), 'o'));
  }
  trade(place: number): T {
    const row = readRow<StoredTradeRow>(this.#archive.reader.read(place), 't');
    return this.#kind.trade(tradeIn(row, this.names), row[14]);
  }
  /** Returns the tag of an instrument. Tags count in the order of first use. */
  tagOf(instrument: Instrument): number {
    let tag = this.#tags.get(instrument);
    if (tag === undefined) this.#tags.set(instrument, (tag = this.#tags.size));
    return tag;
  }

  /** Restores an order, with its final state if it has ended. It is not added to the venue or the book. */
  fromRow(row: StoredOrderRow): O {
    const order = this.#kind.order({ ...startOf(row, wireId(this.#prefix, row[2]), this.names), live: null }, row[20]);
    const shown = visibleStateInRow(row, (lots, units) => this.#kind.averageTicks(order.instrument, lots, units));
    order.isAdmitted = shown.isAdmitted;
    order.feeUnits = shown.feeUnits;
    order.profitUnits = shown.profitUnits;
    order.averageTicks = shown.averageTicks;
    if (row[21] === null) order.ended = order.visible = shown;
    return order;
  }

  orderRow(order: O): string {
    return orderRow(order, orderNumberOf(order.id), this.#kind.termsOf(order), this.names);
  }
  tradeRow(account: number, trade: T): string {
    return tradeRow(account, trade, this.#kind.valueOf(trade), this.names);
  }
}

/**
 * Maps the names in rows to accounts and instruments of the config. The caller must drop rows whose account or instrument the config no
 * longer has.
 */
export function idMapsOf(
  market: IdMaps['market'],
  accounts: readonly { readonly uid: string }[],
  instrumentNamed: (name: string) => Instrument | undefined,
): IdMaps {
  const indexes = new Map(accounts.map(({ uid }, index) => [uid, index]));
  const found = <T>(value: T | undefined, what: string): T => {
    if (value === undefined) throw new InvariantError(`rows tell of ${what}, which this exchange has not`);
    return value;
  };
  return {
    market,
    uidOf: (account) => found(accounts[account], `account ${account}`).uid,
    accountOf: (uid) => found(indexes.get(uid), `account ${uid}`),
    instrumentOf: (name) => found(instrumentNamed(name), name),
  };
}
