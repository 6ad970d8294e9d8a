// The worst case of one unfinished order, and the figures that add up those of an instrument and of a strategy.

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
 * What the reservations keep on an order's record, or read there. Only this file writes the worst-case fields; they cover the unfilled
 * rest.
 */
export interface ReservedOrder extends Order {
  /** 1 for a buy, -1 for a sell. Hot: docs/performance.md#number-codes. */
  readonly sign: 1 | -1;
  /** The price at which the rest counts, fixed at approval: the worst one. For a buy by amount the lowest price, which buys most. */
  worstTicks: number;
  /** The largest quantity that may still be filled. */
  worstLots: number;
  /** Notional of `worstLots`, in quote units. */
  worstUnits: number;
  /**
   * Cash that the order may still take, in quote units: price and fee of a spot buy, margin and fee of a futures order that opens, else 0.
   */
  worstCash: number;
  /** True when the order is counted in the figures. */
  isReserved: boolean;
}

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
}

/** Converts lots and prices to money, rounded up, for spot or contracts. */
export interface NotionalScale {
  notionalUp(ticks: number, lots: number): number;
  lotsUp(units: number, ticks: number): number;
}

/** Figures of one instrument over all strategies. Hot: docs/performance.md#double-fields. */
export class Exposure {
  readonly scale: NotionalScale;
  /** 1, or -1 for an inverse contract, which is worth more at a lower price. Times this, the dearer of two prices is the greater one. */
  readonly priceSign: 1 | -1;
  /** Leverage of a contract; 0 for spot: coins are paid in full, and a sell needs no cash. */
  readonly leverage: number;
  /** True with leverage: an order that opens needs margin. */
  readonly hasMargin: boolean;
  readonly takerFeePpm: number;
  /** The part of the fee that a buy pays in cash. */
  readonly cashFeePpm: number;
  /** The same for a limit, which may take or rest. */
  readonly limitFeePpm: number;
  buyLots = 0.5;
  buyUnits = 0.5;
  /** Number of unfinished orders, including those held as proven absent. */
  open = 0;
  readonly buys: ReservedOrder[] = [];
  /**
   * Lower bound of the worst prices of open buys, times `priceSign`. While the mark is below it, no buy is worth more than its
   * `worstUnits`.
   */
  buyBound = INFINITY;
  /** The same for sells. On spot they add to no position and are not kept. */
  sellLots = 0.5;
  sellUnits = 0.5;
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

/** The cash of one strategy. */
export class CommittedCash {
  cash = 0.5;
  constructor() {
    this.cash = 0;
  }
}
/** The lots of one strategy in one instrument. */
export class CommittedLots {
  readonly cash: CommittedCash;
  readonly exposure: Exposure;
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
    cash.cash += sign * order.worstCash;
    if (order.reduceOnly) committed.closingBuyLots += lots;
    else {
      exposure.buyLots += lots;
      exposure.buyUnits += sign * order.worstUnits;
    }
  } else {
    committed.sellLots += lots;
    if (!exposure.hasMargin) return;
    cash.cash += sign * order.worstCash;
    if (order.reduceOnly) committed.closingSellLots += lots;
    else {
      exposure.sellLots += lots;
      exposure.sellUnits += sign * order.worstUnits;
    }
  }
}

/** Sets the worst case of the unfilled rest: in lots for an order by quantity, in units for an order by amount. */
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
  const pay = isCapped ? scale.notionalUp(limit, order.worstLots) : order.worstUnits;
  order.worstCash = pay + mulPpmUp(pay, limit > 0 ? limitFeePpm : cashFeePpm);
}

/** Removes an order by moving the last one to its place: the arrays are in no order. */
export function removeUnordered(order: ReservedOrder, orders: ReservedOrder[]): void {
  const last = orders.pop();
  if (last !== order && last !== undefined) orders[orders.indexOf(order)] = last;
}
