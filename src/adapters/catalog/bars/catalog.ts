// Reads and writes the catalog: a folder with one Arrow file for each (market, symbol, interval), an instrument record for each symbol, and
// a gap manifest for each file.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readInputFile } from '../../disk/regularFile.ts';
import { ConfigError } from '../../../base/errors.ts';
import { pow10 } from '../../../base/number/exact.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import { parseInterval, type Interval } from '../../../model/interval.ts';
import type { FeedQuality } from '../../../model/run/run.ts';
import { formatMinute } from '../../../model/time.ts';
import { BATCH_ROWS, bytesOf, removeFileIfThere, writeArrowColumns, type ArrowColumn } from '../arrow/arrowWriter.ts';
import { withArrowFile, type ArrowFile } from '../arrow/arrowReader.ts';
import { barsOf, closesOf, emptyColumns, RAW, type RawColumns } from '../files/columns.ts';
import { fileError } from '../../disk/fileError.ts';
import { instrumentText, parseInstrument } from '../records/instrumentRecord.ts';
import { clearLeftovers } from '../files/leftovers.ts';
import { barsPath, checkSymbol, instrumentPath, listKeys, manifestPath, type BarKey } from '../files/paths.ts';
import { noteHash } from './readHashes.ts';
import { checkTicks, checkTimes } from './rowChecks.ts';
import { manifestOf, qualityOf, type BarFacts, type BarSource, type GapManifest } from './barQuality.ts';

/** Rows that open at or after `fromMs` and have closed by `toMs`, and up to `warmupRows` before them. Without bounds: all rows. */
export interface BarRange {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly warmupRows?: number | undefined;
  /** Also compute the file's hash during the same read, for `hashOfRead`. */
  readonly isHashed?: boolean;
}

/** Loaded bars, with the facts that a run records about them. */
export interface LoadedBars {
  readonly bars: BarColumns;
  /** The first row that opens at or after `fromMs`. Earlier rows are for warm-up. */
  readonly firstRow: number;
  readonly quality: FeedQuality;
  readonly facts: BarFacts;
  /** The catalog files that were read; absent for bars in memory. */
  readonly files?: readonly string[];
}

/** A file of the catalog as described by its metadata. Only its first and last row are read. */
export interface CatalogEntry extends BarKey {
  readonly path: string;
  readonly source: BarSource;
  readonly synthetic: boolean;
  readonly rows: number;
  readonly gaps: number;
  readonly missingBars: number;
  readonly firstMs: number;
  readonly lastMs: number;
  /** Maximum number of decimals of any price. */
  readonly seenPriceDigits: number;
  /** Hash of the columns as isobar wrote them. */
  readonly dataSha256: string;
}

/** Columns of the file in order, corresponding to the bar columns. */
const FILE_NAMES = ['open_time', 'open', 'high', 'low', 'close', 'volume'] as const;
const BARS_IN = 'bars_in';
/** Version of the layout, written into each file. Raise it with every change of the layout. */
const LAYOUT = '2';

/** Returns the record of a symbol, or null if the catalog has none. Throws ConfigError if it is invalid. */
export function readInstrument(catalog: string, market: Market, symbol: string): Instrument | null {
  const path = instrumentPath(catalog, market, symbol);
  return existsSync(path) ? parseInstrument(readCatalogFile(path), path, market, symbol) : null;
}

/** Returns the text of a file of the catalog. Throws ConfigError when it cannot be read. */
export function readCatalogFile(path: string): string {
  return readInputFile(path).toString('utf8');
}

/** Writes a small file completely: to a temporary file, then renamed. */
export function writeCatalogFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(temporary, text);
    renameSync(temporary, path);
  } catch (error) {
    removeFileIfThere(temporary);
    throw fileError(path, 'cannot be written', error);
  }
}

