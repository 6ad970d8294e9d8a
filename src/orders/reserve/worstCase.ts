// Computes the worst case of one unfinished order, and sums worst cases by instrument and by strategy.

import * as numbers from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Order } from '../../model/order.ts';
import { ContractScale } from '../../portfolio/contractScale.ts';
import { InstrumentScale } from '../../portfolio/scale.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

// hot: docs/performance.md#imported-constants
const { mulPpmUp } = numbers;

/**
 * The fields of an order that the reservations read and write. Only `reserve` writes the worst-case fields. They cover the unfilled
 * remainder.
 */
export interface ReservedOrder extends Order {
  /** 1 for a buy, -1 for a sell. Hot: docs/performance.md#number-codes. */
  readonly sign: 1 | -1;
  /** The worst price, fixed at approval, at which the remainder counts. For a buy by amount it is the lowest price, which buys most. */
  worstTicks: number;
  /** The largest quantity that may still be filled. */
  worstLots: number;
  /** Notional of `worstLots`, in quote units. */
  worstUnits: number;
  /**
   * Cash that the order may still need, in quote units: price and fee of a spot buy, margin and fee of a futures order that opens, else 0.
   */
  worstCash: number;
  /** True when the order is counted in the figures. */
  isReserved: boolean;
}

/** The fees and the collar that decide about worst cases. */
export interface ReservationTerms {
  /** How far from the mark a market order may fill, ppm. */
  readonly collarPpm: number;
  /** Taker fee by instrument, ppm. */
  readonly takerFeePpm: ArrayLike<number>;
  /** Maker fee of spot, ppm: a resting limit pays it, and it may be the higher one. Default 0. */
  readonly makerFeePpm?: number;
  /** `received`: a buy's fee is taken from the coins bought and needs no cash. */
  readonly feesIn: 'received' | 'quote';
  /** Futures: leverage of the account on each contract. */
  readonly leverage?: ArrayLike<number>;
  /** The account by instrument, from 0, whose cash pays its orders. Default: one account for all. */
  readonly accounts?: ArrayLike<number>;
}

/** Converts lots and prices to money, rounded up, for spot or contracts. */
export interface NotionalScale {
  /** Returns the units of money that `lots` cost at a price, rounded up. */
  notionalUp(ticks: number, lots: number): number;
  /** Returns the lots that `units` of money buy at a price, rounded up. */
  lotsUp(units: number, ticks: number): number;
}

/** Figures of one instrument over all strategies. Hot: docs/performance.md#double-fields. */
export class Exposure {
  /** How lots and ticks become money. */
  readonly scale: NotionalScale;
  /** 1, or -1 for an inverse contract, whose value rises as the price falls. Of two prices times this, the greater is the worse one. */
  readonly priceSign: 1 | -1;
  /** Leverage of a contract; 0 for spot: coins are paid in full, and a sell needs no cash. */
  readonly leverage: number;
  /** True with leverage: an order that opens needs margin. */
  readonly hasMargin: boolean;
  /** Taker fee, ppm. */
  readonly takerFeePpm: number;
  /** The part of the fee that a market buy pays in cash, ppm. */
  readonly cashFeePpm: number;
  /** The part of the fee that a limit order, taker or maker, pays in cash, ppm. */
  readonly limitFeePpm: number;
  /** Worst case of the open buys: lots, and their notional in quote units. */
  buyLots = 0.5;
  buyUnits = 0.5;
  /** Number of unfinished orders, including those held as proven absent. */
  openOrders = 0;
  /** The open buys, in no order. */
  readonly buys: ReservedOrder[] = [];
  /**
   * Lower bound of the worst prices of open buys, times `priceSign`. While the mark is below it, `worstUnits` of each buy holds.
   */
  buyBound = INFINITY;
  /** Worst case of the open sells, in lots and quote units. On spot they add to no position and are not counted. */
  sellLots = 0.5;
  sellUnits = 0.5;
  /** The open sells, in no order, and the lower bound of their worst prices. */
  readonly sells: ReservedOrder[] = [];
  sellBound = INFINITY;

