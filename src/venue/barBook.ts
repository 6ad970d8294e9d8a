// The working orders of one instrument, and the rules by which rows of bars fill them (docs/matching.md). Subclasses book the money.

import * as checks from '../base/assert.ts';
import { mulDiv } from '../base/number/exact.ts';
import { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { TimeInForce } from '../model/order.ts';
import { Account } from './account.ts';
import { modelledPpm, type FeeModel } from './feeModel.ts';
import type { FillBar, SlippageModel } from './slippage.ts';
import * as slippages from './slippage.ts';
import { forceRule, MATCHING_RULE, openRule, type MatchingRule, type MatchTracer } from './trace/matchTracer.ts';
import type { InstrumentState } from './venueConfig.ts';
import { type BookContext, VenueOrderRecord, type VenueOrder, type VenueSink } from './venueOrder.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

// hot: docs/performance.md#imported-constants
const assert: typeof checks.assert = checks.assert;
const { NO_BAR, NO_SLIPPAGE, slippedPrice } = slippages;

const NO_ACCOUNT = new Account('', true, 0);

/** The working orders of one instrument. A subclass says what a fill costs and what it changes in the account. */
export abstract class BarBook {
  readonly instrument: Instrument;
  /** Position in the venue's list of instruments. */
  readonly index: number;
  /** The smallest quantity of an order. An order by amount needs only one unit. */
  readonly minLots: number;
  /** The accounts of the venue. */
  readonly accounts: readonly Account[];
  /** Last price in ticks, from which the price band is measured; the caller updates it. 0: unknown, no band. */
  lastPrice = 0;
  /** Settings of the exchange for the instrument, such as a price band; null without any. */
  state: InstrumentState | null = null;
  /** Number of orders that can still fill. */
  working = 0;
  /** True when the last result of `fillableLots` was reduced because a sum would become too large to count exactly. */
  isCapped = false;
  /** True when orders arrived after the open of the row was matched. Only this class writes it. */
  hasOrdersAfterOpen = false;
  /** True when slippage depends on the bar: `bar` must then be set before a row is matched. */
  readonly readsBar: boolean;
  /** The whole bar whose row is being matched. */
  bar: FillBar = NO_BAR;
  /** Receives each matching rule that acts, in a run that is repeated to be explained; otherwise null. */
  tracer: MatchTracer | null = null;
  /** The current fill: `settle` writes its money, this class its other fields. */
  protected readonly fillBuffer = new Fill();

  private readonly context: BookContext;
  private readonly sink: VenueSink;
  private readonly fillsAtTouch: boolean;
  private readonly volumeSharePpm: number;
  readonly slippage: SlippageModel;
  private readonly feeModel: FeeModel | null;
  /**
   * Working orders by arrival, from `ring.next` to `ring.prev` and then `last`. The record `ring` is not an order: it joins both ends of
   * the list, so that every order has two neighbours.
   */
  private readonly ring: VenueOrderRecord;
  /** The newest order, not in the ring yet; `ring` without one. Most orders end before another comes, so they never enter the ring. */
  private last: VenueOrderRecord;
  /** The order to visit next while a row is being matched; `ring` at the end. */
  private cursor: VenueOrderRecord;
  private isMatching = false;
  /** Lots that the current row can still fill, and whether it has volume. Without a cap on volume, both stay constant. */
  budget = INFINITY;
  private hasTraded = true;

  constructor(instrument: Instrument, index: number, context: BookContext) {
    const { config } = context;
    this.instrument = instrument;
    this.index = index;
    this.minLots = Math.max(1, instrument.minLots);
    this.context = context;
    this.ring = this.last = this.cursor = new VenueOrderRecord(instrument, NO_ACCOUNT);
    this.accounts = context.accounts;
    this.sink = context.sink;
    this.fillsAtTouch = config.limitRule === 'touch';
    this.volumeSharePpm = config.maxVolumeSharePpm;
    this.slippage = config.slippage;
    this.readsBar = config.slippage.readsBar !== false;
    this.feeModel = context.feeModel;
    if (this.volumeSharePpm > 0) {
      this.budget = 0;
      this.hasTraded = false;
    }
  }

  /** First half of a row: offers `open` to orders that arrived by `openMs`, by arrival. `volumeLots`: of the whole row, used by the cap. */
  matchOpen(openMs: number, open: number, volumeLots: number): void {
    this.beginRow(volumeLots);
    this.offerOpen(openMs, open);
  }

  /** Second half of a row: fills limits that the row trades through (or touches) at their limit, as maker, by arrival, at `closeMs`. */
  matchRange(openMs: number, closeMs: number, open: number, high: number, low: number): void {
    if (this.hasOrdersAfterOpen) this.offerOpen(openMs, open);
    const { ring } = this;
    this.beginMatching();
    for (let order = this.firstOrder(); order !== ring && this.budget > 0; order = this.cursor) {
      this.advanceAfter(order);
      if (order.admittedMs > openMs || order.limit === 0 || isMarketable(order, open)) continue;
      const beyondTicks = order.sign > 0 ? order.limit - low : high - order.limit;
      if (beyondTicks > 0 || (beyondTicks === 0 && this.fillsAtTouch)) {
        if (this.tracer !== null) this.tracer.acts(order, MATCHING_RULE.limit, order.limit, closeMs);
        this.fillAtMost(order, order.limit, this.computeFillableLots(order, order.limit), true, closeMs);
      }
    }
    this.cursor = ring; // the loop ends early when the cap of the row is used up
    this.isMatching = false;
  }

  /** Offers the open to orders that arrived during `matchOpen` with `admittedMs <= openMs`: targets of a stop entry that it filled. */
  matchArrivals(openMs: number, open: number): void {
    if (this.hasOrdersAfterOpen) this.offerOpen(openMs, open);
  }
  /** Sets the volume of a row whose orders are offered one by one, without `matchOpen`. */
  beginRow(volumeLots: number): void {
    if (this.volumeSharePpm > 0) {
      this.budget = mulDiv(Math.floor(volumeLots), this.volumeSharePpm, 1_000_000, 'down');
      this.hasTraded = volumeLots > 0;
    }
  }
  /** Returns the orders that may match a row which opens at `openMs`, by arrival. The caller offers the open to all of them. */
  ordersInRow(openMs: number): VenueOrderRecord[] {
    const { ring } = this;
    this.hasOrdersAfterOpen = false;
    const orders: VenueOrderRecord[] = [];
    for (let order = this.firstOrder(); order !== ring; order = this.orderAfter(order)) if (order.admittedMs <= openMs) orders.push(order);
    return orders;
  }
  /**
   * Returns the number of orders that the current row would fill after its open. These are the orders that arrived after the open was
   * offered, and those that the row reaches.
   */
  reachedCount(openMs: number, open: number, high: number, low: number): number {
    const { ring, hasOrdersAfterOpen } = this;
    let count = 0;
    for (let order = this.firstOrder(); order !== ring; order = this.orderAfter(order)) {
      if (order.admittedMs > openMs) continue;
      if (hasOrdersAfterOpen ? order.limit === 0 || isMarketable(order, open) || order.timeInForce !== null : false) count++;
      else if (this.isReached(order, open, high, low)) count++;
    }
    return count;
  }
  /** True when a resting limit fills inside a row: the row trades through it, or touches it if the limit rule is `touch`. */
  isReached(order: VenueOrder, open: number, high: number, low: number): boolean {
    if (order.limit === 0 || isMarketable(order, open)) return false;
    const beyondTicks = order.sign > 0 ? order.limit - low : high - order.limit;
    return beyondTicks > 0 || (beyondTicks === 0 && this.fillsAtTouch);
  }
  /** Offers the open of a row to one order, as `matchOpen` does to all. */
  offer(order: VenueOrderRecord, openMs: number, open: number): void {
    this.beginMatching();
    const { timeInForce } = order;
    if (order.limit === 0 || isMarketable(order, open)) {
      if (timeInForce === null) this.take(order, open, openMs);
      else this.takeInForce(order, timeInForce, open, openMs);
    } else if (timeInForce !== null) this.passOver(order, timeInForce, openMs);
    this.cursor = this.ring;
    this.isMatching = false;
  }
  /** Fills a resting limit that the current row reaches, as `matchRange` does. */
  fillReached(order: VenueOrderRecord, closeMs: number): void {
    this.beginMatching();
    if (this.tracer !== null) this.tracer.acts(order, MATCHING_RULE.limit, order.limit, closeMs);
    this.fillAtMost(order, order.limit, this.computeFillableLots(order, order.limit), true, closeMs);
    this.cursor = this.ring;
    this.isMatching = false;
  }

  /**
   * Fills one order now, as taker at `price` (ticks) plus slippage: a stop leg that the current row triggers. It uses the volume that the
   * cap of that row leaves; the remainder of a MARKET order is canceled. `rule`: the matching rule that executes it.
   */
  execute(order: VenueOrder, price: number, timeMs: number, rule: MatchingRule = MATCHING_RULE.stop): void {
    assert(order.isOpen && order.instrument === this.instrument, 'an order is executed in its book while it is open');
    assert(timeMs >= order.admittedMs, 'no order fills before its arrival');
    assert(order.limit === 0 || isMarketable(order, price), 'a limit is not executed beyond its limit');
    this.take(order, price, timeMs, rule);
  }

  /**
   * Fills one order now, exactly `lots` at `price`, for a matcher that pairs orders itself. The cap and the slippage of rows do not apply.
   * `isComplete` ends the order as FILLED; for an order by quantity it must agree with the lots.
   */
  executeLots(order: VenueOrder, price: number, lots: number, isComplete: boolean, isMaker: boolean, timeMs: number): void {
    assert(order.isOpen && order.instrument === this.instrument, 'an order is executed in its book while it is open');
    assert(timeMs >= order.admittedMs && lots > 0, 'an order fills by whole lots, from its arrival on');
    assert(order.limit === 0 || isMarketable(order, price), 'a limit is not executed beyond its limit');
    assert(order.quoteUnits > 0 || isComplete === (order.filledLots + lots === order.lots), 'an order by quantity ends with its last lot');
    this.fill(order, price, lots, isComplete, isMaker, timeMs);
  }
  /**
   * Returns the lots that an order may still fill at `price` (ticks) and that its account can pay. For an order by amount, these are the
   * lots that the rest of the amount buys. A matcher calls it for both orders of a pair, and cancels the part of a resting order that the
   * account cannot pay.
   */
  abstract fillableLots(order: VenueOrder, price: number): number;

  /** Appends a restored order of an earlier process to the queue. */
  readmit(order: VenueOrderRecord): void {
    this.add(order);
  }
  /** Appends a new order to the queue. Its funds are already held. */
  add(order: VenueOrderRecord): void {
    const { ring } = this;
    if (this.last !== ring) this.link(this.last);
    this.last = order;
    if (this.isMatching === true && this.cursor === ring) this.cursor = order;
    this.hasOrdersAfterOpen = true;
    order.isOpen = true;
    order.isCanceling = false;
    this.working++;
    order.owner.openOrders++;
  }
  private link(order: VenueOrderRecord): void {
    const { ring } = this;
    const { prev } = ring;
    order.prev = prev;
    order.next = ring;
    prev.next = ring.prev = order;
  }

  /** Ends an order, unfilled or partly filled, as CANCELED, and frees the amount that was held for it. */
  cancel(order: VenueOrderRecord, timeMs: number): void {
    this.releaseHold(order);
    order.isCanceling = true;
    this.remove(order);
    if (this.tracer !== null) this.tracer.ended(order, timeMs, this.budget);
    this.sink.ended(order, timeMs);
  }

  /** Returns the newest open order for which `test` is true, or null. */
  newest(test: (order: VenueOrder) => boolean): VenueOrderRecord | null {
    const { ring, last } = this;
    if (last !== ring && test(last)) return last;
    for (let order = ring.prev; order !== ring; order = order.prev) if (test(order)) return order;
    return null;
  }

  /** Frees the amount that is held for the remainder of an order that ends. */
  protected abstract releaseHold(order: VenueOrderRecord): void;
  /** Returns the lots that the order may still fill at `price`, at most those that its account can pay. */
  protected abstract computeFillableLots(order: VenueOrderRecord, price: number): number;
  /**
   * Books the money of the current fill. The order already contains its lots; `fillBuffer` contains price, lots, time and the side of the
   * book. Writes `notional`, `fee` and `feeInBase` there. `isComplete`: the order has no remainder.
   */
  protected abstract settle(order: VenueOrderRecord, isComplete: boolean): void;

  /** Fills orders that arrived before the open of a row at its open. A limit with a time in force ends there. */
  private offerOpen(openMs: number, open: number): void {
    const { ring } = this;
    this.beginMatching();
    for (let order = this.firstOrder(); order !== ring; order = this.cursor) {
      this.advanceAfter(order);
      if (order.admittedMs > openMs) continue;
      const { timeInForce } = order;
      if (order.limit === 0 || isMarketable(order, open)) {
        if (timeInForce === null) this.take(order, open, openMs);
        else this.takeInForce(order, timeInForce, open, openMs);
      } else if (timeInForce !== null) this.passOver(order, timeInForce, openMs);
    }
    this.isMatching = false;
    this.hasOrdersAfterOpen = false;
  }

  private beginMatching(): void {
    assert(this.isMatching === false, 'a row is matched from outside the calls of the sink');
    this.isMatching = true;
  }

  /** Makes the order after `order` the next one, so that `order` may leave the queue. Hot: docs/performance.md#equal-references. */
  private advanceAfter(order: VenueOrderRecord): void {
    const next = this.orderAfter(order);
    if (this.cursor !== next) this.cursor = next;
  }

  /** Returns the first order of the queue; `ring` if it is empty. */
  private firstOrder(): VenueOrderRecord {
    const { ring } = this;
    const { next } = ring;
    return next === ring ? this.last : next;
  }
  /** Returns the order after `order` in the queue; `ring` at the end. */
  private orderAfter(order: VenueOrderRecord): VenueOrderRecord {
    const { ring, last } = this;
    if (order === last) return ring;
    const { next } = order;
    return next === ring ? last : next;
  }

  /** Fills as taker at `quoted` plus slippage, as much as order and cap allow. The remainder of a market order is canceled. */
  private take(order: VenueOrderRecord, quoted: number, timeMs: number, rule: MatchingRule | 0 = 0): void {
    if (this.tracer !== null) this.tracer.acts(order, rule === 0 ? openRule(order) : rule, quoted, timeMs);
    const price = this.slippage === NO_SLIPPAGE ? quoted : this.slipPrice(order, quoted);
    const fillable = this.computeFillableLots(order, price);
    const lots = fillable < this.budget ? fillable : this.budget;
    const { id, limit } = order;
    if (lots > 0) this.fill(order, price, lots, fillable <= lots, false, timeMs);
    // The sink may have canceled the order, or released it so that another order uses the record.
    if (limit === 0 && order.isOpen === true && order.id === id && this.hasTraded) this.cancel(order, timeMs);
  }

  /** Does the same for a limit order with a time in force. */
  private takeInForce(order: VenueOrderRecord, timeInForce: TimeInForce, quoted: number, timeMs: number): void {
    const { id } = order;
    if (this.tracer !== null) this.tracer.acts(order, forceRule(timeInForce), timeInForce === 'POST_ONLY' ? order.limit : quoted, timeMs);
    // A POST_ONLY order that would take liquidity at its first row is canceled. Once it rests, an open beyond its limit fills it at the
    // limit, as maker.
    if (timeInForce === 'POST_ONLY') {
      if (order.rests) this.fillAtMost(order, order.limit, this.computeFillableLots(order, order.limit), true, timeMs);
      else this.cancel(order, timeMs);
      return;
    }
    if (!this.hasTraded) return;
    const price = this.slippage === NO_SLIPPAGE ? quoted : this.slipPrice(order, quoted);
    const fillable = this.computeFillableLots(order, price);
    // FOK fills completely or not at all: nothing is filled if the cap or the account does not allow all of it.
    const isWhole = fillable === order.lots - order.filledLots && fillable <= this.budget;
    if (timeInForce === 'IOC' || isWhole) this.fillAtMost(order, price, fillable, false, timeMs);
    if (order.id === id && order.isOpen) this.cancel(order, timeMs);
  }

  private fillAtMost(order: VenueOrderRecord, price: number, maxLots: number, isMaker: boolean, timeMs: number): void {
    const lots = maxLots < this.budget ? maxLots : this.budget;
    if (lots > 0) this.fill(order, price, lots, lots === maxLots, isMaker, timeMs);
  }

  /** Handles an order with a time in force that the open does not reach: it rests, or it ends with the first row that trades. */
  private passOver(order: VenueOrderRecord, timeInForce: TimeInForce, timeMs: number): void {
    if (this.tracer !== null) this.tracer.acts(order, forceRule(timeInForce), order.limit, timeMs);
    if (timeInForce === 'POST_ONLY') order.rests = true;
    else if (this.hasTraded) this.cancel(order, timeMs);
  }

  private slipPrice(order: VenueOrderRecord, quoted: number): number {
    const fillable = this.computeFillableLots(order, quoted);
    return slippedPrice(this.slippage, this.instrument, order, quoted, fillable < this.budget ? fillable : this.budget, this.bar);
  }

  /** Books one fill completely, and then calls the sink. `isLast`: the fill ends an order by amount. */
  private fill(order: VenueOrderRecord, price: number, lots: number, isLast: boolean, isMaker: boolean, timeMs: number): void {
    order.filledLots += lots;
    this.budget -= lots;
    const { fillBuffer } = this;
    fillBuffer.price = price;
    fillBuffer.lots = lots;
    fillBuffer.isMaker = isMaker;
    fillBuffer.timeMs = timeMs;
    let isComplete = isLast;
    if (order.quoteUnits === 0) {
      assert(order.filledLots <= order.lots, 'no order fills beyond its quantity');
      isComplete = order.filledLots >= order.lots;
    }
    this.settle(order, isComplete);
    order.filledUnits += fillBuffer.notional;
    if (isComplete === true) {
      order.isCanceling = false;
      this.remove(order);
    }
    fillBuffer.tradeId = ++this.context.lastTradeId;
    if (this.tracer !== null) this.tracer.filled(order, fillBuffer, this.budget);
    this.sink.filled(order, fillBuffer);
  }

  /** Returns the fee rate of a fill in ppm: the order's own, or that of the fee model. */
  protected feePpm(order: VenueOrderRecord, price: number, lots: number, notional: number, isMaker: boolean): number {
    const ppm = isMaker ? order.makerPpm : order.takerPpm;
    return this.feeModel === null ? ppm : modelledPpm(this.feeModel, this.instrument, order.side, isMaker, price, lots, notional, ppm);
  }

  /** Removes an order from the book, and keeps the cursor of a running match valid. */
  private remove(order: VenueOrderRecord): void {
    if (this.cursor === order) this.cursor = this.orderAfter(order);
    if (this.last === order) this.last = this.ring;
    else unlink(order);
    order.isOpen = false;
    this.working--;
    order.owner.openOrders--;
  }
}

/** Removes an order from its list. */
function unlink({ prev, next }: VenueOrderRecord): void {
  prev.next = next;
  next.prev = prev;
}

/** True when a limit would trade at once at `price`; a price equal to the limit counts. */
function isMarketable(order: VenueOrderRecord, price: number): boolean {
  return order.sign > 0 ? order.limit >= price : order.limit <= price;
}
