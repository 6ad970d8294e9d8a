// Candle patterns by the definitions of TA-Lib, with its default settings.

import type { FeedSeries, Series } from '../graph/series.ts';
import type { IndicatorSpec } from '../graph/spec.ts';
import { windowedSeries } from '../graph/stepped.ts';
import { Candles } from './candles.ts';
import { ConfigError } from '../../base/errors.ts';

type Shadow = 'upperShadow' | 'lowerShadow';

/** The definition of one candle pattern. */
interface Pattern {
  /** Number of rows that the pattern reads, including the averages. */
  readonly bars: number;
  /**
   * Returns the score of the pattern with its last candle at row `last`: 100 or 80 (a weaker form) if it points upward, -100 or -80 if
   * downward, else 0.
   */
  readonly scoreOf: (candles: Candles, last: number) => number;
}

/** Returns `value` for a match, else 0. */
const score = (isMatch: boolean, value = 100) => (isMatch ? value : 0);

/** Returns true for a small body with a long shadow on `longSide` and almost no shadow on the other side. */
function isHammer(candles: Candles, last: number, longSide: Shadow): boolean {
  const otherSide: Shadow = longSide === 'lowerShadow' ? 'upperShadow' : 'lowerShadow';
  return (
    candles.body(last) < candles.average('bodyShort', last) &&
    candles[longSide](last) > candles.average('shadowLong', last) &&
    candles[otherSide](last) < candles.average('shadowVeryShort', last)
  );
}

/** Returns the score of a body that covers the previous body and has the other direction: 100, or 80 if one end of both bodies is equal. */
function engulfing(candles: Candles, last: number): number {
  const direction = candles.direction(last);
  const lastDirection = candles.direction(last - 1);
  if (direction === lastDirection) return 0;
  const top = candles.top(last);
  const bottom = candles.bottom(last);
  const oldTop = candles.top(last - 1);
  const oldBottom = candles.bottom(last - 1);
  const isOuter = (top >= oldTop && bottom < oldBottom) || (top > oldTop && bottom <= oldBottom);
  if (!isOuter) return 0;
  return direction * (top !== oldTop && bottom !== oldBottom ? 100 : 80);
}

/** Returns the score of a long body, and then a body inside it that is at most the average of `small`. */
function harami(candles: Candles, last: number, small: 'bodyShort' | 'bodyDoji'): number {
  if (!(candles.body(last - 1) > candles.average('bodyLong', last - 1) && candles.body(last) <= candles.average(small, last))) return 0;
  const top = candles.top(last);
  const bottom = candles.bottom(last);
  const oldTop = candles.top(last - 1);
  const oldBottom = candles.bottom(last - 1);
  if (top < oldTop && bottom > oldBottom) return -candles.direction(last - 1) * 100;
  return top <= oldTop && bottom >= oldBottom ? -candles.direction(last - 1) * 80 : 0;
}

/**
 * Returns the score of a long body, a small body beyond it, and a body that regains over 30 % of the first. `direction`: 1 for the morning
 * star, -1 for the evening star.
 */
function star(candles: Candles, last: number, direction: 1 | -1): number {
  const hasGap = direction === 1 ? candles.top(last - 1) < candles.bottom(last - 2) : candles.bottom(last - 1) > candles.top(last - 2);
  const hasRegained = direction * (candles.close(last) - (candles.close(last - 2) + direction * candles.body(last - 2) * 0.3)) > 0;
  const hasSizes =
    candles.body(last - 2) > candles.average('bodyLong', last - 2) &&
    candles.body(last - 1) <= candles.average('bodyShort', last - 1) &&
    candles.body(last) > candles.average('bodyShort', last);
  return score(
    hasSizes && candles.direction(last - 2) === -direction && hasGap && candles.direction(last) === direction && hasRegained,
    direction * 100,
  );
}

/** Returns true for three rising candles with higher closes, opens near the previous close, and almost no upper shadows. */
function threeWhiteSoldiers(candles: Candles, last: number): boolean {
  const rows = [last - 2, last - 1, last];
  if (!rows.every((row) => candles.direction(row) === 1 && candles.upperShadow(row) < candles.average('shadowVeryShort', row)))
    return false;
  const follows = (row: number) =>
    candles.close(row) > candles.close(row - 1) &&
    candles.open(row) > candles.open(row - 1) &&
    candles.open(row) <= candles.close(row - 1) + candles.average('near', row - 1) &&
    candles.body(row) > candles.body(row - 1) - candles.average('far', row - 1);
  return follows(last - 1) && follows(last) && candles.body(last) > candles.average('bodyShort', last);
}

/**
 * Returns true for three falling candles after a rising one, with lower closes, opens in the previous body, and almost no lower shadows.
 */
function threeBlackCrows(candles: Candles, last: number): boolean {
  const rows = [last - 2, last - 1, last];
  if (
    candles.direction(last - 3) !== 1 ||
    !rows.every((row) => candles.direction(row) === -1 && candles.lowerShadow(row) < candles.average('shadowVeryShort', row))
  )
    return false;
  const follows = (row: number) =>
    candles.open(row) < candles.open(row - 1) && candles.open(row) > candles.close(row - 1) && candles.close(row) < candles.close(row - 1);
  return follows(last - 1) && follows(last) && candles.high(last - 3) > candles.close(last - 2);
}

