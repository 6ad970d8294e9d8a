// Defines the columns of mark prices and funding rates of a contract, and checks their rows.

import { pow10 } from '../../../base/number/exact.ts';
import { MAX_DIGITS, MAX_TICKS } from '../records/instrumentRecord.ts';
import type { SeriesKey } from '../files/paths.ts';
import { EARLIEST_MS, LATEST_MS } from '../rows/rowCollector.ts';
import { markLengthMs } from '../files/markInterval.ts';

/** Columns of equal length, oldest first: times (ms UTC), then figures in the order of `FIGURES`. */
export interface SeriesColumns {
  readonly length: number;
  readonly timeMs: Float64Array;
  readonly figures: readonly Float64Array[];
  /** Maximum number of decimals of any figure. */
  readonly digits: number;
}

/** Column names in the catalog. */
export const TIME_COLUMNS: Readonly<Record<SeriesKey['kind'], string>> = { mark: 'open_time', funding: 'funding_time' };
/** The columns of a series beside its times. */
export const FIGURES: Readonly<Record<SeriesKey['kind'], readonly string[]>> = {
  mark: ['open', 'high', 'low', 'close'],
  funding: ['funding_rate'],
};

/** Funding rates are whole multiples of 10^-12. */
export const RATE_DIGITS = 12;

/** Largest distance between two times of the same payment. Sources differ by the delay with which they record it. */
const MAX_JITTER_MS = 60_000;

/** True when two times belong to the same funding payment. */
export const isSameFunding = (firstMs: number, secondMs: number): boolean => Math.abs(firstMs - secondMs) <= MAX_JITTER_MS;

/** Returns the problem of a row as text, or null. `digits` is the maximum number of decimals of its figures. */
export function seriesProblem(key: SeriesKey, timeMs: number, figures: readonly number[], digits: number): string | null {
  if (!(timeMs >= EARLIEST_MS && timeMs < LATEST_MS)) return `expected a time of the years 2000 to 2099, got ${timeMs}`;
  if (key.kind === 'funding') {
    const [rate = NaN] = figures;
    if (!(Math.abs(rate) < 1)) return `expected a rate as a fraction below 1, got ${rate}`;
    return digits > RATE_DIGITS ? `expected a rate of at most ${RATE_DIGITS} digits behind the point, got ${rate}` : null;
  }
  if (timeMs % markLengthMs(key.interval) !== 0) return `expected a time on the grid of ${key.interval}, got ${timeMs}`;
  const [open = NaN, high = NaN, low = NaN, close = NaN] = figures;
  const isSound = low > 0 && low <= open && low <= close && open <= high && close <= high;
  if (!isSound) return `expected 0 < low <= open, close <= high, got ${figures.join(', ')}`;
  if (digits > MAX_DIGITS || high * pow10(digits) >= MAX_TICKS)
    return `${high} with ${digits} digits behind the point is finer than exact prices can be`;
  return null;
}

/** Gaps of a series. */
export interface SeriesGaps {
  readonly gaps: number;
  /** Missing rows of the interval; 0 for funding, whose times the venue sets. */
  readonly missing: number;
}

/** Returns the gaps of ascending times. */
export function seriesGapsOf(key: SeriesKey, timeMs: Float64Array): SeriesGaps {
  if (key.kind === 'funding') return { gaps: 0, missing: 0 };
  const lengthMs = markLengthMs(key.interval);
  let gaps = 0;
  let missing = 0;
  for (let i = 1; i < timeMs.length; i++) {
    const step = Math.round((timeMs[i]! - timeMs[i - 1]!) / lengthMs);
    if (step <= 1) continue;
    gaps++;
    missing += step - 1;
  }
  return { gaps, missing };
}
