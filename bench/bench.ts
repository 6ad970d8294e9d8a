// The benchmark: the whole engine beside the C reference in one run, equality before any timing; `--json` prints one object.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import { besidePart, isSameInBlocksOfOne, nsPerRow, type Beside } from './beside.ts';
import { cliffPart, cliffsBench, type Cliff, type CliffFigures } from './cliffs.ts';
import { inProcess } from './parts.ts';
import { bytesPerBar, wholeCommand } from './processes.ts';
import { comparePeers, enginePart, peersTable } from './peers.ts';
import { futuresBench, futuresPart, type FuturesKind } from './futures.ts';
import { liveBench, livePart } from './live.ts';
import { manySymbolsBench, manySymbolsPart } from './manySymbols.ts';
import { restCreate, restPart } from './restCreate.ts';
import { serviceBarePart, serviceBench } from './service.ts';
import { buildReference, runReference, writeUnits, type Figures } from './reference.ts';
import { head, walk } from './series.ts';
import { sweepBench, type SweepBench } from './sweep.ts';
import { longBench } from './long.ts';
import { wholeBench } from './whole.ts';
import { feedPlan, HEAVY, LIGHT, load, PASSES, planFor, ROWS, timed, windows, type TimedRun } from './workloads.ts';
import { bothTable, cliffRows, cliffsTable, rowsOfBench, table } from './table.ts';
import { onBothVersions } from './versions.ts';

const ROUNDS = 3;
/** Rounds of each form, each in a process of its own, because compiled code differs in speed by a tenth from process to process. */
const PROCESS_ROUNDS = 6;
/** Runs of 50 thousand bars until V8 has seen as many as in one pass of the long ones. */
const WARM_RUNS = 100;

const asJson = process.argv.includes('--json');
const print = (text: string) => process.stderr.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), 'isobar-bench-'));
const scratch = new Scratch();

try {
  if (process.argv[2] === '--part') await part(process.argv[3]!, process.argv[4]!);
  else if (process.argv[2] === '--beside-part') await besidePart(process.argv[3] as Beside);
  else if (process.argv[2] === '--cliff-part') await cliffPart(process.argv[3] as Cliff);
  else if (process.argv[2] === '--peers-part') await enginePart(process.argv[3]!);
  else if (process.argv[2] === '--futures-part') await futuresPart(process.argv[3] as FuturesKind);
  else if (process.argv[2] === '--rest-part') await restPart(process.argv[3]!, process.argv[4], folder);
  else if (process.argv[2] === '--live-part') await livePart(process.argv[3]!, process.argv[4]!);
  else if (process.argv[2] === '--symbols-part') await manySymbolsPart(process.argv[3]!, process.argv[4]!);
  else if (process.argv[2] === '--service-part') await serviceBarePart(process.argv[3]!);
  else if (process.argv.includes('--both')) await both(process.argv.slice(2).filter((word) => word !== '--both' && word !== '--json'));
  else if (process.argv.includes('--peers')) await peers();
  else if (process.argv.includes('--rest')) await rest();
  else if (process.argv.includes('--live')) process.stdout.write(`${JSON.stringify({ live: await liveBench(folder, print) })}\n`);
  else if (process.argv.includes('--symbols'))
    await manySymbolsBench(folder, (figures) => void process.stdout.write(`${JSON.stringify(figures)}\n`));
  else if (process.argv.includes('--service')) process.stdout.write(`${JSON.stringify({ service: await serviceBench(folder) })}\n`);
  else if (process.argv.includes('--sweep'))
    process.stdout.write(`${JSON.stringify({ sweep: await sweepBench(folder, buildReference(folder)) })}\n`);
  else if (process.argv.includes('--cliffs')) showCliffs();
  else if (process.argv.includes('--long')) process.stdout.write(`${JSON.stringify({ long: longBench(folder, longRows(), print) })}\n`);
  else if (process.argv.includes('--whole'))
    process.stdout.write(`${JSON.stringify({ whole: wholeBench(folder, buildReference(folder), print) })}\n`);
  else if (process.argv.includes('--futures')) process.stdout.write(`${JSON.stringify({ futures: await futuresBench(print) })}\n`);
  else await all();
} finally {
  rmSync(folder, { recursive: true });
}

async function all() {
  const figures = await run();
  process.stdout.write(asJson ? `${JSON.stringify(figures)}\n` : table(figures));
  if (!figures.equal) process.exitCode = 1;
}

/** `--both`: each row on this Node and on Node 24. `words`: what is measured. */
async function both(words: readonly string[]) {
  const [one, other] = await onBothVersions(words, print);
  const given = [one.figures, other.figures];
  const versions = [one.version, other.version] as const;
  if (asJson || (words.length > 0 && words[0] !== '--cliffs'))
    process.stdout.write(`${JSON.stringify({ [one.version]: one.figures, [other.version]: other.figures })}\n`);
  else {
    const rowsOf = (of: unknown) => (words[0] === '--cliffs' ? cliffRows((of as { cliffs: CliffFigures[] }).cliffs) : rowsOfBench(of as BenchFigures)); // prettier-ignore
    process.stdout.write(bothTable(versions, rowsOf(given[0]), rowsOf(given[1])));
  }
}

