// The futures venue of the risk campaign, computed without the bot in plain numbers: positions from every execution, money from those
// executions that were reported.

import type { Order } from '../../src/model/order.ts';
import { type Execution, exceeds, sum, TrueOrder, type TrueLimits, TrueVenue } from './riskTruth.ts';

/** A contract and how the account trades it. */
export interface TrueContract {
  readonly isLinear: boolean;
  /** Value of one lot at a price of one tick, in units. It grows with the price (linear), or falls with it (inverse). */
  readonly lotValue: number;
  readonly leverage: number;
  readonly isNet: boolean;
  readonly isCross: boolean;
  readonly isTrading: boolean;
  /** Largest leverage by the value of a position, in units. */
  readonly tiers: readonly { readonly upTo: number; readonly max: number }[];
}

/** Returns the value of lots at a price, in units of the settlement asset. */
export function contractValue({ isLinear, lotValue }: TrueContract, lots: number, ticks: number): number {
  return isLinear ? lots * lotValue * ticks : (lots * lotValue) / ticks;
}
/** Fee of an opening execution, as a fraction of its value. */
const OPEN_FEE = 400 / 1e6;
/** Fee of a closing execution, as a fraction of its value. */
export const CLOSE_FEE = 500 / 1e6;
/** Tolerance for sums, in units: the bot rounds every figure to a unit, this file rounds none. */
const ROUNDING_UNITS = 60;
/** Tolerance for one value, in units: the error of binary floating point. */
const FLOAT_ERROR = 0.001;

/** A futures order, with the value that it can add to a position. */
export class ContractOrder extends TrueOrder {
  readonly closes: boolean;
  private readonly contract: TrueContract;

  constructor(order: Order, mark: number, contract: TrueContract) {
    super(order, mark);
    this.closes = order.reduceOnly;
    this.contract = contract;
  }
  override get maxLots(): number {
    if (!this.isByAmount) return this.unfilled;
    const minValueTicks = this.contract.isLinear ? this.lowestTicks : this.highestTicks;
    return Math.floor(this.unfilled / contractValue(this.contract, 1, minValueTicks));
  }
  /** Executed lots that were not reported to the bot yet. */
  get unreportedLots(): number {
    return sum(this.unreported, ({ lots }) => lots);
  }
  /**
   * Returns the worst value of one lot, in units: at the prices that were known at the approval, and at the mark of now if one is given.
   * The worst price of a linear contract is the highest one; that of an inverse contract is the lowest.
   */
  worstLotValue(mark = NaN): number {
    const { contract, limit } = this;
    // An order by amount has the most lots at the price at which a lot is cheapest.
    const marketTicks = this.isByAmount === contract.isLinear ? this.lowestTicks : this.highestTicks;
    const prices = limit > 0 ? [limit, this.mark] : [marketTicks];
    if (!Number.isNaN(mark)) prices.push(mark);
    return Math.max(...prices.map((ticks) => contractValue(contract, 1, ticks)));
  }
}

/** One side of one contract, by what was reported to the bot. `entry` and `margin` are units. */
class Side {
  lots = 0;
  entry = 0;
  margin = 0;
}
/** Executed lots of both sides of one contract. */
interface LotsBySide {
  long: number;
  short: number;
}

/** An order in a worst case: its lots, and the value of one lot. */
interface WorstOrder {
  readonly lots: number;
  readonly lotUnits: number;
}

/** What the futures venue begins with. */
export interface FuturesStart {
  readonly limits: TrueLimits;
  readonly contracts: readonly TrueContract[];
  readonly wallets: number[];
  readonly marks: number[];
}

/** The true positions and money of the account, and the checks of all limits against them. */
export class FuturesTruth extends TrueVenue<ContractOrder> {
  readonly contracts: readonly TrueContract[];
  /** By contract: all executions. */
  readonly executed: LotsBySide[];
  /** By contract: the executions that the bot has booked. */
  readonly booked: { readonly long: Side; readonly short: Side }[];
  /** By strategy: deposits, realised profit, fees and funding. */
  readonly wallets: number[];
  /** By contract: the orders of the executions that were not reported to the bot yet, oldest first. */
  readonly unreported: ContractOrder[][];
  /** By contract: the strategy that has traded it, or -1. */
  readonly traders: number[];

