// Writes the text files of a run folder: orders.csv, fills.csv, trades.csv and summary.json.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '../../model/run/run.ts';
import { tradesOf } from '../trades/trades.ts';
import { writeCsv } from './csvFile.ts';
import type { Summary } from './summary.ts';
import { fillsTable, ordersTable, tradesTable } from './tables.ts';

/** Writes the files into `folder`, which must exist. Existing files with these names are replaced. */
export function writeRunFiles(record: RunRecord, summary: Summary, folder: string): void {
  writeCsv(join(folder, 'orders.csv'), ordersTable(record));
  writeCsv(join(folder, 'fills.csv'), fillsTable(record));
  writeCsv(join(folder, 'trades.csv'), tradesTable(record, tradesOf(record)));
  writeFileSync(join(folder, 'summary.json'), summaryText(summary));
}

/** Matches a list of numbers in indented JSON. */
const NUMBER_LISTS = /\[\s+(?:null|-?\d[\d.e+-]*)(?:,\s+(?:null|-?\d[\d.e+-]*))*\s+\]/g;

/** Returns the text of summary.json, which is also the output of `--json`. */
export function summaryText(summary: Summary): string {
  // Puts each list of numbers on one line: with one number a line, the figures would be hard to find.
  return `${JSON.stringify(summary, null, 2).replace(NUMBER_LISTS, (list) => list.replace(/\s+/g, ' '))}\n`;
}
