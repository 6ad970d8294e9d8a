// Imports one set: reads its files, merges them with the catalog, and stores the result completely or not at all.

import { existsSync } from 'node:fs';
import { largestOf, smallestOf } from '../../../base/number/extremes.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { loadBars, readEntry, readInstrument, readCatalogFile, storeBars, type LoadedBars } from '../bars/catalog.ts';
import { barsOf, firstRowAtOrAfter } from '../files/columns.ts';
import {
  instrumentText,
  parseInstrument,
  proposeInstrument,
  splitSymbol,
  widenedBy,
  type SeenFigures,
} from '../records/instrumentRecord.ts';
import { clearLeftovers } from '../files/leftovers.ts';
import {
  barsPath,
  DEFAULT_CATALOG,
  importsPath,
  instrumentPath,
  listKeys,
  lockPath,
  manifestPath,
  rejectsPath,
  stagingPath,
  type BarKey,
} from '../files/paths.ts';
import { IMPORTED, manifestOf } from '../bars/barQuality.ts';
import type { BarFile, ReadRules } from '../readers/readBars.ts';
import { clearLock, whileStoreLocked } from '../files/storeLock.ts';
import type { ImportedSet, ImportOptions } from './importResult.ts';
import { readImports, recordImports, type ImportedFile } from '../bars/importRecord.ts';
import { gapsBetween, joinSets, type BarSet } from './joinSets.ts';
import { writeRejects } from './writeRejects.ts';
import { barSetOf, readFiles, type FileProgress, type SetFile } from './setFiles.ts';
import { clearStaging } from './stagedFiles.ts';

/** The set as stored before the import. */
interface SetBeforeImport {
  readonly stored: LoadedBars | null;
  /** The files that its bars came from; null if unknown. */
  readonly files: readonly ImportedFile[] | null;
}

/** The instrument record used for the set. */
interface EffectiveRecord {
  /** Null if it must be proposed from the bars. */
  readonly instrument: Instrument | null;
  readonly from: ImportedSet['instrumentFrom'];
  /** True if it differs from the catalog's. Then files must be read with its precision, even if their bars are stored. */
  readonly isNew: boolean;
}

/** A file that was read, and its bars. */
interface ReadFile {
  readonly name: string;
  readonly read: BarFile;
  readonly bars: BarSet;
}

/** Reports nothing when files are read a second time, because their progress was counted. */
const SILENT: FileProgress = { onProgress() {}, onFileRead() {} };

/** Imports the files `names`, which all belong to the set `key`. Throws ConfigError. */
export async function importSet(
  key: BarKey,
  names: readonly string[],
  options: ImportOptions,
  progress: FileProgress,
): Promise<ImportedSet> {
  // If another process stored bars or the record meanwhile, start again with its rows and precision.
  for (let shownProgress = progress; ; shownProgress = SILENT) {
    const imported = await tryImport(key, names, options, shownProgress);
    if (imported !== null) return imported;
  }
}

/** Returns null if the catalog changed during the import. Then nothing is stored. */
async function tryImport(
  key: BarKey,
  names: readonly string[],
  options: ImportOptions,
  progress: FileProgress,
): Promise<ImportedSet | null> {
  const { catalog = DEFAULT_CATALOG } = options;
  const path = barsPath(catalog, key);
  clearLeftovers(path);
  clearLock(lockPath(catalog, key));
  const catalogStateBefore = catalogState(catalog, key);
  const record = effectiveRecordOf(key, options);
  const before = barsBefore(catalog, key);
  const importedBefore = record.isNew ? [] : (before.files ?? []);
  const staging = stagingPath(catalog, key);
  const files = await readFiles(names, {
    rules: rulesOf(key, record, options),
    importedFiles: importedBefore,
    staging: names.length > 1 ? staging : null,
    progress,
  });
  const reads = files.flatMap((file): ReadFile[] =>
    file.read === null ? [] : [{ name: file.name, read: file.read, bars: barSetOf(file, file.read, key.interval, options.nowMs) }],
  );
  const store = () =>
    catalogState(catalog, key) === catalogStateBefore ? mergeAndStore(key, { reads, files, before, record }, options) : null;
  const stored = reads.length === 0 ? unchangedResult(before) : whileStoreLocked(lockPath(catalog, key), store);
  if (stored === null) return null;
  clearStaging(staging);
  return { ...key, path, instrumentFrom: record.from, ...countsOf(key, files, reads, catalog), ...stored };
}

