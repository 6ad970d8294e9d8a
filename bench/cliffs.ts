// What a strategy costs that leaves the common path: each beside an equal C program, results compared first.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import type { BarColumns } from '../dist/model/bars/bars.js';
import { inProcess } from './parts.ts';
import { compile, writeUnits, type Figures, type ReferenceRun } from './reference.ts';
import { head, walk } from './series.ts';
import { feedPlan, HEAVY, load, PASSES, planFor, timed, type TimedRun } from './workloads.ts';

const ROWS = 1_000_000;
const ROUNDS = 3;

/** Each with the file of its strategy and the name of its loop in cliffs.c. */
export const CLIFFS = {
  'a market order at every bar': ['everyBar', 'everyBar'],
  'a limit re-priced at every bar, its number kept': ['limitKept', 'limit'],
  'the same, found among the open orders': ['limitListed', 'limit'],
  'the size of the position at every bar': ['positionQty', 'cross'],
  'the equity at every bar': ['equityRead', 'equity'],
  'a trailing stop': ['trailingStop', 'trailing'],
  'twenty earlier closes at every bar': ['agoTwenty', 'ago'],
  'thirty `when` over sixty averages': ['thirtySignals', 'signals'],
} as const satisfies Record<string, readonly [strategy: string, loop: string]>;

export type Cliff = keyof typeof CLIFFS;

export interface CliffFigures {
  readonly name: Cliff;
  readonly nsPerBar: number;
  readonly cNsPerBar: number | null;
  readonly ratio: number | null;
}

/** Builds cliffs.c into `folder`, and writes the bars for it. Returns the program and the file. Throws where gcc is absent. */
export function prepareCliffs(folder: string, bars: BarColumns): readonly [program: string, path: string] {
  const path = join(folder, 'cliffs.bin');
  writeUnits(path, bars, ['open', 'high', 'low', 'close']);
  return [compile(folder, 'cliffs'), path];
}

export function runCliff(program: string, path: string, name: Cliff, passes: number): ReferenceRun {
  const { seen: _, ...run } = JSON.parse(execFileSync(program, [path, CLIFFS[name][1], String(passes)], { encoding: 'utf8' })) as
    ReferenceRun & { seen: number }; // prettier-ignore
  return run;
}

/** Runs the strategy of a cliff once over `bars`. */
export async function timedCliff(name: Cliff, bars: BarColumns, scratch = new Scratch()): Promise<TimedRun> {
  const strategy = await load(`bench/strategies/${CLIFFS[name][0]}.ts`);
  return timed(planFor(strategy, [feedPlan('bars', bars)], HEAVY, {}), scratch);
}

/** One cliff in this process: prints its best pass and its figures. */
export async function cliffPart(name: Cliff): Promise<void> {
  const bars = head(walk('AAAUSDT', ROWS, 1), ROWS);
  const scratch = new Scratch();
  let best = await timedCliff(name, bars, scratch);
  for (let pass = 1; pass < PASSES; pass++) {
    const next = await timedCliff(name, bars, scratch);
    if (next.ns < best.ns) best = next;
  }
  process.stdout.write(JSON.stringify(best));
}

/** Each cliff in processes of its own, the best of the rounds. Throws when a figure differs from that of the C program. */
export function cliffsBench(folder: string, hasGcc: boolean): readonly CliffFigures[] {
  const [program, path] = hasGcc ? prepareCliffs(folder, head(walk('AAAUSDT', ROWS, 1), ROWS)) : [null, ''];
  return (Object.keys(CLIFFS) as Cliff[]).map((name) => {
    let [ns, cNs] = [Infinity, Infinity];
    for (let round = 0; round < ROUNDS; round++) {
      const ours = JSON.parse(inProcess('--cliff-part', name)) as TimedRun;
      ns = Math.min(ns, ours.ns / ROWS);
      if (program === null) continue;
      const { nsPerBar, ...figures } = runCliff(program, path, name, PASSES);
      assertEqual(name, ours.figures, figures);
      cNs = Math.min(cNs, nsPerBar);
    }
    return { name, nsPerBar: ns, cNsPerBar: program === null ? null : cNs, ratio: program === null ? null : ns / cNs };
  });
}

function assertEqual(name: Cliff, found: Figures, expected: Figures): void {
  if (Object.entries(expected).every(([key, value]) => found[key as keyof Figures] === value)) return;
  throw new Error(`${name}: the engine differs from C:\n${JSON.stringify({ found, expected })}`);
}
