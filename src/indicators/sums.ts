// Sums over a moving window without growing errors (whole ticks for prices, compensated floats otherwise), and exact comparisons of sums.

import { ConfigError } from '../base/errors.ts';
import { listOf } from '../base/memory/listOf.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { ScaledColumn, Wiring } from './graph/spec.ts';
import type { IndicatorColumn, Fractions } from './graph/window.ts';

/**
 * Returns a bound of the weighted window sums. `weight` is the sum of the weights of one window.
 * Throws ConfigError when a sum of ticks could exceed 2^53. Above 2^53, doubles cannot hold all whole numbers.
 */
export function checkExactSum(name: string, { column, scale }: ScaledColumn, weight: number): number {
  const { values } = column;
  // Searches a column of 32-bit ticks only when a window could exceed the limit at all.
  const max = values instanceof Int32Array && weight <= 2 ** 22 ? 2 ** 31 : highestOf(values);
  if (weight * Math.max(max, scale) <= 2 ** 53) return weight * max;
  throw new ConfigError(
    `${name}: expected window sums below 2^53 ticks, got up to ${weight * Math.max(max, scale)}`,
    'use fewer bars, or import the data with fewer price digits (--round-to-tick)',
  );
}

/** Returns the highest value of a column, or 0. */
function highestOf(values: TickColumn): number {
  let max = 0;
  for (let i = 0; i < values.length; i++) if (values[i]! > max) max = values[i]!;
  return max;
}

/** Sources with one scale: whole ticks, or plain numbers with the scale 1. */
export interface ScaledColumns {
  readonly columns: readonly IndicatorColumn<TickColumn>[];
  readonly scale: number;
}

/**
 * Returns the sources 0 to count - 1 in whole ticks when all are prices, so that their differences are exact. Otherwise returns their
 * numbers.
 */
export function onOneScale(wiring: Wiring, count: number): ScaledColumns {
  const sources = Array.from({ length: count }, (_, source) => wiring.scaled(source));
  if (sources.every((source) => source.isWhole)) return { columns: listOf(sources, (source) => source.column), scale: sources[0]!.scale };
  return { columns: listOf(sources, (_, source) => wiring.numbers(source)), scale: 1 };
}

/**
 * Two series for a comparison: `a * aTimes` and `b * bTimes` compare (>, =, <, not ready) exactly like the values that strategies read.
 */
export interface Comparable {
  readonly a: IndicatorColumn<Float64Array>;
  readonly aTimes: number;
  readonly b: IndicatorColumn<Float64Array>;
  readonly bTimes: number;
}

/**
 * Returns the sources `a` and `b` for a kernel that compares them: undivided sums when that is exact, otherwise the values that strategies
 * read.
 */
export function comparable(wiring: Wiring, a: number, b: number): Comparable {
  const aFractions = wiring.fractions(a);
  const bFractions = wiring.fractions(b);
  const times = crossMultipliers(aFractions, bFractions);
  if (times !== null) return { a: aFractions, aTimes: times[0], b: bFractions, bTimes: times[1] };
  return { a: wiring.numbers(a), aTimes: 1, b: wiring.numbers(b), bTimes: 1 };
}

/**
 * Returns whole numbers [m, n] such that `x * m` and `y * n` compare exactly as the *rounded* quotients `x / a.divisor` and `y /
 * b.divisor`, for all x and y within their bounds. Null when no such numbers exist.
 *
 * With p and q the divisors without their common factor g, x / (g p) and y / (g q) are equal if and only if x q = y p, and their quotients
 * are then equal too. Otherwise they differ by at least 1 / (g p q). Two numbers that round to one double differ by at most the larger of
 * them x 2^-52, here max(x q, y p) 2^-52 / (g p q). This is less than 1 / (g p q) while both products are below 2^52, where they are also
 * exact. Rounding keeps the order, so the quotients differ in the same direction.
 */
export function crossMultipliers(
  a: Pick<Fractions, 'divisor' | 'max'>,
  b: Pick<Fractions, 'divisor' | 'max'>,
): readonly [number, number] | null {
  const common = commonFactor(a.divisor, b.divisor);
  const timesA = b.divisor / common;
  const timesB = a.divisor / common;
  return a.max * timesA < 2 ** 52 && b.max * timesB < 2 ** 52 ? [timesA, timesB] : null;
}

/** Returns the greatest common divisor of two whole numbers. */
function commonFactor(a: number, b: number): number {
  return b === 0 ? a : commonFactor(b, a % b);
}

/**
 * A running sum that carries the rounding error of every step (Knuth's TwoSum). After a million additions and subtractions it is as
 * accurate as a new sum. Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B.
 */
export class CompensatedSum {
  #sum = 0;
  #roundingError = 0;

  /** Adds a value, and the rounding error of the addition to a second sum (Neumaier's variant of Kahan's summation). */
  add(x: number): void {
    const sum = this.#sum;
    const newSum = sum + x;
    const added = newSum - sum;
    this.#roundingError += sum - (newSum - added) + (x - added);
    this.#sum = newSum;
  }

  /** The sum, corrected by the collected rounding errors. */
  get value(): number {
    return this.#sum + this.#roundingError;
  }

  /** Sets the sum to 0. */
  reset(): void {
    this.#sum = 0;
    this.#roundingError = 0;
  }
}

/**
 * An exponential average that carries the rounding error of each step. The difference of two such averages stays accurate when they are
 * nearly equal.
 */
export class CompensatedMean {
  readonly #bars: number;
  readonly #weight: number;
  #mean = 0;
  #roundingError = 0;
  #count = 0;

  constructor(bars: number) {
    this.#bars = bars;
    this.#weight = 2 / (bars + 1);
  }

  /** True once `bars` values have been added. */
  get isReady(): boolean {
    return this.#count === this.#bars;
  }

  /** The average; before `isReady` the sum of the values. */
  get mean(): number {
    return this.#mean;
  }

  /** The rounding error of `mean`: the exact average is `mean` + `roundingError`. */
  get roundingError(): number {
    return this.#roundingError;
  }

  /** Forgets all values. */
  reset(): void {
    this.#mean = this.#roundingError = this.#count = 0;
  }

  /** Adds a value. The mean is the sum of the values until `isReady`. */
  add(x: number): void {
    if (this.#count < this.#bars) {
      this.#mean += x;
      if (++this.#count === this.#bars) this.#mean /= this.#bars;
      return;
    }
    const step = this.#weight * (x - this.#mean - this.#roundingError);
    const newMean = this.#mean + step;
    const added = newMean - this.#mean;
    this.#roundingError += this.#mean - (newMean - added) + (step - added);
    this.#mean = newMean;
  }
}
