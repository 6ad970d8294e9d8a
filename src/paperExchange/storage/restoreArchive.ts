// What is over, as it is found again after a start: of each row no more is read than who it is of and what it is called.

import type { Market } from '../../model/instrument.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import type { ReductionRow } from '../futures/reductionRow.ts';
import type { Service } from '../service.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';
import { readRow } from '../orders/rows.ts';
import type { TriggerRow } from '../orders/stateRows.ts';

/** Whose a row is, and of which market. */
interface Owner {
  readonly side: SpotExchange | FuturesExchange;
  readonly account: number;
  readonly tag: number;
}

/** A number with a small one beside it, in one that sorts as the first of them. */
const TAGS = 2 ** 13;

export class ArchiveRestorer {
  readonly #service: Service;
  readonly #owners = new Map<string, Owner | null>();
  /** Of futures, by account: numbers of orders, each with its tag. */
  readonly #orders: number[][] = [];
  readonly #triggers = new Map<number, { readonly account: number; readonly tag: number }>();
  #newestTrigger: TriggerRow | null = null;

  constructor(service: Service) {
    this.#service = service;
  }

  /** A row of what is over (see `isPast`), which lies at `place`; `at`, `end`: in the bytes. */
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

  /** An order is named and stands in the history, whether it is over or not. */
  introduce(market: Market, number: number, uid: string, clientOrderId: string | null, symbol: string): void {
    const owner = this.#owner(JSON.stringify(market), JSON.stringify(uid), JSON.stringify(symbol));
    if (owner !== null) this.#introduce(owner, number, clientOrderId);
  }

  /** Lists that are by the time of what is in them, which is not that of its end. */
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

  /** A trigger is in the list of its account, whether it waits or not. */
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

  /** Each as JSON text. Null: the exchange has no such side any more. */
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

/** Longer than any that names are usually. */
const FIELDS_BYTES = 192;

/** The first members of a row, each as JSON text: text of it that has a comma or is escaped makes the whole row be read. */
function fieldsOf(bytes: Buffer, at: number, end: number, count: number): readonly string[] {
  const text = bytes.toString('latin1', at + 1, Math.min(end, at + FIELDS_BYTES));
  const fields = text.split(',', count + 1);
  if (fields.length > count && !text.includes('\\') && fields.every(isWhole)) return fields;
  const row: unknown = JSON.parse(bytes.toString('latin1', at, end));
  return Array.isArray(row) ? row.map((member) => JSON.stringify(member)) : [];
}
const isWhole = (field: string): boolean => field.charCodeAt(0) !== 34 || (field.length > 1 && field.endsWith('"'));

const unquoted = (json: string): string => (json.includes('\\') ? String(JSON.parse(json)) : json.slice(1, -1));
