// Watches globals other than dates that reach outside the run: random numbers, timers, the process and the network.

import { Decimal } from '../../../base/number/decimal.ts';
import type { WarningCode } from '../../../model/warning.ts';
import { callingLines, isCalledByNode, isCalledByPackage } from './callSite.ts';
import { inReverse, replace } from './watchDates.ts';
import type { ReportCall } from './purityWarning.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Functions of the global object, `Math`, `performance`, `crypto` and `Atomics`, by the warning for a call. */
const WATCHED_FUNCTIONS: readonly (readonly [code: WarningCode, holderOf: () => unknown, prefix: string, names: readonly string[]])[] = [
  ['IMPURE_RANDOM', () => Math, 'Math.', ['random']],
  // A strategy reaches Decimal through a quantity, as in `qty.constructor.random()`. The call of Math.random() in it counts as a call of isobar.
  ['IMPURE_RANDOM', () => Decimal, 'Decimal.', ['random']],
  ['IMPURE_RANDOM', () => Object.getPrototypeOf(globalThis.crypto), 'crypto.', ['getRandomValues', 'randomUUID']],
  [
    'IMPURE_CLOCK',
    () => performanceHolder('now'),
    'performance.',
    ['now', 'mark', 'measure', 'timerify', 'eventLoopUtilization', 'toJSON', 'getEntries', 'getEntriesByName', 'getEntriesByType'],
  ],
  ['IMPURE_CLOCK', () => Atomics, 'Atomics.', ['wait', 'waitAsync']],
  ['IMPURE_TIMER', () => globalThis, '', ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask']],
  ['IMPURE_TIMER', () => AbortSignal, 'AbortSignal.', ['timeout']],
  ['IMPURE_NETWORK', () => globalThis, '', ['fetch']],
  ['IMPURE_RANDOM', () => Object.getPrototypeOf(globalThis.crypto.subtle), 'crypto.subtle.', ['generateKey']],
  ['IMPURE_RANDOM', () => URL, 'URL.', ['createObjectURL']],
  ['IMPURE_RANDOM', () => Buffer, 'Buffer.', ['allocUnsafe', 'allocUnsafeSlow']],
  ['IMPURE_MODULE', () => globalThis, '', ['eval']],
];
/** Global classes, by the warning for their construction. */
const WATCHED_CLASSES: readonly (readonly [code: WarningCode, name: string])[] = [
  ['IMPURE_NETWORK', 'WebSocket'],
  ['IMPURE_NETWORK', 'EventSource'],
  ['IMPURE_NETWORK', 'BroadcastChannel'],
  ['IMPURE_NETWORK', 'MessageChannel'],
  ['IMPURE_PROCESS', 'WeakRef'],
  ['IMPURE_PROCESS', 'FinalizationRegistry'],
  ['IMPURE_CLOCK', 'PerformanceMark'],
  ['IMPURE_CLOCK', 'PerformanceObserver'],
];
/** Properties that are read, not called. */
const WATCHED_PROPERTIES: readonly (readonly [code: WarningCode, holderOf: () => unknown, prefix: string, name: string])[] = [
  ['IMPURE_CLOCK', () => performanceHolder('timeOrigin'), 'performance.', 'timeOrigin'],
  ['IMPURE_CLOCK', () => performanceHolder('nodeTiming'), 'performance.', 'nodeTiming'],
  ['IMPURE_CLOCK', () => Event.prototype, 'Event.', 'timeStamp'],
  ['IMPURE_CLOCK', () => File.prototype, 'File.', 'lastModified'],
  ['IMPURE_PROCESS', () => globalThis, '', 'navigator'],
];
/** Members of `process` that libraries use to detect their environment. They do not influence results. */
const HARMLESS_MEMBERS = new Set<string | symbol>([
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

/** Replaces the watched globals by ones that call `report`. Returns functions that restore them. */
export function watchGlobals(report: ReportCall): (() => void)[] {
  const functions = WATCHED_FUNCTIONS.flatMap(([code, holderOf, prefix, names]) => {
    const holder = holderOf();
    return isHolder(holder) ? names.map((name) => watchFunction(report, code, holder, name, prefix)) : [];
  });
  const properties = WATCHED_PROPERTIES.map(([code, holderOf, prefix, name]) => watchRead(report, code, holderOf(), name, prefix));
  return [
    ...functions,
    ...WATCHED_CLASSES.map(([code, name]) => watchClass(report, code, name)),
    ...properties,
    ...watchFunctionConstructors(report),
    watchProcess(report),
  ];
}

const isHolder = (value: unknown): value is object => (typeof value === 'object' && value !== null) || typeof value === 'function';

/** Returns the owner of the method: `performance` itself, or its class. */
function performanceHolder(name: string): object {
  for (let holder: object | null = performance; holder !== null; holder = Object.getPrototypeOf(holder) as object | null) {
    if (Object.hasOwn(holder, name)) return holder;
  }
  return performance;
}

/** Matches the line of `BigNumber.clone()` of bignumber.js that only counts the bits of a random number. A bundler may number the names. */
const COUNTS_BITS = /^\s*(?:var|let|const) random53\w* = \(?Math\.random\(\) \* pow2_53\w*\)? & (?:0x1fffff|2097151)(?: \?|\s*$)/;

/** True for a call of `Math.random` by that line in a package. `below`: the watched function. */
export function onlyCountsBits(description: string, below: (...args: never[]) => unknown): boolean {
  return description === 'Math.random()' && COUNTS_BITS.test(callingLines(below)[1]) && isCalledByPackage(below);
}

/** Replaces a function by one that reports each call. Returns a function that restores it. */
function watchFunction(report: ReportCall, code: WarningCode, holder: object, name: string, prefix: string): () => void {
  const real: unknown = Reflect.get(holder, name);
  if (typeof real !== 'function') return () => {};
  const watchedMethod: Method = function (...args): unknown {
    // Pure functions of Node, such as Buffer.concat(), allocate raw memory too, and fill it.
    if (prefix !== 'Buffer.' || !isCalledByNode(watchedMethod)) report(code, `${prefix}${name}()`, watchedMethod);
    return Reflect.apply(real, this, args);
  };
  // Copies properties such as the symbol by which `util.promisify` recognises `setTimeout`.
  Object.defineProperties(watchedMethod, Object.getOwnPropertyDescriptors(real));
  return replace(holder, name, watchedMethod);
}

/** Replaces a global class by one that reports each construction. Returns a function that restores it. */
function watchClass(report: ReportCall, code: WarningCode, name: string): () => void {
  const real: unknown = Reflect.get(globalThis, name);
  if (typeof real !== 'function') return () => {};
  const watchedMethod: Method = function (...args): unknown {
    report(code, `new ${name}()`, watchedMethod);
    return Reflect.construct(real, args, new.target === undefined || new.target === watchedMethod ? real : new.target);
  };
  Object.defineProperty(watchedMethod, 'name', { value: name });
  Object.defineProperty(watchedMethod, 'prototype', { value: Reflect.get(real, 'prototype'), writable: false });
  return replace(globalThis, name, watchedMethod);
}

const isMethod = (value: unknown): value is (...args: never[]) => unknown => typeof value === 'function';

/** Binds a method and keeps its properties, such as `hrtime.bigint`. */
function boundTo(target: object, method: (...args: never[]) => unknown): unknown {
  const {
    name: _name,
    length: _length,
    prototype: _prototype,
    ...own
  } = Object.getOwnPropertyDescriptors<object>(method) as Record<string, PropertyDescriptor>;
  return Object.defineProperties(method.bind(target as never), own);
}

/** Replaces a property by one that reports each read. Returns a function that restores it. */
function watchRead(report: ReportCall, code: WarningCode, holder: unknown, name: string, prefix: string): () => void {
  if (!isHolder(holder)) return () => {};
  const real = Object.getOwnPropertyDescriptor(holder, name);
  if (real?.configurable !== true) return () => {};
  const get: unknown = Reflect.get(real, 'get');
  const watchedMethod: Method = function (): unknown {
    report(code, `${prefix}${name}`, watchedMethod);
    return isMethod(get) ? Reflect.apply(get, this, []) : real.value;
  };
  Object.defineProperty(holder, name, { get: watchedMethod, configurable: true, enumerable: real.enumerable ?? false });
  return () => void Object.defineProperty(holder, name, real);
}

/** Watches functions created from text. Their code is watched like any other, except for modules that they import. */
function watchFunctionConstructors(report: ReportCall): (() => void)[] {
  const functionOfEachType = [() => {}, async () => {}, function* () {}, async function* () {}];
  return functionOfEachType.flatMap((typedFunction) => {
    const holder = Object.getPrototypeOf(typedFunction) as { readonly constructor: FunctionConstructor };
    const real = holder.constructor;
    const watchedMethod: Method = function (...args): unknown {
      if (args.some((text) => String(text).includes('import'))) report('IMPURE_MODULE', `${real.name}() with an import`, watchedMethod);
      return Reflect.construct(real, args, new.target === undefined || new.target === watchedMethod ? real : new.target);
    };
    Object.defineProperties(watchedMethod, Object.getOwnPropertyDescriptors(real));
    const isGlobal = Reflect.get(globalThis, real.name) === real;
    return [...(isGlobal ? [replace(globalThis, real.name, watchedMethod)] : []), replace(holder, 'constructor', watchedMethod)];
  });
}

/** Replaces the global `process` by a proxy that reports reads and writes. */
function watchProcess(report: ReportCall): () => void {
  const real = process;
  const reportRead = (name: string | symbol, below: (...args: never[]) => unknown): void => {
    if (!HARMLESS_MEMBERS.has(name)) report('IMPURE_PROCESS', `process.${String(name)}`, below);
  };
  const get = (target: object, name: string | symbol): unknown => {
    reportRead(name, get);
    const value: unknown = Reflect.get(target, name, target);
    // Methods of `process` check their receiver.
    return isMethod(value) && name !== 'constructor' ? boundTo(target, value) : value;
  };
  const set = (target: object, name: string | symbol, value: unknown): boolean => {
    if (name !== 'exitCode') report('IMPURE_PROCESS', `process.${String(name)} =`, set);
    return Reflect.set(target, name, value, target);
  };
  const has = (target: object, name: string | symbol): boolean => {
    reportRead(name, has);
    return Reflect.has(target, name);
  };
  const getOwnPropertyDescriptor = (target: object, name: string | symbol): PropertyDescriptor | undefined => {
    reportRead(name, getOwnPropertyDescriptor);
    return Reflect.getOwnPropertyDescriptor(target, name);
  };
  const defineProperty = (target: object, name: string | symbol, as: PropertyDescriptor): boolean => {
    report('IMPURE_PROCESS', `process.${String(name)} =`, defineProperty);
    return Reflect.defineProperty(target, name, as);
  };
  const watched = new Proxy(real, { get, set, has, getOwnPropertyDescriptor, defineProperty });
  return inReverse(replace(globalThis, 'process', watched));
}
