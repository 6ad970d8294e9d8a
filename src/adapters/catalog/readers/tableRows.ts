// Reads bars from files of columns of other programs: freqtrade's feather, and tables of pandas and polars as Arrow or Parquet.

import { ConfigError } from '../../../base/errors.ts';
import { withArrowFile } from '../arrow/arrowReader.ts';
import { loadInflate } from '../arrow/inflate.ts';
import { withParquetFile } from '../parquet/parquetFile.ts';
import type { TableFile } from '../parquet/tableFile.ts';
import type { TableFormat } from '../rows/formats.ts';
import { NumberRows } from '../rows/numberRows.ts';
import { RowCollector, type ParsedFile, type RowRules } from '../rows/rowCollector.ts';
import { msOfUnix } from '../rows/timeText.ts';

const TIME_NAMES = ['date', 'open_time', 'timestamp', 'time', 'datetime'];
const NUMBER_NAMES = ['open', 'high', 'low', 'close', 'volume'];
/** Rows that are read at once. */
const BLOCK_ROWS = 65_536;

type OnProgress = (rows: number, share: number) => void;

/** Reads all rows. `onProgress` receives the number of rows read and the fraction of the file. Throws ConfigError at the first bad row. */
export async function readTable(path: string, format: TableFormat, rules: RowRules, onProgress: OnProgress): Promise<ParsedFile> {
  if (format === 'parquet')
    return withParquetFile(path, async (file) => {
      const columns = columnsOf(file, rules.file);
      await file.load(columns);
      return rowsOf(file, columns, rules, onProgress);
    });
  const inflate = await loadInflate();
  return withArrowFile(path, (file) => rowsOf(file, columnsOf(file, rules.file), rules, onProgress), inflate);
}

/** Returns the names of the six columns. */
function columnsOf({ fields }: TableFile, path: string): readonly string[] {
  const hasColumn = (name: string, ...kinds: readonly unknown[]): boolean =>
    fields.some((field) => field.name === name && kinds.includes(field.kind));
  // 64-bit integers may be Unix times.
  const timeName = TIME_NAMES.find((name) => hasColumn(name, 'timestamp', 'int64'));
  const missing = NUMBER_NAMES.find((name) => !hasColumn(name, 'float64', 'int64'));
  const columns = [timeName ?? '', ...NUMBER_NAMES];
  const repeatedName = columns.find((name) => fields.filter((field) => field.name === name).length > 1);
  if (repeatedName !== undefined) throw new ConfigError(`${path}: column ${repeatedName} is there more than once`, 'remove the others');
  if (timeName !== undefined && missing === undefined) return columns;
  const existing = fields.map((field) => `${field.name} (${field.kind ?? 'another type'})`).join(', ');
  throw new ConfigError(
    `${path}: expected the columns date (timestamp), ${NUMBER_NAMES.join(', ')} (float64), got ${existing || 'none'}`,
    'name and type them so: df.rename(columns={...}).astype({...})',
  );
}

/** Reads the rows of a table in blocks, so that memory does not grow with the file. `columns`: time, then prices and volume. */
function rowsOf(file: TableFile, columns: readonly string[], rules: RowRules, onProgress: OnProgress): ParsedFile {
  const collector = new RowCollector(rules, (line) => `${rules.file} row ${line}`);
  const rows = new NumberRows(collector, columns);
  const block = columns.map(() => new Float64Array(Math.min(BLOCK_ROWS, file.rows)));
  for (let from = 0; from < file.rows; from += BLOCK_ROWS) {
    const length = Math.min(BLOCK_ROWS, file.rows - from);
    const part = block.map((column) => column.subarray(0, length));
    for (const [index, name] of columns.entries()) {
      if (index === 0) readTimes(file, name, from, part[index]!);
      else file.readFloats(name, from, part[index]!);
    }
    for (let row = 0; row < length; row++) rows.addRow(from + row + 1, part, row);
    onProgress(collector.rows, (from + length) / file.rows);
  }
  return collector.parsed();
}

/** Fills `into` with the times of a column, ms UTC: timestamps, or Unix times whose size shows their unit. */
function readTimes(file: TableFile, name: string, fromRow: number, into: Float64Array): void {
  const isUnix = file.fields.some((field) => field.name === name && field.kind === 'int64');
  if (!isUnix) return file.readTimes(name, fromRow, into);
  file.readFloats(name, fromRow, into);
  for (let row = 0; row < into.length; row++) into[row] = msOfUnix(into[row]!);
}
