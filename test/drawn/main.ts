// Runs live bots of drawn strategies with kills and without, and prints whether both ended equal, a line of JSON for each strategy.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const notify = (line: string): void => void process.stderr.write(`${line}\n`);
  const first = Number(seed);
  const seeds = Array.from({ length: Number(cases) }, (_, index) => first + index);
  let areAllEqual = true;
  try {
    const runJob = async (): Promise<void> => {
      for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) {
        const run = drawnRun(folder, next, Number(bars));
        try {
          const result = await rebirthsOf(run, {
            kills: Number(kills),
            seed: next,
            lifetime: null,
            program,
            notify,
            comparesBacktest: Number(kills) === 0,
          });
          areAllEqual &&= result.equalToUnkilled;
          process.stdout.write(`${JSON.stringify(result)}\n`);
        } catch (error) {
          areAllEqual = false;
          notify(`${run.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
          process.stdout.write(
            `${JSON.stringify({ strategy: run.name, kills: 0, droppedSends: 0, orders: 0, fills: 0, equalToUnkilled: false })}\n`,
          );
        }
      }
    };
    await Promise.all(Array.from({ length: Number(jobs) }, runJob));
    return areAllEqual ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
