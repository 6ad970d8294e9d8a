// Sets another language for texts and orders that follow the language of the machine, while a run has other surroundings.
//
// Code that names no language is not a fault by itself: a text may only be logged. A decision that depends on it is one.

import { both, replace } from './dates.ts';
import { hasOtherSurroundings, otherLanguage } from './surroundings.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** With digits of its own, and with an order in which `aa` comes last and capitals come first. */
const OF_NUMBERS = 'ar-EG-u-nu-arab';
const OF_TEXTS = 'da-u-kf-upper';

/** Methods, the place of the language among their arguments, and the other language. */
const METHODS: readonly (readonly [object, string, number, string])[] = [
  [Number.prototype, 'toLocaleString', 0, OF_NUMBERS],
  [BigInt.prototype, 'toLocaleString', 0, OF_NUMBERS],
  [String.prototype, 'localeCompare', 1, OF_TEXTS],
  [String.prototype, 'toLocaleUpperCase', 0, 'tr'],
  [String.prototype, 'toLocaleLowerCase', 0, 'tr'],
];
const CLASSES: readonly (readonly [string, string])[] = [
  ['NumberFormat', OF_NUMBERS],
  ['Collator', OF_TEXTS],
  ['PluralRules', OF_NUMBERS],
  ['ListFormat', OF_TEXTS],
  ['RelativeTimeFormat', OF_NUMBERS],
  ['DisplayNames', OF_TEXTS],
];

/** Replaces what follows the language of the machine. Returns functions that restore it. */
export function watchLanguages(): (() => void)[] {
  return [
    ...METHODS.map(([holder, name, at, other]) => watchMethod(holder, name, at, other)),
    ...CLASSES.map(watchClass),
    watchSupported(),
  ];
}

/** What a machine knows of zones, languages and currencies: another one lacks the last. */
function watchSupported(): () => void {
  const real = Intl.supportedValuesOf;
  const supportedValuesOf: typeof real = (key) => (hasOtherSurroundings() ? real(key).slice(0, -1) : real(key));
  return replace(Intl, 'supportedValuesOf', supportedValuesOf);
}

/** Replaces a method by one that uses the language `other` where the caller names none. Returns a function that restores it. */
function watchMethod(holder: object, name: string, at: number, other: string): () => void {
  const real: unknown = Reflect.get(holder, name);
  if (typeof real !== 'function') return () => {};
  const watched: Method = function (...args): unknown {
    return Reflect.apply(real, this, withLanguage(args, at, other));
  };
  Object.defineProperty(watched, 'name', { value: name });
  return replace(holder, name, watched);
}

/** Replaces a class of `Intl` by one that uses another language where the caller names none. Returns a function that restores it. */
function watchClass([name, other]: readonly [string, string]): () => void {
  const Real: unknown = Reflect.get(Intl, name);
  if (typeof Real !== 'function') return () => {};
  const Watched = function (this: unknown, ...args: unknown[]): unknown {
    return Reflect.construct(Real, withLanguage(args, 0, other), new.target === undefined || new.target === Watched ? Real : new.target);
  };
  const { prototype } = Real;
  for (const key of ['name', 'length', 'prototype', 'supportedLocalesOf']) {
    const found = Object.getOwnPropertyDescriptor(Real, key);
    if (found !== undefined) Object.defineProperty(Watched, key, found);
  }
  return both(replace(Intl, name, Watched), replace(prototype as object, 'constructor', Watched));
}

function withLanguage(args: readonly unknown[], at: number, other: string): readonly unknown[] {
  const language = args[at] === undefined ? otherLanguage(other) : undefined;
  return language === undefined ? args : Object.assign([...args], { [at]: language });
}
