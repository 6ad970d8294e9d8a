// Candle patterns by the definitions of TA-Lib, with its default settings.

import type { FeedSeries, Series } from '../graph/series.ts';
import type { IndicatorSpec } from '../graph/spec.ts';
import { windowedSeries } from '../graph/stepped.ts';
import { Candles } from './candles.ts';
import { ConfigError } from '../../base/errors.ts';

interface Pattern {
  /** Number of rows that the pattern reads, including the averages. */
  readonly bars: number;
  /** Looks for the pattern with its last candle at `i`. Returns 100 or 80 (a weaker form) for a rising pattern, -100 or -80 for a falling one, else 0. */
  readonly of: (c: Candles, i: number) => number;
}

const yes = (is: boolean, value = 100) => (is ? value : 0);

/** Returns true for a small body with a long shadow on one side and almost none on the other. */
function isHammer(c: Candles, i: number, long: 'upper' | 'lower'): boolean {
  const [far, near] = long === 'lower' ? [c.lower(i), c.upper(i)] : [c.upper(i), c.lower(i)];
  return c.body(i) < c.average('bodyShort', i) && far > c.average('shadowLong', i) && near < c.average('shadowVeryShort', i);
}

function engulfing(c: Candles, i: number): number {
  const [now, last] = [c.direction(i), c.direction(i - 1)];
  if (now === last) return 0;
  const [top, bottom] = [c.top(i), c.bottom(i)];
  const [oldTop, oldBottom] = [c.top(i - 1), c.bottom(i - 1)];
  const isAround = (top >= oldTop && bottom < oldBottom) || (top > oldTop && bottom <= oldBottom);
  if (!isAround) return 0;
  return now * (top !== oldTop && bottom !== oldBottom ? 100 : 80);
}

/** A long body, then a body inside it that is at most the average of `small`. */
function harami(c: Candles, i: number, small: 'bodyShort' | 'bodyDoji'): number {
  if (!(c.body(i - 1) > c.average('bodyLong', i - 1) && c.body(i) <= c.average(small, i))) return 0;
  const [top, bottom, oldTop, oldBottom] = [c.top(i), c.bottom(i), c.top(i - 1), c.bottom(i - 1)];
  if (top < oldTop && bottom > oldBottom) return -c.direction(i - 1) * 100;
  return top <= oldTop && bottom >= oldBottom ? -c.direction(i - 1) * 80 : 0;
}

/** A long body, a small body beyond it, and a body that regains over 30 % of the first. `way`: 1 for the morning star, -1 for the evening star. */
function star(c: Candles, i: number, way: 1 | -1): number {
  const isGap = way === 1 ? c.top(i - 1) < c.bottom(i - 2) : c.bottom(i - 1) > c.top(i - 2);
  const isBack = way * (c.close(i) - (c.close(i - 2) + way * c.body(i - 2) * 0.3)) > 0;
  const hasSizes =
    c.body(i - 2) > c.average('bodyLong', i - 2) && c.body(i - 1) <= c.average('bodyShort', i - 1) && c.body(i) > c.average('bodyShort', i);
  return yes(hasSizes && c.direction(i - 2) === -way && isGap && c.direction(i) === way && isBack, way * 100);
}

function threeWhiteSoldiers(c: Candles, i: number): boolean {
  const rows = [i - 2, i - 1, i];
  if (!rows.every((r) => c.direction(r) === 1 && c.upper(r) < c.average('shadowVeryShort', r))) return false;
  const follows = (r: number) =>
    c.close(r) > c.close(r - 1) &&
    c.open(r) > c.open(r - 1) &&
    c.open(r) <= c.close(r - 1) + c.average('near', r - 1) &&
    c.body(r) > c.body(r - 1) - c.average('far', r - 1);
  return follows(i - 1) && follows(i) && c.body(i) > c.average('bodyShort', i);
}

function threeBlackCrows(c: Candles, i: number): boolean {
  const rows = [i - 2, i - 1, i];
  if (c.direction(i - 3) !== 1 || !rows.every((r) => c.direction(r) === -1 && c.lower(r) < c.average('shadowVeryShort', r))) return false;
  const follows = (r: number) => c.open(r) < c.open(r - 1) && c.open(r) > c.close(r - 1) && c.close(r) < c.close(r - 1);
  return follows(i - 1) && follows(i) && c.high(i - 3) > c.close(i - 2);
}

function threeInside(c: Candles, i: number): number {
  const hasInner =
    c.body(i - 2) > c.average('bodyLong', i - 2) &&
    c.body(i - 1) <= c.average('bodyShort', i - 1) &&
    c.top(i - 1) < c.top(i - 2) &&
    c.bottom(i - 1) > c.bottom(i - 2);
  const first = c.direction(i - 2);
  return yes(hasInner && c.direction(i) === -first && first * (c.close(i) - c.open(i - 2)) < 0, -first * 100);
}

function threeOutside(c: Candles, i: number): number {
  const way = c.direction(i - 1);
  const isAround = c.direction(i - 2) === -way && c.top(i - 1) > c.top(i - 2) && c.bottom(i - 1) < c.bottom(i - 2);
  return yes(isAround && way * (c.close(i) - c.close(i - 1)) > 0, way * 100);
}

