// The working orders of one instrument, and the rules by which rows of bars fill them (docs/matching.md).

import { assert } from '../base/assert.ts';
import { InvariantError } from '../base/errors.ts';
import { mulDiv, type Rounding } from '../base/exact.ts';
import { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import { type Accounts, balance } from './accounts.ts';
import type { FeeModel } from './feeModel.ts';
import { Money, shareOf } from './money.ts';
import { NO_SLIPPAGE, type SlippageModel } from './slippage.ts';
import type { VenueConfig } from './venueConfig.ts';
import type { OrderRecord, VenueOrder } from './venueOrder.ts';

/**
 * The venue's own words, called while it works. Everything is booked before a call, so the listener may place, cancel and release orders;
 * it may not match. Units are whole: price in ticks, lots, money in units of its asset, times in ms.
 */
export interface VenueSink {
  /** One execution. The record is the book's, and holds until the listener makes it match again. FILLED is told by this call alone. */
  filled(order: VenueOrder, fill: Fill): void;
  /** The order is CANCELED: by its owner, or the remainder of a MARKET order. */
  ended(order: VenueOrder, timeMs: number): void;
}

/** What the books of one venue share. */
export interface BookContext {
  readonly config: VenueConfig;
  readonly accounts: Accounts;
  readonly sink: VenueSink;
  lastTradeId: number;
}

export class InstrumentBook {
  readonly instrument: Instrument;
  /** Position in the venue's list of instruments. */
  readonly index: number;
  readonly money: Money;
  /** Positions of the two assets among the assets of the venue. */
  readonly baseAsset: number;
  readonly quoteAsset: number;
  /** Last price in ticks, from which the price band is measured; the caller keeps it. 0: not known, no band. */
  lastPrice = 0;
  /** Orders that can still fill. */
  working = 0;

  private readonly context: BookContext;
  private readonly accounts: Accounts;
  private readonly sink: VenueSink;
  private readonly feesInReceived: boolean;
  private readonly rounding: Rounding;
  private readonly touch: boolean;
  private readonly sharePpm: number;
  private readonly slippage: SlippageModel;
  private readonly feeModel: FeeModel | null;
  /** Working orders by arrival, and the one to be visited next while a row is being matched. */
  private head: OrderRecord | null = null;
  private tail: OrderRecord | null = null;
  private cursor: OrderRecord | null = null;
  private matching = false;
  /** Orders came after the open of the row was matched. */
  private lateArrivals = false;
  /** Lots that the row at hand can still fill, and whether it traded at all; without a cap volume is not looked at. */
  private budget = Infinity;
  private traded = true;
  /** Notional and fee of the fill at hand, in units; fractions at first, so that they are double fields throughout. */
  private paid = 0.5;
  private fee = 0.5;
  private readonly told = new Fill();

  constructor(instrument: Instrument, index: number, context: BookContext) {
    const { config, accounts } = context;
    this.instrument = instrument;
    this.index = index;
    this.context = context;
    this.accounts = accounts;
    this.sink = context.sink;
    this.money = new Money(instrument);
    this.baseAsset = accounts.asset(instrument.base);
    this.quoteAsset = accounts.asset(instrument.quote);
    this.feesInReceived = config.fees.in === 'received';
    this.rounding = config.fees.rounding;
    this.touch = config.limitRule === 'touch';
    this.sharePpm = config.maxVolumeSharePpm;
    this.slippage = config.slippage;
    this.feeModel = config.fees.model ?? null;
    if (this.sharePpm > 0) {
      this.budget = 0;
      this.traded = false;
    }
  }

  /**
   * First half of a row: offers `open` to the orders that arrived at or before `openMs`, by arrival. Fills bear `openMs`.
   * `volumeLots` is the volume of the whole row; it is read only under a cap.
   */
  matchOpen(openMs: number, open: number, volumeLots: number): void {
    if (this.sharePpm > 0) {
      this.budget = mulDiv(Math.floor(volumeLots), this.sharePpm, 1_000_000, 'down');
      this.traded = volumeLots > 0;
    }
    this.offerOpen(openMs, open);
  }

  /**
   * Second half of a row, after `matchOpen`: fills resting limits that the row trades through (or touches) at their limit, as maker, by
   * arrival. Fills bear `closeMs`. An order that came since `matchOpen` with `admittedMs <= openMs` is offered the open first.
   */
  matchInside(openMs: number, closeMs: number, open: number, high: number, low: number): void {
    if (this.lateArrivals) this.offerOpen(openMs, open);
    this.begin();
    for (let order = this.head; order !== null && this.budget > 0; order = this.cursor) {
      this.cursor = order.next;
      if (order.admittedMs > openMs || order.limit === 0 || isMarketable(order, open)) continue;
      const beyond = order.side === 'buy' ? order.limit - low : high - order.limit;
      if (beyond > 0 || (beyond === 0 && this.touch)) {
        const wanted = order.lots - order.filledLots;
        const lots = wanted < this.budget ? wanted : this.budget;
        this.fill(order, order.limit, lots, lots === wanted, true, closeMs);
      }
    }
    this.end();
  }

  /**
   * Fills one order now, as taker at `price` (ticks) plus slippage: the stop leg that the row at hand triggers. It takes from what the cap
   * of that row leaves; the rest of a MARKET order is canceled.
   */
  execute(order: VenueOrder, price: number, timeMs: number): void {
    assert(order.isOpen && order.instrument === this.instrument, 'an order is executed in its book while it is open');
    assert(timeMs >= order.admittedMs, 'no order fills before its arrival');
    assert(order.limit === 0 || isMarketable(order, price), 'a limit is not executed beyond its limit');
    this.take(order, price, timeMs);
  }

  /** Takes a new order to the end of the queue. Its funds are held already. */
  add(order: OrderRecord): void {
    order.prev = this.tail;
    if (this.tail === null) this.head = order;
    else this.tail.next = order;
    this.tail = order;
    if (this.matching && this.cursor === null) this.cursor = order;
    this.lateArrivals = true;
    order.isOpen = true;
    this.working++;
    this.accounts.openOrders[order.account]!++;
  }

  /** Ends an order unfilled or partly filled: CANCELED, its funds free. */
  cancel(order: OrderRecord, timeMs: number): void {
    const asset = order.side === 'buy' ? this.quoteAsset : this.baseAsset;
    this.accounts.lock(order.account * this.accounts.width + asset, -order.lockedUnits);
    order.lockedUnits = 0;
    order.status = 'CANCELED';
    this.remove(order);
    this.sink.ended(order, timeMs);
  }

  /** Quote units to be held for a buy of `units`: with the fee where it is paid in quote. */
  buyHold(units: number, ppm: number): number {
    return this.feesInReceived || units === Infinity ? units : units + shareOf(units, ppm, this.rounding);
  }

  private offerOpen(openMs: number, open: number): void {
    this.begin();
    for (let order = this.head; order !== null; order = this.cursor) {
      this.cursor = order.next;
      if (order.admittedMs <= openMs && (order.limit === 0 || isMarketable(order, open))) this.take(order, open, openMs);
    }
    this.end();
    this.lateArrivals = false;
  }

  private begin(): void {
    assert(!this.matching, 'a row is matched from outside the calls of the sink');
    this.matching = true;
    this.cursor = this.head;
  }

  private end(): void {
    this.matching = false;
    this.cursor = null;
  }

  /** A taking fill at `quoted` plus slippage, as large as order and cap allow; the rest of a MARKET order is canceled. */
  private take(order: OrderRecord, quoted: number, timeMs: number): void {
    const price = this.slippage === NO_SLIPPAGE ? quoted : this.slipped(order, quoted);
    const wanted = this.wantedLots(order, price);
    const lots = wanted < this.budget ? wanted : this.budget;
    const { id } = order;
    if (lots > 0) this.fill(order, price, lots, lots === wanted, false, timeMs);
    // The sink may have canceled the order, or released it and reused the record.
    if (order.limit === 0 && this.traded && order.id === id && order.isOpen) this.cancel(order, timeMs);
  }

  private wantedLots(order: OrderRecord, price: number): number {
    return order.quoteUnits > 0 ? this.money.affordable(order.quoteUnits, price) : order.lots - order.filledLots;
  }

  private slipped(order: OrderRecord, quoted: number): number {
    const wanted = this.wantedLots(order, quoted);
    const worse = this.slippage.ticks(this.instrument, order.side, quoted, wanted < this.budget ? wanted : this.budget);
    if (!(Number.isInteger(worse) && worse >= 0)) throw new InvariantError(`slippage is a whole number of ticks >= 0, not ${worse}`);
    const { limit } = order;
    if (order.side === 'buy') return limit > 0 && quoted + worse > limit ? limit : quoted + worse;
    return Math.max(quoted - worse, limit, 1);
  }

  /** Books one execution. Every record is final before the sink hears of it. */
  private fill(order: OrderRecord, price: number, lots: number, complete: boolean, isMaker: boolean, timeMs: number): void {
    const isBuy = order.side === 'buy';
    order.filledLots += lots;
    assert(order.quoteUnits > 0 || order.filledLots <= order.lots, 'no order fills beyond its quantity');
    this.paid = this.money.notional(price, lots);
    const most = isMaker ? order.makerPpm : order.takerPpm;
    const ppm = this.feeModel === null ? most : this.modelled(this.feeModel, order, price, lots, isMaker, most);
    if (isBuy) this.settleBuy(order, lots * this.money.unitsPerLot, complete, ppm);
    else this.settleSell(order, lots * this.money.unitsPerLot, ppm);
    order.filledUnits += this.paid;
    this.budget -= lots;
    if (complete) {
      order.status = 'FILLED';
      this.remove(order);
    } else if (order.status === 'NEW') order.status = 'PARTIALLY_FILLED';
    const { told } = this;
    told.tradeId = ++this.context.lastTradeId;
    told.price = price;
    told.lots = lots;
    told.notional = this.paid;
    told.fee = this.fee;
    told.feeInBase = isBuy && this.feesInReceived;
    told.isMaker = isMaker;
    told.timeMs = timeMs;
    this.sink.filled(order, told);
  }

  private modelled(model: FeeModel, order: OrderRecord, price: number, lots: number, isMaker: boolean, most: number): number {
    const ppm = model.ppm(this.instrument, order.side, isMaker, price, lots, this.paid, most);
    if (Number.isInteger(ppm) && ppm >= 0 && ppm <= most) return ppm;
    throw new InvariantError(`a fee model answers whole millionths from 0 to ${most}, not ${ppm}`);
  }

  /** The money of a buy of `quantity` base units for `this.paid`: sets `fee`. */
  private settleBuy(order: OrderRecord, quantity: number, complete: boolean, ppm: number): void {
    const { accounts, quoteAsset, baseAsset } = this;
    const { free, locked, market } = accounts;
    const quote = order.account * accounts.width + quoteAsset;
    const base = order.account * accounts.width + baseAsset;
    const fee = shareOf(this.feesInReceived ? quantity : this.paid, ppm, this.rounding);
    this.fee = fee;
    const held = order.lockedUnits;
    let due = this.feesInReceived ? this.paid : this.paid + fee;
    let keep = 0;
    if (!complete) {
      // What the rest may cost; the rest of a MARKET order ends with this fill.
      keep = order.limit > 0 ? this.limitHold(order, order.lots - order.filledLots) : held - due;
      if (due + keep > held + free[quote]!) due = this.waive(due + keep - held - free[quote]!);
    }
    locked[quote] = balance(locked[quote]! - held + keep);
    free[quote] = balance(free[quote]! + held - keep - due);
    market[quoteAsset]! += this.paid;
    market[baseAsset]! -= quantity;
    order.lockedUnits = keep;
    if (this.feesInReceived) {
      free[base] = balance(free[base]! + quantity - fee);
      accounts.fees[baseAsset]! += fee;
    } else {
      free[base] = balance(free[base]! + quantity);
      accounts.fees[quoteAsset]! += this.fee;
    }
  }

  /** The money of a sell of `quantity` base units for `this.paid`: sets `fee`. */
  private settleSell(order: OrderRecord, quantity: number, ppm: number): void {
    const { accounts, quoteAsset, baseAsset } = this;
    const { free, locked, market } = accounts;
    const quote = order.account * accounts.width + quoteAsset;
    const base = order.account * accounts.width + baseAsset;
    const fee = shareOf(this.paid, ppm, this.rounding);
    this.fee = fee;
    locked[base] = balance(locked[base]! - quantity);
    order.lockedUnits -= quantity;
    free[quote] = balance(free[quote]! + this.paid - fee);
    market[quoteAsset]! -= this.paid;
    market[baseAsset]! += quantity;
    accounts.fees[quoteAsset]! += fee;
  }

  /**
   * Rounded parts of a limit may cost a unit or two more than the whole that was held for it. What the account does not have is waived,
   * first of the fee, then of the price; returns what remains due.
   */
  private waive(units: number): number {
    const offFee = this.feesInReceived ? 0 : Math.min(units, this.fee);
    this.fee -= offFee;
    this.paid -= units - offFee;
    return this.feesInReceived ? this.paid : this.paid + this.fee;
  }

  /** Quote units held for `lots` of a LIMIT BUY: their notional at the limit, and the worse of its two fees. */
  private limitHold(order: OrderRecord, lots: number): number {
    return this.buyHold(this.money.notional(order.limit, lots), Math.max(order.makerPpm, order.takerPpm));
  }

  private remove(order: OrderRecord): void {
    if (this.cursor === order) this.cursor = order.next;
    if (order.prev === null) this.head = order.next;
    else order.prev.next = order.next;
    if (order.next === null) this.tail = order.prev;
    else order.next.prev = order.prev;
    order.prev = null;
    order.next = null;
    order.isOpen = false;
    this.working--;
    this.accounts.openOrders[order.account]!--;
  }
}

/** True when a limit would trade at once at `price`; a price equal to the limit counts. */
function isMarketable(order: OrderRecord, price: number): boolean {
  return order.side === 'buy' ? order.limit >= price : order.limit <= price;
}
