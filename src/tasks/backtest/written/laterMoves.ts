// Finds external series whose values follow the moves of later bars. Examples are labels of the next day, a centred mean, and a filter that
// runs in both directions. Such a series was computed from prices that a strategy could not know. So was one that was scaled by all of its
// values.

import { largestOf } from '../../../base/number/extremes.ts';
import { firstFrom } from '../../../base/number/search.ts';
import { typicalLengthMs } from '../../../model/interval.ts';
import { formatTime } from '../../../model/time.ts';
import { LATER_TEXTS, type Proof } from '../../../model/run/proof.ts';
import type { FeedPlan, RunPlan, SeriesPlan } from '../../../definition/plan/plan.ts';
import { laterPrices } from './laterPrices.ts';

/** Shorter bars are not judged: prices of a market that leads may follow their next moves. */
const MIN_BAR_MS = 60_000;
/** Pairs of a feed and a series that are judged at most. */
const MAX_PAIRS = 64;
/** Values of a series that are read at most, and compared at most. */
const MAX_READ = 100_000;
const MAX_VALUES = 500;
/** Numbers of bars over which a move is measured. The usual distance of two values, and twice that, are added. */
const MOVE_ROWS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96] as const;
/** Moves that do not overlap, at least. */
const MIN_MOVES = 30;
/** Smallest rank correlation. Values that were known seldom reach a tenth of it with the moves of whole bars. */
const MIN_CORRELATION = 0.5;
/** Smallest evidence, in standard deviations: the correlation times the square root of the number of moves. Chance reaches it about once in a million comparisons. */
const MIN_SIGNIFICANCE = 5;
/** Largest share of bars without a move. A price that trades seldom follows that of a busier market, which would look like a later move. */
const MAX_STILL_SHARE = 0.1;
/** The correlation must be this many times that of earlier moves, because prices of some data repeat themselves. */
const MIN_TIMES_OF_EARLIER = 2;

/** Minimum number of values from which a mean of 0 and a deviation of 1 are no chance. */
const MIN_STANDARDISED = 500;
/** Maximum distance of that mean from 0, and of that deviation from 1. */
const MAX_STANDARDISED_ERROR = 1e-5;
/** Minimum number of different sizes of such values. Signs, which are 1 and -1, have a deviation of 1 without being scaled. */
const MIN_STANDARDISED_SIZES = 20;

/** A value of a series, and the first row of the feed that opens when the value is known or later. */
interface ValueBeforeRow {
  readonly value: number;
  readonly previousValue: number;
  readonly row: number;
}

/** What a value says: itself, its change, and, if it is a price, its distance from the price of the feed. */
type ValueSignal = (at: ValueBeforeRow, price: number) => number;
const VALUE: ValueSignal = ({ value }) => value;
const CHANGE: ValueSignal = ({ value, previousValue }) => value - previousValue;
const DISTANCE: ValueSignal = ({ value }, price) => value - price;

/** The correlation of the moves of a feed with earlier ones, by the number of rows of a move. Computed once for each number. */
type EarlierCorrelations = Map<number, number>;
/** Values between these shares of the price are prices. */
const PRICE_SHARES = { min: 0.5, max: 2 };

/**
 * Returns the proof of purity that a series or a feed refutes with values from after a bar; null: none does. `all`: the plan with all rows; `plan` may have
 * a part of them.
 */
export function laterValues(plan: RunPlan, all = plan): Proof | null {
  return laterPrices(plan) ?? laterMoves(all) ?? standardisedSeries(all);
}

/** Returns the proof of purity that a series refutes whose values follow later moves; null: none does. */
export function laterMoves({ feeds, series = [] }: Pick<RunPlan, 'feeds' | 'series'>): Proof | null {
  const judged = feeds.filter(
    ({ bars, isExecutionOnly }) =>
      isExecutionOnly !== true && bars.tape === undefined && bars.window === undefined && typicalLengthMs(bars.interval) >= MIN_BAR_MS,
  );
  const pairs = series.flatMap((each) =>
    judged
      .filter(({ bars }) => each.symbol === null || each.symbol === bars.instrument.wireName)
      .map(({ bars }, nth) => ({ bars, series: each, nth })),
  );
  // Each series with its first feed comes before its other feeds.
  for (const pair of pairs.toSorted((a, b) => a.nth - b.nth).slice(0, MAX_PAIRS)) {
    const proof = proofOf(pair.bars, pair.series);
    if (proof !== null) return proof;
  }
  return null;
}

/** Returns the proof if values of the series follow the next moves of the bars more closely than chance and earlier moves do; else null. */
function proofOf(bars: FeedPlan['bars'], { name, values }: SeriesPlan): Proof | null {
  if (bars.length === 0) return null;
  const indexes = indexesWithin(bars, values);
  const earlierByRows: EarlierCorrelations = new Map();
  for (const selected of [indexes, changesAmong(indexes, values), rareAmong(indexes, values)]) {
    const proof = proofOfValues(bars, name, valuesBeforeRows(bars, values, selected), earlierByRows);
    if (proof !== null) return proof;
  }
  return null;
}