  constructor({ limits, contracts, wallets, marks }: FuturesStart) {
    super(limits, marks);
    this.contracts = contracts;
    this.wallets = wallets;
    this.executed = contracts.map(() => ({ long: 0, short: 0 }));
    this.booked = contracts.map(() => ({ long: new Side(), short: new Side() }));
    this.unreported = contracts.map(() => []);
    this.traders = contracts.map(() => -1);
  }
  protected override track(order: Order, mark: number): ContractOrder {
    return new ContractOrder(order, mark, this.contracts[order.instrumentIndex]!);
  }

  /** Returns how many of the lots the order may execute now: a closing order closes at most the position. */
  executableLots(order: ContractOrder, lots: number): number {
    const { long, short } = this.executed[order.index]!;
    return order.closes ? Math.min(lots, order.isBuy ? short : long) : lots;
  }

  /** Executes lots of an order: moves positions, and keeps the execution for a later report to the bot. */
  execute(order: ContractOrder, { ticks, lots }: Execution): void {
    const contract = this.contracts[order.index]!;
    const executed = this.executed[order.index]!;
    const ownSide = order.isBuy ? 'long' : 'short';
    const oppositeSide = order.isBuy ? 'short' : 'long';
    const closing = contract.isNet || order.closes ? Math.min(lots, executed[oppositeSide]) : 0;
    executed[oppositeSide] -= closing;
    executed[ownSide] += lots - closing;
    order.unfilled -= order.isByAmount ? Math.ceil(contractValue(contract, lots, ticks)) : lots;
    order.unreported.push({ ticks, lots });
    this.unreported[order.index]!.push(order);
    this.traders[order.index] = order.strategy;
    if (order.maxLots <= 0) order.state = 'ended';
  }

  /** Books an execution that is reported to the bot. A partial close takes its share of the entry value and of the margin. */
  book(order: ContractOrder, lots: number, notional: number, fee: number): void {
    const contract = this.contracts[order.index]!;
    const { long, short } = this.booked[order.index]!;
    const ownSide = order.isBuy ? long : short;
    const opposite = order.isBuy ? short : long;
    const closing = contract.isNet || order.closes ? Math.min(lots, opposite.lots) : 0;
    const unitsPerLot = notional / lots;
    this.wallets[order.strategy]! -= fee;
    if (closing > 0) {
      const entry = (opposite.entry / opposite.lots) * closing;
      // A closed long gains when the exit value of a linear contract is above its entry value; a short, or an inverse contract, reverses that.
      const gainsFromHigherValue = order.isBuy !== contract.isLinear;
      const profit = (unitsPerLot * closing - entry) * (gainsFromHigherValue ? 1 : -1);
      this.wallets[order.strategy]! += profit;
      const closedMargin = (opposite.margin / opposite.lots) * closing;
      opposite.margin -= closedMargin;
      // An isolated position pays a loss beyond the closed margin from the margin that stays.
      if (!contract.isCross) opposite.margin = Math.max(0, opposite.margin + Math.min(0, closedMargin + profit));
      opposite.entry -= entry;
      opposite.lots -= closing;
    }
    ownSide.lots += lots - closing;
    ownSide.entry += (lots - closing) * unitsPerLot;
    ownSide.margin += ((lots - closing) * unitsPerLot) / contract.leverage;
  }

  /** Books funding, which is reported to the bot at once. */
  fund(index: number, isLong: boolean, units: number): void {
    const { long, short } = this.booked[index]!;
    this.wallets[this.traders[index]!]! += units;
    if (!this.contracts[index]!.isCross) (isLong ? long : short).margin += units;
  }

  override limitBrokenByFills(): string | null {
    const brokenByCount = this.limitBrokenByCount();
    if (brokenByCount !== null) return brokenByCount;
    for (let index = 0; index < this.contracts.length; index++) {
      const possibleOrders = this.possibleOrders(index);
      const traders = new Set(possibleOrders.map(({ strategy }) => strategy));
      if (this.traders[index]! >= 0) traders.add(this.traders[index]!);
      if (traders.size > 1) return 'CONTRACT_TAKEN';
      const worstLots = Math.max(this.worstLots(index, true), this.worstLots(index, false));
      if (exceeds(worstLots, this.limits.positionLots)) return 'POSITION_MAX';
      if (!this.contracts[index]!.isNet && possibleOrders.some((order) => order.closes && !this.canClose(order))) return 'MARGIN';
    }
    return null;
  }

