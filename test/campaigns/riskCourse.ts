// Simulates one random course of events: orders reach a venue that knows their true state, and the bot gets its reports late, wrong or
// never. The limits must hold in the truth. `riskWorld.ts` and `riskFuturesWorld.ts` add what differs between spot and futures.

import { Scratch } from '../../src/base/memory/rowLog.ts';
import { type Rng, seededRng } from '../../src/base/number/rng.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import type { OrderManager } from '../../src/orders/orderManager.ts';
import type { BotOrder } from '../../src/orders/botOrder.ts';
import { ABSENT_HOLD_MS, type Reservations } from '../../src/orders/reserve/reservation.ts';
import type { Ledger } from '../../src/portfolio/ledger.ts';
import type { RiskLimits } from '../../src/risk/limits/limits.ts';
import type { RiskModule } from '../../src/risk/riskModule.ts';
import type { TrueLimits, TrueOrder, TrueVenue } from './riskTruth.ts';

/** Number of strategies in every course. */
export const STRATEGIES = 2;
const DAY_MS = 86_400_000;
/** Events of one course. */
const STEPS = 100;
/** The scratch memory of all courses. */
export const scratch = new Scratch();

/** What the courses of a campaign tried. `lateArrivals` counts orders that arrived after they were proven absent. */
export interface Counts {
  intents: number;
  approved: number;
  fills: number;
  unknown: number;
  provenAbsent: number;
  lateArrivals: number;
  cancels: number;
  /** Futures only. */
  funding?: number;
  readonly denied: Record<string, number>;
}
/** Returns counts that are all zero. */
export const zeroCounts = (): Counts => ({
  intents: 0,
  approved: 0,
  fills: 0,
  unknown: 0,
  provenAbsent: 0,
  lateArrivals: 0,
  cancels: 0,
  denied: {},
});

/** A fault that is planted in the bot: a rule is left out, or the reservations are replaced by a broken class. */
export interface Mutation {
  readonly withoutRule?: string | null;
  readonly ReservationsClass?: typeof Reservations;
}

/** A course of events on either market. `Known` is an order as the venue of the market has it. */
export abstract class RiskCourse<Known extends TrueOrder> {
  protected readonly counts: Counts;
  protected readonly rng: Rng;
  protected abstract readonly truth: TrueVenue<Known>;
  protected abstract readonly ledger: Ledger;
  protected abstract readonly orders: OrderManager;
  protected abstract readonly risk: RiskModule;
  /** Time of each change of the marks, ms UTC. */
  protected readonly markTimesMs = new Float64Array(STEPS + 1);
  /** Equity after each change of the marks, in units. */
  protected readonly equityUnits = new Float64Array(STEPS + 1);
  /** Number of filled rows of `markTimesMs` and `equityUnits`. */
  protected markedRows = 0;
  /** Equity at the start, in units. */
  protected startUnits = 0;
  /** The course begins an hour before midnight UTC, so that some courses cross the day of `maxDailyLoss`. */
  protected nowMs = 20_000 * DAY_MS - 3_600_000;

  constructor(seed: number, counts: Counts) {
    this.rng = seededRng(seed);
    this.counts = counts;
  }

  /** Draws an order, lets risk check it and sends it if it is approved. Returns the code of a limit that its approval breaks, or null. */
  protected abstract drawOrder(): string | null;
  /** Executes a part of an order that is live, or all of it. */
  protected abstract execute(order: Known): void;
  /** Reports to the bot the oldest execution of an order that it does not know yet. */
  protected abstract report(order: Known): void;
  /** Share of the steps in which an event happens that only this market has. */
  protected readonly marketEventShare: number = 0;
  /** Applies an event that only this market has, such as funding. */
  protected applyMarketEvent(): void {
    // Spot has no such event.
  }

  /** Runs all steps. Returns the code of the first limit that was broken in truth, or null. Throws what the bot throws. */
  run(): string | null {
    for (let step = 0; step < STEPS; step++) {
      const brokenLimit = this.applyRandomEvent() ?? this.truth.limitBrokenByFills();
      if (brokenLimit !== null) return brokenLimit;
      const mayMatterLater = (order: Known) => order.isPossible || order.unreported.length > 0 || this.isActive(order);
      this.truth.orders = this.truth.orders.filter(mayMatterLater);
    }
    this.ledger.assertReconciled();
    this.orders.release();
    return null;
  }