/** Returns the proof if a signal of these values follows the next moves; else null. */
function proofOfValues(
  bars: FeedPlan['bars'],
  name: string,
  atRows: readonly ValueBeforeRow[],
  earlierByRows: EarlierCorrelations,
): Proof | null {
  const stillRows = atRows.filter(({ row }) => bars.open[row] === bars.close[row]);
  if (atRows.length < MIN_MOVES || stillRows.length > MAX_STILL_SHARE * atRows.length) return null;
  for (const moveRows of new Set([...MOVE_ROWS, ...rowsBetween(atRows)])) {
    const judged = atRows.filter(({ row }) => row >= moveRows && row + moveRows <= bars.length);
    const [first] = judged;
    const moveCount = countApart(judged, moveRows);
    if (first === undefined || moveCount < MIN_MOVES) continue;
    const nextMoves = ranksOf(judged.map(({ row }) => bars.close[row + moveRows - 1]! / bars.open[row]!));
    for (const signalOf of signalsFor(judged, bars)) {
      const signals = ranksOf(judged.map((at) => signalOf(at, bars.open[at.row]!)));
      const correlation = Math.abs(correlationOf(signals, nextMoves));
      const isFollowed = correlation >= MIN_CORRELATION && correlation * Math.sqrt(moveCount) >= MIN_SIGNIFICANCE;
      if (!isFollowed) continue;
      const earlier = earlierByRows.get(moveRows) ?? earlierCorrelation(bars, moveRows);
      earlierByRows.set(moveRows, earlier);
      if (correlation < MIN_TIMES_OF_EARLIER * earlier) continue;
      const bar = moveRows === 1 ? 'the next bar' : `the next ${moveRows} bars`;
      return {
        name: 'purity',
        verdict: 'refuted',
        text: LATER_TEXTS.moves,
        first: {
          time: formatTime(bars.openMs[first.row]!),
          feed: `${bars.instrument.wireName} ${bars.interval}`,
          what: `the values of the series ${name}`,
          expected: 'values that were known',
          actual: `values whose rank correlation with the moves of ${bar} is ${correlation.toFixed(2)}`,
        },
        file: null,
        line: null,
      };
    }
  }
  return null;
}

/**
 * Returns the refuted proof of purity if a series was scaled by the mean and the deviation of all of its values. They are then 0 and 1 to
 * five digits. Neither was known when the first value became known. Null: no series was.
 */
export function standardisedSeries({ series = [] }: Pick<RunPlan, 'series'>): Proof | null {
  for (const { name, symbol, values } of series) {
    if (!isStandardised(values)) continue;
    return {
      name: 'purity',
      verdict: 'refuted',
      text: LATER_TEXTS.scaled,
      first: {
        time: formatTime(values.knownMs[0]!),
        feed: symbol,
        what: `the values of the series ${name}`,
        expected: 'values that were known',
        actual: `values whose mean is 0 and whose deviation is 1 over all ${values.length} of them`,
      },
      file: null,
      line: null,
    };
  }
  return null;
}

/** True for values of many sizes with a mean of 0 and a deviation of 1, of all of them or of one fewer. */
function isStandardised({ value, length }: SeriesPlan['values']): boolean {
  if (length < MIN_STANDARDISED) return false;
  const sizes = new Set<number>();
  let sum = 0;
  let squares = 0;
  for (let index = 0; index < length; index++) {
    if (sizes.size < MIN_STANDARDISED_SIZES) sizes.add(Math.abs(value[index]!));
    sum += value[index]!;
    squares += value[index]! ** 2;
  }
  const isUnit = (count: number): boolean => Math.abs(Math.sqrt(squares / count) - 1) <= MAX_STANDARDISED_ERROR;
  const hasMeanZero = Math.abs(sum / length) <= MAX_STANDARDISED_ERROR;
  return sizes.size >= MIN_STANDARDISED_SIZES && hasMeanZero && (isUnit(length) || isUnit(length - 1));
}

/** Returns the signals that these values can give. */
function signalsFor(atRows: readonly ValueBeforeRow[], { open }: FeedPlan['bars']): readonly ValueSignal[] {
  const arePrices = atRows.every(({ value, row }) => value > PRICE_SHARES.min * open[row]! && value < PRICE_SHARES.max * open[row]!);
  return arePrices ? [VALUE, CHANGE, DISTANCE] : [VALUE, CHANGE];
}

/** Returns how many of the moves that follow the values do not overlap. */
function countApart(atRows: readonly ValueBeforeRow[], moveRows: number): number {
  let count = 0;
  let endRow = -Infinity;
  for (const { row } of atRows) {
    if (row < endRow) continue;
    count++;
    endRow = row + moveRows;
  }
  return count;
}

