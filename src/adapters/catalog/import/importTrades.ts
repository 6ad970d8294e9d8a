// Imports trades: reads files in pieces, joins them with the days of the catalog, and stores all of them or none.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DAY_MS } from '../../../base/calendar.ts';
import { ConfigError } from '../../../base/errors.ts';
import { pow10 } from '../../../base/number/exact.ts';
import { GrowingColumn } from '../../../base/memory/growingColumn.ts';
import type { Instrument, Market } from '../../../model/instrument.ts';
import { fileError } from '../../disk/fileError.ts';
import { readInstrument, writeCatalogFile } from '../bars/catalog.ts';
import { isProcessRunning } from '../../disk/processes.ts';
import { removeEmptyFolder } from '../files/leftovers.ts';
import { checkSymbol, instrumentPath, lockPath } from '../files/paths.ts';
import { whileStoreLocked } from '../files/storeLock.ts';
import { contentHash, inspectFile, openPacked, unpackError } from '../readers/packedFile.ts';
import { instrumentText, proposeInstrument } from '../records/instrumentRecord.ts';
import { mergeTrades, readTradeDay, tradeDayOf, writeTradeDay, type UnsortedTrades } from '../trades/tradeDays.ts';
import { checkTrades, readTradeFiles, type TradeFile, type TradeManifest } from '../trades/tradeStore.ts';
import { TradeFileReader, type ReadTrade } from '../trades/tradeText.ts';
import { dayOf, dayPath, daysIn, tradesFolder, tradesStaging, type TradeKey, type TradeKind } from '../trades/trades.ts';
import { wireName } from './fileNames.ts';

/** Number of rows kept in memory before they are written to the staged day files. */
const BUFFER_ROWS = 1_000_000;
/** Progress is reported each time this many rows have been read. */
const PROGRESS_ROWS = 65_536;

/** What an import of trades takes. Without a symbol, the name of each file supplies it. */
export interface TradeImport {
  readonly catalog: string;
  /** If absent, read from file names such as BTCUSDT-trades-2024-08.zip. */
  readonly symbol?: string | undefined;
  /** Default: spot. */
  readonly market?: Market | undefined;
  readonly onProgress?: ((file: string, rows: number, share: number) => void) | undefined;
  /** For tests: number of rows kept in memory before they are written to the staged day files. */
  readonly bufferRows?: number | undefined;
}

/** The result of an import of the trades of one instrument. */
export interface ImportedTrades {
  readonly key: TradeKey;
  readonly files: readonly string[];
  /** Skipped files: the catalog already has their content. */
  readonly knownFiles: readonly string[];
  readonly fileRows: number;
  readonly newRows: number;
  readonly path: string;
  readonly instrument: Instrument;
  readonly instrumentFrom: 'proposed' | 'catalog';
  /** The manifest of all trades as now stored. */
  readonly manifest: TradeManifest;
}

/** Imports files. Files of one symbol are joined. Throws ConfigError with file, line and reason; that symbol then stays unchanged. */
export async function importTrades(files: readonly string[], options: TradeImport): Promise<readonly ImportedTrades[]> {
  const sets = new Map<string, { key: TradeKey; files: string[] }>();
  for (const file of files) {
    // Report a missing file before an incomplete file name.
    inspectFile(file);
    const key = tradeKeyOf(file, options);
    const set = sets.get(tradesFolder(options.catalog, key)) ?? { key, files: [] };
    sets.set(tradesFolder(options.catalog, key), set);
    set.files.push(file);
  }
  if (sets.size === 0) throw new ConfigError('no file to import', 'name one or more files');
  const imported: ImportedTrades[] = [];
  for (const set of sets.values()) imported.push(await importInstrument(set.key, set.files, options));
  return imported;
}

