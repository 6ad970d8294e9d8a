// Builds the C reference with gcc, where there is one, and runs it over a file of the benchmark's bars.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { BarColumns } from '../dist/model/bars/bars.js';

/** The result of a run, in the terms of the C programs: money in units of 10^-6. */
export interface ReferenceFigures {
  readonly equity: number;
  readonly fees: number;
  readonly fills: number;
  readonly maxDrawdown: number;
  readonly equitySum: number;
  readonly fillsHash: string;
}
/** The figures of the C program and its time. */
export interface ReferenceRun extends ReferenceFigures {
  readonly nsPerBar: number;
}

/** A workload of the SMA cross: window lengths in bars, lots of each order, cash in units of 10^-6, and the taker fee. */
export interface Workload {
  readonly fast: number;
  readonly slow: number;
  readonly lots: number;
  readonly cashUnits: number;
  readonly feePpm: number;
}

/** Builds the reference into `folder` and returns its path. Returns null, with the reason on stderr, where gcc is absent. */
export function buildReference(folder: string): string | null {
  try {
    return compile(folder, 'reference');
  } catch (error) {
    process.stderr.write(`bench: no gcc, so there is no ratio to C (${error instanceof Error ? error.message.split('\n')[0] : ''})\n`);
    return null;
  }
}

/** Builds a C program of this folder into `folder` and returns its path. Throws where gcc is absent. */
export function compile(folder: string, name: 'reference' | 'cliffs' | 'pairs'): string {
  const program = join(folder, name);
  const source = new URL(`../bench/${name}.c`, import.meta.url).pathname;
  execFileSync('gcc', ['-O2', '-Wall', '-ffp-contract=off', '-o', program, source, '-lm']);
  return program;
}

/** Writes the row count, then the prices of the bars as whole units of 10^-6, one column after the other. */
export function writeUnits(
  path: string,
  bars: BarColumns,
  columns: readonly ('open' | 'high' | 'low' | 'close')[] = ['open', 'close'],
): void {
  const file = openSync(path, 'w');
  const rowCount = Buffer.alloc(8);
  rowCount.writeBigUInt64LE(BigInt(bars.length));
  writeSync(file, rowCount);
  for (const name of columns) {
    const units = bars[name].map((price) => Math.round(price * 1e6));
    const bytes = new Uint8Array(units.buffer);
    // One call may write only a part of the bytes.
    for (let offset = 0; offset < bytes.length;) offset += writeSync(file, bytes, offset);
  }
  closeSync(file);
}

/** Runs the reference `passes` times over the bars of `path` and returns its figures with the time of the best pass. */
export function runReference(program: string, path: string, work: Workload, passes: number): ReferenceRun {
  const args = [path, work.fast, work.slow, work.lots, work.cashUnits, work.feePpm, passes].map(String);
  return JSON.parse(execFileSync(program, args, { encoding: 'utf8' })) as ReferenceRun;
}
