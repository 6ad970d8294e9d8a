// Index of the records of one lifetime: its orders by number and by content, and where its processes ended.

import type { JournalRecord, RecordOf } from '../../../adapters/journal/records/records.ts';
import { ticks } from '../../../base/brand.ts';
import { isWatched } from '../../../orders/drafts.ts';

/** An order that an earlier process decided on. */
export interface RecordedOrder {
  readonly number: number;
  verdict: RecordOf<'VERDICT'> | null;
  intent: RecordOf<'INTENT'> | null;
  send: RecordOf<'SEND'> | null;
  /** Set if the order first waited for other orders. */
  draft: RecordOf<'DRAFT'> | null;
  /** Position of its first record; -1 if it precedes the replayed records. */
  decisionIndex: number;
  /** True when the replay has made the draft. */
  isDrafted: boolean;
  /** Time of the last fill, ms UTC; 0: no fill. */
  lastFillMs: number;
  /** True when the replay has decided on the order again, or has restored it from the journal. */
  isReplayed: boolean;
}

/**
 * Returns the instant of the decision: when a strategy made the order, or when an order that had to wait was released. A released order that
 * was denied has no INTENT; its verdict has the time.
 */
export const createdMsOf = ({ intent, draft, verdict }: RecordedOrder): number =>
  intent?.createdMs ?? Number(verdict?.inputs['createdMs'] ?? draft?.createdMs ?? NaN);

/** A recorded cancel of an order. */
interface RecordedCancel {
  /** Position of the record; -1 if it precedes the replayed records. */
  readonly recordIndex: number;
  /** Time of the record, ms UTC. */
  readonly t: number;
  isReplayed: boolean;
}

/** Orders with the same key. All before position `firstUnreplayed` have been replayed. */
interface SameKeyOrders {
  readonly orders: RecordedOrder[];
  firstUnreplayed: number;
}

/** True for a slice of a kill, which no strategy has decided on. */
export const isKillSlice = ({ slot }: Pick<RecordOf<'INTENT'>, 'slot'>): boolean => slot.startsWith('kill ');

/** True for the order of a local stop. */
export function isStopLeg<T extends Pick<RecordOf<'INTENT'>, 'role' | 'parent'>>(intent: T | null): intent is T {
  return intent !== null && intent.parent > 0 && (intent.role === 'stopLoss' || intent.role === 'trailing');
}

/** The content that distinguishes the orders of one instant. */
export interface OrderContent {
  readonly createdMs: number;
  readonly strategy: number;
  readonly slot: string;
  readonly side: string;
  readonly role: string;
  readonly qty: string | null;
  readonly amount: string | null;
}
/** The content of a draft. `isWatched`: a stop entry that waits inside the bot. */
export interface DraftContent extends OrderContent {
  readonly isWatched: boolean;
}
/** A condition of contracts is sent to the exchange, so as a draft it waits only for other orders. */
const isWatchedDraft = ({ condition, role }: RecordOf<'DRAFT'>): boolean =>
  isWatched({ triggerTicks: ticks(condition === null ? 0 : 1), role });
const draftKeyOf = (content: DraftContent): string => `${content.isWatched ? 'stop entry' : 'draft'} ${keyOf(content)}`;
const keyOf = ({ createdMs, strategy, slot, side, role, qty, amount }: OrderContent): string =>
  `${createdMs} ${strategy} ${side} ${role} ${qty ?? ''} ${amount ?? ''} ${slot}`;

/** The records of a lifetime, with their orders and cancels. */
export class LifetimeRecords {
  /** All records, oldest first. */
  readonly records: readonly JournalRecord[];
  /** The highest order number. */
  lastOrder = 0;
  /** Position of the newest INSTANT. */
  readonly lastInstant: number;
  readonly #ordersByNumber = new Map<number, RecordedOrder>();
  readonly #numberByCid = new Map<string, number>();
  readonly #cancelsByNumber = new Map<number, RecordedCancel[]>();
  /** Orders by content and by instant. Built when an order is not found by its number. */
  #ordersByKey: Map<string | number, SameKeyOrders> | null = null;

