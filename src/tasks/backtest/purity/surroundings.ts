// Other surroundings for one run: what code can read without a call that the watch would see has another value.
//
// A named import of a plain value, such as `workerData` or `pid`, cannot be watched. A run with other values that decides otherwise shows
// that a decision depends on one of them.

import { syncBuiltinESMExports } from 'node:module';
import { threadId } from 'node:worker_threads';
import { requirePackage } from '../../../adapters/runtime/requirePackage.ts';

/** Both parities of a number that code may look at. */
const otherNumber = (value: unknown): unknown => (typeof value === 'number' ? value + 999_983 : value);
const OTHER: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
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
  },
  worker_threads: {
    workerData: { another: true },
    threadId: otherNumber(threadId),
    isMainThread: true,
    resourceLimits: { stackSizeMb: 3 },
  },
  os: { EOL: '\r\n', devNull: '/another/null' },
};
/** Fewer frames of a stack than Node keeps by itself. */
const OTHER_FRAMES = 3;

let isOther = false;

/** True while a run has other surroundings. */
export const hasOtherSurroundings = (): boolean => isOther;

/** Returns the language of the machine as code that names none should see it; undefined: that of the machine itself. */
export function otherLanguage(other: string): string | undefined {
  return isOther ? other : undefined;
}

/** Runs a function with the other values, and restores those that were there. */
export async function withOtherSurroundings<T>(run: () => Promise<T>): Promise<T> {
  const { stackTraceLimit } = Error;
  const restore = Object.entries(OTHER).flatMap(([name, values]) => {
    const holder = requirePackage(`node:${name}`) as object;
    return Object.entries(values).map(([key, value]) => replaceValue(holder, key, value));
  });
  syncBuiltinESMExports();
  Error.stackTraceLimit = OTHER_FRAMES;
  isOther = true;
  try {
    return await run();
  } finally {
    isOther = false;
    Error.stackTraceLimit = stackTraceLimit;
    for (const step of restore) step();
    syncBuiltinESMExports();
  }
}

function replaceValue(holder: object, key: string, value: unknown): () => void {
  const found = Object.getOwnPropertyDescriptor(holder, key);
  if (found?.configurable !== true) return () => {};
  Object.defineProperty(holder, key, { value, writable: true, configurable: true, enumerable: found.enumerable ?? false });
  return () => void Object.defineProperty(holder, key, found);
}
