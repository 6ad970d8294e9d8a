// The import: files of bars, checked, joined with what the catalog has, and stored with instrument record and gap manifest.

import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import { closeOf, INTERVALS, parseInterval, type Interval } from '../../model/interval.ts';
import { loadBars, readEntry, readInstrument, readText, storeBars } from './catalog.ts';
import { type BarKey, barsPath, checkSymbol, DEFAULT_CATALOG, instrumentPath, listKeys } from './paths.ts';
import { barsOf, joinColumns, rowAt, type NamedColumns, type RawColumns } from './columns.ts';
import { inspectFile, readCsv, type ReadProgress } from './csv.ts';
import { parseInstrument, proposeInstrument, type SeenFigures } from './instrumentRecord.ts';
import { IMPORTED, type GapManifest } from './quality.ts';

export interface ImportOptions {
  /** Else read from names such as BTCUSDT-1m.csv.gz. */
  readonly symbol?: string | undefined;
  readonly interval?: Interval | undefined;
  /** Default spot. */
  readonly market?: Market | undefined;
  /** Default `data`. */
  readonly catalog?: string | undefined;
  /** A record that takes the place of the catalog's own or of the proposed one. */
  readonly instrumentFile?: string | undefined;
  /** Round prices finer than the precision, a half upwards, instead of refusing them. */
  readonly roundToTick?: boolean | undefined;
  /** The present (ms UTC): a last bar that closes later had not closed. */
  readonly nowMs: number;
  readonly onProgress?: ((file: string, rows: number, share: number) => void) | undefined;
}

export interface ImportedSet extends BarKey {
  readonly files: readonly string[];
  readonly path: string;
  readonly instrument: Instrument;
  readonly instrumentPath: string;
  /** Where the record came from: made from the data, the catalog's own, or --instrument. */
  readonly instrumentFrom: 'proposed' | 'catalog' | 'file';
  /** Rows in the files, and those of them that the catalog did not have. */
  readonly fileRows: number;
  readonly newRows: number;
  readonly roundedPrices: number;
  /** Of the whole set as the catalog now has it. */
  readonly manifest: GapManifest;
}

/**
 * Imports files of the plain layout. Files of one symbol and interval are joined in order of time, with each other and with the catalog:
 * equal rows are one, different rows of one time are refused. Each set is stored whole or not at all, one after the other.
 * Throws ConfigError with file, line, column and reason.
 */
export async function importFiles(files: readonly string[], options: ImportOptions): Promise<ImportedSet[]> {
  const { market = 'spot' } = options;
  for (const file of files) inspectFile(file);
  const sets = new Map<string, { key: BarKey; files: string[] }>();
  for (const file of files) {
    const key = { market, ...nameOf(file, options) };
    const name = `${key.symbol} ${key.interval}`;
    const set = sets.get(name) ?? { key, files: [] };
    sets.set(name, set);
    set.files.push(file);
  }
  const done: ImportedSet[] = [];
  for (const set of sets.values()) done.push(await importSet(set.key, set.files, options));
  return done;
}

/**
 * Symbol and interval of a file: as given, else from a name such as `BTCUSDT-1m.csv.gz` or `BTCUSDT-1m-2024-01.csv`.
 * Throws ConfigError when neither says it.
 */
export function nameOf(
  file: string,
  given: { symbol?: string | undefined; interval?: Interval | undefined },
): { symbol: string; interval: Interval } {
  const found = /^(.+?)-([0-9]+[A-Za-z]+)(?:-\d{4}-\d\d(?:-\d\d)?)?(?:\.[A-Za-z0-9.]*)?$/.exec(basename(file));
  const interval = given.interval ?? (found ? parseInterval(found[2]!) : null);
  if (interval === null) {
    throw new ConfigError(`${file}: the name does not say the interval`, `give it by --interval, one of ${INTERVALS.join(' ')}`);
  }
  const symbol = given.symbol ?? found?.[1];
  if (symbol === undefined)
    throw new ConfigError(`${file}: the name does not say the symbol`, 'give it by --symbol, or name the file like BTCUSDT-1m.csv');
  return { symbol: checkSymbol(symbol), interval };
}

