// Reads one order of a run folder from its orders.csv.

import { join } from 'node:path';
import { readRegularFile } from '../../../adapters/disk/regularFile.ts';
import { fileError } from '../../../adapters/disk/fileError.ts';
import { ConfigError } from '../../../base/errors.ts';
import { wholeText } from '../../../base/text/format.ts';

/** The header of orders.csv is shorter than this. */
const MAX_HEADER_BYTES = 4096;

/** A row of orders.csv by its column names. */
export type StoredRow = Readonly<Record<string, string>>;

/** Returns the row of an order. Throws ConfigError that names the existing numbers, if there is no such order. */
export function readStoredOrder(folder: string, orderId: number): StoredRow {
  const path = join(folder, 'orders.csv');
  const bytes = readBytes(path);
  const [header = ''] = bytes.toString('utf8', 0, Math.min(bytes.length, MAX_HEADER_BYTES)).split('\n');
  const line = lineAt(bytes, orderId);
  if (line.text === null || orderId < 1) {
    const range = line.rows === 0 ? 'the run has no orders' : `expected a number from 1 to ${wholeText(line.rows)}`;
    throw new ConfigError(`--order ${orderId}: ${range}`, `${path} lists the orders; order_id is the number`);
  }
  const cells = cellsOf(line.text);
  const row = Object.fromEntries(header.split(',').map((name, column) => [name, cells[column] ?? '']));
  if (row['order_id'] !== String(orderId))
    throw new ConfigError(`${path}: the file has changed since the run`, 'isobar verify shows what has changed');
  return row;
}

/** Returns the bytes of a file. Throws ConfigError if it cannot be read. */
function readBytes(path: string): Buffer {
  try {
    return readRegularFile(path);
  } catch (error) {
    throw fileError(path, 'cannot be read', error);
  }
}

/** Bytes of a double quote and of a line feed. */
const QUOTE = 0x22;
const NEWLINE = 0x0a;

/** Returns the text of row `row`, from 1; null: no such row. `rows`: the number of rows read. A line break between quotes does not end a row. */
function lineAt(bytes: Buffer, row: number): { readonly text: string | null; readonly rows: number } {
  let rows = -1;
  let start = 0;
  let isQuoted = false;
  for (let position = 0; position < bytes.length; position++) {
    const byte = bytes[position]!;
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (byte !== NEWLINE || isQuoted) continue;
    rows++;
    if (rows === row) return { text: bytes.toString('utf8', start, position), rows };
    start = position + 1;
  }
  return { text: null, rows: Math.max(0, rows) };
}

/** Returns the cells of a row of CSV, without quotes. */
function cellsOf(line: string): readonly string[] {
  // A cell is quoted text in which quotes are doubled, or text without a comma.
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
