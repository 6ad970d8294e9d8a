// Computes the true state of contracts without the bot: positions from every execution, money from the reports, in plain numbers.

import type { Order } from '../../src/model/order.ts';
import { type Execution, over, sum, TrueOrder, type TrueLimits, Venue } from './riskTruth.ts';

/** A contract and how the account trades it. */
export interface TrueContract {
  readonly isLinear: boolean;
  /** Value of one lot: units for each tick (linear), or units at a price of one tick (inverse). */
  readonly size: number;
  readonly leverage: number;
  readonly isNet: boolean;
  readonly isCross: boolean;
  readonly isTrading: boolean;
  /** Largest leverage by worth of a position, in units. */
  readonly tiers: readonly { readonly upTo: number; readonly max: number }[];
}

export function otherValue({ isLinear, size }: TrueContract, lots: number, ticks: number): number {
  return isLinear ? lots * size * ticks : (lots * size) / ticks;
}
const OPEN_FEE = 400 / 1e6;
export const CLOSE_FEE = 500 / 1e6;
/** Figures here are not rounded, those of the bot are: a unit each. */
const ROUNDING = 60;

export class ContractOrder extends TrueOrder {
  readonly closes: boolean;
  private readonly contract: TrueContract;

  constructor(order: Order, mark: number, contract: TrueContract) {
    super(order, mark);
    this.closes = order.reduceOnly;
    this.contract = contract;
  }
  override get maxLots(): number {
    if (!this.byAmount) return this.left;
    return Math.floor(this.left / otherValue(this.contract, 1, this.contract.isLinear ? this.lowest : this.highest));
  }
  /** Executed lots that the bot does not know about yet. */
  get unheardLots(): number {
    return sum(this.unreported, ({ lots }) => lots);
  }
  /** The most that a lot of it counts for by the prices of its approval; `mark`: or by the price now. */
  eachLot(mark = NaN): number {
    const { contract, limit } = this;
    const prices = limit > 0 ? [limit, this.mark] : this.byAmount === contract.isLinear ? [this.lowest] : [this.highest];
    if (limit === 0 && !this.byAmount) prices[0] = contract.isLinear ? this.highest : this.lowest;
    if (!Number.isNaN(mark)) prices.push(mark);
    return Math.max(...prices.map((ticks) => otherValue(contract, 1, ticks)));
  }
}

/** One side of one contract, as far as it was reported to the bot. */
class Side {
  lots = 0;
  entry = 0;
  margin = 0;
}
interface Pair {
  long: number;
  short: number;
}

export class FuturesTruth extends Venue<ContractOrder> {
  readonly contracts: readonly TrueContract[];
  /** By contract: what was executed, and what of it the bot has booked. */
  readonly real: Pair[];
  readonly booked: { readonly long: Side; readonly short: Side }[];
  /** By strategy: deposits, realised profit, fees and funding. */
  readonly wallets: number[];
  /** By contract: executions not reported to the bot yet, oldest first, by their orders; and the strategy that has traded it. */
  readonly unheard: ContractOrder[][];
  readonly traders: number[];

  constructor(limits: TrueLimits, contracts: readonly TrueContract[], wallets: number[], marks: number[]) {
    super(limits, marks);
    this.contracts = contracts;
    this.wallets = wallets;
    this.real = contracts.map(() => ({ long: 0, short: 0 }));
    this.booked = contracts.map(() => ({ long: new Side(), short: new Side() }));
    this.unheard = contracts.map(() => []);
    this.traders = contracts.map(() => -1);
  }
  protected override known(order: Order, mark: number): ContractOrder {
    return new ContractOrder(order, mark, this.contracts[order.instrumentIndex]!);
  }

  /** The most lots that an order may execute now: one that closes takes no more than there is. */
  within(order: ContractOrder, lots: number): number {
    const { long, short } = this.real[order.index]!;
    return order.closes ? Math.min(lots, order.isBuy ? short : long) : lots;
  }

  execute(order: ContractOrder, { ticks, lots }: Execution): void {
    const contract = this.contracts[order.index]!;
    const held = this.real[order.index]!;
    const [own, other] = order.isBuy ? (['long', 'short'] as const) : (['short', 'long'] as const);
    const closing = contract.isNet || order.closes ? Math.min(lots, held[other]) : 0;
    held[other] -= closing;
    held[own] += lots - closing;
    order.left -= order.byAmount ? Math.ceil(otherValue(contract, lots, ticks)) : lots;
    order.unreported.push({ ticks, lots });
    this.unheard[order.index]!.push(order);
    this.traders[order.index] = order.strategy;
    if (order.maxLots <= 0) order.state = 'over';
  }

