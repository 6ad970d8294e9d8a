// Computes sizes of positions by published rules: risk of a stop, a volatility target, and fractional Kelly.

import { Decimal } from '../base/number/decimal.ts';
import { StrategyError } from '../base/errors.ts';
import type { Amount, Size } from './types.ts';

/** Number of decimals of a size. It is more than any instrument has, so the order rounds the size to its lots. */
const SIZE_DECIMALS = 12;
/** Decimals with enough digits to round quotients down to SIZE_DECIMALS decimals for every size of an account. */
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_DOWN });

/** Marks a size whose `base` counts coins on every instrument. Without the mark it counts contracts on futures. */
const COINS = Symbol.for('isobar.coins');

/** True for a size of `sizeByRisk`, whose `base` counts coins on futures too. */
export const isInCoins = (size: Size): boolean => COINS in size;

/** Options of `sizeByRisk`. */
export interface RiskOfStop {
  /** Money on which `risk` is a share: `this.equity`, or a part of it. */
  readonly equity: Amount;
  /** Share of `equity` that is lost when the stop fills at its price: 0.01 is 1 %. */
  readonly risk: Amount;
  /** Price of the entry. */
  readonly entry: Amount;
  /** Price of the stop, above or below the entry. */
  readonly stop: Amount;
  /** Largest notional of the position, as a multiple of `equity`. Default: 1. */
  readonly cap?: Amount;
}

/**
 * Returns the size with which a stop loses `risk` of `equity`: risk x equity / |entry - stop| coins of the base asset, without fees and
 * slippage. Of a linear contract, the order is for the contracts that are worth these coins; an inverse contract is an error. Pass the size on as
 * it is. It is NaN, which denies the order, while a price is not known or if the stop is at the entry.
 */
export function sizeByRisk({ equity, risk, entry, stop, cap = 1 }: RiskOfStop): Size {
  const inputs = decimalInputs('sizeByRisk', { equity, risk, entry, stop, cap });
  const distance = inputs.entry.minus(inputs.stop).abs();
  if (!inputs.entry.gt(0) || !inputs.stop.gt(0) || !distance.gt(0)) return { base: NaN };
  const sizeAtRisk = inputs.equity.times(inputs.risk).div(distance);
  const maxSize = inputs.equity.times(inputs.cap).div(inputs.entry);
  return inCoins(roundDown(Exact.min(sizeAtRisk, maxSize)));
}

/** Options of `sizeByVolatility`. */
export interface VolatilityTarget {
  /** Target for the standard deviation of the position's return, over the same period as `volatility`. An example is 0.2 for a year. */
  readonly target: Amount;
  /** Standard deviation of the instrument's return over that period. */
  readonly volatility: Amount;
  /** Largest size, as a share of equity. Default: 1. */
  readonly cap?: Amount;
}

/** Returns the size whose volatility is `target`: target / volatility of the equity, at most `cap`. NaN unless `volatility` is above 0. */
export function sizeByVolatility({ target, volatility, cap = 1 }: VolatilityTarget): Size {
  const inputs = decimalInputs('sizeByVolatility', { target, volatility, cap });
  if (!inputs.volatility.gt(0)) return { equity: NaN };
  return { equity: roundDown(Exact.min(inputs.target.div(inputs.volatility), inputs.cap)) };
}

/** Options of `sizeByKelly`. */
export interface KellyOdds {
  /** Share of the trades that win, from 0 to 1. */
  readonly winRate: Amount;
  /** Average win divided by average loss, both above zero. */
  readonly payoff: Amount;
  /** Part of the full Kelly share to use. Default: 0.5. */
  readonly fraction?: Amount;
  /** Largest size, as a share of equity. Default: 0.25. */
  readonly cap?: Amount;
}

/**
 * Returns the fractional Kelly size: fraction x (winRate - (1 - winRate) / payoff) of the equity, at least 0 and at most `cap`. The formula
 * assumes that a losing trade loses the whole stake.
 */
export function sizeByKelly({ winRate, payoff, fraction = 0.5, cap = 0.25 }: KellyOdds): Size {
  const inputs = decimalInputs('sizeByKelly', { winRate, payoff, fraction, cap });
  if (inputs.winRate.gt(1))
    throw new StrategyError(`sizeByKelly: winRate ${String(winRate)} is above 1`, 'give it as a share: 0.55 is 55 %');
  if (!inputs.winRate.gte(0) || !inputs.payoff.gt(0)) return { equity: NaN };
  const lossRate = new Exact(1).minus(inputs.winRate);
  const fullShare = inputs.winRate.times(inputs.payoff).minus(lossRate).div(inputs.payoff);
  return { equity: roundDown(Exact.max(0, Exact.min(fullShare.times(inputs.fraction), inputs.cap))) };
}

/**
 * Returns the inputs of the helper `call` as decimals. The value of an indicator that is not ready becomes NaN. Throws StrategyError for a
 * negative input and for text that is not a number.
 */
function decimalInputs<Name extends string>(call: string, inputs: Readonly<Record<Name, Amount>>): Readonly<Record<Name, Decimal>> {
  const decimals = Object.entries<Amount>(inputs).map(([name, amount]): [string, Decimal] => {
    const value = decimalOf(amount);
    if (value === null)
      throw new StrategyError(`${call}: ${name} is ${String(amount)}, which is not a number`, 'give a number, or one as text');
    if (value.lt(0)) throw new StrategyError(`${call}: ${name} is ${String(amount)}, below 0`, 'give it without a sign');
    return [name, value];
  });
  return Object.fromEntries(decimals) as Record<Name, Decimal>;
}

/** Returns a size in coins, with the mark that `isInCoins` finds. A copy of the object has the mark too. */
function inCoins(base: Decimal): Size {
  const size = { base, [COINS]: true };
  return size;
}

/** Returns the amount as a decimal. Null for text that is not a number. */
function decimalOf(amount: Amount): Decimal | null {
  try {
    return new Exact(amount);
  } catch {
    return null;
  }
}

/** Returns the value with SIZE_DECIMALS decimals, rounded down. NaN for a value that is not finite. */
const roundDown = (value: Decimal): Decimal =>
  new Decimal(value.isFinite() ? value.toDecimalPlaces(SIZE_DECIMALS, Decimal.ROUND_DOWN) : NaN);
