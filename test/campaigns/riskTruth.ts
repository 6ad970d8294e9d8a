// The venue of the risk campaign. It knows the true state of every order, independent of the bot. It says whether open orders could break a
// limit if they fill in the worst order.

import type { OrderGateway } from '../../src/ports/exchange.ts';
import type { ApprovedOrder, Order } from '../../src/model/order.ts';

/** Quote units of one lot at a price of one tick, for the instruments of `spotInstrument`. */
export const QUOTE_UNITS_PER_TICK_LOT = 1000;
/** Base units of one lot. A fee of 0.1 % of either amount is a whole number of units. */
export const BASE_UNITS_PER_LOT = 1000;
/** The smallest order that the instruments allow. */
export const MIN_LOTS = 2;
/** Fee of every fill on spot: 0.1 %. */
export const FEE_DIVISOR = 1000;
/** Market orders fill within 1 % of the mark at which they were approved: the collar that the bot assumes. */
export const COLLAR = 0.01;

/** Limits as numbers, in lots, quote units and thousandths (`Milli`). Null: the limit is not set. */
export interface TrueLimits {
  readonly orderLots: number | null;
  readonly orderUnits: number | null;
  readonly positionLots: number | null;
  readonly positionUnits: number | null;
  readonly grossUnits: number | null;
  readonly leverageMilli: number | null;
  readonly openOrders: number | null;
  readonly openOrdersTotal: number | null;
  readonly bandMilli: number | null;
  readonly ordersPerMinute: number | null;
  readonly dailyLossMilli: number | null;
  readonly drawdownMilli: number | null;
}

/** One execution: price in ticks, quantity in lots. */
export interface Execution {
  readonly ticks: number;
  readonly lots: number;
}

/** An order as the venue knows it: on its way, live in the book, or ended. */
export class TrueOrder {
  readonly id: number;
  readonly strategy: number;
  /** Index of the instrument. */
  readonly index: number;
  readonly isBuy: boolean;
  /** Ticks; 0 is a market order. */
  readonly limit: number;
  /** The mark in ticks when the order was approved. */
  readonly mark: number;
  readonly isByAmount: boolean;
  /** What is not executed yet: quote units of an order by amount, else lots. */
  unfilled: number;
  state: 'inFlight' | 'live' | 'ended' = 'inFlight';
  wasAdmitted = false;
  isCancelRequested = false;
  /** A market order that only made a position smaller when it was approved. It ends at once, so no limit on numbers of orders applies to it. */
  closesAtOnce = false;
  /** When the bot learned that the order had no effect; NaN otherwise. */
  absentMs = NaN;
  /** Executions not reported to the bot yet, oldest first. */
  readonly unreported: Execution[] = [];
  /** Lots of the executions that were reported. */
  reportedLots = 0;

  constructor(order: Order, mark: number) {
    this.id = order.id;
    this.strategy = order.strategy;
    this.index = order.instrumentIndex;
    this.isBuy = order.side === 'buy';
    this.limit = order.limit;
    this.mark = mark;
    this.isByAmount = order.quoteUnits > 0;
    this.unfilled = this.isByAmount ? order.quoteUnits : order.lots;
  }
  /** True while the order may still execute. */
  get isPossible(): boolean {
    return this.state !== 'ended';
  }
  /** Lowest price of an execution, in ticks. */
  get lowestTicks(): number {
    return Math.max(1, Math.floor(this.mark * (1 - COLLAR)));
  }
  /** Highest price of an execution, in ticks. */
  get highestTicks(): number {
    return this.limit > 0 ? this.limit : Math.ceil(this.mark * (1 + COLLAR));
  }
  /** Most lots that the order can still execute. */
  get maxLots(): number {
    return this.isByAmount ? Math.floor(this.unfilled / (this.lowestTicks * QUOTE_UNITS_PER_TICK_LOT)) : this.unfilled;
  }
  /** Most quote units that a buy can still cost, without its fee. */
  get maxUnits(): number {
    return this.isByAmount ? this.unfilled : this.unfilled * this.highestTicks * QUOTE_UNITS_PER_TICK_LOT;
  }
}

/** The orders at the venue, and the limits that are checked in every market. `Known` is the order of one market. */
export abstract class TrueVenue<Known extends TrueOrder> implements OrderGateway {
  orders: Known[] = [];
  readonly limits: TrueLimits;
  /** The mark of each instrument, in ticks. */
  readonly marks: number[];
  /** Times of all submitted orders. */
  readonly sentMs: number[] = [];
  nowMs = 0;

