// Watches dates in strategy code: given times in UTC are allowed, the current time and the machine's time zone are reported.

import type { ReportCall } from './purityWarning.ts';
import { hasOtherSurroundings, otherClockMs } from './surroundings.ts';

/** Methods of `Date` that use the time zone of the machine. */
const LOCAL_METHODS = [
  'getDate',
  'getDay',
  'getFullYear',
  'getHours',
  'getMilliseconds',
  'getMinutes',
  'getMonth',
  'getSeconds',
  'getTimezoneOffset',
  'getYear',
  'setDate',
  'setFullYear',
  'setHours',
  'setMilliseconds',
  'setMinutes',
  'setMonth',
  'setSeconds',
  'setYear',
  'toDateString',
  'toLocaleDateString',
  'toLocaleString',
  'toLocaleTimeString',
  'toString',
  'toTimeString',
] as const;

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Matches texts with a time zone, and dates without a time, which are UTC by the standard. */
const HAS_ZONE = /(?:Z|[+-]\d{2}:?\d{2}|GMT|UTC)\s*$|^\s*[+-]?\d{4,6}(?:-\d{2}(?:-\d{2})?)?\s*$/i;

/** Replaces `Date`, its methods and `Intl.DateTimeFormat`. Returns functions that restore them. */
export function watchDates(report: ReportCall): (() => void)[] {
  return [watchClass(report), ...LOCAL_METHODS.map((name) => watchMethod(report, name)), watchFormat(report)];
}

/** Replaces `Date` by a class that reports reads of the clock and of the local time zone. Returns a function that restores it. */
function watchClass(report: ReportCall): () => void {
  const Real = Date;
  const WatchedDate = function (this: unknown, ...args: unknown[]): unknown {
    if (new.target === undefined) {
      report('IMPURE_CLOCK', 'Date()', WatchedDate);
      return Real();
    }
    checkArguments(args, report, WatchedDate);
    const dateArguments = args.length === 0 ? [clockMs(Real)] : args;
    return Reflect.construct(Real, dateArguments, new.target === WatchedDate ? Real : new.target);
  };
  const now = (): number => {
    report('IMPURE_CLOCK', 'Date.now()', now);
    return clockMs(Real);
  };
  const parse = (text: string): number => {
    if (!HAS_ZONE.test(text)) report('IMPURE_LOCAL_TIME', 'Date.parse of a text without a time zone', parse);
    return Real.parse(text);
  };
  Object.defineProperty(WatchedDate, 'name', { value: 'Date' });
  Object.defineProperty(WatchedDate, 'length', { value: 7 });
  Object.defineProperty(WatchedDate, 'prototype', { value: Real.prototype, writable: false });
  for (const [name, value] of Object.entries({ now, parse, UTC: Real.UTC.bind(Real) })) {
    Object.defineProperty(WatchedDate, name, { value, writable: true, configurable: true });
  }
  return inReverse(replace(globalThis, 'Date', WatchedDate), replace(Real.prototype, 'constructor', WatchedDate));
}

/** The newest time that was read in the true surroundings, Unix ms. */
let lastMs = NaN;

/**
 * Returns the time now, Unix ms. In other surroundings it differs by a fixed amount, so that a decision on its last digit comes out
 * differently: packages may read the clock while they are loaded, and no warning says so.
 */
function clockMs(Real: DateConstructor): number {
  if (hasOtherSurroundings()) return (Number.isNaN(lastMs) ? Real.now() : lastMs) + otherClockMs();
  lastMs = Real.now();
  return lastMs;
}

/** Reports the arguments of `new Date` whose result depends on the clock or on the local time zone. */
function checkArguments(args: readonly unknown[], report: ReportCall, below: Method): void {
  const [time] = args;
  if (args.length === 0) report('IMPURE_CLOCK', 'new Date()', below);
  else if (args.length > 1) report('IMPURE_LOCAL_TIME', 'new Date(year, month, ...)', below);
  else if (typeof time === 'string' && !HAS_ZONE.test(time)) {
    report('IMPURE_LOCAL_TIME', 'new Date of a text without a time zone', below);
  }
}

