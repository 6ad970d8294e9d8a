// Sizes of positions by published rules: risk of a stop, a volatility target, and fractional Kelly. Decimal arithmetic, rounded down.

import { Decimal } from '../base/number/decimal.ts';
import { StrategyError } from '../base/errors.ts';
import type { Amount, Size } from './types.ts';

/** Decimals of a size: more than any instrument has, so that the order rounds it to its lots. */
const DIGITS = 12;
/** Digits of the quotients: enough for the rounding above at every size of an account. */
const Exact = Decimal.clone({ precision: 60, rounding: Decimal.ROUND_DOWN });

export interface RiskOfStop {
  /** The money that may be risked: `this.equity`, or an amount of it. */
  readonly equity: Amount;
  /** The share of it that is lost when the stop fills at its price: 0.01 is 1 %. */
  readonly risk: Amount;
  /** Price of the entry, and of its stop, on either side of it. */
  readonly entry: Amount;
  readonly stop: Amount;
  /** The most that the position may be worth, as a multiple of `equity`; 1 by default. */
  readonly cap?: Amount;
}

/**
 * Returns the size with which a stop loses `risk` of `equity`: risk x equity / |entry - stop| of the base asset, without fees and slippage.
 * For spot and linear contracts. NaN, which denies the order, where a price is not known yet or the stop is at the entry.
 */
export function sizeByRisk({ equity, risk, entry, stop, cap = 1 }: RiskOfStop): Size {
  const [money, share, from, to, max] = read('sizeByRisk', { equity, risk, entry, stop, cap });
  const distance = from!.minus(to!).abs();
  if (!from!.gt(0) || !to!.gt(0) || !distance.gt(0)) return { base: NaN };
  return { base: down(Exact.min(money!.times(share!).div(distance), money!.times(max!).div(from!))) };
}

export interface VolatilityTarget {
  /** Wanted standard deviation of the position's return, in the same period as `volatility`: 0.2 a year, for example. */
  readonly target: Amount;
  /** Standard deviation of the instrument's return in that period. */
  readonly volatility: Amount;
  /** The most that the size may be, as a share of equity; 1 by default. */
  readonly cap?: Amount;
}

/** Returns the size whose volatility is `target`: target / volatility of the equity, at most `cap`. */
export function sizeByVolatility({ target, volatility, cap = 1 }: VolatilityTarget): Size {
  const [wanted, measured, max] = read('sizeByVolatility', { target, volatility, cap });
  return { equity: measured!.gt(0) ? down(Exact.min(wanted!.div(measured!), max!)) : NaN };
}

export interface KellyOdds {
  /** Share of the trades that win. */
  readonly winRate: Amount;
  /** Average win divided by average loss, both above zero. */
  readonly payoff: Amount;
  /** The part of the full Kelly share that is taken; 0.5 by default. */
  readonly fraction?: Amount;
  /** The most that the size may be, as a share of equity; 0.25 by default. */
  readonly cap?: Amount;
}

/**
 * Returns the fractional Kelly size: fraction x (winRate - (1 - winRate) / payoff) of the equity, at least 0 and at most `cap`. A loss is
 * taken to be the whole stake, as in Kelly's bet.
 */
export function sizeByKelly({ winRate, payoff, fraction = 0.5, cap = 0.25 }: KellyOdds): Size {
  const [wins, odds, part, max] = read('sizeByKelly', { winRate, payoff, fraction, cap });
  if (wins!.gt(1)) throw new StrategyError(`sizeByKelly: winRate ${String(winRate)} is above 1`, 'give it as a share: 0.55 is 55 %');
  if (!wins!.gte(0) || !odds!.gt(0)) return { equity: NaN };
  const full = wins!.times(odds!).minus(new Exact(1).minus(wins!)).div(odds!);
  return { equity: down(Exact.max(0, Exact.min(full.times(part!), max!))) };
}

/** Returns the inputs as decimals. One that is not known yet, as of an indicator that is not ready, makes the size NaN. */
function read(call: string, given: Readonly<Record<string, Amount>>): readonly Decimal[] {
  return Object.entries(given).map(([name, amount]) => {
    const value = decimalOf(amount);
    if (value === null)
      throw new StrategyError(`${call}: ${name} is ${String(amount)}, which is not a number`, 'give a number, or one as text');
    if (value.lt(0)) throw new StrategyError(`${call}: ${name} is ${String(amount)}, below 0`, 'give it without a sign');
    return value;
  });
}
function decimalOf(amount: Amount): Decimal | null {
  try {
    return new Exact(amount);
  } catch {
    return null;
  }
}
const down = (value: Decimal): Decimal => new Decimal(value.isFinite() ? value.toDecimalPlaces(DIGITS, Decimal.ROUND_DOWN) : NaN);
