// Measures strategies that leave the engine's fast path, which costs them speed at once (hence "cliffs"). Each is compared with a loop of
// cliffs.c that does the same work. The results must be equal.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import type { BarColumns } from '../dist/model/bars/bars.js';
import type { FeedPlan } from '../dist/definition/plan/plan.js';
import { runPartProcess } from './partProcess.ts';
import { compile, writeUnits, type ReferenceFigures, type ReferenceRun } from './reference.ts';
import { aggregateBars, randomWalk } from './series.ts';
import { benchPlan, feedPlan, HEAVY, loadStrategyFile, PASSES, runTimed, windowParams, type TimedRun } from './workloads.ts';

/** Bars of each case. */
const ROW_COUNT = 1_000_000;
/** Number of processes for each case; the best one counts. */
const ROUNDS = 3;

/** Where a case is written. */
interface CliffSource {
  /** Name of the file in bench/strategies. */
  readonly strategy: string;
  /** Name of the loop in cliffs.c. */
  readonly loop: string;
}

/** The cases by title. The titles are values of the JSON output, so they stay as they are. */
export const CLIFFS = {
  'a market order at every bar': { strategy: 'everyBar', loop: 'everyBar' },
  'a limit re-priced at every bar, its number kept': { strategy: 'limitById', loop: 'limit' },
  'the same, found among the open orders': { strategy: 'limitFromOpenOrders', loop: 'limit' },
  'the size of the position at every bar': { strategy: 'positionQty', loop: 'cross' },
  'the equity at every bar': { strategy: 'equityReader', loop: 'equity' },
  'a trailing stop': { strategy: 'trailingStop', loop: 'trailing' },
  'twenty earlier closes at every bar': { strategy: 'earlierCloses', loop: 'ago' },
  'thirty `when` over sixty averages': { strategy: 'thirtySignals', loop: 'signals' },
  'RSI with an ATR stop': { strategy: 'rsiAtr', loop: 'rsiAtr' },
  'Bollinger bands with MACD': { strategy: 'bandsMacd', loop: 'bands' },
  'fifty symbols': { strategy: 'manySymbols', loop: 'symbols' },
  'five intervals of a symbol': { strategy: 'fiveIntervals', loop: 'frames' },
} as const satisfies Record<string, CliffSource>;

/** The title of a case. */
export type Cliff = keyof typeof CLIFFS;

/** Number of symbols; equal to SYMBOLS in cliffs.c. */
const SYMBOLS = 50;
/** The coarser intervals of a symbol. */
const COARSE_INTERVALS = [
  { interval: '5m', minutes: 5 },
  { interval: '15m', minutes: 15 },
  { interval: '1h', minutes: 60 },
  { interval: '4h', minutes: 240 },
] as const;

/** The times of one case. The reference is the loop in C. */
export interface CliffFigures {
  readonly name: Cliff;
  /** CPU time of the engine for each bar, in the best pass. */
  readonly nsPerBar: number;
  /** CPU time for each bar in the first pass of a process, counted on the loop's own thread. */
  readonly firstNsPerBar: number;
  /** CPU time of the C program for each bar, in the best pass. Null without gcc. */
  readonly cNsPerBar: number | null;
  /** Time of the engine divided by the time of the C program. Null without gcc. */
  readonly ratio: number | null;
  /** Time of the engine's first pass divided by the time of the C program. Null without gcc. */
  readonly firstRatio: number | null;
}

/** The best pass of a case, and the CPU time of the first pass of its process. */
type CliffRun = TimedRun & { readonly firstPassNs: number };

/** The C program and its inputs: the bar file of one symbol and the bar file of fifty symbols. */
interface CliffInputs {
  readonly program: string;
  readonly oneSymbol: string;
  readonly fiftySymbols: string;
}

/** The columns that cliffs.c reads. */
const PRICE_COLUMNS = ['open', 'high', 'low', 'close'] as const;

/** Builds cliffs.c into `folder` and writes its bar files there. Throws where gcc is absent. */
export function prepareCliffs(folder: string, bars: BarColumns): CliffInputs {
  const inputs = {
    program: compile(folder, 'cliffs'),
    oneSymbol: join(folder, 'cliffs.bin'),
    fiftySymbols: join(folder, 'symbols.bin'),
  };
  writeUnits(inputs.oneSymbol, bars, PRICE_COLUMNS);
  writeUnits(inputs.fiftySymbols, concatenate(barsOfSymbols(bars.length)), PRICE_COLUMNS);
  return inputs;
}

/** Returns the bars of all symbols in the order that cliffs.c reads: in each column one symbol after the other. */
function concatenate(symbols: readonly BarColumns[]): BarColumns {
  const column = (name: (typeof PRICE_COLUMNS)[number]) => Float64Array.from(symbols.flatMap((bars) => [...bars[name]]));
  const open = column('open');
  return { ...symbols[0]!, open, high: column('high'), low: column('low'), close: column('close'), length: open.length };
}

