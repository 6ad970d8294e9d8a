// Measures the whole engine against the C reference, after it has checked that the results are equal. `--json` prints one object.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import type { RunPlan } from '../dist/definition/plan/plan.js';
import { isOwnProcess, readArguments, type BenchPart } from './arguments.ts';
import { shapePart, isSameInBlocksOfOne, nsPerRow, type RunShape } from './runShapes.ts';
import { cliffPart, cliffsBench, type Cliff, type CliffFigures } from './cliffs.ts';
import { runPartProcess } from './partProcess.ts';
import { bytesPerBar, wholeCommand } from './processes.ts';
import { comparePeers, enginePart, peersTable } from './peers.ts';
import { futuresBench, futuresPart, type BenchMarket } from './futures.ts';
import { liveBench, livePart } from './live.ts';
import { pairsBench, pairsPart, type PairsUse } from './pairs.ts';
import { manySymbolsBench, manySymbolsPart } from './manySymbols.ts';
import { restCreate, restPart } from './restCreate.ts';
import { serviceBarePart, serviceBench } from './service.ts';
import { buildReference, runReference, writeUnits, type ReferenceFigures } from './reference.ts';
import { firstRows, randomWalk } from './series.ts';
import { sweepBench, type SweepBench } from './sweep.ts';
import { longBench } from './long.ts';
import { commandsBench } from './commands.ts';
import { feedPlan, HEAVY, LIGHT, loadStrategyFile, PASSES, benchPlan, ROWS, runTimed, windowParams, type TimedRun } from './workloads.ts';
import { bothTable, cliffRows, cliffsTable, rowsOfBench, table } from './table.ts';
import { onBothVersions } from './versions.ts';

/** Rounds of the runs after finished orders. The runs without orders reach their best time after about 17 rounds. */
const FINISHED_ORDER_ROUNDS = 24;
/** Rounds of each form of the strategy (`onBar` and `when`). Each has a process of its own, because processes differ in speed by a tenth. */
const PROCESS_ROUNDS = 6;
/** Bars of a short run. */
const SHORT_RUN_ROWS = 50_000;
/** Number of short runs. Together they have as many bars as one pass of a long run. */
const SHORT_RUNS = 100;

const commandWords = process.argv.slice(2);
/** What the command line asks for. A process for one part has arguments of its own. */
const benchArguments = readArguments(isOwnProcess(commandWords) ? [] : commandWords);
const print = (text: string) => process.stderr.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), 'isobar-bench-'));
const scratch = new Scratch();

/**
 * Measurements that have a process of their own. The benchmark starts that process with the switch of the measurement as its first argument.
 * Up to two values follow the switch.
 */
const PART_PROCESSES: Readonly<Record<string, (firstValue: string, secondValue: string) => Promise<void>>> = {
  '--part': formPart,
  '--shape-part': (shape) => shapePart(shape as RunShape),
  '--cliff-part': (name) => cliffPart(name as Cliff),
  '--peers-part': enginePart,
  '--pairs-part': (use) => pairsPart(use as PairsUse),
  '--futures-part': (market) => futuresPart(market as BenchMarket),
  '--rest-part': (name, origin) => restPart(name, origin, folder),
  '--live-part': livePart,
  '--symbols-part': manySymbolsPart,
  '--service-part': serviceBarePart,
};
/** Measures a named part. Returns its figures for the JSON output. */
const MEASUREMENTS: Readonly<Record<BenchPart, () => Promise<object> | object>> = {
  loop: loopFigures,
  orders: orderFigures,
  feeds: feedFigures,
  cliffs: () => ({ cliffs: cliffsBench(folder, buildReference(folder) !== null) }),
  pairs: async () => ({ pairs: await pairsBench(folder, buildReference(folder) !== null) }),
  futures: async () => ({ futures: await futuresBench(print) }),
  sweep: async () => ({ sweep: await sweepBench(folder, buildReference(folder)) }),
  rest: async () => ({ restCreate: await restCreate(print) }),
  live: async () => ({ live: await liveBench(folder, print) }),
  service: async () => ({ service: await serviceBench(folder) }),
  whole: () => ({ whole: commandsBench(folder, buildReference(folder), print) }),
  symbols: async () => {
    const figures: object = {};
    await manySymbolsBench(folder, (moreFigures) => Object.assign(figures, moreFigures));
    return figures;
  },
  peers: async () => ({ peers: await comparePeers(folder, print) }),
  long: () => ({ long: longBench(folder, benchArguments.longRows, print) }),
};

