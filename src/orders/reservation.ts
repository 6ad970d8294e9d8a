// What unfinished orders may still do at their worst, kept as running figures that risk reads before each order.

import * as numbers from '../base/exact.ts';
import { listOf } from '../base/listOf.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument, Market } from '../model/instrument.ts';
import type { Order } from '../model/order.ts';
import { ContractScale } from '../portfolio/contractScale.ts';
import { Scale } from '../portfolio/scale.ts';

// V8 folds a constant of this file, and reads an imported one from its cell at each use.
const { mulDiv } = numbers;

/** How long an order that was proved without effect stays reserved in full: it may still land (order-safety, section 8). */
export const TOMBSTONE_MS = 30 * 60_000;
const MILLION = 1_000_000;

/** What the reservations keep on an order's record. Written here alone; all are about the part that is not filled. */
export interface Reserved extends Order {
  /** The price at which the rest counts, fixed at approval: the worst one; for a buy by amount the lowest, which buys most. */
  worstTicks: number;
  /** The most that may still be filled. */
  worstLots: number;
  /** Notional of that, in quote units. */
  worstUnits: number;
  /**
   * Cash that it may still take, in quote units: of a spot buy its price and fee, of a futures order that opens its margin and fee; else 0.
   */
  worstCash: number;
  /** Counted in the figures. */
  reserved: boolean;
}

export interface ReservationTerms {
  /** How far a market order may fill from the mark, in millionths. */
  readonly collarPpm: number;
  /** Taker fee in millionths, by instrument. */
  readonly takerFeePpm: ArrayLike<number>;
  /** Maker fee of coins, in millionths: a limit that rests pays it, and it may be the higher one. Default 0. */
  readonly makerFeePpm?: number;
  /** `received`: a buy's fee is taken from the coins bought and needs no cash. */
  readonly feesIn: 'received' | 'quote';
  /** Futures: leverage of the account on each contract. */
  readonly leverage?: ArrayLike<number>;
}

/** From lots and prices to money, rounded up: coins or contracts. */
interface Worth {
  notionalUp(ticks: number, lots: number): number;
  lotsUp(units: number, ticks: number): number;
}

interface Tombstone {
  readonly order: Reserved;
  readonly untilMs: number;
}

/** Figures of one instrument over all strategies. Doubles start as a fraction, so that V8 keeps them as doubles, written in place. */
class Exposure {
  readonly scale: Worth;
  /** 1, or -1 of an inverse contract, which is worth more at a lower price: times this, of two prices the dearer one is above the other. */
  readonly dear: 1 | -1;
  /** Of a contract; 0: coins are bought outright, and what is sold needs nothing. */
  readonly leverage: number;
  readonly takerFeePpm: number;
  /** The part of the fee that a buy pays in cash. */
  readonly cashFeePpm: number;
  /** The same of a limit: it may take or rest. */
  readonly limitFeePpm: number;
  buyLots = 0.5;
  buyUnits = 0.5;
  /** Orders that may still do something; tombstones among them. */
  open = 0;
  readonly buys: Reserved[] = [];
  /** The cheapest worst price of those, or less, times `dear`: while the mark is not dearer, none is worth more than its `worstUnits`. */
  cheapestBuy = Infinity;
  /** The same of sells, which on spot add to no position and are not kept. */
  sellLots = 0.5;
  sellUnits = 0.5;
  readonly sells: Reserved[] = [];
  cheapestSell = Infinity;

  constructor(instrument: Instrument, takerFeePpm: number, { feesIn, makerFeePpm = 0 }: ReservationTerms, leverage: number) {
    this.scale = instrument.contract === undefined ? new Scale(instrument) : new ContractScale(instrument);
    this.dear = instrument.contract?.kind === 'inverse' ? -1 : 1;
    this.leverage = leverage;
    this.takerFeePpm = takerFeePpm;
    this.cashFeePpm = feesIn === 'quote' ? takerFeePpm : 0;
    this.limitFeePpm = feesIn === 'quote' ? Math.max(takerFeePpm, makerFeePpm) : 0;
    this.buyLots = this.buyUnits = this.sellLots = this.sellUnits = 0;
  }
}

