// Rows of own trades to fills in whole numbers, exact to the last unit; what cannot be exact says so. Pure.

import { Decimal, fromScaled, toScaled } from '../../../base/number/decimal.ts';
import { mulDiv, pow10 } from '../../../base/number/exact.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { amountOf } from '../../../model/value.ts';
import { ContractScale } from '../../../portfolio/contractScale.ts';
import type { HoldingChange } from './expectedHoldings.ts';
import type { UnattributedFill } from '../client/unattributed.ts';
import type { TradeRow } from '../calls/rows.ts';

/** The money of one instrument's trades. */
export class FillScale {
  readonly #instrument: Instrument;
  readonly #contract: ContractScale | null;

  constructor(instrument: Instrument) {
    this.#instrument = instrument;
    this.#contract = instrument.contract === undefined ? null : new ContractScale(instrument);
  }

  /** Lots of a row, exactly: a fraction where its quantity is finer than a lot. */
  lotsOf({ qty }: Pick<TradeRow, 'qty'>): Decimal {
    return new Decimal(qty).times(Decimal.pow(10, this.#instrument.quantityDigits));
  }
  /** True where no whole number of ticks and lots says what the row does. */
  isFine(row: TradeRow): boolean {
    return toScaled(row.price, this.#instrument.priceDigits) === null || !this.lotsOf(row).isInteger();
  }

  /**
   * Writes `lots` of a trade, which are whole and above 0, into `fill`, with the whole fee of the row. `tradeId` is the number that stands
   * for its id. A price finer than a tick is rounded; the money is exact.
   */
  write(row: TradeRow, lots: number, tradeId: number, fill: Fill): void {
    const price = toScaled(row.price, this.#instrument.priceDigits);
    const feeInBase = this.#isBase(row.feeCoin);
    fill.tradeId = tradeId;
    fill.price = price ?? this.#ticks(row.price).round().toNumber();
    fill.lots = lots;
    fill.notional = price === null ? this.#units(this.#worth(row.price, new Decimal(lots))) : this.notional(price, lots);
    // What is paid in a third coin is no cost in the assets of this instrument.
    fill.fee = feeInBase === null ? 0 : this.fee(row.fee, feeInBase);
    fill.feeInBase = feeInBase ?? false;
    fill.covered = 0;
    fill.isMaker = row.isMaker;
    fill.timeMs = row.timeMs;
  }

  /** Money of a row in units, half up at the unit, whether or not its quantity is whole. */
  rowUnits(row: TradeRow): number {
    return this.#units(this.#worth(row.price, this.lotsOf(row)));
  }
  /** What a row changes of the account's assets, with its fee as the books have it. */
  changesOf(row: TradeRow): readonly HoldingChange[] {
    const { base, quote, quantityDigits, quoteDigits, baseDigits } = this.#instrument;
    const feeInBase = this.#isBase(row.feeCoin);
    const sign = row.side === 'buy' ? 1 : -1;
    const amount = (value: Decimal.Value, digits: number): Decimal => new Decimal(value).div(Decimal.pow(10, digits));
    return [
      [base, amount(this.lotsOf(row).times(sign), quantityDigits)],
      [quote, amount(-sign * this.rowUnits(row), quoteDigits)],
      [
        feeInBase === true ? base : quote,
        feeInBase === null ? amount(0, 0) : amount(-this.fee(row.fee, feeInBase), feeInBase ? baseDigits : quoteDigits),
      ],
    ];
  }
  /** `lots` of a row, and `units` of money, as a position of the account has them. `hasFee`: the fee of the row is part of it. */
  outside(row: TradeRow, lots: Decimal, units: number, hasFee: boolean): UnattributedFill {
    const { id, quantityDigits, quoteDigits, baseDigits, base, quote } = this.#instrument;
    const feeInBase = this.#isBase(row.feeCoin);
    const fee = feeInBase === null ? row.fee : fromScaled(this.fee(row.fee, feeInBase), feeInBase ? baseDigits : quoteDigits);
    return {
      tradeId: row.tradeId,
      orderId: row.venueId,
      symbol: id,
      side: lots.isNegative() === (row.side === 'buy') ? 'sell' : 'buy',
      qty: lots.abs().div(Decimal.pow(10, quantityDigits)).toFixed(),
      price: row.price,
      notional: fromScaled(Math.abs(units), quoteDigits),
      fee: hasFee ? fee : '0',
      feeCoin: feeInBase === null ? (row.feeCoin ?? quote) : feeInBase ? base : quote,
      maker: row.isMaker,
      executedMs: row.timeMs,
    };
  }

  #ticks(price: string): Decimal {
    return new Decimal(price).times(Decimal.pow(10, this.#instrument.priceDigits));
  }
  #units(money: Decimal): number {
    return money.times(Decimal.pow(10, this.#instrument.quoteDigits)).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
  }
  #worth(price: string, lots: Decimal): Decimal {
    const qty = lots.div(Decimal.pow(10, this.#instrument.quantityDigits));
    return amountOf(this.#instrument, qty, new Decimal(price));
  }

  /** True where the fee of a row is in neither of the instrument's assets. */
  hasForeignFee(row: TradeRow): boolean {
    return this.#isBase(row.feeCoin) === null && new Decimal(row.fee).gt(0);
  }

  /** Half up at the unit, as the exchange reckons it. */
  notional(price: number, lots: number): number {
    if (this.#contract !== null) return this.#contract.valueOfLots(lots, price);
    const { priceDigits, quantityDigits, quoteDigits } = this.#instrument;
    const shift = quoteDigits - priceDigits - quantityDigits;
    return shift >= 0 ? mulDiv(price * pow10(shift), lots, 1, 'halfUp') : mulDiv(price, lots, pow10(-shift), 'halfUp');
  }

  /** A fee that is finer than a unit counts as the next larger one: the books never claim more than there is. */
  fee(text: string, feeInBase: boolean): number {
    const { baseDigits, quoteDigits } = this.#instrument;
    const scaled = new Decimal(text).times(Decimal.pow(10, feeInBase ? baseDigits : quoteDigits));
    return scaled.ceil().toNumber();
  }

  /** Whether a fee is in the base asset, else in the quote asset; null: in neither. */
  #isBase(coin: string | null): boolean | null {
    const { base, quote } = this.#instrument;
    if (coin === null || coin.toUpperCase() === quote.toUpperCase()) return false;
    return this.#contract === null && coin.toUpperCase() === base.toUpperCase() ? true : null;
  }
}

/**
 * Ids that no number holds exactly, by the number that stands for each: the newest, as a fill is journalled and shown while it is booked.
 * One list for the process: a fill is known by its number alone, whichever market it came from.
 */
const LONG_IDS = new Map<number, string>();
const MAX_LONG_IDS = 10_000;
let longIds = 0;

/** Numbers for trade ids: their own where a double holds them exactly, else numbers below 0 that stand for them. */
export class TradeNumbers {
  numberOf(tradeId: string): number {
    const own = Number(tradeId);
    if (Number.isSafeInteger(own)) return own;
    LONG_IDS.set(-++longIds, tradeId);
    LONG_IDS.delete(-(longIds - MAX_LONG_IDS));
    return -longIds;
  }
  textOf(number: number): string {
    return LONG_IDS.get(number) ?? String(number);
  }
}
