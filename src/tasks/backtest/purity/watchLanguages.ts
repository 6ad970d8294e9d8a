// Sets another language for texts and orders that follow the language of the machine, while a run has other surroundings.
//
// Code that names no language for a number or an order of texts is not a fault by itself: a text may only be logged. A decision that depends
// on it is one. For a date, `watchDates.ts` reports a missing language as it reports a missing time zone.

import { inReverse, namesLanguage, replace } from './watchDates.ts';
import { hasOtherSurroundings, otherLanguage } from '../surroundings/surroundings.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Languages with digits and separators of their own, one for each of the other surroundings. In the first and the last one a digit is two
 * characters long, so that a decision on the length of a number shows. The sample of a backtest uses only the first one.
 */
const NUMBER_LANGUAGES = ['ff-Adlm-u-nu-adlm', 'ar-EG-u-nu-arab', 'es-u-nu-mathsans'] as const;
/** A language that sorts `aa` last and capitals first. */
const TEXT_LANGUAGES = ['da-u-kf-upper'] as const;
/** A language with other capitals and small letters: Turkish. */
const CASE_LANGUAGES = ['tr'] as const;

/** Greek, in which a semicolon ends a sentence. */
const SEGMENT_LANGUAGES = ['el'] as const;

/** Methods, the index of the language among their arguments, and the languages to use instead. */
const METHODS: readonly (readonly [
  holder: object,
  name: string,
  localeIndex: number,
  others: readonly string[],
  supported: (locales: string | readonly string[]) => readonly string[],
])[] = [
  [Number.prototype, 'toLocaleString', 0, NUMBER_LANGUAGES, Intl.NumberFormat.supportedLocalesOf.bind(Intl.NumberFormat)],
  [BigInt.prototype, 'toLocaleString', 0, NUMBER_LANGUAGES, Intl.NumberFormat.supportedLocalesOf.bind(Intl.NumberFormat)],
  [String.prototype, 'localeCompare', 1, TEXT_LANGUAGES, Intl.Collator.supportedLocalesOf.bind(Intl.Collator)],
  // These use the rules of no language for a language that they do not know.
  [String.prototype, 'toLocaleUpperCase', 0, CASE_LANGUAGES, Intl.getCanonicalLocales.bind(Intl)],
  [String.prototype, 'toLocaleLowerCase', 0, CASE_LANGUAGES, Intl.getCanonicalLocales.bind(Intl)],
];
/** Classes of `Intl`, and the languages to use instead. */
const CLASSES: readonly (readonly [name: string, others: readonly string[]])[] = [
  ['NumberFormat', NUMBER_LANGUAGES],
  ['Collator', TEXT_LANGUAGES],
  ['PluralRules', NUMBER_LANGUAGES],
  ['ListFormat', TEXT_LANGUAGES],
  ['RelativeTimeFormat', NUMBER_LANGUAGES],
  ['DisplayNames', TEXT_LANGUAGES],
  ['Segmenter', SEGMENT_LANGUAGES],
];

/** Replaces the methods and classes whose results depend on the language of the machine. Returns functions that restore them. */
export function watchLanguages(): (() => void)[] {
  return [...METHODS.map(watchMethod), ...CLASSES.map(watchClass), watchSupported()];
}

/** Replaces the list of zones, languages and currencies that the machine supports. In other surroundings, its last entry is missing. */
function watchSupported(): () => void {
  const real = Intl.supportedValuesOf;
  const supportedValuesOf: typeof real = (key) => (hasOtherSurroundings() ? real(key).slice(0, -1) : real(key));
  return replace(Intl, 'supportedValuesOf', supportedValuesOf);
}

/** Replaces a method by one that uses one of the `others` where the caller names no language. Returns a function that restores it. */
function watchMethod([holder, name, localeIndex, others, supported]: (typeof METHODS)[number]): () => void {
  const real: unknown = Reflect.get(holder, name);
  if (typeof real !== 'function') return () => {};
  const watchedMethod: Method = function (...args): unknown {
    return Reflect.apply(real, this, withLanguage(args, localeIndex, others, supported));
  };
  Object.defineProperty(watchedMethod, 'name', { value: name });
  return replace(holder, name, watchedMethod);
}

/** Replaces a class of `Intl` by one that uses another language where the caller names none. Returns a function that restores it. */
function watchClass([name, others]: (typeof CLASSES)[number]): () => void {
  const Real = Reflect.get(Intl, name) as typeof Intl.NumberFormat | undefined;
  if (Real === undefined) return () => {};
  const WatchedConstructor = function (this: unknown, ...args: unknown[]): unknown {
    return Reflect.construct(
      Real,
      withLanguage(args, 0, others, (locales) => Real.supportedLocalesOf(locales)),
      new.target === undefined || new.target === WatchedConstructor ? Real : new.target,
    );
  };
  const { prototype } = Real;
  for (const key of ['name', 'length', 'prototype', 'supportedLocalesOf']) {
    const descriptor = Object.getOwnPropertyDescriptor(Real, key);
    if (descriptor !== undefined) Object.defineProperty(WatchedConstructor, key, descriptor);
  }
  return inReverse(replace(Intl, name, WatchedConstructor), replace(prototype, 'constructor', WatchedConstructor));
}

/** Returns the arguments with another language of `others` if they name none and the run has other surroundings; else unchanged. */
function withLanguage(
  args: readonly unknown[],
  localeIndex: number,
  others: readonly string[],
  supported: (locales: string | readonly string[]) => readonly string[],
): readonly unknown[] {
  const language = hasOtherSurroundings() && !namesLanguage(args[localeIndex], supported) ? otherLanguage(others) : undefined;
  return language === undefined ? args : Object.assign([...args], { [localeIndex]: language });
}