/** Returns the largest correlation of moves over this many rows with what was known before them: the price, and earlier moves. */
function earlierCorrelation({ open, close, length }: FeedPlan['bars'], moveRows: number): number {
  const stride = Math.max(1, Math.ceil(length / MAX_VALUES));
  const rows = Array.from({ length: Math.floor((length - moveRows) / stride) }, (_, place) => place * stride);
  const nextMoves = ranksOf(rows.map((row) => close[row + moveRows - 1]! / open[row]!));
  const signals = [
    rows.map((row) => open[row]!),
    ...MOVE_ROWS.map((earlierRows) => rows.map((row) => open[row]! / open[Math.max(0, row - earlierRows)]!)),
  ];
  return largestOf(signals.map((signal) => Math.abs(correlationOf(ranksOf(signal), nextMoves))));
}

/** Returns the indexes of the values that become known while the feed has bars, from the second value on. */
function indexesWithin({ openMs, length }: FeedPlan['bars'], { knownMs, length: count }: SeriesPlan['values']): readonly number[] {
  const begin = Math.max(1, firstFrom(knownMs, count, openMs[0]!));
  const end = Math.min(begin + MAX_READ, firstFrom(knownMs, count, openMs[length - 1]!));
  return Array.from({ length: Math.max(0, end - begin) }, (_, offset) => begin + offset);
}
/** Returns the indexes of values that differ from the one before, such as those of a day in a series with a value for each hour. */
const changesAmong = (indexes: readonly number[], { value }: SeriesPlan['values']): readonly number[] =>
  indexes.filter((index) => value[index] !== value[index - 1]);
/** Returns the indexes of values other than the most frequent one, if that is more than half of them, such as the 0 between marks of turns. */
function rareAmong(indexes: readonly number[], { value }: SeriesPlan['values']): readonly number[] {
  const counts = new Map<number, number>();
  for (const index of indexes) counts.set(value[index]!, (counts.get(value[index]!) ?? 0) + 1);
  const frequent = Array.from(counts).find(([, count]) => count > indexes.length / 2);
  return frequent === undefined ? [] : indexes.filter((index) => value[index] !== frequent[0]);
}

/** Returns up to MAX_VALUES of the values, evenly spread, each at the first row that opens when it is known. Of several before one row the last counts. */
function valuesBeforeRows(
  { openMs, length }: FeedPlan['bars'],
  { knownMs, value }: SeriesPlan['values'],
  indexes: readonly number[],
): readonly ValueBeforeRow[] {
  const atRows: ValueBeforeRow[] = [];
  const stride = Math.max(1, Math.ceil(indexes.length / MAX_VALUES));
  for (let place = 0; place < indexes.length; place += stride) {
    const index = indexes[place]!;
    const row = firstFrom(openMs, length, knownMs[index]!);
    const at = { value: value[index]!, previousValue: value[index - 1]!, row };
    if (atRows.at(-1)?.row === row) atRows.pop();
    if (row < length && Number.isFinite(at.value) && Number.isFinite(at.previousValue)) atRows.push(at);
  }
  return atRows;
}

/** Returns the usual number of rows between two values, and twice that. */
function rowsBetween(atRows: readonly ValueBeforeRow[]): readonly number[] {
  const gaps = atRows.slice(1).map(({ row }, index) => row - atRows[index]!.row);
  const median = gaps.toSorted((a, b) => a - b)[Math.floor(gaps.length / 2)]!;
  return [median, 2 * median];
}

/** Returns the rank of each number, from 0. Equal numbers have the mean of their ranks. */
function ranksOf(numbers: readonly number[]): Float64Array {
  const order = Array.from(numbers.keys()).toSorted((a, b) => numbers[a]! - numbers[b]!);
  const ranks = new Float64Array(numbers.length);
  for (let begin = 0; begin < order.length;) {
    let end = begin;
    while (end < order.length && numbers[order[end]!] === numbers[order[begin]!]) end++;
    for (let place = begin; place < end; place++) ranks[order[place]!] = (begin + end - 1) / 2;
    begin = end;
  }
  return ranks;
}

/** Returns the correlation of two lists of ranks; 0 if one of them is constant. */
function correlationOf(a: Float64Array, b: Float64Array): number {
  const mean = (a.length - 1) / 2;
  let [product, squaresOfA, squaresOfB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    const [fromMeanA, fromMeanB] = [a[index]! - mean, b[index]! - mean];
    product += fromMeanA * fromMeanB;
    squaresOfA += fromMeanA ** 2;
    squaresOfB += fromMeanB ** 2;
  }
  return squaresOfA === 0 || squaresOfB === 0 ? 0 : product / Math.sqrt(squaresOfA * squaresOfB);
}
