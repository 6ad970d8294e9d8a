// Measures the whole engine against the C reference, after it has checked that the results are equal. `--json` prints one object.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import type { RunPlan } from '../dist/definition/plan/plan.js';
import { besidePart, isSameInBlocksOfOne, nsPerRow, type BesideKind } from './beside.ts';
import { cliffPart, cliffsBench, type Cliff, type CliffFigures } from './cliffs.ts';
import { runPartProcess } from './partProcess.ts';
import { bytesPerBar, wholeCommand } from './processes.ts';
import { comparePeers, enginePart, peersTable } from './peers.ts';
import { futuresBench, futuresPart, type FuturesKind } from './futures.ts';
import { liveBench, livePart } from './live.ts';
import { manySymbolsBench, manySymbolsPart } from './manySymbols.ts';
import { restCreate, restPart } from './restCreate.ts';
import { serviceBarePart, serviceBench } from './service.ts';
import { buildReference, runReference, writeUnits, type Figures } from './reference.ts';
import { firstRows, randomWalk } from './series.ts';
import { sweepBench, type SweepBench } from './sweep.ts';
import { longBench } from './long.ts';
import { wholeBench } from './whole.ts';
import { feedPlan, HEAVY, LIGHT, loadStrategyFile, PASSES, benchPlan, ROWS, runTimed, windowParams, type TimedRun } from './workloads.ts';
import { bothTable, cliffRows, cliffsTable, rowsOfBench, table } from './table.ts';
import { onBothVersions } from './versions.ts';

const ROUNDS = 3;
/** Rounds of each form, each in a process of its own. Compiled code differs in speed by a tenth from process to process. */
const PROCESS_ROUNDS = 6;
/** Runs of 50,000 bars, so that they see as many bars as one pass of a long run. */
const WARM_RUNS = 100;

const asJson = process.argv.includes('--json');
const print = (text: string) => process.stderr.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), 'isobar-bench-'));
const scratch = new Scratch();

/** Switches of the processes that the benchmark starts for one part. They stand first and may have two values. */
const PARTS: Readonly<Record<string, (first: string, second: string) => Promise<void>>> = {
  '--part': formPart,
  '--beside-part': (kind) => besidePart(kind as BesideKind),
  '--cliff-part': (name) => cliffPart(name as Cliff),
  '--peers-part': enginePart,
  '--futures-part': (kind) => futuresPart(kind as FuturesKind),
  '--rest-part': (name, origin) => restPart(name, origin, folder),
  '--live-part': livePart,
  '--symbols-part': manySymbolsPart,
  '--service-part': serviceBarePart,
};
/** Switches of a user that measure one part alone. With several of them, the first one of this list counts. */
const SWITCHES: Readonly<Record<string, () => Promise<void> | void>> = {
  '--both': () => runBoth(process.argv.slice(2).filter((arg) => arg !== '--both' && arg !== '--json')),
  '--peers': runPeers,
  '--rest': async () => printJson({ restCreate: await restCreate(print) }),
  '--live': async () => printJson({ live: await liveBench(folder, print) }),
  '--symbols': () => manySymbolsBench(folder, printJson),
  '--service': async () => printJson({ service: await serviceBench(folder) }),
  '--sweep': async () => printJson({ sweep: await sweepBench(folder, buildReference(folder)) }),
  '--cliffs': showCliffs,
  '--long': () => printJson({ long: longBench(folder, longRows(), print) }),
  '--whole': () => printJson({ whole: wholeBench(folder, buildReference(folder), print) }),
  '--futures': async () => printJson({ futures: await futuresBench(print) }),
};

try {
  const [, , firstArg = '', firstValue = '', secondValue = ''] = process.argv;
  const runPart = PARTS[firstArg];
  const givenSwitch = Object.keys(SWITCHES).find((name) => process.argv.includes(name));
  if (runPart) await runPart(firstValue, secondValue);
  else if (givenSwitch !== undefined) await SWITCHES[givenSwitch]!();
  else await runAll();
} finally {
  rmSync(folder, { recursive: true });
}

