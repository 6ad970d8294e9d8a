// Condition orders: what waits for a price, which of them fire in a row of bars, in what order, and the orders that come of them.

import { ConfigError } from '../../base/errors.ts';
import { MAX_EXACT } from '../../base/number/exact.ts';
import { type Instrument, MAX_PRICE_TICKS } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import type { VenueOrder } from '../venueOrder.ts';
import type { FuturesVenue } from './futuresVenue.ts';

/** Specification 4.2: 1 stop-loss, 2 take-profit (both close), 3 chase-rise, 4 kill-fall. */
export const TRIGGER_KINDS = ['stopLoss', 'takeProfit', 'rise', 'fall'] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];
export type VenueTriggerStatus = 'pending' | 'expired' | 'triggered' | 'failed' | 'canceled';

export interface Trigger {
  readonly id: number;
  readonly account: number;
  readonly kind: TriggerKind;
  /** Ticks. */
  readonly price: number;
  /** The order that is placed when it fires. */
  readonly child: OrderIntent;
  /** Rows that open from then on may fire it. */
  readonly sinceMs: number;
  /** Infinity: it waits for ever. */
  readonly expiresMs: number;
  readonly status: VenueTriggerStatus;
  /** Once it has fired: the child's id at the venue; or the code with which it was refused. */
  readonly childId: number | null;
  readonly code: number;
}
type Record = { -readonly [Key in keyof Trigger]: Trigger[Key] };

/** Triggers that a row reaches, as placed. */
export interface ReachedTriggers {
  readonly atOpen: Record[];
  readonly inside: Record[];
}

/** Told after it is done: a trigger has fired, failed or expired. A canceled one is the caller's own doing. */
export interface TriggerSink {
  triggerEnded(trigger: Trigger, timeMs: number): void;
}

/** Places the order of a trigger that has fired; null where the venue has refused it, and its `refusal` says why. */
export type PlaceChild = (trigger: Trigger, timeMs: number) => VenueOrder | null;

/** Refusals that come with the count of what waits, or after it, in the order of checks. */
const AFTER_COUNT: ReadonlySet<number> = new Set([
  VENUE_CODES.tooManyOrders.code,
  VENUE_CODES.closeVolumeExceeded.code,
  VENUE_CODES.balanceNotEnough.code,
]);

/** In which order triggers act that one row reaches: losses first, then entries, then profits. */
const RANK: Readonly<{ [Kind in TriggerKind]: number }> = { stopLoss: 0, fall: 1, rise: 1, takeProfit: 2 };

/**
 * The rule where a row reaches several levels, pessimistic because a row does not tell their order: first what its open reaches, as placed;
 * then inside the row every stop-loss, then entries, then take-profits, of each the one nearest to the open first. A MARKET child is
 * executed at the trigger price (or the open, where that lies beyond it) plus slippage; a LIMIT child at once if that price allows it, else
 * it rests from the end of the row on.
 */
export class TriggerQueue {
  /** Code of the last refusal. */
  refusal = 0;
  private readonly venue: FuturesVenue;
  private readonly sink: TriggerSink;
  private readonly maxPending: number;
  private readonly pending: Record[] = [];
  private lastId = 0;

  /** `maxPending`: triggers of one account that may wait; one more is refused with -1015. */
  constructor(venue: FuturesVenue, sink: TriggerSink, maxPending: number) {
    if (!(Number.isSafeInteger(maxPending) && maxPending > 0)) {
      throw new ConfigError(`maxTriggers: expected a whole number above 0, got ${maxPending}`, 'set how many triggers may wait');
    }
    this.venue = venue;
    this.sink = sink;
    this.maxPending = maxPending;
  }

  /** null: refused, `refusal` says why. The child is checked when it is placed, but for what can be said before. */
  place(account: number, kind: TriggerKind, price: number, child: OrderIntent, sinceMs: number, expiresMs = Infinity): Trigger | null {
    const code = this.check(account, kind, price, child);
    if (code !== 0) {
      this.refusal = code;
      return null;
    }
    const trigger: Record = {
      id: ++this.lastId,
      account,
      kind,
      price,
      child: { ...child },
      sinceMs,
      expiresMs,
      status: 'pending',
      childId: null,
      code: 0,
    };
    this.pending.push(trigger);
    return trigger;
  }

  /** Triggers of an exchange that ended, as they were, the oldest first: those that wait wait on. */
  restore(trigger: Trigger): void {
    this.lastId = Math.max(this.lastId, trigger.id);
    if (trigger.status === 'pending') this.pending.push(trigger);
  }

  /** null: there is no such waiting trigger, `refusal` is -1112. */
  cancel(account: number, id: number): Trigger | null {
    const at = this.pending.findIndex((trigger) => trigger.id === id && trigger.account === account);
    const trigger = this.pending[at];
    if (trigger === undefined) {
      this.refusal = VENUE_CODES.noPendingOrder.code;
      return null;
    }
    this.pending.splice(at, 1);
    trigger.status = 'canceled';
    return trigger;
  }

  /** What waits, newest first; of one instrument, or of all. */
  list(account: number, instrument: Instrument | null = null): readonly Trigger[] {
    return this.pending
      .filter(({ account: of, child }) => of === account && (instrument === null || child.instrument === instrument))
      .toReversed();
  }

  /** True when a row of the instrument could fire something. */
  waits(instrument: Instrument): boolean {
    return this.pending.some(({ child }) => child.instrument === instrument);
  }