  /** Returns the code of a limit that approving this order breaks, or null. An order that adds nothing breaks no limit on exposure. */
  limitBrokenByApproval(order: ContractOrder): string | null {
    const contract = this.contracts[order.index]!;
    const worstUnits = order.isByAmount ? order.unfilled : order.unfilled * order.worstLotValue();
    const brokenByOrder = this.limitBrokenByOrder(order, worstUnits - FLOAT_ERROR);
    if (brokenByOrder !== null) return brokenByOrder;
    if (!order.closes && !contract.isTrading) return 'NOT_TRADING';
    if (order.closes) return this.canClose(order) ? null : 'MARGIN';
    const sideUnits = this.worstUnits(order.index, order.isBuy, null);
    if (sideUnits <= this.worstUnits(order.index, order.isBuy, order)) return null;
    return this.limitBrokenBySide(order, sideUnits) ?? this.limitBrokenByAccount(order) ?? this.limitBrokenByMargin(order);
  }

  /** Returns the code of the position limit or margin tier that the value of a side breaks, or null. */
  private limitBrokenBySide({ index }: ContractOrder, sideUnits: number): string | null {
    const { leverage, tiers } = this.contracts[index]!;
    if (exceeds(sideUnits - FLOAT_ERROR, this.limits.positionUnits)) return 'POSITION_NOTIONAL';
    return leverage > tiers.find(({ upTo }) => sideUnits - FLOAT_ERROR <= upTo)!.max ? 'TIER' : null;
  }

  /** Returns the code of the account limit that the order would break, or null. */
  private limitBrokenByAccount(order: ContractOrder): string | null {
    const { grossUnits, leverageMilli } = this.limits;
    const gross = this.gross(null);
    // In net mode an order may add to the smaller side, which does not count.
    if (gross <= this.gross(order)) return null;
    if (exceeds(gross - FLOAT_ERROR, grossUnits)) return 'PORTFOLIO';
    return leverageMilli !== null && (gross - ROUNDING_UNITS) * 1000 > this.equity() * leverageMilli ? 'LEVERAGE' : null;
  }

  /** Returns `MARGIN` when the strategy cannot put up what the order adds, or null. */
  private limitBrokenByMargin(order: ContractOrder): string | null {
    const required = this.required(order.strategy, null);
    const isShort = required > this.available(order.strategy) + ROUNDING_UNITS;
    return isShort && required > this.required(order.strategy, order) ? 'MARGIN' : null;
  }

  /** True when an order adds nothing to the worst case of its side. Losses do not stop such an order. */
  override reducesRisk(order: ContractOrder): boolean {
    return order.closes || this.worstLots(order.index, order.isBuy) <= this.worstLots(order.index, order.isBuy, order);
  }

  /** Returns the orders of a contract that may still execute. */
  private possibleOrders(index: number): ContractOrder[] {
    return this.orders.filter((order) => order.isPossible && order.index === index);
  }
  /** True when the position covers all orders that may close it. */
  private canClose({ index, isBuy }: ContractOrder): boolean {
    const { isNet } = this.contracts[index]!;
    const closers = this.possibleOrders(index).filter((other) => other.isBuy === isBuy && (isNet || other.closes));
    return sum(closers, ({ maxLots }) => maxLots) <= this.executed[index]![isBuy ? 'short' : 'long'];
  }

  /** Returns what orders open beyond the lots that close the opposite side. The orders with the worst prices open. */
  private opening(orders: readonly WorstOrder[], opposedLots: number): { readonly lots: number; readonly units: number } {
    const lots = Math.max(0, sum(orders, (order) => order.lots) - opposedLots);
    let remaining = lots;
    let units = 0;
    for (const order of orders.toSorted((first, second) => second.lotUnits - first.lotUnits)) {
      const lotsTaken = Math.min(order.lots, remaining);
      units += lotsTaken * order.lotUnits;
      remaining -= lotsTaken;
    }
    return { lots, units };
  }
  /** Returns the lots of the opposite side that an opening order closes first. Only net mode has them. */
  private opposedLots(index: number, oppositeLots: number, closingLots: number): number {
    return this.contracts[index]!.isNet ? Math.max(0, oppositeLots - closingLots) : 0;
  }
  /** Returns the opening orders of one side that may still execute, `without` one of them. */
  private openers(index: number, isBuy: boolean, without: ContractOrder | null): ContractOrder[] {
    return this.possibleOrders(index).filter((order) => order.isBuy === isBuy && !order.closes && order !== without);
  }

