// Generates seeded synthetic bars with volatility clustering, byte-identical on every platform.
// Uses only + - * /, square roots, which IEEE 754 rounds the same everywhere, and integer random numbers; no logarithm, power or sine.

import { ConfigError } from '../../../base/errors.ts';
import { pow10 } from '../../../base/number/exact.ts';
import { seededRng, type Rng } from '../../../base/number/rng.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Market } from '../../../model/instrument.ts';
import { closeOf, openOf, typicalLengthMs, type Interval } from '../../../model/interval.ts';
import { barsOf, emptyColumns, type RawColumns } from '../files/columns.ts';
import { proposeInstrument } from '../records/instrumentRecord.ts';

/** What a caller may choose about generated bars. */
export interface GeneratorOptions {
  readonly symbol: string;
  readonly market?: Market | undefined;
  readonly interval: Interval;
  /** The first bar is the one that contains this time (ms UTC). */
  readonly fromMs: number;
  /** Number of rows, without gaps. */
  readonly bars: number;
  /** 0 to 2147483647. */
  readonly seed: number;
  /** Start price, to which the walk weakly reverts; default 30000. */
  readonly price?: number | undefined;
  /** Fraction of bars to omit, in runs of one to five, like a quiet market; 0 to 0.5, default 0. */
  readonly gapShare?: number | undefined;
  /** Called now and then with the number of rows generated. */
  readonly onProgress?: ((rows: number) => void) | undefined;
}

/** Mean volatility of a minute: 0.08 %, about 58 % a year. */
const MINUTE_VOLATILITY = 0.0008;
/** Weights of GARCH(1,1): variance = (1 - SHOCK - MEMORY) x mean variance + SHOCK x last return squared + MEMORY x last variance. */
const SHOCK = 0.08;
const MEMORY = 0.9;
/** Maximum variance, as a multiple of the mean variance. */
const MAX_VARIANCE_RATIO = 100;
/** Share of the distance to the start price that each bar reverts. */
const REVERSION = 2e-6;
/** Price moves inside a bar, which give its high and low. */
const STEPS_PER_BAR = 4;
const VOLUME_DIGITS = 5;
const VOLUME_SCALE = 100_000;
/** A generated contract has a face value of a thousandth of its coin. */
const CONTRACT_DIGITS = 3;
const MEAN_VOLUME_QUOTE = 500_000;
/** The rows are made in memory, 56 bytes each. */
const MAX_BARS = 200_000_000;
const PROGRESS_ROWS = 65_536;
/** Same limit as in a run definition. The generator uses the low 32 bits only, so larger seeds could give equal bars. */
const MAX_SEED = 2 ** 31 - 1;
/** Gaps last 1 to 5 bars, 3 on average. */
const MEAN_GAP_BARS = 3;

/** Returns bars whose prices have about seven significant digits. Throws ConfigError for options out of range. */
export function synthesizeBars(options: GeneratorOptions): BarColumns {
  const { symbol, market = 'spot', interval, bars, seed, price = 30_000, gapShare = 0 } = options;
  checkOption('bars', bars, Number.isInteger(bars) && bars >= 1 && bars <= MAX_BARS, `a whole number from 1 to ${MAX_BARS}`);
  checkOption('seed', seed, Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED, `a whole number from 0 to ${MAX_SEED}`);
  checkOption('price', price, price >= 1e-6 && price <= 1e7, 'a price from 0.000001 to 10000000');
  checkOption('gap-share', gapShare, gapShare >= 0 && gapShare <= 0.5, 'a fraction from 0 to 0.5');
  const priceDigits = digitsFor(price);
  const raw = emptyColumns(bars);
  const rng = seededRng(seed);
  fillTimes(raw.openMs, { interval, fromMs: options.fromMs, gapShare, rng });
  const volatility = MINUTE_VOLATILITY * Math.sqrt(typicalLengthMs(interval) / 60_000);
  fillPrices(raw, { startPrice: price, scale: pow10(priceDigits), volatility, rng, onProgress: options.onProgress });
  let lowest = Infinity;
  let highest = 0;
  for (let i = 0; i < bars; i++) {
    lowest = Math.min(lowest, raw.low[i]!);
    highest = Math.max(highest, raw.high[i]!);
  }
  const volumeDigits = market === 'futures' ? CONTRACT_DIGITS : VOLUME_DIGITS;
  const instrument = proposeInstrument(market, symbol, { priceDigits, volumeDigits, lowest, highest });
  return barsOf(raw, instrument, interval);
}