  /** Draws one event and applies it. Returns the code of a limit that risk let an order break, or null. */
  private applyRandomEvent(): string | null {
    const draw = this.rng.next();
    if (draw < 0.25) return this.drawOrder();
    if (draw < 0.29) this.movePrices();
    else if (draw < 0.33) this.wait(this.drawWaitMs());
    else if (draw < 0.33 + this.marketEventShare) this.applyMarketEvent();
    else {
      const order = this.truth.orders[this.drawBetween(0, this.truth.orders.length - 1)];
      if (order) this.applyOrderEvent(order, this.drawBetween(0, 9));
    }
    return null;
  }

  /**
   * Lets risk check an order, and sends it if it is approved. Returns the code of a limit that was broken in truth, or null. After a loss
   * only orders that reduce risk may be approved: `reducesRisk` says which ones do.
   */
  protected sendIfApproved(
    order: BotOrder,
    limitBrokenBy: (placed: Known) => string | null,
    reducesRisk: (placed: Known) => boolean,
  ): string | null {
    const { truth } = this;
    this.counts.intents++;
    const denyCode = this.orders.precheck(order, NaN);
    if (denyCode !== null) return this.deny(order, denyCode);
    this.risk.observe(this.markTimesMs, this.equityUnits, this.markedRows);
    const approved = this.risk.check(order, this.nowMs, truth.marks[order.instrumentIndex]!);
    if (approved === null) return this.deny(order, this.risk.code!);
    this.counts.approved++;
    truth.nowMs = this.nowMs;
    this.orders.submit(approved);
    const placed = truth.orders.at(-1)!;
    return limitBrokenBy(placed) ?? (reducesRisk(placed) ? null : this.limitBrokenByLoss());
  }
  /** Counts an order that the bot denies. */
  private deny(order: BotOrder, code: string): null {
    this.orders.deny(order, code);
    this.counts.denied[code] = (this.counts.denied[code] ?? 0) + 1;
    return null;
  }

  /** Returns the code of a loss limit that should have halted new risk, or null. Walks over all equity values until now. */
  private limitBrokenByLoss(): string | null {
    const { dailyLossMilli, drawdownMilli } = this.truth.limits;
    const dayStart = this.nowMs - (this.nowMs % DAY_MS);
    let peak = this.startUnits;
    let dayStartEquity = this.startUnits;
    for (let row = 0; row < this.markedRows; row++) {
      const equity = this.equityUnits[row]!;
      if (drawdownMilli !== null && equity * 1000 <= peak * (1000 - drawdownMilli)) return 'DRAWDOWN';
      peak = Math.max(peak, equity);
      const isOfToday = this.markTimesMs[row]! >= dayStart;
      if (this.markTimesMs[row]! <= dayStart) dayStartEquity = equity;
      if (dailyLossMilli !== null && isOfToday && equity * 1000 <= dayStartEquity * (1000 - dailyLossMilli)) return 'DAILY_LOSS';
    }
    return null;
  }

  // --- Events at the venue, and their reports to the bot

  /**
   * Applies one event to an order. `eventDraw`, 0 to 9, selects the event: up to 3 one at the venue, 4 the report of an execution, and from 5
   * on another one that the bot learns of. If the order cannot have that event, the next one in this list that it can have happens, or none.
   */
  private applyOrderEvent(order: Known, eventDraw: number): void {
    const botOrder = this.orders.get(order.id as OrderId);
    if (eventDraw === 0 && order.state === 'inFlight') this.arriveOrGetLost(order);
    else if (eventDraw <= 2 && order.state === 'live') this.execute(order);
    else if (eventDraw === 3 && order.state === 'live' && order.isCancelRequested) order.state = 'ended';
    else if (eventDraw <= 4 && order.unreported.length > 0) this.report(order);
    else if (botOrder) this.reportEvent(order, botOrder, eventDraw);
  }

  /** Lets a request arrive at the venue, or with a probability of 15 % never arrive. */
  private arriveOrGetLost(order: Known): void {
    order.wasAdmitted = this.happens(0.85);
    order.state = order.wasAdmitted ? 'live' : 'ended';
    if (order.wasAdmitted && !Number.isNaN(order.absentMs)) this.counts.lateArrivals++;
  }

  /** An event that changes what the bot believes about an order. */
  private reportEvent(order: Known, botOrder: BotOrder, eventDraw: number): void {
    const { lifecycle } = botOrder;
    if (eventDraw === 5 && (lifecycle === 'sent' || lifecycle === 'unknown')) this.replyToCreate(order, botOrder);
    else if (eventDraw === 6 && lifecycle === 'sent') {
      this.orders.outcomeUnknown(botOrder, this.nowMs);
      this.counts.unknown++;
    } else if (eventDraw === 7 && lifecycle === 'unknown' && order.reportedLots === 0) {
      order.absentMs = this.nowMs;
      this.orders.noEffect(botOrder, this.nowMs);
      this.counts.provenAbsent++;
    } else if (eventDraw === 8 && lifecycle !== 'done') {
      this.orders.cancel(botOrder, this.nowMs);
      this.counts.cancels++;
    } else if (eventDraw === 9 && order.state === 'ended' && order.unreported.length === 0) {
      if (lifecycle === 'working' || lifecycle === 'cancelSent')
        this.orders.ended(botOrder, order.isCancelRequested ? 'canceled' : 'expired', this.nowMs);
    }
  }