  /** Books what is reported to the bot: averages of entries and margins, in plain numbers. */
  book(order: ContractOrder, lots: number, notional: number, fee: number): void {
    const contract = this.contracts[order.index]!;
    const { long, short } = this.booked[order.index]!;
    const [own, other] = order.isBuy ? [long, short] : [short, long];
    const closing = contract.isNet || order.closes ? Math.min(lots, other.lots) : 0;
    const each = notional / lots;
    this.wallets[order.strategy]! -= fee;
    if (closing > 0) {
      const entry = (other.entry / other.lots) * closing;
      const isGainOfAbove = order.isBuy !== contract.isLinear;
      const profit = (each * closing - entry) * (isGainOfAbove ? 1 : -1);
      this.wallets[order.strategy]! += profit;
      const part = (other.margin / other.lots) * closing;
      other.margin = contract.isCross ? other.margin - part : Math.max(0, other.margin - part + Math.min(0, part + profit));
      other.entry -= entry;
      other.lots -= closing;
    }
    own.lots += lots - closing;
    own.entry += (lots - closing) * each;
    own.margin += ((lots - closing) * each) / contract.leverage;
  }

  /** Books funding, which is reported to the bot at once. */
  fund(index: number, isLong: boolean, units: number): void {
    const { long, short } = this.booked[index]!;
    this.wallets[this.traders[index]!]! += units;
    if (!this.contracts[index]!.isCross) (isLong ? long : short).margin += units;
  }

  override brokenAlways(): string | null {
    const byCount = this.brokenByCount();
    if (byCount !== null) return byCount;
    for (let index = 0; index < this.contracts.length; index++) {
      const here = this.possible(index);
      const traders = new Set(here.map(({ strategy }) => strategy));
      if (this.traders[index]! >= 0) traders.add(this.traders[index]!);
      if (traders.size > 1) return 'CONTRACT_TAKEN';
      if (over(Math.max(this.worstLots(index, true), this.worstLots(index, false)), this.limits.positionLots)) return 'POSITION_MAX';
      if (!this.contracts[index]!.isNet && here.some((order) => order.closes && !this.canClose(order))) return 'MARGIN';
    }
    return null;
  }

  /** What holds when an order is approved: no limit is passed by what it adds. */
  brokenBy(order: ContractOrder): string | null {
    const { limits } = this;
    const contract = this.contracts[order.index]!;
    const byItself = this.brokenByItself(order, (order.byAmount ? order.left : order.left * order.eachLot()) - 0.001);
    if (byItself !== null) return byItself;
    if (!order.closes && !contract.isTrading) return 'NOT_TRADING';
    if (order.closes) return this.canClose(order) ? null : 'MARGIN';
    const [long, short] = [this.worstUnits(order.index, true, null), this.worstUnits(order.index, false, null)];
    const above = order.isBuy ? long - this.worstUnits(order.index, true, order) : short - this.worstUnits(order.index, false, order);
    if (above <= 0) return null;
    const units = order.isBuy ? long : short;
    if (over(units - 0.001, limits.positionUnits)) return 'POSITION_NOTIONAL';
    if (contract.leverage > contract.tiers.find(({ upTo }) => units - 0.001 <= upTo)!.max) return 'TIER';
    const gross = this.gross(null);
    // In net mode an order may add to a side that is not the larger one.
    if (gross > this.gross(order)) {
      if (over(gross - 0.001, limits.grossUnits)) return 'PORTFOLIO';
      if (limits.leverageMilli !== null && (gross - ROUNDING) * 1000 > this.equity() * limits.leverageMilli) return 'LEVERAGE';
    }
    const isShort = this.required(order.strategy, null) > this.available(order.strategy) + ROUNDING;
    return isShort && this.required(order.strategy, null) > this.required(order.strategy, order) ? 'MARGIN' : null;
  }

  /** True when an order adds nothing to what its side may come to: losses do not stop it. */
  isLess(order: ContractOrder): boolean {
    return order.closes || this.worstLots(order.index, order.isBuy) <= this.worstLots(order.index, order.isBuy, order);
  }

  private possible(index: number): ContractOrder[] {
    return this.orders.filter((order) => order.isPossible && order.index === index);
  }
  /** Everything that may take from the same side fits into what is there. */
  private canClose({ index, isBuy }: ContractOrder): boolean {
    const { isNet } = this.contracts[index]!;
    const takers = this.possible(index).filter((other) => other.isBuy === isBuy && (isNet || other.closes));
    return sum(takers, ({ maxLots }) => maxLots) <= this.real[index]![isBuy ? 'short' : 'long'];
  }

