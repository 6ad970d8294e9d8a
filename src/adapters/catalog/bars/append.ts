// Joins bars that an exchange gave to a set of the catalog: new ones are added, what both have is compared, nothing is replaced unasked.

import { existsSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';
import { pow10 } from '../../../base/number/exact.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { INTERVALS, type Interval } from '../../../model/interval.ts';
import { formatMinute } from '../../../model/time.ts';
import { loadBars, readEntry, readCatalogFile, storeBars, writeText } from './catalog.ts';
import { barsOf, emptyColumns, RAW, sliceColumns, type RawColumns } from '../files/columns.ts';
import { readImports, writeImports } from './importRecord.ts';
import { instrumentText, MAX_TICKS } from '../records/instrumentRecord.ts';
import { clearLeftovers } from '../files/leftovers.ts';
import { barsPath, checkSymbol, instrumentPath, lockPath, type BarKey } from '../files/paths.ts';
import { IMPORTED, manifestOf, type GapManifest } from './quality.ts';
import { whileLocked } from '../files/storeLock.ts';

/** What becomes of a stored bar for which the exchange has other figures: it stays, as everywhere in the catalog, or gives way. */
export type RevisedRule = 'keep' | 'replace';

type PriceFigures = Readonly<Record<Exclude<(typeof RAW)[number], 'openMs'>, number>>;
export interface RevisedBar {
  readonly openMs: number;
  readonly was: PriceFigures;
  readonly now: PriceFigures;
}

export interface JoinedRows {
  readonly raw: RawColumns;
  /** Rows that were not there, and how many of them lie before the last that was. */
  readonly newRows: number;
  readonly filledRows: number;
  readonly equalRows: number;
  readonly revised: readonly RevisedBar[];
  /** A last row that had not closed when it was imported: stated anew, or taken out where the exchange reaches back to it no more. */
  readonly openRow: 'restated' | 'removed' | null;
}

export interface AppendedBars extends Omit<JoinedRows, 'raw'> {
  /** The record as it is kept: with as many price digits as the bars need, should the exchange's own be fewer. */
  readonly instrument: Instrument;
  /** Of the whole set as the catalog now has it. */
  readonly manifest: GapManifest;
  /** False where the file stays as it was, byte by byte. */
  readonly isWritten: boolean;
}

/** So many bars that differ, if they are most of those compared, are no revisions: the catalog has bars of somewhere else. */
const FOREIGN_ROWS = 3;

/**
 * Appends closed bars (rising times, on the grid, sound) to the set of the instrument and `interval`, making it where it lacks. The
 * set is written whole or not at all. Throws ConfigError when the stored bars were made here, or seem to be another exchange's.
 */
export function appendBars(catalog: string, given: Instrument, interval: Interval, rows: RawColumns, rule: RevisedRule): AppendedBars {
  const key: BarKey = { market: given.market, symbol: checkSymbol(given.wireName), interval };
  return whileLocked(lockPath(catalog, key), () => appendRows(catalog, given, key, rows, rule));
}

function appendRows(catalog: string, given: Instrument, key: BarKey, rows: RawColumns, rule: RevisedRule): AppendedBars {
  const { interval } = key;
  const path = barsPath(catalog, key);
  const stored = existsSync(path) ? loadBars(catalog, key) : null;
  if (stored && stored.facts.source !== 'import') {
    throw new ConfigError(
      `${path}: these bars are ${stored.facts.source}, not an exchange's`,
      'remove the file, or use another catalog (--catalog DIR)',
    );
  }
  const { raw, ...joined } = joinRows(stored?.bars ?? emptyColumns(0), stored?.facts.openLastBar ?? false, rows, rule);
  if (rule === 'keep' && joined.revised.length >= FOREIGN_ROWS && joined.revised.length > joined.equalRows) throw foreign(path, joined);
  const isWritten = joined.newRows > 0 || joined.openRow !== null || (rule === 'replace' && joined.revised.length > 0);
  const instrument = withEnoughDigits(catalog, given, rows, path);
  if (!isWritten && stored) {
    storeInstrument(catalog, instrument);
    return { ...joined, instrument, isWritten, manifest: manifestOf(stored.bars, stored.facts) };
  }
  clearLeftovers(path);
  const files = readImports(catalog, key);
  const before = stored?.facts ?? IMPORTED;
  const facts = { ...before, openLastBar: before.openLastBar && joined.openRow === null };
  const manifest = storeBars(catalog, barsOf(raw, instrument, interval), facts);
  // The set still has all that those files had, unless their figures gave way.
  if (files && (rule === 'keep' || joined.revised.length === 0)) writeImports(catalog, key, manifest.dataSha256, files);
  return { ...joined, instrument, isWritten, manifest };
}

/** The record with enough price digits for the bars that are there and for `rows`: an exchange may have had finer prices than today. */
function withEnoughDigits(catalog: string, given: Instrument, rows: RawColumns, path: string): Instrument {
  let { priceDigits } = withDigitsOf(catalog, given);
  for (const column of [rows.open, rows.high, rows.low, rows.close]) {
    for (const price of column) {
      while (Math.round(price * pow10(priceDigits)) / pow10(priceDigits) !== price && price * pow10(priceDigits) < MAX_TICKS) priceDigits++;
      if (price * pow10(priceDigits) < MAX_TICKS) continue;
      throw new ConfigError(`${path}: a price of ${price} with ${priceDigits} digits behind the point is finer than exact money can be`);
    }
  }
  return { ...given, priceDigits };
}

/** The record with at least the price digits that the catalog's bars of the instrument have. */
function withDigitsOf(catalog: string, of: Instrument): Instrument {
  const keys = INTERVALS.map((interval) => ({ market: of.market, symbol: of.wireName, interval }));
  const seen = keys.filter((key) => existsSync(barsPath(catalog, key))).map((key) => readEntry(catalog, key).seenPriceDigits);
  return { ...of, priceDigits: Math.max(of.priceDigits, ...seen) };
}

/** Keeps the record, with the digits that the catalog's bars have meanwhile; returns it as it is kept. */
export function refreshInstrument(catalog: string, of: Instrument): Instrument {
  return whileLocked(lockPath(catalog, { market: of.market, symbol: of.wireName }), () => {
    const instrument = withDigitsOf(catalog, of);
    storeInstrument(catalog, instrument);
    return instrument;
  });
}

/** Writes the record where it is another one, or none is there; tells whether it was. */
export function storeInstrument(catalog: string, instrument: Instrument): boolean {
  const path = instrumentPath(catalog, instrument.market, instrument.wireName);
  const text = instrumentText(instrument);
  if (existsSync(path) && readCatalogFile(path) === text) return false;
  writeText(path, text);
  return true;
}

function foreign(path: string, { revised, equalRows }: Omit<JoinedRows, 'raw'>): ConfigError {
  const [first] = revised.map(({ openMs }) => formatMinute(openMs));
  const all = revised.length + equalRows;
  return new ConfigError(
    `${path}: ${revised.length} of ${all} bars differ from the exchange's, the first of ${first}`,
    "they seem to be of another exchange: take another catalog (--catalog DIR), or the exchange's figures (--revised replace)",
  );
}

/** Both sets of rows (each strictly rising) in order of time. `hasOpenRow`: the last row of `stored` had not closed when it came. */
export function joinRows(stored: RawColumns, hasOpenRow: boolean, rows: RawColumns, rule: RevisedRule): JoinedRows {
  const both = emptyColumns(stored.length + rows.length);
  const revised: RevisedBar[] = [];
  const lastClosed = stored.length - (hasOpenRow ? 2 : 1);
  const lastClosedMs = lastClosed >= 0 ? stored.openMs[lastClosed]! : -Infinity;
  let [i, j, n, equalRows, filledRows] = [0, 0, 0, 0, 0];
  let openRow: JoinedRows['openRow'] = null;
  const copy = (from: RawColumns, row: number) => {
    for (const name of RAW) both[name][n] = from[name][row]!;
    n++;
  };
  while (i < stored.length || j < rows.length) {
    const [mine, theirs] = [i < stored.length ? stored.openMs[i]! : Infinity, j < rows.length ? rows.openMs[j]! : Infinity];
    const isOpen = hasOpenRow && i === stored.length - 1;
    if (mine < theirs) {
      // An unfinished bar is true only as the last one.
      if (isOpen && theirs < Infinity) openRow = 'removed';
      else copy(stored, i);
      i++;
    } else if (theirs < mine) {
      if (theirs < lastClosedMs) filledRows++;
      copy(rows, j++);
    } else {
      const isEqual = RAW.every((name) => stored[name][i] === rows[name][j]);
      if (isOpen) openRow = 'restated';
      else if (isEqual) equalRows++;
      else revised.push({ openMs: mine, was: figuresOf(stored, i), now: figuresOf(rows, j) });
      if (isOpen || (!isEqual && rule === 'replace')) copy(rows, j);
      else copy(stored, i);
      i++;
      j++;
    }
  }
  const newRows = rows.length - equalRows - revised.length - (openRow === 'restated' ? 1 : 0);
  return { raw: n === both.length ? both : sliceColumns(both, 0, n), newRows, filledRows, equalRows, revised, openRow };
}

function figuresOf({ open, high, low, close, volume }: RawColumns, row: number): PriceFigures {
  return { open: open[row]!, high: high[row]!, low: low[row]!, close: close[row]!, volume: volume[row]! };
}

/** The newest closed rows of a set, at most `most`; none where the catalog has no such set. */
export function newestRows(catalog: string, key: BarKey, max: number): RawColumns {
  if (!existsSync(barsPath(catalog, key))) return emptyColumns(0);
  const { bars, facts } = loadBars(catalog, key, { fromMs: readEntry(catalog, key).lastMs, warmupRows: max });
  const end = bars.length - (facts.openLastBar ? 1 : 0);
  return sliceColumns(bars, Math.max(0, end - max), end);
}
