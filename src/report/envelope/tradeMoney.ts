// Computes the profit of one trade from its entry and exit prices, in units of the reporting asset, without rounding.

import { largestOf } from '../../base/number/extremes.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';

/** Converts ppm to a fraction. */
const MILLION = 1_000_000;
/** A trade rounds at most this often, each time by at most a unit. */
const ROUNDING_UNITS = 8;

/** Values lots and trades of one instrument. */
export class TradeMoney {
  /** Value of one lot at a price of one tick, in units. */
  private readonly factor: number;
  private readonly isInverse: boolean;
  /** True when a buyer pays the fee in the coins received. */
  private readonly isFeeInCoins: boolean;
  /** Lots in one unit of the base asset. */
  private readonly lotsPerUnit: number;

  constructor({ contract, priceDigits, quantityDigits, quoteDigits, baseDigits }: Instrument, feesIn: 'received' | 'quote') {
    this.lotsPerUnit = 1 / pow10(Math.max(0, baseDigits - quantityDigits));
    this.isInverse = contract?.kind === 'inverse';
    const moneyDigits = contract?.marginDigits ?? quoteDigits;
    // The value of an inverse contract is divided by the price.
    const signedPriceDigits = this.isInverse ? -priceDigits : priceDigits;
    const shift = moneyDigits - (contract?.multiplierDigits ?? 0) - quantityDigits - signedPriceDigits;
    const scale = shift >= 0 ? pow10(shift) : 1 / pow10(-shift);
    this.factor = (contract?.multiplier ?? 1) * scale;
    this.isFeeInCoins = contract === undefined && feesIn === 'received';
  }

  /** Returns the value of `lots` at a price in ticks. */
  valueOf(lots: number, ticks: number): number {
    return this.isInverse ? (lots * this.factor) / ticks : lots * ticks * this.factor;
  }

  /**
   * Returns the profit of a trade in units. `entry` and `exit` are prices in ticks, followed by the fee rates of both in ppm. `exitPpm` is
   * 0 for an open position.
   */
  profit(isLong: boolean, lots: number, entry: number, exit: number, entryPpm: number, exitPpm: number): number {
    const entryValue = this.valueOf(lots, entry);
    const exitValue = this.valueOf(lots, exit);
    const gain = isLong === this.isInverse ? entryValue - exitValue : exitValue - entryValue;
    if (!this.isFeeInCoins) return gain - (entryValue * entryPpm + exitValue * exitPpm) / MILLION;
    const keptShare = 1 - entryPpm / MILLION;
    return gain - exitValue * (1 - keptShare * (1 - exitPpm / MILLION));
  }

  /** Returns the largest difference between `profit` and the rounded profit of a trade, in units. */
  roundingOf(price: number): number {
    return ROUNDING_UNITS + (this.isFeeInCoins ? 2 * this.valueOf(1, price) * this.lotsPerUnit : 0);
  }

  /** Returns the part of a lot that a fee in coins may leave of `lots`. It stays unsold until such parts add up to a whole lot. */
  dustOf(lots: number, ...rates: readonly number[]): number {
    if (!this.isFeeInCoins) return 0;
    const lotsLeft = rates.map((ppm) => (lots * (MILLION - ppm)) / MILLION);
    // A remainder just below a whole lot is a rounding error.
    return largestOf(lotsLeft.map((left) => left - Math.floor(left + 1e-9)));
  }
}
