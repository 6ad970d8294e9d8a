// Runs live bots of drawn strategies with kills and without, and prints whether both ended equal, a line of JSON for each strategy.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notify, printRebirths } from '../rebirth/jobs.ts';
import { rebirthsOf } from '../rebirth/runs.ts';
import { drawnRun } from './definitions.ts';

/** Options of the command line, as text. */
export interface Options {
  /** Number of drawn strategies. */
  readonly cases?: string;
  /** The first seed. */
  readonly seed?: string;
  /** Kills of each bot. */
  readonly kills?: string;
  readonly bars?: string;
  readonly jobs?: string;
  readonly names: readonly string[];
  readonly program: string;
}

/** Runs the command. Returns the exit code: 1 if a killed bot differs from the bot without kills. */
export async function main({ cases = '4', seed = '1', kills = '4', bars = '150', jobs = '2', program }: Options): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-drawn-bars-'));
  try {
    const runs = Array.from({ length: Number(cases) }, (_, index) => {
      const drawSeed = Number(seed) + index;
      return { ...drawnRun(folder, drawSeed, Number(bars)), drawSeed };
    });
    return await printRebirths(runs, Number(jobs), (run) =>
      rebirthsOf(run, { kills: Number(kills), seed: run.drawSeed, lifetime: null, program, notify, comparesBacktest: false }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