  /** Gives the bot the reply to a create request that has arrived or was lost. */
  private replyToCreate(order: Known, botOrder: BotOrder): void {
    if (order.wasAdmitted) this.orders.acked(botOrder, order.id as VenueOrderId, this.nowMs);
    else if (order.state === 'ended') this.orders.refused(botOrder, '-2010', this.nowMs);
  }

  /** Draws a time of up to 40 s, in a fifth of the cases up to 45 minutes. */
  private drawWaitMs(): number {
    return this.happens(0.2) ? this.drawBetween(1, 45) * 60_000 : this.drawBetween(1, 40_000);
  }

  /** Lets time pass. An absent order that did not show up while it was reserved never arrives: docs/order-safety.md assumes it. */
  private wait(ms: number): void {
    this.nowMs += ms;
    for (const order of this.truth.orders) {
      // Not true for an order that was never absent, because its `absentMs` is NaN.
      const isHoldReleased = order.absentMs + ABSENT_HOLD_MS <= this.nowMs;
      if (!isHoldReleased) continue;
      while (order.unreported.length > 0) this.report(order);
      if (!Number.isNaN(order.absentMs)) order.state = 'ended';
    }
    this.recordEquity();
  }
  /** Moves every mark by up to 3 %. */
  private movePrices(): void {
    const { marks } = this.truth;
    marks.forEach((mark, index) => (marks[index] = Math.max(10, Math.round(mark * (0.97 + 0.06 * this.rng.next())))));
    this.nowMs++;
    this.recordEquity();
  }
  /** Adds a row with the equity at the marks of now. */
  private recordEquity(): void {
    this.markTimesMs[this.markedRows] = this.nowMs;
    this.equityUnits[this.markedRows++] = this.ledger.equityTotalUnits(this.truth.marks);
  }

  /** True while the bot has the order among its active ones. */
  private isActive({ id }: TrueOrder): boolean {
    return this.orders.active().some((order) => order.id === id);
  }
  /** True with this probability. */
  protected happens(probability: number): boolean {
    return this.rng.next() < probability;
  }
  /** Draws a whole number, both bounds included. */
  protected drawBetween(min: number, max: number): number {
    return min + Math.floor(this.rng.next() * (max - min + 1));
  }
  /** Draws one value for each strategy. */
  protected perStrategy<T>(drawValue: () => T): T[] {
    return Array.from({ length: STRATEGIES }, drawValue);
  }
}

/** Returns the prices between which an execution of the order is drawn, in ticks. */
export function priceRange(order: TrueOrder): readonly [low: number, high: number] {
  if (order.limit === 0) return [order.lowestTicks, order.highestTicks];
  return order.isBuy ? [order.limit * 0.95, order.limit] : [order.limit, order.limit * 1.05];
}

/** Returns the limits as a run definition writes them, with the digits of quantities and of money. */
export function limitsAsText(limits: TrueLimits, digits: { readonly quantity: number; readonly money: number }): RiskLimits {
  const scaleText = (count: number) => (value: number) => (value / 10 ** count).toFixed(count);
  const lots = scaleText(digits.quantity);
  const money = scaleText(digits.money);
  const thousandths = scaleText(3);
  const asNumber = (value: number) => value;
  const rows: [key: string, value: number | null, format: (value: number) => string | number][] = [
    ['maxOrderQty', limits.orderLots, lots],
    ['maxOrderNotional', limits.orderUnits, money],
    ['maxPositionQty', limits.positionLots, lots],
    ['maxPositionNotional', limits.positionUnits, money],
    ['maxGrossNotional', limits.grossUnits, money],
    ['maxLeverage', limits.leverageMilli, thousandths],
    ['maxOpenOrders', limits.openOrders, asNumber],
    ['maxOpenOrdersTotal', limits.openOrdersTotal, asNumber],
    ['priceBand', limits.bandMilli, thousandths],
    ['maxOrdersPerMinute', limits.ordersPerMinute, asNumber],
    ['maxDailyLoss', limits.dailyLossMilli, thousandths],
    ['maxDrawdown', limits.drawdownMilli, thousandths],
  ];
  return Object.fromEntries(rows.flatMap(([key, value, format]) => (value === null ? [] : [[key, format(value)]])));
}
