// Merges downloaded bars into stored ones: adds new bars and compares existing ones. Nothing is replaced unless requested.

import { existsSync } from 'node:fs';
import { largestOf } from '../../../base/number/extremes.ts';
import { ConfigError } from '../../../base/errors.ts';
import { pow10 } from '../../../base/number/exact.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Interval } from '../../../model/interval.ts';
import { formatMinute } from '../../../model/time.ts';
import { loadBars, readEntry, readCatalogFile, storeBars, writeCatalogFile } from './catalog.ts';
import { barsOf, emptyColumns, RAW, sliceColumns, type RawColumns } from '../files/columns.ts';
import { readImports, writeImports } from './importRecord.ts';
import { instrumentText, MAX_TICKS } from '../records/instrumentRecord.ts';
import { clearLeftovers } from '../files/leftovers.ts';
import { barsPath, checkSymbol, instrumentPath, listIntervals, lockPath, type BarKey } from '../files/paths.ts';
import { IMPORTED, manifestOf, type GapManifest } from './barQuality.ts';
import { whileStoreLocked } from '../files/storeLock.ts';

/** Whether a stored bar stays (`keep`) or is replaced when the venue has other figures for it. */
export type RevisedRule = 'keep' | 'replace';

type PriceFigures = Readonly<Record<Exclude<(typeof RAW)[number], 'openMs'>, number>>;
/** A stored bar for which the venue has other figures. */
export interface RevisedBar {
  readonly openMs: number;
  readonly was: PriceFigures;
  readonly now: PriceFigures;
}

/** The result of merging stored and downloaded rows. */
export interface JoinedRows {
  readonly raw: RawColumns;
  /** Number of new rows, and how many of them precede the last stored row. */
  readonly newRows: number;
  readonly filledRows: number;
  readonly equalRows: number;
  readonly revised: readonly RevisedBar[];
  /** A last row that was still open when imported: updated, or removed if the new rows do not reach back to it. */
  readonly openRow: 'restated' | 'removed' | null;
}

/** The result of appending bars to stored ones. */
export interface AppendedBars extends Omit<JoinedRows, 'raw'> {
  /** The record as stored. It has more price digits than the venue's if the bars need them. */
  readonly instrument: Instrument;
  /** The gaps of all bars as now stored. */
  readonly manifest: GapManifest;
  /** False if the file is unchanged. */
  readonly isWritten: boolean;
}

/** If at least this many bars differ, and most compared bars do, they are not revisions: the catalog has bars from another source. */
const MIN_FOREIGN_ROWS = 3;

/**
 * Appends closed, sound bars (rising times, on the grid) to the stored bars of a series, creating its file if it is missing. The file is
 * written completely or not at all. Throws ConfigError if the stored bars are synthetic or resampled, or seem to be from another venue.
 */
export function appendBars(catalog: string, series: BarSeries, rows: RawColumns, rule: RevisedRule): AppendedBars {
  return whileStoreLocked(lockPath(catalog, keyOf(series)), () => appendRows(catalog, series, rows, rule));
}

/** The instrument of bars as the venue lists it, and their interval. */
export interface BarSeries {
  readonly listedInstrument: Instrument;
  readonly interval: Interval;
}

function keyOf({ listedInstrument: { market, wireName }, interval }: BarSeries): BarKey {
  return { market, symbol: checkSymbol(wireName), interval };
}

/** Appends rows to the stored bars of a series. Throws ConfigError if the stored bars are not imported, or come from another source. */
function appendRows(catalog: string, series: BarSeries, rows: RawColumns, rule: RevisedRule): AppendedBars {
  const { listedInstrument, interval } = series;
  const key = keyOf(series);
  const path = barsPath(catalog, key);
  const stored = existsSync(path) ? loadBars(catalog, key) : null;
  if (stored && stored.facts.source !== 'import') {
    throw new ConfigError(
      `${path}: these bars are ${stored.facts.source}, not an exchange's`,
      'remove the file, or use another catalog (--catalog DIR)',
    );
  }
  const { raw, ...joined } = joinRows(stored?.bars ?? emptyColumns(0), stored?.facts.openLastBar ?? false, rows, rule);
  if (rule === 'keep' && joined.revised.length >= MIN_FOREIGN_ROWS && joined.revised.length > joined.equalRows)
    throw differentSourceError(path, joined);
  const isWritten = joined.newRows > 0 || joined.openRow !== null || (rule === 'replace' && joined.revised.length > 0);
  const instrument = withEnoughDigits(catalog, listedInstrument, rows, path);
  if (!isWritten && stored) {
    storeInstrument(catalog, instrument);
    return { ...joined, instrument, isWritten, manifest: manifestOf(stored.bars, stored.facts) };
  }
  clearLeftovers(path);
  const files = readImports(catalog, key);
  const earlierFacts = stored?.facts ?? IMPORTED;
  const facts = { ...earlierFacts, openLastBar: earlierFacts.openLastBar && joined.openRow === null };
  const manifest = storeBars(catalog, barsOf(raw, instrument, interval), facts);
  // The catalog still has all rows of those files, unless some were replaced.
  if (files && (rule === 'keep' || joined.revised.length === 0)) writeImports(catalog, key, manifest.dataSha256, files);
  return { ...joined, instrument, isWritten, manifest };
}