// The program. All functions below are hoisted.
try {
  const [firstArg = '', firstValue = '', secondValue = ''] = commandWords;
  const runPart = PART_PROCESSES[firstArg];
  if (runPart) await runPart(firstValue, secondValue);
  else if (benchArguments.isOnBothNodes) await runBoth(benchArguments.parts, commandWords);
  else if (benchArguments.parts.length > 0) await runNamed(benchArguments.parts);
  else await runAll();
} finally {
  rmSync(folder, { recursive: true });
}

/** Measures the named parts in turn, and prints their figures. Only `cliffs` and `peers`, each named alone, have a table. */
async function runNamed(parts: readonly BenchPart[]) {
  const figures: object = {};
  for (const part of parts) Object.assign(figures, await MEASUREMENTS[part]());
  const onlyPart = parts.length === 1 ? parts[0] : undefined;
  if (benchArguments.isJson || (onlyPart !== 'cliffs' && onlyPart !== 'peers')) return printJson(figures);
  if (onlyPart === 'cliffs') {
    process.stdout.write(cliffsTable((figures as { cliffs: CliffFigures[] }).cliffs));
    return;
  }
  const { peers } = figures as { peers: Awaited<ReturnType<typeof comparePeers>> };
  if (peers !== null) process.stdout.write(peersTable(peers));
}

