// What a strategy costs that leaves the common path: each beside an equal C program, results compared first.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import type { BarColumns } from '../dist/model/bars/bars.js';
import type { FeedPlan } from '../dist/definition/plan/plan.js';
import { inProcess } from './parts.ts';
import { compile, writeUnits, type Figures, type ReferenceRun } from './reference.ts';
import { coarser, head, walk } from './series.ts';
import { feedPlan, HEAVY, load, PASSES, planFor, timed, windows, type TimedRun } from './workloads.ts';

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
  'RSI with an ATR stop': ['rsiAtr', 'rsiAtr'],
  'Bollinger bands with MACD': ['bandsMacd', 'bands'],
  'fifty symbols': ['manySymbols', 'symbols'],
  'five intervals of a symbol': ['fiveIntervals', 'frames'],
} as const satisfies Record<string, readonly [strategy: string, loop: string]>;

export type Cliff = keyof typeof CLIFFS;

/** As many as the C program has. */
const SYMBOLS = 50;
const INTERVALS = [
  ['5m', 5],
  ['15m', 15],
  ['1h', 60],
  ['4h', 240],
] as const;

export interface CliffFigures {
  readonly name: Cliff;
  readonly nsPerBar: number;
  /** The first pass of a process, by the CPU time of its own thread. */
  readonly firstNsPerBar: number;
  readonly cNsPerBar: number | null;
  readonly ratio: number | null;
  readonly firstRatio: number | null;
}
type CliffRun = TimedRun & { readonly firstNs: number };

/** The C program, and the files that it reads: the bars, and those of fifty symbols. */
interface Prepared {
  readonly program: string;
  readonly bars: string;
  readonly symbols: string;
}

/** Builds cliffs.c into `folder`, and writes the bars for it. Throws where gcc is absent. */
export function prepareCliffs(folder: string, bars: BarColumns): Prepared {
  const prepared = { program: compile(folder, 'cliffs'), bars: join(folder, 'cliffs.bin'), symbols: join(folder, 'symbols.bin') };
  const columns = ['open', 'high', 'low', 'close'] as const;
  writeUnits(prepared.bars, bars, columns);
  const coins = coinsOf(bars.length);
  const joined = (name: (typeof columns)[number]) => Float64Array.from(coins.flatMap((coin) => [...coin[name]]));
  const all = { open: joined('open'), high: joined('high'), low: joined('low'), close: joined('close') };
  writeUnits(prepared.symbols, { ...coins[0]!, ...all, length: all.open.length }, columns);
  return prepared;
}

export function runCliff(prepared: Prepared, name: Cliff, passes: number): ReferenceRun {
  const [, loop] = CLIFFS[name];
  const words = [loop === 'symbols' ? prepared.symbols : prepared.bars, loop, String(passes)];
  const { seen: _, ...run } = JSON.parse(execFileSync(prepared.program, words, { encoding: 'utf8' })) as ReferenceRun & { seen: number };
  return run;
}

/** `rows` in all. */
const coinsOf = (rows: number): readonly BarColumns[] =>
  Array.from({ length: SYMBOLS }, (_, at) => walk(`S${String(at).padStart(3, '0')}USDT`, Math.floor(rows / SYMBOLS), at + 1));

/** Returns how a strategy of a cliff is run over `bars`; fifty symbols have as many rows in all. */
export async function cliffRunner(name: Cliff, bars: BarColumns): Promise<() => Promise<TimedRun>> {
  const [strategy, loop] = CLIFFS[name];
  const loaded = await load(`bench/strategies/${strategy}.ts`);
  const coarse = (): FeedPlan[] => INTERVALS.map(([interval, minutes]) => feedPlan(interval, coarser(bars, interval, minutes)));
  const feeds =
    loop === 'symbols'
      ? coinsOf(bars.length).map((coin) => feedPlan('all', coin))
      : [feedPlan('bars', bars), ...(loop === 'frames' ? coarse() : [])];
  const scratch = new Scratch();
  return () => timed(planFor(loaded, feeds, HEAVY, loop === 'symbols' ? windows(HEAVY) : {}), scratch);
}

/** One cliff in this process: prints its best pass, its first one and its figures. */
export async function cliffPart(name: Cliff): Promise<void> {
  const run = await cliffRunner(name, head(walk('AAAUSDT', ROWS, 1), ROWS));
  let best = await run();
  const firstNs = best.threadNs;
  for (let pass = 1; pass < PASSES; pass++) {
    const next = await run();
    if (next.ns < best.ns) best = next;
  }
  process.stdout.write(JSON.stringify({ ...best, firstNs } satisfies CliffRun));
}

/** Each cliff in processes of its own, the best of the rounds. Throws when a figure differs from that of the C program. */
export function cliffsBench(folder: string, hasGcc: boolean): readonly CliffFigures[] {
  const prepared = hasGcc ? prepareCliffs(folder, head(walk('AAAUSDT', ROWS, 1), ROWS)) : null;
  return (Object.keys(CLIFFS) as Cliff[]).map((name) => {
    let [ns, firstNs, cNs] = [Infinity, Infinity, Infinity];
    for (let round = 0; round < ROUNDS; round++) {
      const ours = JSON.parse(inProcess('--cliff-part', name)) as CliffRun;
      ns = Math.min(ns, ours.ns / ROWS);
      firstNs = Math.min(firstNs, ours.firstNs / ROWS);
      if (prepared === null) continue;
      const { nsPerBar, ...figures } = runCliff(prepared, name, PASSES);
      assertEqual(name, ours.figures, figures);
      cNs = Math.min(cNs, nsPerBar);
    }
    const over = (of: number) => (prepared === null ? null : of / cNs);
    const cNsPerBar = prepared === null ? null : cNs;
    return { name, nsPerBar: ns, firstNsPerBar: firstNs, cNsPerBar, ratio: over(ns), firstRatio: over(firstNs) };
  });
}

function assertEqual(name: Cliff, found: Figures, expected: Figures): void {
  if (Object.entries(expected).every(([key, value]) => found[key as keyof Figures] === value)) return;
  throw new Error(`${name}: the engine differs from C:\n${JSON.stringify({ found, expected })}`);
}