  /** Lots and units of orders that open a side, worst price first, beyond those that close the other one. */
  private opening(orders: readonly { readonly lots: number; readonly each: number }[], opposed: number): Pair {
    let left = Math.max(0, sum(orders, ({ lots }) => lots) - opposed);
    const pair = { long: left, short: 0 };
    for (const { lots, each } of orders.toSorted((a, b) => b.each - a.each)) {
      const taken = Math.min(lots, left);
      pair.short += taken * each;
      left -= taken;
    }
    return pair;
  }
  private opposed(index: number, isLong: boolean, heldOther: number, closing: number): number {
    return this.contracts[index]!.isNet ? Math.max(0, heldOther - closing) : 0;
  }
  private openers(index: number, isBuy: boolean, without: ContractOrder | null): ContractOrder[] {
    return this.possible(index).filter((order) => order.isBuy === isBuy && !order.closes && order !== without);
  }
  private closers(index: number, isBuy: boolean): ContractOrder[] {
    return this.possible(index).filter((order) => order.isBuy === isBuy && order.closes);
  }

  private worstLots(index: number, isLong: boolean, without: ContractOrder | null = null): number {
    const { long, short } = this.real[index]!;
    const closing = sum(this.closers(index, isLong), ({ left }) => left);
    const opposed = this.opposed(index, isLong, isLong ? short : long, closing);
    const orders = this.openers(index, isLong, without).map((order) => ({ lots: order.maxLots, each: 1 }));
    return (isLong ? long : short) + this.opening(orders, opposed).long;
  }
  /** Positions at the mark, and each order at the worse of its own price and the mark. */
  private worstUnits(index: number, isLong: boolean, without: ContractOrder | null): number {
    const { long, short } = this.real[index]!;
    const mark = this.marks[index]!;
    const closing = sum(this.closers(index, isLong), ({ left }) => left);
    const opposed = this.opposed(index, isLong, isLong ? short : long, closing);
    const orders = this.openers(index, isLong, without).map((order) => ({ lots: order.maxLots, each: order.eachLot(mark) }));
    return otherValue(this.contracts[index]!, isLong ? long : short, mark) + this.opening(orders, opposed).short;
  }
  private gross(without: ContractOrder | null): number {
    return sum(
      this.contracts.map((contract, index) => {
        const [long, short] = [this.worstUnits(index, true, without), this.worstUnits(index, false, without)];
        return contract.isNet ? Math.max(long, short) : long + short;
      }),
      (units) => units,
    );
  }

  private profit(index: number): number {
    const contract = this.contracts[index]!;
    const { long, short } = this.booked[index]!;
    const mark = this.marks[index]!;
    const [longAbove, shortAbove] = [long, short].map(({ lots, entry }) => otherValue(contract, lots, mark) - entry);
    return (longAbove! - shortAbove!) * (contract.isLinear ? 1 : -1);
  }
  private equity(): number {
    return sum(this.wallets, (wallet) => wallet) + sum([...this.contracts.keys()], (index) => this.profit(index));
  }
  /** What a strategy may put up: its wallet less the margins of its positions and the losses of cross ones. */
  private available(strategy: number): number {
    const own = [...this.contracts.keys()].filter((index) => this.traders[index] === strategy);
    const margins = sum(own, (index) => this.booked[index]!.long.margin + this.booked[index]!.short.margin);
    const profit = sum(own, (index) => (this.contracts[index]!.isCross ? this.profit(index) : 0));
    return this.wallets[strategy]! - margins + Math.min(0, profit);
  }
  /** Margin and fees that the exchange holds for a strategy's orders at the prices of their approval, if all that is under way fills. */
  private required(strategy: number, without: ContractOrder | null): number {
    const rest = (order: ContractOrder) => (order.isPossible ? order.maxLots : 0) + order.unheardLots;
    const sides = [...this.contracts.keys()].flatMap((index) => [true, false].map((isLong) => ({ index, isLong })));
    return sum(sides, ({ index, isLong }) => {
      const contract = this.contracts[index]!;
      const here = this.orders.filter((order) => order.index === index && order.isBuy === isLong && order !== without);
      const own = here.filter((order) => order.strategy === strategy && rest(order) > 0);
      const closing = sum(
        own.filter(({ closes }) => closes),
        rest,
      );
      const { long, short } = this.booked[index]!;
      const opposed = this.opposed(index, isLong, (isLong ? short : long).lots, closing);
      const orders = own.filter(({ closes }) => !closes).map((order) => ({ lots: rest(order), each: order.eachLot() }));
      return this.opening(orders, opposed).short * (1 / contract.leverage + OPEN_FEE);
    });
  }
}