/** The cash of one strategy. */
class Purse {
  cash = 0.5;
  constructor() {
    this.cash = 0;
  }
}
/** The lots of one strategy in one instrument. */
class Claim {
  readonly purse: Purse;
  readonly exposure: Exposure;
  buyLots = 0.5;
  sellLots = 0.5;
  /** Those of them whose orders can only close a position of futures. */
  closingBuyLots = 0.5;
  closingSellLots = 0.5;
  constructor(purse: Purse, exposure: Exposure) {
    this.purse = purse;
    this.exposure = exposure;
    this.buyLots = this.sellLots = this.closingBuyLots = this.closingSellLots = 0;
  }
}

export class Reservations {
  readonly #collarPpm: number;
  /** By instrument. */
  readonly #exposures: readonly Exposure[];
  /** By strategy. */
  readonly #purses: readonly Purse[];
  /** By strategy, and of each by instrument. */
  readonly #claims: readonly Claim[];
  /** Of one strategy in one instrument, as most runs are: each order asks for it several times. */
  readonly #only: Claim | null;
  #openTotal = 0;
  /** Oldest first: each one stays equally long. */
  #tombstones: Tombstone[] = [];

  constructor(instruments: readonly Instrument[], strategies: number, terms: ReservationTerms) {
    this.#collarPpm = terms.collarPpm;
    this.#exposures = listOf(
      instruments,
      (instrument, index) => new Exposure(instrument, terms.takerFeePpm[index]!, terms, terms.leverage?.[index] ?? 0),
    );
    this.#purses = Array.from({ length: strategies }, () => new Purse());
    this.#claims = this.#purses.flatMap((purse) => listOf(this.#exposures, (exposure) => new Claim(purse, exposure)));
    this.#only = this.#claims.length === 1 ? this.#claims[0]! : null;
  }

  /**
   * Writes the worst case of a whole draft into its record. `markTicks` is the last price.
   * A limit order counts at the dearer of its limit and the mark, a market order at the mark plus the collar; an order by amount may get
   * as much as the amount buys at the mark less the collar. Of an inverse contract the lower price is the dearer one, and the collar lies
   * on the other side. Cash is another matter: a limit buy on spot can never pay more than its limit.
   */
  assess(order: Reserved, markTicks: number): void {
    const collarPpm = this.#collarPpm;
    const exposure = this.#exposures[order.instrumentIndex]!;
    const isHigh = exposure.dear > 0;
    if (order.limit > 0) order.worstTicks = isHigh ? Math.max(order.limit, markTicks) : Math.min(order.limit, markTicks);
    else if (isHigh === order.quoteUnits > 0) order.worstTicks = Math.max(1, mulDiv(markTicks, MILLION - collarPpm, MILLION, 'down'));
    else order.worstTicks = mulDiv(markTicks, MILLION + collarPpm, MILLION, 'up');
    figure(order, exposure, order.lots - order.filledLots, order.quoteUnits - order.filledUnits);
  }

  /** Reserves an assessed order. */
  add(order: Reserved): void {
    const claim = this.#claim(order.strategy, order.instrumentIndex);
    const { exposure } = claim;
    order.reserved = true;
    exposure.open++;
    this.#openTotal++;
    count(order, claim, 1);
    const worst = order.worstTicks * exposure.dear;
    if (order.side === 'buy') {
      exposure.buys[exposure.buys.length] = order;
      if (worst < exposure.cheapestBuy) exposure.cheapestBuy = worst;
    } else if (exposure.leverage > 0) {
      exposure.sells[exposure.sells.length] = order;
      if (worst < exposure.cheapestSell) exposure.cheapestSell = worst;
    }
  }

  /** An execution: so much less may still come. The last one ends the reservation. */
  fill(order: Reserved, { lots, notional }: Pick<Fill, 'lots' | 'notional'>): void {
    if (!order.reserved) return;
    const restLots = order.worstLots - lots;
    const restUnits = order.worstUnits - notional;
    if (order.quoteUnits > 0 ? restUnits <= 0 : restLots <= 0) {
      this.release(order);
      return;
    }
    const claim = this.#claim(order.strategy, order.instrumentIndex);
    count(order, claim, -1);
    figure(order, claim.exposure, restLots, restUnits);
    count(order, claim, 1);
  }

  /** Nothing of the order can come any more: its end is confirmed. Nothing to do for one that is not reserved. */
  release(order: Reserved): void {
    if (!order.reserved) return;
    const claim = this.#claim(order.strategy, order.instrumentIndex);
    const { exposure } = claim;
    count(order, claim, -1);
    exposure.open--;
    this.#openTotal--;
    if (order.side === 'buy') {
      forget(order, exposure.buys);
      if (exposure.buys.length === 0) exposure.cheapestBuy = Infinity;
    } else if (exposure.leverage > 0) {
      forget(order, exposure.sells);
      if (exposure.sells.length === 0) exposure.cheapestSell = Infinity;
    }
    order.reserved = false;
    order.worstLots = order.worstUnits = order.worstCash = 0;
  }

  /** Evidence says that the order had no effect. Its full quantity stays reserved, and it counts as open, for TOMBSTONE_MS. */
  entomb(order: Reserved, nowMs: number): void {
    this.#tombstones.push({ order, untilMs: nowMs + TOMBSTONE_MS });
  }

  /** An order that was taken for dead has landed: its rest is reserved until it ends, like that of any other. */
  rise(order: Reserved): void {
    this.#tombstones = this.#tombstones.filter((tombstone) => tombstone.order !== order);
    if (order.reserved) return;
    figure(order, this.#exposures[order.instrumentIndex]!, order.lots - order.filledLots, order.quoteUnits - order.filledUnits);
    this.add(order);
  }

  get hasTombstones(): boolean {
    return this.#tombstones.length > 0;
  }

  /** Releases the tombstones that are old enough at `nowMs`. */
  expire(nowMs: number): void {
    const tombstones = this.#tombstones;
    let due = 0;
    while (due < tombstones.length && tombstones[due]!.untilMs <= nowMs) this.release(tombstones[due++]!.order);
    if (due > 0) tombstones.splice(0, due);
  }

  /** How far a market order may fill from the mark, ticks. */
  collarTicks(markTicks: number, isBuy: boolean): number {
    const ppm = this.#collarPpm;
    return isBuy ? mulDiv(markTicks, MILLION + ppm, MILLION, 'up') : Math.max(1, mulDiv(markTicks, MILLION - ppm, MILLION, 'down'));
  }

  /** Lots that a strategy's buys, or sells, of an instrument may still fill. */
  buyLots(strategy: number, index: number): number {
    return this.#claim(strategy, index).buyLots;
  }
  sellLots(strategy: number, index: number): number {
    return this.#claim(strategy, index).sellLots;
  }
  /** Those of them whose orders can only close a position: of futures alone. */
  closingLots(strategy: number, index: number, isBuy: boolean): number {
    const { closingBuyLots, closingSellLots } = this.#claim(strategy, index);
    return isBuy ? closingBuyLots : closingSellLots;
  }
  /** Lots that all buys of an instrument may still fill; of a contract those that can open a position. */
  buyLotsTotal(index: number): number {
    return this.#exposures[index]!.buyLots;
  }
  /** Notional of those, each order at its worst price, in quote units. */
  buyUnits(index: number): number {
    return this.#exposures[index]!.buyUnits;
  }
  /** The same with each order at the mark where that is dearer than its worst price, which was fixed when it was approved. */
  buyUnitsAt(index: number, markTicks: number): number {
    const { cheapestBuy, buyUnits, buys, dear } = this.#exposures[index]!;
    return markTicks * dear <= cheapestBuy ? buyUnits : this.#sumAt(buys, markTicks);
  }
  /** Notional of what an assessed order may still fill, at the mark where that is dearer than its worst price. */
  unitsAt(order: Reserved, markTicks: number): number {
    const { scale, dear } = this.#exposures[order.instrumentIndex]!;
    return markTicks * dear <= order.worstTicks * dear ? order.worstUnits : scale.notionalUp(markTicks, order.worstLots);
  }
  /** Of a contract: lots that all sells that can open a position may still fill, and their notional, as of buys. */
  sellLotsTotal(index: number): number {
    return this.#exposures[index]!.sellLots;
  }
  sellUnitsAt(index: number, markTicks: number): number {
    const { cheapestSell, sellUnits, sells, dear } = this.#exposures[index]!;
    return markTicks * dear <= cheapestSell ? sellUnits : this.#sumAt(sells, markTicks);
  }
  /** Cash that a strategy's orders may still take, in quote units. */
  cash(strategy: number): number {
    return this.#purses[strategy]!.cash;
  }
  /** The same of one market's orders, for accounts of both: summed up, because only rules of such accounts ask. */
  cashOf(strategy: number, market: Market): number {
    let units = 0;
    for (const { leverage, buys, sells } of this.#exposures) {
      if (leverage > 0 !== (market === 'futures')) continue;
      for (const order of buys) if (order.strategy === strategy) units += order.worstCash;
      for (const order of sells) if (order.strategy === strategy) units += order.worstCash;
    }
    return units;
  }
  /** Orders of an instrument, or of the account, that may still do something; tombstones among them. */
  open(index: number): number {
    return this.#exposures[index]!.open;
  }
  get openTotal(): number {
    return this.#openTotal;
  }
  scale(index: number): Worth {
    return this.#exposures[index]!.scale;
  }
  takerFeePpm(index: number): number {
    return this.#exposures[index]!.takerFeePpm;
  }

  /** An order that can only close adds to no position, whatever becomes of it. */
  #sumAt(orders: readonly Reserved[], markTicks: number): number {
    let units = 0;
    for (const order of orders) if (!order.reduceOnly) units += this.unitsAt(order, markTicks);
    return units;
  }

  #claim(strategy: number, index: number): Claim {
    return this.#only ?? this.#claims[strategy * this.#exposures.length + index]!;
  }
}

