// Reservations: the worst case of unfinished orders, kept as running figures that risk reads before each order.

import { largestOf } from '../../base/number/extremes.ts';
import * as numbers from '../../base/number/exact.ts';
import type { ChangedIndexes } from '../../base/memory/changedIndexes.ts';
import { listOf } from '../../base/memory/listOf.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import * as figures from './worstCase.ts';
import { CommittedLots, Exposure, CommittedCash, type ReservationTerms, type ReservedOrder, type NotionalScale } from './worstCase.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

// hot: docs/performance.md#imported-constants
const { mulDiv, mulPpmUp } = numbers;
const { addWorstCase, computeWorstCase, removeUnordered } = figures;

/** How long an order that is proven absent stays reserved in full, because it may still arrive (order-safety, section 8). */
export const ABSENT_HOLD_MS = 30 * 60_000;
const MILLION = 1_000_000;

/** The reservation of an order that is proven absent, and when it ends, ms UTC. */
interface AbsentHold {
  readonly order: ReservedOrder;
  readonly untilMs: number;
}

/** The worst cases of all unfinished orders, summed by instrument, strategy and account. */
export class Reservations {
  private readonly collarPpm: number;
  /** By instrument. */
  private readonly exposures: readonly Exposure[];
  /** By strategy, and within each by account. */
  private readonly cashByStrategy: readonly CommittedCash[];
  /** The account of each instrument, and their number. */
  private readonly accountOf: ArrayLike<number> | null;
  private readonly accounts: number;
  /** By strategy, and within each by instrument. */
  private readonly lotsByStrategy: readonly CommittedLots[];
  /** The figures when there is one strategy and one instrument, as in most runs; otherwise null. Each order reads them several times. */
  private readonly only: CommittedLots | null;
  /** Where changes of the figures are marked, by instrument. Unused when there is one strategy and one instrument. */
  private readonly followers: ChangedIndexes[] = [];
  private openCount = 0;
  /** The newest reservation, not in the figures yet. Most orders end before a figure is read, so they never enter the figures. */
  private newest: ReservedOrder | null = null;
  /** Ordered by expiry, because all are held for the same time. */
  private absentHolds: AbsentHold[] = [];
  /** True while there are holds. Risk then calls `expireAbsent` before each order. */
  holdsAbsent = false;

  constructor(instruments: readonly Instrument[], strategyCount: number, terms: ReservationTerms) {
    this.collarPpm = terms.collarPpm;
    this.exposures = listOf(
      instruments,
      (instrument, index) => new Exposure(instrument, terms.takerFeePpm[index]!, terms, terms.leverage?.[index] ?? 0),
    );
    this.accountOf = terms.accounts ?? null;
    this.accounts = this.accountOf === null ? 1 : largestOf(Array.from(this.accountOf)) + 1;
    this.cashByStrategy = Array.from({ length: strategyCount * this.accounts }, () => new CommittedCash());
    this.lotsByStrategy = Array.from({ length: strategyCount }, (_, strategy) =>
      listOf(this.exposures, (exposure, index) => new CommittedLots(this.committedCash(strategy, index), exposure)),
    ).flat();
    this.only = this.lotsByStrategy.length === 1 ? this.lotsByStrategy[0]! : null;
  }

  /** Returns the number of instruments. */
  get instruments(): number {
    return this.exposures.length;
  }
  /** From now on marks in `changed` each instrument whose open orders change. */
  follow(changed: ChangedIndexes): void {
    this.followers.push(changed);
  }
  private markChanged(instrumentIndex: number): void {
    const { followers } = this;
    for (let index = 0; index < followers.length; index++) followers[index]!.mark(instrumentIndex);
  }

  /**
   * Writes the worst case of a whole draft into its record. `markTicks` is the last price.
   *
   * A limit order counts at the worse of its limit and the mark, a market order at the mark plus the collar. An order by amount may get as
   * many lots as the amount buys at the mark minus the collar. For an inverse contract the lower price is the worse one, and the collar
   * lies on the other side. Cash differs: a limit buy on spot can never pay more than its limit.
   */
  assess(order: ReservedOrder, markTicks: number): void {
    const { limit } = order;
    const exposure = this.exposure(order.instrumentIndex);
    const { priceSign } = exposure;
    if (limit > 0) order.worstTicks = (priceSign > 0 ? limit > markTicks : limit < markTicks) ? limit : markTicks;
    else order.worstTicks = this.collarTicks(markTicks, (order.quoteUnits > 0 ? -priceSign : priceSign) > 0);
    computeWorstCase(order, exposure);
  }

  /** Reserves an assessed order. */
  add(order: ReservedOrder): void {
    this.countNewest();
    order.isReserved = true;
    this.newest = order;
  }