/** Returns the score of a harami that the third candle confirms. */
function threeInside(candles: Candles, last: number): number {
  const hasInner =
    candles.body(last - 2) > candles.average('bodyLong', last - 2) &&
    candles.body(last - 1) <= candles.average('bodyShort', last - 1) &&
    candles.top(last - 1) < candles.top(last - 2) &&
    candles.bottom(last - 1) > candles.bottom(last - 2);
  const first = candles.direction(last - 2);
  return score(hasInner && candles.direction(last) === -first && first * (candles.close(last) - candles.open(last - 2)) < 0, -first * 100);
}

/** Returns the score of an engulfing pattern that the third candle confirms. */
function threeOutside(candles: Candles, last: number): number {
  const direction = candles.direction(last - 1);
  const isOuter =
    candles.direction(last - 2) === -direction &&
    candles.top(last - 1) > candles.top(last - 2) &&
    candles.bottom(last - 1) < candles.bottom(last - 2);
  return score(isOuter && direction * (candles.close(last) - candles.close(last - 1)) > 0, direction * 100);
}

const isDoji = (candles: Candles, last: number) => candles.body(last) <= candles.average('bodyDoji', last);
const hasNoShadow = (candles: Candles, last: number, shadow: Shadow) => candles[shadow](last) < candles.average('shadowVeryShort', last);
const isLongBody = (candles: Candles, last: number) => candles.body(last) > candles.average('bodyLong', last);

/** The patterns by name. TA-Lib has the same names in capitals after `CDL`. */
const PATTERNS = {
  doji: { bars: 11, scoreOf: (candles, last) => score(isDoji(candles, last)) },
  dragonflyDoji: {
    bars: 11,
    scoreOf: (candles, last) =>
      score(
        isDoji(candles, last) &&
          hasNoShadow(candles, last, 'upperShadow') &&
          candles.lowerShadow(last) > candles.average('shadowVeryShort', last),
      ),
  },
  gravestoneDoji: {
    bars: 11,
    scoreOf: (candles, last) =>
      score(
        isDoji(candles, last) &&
          hasNoShadow(candles, last, 'lowerShadow') &&
          candles.upperShadow(last) > candles.average('shadowVeryShort', last),
      ),
  },
  longLeggedDoji: {
    bars: 11,
    scoreOf: (candles, last) =>
      score(isDoji(candles, last) && Math.max(candles.upperShadow(last), candles.lowerShadow(last)) > candles.average('shadowLong', last)),
  },
  marubozu: {
    bars: 11,
    scoreOf: (candles, last) =>
      score(
        isLongBody(candles, last) && hasNoShadow(candles, last, 'upperShadow') && hasNoShadow(candles, last, 'lowerShadow'),
        candles.direction(last) * 100,
      ),
  },
  spinningTop: {
    bars: 11,
    scoreOf: (candles, last) =>
      score(
        candles.body(last) < candles.average('bodyShort', last) &&
          Math.min(candles.upperShadow(last), candles.lowerShadow(last)) > candles.body(last),
        candles.direction(last) * 100,
      ),
  },
  hammer: {
    bars: 12,
    scoreOf: (candles, last) =>
      score(isHammer(candles, last, 'lowerShadow') && candles.bottom(last) <= candles.low(last - 1) + candles.average('near', last - 1)),
  },
  hangingMan: {
    bars: 12,
    scoreOf: (candles, last) =>
      score(
        isHammer(candles, last, 'lowerShadow') && candles.bottom(last) >= candles.high(last - 1) - candles.average('near', last - 1),
        -100,
      ),
  },
  invertedHammer: {
    bars: 12,
    scoreOf: (candles, last) => score(isHammer(candles, last, 'upperShadow') && candles.top(last) < candles.bottom(last - 1)),
  },
  shootingStar: {
    bars: 12,
    scoreOf: (candles, last) => score(isHammer(candles, last, 'upperShadow') && candles.bottom(last) > candles.top(last - 1), -100),
  },
  engulfing: { bars: 3, scoreOf: engulfing },
  harami: { bars: 12, scoreOf: (candles, last) => harami(candles, last, 'bodyShort') },
  haramiCross: { bars: 12, scoreOf: (candles, last) => harami(candles, last, 'bodyDoji') },
  piercing: {
    bars: 12,
    scoreOf: (candles, last) =>
      score(
        candles.direction(last - 1) === -1 &&
          isLongBody(candles, last - 1) &&
          candles.direction(last) === 1 &&
          isLongBody(candles, last) &&
          candles.open(last) < candles.low(last - 1) &&
          candles.close(last) < candles.open(last - 1) &&
          candles.close(last) > candles.close(last - 1) + candles.body(last - 1) * 0.5,
      ),
  },
  darkCloudCover: {
    bars: 12,
    scoreOf: (candles, last) =>
      score(
        candles.direction(last - 1) === 1 &&
          isLongBody(candles, last - 1) &&
          candles.direction(last) === -1 &&
          candles.open(last) > candles.high(last - 1) &&
          candles.close(last) > candles.open(last - 1) &&
          candles.close(last) < candles.close(last - 1) - candles.body(last - 1) * 0.5,
        -100,
      ),
  },
  morningStar: { bars: 13, scoreOf: (candles, last) => star(candles, last, 1) },
  eveningStar: { bars: 13, scoreOf: (candles, last) => star(candles, last, -1) },
  threeWhiteSoldiers: { bars: 13, scoreOf: (candles, last) => score(threeWhiteSoldiers(candles, last)) },
  threeBlackCrows: { bars: 14, scoreOf: (candles, last) => score(threeBlackCrows(candles, last), -100) },
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
    compute: (columns, row) => candlePattern.scoreOf(new Candles(columns), row) + 0,
  });
}
