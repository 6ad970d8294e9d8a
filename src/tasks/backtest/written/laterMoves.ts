// Finds external series whose values follow from later moves of the price: labels for a model, centred averages, filters that run in both directions,
// turning points. Their prices are not those of later bars, but their ranks agree with the ranks of the moves that come after the bar.

import type { FeedPlan, RunPlan, SeriesPlan } from '../../../definition/plan/plan.ts';
import { LATER_TEXTS, type Proof } from '../../../model/run/proof.ts';
import { formatTime } from '../../../model/time.ts';
import { laterPrices } from './laterPrices.ts';

/** Numbers of bars after a value over which the price may move as the value says. A value may also say how it moves until the next one. */
const HORIZONS = [1, 2, 4, 8, 16, 48] as const;
const UNTIL_NEXT = 0;
/** Rows of a feed that are compared at most, and pairs of a value and a move at least. */
const MAX_ROWS = 50_000;
const MIN_PAIRS = 16;
/** Minimum correlation of the ranks. No known value foretells a market so well. */
const MIN_CORRELATION = 0.5;
/** Minimum evidence, in standard deviations. One in a billion pairs of independent lists has it. */
const MIN_DEVIATIONS = 6;
/** Correlation with its own earlier moves, and its evidence, from which a price can be foretold by what is known, such as a wave. */
const MAX_OWN_CORRELATION = 0.3;
const OWN_DEVIATIONS = 4;
/** Share of the bars that repeat the close before, from which the close of a market is often older than what is known elsewhere. */
const MAX_STILL_SHARE = 0.2;

/** The newest value of a series at the close of each row, and the rows at which it changes. */
interface ValuesAtCloses {
  readonly value: Float64Array;
  readonly changedRows: readonly number[];
}

/** Returns the proof of purity that a series or a feed refutes with values from after a bar; null: none does. `all`: the plan with all rows. */
export function laterValues(plan: RunPlan, all = plan): Proof | null {
  return laterPrices(plan) ?? laterMoves(all);
}

/** Returns the proof of purity that a series refutes whose values show later moves; null: none does. */
export function laterMoves({ feeds, series = [] }: Pick<RunPlan, 'feeds' | 'series'>): Proof | null {
  if (series.length === 0) return null;
  for (const { bars, isExecutionOnly } of feeds) {
    if (isExecutionOnly === true || bars.tape !== undefined || bars.window !== undefined) continue;
    const ofFeed = series.filter(({ symbol }) => symbol === null || symbol === bars.instrument.wireName);
    if (ofFeed.length === 0) continue;
    const prices = Float64Array.from(bars.close.subarray(0, Math.min(bars.length, MAX_ROWS)), Math.log);
    if (isStill(prices) || isForetoldByItself(prices)) continue;
    for (const each of ofFeed) {
      const row = firstAgreeingRow(prices, valuesAtCloses(bars, prices.length, each));
      if (row !== null) return proofOf(bars, each, row);
    }
  }
  return null;
}

/** Returns the proof with the first value that was compared. */
function proofOf({ instrument, interval, closeMs }: FeedPlan['bars'], { name }: SeriesPlan, row: number): Proof {
  return {
    name: 'purity',
    verdict: 'refuted',
    text: LATER_TEXTS.moves,
    first: {
      time: formatTime(closeMs[row]!),
      feed: `${instrument.wireName} ${interval}`,
      what: `a value of the series ${name}`,
      expected: 'a value that was known',
      actual: 'a value that agrees with the moves after its bar',
    },
    file: null,
    line: null,
  };
}

/** Returns the newest values that are known at the closes of rows. */
function valuesAtCloses({ closeMs }: FeedPlan['bars'], rows: number, { values }: SeriesPlan): ValuesAtCloses {
  const value = new Float64Array(rows).fill(NaN);
  const changedRows: number[] = [];
  let known = 0;
  let newest = NaN;
  let newestMs = -Infinity;
  for (let row = 0; row < rows; row++) {
    for (; known < values.length && values.knownMs[known]! <= closeMs[row]!; known++) {
      if (values.timeMs[known]! < newestMs) continue;
      newestMs = values.timeMs[known]!;
      newest = values.value[known]!;
    }
    value[row] = newest;
    if (row > 0 && !Number.isNaN(newest) && newest !== value[row - 1]) changedRows.push(row);
  }
  return { value, changedRows };
}

