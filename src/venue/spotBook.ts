// The money of a spot instrument's executions: coins against quote money, fees in what is received or in quote money.

import type { Rounding } from '../base/exact.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Accounts } from './accounts.ts';
import * as balances from './accounts.ts';
import * as shares from './money.ts';
import { Money } from './money.ts';
import { type BookContext, RowBook } from './rowBook.ts';
import type { VenueFees } from './venueConfig.ts';
import type { OrderRecord, VenueOrder } from './venueOrder.ts';

// V8 folds a constant of this file, and reads an imported one from its cell at each use.
const { balance } = balances;
const { shareOf } = shares;

export class SpotBook extends RowBook {
  readonly money: Money;
  /** Positions of the two assets among the assets of the venue. */
  readonly baseAsset: number;
  readonly quoteAsset: number;

  private readonly accounts: Accounts;
  private readonly feesInReceived: boolean;
  private readonly rounding: Rounding;

  constructor(instrument: Instrument, index: number, context: BookContext, accounts: Accounts, fees: VenueFees) {
    super(instrument, index, context);
    this.accounts = accounts;
    this.money = new Money(instrument);
    this.baseAsset = accounts.asset(instrument.base);
    this.quoteAsset = accounts.asset(instrument.quote);
    this.feesInReceived = fees.in === 'received';
    this.rounding = fees.rounding;
  }

  /** Quote units to be held for a buy of `units`: with the fee where it is paid in quote. */
  buyHold(units: number, ppm: number): number {
    return this.feesInReceived || units === Infinity ? units : units + shareOf(units, ppm, this.rounding);
  }

  override lotsWanted(order: VenueOrder, price: number): number {
    if (order.quoteUnits === 0) return order.lots - order.filledLots;
    let lots = this.money.affordable(order.quoteUnits - order.filledUnits, price);
    // Fees of parts, each rounded, may together pass the fee that is held for the whole.
    while (lots > 0 && this.buyHold(this.money.notional(price, lots), order.takerPpm) > order.lockedUnits) lots--;
    return lots;
  }

  protected override letGo(order: OrderRecord): void {
    const asset = order.side === 'buy' ? this.quoteAsset : this.baseAsset;
    this.accounts.lock(order.account * this.accounts.width + asset, -order.lockedUnits);
    order.lockedUnits = 0;
  }

  protected override wantedLots(order: OrderRecord, price: number): number {
    return order.quoteUnits > 0 ? this.money.affordable(order.quoteUnits, price) : order.lots - order.filledLots;
  }

  protected override settle(order: OrderRecord, price: number, lots: number, complete: boolean, isMaker: boolean): void {
    const { told } = this;
    const isBuy = order.side === 'buy';
    told.notional = this.money.notional(price, lots);
    told.feeInBase = isBuy && this.feesInReceived;
    const ppm = this.feePpm(order, price, lots, told.notional, isMaker);
    if (isBuy) this.settleBuy(order, lots * this.money.unitsPerLot, complete, ppm);
    else this.settleSell(order, lots * this.money.unitsPerLot, ppm);
  }

  /** The money of a buy of `quantity` base units for `told.notional`: sets `told.fee`. */
  private settleBuy(order: OrderRecord, quantity: number, complete: boolean, ppm: number): void {
    const { accounts, quoteAsset, baseAsset } = this;
    const { free, locked, market } = accounts;
    const quote = order.account * accounts.width + quoteAsset;
    const base = order.account * accounts.width + baseAsset;
    const fee = shareOf(this.feesInReceived ? quantity : this.told.notional, ppm, this.rounding);
    this.told.fee = fee;
    const held = order.lockedUnits;
    let due = this.feesInReceived ? this.told.notional : this.told.notional + fee;
    let keep = 0;
    if (!complete) {
      // What the rest may cost; the rest of a MARKET order ends with this fill.
      keep = order.limit > 0 ? this.limitHold(order, order.lots - order.filledLots) : held - due;
      if (due + keep > held + free[quote]!) due = this.waive(due + keep - held - free[quote]!);
    }
    locked[quote] = balance(locked[quote]! - held + keep);
    free[quote] = balance(free[quote]! + held - keep - due);
    market[quoteAsset]! += this.told.notional;
    market[baseAsset]! -= quantity;
    order.lockedUnits = keep;
    if (this.feesInReceived) {
      free[base] = balance(free[base]! + quantity - fee);
      accounts.fees[baseAsset]! += fee;
    } else {
      free[base] = balance(free[base]! + quantity);
      accounts.fees[quoteAsset]! += this.told.fee;
    }
  }

  /** The money of a sell of `quantity` base units for `told.notional`: sets `told.fee`. */
  private settleSell(order: OrderRecord, quantity: number, ppm: number): void {
    const { accounts, quoteAsset, baseAsset } = this;
    const { free, locked, market } = accounts;
    const quote = order.account * accounts.width + quoteAsset;
    const base = order.account * accounts.width + baseAsset;
    const fee = shareOf(this.told.notional, ppm, this.rounding);
    this.told.fee = fee;
    locked[base] = balance(locked[base]! - quantity);
    order.lockedUnits -= quantity;
    free[quote] = balance(free[quote]! + this.told.notional - fee);
    market[quoteAsset]! -= this.told.notional;
    market[baseAsset]! += quantity;
    accounts.fees[quoteAsset]! += fee;
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
