// Sets another language for texts and orders that follow the language of the machine, while a run has other surroundings.
//
// Code that names no language is not a fault by itself: a text may only be logged. A decision that depends on it is one.

import { both, replace } from './watchDates.ts';
import { hasOtherSurroundings, otherLanguage } from './surroundings.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/**
 * With digits and separators of their own, one for each of the other surroundings. In the first, which is the only one of a sample, and in the
 * last, a digit is two characters long: a decision on the length of a number shows there.
 */
const OF_NUMBERS = ['ff-Adlm-u-nu-adlm', 'ar-EG-u-nu-arab', 'es-u-nu-mathsans'] as const;
/** With an order in which `aa` comes last and capitals come first. */
const OF_TEXTS = ['da-u-kf-upper'] as const;
const OF_CASES = ['tr'] as const;

/** Methods, the place of the language among their arguments, and the other languages. */
const METHODS: readonly (readonly [object, string, number, readonly string[]])[] = [
  [Number.prototype, 'toLocaleString', 0, OF_NUMBERS],
  [BigInt.prototype, 'toLocaleString', 0, OF_NUMBERS],
  [String.prototype, 'localeCompare', 1, OF_TEXTS],
  [String.prototype, 'toLocaleUpperCase', 0, OF_CASES],
  [String.prototype, 'toLocaleLowerCase', 0, OF_CASES],
];
const CLASSES: readonly (readonly [string, readonly string[]])[] = [
  ['NumberFormat', OF_NUMBERS],
  ['Collator', OF_TEXTS],
  ['PluralRules', OF_NUMBERS],
  ['ListFormat', OF_TEXTS],
  ['RelativeTimeFormat', OF_NUMBERS],
  ['DisplayNames', OF_TEXTS],
];

/** Replaces the methods and classes whose results depend on the language of the machine. Returns functions that restore them. */
export function watchLanguages(): (() => void)[] {
  return [
    ...METHODS.map(([holder, name, localeIndex, others]) => watchMethod(holder, name, localeIndex, others)),
    ...CLASSES.map(watchClass),
    watchSupported(),
  ];
}

/** Lists of the zones, languages and currencies that a machine supports. In other surroundings, the last entry is missing. */
function watchSupported(): () => void {
  const real = Intl.supportedValuesOf;
  const supportedValuesOf: typeof real = (key) => (hasOtherSurroundings() ? real(key).slice(0, -1) : real(key));
  return replace(Intl, 'supportedValuesOf', supportedValuesOf);
}

/** Replaces a method by one that uses one of the `others` where the caller names no language. Returns a function that restores it. */
function watchMethod(holder: object, name: string, localeIndex: number, others: readonly string[]): () => void {
  const real: unknown = Reflect.get(holder, name);
  if (typeof real !== 'function') return () => {};
  const watchedMethod: Method = function (...args): unknown {
    return Reflect.apply(real, this, withLanguage(args, localeIndex, others));
  };
  Object.defineProperty(watchedMethod, 'name', { value: name });
  return replace(holder, name, watchedMethod);
}

/** Replaces a class of `Intl` by one that uses another language where the caller names none. Returns a function that restores it. */
function watchClass([name, others]: readonly [string, readonly string[]]): () => void {
  const Real: unknown = Reflect.get(Intl, name);
  if (typeof Real !== 'function') return () => {};
  const WatchedConstructor = function (this: unknown, ...args: unknown[]): unknown {
    return Reflect.construct(
      Real,
      withLanguage(args, 0, others),
      new.target === undefined || new.target === WatchedConstructor ? Real : new.target,
    );
  };
  const { prototype } = Real;
  for (const key of ['name', 'length', 'prototype', 'supportedLocalesOf']) {
    const descriptor = Object.getOwnPropertyDescriptor(Real, key);
    if (descriptor !== undefined) Object.defineProperty(WatchedConstructor, key, descriptor);
  }
  return both(replace(Intl, name, WatchedConstructor), replace(prototype as object, 'constructor', WatchedConstructor));
}

function withLanguage(args: readonly unknown[], localeIndex: number, others: readonly string[]): readonly unknown[] {
  const language = args[localeIndex] === undefined ? otherLanguage(others) : undefined;
  return language === undefined ? args : Object.assign([...args], { [localeIndex]: language });
}
