// Globals other than dates that reach outside the run: chance, timers, the process and the network.

import type { WarningCode } from '../../model/warning.ts';
import { both, replace } from './dates.ts';
import type { Report } from './watch.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Functions of the global object, of `Math`, `performance`, `crypto` and `Atomics`, by the warning that a call of them gives. */
const FUNCTIONS: readonly (readonly [WarningCode, () => unknown, string, readonly string[]])[] = [
  ['IMPURE_RANDOM', () => Math, 'Math.', ['random']],
  ['IMPURE_RANDOM', () => Object.getPrototypeOf(globalThis.crypto), 'crypto.', ['getRandomValues', 'randomUUID']],
  [
    'IMPURE_CLOCK',
    () => performanceHolder('now'),
    'performance.',
    ['now', 'mark', 'measure', 'timerify', 'eventLoopUtilization', 'toJSON'],
  ],
  ['IMPURE_CLOCK', () => Atomics, 'Atomics.', ['wait', 'waitAsync']],
  ['IMPURE_TIMER', () => globalThis, '', ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']],
  ['IMPURE_NETWORK', () => globalThis, '', ['fetch']],
];
const CLASSES = ['WebSocket', 'EventSource', 'BroadcastChannel', 'MessageChannel', 'WeakRef', 'FinalizationRegistry'] as const;
/** Of `process`: what a library asks to find out where it runs. It decides no result. */
const HARMLESS = new Set<string | symbol>([
  'version',
  'versions',
  'release',
  'platform',
  'arch',
  'browser',
  'type',
  'title',
  'emitWarning',
  'stdout',
  'stderr',
  'features',
  'constructor',
  'toString',
  'exit',
  'exitCode',
  'on',
  'once',
  'listeners',
  'emit',
  'domain',
  'config',
  Symbol.toStringTag,
  Symbol.toPrimitive,
]);

/** Returns what puts everything back. */
export function watchGlobals(report: Report): (() => void)[] {
  const functions = FUNCTIONS.flatMap(([code, holderOf, prefix, names]) => {
    const holder = holderOf();
    return typeof holder !== 'object' || holder === null ? [] : names.map((name) => watchFunction(report, code, holder, name, prefix));
  });
  return [...functions, ...CLASSES.map((name) => watchClass(report, name)), watchOrigin(report), watchProcess(report)];
}

/** Where the method lies: `performance` itself, or the class it is of. */
function performanceHolder(name: string): object {
  for (let at: object | null = performance; at !== null; at = Object.getPrototypeOf(at) as object | null)
    if (Object.hasOwn(at, name)) return at;
  return performance;
}

function watchFunction(report: Report, code: WarningCode, holder: object, name: string, prefix: string): () => void {
  const real: unknown = Reflect.get(holder, name);
  if (typeof real !== 'function') return () => {};
  const watched: Method = function (...args): unknown {
    report(code, `${prefix}${name}()`, watched);
    return Reflect.apply(real, this, args);
  };
  // Such as the symbol by which `util.promisify` knows `setTimeout`.
  Object.defineProperties(watched, Object.getOwnPropertyDescriptors(real));
  return replace(holder, name, watched);
}

function watchClass(report: Report, name: (typeof CLASSES)[number]): () => void {
  const real: unknown = Reflect.get(globalThis, name);
  if (typeof real !== 'function') return () => {};
  const isMemory = name === 'WeakRef' || name === 'FinalizationRegistry';
  const watched: Method = function (...args): unknown {
    report(isMemory ? 'IMPURE_PROCESS' : 'IMPURE_NETWORK', `new ${name}()`, watched);
    return Reflect.construct(real, args, new.target === undefined || new.target === watched ? real : new.target);
  };
  Object.defineProperty(watched, 'name', { value: name });
  Object.defineProperty(watched, 'prototype', { value: Reflect.get(real, 'prototype'), writable: false });
  return replace(globalThis, name, watched);
}

const isMethod = (value: unknown): value is (...args: never[]) => unknown => typeof value === 'function';

/** Bound, with the properties of the function: `hrtime.bigint`. */
function boundTo(target: object, method: (...args: never[]) => unknown): unknown {
  const {
    name: _name,
    length: _length,
    prototype: _prototype,
    ...own
  } = Object.getOwnPropertyDescriptors<object>(method) as Record<string, PropertyDescriptor>;
  return Object.defineProperties(method.bind(target as never), own);
}

function watchOrigin(report: Report): () => void {
  const holder = performanceHolder('timeOrigin');
  const real = Object.getOwnPropertyDescriptor(holder, 'timeOrigin');
  const get: unknown = real === undefined ? undefined : Reflect.get(real, 'get');
  if (real?.configurable !== true || !isMethod(get)) return () => {};
  const watched: Method = function (): unknown {
    report('IMPURE_CLOCK', 'performance.timeOrigin', watched);
    return Reflect.apply(get, this, []);
  };
  Object.defineProperty(holder, 'timeOrigin', { ...real, get: watched });
  return () => void Object.defineProperty(holder, 'timeOrigin', real);
}

/** Whoever reads `process` of the global object gets one that reports what is read of it. */
function watchProcess(report: Report): () => void {
  const real = process;
  const get = (target: object, name: string | symbol): unknown => {
    if (!HARMLESS.has(name)) report('IMPURE_PROCESS', `process.${String(name)}`, get);
    const value: unknown = Reflect.get(target, name, target);
    // Methods of `process` look at what they are called on.
    return isMethod(value) && name !== 'constructor' ? boundTo(target, value) : value;
  };
  const has = (target: object, name: string | symbol): boolean => Reflect.has(target, name);
  const watched = new Proxy(real, { get, has });
  return both(replace(globalThis, 'process', watched));
}