/** Runs the C program of a case and returns the figures that the engine must also have. */
export function runCliffReference(inputs: CliffInputs, name: Cliff, passes: number): ReferenceRun {
  const { loop } = CLIFFS[name];
  const args = [loop === 'symbols' ? inputs.fiftySymbols : inputs.oneSymbol, loop, String(passes)];
  // The program prints `sink` only so that its compiler keeps the work that produced it.
  const { sink: _, ...run } = JSON.parse(execFileSync(inputs.program, args, { encoding: 'utf8' })) as ReferenceRun & { sink: number };
  return run;
}

/** Returns random walks of 50 symbols with `rows` bars in total. */
const barsOfSymbols = (rows: number): readonly BarColumns[] =>
  Array.from({ length: SYMBOLS }, (_, symbolIndex) =>
    randomWalk(`S${String(symbolIndex).padStart(3, '0')}USDT`, Math.floor(rows / SYMBOLS), symbolIndex + 1),
  );

/**
 * Returns a function that runs the strategy of a case over `bars`. The case of fifty symbols has a random walk for each symbol instead, with
 * as many rows in total.
 */
export async function cliffRunner(name: Cliff, bars: BarColumns): Promise<() => Promise<TimedRun>> {
  const { strategy, loop } = CLIFFS[name];
  const loaded = await loadStrategyFile(`bench/strategies/${strategy}.ts`);
  const feeds = feedsOf(loop, bars);
  const params = loop === 'symbols' ? windowParams(HEAVY) : {};
  const scratch = new Scratch();
  return () => runTimed(benchPlan(loaded, feeds, HEAVY, params), scratch);
}

/** Returns the feeds that a case needs. */
function feedsOf(loop: string, bars: BarColumns): FeedPlan[] {
  if (loop === 'symbols') return barsOfSymbols(bars.length).map((symbolBars) => feedPlan('all', symbolBars));
  const oneMinute = feedPlan('bars', bars);
  if (loop !== 'frames') return [oneMinute];
  const coarserFeeds = COARSE_INTERVALS.map(({ interval, minutes }) => feedPlan(interval, aggregateBars(bars, interval, minutes)));
  return [oneMinute, ...coarserFeeds];
}

/** Runs one case in this process and prints its best pass, the time of its first pass and its figures as JSON. */
export async function cliffPart(name: Cliff): Promise<void> {
  const runCase = await cliffRunner(name, randomWalk('AAAUSDT', ROW_COUNT, 1));
  let bestRun = await runCase();
  const firstPassNs = bestRun.threadNs;
  for (let pass = 1; pass < PASSES; pass++) {
    const timedRun = await runCase();
    if (timedRun.cpuNs < bestRun.cpuNs) bestRun = timedRun;
  }
  process.stdout.write(JSON.stringify({ ...bestRun, firstPassNs } satisfies CliffRun));
}

/** Returns the figures of all cases. Throws if a result differs from the C program. */
export function cliffsBench(folder: string, hasGcc: boolean): readonly CliffFigures[] {
  const inputs = hasGcc ? prepareCliffs(folder, randomWalk('AAAUSDT', ROW_COUNT, 1)) : null;
  return (Object.keys(CLIFFS) as Cliff[]).map((name) => measureCliff(name, inputs));
}

/** Returns the best times of a case. Each round runs the engine in a new process. `inputs` is null without gcc. */
function measureCliff(name: Cliff, inputs: CliffInputs | null): CliffFigures {
  let nsPerBar = Infinity;
  let firstNsPerBar = Infinity;
  let cNsPerBar = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const engineRun = JSON.parse(runPartProcess('--cliff-part', name)) as CliffRun;
    nsPerBar = Math.min(nsPerBar, engineRun.cpuNs / ROW_COUNT);
    firstNsPerBar = Math.min(firstNsPerBar, engineRun.firstPassNs / ROW_COUNT);
    if (inputs === null) continue;
    const { nsPerBar: roundCNsPerBar, ...expected } = runCliffReference(inputs, name, PASSES);
    assertEqual(name, engineRun.figures, expected);
    cNsPerBar = Math.min(cNsPerBar, roundCNsPerBar);
  }
  if (inputs === null) return { name, nsPerBar, firstNsPerBar, cNsPerBar: null, ratio: null, firstRatio: null };
  return { name, nsPerBar, firstNsPerBar, cNsPerBar, ratio: nsPerBar / cNsPerBar, firstRatio: firstNsPerBar / cNsPerBar };
}

/** Throws if a figure of the engine differs from the figure of the C program. */
function assertEqual(name: Cliff, found: ReferenceFigures, expected: ReferenceFigures): void {
  if (Object.entries(expected).every(([key, value]) => found[key as keyof ReferenceFigures] === value)) return;
  throw new Error(`${name}: the engine differs from C:\n${JSON.stringify({ found, expected })}`);
}
