// Simulates one random course of events: a bot that gets late, wrong or missing reports, over a venue that knows the truth.

import { Scratch } from '../../src/base/memory/rowLog.ts';
import { type Rng, seededRng } from '../../src/base/number/rng.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import type { OrderManager } from '../../src/orders/orderManager.ts';
import type { BotOrder } from '../../src/orders/botOrder.ts';
import { ABSENT_HOLD_MS } from '../../src/orders/reserve/reservation.ts';
import type { Ledger } from '../../src/portfolio/ledger.ts';
import type { RiskLimits } from '../../src/risk/limits/limits.ts';
import type { RiskModule } from '../../src/risk/riskModule.ts';
import type { TrueLimits, TrueOrder, Venue } from './riskTruth.ts';

export const STRATEGIES = 2;
const DAY_MS = 86_400_000;
const STEPS = 100;
export const scratch = new Scratch();

export interface Counts {
  intents: number;
  approved: number;
  fills: number;
  unknown: number;
  tombstones: number;
  lateLandings: number;
  cancels: number;
  /** Futures only. */
  funding?: number;
  readonly denied: Record<string, number>;
}
export const noCounts = (): Counts => ({
  intents: 0,
  approved: 0,
  fills: 0,
  unknown: 0,
  tombstones: 0,
  lateLandings: 0,
  cancels: 0,
  denied: {},
});

/** What both markets share: which event is reported when, and the losses. `Known`: an order as the venue of the market has it. */
export abstract class RiskCourse<Known extends TrueOrder> {
  protected readonly counts: Counts;
  protected readonly rng: Rng;
  protected abstract readonly truth: Venue<Known>;
  protected abstract readonly ledger: Ledger;
  protected abstract readonly orders: OrderManager;
  protected abstract readonly risk: RiskModule;
  protected readonly times = new Float64Array(STEPS + 1);
  protected readonly equity = new Float64Array(STEPS + 1);
  protected marked = 0;
  protected startUnits = 0;
  protected nowMs = 20_000 * DAY_MS - 3_600_000;

  constructor(seed: number, counts: Counts) {
    this.rng = seededRng(seed);
    this.counts = counts;
  }

  /** An order that a strategy wants: the code of the first limit that the truth breaks with it, or null. */
  protected abstract intent(): string | null;
  /** Executes a part of an order that is live, or all of it. */
  protected abstract execute(order: Known): void;
  /** Reports to the bot the oldest execution of an order that it does not know yet. */
  protected abstract report(order: Known): void;
  /** What else happens in a market; its share of all steps. */
  protected readonly otherShare: number = 0;
  protected other(): void {
    // Nothing on spot.
  }

  /** Runs to the end: the code of the first limit that the truth breaks, or null. Throws what the bot throws. */
  run(): string | null {
    for (let step = 0; step < STEPS; step++) {
      const broken = this.step() ?? this.truth.brokenAlways();
      if (broken !== null) return broken;
      this.truth.orders = this.truth.orders.filter((order) => order.isPossible || order.unreported.length > 0 || this.isActive(order));
    }
    this.ledger.assertReconciled();
    this.orders.release();
    return null;
  }

  private step(): string | null {
    const draw = this.rng.next();
    if (draw < 0.25) return this.intent();
    if (draw < 0.29) this.move();
    else if (draw < 0.33) this.wait(this.random(0.2) ? this.whole(1, 45) * 60_000 : this.whole(1, 40_000));
    else if (draw < 0.33 + this.otherShare) this.other();
    else {
      const order = this.truth.orders[this.whole(0, this.truth.orders.length - 1)];
      if (order) this.happen(order, this.whole(0, 9));
    }
    return null;
  }

  /** Asks risk, sends what it approves, and asks the truth. `isLess`: it adds no risk, so losses do not matter. */
  protected ask(order: BotOrder, brokenBy: (placed: Known) => string | null, isLess: (placed: Known) => boolean): string | null {
    const { truth } = this;
    this.counts.intents++;
    const denyCode = this.orders.precheck(order, NaN);
    if (denyCode !== null) return this.deny(order, denyCode);
    this.risk.observe(this.times, this.equity, this.marked);
    const approved = this.risk.check(order, this.nowMs, truth.marks[order.instrumentIndex]!);
    if (approved === null) return this.deny(order, this.risk.code!);
    this.counts.approved++;
    truth.nowMs = this.nowMs;
    this.orders.submit(approved);
    const placed = truth.orders.at(-1)!;
    return brokenBy(placed) ?? (isLess(placed) ? null : this.brokenByLoss());
  }
  private deny(order: BotOrder, code: string): null {
    this.orders.deny(order, code);
    this.counts.denied[code] = (this.counts.denied[code] ?? 0) + 1;
    return null;
  }

