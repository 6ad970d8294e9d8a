// Compares every shipped strategy, or the named ones, as a live bot and as a backtest. Prints a table or JSON.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runParity, type ParityResult } from './parity.ts';
import { definitionsIn, generateBarsOnce, placementSettings } from './shipped.ts';
import type { RunDifference } from './tables.ts';

/** Options of the command line, as text. */
export interface Options {
  readonly json?: boolean;
  /** Maximum number of rows of each instrument. */
  readonly bars?: string;
  /** Folder that keeps the generated bars. By default a temporary folder. */
  readonly folder?: string;
  /** Number of strategies that run at once, each in a process of its own. By default one for each core. */
  readonly jobs?: string;
  /** True to print the logs of the bots on stderr. */
  readonly verbose?: boolean;
  readonly names: readonly string[];
}

/** Runs the comparisons. Returns the exit code: 0 if all are equal, 1 if one is not, 2 for an unknown name. */
export async function main({ json = false, bars, folder, jobs, verbose = false, names }: Options): Promise<number> {
  const shipped = definitionsIn('backtests');
  const unknown = names.filter((name) => !shipped.some((definition) => definition.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`no such definition: ${unknown.join(' ')}; there is ${shipped.map(({ name }) => name).join(' ')}\n`);
    return 2;
  }
  const selected = shipped.filter(({ name }) => names.length === 0 || names.includes(name));
  const catalogsFolder = folder ?? mkdtempSync(join(tmpdir(), 'isobar-parity-bars-'));
  if (!json) process.stdout.write(tableLine(['strategy', 'bars', 'orders', 'fills', 'equal', 'first difference']));
  try {
    // Generate all bars before any run, because some runs share them.
    const cases = selected.map(({ name, file, bars: commands }) => ({
      name,
      file,
      settings: placementSettings(file, generateBarsOnce(catalogsFolder, commands)),
    }));
    const jobCount = Math.min(jobs === undefined ? availableParallelism() : Number(jobs), cases.length);
    const notify = verbose ? (message: string) => void process.stderr.write(message) : () => {};
    const rowLimit = bars === undefined ? {} : { bars: Number(bars) };
    const runCase = (parityCase: (typeof cases)[number]): Promise<ParityResult> =>
      jobCount === 1 ? runParity({ ...parityCase, ...rowLimit, notify }) : runInProcess(parityCase.name, catalogsFolder, { bars, verbose });
    const results: ParityResult[] = [];
    for (const running of runInOrder(cases, jobCount, runCase)) {
      const result = await running;
      results.push(result);
      if (!json) process.stdout.write(resultLine(result));
    }
    if (json) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
    return results.every(({ equal }) => equal) ? 0 : 1;
  } finally {
    if (folder === undefined) rmSync(catalogsFolder, { recursive: true });
  }
}

/** Calls `runTask` for each task in order, for at most `jobCount` of them at once. Returns the promises of all results. */
function runInOrder<Task, Result>(
  tasks: readonly Task[],
  jobCount: number,
  runTask: (task: Task) => Promise<Result>,
): readonly Promise<Result>[] {
  const waiting: (() => void)[] = [];
  let freeJobs = jobCount;
  return tasks.map(async (task) => {
    if (freeJobs > 0) freeJobs--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await runTask(task);
    } finally {
      const startNext = waiting.shift();
      if (startNext) startNext();
      else freeJobs++;
    }
  });
}

/** Options that are passed on to a process. */
interface ProcessOptions {
  readonly bars: string | undefined;
  readonly verbose: boolean;
}

/** Compares one strategy in a process of its own. */
function runInProcess(name: string, folder: string, { bars, verbose }: ProcessOptions): Promise<ParityResult> {
  const args = ['--json', '--folder', folder, ...(bars === undefined ? [] : ['--bars', bars]), ...(verbose ? ['--verbose'] : []), name];
  const emptyResult = { strategy: name, bars: 0, orders: 0, fills: 0, equal: false, firstDifference: null };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.on('error', (error) => resolve({ ...emptyResult, stopped: error.message }));
    child.on('close', (code, signal) => {
      const isComplete = code === 0 || code === 1;
      if (isComplete && output !== '') resolve((JSON.parse(output) as readonly ParityResult[])[0]!);
      else resolve({ ...emptyResult, stopped: `its process ended with ${signal ?? code}` });
    });
  });
}

/** Widths of all columns except the last. */
const COLUMN_WIDTHS = [20, 8, 7, 7, 6];

/** Returns cells as a line of the table. */
function tableLine(cells: readonly (string | number)[]): string {
  const paddedCells = cells.map((cell, column) => String(cell).padEnd(COLUMN_WIDTHS[column] ?? 0));
  return `${paddedCells.join(' ').trimEnd()}\n`;
}

/** Returns a result as a line of the table. */
const resultLine = ({ strategy, bars, orders, fills, equal, firstDifference, stopped }: ParityResult): string =>
  tableLine([strategy, bars, orders, fills, equal ? 'yes' : 'no', stopped ?? differenceText(firstDifference)]);

/** Returns a difference as text: its place and both values. */
function differenceText(difference: RunDifference | null): string {
  if (difference === null) return '-';
  const { table, row, field, backtest, live } = difference;
  const valueText = (value: RunDifference['live']): string => {
    if (value === null) return 'none';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
  };
  const place = field === null ? `${table} ${row}` : `${table} ${row} ${field}`;
  return `${place}: ${valueText(backtest)} / ${valueText(live)}`;
}