  /** Reduces the reservation by a fill that the order's record already contains. The last fill ends it. */
  fill(order: ReservedOrder): void {
    // hot: docs/performance.md#strict-true
    if (order.isReserved === false) return;
    if (order.quoteUnits > 0 ? order.filledUnits >= order.quoteUnits : order.filledLots >= order.lots) {
      this.drop(order);
      return;
    }
    const committed = this.lotsOf(order.strategy, order.instrumentIndex);
    const isCounted = order !== this.newest;
    if (isCounted) addWorstCase(order, committed, -1);
    computeWorstCase(order, committed.exposure);
    if (isCounted) addWorstCase(order, committed, 1);
    if (isCounted && this.only === null) this.markChanged(order.instrumentIndex);
  }

  /** Releases the reservation of an order whose end is confirmed. No effect if it is not reserved. */
  release(order: ReservedOrder): void {
    if (order.isReserved === true) this.drop(order);
  }
  private drop(order: ReservedOrder): void {
    if (order === this.newest) this.newest = null;
    else this.removeFromFigures(order);
    order.isReserved = false;
    order.worstLots = order.worstUnits = 0;
  }

  /** Adds the newest reservation to the figures. Call it before reading a figure or a mark of `follow`. */
  countNewest(): void {
    if (this.newest !== null) this.addToFigures(this.newest);
  }
  /** Adds a reserved order to the sums of its strategy and to the exposure of its instrument. */
  private addToFigures(order: ReservedOrder): void {
    this.newest = null;
    const committed = this.lotsOf(order.strategy, order.instrumentIndex);
    const { exposure } = committed;
    exposure.openOrders++;
    this.openCount++;
    if (this.only === null) this.markChanged(order.instrumentIndex);
    addWorstCase(order, committed, 1);
    const signedTicks = order.worstTicks * exposure.priceSign;
    if (order.sign > 0) {
      exposure.buys.push(order);
      if (signedTicks < exposure.buyBound) exposure.buyBound = signedTicks;
    } else if (exposure.hasMargin) {
      exposure.sells.push(order);
      if (signedTicks < exposure.sellBound) exposure.sellBound = signedTicks;
    }
  }
  /** Removes a reserved order from the sums of its strategy and from the exposure of its instrument. */
  private removeFromFigures(order: ReservedOrder): void {
    const committed = this.lotsOf(order.strategy, order.instrumentIndex);
    const { exposure } = committed;
    addWorstCase(order, committed, -1);
    if (this.only === null) this.markChanged(order.instrumentIndex);
    exposure.openOrders--;
    this.openCount--;
    if (order.sign > 0) {
      removeUnordered(order, exposure.buys);
      if (exposure.buys.length === 0) exposure.buyBound = INFINITY;
    } else if (exposure.hasMargin) {
      removeUnordered(order, exposure.sells);
      if (exposure.sells.length === 0) exposure.sellBound = INFINITY;
    }
  }

  /** Holds an order that is proven absent: its full quantity stays reserved, and it counts as open, for ABSENT_HOLD_MS. */
  holdAbsent(order: ReservedOrder, nowMs: number): void {
    this.absentHolds.push({ order, untilMs: nowMs + ABSENT_HOLD_MS });
    this.holdsAbsent = true;
  }

  /** Reserves the unfilled remainder of a late arrival until the order ends, like that of any other order. */
  reinstate(order: ReservedOrder): void {
    this.absentHolds = this.absentHolds.filter((absentHold) => absentHold.order !== order);
    this.holdsAbsent = this.absentHolds.length > 0;
    if (order.isReserved) return;
    computeWorstCase(order, this.exposure(order.instrumentIndex));
    this.add(order);
  }

  /** Releases the holds that have expired at `nowMs`. */
  expireAbsent(nowMs: number): void {
    const absentHolds = this.absentHolds;
    let expiredCount = 0;
    while (expiredCount < absentHolds.length && absentHolds[expiredCount]!.untilMs <= nowMs) {
      this.release(absentHolds[expiredCount]!.order);
      expiredCount++;
    }
    absentHolds.splice(0, expiredCount);
    this.holdsAbsent = absentHolds.length > 0;
  }

  /** Returns the worst price at which a market order may fill, in ticks: the mark plus the collar for a buy, minus it for a sell. */
  collarTicks(markTicks: number, isBuy: boolean): number {
    const { collarPpm } = this;
    return isBuy ? mulPpmUp(markTicks, MILLION + collarPpm) : Math.max(1, mulDiv(markTicks, MILLION - collarPpm, MILLION, 'down'));
  }