/** Imports the files of one instrument. A file whose content was imported before is skipped. */
async function importInstrument(key: TradeKey, files: readonly string[], options: TradeImport): Promise<ImportedTrades> {
  const { catalog } = options;
  const filesByHash = new Map(readTradeFiles(catalog, key).map((file) => [file.sha256, file]));
  const staged = new StagedTrades(key, catalog, options.bufferRows ?? BUFFER_ROWS);
  const filesRead: TradeFile[] = [];
  const knownFiles: string[] = [];
  try {
    for (const file of files) {
      const sha256 = await contentHash(file);
      if (filesByHash.has(sha256)) {
        knownFiles.push(file);
        continue;
      }
      const rows = await readFile(file, staged, options);
      filesByHash.set(sha256, { name: basename(file), sha256, rows });
      filesRead.push({ name: basename(file), sha256, rows });
    }
    staged.flush();
    const stored = whileStoreLocked(lockPath(catalog, key), () => staged.store([...filesByHash.values()], files));
    return {
      key,
      files,
      knownFiles,
      fileRows: filesRead.reduce((sum, { rows }) => sum + rows, 0),
      path: tradesFolder(catalog, key),
      ...stored,
    };
  } finally {
    staged.clear();
  }
}

/** Reads the trades of a file into `staged`. Returns the number of its rows. */
async function readFile(file: string, staged: StagedTrades, options: TradeImport): Promise<number> {
  const head = inspectFile(file);
  const { chunks, share } = openPacked(file, head);
  const reader = new TradeFileReader(file, (trade, line) => {
    staged.addTrade(trade, line);
    if (staged.rows % PROGRESS_ROWS === 0) options.onProgress?.(file, staged.rows, share());
  });
  staged.beginFile(file, reader);
  try {
    await reader.read(chunks);
  } catch (error) {
    throw unpackError(file, head, `row ${reader.rows}`, error);
  }
  return reader.rows;
}

/** File names such as BTCUSDT-trades-2024-08.zip, BTCUSDT-2024-08-08.csv.gz or BTC_USDT-trades.json. */
const TRADE_FILE_NAME = /^([A-Z0-9][A-Z0-9_]*)(?:-[\w-]+)?\./;

/** Returns the instrument of a file. Throws ConfigError if neither the option nor its name supplies the symbol. */
function tradeKeyOf(file: string, { symbol, market = 'spot' }: TradeImport): TradeKey {
  const symbolText = symbol ?? TRADE_FILE_NAME.exec(basename(file))?.[1];
  if (symbolText === undefined) throw new ConfigError(`${file}: the name does not say the symbol`, 'give it by --symbol');
  const isFromName = symbol === undefined;
  const place = isFromName ? `${file}: ` : '';
  return { market, symbol: checkSymbol(isFromName ? wireName(symbolText) : symbolText, undefined, place) };
}

/** Trades that were read but are not in the catalog yet: the latest in memory, the others in day files of a staging folder. */
class StagedTrades {
  rows = 0;
  private readonly key: TradeKey;
  private readonly catalog: string;
  private readonly folder: string;
  private readonly bufferRows: number;
  private columns = emptyBuffer();
  /** For each file in memory: its path and its first row. */
  private fileStarts: { readonly file: string; readonly from: number }[] = [];
  private reader: TradeFileReader | null = null;
  private file = '';
  /** Kind of the trades, and the file or folder that decided it; null before the first row. */
  private decidedKind: { readonly kind: TradeKind; readonly place: string } | null = null;

  constructor(key: TradeKey, catalog: string, bufferRows: number) {
    this.key = key;
    this.catalog = catalog;
    this.folder = tradesStaging(catalog, key, process.pid);
    clearDeadStaging(catalog, key);
    this.bufferRows = bufferRows;
    const [day] = daysIn(tradesFolder(catalog, key));
    const folder = tradesFolder(catalog, key);
    if (day !== undefined) this.decidedKind = { kind: tradeDayOf(folder, day).kind, place: folder };
  }