  /** True when new risk should have been halted: a naive walk over all marks until now. */
  private brokenByLoss(): string | null {
    const { dailyLossMilli, drawdownMilli } = this.truth.limits;
    const dayStart = this.nowMs - (this.nowMs % DAY_MS);
    let peak = this.startUnits;
    let anchor = this.startUnits;
    for (let row = 0; row < this.marked; row++) {
      const equity = this.equity[row]!;
      if (drawdownMilli !== null && equity * 1000 <= peak * (1000 - drawdownMilli)) return 'DRAWDOWN';
      peak = Math.max(peak, equity);
      if (this.times[row]! <= dayStart) anchor = equity;
      if (dailyLossMilli !== null && this.times[row]! >= dayStart && equity * 1000 <= anchor * (1000 - dailyLossMilli)) return 'DAILY_LOSS';
    }
    return null;
  }

  // --- Events at the venue, and their reports to the bot

  private happen(order: Known, what: number): void {
    const belief = this.orders.get(order.id as OrderId);
    const lifecycle = belief?.lifecycle ?? 'done';
    if (what === 0 && order.state === 'inFlight') {
      order.state = this.random(0.85) ? 'live' : 'over';
      order.wasAdmitted = order.state === 'live';
      if (order.wasAdmitted && !Number.isNaN(order.absentMs)) this.counts.lateLandings++;
    } else if (what <= 2 && order.state === 'live') this.execute(order);
    else if (what === 3 && order.state === 'live' && order.cancelAsked) order.state = 'over';
    else if (what <= 4 && order.unreported.length > 0) this.report(order);
    else if (what === 5 && belief && (lifecycle === 'sent' || lifecycle === 'unknown')) this.answer(order, belief);
    else if (what === 6 && lifecycle === 'sent' && belief) {
      this.orders.outcomeUnknown(belief, this.nowMs);
      this.counts.unknown++;
    } else if (what === 7 && belief && lifecycle === 'unknown' && order.reported === 0) {
      order.absentMs = this.nowMs;
      this.orders.noEffect(belief, this.nowMs);
      this.counts.tombstones++;
    } else if (what === 8 && belief && lifecycle !== 'done') {
      this.orders.cancel(belief, this.nowMs);
      this.counts.cancels++;
    } else if (what === 9 && belief && order.state === 'over' && order.unreported.length === 0) {
      if (lifecycle === 'working' || lifecycle === 'cancelSent')
        this.orders.ended(belief, order.cancelAsked ? 'canceled' : 'expired', this.nowMs);
    }
  }

  private answer(order: Known, belief: BotOrder): void {
    if (order.wasAdmitted) this.orders.acked(belief, order.id as VenueOrderId, this.nowMs);
    else if (order.state === 'over') this.orders.refused(belief, '-2010', this.nowMs);
  }

  /** An absent order that was not seen while it was reserved never arrives: the assumption of order safety, section 8. */
  private wait(ms: number): void {
    this.nowMs += ms;
    for (const order of this.truth.orders) {
      if (!(order.absentMs + ABSENT_HOLD_MS <= this.nowMs)) continue;
      while (order.unreported.length > 0) this.report(order);
      if (!Number.isNaN(order.absentMs)) order.state = 'over';
    }
    this.mark();
  }
  private move(): void {
    const { marks } = this.truth;
    marks.forEach((mark, index) => (marks[index] = Math.max(10, Math.round(mark * (0.97 + 0.06 * this.rng.next())))));
    this.nowMs++;
    this.mark();
  }
  private mark(): void {
    this.times[this.marked] = this.nowMs;
    this.equity[this.marked++] = this.ledger.equityTotalUnits(this.truth.marks);
  }

  private isActive({ id }: TrueOrder): boolean {
    return this.orders.active().some((order) => order.id === id);
  }
  protected random(share: number): boolean {
    return this.rng.next() < share;
  }
  /** Uniform over whole numbers, both ends included. */
  protected whole(min: number, max: number): number {
    return min + Math.floor(this.rng.next() * (max - min + 1));
  }
  protected twice<T>(make: () => T): T[] {
    return Array.from({ length: STRATEGIES }, make);
  }
}

/** Limits as a definition writes them. Digits: of quantities, and of money. */
export function asText(limits: TrueLimits, quantityDigits: number, moneyDigits: number): RiskLimits {
  const scaled = (digits: number) => (value: number) => (value / 10 ** digits).toFixed(digits);
  const [lots, money, part] = [scaled(quantityDigits), scaled(moneyDigits), scaled(3)];
  const whole = (value: number) => value;
  const rows: [string, number | null, (value: number) => string | number][] = [
    ['maxOrderQty', limits.orderLots, lots],
    ['maxOrderNotional', limits.orderUnits, money],
    ['maxPositionQty', limits.positionLots, lots],
    ['maxPositionNotional', limits.positionUnits, money],
    ['maxGrossNotional', limits.grossUnits, money],
    ['maxLeverage', limits.leverageMilli, part],
    ['maxOpenOrders', limits.open, whole],
    ['maxOpenOrdersTotal', limits.openTotal, whole],
    ['priceBand', limits.bandMilli, part],
    ['maxOrdersPerMinute', limits.perMinute, whole],
    ['maxDailyLoss', limits.dailyLossMilli, part],
    ['maxDrawdown', limits.drawdownMilli, part],
  ];
  return Object.fromEntries(rows.flatMap(([key, value, text]) => (value === null ? [] : [[key, text(value)]])));
}
