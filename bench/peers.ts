// The SMA cross beside two npm peers on the same bars: their trades must be the engine's before a time is printed (peers/README.md).

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Scratch } from '../dist/base/memory/rowLog.js';
import type { BarColumns } from '../dist/model/bars/bars.js';
import type { RunPlan } from '../dist/definition/plan/plan.js';
import { prepareBacktest, runRecordOf } from '../dist/tasks/backtest/run/runBacktest.js';
import { head, walk } from './series.ts';
import { feedPlan, load, planFor, timed } from './workloads.ts';
import { installed } from './workspace.ts';

const ENGINE_ROWS = 1_000_000;
const PEER_PASSES = 2;
const ENGINE_PASSES = 6;
const FAST = 50;
const SLOW = 200;
const CASH = 10_000_000;
/** Tolerance of the equity: the peers add up doubles and round to cents, the engine counts units of 10^-8. */
const TOLERANCE = 1e-6;

/** The root of the repository, seen from the bundled bench, which lies in a folder of the root. */
const ROOT = new URL('..', import.meta.url).pathname;
const FOLDER = join(ROOT, 'bench/peers');

/** The program of each peer, our strategy that decides by its rules, the fee that it knows, and the bars that each mode can be given. */
const PEERS = {
  backtestFramework: {
    program: 'backtestFramework.cjs',
    strategy: 'strategies/smaCross.ts',
    feePpm: 400,
    modes: { ownSums: 100_000, documented: 10_000 },
  },
  grademark: {
    program: 'grademark.cjs',
    strategy: 'bench/strategies/smaPause.ts',
    feePpm: 0,
    modes: { documented: 100_000, ownSums: 100_000, readyMade: 100_000 },
  },
} as const;
type Peer = keyof typeof PEERS;

export interface ModeFigures {
  /** Process CPU time. */
  readonly nsPerBar: number;
  /** Times as many bars as the peer in the same CPU time. */
  readonly ratio: number;
  readonly bars: number;
  /** Entries and exits that were compared one by one. */
  readonly fills: number;
  /** The difference of the final equity, as a share of it. */
  readonly difference: number;
}
export interface PeerFigures<Mode extends string> extends ModeFigures {
  /** The engine over its million bars. */
  readonly isobarNsPerBar: number;
  /** How the peer came to its averages in the figures above. */
  readonly mode: Mode;
  readonly otherModes: Readonly<Record<string, ModeFigures>>;
}
export interface PeersFigures {
  readonly windows: string;
  readonly isobarBars: number;
  readonly backtestFramework: PeerFigures<'ownSums'>;
  readonly grademark: PeerFigures<'documented'>;
}

/** Null, with the reason on stderr, where the peers cannot be installed. Throws when one of them trades otherwise than the engine. */
export async function comparePeers(folder: string, print: (text: string) => void): Promise<PeersFigures | null> {
  if (!installed({ folder: FOLDER, shows: 'grademark', what: 'the peers (130 MB) into bench/peers/node_modules' }, print)) return null;
  return {
    windows: `${FAST}/${SLOW}`,
    isobarBars: ENGINE_ROWS,
    backtestFramework: await beside('backtestFramework', 'ownSums', folder, print),
    grademark: await beside('grademark', 'documented', folder, print),
  };
}

/** One timed series of engine runs in this process: prints its ns a bar. */
export async function enginePart(peer: string): Promise<void> {
  if (peer !== 'backtestFramework' && peer !== 'grademark') throw new Error(`no peer is called ${peer}`);
  const plan = await planOf(peer, peerBars(ENGINE_ROWS));
  const scratch = new Scratch();
  let min = Infinity;
  for (let pass = 0; pass < ENGINE_PASSES; pass++) min = Math.min(min, (await timed(plan, scratch)).ns);
  process.stdout.write(String(min / ENGINE_ROWS));
}

async function beside<Mode extends string>(
  peer: Peer,
  main: Mode,
  folder: string,
  print: (text: string) => void,
): Promise<PeerFigures<Mode>> {
  print(`bench: isobar by the rules of ${peer}`);
  const script = join(ROOT, 'bench/run.mjs');
  const isobarNsPerBar = Number(execFileSync(process.execPath, ['--expose-gc', script, '--peers-part', peer], { encoding: 'utf8' }));
  const all: Record<string, ModeFigures> = {};
  for (const [mode, rows] of Object.entries(PEERS[peer].modes)) {
    print(`bench: ${peer}, ${mode}`);
    all[mode] = await compared(peer, mode, rows, folder, isobarNsPerBar);
  }
  const { [main]: first, ...otherModes } = all;
  return { ...first!, isobarNsPerBar, mode: main, otherModes };
}

/** Sides, times and prices of entries and exits, and the equity at the end, which is cash and position at the last close. */
interface Outcome {
  readonly fills: readonly { readonly isBuy: boolean; readonly openMs: number; readonly price: number }[];
  readonly endEquity: number;
}