/** Writes the gap manifest beside its bars. */
export function writeManifest(catalog: string, manifest: GapManifest, interval: Interval): void {
  const key = { market: manifest.market === 'futures' ? 'futures' : 'spot', symbol: manifest.symbol, interval } as const;
  // One gap on each line, so that a date can be found and manifests can be compared by lines.
  const lines = JSON.stringify(manifest, null, 1).replace(
    /\{\s+"(after|from|at)": ("[^"]*"),\s+"(bars|what)": ([^\s]+)\s+\}/g,
    '{ "$1": $2, "$3": $4 }',
  );
  writeCatalogFile(manifestPath(catalog, key), `${lines}\n`);
}

/**
 * Stores bars: their file (read back and compared before it replaces the old one), their manifest, and the instrument record.
 * `manifest` belongs to `bars` and `facts`. Throws ConfigError if it cannot be written, InvariantError if two columns share memory.
 */
export function storeBars(catalog: string, bars: BarColumns, facts: BarFacts, manifest = manifestOf(bars, facts)): GapManifest {
  const { market, wireName: symbol } = bars.instrument;
  const key: BarKey = { market, symbol: checkSymbol(symbol), interval: bars.interval };
  const columns: ArrowColumn[] = FILE_NAMES.map((name, index) => ({
    name,
    kind: index === 0 ? 'timestamp' : 'float64',
    values: bars[RAW[index]!],
  }));
  if (facts.barsIn) columns.push({ name: BARS_IN, kind: 'int32', values: facts.barsIn });
  const path = barsPath(catalog, key);
  clearLeftovers(path);
  const record = instrumentText(bars.instrument);
  const recordPath = instrumentPath(catalog, market, symbol);
  const recordBefore = existsSync(recordPath) ? readCatalogFile(recordPath) : null;
  if (recordBefore !== record) writeCatalogFile(recordPath, record);
  try {
    writeArrowColumns(path, columns, metadataOf(key, manifest, facts, seenPriceDigits(bars)), {
      isDurable: true,
      verify: (temporary) => withArrowFile(temporary, (file) => assertSameData(file, path, manifest.dataSha256)),
    });
  } catch (error) {
    // Remove the record if it has no bars, because the next import would regard it as supplied by the user.
    if (recordBefore === null) removeFileIfThere(recordPath);
    else if (recordBefore !== record) writeCatalogFile(recordPath, recordBefore);
    throw error;
  }
  writeManifest(catalog, manifest, bars.interval);
  return manifest;
}

/** Returns the metadata of a file of bars. `priceDigits` is the number of decimals that its prices use. */
function metadataOf(key: BarKey, manifest: GapManifest, facts: BarFacts, priceDigits: number): Record<string, string> {
  return {
    isobar: LAYOUT,
    market: key.market,
    symbol: key.symbol,
    interval: key.interval,
    source: facts.source,
    synthetic: String(facts.synthetic),
    resampled_from: facts.from ?? '',
    rounded_prices: String(facts.roundedPrices),
    rejected_rows: String(facts.rejectedRows),
    open_last_bar: String(facts.openLastBar),
    price_digits: String(priceDigits),
    gaps: String(manifest.gaps),
    missing_bars: String(manifest.missingBars),
    data_sha256: manifest.dataSha256,
    manifest_sha256: manifest.sha256,
  };
}

/** Returns the maximum number of decimals that any price needs, at most the instrument's, by trying coarser scales. */
function seenPriceDigits({ instrument, open, high, low, close }: BarColumns): number {
  let digits = 0;
  for (const column of [open, high, low, close]) {
    for (let i = 0; i < column.length && digits < instrument.priceDigits; i++) {
      while (digits < instrument.priceDigits && Math.round(column[i]! * pow10(digits)) / pow10(digits) !== column[i]) digits++;
    }
  }
  return digits;
}

/** Returns the hash of the columns as in the file, reading one buffer at a time. */
function hashOfFile(file: ArrowFile): string {
  const hash = createHash('sha256');
  const buffer = new Float64Array(Math.min(file.rows, BATCH_ROWS));
  for (const [index, name] of FILE_NAMES.entries()) {
    for (let row = 0; row < file.rows; row += buffer.length) {
      const part = buffer.subarray(0, Math.min(buffer.length, file.rows - row));
      if (index === 0) file.readTimes(name, row, part);
      else file.readFloats(name, row, part);
      hash.update(bytesOf(part, 0, part.length));
    }
  }
  const barsIn = readBarsIn(file);
  if (barsIn) hash.update(bytesOf(barsIn, 0, barsIn.length));
  return hash.digest('hex');
}

/** True when a file has the number of source bars of each resampled bar. */
export const hasBarsIn = (file: ArrowFile): boolean => file.fields.some((field) => field.name === BARS_IN);

/** Returns the number of source bars of each row; null for bars that were not resampled. */
function readBarsIn(file: ArrowFile): Int32Array | null {
  if (!hasBarsIn(file)) return null;
  const barsIn = new Int32Array(file.rows);
  file.readInts(BARS_IN, 0, barsIn);
  return barsIn;
}

/** Throws ConfigError if the columns of a file do not have the hash `expected`. */
function assertSameData(file: ArrowFile, path: string, expected: string): void {
  if (hashOfFile(file) !== expected) throw new ConfigError(`${path}: what was written reads back differently`, 'check the disk');
}

/**
 * Loads a range of bars into arrays of exactly its length, without further memory for the file. The columns take 56 bytes a bar, 48
 * without gaps. Throws ConfigError if the catalog has no such bars, none are in the range, or the file was not written by isobar or has changed.
 */
export function loadBars(catalog: string, key: BarKey, range: BarRange = {}): LoadedBars {
  const path = barsPath(catalog, key);
  return withBars(catalog, key, (file, instrument, fileFacts) => {
    const { first, start, end } = rowsIn(file, key.interval, range);
    if (end <= first) throw emptyRange(file, path, range);
    const { raw, barsIn } = readWhole(file, { start, end }, range.isHashed === true ? path : null);
    const bars = barsOf(raw, instrument, key.interval);
    checkTimes(bars, path);
    checkTicks(bars, path, instrumentPath(catalog, key.market, key.symbol));
    // The open bar counts only if the range includes it.
    const facts = { ...fileFacts, openLastBar: fileFacts.openLastBar && end === file.rows, barsIn };
    const manifestHash = file.metadata.get('manifest_sha256') ?? '';
    return { bars, firstRow: first - start, quality: qualityOf(bars, first - start, facts, manifestHash), facts };
  });
}

/** The rows that a range selects: from `start` to before `end`. Rows before `first` are for warm-up. */
interface RowSpan {
  readonly first: number;
  readonly start: number;
  readonly end: number;
}

/** Returns the rows of a file in a range. */
export function rowsIn(file: ArrowFile, interval: Interval, { fromMs, toMs, warmupRows = 0 }: BarRange): RowSpan {
  const first = fromMs === undefined ? 0 : file.rowAt('open_time', fromMs);
  const end = toMs === undefined ? file.rows : endRow(file, interval, toMs);
  return { first, start: Math.max(0, first - warmupRows), end };
}

/** Opens the file of a series with its instrument, and closes it after `use`. Throws ConfigError if the file or the record is missing. */
function withBars<T>(catalog: string, key: BarKey, use: (file: ArrowFile, instrument: Instrument, facts: BarFacts) => T): T {
  const path = barsPath(catalog, key);
  if (!existsSync(path)) throw unknownBars(catalog, key);
  const instrument = readInstrument(catalog, key.market, key.symbol);
  if (!instrument) {
    const record = instrumentPath(catalog, key.market, key.symbol);
    throw new ConfigError(`${record}: no instrument record`, 'import the bars again, or write one (docs/data.md)');
  }
  return withArrowFile(path, (file) => use(file, instrument, statedFacts(file)));
}

/**
 * Reads the rows from `start` to before `end` in one read of the whole file, and checks its checksums. `hashPath`: path under which to
 * note the hash of the file. Null: without a hash.
 */
function readWhole(
  file: ArrowFile,
  { start, end }: Pick<RowSpan, 'start' | 'end'>,
  hashPath: string | null,
): { readonly raw: RawColumns } & Pick<BarFacts, 'barsIn'> {
  const raw = emptyColumns(end - start);
  const barsIn = hasBarsIn(file) ? new Int32Array(end - start) : null;
  const hash = hashPath === null ? null : createHash('sha256');
  file.readWhole(start, end, hash, (from, to) => {
    file.readTimes('open_time', from, raw.openMs.subarray(from - start, to - start));
    for (const name of RAW.slice(1)) file.readFloats(name, from, raw[name].subarray(from - start, to - start));
    if (barsIn) file.readInts(BARS_IN, from, barsIn.subarray(from - start, to - start));
  });
  if (hash !== null && hashPath !== null) noteHash(hashPath, hash.digest('hex'));
  return { raw, barsIn };
}

/** Reads all rows, without their checksums. */
function readUnchecked(file: ArrowFile): RawColumns {
  const raw = emptyColumns(file.rows);
  file.readTimes('open_time', 0, raw.openMs);
  for (const name of RAW.slice(1)) file.readFloats(name, 0, raw[name]);
  return raw;
}

/** The result of a check of all rows. */
export interface CheckedBars<Seen = unknown> {
  readonly key: BarKey;
  readonly manifest: GapManifest;
  /** False if the file has changed since isobar wrote it. */
  readonly unchanged: boolean;
  /** The result that the caller computed from the bars. The bars themselves are not kept. */
  readonly seen: Seen;
}

/**
 * Reads all rows of a file, without verifying its checksums, and rewrites its gap manifest. Throws ConfigError if the file cannot be read
 * at all.
 */
export function checkBars<Seen>(catalog: string, key: BarKey, inspect: (bars: BarColumns) => Seen = () => null as Seen): CheckedBars<Seen> {
  return withBars(catalog, key, (file, instrument, facts) => {
    const bars = barsOf(readUnchecked(file), instrument, key.interval);
    const manifest = manifestOf(bars, { ...facts, barsIn: readBarsIn(file) });
    writeManifest(catalog, manifest, key.interval);
    return {
      key,
      manifest,
      unchanged: manifest.dataSha256 === file.metadata.get('data_sha256') && file.isUnchanged(),
      seen: inspect(bars),
    };
  });
}

/** Returns the number of rows that have closed by `toMs`. */
export function endRow(file: ArrowFile, interval: Interval, toMs: number): number {
  const row = file.rowAt('open_time', toMs);
  if (row === 0) return 0;
  const lastOpenMs = new Float64Array(1);
  file.readTimes('open_time', row - 1, lastOpenMs);
  return closesOf(lastOpenMs, interval)[0]! > toMs ? row - 1 : row;
}

/** Returns the facts that the metadata of a file states. Throws ConfigError for a file of another program or version. */
export function statedFacts(file: ArrowFile): BarFacts {
  const { metadata } = file;
  file.requireLayout(LAYOUT);
  const source = metadata.get('source');
  return {
    source: source === 'synthetic' || source === 'resampled' ? source : 'import',
    synthetic: metadata.get('synthetic') === 'true',
    roundedPrices: Number(metadata.get('rounded_prices') ?? 0),
    rejectedRows: Number(metadata.get('rejected_rows') ?? 0),
    openLastBar: metadata.get('open_last_bar') === 'true',
    barsIn: null,
    from: parseInterval(metadata.get('resampled_from') ?? ''),
  };
}

/** Returns the error for a series that the catalog lacks. The remedy names up to 12 series that it has. */
function unknownBars(catalog: string, key: BarKey): ConfigError {
  const entries = listCatalog(catalog);
  const sameSymbol = entries.filter((entry) => entry.symbol === key.symbol);
  const names = (sameSymbol.length > 0 ? sameSymbol : entries)
    .slice(0, 12)
    .map((entry) => `${entry.market} ${entry.symbol} ${entry.interval}`);
  return new ConfigError(
    `${barsPath(catalog, key)}: the catalog has no bars of ${key.market} ${key.symbol} ${key.interval}`,
    `import them: isobar data import FILE. ${names.length === 0 ? 'The catalog is empty.' : `It has: ${names.join(', ')}.`}`,
  );
}

/** Returns the error for a range without bars. The remedy says which times the file has. */
function emptyRange(file: ArrowFile, path: string, { fromMs, toMs }: BarRange): ConfigError {
  const fromText = fromMs === undefined ? 'the start' : formatMinute(fromMs);
  const toText = toMs === undefined ? 'the end' : formatMinute(toMs);
  const [first, last] = firstAndLast(file);
  const contentText = file.rows === 0 ? 'it is empty' : `it has ${formatMinute(first)} to ${formatMinute(last)}`;
  return new ConfigError(`${path}: no bars from ${fromText} to ${toText}`, `${contentText}: change from and to, or import more`);
}

/** Returns the opening times of the first and the last row. NaN for an empty file. */
function firstAndLast(file: ArrowFile): [number, number] {
  if (file.rows === 0) return [NaN, NaN];
  const time = new Float64Array(1);
  file.readTimes('open_time', 0, time);
  const firstMs = time[0]!;
  file.readTimes('open_time', file.rows - 1, time);
  return [firstMs, time[0]!];
}

/** Returns the entry of one file. Throws ConfigError if it is missing or not isobar's. */
export function readEntry(catalog: string, key: BarKey): CatalogEntry {
  const path = barsPath(catalog, key);
  return withArrowFile(path, (file) => {
    const { source, synthetic } = statedFacts(file);
    const [firstMs, lastMs] = firstAndLast(file);
    const countOf = (name: string) => Number(file.metadata.get(name) ?? 0);
    const counts = { gaps: countOf('gaps'), missingBars: countOf('missing_bars'), seenPriceDigits: countOf('price_digits') };
    const dataSha256 = file.metadata.get('data_sha256') ?? '';
    return { ...key, path, source, synthetic, rows: file.rows, firstMs, lastMs, ...counts, dataSha256 };
  });
}

/** Returns the entries of all sets of bars in the catalog. */
export function listCatalog(catalog: string): CatalogEntry[] {
  return listKeys(catalog).map((key) => readEntry(catalog, key));
}