/** Returns the record with enough price digits for the stored bars and for `rows`, because the venue may have had finer prices earlier. */
function withEnoughDigits(catalog: string, listedInstrument: Instrument, rows: RawColumns, path: string): Instrument {
  let { priceDigits } = withDigitsOf(catalog, listedInstrument);
  for (const column of [rows.open, rows.high, rows.low, rows.close]) {
    for (const price of column) {
      while (Math.round(price * pow10(priceDigits)) / pow10(priceDigits) !== price && price * pow10(priceDigits) < MAX_TICKS) priceDigits++;
      if (price * pow10(priceDigits) < MAX_TICKS) continue;
      throw new ConfigError(`${path}: a price of ${price} with ${priceDigits} digits behind the point is finer than exact money can be`);
    }
  }
  return { ...listedInstrument, priceDigits };
}

/** Returns the record with at least the price digits of the instrument's bars in the catalog. */
function withDigitsOf(catalog: string, instrument: Instrument): Instrument {
  const { market, wireName: symbol } = instrument;
  const keys = listIntervals(catalog, market, symbol).map((interval) => ({ market, symbol, interval }));
  const digitsOfStoredBars = keys.filter((key) => existsSync(barsPath(catalog, key))).map((key) => readEntry(catalog, key).seenPriceDigits);
  return { ...instrument, priceDigits: Math.max(instrument.priceDigits, largestOf(digitsOfStoredBars)) };
}

/** Stores the record with the digits that the catalog's bars need, and returns it. */
export function refreshInstrument(catalog: string, instrument: Instrument): Instrument {
  return whileStoreLocked(lockPath(catalog, { market: instrument.market, symbol: instrument.wireName }), () => {
    const record = withDigitsOf(catalog, instrument);
    storeInstrument(catalog, record);
    return record;
  });
}

/** Writes the record if it is new or changed; returns true if it was written. */
export function storeInstrument(catalog: string, instrument: Instrument): boolean {
  const path = instrumentPath(catalog, instrument.market, instrument.wireName);
  const text = instrumentText(instrument);
  if (existsSync(path) && readCatalogFile(path) === text) return false;
  writeCatalogFile(path, text);
  return true;
}

/** Returns the error for downloaded bars that contradict too many stored ones. */
function differentSourceError(path: string, { revised, equalRows }: Omit<JoinedRows, 'raw'>): ConfigError {
  const [first] = revised.map(({ openMs }) => formatMinute(openMs));
  const compared = revised.length + equalRows;
  return new ConfigError(
    `${path}: ${revised.length} of ${compared} bars differ from the exchange's, the first of ${first}`,
    "they seem to be of another exchange: take another catalog (--catalog DIR), or the exchange's figures (--revised replace)",
  );
}

/** Merges stored and downloaded rows (each strictly rising) in time order. `hasOpenRow`: the last row of `stored` was not closed when imported. */
export function joinRows(stored: RawColumns, hasOpenRow: boolean, rows: RawColumns, rule: RevisedRule): JoinedRows {
  const joinedRows = emptyColumns(stored.length + rows.length);
  const revised: RevisedBar[] = [];
  const lastClosed = stored.length - (hasOpenRow ? 2 : 1);
  const lastClosedMs = lastClosed >= 0 ? stored.openMs[lastClosed]! : -Infinity;
  let storedRow = 0;
  let downloadedRow = 0;
  let rowsWritten = 0;
  let equalRows = 0;
  let filledRows = 0;
  let openRow: JoinedRows['openRow'] = null;
  const copy = (from: RawColumns, row: number) => {
    for (const name of RAW) joinedRows[name][rowsWritten] = from[name][row]!;
    rowsWritten++;
  };
  while (storedRow < stored.length || downloadedRow < rows.length) {
    const storedMs = storedRow < stored.length ? stored.openMs[storedRow]! : Infinity;
    const downloadedMs = downloadedRow < rows.length ? rows.openMs[downloadedRow]! : Infinity;
    const isOpen = hasOpenRow && storedRow === stored.length - 1;
    if (storedMs < downloadedMs) {
      // An open bar is valid only as the last one.
      if (isOpen && downloadedMs < Infinity) openRow = 'removed';
      else copy(stored, storedRow);
      storedRow++;
    } else if (downloadedMs < storedMs) {
      if (downloadedMs < lastClosedMs) filledRows++;
      copy(rows, downloadedRow++);
    } else {
      const isEqual = RAW.every((name) => stored[name][storedRow] === rows[name][downloadedRow]);
      if (isOpen) openRow = 'restated';
      else if (isEqual) equalRows++;
      else revised.push({ openMs: storedMs, was: figuresOf(stored, storedRow), now: figuresOf(rows, downloadedRow) });
      if (isOpen || (!isEqual && rule === 'replace')) copy(rows, downloadedRow);
      else copy(stored, storedRow);
      storedRow++;
      downloadedRow++;
    }
  }
  const newRows = rows.length - equalRows - revised.length - (openRow === 'restated' ? 1 : 0);
  return {
    raw: rowsWritten === joinedRows.length ? joinedRows : sliceColumns(joinedRows, 0, rowsWritten),
    newRows,
    filledRows,
    equalRows,
    revised,
    openRow,
  };
}

/** Returns the prices and the volume of a row. */
function figuresOf({ open, high, low, close, volume }: RawColumns, row: number): PriceFigures {
  return { open: open[row]!, high: high[row]!, low: low[row]!, close: close[row]!, volume: volume[row]! };
}

/** Returns the newest closed rows of a series, at most `max`; no rows if the catalog has no such series. */
export function newestRows(catalog: string, key: BarKey, max: number): RawColumns {
  if (!existsSync(barsPath(catalog, key))) return emptyColumns(0);
  const { bars, facts } = loadBars(catalog, key, { fromMs: readEntry(catalog, key).lastMs, warmupRows: max });
  const end = bars.length - (facts.openLastBar ? 1 : 0);
  return sliceColumns(bars, Math.max(0, end - max), end);
}
