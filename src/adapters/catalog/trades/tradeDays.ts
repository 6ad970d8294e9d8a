// Reads and writes the day files of trades: one Arrow file for each UTC day, so that at most one day is in memory.

import { createHash, type Hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { ConfigError } from '../../../base/errors.ts';
import { MAX_EXACT, pow10 } from '../../../base/number/exact.ts';
import { formatTime } from '../../../model/time.ts';
import { bytesOf, writeArrowColumns } from '../arrow/arrowWriter.ts';
import { withArrowFile, type ArrowFile } from '../arrow/arrowReader.ts';
import { dayOf, dayPath, type TradeColumns, type TradeKey, type TradeKind } from './trades.ts';

/** Version of the layout, written into each file. Raise it with every change of the layout. */
const LAYOUT = 'trades-1';

/** A range of ids that the catalog does not have. */
export interface IdGap {
  readonly afterId: number;
  readonly beforeId: number;
  readonly missing: number;
  /** Times of the trades before and after the gap. */
  readonly from: string;
  readonly to: string;
}

/** A day file as described by its metadata. */
export interface TradeDay {
  readonly day: string;
  readonly kind: TradeKind;
  readonly rows: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly firstId: number;
  readonly lastId: number;
  /** Hash of the columns as isobar wrote them. */
  readonly dataSha256: string;
}

/** Rows of any days in the order of their files. `place` returns the name of a row for messages. */
export interface UnsortedTrades extends TradeColumns {
  readonly place: (row: number) => string;
}

/** Returns the columns with prices and quantities in finer units. Throws ConfigError when a figure would no longer be exact. */
export function withDigits(columns: TradeColumns, priceDigits: number, quantityDigits: number, where: string): TradeColumns {
  const rescaled = (values: Float64Array, fromDigits: number, toDigits: number): Float64Array => {
    if (fromDigits === toDigits) return values;
    const factor = pow10(toDigits - fromDigits);
    return values.map((value) => {
      if (value * factor > MAX_EXACT)
        throw new ConfigError(
          `${where}: figures with ${toDigits} digits behind the point are finer than exact numbers can be`,
          'fetch the file again',
        );
      return value * factor;
    });
  };
  return {
    ...columns,
    price: rescaled(columns.price, columns.priceDigits, priceDigits),
    quantity: rescaled(columns.quantity, columns.quantityDigits, quantityDigits),
    priceDigits,
    quantityDigits,
  };
}

/** Returns a value of a trade of either set. Rows of the read set follow those of the stored one. */
type ValueOfTrade = (column: 'timeMs' | 'id' | 'price' | 'quantity' | 'takerSide', row: number) => number;

/** Merges two sets of trades by time and then id. Equal rows are stored once. Throws ConfigError when one id has two different trades. */
export function mergeTrades(stored: TradeColumns | null, storedName: string, read: UnsortedTrades): { all: TradeColumns; added: number } {
  const priceDigits = Math.max(stored?.priceDigits ?? 0, read.priceDigits);
  const quantityDigits = Math.max(stored?.quantityDigits ?? 0, read.quantityDigits);
  const storedRows = stored === null ? null : withDigits(stored, priceDigits, quantityDigits, storedName);
  const readRows = withDigits(read, priceDigits, quantityDigits, read.place(0));
  const storedCount = storedRows?.length ?? 0;
  const total = storedCount + readRows.length;
  const valueAt: ValueOfTrade = (column, row) => (row < storedCount ? storedRows![column][row]! : readRows[column][row - storedCount]!);
  const order = Uint32Array.from({ length: total }, (_, row) => row);
  if (!isRising(total, (row) => valueAt('id', row))) order.sort((a, b) => valueAt('id', a) - valueAt('id', b) || a - b);
  const nameOf = (row: number) => (row < storedCount ? storedName : read.place(row - storedCount));
  const rows = distinctRows(order, valueAt, nameOf);
  const mergedRows = rows.length;
  if (!isRising(mergedRows, (i) => valueAt('timeMs', rows[i]!), false))
    rows.sort((a, b) => valueAt('timeMs', a) - valueAt('timeMs', b) || valueAt('id', a) - valueAt('id', b));
  const column = (name: 'timeMs' | 'id' | 'price' | 'quantity') => Float64Array.from(rows, (row) => valueAt(name, row));
  const merged: TradeColumns = {
    length: mergedRows,
    timeMs: column('timeMs'),
    id: column('id'),
    price: column('price'),
    quantity: column('quantity'),
    takerSide: Int32Array.from(rows, (row) => valueAt('takerSide', row)),
    priceDigits,
    quantityDigits,
  };
  return { all: merged, added: mergedRows - storedCount };
}

/**
 * Returns the rows of `order`, which is sorted by id, with one row for each id. `order` is compacted in place: the result is its beginning.
 * Throws ConfigError when one id has two different trades.
 */
function distinctRows(order: Uint32Array, valueAt: ValueOfTrade, nameOf: (row: number) => string): Uint32Array {
  let mergedRows = 0;
  for (const row of order) {
    const lastKept = order[mergedRows - 1];
    if (mergedRows > 0 && valueAt('id', lastKept!) === valueAt('id', row)) {
      const isEqual = (['timeMs', 'price', 'quantity', 'takerSide'] as const).every(
        (column) => valueAt(column, lastKept!) === valueAt(column, row),
      );
      if (isEqual) continue;
      throw new ConfigError(
        `${nameOf(row)}: the trade ${valueAt('id', row)} is not the one of the same id in ${nameOf(lastKept!)}`,
        'find out which is right; nothing was imported',
      );
    }
    order[mergedRows++] = row;
  }
  return order.subarray(0, mergedRows);
}

/** True when the values rise from row to row. Equal values are allowed unless `isStrict`. */
function isRising(length: number, valueOf: (row: number) => number, isStrict = true): boolean {
  for (let row = 1; row < length; row++) {
    const step = valueOf(row) - valueOf(row - 1);
    if (isStrict ? step <= 0 : step < 0) return false;
  }
  return true;
}

/** Writes the file of a day: first a temporary file, which is read back and renamed. */
export function writeTradeDay(folder: string, key: TradeKey, kind: TradeKind, day: string, columns: TradeColumns): void {
  const path = dayPath(folder, day);
  const dataSha256 = hashOf(columns);
  const metadata = {
    isobar: LAYOUT,
    kind,
    market: key.market,
    symbol: key.symbol,
    day,
    price_digits: String(columns.priceDigits),
    quantity_digits: String(columns.quantityDigits),
    first_id: String(columns.id.reduce((min, id) => Math.min(min, id), Infinity)),
    last_id: String(columns.id.reduce((max, id) => Math.max(max, id), 0)),
    first_ms: String(columns.timeMs[0]!),
    last_ms: String(columns.timeMs[columns.length - 1]!),
    data_sha256: dataSha256,
  };
  writeArrowColumns(
    path,
    [
      { name: 'time', kind: 'timestamp', values: columns.timeMs },
      { name: 'id', kind: 'float64', values: columns.id },
      { name: 'price_units', kind: 'float64', values: columns.price },
      { name: 'quantity_units', kind: 'float64', values: columns.quantity },
      { name: 'taker_side', kind: 'int32', values: columns.takerSide },
    ],
    metadata,
    {
      isDurable: true,
      verify: (temporary) =>
        withArrowFile(temporary, (file) => {
          if (hashOf(columnsOf(file, 0, file.rows)) !== dataSha256)
            throw new ConfigError(`${path}: what was written reads back differently`, 'check the disk');
        }),
    },
  );
}

/** Returns the metadata of a day file. Throws ConfigError for a file of another program. */
export function tradeDayOf(folder: string, day: string): TradeDay {
  return withArrowFile(dayPath(folder, day), (file) => statedDay(file, day));
}

/** Returns the facts that a file of one day states. Throws ConfigError for a file of another program or version. */
function statedDay(file: ArrowFile, day: string): TradeDay {
  file.requireLayout(LAYOUT);
  const { metadata, rows } = file;
  const numberOf = (name: string) => Number(metadata.get(name));
  return {
    day,
    kind: metadata.get('kind') === 'aggregates' ? 'aggregates' : 'trades',
    rows,
    firstMs: numberOf('first_ms'),
    lastMs: numberOf('last_ms'),
    firstId: numberOf('first_id'),
    lastId: numberOf('last_id'),
    dataSha256: metadata.get('data_sha256') ?? '',
  };
}

/** Returns all trades of a day, or null without a file. Verifies the checksums. All bytes are also added to `hash`. */
export function readTradeDay(folder: string, day: string, hash: Pick<Hash, 'update'> | null = null): TradeColumns | null {
  const path = dayPath(folder, day);
  if (!existsSync(path)) return null;
  return withArrowFile(path, (file) => {
    statedDay(file, day);
    const columns = emptyTrades(file.rows, file);
    file.readWhole(0, file.rows, hash, (from, to) => fillRows(file, columns, from, to));
    return columns;
  });
}

/** The result of a check of a day file. */
export interface CheckedDay extends TradeDay {
  /** False if the file has changed since isobar wrote it. */
  readonly unchanged: boolean;
  /** Number of rows that break a rule. */
  readonly wrong: number;
  readonly gaps: readonly IdGap[];
}

/** Checks all rows of a day. Checksums are not verified, because the check reports whether the bytes have changed. */
export function checkTradeDay(folder: string, day: string): CheckedDay {
  const path = dayPath(folder, day);
  return withArrowFile(path, (file) => {
    const facts = statedDay(file, day);
    const columns = columnsOf(file, 0, file.rows);
    const { timeMs, id, price, quantity } = columns;
    let wrong = 0;
    for (let row = 0; row < columns.length; row++) {
      const isOutOfOrder = row > 0 && (timeMs[row]! < timeMs[row - 1]! || (timeMs[row] === timeMs[row - 1] && id[row]! <= id[row - 1]!));
      const hasSoundPrice = Number.isSafeInteger(price[row]) && price[row]! > 0;
      const hasSoundQuantity = Number.isSafeInteger(quantity[row]) && quantity[row]! > 0;
      const isOfDay = timeMs[row]! > 0 && dayOf(timeMs[row]!) === day;
      if (isOutOfOrder || !hasSoundPrice || !hasSoundQuantity || !isOfDay) wrong++;
    }
    return { ...facts, unchanged: hashOf(columns) === facts.dataSha256 && file.isUnchanged(), wrong, gaps: idGapsOf(columns) };
  });
}

/** Returns the ranges of ids that are missing between the lowest and the highest id. */
export function idGapsOf({ id, timeMs, length }: TradeColumns): IdGap[] {
  const rows = Uint32Array.from({ length }, (_, row) => row);
  if (!isRising(length, (row) => id[row]!)) rows.sort((a, b) => id[a]! - id[b]!);
  const gaps: IdGap[] = [];
  for (let i = 1; i < length; i++) {
    const before = rows[i - 1]!;
    const after = rows[i]!;
    if (id[after]! - id[before]! > 1) gaps.push(idGap(id[before]!, timeMs[before]!, id[after]!, timeMs[after]!));
  }
  return gaps;
}

/** Fewer gaps than this are missing trades, also if there are only a few rows. */
const MIN_SHARED_GAPS = 20;
/** Gaps between at least this share of the rows are not missing trades: no recording loses a quarter of all trades one by one. */
const MIN_SHARED_GAP_SHARE = 0.25;

/**
 * True if gaps are too frequent for lost trades. Then several symbols share the ids, as on an exchange that numbers the trades of all symbols
 * together, and no id shows that a trade is missing. `gaps`: number of gaps between `rows` trades.
 */
export const areIdsShared = (rows: number, gaps: number): boolean => gaps >= MIN_SHARED_GAPS && gaps >= MIN_SHARED_GAP_SHARE * (rows - 1);

/** Returns the gaps in which trades are missing: none if the ids are shared. */
export function missingIn(columns: TradeColumns): readonly IdGap[] {
  const gaps = idGapsOf(columns);
  return areIdsShared(columns.length, gaps.length) ? [] : gaps;
}

/** Returns the gap between two trades. */
export function idGap(afterId: number, fromMs: number, beforeId: number, toMs: number): IdGap {
  return { afterId, beforeId, missing: beforeId - afterId - 1, from: formatTime(fromMs), to: formatTime(toMs) };
}

/** Returns columns for `length` trades, with the precisions of the file. */
function emptyTrades(length: number, { metadata }: ArrowFile): TradeColumns {
  const column = () => new Float64Array(length);
  return {
    length,
    timeMs: column(),
    id: column(),
    price: column(),
    quantity: column(),
    takerSide: new Int32Array(length),
    priceDigits: Number(metadata.get('price_digits') ?? 0),
    quantityDigits: Number(metadata.get('quantity_digits') ?? 0),
  };
}

/** Reads the rows [from, to) of a file into `into`. */
function fillRows(file: ArrowFile, into: TradeColumns, from: number, to: number): void {
  file.readTimes('time', from, into.timeMs.subarray(from, to));
  file.readFloats('id', from, into.id.subarray(from, to));
  file.readFloats('price_units', from, into.price.subarray(from, to));
  file.readFloats('quantity_units', from, into.quantity.subarray(from, to));
  file.readInts('taker_side', from, into.takerSide.subarray(from, to));
}

function columnsOf(file: ArrowFile, from: number, to: number): TradeColumns {
  const into = emptyTrades(to - from, file);
  fillRows(file, into, from, to);
  return into;
}

/** Returns the SHA-256 of the columns, one after the other. */
function hashOf({ timeMs, id, price, quantity, takerSide, length }: TradeColumns): string {
  const hash = createHash('sha256');
  for (const column of [timeMs, id, price, quantity, takerSide]) hash.update(bytesOf(column, 0, length));
  return hash.digest('hex');
}