/** Throws ConfigError unless the option has a valid value. */
function checkOption(name: string, value: number, isValid: boolean, expected: string): void {
  if (!isValid) throw new ConfigError(`${name}: expected ${expected}, got ${value}`, `change ${name}`);
}

/** Returns the number of decimals that gives about seven significant digits: 2 for 30000, 6 for 1. */
function digitsFor(price: number): number {
  let digits = 6;
  for (let scale = 10; digits > 2 && price >= scale; scale *= 10) digits--;
  for (let scale = 1; digits < 12 && price < scale; scale /= 10) digits++;
  return digits;
}

/** Where generated bars begin, and how many of them are missing. */
interface TimeGrid {
  readonly interval: Interval;
  readonly fromMs: number;
  /** Fraction of all bars that is missing. */
  readonly gapShare: number;
  readonly rng: Rng;
}

/** Fills in the open times (ms UTC), with random gaps. */
function fillTimes(openMs: Float64Array, { interval, fromMs, gapShare, rng }: TimeGrid): void {
  let time = openOf(interval, fromMs);
  // With a gap of g bars on average after a fraction p of the rows, p g / (1 + p g) of all bars are missing.
  const gapProbability = gapShare / (1 - gapShare) / MEAN_GAP_BARS;
  for (let i = 0; i < openMs.length; i++) {
    openMs[i] = time;
    time = closeOf(interval, time);
    if (gapProbability === 0 || rng.next() >= gapProbability) continue;
    for (let skippedBars = 1 + Math.floor(rng.next() * (2 * MEAN_GAP_BARS - 1)); skippedBars > 0; skippedBars--)
      time = closeOf(interval, time);
  }
}

/** Parameters of the random walk. */
interface PriceWalk {
  readonly startPrice: number;
  /** Ticks in one unit of price. */
  readonly scale: number;
  /** Standard deviation of the return of a bar. */
  readonly volatility: number;
  readonly rng: Rng;
  readonly onProgress: GeneratorOptions['onProgress'];
}

/** Fills in prices and volumes. */
function fillPrices(raw: RawColumns, { startPrice, scale, volatility, rng, onProgress }: PriceWalk): void {
  const meanVariance = volatility * volatility;
  const onGrid = (price: number): number => Math.max(1, Math.floor(price * scale + 0.5)) / scale;
  let variance = meanVariance;
  let price = startPrice;
  let lastClose = onGrid(startPrice);
  for (let i = 0; i < raw.length; i++) {
    if (i % PROGRESS_ROWS === 0) onProgress?.(i);
    const deviation = Math.sqrt(variance);
    const stepDeviation = deviation / Math.sqrt(STEPS_PER_BAR);
    const priceBefore = price;
    const open = lastClose;
    let high = open;
    let low = open;
    let close = open;
    for (let step = 0; step < STEPS_PER_BAR; step++) {
      // Bounded: a step never removes more than half of the price.
      price *= 1 + Math.max(-0.5, stepDeviation * normal(rng));
      close = onGrid(price);
      if (close > high) high = close;
      if (close < low) low = close;
    }
    price *= 1 + REVERSION * (startPrice / price - 1);
    const move = price / priceBefore - 1;
    // Volume is higher when prices move.
    const activity = 0.25 + Math.abs(move) / deviation;
    const volume = (MEAN_VOLUME_QUOTE / price) * activity * (0.1 + rng.next());
    raw.open[i] = open;
    raw.high[i] = high;
    raw.low[i] = low;
    raw.close[i] = close;
    raw.volume[i] = Math.floor(volume * VOLUME_SCALE + 0.5) / VOLUME_SCALE;
    lastClose = close;
    variance = Math.min(MAX_VARIANCE_RATIO * meanVariance, meanVariance * (1 - SHOCK - MEMORY) + SHOCK * move * move + MEMORY * variance);
  }
}

/** Returns an approximately normal number with variance 1: the sum of twelve uniforms minus six. */
export function normal(rng: Rng): number {
  let sum = -6;
  for (let i = 0; i < 12; i++) sum += rng.next();
  return sum;
}
