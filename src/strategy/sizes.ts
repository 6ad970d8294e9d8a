// Computes sizes of positions by published rules: risk of a stop, a volatility target, and fractional Kelly.

import { Decimal } from '../base/number/decimal.ts';
import { StrategyError } from '../base/errors.ts';
import type { Amount, Size } from './types.ts';

/** Number of decimals of a size. It is more than any instrument has, so the order rounds the size to its lots. */
const DIGITS = 12;
/** Decimals with enough digits to round quotients down to DIGITS decimals for every size of an account. */
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
  const [money, share, entryPrice, stopPrice, maxMultiple] = read('sizeByRisk', { equity, risk, entry, stop, cap });
  const distance = entryPrice!.minus(stopPrice!).abs();
  if (!entryPrice!.gt(0) || !stopPrice!.gt(0) || !distance.gt(0)) return { base: NaN };
  const sizeAtRisk = money!.times(share!).div(distance);
  const maxSize = money!.times(maxMultiple!).div(entryPrice!);
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
  const [targetVolatility, ownVolatility, maxShare] = read('sizeByVolatility', { target, volatility, cap });
  return { equity: ownVolatility!.gt(0) ? roundDown(Exact.min(targetVolatility!.div(ownVolatility!), maxShare!)) : NaN };
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
  const [wins, odds, fractionOfFull, maxShare] = read('sizeByKelly', { winRate, payoff, fraction, cap });
  if (wins!.gt(1)) throw new StrategyError(`sizeByKelly: winRate ${String(winRate)} is above 1`, 'give it as a share: 0.55 is 55 %');
  if (!wins!.gte(0) || !odds!.gt(0)) return { equity: NaN };
  const losses = new Exact(1).minus(wins!);
  const fullShare = wins!.times(odds!).minus(losses).div(odds!);
  return { equity: roundDown(Exact.max(0, Exact.min(fullShare.times(fractionOfFull!), maxShare!))) };
}

/**
 * Returns the inputs of the helper `call` as decimals. The value of an indicator that is not ready becomes NaN. Throws StrategyError for a
 * negative input and for text that is not a number.
 */
function read(call: string, inputs: Readonly<Record<string, Amount>>): readonly Decimal[] {
  return Object.entries(inputs).map(([name, amount]) => {
    const value = decimalOf(amount);
    if (value === null)
      throw new StrategyError(`${call}: ${name} is ${String(amount)}, which is not a number`, 'give a number, or one as text');
    if (value.lt(0)) throw new StrategyError(`${call}: ${name} is ${String(amount)}, below 0`, 'give it without a sign');
    return value;
  });
}

/** Returns a size in coins. A copy of the object keeps the mark. */
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

/** Returns the value with DIGITS decimals, rounded down. NaN for a value that is not finite. */
const roundDown = (value: Decimal): Decimal => new Decimal(value.isFinite() ? value.toDecimalPlaces(DIGITS, Decimal.ROUND_DOWN) : NaN);
