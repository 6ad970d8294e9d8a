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

  /** Amounts of the base asset outside all accounts. */
  protected readonly externalBase: ExternalFlows;
  /** Amounts of the quote asset outside all accounts. */
  protected readonly externalQuote: ExternalFlows;
  /** True if a fee is taken in the asset that the fill brings. Otherwise every fee is taken in the quote asset. */
  private readonly takesFeesInReceived: boolean;
  private readonly ppmShares: PpmShares;

  constructor(instrument: Instrument, index: number, context: BookContext, accounts: Accounts, fees: VenueFees) {
    super(instrument, index, context);
    this.instrumentAccounts = accounts.accountsAt(index);
    this.money = new MoneyScale(instrument);
    this.externalBase = accounts.external[accounts.asset(instrument.base)]!;
    this.externalQuote = accounts.external[accounts.asset(instrument.quote)]!;
    this.takesFeesInReceived = fees.in === 'received';
    this.ppmShares = new PpmShares(fees.rounding);
  }

  /** Returns the quote units to hold for a buy of `units`: without the fee if it is taken in the received coins, otherwise with it. */
  buyHold(units: number, ppm: number): number {
    return this.takesFeesInReceived || units === INFINITY ? units : units + this.ppmShares.of(units, ppm);
  }

  /** Returns the lots of the remainder that the order can pay at a price in ticks, fee included. */
  override fillableLots(order: VenueOrder, price: number): number {
    if (order.quoteUnits === 0) return order.lots - order.filledLots;
    const lots = this.money.affordable(order.quoteUnits - order.filledUnits, price);
    // More than can be counted. Without a cap on volume the fill throws: it must not be cut in silence.
    if (lots === INFINITY) return INFINITY;
    // The rounded fees of partial fills may together exceed the fee that is held for the whole order.
    const isCovered = (lotCount: number): boolean =>
      this.buyHold(this.money.notional(price, lotCount), order.takerPpm) <= order.lockedUnits;
    return lots <= 0 || isCovered(lots) ? lots : highestTrue(isCovered, lots - 1, lots);
  }

  /** Adds an order of a restored venue, and finds its account in this instrument. */
  override readmit(order: VenueOrderRecord): void {
    order.instrumentAccount = this.instrumentAccounts[order.account]!;
    super.readmit(order);
  }

  /** Frees what the order still holds: quote money of a buy, coins of a sell. */
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
    const { fillBuffer, takesFeesInReceived, money } = this;
    const { base, quote } = order.instrumentAccount!;
    const { price, lots } = fillBuffer;
    const quantity = lots * money.unitsPerLot;
    const notional = money.notional(price, lots);
    const fee = this.ppmShares.of(takesFeesInReceived ? quantity : notional, this.feePpm(order, price, lots, notional, fillBuffer.isMaker));
    fillBuffer.notional = notional;
    fillBuffer.fee = fee;
    fillBuffer.feeInBase = takesFeesInReceived;
    // hot: docs/performance.md#strict-true
    const heldForRemainder = isComplete === true ? 0 : this.holdForRemainder(order, quote);
    // `holdForRemainder` may have reduced the fee and the notional of this fill by a waiver.
    const dueUnits = takesFeesInReceived ? fillBuffer.notional : fillBuffer.notional + fillBuffer.fee;
    const lockedUnits = order.lockedUnits;
    quote.locked = balance(quote.locked - lockedUnits + heldForRemainder);
    quote.free = balance(quote.free + lockedUnits - heldForRemainder - dueUnits);
    order.lockedUnits = heldForRemainder;
    this.externalQuote.market += fillBuffer.notional;
    this.externalBase.market -= quantity;
    base.free = exactUnits(base.free + quantity - (takesFeesInReceived ? fee : 0));
    (takesFeesInReceived ? this.externalBase : this.externalQuote).fees += fillBuffer.fee;
  }

  /** Books a fill of a sell: fee, lock and balances. */
  private settleSell(order: VenueOrderRecord): void {
    const { fillBuffer, money } = this;
    const { base, quote } = order.instrumentAccount!;
    const { price, lots } = fillBuffer;
    const quantity = lots * money.unitsPerLot;
    const notional = money.notional(price, lots);
    const fee = this.ppmShares.of(notional, this.feePpm(order, price, lots, notional, fillBuffer.isMaker));
    fillBuffer.notional = notional;
    fillBuffer.fee = fee;
    fillBuffer.feeInBase = false;
    base.locked = notBelowZero(base.locked - quantity);
    order.lockedUnits -= quantity;
    quote.free = exactUnits(quote.free + notional - fee);
    this.externalQuote.market -= notional;
    this.externalBase.market += quantity;
    this.externalQuote.fees += fee;
  }

  /**
   * Returns the units that stay held for the remainder of a buy. The remainder of a MARKET order ends with the current fill. Side effect: if the
   * account cannot pay for both, it waives a part of the fee and the notional of this fill.
   */
  private holdForRemainder(order: VenueOrderRecord, quote: Balance): number {
    const { fillBuffer } = this;
    const dueUnits = this.takesFeesInReceived ? fillBuffer.notional : fillBuffer.notional + fillBuffer.fee;
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
    const waivedFee = this.takesFeesInReceived ? 0 : Math.min(units, this.fillBuffer.fee);
    this.fillBuffer.fee -= waivedFee;
    this.fillBuffer.notional -= units - waivedFee;
  }

  /** Returns the quote units to hold for `lots` of a LIMIT BUY: their notional at the limit, and the higher of its two fees. */
  private limitHold(order: VenueOrderRecord, lots: number): number {
    return this.buyHold(this.money.notional(order.limit, lots), Math.max(order.makerPpm, order.takerPpm));
  }
}
