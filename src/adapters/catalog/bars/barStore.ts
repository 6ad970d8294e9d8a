// Sources of a run's bars with one interface: a catalog folder, or sets in memory.

import { existsSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Interval } from '../../../model/interval.ts';
import { typicalLengthMs } from '../../../model/interval.ts';
import { formatMinute } from '../../../model/time.ts';
import { loadBars, readEntry, type BarRange, type LoadedBars } from './catalog.ts';
import { firstRowAtOrAfter } from '../files/columns.ts';
import { memoryRows, openRows, type RowReader } from './rowReader.ts';
import { loadSeries, type LoadedSeries } from '../series/seriesStore.ts';
import { barsPath, instrumentPath, listIntervals, listKeys, listSeries, type BarKey, type SeriesKey } from '../files/paths.ts';
import { manifestOf, qualityOf, type BarFacts, type BarSource } from './barQuality.ts';

/** Facts about a set before its rows are read. */
interface SetFacts {
  readonly source: BarSource;
  /** Open times of its first and last bar (ms UTC). */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Mark prices and funding rates of contracts. */
export interface SeriesStore {
  keys(symbol: string): readonly SeriesKey[];
  /** Loads the rows of a series between two times. Throws ConfigError if it cannot be read. */
  load(key: SeriesKey, fromMs: number, toMs: number): LoadedSeries | null;
}

/** Where the bars of a run come from. */
export interface BarStore {
  readonly kind: 'the catalog' | 'data';
  /** Name in messages. */
  readonly name: string;
  /** How to add bars, for messages. */
  readonly remedy: string;
  keys(): readonly BarKey[];
  /** Intervals of a symbol's sets, the shortest first. */
  intervalsOf(key: Omit<BarKey, 'interval'>): readonly Interval[];
  /** Returns null if there is no such set. */
  factsOf(key: BarKey): SetFacts | null;
  /** Throws ConfigError if there is no such set, or no rows in the range. */
  load(key: BarKey, range: BarRange): LoadedBars;
  /** Opens a set for reading a few rows at a time; null if there is no such set. The caller closes it. */
  openRowReader(key: BarKey): RowReader | null;
  /** Returns the name of a set in messages. */
  nameOf(key: BarKey): string;
  /** Null if it has bars only. */
  readonly series: SeriesStore | null;
  /** The folder of a catalog, which may have trades; null for bars in memory. */
  readonly folder: string | null;
}

/** Returns the catalog in `folder` as a store. */
export function catalogStore(folder: string): BarStore {
  return {
    kind: 'the catalog',
    folder,
    name: `the catalog ${folder}`,
    remedy: 'isobar data import FILE adds bars',
    keys: () => listKeys(folder),
    intervalsOf: ({ market, symbol }) => listIntervals(folder, market, symbol),
    factsOf: (key) => (existsSync(barsPath(folder, key)) ? readEntry(folder, key) : null),
    load: (key, range) => ({
      ...loadBars(folder, key, { ...range, isHashed: true }),
      files: [barsPath(folder, key), instrumentPath(folder, key.market, key.symbol)],
    }),
    openRowReader: (key) => openRows(folder, key),
    nameOf: (key) => barsPath(folder, key),
    series: {
      keys: (symbol) => listSeries(folder).filter((key) => key.symbol === symbol),
      load: (key, fromMs, toMs) => loadSeries(folder, key, fromMs, toMs),
    },
  };
}

/** Returns a set from memory in the form in which a store returns it. */
export function wholeSet(bars: BarColumns, facts: BarFacts): LoadedBars {
  return { bars, firstRow: 0, facts, quality: qualityOf(bars, 0, facts, manifestOf(bars, facts).sha256) };
}

/**
 * Returns a store of whole sets in memory (`firstRow` 0). A range is a view of their columns. Of two sets with one key, the later counts.
 */
export function memoryStore(sets: readonly LoadedBars[]): BarStore {
  const setOf = ({ market, symbol, interval }: BarKey) =>
    sets.findLast(({ bars }) => bars.instrument.market === market && bars.instrument.wireName === symbol && bars.interval === interval);
  const nameOf = ({ symbol, interval }: BarKey) => `the bars of ${symbol} ${interval}`;
  return {
    kind: 'data',
    name: 'data',
    remedy: 'add its bars to data',
    keys: () => sets.map(({ bars }) => ({ market: bars.instrument.market, symbol: bars.instrument.wireName, interval: bars.interval })),
    intervalsOf: ({ market, symbol }) =>
      Array.from(
        new Set(
          sets.flatMap(({ bars: { instrument, interval } }) =>
            instrument.market === market && instrument.wireName === symbol ? [interval] : [],
          ),
        ),
      ).toSorted((a, b) => typicalLengthMs(a) - typicalLengthMs(b)),
    factsOf(key) {
      const set = setOf(key);
      return set ? { source: set.facts.source, firstMs: set.bars.openMs[0]!, lastMs: set.bars.openMs[set.bars.length - 1]! } : null;
    },
    load(key, range) {
      const set = setOf(key);
      if (!set) throw new ConfigError(`data: no bars of ${key.symbol} ${key.interval}`, 'give them, or name another feed');
      return rowsInRange(set, range, nameOf(key));
    },
    openRowReader(key) {
      const set = setOf(key);
      return set ? memoryRows(set.bars) : null;
    },
    nameOf,
    series: null,
    folder: null,
  };
}

/** Returns the rows of a range with their warm-up. Throws ConfigError if no row is in the range. */
function rowsInRange(set: LoadedBars, { fromMs, toMs = Infinity, warmupRows = 0 }: BarRange, name: string): LoadedBars {
  const { bars, facts, quality } = set;
  const first = fromMs === undefined ? 0 : firstRowAtOrAfter(bars.openMs, fromMs);
  const start = Math.max(0, first - warmupRows);
  // Close times rise like open times, so the first close beyond the end ends the range.
  const end = toMs === Infinity ? bars.length : firstRowAtOrAfter(bars.closeMs, toMs + 1);
  if (start === 0 && first === 0 && end === bars.length) return set;
  if (end <= first) {
    const openTimesText = `${formatMinute(bars.openMs[0]!)} to ${formatMinute(bars.openMs[bars.length - 1]!)}`;
    const fromText = fromMs === undefined ? 'the start' : formatMinute(fromMs);
    const toText = toMs === Infinity ? 'the end' : formatMinute(toMs);
    throw new ConfigError(`${name}: none from ${fromText} to ${toText}`, `they open from ${openTimesText}: change from and to`);
  }
  const sliceOf = (values: Float64Array) => values.subarray(start, end);
  const { instrument, interval, openMs, closeMs, open, high, low, close, volume } = bars;
  const rangeBars = {
    instrument,
    interval,
    length: end - start,
    openMs: sliceOf(openMs),
    closeMs: sliceOf(closeMs),
    open: sliceOf(open),
    high: sliceOf(high),
    low: sliceOf(low),
    close: sliceOf(close),
    volume: sliceOf(volume),
  };
  const rangeFacts = {
    ...facts,
    openLastBar: facts.openLastBar && end === bars.length,
    barsIn: facts.barsIn === null ? null : facts.barsIn.subarray(start, end),
  };
  return {
    bars: rangeBars,
    firstRow: first - start,
    facts: rangeFacts,
    quality: qualityOf(rangeBars, first - start, rangeFacts, quality.manifestHash),
  };
}
