// Keeps the true state of orders without the bot: the venue of the risk campaign, and the limits that it checks.

import type { OrderGateway } from '../../src/ports/exchange.ts';
import type { ApprovedOrder, Order } from '../../src/model/order.ts';

/** Scales of `spotInstrument`: one tick x one lot is 1000 units of quote, one lot 1000 units of base; fees of 0.1 % are whole. */
export const PER_TICK_LOT = 1000;
export const PER_LOT = 1000;
export const MIN_LOTS = 2;
/** Market orders fill within 1 % of the mark at which they were approved: the collar that the bot assumes. */
export const COLLAR = 0.01;

/** Limits as numbers, in lots, quote units and thousandths; null where not set. */
export interface TrueLimits {
  readonly orderLots: number | null;
  readonly orderUnits: number | null;
  readonly positionLots: number | null;
  readonly positionUnits: number | null;
  readonly grossUnits: number | null;
  readonly leverageMilli: number | null;
  readonly open: number | null;
  readonly openTotal: number | null;
  readonly bandMilli: number | null;
  readonly perMinute: number | null;
  readonly dailyLossMilli: number | null;
  readonly drawdownMilli: number | null;
}

export interface Execution {
  readonly ticks: number;
  readonly lots: number;
}

/** An order on its way to the venue, at it, or over. */
export class TrueOrder {
  readonly id: number;
  readonly strategy: number;
  readonly index: number;
  readonly isBuy: boolean;
  readonly limit: number;
  /** The mark when it was approved. */
  readonly mark: number;
  readonly byAmount: boolean;
  /** Lots, or units of an amount, that are not executed. */
  left: number;
  state: 'inFlight' | 'live' | 'over' = 'inFlight';
  wasAdmitted = false;
  cancelAsked = false;
  /** When the bot learned that the order had no effect; NaN otherwise. */
  absentMs = NaN;
  /** Executions not reported to the bot yet, oldest first. */
  readonly unreported: Execution[] = [];
  reported = 0;

  constructor(order: Order, mark: number) {
    this.id = order.id;
    this.strategy = order.strategy;
    this.index = order.instrumentIndex;
    this.isBuy = order.side === 'buy';
    this.limit = order.limit;
    this.mark = mark;
    this.byAmount = order.quoteUnits > 0;
    this.left = this.byAmount ? order.quoteUnits : order.lots;
  }
  get isPossible(): boolean {
    return this.state !== 'over';
  }
  get lowest(): number {
    return Math.max(1, Math.floor(this.mark * (1 - COLLAR)));
  }
  get highest(): number {
    return this.limit > 0 ? this.limit : Math.ceil(this.mark * (1 + COLLAR));
  }
  /** The most lots that it can still execute. */
  get maxLots(): number {
    return this.byAmount ? Math.floor(this.left / (this.lowest * PER_TICK_LOT)) : this.left;
  }
  /** The most that its buy can still cost, fee not counted. */
  get maxUnits(): number {
    return this.byAmount ? this.left : this.left * this.highest * PER_TICK_LOT;
  }
}

/** A venue that knows: its orders, and what is checked of them in every market. */
export abstract class Venue<Known extends TrueOrder> implements OrderGateway {
  orders: Known[] = [];
  readonly limits: TrueLimits;
  readonly marks: number[];
  readonly sentMs: number[] = [];
  nowMs = 0;

  constructor(limits: TrueLimits, marks: number[]) {
    this.limits = limits;
    this.marks = marks;
  }

  protected abstract known(order: Order, mark: number): Known;
  /** The code of a limit that some course of events would break from here, prices aside; null when none would. */
  abstract brokenAlways(): string | null;

  submit(order: ApprovedOrder): void {
    this.orders.push(this.known(order, this.marks[order.instrumentIndex]!));
    this.sentMs.push(this.nowMs);
  }
  cancel(order: Order): void {
    const found = this.orders.find(({ id }) => id === order.id);
    if (found) found.cancelAsked = true;
  }
  read(): void {
    // What the bot learns, and when, is drawn by the campaign.
  }
  matchRow(): void {
    // Executions are drawn by the campaign.
  }

  protected brokenByCount(): string | null {
    const possible = this.orders.filter((order) => order.isPossible);
    for (let index = 0; index < this.marks.length; index++) {
      if (over(possible.filter((order) => order.index === index).length, this.limits.open)) return 'OPEN_ORDERS';
    }
    return over(possible.length, this.limits.openTotal) ? 'OPEN_ORDERS' : null;
  }
  /** What holds of an order by itself when it is approved. `units`: its worst notional. */
  protected brokenByItself(order: TrueOrder, units: number): string | null {
    const { limits, nowMs } = this;
    const mark = this.marks[order.index]!;
    if (!order.byAmount && order.left < MIN_LOTS) return 'PRECISION';
    if (over(order.maxLots, limits.orderLots)) return 'QTY_MAX';
    if (over(units, limits.orderUnits)) return 'NOTIONAL_MAX';
    if (order.limit > 0 && limits.bandMilli !== null) {
      const beyond = (order.isBuy ? order.limit - mark : mark - order.limit) * 1000;
      if (beyond > mark * limits.bandMilli) return 'COLLAR';
    }
    return limits.perMinute !== null && this.sentMs.filter((ms) => ms > nowMs - 60_000).length > limits.perMinute ? 'MESSAGE_RATE' : null;
  }
}

