// Reads one order of a run folder from its orders.csv.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileError } from '../../../adapters/disk/fileError.ts';
import { ConfigError } from '../../../base/errors.ts';
import { count } from '../../../base/text/format.ts';

/** A row of orders.csv by its column names. */
export type StoredRow = Readonly<Record<string, string>>;

/** Throws ConfigError that names the numbers that exist. */
export function readStoredOrder(folder: string, order: number): StoredRow {
  const path = join(folder, 'orders.csv');
  const bytes = readBytes(path);
  const [header = ''] = bytes.toString('utf8', 0, Math.min(bytes.length, 4096)).split('\n');
  const line = lineAt(bytes, order);
  if (line.text === null || order < 1) {
    const range = line.rows === 0 ? 'the run has no orders' : `expected a number from 1 to ${count(line.rows)}`;
    throw new ConfigError(`--order ${order}: ${range}`, `${path} lists them; order_id is the number`);
  }
  const cells = cellsIn(line.text);
  const row = Object.fromEntries(header.split(',').map((name, at) => [name, cells[at] ?? '']));
  if (row['order_id'] !== String(order)) throw new ConfigError(`${path}: not as isobar wrote it`, 'isobar verify says what has changed');
  return row;
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw fileError(path, 'cannot be read', error);
  }
}

const [QUOTE, NEWLINE] = [0x22, 0x0a];

/** Returns the text of row `row`, from 1, and the number of rows before it or in all. A line break between quotes ends no row. */
function lineAt(bytes: Buffer, row: number): { readonly text: string | null; readonly rows: number } {
  let [rows, start, isQuoted] = [-1, 0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) isQuoted = !isQuoted;
    if (byte !== NEWLINE || isQuoted) continue;
    rows++;
    if (rows === row) return { text: bytes.toString('utf8', start, at), rows };
    start = at + 1;
  }
  return { text: null, rows: Math.max(0, rows) };
}

function cellsIn(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}
