// Watches dates in strategy code: given times in UTC are allowed, the current time and the machine's time zone are reported.

import { callingLines, isCalledByPackage } from './callSite.ts';
import { WITHOUT_LANGUAGE, type ReportCall } from './purityWarning.ts';
import { fromOtherLocal, OTHER_ZONE_LANGUAGE, otherOffsetMinutes, otherZone, toOtherLocal } from '../surroundings/otherZone.ts';
import { hasOtherSurroundings, otherClockMs, otherClockTime, otherLanguage } from '../surroundings/surroundings.ts';

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

/** Matches a date without a time, which is UTC by the standard. With a space before or after it, Node reads it as local time. */
const ISO_DATE = /^(?:\d{4}|[+-]\d{6})(?:-\d{2}(?:-\d{2})?)?$/;
/** Matches a time of day with a time zone at the end of a text. In a text without a time, `-2023` would look like an offset. */
const TIME_WITH_ZONE =
  /\d{1,2}:\d{2}[\d:.,]*\s*(?:[AP]M\s*)?(?:Z|UTC?|(?:UTC?|GMT)?\s*[+-]\d{2}(?::?\d{2})?|GMT|[ECMP][SD]T)(?:\s*\([^()]*\))?\s*$/i;
/** Matches a zone by name after a text without a time, such as `5 Jan 2023 UTC`. */
const DATE_WITH_ZONE = /^[^:()]*[\d\s](?:GMT|UTC|Z|(?:GMT|UTC)[+-]\d{1,2}(?::?\d{2})?)\s*$/i;

