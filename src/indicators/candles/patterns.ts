// Candle patterns by the definitions of TA-Lib, with its default settings.

import type { FeedSeries, Series } from '../graph/series.ts';
import type { IndicatorSpec } from '../graph/spec.ts';
import { windowedSeries } from '../graph/stepped.ts';
import { Candles } from './candles.ts';
import { ConfigError } from '../../base/errors.ts';

/** The definition of one candle pattern. */
interface Pattern {
  /** Number of rows that the pattern reads, including the averages. */
  readonly bars: number;
  /** Returns the score of the pattern with its last candle at `i`: 100 or 80 (a weaker form) if it points upward, -100 or -80 if downward, else 0. */
  readonly scoreOf: (c: Candles, i: number) => number;
}

/** Returns `value` for a match, else 0. */
const score = (isMatch: boolean, value = 100) => (isMatch ? value : 0);

/** Returns true for a small body with a long shadow on the `long` side and almost no shadow on the other side. */
function isHammer(c: Candles, i: number, long: 'upper' | 'lower'): boolean {
  const [longShadow, otherShadow] = long === 'lower' ? [c.lower(i), c.upper(i)] : [c.upper(i), c.lower(i)];
  return c.body(i) < c.average('bodyShort', i) && longShadow > c.average('shadowLong', i) && otherShadow < c.average('shadowVeryShort', i);
}

/** Returns the score of a body that covers the previous body and has the other direction: 100, or 80 if one end of both bodies is equal. */
function engulfing(c: Candles, i: number): number {
  const direction = c.direction(i);
  const lastDirection = c.direction(i - 1);
  if (direction === lastDirection) return 0;
  const top = c.top(i);
  const bottom = c.bottom(i);
  const oldTop = c.top(i - 1);
  const oldBottom = c.bottom(i - 1);
  const isOuter = (top >= oldTop && bottom < oldBottom) || (top > oldTop && bottom <= oldBottom);
  if (!isOuter) return 0;
  return direction * (top !== oldTop && bottom !== oldBottom ? 100 : 80);
}

/** Returns the score of a long body, and then a body inside it that is at most the average of `small`. */
function harami(c: Candles, i: number, small: 'bodyShort' | 'bodyDoji'): number {
  if (!(c.body(i - 1) > c.average('bodyLong', i - 1) && c.body(i) <= c.average(small, i))) return 0;
  const top = c.top(i);
  const bottom = c.bottom(i);
  const oldTop = c.top(i - 1);
  const oldBottom = c.bottom(i - 1);
  if (top < oldTop && bottom > oldBottom) return -c.direction(i - 1) * 100;
  return top <= oldTop && bottom >= oldBottom ? -c.direction(i - 1) * 80 : 0;
}

/**
 * Returns the score of a long body, a small body beyond it, and a body that regains over 30 % of the first. `direction`: 1 for the morning
 * star, -1 for the evening star.
 */
function star(c: Candles, i: number, direction: 1 | -1): number {
  const hasGap = direction === 1 ? c.top(i - 1) < c.bottom(i - 2) : c.bottom(i - 1) > c.top(i - 2);
  const hasRegained = direction * (c.close(i) - (c.close(i - 2) + direction * c.body(i - 2) * 0.3)) > 0;
  const hasSizes =
    c.body(i - 2) > c.average('bodyLong', i - 2) && c.body(i - 1) <= c.average('bodyShort', i - 1) && c.body(i) > c.average('bodyShort', i);
  return score(hasSizes && c.direction(i - 2) === -direction && hasGap && c.direction(i) === direction && hasRegained, direction * 100);
}

/** Returns true for three rising candles with higher closes, opens near the previous close, and almost no upper shadows. */
function threeWhiteSoldiers(c: Candles, i: number): boolean {
  const rows = [i - 2, i - 1, i];
  if (!rows.every((row) => c.direction(row) === 1 && c.upper(row) < c.average('shadowVeryShort', row))) return false;
  const follows = (row: number) =>
    c.close(row) > c.close(row - 1) &&
    c.open(row) > c.open(row - 1) &&
    c.open(row) <= c.close(row - 1) + c.average('near', row - 1) &&
    c.body(row) > c.body(row - 1) - c.average('far', row - 1);
  return follows(i - 1) && follows(i) && c.body(i) > c.average('bodyShort', i);
}

/**
 * Returns true for three falling candles after a rising one, with lower closes, opens in the previous body, and almost no lower shadows.
 */
function threeBlackCrows(c: Candles, i: number): boolean {
  const rows = [i - 2, i - 1, i];
  if (c.direction(i - 3) !== 1 || !rows.every((row) => c.direction(row) === -1 && c.lower(row) < c.average('shadowVeryShort', row)))
    return false;
  const follows = (row: number) => c.open(row) < c.open(row - 1) && c.open(row) > c.close(row - 1) && c.close(row) < c.close(row - 1);
  return follows(i - 1) && follows(i) && c.high(i - 3) > c.close(i - 2);
}

/** Returns the score of a harami that the third candle confirms. */
function threeInside(c: Candles, i: number): number {
  const hasInner =
    c.body(i - 2) > c.average('bodyLong', i - 2) &&
    c.body(i - 1) <= c.average('bodyShort', i - 1) &&
    c.top(i - 1) < c.top(i - 2) &&
    c.bottom(i - 1) > c.bottom(i - 2);
  const first = c.direction(i - 2);
  return score(hasInner && c.direction(i) === -first && first * (c.close(i) - c.open(i - 2)) < 0, -first * 100);
}

