// Other surroundings for one run: what code can read without a call that the watch would see has another value.
//
// A named import of a plain value, such as `workerData` or `pid`, cannot be watched. A run with other values that decides otherwise shows
// that a decision depends on one of them.

import { syncBuiltinESMExports } from 'node:module';
import { relative, resolve } from 'node:path';
import { threadId } from 'node:worker_threads';
import { requirePackage } from '../../../adapters/runtime/requirePackage.ts';

/** Different surroundings: what a decision makes of one of them can be what it makes of the true ones. The first differ in their parity. */
export const SURROUNDINGS = 3;

/** What is added to a number that code may look at. */
const ADDED = [999_983, 1_000_004, 86_028_122] as const;
/** Around the folder in which the command runs, as its first and last names. */
const AROUND = [['/anotherplace/live-prod-production', '/prove-proof-sample/backtest-test-dev'], ['/x', '/y'], ['/far/from/home', '/z/one/more']] as const; // prettier-ignore

/** What has another value in surroundings of this number. */
function othersOf(at: number): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const otherNumber = (value: unknown): unknown => (typeof value === 'number' ? value + ADDED[at]! : value);
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
      moduleLoadList: [...listOf(Reflect.get(process, 'moduleLoadList')), ...Array.from({ length: 1 + at }, () => 'another')],
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

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What a stream to print on says of the terminal, and of what was printed before. */
const otherStream = (at: number, { isTTY = false }: { readonly isTTY?: boolean }): Readonly<Record<string, unknown>> => ({
  isTTY: !isTTY,
  columns: 333 + at,
  rows: 77 + at,
  writableLength: ADDED[at],
  writableNeedDrain: true,
});
/** Fewer frames of a stack than Node keeps by itself. */
const OTHER_FRAMES = 3;

/** Which surroundings a run has; null: the true ones. */
let current: number | null = null;

/** True while a run has other surroundings. */
export const hasOtherSurroundings = (): boolean => current !== null;
/** Returns which surroundings a run has; null: the true ones. */
export const surroundings = (): number | null => current;

/** Returns the language of the machine as code that names none should see it; undefined: that of the machine itself. */
export function otherLanguage(others: readonly string[]): string | undefined {
  return current === null ? undefined : others[current % others.length];
}

/** Returns the folder in which the command runs as code should see it. */
export function otherFolder(real: string): string {
  return current !== null && real.startsWith('/') ? AROUND[current]!.join(real) : real;
}

/** Returns where a path really lies that was made from the other folder. `folder`: the real one. */
export function realPath(path: string, folder: string): string {
  const around = current === null ? null : AROUND[current]!;
  if (around === null || !path.startsWith(`${around[0]}/`)) return path;
  return resolve(folder, relative(around.join(folder), path));
}

/** Runs a function with the other values, those of number `at`, and restores those that were there. */
export async function withOtherSurroundings<T>(at: number, run: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  const restore = Object.entries(othersOf(at)).flatMap(([name, values]) => {
    const holder = requirePackage(`node:${name}`) as object;
    return Object.entries(values).map(([key, value]) => replaceValue(holder, key, value));
  });
  for (const stream of [process.stdout, process.stderr])
    for (const [key, value] of Object.entries(otherStream(at, stream))) restore.push(shadow(stream, key, value));
  syncBuiltinESMExports();
  Error.stackTraceLimit = OTHER_FRAMES;
  current = at;
  try {
    return await run();
  } finally {
    current = null;
    Error.stackTraceLimit = stackTraceLimit;
    for (const step of restore) step();
    syncBuiltinESMExports();
  }
}

/** Gives an object a value of its own in front of that of its class. */
function shadow(holder: object, key: string, value: unknown): () => void {
  const found = Object.getOwnPropertyDescriptor(holder, key);
  if (found !== undefined) return replaceValue(holder, key, value);
  Object.defineProperty(holder, key, { value, writable: true, configurable: true });
  return () => void Reflect.deleteProperty(holder, key);
}

function replaceValue(holder: object, key: string, value: unknown): () => void {
  const found = Object.getOwnPropertyDescriptor(holder, key);
  if (found?.configurable !== true) return () => {};
  Object.defineProperty(holder, key, { value, writable: true, configurable: true, enumerable: found.enumerable ?? false });
  return () => void Object.defineProperty(holder, key, found);
}
