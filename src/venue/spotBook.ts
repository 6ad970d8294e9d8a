// Books the money of spot fills: coins against the quote asset, and fees in the received asset or in the quote asset.

import { highestTrue } from '../base/number/search.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Accounts, Balance, ExternalFlows, InstrumentAccount } from './accounts.ts';
import * as balances from './accounts.ts';
import { MoneyScale, PpmShares } from './money.ts';
import { BarBook } from './barBook.ts';
import type { VenueFees } from './venueConfig.ts';
import type { BookContext, VenueOrderRecord, VenueOrder } from './venueOrder.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

// hot: docs/performance.md#imported-constants
const { balance, exactUnits, notBelowZero } = balances;

/** The book of one spot instrument, with the money of its fills. */
export class SpotBook extends BarBook {
  /** The scales of the instrument. */
  readonly money: MoneyScale;
  /** By account. */
  readonly instrumentAccounts: readonly InstrumentAccount[];

  /** Amounts of the two assets outside all accounts. */
  protected readonly base: ExternalFlows;
  protected readonly quote: ExternalFlows;
  private readonly feesInReceived: boolean;
  private readonly shares: PpmShares;

  constructor(instrument: Instrument, index: number, context: BookContext, accounts: Accounts, fees: VenueFees) {
    super(instrument, index, context);
    this.instrumentAccounts = accounts.accountsAt(index);
    this.money = new MoneyScale(instrument);
    this.base = accounts.external[accounts.asset(instrument.base)]!;
    this.quote = accounts.external[accounts.asset(instrument.quote)]!;
    this.feesInReceived = fees.in === 'received';
    this.shares = new PpmShares(fees.rounding);
  }

  /** Returns the quote units to hold for a buy of `units`: with the fee if that is paid in quote. */
  buyHold(units: number, ppm: number): number {
    return this.feesInReceived || units === INFINITY ? units : units + this.shares.of(units, ppm);
  }

  override fillableLots(order: VenueOrder, price: number): number {
    if (order.quoteUnits === 0) return order.lots - order.filledLots;
    const lots = this.money.affordable(order.quoteUnits - order.filledUnits, price);
    // The rounded fees of partial fills may together exceed the fee that is held for the whole order.
    const isHeld = (size: number): boolean => this.buyHold(this.money.notional(price, size), order.takerPpm) <= order.lockedUnits;
    return lots <= 0 || isHeld(lots) ? lots : highestTrue(isHeld, lots - 1, lots);
  }

  override readmit(order: VenueOrderRecord): void {
    order.instrumentAccount = this.instrumentAccounts[order.account]!;
    super.readmit(order);
  }

  protected override releaseHold(order: VenueOrderRecord): void {
    const { base, quote } = order.instrumentAccount!;
    (order.sign > 0 ? quote : base).unlock(order.lockedUnits);
    order.lockedUnits = 0;
  }

  protected override computeFillableLots(order: VenueOrderRecord, price: number): number {
    return order.quoteUnits > 0 ? this.money.affordable(order.quoteUnits, price) : order.lots - order.filledLots;
  }

  // hot: docs/performance.md#short-functions
  protected override settle(order: VenueOrderRecord, isComplete: boolean): void {
    if (order.sign > 0) this.settleBuy(order, isComplete);
    else this.settleSell(order);
  }

  /** Books a fill of a buy: fee, lock and balances. `isComplete`: the fill leaves nothing of the order. */
  private settleBuy(order: VenueOrderRecord, isComplete: boolean): void {
    const { fillBuffer, feesInReceived, money } = this;
    const { base, quote } = order.instrumentAccount!;
    const { price, lots } = fillBuffer;
    const quantity = lots * money.unitsPerLot;
    const notional = money.notional(price, lots);
    const fee = this.shares.of(feesInReceived ? quantity : notional, this.feePpm(order, price, lots, notional, fillBuffer.isMaker));
    fillBuffer.notional = notional;
    fillBuffer.fee = fee;
    fillBuffer.feeInBase = feesInReceived;
    const heldForRemainder = isComplete === true ? 0 : this.holdForRemainder(order, quote);
    // `holdForRemainder` may have reduced the fee and the notional of this fill by a waiver.
    const dueUnits = feesInReceived ? fillBuffer.notional : fillBuffer.notional + fillBuffer.fee;
    const lockedUnits = order.lockedUnits;
    quote.locked = balance(quote.locked - lockedUnits + heldForRemainder);
    quote.free = balance(quote.free + lockedUnits - heldForRemainder - dueUnits);
    order.lockedUnits = heldForRemainder;
    this.quote.market += fillBuffer.notional;
    this.base.market -= quantity;
    base.free = exactUnits(base.free + quantity - (feesInReceived ? fee : 0));
    (feesInReceived ? this.base : this.quote).fees += fillBuffer.fee;
  }

  /** Books a fill of a sell: fee, lock and balances. */
  private settleSell(order: VenueOrderRecord): void {
    const { fillBuffer, money } = this;
    const { base, quote } = order.instrumentAccount!;
    const { price, lots } = fillBuffer;
    const quantity = lots * money.unitsPerLot;
    const notional = money.notional(price, lots);
    const fee = this.shares.of(notional, this.feePpm(order, price, lots, notional, fillBuffer.isMaker));
    fillBuffer.notional = notional;
    fillBuffer.fee = fee;
    fillBuffer.feeInBase = false;
    base.locked = notBelowZero(base.locked - quantity);
    order.lockedUnits -= quantity;
    quote.free = exactUnits(quote.free + notional - fee);
    this.quote.market -= notional;
    this.base.market += quantity;
    this.quote.fees += fee;
  }

  /** Returns the units that stay held for the remainder of a buy. The remainder of a MARKET order ends with the current fill. */
  private holdForRemainder(order: VenueOrderRecord, quote: Balance): number {
    const { fillBuffer } = this;
    const dueUnits = this.feesInReceived ? fillBuffer.notional : fillBuffer.notional + fillBuffer.fee;
    const funds = order.lockedUnits + quote.free;
    const heldForRemainder = order.limit > 0 ? this.limitHold(order, order.lots - order.filledLots) : order.lockedUnits - dueUnits;
    if (dueUnits + heldForRemainder > funds) this.waive(dueUnits + heldForRemainder - funds);
    return heldForRemainder;
  }

  /**
   * Waives the units that the account does not have, first of the fee, then of the price. The rounded parts of a limit may cost a unit or
   * two more than was held for the whole order.
   */
  private waive(units: number): void {
    const waivedFee = this.feesInReceived ? 0 : Math.min(units, this.fillBuffer.fee);
    this.fillBuffer.fee -= waivedFee;
    this.fillBuffer.notional -= units - waivedFee;
  }

  /** Returns the quote units to hold for `lots` of a LIMIT BUY: their notional at the limit, and the higher of its two fees. */
  private limitHold(order: VenueOrderRecord, lots: number): number {
    return this.buyHold(this.money.notional(order.limit, lots), Math.max(order.makerPpm, order.takerPpm));
  }
}
