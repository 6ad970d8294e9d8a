// How far to believe a Sharpe ratio: the probabilistic Sharpe ratio, and the normal distribution it rests on.

import type { Figure } from './figure.ts';
import { DAYS_PER_YEAR } from './portfolio.ts';
import { deviation, isConstant, mean, shape } from './sums.ts';

/**
 * Probability that the true Sharpe ratio exceeds `annualSharpe`, given the returns' length, skew and kurtosis (Bailey and Lopez de Prado
 * 2012, with the raw kurtosis that its formula asks for).
 */
export function probabilisticSharpe(returns: Float64Array, annualSharpe: number, ruined = false): Figure {
  const n = returns.length;
  if (ruined) return 'ruined';
  if (n < 4) return 'too-few-returns';
  if (isConstant(returns)) return 'zero-variance';
  const sharpe = mean(returns) / deviation(returns);
  const { skew, excessKurtosis } = shape(returns);
  const radicand = 1 - skew * sharpe + ((excessKurtosis + 2) / 4) * sharpe * sharpe;
  if (!(radicand > 0)) return 'non-finite';
  return normalCdf(((sharpe - annualSharpe / Math.sqrt(DAYS_PER_YEAR)) * Math.sqrt(n - 1)) / Math.sqrt(radicand));
}

/** Standard normal distribution function, to about 1e-15 of the smaller tail. */
export function normalCdf(x: number): number {
  const far = Math.abs(x);
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  if (far < 2.5) {
    // Phi = 1/2 + density * (x + x^3/3 + x^5/(3*5) + ...): all terms of one sign.
    let term = x;
    let total = x;
    for (let k = 3; Math.abs(term) > Math.abs(total) * 1e-17; k += 2) total += term *= (x * x) / k;
    return 0.5 + density * total;
  }
  // The tail by its continued fraction 1/(x + 1/(x + 2/(x + ...))), from the inside out.
  let fraction = far;
  for (let k = 120; k > 0; k--) fraction = far + k / fraction;
  const tail = density / fraction;
  return x < 0 ? tail : 1 - tail;
}