/** Returns a text that changes when the bars, their files or the record change. */
function catalogState(catalog: string, key: BarKey): string {
  const paths = [manifestPath(catalog, key), importsPath(catalog, key), instrumentPath(catalog, key.market, key.symbol)];
  return JSON.stringify(paths.map((path) => (existsSync(path) ? readCatalogFile(path) : null)));
}

type ImportCounts = Omit<ImportedSet, keyof BarKey | keyof StoredResult | 'path' | 'instrumentFrom'>;

/** Returns the figures that an import reports about its files. */
function countsOf(key: BarKey, files: readonly SetFile[], reads: readonly ReadFile[], catalog: string): ImportCounts {
  return {
    files: files.map(({ name }) => name),
    formats: [...new Set(reads.map(({ read }) => read.format))],
    instrumentPath: instrumentPath(catalog, key.market, key.symbol),
    fileRows: sumOf(reads, ({ read }) => read.columns.length),
    knownFiles: files.flatMap(({ name, read }) => (read === null ? [name] : [])),
    resumedFiles: files.flatMap(({ name, isResumed }) => (isResumed ? [name] : [])),
    badRows: sumOf(reads, ({ read }) => read.rejects.length),
    fileGaps: gapsBetween(
      reads.map(({ bars }) => bars),
      key.interval,
    ),
  };
}

type StoredResult = Pick<
  ImportedSet,
  'instrument' | 'digitsBefore' | 'newRows' | 'repeatedRows' | 'rejectsPath' | 'roundedPrices' | 'manifest'
>;

/** Returns the result of an import when the catalog already has the content of every file. */
function unchangedResult({ stored }: SetBeforeImport): StoredResult {
  if (!stored) throw new ConfigError('no file to import', 'name one or more files');
  const { bars, facts } = stored;
  return {
    instrument: bars.instrument,
    digitsBefore: bars.instrument.priceDigits,
    newRows: 0,
    repeatedRows: 0,
    rejectsPath: null,
    roundedPrices: 0,
    manifest: manifestOf(bars, facts),
  };
}

/** What an import has read for one set of bars. */
interface SetReads {
  /** The files with new content. */
  readonly reads: readonly ReadFile[];
  /** All files of the import, also those that were imported before. */
  readonly files: readonly SetFile[];
  readonly before: SetBeforeImport;
  readonly record: EffectiveRecord;
}

/** Joins the files with the stored bars, and stores bars, record, rejected rows and the record of the import. */
function mergeAndStore(key: BarKey, { reads, files, before, record }: SetReads, options: ImportOptions): StoredResult {
  const { stored, files: filesBefore } = before;
  const { catalog = DEFAULT_CATALOG, rejectsFile = rejectsPath(catalog, key) } = options;
  const path = barsPath(catalog, key);
  const storedSets = stored
    ? [{ name: path, raw: stored.bars, openLastBar: stored.facts.openLastBar, isStored: true, placeOf: () => path }]
    : [];
  const joined = joinSets([...storedSets, ...reads.map(({ bars }) => bars)]);
  const seenFigures = mergeFigures(reads.map(({ read }) => read.seen));
  // If the record is fixed, finer prices were rejected or rounded when the file was read. Otherwise they widen the record.
  const instrument =
    record.instrument === null ? proposeInstrument(key.market, key.symbol, seenFigures) : widenedBy(record.instrument, seenFigures);
  const rounded = newlyRounded(reads, stored);
  const filesNow = filesAfter(filesBefore ?? [], files);
  // If the earlier files are unknown, use their stored total.
  const rejectedRows = sumOf(filesNow, (file) => file.rejectedRows) + (filesBefore ? 0 : (stored?.facts.rejectedRows ?? 0));
  const facts = {
    ...IMPORTED,
    roundedPrices: (stored?.facts.roundedPrices ?? 0) + rounded,
    rejectedRows,
    openLastBar: joined.openLastBar,
  };
  const bars = barsOf(joined.raw, instrument, key.interval);
  const manifest = manifestOf(bars, facts);
  writeRejects(
    rejectsFile,
    reads.map(({ name, read }) => ({ name, rejects: read.rejects })),
  );
  recordImports(catalog, key, { dataSha256: manifest.dataSha256, files: filesNow }, () => storeBars(catalog, bars, facts, manifest));
  return {
    instrument,
    digitsBefore: record.instrument?.priceDigits ?? null,
    newRows: joined.raw.length - (stored?.bars.length ?? 0),
    repeatedRows: joined.repeats + sumOf(reads, ({ read }) => read.repeats),
    rejectsPath: reads.some(({ read }) => read.rejects.length > 0) ? rejectsFile : null,
    roundedPrices: rounded,
    manifest,
  };
}

