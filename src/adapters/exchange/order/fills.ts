// Converts rows of the account's trades to fills in whole ticks, lots and units, exact to the last unit. Pure.

import { Decimal, fromScaled, toScaled } from '../../../base/number/decimal.ts';
import { mulDiv, pow10 } from '../../../base/number/exact.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { notionalOf } from '../../../model/value.ts';
import { ContractScale } from '../../../portfolio/contractScale.ts';
import type { HoldingChange } from './expectedHoldings.ts';
import type { UnattributedFill } from '../client/referenceBook.ts';
import type { TradeRow } from '../calls/venueRows.ts';

/** Converts the prices, quantities and fees of one instrument's trades. */
export class FillScale {
  readonly #instrument: Instrument;
  readonly #contract: ContractScale | null;

  constructor(instrument: Instrument) {
    this.#instrument = instrument;
    this.#contract = instrument.contract === undefined ? null : new ContractScale(instrument);
  }

  /** Returns the exact lots of a row, with a fraction if its quantity is finer than a lot. */
  lotsOf({ qty }: Pick<TradeRow, 'qty'>): Decimal {
    return new Decimal(qty).times(Decimal.pow(10, this.#instrument.quantityDigits));
  }
  /** True if the row's price or quantity is not a whole number of ticks or lots. */
  isFine(row: TradeRow): boolean {
    return toScaled(row.price, this.#instrument.priceDigits) === null || !this.lotsOf(row).isInteger();
  }

  /**
   * Writes `lots` (whole, above 0) of a trade into `fill`, with the row's whole fee. `tradeId`: from `TradeNumbers`. A price finer than a
   * tick is rounded; the money is exact.
   */
  write(row: TradeRow, lots: number, tradeId: number, fill: Fill): void {
    const price = toScaled(row.price, this.#instrument.priceDigits);
    const feeInBase = this.#isBase(row.feeCoin);
    fill.tradeId = tradeId;
    fill.price = price ?? this.#ticks(row.price).round().toNumber();
    fill.lots = lots;
    fill.notional = price === null ? this.#units(this.#valueOf(row.price, new Decimal(lots))) : this.notional(price, lots);
    // A fee in a third coin is not a cost in this instrument's assets.
    fill.fee = feeInBase === null ? 0 : this.fee(row.fee, feeInBase);
    fill.feeInBase = feeInBase ?? false;
    fill.covered = 0;
    fill.isMaker = row.isMaker;
    fill.timeMs = row.timeMs;
  }

  /** Returns the money of a row in units, rounded half up, for any quantity. */
  rowUnits(row: TradeRow): number {
    return this.#units(this.#valueOf(row.price, this.lotsOf(row)));
  }
  /** Returns how a row changes the account's assets, with the fee rounded as the books have it. */
  changesOf(row: TradeRow): readonly HoldingChange[] {
    const { base, quote, quantityDigits, quoteDigits, baseDigits } = this.#instrument;
    const feeInBase = this.#isBase(row.feeCoin);
    const sign = row.side === 'buy' ? 1 : -1;
    const toDecimal = (scaled: Decimal.Value, digits: number): Decimal => new Decimal(scaled).div(Decimal.pow(10, digits));
    const feeScaled = feeInBase === null ? 0 : -this.fee(row.fee, feeInBase);
    return [
      [base, toDecimal(this.lotsOf(row).times(sign), quantityDigits)],
      [quote, toDecimal(-sign * this.rowUnits(row), quoteDigits)],
      [feeInBase === true ? base : quote, toDecimal(feeScaled, feeInBase === true ? baseDigits : quoteDigits)],
    ];
  }
  /**
   * Returns `lots` and money `units` of a row as a fill of the account. `hasFee`: include the row's fee. `long`: the side of the position that
   * the fill changes; null in net mode.
   */
  unattributedFill(row: TradeRow, lots: Decimal, units: number, hasFee: boolean, long: boolean | null): UnattributedFill {
    const { id, quantityDigits, quoteDigits, baseDigits, base, quote } = this.#instrument;
    const feeInBase = this.#isBase(row.feeCoin);
    const fee = feeInBase === null ? row.fee : fromScaled(this.fee(row.fee, feeInBase), feeInBase ? baseDigits : quoteDigits);
    const assetOfFee = feeInBase ? base : quote;
    return {
      tradeId: row.tradeId,
      orderId: row.venueId,
      symbol: id,
      side: lots.isNegative() === (row.side === 'buy') ? 'sell' : 'buy',
      qty: lots.abs().div(Decimal.pow(10, quantityDigits)).toFixed(),
      price: row.price,
      notional: fromScaled(Math.abs(units), quoteDigits),
      fee: hasFee ? fee : '0',
      feeCoin: feeInBase === null ? (row.feeCoin ?? quote) : assetOfFee,
      maker: row.isMaker,
      executedMs: row.timeMs,
      ...(long === null ? {} : { long }),
    };
  }

  #ticks(price: string): Decimal {
    return new Decimal(price).times(Decimal.pow(10, this.#instrument.priceDigits));
  }
  #units(money: Decimal): number {
    return money.times(Decimal.pow(10, this.#instrument.quoteDigits)).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
  }
  #valueOf(price: string, lots: Decimal): Decimal {
    const qty = lots.div(Decimal.pow(10, this.#instrument.quantityDigits));
    return notionalOf(this.#instrument, qty, new Decimal(price));
  }

  /** True if the fee is in neither of the instrument's assets. */
  hasForeignFee(row: TradeRow): boolean {
    return this.#isBase(row.feeCoin) === null && new Decimal(row.fee).gt(0);
  }

  /** Returns the notional in units, rounded half up as the venue does. */
  notional(price: number, lots: number): number {
    if (this.#contract !== null) return this.#contract.valueOfLots(lots, price);
    const { priceDigits, quantityDigits, quoteDigits } = this.#instrument;
    const shift = quoteDigits - priceDigits - quantityDigits;
    return shift >= 0 ? mulDiv(price * pow10(shift), lots, 1, 'halfUp') : mulDiv(price, lots, pow10(-shift), 'halfUp');
  }

  /** Returns the fee in units, rounded up, so that the books never claim more than the account has. */
  fee(text: string, feeInBase: boolean): number {
    const { baseDigits, quoteDigits } = this.#instrument;
    const scaled = new Decimal(text).times(Decimal.pow(10, feeInBase ? baseDigits : quoteDigits));
    return scaled.ceil().toNumber();
  }

  /** True if a fee is in the base asset, false for the quote asset, null for another coin. */
  #isBase(coin: string | null): boolean | null {
    const { base, quote } = this.#instrument;
    if (coin === null || coin.toUpperCase() === quote.toUpperCase()) return false;
    return this.#contract === null && coin.toUpperCase() === base.toUpperCase() ? true : null;
  }
}

/**
 * Trade ids that are too long for an exact number, by the negative number that replaces them in fills. Only the newest are kept: a fill needs
 * its id while it is booked. The process has one table, because a fill's number must be unique across markets.
 */
const LONG_TRADE_IDS = new Map<number, string>();
const MAX_LONG_TRADE_IDS = 10_000;
let longIdCount = 0;

/** Maps trade ids to numbers: an id that is a safe integer to itself, and a longer id to a negative number. */
export class TradeNumbers {
  /** Returns the number of a trade id. */
  tradeNumberOf(tradeId: string): number {
    const asNumber = Number(tradeId);
    if (Number.isSafeInteger(asNumber)) return asNumber;
    LONG_TRADE_IDS.set(-++longIdCount, tradeId);
    LONG_TRADE_IDS.delete(-(longIdCount - MAX_LONG_TRADE_IDS));
    return -longIdCount;
  }
  /** Returns the trade id with this number. */
  tradeIdOf(number: number): string {
    return LONG_TRADE_IDS.get(number) ?? String(number);
  }
}

/** Digits to which the fee of a part of a trade is rounded. */
const FEE_DIGITS = 12;

/** Returns the share of a fee that `lots` of `allLots` have, rounded down. */
export const feeShare = (fee: string, lots: number, allLots: number): Decimal =>
  lots === allLots ? new Decimal(fee) : new Decimal(fee).times(lots).div(allLots).toDecimalPlaces(FEE_DIGITS, Decimal.ROUND_DOWN);
