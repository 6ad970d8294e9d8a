// Condition orders on the wire: their ids, what became of them, and the orders that come of them when a trade reaches their price.

import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import type { FuturesVenue } from '../../venue/futures/futuresVenue.ts';
import { type Trigger, TriggerDesk, type TriggerKind } from '../../venue/futures/triggers.ts';
import { wireId } from '../orders/userOrder.ts';
import type { FuturesOrder } from './futuresOrder.ts';

const PREFIX = '1622';

export interface WireTrigger {
  /** On the wire. */
  readonly id: string;
  readonly clientOrderId: string | null;
  readonly trigger: Trigger;
}

/** Times in ms, prices in ticks. */
export interface Row {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
}

/** Places the child of a trigger; the code of its refusal, or the order. */
export type PlaceChild = (account: number, intent: OrderIntent, clientOrderId: string | null) => FuturesOrder | number;

export class TriggerBook {
  /** Code of the last refusal. */
  refusal = 0;
  /** Those that are new or have become something else since they were written down. */
  readonly changed = new Set<WireTrigger>();
  readonly #desk: TriggerDesk;
  readonly #place: PlaceChild;
  readonly #byId = new Map<string, WireTrigger>();
  /** By the desk's own ids. */
  readonly #byTrigger = new Map<number, WireTrigger>();
  readonly #byAccount: WireTrigger[][] = [];

  constructor(venue: FuturesVenue, maxTriggers: number, place: PlaceChild) {
    // None of these expires: the specification gives them no time.
    this.#desk = new TriggerDesk(venue, { triggerEnded: () => {} }, maxTriggers);
    this.#place = place;
  }

  /** null: refused, see `refusal`. */
  place(
    account: number,
    kind: TriggerKind,
    price: number,
    child: OrderIntent,
    clientOrderId: string | null,
    nowMs: number,
  ): WireTrigger | null {
    const trigger = this.#desk.place(account, kind, price, child, nowMs);
    if (trigger === null) {
      this.refusal = this.#desk.refusal;
      return null;
    }
    const made: WireTrigger = { id: wireId(PREFIX, trigger.id), clientOrderId, trigger };
    this.#add(made);
    this.changed.add(made);
    return made;
  }

  /** Triggers of an exchange that has ended, the oldest first. */
  restore(trigger: Trigger, clientOrderId: string | null): void {
    this.#desk.restore(trigger);
    this.#add({ id: wireId(PREFIX, trigger.id), clientOrderId, trigger });
  }

  #add(made: WireTrigger): void {
    const { id, account } = made.trigger;
    this.#byId.set(made.id, made);
    this.#byTrigger.set(id, made);
    (this.#byAccount[account] ??= []).push(made);
  }

  /** Null where the account has no such trigger. */
  find(account: number, id: string): WireTrigger | null {
    const found = this.#byId.get(id);
    return found?.trigger.account === account ? found : null;
  }

  /** False: it waits no more, see `refusal`. */
  cancel(found: WireTrigger): boolean {
    const { trigger } = found;
    this.changed.add(found);
    if (this.#desk.cancel(trigger.account, trigger.id) !== null) return true;
    this.refusal = VENUE_CODES.cancelNotAllowed.code;
    return false;
  }

  /** Those that wait and those that did, newest first. */
  list(account: number, instrument: Instrument): readonly WireTrigger[] {
    return (this.#byAccount[account] ?? []).filter(({ trigger: { child } }) => child.instrument === instrument).toReversed();
  }

  /** Those that wait and those that did, the oldest first. */
  all(): readonly WireTrigger[] {
    return Array.from(this.#byId.values());
  }

  /** All that wait. */
  pending(): readonly WireTrigger[] {
    return Array.from(this.#byId.values()).filter(({ trigger }) => trigger.status === 'pending');
  }

  /** True when something waits for a price of the instrument. */
  waits(instrument: Instrument): boolean {
    return this.#desk.waits(instrument);
  }

  /** Places the children of what prices from `low` to `high` reach. */
  reach(instrument: Instrument, high: number, low: number, nowMs: number): void {
    for (const trigger of this.#desk.take(instrument, high, low, nowMs)) {
      const child = this.#fire(trigger);
      if (typeof child === 'number') this.#desk.placed(trigger, null, child);
      else this.#desk.placed(trigger, child.live?.id ?? null, 0);
    }
  }

  /** The same for a row of bars, between its open and its inside (docs/matching.md, 16 and 17). `fires`: a child is placed next, at this time. */
  row(instrument: Instrument, { openMs, closeMs, open, high, low }: Row, fires: (timeMs: number) => void): void {
    this.#desk.row(instrument, openMs, closeMs, open, high, low, (trigger, timeMs) => {
      fires(timeMs);
      const child = this.#fire(trigger);
      return typeof child === 'number' ? null : child.live;
    });
  }

  #fire({ id, account, child }: Trigger): FuturesOrder | number {
    const found = this.#byTrigger.get(id);
    if (found !== undefined) this.changed.add(found);
    return this.#place(account, child, found?.clientOrderId ?? null);
  }
}
