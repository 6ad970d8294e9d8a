// Lists the built-ins that isobar calls with data of the whole run, and the members of theirs that a run watches.

import { Decimal } from '../../../base/number/decimal.ts';

/** A built-in object and its name in messages. */
export type NamedObject = readonly [name: string, builtIn: object];

/** Members that are never redefined, but only compared; `random` is replaced for each run. Hot: docs/performance.md#watched-built-ins. */
export const ONLY_COMPARED = new Set<string | symbol>([
  'constructor',
  'next',
  'then',
  'resolve',
  'length',
  'random',
  'toLocaleString',
  Symbol.iterator,
  Symbol.species,
  Symbol.isConcatSpreadable,
]);

/** Other code changes these too: a test sets `Math.random`, and the watch of another run replaces it and the function constructors. */
export const REPLACED_BY_OTHERS = new Set<string | symbol>(['random', 'constructor']);

export const TYPED_ARRAY_PROTOTYPE: object = Object.getPrototypeOf(Float64Array.prototype);
export const ARRAY_ITERATOR_PROTOTYPE: object = Object.getPrototypeOf([][Symbol.iterator]());
export const TYPED_ARRAYS = [
  Float64Array, Float32Array, Int32Array, Int16Array, Int8Array, Uint32Array, Uint16Array, Uint8Array, Uint8ClampedArray, BigInt64Array, BigUint64Array,
] as const; // prettier-ignore
/** The objects that `makeReadOnly` freezes, by their name in messages. */
export const FROZEN_OBJECTS: readonly NamedObject[] = [
  ...Object.entries({ Math, Object, Reflect, Number, Array, JSON }),
  ...[Map, WeakMap, Set, WeakSet, Array, Number, Function, ArrayBuffer, DataView].map((builtIn): [string, object] => [`${builtIn.name}.prototype`, builtIn.prototype]),
  ['TypedArray.prototype', TYPED_ARRAY_PROTOTYPE],
  ...TYPED_ARRAYS.map(({ name, prototype }): [string, object] => [`${name}.prototype`, prototype]),
  ['ArrayIterator.prototype', ARRAY_ITERATOR_PROTOTYPE],
  ['MapIterator.prototype', Object.getPrototypeOf(new Map()[Symbol.iterator]())],
  ['SetIterator.prototype', Object.getPrototypeOf(new Set()[Symbol.iterator]())],
  // Each quantity that a strategy reads is a Decimal, and isobar calculates with the same class.
  ['Decimal.prototype', Decimal.prototype],
]; // prettier-ignore
export const ITERATOR_PROTOTYPE: object = Object.getPrototypeOf(ARRAY_ITERATOR_PROTOTYPE);
export const GENERATOR_PROTOTYPE: object = Object.getPrototypeOf(Object.getPrototypeOf((function* () {})()));
/**
 * Prototypes whose sealed members alone are compared and fixed. Polyfills add and replace the others, and a strategy may assign them to its own
 * iterators, such as `return`.
 */
export const OPEN_PROTOTYPES: readonly NamedObject[] = [
  ['Iterator.prototype', ITERATOR_PROTOTYPE],
  ['Generator.prototype', GENERATOR_PROTOTYPE],
];
/** Prototypes in which the watch itself replaces members, so they are not frozen. */
export const WATCHED_PROTOTYPES: readonly NamedObject[] = [Object, String, RegExp, Error, Promise, Date, Symbol, BigInt, Boolean].map(
  (builtIn) => [`${builtIn.name}.prototype`, builtIn.prototype],
);
/** Names of global functions and objects whose members are compared, too. */
export const GLOBAL_NAMES = [
  'Date', 'String', 'RegExp', 'Promise', 'BigInt', 'Boolean', 'Map', 'Set', 'WeakMap', 'WeakSet', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView',
  'Function', 'Proxy', 'Intl', 'Atomics', 'WebAssembly', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'structuredClone', 'console',
]; // prettier-ignore
/** The one global whose members a strategy may replace, to print elsewhere or not at all. */
export const CONSOLE = 'console';
/**
 * Global classes and objects that isobar reads at each use, some of them with the columns of a feed as arguments. Neither the watch nor polyfills
 * replace these globals. So they stay members with a value, which code reads faster than a getter.
 */