  /** Returns the lots that a strategy's open buys may still fill in an instrument. */
  buyLots(strategyIndex: number, instrumentIndex: number): number {
    this.countNewest();
    return this.lotsOf(strategyIndex, instrumentIndex).buyLots;
  }
  /** Returns the lots that a strategy's open sells may still fill in an instrument. */
  sellLots(strategyIndex: number, instrumentIndex: number): number {
    this.countNewest();
    return this.lotsOf(strategyIndex, instrumentIndex).sellLots;
  }
  /** Returns the part of `buyLots` or `sellLots` whose orders can only close a position; futures only. */
  closingLots(strategyIndex: number, instrumentIndex: number, isBuy: boolean): number {
    this.countNewest();
    const { closingBuyLots, closingSellLots } = this.lotsOf(strategyIndex, instrumentIndex);
    return isBuy ? closingBuyLots : closingSellLots;
  }
  /** Returns the lots that all buys of an instrument may still fill; for a contract, only buys that can open a position. */
  buyLotsTotal(instrumentIndex: number): number {
    this.countNewest();
    return this.exposure(instrumentIndex).buyLots;
  }
  /** Returns the notional of `buyLotsTotal`, each order at its worst price, in quote units. */
  buyUnits(instrumentIndex: number): number {
    this.countNewest();
    return this.exposure(instrumentIndex).buyUnits;
  }
  /** Returns `buyUnits` with each order at the mark, if that is worse than the order's worst price, which was fixed at approval. */
  buyUnitsAt(instrumentIndex: number, markTicks: number): number {
    this.countNewest();
    const { buyBound, buyUnits, buys, priceSign } = this.exposure(instrumentIndex);
    return markTicks * priceSign <= buyBound ? buyUnits : this.sumAt(buys, markTicks);
  }
  /** Returns the notional of what an assessed order may still fill, at the mark if that is worse than its worst price. */
  unitsAt(order: ReservedOrder, markTicks: number): number {
    const { scale, priceSign } = this.exposure(order.instrumentIndex);
    return markTicks * priceSign <= order.worstTicks * priceSign ? order.worstUnits : scale.notionalUp(markTicks, order.worstLots);
  }
  /** Returns the lots that all sells of a contract that can open a position may still fill. */
  sellLotsTotal(instrumentIndex: number): number {
    this.countNewest();
    return this.exposure(instrumentIndex).sellLots;
  }
  /** Returns the notional of `sellLotsTotal`, each order at the worse of its worst price and the mark, in quote units. */
  sellUnitsAt(instrumentIndex: number, markTicks: number): number {
    this.countNewest();
    const { sellBound, sellUnits, sells, priceSign } = this.exposure(instrumentIndex);
    return markTicks * priceSign <= sellBound ? sellUnits : this.sumAt(sells, markTicks);
  }
  /** Returns the cash that a strategy's orders may still take, in quote units. With several accounts: from the first one. */
  cash(strategyIndex: number): number {
    this.countNewest();
    return this.only === null ? this.cashByStrategy[strategyIndex * this.accounts]!.units : this.only.cash.units;
  }
  /** Returns the cash that a strategy's orders may still take from the account that pays the orders of an instrument. */
  accountCash(strategyIndex: number, instrumentIndex: number): number {
    this.countNewest();
    return this.committedCash(strategyIndex, instrumentIndex).units;
  }
  private committedCash(strategyIndex: number, instrumentIndex: number): CommittedCash {
    return this.cashByStrategy[strategyIndex * this.accounts + (this.accountOf === null ? 0 : this.accountOf[instrumentIndex]!)]!;
  }
  /** Returns the cash that a strategy's orders in one market may still take. Only accounts with both markets need it, so no sum is kept. */
  marketCash(strategyIndex: number, market: Market): number {
    this.countNewest();
    let units = 0;
    for (const { hasMargin, buys, sells } of this.exposures) {
      if (hasMargin !== (market === 'futures')) continue;
      for (const order of buys) if (order.strategy === strategyIndex) units += order.worstCash;
      for (const order of sells) if (order.strategy === strategyIndex) units += order.worstCash;
    }
    return units;
  }
  /** Returns the number of unfinished orders of an instrument, including those held as proven absent. */
  openOrders(instrumentIndex: number): number {
    this.countNewest();
    return this.exposure(instrumentIndex).openOrders;
  }
  /** Number of unfinished orders of all instruments. */
  get openOrdersTotal(): number {
    this.countNewest();
    return this.openCount;
  }
  /** Returns how lots and ticks of an instrument become money. */
  scale(instrumentIndex: number): NotionalScale {
    return this.exposure(instrumentIndex).scale;
  }
  /** Returns the part of the fee that a market buy of the instrument pays in cash. */
  cashFeePpm(instrumentIndex: number): number {
    return this.exposure(instrumentIndex).cashFeePpm;
  }
  /** Returns the taker fee of an instrument, ppm. */
  takerFeePpm(instrumentIndex: number): number {
    return this.exposure(instrumentIndex).takerFeePpm;
  }

  /** Sums the notional of orders at a mark, without reduce-only orders, which never add to a position. */
  private sumAt(orders: readonly ReservedOrder[], markTicks: number): number {
    let units = 0;
    for (const order of orders) if (!order.reduceOnly) units += this.unitsAt(order, markTicks);
    return units;
  }

  private exposure(instrumentIndex: number): Exposure {
    return this.only === null ? this.exposures[instrumentIndex]! : this.only.exposure;
  }
  private lotsOf(strategyIndex: number, instrumentIndex: number): CommittedLots {
    return this.only ?? this.lotsByStrategy[strategyIndex * this.exposures.length + instrumentIndex]!;
  }
}