  /** Starts a file: the trades that are added next come from it. */
  beginFile(file: string, reader: TradeFileReader): void {
    this.file = file;
    this.reader = reader;
    this.fileStarts.push({ file, from: this.columns.id.length });
  }

  /** Adds a trade of the current file. Throws ConfigError if its kind of trades differs from the one of the earlier files or of the catalog. */
  addTrade(trade: ReadTrade, line: number): void {
    const { columns, decidedKind, reader } = this;
    if (decidedKind === null) this.decidedKind = { kind: reader!.kind!, place: this.file };
    else if (decidedKind.kind !== reader!.kind)
      throw new ConfigError(
        `${this.file}: its rows are ${reader!.kind}, those of ${decidedKind.place} ${decidedKind.kind}: their ids are two series`,
        'import them into another catalog (--catalog DIR)',
      );
    columns.id.push(trade.id);
    columns.timeMs.push(trade.timeMs);
    columns.price.push(trade.price);
    columns.priceDigits.push(trade.priceDigits);
    columns.quantity.push(trade.quantity);
    columns.quantityDigits.push(trade.quantityDigits);
    columns.takerSide.push(trade.takerSide);
    columns.line.push(line);
    this.rows++;
    if (columns.id.length >= this.bufferRows) this.flush();
  }

  /** Merges the rows in memory into the staged day files. */
  flush(): void {
    const { columns } = this;
    const { length } = columns.id;
    const rowsOfDay = new Map<string, number[]>();
    let dayEndMs = -Infinity;
    let currentRows: number[] = [];
    for (let row = 0; row < length; row++) {
      const timeMs = columns.timeMs.values[row]!;
      if (timeMs >= dayEndMs || timeMs < dayEndMs - DAY_MS) {
        const day = dayOf(timeMs);
        dayEndMs = (Math.floor(timeMs / DAY_MS) + 1) * DAY_MS;
        currentRows = rowsOfDay.get(day) ?? [];
        rowsOfDay.set(day, currentRows);
      }
      currentRows.push(row);
    }
    for (const [dayText, dayRows] of rowsOfDay) this.mergeIntoStagedDay(dayText, this.unsortedDay(dayRows));
    this.columns = emptyBuffer();
    this.fileStarts = [{ file: this.file, from: 0 }];
  }

  /** Merges trades of one day into its staged file. */
  private mergeIntoStagedDay(day: string, read: UnsortedTrades): void {
    const stored = readTradeDay(this.folder, day);
    const { all } = mergeTrades(stored, dayPath(this.folder, day), read);
    writeTradeDay(this.folder, this.key, this.decidedKind!.kind, day, all);
  }

  /** Returns rows of the memory as trades of one day, scaled to the most digits among them. */
  private unsortedDay(rows: readonly number[]): UnsortedTrades {
    const { columns, fileStarts } = this;
    const maxOf = (column: GrowingColumn) => rows.reduce((max, row) => Math.max(max, column.values[row]!), 0);
    const priceDigits = maxOf(columns.priceDigits);
    const quantityDigits = maxOf(columns.quantityDigits);
    const place = (index: number) => {
      const row = rows[index]!;
      return `${fileStarts.findLast(({ from }) => from <= row)!.file}:${columns.line.values[row]!}`;
    };
    const rescaled = (values: GrowingColumn, digits: GrowingColumn, toDigits: number) =>
      Float64Array.from(rows, (row, i) => {
        const value = values.values[row]! * pow10(toDigits - digits.values[row]!);
        if (Number.isSafeInteger(value)) return value;
        throw new ConfigError(
          `${place(i)}: beside others with ${toDigits} digits behind the point, the figure is no longer an exact number`,
          'correct the row, or fetch the file again; nothing was imported',
        );
      });
    return {
      length: rows.length,
      id: Float64Array.from(rows, (row) => columns.id.values[row]!),
      timeMs: Float64Array.from(rows, (row) => columns.timeMs.values[row]!),
      price: rescaled(columns.price, columns.priceDigits, priceDigits),
      quantity: rescaled(columns.quantity, columns.quantityDigits, quantityDigits),
      takerSide: Int32Array.from(rows, (row) => columns.takerSide.values[row]!),
      priceDigits,
      quantityDigits,
      place,
    };
  }