/** Prints figures as one line of JSON. */
function printJson(figures: object) {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

/** Measures the chosen parts, and prints their figures. */
async function runAll() {
  const figures = await measureAll();
  if (benchArguments.isJson) printJson(figures);
  else process.stdout.write(table(figures));
  if (!figures.equal) process.exitCode = 1;
}

/** Serves `--both`: prints each figure on this Node and on Node 24. */
async function runBoth(parts: readonly BenchPart[], args: readonly string[]) {
  const [onThisNode, onNode24] = await onBothVersions(
    args.filter((word) => word !== '--both' && word !== '--json'),
    print,
  );
  const isCliffs = parts.join() === 'cliffs';
  if (benchArguments.isJson || (parts.length > 0 && !isCliffs))
    printJson({ [onThisNode.version]: onThisNode.figures, [onNode24.version]: onNode24.figures });
  else {
    const rowsOf = (figures: unknown) =>
      isCliffs ? cliffRows((figures as { cliffs: CliffFigures[] }).cliffs) : rowsOfBench(figures as BenchFigures);
    process.stdout.write(bothTable([onThisNode.version, onNode24.version], rowsOf(onThisNode.figures), rowsOf(onNode24.figures)));
  }
}

/** The best pass of one form. `firstThreadNs` is the time of the first pass on the loop's own thread. */
type FormRun = TimedRun & { readonly firstThreadNs: number };

/** Runs one strategy file on one workload in this process, and prints its best pass and its figures. */
async function formPart(strategyFile: string, workload: string) {
  const work = workload === 'heavy' ? HEAVY : LIGHT;
  const strategy = await loadStrategyFile(strategyFile);
  const feeds = [feedPlan('bars', randomWalk('AAAUSDT', ROWS, 1))];
  let best = await runTimed(benchPlan(strategy, feeds, work, windowParams(work)), scratch);
  const firstThreadNs = best.threadNs;
  for (let pass = 1; pass < PASSES; pass++) {
    const timedRun = await runTimed(benchPlan(strategy, feeds, work, windowParams(work)), scratch);
    if (timedRun.cpuNs < best.cpuNs) best = timedRun;
  }
  process.stdout.write(JSON.stringify({ ...best, firstThreadNs } satisfies FormRun));
}

/** Returns the figures of all parts of the engine. */
async function measureAll() {
  print(`bench: ${ROWS} bars, Node ${process.version}`);
  const bars = randomWalk('AAAUSDT', ROWS, 1);
  const unitsFile = join(folder, 'units.bin');
  writeUnits(unitsFile, bars);
  const program = buildReference(folder);
  const smaCross = await loadStrategyFile('strategies/smaCross.ts');
  const fillHeavy = compareWithC(program, unitsFile, 'heavy');
  const fillLight = compareWithC(program, unitsFile, 'light');
  print('bench: orders, growth, several feeds');
  const orderPathNs = orderCostNs(fillHeavy.onBarNsPerBar, fillHeavy.fillCount);
  const shortPlan = benchPlan(smaCross, [feedPlan('bars', firstRows(bars, SHORT_RUN_ROWS))], HEAVY, windowParams(HEAVY));
  const linearity = fillHeavy.whenNsPerBar / (await bestNsPerBar(shortPlan, SHORT_RUNS));
  const finishedOrders = await costAfterFinishedOrders(bars);
  const singleFeedNs = fillHeavy.onBarNsPerBar;
  const runShapes = costsOfRunShapes(singleFeedNs);
  const areEqualInBlocksOfOne = (await isSameInBlocksOfOne('eightFeeds')) && (await isSameInBlocksOfOne('twoIntervals'));
  print('bench: strategies that leave the common path');
  const cliffs = cliffsBench(folder, program !== null);
  print('bench: twenty series over two feeds');
  const pairs = await pairsBench(folder, program !== null);
  print('bench: contracts');
  const futures = await futuresBench(print);
  print('bench: a sweep of 200 sets');
  // In a process of its own, because the threads of a sweep have done no other work. After the parts above it took 1.3 times as long.
  const { sweep } = JSON.parse(runPartProcess('--sweep')) as { sweep: SweepBench };
  print('bench: orders through the client of the exchange');
  const restCreateFigures = await restCreate(print);
  print('bench: a live bot, from a bar to an order');
  const live = await liveBench(folder, print);
  print('bench: the paper exchange under load');
  const service = await serviceBench(folder);
  print('bench: memory and the whole command');
  return {
    equal: fillHeavy.equal && fillLight.equal && areEqualInBlocksOfOne && sweep.equal,
    fillHeavy: formFigures(fillHeavy),
    fillLight: formFigures(fillLight),
    ...runShapes,
    cliffs,
    pairs,
    futures,
    orderPathNs,
    linearity,
    bytesPerBar: bytesPerBar(folder, ROWS),
    finishedOrders,
    firstRun: fillHeavy.onBarFirstPassRatio,
    firstRunWhen: fillHeavy.whenFirstPassRatio,
    seventhStrategy: nsPerRow('seventhStrategy') / singleFeedNs,
    sweep,
    wholeCommand: await wholeCommand(folder),
    whole: commandsBench(folder, program, print),
    restCreate: restCreateFigures,
    live,
    service,
    node: process.version,
  };
}

/** Serves the part `loop`. Throws if a figure differs from that of the C reference. */
function loopFigures() {
  const unitsFile = join(folder, 'units.bin');
  writeUnits(unitsFile, randomWalk('AAAUSDT', ROWS, 1));
  const program = buildReference(folder);
  const fillHeavy = compareWithC(program, unitsFile, 'heavy');
  const fillLight = compareWithC(program, unitsFile, 'light');
  const firstRuns = { firstRun: fillHeavy.onBarFirstPassRatio, firstRunWhen: fillHeavy.whenFirstPassRatio };
  return { fillHeavy: formFigures(fillHeavy), fillLight: formFigures(fillLight), ...firstRuns };
}

/** Serves the part `orders`. */
async function orderFigures() {
  const { cpuNs, figures } = runFormProcess('strategies/smaCrossOnBar.ts', 'heavy');
  const orderPathNs = orderCostNs(cpuNs / ROWS, figures.fills);
  return { orderPathNs, finishedOrders: await costAfterFinishedOrders(randomWalk('AAAUSDT', ROWS, 1)) };
}

/** Serves the part `feeds`: ratios are to the best of the single feed's rounds. */
function feedFigures() {
  const rounds = Array.from({ length: PROCESS_ROUNDS }, () => runFormProcess('strategies/smaCrossOnBar.ts', 'heavy').cpuNs / ROWS);
  return costsOfRunShapes(Math.min(...rounds));
}

/** Returns the cost of a row with eight feeds, with two intervals and with an indicator that is not declared pure. */
function costsOfRunShapes(singleFeedNs: number) {
  return {
    eightFeeds: costOfRow('eightFeeds', singleFeedNs),
    twoIntervals: costOfRow('twoIntervals', singleFeedNs),
    undeclaredCustom: costOfRow('undeclaredCustom', singleFeedNs),
  };
}

/** The best times of the loop and of the C program, in CPU time. */
interface ComparisonWithC {
  /** Always true, because any difference throws. The JSON output has this field. */
  readonly equal: true;
  readonly fillCount: number;
  readonly cNsPerBar: number | null;
  readonly onBarNsPerBar: number;
  readonly whenNsPerBar: number;
  /** Time of the first pass of a process divided by that of its best pass, on the loop's own thread: the median of the processes. */
  readonly onBarFirstPassRatio: number;
  readonly whenFirstPassRatio: number;
}

/**
 * Returns the best rounds of both forms and of the reference. Throws if a figure differs from that of the reference.
 * Each run has a process of its own, as a backtest has. `seventhStrategy` is the cost of a shared process.
 */
function compareWithC(program: string | null, unitsFile: string, workload: 'heavy' | 'light'): ComparisonWithC {
  let cNs = Infinity;
  let onBarNs = Infinity;
  let whenNs = Infinity;
  const firstPassRatios: { readonly onBar: number; readonly when: number }[] = [];
  let fillCount = 0;
  for (let round = 0; round < PROCESS_ROUNDS; round++) {
    const reference = program === null ? null : runReference(program, unitsFile, workload === 'heavy' ? HEAVY : LIGHT, 4);
    const onBar = runFormProcess('strategies/smaCrossOnBar.ts', workload);
    const when = runFormProcess('strategies/smaCross.ts', workload);
    const expected = reference === null ? onBar.figures : withoutTime(reference);
    const hasExpectedFigures = [onBar, when].every(({ figures }) => JSON.stringify(figures) === JSON.stringify(expected));
    if (!hasExpectedFigures) {
      const details = JSON.stringify({ expected, onBar: onBar.figures, when: when.figures }, null, 1);
      throw new Error(`the engine differs from the reference:\n${details}`);
    }
    fillCount = onBar.figures.fills;
    cNs = Math.min(cNs, reference?.nsPerBar ?? Infinity);
    onBarNs = Math.min(onBarNs, onBar.cpuNs / ROWS);
    whenNs = Math.min(whenNs, when.cpuNs / ROWS);
    firstPassRatios.push({ onBar: onBar.firstThreadNs / onBar.threadNs, when: when.firstThreadNs / when.threadNs });
  }
  const cNsPerBar = program === null ? null : cNs;
  const onBarFirstPassRatio = median(firstPassRatios.map(({ onBar }) => onBar));
  const whenFirstPassRatio = median(firstPassRatios.map(({ when }) => when));
  return { equal: true, fillCount, cNsPerBar, onBarNsPerBar: onBarNs, whenNsPerBar: whenNs, onBarFirstPassRatio, whenFirstPassRatio };
}

/** Returns the median. It is a hoisted function, because the benchmark already runs while this module is being evaluated. */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

/** Runs one strategy file on one workload in a process of its own. */
function runFormProcess(strategyFile: string, workload: string): FormRun {
  return JSON.parse(runPartProcess('--part', strategyFile, workload)) as FormRun;
}

/** Returns the figures without the time. */
function withoutTime({ equity, fees, fills, maxDrawdown, equitySum, fillsHash }: ReferenceFigures): ReferenceFigures {
  return { equity, fees, fills, maxDrawdown, equitySum, fillsHash };
}

/** Returns the figures of a workload for the JSON output. */
function formFigures({ cNsPerBar, onBarNsPerBar, whenNsPerBar }: ComparisonWithC) {
  const ratio = (ns: number) => (cNsPerBar === null ? null : ns / cNsPerBar);
  return { cNsPerBar, onBarNsPerBar, onBarRatio: ratio(onBarNsPerBar), whenNsPerBar, whenRatio: ratio(whenNsPerBar) };
}

/** Returns the CPU time of a bar in ns: the best of `runs` runs of a plan with one feed. */
async function bestNsPerBar(plan: RunPlan, runs: number): Promise<number> {
  let minNs = Infinity;
  for (let run = 0; run < runs; run++) minNs = Math.min(minNs, (await runTimed(plan, scratch)).cpuNs);
  return minNs / plan.feeds[0]!.bars.length;
}

/** Returns the cost of a row of a run shape, and its ratio to a row of the single feed. */
function costOfRow(shape: RunShape, singleNs: number) {
  const ns = nsPerRow(shape);
  return { nsPerRow: ns, ratioToSingle: ns / singleNs };
}

/**
 * Returns what an order adds to a run in ns, for each order. It is the time of the onBar form minus the time of the same loop without
 * orders. The idle loop has processes of its own too. As the second class of a process it would be almost twice as slow, and orders would
 * look cheap. Both kinds of runs alternate, so that other work on the machine slows both.
 */
function orderCostNs(onBarNsPerBar: number, orderCount: number): number {
  let onBarNs = onBarNsPerBar * ROWS;
  let idleNs = Infinity;
  for (let round = 0; round < PROCESS_ROUNDS; round++) {
    idleNs = Math.min(idleNs, runFormProcess('bench/strategies/idle.ts', 'heavy').cpuNs);
    onBarNs = Math.min(onBarNs, runFormProcess('strategies/smaCrossOnBar.ts', 'heavy').cpuNs);
  }
  return (onBarNs - idleNs) / orderCount;
}

/** Returns the cost of the last million bars after 500,000 finished orders, divided by their cost after none. */
async function costAfterFinishedOrders(bars: ReturnType<typeof randomWalk>): Promise<number> {
  const burstStrategy = await loadStrategyFile('bench/strategies/burst.ts');
  const rowCount = 1_500_000;
  /** Returns the CPU time of the last million bars, us. */
  const lastMillionUs = async (orderCount: number) => {
    let startUsage = process.cpuUsage();
    let cpuUs = Infinity;
    // The first decision follows 300 bars of warm-up, so the last million bars begin at this decision.
    const firstMeasuredBar = rowCount - 1_000_300;
    const onBar = (barIndex: number) => {
      if (barIndex === firstMeasuredBar) startUsage = process.cpuUsage();
    };
    Object.assign(globalThis, { isobarBench: { onBar } });
    await runTimed(benchPlan(burstStrategy, [feedPlan('bars', firstRows(bars, rowCount))], LIGHT, { orderCount }), scratch, () => {
      const { user, system } = process.cpuUsage(startUsage);
      cpuUs = user + system;
    });
    return cpuUs;
  };
  // The two alternate, because the time of the first kind would otherwise include the warm-up of both.
  let afterNoneUs = Infinity;
  let afterManyUs = Infinity;
  for (let round = 0; round < FINISHED_ORDER_ROUNDS; round++) {
    afterNoneUs = Math.min(afterNoneUs, await lastMillionUs(0));
    afterManyUs = Math.min(afterManyUs, await lastMillionUs(500_000));
  }
  return afterManyUs / afterNoneUs;
}

/** The figures of the measured parts. A part that was not requested is null or absent. */
export type BenchFigures = Awaited<ReturnType<typeof measureAll>>;
