// Compares the SMA cross of isobar with two npm libraries on the same bars. Their trades must be equal before a time is printed.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import type { BarColumns } from '../dist/model/bars/bars.js';
import type { RunPlan } from '../dist/definition/plan/plan.js';
import { prepareBacktest, runRecordOf } from '../dist/tasks/backtest/run/runBacktest.js';
import { runPartProcess } from './partProcess.ts';
import { randomWalk } from './series.ts';
import { feedPlan, loadStrategyFile, benchPlan, runTimed } from './workloads.ts';
import { installWorkspace } from './workspace.ts';

/** Bars of the run of isobar that is timed. */
const ISOBAR_ROWS = 1_000_000;
/** Passes in one process; the best one counts. */
const PEER_PASSES = 2;
const ISOBAR_PASSES = 6;
/** Lengths of the averages, bars. */
const FAST = 50;
const SLOW = 200;
/** Start cash, USDT. */
const CASH = 10_000_000;
const MIN_FILLS = 21;
/** Ticks of the price, and units of money, in one USDT. */
const TICKS_PER_QUOTE = 100;
const UNITS_PER_QUOTE = 1e8;
/** Relative tolerance of the equity. The peers add up doubles and round to cents, the engine counts units of 10^-8. */
const TOLERANCE = 1e-6;

/** The root of the repository. The bundled bench is in a folder of the root. */
const ROOT = new URL('..', import.meta.url).pathname;
const FOLDER = join(ROOT, 'bench/peers');

/** For each peer: its program, the strategy of isobar that decides by its rules, its fee, and the number of bars for each mode. */
const PEERS = {
  backtestFramework: {
    program: 'backtestFramework.cjs',
    strategy: 'strategies/smaCross.ts',
    feePpm: 400,
    modes: { ownSums: 100_000, documented: 10_000 },
  },
  grademark: {
    program: 'grademark.cjs',
    strategy: 'bench/strategies/smaPausing.ts',
    feePpm: 0,
    modes: { documented: 100_000, ownSums: 100_000, readyMade: 100_000 },
  },
} as const;
type Peer = keyof typeof PEERS;

/** The figures of a peer in one mode. */
export interface ModeFigures {
  /** CPU time of the process for each bar. */
  readonly nsPerBar: number;
  /** How many times as many bars isobar processes in the same CPU time. */
  readonly ratio: number;
  readonly bars: number;
  /** Entries and exits that were compared one by one. */
  readonly fills: number;
  /** Relative difference of the final equity. */
  readonly difference: number;
}
/** The figures of a peer in its main mode, and in the others. */
export interface PeerFigures<Mode extends string> extends ModeFigures {
  /** CPU time of isobar for each of its million bars. */
  readonly isobarNsPerBar: number;
  /** How the peer computes its averages in the figures above. */
  readonly mode: Mode;
  readonly otherModes: Readonly<Record<string, ModeFigures>>;
}
/** The figures of all peers. */
export interface PeersFigures {
  readonly windows: string;
  readonly isobarBars: number;
  readonly backtestFramework: PeerFigures<'ownSums'>;
  readonly grademark: PeerFigures<'documented'>;
}

/** Returns the figures. Returns null, with the reason on stderr, where the peers cannot be installed. Throws if a trade differs from isobar's. */
export async function comparePeers(folder: string, print: (text: string) => void): Promise<PeersFigures | null> {
  if (
    !installWorkspace({ folder: FOLDER, probePackage: 'grademark', description: 'the peers (130 MB) into bench/peers/node_modules' }, print)
  )
    return null;
  return {
    windows: `${FAST}/${SLOW}`,
    isobarBars: ISOBAR_ROWS,
    backtestFramework: await measurePeer('backtestFramework', 'ownSums', folder, print),
    grademark: await measurePeer('grademark', 'documented', folder, print),
  };
}

/** Times several runs of isobar in this process and prints the ns for each bar of the best one. */
export async function enginePart(peer: string): Promise<void> {
  if (peer !== 'backtestFramework' && peer !== 'grademark') throw new Error(`expected backtestFramework or grademark, got ${peer}`);
  const plan = await isobarPlan(peer, peerBars(ISOBAR_ROWS));
  const scratch = new Scratch();
  let minNs = Infinity;
  for (let pass = 0; pass < ISOBAR_PASSES; pass++) minNs = Math.min(minNs, (await runTimed(plan, scratch)).cpuNs);
  process.stdout.write(String(minNs / ISOBAR_ROWS));
}

/** Measures a peer in all its modes. */
async function measurePeer<Mode extends string>(
  peer: Peer,
  mainMode: Mode,
  folder: string,
  print: (text: string) => void,
): Promise<PeerFigures<Mode>> {
  print(`bench: isobar by the rules of ${peer}`);
  const isobarNsPerBar = Number(runPartProcess('--peers-part', peer));
  const figuresByMode: Record<string, ModeFigures> = {};
  for (const [mode, rows] of Object.entries(PEERS[peer].modes)) {
    print(`bench: ${peer}, ${mode}`);
    figuresByMode[mode] = await compareMode(peer, mode, rows, folder, isobarNsPerBar);
  }
  const { [mainMode]: mainFigures, ...otherModes } = figuresByMode;
  return { ...mainFigures!, isobarNsPerBar, mode: mainMode, otherModes };
}

/** Sides, times and prices of entries and exits, and the equity at the end: cash, and the position at the last close. */
interface PeerOutcome {
  readonly fills: readonly { readonly isBuy: boolean; readonly openMs: number; readonly price: number }[];
  readonly endEquity: number;
}

