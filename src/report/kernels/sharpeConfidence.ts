// Confidence in a Sharpe ratio: the probabilistic Sharpe ratio, the expected best of many trials, and the normal distribution for both.

import type { Figure } from './figure.ts';
import { DAYS_PER_YEAR } from './portfolio.ts';
import { deviation, isConstant, mean, shape } from './sums.ts';

/**
 * Returns the probability that the true Sharpe ratio exceeds `annualSharpe`, given the number, skew and kurtosis of the returns. Source:
 * Bailey and Lopez de Prado 2012, with the raw kurtosis that its formula requires.
 */
export function probabilisticSharpe(returns: Float64Array, annualSharpe: number, ruined = false): Figure {
  const count = returns.length;
  if (ruined) return 'ruined';
  if (count < 4) return 'too-few-returns';
  if (isConstant(returns)) return 'zero-variance';
  return probabilityAbove(
    { count, sharpe: mean(returns) / deviation(returns), ...shape(returns) },
    annualSharpe / Math.sqrt(DAYS_PER_YEAR),
  );
}

/** Statistics of a Sharpe ratio. `sharpe` is the ratio of one period, not the annual ratio. */
export interface SharpeSample {
  /** Number of returns. */
  readonly count: number;
  readonly sharpe: number;
  readonly skew: number;
  readonly excessKurtosis: number;
}

/** Returns the probabilistic Sharpe ratio from moments: the probability that the true ratio of a period exceeds `threshold`. */
export function probabilityAbove({ count, sharpe, skew, excessKurtosis }: SharpeSample, threshold: number): Figure {
  const radicand = 1 - skew * sharpe + ((excessKurtosis + 2) / 4) * sharpe * sharpe;
  if (!(radicand > 0)) return 'non-finite';
  return normalCdf(((sharpe - threshold) * Math.sqrt(count - 1)) / Math.sqrt(radicand));
}

/** The Euler-Mascheroni constant. */
const EULER = 0.577_215_664_901_532_9;

/**
 * Returns the Sharpe ratio that the best of `trials` independent trials without skill is expected to show. `ratioDeviation` is the sample standard
 * deviation of their ratios, and the result has its unit. Bailey and Lopez de Prado, "The Deflated Sharpe Ratio" (2014).
 */
export function expectedBestSharpe(trials: number, ratioDeviation: number): Figure {
  if (trials < 2) return 'no-trials';
  return ratioDeviation * ((1 - EULER) * upperQuantile(1 / trials) + EULER * upperQuantile(1 / (trials * Math.E)));
}

/** Returns the value that a standard normal variable exceeds with probability `tail` (0 to 1, exclusive), accurate to about 1e-14. */
export function upperQuantile(tail: number): number {
  if (tail > 0.5) return -upperQuantile(1 - tail);
  // Starts from Abramowitz and Stegun 26.2.23 (error 4.5e-4). Halley steps on the exact small tail then refine it.
  const transformed = Math.sqrt(-2 * Math.log(tail));
  let quantile =
    transformed -
    (2.515517 + transformed * (0.802853 + transformed * 0.010328)) /
      (1 + transformed * (1.432788 + transformed * (0.189269 + transformed * 0.001308)));
  for (let iteration = 0; iteration < 3; iteration++) {
    const density = Math.exp((-quantile * quantile) / 2) / Math.sqrt(2 * Math.PI);
    const newtonStep = (normalCdf(-quantile) - tail) / density;
    quantile += newtonStep / (1 - (quantile * newtonStep) / 2);
  }
  return quantile;
}

/** Returns the standard normal distribution function, accurate to about 1e-15 of the smaller tail. */
export function normalCdf(value: number): number {
  const magnitude = Math.abs(value);
  const density = Math.exp((-value * value) / 2) / Math.sqrt(2 * Math.PI);
  if (magnitude < 2.5) {
    // Phi = 1/2 + density * (x + x^3/3 + x^5/(3*5) + ...). All terms have the same sign.
    let term = value;
    let total = value;
    for (let divisor = 3; Math.abs(term) > Math.abs(total) * 1e-17; divisor += 2) {
      term *= (value * value) / divisor;
      total += term;
    }
    return 0.5 + density * total;
  }
  // Evaluates the continued fraction 1/(x + 1/(x + 2/(x + ...))) of the tail, from the innermost term outwards.
  let fraction = magnitude;
  for (let numerator = 120; numerator > 0; numerator--) fraction = magnitude + numerator / fraction;
  const tail = density / fraction;
  return value < 0 ? tail : 1 - tail;
}
