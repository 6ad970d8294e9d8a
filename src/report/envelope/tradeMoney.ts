// The money of one trade in units of the reporting asset, unrounded: what an entry and an exit at given prices leave.

import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';

const MILLION = 1_000_000;

export class TradeMoney {
  /** Units of one lot for each tick of price; of an inverse contract, units of one lot at a price of one tick. */
  private readonly factor: number;
  private readonly isInverse: boolean;
  /** True when a buyer pays the fee in the coins received. */
  private readonly isFeeInCoins: boolean;
  /** Lots in one unit of the base asset. */
  private readonly lotsPerUnit: number;

  constructor({ contract, priceDigits, quantityDigits, quoteDigits, baseDigits }: Instrument, feesIn: 'received' | 'quote') {
    this.lotsPerUnit = 1 / pow10(Math.max(0, baseDigits - quantityDigits));
    this.isInverse = contract?.kind === 'inverse';
    const shift =
      contract === undefined
        ? quoteDigits - priceDigits - quantityDigits
        : contract.marginDigits - contract.multiplierDigits - quantityDigits + (this.isInverse ? priceDigits : -priceDigits);
    this.factor = (contract?.multiplier ?? 1) * (shift >= 0 ? pow10(shift) : 1 / pow10(-shift));
    this.isFeeInCoins = contract === undefined && feesIn === 'received';
  }

  /** Returns the value of `lots` at a price in ticks. */
  valueOf(lots: number, ticks: number): number {
    return this.isInverse ? (lots * this.factor) / ticks : lots * ticks * this.factor;
  }

  /**
   * Returns what a trade leaves that came in at `entry` and went out at `exit`, in ticks, with the fee rates of both, ppm. `exitPpm` 0 for a
   * position that is only marked.
   */
  profit(isLong: boolean, lots: number, entry: number, exit: number, entryPpm: number, exitPpm: number): number {
    const valueIn = this.valueOf(lots, entry);
    const valueOut = this.valueOf(lots, exit);
    const gain = isLong === this.isInverse ? valueIn - valueOut : valueOut - valueIn;
    if (!this.isFeeInCoins) return gain - (valueIn * entryPpm + valueOut * exitPpm) / MILLION;
    const kept = 1 - entryPpm / MILLION;
    return gain - valueOut * (1 - kept * (1 - exitPpm / MILLION));
  }

  /** Returns how far the rounding of values and fees may take a trade from `profit`, in units. */
  roundingOf(price: number): number {
    return 8 + (this.isFeeInCoins ? 2 * this.valueOf(1, price) * this.lotsPerUnit : 0);
  }

  /** Returns the part of a lot that a fee in coins may leave of `lots`. It cannot be sold before it has become a whole lot. */
  dustOf(lots: number, ...rates: readonly number[]): number {
    if (!this.isFeeInCoins) return 0;
    return Math.max(...rates.map((ppm) => (lots * (MILLION - ppm)) / MILLION).map((kept) => kept - Math.floor(kept + 1e-9)));
  }
}
