// The parity of every shipped strategy, or of those that are named, as a table or as JSON.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runParity, type ParityResult } from './parity.ts';
import { definitionsIn, madeBars, placed } from './shipped.ts';
import type { Difference } from './tables.ts';

export interface Options {
  readonly json?: boolean;
  /** Rows of each instrument at most. */
  readonly bars?: string;
  /** Where generated bars are kept for another time; default a folder that is removed. */
  readonly folder?: string;
  /** What the bots say, on stderr. */
  readonly verbose?: boolean;
  readonly names: readonly string[];
}

/** The exit code: 1 where a live bot did not do what its backtest did. */
export async function main({ json = false, bars, folder, verbose = false, names }: Options): Promise<number> {
  const shipped = definitionsIn('backtests');
  const unknown = names.filter((name) => !shipped.some((each) => each.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`no such definition: ${unknown.join(' ')}; there is ${shipped.map(({ name }) => name).join(' ')}\n`);
    return 2;
  }
  const chosen = shipped.filter(({ name }) => names.length === 0 || names.includes(name));
  const catalogs = folder ?? mkdtempSync(join(tmpdir(), 'isobar-parity-bars-'));
  const results: ParityResult[] = [];
  const tell = verbose ? (says: string) => void process.stderr.write(says) : () => {};
  if (!json) process.stdout.write(line(['strategy', 'bars', 'orders', 'fills', 'equal', 'first difference']));
  try {
    for (const { name, file, bars: commands } of chosen) {
      const settings = placed(file, madeBars(catalogs, commands));
      const result = await runParity({ name, file, settings, tell, ...(bars === undefined ? {} : { bars: Number(bars) }) });
      results.push(result);
      if (!json) process.stdout.write(lineOf(result));
    }
  } finally {
    if (folder === undefined) rmSync(catalogs, { recursive: true });
  }
  if (json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
  return results.every(({ equal }) => equal) ? 0 : 1;
}

const WIDTHS = [20, 8, 7, 7, 6];
const line = (cells: readonly (string | number)[]): string =>
  `${cells
    .map((cell, at) => String(cell).padEnd(WIDTHS[at] ?? 0))
    .join(' ')
    .trimEnd()}\n`;

const lineOf = ({ strategy, bars, orders, fills, equal, firstDifference, stopped }: ParityResult): string =>
  line([strategy, bars, orders, fills, equal ? 'yes' : 'no', stopped ?? shown(firstDifference)]);

function shown(difference: Difference | null): string {
  if (difference === null) return '-';
  const { table, row, field, backtest, live } = difference;
  const text = (value: Difference['live']): string =>
    value === null ? 'none' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return `${table} ${row}${field === null ? '' : ` ${field}`}: ${text(backtest)} / ${text(live)}`;
}