async function compared(peer: Peer, mode: string, rows: number, folder: string, isobarNsPerBar: number): Promise<ModeFigures> {
  const bars = peerBars(rows);
  const file = join(folder, 'bars.f64');
  const columns = [bars.openMs, bars.closeMs, bars.open, bars.high, bars.low, bars.close];
  writeFileSync(file, Buffer.concat(columns.map((column) => new Uint8Array(column.buffer, column.byteOffset, column.byteLength))));
  const words = [mode, file, FAST, SLOW, CASH, PEERS[peer].feePpm / 10_000, PEER_PASSES].map(String);
  const out = execFileSync(process.execPath, [join(FOLDER, PEERS[peer].program), ...words], { encoding: 'utf8', maxBuffer: 1e8 });
  const theirs = JSON.parse(out) as Outcome & { readonly nsPerBar: number };
  const ours = await engineOutcome(peer, bars);
  demandEqual(`${peer} (${mode})`, ours.fills, theirs.fills);
  const difference = Math.abs(theirs.endEquity / ours.endEquity - 1);
  if (!(difference <= TOLERANCE)) throw new Error(`${peer} (${mode}) ends with another equity: ${theirs.endEquity}, not ${ours.endEquity}`);
  return { nsPerBar: theirs.nsPerBar, ratio: theirs.nsPerBar / isobarNsPerBar, bars: rows, fills: ours.fills.length, difference };
}

/** Returns the outcome of the engine over the same bars. */
async function engineOutcome(peer: Peer, bars: BarColumns): Promise<Outcome> {
  const plan = await planOf(peer, bars);
  const prepared = await prepareBacktest(plan);
  prepared.loop(prepared.engine);
  const { fills, equity } = runRecordOf(plan, prepared, false);
  return {
    fills: Array.from({ length: fills.length }, (_, at) => ({
      isBuy: fills.side[at] === 0,
      openMs: fills.timeMs[at]!,
      price: fills.price[at]! / 100,
    })),
    endEquity: equity.units[equity.length - 1]! / 1e8,
  };
}

function demandEqual(name: string, ours: Outcome['fills'], theirs: Outcome['fills']): void {
  const at = ours.findIndex((fill, index) => JSON.stringify(fill) !== JSON.stringify(theirs[index]));
  if (at < 0 && ours.length === theirs.length && ours.length > 20) return;
  const differ = at < 0 ? `${ours.length} fills, not ${theirs.length}` : `${JSON.stringify(theirs[at])}, not ${JSON.stringify(ours[at])}`;
  throw new Error(`${name} trades otherwise than the engine at fill ${at}: ${differ}`);
}

/** The first rows of the bench's bars, with quantities and money to 10^-8: both peers have fractions of a coin. */
function peerBars(rows: number): BarColumns {
  const bars = head(walk('AAAUSDT', rows, 1), rows);
  return { ...bars, instrument: { ...bars.instrument, quantityDigits: 8, baseDigits: 8, quoteDigits: 8 } };
}

/** One coin an order; the fee in the coin that is received, as @backtest/framework takes it. */
async function planOf(peer: Peer, bars: BarColumns): Promise<RunPlan> {
  const { strategy, feePpm } = PEERS[peer];
  const work = { fast: FAST, slow: SLOW, lots: 1, cashUnits: CASH * 1e6, feePpm };
  const plan = planFor(await load(strategy), [feedPlan('bars', bars)], work, { fast: FAST, slow: SLOW });
  return { ...plan, fees: { ...plan.fees, in: 'received' } };
}

/** The figures for a reader, with what a release must keep. */
export function peersTable({ windows, isobarBars, backtestFramework, grademark }: PeersFigures): string {
  const line = (name: string, { ratio, nsPerBar, bars }: ModeFigures, limit: string) => {
    const [times, cost] = [`${ratio.toFixed(0)} x`.padStart(8), nsPerBar.toFixed(0).padStart(7)];
    return `  ${name.padEnd(46)} ${times}  ${cost} ns a bar, ${bars} bars  ${limit}`.trimEnd();
  };
  const part = (name: string, of: PeerFigures<string>, limit: string) => [
    line(`${name}, ${MODES[of.mode]}`, of, limit),
    ...Object.entries(of.otherModes).map(([mode, figures]) => line(`  ${MODES[mode]}`, figures, '')),
    `    isobar by the same rules: ${of.isobarNsPerBar.toFixed(1)} ns a bar; ${of.fills} equal fills`,
  ];
  const lines = [...part('@backtest/framework', backtestFramework, '≥ 100 x'), ...part('grademark', grademark, '≥ 500 x')];
  return `${lines.join('\n')}\n  SMA cross ${windows}, isobar over ${isobarBars} bars, Node ${process.version}\n`;
}

const MODES: Readonly<Record<string, string>> = {
  ownSums: 'own running sums',
  documented: 'as its README',
  readyMade: 'averages ready-made',
};
