// Exact money: the products of prices and quantities, and the shares of amounts, in whole units.

import { ConfigError } from '../base/errors.ts';
import type { Rounding } from '../base/number/exact.ts';
import * as numbers from '../base/number/exact.ts';
import type { Instrument } from '../model/instrument.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

// hot: docs/performance.md#imported-constants
const { MAX_EXACT, mulDiv, pow10 } = numbers;

const MILLION = 1_000_000;

/** Converts ticks and lots of one instrument into units of its two assets. */
export class MoneyScale {
  /** Units of the base asset in one lot. */
  readonly unitsPerLot: number;
  /** notional = ticks x lots x factor / divisor; one of the two is 1. */
  private readonly factor: number;
  private readonly divisor: number;

  constructor(instrument: Instrument) {
    const { id, priceDigits, quantityDigits, quoteDigits, baseDigits } = instrument;
    const surplusDigits = baseDigits - quantityDigits;
    if (!(surplusDigits >= 0)) {
      const remedy = `set basePrecision to ${quantityDigits} or more`;
      throw new ConfigError(`instrument ${id}: expected baseDigits >= quantityDigits, got ${baseDigits} < ${quantityDigits}`, remedy);
    }
    const exponent = quoteDigits - priceDigits - quantityDigits;
    this.unitsPerLot = pow10(surplusDigits);
    this.factor = exponent > 0 ? pow10(exponent) : 1;
    this.divisor = exponent < 0 ? pow10(-exponent) : 1;
  }

  /**
   * Returns price x lots in units of the quote asset. Exact if the units are fine enough (quoteDigits >= priceDigits + quantityDigits),
   * else rounded half up at the unit. Buyer and seller use the same rounded value. Infinity above 2^53 - 1: no balance covers it.
   */
  notional(price: number, lots: number): number {
    const product = price * lots;
    if (this.divisor === 1) {
      const units = product * this.factor;
      return units <= MAX_EXACT ? units : INFINITY;
    }
    // The margin of 8 covers the rounding of the two double operations.
    return product / this.divisor <= MAX_EXACT - 8 ? mulDiv(price, lots, this.divisor, 'halfUp') : INFINITY;
  }

  /** Returns the largest number of lots whose notional at `price` (ticks, > 0) is within `amount` (quote units). Infinity above 2^53 - 1. */
  affordable(amount: number, price: number): number {
    // Both numbers are below 2^53, so the floor of their quotient as a double is exact (docs/performance.md).
    if (this.divisor === 1) return Math.floor(amount / (price * this.factor));
    return (amount * this.divisor) / price <= MAX_EXACT - 8 ? mulDiv(amount, this.divisor, price, 'down') : INFINITY;
  }
}

/** Computes shares of amounts by a rate in ppm, with one rounding mode. */
export class PpmShares {
  private readonly rounding: Rounding;
  /** Read at each fill, because comparing the text of `rounding` takes three times as long. */
  private readonly isHalfUp: boolean;

  constructor(rounding: Rounding) {
    this.rounding = rounding;
    this.isHalfUp = rounding === 'halfUp';
  }
  /** Returns `units` x `ppm` / 10^6 for 0 <= ppm <= 10^6, exact, with this rounding. */
  of(units: number, ppm: number): number {
    const product = units * ppm;
    if (this.isHalfUp === true && product <= MAX_EXACT / 2) return Math.floor((product + MILLION / 2) / MILLION);
    return shareOfLarge(units, ppm, this.rounding);
  }
}

/** Does the same for products above 2^53 and for all roundings. Throws ConfigError for an amount above 2^53 - 1 units. */
function shareOfLarge(units: number, ppm: number, rounding: Rounding): number {
  if (units > MAX_EXACT) throw amountTooLarge();
  // Half-even needs the whole result, so it cannot be rounded in parts. The others need no BigInt.
  if (rounding === 'halfEven') return mulDiv(units, ppm, MILLION, rounding);
  const millions = Math.floor(units / MILLION);
  return millions * ppm + mulDiv(units - millions * MILLION, ppm, MILLION, rounding);
}

/** Returns the error for an account or a fill that is too large to count in whole units. It is an error of the configuration. */
export function amountTooLarge(): ConfigError {
  return new ConfigError(
    'the account has outgrown exact money: a balance or a fill is above 2^53 - 1 units of its asset',
    'begin with less cash, or set a smaller quotePrecision or basePrecision in the instrument record or under instruments',
  );
}
