// The money of a spot instrument's executions: coins against quote money, fees in what is received or in quote money.

import type { Instrument } from '../model/instrument.ts';
import type { Accounts, Outside, Seat } from './accounts.ts';
import * as balances from './accounts.ts';
import { Money, Shares } from './money.ts';
import { type BookContext, RowBook } from './rowBook.ts';
import type { VenueFees } from './venueConfig.ts';
import type { OrderRecord, VenueOrder } from './venueOrder.ts';

// V8 folds a constant of this file, and reads an imported one from its cell at each use.
const { balance } = balances;

export class SpotBook extends RowBook {
  readonly money: Money;
  /** By account. */
  readonly seats: readonly Seat[];

  /** What no account has of the two assets. */
  private readonly base: Outside;
  private readonly quote: Outside;
  private readonly feesInReceived: boolean;
  private readonly shares: Shares;

  constructor(instrument: Instrument, index: number, context: BookContext, accounts: Accounts, fees: VenueFees) {
    super(instrument, index, context);
    this.seats = accounts.seatsAt(index);
    this.money = new Money(instrument);
    this.base = accounts.outside[accounts.asset(instrument.base)]!;
    this.quote = accounts.outside[accounts.asset(instrument.quote)]!;
    this.feesInReceived = fees.in === 'received';
    this.shares = new Shares(fees.rounding);
  }

  /** Quote units to be held for a buy of `units`: with the fee where it is paid in quote. */
  buyHold(units: number, ppm: number): number {
    return this.feesInReceived || units === Infinity ? units : units + this.shares.of(units, ppm);
  }

  override lotsWanted(order: VenueOrder, price: number): number {
    if (order.quoteUnits === 0) return order.lots - order.filledLots;
    let lots = this.money.affordable(order.quoteUnits - order.filledUnits, price);
    // Fees of parts, each rounded, may together pass the fee that is held for the whole.
    while (lots > 0 && this.buyHold(this.money.notional(price, lots), order.takerPpm) > order.lockedUnits) lots--;
    return lots;
  }

  protected override letGo(order: OrderRecord): void {
    const { base, quote } = this.seatOf(order);
    (order.sign > 0 ? quote : base).lock(-order.lockedUnits);
    order.lockedUnits = 0;
  }

  protected override wantedLots(order: OrderRecord, price: number): number {
    return order.quoteUnits > 0 ? this.money.affordable(order.quoteUnits, price) : order.lots - order.filledLots;
  }

  protected override settle(order: OrderRecord, price: number, lots: number, complete: boolean, isMaker: boolean): void {
    const { told } = this;
    const isBuy = order.sign > 0;
    told.notional = this.money.notional(price, lots);
    told.feeInBase = isBuy && this.feesInReceived;
    const ppm = this.feePpm(order, price, lots, told.notional, isMaker);
    if (isBuy) this.settleBuy(order, lots * this.money.unitsPerLot, complete, ppm);
    else this.settleSell(order, lots * this.money.unitsPerLot, ppm);
  }

  /** Of one that was readmitted it is found now. */
  private seatOf(order: OrderRecord): Seat {
    return order.seat ?? this.seats[order.account]!;
  }

  /** The money of a buy of `quantity` base units for `told.notional`: sets `told.fee`. */
  private settleBuy(order: OrderRecord, quantity: number, complete: boolean, ppm: number): void {
    const { told, feesInReceived } = this;
    const { base, quote } = this.seatOf(order);
    const fee = this.shares.of(feesInReceived ? quantity : told.notional, ppm);
    told.fee = fee;
    const held = order.lockedUnits;
    let due = feesInReceived ? told.notional : told.notional + fee;
    let keep = 0;
    if (!complete) {
      // What the rest may cost; the rest of a MARKET order ends with this fill.
      keep = order.limit > 0 ? this.limitHold(order, order.lots - order.filledLots) : held - due;
      if (due + keep > held + quote.free) due = this.waive(due + keep - held - quote.free);
    }
    quote.locked = balance(quote.locked - held + keep);
    quote.free = balance(quote.free + held - keep - due);
    order.lockedUnits = keep;
    this.quote.market += told.notional;
    this.base.market -= quantity;
    if (feesInReceived) {
      base.free = balance(base.free + quantity - fee);
      this.base.fees += fee;
    } else {
      base.free = balance(base.free + quantity);
      this.quote.fees += told.fee;
    }
  }

  /** The money of a sell of `quantity` base units for `told.notional`: sets `told.fee`. */
  private settleSell(order: OrderRecord, quantity: number, ppm: number): void {
    const { told } = this;
    const { base, quote } = this.seatOf(order);
    const fee = this.shares.of(told.notional, ppm);
    told.fee = fee;
    base.locked = balance(base.locked - quantity);
    order.lockedUnits -= quantity;
    quote.free = balance(quote.free + told.notional - fee);
    this.quote.market -= told.notional;
    this.base.market += quantity;
    this.quote.fees += fee;
  }

  /**
   * Rounded parts of a limit may cost a unit or two more than the whole that was held for it. What the account does not have is waived,
   * first of the fee, then of the price; returns what remains due.
   */
  private waive(units: number): number {
    const offFee = this.feesInReceived ? 0 : Math.min(units, this.told.fee);
    this.told.fee -= offFee;
    this.told.notional -= units - offFee;
    return this.feesInReceived ? this.told.notional : this.told.notional + this.told.fee;
  }

  /** Quote units held for `lots` of a LIMIT BUY: their notional at the limit, and the worse of its two fees. */
  private limitHold(order: OrderRecord, lots: number): number {
    return this.buyHold(this.money.notional(order.limit, lots), Math.max(order.makerPpm, order.takerPpm));
  }
}