/** `--peers`: beside other libraries in place of the C reference. */
async function peers() {
  const figures = await comparePeers(folder, print);
  if (asJson) process.stdout.write(`${JSON.stringify({ peers: figures })}\n`);
  else if (figures !== null) process.stdout.write(peersTable(figures));
}

/** `--long ROWS`: a run of many bars; 100 million by default. */
function longRows(): number {
  return Number(process.argv[process.argv.indexOf('--long') + 1] ?? 100_000_000);
}

/** `--cliffs`: strategies that leave the common path. */
function showCliffs() {
  const figures = cliffsBench(folder, buildReference(folder) !== null);
  process.stdout.write(asJson ? `${JSON.stringify({ cliffs: figures })}\n` : cliffsTable(figures));
}

/** `--rest`: the client of the exchange alone. */
async function rest() {
  process.stdout.write(`${JSON.stringify({ restCreate: await restCreate(print) })}\n`);
}

/** One form on one workload in this process: prints its best pass and its figures. */
async function part(form: string, workload: string) {
  const work = workload === 'heavy' ? HEAVY : LIGHT;
  const strategy = await load(form);
  const feeds = [feedPlan('bars', walk('AAAUSDT', ROWS, 1))];
  let min = await timed(planFor(strategy, feeds, work, windows(work)), scratch);
  const firstThreadNs = min.threadNs;
  for (let pass = 1; pass < PASSES; pass++) {
    const next = await timed(planFor(strategy, feeds, work, windows(work)), scratch);
    if (next.ns < min.ns) min = next;
  }
  process.stdout.write(JSON.stringify({ ...min, firstThreadNs } satisfies FormRun));
}

async function run() {
  print(`bench: ${ROWS} bars, Node ${process.version}`);
  const bars = walk('AAAUSDT', ROWS, 1);
  const file = join(folder, 'units.bin');
  writeUnits(file, bars);
  const program = buildReference(folder);
  const when = await load('strategies/smaCross.ts');
  const fillHeavy = against(program, file, 'heavy');
  const fillLight = against(program, file, 'light');
  print('bench: orders, growth, several feeds');
  const orderPathNs = orderPath(fillHeavy.onBarNsPerBar, fillHeavy.fills);
  const linearity =
    fillHeavy.whenNsPerBar /
    (await best(() => timed(planFor(when, [feedPlan('bars', head(bars, 50_000))], HEAVY, windows(HEAVY)), scratch), 50_000, WARM_RUNS));
  const finishedOrders = await afterFinishedOrders(bars);
  const single = fillHeavy.onBarNsPerBar;
  const several = {
    eightFeeds: rowOf('eightFeeds', single),
    twoIntervals: rowOf('twoIntervals', single),
    undeclaredCustom: rowOf('undeclaredCustom', single),
  };
  const areSame = (await isSameInBlocksOfOne('eightFeeds')) && (await isSameInBlocksOfOne('twoIntervals'));
  print('bench: strategies that leave the common path');
  const cliffs = cliffsBench(folder, program !== null);
  print('bench: contracts');
  const futures = await futuresBench(print);
  print('bench: a sweep of 200 sets');
  // In a process of its own: the threads of a sweep have seen no other work either. After the parts above it took 1.3 times as long.
  const { sweep } = JSON.parse(inProcess('--sweep')) as { sweep: SweepBench };
  print('bench: orders through the client of the exchange');
  const orders = await restCreate(print);
  print('bench: a live bot, from a bar to an order');
  const live = await liveBench(folder, print);
  print('bench: the paper exchange under load');
  const service = await serviceBench(folder);
  print('bench: memory and the whole command');
  return {
    equal: fillHeavy.equal && fillLight.equal && areSame && sweep.equal,
    fillHeavy: shown(fillHeavy),
    fillLight: shown(fillLight),
    ...several,
    cliffs,
    futures,
    orderPathNs,
    linearity,
    bytesPerBar: bytesPerBar(folder, ROWS),
    finishedOrders,
    firstRun: fillHeavy.onBarFirst,
    firstRunWhen: fillHeavy.whenFirst,
    seventhStrategy: nsPerRow('seventhStrategy') / single,
    sweep,
    wholeCommand: await wholeCommand(folder),
    whole: wholeBench(folder, program, print),
    restCreate: orders,
    live,
    service,
    node: process.version,
  };
}

interface AgainstC {
  readonly equal: boolean;
  readonly fills: number;
  readonly cNsPerBar: number | null;
  readonly onBarNsPerBar: number;
  readonly whenNsPerBar: number;
  /** The first pass of a process over its best one, by the CPU time of the loop's own thread: the median of the processes. */
  readonly onBarFirst: number;
  readonly whenFirst: number;
}
type FormRun = TimedRun & { readonly firstThreadNs: number };

