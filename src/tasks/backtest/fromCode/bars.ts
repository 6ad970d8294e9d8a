// Bars for a backtest from code: read from a file, or generated from a seed.

import { synthesizeBars as generate } from '../../../adapters/catalog/generate/generate.ts';
import { typedBars, type Bars, type TypedBars } from '../../../adapters/catalog/bars/givenBars.ts';
import { SYNTHETIC } from '../../../adapters/catalog/bars/barQuality.ts';
import { ConfigError } from '../../../base/errors.ts';
import { INTERVAL_FORM, parseInterval, type Interval } from '../../../model/interval.ts';
import { parseTime } from '../../../model/time.ts';
import { importAll } from '../../../definition/request.ts';

export type { Bars, TypedBars };

/** Symbol and interval, if the file name does not contain them. `BTCUSDT-1h.csv` contains both. */
export interface ReadOptions {
  readonly symbol?: string;
  readonly interval?: string;
}

/**
 * Reads a file of bars, in any format of `isobar data import`, for `backtest({ data })`. Many runs can then share it. Throws ConfigError
 * with file, line and column of the first invalid row, as the import does.
 */
export async function readBars(file: string, options: ReadOptions = {}): Promise<TypedBars> {
  const [set] = await importAll([file], { ...options, places: {} }, null);
  if (!set) throw new ConfigError(`${file}: no bars`, 'name a file of bars');
  return typedBars(set);
}

/** What a caller may choose about generated bars. */
export interface GenerateOptions {
  /** Default `SYNUSDT`. */
  readonly symbol?: string;
  /** Default `1h`. */
  readonly interval?: Interval;
  /** The first bar is the one that contains this time, UTC. Default `2024-01-01`. */
  readonly from?: string;
  /** Number of bars, 1 to 200,000,000. */
  readonly bars: number;
  /** An integer, 0 to 2147483647. The same seed and options give the same bytes on every platform. Default 1. */
  readonly seed?: number;
  /** Price at the start, 0.000001 to 10,000,000. Default 30000. */
  readonly price?: number;
  /** Fraction of bars to leave out as gaps, 0 to 0.5. Default 0. */
  readonly gapShare?: number;
}

/**
 * Generates synthetic bars with volatility clustering, as `isobar data generate` does. Results of such bars are marked as synthetic. Throws
 * ConfigError.
 */
export function generateBars(options: GenerateOptions): TypedBars {
  const { symbol = 'SYNUSDT', interval = '1h', from = '2024-01-01', bars, seed = 1, price, gapShare } = options;
  const fromMs = parseTime(from);
  if (fromMs === null) throw new ConfigError(`from: expected a UTC date or date-time, got '${from}'`, 'for example 2024-01-01');
  if (parseInterval(interval) !== interval) throw new ConfigError(`interval: expected ${INTERVAL_FORM}, got ${interval}`);
  return typedBars({ bars: generate({ symbol, interval, fromMs, bars, seed, price, gapShare }), facts: SYNTHETIC });
}
