// Bars for code: read from a file, or made from a seed.

import { synthesizeBars as generate } from '../../../adapters/catalog/generate/generate.ts';
import { typedBars, type Bars, type TypedBars } from '../../../adapters/catalog/bars/givenBars.ts';
import { SYNTHETIC } from '../../../adapters/catalog/bars/quality.ts';
import { ConfigError } from '../../../base/errors.ts';
import { INTERVALS, type Interval } from '../../../model/interval.ts';
import { parseTime } from '../../../model/time.ts';
import { imports } from '../../../definition/request.ts';

export type { Bars, TypedBars };

/** What the name of a file does not say: `BTCUSDT-1h.csv` says both. */
export interface ReadOptions {
  readonly symbol?: string;
  readonly interval?: string;
}

/**
 * Reads a file of bars, any that `isobar data import` takes, for `backtest({ data })`: many runs then read it once. Throws ConfigError
 * naming file, line and column of the first row that is not sound, as the import does.
 */
export async function readBars(file: string, options: ReadOptions = {}): Promise<TypedBars> {
  const [set] = await imports([file], { ...options, places: {} }, null);
  if (!set) throw new ConfigError(`${file}: no bars`, 'name a file of bars');
  return typedBars(set);
}

export interface GenerateOptions {
  /** Default `SYNUSDT`. */
  readonly symbol?: string;
  /** Default `1h`. */
  readonly interval?: Interval;
  /** The first bar is the one that contains this time, UTC. Default `2024-01-01`. */
  readonly from?: string;
  /** Number of bars, 1 to 50,000,000. */
  readonly bars: number;
  /** A whole number, 0 to 2147483647: the same seed and options give the same bytes on every platform. Default 1. */
  readonly seed?: number;
  /** Price at the start, 0.000001 to 10,000,000. Default 30000. */
  readonly price?: number;
  /** Share of bars to leave out as gaps, 0 to 0.5. Default 0. */
  readonly gapShare?: number;
}

/** Synthetic bars with volatility clustering, as `isobar data generate` makes them; results say that they are. Throws ConfigError. */
export function generateBars(options: GenerateOptions): TypedBars {
  const { symbol = 'SYNUSDT', interval = '1h', from = '2024-01-01', bars, seed = 1, price, gapShare } = options;
  const fromMs = parseTime(from);
  if (fromMs === null) throw new ConfigError(`from: expected a UTC date or date-time, got '${from}'`, 'for example 2024-01-01');
  if (!INTERVALS.includes(interval)) throw new ConfigError(`interval: expected one of ${INTERVALS.join(' ')}, got ${interval}`);
  return typedBars({ bars: generate({ symbol, interval, fromMs, bars, seed, price, gapShare }), facts: SYNTHETIC });
}
