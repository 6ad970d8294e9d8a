// How far to believe a Sharpe ratio: its probabilistic form, what chance makes of the best of many, and the normal distribution below both.

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
  return probabilityAbove({ n, sharpe: mean(returns) / deviation(returns), ...shape(returns) }, annualSharpe / Math.sqrt(DAYS_PER_YEAR));
}

/** What the belief in a Sharpe ratio rests on; `sharpe` is that of one period, not of a year. */
export interface SharpeSample {
  readonly n: number;
  readonly sharpe: number;
  readonly skew: number;
  readonly excessKurtosis: number;
}

/** The probabilistic Sharpe ratio from moments: the chance that the true ratio of a period exceeds `bar`. */
export function probabilityAbove({ n, sharpe, skew, excessKurtosis }: SharpeSample, bar: number): Figure {
  const radicand = 1 - skew * sharpe + ((excessKurtosis + 2) / 4) * sharpe * sharpe;
  if (!(radicand > 0)) return 'non-finite';
  return normalCdf(((sharpe - bar) * Math.sqrt(n - 1)) / Math.sqrt(radicand));
}

const EULER = 0.577_215_664_901_532_9;

/**
 * The Sharpe ratio that the best of `trials` independent ones without any skill is expected to show, where those ratios spread by
 * `spread` (sample standard deviation; the result has its unit). Bailey and Lopez de Prado, "The Deflated Sharpe Ratio" (2014).
 */
export function expectedBestSharpe(trials: number, spread: number): Figure {
  if (trials < 2) return 'no-trials';
  return spread * ((1 - EULER) * upperQuantile(1 / trials) + EULER * upperQuantile(1 / (trials * Math.E)));
}

/** What a standard normal exceeds with probability `tail` (0 to 1, exclusive), to some 1e-14. */
export function upperQuantile(tail: number): number {
  if (tail > 0.5) return -upperQuantile(1 - tail);
  // Abramowitz and Stegun 26.2.23 to 4.5e-4, then Halley's steps on the distribution itself, whose small tail is exact.
  const t = Math.sqrt(-2 * Math.log(tail));
  let x = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (let turn = 0; turn < 3; turn++) {
    const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
    const step = (normalCdf(-x) - tail) / density;
    x += step / (1 - (x * step) / 2);
  }
  return x;
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
