// Runs a strategy in other surroundings: plain values of Node, such as `pid` or `platform`, are replaced by other ones.
//
// The purity watch sees calls, but no read of a plain value. If a run with other values decides otherwise, a decision depends on one of
// them.

import { syncBuiltinESMExports } from 'node:module';
import { relative, resolve } from 'node:path';
import { threadId } from 'node:worker_threads';
import { requirePackage } from '../../../adapters/runtime/requirePackage.ts';
import { DAY_MS } from '../../../base/calendar.ts';

/**
 * Number of other surroundings. One is not enough. A decision can be the same in it as in the true surroundings, for example if the
 * strategy reads only whether a number is odd.
 */
export const SURROUNDINGS = 3;

/** Amount that is added to each number, by surroundings. The first two differ in their parity. */
const ADDENDS = [999_983, 1_000_004, 86_028_122] as const;
/** Text before and after the path of the current folder, by surroundings. */
const FOLDER_AFFIXES = [['/anotherplace/live-prod-production', '/prove-proof-sample/backtest-test-dev'], ['/x', '/y'], ['/far/from/home', '/z/one/more']] as const; // prettier-ignore

/** Returns the replaced values of surroundings number `index`, by module of Node and name. */
function otherValues(index: number): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const otherNumber = (value: unknown): unknown => (typeof value === 'number' ? value + ADDENDS[index]! : value);
  return {
    process: {
      pid: otherNumber(process.pid),
      ppid: otherNumber(process.ppid),
      title: 'another',
      execPath: '/another/node',
      argv0: 'another',
      debugPort: otherNumber(process.debugPort),
      arch: 'another',
      platform: 'another',
      version: 'v99.0.0',
      versions: { ...process.versions, node: '99.0.0', v8: '99.0.0.0', uv: '99.0.0', modules: '999' },
      release: { name: 'another', sourceUrl: 'https://another/' },
      config: { target_defaults: {}, variables: {} },
      moduleLoadList: [...arrayOrEmpty(Reflect.get(process, 'moduleLoadList')), ...Array.from({ length: 1 + index }, () => 'another')],
    },
    worker_threads: {
      workerData: { another: true },
      threadId: otherNumber(threadId),
      isMainThread: true,
      resourceLimits: { stackSizeMb: 3 },
    },
    os: { EOL: '\r\n', devNull: '/another/null' },
  };
}

/** Returns an array unchanged, and an empty one for any other value. */
const arrayOrEmpty = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Returns other properties of an output stream: the size of its terminal, and how much of its output waits. */
const otherStream = (index: number, { isTTY = false }: { readonly isTTY?: boolean }): Readonly<Record<string, unknown>> => ({
  isTTY: !isTTY,
  columns: 333 + index,
  rows: 77 + index,
  writableLength: ADDENDS[index],
  writableNeedDrain: true,
});

/** Number of frames in a stack; Node has 10 by default. */
const OTHER_STACK_FRAMES = 3;

/** Number of the surroundings of the current run; null: the true ones. */
let current: number | null = null;
/** Number of reads of the clock in the current surroundings. */
let clockReads = 0;
/** Number of reads that do not advance the clock of other surroundings. Each later read advances it by 1 ms, so that a loop that waits ends. */
const STILL_READS = 1000;

/** True while a run has other surroundings. */
export const hasOtherSurroundings = (): boolean => current !== null;
/** Returns the number of the surroundings of the current run; null: the true ones. */
export const surroundings = (): number | null => current;

/** Reads the clock that the run should see: returns by how much it is ahead, ms. */
export const otherClockMs = (): number => (current === null ? 0 : ADDENDS[current]! * 1_001 + Math.max(0, ++clockReads - STILL_READS));

/** Returns the default language that the run should see, one of `others`; undefined: the language of this computer. */
export function otherLanguage(others: readonly string[]): string | undefined {
  return current === null ? undefined : others[current % others.length];
}

/** Returns the current folder that the run should see. `real`: the true one. */
export function otherFolder(real: string): string {
  return current !== null && real.startsWith('/') ? FOLDER_AFFIXES[current]!.join(real) : real;
}

/** Returns the true path of a file. `path`: may begin with the folder that the run sees. `folder`: the true current folder. */
export function realPath(path: string, folder: string): string {
  if (current === null) return path;
  const affixes = FOLDER_AFFIXES[current]!;
  return path.startsWith(`${affixes[0]}/`) ? resolve(folder, relative(affixes.join(folder), path)) : path;
}

/** A clock that runs see in place of the true one. */
export interface OtherClock {
  /** By how much it is ahead of the true time, ms. */
  readonly aheadMs: number;
  /** By how much it advances with each read, ms. More than 0, because a package may wait in a loop until time has passed. */
  readonly stepMs: number;
}

/** 5,000 years of 365 days: dates stay valid, and their years have four digits. */
const MAX_LEAP_MS = 5000 * 365 * DAY_MS;
/** The other clock of the current run, with the number of its reads; null: the true one. */
let otherClock: { readonly clock: OtherClock; reads: number } | null = null;

/** Returns the time that the other clock of the current run shows, Unix ms; null: the run has the true clock. `trueMs`: a true time. */
export function otherClockTime(trueMs: number): number | null {
  if (otherClock === null) return null;
  const { aheadMs, stepMs } = otherClock.clock;
  return trueMs + aheadMs + ((stepMs * otherClock.reads++) % MAX_LEAP_MS);
}

/** Runs a function while its code sees another clock. Returns its result, and how often its code has read the clock. */
export async function withOtherClock<T>(clock: OtherClock, run: () => Promise<T>): Promise<{ readonly result: T; readonly reads: number }> {
  const shown = (otherClock = { clock, reads: 0 });
  try {
    return { result: await run(), reads: shown.reads };
  } finally {
    otherClock = null;
  }
}

/** Runs a function in surroundings number `index`, and restores the true values afterwards. */
export async function withOtherSurroundings<T>(index: number, run: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  const restorers = Object.entries(otherValues(index)).flatMap(([name, values]) => {
    const holder = requirePackage(`node:${name}`) as object;
    return Object.entries(values).map(([key, value]) => replaceValue(holder, key, value));
  });
  for (const stream of [process.stdout, process.stderr]) {
    for (const [key, value] of Object.entries(otherStream(index, stream))) restorers.push(shadowProperty(stream, key, value));
  }
  syncBuiltinESMExports();
  // Strategy code may have made the member read-only.
  Reflect.set(Error, 'stackTraceLimit', OTHER_STACK_FRAMES);
  current = index;
  clockReads = 0;
  try {
    return await run();
  } finally {
    current = null;
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
    for (const restoreValue of restorers) restoreValue();
    syncBuiltinESMExports();
  }
}

/** Gives an object an own property that hides the one of its class. Returns a function that removes it. */
function shadowProperty(holder: object, key: string, value: unknown): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, key);
  if (descriptor !== undefined) return replaceValue(holder, key, value);
  Object.defineProperty(holder, key, { value, writable: true, configurable: true });
  return () => void Reflect.deleteProperty(holder, key);
}

/** Replaces a property, and returns a function that restores it. A property that cannot change stays. */
function replaceValue(holder: object, key: string, value: unknown): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, key);
  if (descriptor?.configurable !== true) return () => {};
  Object.defineProperty(holder, key, { value, writable: true, configurable: true, enumerable: descriptor.enumerable ?? false });
  return () => void Object.defineProperty(holder, key, descriptor);
}