/** Runs a peer in one mode, compares its outcome with that of isobar and returns the figures. */
async function compareMode(peer: Peer, mode: string, rows: number, folder: string, isobarNsPerBar: number): Promise<ModeFigures> {
  const bars = peerBars(rows);
  const file = join(folder, 'bars.f64');
  const columns = [bars.openMs, bars.closeMs, bars.open, bars.high, bars.low, bars.close];
  writeFileSync(file, Buffer.concat(columns.map((column) => new Uint8Array(column.buffer, column.byteOffset, column.byteLength))));
  const args = [mode, file, FAST, SLOW, CASH, PEERS[peer].feePpm / 10_000, PEER_PASSES].map(String);
  const output = execFileSync(process.execPath, [join(FOLDER, PEERS[peer].program), ...args], { encoding: 'utf8', maxBuffer: 1e8 });
  const peerOutcome = JSON.parse(output) as PeerOutcome & { readonly nsPerBar: number };
  const isobarOutcome = await outcomeOfIsobar(peer, bars);
  assertEqualFills(`${peer} (${mode})`, isobarOutcome.fills, peerOutcome.fills);
  const difference = Math.abs(peerOutcome.endEquity / isobarOutcome.endEquity - 1);
  if (!(difference <= TOLERANCE))
    throw new Error(`${peer} (${mode}) ends with another equity: ${peerOutcome.endEquity}, not ${isobarOutcome.endEquity}`);
  return {
    nsPerBar: peerOutcome.nsPerBar,
    ratio: peerOutcome.nsPerBar / isobarNsPerBar,
    bars: rows,
    fills: isobarOutcome.fills.length,
    difference,
  };
}

/** Runs isobar by the rules of a peer over the same bars. */
async function outcomeOfIsobar(peer: Peer, bars: BarColumns): Promise<PeerOutcome> {
  const plan = await isobarPlan(peer, bars);
  const prepared = await prepareBacktest(plan);
  prepared.loop(prepared.engine);
  const { fills, equity } = runRecordOf(plan, prepared, false);
  return {
    fills: Array.from({ length: fills.length }, (_, index) => ({
      isBuy: fills.side[index] === 0,
      openMs: fills.timeMs[index]!,
      price: fills.price[index]! / TICKS_PER_QUOTE,
    })),
    endEquity: equity.units[equity.length - 1]! / UNITS_PER_QUOTE,
  };
}

/** Throws unless both lists have the same fills, at least MIN_FILLS of them. */
function assertEqualFills(name: string, isobarFills: PeerOutcome['fills'], peerFills: PeerOutcome['fills']): void {
  const firstDifference = isobarFills.findIndex((fill, index) => JSON.stringify(fill) !== JSON.stringify(peerFills[index]));
  if (firstDifference >= 0) {
    const [expected, found] = [isobarFills, peerFills].map((fills) => JSON.stringify(fills[firstDifference]));
    throw new Error(`${name}, fill ${firstDifference}: expected ${expected} as in isobar, got ${found}`);
  }
  if (isobarFills.length !== peerFills.length || isobarFills.length < MIN_FILLS)
    throw new Error(`${name}: expected at least ${MIN_FILLS} fills in both, got ${isobarFills.length} of isobar and ${peerFills.length}`);
}

/** Returns bars of the benchmark. Quantities and money have eight digits, because both peers trade fractions of a coin. */
function peerBars(rows: number): BarColumns {
  const bars = randomWalk('AAAUSDT', rows, 1);
  return { ...bars, instrument: { ...bars.instrument, quantityDigits: 8, baseDigits: 8, quoteDigits: 8 } };
}

/** Returns the plan of isobar: one coin for each order, and a fee in the received asset, as in @backtest/framework. */
async function isobarPlan(peer: Peer, bars: BarColumns): Promise<RunPlan> {
  const { strategy, feePpm } = PEERS[peer];
  const workload = { fast: FAST, slow: SLOW, lots: 1, cashUnits: CASH * 1e6, feePpm };
  const plan = benchPlan(await loadStrategyFile(strategy), [feedPlan('bars', bars)], workload, { fast: FAST, slow: SLOW });
  return { ...plan, fees: { ...plan.fees, in: 'received' } };
}

const MODE_TITLES: Readonly<Record<string, string>> = {
  ownSums: 'own running sums',
  documented: 'as its README',
  readyMade: 'averages ready-made',
};

/** Returns the figures as a table, with the limits that a release must keep. */
export function peersTable({ windows, isobarBars, backtestFramework, grademark }: PeersFigures): string {
  const line = (name: string, { ratio, nsPerBar, bars }: ModeFigures, limit: string) => {
    const ratioText = `${ratio.toFixed(0)} x`.padStart(8);
    const nsText = nsPerBar.toFixed(0).padStart(7);
    return `  ${name.padEnd(46)} ${ratioText}  ${nsText} ns a bar, ${bars} bars  ${limit}`.trimEnd();
  };
  const linesOf = (name: string, peer: PeerFigures<string>, limit: string) => [
    line(`${name}, ${MODE_TITLES[peer.mode]}`, peer, limit),
    ...Object.entries(peer.otherModes).map(([mode, figures]) => line(`  ${MODE_TITLES[mode]}`, figures, '')),
    `    isobar by the same rules: ${peer.isobarNsPerBar.toFixed(1)} ns a bar; ${peer.fills} equal fills`,
  ];
  const lines = [...linesOf('@backtest/framework', backtestFramework, '≥ 100 x'), ...linesOf('grademark', grademark, '≥ 500 x')];
  return `${lines.join('\n')}\n  SMA cross ${windows}, isobar over ${isobarBars} bars, Node ${process.version}\n`;
}
