// Checks the trades of an instrument in the catalog, writes their manifest, and loads a range of them.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendAll } from '../../../base/memory/appendAll.ts';
import { DAY_MS } from '../../../base/calendar.ts';
import { ConfigError } from '../../../base/errors.ts';
import { formatTime } from '../../../model/time.ts';
import { readCatalogFile, writeCatalogFile } from '../bars/catalog.ts';
import { noteHash } from '../bars/readHashes.ts';
import { firstRowAtOrAfter } from '../files/columns.ts';
import {
  areIdsShared,
  checkTradeDay,
  idGap,
  missingIn,
  readTradeDay,
  tradeDayOf,
  withDigits,
  type CheckedDay,
  type IdGap,
  type TradeDay,
} from './tradeDays.ts';
import {
  dayOf,
  dayPath,
  daysIn,
  dayStart,
  tradesFolder,
  tradesManifestPath,
  type TradeColumns,
  type TradeKey,
  type TradeKind,
} from './trades.ts';

/** Further gaps are counted but not listed. */
const MAX_GAPS = 10_000;

/** An imported file of trades. */
export interface TradeFile {
  /** Name as given by the user. */
  readonly name: string;
  readonly sha256: string;
  readonly rows: number;
}

/** The manifest of the trades of an instrument, which is stored as JSON. */
export interface TradeManifest extends TradeKey {
  readonly format: 'isobar trades 1';
  readonly kind: TradeKind;
  readonly rows: number;
  readonly first: string;
  readonly last: string;
  readonly firstId: number;
  readonly lastId: number;
  /** Missing ids between the first and the last: the number of runs, and the number of ids. */
  readonly gaps: number;
  readonly missingIds: number;
  /** Present if the ids are a series that several symbols share, so that none of them shows a missing trade. Then `gaps` is 0. */
  readonly sharedIds?: true;
  /** Number of days whose first id is not above the last id of the day before. */
  readonly overlaps: number;
  readonly days: readonly TradeDay[];
  readonly gapList: readonly IdGap[];
  readonly files: readonly TradeFile[];
  /** Hash of the content above, without the files. */
  readonly sha256: string;
}

/** The result of a check of all trades of an instrument. */
export interface CheckedTrades {
  readonly manifest: TradeManifest;
  /** Days that another program has changed. */
  readonly changed: readonly string[];
  /** Number of rows that break a rule, plus the number of overlapping days. */
  readonly wrong: number;
}

/** Checks all days, writes the manifest again, and returns it. `files` replaces its list of files; if absent, the list stays. */
export function checkTrades(catalog: string, key: TradeKey, files?: readonly TradeFile[]): CheckedTrades {
  const folder = tradesFolder(catalog, key);
  const days = daysIn(folder).map((day) => checkTradeDay(folder, day));
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined)
    throw new ConfigError(`${folder}: there are no trades`, 'isobar data import FILE --as trades adds some');
  const { gapList: allGaps, overlaps } = gapsAndOverlaps(days);
  const rows = days.reduce((sum, day) => sum + day.rows, 0);
  const isShared = areIdsShared(rows, allGaps.length);
  const gapList = isShared ? [] : allGaps;
  const content = {
    format: 'isobar trades 1' as const,
    market: key.market,
    symbol: key.symbol,
    kind: first.kind,
    rows,
    first: formatTime(first.firstMs),
    last: formatTime(last.lastMs),
    firstId: days.reduce((min, { firstId }) => Math.min(min, firstId), Infinity),
    lastId: days.reduce((max, { lastId }) => Math.max(max, lastId), 0),
    gaps: gapList.length,
    missingIds: gapList.reduce((sum, { missing }) => sum + missing, 0),
    ...(isShared ? { sharedIds: true as const } : {}),
    overlaps,
    days: days.map(({ unchanged: _unchanged, wrong: _wrong, gaps: _gaps, ...day }): TradeDay => day),
    gapList: gapList.slice(0, MAX_GAPS),
  };
  const manifest: TradeManifest = {
    ...content,
    files: files ?? readTradeFiles(catalog, key),
    sha256: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
  };
  writeCatalogFile(tradesManifestPath(catalog, key), `${JSON.stringify(manifest, null, 1)}\n`);
  return {
    manifest,
    changed: days.flatMap(({ day, unchanged }) => (unchanged ? [] : [day])),
    wrong: days.reduce((sum, { wrong }) => sum + wrong, 0) + overlaps,
  };
}

/** Returns the gaps inside and between the days, and the number of days whose ids begin before those of the day before have ended. */
function gapsAndOverlaps(days: readonly CheckedDay[]): { readonly gapList: readonly IdGap[]; readonly overlaps: number } {
  const gapList: IdGap[] = [];
  let overlaps = 0;
  days.forEach((day, index) => {
    const previous = days[index - 1];
    if (previous !== undefined && day.firstId <= previous.lastId) overlaps++;
    else if (previous !== undefined && day.firstId - previous.lastId > 1)
      gapList.push(idGap(previous.lastId, previous.lastMs, day.firstId, day.firstMs));
    appendAll(gapList, day.gaps);
  });
  return { gapList, overlaps };
}

/** Returns the stored manifest. Writes it again if its days differ from the files. */
export function readTradeManifest(catalog: string, key: TradeKey): TradeManifest {
  const knownManifest = storedManifest(catalog, key);
  const days = daysIn(tradesFolder(catalog, key));
  return knownManifest !== null && knownManifest.days.map(({ day }) => day).join() === days.join()
    ? knownManifest
    : checkTrades(catalog, key).manifest;
}