function printJson(figures: object) {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

async function runAll() {
  const figures = await measureAll();
  if (asJson) printJson(figures);
  else process.stdout.write(table(figures));
  if (!figures.equal) process.exitCode = 1;
}

/** Serves `--both`: prints each figure on this Node and on Node 24. `args` has the other switches. */
async function runBoth(args: readonly string[]) {
  const [one, other] = await onBothVersions(args, print);
  if (asJson || (args.length > 0 && args[0] !== '--cliffs')) printJson({ [one.version]: one.figures, [other.version]: other.figures });
  else {
    const rowsOf = (figures: unknown) =>
      args[0] === '--cliffs' ? cliffRows((figures as { cliffs: CliffFigures[] }).cliffs) : rowsOfBench(figures as BenchFigures);
    process.stdout.write(bothTable([one.version, other.version], rowsOf(one.figures), rowsOf(other.figures)));
  }
}

/** Serves `--peers`: compares with other libraries instead of the C reference. */
async function runPeers() {
  const figures = await comparePeers(folder, print);
  if (asJson) printJson({ peers: figures });
  else if (figures !== null) process.stdout.write(peersTable(figures));
}

/** Returns the number of bars of `--long ROWS`; 100 million by default. */
function longRows(): number {
  return Number(process.argv[process.argv.indexOf('--long') + 1] ?? 100_000_000);
}

/** Serves `--cliffs`: measures strategies that leave the fast path. */
function showCliffs() {
  const figures = cliffsBench(folder, buildReference(folder) !== null);
  if (asJson) printJson({ cliffs: figures });
  else process.stdout.write(cliffsTable(figures));
}

/** Runs one form on one workload in this process and prints its best pass and its figures. */
async function formPart(form: string, workload: string) {
  const work = workload === 'heavy' ? HEAVY : LIGHT;
  const strategy = await loadStrategyFile(form);
  const feeds = [feedPlan('bars', randomWalk('AAAUSDT', ROWS, 1))];
  let best = await runTimed(benchPlan(strategy, feeds, work, windowParams(work)), scratch);
  const firstThreadNs = best.threadNs;
  for (let pass = 1; pass < PASSES; pass++) {
    const timedRun = await runTimed(benchPlan(strategy, feeds, work, windowParams(work)), scratch);
    if (timedRun.ns < best.ns) best = timedRun;
  }
  process.stdout.write(JSON.stringify({ ...best, firstThreadNs } satisfies FormRun));
}

async function measureAll() {
  print(`bench: ${ROWS} bars, Node ${process.version}`);
  const bars = randomWalk('AAAUSDT', ROWS, 1);
  const file = join(folder, 'units.bin');
  writeUnits(file, bars);
  const program = buildReference(folder);
  const whenStrategy = await loadStrategyFile('strategies/smaCross.ts');
  const fillHeavy = compareWithC(program, file, 'heavy');
  const fillLight = compareWithC(program, file, 'light');
  print('bench: orders, growth, several feeds');
  const orderPathNs = orderPath(fillHeavy.onBarNsPerBar, fillHeavy.fills);
  const shortPlan = benchPlan(whenStrategy, [feedPlan('bars', firstRows(bars, 50_000))], HEAVY, windowParams(HEAVY));
  const linearity = fillHeavy.whenNsPerBar / (await bestNsPerBar(shortPlan, WARM_RUNS));
  const finishedOrders = await afterFinishedOrders(bars);
  const singleFeedNs = fillHeavy.onBarNsPerBar;
  const furtherForms = {
    eightFeeds: costOfRow('eightFeeds', singleFeedNs),
    twoIntervals: costOfRow('twoIntervals', singleFeedNs),
    undeclaredCustom: costOfRow('undeclaredCustom', singleFeedNs),
  };
  const areEqualInBlocksOfOne = (await isSameInBlocksOfOne('eightFeeds')) && (await isSameInBlocksOfOne('twoIntervals'));
  print('bench: strategies that leave the common path');
  const cliffs = cliffsBench(folder, program !== null);
  print('bench: contracts');
  const futures = await futuresBench(print);
  print('bench: a sweep of 200 sets');
  // In a process of its own, because the threads of a sweep have done no other work. After the parts above it took 1.3 times as long.
  const { sweep } = JSON.parse(runPartProcess('--sweep')) as { sweep: SweepBench };
  print('bench: orders through the client of the exchange');
  const orders = await restCreate(print);
  print('bench: a live bot, from a bar to an order');
  const live = await liveBench(folder, print);
  print('bench: the paper exchange under load');
  const service = await serviceBench(folder);
  print('bench: memory and the whole command');
  return {
    equal: fillHeavy.equal && fillLight.equal && areEqualInBlocksOfOne && sweep.equal,
    fillHeavy: formFigures(fillHeavy),
    fillLight: formFigures(fillLight),
    ...furtherForms,
    cliffs,
    futures,
    orderPathNs,
    linearity,
    bytesPerBar: bytesPerBar(folder, ROWS),
    finishedOrders,
    firstRun: fillHeavy.onBarFirst,
    firstRunWhen: fillHeavy.whenFirst,
    seventhStrategy: nsPerRow('seventhStrategy') / singleFeedNs,
    sweep,
    wholeCommand: await wholeCommand(folder),
    whole: wholeBench(folder, program, print),
    restCreate: orders,
    live,
    service,
    node: process.version,
  };
}

interface ComparisonWithC {
  readonly equal: boolean;
  readonly fills: number;
  readonly cNsPerBar: number | null;
  readonly onBarNsPerBar: number;
  readonly whenNsPerBar: number;
  /** Time of a process's first pass divided by that of its best pass, on the loop's own thread: the median of the processes. */
  readonly onBarFirst: number;
  readonly whenFirst: number;
}
type FormRun = TimedRun & { readonly firstThreadNs: number };

/**
 * Returns the best rounds of both forms and of the reference. Throws if a figure differs from that of the reference.
 * Each run has a process of its own, as a backtest has. `seventhStrategy` is the cost of a shared process.
 */
function compareWithC(program: string | null, file: string, workload: 'heavy' | 'light'): ComparisonWithC {
  let [cNs, onBarNs, whenNs] = [Infinity, Infinity, Infinity];
  const firstPassRatios: { readonly onBar: number; readonly when: number }[] = [];
  let fills = 0;
  for (let round = 0; round < PROCESS_ROUNDS; round++) {
    const reference = program === null ? null : runReference(program, file, workload === 'heavy' ? HEAVY : LIGHT, 4);
    const onBar = runFormProcess('strategies/smaCrossOnBar.ts', workload);
    const when = runFormProcess('strategies/smaCross.ts', workload);
    const expected = reference === null ? onBar.figures : withoutTime(reference);
    const hasExpectedFigures = [onBar, when].every(({ figures }) => JSON.stringify(figures) === JSON.stringify(expected));
    if (!hasExpectedFigures) {
      const details = JSON.stringify({ expected, onBar: onBar.figures, when: when.figures }, null, 1);
      throw new Error(`the engine differs from the reference:\n${details}`);
    }
    fills = onBar.figures.fills;
    cNs = Math.min(cNs, reference?.nsPerBar ?? Infinity);
    onBarNs = Math.min(onBarNs, onBar.ns / ROWS);
    whenNs = Math.min(whenNs, when.ns / ROWS);
    firstPassRatios.push({ onBar: onBar.firstThreadNs / onBar.threadNs, when: when.firstThreadNs / when.threadNs });
  }
  const cNsPerBar = program === null ? null : cNs;
  const onBarFirst = median(firstPassRatios.map(({ onBar }) => onBar));
  const whenFirst = median(firstPassRatios.map(({ when }) => when));
  return { equal: true, fills, cNsPerBar, onBarNsPerBar: onBarNs, whenNsPerBar: whenNs, onBarFirst, whenFirst };
}

// A hoisted function, because the bench already runs while this module is being evaluated.
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function runFormProcess(form: string, workload: string): FormRun {
  return JSON.parse(runPartProcess('--part', form, workload)) as FormRun;
}

function withoutTime({ equity, fees, fills, maxDrawdown, equitySum, fillsHash }: Figures): Figures {
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
  for (let run = 0; run < runs; run++) minNs = Math.min(minNs, (await runTimed(plan, scratch)).ns);
  return minNs / plan.feeds[0]!.bars.length;
}

/** Returns the cost of a row of a further form, and its ratio to a row of the single feed. */
function costOfRow(kind: BesideKind, singleNs: number) {
  const ns = nsPerRow(kind);
  return { nsPerRow: ns, ratioToSingle: ns / singleNs };
}

/**
 * Returns what an order adds to a run in ns: the time of the onBar form minus the time of the same loop without orders, for each order.
 * The idle loop has processes of its own too. As the second class of a process it would be almost twice as slow, and orders would look cheap.
 * The two alternate, so that other work on the machine slows both.
 */
function orderPath(onBarNsPerBar: number, orders: number): number {
  let [onBarNs, idleNs] = [onBarNsPerBar * ROWS, Infinity];
  for (let round = 0; round < PROCESS_ROUNDS; round++) {
    idleNs = Math.min(idleNs, runFormProcess('bench/strategies/idle.ts', 'heavy').ns);
    onBarNs = Math.min(onBarNs, runFormProcess('strategies/smaCrossOnBar.ts', 'heavy').ns);
  }
  return (onBarNs - idleNs) / orders;
}

/** Returns the cost of the last million bars after 500,000 finished orders, divided by their cost after none. */
async function afterFinishedOrders(bars: ReturnType<typeof randomWalk>): Promise<number> {
  const burstStrategy = await loadStrategyFile('bench/strategies/burst.ts');
  const rows = 1_500_000;
  const lastMillion = async (orders: number) => {
    let startUsage = process.cpuUsage();
    let cpuUs = Infinity;
    // The first decision follows 300 bars of warm-up, so the last million bars begin at this decision.
    const firstMeasuredBar = rows - 1_000_300;
    const onBar = (barIndex: number) => {
      if (barIndex === firstMeasuredBar) startUsage = process.cpuUsage();
    };
    Object.assign(globalThis, { isobarBench: { onBar } });
    await runTimed(benchPlan(burstStrategy, [feedPlan('bars', firstRows(bars, rows))], LIGHT, { orders }), scratch, () => {
      const { user, system } = process.cpuUsage(startUsage);
      cpuUs = user + system;
    });
    return cpuUs;
  };
  // The two alternate, because the first kind would otherwise bear the warm-up of both.
  let [afterNoneUs, afterManyUs] = [Infinity, Infinity];
  // The runs without orders reach their best time after about 17 rounds.
  for (let round = 0; round < 8 * ROUNDS; round++) {
    afterNoneUs = Math.min(afterNoneUs, await lastMillion(0));
    afterManyUs = Math.min(afterManyUs, await lastMillion(500_000));
  }
  return afterManyUs / afterNoneUs;
}

export type BenchFigures = Awaited<ReturnType<typeof measureAll>>;