/** Replaces a method of `Date` by one that reports uses of the local time zone. Returns a function that restores it. */
function watchMethod(report: ReportCall, name: (typeof LOCAL_METHODS)[number]): () => void {
  const real: unknown = Reflect.get(Date.prototype, name);
  if (typeof real !== 'function') return () => {};
  const watchedMethod: Method = function (...args): unknown {
    // With an explicit time zone the result does not depend on the machine.
    if (!(name.startsWith('toLocale') && hasZone(args[1]))) report('IMPURE_LOCAL_TIME', `Date.prototype.${name}()`, watchedMethod);
    return Reflect.apply(real, this, args);
  };
  return replace(Date.prototype, name, watchedMethod);
}

/** True when options name a time zone. */
const hasZone = (options: unknown): boolean =>
  typeof options === 'object' && options !== null && 'timeZone' in options && options.timeZone !== undefined;

/** Replaces `Intl.DateTimeFormat` by a class that reports a missing time zone. Returns a function that restores it. */
function watchFormat(report: ReportCall): () => void {
  const Real = Intl.DateTimeFormat;
  const WatchedFormat = function (this: unknown, ...args: unknown[]): unknown {
    if (!hasZone(args[1])) report('IMPURE_LOCAL_TIME', 'Intl.DateTimeFormat without a timeZone', WatchedFormat);
    return Reflect.construct(Real, args, new.target === undefined || new.target === WatchedFormat ? Real : new.target);
  };
  Object.defineProperty(WatchedFormat, 'name', { value: 'DateTimeFormat' });
  Object.defineProperty(WatchedFormat, 'prototype', { value: Real.prototype, writable: false });
  Object.defineProperty(WatchedFormat, 'supportedLocalesOf', {
    value: Real.supportedLocalesOf.bind(Real),
    writable: true,
    configurable: true,
  });
  const restorers = [replace(Intl, 'DateTimeFormat', WatchedFormat), replace(Real.prototype, 'constructor', WatchedFormat)];
  const formatToParts = Reflect.get(Real.prototype, 'formatToParts') as Method;
  const watchedParts: Method = function (...args): unknown {
    if (args[0] === undefined) report('IMPURE_CLOCK', 'Intl.DateTimeFormat.formatToParts() of now', watchedParts);
    return Reflect.apply(formatToParts, this, args);
  };
  restorers.push(replace(Real.prototype, 'formatToParts', watchedParts), watchFormatter(Real.prototype, report));
  return inReverse(...restorers);
}

/**
 * Replaces the getter `format`, which returns a function bound to its formatter, the same one at each read. The functions report a format of
 * the current time. Returns a function that restores the getter.
 */
function watchFormatter(holder: object, report: ReportCall): () => void {
  const real = Object.getOwnPropertyDescriptor(holder, 'format');
  const get: unknown = real === undefined ? undefined : Reflect.get(real, 'get');
  if (real?.configurable !== true || typeof get !== 'function') return () => {};
  const methods = new WeakMap<object, Method>();
  const watchedMethod: Method = function (): unknown {
    const format = Reflect.apply(get, this, []) as Method;
    const cached = methods.get(format);
    if (cached !== undefined) return cached;
    const watchedFormat: Method = (...args) => {
      if (args[0] === undefined) report('IMPURE_CLOCK', 'Intl.DateTimeFormat.format() of now', watchedFormat);
      return format(...args);
    };
    methods.set(format, watchedFormat);
    return watchedFormat;
  };
  Object.defineProperty(holder, 'format', { ...real, get: watchedMethod });
  return () => void Object.defineProperty(holder, 'format', real);
}

/** Replaces a property and returns a function that restores it. */
export function replace(holder: object, name: string, value: unknown): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, name);
  if (descriptor === undefined || descriptor.configurable === false) return () => {};
  Object.defineProperty(holder, name, { value, writable: true, configurable: true, enumerable: descriptor.enumerable ?? false });
  return () => void Object.defineProperty(holder, name, descriptor);
}

/** Returns a function that calls all of the functions, the last one first. */
export const inReverse =
  (...steps: readonly (() => void)[]) =>
  (): void => {
    for (const step of steps.toReversed()) step();
  };
