// What the records of one life of a bot say of its orders: by number, by what was asked for, and where its processes ended.

import type { JournalRecord, RecordOf } from '../../../adapters/journal/records/records.ts';

/** An order that an earlier process has decided on. */
export interface PastOrder {
  readonly number: number;
  verdict: RecordOf<'VERDICT'> | null;
  intent: RecordOf<'INTENT'> | null;
  send: RecordOf<'SEND'> | null;
  /** It waited for others first. */
  draft: RecordOf<'DRAFT'> | null;
  isDrafted: boolean;
  /** It was asked for again, or taken over without having been asked for. */
  isKnown: boolean;
}

/** The instant at which an order was asked for. */
export const createdMsOf = ({ intent, draft, verdict }: PastOrder): number =>
  intent?.createdMs ?? draft?.createdMs ?? Number(verdict?.inputs['createdMs'] ?? NaN);

interface PastCancel {
  readonly t: number;
  isKnown: boolean;
}

/** Orders of one key, of which those before position `from` are known. */
interface Alike {
  readonly orders: PastOrder[];
  from: number;
}

/** A slice of a kill: the kill has approved it, and no strategy asks for it. */
export const isOfKill = ({ slot }: Pick<RecordOf<'INTENT'>, 'slot'>): boolean => slot.startsWith('kill ');

/** What tells one order of an instant from the others: its strategy, slot, side, kind and size. */
export interface AskedFor {
  readonly createdMs: number;
  readonly strategy: number;
  readonly slot: string;
  readonly side: string;
  readonly role: string;
  readonly qty: string | null;
  readonly amount: string | null;
}
const keyOf = ({ createdMs, strategy, slot, side, role, qty, amount }: AskedFor): string =>
  `${createdMs} ${strategy} ${side} ${role} ${qty ?? ''} ${amount ?? ''} ${slot}`;

export class PastRecords {
  readonly records: readonly JournalRecord[];
  /** The number that the newest order has had. */
  lastOrder = 0;
  /** Position of the newest INSTANT. */
  readonly lastInstant: number;
  readonly #orders = new Map<number, PastOrder>();
  readonly #numbers = new Map<string, number>();
  readonly #cancels = new Map<number, PastCancel[]>();
  /** By what was asked for, and by the instant alone: made when an order is not found by its number. */
  #byKey: Map<string | number, Alike> | null = null;

  /** `before`: what came before these records. Its orders are known, and the records may go on with them. */
  constructor(records: readonly JournalRecord[], before: readonly JournalRecord[]) {
    this.records = records;
    for (const record of before) this.#index(record);
    for (const order of this.#orders.values()) order.isKnown = order.isDrafted = true;
    for (const cancels of this.#cancels.values()) for (const cancel of cancels) cancel.isKnown = true;
    let lastInstant = -1;
    for (let at = 0; at < records.length; at++) {
      const record = records[at]!;
      if (record.k === 'INSTANT') lastInstant = at;
      else this.#index(record);
    }
    this.lastInstant = lastInstant;
  }

  #index(record: JournalRecord): void {
    if (record.k === 'VERDICT') this.#of(record).verdict = record;
    else if (record.k === 'INTENT') this.#of(record).intent = record;
    else if (record.k === 'DRAFT') this.#of(record).draft = record;
    else if (record.k === 'SEND') {
      const order = this.#orders.get(this.#numbers.get(record.cid) ?? 0);
      if (order !== undefined) order.send = record;
    } else if (record.k === 'STATE' && record.lifecycle === 'cancelSent') {
      const number = this.#numbers.get(record.cid);
      if (number === undefined) return;
      const known = this.#cancels.get(number);
      if (known === undefined) this.#cancels.set(number, [{ t: record.t, isKnown: false }]);
      else known.push({ t: record.t, isKnown: false });
    }
  }
  #of({ cid, order: number }: RecordOf<'VERDICT'> | RecordOf<'INTENT'> | RecordOf<'DRAFT'>): PastOrder {
    let order = this.#orders.get(number);
    if (order === undefined) {
      this.#orders.set(
        number,
        (order = { number, verdict: null, intent: null, send: null, draft: null, isDrafted: false, isKnown: false }),
      );
      this.#numbers.set(cid, number);
      if (number > this.lastOrder) this.lastOrder = number;
    }
    return order;
  }

  order(number: number): PastOrder | undefined {
    return this.#orders.get(number);
  }
  numberOf(cid: string): number | undefined {
    return this.#numbers.get(cid);
  }
  /** The oldest cancel of an order that was not asked for yet. */
  cancelOf(number: number): PastCancel | undefined {
    return this.#cancels.get(number)?.find(({ isKnown }) => !isKnown);
  }

  /** An approved order of the same instant that asks for the same, and that nobody has asked for yet. */
  like(asked: AskedFor): PastOrder | undefined {
    return this.#first(keyOf(asked));
  }
  /** Any order of the instant that nobody has asked for yet. */
  at(createdMs: number): PastOrder | undefined {
    return this.#first(createdMs);
  }
  #first(key: string | number): PastOrder | undefined {
    this.#byKey ??= this.#keyed();
    const found = this.#byKey.get(key);
    if (found === undefined) return undefined;
    // Known ones stay so: the next call does not pass them again.
    while (found.orders[found.from]?.isKnown === true) found.from++;
    return found.orders[found.from];
  }
  #keyed(): Map<string | number, Alike> {
    const keyed = new Map<string | number, Alike>();
    const add = (key: string | number, order: PastOrder): void => {
      const known = keyed.get(key);
      if (known === undefined) keyed.set(key, { orders: [order], from: 0 });
      else known.orders.push(order);
    };
    for (const order of this.#orders.values()) {
      const { intent } = order;
      if (intent !== null && isOfKill(intent)) continue;
      add(createdMsOf(order), order);
      if (intent !== null) add(keyOf(intent), order);
    }
    return keyed;
  }

  /** A process has ended in the step of record `at`, which began at `stepMs`: what it decided there may not all be written. */
  endsIn(at: number, stepMs: number): boolean {
    if (this.lastInstant > at) return false;
    const { records } = this;
    let last = at;
    while (last + 1 < records.length && records[last + 1]!.k !== 'CONFIG' && records[last + 1]!.k !== 'SEGMENT') last++;
    return last < 0 || records[last]!.t <= stepMs;
  }
}
