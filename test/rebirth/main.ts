// The command `npm run rebirth`: kills the bots of all strategies, several at once, and prints the result of each as a line of JSON.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { notify, printRebirths } from './jobs.ts';
import { rebirthsOf } from './runs.ts';
import { strategiesIn, strategyNames } from './roster.ts';

/** Options of the command line, as text. */
export interface Options {
  /** Number of kills of all strategies together. */
  readonly kills?: string;
  readonly seed?: string;
  /** Number of strategies that run at the same time. */
  readonly jobs?: string;
  /** Rows of each instrument. By default each strategy has its own number. */
  readonly bars?: string;
  /** The seed of one lifetime, as a failure names it. Then only this lifetime is run. */
  readonly life?: string;
  readonly names: readonly string[];
  /** The bundled program of a bot process. */
  readonly program: string;
}

/** Runs the command. Returns the exit code: 1 if a killed bot differs from the bot without kills, 2 for an unknown strategy. */
export async function main({ kills = '21', seed = '1', jobs = '2', bars, life, names, program }: Options): Promise<number> {
  const unknownNames = names.filter((name) => !strategyNames().includes(name));
  if (unknownNames.length > 0) {
    process.stderr.write(`no such strategy: ${unknownNames.join(' ')}; there is ${strategyNames().join(' ')}\n`);
    return 2;
  }
  const chosenNames = names.length === 0 ? strategyNames() : names;
  const folder = mkdtempSync(join(tmpdir(), 'isobar-rebirth-bars-'));
  try {
    const strategies = strategiesIn(folder, chosenNames);
    const killsEach = Math.floor(Number(kills) / strategies.length);
    const remainder = Number(kills) % strategies.length;
    return await printRebirths(strategies, Number(jobs), (strategy, index) =>
      rebirthsOf(bars === undefined ? strategy : { ...strategy, bars: Number(bars) }, {
        kills: killsEach + (index < remainder ? 1 : 0),
        seed: Number(seed),
        lifetime: life === undefined ? null : Number(life),
        program,
        notify,
      }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
