// Accepts bars passed in from code: checks them like a file of bars and proposes an instrument record as an import would.

import { largestOf } from '../../../base/number/extremes.ts';
import { ConfigError } from '../../../base/errors.ts';
import { pow10 } from '../../../base/number/exact.ts';
import { closeOf, INTERVAL_FORM, openOf, parseInterval, type Interval } from '../../../model/interval.ts';
import { formatTime } from '../../../model/time.ts';
import type { LoadedBars } from './catalog.ts';
import { barsOf, RAW, type RawColumns } from '../files/columns.ts';
import { MAX_DIGITS, MAX_TICKS, proposeInstrument, splitSymbol, type SeenFigures } from '../records/instrumentRecord.ts';
import { checkSymbol } from '../files/paths.ts';
import { IMPORTED, SYNTHETIC } from './barQuality.ts';
import { wholeSet } from './barStore.ts';

const REMEDY = 'docs/from-code.md shows what bars are';

/**
 * Bars of one instrument and interval as columns of equal length, oldest first. Float64Arrays are used without copying: do not change them
 * while a run or its result is in use.
 */
export interface Bars {
  /** Name of the instrument, such as `BTCUSDT`, or `FOO-BAR` (base, quote) if the quote asset is not a known one. */
  readonly symbol: string;
  /** `1m` `5m` `15m` `30m` `1h` `4h` `1d` `1w` `1M`. */
  readonly interval: Interval;
  /** Open time of each bar: ms UTC, strictly rising, on the grid of the interval. A missing time is a gap. */
  readonly openMs: ArrayLike<number>;
  /** Prices, quote per base: above 0, low <= open, close <= high. */
  readonly open: ArrayLike<number>;
  readonly high: ArrayLike<number>;
  readonly low: ArrayLike<number>;
  readonly close: ArrayLike<number>;
  /** In the base asset, at least 0. */
  readonly volume: ArrayLike<number>;
  /** True for synthetic bars. Every result then says so. */
  readonly synthetic?: boolean;
}

/** Bars with typed arrays as columns, as `readBars` and `generateBars` return them. */
export interface TypedBars extends Bars, RawColumns {
  readonly openMs: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  readonly volume: Float64Array;
  readonly synthetic: boolean;
}

/** Returns the set for a run. `nowMs` decides whether its last bar has closed. Throws ConfigError with column and row (from 0). */
export function givenBars(given: Bars, nowMs: number): LoadedBars {
  checkBars(given);
  const interval = parseInterval(given.interval);
  const symbol = checkSymbol(given.symbol, REMEDY);
  if (interval === null) throw dataError(symbol, 'interval', INTERVAL_FORM, given.interval);
  if (splitSymbol(symbol) === null) throw dataError(symbol, 'symbol', 'a name that ends in a known quote asset, or BASE-QUOTE', symbol);
  const raw = columnsOf(given, symbol);
  const instrument = proposeInstrument('spot', symbol, checkRows(raw, symbol, interval));
  const bars = barsOf(raw, instrument, interval);
  const sourceFacts = given.synthetic === true ? SYNTHETIC : IMPORTED;
  const facts = { ...sourceFacts, openLastBar: closeOf(interval, raw.openMs[raw.length - 1]!) > nowMs };
  return wholeSet(bars, facts);
}

/** Checks a value from code that may not be type-checked. */
function checkBars(given: unknown): void {
  if (typeof given === 'object' && given !== null) return;
  throw new ConfigError(`data: expected the path of a file, or bars in columns, got ${String(given)}`, REMEDY);
}

/** Returns a set in the form used in code. */
export function typedBars({ bars, facts }: Pick<LoadedBars, 'bars' | 'facts'>): TypedBars {
  const { instrument, interval, length, openMs, open, high, low, close, volume } = bars;
  return { symbol: instrument.wireName, interval, length, openMs, open, high, low, close, volume, synthetic: facts.synthetic };
}