  constructor(limits: TrueLimits, marks: number[]) {
    this.limits = limits;
    this.marks = marks;
  }

  /** Returns the venue's own record of an order that was just submitted. */
  protected abstract track(order: Order, mark: number): Known;
  /** Returns the code of a limit that some order of fills would break at today's prices, or null. */
  abstract limitBrokenByFills(): string | null;

  submit(order: ApprovedOrder): void {
    this.orders.push(this.track(order, this.marks[order.instrumentIndex]!));
    this.sentMs.push(this.nowMs);
  }
  cancel(order: Order): void {
    const existing = this.orders.find(({ id }) => id === order.id);
    if (existing) existing.isCancelRequested = true;
  }
  read(): void {
    // What the bot learns, and when, is drawn by the campaign.
  }
  matchRow(): void {
    // Executions are drawn by the campaign.
  }

  /** Returns the code of the limit on open orders if it is broken, or null. */
  protected limitBrokenByCount(): string | null {
    const openOrders = this.orders.filter((order) => order.isPossible && !order.closesAtOnce);
    for (let index = 0; index < this.marks.length; index++) {
      const ofInstrument = openOrders.filter((order) => order.index === index);
      if (exceeds(ofInstrument.length, this.limits.openOrders)) return 'OPEN_ORDERS';
    }
    return exceeds(openOrders.length, this.limits.openOrdersTotal) ? 'OPEN_ORDERS' : null;
  }
  /** True when an order adds nothing to the worst case of its side: no limit may keep the bot in its position. */
  abstract reducesRisk(order: Known): boolean;

  /** Returns the code of a limit that one order breaks by itself when it is approved, or null. `worstUnits` is its worst notional. */
  protected limitBrokenByOrder(order: Known, worstUnits: number): string | null {
    const { limits } = this;
    const mark = this.marks[order.index]!;
    const isReduction = this.reducesRisk(order);
    order.closesAtOnce = isReduction && order.limit === 0;
    if (!order.isByAmount && order.unfilled < MIN_LOTS) return 'PRECISION';
    if (!isReduction && exceeds(order.maxLots, limits.orderLots)) return 'QTY_MAX';
    if (!isReduction && exceeds(worstUnits, limits.orderUnits)) return 'NOTIONAL_MAX';
    if (order.limit > 0 && limits.bandMilli !== null) {
      const beyondMark = order.isBuy ? order.limit - mark : mark - order.limit;
      if (beyondMark * 1000 > mark * limits.bandMilli) return 'COLLAR';
    }
    const sentInLastMinute = this.sentMs.filter((ms) => ms > this.nowMs - 60_000).length;
    return !order.closesAtOnce && exceeds(sentInLastMinute, limits.ordersPerMinute) ? 'MESSAGE_RATE' : null;
  }
}

/** What the spot venue begins with. */
export interface SpotStart {
  readonly limits: TrueLimits;
  /** Quote units by strategy. */
  readonly cash: number[];
  /** Base units by strategy and instrument. */
  readonly held: number[][];
  readonly marks: number[];
  readonly feeInBase: boolean;
}

/** The spot venue. Its holdings and cash count every execution, reported or not. */
export class SpotTruth extends TrueVenue<TrueOrder> {
  /** Quote units by strategy. */
  readonly cash: number[];
  /** Base units by strategy and instrument. */
  readonly held: number[][];
  /** True when a buy pays its fee in the base asset. */
  readonly feeInBase: boolean;

  constructor({ limits, cash, held, marks, feeInBase }: SpotStart) {
    super(limits, marks);
    this.cash = cash;
    this.held = held;
    this.feeInBase = feeInBase;
  }
  protected override track(order: Order, mark: number): TrueOrder {
    return new TrueOrder(order, mark);
  }

  override reducesRisk(order: TrueOrder): boolean {
    return !order.isBuy;
  }