  /** Merges the staged days with those of the catalog and moves them into it. The caller holds the lock of the symbol. */
  store(
    files: readonly TradeFile[],
    names: readonly string[],
  ): Pick<ImportedTrades, 'newRows' | 'manifest' | 'instrument' | 'instrumentFrom'> {
    const { key, catalog } = this;
    const folder = tradesFolder(catalog, key);
    let newRows = 0;
    const days = daysIn(this.folder);
    // Merge every day before moving the first one, so that a contradiction in the last day leaves the catalog unchanged.
    for (const day of days) {
      const stored = readTradeDay(folder, day);
      const read = readTradeDay(this.folder, day)!;
      if (stored === null) {
        newRows += read.length;
        continue;
      }
      const { all, added } = mergeTrades(stored, dayPath(folder, day), { ...read, place: () => names.join(', ') });
      newRows += added;
      if (added === 0) rmSync(dayPath(this.folder, day));
      else writeTradeDay(this.folder, key, this.decidedKind!.kind, day, all);
    }
    const { instrument, from } = this.record(days);
    try {
      mkdirSync(folder, { recursive: true });
      for (const day of daysIn(this.folder)) renameSync(dayPath(this.folder, day), dayPath(folder, day));
    } catch (error) {
      throw fileError(folder, 'cannot be written', error);
    }
    return { newRows, manifest: checkTrades(catalog, key, files).manifest, instrument, instrumentFrom: from };
  }

  /** Returns the record of the catalog, or proposes one from the staged trades and writes it. */
  private record(days: readonly string[]): { instrument: Instrument; from: ImportedTrades['instrumentFrom'] } {
    const { key, catalog } = this;
    const storedRecord = readInstrument(catalog, key.market, key.symbol);
    if (storedRecord !== null) return { instrument: storedRecord, from: 'catalog' };
    const figures = { priceDigits: 0, volumeDigits: 0, lowest: Infinity, highest: 0 };
    const folder = days.length > 0 ? this.folder : tradesFolder(catalog, key);
    for (const day of daysIn(folder)) {
      const { price, priceDigits, quantityDigits } = readTradeDay(folder, day)!;
      figures.priceDigits = Math.max(figures.priceDigits, priceDigits);
      figures.volumeDigits = Math.max(figures.volumeDigits, quantityDigits);
      for (const units of price) {
        figures.lowest = Math.min(figures.lowest, units / pow10(priceDigits));
        figures.highest = Math.max(figures.highest, units / pow10(priceDigits));
      }
    }
    const instrument = proposeInstrument(key.market, key.symbol, figures);
    writeCatalogFile(instrumentPath(catalog, key.market, key.symbol), instrumentText(instrument));
    return { instrument, from: 'proposed' };
  }

  /** Removes the staging folder. */
  clear(): void {
    rmSync(this.folder, { recursive: true, force: true });
    removeEmptyFolder(dirname(this.folder));
  }
}

/** Removes the staging folders of killed imports. */
function clearDeadStaging(catalog: string, key: TradeKey): void {
  const folder = dirname(tradesStaging(catalog, key, 0));
  const namePrefix = basename(tradesStaging(catalog, key, 0)).slice(0, -1);
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const pid = name.startsWith(namePrefix) ? name.slice(namePrefix.length) : '';
    if (/^\d+$/.test(pid) && !isProcessRunning(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Returns the columns in which trades wait until they are written. A line is the place of a trade in its file. */
function emptyBuffer() {
  const column = () => new GrowingColumn();
  return {
    id: column(),
    timeMs: column(),
    price: column(),
    priceDigits: column(),
    quantity: column(),
    quantityDigits: column(),
    takerSide: column(),
    line: column(),
  };
}