  /**
   * Between `matchOpen` and `matchInside` of the book: fires what the row reaches. Prices in ticks; what arrived after `openMs` waits.
   * `place`: for whoever keeps orders of his own, in the place of the venue's `place`; null where the venue has refused.
   */
  row(instrument: Instrument, openMs: number, closeMs: number, open: number, high: number, low: number, place = this.placeChild): void {
    const { atOpen, inside } = this.reachedBy(instrument, openMs, open, high, low);
    for (const trigger of atOpen) this.fire(trigger, open, openMs, place);
    inside.sort((a, b) => triggerRank(a) - triggerRank(b) || Math.abs(a.price - open) - Math.abs(b.price - open) || a.id - b.id);
    for (const trigger of inside) this.fire(trigger, trigger.price, closeMs, place);
  }

  /** Those that a row reaches, as placed: at its open, and inside it. What expires with the row does so now. */
  reachedBy(instrument: Instrument, openMs: number, open: number, high: number, low: number): ReachedTriggers {
    this.expire(openMs);
    const due = this.pending.filter(({ child, sinceMs }) => child.instrument === instrument && sinceMs <= openMs);
    const atOpen = due.filter((trigger) => isReached(trigger, open, open));
    return { atOpen, inside: due.filter((trigger) => !atOpen.includes(trigger) && isReached(trigger, high, low)) };
  }

  /**
   * For a market in which orders meet orders: takes off what prices from `low` to `high` reach, in the order in which it acts. Whoever
   * calls places the children, and says by `placed` what came of each.
   */
  take(instrument: Instrument, high: number, low: number, nowMs: number): readonly Trigger[] {
    this.expire(nowMs);
    const reached = this.pending.filter((trigger) => trigger.child.instrument === instrument && isReached(trigger, high, low));
    reached.sort((a, b) => RANK[a.kind] - RANK[b.kind] || a.id - b.id);
    for (const trigger of reached) trigger.status = 'triggered';
    this.dropEnded(reached.length);
    return reached;
  }

  /** The child of a trigger that was taken off has this id; or null, and `code` is why it was refused. */
  placed(trigger: Record, childId: number | null, code: number): void {
    trigger.childId = childId;
    trigger.code = code;
    if (childId === null) trigger.status = 'failed';
  }

  private check(account: number, kind: TriggerKind, price: number, child: OrderIntent): number {
    const isExit = kind === 'stopLoss' || kind === 'takeProfit';
    if (isExit && !child.reduceOnly) return VENUE_CODES.unknownComposition.code;
    if (child.timeInForce !== null || child.quoteUnits !== 0) return VENUE_CODES.unknownComposition.code;
    if (Math.floor(price) !== price) return VENUE_CODES.priceVolumePrecision.code;
    if (price <= 0) return VENUE_CODES.mandatoryParamEmpty.code;
    if (price >= MAX_PRICE_TICKS) return VENUE_CODES.priceWaveExceed.code;
    // What only time can tell is judged when it fires: margin, and what there will be to close.
    const code = this.venue.check(account, child);
    if (code !== 0 && !AFTER_COUNT.has(code)) return code;
    const waiting = this.pending.reduce((count, trigger) => count + (trigger.account === account ? 1 : 0), 0);
    if (waiting >= this.maxPending) return VENUE_CODES.tooManyOrders.code;
    // More than can be counted is not there when it fires either.
    if (child.lots > MAX_EXACT) return code;
    if (code === VENUE_CODES.balanceNotEnough.code || code === VENUE_CODES.tooManyOrders.code) return 0;
    return code === VENUE_CODES.closeVolumeExceeded.code && !isExit ? 0 : code;
  }

  private readonly placeChild: PlaceChild = (trigger, timeMs) => this.venue.place(trigger.account, trigger.id, trigger.child, timeMs);

  /** Fires a trigger at a price; nothing where it waits no more. */
  fire(trigger: Record, price: number, timeMs: number, place: PlaceChild): void {
    // One that fired before it in the row may have led to its cancel.
    if (trigger.status !== 'pending') return;
    this.end(trigger, 'triggered');
    const order = place(trigger, timeMs);
    if (order === null) {
      trigger.status = 'failed';
      trigger.code = this.venue.refusal;
    } else trigger.childId = order.id;
    this.sink.triggerEnded(trigger, timeMs);
    if (order === null || !order.isOpen) return;
    const { limit, side } = order;
    if (limit === 0 || (side === 'buy' ? limit >= price : limit <= price)) this.venue.book(order.instrument).execute(order, price, timeMs);
  }

  private expire(nowMs: number): void {
    const expired = this.pending.filter(({ expiresMs }) => expiresMs <= nowMs);
    for (const trigger of expired) trigger.status = 'expired';
    this.dropEnded(expired.length);
    for (const trigger of expired) this.sink.triggerEnded(trigger, nowMs);
  }

  /** Takes out of those that wait all that do so no more, in one go, however many they are. */
  private dropEnded(count: number): void {
    if (count === 0) return;
    let kept = 0;
    for (const trigger of this.pending) if (trigger.status === 'pending') this.pending[kept++] = trigger;
    this.pending.length = kept;
  }

  private end(trigger: Record, status: VenueTriggerStatus): void {
    this.pending.splice(this.pending.indexOf(trigger), 1);
    trigger.status = status;
  }
}

/** Losses 0, entries 1, profits 2. */
export function triggerRank({ kind }: Trigger): number {
  return RANK[kind];
}

/** True when a rising price fires it. An exit knows its direction by the side that it closes with. */
export function triggersOnRise({ kind, child }: Trigger): boolean {
  const isSell = child.side === 'sell';
  return kind === 'rise' || (kind === 'stopLoss' && !isSell) || (kind === 'takeProfit' && isSell);
}

/** `high` and `low`: the prices reached. */
function isReached(trigger: Trigger, high: number, low: number): boolean {
  return triggersOnRise(trigger) ? high >= trigger.price : low <= trigger.price;
}
