// The C reference: built with gcc where there is one, run over a file of the bench's bars in whole money units.

import { execFileSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { BarColumns } from '../dist/model/bars/bars.js';

export interface Figures {
  readonly equity: number;
  readonly fees: number;
  readonly fills: number;
  readonly maxDrawdown: number;
  readonly equitySum: number;
  readonly fillsHash: string;
}
export interface ReferenceRun extends Figures {
  readonly nsPerBar: number;
}

/** What one workload is: windows, whole lots, cash in units of 10^-6, and the taker fee. */
export interface Workload {
  readonly fast: number;
  readonly slow: number;
  readonly lots: number;
  readonly cashUnits: number;
  readonly feePpm: number;
}

/** Builds the reference into `folder`; null, with the reason on stderr, where gcc is absent. */
export function buildReference(folder: string): string | null {
  try {
    return compile(folder, 'reference');
  } catch (error) {
    process.stderr.write(`bench: no gcc, so there is no ratio to C (${error instanceof Error ? error.message.split('\n')[0] : ''})\n`);
    return null;
  }
}

/** Builds a C program of this folder into `folder`. Throws where gcc is absent. */
export function compile(folder: string, name: 'reference' | 'cliffs'): string {
  const program = join(folder, name);
  const source = new URL(`../bench/${name}.c`, import.meta.url).pathname;
  execFileSync('gcc', ['-O2', '-Wall', '-ffp-contract=off', '-o', program, source, '-lm']);
  return program;
}

/** Writes prices of bars as whole units of 10^-6, one column after the other. */
export function writeUnits(
  path: string,
  bars: BarColumns,
  columns: readonly ('open' | 'high' | 'low' | 'close')[] = ['open', 'close'],
): void {
  const file = openSync(path, 'w');
  const count = Buffer.alloc(8);
  count.writeBigUInt64LE(BigInt(bars.length));
  writeSync(file, count);
  for (const name of columns) {
    const units = bars[name].map((price) => Math.round(price * 1e6));
    const bytes = new Uint8Array(units.buffer);
    for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
  }
  closeSync(file);
}

export function runReference(program: string, path: string, work: Workload, passes: number): ReferenceRun {
  const words = [path, work.fast, work.slow, work.lots, work.cashUnits, work.feePpm, passes].map(String);
  return JSON.parse(execFileSync(program, words, { encoding: 'utf8' })) as ReferenceRun;
}