const isDoji = (c: Candles, i: number) => c.body(i) <= c.average('bodyDoji', i);
const isShort = (c: Candles, i: number, shadow: 'upper' | 'lower') => c[shadow](i) < c.average('shadowVeryShort', i);
const isLong = (c: Candles, i: number) => c.body(i) > c.average('bodyLong', i);

/** The patterns by name. TA-Lib has the same names in capitals after `CDL`. */
const PATTERNS = {
  doji: { bars: 11, of: (c, i) => yes(isDoji(c, i)) },
  dragonflyDoji: { bars: 11, of: (c, i) => yes(isDoji(c, i) && isShort(c, i, 'upper') && c.lower(i) > c.average('shadowVeryShort', i)) },
  gravestoneDoji: { bars: 11, of: (c, i) => yes(isDoji(c, i) && isShort(c, i, 'lower') && c.upper(i) > c.average('shadowVeryShort', i)) },
  longLeggedDoji: { bars: 11, of: (c, i) => yes(isDoji(c, i) && Math.max(c.upper(i), c.lower(i)) > c.average('shadowLong', i)) },
  marubozu: { bars: 11, of: (c, i) => yes(isLong(c, i) && isShort(c, i, 'upper') && isShort(c, i, 'lower'), c.direction(i) * 100) },
  spinningTop: {
    bars: 11,
    of: (c, i) => yes(c.body(i) < c.average('bodyShort', i) && Math.min(c.upper(i), c.lower(i)) > c.body(i), c.direction(i) * 100),
  },
  hammer: { bars: 12, of: (c, i) => yes(isHammer(c, i, 'lower') && c.bottom(i) <= c.low(i - 1) + c.average('near', i - 1)) },
  hangingMan: { bars: 12, of: (c, i) => yes(isHammer(c, i, 'lower') && c.bottom(i) >= c.high(i - 1) - c.average('near', i - 1), -100) },
  invertedHammer: { bars: 12, of: (c, i) => yes(isHammer(c, i, 'upper') && c.top(i) < c.bottom(i - 1)) },
  shootingStar: { bars: 12, of: (c, i) => yes(isHammer(c, i, 'upper') && c.bottom(i) > c.top(i - 1), -100) },
  engulfing: { bars: 3, of: engulfing },
  harami: { bars: 12, of: (c, i) => harami(c, i, 'bodyShort') },
  haramiCross: { bars: 12, of: (c, i) => harami(c, i, 'bodyDoji') },
  piercing: {
    bars: 12,
    of: (c, i) =>
      yes(
        c.direction(i - 1) === -1 &&
          isLong(c, i - 1) &&
          c.direction(i) === 1 &&
          isLong(c, i) &&
          c.open(i) < c.low(i - 1) &&
          c.close(i) < c.open(i - 1) &&
          c.close(i) > c.close(i - 1) + c.body(i - 1) * 0.5,
      ),
  },
  darkCloudCover: {
    bars: 12,
    of: (c, i) =>
      yes(
        c.direction(i - 1) === 1 &&
          isLong(c, i - 1) &&
          c.direction(i) === -1 &&
          c.open(i) > c.high(i - 1) &&
          c.close(i) > c.open(i - 1) &&
          c.close(i) < c.close(i - 1) - c.body(i - 1) * 0.5,
        -100,
      ),
  },
  morningStar: { bars: 13, of: (c, i) => star(c, i, 1) },
  eveningStar: { bars: 13, of: (c, i) => star(c, i, -1) },
  threeWhiteSoldiers: { bars: 13, of: (c, i) => yes(threeWhiteSoldiers(c, i)) },
  threeBlackCrows: { bars: 14, of: (c, i) => yes(threeBlackCrows(c, i), -100) },
  threeInside: { bars: 13, of: threeInside },
  threeOutside: { bars: 4, of: threeOutside },
} as const satisfies Readonly<Record<string, Pattern>>;

export type CandlePattern = keyof typeof PATTERNS;
export const CANDLE_PATTERNS = Object.keys(PATTERNS) as readonly CandlePattern[];

/**
 * A candle pattern that ends with the newest bar: 100 (or 80 for a weaker form) where it points upward, -100 or -80 where it points
 * downward, else 0. Definitions and settings are those of TA-Lib 0.6. Throws ConfigError for an unknown name.
 */
export function candle(feed: FeedSeries, pattern: CandlePattern): IndicatorSpec<Series> {
  const found: Pattern | undefined = Object.hasOwn(PATTERNS, pattern) ? PATTERNS[pattern] : undefined;
  if (found === undefined)
    throw new ConfigError(`candle: expected a pattern, got ${pattern as string}`, `choose one of ${CANDLE_PATTERNS.join(', ')}`);
  return windowedSeries({
    name: `candle.${pattern}`,
    sources: [feed.open, feed.high, feed.low, feed.close],
    parameters: [],
    bars: found.bars,
    // Adding 0 turns a -0 into 0.
    of: (columns, row) => found.of(new Candles(columns), row) + 0,
  });
}