/** Returns the columns of bars that a user's code passes. Throws ConfigError unless all are number arrays of one length, above 0. */
function columnsOf(given: Bars, symbol: string): RawColumns {
  const column = (name: (typeof RAW)[number]) => {
    const values: unknown = given[name];
    if (values instanceof Float64Array) return values;
    if (Array.isArray(values) || ArrayBuffer.isView(values)) return Float64Array.from(given[name], Number);
    throw dataError(symbol, name, 'an array of numbers', typeof values);
  };
  const length = given.openMs?.length ?? 0;
  if (length === 0) throw dataError(symbol, 'openMs', 'one bar or more', 'none');
  const columns = { length, ...mapColumns(column) };
  const differing = RAW.find((name) => columns[name].length !== length);
  if (differing === undefined) return columns;
  throw dataError(symbol, differing, `${length} values, as many as openMs has`, columns[differing].length);
}

/** Calls `columnOf` for each of the six columns, in the order of the file. */
function mapColumns(columnOf: (name: (typeof RAW)[number]) => Float64Array): Omit<RawColumns, 'length'> {
  return {
    openMs: columnOf('openMs'),
    open: columnOf('open'),
    high: columnOf('high'),
    low: columnOf('low'),
    close: columnOf('close'),
    volume: columnOf('volume'),
  };
}

/** Checks every row and returns the figures for the instrument record. */
function checkRows(raw: RawColumns, symbol: string, interval: Interval): SeenFigures {
  const { openMs, open, high, low, close, volume, length } = raw;
  let lowest = Infinity;
  let highest = 0;
  for (let row = 0; row < length; row++) {
    const time = openMs[row]!;
    const max = high[row]!;
    const min = low[row]!;
    if (!Number.isSafeInteger(time) || openOf(interval, time) !== time)
      throw dataError(symbol, `openMs[${row}]`, `ms UTC at which a bar of ${interval} opens`, time);
    if (row > 0 && time <= openMs[row - 1]!)
      throw dataError(symbol, `openMs[${row}]`, `a time after ${formatTime(openMs[row - 1]!)}`, time);
    // Comparisons with NaN are false, so a NaN is not sound.
    const isSound = min > 0 && min <= open[row]! && min <= close[row]! && open[row]! <= max && close[row]! <= max && max < Infinity;
    if (!isSound) {
      const gotText = `low ${min}, open ${open[row]}, close ${close[row]}, high ${max}`;
      throw dataError(symbol, `row ${row}`, 'prices above 0 with low <= open, close <= high', gotText);
    }
    if (!(volume[row]! >= 0 && volume[row]! < Infinity)) throw dataError(symbol, `volume[${row}]`, 'a volume of 0 or more', volume[row]);
    if (min < lowest) lowest = min;
    if (max > highest) highest = max;
  }
  const priceDigits = largestOf([open, high, low, close].map(digitsOf));
  if (priceDigits <= MAX_DIGITS && highest * pow10(priceDigits) < MAX_TICKS)
    return { priceDigits, volumeDigits: digitsOf(volume), lowest, highest };
  const row = open.findIndex((price) => digitsOf([price]) === priceDigits);
  throw new ConfigError(
    `data ${symbol}: prices are finer than exact money can be: ${priceDigits} digits behind the point${
      row < 0 ? '' : `, such as open[${row}] = ${open[row]}`
    }`,
    'round them to the tick of the instrument: Math.round(price * 100) / 100',
  );
}

/** Returns the maximum number of decimals of any value, without trailing zeros; MAX_DIGITS + 1 if that is not enough. */
function digitsOf(values: ArrayLike<number>): number {
  let digits = 0;
  for (let i = 0; i < values.length; i++) {
    while (digits <= MAX_DIGITS && Math.round(values[i]! * pow10(digits)) / pow10(digits) !== values[i]) digits++;
  }
  return digits;
}

/** Returns the error for a wrong value. `place` is a column, or a column with its row. */
function dataError(symbol: string, place: string, expected: string, gotText: unknown): ConfigError {
  return new ConfigError(`data ${symbol} ${place}: expected ${expected}, got ${String(gotText)}`, REMEDY);
}
