// Sizes by risk: how much to trade so that a stop, or the usual moves of a price, cost a given part of the equity.

import { Decimal } from '../base/number/decimal.ts';
import type { Amount, Size } from './types.ts';

const YEAR_MS = 365 * 86_400_000;

/** What `riskSize` computes with. */
export interface RiskOf {
  /** What may be lost at the stop, as a fraction of the equity: 0.01 is a hundredth. */
  readonly risk: Amount;
  /** Equity in the quote asset, such as `this.equity`. */
  readonly equity: Amount;
  /** The expected price of the entry, and that of the stop: below it for a buy, above it for a sell. */
  readonly entry: Amount;
  readonly stop: Amount;
  /** Fees and slippage of entry and exit together, as a fraction of the price; 0 by default. */
  readonly costs?: Amount;
}

/**
 * Returns the size of a trade that loses `risk` of the equity if it is closed at its stop: equity x risk / (|entry - stop| + costs x entry),
 * in base. The amount is exact, and an order rounds it down to whole lots. A distance of 0 or a figure that is no number gives a size that
 * denies the order with BAD_INPUT. Source of the formula: fixed fractional sizing by the initial risk of a trade, V. Tharp, Trade Your Way to
 * Financial Freedom (1998).
 */
export function riskSize({ risk, equity, entry, stop, costs = 0 }: RiskOf): Size {
  return sizeOf(() => {
    const price = new Decimal(entry);
    const distance = price.minus(stop).abs();
    if (!distance.isPositive() || distance.isZero()) return null;
    return new Decimal(equity).times(risk).div(distance.plus(price.times(costs)));
  });
}

/** What `volatilitySize` computes with. */
export interface VolatilityOf {
  /** Wanted deviation of the equity in a year from this position alone, as a fraction: 0.2 is 20 %. */
  readonly target: Amount;
  /** Equity in the quote asset, such as `this.equity`. */
  readonly equity: Amount;
  readonly price: Amount;
  /** Standard deviation of the returns of one bar, such as `stdDev` of the log returns. */
  readonly deviation: Amount;
  /** Length of such a bar, ms. */
  readonly barMs: number;
  /** Largest size as a multiple of the equity; 1 by default. */
  readonly cap?: Amount;
}

/**
 * Returns the size whose usual moves are those of the target: equity x min(cap, target / (deviation x sqrt(bars a year))) / price, in base; a
 * year has 365 days. A deviation of 0 gives the cap. A figure that is no number gives a size that denies the order with BAD_INPUT. Source of
 * the formula: A. Moreira, T. Muir, Volatility-Managed Portfolios, Journal of Finance 72 (2017).
 */
export function volatilitySize({ target, equity, price, deviation, barMs, cap = 1 }: VolatilityOf): Size {
  return sizeOf(() => {
    const yearly = new Decimal(deviation).times(new Decimal(YEAR_MS).div(barMs).sqrt());
    if (!(barMs > 0) || (yearly.isNegative() && !yearly.isZero())) return null;
    const share = yearly.isZero() ? new Decimal(cap) : Decimal.min(cap, new Decimal(target).div(yearly));
    return new Decimal(equity).times(share).div(price);
  });
}

/** What `kellySize` computes with. */
export interface KellyOf {
  /** Share of trades that win, 0 to 1. */
  readonly winRate: Amount;
  /** Mean win over mean loss, both as amounts above 0. */
  readonly payoff: Amount;
  /** Part of the full Kelly share that is traded; 0.5 by default. */
  readonly fraction?: Amount;
  /** Largest share of the equity; 0.25 by default. */
  readonly cap?: Amount;
}

/**
 * Returns a fraction of the equity: min(cap, fraction x (winRate - (1 - winRate) / payoff)), 0 where the edge is negative. An order of size 0
 * is denied. Estimates of winRate and payoff err, and the full Kelly share is too large for them: hence the fraction and the cap. Source of
 * the formula: J. L. Kelly, A New Interpretation of Information Rate, Bell System Technical Journal 35 (1956).
 */
export function kellySize({ winRate, payoff, fraction = '0.5', cap = '0.25' }: KellyOf): Size {
  const share = orNull(() => {
    const wins = new Decimal(winRate);
    const edge = wins.minus(new Decimal(1).minus(wins).div(payoff));
    if (wins.isNegative() || wins.greaterThan(1) || !new Decimal(payoff).greaterThan(0)) return null;
    return Decimal.max(0, Decimal.min(cap, edge.times(fraction)));
  });
  return { equity: share ?? NaN };
}

function sizeOf(compute: () => Decimal | null): Size {
  return { base: orNull(compute) ?? NaN };
}

/** Returns the result; null if it is not finite, or if a figure is not a number. */
function orNull(compute: () => Decimal | null): Decimal | null {
  try {
    const result = compute();
    return result?.isFinite() === true ? result : null;
  } catch {
    return null;
  }
}
