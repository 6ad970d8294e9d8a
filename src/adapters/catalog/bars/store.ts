// Where the bars of a run come from: a catalog folder, or sets that are in memory already. Both answer the same questions.

import { existsSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { formatMinute } from '../../../model/time.ts';
import { loadBars, readEntry, type BarRange, type LoadedBars } from './catalog.ts';
import { rowAt } from '../files/columns.ts';
import { loadSeries, type LoadedSeries } from '../series/seriesStore.ts';
import { barsPath, instrumentPath, listKeys, listSeries, type BarKey, type SeriesKey } from '../files/paths.ts';
import { manifestOf, qualityOf, type BarFacts, type BarSource } from './quality.ts';

/** What is known of a set before its rows are read. */
interface SetFacts {
  readonly source: BarSource;
  /** When its first and its last bar open (ms UTC). */
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Marks and funding of contracts. */
export interface SeriesStore {
  keys(symbol: string): readonly SeriesKey[];
  /** Rows of a series from a time up to another. Throws ConfigError when it cannot be read. */
  load(key: SeriesKey, fromMs: number, toMs: number): LoadedSeries | null;
}

export interface BarStore {
  readonly kind: 'the catalog' | 'data';
  /** As messages call it. */
  readonly name: string;
  /** How it gets more bars, for remedies. */
  readonly remedy: string;
  keys(): readonly BarKey[];
  /** Null where it has no such set. */
  factsOf(key: BarKey): SetFacts | null;
  /** Throws ConfigError when it has no such set, or none of its rows lie in the range. */
  load(key: BarKey, range: BarRange): LoadedBars;
  /** A set as messages call it. */
  nameOf(key: BarKey): string;
  /** Null where it has bars alone. */
  readonly series: SeriesStore | null;
}

/** The catalog in `folder`. */
export function catalogStore(folder: string): BarStore {
  return {
    kind: 'the catalog',
    name: `the catalog ${folder}`,
    remedy: 'isobar data import FILE adds bars',
    keys: () => listKeys(folder),
    factsOf: (key) => (existsSync(barsPath(folder, key)) ? readEntry(folder, key) : null),
    load: (key, range) => ({
      ...loadBars(folder, key, { ...range, isHashed: true }),
      files: [barsPath(folder, key), instrumentPath(folder, key.market, key.symbol)],
    }),
    nameOf: (key) => barsPath(folder, key),
    series: {
      keys: (symbol) => listSeries(folder).filter((key) => key.symbol === symbol),
      load: (key, fromMs, toMs) => loadSeries(folder, key, fromMs, toMs),
    },
  };
}

/** A set that was made in memory, as a store would give it back. */
export function wholeSet(bars: BarColumns, facts: BarFacts): LoadedBars {
  return { bars, firstRow: 0, facts, quality: qualityOf(bars, 0, facts, manifestOf(bars, facts).sha256) };
}

/** Whole sets in memory (`firstRow` 0); a range of one is a view of its columns. The later of two sets of one key counts. */
export function memoryStore(sets: readonly LoadedBars[]): BarStore {
  const setOf = ({ market, symbol, interval }: BarKey) =>
    sets.findLast(({ bars }) => bars.instrument.market === market && bars.instrument.wireName === symbol && bars.interval === interval);
  const nameOf = ({ symbol, interval }: BarKey) => `the bars of ${symbol} ${interval}`;
  return {
    kind: 'data',
    name: 'data',
    remedy: 'give bars of it in data',
    keys: () => sets.map(({ bars }) => ({ market: bars.instrument.market, symbol: bars.instrument.wireName, interval: bars.interval })),
    factsOf(key) {
      const set = setOf(key);
      return set ? { source: set.facts.source, firstMs: set.bars.openMs[0]!, lastMs: set.bars.openMs[set.bars.length - 1]! } : null;
    },
    load(key, range) {
      const set = setOf(key);
      if (!set) throw new ConfigError(`data: no bars of ${key.symbol} ${key.interval}`, 'give them, or name another feed');
      return partOf(set, range, nameOf(key));
    },
    nameOf,
    series: null,
  };
}

function partOf(set: LoadedBars, { fromMs, toMs = Infinity, warmupRows = 0 }: BarRange, name: string): LoadedBars {
  const { bars, facts, quality } = set;
  const first = fromMs === undefined ? 0 : rowAt(bars.openMs, fromMs);
  const start = Math.max(0, first - warmupRows);
  // Closes rise as opens do: the first close beyond the end ends the range.
  const end = toMs === Infinity ? bars.length : rowAt(bars.closeMs, toMs + 1);
  if (start === 0 && first === 0 && end === bars.length) return set;
  if (end <= first) {
    const have = `${formatMinute(bars.openMs[0]!)} to ${formatMinute(bars.openMs[bars.length - 1]!)}`;
    throw new ConfigError(
      `${name}: none from ${fromMs === undefined ? 'the start' : formatMinute(fromMs)} to ${
        toMs === Infinity ? 'the end' : formatMinute(toMs)
      }`,
      `they open from ${have}: change from and to`,
    );
  }
  const column = (of: Float64Array) => of.subarray(start, end);
  const { instrument, interval, openMs, closeMs, open, high, low, close, volume } = bars;
  const part = {
    instrument,
    interval,
    length: end - start,
    openMs: column(openMs),
    closeMs: column(closeMs),
    open: column(open),
    high: column(high),
    low: column(low),
    close: column(close),
    volume: column(volume),
  };
  const known = {
    ...facts,
    openLastBar: facts.openLastBar && end === bars.length,
    barsIn: facts.barsIn === null ? null : facts.barsIn.subarray(start, end),
  };
  return { bars: part, firstRow: first - start, facts: known, quality: qualityOf(part, first - start, known, quality.manifestHash) };
}
