// Finds the bars at which the price turned, and decides whether a list of bars has more turns than the ranges of its bars explain.

/** Bars, or days, that may be turns. */
export interface TimedPrices {
  readonly openMs: ArrayLike<number>;
  readonly high: ArrayLike<number>;
  readonly low: ArrayLike<number>;
  readonly close: ArrayLike<number>;
  readonly length: number;
}

/** The turns of bars by several measures. Each measure has two bits: one for a low, and one for a high. */
export interface BarTurns {
  /** The bits of each row. */
  readonly turns: Uint16Array;
  /** The class of the range of each row, from 0. */
  readonly classes: Uint8Array;
  /** For each class, measure and way: the share of the bars of that class that turned so. See `shareIndex`. */
  readonly shares: Float64Array;
}

/** Minimum share of listed bars that are turns. */
const MIN_SHARE = 0.9;
/** Minimum evidence: minus the logarithm of the chance that a list of other bars has as many turns. The chance is one in 500 million. */
const MIN_EVIDENCE = 20;
/** Numbers of bars on each side of a turn that are all higher than a low, or all lower than a high. */
const WINGS = [2, 3, 6];
const WIDEST_WING = 6;
/** The measures: the turn of the close with each wing, then that of the low or high. */
const MEASURES = 2 * WINGS.length;
/** The ways to turn, as bits of a measure. */
const LOW = 1;
const HIGH = 2;
const EITHER = 3;
/** Number of bars on each side with which the range of a bar is compared. */
const BARS_BESIDE = 3;
/** Classes of ranges: two for each doubling of the range. The middle one has the mean range of the bars on both sides. */
const CLASSES = 16;
const MIDDLE_CLASS = 6;
/** The ways in which the first, third, … and the second, fourth, … bar of a list turn. */
const PATTERNS: readonly (readonly [one: number, next: number])[] = [
  [LOW, LOW],
  [HIGH, HIGH],
  [LOW, HIGH],
  [HIGH, LOW],
  [EITHER, EITHER],
];

const shareIndex = (rangeClass: number, measure: number, way: number): number => (rangeClass * MEASURES + measure) * (EITHER + 1) + way;

/** Returns the turns of bars. */
export function barTurnsOf(prices: TimedPrices): BarTurns {
  const { high, low, close, length } = prices;
  const turns = new Uint16Array(length);
  const classes = new Uint8Array(length);
  const rowCounts = new Float64Array(CLASSES);
  const turnCounts = new Float64Array(shareIndex(CLASSES, 0, 0));
  for (let row = WIDEST_WING; row < length - WIDEST_WING; row++) {
    const rangeClass = rangeClassOf(prices, row);
    classes[row] = rangeClass;
    rowCounts[rangeClass]!++;
    const bits =
      bitsOf(wingOf(close, row, -1), wingOf(close, row, 1)) | (bitsOf(wingOf(low, row, -1), wingOf(high, row, 1)) << (2 * WINGS.length));
    if (bits === 0) continue;
    turns[row] = bits;
    for (let measure = 0; measure < MEASURES; measure++) {
      for (let way = LOW; way <= EITHER; way++) {
        if (((bits >> (2 * measure)) & way) !== 0) turnCounts[shareIndex(rangeClass, measure, way)]!++;
      }
    }
  }
  // One more bar that turned in every way keeps the shares of small classes above 0.
  const shares = turnCounts.map((count, index) => (count + 1) / (rowCounts[Math.floor(index / shareIndex(1, 0, 0))]! + 1));
  return { turns, classes, shares };
}

/** Returns on how many bars of each side the value is above all others (`sign` 1), or below all others (-1). At most WIDEST_WING. */
function wingOf(values: ArrayLike<number>, row: number, sign: 1 | -1): number {
  const edge = sign * values[row]!;
  let wing = 0;
  while (wing < WIDEST_WING && edge > sign * values[row - wing - 1]! && edge > sign * values[row + wing + 1]!) wing++;
  return wing;
}

/** Returns the bits of a row for each wing. */
function bitsOf(lowWing: number, highWing: number): number {
  let bits = 0;
  for (let index = 0; index < WINGS.length; index++) {
    const wing = WINGS[index]!;
    if (lowWing >= wing) bits |= LOW << (2 * index);
    if (highWing >= wing) bits |= HIGH << (2 * index);
  }
  return bits;
}

/** Returns the class of the range of a bar, relative to the mean range of the bars on both sides. */
function rangeClassOf({ high, low }: TimedPrices, row: number): number {
  let rangeBeside = 0;
  for (let distance = 1; distance <= BARS_BESIDE; distance++) {
    rangeBeside += high[row - distance]! - low[row - distance]! + high[row + distance]! - low[row + distance]!;
  }
  const ratio = ((high[row]! - low[row]!) * 2 * BARS_BESIDE) / rangeBeside;
  return ratio > 0 ? Math.max(0, Math.min(CLASSES - 1, MIDDLE_CLASS + Math.round(2 * Math.log2(ratio)))) : 0;
}

/**
 * True when the rows of a list are turns: all of them lows, all highs, lows and highs alternately, or both in any order. A bar with a great range is
 * often a turn. So the expected number of turns is that of bars with the same ranges.
 */
export function areTurns({ turns, classes, shares }: BarTurns, rows: readonly number[]): boolean {
  for (let measure = 0; measure < MEASURES; measure++) {
    for (const ways of PATTERNS) {
      let found = 0;
      let expected = 0;
      for (const [index, row] of rows.entries()) {
        const way = ways[index % 2]!;
        if ((((turns[row] ?? 0) >> (2 * measure)) & way) !== 0) found++;
        expected += shares[shareIndex(classes[row] ?? 0, measure, way)]!;
      }
      if (found >= MIN_SHARE * rows.length && evidenceOf(found, expected, rows.length) >= MIN_EVIDENCE) return true;
    }
  }
  return false;
}

/** Returns minus the logarithm of the chance that at least `found` of `count` bars turn: at least the returned number, by Chernoff's bound. */
function evidenceOf(found: number, expected: number, count: number): number {
  if (found <= expected) return 0;
  const others = count - found;
  return found * Math.log(found / expected) + (others === 0 ? 0 : others * Math.log(others / (count - expected)));
}