/** Returns the score of an engulfing pattern that the third candle confirms. */
function threeOutside(c: Candles, i: number): number {
  const direction = c.direction(i - 1);
  const isOuter = c.direction(i - 2) === -direction && c.top(i - 1) > c.top(i - 2) && c.bottom(i - 1) < c.bottom(i - 2);
  return score(isOuter && direction * (c.close(i) - c.close(i - 1)) > 0, direction * 100);
}

const isDoji = (c: Candles, i: number) => c.body(i) <= c.average('bodyDoji', i);
const hasNoShadow = (c: Candles, i: number, shadow: 'upper' | 'lower') => c[shadow](i) < c.average('shadowVeryShort', i);
const isLongBody = (c: Candles, i: number) => c.body(i) > c.average('bodyLong', i);

/** The patterns by name. TA-Lib has the same names in capitals after `CDL`. */
const PATTERNS = {
  doji: { bars: 11, scoreOf: (c, i) => score(isDoji(c, i)) },
  dragonflyDoji: {
    bars: 11,
    scoreOf: (c, i) => score(isDoji(c, i) && hasNoShadow(c, i, 'upper') && c.lower(i) > c.average('shadowVeryShort', i)),
  },
  gravestoneDoji: {
    bars: 11,
    scoreOf: (c, i) => score(isDoji(c, i) && hasNoShadow(c, i, 'lower') && c.upper(i) > c.average('shadowVeryShort', i)),
  },
  longLeggedDoji: { bars: 11, scoreOf: (c, i) => score(isDoji(c, i) && Math.max(c.upper(i), c.lower(i)) > c.average('shadowLong', i)) },
  marubozu: {
    bars: 11,
    scoreOf: (c, i) => score(isLongBody(c, i) && hasNoShadow(c, i, 'upper') && hasNoShadow(c, i, 'lower'), c.direction(i) * 100),
  },
  spinningTop: {
    bars: 11,
    scoreOf: (c, i) => score(c.body(i) < c.average('bodyShort', i) && Math.min(c.upper(i), c.lower(i)) > c.body(i), c.direction(i) * 100),
  },
  hammer: { bars: 12, scoreOf: (c, i) => score(isHammer(c, i, 'lower') && c.bottom(i) <= c.low(i - 1) + c.average('near', i - 1)) },
  hangingMan: {
    bars: 12,
    scoreOf: (c, i) => score(isHammer(c, i, 'lower') && c.bottom(i) >= c.high(i - 1) - c.average('near', i - 1), -100),
  },
  invertedHammer: { bars: 12, scoreOf: (c, i) => score(isHammer(c, i, 'upper') && c.top(i) < c.bottom(i - 1)) },
  shootingStar: { bars: 12, scoreOf: (c, i) => score(isHammer(c, i, 'upper') && c.bottom(i) > c.top(i - 1), -100) },
  engulfing: { bars: 3, scoreOf: engulfing },
  harami: { bars: 12, scoreOf: (c, i) => harami(c, i, 'bodyShort') },
  haramiCross: { bars: 12, scoreOf: (c, i) => harami(c, i, 'bodyDoji') },
  piercing: {
    bars: 12,
    scoreOf: (c, i) =>
      score(
        c.direction(i - 1) === -1 &&
          isLongBody(c, i - 1) &&
          c.direction(i) === 1 &&
          isLongBody(c, i) &&
          c.open(i) < c.low(i - 1) &&
          c.close(i) < c.open(i - 1) &&
          c.close(i) > c.close(i - 1) + c.body(i - 1) * 0.5,
      ),
  },
  darkCloudCover: {
    bars: 12,
    scoreOf: (c, i) =>
      score(
        c.direction(i - 1) === 1 &&
          isLongBody(c, i - 1) &&
          c.direction(i) === -1 &&
          c.open(i) > c.high(i - 1) &&
          c.close(i) > c.open(i - 1) &&
          c.close(i) < c.close(i - 1) - c.body(i - 1) * 0.5,
        -100,
      ),
  },
  morningStar: { bars: 13, scoreOf: (c, i) => star(c, i, 1) },
  eveningStar: { bars: 13, scoreOf: (c, i) => star(c, i, -1) },
  threeWhiteSoldiers: { bars: 13, scoreOf: (c, i) => score(threeWhiteSoldiers(c, i)) },
  threeBlackCrows: { bars: 14, scoreOf: (c, i) => score(threeBlackCrows(c, i), -100) },
  threeInside: { bars: 13, scoreOf: threeInside },
  threeOutside: { bars: 4, scoreOf: threeOutside },
} as const satisfies Readonly<Record<string, Pattern>>;

/** The name of a candle pattern. */
export type CandlePattern = keyof typeof PATTERNS;
/** The names of all candle patterns. */
export const CANDLE_PATTERNS = Object.keys(PATTERNS) as readonly CandlePattern[];

/**
 * Returns the score of a candle pattern that ends with the newest bar: 100 (or 80 for a weaker form) if it points upward, -100 or -80 if
 * it points downward, else 0.
 * The definitions and settings are those of TA-Lib 0.6. Throws ConfigError for an unknown name.
 */
export function candle(feed: FeedSeries, pattern: CandlePattern): IndicatorSpec<Series> {
  const candlePattern: Pattern | undefined = Object.hasOwn(PATTERNS, pattern) ? PATTERNS[pattern] : undefined;
  if (candlePattern === undefined)
    throw new ConfigError(`candle: expected a pattern, got ${pattern as string}`, `choose one of ${CANDLE_PATTERNS.join(', ')}`);
  return windowedSeries({
    name: `candle.${pattern}`,
    sources: [feed.open, feed.high, feed.low, feed.close],
    parameters: [],
    bars: candlePattern.bars,
    // Adding 0 changes -0 to 0.
    of: (columns, row) => candlePattern.scoreOf(new Candles(columns), row) + 0,
  });
}