/** Returns the bars and the files of earlier imports. Throws ConfigError if the stored bars are not imported. */
function barsBefore(catalog: string, key: BarKey): SetBeforeImport {
  const path = barsPath(catalog, key);
  if (!existsSync(path)) return { stored: null, files: null };
  const stored = loadBars(catalog, key);
  if (stored.facts.source === 'import') return { stored, files: readImports(catalog, key) };
  throw new ConfigError(
    `${path}: these bars are ${stored.facts.source}, not imported`,
    'remove the file, or import into another catalog (--catalog DIR)',
  );
}

/** Returns the instrument record that the import uses, and where it is from. */
function effectiveRecordOf(key: BarKey, { catalog = DEFAULT_CATALOG, instrumentFile }: ImportOptions): EffectiveRecord {
  const knownRecord = readInstrument(catalog, key.market, key.symbol);
  if (instrumentFile === undefined) return { instrument: knownRecord, from: knownRecord ? 'catalog' : 'proposed', isNew: false };
  const givenRecord = givenInstrument(instrumentFile, catalog, key);
  return {
    instrument: givenRecord,
    from: 'file',
    isNew: knownRecord === null || instrumentText(knownRecord) !== instrumentText(givenRecord),
  };
}

/** Returns the record of --instrument. Throws ConfigError if bars in the catalog are finer. */
function givenInstrument(file: string, catalog: string, key: BarKey): Instrument {
  const record = parseInstrument(readCatalogFile(file), file, key.market, key.symbol);
  const keysOfSymbol = listKeys(catalog).filter(({ market, symbol }) => market === key.market && symbol === key.symbol);
  for (const entry of keysOfSymbol.map((storedKey) => readEntry(catalog, storedKey))) {
    if (entry.seenPriceDigits <= record.priceDigits) continue;
    const expected = `expected at least ${entry.seenPriceDigits}, the digits of the prices in ${entry.path}`;
    throw new ConfigError(
      `${file} pricePrecision: ${expected}, got ${record.priceDigits}`,
      'raise it, or import into another catalog (--catalog DIR)',
    );
  }
  return record;
}

/** Returns the rules by which all files of a series are read. */
function rulesOf(key: BarKey, { instrument, from }: EffectiveRecord, options: ImportOptions): Omit<ReadRules, 'file'> {
  // Finer prices widen the record of the catalog. A record from --instrument is fixed, and so is one to whose ticks prices are rounded.
  const isFixed = from === 'file' || options.roundToTick === true;
  return {
    interval: key.interval,
    priceDigits: isFixed ? (instrument?.priceDigits ?? null) : null,
    roundToTick: options.roundToTick ?? false,
    skipBad: options.skipBad ?? false,
    baseAsset: instrument?.base ?? splitSymbol(key.symbol)?.base ?? null,
    format: options.format ?? null,
  };
}

/** Returns the files of the set. A file read again replaces its earlier entry if the content differs. */
function filesAfter(before: readonly ImportedFile[], files: readonly SetFile[]): ImportedFile[] {
  const read = files.flatMap(({ name, sha256, read: barFile }): ImportedFile[] =>
    barFile === null ? [] : [{ name, sha256, format: barFile.format, rows: barFile.columns.length, rejectedRows: barFile.rejects.length }],
  );
  const isReplaced = (earlierFile: ImportedFile) =>
    read.some(({ name, sha256 }) => name === earlierFile.name || sha256 === earlierFile.sha256);
  return [...before.filter((earlierFile) => !isReplaced(earlierFile)), ...read];
}

/** Returns the number of rounded prices in new bars. Those of known bars were counted when they were imported. */
function newlyRounded(reads: readonly ReadFile[], stored: LoadedBars | null): number {
  const earlier: Float64Array[] = stored ? [stored.bars.openMs] : [];
  let rounded = 0;
  for (const { read } of reads) {
    for (const time of read.roundedMs) {
      const isKnown = earlier.some((openMs) => openMs[firstRowAtOrAfter(openMs, time)] === time);
      if (!isKnown) rounded++;
    }
    earlier.push(read.columns.openMs);
  }
  return rounded;
}

/** Returns the figures of several files taken together. */
function mergeFigures(figures: readonly SeenFigures[]): SeenFigures {
  return {
    priceDigits: largestOf(figures.map(({ priceDigits }) => priceDigits)),
    volumeDigits: largestOf(figures.map(({ volumeDigits }) => volumeDigits)),
    lowest: smallestOf(figures.map(({ lowest }) => lowest)),
    highest: largestOf(figures.map(({ highest }) => highest)),
  };
}

function sumOf<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
