// Rebuilds the lookups of ended orders, triggers and trades after a start. It reads only the owner and the ids of each row.

import type { Market } from '../../model/instrument.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import type { ReductionRow } from '../futures/reductionRow.ts';
import type { Service } from '../service.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';
import { readRow } from '../orders/rows.ts';
import type { TriggerRow } from '../orders/stateRows.ts';

/** The owner of a row: side, account and the tag of its instrument. */
interface Owner {
  readonly side: SpotExchange | FuturesExchange;
  readonly account: number;
  readonly tag: number;
}

/** Combines a number with a tag below this value. The result sorts by the number. */
const TAGS = 2 ** 13;

export class ArchiveRestorer {
  readonly #service: Service;
  readonly #owners = new Map<string, Owner | null>();
  /** Futures only, by account: numbers of orders, each combined with its tag. */
  readonly #orders: number[][] = [];
  readonly #triggers = new Map<number, { readonly account: number; readonly tag: number }>();
  #newestTrigger: TriggerRow | null = null;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Takes an archived row (see `isArchivedRow`), which is stored at offset `place`. `at` and `end` are positions in `bytes`. */
  take(bytes: Buffer, at: number, end: number, place: number): void {
    switch (String.fromCharCode(bytes[at + 2]!)) {
      case 't':
        return this.#trade(bytes, at, end, place);
      case 'o':
        return this.#order(bytes, at, end, place);
      case 'r':
        this.#service.sides.futures?.profits.restore(readRow<ReductionRow>(bytes.toString('latin1', at, end), 'r'), place);
        return;
      default:
        return this.#trigger(readRow<TriggerRow>(bytes.toString('latin1', at, end), 'g'), place);
    }
  }

  /** Registers the client order id of an order and adds it to the history, whether it has ended or not. */
  introduce(market: Market, number: number, uid: string, clientOrderId: string | null, symbol: string): void {
    const owner = this.#owner(JSON.stringify(market), JSON.stringify(uid), JSON.stringify(symbol));
    if (owner !== null) this.#introduce(owner, number, clientOrderId);
  }

  /** Builds the lists that are ordered by appearance. Rows come in order of their end. */
  finish(): void {
    const { futures } = this.#service.sides;
    if (futures === null) return;
    this.#orders.forEach((numbers, account) => {
      const sorted = Float64Array.from(numbers).toSorted();
      sorted.forEach((each, at) => {
        if (each !== sorted[at - 1]) futures.remember(account, Math.floor(each / TAGS), each % TAGS);
      });
    });
    const triggers = Array.from(this.#triggers).toSorted(([a], [b]) => a - b);
    for (const [id, { account, tag }] of triggers) futures.triggers.remember(id, account, tag);
    if (this.#newestTrigger !== null) futures.triggers.restoreArchived(this.#newestTrigger);
  }

  /** Adds a trigger to the list of its account, whether it waits or not. */
  introduceTrigger([, id, uid, , , , symbol]: TriggerRow): void {
    const owner = this.#owner('"futures"', JSON.stringify(uid), JSON.stringify(symbol));
    if (owner !== null) this.#triggers.set(id, owner);
  }

  #trade(bytes: Buffer, at: number, end: number, place: number): void {
    const [, market, uid, symbol] = fieldsOf(bytes, at, end, 4);
    const owner = this.#owner(market!, uid!, symbol!);
    owner?.side.orders.restoreTrade(owner.account, place, owner.tag);
  }

  #order(bytes: Buffer, at: number, end: number, place: number): void {
    const [, market, number, uid, clientId, symbol] = fieldsOf(bytes, at, end, 6);
    const owner = this.#owner(market!, uid!, symbol!);
    if (owner === null) return;
    owner.side.orders.put(Number(number), place);
    this.#introduce(owner, Number(number), clientId === 'null' ? null : unquoted(clientId!));
  }

  #introduce({ side, account, tag }: Owner, number: number, clientOrderId: string | null): void {
    side.orders.name(number, account, clientOrderId);
    if ('profits' in side) (this.#orders[account] ??= []).push(number * TAGS + tag);
  }

  #trigger(row: TriggerRow, place: number): void {
    this.introduceTrigger(row);
    this.#service.sides.futures?.triggers.put(row[1], place);
    if (row[1] > (this.#newestTrigger?.[1] ?? 0)) this.#newestTrigger = row;
  }

  /** Returns the owner of a row; the arguments are JSON text. Null: the exchange no longer has that side, account or instrument. */
  #owner(market: string, uid: string, symbol: string): Owner | null {
    const key = `${market},${uid},${symbol}`;
    const known = this.#owners.get(key);
    if (known !== undefined) return known;
    const side = this.#service.sides[unquoted(market) === 'spot' ? 'spot' : 'futures'];
    const names = side?.rows.names;
    const owner =
      side === null || names === undefined
        ? null
        : { side, account: names.accountOf(unquoted(uid)), tag: side.rows.tagOf(names.instrumentOf(unquoted(symbol))) };
    this.#owners.set(key, owner);
    return owner;
  }
}

/** Enough bytes for the leading fields of usual rows. */
const FIELDS_BYTES = 192;

/** Returns the first members of a row, each as JSON text. If a text contains a comma or an escape, the whole row is parsed. */
function fieldsOf(bytes: Buffer, at: number, end: number, count: number): readonly string[] {
  const text = bytes.toString('latin1', at + 1, Math.min(end, at + FIELDS_BYTES));
  const fields = text.split(',', count + 1);
  if (fields.length > count && !text.includes('\\') && fields.every(isWhole)) return fields;
  const row: unknown = JSON.parse(bytes.toString('latin1', at, end));
  return Array.isArray(row) ? row.map((member) => JSON.stringify(member)) : [];
}
const isWhole = (field: string): boolean => field.charCodeAt(0) !== 34 || (field.length > 1 && field.endsWith('"'));

const unquoted = (json: string): string => (json.includes('\\') ? String(JSON.parse(json)) : json.slice(1, -1));
