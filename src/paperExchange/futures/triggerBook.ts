// Trigger orders on the wire: their ids, their states, and the orders that they place when a trade reaches their price.

import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import type { FuturesVenue } from '../../venue/futures/futuresVenue.ts';
import type { RowTriggers } from '../../venue/futures/rowOrder.ts';
import { type Trigger, TriggerQueue, type TriggerKind } from '../../venue/futures/triggers.ts';
import { Offsets } from '../orders/offsets.ts';
import type { OrderRows, ArchiveSource } from '../orders/orderRows.ts';
import { orderNumberOf, wireOrderId } from '../orders/userOrder.ts';
import type { FuturesUserOrder, FuturesTrade } from './futuresOrder.ts';
import { NumberedHistory } from './history.ts';
import {
  TRIGGER_PREFIX as PREFIX,
  triggerIn,
  type TriggerRecord,
  triggerRecord,
  type WaitingTriggerRecord,
  waitingTriggerIn,
  type WireTrigger,
} from './triggerRecord.ts';

/** How triggers are written to the exchange store and read from it. */
type TriggerRows = Pick<OrderRows<FuturesUserOrder, FuturesTrade>, 'names' | 'tagOf'>;

/** Places the child order of a trigger. Returns the order, or the error code of its refusal. */
export type PlaceTriggeredOrder = (accountIndex: number, intent: OrderIntent, clientOrderId: string | null) => FuturesUserOrder | number;

/** What the book of trigger orders takes. */
export interface TriggerBookDeps {
  readonly venue: FuturesVenue;
  /** Maximum number of waiting triggers of an account. */
  readonly maxTriggers: number;
  readonly rows: TriggerRows;
  readonly archive: ArchiveSource;
  /** Places the order of a trigger that fires. */
  readonly placeOrder: PlaceTriggeredOrder;
}

/** The terms of a trigger order. */
export interface TriggerTerms {
  readonly kind: TriggerKind;
  /** Trigger price in ticks. */
  readonly triggerTicks: number;
  /** The order that is placed when the trigger fires. */
  readonly child: OrderIntent;
  readonly clientOrderId: string | null;
  /** Time of the create request (ms UTC). */
  readonly placedMs: number;
  /** Time from which prices can fire the trigger (ms UTC). */
  readonly sinceMs: number;
}

/** The trigger orders of one exchange: waiting ones in memory, ended ones in the store. */
export class TriggerBook {
  /** Error code of the last refusal. */
  refusalCode = 0;
  /** Triggers that are new or have changed since they were last written to the store. */
  readonly changed = new Set<WireTrigger>();
  readonly #queue: TriggerQueue;
  readonly #placeOrder: PlaceTriggeredOrder;
  readonly #rows: TriggerRows;
  readonly #archive: ArchiveSource;
  /** By number: triggers that are waiting, and ended ones that are not yet in the store. */
  readonly #inMemory = new Map<number, WireTrigger>();
  /** Store offsets of ended triggers, by number. */
  readonly #storeOffsets = new Offsets();
  readonly #byAccount: NumberedHistory<WireTrigger>[] = [];

  constructor({ venue, maxTriggers, rows, archive, placeOrder }: TriggerBookDeps) {
    // No trigger order expires: the specification gives them no lifetime.
    this.#queue = new TriggerQueue(venue, { triggerEnded: () => {} }, maxTriggers);
    this.#rows = rows;
    this.#archive = archive;
    this.#placeOrder = placeOrder;
  }

