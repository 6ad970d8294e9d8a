// Rows of own trades to fills in whole numbers, exact to the last unit; what cannot be exact says so. Pure.

import { Decimal, toScaled } from '../../../base/decimal.ts';
import { mulDiv, pow10 } from '../../../base/exact.ts';
import { foreignText } from '../../../base/foreignText.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { ContractScale } from '../../../portfolio/contractScale.ts';
import type { TradeRow } from './rows.ts';

/** The money of one instrument's trades. */
export class FillScale {
  readonly #instrument: Instrument;
  readonly #contract: ContractScale | null;

  constructor(instrument: Instrument) {
    this.#instrument = instrument;
    this.#contract = instrument.contract === undefined ? null : new ContractScale(instrument);
  }

  /** Writes a trade into `fill`. Returns why its row cannot be booked, or null. `tradeId` is the number that stands for its id. */
  write(row: TradeRow, tradeId: number, fill: Fill): string | null {
    const { priceDigits, quantityDigits } = this.#instrument;
    const price = toScaled(row.price, priceDigits);
    const lots = toScaled(row.qty, quantityDigits);
    if (price === null || !(price > 0)) return `trade ${row.tradeId}: price ${foreignText(row.price, 40)} is finer than a tick`;
    if (lots === null || !(lots > 0)) return `trade ${row.tradeId}: quantity ${foreignText(row.qty, 40)} is finer than a lot`;
    const feeInBase = this.#isBase(row.feeCoin);
    fill.tradeId = tradeId;
    fill.price = price;
    fill.lots = lots;
    fill.notional = this.notional(price, lots);
    // What is paid in a third coin is no cost in the assets of this instrument.
    fill.fee = feeInBase === null ? 0 : this.fee(row.fee, feeInBase);
    fill.feeInBase = feeInBase ?? false;
    fill.covered = 0;
    fill.isMaker = row.isMaker;
    fill.timeMs = row.timeMs;
    return null;
  }

  /** True where the fee of a row is in neither of the instrument's assets. */
  hasForeignFee(row: TradeRow): boolean {
    return this.#isBase(row.feeCoin) === null && new Decimal(row.fee).gt(0);
  }

  /** Half up at the unit, as the exchange reckons it. */
  notional(price: number, lots: number): number {
    if (this.#contract !== null) return this.#contract.worth(lots, price);
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
const MOST_LONG_IDS = 10_000;
let longIds = 0;

/** Numbers for trade ids: their own where a double holds them exactly, else numbers below 0 that stand for them. */
export class TradeNumbers {
  numberOf(tradeId: string): number {
    const own = Number(tradeId);
    if (Number.isSafeInteger(own)) return own;
    LONG_IDS.set(-++longIds, tradeId);
    LONG_IDS.delete(-(longIds - MOST_LONG_IDS));
    return -longIds;
  }
  textOf(number: number): string {
    return LONG_IDS.get(number) ?? String(number);
  }
}