  /** Returns the lots of one side by executions, and the opposite lots that a new order would close first. */
  private executedSide(index: number, isLong: boolean): { readonly lots: number; readonly opposed: number } {
    const { long, short } = this.executed[index]!;
    const closers = this.possibleOrders(index).filter((order) => order.isBuy === isLong && order.closes);
    const closing = sum(closers, ({ unfilled }) => unfilled);
    return { lots: isLong ? long : short, opposed: this.opposedLots(index, isLong ? short : long, closing) };
  }
  /** Returns the most lots that a side can have, with or without one of the orders. */
  private worstLots(index: number, isLong: boolean, without: ContractOrder | null = null): number {
    const { lots, opposed } = this.executedSide(index, isLong);
    const orders = this.openers(index, isLong, without).map(({ maxLots }) => ({ lots: maxLots, lotUnits: 1 }));
    return lots + this.opening(orders, opposed).lots;
  }
  /** Returns the worst value of a side: positions at the mark, and each order at the worse of its own price and the mark. */
  private worstUnits(index: number, isLong: boolean, without: ContractOrder | null): number {
    const mark = this.marks[index]!;
    const { lots, opposed } = this.executedSide(index, isLong);
    const openers = this.openers(index, isLong, without);
    const orders = openers.map((order) => ({ lots: order.maxLots, lotUnits: order.worstLotValue(mark) }));
    return contractValue(this.contracts[index]!, lots, mark) + this.opening(orders, opposed).units;
  }
  /** Returns the worst value of all positions. In net mode only the larger side of a contract counts. */
  private gross(without: ContractOrder | null): number {
    const valueOf = ({ isNet }: TrueContract, index: number): number => {
      const long = this.worstUnits(index, true, without);
      const short = this.worstUnits(index, false, without);
      return isNet ? Math.max(long, short) : long + short;
    };
    return sum(this.contracts.map(valueOf), (units) => units);
  }

  /** Returns the unrealised profit of a contract at the mark. */
  private profit(index: number): number {
    const contract = this.contracts[index]!;
    const { long, short } = this.booked[index]!;
    const mark = this.marks[index]!;
    const valueChangeOf = ({ lots, entry }: Side) => contractValue(contract, lots, mark) - entry;
    // The value of an inverse contract falls when the price rises, so a gain of the holder is a fall of the value.
    return (valueChangeOf(long) - valueChangeOf(short)) * (contract.isLinear ? 1 : -1);
  }
  /** Returns the equity of the account at the marks, in units. */
  private equity(): number {
    const cash = sum(this.wallets, (walletUnits) => walletUnits);
    return cash + sum([...this.contracts.keys()], (index) => this.profit(index));
  }
  /** Returns what a strategy may put up: its wallet less the margins of its positions and the losses of cross positions. */
  private available(strategy: number): number {
    const ownIndices = [...this.contracts.keys()].filter((index) => this.traders[index] === strategy);
    const margins = sum(ownIndices, (index) => this.booked[index]!.long.margin + this.booked[index]!.short.margin);
    const profit = sum(ownIndices, (index) => (this.contracts[index]!.isCross ? this.profit(index) : 0));
    return this.wallets[strategy]! - margins + Math.min(0, profit);
  }
  /** Returns the margin and fees of all orders of a strategy, at the prices of their approval, if everything fills that may still fill. */
  private required(strategy: number, without: ContractOrder | null): number {
    return sum([...this.contracts.keys()], (index) => {
      const long = this.requiredOfSide(index, true, { strategy, without });
      return long + this.requiredOfSide(index, false, { strategy, without });
    });
  }
  /** Returns the margin that one side of a contract needs for the open orders of a strategy, `without` one of them. */
  private requiredOfSide(
    index: number,
    isLong: boolean,
    { strategy, without }: { readonly strategy: number; readonly without: ContractOrder | null },
  ): number {
    const unbookedLots = (order: ContractOrder) => (order.isPossible ? order.maxLots : 0) + order.unreportedLots;
    const isOnSide = (order: ContractOrder) => order.index === index && order.isBuy === isLong && order.strategy === strategy;
    const ownOrders = this.orders.filter((order) => isOnSide(order) && order !== without && unbookedLots(order) > 0);
    const closers = ownOrders.filter(({ closes }) => closes);
    const openers = ownOrders.filter(({ closes }) => !closes);
    const { long, short } = this.booked[index]!;
    const opposed = this.opposedLots(index, (isLong ? short : long).lots, sum(closers, unbookedLots));
    const orders = openers.map((order) => ({ lots: unbookedLots(order), lotUnits: order.worstLotValue() }));
    return this.opening(orders, opposed).units * (1 / this.contracts[index]!.leverage + OPEN_FEE);
  }
}