  /** Places a trigger order. Returns null if it is refused: see `refusalCode`. */
  place(accountIndex: number, { kind, triggerTicks: price, child, clientOrderId, placedMs, sinceMs }: TriggerTerms): WireTrigger | null {
    const trigger = this.#queue.place(accountIndex, kind, price, child, sinceMs);
    if (trigger === null) {
      this.refusalCode = this.#queue.refusal;
      return null;
    }
    const placed: WireTrigger = { id: wireOrderId(PREFIX, trigger.id), clientOrderId, trigger, placedMs, isCancelRequested: false };
    this.#inMemory.set(trigger.id, placed);
    this.addToList(trigger.id, accountIndex, this.#rows.tagOf(child.instrument));
    this.changed.add(placed);
    return placed;
  }

  /** Restores a waiting trigger of an earlier process. Called in order, oldest first. */
  restore(stored: WaitingTriggerRecord): void {
    const waiting = waitingTriggerIn(stored, this.#rows.names);
    this.#queue.restore(waiting.trigger);
    this.#inMemory.set(waiting.trigger.id, waiting);
  }
  /** Restores the newest ended trigger, so that new numbers follow it. */
  restoreArchived(stored: TriggerRecord): void {
    this.#queue.restore(triggerIn(stored, this.#rows.names).trigger);
  }

  /** Adds the trigger to the list of its account. Called in order, oldest first. */
  addToList(number: number, accountIndex: number, tag: number): void {
    (this.#byAccount[accountIndex] ??= new NumberedHistory((each) => this.#triggerNumbered(each))).push(number, tag);
  }

  /** Notes that the trigger has ended and where it is in the store. */
  markArchived(number: number, storeOffset: number): void {
    this.#storeOffsets.set(number, storeOffset);
    this.#inMemory.delete(number);
  }

  /** Returns the trigger with an id on the wire; null if the account has no such trigger. */
  find(accountIndex: number, id: string): WireTrigger | null {
    const number = orderNumberOf(id);
    if (!Number.isSafeInteger(number) || wireOrderId(PREFIX, number) !== id) return null;
    const trigger = this.#triggerNumbered(number);
    return trigger?.trigger.account === accountIndex ? trigger : null;
  }

  #triggerNumbered(number: number): WireTrigger | null {
    const inMemory = this.#inMemory.get(number);
    if (inMemory !== undefined) return inMemory;
    const storeOffset = this.#storeOffsets.get(number);
    return storeOffset < 0 ? null : triggerIn(this.#archive.reader.read(triggerRecord, storeOffset), this.#rows.names);
  }

  /**
   * Requests a cancellation, which `finishCancel` completes. Until then the trigger may still fire. Returns false if it no longer waits:
   * see `refusalCode`.
   */
  requestCancel(waiting: WireTrigger): boolean {
    if (waiting.trigger.status !== 'pending') {
      this.refusalCode = VENUE_CODES.cancelNotAllowed.code;
      return false;
    }
    waiting.isCancelRequested = true;
    this.changed.add(waiting);
    return true;
  }

  /** Completes a cancellation. Returns false if the trigger has fired meanwhile. */
  finishCancel(waiting: WireTrigger): boolean {
    const { account, id } = waiting.trigger;
    if (this.#queue.cancel(account, id) === null) return false;
    this.changed.add(waiting);
    return true;
  }

  /** Lists waiting and ended triggers, newest first: their count, and at most `limit` of them from index `from` on. */
  list(
    accountIndex: number,
    instrument: Instrument,
    from: number,
    limit: number,
  ): { readonly count: number; readonly rows: readonly WireTrigger[] } {
    const history = this.#byAccount[accountIndex];
    const tag = this.#rows.tagOf(instrument);
    const rows: WireTrigger[] = [];
    let count = 0;
    for (let index = (history?.length ?? 0) - 1; index >= 0; index--) {
      if (history!.tagAt(index) !== tag) continue;
      if (count >= from && rows.length < limit) rows.push(history!.at(index));
      count++;
    }
    return { count, rows };
  }

  /** Number of triggers in memory. */
  get inMemory(): number {
    return this.#inMemory.size;
  }

  /** Returns all waiting triggers. */
  pending(): readonly WireTrigger[] {
    return Array.from(this.#inMemory.values()).filter(({ trigger }) => trigger.status === 'pending');
  }

  /** True when a trigger waits for a price of the instrument. */
  hasWaiting(instrument: Instrument): boolean {
    return this.#queue.waits(instrument);
  }

  /** Places the child orders of the triggers that prices from `low` to `high` reach. */
  fireReached(instrument: Instrument, high: number, low: number, nowMs: number): void {
    for (const trigger of this.#queue.take(instrument, high, low, nowMs)) {
      const child = this.#placeChild(trigger);
      if (typeof child === 'number') this.#queue.reportPlacement(trigger, null, child);
      else this.#queue.reportPlacement(trigger, child.venueOrder?.id ?? null, 0);
    }
  }

  /**
   * Returns the triggers of a row of bars, in the order of docs/matching.md: those that it reaches fire one by one. `onFire` is called
   * before a child is placed, with its time.
   */
  triggersOfRow(onFire: (timeMs: number) => void): RowTriggers {
    return {
      reachedBy: (instrument, openMs, open, high, low) => this.#queue.reachedBy(instrument, openMs, open, high, low),
      fireAt: (trigger, price, timeMs) => {
        this.#queue.fire(trigger, price, timeMs, (fired, firedMs) => {
          onFire(firedMs);
          const child = this.#placeChild(fired);
          return typeof child === 'number' ? null : child.venueOrder;
        });
      },
    };
  }

  /** Places the child order of a trigger that has fired. Returns the order, or the error code of its refusal. */
  #placeChild({ id, account, child }: Trigger): FuturesUserOrder | number {
    const fired = this.#inMemory.get(id);
    if (fired !== undefined) this.changed.add(fired);
    return this.#placeOrder(account, child, fired?.clientOrderId ?? null);
  }
}