/** Adds the worst case of an order to the figures, or takes it away. */
function count(order: Reserved, claim: Claim, sign: 1 | -1): void {
  const { purse, exposure } = claim;
  const lots = sign * order.worstLots;
  if (order.side === 'buy') {
    claim.buyLots += lots;
    purse.cash += sign * order.worstCash;
    if (order.reduceOnly) claim.closingBuyLots += lots;
    else {
      exposure.buyLots += lots;
      exposure.buyUnits += sign * order.worstUnits;
    }
  } else {
    claim.sellLots += lots;
    if (exposure.leverage === 0) return;
    purse.cash += sign * order.worstCash;
    if (order.reduceOnly) claim.closingSellLots += lots;
    else {
      exposure.sellLots += lots;
      exposure.sellUnits += sign * order.worstUnits;
    }
  }
}

/** Sets the figures of what is left: of an order by quantity so many lots, of one by amount so many units. */
function figure(order: Reserved, exposure: Exposure, lots: number, units: number): void {
  const { scale, takerFeePpm, leverage } = exposure;
  const byAmount = order.quoteUnits > 0;
  order.worstLots = byAmount ? scale.lotsUp(units, order.worstTicks) : lots;
  order.worstUnits = byAmount ? units : scale.notionalUp(order.worstTicks, lots);
  if (leverage > 0) {
    const { worstUnits } = order;
    const fee = worstUnits < Infinity ? mulDiv(worstUnits, takerFeePpm, MILLION, 'up') : Infinity;
    order.worstCash = order.reduceOnly ? 0 : Math.ceil(worstUnits / leverage) + fee;
    return;
  }
  if (order.side !== 'buy') {
    order.worstCash = 0;
    return;
  }
  const capped = !byAmount && order.limit > 0 && order.limit < order.worstTicks;
  const pay = capped ? scale.notionalUp(order.limit, lots) : order.worstUnits;
  const feePpm = order.limit > 0 ? exposure.limitFeePpm : exposure.cashFeePpm;
  order.worstCash = feePpm > 0 && pay < Infinity ? pay + mulDiv(pay, feePpm, MILLION, 'up') : pay;
}

function forget(order: Reserved, orders: Reserved[]): void {
  const last = orders.pop();
  if (last !== order && last !== undefined) orders[orders.indexOf(order)] = last;
}