/**
 * Both forms beside the reference, each in a process of its own, interleaved, best of the rounds; equality of every figure first.
 * A process to itself is what a backtest has, and the reference too; what sharing one costs is `seventhStrategy`.
 */
function against(program: string | null, file: string, workload: 'heavy' | 'light'): AgainstC {
  let [cNs, onBarNs, whenNs] = [Infinity, Infinity, Infinity];
  const firsts: { readonly onBar: number; readonly when: number }[] = [];
  let fills = 0;
  for (let round = 0; round < PROCESS_ROUNDS; round++) {
    const reference = program === null ? null : runReference(program, file, workload === 'heavy' ? HEAVY : LIGHT, 4);
    const a = formInProcess('strategies/smaCrossOnBar.ts', workload);
    const b = formInProcess('strategies/smaCross.ts', workload);
    const expected = reference === null ? a.figures : pick(reference);
    if (JSON.stringify(a.figures) !== JSON.stringify(expected) || JSON.stringify(b.figures) !== JSON.stringify(expected)) {
      throw new Error(
        `the engine differs from the reference:\n${JSON.stringify({ expected, onBar: a.figures, when: b.figures }, null, 1)}`,
      );
    }
    fills = a.figures.fills;
    cNs = Math.min(cNs, reference?.nsPerBar ?? Infinity);
    onBarNs = Math.min(onBarNs, a.ns / ROWS);
    whenNs = Math.min(whenNs, b.ns / ROWS);
    firsts.push({ onBar: a.firstThreadNs / a.threadNs, when: b.firstThreadNs / b.threadNs });
  }
  const cNsPerBar = program === null ? null : cNs;
  const [onBarFirst, whenFirst] = [median(firsts.map(({ onBar }) => onBar)), median(firsts.map(({ when }) => when))];
  return { equal: true, fills, cNsPerBar, onBarNsPerBar: onBarNs, whenNsPerBar: whenNs, onBarFirst, whenFirst };
}

// A function that is hoisted: the bench runs while this module is still being evaluated.
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function formInProcess(form: string, workload: string): FormRun {
  return JSON.parse(inProcess('--part', form, workload)) as FormRun;
}

function pick({ equity, fees, fills, maxDrawdown, equitySum, fillsHash }: Figures): Figures {
  return { equity, fees, fills, maxDrawdown, equitySum, fillsHash };
}

function shown({ cNsPerBar, onBarNsPerBar, whenNsPerBar }: AgainstC) {
  const ratio = (ns: number) => (cNsPerBar === null ? null : ns / cNsPerBar);
  return { cNsPerBar, onBarNsPerBar, onBarRatio: ratio(onBarNsPerBar), whenNsPerBar, whenRatio: ratio(whenNsPerBar) };
}

async function best(make: () => Promise<{ readonly ns: number }>, rows: number, rounds = 3): Promise<number> {
  let min = Infinity;
  for (let round = 0; round < rounds; round++) min = Math.min(min, (await make()).ns);
  return min / rows;
}

/** A row of that kind, and over one of the single feed. */
function rowOf(kind: Beside, singleNs: number) {
  const ns = nsPerRow(kind);
  return { nsPerRow: ns, ratioToSingle: ns / singleNs };
}

/**
 * What an order adds to a run: the onBar form less the same loop without orders, for each of its orders. That loop has processes of its own
 * as well: as the second class of one it is almost twice as slow, which would count as less of an order. In turn, or what else the machine
 * does meanwhile would count for one of the two.
 */
function orderPath(onBarNsPerBar: number, orders: number): number {
  let [onBarNs, idleNs] = [onBarNsPerBar * ROWS, Infinity];
  for (let round = 0; round < PROCESS_ROUNDS; round++) {
    idleNs = Math.min(idleNs, formInProcess('bench/strategies/idle.ts', 'heavy').ns);
    onBarNs = Math.min(onBarNs, formInProcess('strategies/smaCrossOnBar.ts', 'heavy').ns);
  }
  return (onBarNs - idleNs) / orders;
}

/** Cost of the last million bars after 500,000 finished orders, over that after none. */
async function afterFinishedOrders(bars: ReturnType<typeof walk>): Promise<number> {
  const burst = await load('bench/strategies/burst.ts');
  const rows = 1_500_000;
  const lastMillion = async (orders: number) => {
    let from = process.cpuUsage();
    let took = Infinity;
    Object.assign(globalThis, { isobarBench: { bar: (count: number) => { if (count === rows - 1_000_300) from = process.cpuUsage(); } } }); // prettier-ignore
    await timed(planFor(burst, [feedPlan('bars', head(bars, rows))], LIGHT, { orders }), scratch, () => {
      const { user, system } = process.cpuUsage(from);
      took = user + system;
    });
    return took;
  };
  // In turn, or the first kind would bear the warm-up of both.
  let [none, many] = [Infinity, Infinity];
  for (let round = 0; round < 2 * ROUNDS; round++) {
    none = Math.min(none, await lastMillion(0));
    many = Math.min(many, await lastMillion(500_000));
  }
  return many / none;
}

export type BenchFigures = Awaited<ReturnType<typeof run>>;
