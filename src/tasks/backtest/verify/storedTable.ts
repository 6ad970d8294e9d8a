// Reads the tables of a run folder from their CSV files.

import { readInputFile } from '../../../adapters/disk/regularFile.ts';
import type { TableColumn, Table } from '../../../report/summary/tables.ts';

/** Returns the cells of a line of CSV (RFC 4180). */
export function csvCells(line: string): string[] {
  if (!line.includes('"')) return line.split(',');
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
  );
}

/**
 * Reads a CSV file of a run folder as a table with the columns of `template`, so that its result hash can be computed. `instruments`: those of
 * the run, in its order. Text columns are not part of the hash and stay empty.
 */
export function storedTable(path: string, template: Table, instruments: readonly string[]): Table {
  const [header = '', ...lines] = readInputFile(path).toString('utf8').trimEnd().split('\n');
  // Names of columns have no quotes and no commas.
  const names = header.split(',');
  const rows = lines.map(csvCells);
  const columns = template.columns.map((column): TableColumn => {
    const index = names.indexOf(column.name);
    if (column.kind === 'text') return { ...column, values: new Uint8Array(rows.length) };
    if (column.kind === 'code') {
      const labels = column.name === 'instrument' ? instruments : column.labels;
      return { ...column, values: Uint8Array.from(rows, (row) => labels.indexOf(row[index] ?? '')) };
    }
    return numberColumn(
      column.name,
      Float64Array.from(rows, (row) => (row[index] === undefined || row[index] === '' ? NaN : Number(row[index]))),
    );
  });
  return { length: rows.length, columns };
}

/** Returns a column of numbers without rounding. */
export function numberColumn(name: string, values: Float64Array): TableColumn {
  return { kind: 'number', name, values, digits: [0], digitsAt: null, emptyAt: NaN };
}