/** Returns the files that the trades came from, as far as they are recorded. */
export function readTradeFiles(catalog: string, key: TradeKey): readonly TradeFile[] {
  return storedManifest(catalog, key)?.files ?? [];
}

/** Returns the stored manifest; null if it is missing or damaged. */
function storedManifest(catalog: string, key: TradeKey): TradeManifest | null {
  const path = tradesManifestPath(catalog, key);
  if (!existsSync(path)) return null;
  try {
    const value: unknown = JSON.parse(readCatalogFile(path));
    return isManifest(value) ? value : null;
  } catch (error) {
    // Null makes the caller write the manifest again.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isManifest(value: unknown): value is TradeManifest {
  if (typeof value !== 'object' || value === null || !('format' in value) || value.format !== 'isobar trades 1') return false;
  return 'days' in value && Array.isArray(value.days) && 'files' in value && Array.isArray(value.files);
}

/** Trades of an instrument in memory, with what a run records about them. */
export interface LoadedTrades {
  readonly columns: TradeColumns;
  readonly kind: TradeKind;
  /** The files that were read. */
  readonly files: readonly string[];
  /** Hash of the data of all days that were read. */
  readonly sha256: string;
  /** Runs of missing ids among the trades of the range. */
  readonly gaps: readonly IdGap[];
}

/**
 * Returns the trades from `fromMs` to `toMs` (exclusive), and the last trade before them if a loaded day has one. Returns null if the range
 * has no trades. Throws ConfigError for a file that has changed.
 */
export function loadTrades(catalog: string, key: TradeKey, fromMs: number, toMs: number): LoadedTrades | null {
  const folder = tradesFolder(catalog, key);
  const days = daysIn(folder).filter((day) => dayStart(day) < toMs && dayStart(day) + 2 * DAY_MS > fromMs);
  const hash = createHash('sha256');
  const parts: TradeColumns[] = [];
  let kind: TradeKind = 'trades';
  for (const day of days) {
    const fileHash = createHash('sha256');
    const columns = readTradeDay(folder, day, fileHash);
    if (columns === null) continue;
    noteHash(dayPath(folder, day), fileHash.digest('hex'));
    const facts = tradeDayOf(folder, day);
    kind = facts.kind;
    hash.update(facts.dataSha256);
    parts.push(columns);
  }
  const columns = joinRange(parts, fromMs, toMs, folder);
  if (columns === null) return null;
  return { columns, kind, files: days.map((day) => dayPath(folder, day)), sha256: hash.digest('hex'), gaps: missingIn(columns) };
}

/** Returns the trades of the range from all parts, scaled to the most digits among them. */
function joinRange(parts: readonly TradeColumns[], fromMs: number, toMs: number, folderName: string): TradeColumns | null {
  const priceDigits = parts.reduce((max, part) => Math.max(max, part.priceDigits), 0);
  const quantityDigits = parts.reduce((max, part) => Math.max(max, part.quantityDigits), 0);
  const rows = parts.reduce((sum, { length }) => sum + length, 0);
  const timeMs = new Float64Array(rows);
  let rowsCopied = 0;
  for (const part of parts) {
    timeMs.set(part.timeMs, rowsCopied);
    rowsCopied += part.length;
  }
  const first = firstRowAtOrAfter(timeMs, fromMs);
  const start = Math.max(0, first - 1);
  const end = firstRowAtOrAfter(timeMs, toMs);
  if (end <= first) return null;
  const joined = (column: 'id' | 'price' | 'quantity'): Float64Array => {
    const out = new Float64Array(end - start);
    copyParts(parts, start, end, (part, from, to, targetRow) => {
      const rescaled = withDigits(part, priceDigits, quantityDigits, folderName);
      out.set(rescaled[column].subarray(from, to), targetRow);
    });
    return out;
  };
  const takerSide = new Int32Array(end - start);
  copyParts(parts, start, end, (part, from, to, targetRow) => takerSide.set(part.takerSide.subarray(from, to), targetRow));
  return {
    length: end - start,
    timeMs: timeMs.slice(start, end),
    id: joined('id'),
    price: joined('price'),
    quantity: joined('quantity'),
    takerSide,
    priceDigits,
    quantityDigits,
  };
}

/** Calls `copy` for the rows of each part that lie in [start, end) of all rows, with their first row in the result. */
function copyParts(
  parts: readonly TradeColumns[],
  start: number,
  end: number,
  copy: (part: TradeColumns, from: number, to: number, targetRow: number) => void,
): void {
  let base = 0;
  for (const part of parts) {
    const from = Math.max(start, base);
    const to = Math.min(end, base + part.length);
    if (from < to) copy(part, from - base, to - base, from - start);
    base += part.length;
  }
}

/** Returns the UTC days of a range for which the catalog has no trades. */
export function daysWithout(catalog: string, key: TradeKey, fromMs: number, toMs: number): string[] {
  const storedDays = new Set(daysIn(tradesFolder(catalog, key)));
  const missing: string[] = [];
  for (let ms = dayStart(dayOf(fromMs)); ms < toMs; ms += DAY_MS) {
    if (!storedDays.has(dayOf(ms))) missing.push(dayOf(ms));
  }
  return missing;
}