  /** `before`: earlier records. Their orders are known, and the records may continue them. */
  constructor(records: readonly JournalRecord[], before: readonly JournalRecord[]) {
    this.records = records;
    for (const record of before) this.#addRecord(record, -1);
    for (const order of this.#ordersByNumber.values()) {
      order.isDrafted = true;
      // A draft may still wait: its decision is then among the records.
      order.isReplayed = order.verdict !== null || order.intent !== null;
    }
    for (const cancels of this.#cancelsByNumber.values()) for (const cancel of cancels) cancel.isReplayed = true;
    let lastInstant = -1;
    for (let index = 0; index < records.length; index++) {
      const record = records[index]!;
      if (record.k === 'INSTANT') lastInstant = index;
      else this.#addRecord(record, index);
    }
    this.lastInstant = lastInstant;
  }

  /** Adds a record to what is known of its order. */
  #addRecord(record: JournalRecord, index: number): void {
    if (record.k === 'VERDICT') this.#decided(record, index).verdict = record;
    else if (record.k === 'INTENT') this.#decided(record, index).intent = record;
    else if (record.k === 'DRAFT') this.#decided(record, index).draft = record;
    else if (record.k === 'SEND') {
      const order = this.#orderByCid(record.cid);
      if (order !== undefined) order.send = record;
    } else if (record.k === 'FILL' && record.cid !== null) {
      const order = this.#orderByCid(record.cid);
      if (order !== undefined) order.lastFillMs = record.executedMs;
    } else if (record.k === 'STATE' && record.lifecycle === 'cancelSent') {
      const number = this.#numberByCid.get(record.cid);
      if (number === undefined) return;
      const cancel: RecordedCancel = { recordIndex: index, t: record.t, isReplayed: false };
      const earlierCancels = this.#cancelsByNumber.get(number);
      if (earlierCancels === undefined) this.#cancelsByNumber.set(number, [cancel]);
      else earlierCancels.push(cancel);
    }
  }
  /** Returns the order of a record, with the position of its first one. */
  #decided(record: RecordOf<'VERDICT'> | RecordOf<'INTENT'> | RecordOf<'DRAFT'>, index: number): RecordedOrder {
    const order = this.#orderFor(record);
    if (order.decisionIndex < 0) order.decisionIndex = index;
    return order;
  }
  /** Returns the order with this client order id, if an earlier record has named it. */
  #orderByCid(cid: string): RecordedOrder | undefined {
    const number = this.#numberByCid.get(cid);
    return number === undefined ? undefined : this.#ordersByNumber.get(number);
  }
  /** Returns what is known of the order of a record. The order is added at its first record. */
  #orderFor({ cid, order: number }: RecordOf<'VERDICT'> | RecordOf<'INTENT'> | RecordOf<'DRAFT'>): RecordedOrder {
    const known = this.#ordersByNumber.get(number);
    if (known !== undefined) return known;
    const order = {
      number,
      verdict: null,
      intent: null,
      send: null,
      draft: null,
      decisionIndex: -1,
      isDrafted: false,
      lastFillMs: 0,
      isReplayed: false,
    };
    this.#ordersByNumber.set(number, order);
    this.#numberByCid.set(cid, number);
    if (number > this.lastOrder) this.lastOrder = number;
    return order;
  }

  /** Returns the recorded order with this number. */
  order(number: number): RecordedOrder | undefined {
    return this.#ordersByNumber.get(number);
  }
  /** Returns the number of the order with this client order id. */
  numberOf(cid: string): number | undefined {
    return this.#numberByCid.get(cid);
  }
  /** Returns the oldest recorded cancel of an order that the replay has not made yet. */
  cancelOf(number: number): RecordedCancel | undefined {
    return this.#cancelsByNumber.get(number)?.find(({ isReplayed }) => !isReplayed);
  }

  /** Returns an order with the same instant and content that the replay has not made yet. */
  orderLike(content: OrderContent): RecordedOrder | undefined {
    return this.#firstUnreplayed(keyOf(content));
  }
  /** Returns an order that waited as a draft with the same instant and content, and that the replay has not made yet: `number` if it is one. */
  draftLike(number: number, content: DraftContent): RecordedOrder | undefined {
    this.#ordersByKey ??= this.#indexByKey();
    const sameKey = this.#ordersByKey.get(draftKeyOf(content))?.orders.filter(({ isDrafted }) => !isDrafted);
    return sameKey?.find((order) => order.number === number) ?? sameKey?.[0];
  }
  /** Returns any order of the instant that the replay has not made yet. */
  orderAt(createdMs: number): RecordedOrder | undefined {
    return this.#firstUnreplayed(createdMs);
  }
  /**
   * True when the process of record `recordIndex` has recorded a decision of the instant that the replay has not made yet. A draft that still
   * waits was made. A later process may have recorded one before it carried out what this process could not.
   */
  hasUnreplayedAt(createdMs: number, recordIndex: number): boolean {
    this.#ordersByKey ??= this.#indexByKey();
    const { orders = [] } = this.#ordersByKey.get(createdMs) ?? {};
    const waiting = orders.filter(
      ({ isReplayed, isDrafted, verdict, intent }) => !isReplayed && !(isDrafted && verdict === null && intent === null),
    );
    if (waiting.length === 0) return false;
    const lastIndex = this.#lastOfProcess(recordIndex);
    return waiting.some(({ decisionIndex }) => decisionIndex <= lastIndex);
  }
  /** Returns the first order with a key that was not replayed yet. */
  #firstUnreplayed(key: string | number): RecordedOrder | undefined {
    this.#ordersByKey ??= this.#indexByKey();
    const sameKey = this.#ordersByKey.get(key);
    if (sameKey === undefined) return undefined;
    // A replayed order stays so: the next call need not check it again.
    while (sameKey.orders[sameKey.firstUnreplayed]?.isReplayed === true) sameKey.firstUnreplayed++;
    return sameKey.orders[sameKey.firstUnreplayed];
  }
  /** Returns the orders of strategies by their creation times and by their terms. */
  #indexByKey(): Map<string | number, SameKeyOrders> {
    const ordersByKey = new Map<string | number, SameKeyOrders>();
    const add = (key: string | number, order: RecordedOrder): void => {
      const sameKey = ordersByKey.get(key);
      if (sameKey === undefined) ordersByKey.set(key, { orders: [order], firstUnreplayed: 0 });
      else sameKey.orders.push(order);
    };
    for (const order of this.#ordersByNumber.values()) {
      const { intent, draft } = order;
      if (intent !== null && isKillSlice(intent)) continue;
      if (draft !== null) add(draftKeyOf({ ...draft, isWatched: isWatchedDraft(draft) }), order);
      add(createdMsOf(order), order);
      if (intent !== null) add(keyOf(intent), order);
    }
    return ordersByKey;
  }

  /** True when a process ended in the step of record `index`, which began at `stepMs`: its decisions may not all be written. */
  endsIn(index: number, stepMs: number): boolean {
    if (this.lastInstant > index) return false;
    const lastIndex = this.#lastOfProcess(index);
    return lastIndex < 0 || this.records[lastIndex]!.t <= stepMs;
  }

  /**
   * True when the process of record `index` ended in the step that began at `stepMs`, and a later process wrote `cancel`. A start carries out the
   * decisions that the process before it could not carry out.
   */
  isCarriedOut(cancel: RecordedCancel, index: number, stepMs: number): boolean {
    const lastIndex = this.#lastOfProcess(index);
    return cancel.recordIndex > lastIndex && lastIndex >= 0 && cancel.t >= stepMs && this.records[lastIndex]!.t <= stepMs;
  }

  /**
   * True when the process of record `index` ended in the step that began at `stepMs`, and a later process found that the order had ended. A cancel of
   * that step was lost before it was written: it had been sent, or there was nothing left to cancel.
   */
  isCancelLost(number: number, recordIndex: number, stepMs: number): boolean {
    const lastIndex = this.#lastOfProcess(recordIndex);
    if (lastIndex < 0 || this.records[lastIndex]!.t > stepMs) return false;
    return this.records.some((record, index) => {
      if (index <= lastIndex) return false;
      const isEnd = (record.k === 'STATE' && record.lifecycle === 'done') || (record.k === 'FILL' && record.last);
      return isEnd && record.cid !== null && this.numberOf(record.cid) === number;
    });
  }

  /** Returns the position of the last record that the process of record `index` wrote. */
  #lastOfProcess(index: number): number {
    const { records } = this;
    let lastIndex = index;
    while (lastIndex + 1 < records.length && !beginsProcess(records[lastIndex + 1]!)) lastIndex++;
    return lastIndex;
  }
}

/** True for a record with which a process begins. One that continues in another file of the journal does not begin there. */
const beginsProcess = (record: JournalRecord): boolean => record.k === 'CONFIG' || (record.k === 'SEGMENT' && record.goesOn !== true);