  constructor(instrument: Instrument, takerFeePpm: number, { feesIn, makerFeePpm = 0 }: ReservationTerms, leverage: number) {
    this.scale = instrument.contract === undefined ? new InstrumentScale(instrument) : new ContractScale(instrument);
    this.priceSign = instrument.contract?.kind === 'inverse' ? -1 : 1;
    this.leverage = leverage;
    this.hasMargin = leverage > 0;
    this.takerFeePpm = takerFeePpm;
    this.cashFeePpm = feesIn === 'quote' ? takerFeePpm : 0;
    this.limitFeePpm = feesIn === 'quote' ? Math.max(takerFeePpm, makerFeePpm) : 0;
    this.buyLots = this.buyUnits = this.sellLots = this.sellUnits = 0;
  }
}

/** The cash that the unfinished orders of one strategy may still need, in quote units. */
export class CommittedCash {
  /** Quote units. */
  units = 0.5;
  constructor() {
    this.units = 0;
  }
}
/** The lots that the unfinished orders of one strategy may still fill in one instrument. */
export class CommittedLots {
  /** The committed cash of the strategy. */
  readonly cash: CommittedCash;
  /** The exposure of the instrument over all strategies. */
  readonly exposure: Exposure;
  /** Lots of open buys, and of open sells. */
  buyLots = 0.5;
  sellLots = 0.5;
  /** The part of those lots whose orders can only close a futures position. */
  closingBuyLots = 0.5;
  closingSellLots = 0.5;
  constructor(cash: CommittedCash, exposure: Exposure) {
    this.cash = cash;
    this.exposure = exposure;
    this.buyLots = this.sellLots = this.closingBuyLots = this.closingSellLots = 0;
  }
}

/** Adds the worst case of an order to the figures (`sign` 1), or subtracts it (-1). */
export function addWorstCase(order: ReservedOrder, committed: CommittedLots, sign: 1 | -1): void {
  const { cash, exposure } = committed;
  const lots = sign * order.worstLots;
  if (order.sign > 0) {
    committed.buyLots += lots;
    cash.units += sign * order.worstCash;
    if (order.reduceOnly) committed.closingBuyLots += lots;
    else {
      exposure.buyLots += lots;
      exposure.buyUnits += sign * order.worstUnits;
    }
  } else {
    committed.sellLots += lots;
    if (!exposure.hasMargin) return;
    cash.units += sign * order.worstCash;
    if (order.reduceOnly) committed.closingSellLots += lots;
    else {
      exposure.sellLots += lots;
      exposure.sellUnits += sign * order.worstUnits;
    }
  }
}

/** Sets the worst case of the unfilled remainder: in lots for an order by quantity, in units for an order by amount. */
export function computeWorstCase(order: ReservedOrder, exposure: Exposure): void {
  if (order.quoteUnits > 0) computeByAmount(order, exposure);
  else {
    const lots = order.lots - order.filledLots;
    order.worstLots = lots;
    order.worstUnits = exposure.scale.notionalUp(order.worstTicks, lots);
  }
  if (exposure.hasMargin) reserveMargin(order, exposure);
  else if (order.sign > 0) reservePrice(order, exposure);
  else order.worstCash = 0;
}

/** Sets the worst case of the remainder of an order by amount. */
function computeByAmount(order: ReservedOrder, { scale }: Exposure): void {
  const units = order.quoteUnits - order.filledUnits;
  order.worstLots = scale.lotsUp(units, order.worstTicks);
  order.worstUnits = units;
}

/** Reserves margin and fee of a futures order that opens. */
function reserveMargin(order: ReservedOrder, { leverage, takerFeePpm }: Exposure): void {
  const { worstUnits } = order;
  if (order.reduceOnly) order.worstCash = 0;
  else order.worstCash = Math.ceil(worstUnits / leverage) + mulPpmUp(worstUnits, takerFeePpm);
}

/**
 * Reserves price and fee of a spot buy: a limit never pays more than its price. Writes the result to the order. Hot:
 * docs/performance.md#out-parameters.
 */
function reservePrice(order: ReservedOrder, { scale, limitFeePpm, cashFeePpm }: Exposure): void {
  const { limit } = order;
  const isCapped = limit > 0 && limit < order.worstTicks;
  const neededUnits = isCapped ? scale.notionalUp(limit, order.worstLots) : order.worstUnits;
  order.worstCash = neededUnits + mulPpmUp(neededUnits, limit > 0 ? limitFeePpm : cashFeePpm);
}

/** Removes an order by moving the last one into its place. The order of the array does not matter. */
export function removeUnordered(order: ReservedOrder, orders: ReservedOrder[]): void {
  const last = orders.pop();
  if (last !== order && last !== undefined) orders[orders.indexOf(order)] = last;
}
