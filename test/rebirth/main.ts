// Kills bots and compares their results: strategies in order, several at once, each as a line of JSON.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rebirthsOf } from './runs.ts';
import { casesIn, names as all } from './roster.ts';

/** Options of the command line, as text. */
export interface Options {
  readonly kills?: string;
  readonly seed?: string;
  readonly jobs?: string;
  /** Rows of each instrument; default: as the strategy needs them. */
  readonly bars?: string;
  /** The seed of one life, as a failure names it: it alone is run. */
  readonly life?: string;
  readonly names: readonly string[];
  /** The bundled program of a bot process. */
  readonly program: string;
}

/** Returns the exit code: 1 if a killed bot did something else than the bot without kills. */
export async function main({ kills = '21', seed = '1', jobs = '2', bars, life, names, program }: Options): Promise<number> {
  const unknown = names.filter((name) => !all().includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`no such strategy: ${unknown.join(' ')}; there is ${all().join(' ')}\n`);
    return 2;
  }
  const chosen = names.length === 0 ? all() : names;
  const folder = mkdtempSync(join(tmpdir(), 'isobar-rebirth-bars-'));
  const notify = (line: string): void => void process.stderr.write(`${line}\n`);
  let isRight = true;
  try {
    const waiting = [...casesIn(folder, chosen).entries()];
    const each = Math.floor(Number(kills) / waiting.length);
    const rest = Number(kills) % waiting.length;
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [at, one] = next;
        try {
          const result = await rebirthsOf(bars === undefined ? one : { ...one, bars: Number(bars) }, {
            kills: each + (at < rest ? 1 : 0),
            seed: Number(seed),
            lifetime: life === undefined ? null : Number(life),
            program,
            notify,
          });
          isRight &&= result.equalToUnkilled;
          process.stdout.write(`${JSON.stringify(result)}\n`);
        } catch (error) {
          isRight = false;
          notify(`${one.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
          const nothing = { kills: 0, droppedSends: 0, orders: 0, fills: 0 };
          process.stdout.write(`${JSON.stringify({ strategy: one.name, ...nothing, equalToUnkilled: false })}\n`);
        }
      }
    };
    await Promise.all(Array.from({ length: Number(jobs) }, work));
    return isRight ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