export const FAST_GLOBALS: readonly string[] = ['Object', 'Array', 'Number', 'String', 'Boolean', 'Math', 'RegExp'];
/** Further globals that isobar reads. Polyfills assign missing ones, as in `global.Map = global.Map || OwnMap`, so the same value may be assigned. */
export const ASSIGNABLE_GLOBALS: readonly string[] = [
  'Symbol', 'BigInt', 'Map', 'Set', 'WeakMap', 'WeakSet', 'JSON', 'Reflect', 'Proxy', 'Promise', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView',
  ...TYPED_ARRAYS.map(({ name }) => name),
]; // prettier-ignore
export const SEALED_GLOBALS: readonly string[] = [...FAST_GLOBALS, ...ASSIGNABLE_GLOBALS];
/** The classes whose own members decide what a method of their instances makes, such as a part of a column. */
export const SEALED_CLASSES: readonly NamedObject[] = [['Array', Array], ['TypedArray', Object.getPrototypeOf(Float64Array)], ...TYPED_ARRAYS.map((each): NamedObject => [each.name, each])]; // prettier-ignore
/** Members that decide how a list is walked. */
const WALKING_MEMBERS = new Set<string | symbol>(['next', Symbol.iterator]);
/** Objects whose member `constructor` decides what a method of an array makes. */
const ARRAY_PROTOTYPES = new Set<object>([
  Array.prototype,
  TYPED_ARRAY_PROTOTYPE,
  ArrayBuffer.prototype,
  ...TYPED_ARRAYS.map(({ prototype }) => prototype),
]);

/** True for a member that is only compared, and that isobar calls with objects. */
export const isSealed = (holder: object, key: string | symbol): boolean =>
  WALKING_MEMBERS.has(key) || key === Symbol.species || (key === 'constructor' && ARRAY_PROTOTYPES.has(holder));
/** The objects whose members are compared with the originals. */
export const COMPARED_OBJECTS: readonly NamedObject[] = [...FROZEN_OBJECTS, ['Object.prototype', Object.prototype]];
/** Members that a run makes read-only once strategies are loaded. `FastPaths` watches the others that are only compared. */
export const READ_ONLY_IN_RUN: readonly (readonly [holder: object, key: string | symbol])[] = [
  [Map.prototype, Symbol.iterator],
  [TYPED_ARRAY_PROTOTYPE, Symbol.iterator],
  [TYPED_ARRAY_PROTOTYPE, 'constructor'],
  [Object.getPrototypeOf(Float64Array), Symbol.species],
  [ArrayBuffer.prototype, 'constructor'],
];
/** Objects on which a new member would hide an inherited one that isobar calls, such as `subarray` of a column. */
export const HIDING_OBJECTS: readonly object[] = [
  TYPED_ARRAY_PROTOTYPE,
  ...TYPED_ARRAYS.flatMap((each) => [each, each.prototype]),
  ...[[], new Map(), new Set()].map((list): object => Object.getPrototypeOf(list[Symbol.iterator]())),
];
/** Names of the built-ins whose definitions are watched. */
export const BUILT_IN_NAMES: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ...[...WATCHED_PROTOTYPES, ...FROZEN_OBJECTS, ...OPEN_PROTOTYPES, ...SEALED_CLASSES].map(([name, holder]) => [holder, name] as const),
  ...GLOBAL_NAMES.filter((name) => name !== CONSOLE).map((name) => [Reflect.get(globalThis, name), name] as const),
  [globalThis, 'globalThis'],
]);
/** Members that reflect-metadata adds to `Reflect`. Each loaded copy replaces them, and isobar passes them no data of a run. */
const METADATA_MEMBER = /metadata(keys)?$|^decorate$/i;

export const isMetadataMember = (holder: object, key: string | symbol): boolean => holder === Reflect && METADATA_MEMBER.test(String(key));