/**
 * Returns the first compared row of a series whose values, their changes, or their distances from the close agree with later moves over one of the
 * horizons; null: they do not. `prices`: natural logarithms of the closes.
 */
function firstAgreeingRow(prices: Float64Array, { value, changedRows }: ValuesAtCloses): number | null {
  for (const horizon of [UNTIL_NEXT, ...HORIZONS]) {
    const levels: number[] = [];
    const changes: number[] = [];
    const gaps: number[] = [];
    const moves: number[] = [];
    let first = -1;
    let before = 0;
    for (const [index, row] of changedRows.entries()) {
      const end = horizon === UNTIL_NEXT ? (changedRows[index + 1] ?? prices.length) : row + horizon;
      // Moves that overlap are one observation, not two.
      if (end >= prices.length) break;
      if (index === 0 || (first >= 0 && row < before + horizon)) continue;
      if (first < 0) first = row;
      before = row;
      levels.push(value[row]!);
      changes.push(value[row]! - (Number.isNaN(value[row - 1]!) ? value[row]! : value[row - 1]!));
      // A smoothed price says by its distance from the close where the price goes.
      gaps.push(value[row]! - Math.exp(prices[row]!));
      moves.push(prices[end]! - prices[row]!);
    }
    if ([levels, changes, gaps].some((values) => areAlike(values, moves, MIN_CORRELATION, MIN_DEVIATIONS))) return first;
  }
  return null;
}

/** True when more than a share of the closes are those of the bar before. */
function isStill(prices: Float64Array): boolean {
  const still = prices.reduce((count, price, row) => count + Number(row > 0 && price === prices[row - 1]), 0);
  return still > MAX_STILL_SHARE * prices.length;
}

/** True when the moves of a price agree with its own earlier moves, so that known prices foretell it. */
function isForetoldByItself(prices: Float64Array): boolean {
  return HORIZONS.some((horizon) =>
    HORIZONS.some((rowsBefore) => {
      const earlier: number[] = [];
      const later: number[] = [];
      for (let row = Math.max(horizon, rowsBefore); row + horizon < prices.length; row += horizon) {
        earlier.push(prices[row]! - prices[row - rowsBefore]!);
        later.push(prices[row + horizon]! - prices[row]!);
      }
      return areAlike(earlier, later, MAX_OWN_CORRELATION, OWN_DEVIATIONS);
    }),
  );
}

/** True when the ranks of two lists agree, or disagree, by at least this correlation and evidence. */
function areAlike(one: readonly number[], other: readonly number[], minCorrelation: number, minDeviations: number): boolean {
  if (one.length < MIN_PAIRS) return false;
  const correlation = Math.min(1 - 1e-9, Math.abs(correlationOf(ranksOf(one), ranksOf(other))));
  // Fisher's transformation of a correlation has a known standard deviation.
  return correlation >= minCorrelation && Math.atanh(correlation) * Math.sqrt(one.length - 3) >= minDeviations;
}

/** Returns the place of each value in the sorted list; equal values share the mean of their places. */
function ranksOf(values: readonly number[]): Float64Array {
  const order = Array.from(values.keys()).toSorted((a, b) => values[a]! - values[b]!);
  const ranks = new Float64Array(values.length);
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && values[order[to]!] === values[order[from]!]) to++;
    for (const index of order.slice(from, to)) ranks[index] = (from + to - 1) / 2;
    from = to;
  }
  return ranks;
}

/** Returns Pearson's correlation; 0 where a list has one value only. */
function correlationOf(one: Float64Array, other: Float64Array): number {
  const middle = (one.length - 1) / 2;
  let product = 0;
  let squares = 0;
  let otherSquares = 0;
  for (let index = 0; index < one.length; index++) {
    const a = one[index]! - middle;
    const b = other[index]! - middle;
    product += a * b;
    squares += a * a;
    otherSquares += b * b;
  }
  return squares > 0 && otherSquares > 0 ? product / Math.sqrt(squares * otherSquares) : 0;
}
