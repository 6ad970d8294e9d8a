// Converts sizes and prices of a strategy into whole lots, units and ticks. Results are cached, because most inputs are constants.

import { MAX_EXACT, mulDiv, pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import { scaleAmount, scaleCoins, timesFactor } from '../../strategy/amounts.ts';
import type { Amount } from '../../strategy/types.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

/** Fractions of equity are whole numbers of 10^-9. */
const FRACTION_DIGITS = 9;
/** Number of cached results. A power of two, so that a bit mask turns the next place into one of them. */
const CACHE_SIZE = 4;

/**
 * Converts amounts into integers and caches the last four: a strategy's sizes are mostly constants, and one decimal operation takes longer
 * than nine bars. An invalid number becomes NaN, so that risk denies the order.
 */
export class Sizing {
  /** The cache: an amount, its number of decimals, and the result, each at the same place. */
  private readonly amounts: (Amount | null)[] = [null, null, null, null];
  private readonly digits = [-1, -1, -1, -1];
  private readonly results = [0, 0, 0, 0];
  /** Place of the newest result in the three arrays. */
  private newest = 0;
  /** Multiplies every size, before it is rounded. Prices stay. */
  readonly scale: number;

  constructor(scale = 1) {
    this.scale = scale;
  }

  /** Returns an amount of the base asset in lots, rounded down; NaN if it is invalid. */
  lots(instrument: Instrument, amount: Amount): number {
    return this.roundDown(amount, instrument.quantityDigits);
  }
  /** Returns an amount of coins in lots of spot or of a linear contract, rounded down; NaN if it is invalid. */
  lotsOfCoins(instrument: Instrument, coins: Amount): number {
    const { contract, quantityDigits } = instrument;
    if (contract === undefined) return this.lots(instrument, coins);
    return scaleCoins(this.scale === 1 ? coins : timesFactor(coins, this.scale), contract, quantityDigits);
  }
  /** Returns an amount of the quote asset in units, rounded down; NaN if it is invalid. */
  quoteUnits(instrument: Instrument, amount: Amount): number {
    return this.roundDown(amount, instrument.quoteDigits);
  }
  /** Returns a fraction of `equityUnits`, rounded down; NaN if either is invalid. */
  ofEquity(equityUnits: number, fraction: Amount): number {
    const billionths = this.roundDown(fraction, FRACTION_DIGITS);
    const isValid = billionths >= 0 && equityUnits >= 0 && (equityUnits * billionths) / pow10(FRACTION_DIGITS) < MAX_EXACT;
    return isValid ? mulDiv(equityUnits, billionths, pow10(FRACTION_DIGITS), 'down') : NAN;
  }
  /** Returns a price in ticks. A buy's price is rounded down and a sell's up, so that rounding never costs the strategy money. */
  ticks(instrument: Instrument, price: Amount, isBuy: boolean): number {
    return scaleAmount(price, instrument.priceDigits, isBuy ? 'down' : 'up');
  }

  /** Returns an amount in whole steps of `digits` decimals, rounded down. The last four results are cached. */
  private roundDown(amount: Amount, digits: number): number {
    for (let index = 0; index < CACHE_SIZE; index++)
      if (this.amounts[index] === amount && this.digits[index] === digits) return this.results[index]!;
    const result = scaleAmount(this.scale === 1 ? amount : timesFactor(amount, this.scale), digits, 'down');
    const place = (this.newest = (this.newest + 1) & (CACHE_SIZE - 1));
    this.amounts[place] = amount;
    this.digits[place] = digits;
    this.results[place] = result;
    return result;
  }
}

/** Returns the lots of the largest market order that the exchange accepts; Infinity without a limit. */
export function maxAtMarket({ contract }: Instrument): number {
  return contract === undefined || contract.maxMarketLots === 0 ? INFINITY : contract.maxMarketLots;
}