/** The spot venue: holdings by every execution, reported or not. */
export class Truth extends Venue<TrueOrder> {
  readonly cash: number[];
  /** Base units by strategy and instrument. */
  readonly held: number[][];
  readonly feeInBase: boolean;

  constructor(limits: TrueLimits, cash: number[], held: number[][], marks: number[], feeInBase: boolean) {
    super(limits, marks);
    this.cash = cash;
    this.held = held;
    this.feeInBase = feeInBase;
  }
  protected override known(order: Order, mark: number): TrueOrder {
    return new TrueOrder(order, mark);
  }

  execute(order: TrueOrder, { ticks, lots }: Execution): void {
    const notional = ticks * lots * PER_TICK_LOT;
    const sign = order.isBuy ? 1 : -1;
    const feeInBase = this.feeInBase && order.isBuy;
    this.cash[order.strategy]! -= sign * notional + (feeInBase ? 0 : notional / 1000);
    this.held[order.strategy]![order.index]! += sign * lots * PER_LOT - (feeInBase ? (lots * PER_LOT) / 1000 : 0);
    order.left -= order.byAmount ? notional : lots;
    order.unreported.push({ ticks, lots });
    if (order.byAmount ? order.left < order.lowest * PER_TICK_LOT : order.left === 0) order.state = 'over';
  }

  override brokenAlways(): string | null {
    const byCount = this.brokenByCount();
    if (byCount !== null) return byCount;
    const possible = this.orders.filter((order) => order.isPossible);
    for (let index = 0; index < this.marks.length; index++) {
      const here = possible.filter((order) => order.index === index);
      if (over(this.worstBase(index) / PER_LOT, this.limits.positionLots)) return 'POSITION_MAX';
      for (let strategy = 0; strategy < this.cash.length; strategy++) {
        const sells = here.filter((order) => !order.isBuy && order.strategy === strategy);
        if (sum(sells, ({ left }) => left * PER_LOT) > this.held[strategy]![index]!) return 'MARGIN';
      }
    }
    for (let strategy = 0; strategy < this.cash.length; strategy++) {
      const buys = possible.filter((order) => order.isBuy && order.strategy === strategy);
      if (sum(buys, ({ maxUnits }) => maxUnits) * (this.feeInBase ? 1 : 1.001) > this.cash[strategy]! + 0.5) return 'MARGIN';
    }
    return null;
  }

  /** The same for what holds of an order when it is approved. `equity`: of the account, by what the bot has booked. */
  brokenBy(order: TrueOrder, equity: number): string | null {
    const { limits } = this;
    const price = order.limit > 0 ? Math.max(order.limit, this.marks[order.index]!) : order.highest;
    const byItself = this.brokenByItself(order, order.byAmount ? order.left : order.left * price * PER_TICK_LOT);
    if (byItself !== null) return byItself;
    if (!order.isBuy) return null;
    let gross = 0;
    for (let index = 0; index < this.marks.length; index++) {
      const units = this.worstUnits(index);
      if (over(units, limits.positionUnits) && index === order.index) return 'POSITION_NOTIONAL';
      gross += units;
    }
    if (over(gross, limits.grossUnits)) return 'PORTFOLIO';
    return limits.leverageMilli !== null && gross * 1000 > equity * limits.leverageMilli ? 'LEVERAGE' : null;
  }

  /** Base units of the account when every buy that still can execute does so in full. */
  private worstBase(index: number): number {
    const held = sum(this.held, (book) => book[index]!);
    return (
      held +
      sum(
        this.orders.filter((order) => order.isPossible && order.isBuy && order.index === index),
        ({ maxLots }) => maxLots * PER_LOT,
      )
    );
  }
  /** Worth of the holding at the mark, and of each such buy at the mark or at what it costs, whichever is more. */
  private worstUnits(index: number): number {
    const mark = this.marks[index]!;
    const buys = this.orders.filter((order) => order.isPossible && order.isBuy && order.index === index);
    const held = sum(this.held, (book) => book[index]!);
    return (
      (held / PER_LOT) * mark * PER_TICK_LOT +
      sum(buys, ({ maxUnits: limitUnits, maxLots: limitLots }) => Math.max(limitUnits, limitLots * mark * PER_TICK_LOT))
    );
  }
}

export function over(value: number, limit: number | null): boolean {
  return limit !== null && value > limit;
}
export function sum<T>(of: readonly T[], value: (item: T) => number): number {
  return of.reduce((total, item) => total + value(item), 0);
}