async function importSet(key: BarKey, files: readonly string[], options: ImportOptions): Promise<ImportedSet> {
  const { catalog = DEFAULT_CATALOG, roundToTick = false, onProgress } = options;
  const path = barsPath(catalog, key);
  const known = readInstrument(catalog, key.market, key.symbol);
  const given = options.instrumentFile === undefined ? null : givenInstrument(options.instrumentFile, catalog, key);
  const record = given ?? known;
  const before = existsSync(path) ? loadBars(catalog, key) : null;
  if (before && before.facts.source !== 'import') {
    throw new ConfigError(
      `${path}: these bars are ${before.facts.source}, not imported`,
      'remove the file, or import into another catalog (--catalog DIR)',
    );
  }
  const rules = { interval: key.interval, priceDigits: record?.priceDigits ?? null, roundToTick };
  let joined: NamedColumns | null = before ? { name: path, raw: before.bars, openLastBar: before.facts.openLastBar } : null;
  const seen: SeenFigures[] = [];
  let [fileRows, rounded] = [0, 0];
  for (const file of files) {
    const progress: ReadProgress = (rows, share) => onProgress?.(file, rows, share);
    const { columns, roundedMs, seen: figures } = await readCsv(file, { file, ...rules }, progress);
    seen.push(figures);
    fileRows += columns.length;
    // A bar that is there already was counted when it came.
    const there = joined?.raw.openMs ?? new Float64Array(0);
    for (const time of roundedMs) if (there[rowAt(there, time)] !== time) rounded++;
    const next: NamedColumns = { name: file, raw: columns, openLastBar: endsOpen(columns, key.interval, options.nowMs) };
    joined = joined ? joinSets(joined, next) : next;
  }
  if (!joined) throw new ConfigError('no file to import', 'name one or more files');
  const instrument = record ?? proposeInstrument(key.market, key.symbol, together(seen));
  const bars = barsOf(joined.raw, instrument, key.interval);
  const roundedPrices = (before?.facts.roundedPrices ?? 0) + rounded;
  const manifest = storeBars(catalog, bars, { ...IMPORTED, roundedPrices, openLastBar: joined.openLastBar });
  return {
    ...key,
    files,
    path,
    instrument,
    instrumentPath: instrumentPath(catalog, key.market, key.symbol),
    instrumentFrom: given ? 'file' : known ? 'catalog' : 'proposed',
    fileRows,
    newRows: bars.length - (before?.bars.length ?? 0),
    roundedPrices: rounded,
    manifest,
  };
}

/** The record of --instrument, if no bars of the symbol in the catalog are finer. */
function givenInstrument(file: string, catalog: string, key: BarKey): Instrument {
  const record = parseInstrument(readText(file), file, key.market, key.symbol);
  const same = listKeys(catalog).filter(({ market, symbol }) => market === key.market && symbol === key.symbol);
  for (const entry of same.map((other) => readEntry(catalog, other))) {
    if (entry.seenPriceDigits <= record.priceDigits) continue;
    const expected = `expected at least ${entry.seenPriceDigits}, the digits of the prices in ${entry.path}`;
    throw new ConfigError(
      `${file} pricePrecision: ${expected}, got ${record.priceDigits}`,
      'raise it, or import into another catalog (--catalog DIR)',
    );
  }
  return record;
}

function endsOpen(columns: RawColumns, interval: Interval, nowMs: number): boolean {
  return closeOf(interval, columns.openMs[columns.length - 1]!) > nowMs;
}

function joinSets(a: NamedColumns, b: NamedColumns): NamedColumns {
  const raw = joinColumns(a, b);
  const last = raw.openMs[raw.length - 1]!;
  // Where both end with the same bar it is closed as soon as one of them saw it closed.
  const ends = [a, b].filter((set) => set.raw.openMs[set.raw.length - 1] === last);
  return { name: `${a.name} and ${b.name}`, raw, openLastBar: ends.every((set) => set.openLastBar) };
}

function together(all: readonly SeenFigures[]): SeenFigures {
  return {
    priceDigits: Math.max(...all.map((seen) => seen.priceDigits)),
    volumeDigits: Math.max(...all.map((seen) => seen.volumeDigits)),
    lowest: Math.min(...all.map((seen) => seen.lowest)),
    highest: Math.max(...all.map((seen) => seen.highest)),
  };
}
