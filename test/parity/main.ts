// The parity of every shipped strategy, or of those that are named, as a table or as JSON.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
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
  /** Strategies that run at once, each in a process of its own; default one for each core. */
  readonly jobs?: string;
  /** The messages of the bots, on stderr. */
  readonly verbose?: boolean;
  readonly names: readonly string[];
}

/** The exit code: 1 where a live bot did not do what its backtest did. */
export async function main({ json = false, bars, folder, jobs, verbose = false, names }: Options): Promise<number> {
  const shipped = definitionsIn('backtests');
  const unknown = names.filter((name) => !shipped.some((each) => each.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`no such definition: ${unknown.join(' ')}; there is ${shipped.map(({ name }) => name).join(' ')}\n`);
    return 2;
  }
  const chosen = shipped.filter(({ name }) => names.length === 0 || names.includes(name));
  const catalogs = folder ?? mkdtempSync(join(tmpdir(), 'isobar-parity-bars-'));
  if (!json) process.stdout.write(line(['strategy', 'bars', 'orders', 'fills', 'equal', 'first difference']));
  try {
    // Made before any run, because some runs have the same bars.
    const cases = chosen.map(({ name, file, bars: commands }) => ({ name, file, settings: placed(file, madeBars(catalogs, commands)) }));
    const atOnce = Math.min(jobs === undefined ? availableParallelism() : Number(jobs), cases.length);
    const notify = verbose ? (message: string) => void process.stderr.write(message) : () => {};
    const max = bars === undefined ? {} : { bars: Number(bars) };
    const run = (of: (typeof cases)[number]): Promise<ParityResult> =>
      atOnce === 1 ? runParity({ ...of, ...max, notify }) : apart(of.name, catalogs, { bars, verbose });
    const results: ParityResult[] = [];
    for (const running of inTurn(cases, atOnce, run)) {
      const result = await running;
      results.push(result);
      if (!json) process.stdout.write(lineOf(result));
    }
    if (json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
    return results.every(({ equal }) => equal) ? 0 : 1;
  } finally {
    if (folder === undefined) rmSync(catalogs, { recursive: true });
  }
}

/** Returns the result of `run` for each item; runs `atOnce` of them at once, in order. */
function inTurn<T, R>(all: readonly T[], atOnce: number, run: (of: T) => Promise<R>): readonly Promise<R>[] {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return all.map(async (of) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run(of);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  });
}

interface Apart {
  readonly bars: string | undefined;
  readonly verbose: boolean;
}

/** One strategy by a command of its own. */
function apart(name: string, folder: string, { bars, verbose }: Apart): Promise<ParityResult> {
  const own = ['--json', '--folder', folder, ...(bars === undefined ? [] : ['--bars', bars]), ...(verbose ? ['--verbose'] : []), name];
  const nothing = { strategy: name, bars: 0, orders: 0, fills: 0, equal: false, firstDifference: null };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...own], { stdio: ['ignore', 'pipe', 'inherit'] });
    let reply = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (reply += text));
    child.on('error', (error) => resolve({ ...nothing, stopped: error.message }));
    child.on('close', (code, signal) => {
      const isWhole = code === 0 || code === 1;
      if (isWhole && reply !== '') resolve((JSON.parse(reply) as readonly ParityResult[])[0]!);
      else resolve({ ...nothing, stopped: `its process ended with ${signal ?? code}` });
    });
  });
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