  /** Executes lots of an order: moves its money, and keeps the execution for a later report to the bot. */
  execute(order: TrueOrder, { ticks, lots }: Execution): void {
    const notional = ticks * lots * QUOTE_UNITS_PER_TICK_LOT;
    const quantity = lots * BASE_UNITS_PER_LOT;
    const sign = order.isBuy ? 1 : -1;
    const feeInBase = this.feeInBase && order.isBuy;
    this.cash[order.strategy]! -= sign * notional + (feeInBase ? 0 : notional / FEE_DIVISOR);
    this.held[order.strategy]![order.index]! += sign * quantity - (feeInBase ? quantity / FEE_DIVISOR : 0);
    order.unfilled -= order.isByAmount ? notional : lots;
    order.unreported.push({ ticks, lots });
    const isFull = order.isByAmount ? order.unfilled < order.lowestTicks * QUOTE_UNITS_PER_TICK_LOT : order.unfilled === 0;
    if (isFull) order.state = 'ended';
  }

  override limitBrokenByFills(): string | null {
    const brokenByCount = this.limitBrokenByCount();
    if (brokenByCount !== null) return brokenByCount;
    const possible = this.orders.filter((order) => order.isPossible);
    for (let index = 0; index < this.marks.length; index++) {
      const ofInstrument = possible.filter((order) => order.index === index);
      if (exceeds(this.worstBase(index) / BASE_UNITS_PER_LOT, this.limits.positionLots)) return 'POSITION_MAX';
      for (let strategy = 0; strategy < this.cash.length; strategy++) {
        const sells = ofInstrument.filter((order) => !order.isBuy && order.strategy === strategy);
        if (sum(sells, ({ unfilled }) => unfilled * BASE_UNITS_PER_LOT) > this.held[strategy]![index]!) return 'MARGIN';
      }
    }
    for (let strategy = 0; strategy < this.cash.length; strategy++) {
      const buys = possible.filter((order) => order.isBuy && order.strategy === strategy);
      const cost = sum(buys, ({ maxUnits }) => maxUnits) * (this.feeInBase ? 1 : 1 + 1 / FEE_DIVISOR);
      // Half a unit covers the rounding of the fee in binary floating point.
      if (cost > this.cash[strategy]! + 0.5) return 'MARGIN';
    }
    return null;
  }

  /** Returns the code of a limit that approving this order breaks, or null. `equity` is that of the account by the books of the bot. */
  limitBrokenByApproval(order: TrueOrder, equity: number): string | null {
    const { limits } = this;
    const price = order.limit > 0 ? Math.max(order.limit, this.marks[order.index]!) : order.highestTicks;
    const worstUnits = order.isByAmount ? order.unfilled : order.unfilled * price * QUOTE_UNITS_PER_TICK_LOT;
    const brokenByOrder = this.limitBrokenByOrder(order, worstUnits);
    if (brokenByOrder !== null) return brokenByOrder;
    if (!order.isBuy) return null;
    let gross = 0;
    for (let index = 0; index < this.marks.length; index++) {
      const units = this.worstUnits(index);
      if (exceeds(units, limits.positionUnits) && index === order.index) return 'POSITION_NOTIONAL';
      gross += units;
    }
    if (exceeds(gross, limits.grossUnits)) return 'PORTFOLIO';
    return limits.leverageMilli !== null && gross * 1000 > equity * limits.leverageMilli ? 'LEVERAGE' : null;
  }

  /** Returns the base units of the account if every buy that may still execute fills completely. */
  private worstBase(index: number): number {
    return this.heldOfAccount(index) + sum(this.possibleBuys(index), ({ maxLots }) => maxLots * BASE_UNITS_PER_LOT);
  }
  /** Returns the value of the holding at the mark, plus each buy that may still execute, at the mark or at its cost, whichever is more. */
  private worstUnits(index: number): number {
    const mark = this.marks[index]!;
    const heldUnits = (this.heldOfAccount(index) / BASE_UNITS_PER_LOT) * mark * QUOTE_UNITS_PER_TICK_LOT;
    const unitsOfBuy = ({ maxUnits, maxLots }: TrueOrder) => Math.max(maxUnits, maxLots * mark * QUOTE_UNITS_PER_TICK_LOT);
    return heldUnits + sum(this.possibleBuys(index), unitsOfBuy);
  }
  /** Returns the base units that all strategies hold. */
  private heldOfAccount(index: number): number {
    return sum(this.held, (holdings) => holdings[index]!);
  }
  private possibleBuys(index: number): TrueOrder[] {
    return this.orders.filter((order) => order.isPossible && order.isBuy && order.index === index);
  }
}

/** True when a limit is set and the value exceeds it. */
export function exceeds(value: number, limit: number | null): boolean {
  return limit !== null && value > limit;
}
/** Returns the sum of a number of each item. */
export function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