/** True when a text names its time zone, or is UTC by the standard. */
const namesZone = (text: string): boolean => ISO_DATE.test(text) || TIME_WITH_ZONE.test(text) || DATE_WITH_ZONE.test(text);

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
    const dateArguments = args.length === 1 ? [primitiveOf(args[0])] : args;
    checkArguments(dateArguments, Real, report, WatchedDate);
    if (dateArguments.length === 0) dateArguments.push(clockMs(Real));
    else shiftLocal(dateArguments, Real);
    return Reflect.construct(Real, dateArguments, new.target === WatchedDate ? Real : new.target);
  };
  const now = (): number => {
    report('IMPURE_CLOCK', 'Date.now()', now);
    return clockMs(Real);
  };
  const parse = (value: unknown): number => {
    const text = textOf(value);
    if (namesZone(text) || !isDate(Real, text)) return Real.parse(text);
    report('IMPURE_LOCAL_TIME', 'Date.parse of a text without a time zone', parse);
    return otherZone() === null ? Real.parse(text) : fromOtherLocal(parseAsUtc(Real, text));
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
 * Returns the time now, Unix ms. In other surroundings it differs by a fixed amount, so that a decision on its last digit becomes another one.
 * Packages may read the clock while they are loaded, and no warning reports these reads.
 */
function clockMs(Real: DateConstructor): number {
  const otherMs = otherClockTime(lastMs);
  if (otherMs !== null && !Number.isNaN(otherMs)) return otherMs;
  if (hasOtherSurroundings()) return (Number.isNaN(lastMs) ? Real.now() : lastMs) + otherClockMs();
  lastMs = Real.now();
  return lastMs;
}

const isObject = (value: unknown): value is object => (typeof value === 'object' && value !== null) || typeof value === 'function';

/** Returns a value as the text that `Date.parse` reads: a symbol throws. */
const textOf = (value: unknown): string => (typeof value === 'symbol' ? value : String(value)) as string;

/** Returns the number or text that `new Date` makes of its argument, such as the text of a match of a regular expression. A date stays. */
function primitiveOf(value: unknown): unknown {
  if (!isObject(value) || value instanceof Date) return value;
  const convert: unknown = Reflect.get(value, Symbol.toPrimitive);
  if (typeof convert === 'function') return Reflect.apply(convert, value, ['default']) as unknown;
  for (const name of ['valueOf', 'toString']) {
    const method: unknown = Reflect.get(value, name);
    const primitive: unknown = typeof method === 'function' ? Reflect.apply(method, value, []) : value;
    if (!isObject(primitive)) return primitive;
  }
  return value;
}

/** True for the text of a date. Other texts give an invalid date in every time zone. */
const isDate = (Real: DateConstructor, text: string): boolean => !Number.isNaN(Real.parse(text));

/** Reports the arguments of `new Date` whose result depends on the clock or on the local time zone. */
function checkArguments(args: readonly unknown[], Real: DateConstructor, report: ReportCall, below: Method): void {
  const [time] = args;
  if (args.length === 0) report('IMPURE_CLOCK', 'new Date()', below);
  else if (args.length > 1) report('IMPURE_LOCAL_TIME', 'new Date(year, month, ...)', below);
  else if (typeof time === 'string' && !namesZone(time) && isDate(Real, time)) {
    report('IMPURE_LOCAL_TIME', 'new Date of a text without a time zone', below);
  }
}

/** Returns the parts of a date in the true zone, in the order of the arguments of `Date.UTC`. */
const TRUE_PARTS = (['getFullYear', 'getMonth', 'getDate', 'getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'] as const).map(
  (name): Method => Reflect.get(Date.prototype, name) as Method,
);

/** Parses a text without a time zone as a time of UTC. Returns Unix ms. */
function parseAsUtc(Real: DateConstructor, text: string): number {
  const local = new Real(Real.parse(text));
  return Real.UTC(...(TRUE_PARTS.map((part) => Reflect.apply(part, local, [])) as [number, number]));
}

/** Turns the arguments of `new Date` that mean a local time into a time, if the run has another zone. */
function shiftLocal(args: unknown[], Real: DateConstructor): void {
  const [time] = args;
  const isText = args.length === 1 && typeof time === 'string' && !namesZone(time) && isDate(Real, time);
  if ((args.length < 2 && !isText) || otherZone() === null) return;
  const localMs = isText ? parseAsUtc(Real, time) : Real.UTC(...(args.map(Number) as [number, number]));
  args.splice(0, args.length, fromOtherLocal(localMs));
}

/** Returns what a method of `Date` returns or does in the zone that the run sees. */
function callInOtherZone(date: Date, name: (typeof LOCAL_METHODS)[number], args: readonly unknown[], real: Method): unknown {
  if (name.startsWith('toLocale')) {
    const [locales, options] = args;
    const settings = {
      ...(options as object | undefined),
      timeZone: hasZone(options) ? (options as { timeZone: string }).timeZone : otherZone(),
    };
    return Reflect.apply(real, date, [locales ?? OTHER_ZONE_LANGUAGE, settings]);
  }
  if (name === 'getTimezoneOffset') return otherOffsetMinutes(date.getTime());
  const local = new Date(toOtherLocal(date.getTime()));
  if (name.startsWith('to')) return textInOtherZone(local, name, -otherOffsetMinutes(date.getTime()));
  if (name === 'getYear') return local.getUTCFullYear() - 1900;
  if (name === 'setYear') return Reflect.apply(real, date, args);
  const ofUtc = Reflect.get(local, name.replace(/^(get|set)/, '$1UTC')) as Method;
  const result = Reflect.apply(ofUtc, local, args);
  return name.startsWith('get') ? result : date.setTime(fromOtherLocal(local.getTime()));
}

/** Returns the text that `toString`, `toDateString` or `toTimeString` makes of a local time. */
function textInOtherZone(local: Date, name: string, offsetMinutes: number): string {
  if (Number.isNaN(local.getTime())) return 'Invalid Date';
  const [weekday = '', day, month, year, time] = local.toUTCString().split(' ');
  const dateText = `${weekday.slice(0, 3)} ${month} ${day} ${year}`;
  const minutes = Math.abs(offsetMinutes);
  const offset = `${offsetMinutes < 0 ? '-' : '+'}${String(Math.floor(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`;
  const timeText = `${time} GMT${offset} (${otherZone()})`;
  if (name === 'toDateString') return dateText;
  return name === 'toTimeString' ? timeText : `${dateText} ${timeText}`;
}

/** Replaces a method of `Date` by one that reports uses of the local time zone. Returns a function that restores it. */
function watchMethod(report: ReportCall, name: (typeof LOCAL_METHODS)[number]): () => void {
  const real: unknown = Reflect.get(Date.prototype, name);
  if (typeof real !== 'function') return () => {};
  const watchedMethod: Method = function (...args): unknown {
    // With an explicit time zone and language the result does not depend on the machine.
    const missing = name.startsWith('toLocale') ? missingSetting(args) : '';
    if (missing !== null) {
      report('IMPURE_LOCAL_TIME', `Date.prototype.${name}()${missing}`, watchedMethod);
      if (this instanceof Date && otherZone() !== null) return callInOtherZone(this, name, args, real as Method);
    }
    return Reflect.apply(real, this, args);
  };
  return replace(Date.prototype, name, watchedMethod);
}

/** True when options name a time zone. */
const hasZone = (options: unknown): boolean =>
  typeof options === 'object' && options !== null && 'timeZone' in options && options.timeZone !== undefined;

/** Returns what arguments of a format of dates leave to the machine, for a message; null: nothing. */
function missingSetting([locales, options]: readonly unknown[]): string | null {
  if (!hasZone(options)) return ' without a timeZone';
  return namesLanguage(locales, SUPPORTED_BY_DATES) ? null : WITHOUT_LANGUAGE;
}

/** Returns the languages among `locales` that a class of `Intl` supports. */
type SupportedLocales = (locales: string | readonly string[]) => readonly string[];
const SUPPORTED_BY_DATES: SupportedLocales = Intl.DateTimeFormat.supportedLocalesOf.bind(Intl.DateTimeFormat);

/**
 * True when an argument names a language. Else the language of the machine is used: for undefined, an empty list, and unknown names, such
 * as `default`. True for an argument that the function itself rejects.
 */
export function namesLanguage(locales: unknown, supported: SupportedLocales): boolean {
  if (locales === undefined) return false;
  try {
    return supported(locales as string).length > 0;
  } catch {
    return true;
  }
}

/** Returns the arguments of a formatter with the zone that the run sees, and with another language where they name none. */
function withOtherZoneSettings(args: readonly unknown[]): readonly unknown[] {
  const timeZone = otherZone();
  if (timeZone === null) return args;
  const [locales, options] = args;
  const hasLanguage = namesLanguage(locales, SUPPORTED_BY_DATES);
  return [hasLanguage ? locales : OTHER_ZONE_LANGUAGE, hasZone(options) ? options : { ...(options as object | undefined), timeZone }];
}

/** A date formatter's reads that depend on what its arguments left to the machine. */
const FORMAT_METHODS = ['formatToParts', 'formatRange', 'formatRangeToParts'] as const;

/** Reports a use of a formatter that leaves something to the machine. */
type ReportUse = (formatter: unknown, name: string, below: Method) => void;

/**
 * Replaces `Intl.DateTimeFormat` by a class that reports a missing time zone or language: of the author's code when it makes a formatter, of a
 * package when it uses one. Packages such as luxon make some whose texts reach no decision. Returns a function that restores it.
 */
function watchFormat(report: ReportCall): () => void {
  const Real = Intl.DateTimeFormat;
  /** What formatters that packages have made leave to the machine. */
  const missingByFormatter = new WeakMap<object, string>();
  /** Formatters without a language. */
  const languageless = new WeakSet();
  const WatchedFormat = function (this: unknown, ...args: unknown[]): unknown {
    const missing = missingSetting(args);
    const isOfPackage = missing !== null && isCalledByPackage(WatchedFormat);
    if (missing !== null && !isOfPackage) report('IMPURE_LOCAL_TIME', `Intl.DateTimeFormat${missing}`, WatchedFormat);
    const formatter = Reflect.construct(
      Real,
      missing === null ? args : withOtherZoneSettings(args),
      new.target === undefined || new.target === WatchedFormat ? Real : new.target,
    ) as object;
    if (missing !== null && isOfPackage) missingByFormatter.set(formatter, missing);
    if (!namesLanguage(args[0], SUPPORTED_BY_DATES)) languageless.add(formatter);
    return formatter;
  };
  const reportUse: ReportUse = (formatter, name, below) => {
    const missing = missingByFormatter.get(formatter as object);
    if (missing !== undefined) report('IMPURE_LOCAL_TIME', `Intl.DateTimeFormat.${name}${missing}`, below);
  };
  Object.defineProperty(WatchedFormat, 'name', { value: 'DateTimeFormat' });
  Object.defineProperty(WatchedFormat, 'prototype', { value: Real.prototype, writable: false });
  Object.defineProperty(WatchedFormat, 'supportedLocalesOf', {
    value: Real.supportedLocalesOf.bind(Real),
    writable: true,
    configurable: true,
  });
  const restorers = [replace(Intl, 'DateTimeFormat', WatchedFormat), replace(Real.prototype, 'constructor', WatchedFormat)];
  for (const name of FORMAT_METHODS) {
    const real = Reflect.get(Real.prototype, name) as Method;
    const watchedFormat: Method = function (...args): unknown {
      if (args[0] === undefined) report('IMPURE_CLOCK', `Intl.DateTimeFormat.${name}() of now`, watchedFormat);
      reportUse(this, `${name}()`, watchedFormat);
      return Reflect.apply(real, this, args);
    };
    restorers.push(replace(Real.prototype, name, watchedFormat));
  }
  restorers.push(
    watchOptions(Real.prototype, reportUse, (formatter) => languageless.has(formatter as object)),
    watchFormatter(Real.prototype, report, reportUse),
  );
  return inReverse(...restorers);
}

/** Languages that other surroundings have instead of the machine's. */
const OTHER_LANGUAGES = ['da', 'tr', 'es'] as const;

/**
 * Replaces `resolvedOptions`: a read of the time zone of the machine is reported, and other surroundings have another language. Returns a function
 * that restores it.
 */
function watchOptions(holder: object, reportUse: ReportUse, isLeftToMachine: (formatter: unknown) => boolean): () => void {
  const real = Reflect.get(holder, 'resolvedOptions') as Method;
  const watchedOptions: Method = function (): unknown {
    const options = Reflect.apply(real, this, []) as Record<'timeZone' | 'locale', string>;
    const { timeZone } = options;
    if (isLeftToMachine(this)) options.locale = otherLanguage(OTHER_LANGUAGES) ?? options.locale;
    const zone: Method = () => {
      reportUse(this, 'resolvedOptions().timeZone', zone);
      return timeZone;
    };
    const set = (value: unknown): void => {
      Object.defineProperty(options, 'timeZone', { value, writable: true, configurable: true, enumerable: true });
    };
    Object.defineProperty(options, 'timeZone', { get: zone, set, configurable: true, enumerable: true });
    return options;
  };
  return replace(holder, 'resolvedOptions', watchedOptions);
}

/** Matches a line of code, and the line before it, that make a formatter of the current time and drop its text: a test of a zone or a language. */
const DROPPED_FORMAT = /^\s*(?:new )?Intl\.DateTimeFormat\((?:[^()]|\([^()]*\))*\)\.format\(\);\s*$/;
const STATEMENT_ENDS = /(?:^|[;{}])\s*$/;

/** True when the code that called the function `below` drops the text of the format. */
function isDropped(below: Method): boolean {
  const [before, line] = callingLines(below);
  return DROPPED_FORMAT.test(line) && STATEMENT_ENDS.test(before);
}

/**
 * Replaces the getter `format`, which returns a function bound to its formatter, the same one at each read. The functions report a format of
 * the current time. Returns a function that restores the getter.
 */
function watchFormatter(holder: object, report: ReportCall, reportUse: ReportUse): () => void {
  const real = Object.getOwnPropertyDescriptor(holder, 'format');
  const get: unknown = real === undefined ? undefined : Reflect.get(real, 'get');
  if (real?.configurable !== true || typeof get !== 'function') return () => {};
  const methods = new WeakMap<object, Method>();
  const watchedMethod: Method = function (): unknown {
    const format = Reflect.apply(get, this, []) as Method;
    const cached = methods.get(format);
    if (cached !== undefined) return cached;
    const watchedFormat: Method = (...args) => {
      if (args[0] === undefined && !isDropped(watchedFormat)) report('IMPURE_CLOCK', 'Intl.DateTimeFormat.format() of now', watchedFormat);
      reportUse(this, 'format()', watchedFormat);
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
