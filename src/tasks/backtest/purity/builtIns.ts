// Protects the built-ins that isobar calls with data of the whole run: strategy code must not replace them to read that data.

import { Decimal } from '../../../base/number/decimal.ts';
import { warning } from '../../../model/warning.ts';
import type { WarningSink } from './purityWarning.ts';

/** Members that are never redefined, but only compared; `random` is replaced for each run. Hot: docs/performance.md#watched-built-ins. */
const ONLY_COMPARED = new Set<string | symbol>([
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
const REPLACED_BY_OTHERS = new Set<string | symbol>(['random', 'constructor']);

const TYPED_ARRAY_PROTOTYPE: object = Object.getPrototypeOf(Float64Array.prototype);
/** The objects that `makeReadOnly` freezes, by their name in messages. */
const FROZEN_OBJECTS: readonly (readonly [string, object])[] = [
  ...Object.entries({ Math, Object, Reflect, Number, Array, JSON }),
  ...[Map, WeakMap, Set, WeakSet, Array, Number, Function, ArrayBuffer, DataView].map((builtIn): [string, object] => [`${builtIn.name}.prototype`, builtIn.prototype]),
  ['TypedArray.prototype', TYPED_ARRAY_PROTOTYPE],
  ['ArrayIterator.prototype', Object.getPrototypeOf([][Symbol.iterator]())],
  ['MapIterator.prototype', Object.getPrototypeOf(new Map()[Symbol.iterator]())],
  ['SetIterator.prototype', Object.getPrototypeOf(new Set()[Symbol.iterator]())],
  // A strategy reaches it by each quantity that it reads. isobar counts with it.
  ['Decimal.prototype', Decimal.prototype],
]; // prettier-ignore
/** The watch itself replaces members of these, so they are not frozen. */
const WATCHED_PROTOTYPES: readonly (readonly [string, object])[] = [
  Object,
  String,
  RegExp,
  Error,
  Promise,
  Date,
  Symbol,
  BigInt,
  Boolean,
].map((builtIn) => [`${builtIn.name}.prototype`, builtIn.prototype]);
/** Functions and objects with members of their own. */
const GLOBAL_NAMES = [
  'Date', 'String', 'RegExp', 'Promise', 'BigInt', 'Boolean', 'Map', 'Set', 'WeakMap', 'WeakSet', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView',
  'Function', 'Proxy', 'Intl', 'Atomics', 'WebAssembly', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'structuredClone', 'console',
]; // prettier-ignore
/** Strategies may print elsewhere, or not at all. */
const CONSOLE = 'console';
/** The objects whose members are compared with the originals. */
const COMPARED_OBJECTS: readonly (readonly [string, object])[] = [...FROZEN_OBJECTS, ['Object.prototype', Object.prototype]];
/** How a message names an object without a name, and the built-ins that it names so. */
const UNNAMED_OBJECT = '#<Object>';
const UNNAMED_OBJECTS: ReadonlySet<object> = new Set([Math, Reflect, JSON]);
/** Members that reflect-metadata adds to `Reflect`. Each loaded copy replaces them, and isobar passes them no data of a run. */
const METADATA_MEMBER = /metadata(keys)?$|^decorate$/i;

/** Returns the members of an object, without those that reflect-metadata replaces. */
function descriptorsOf(holder: object): Record<PropertyKey, PropertyDescriptor> {
  const all = Object.getOwnPropertyDescriptors<object>(holder) as Record<PropertyKey, PropertyDescriptor>;
  if (holder === Reflect) for (const name of Object.keys(all)) if (METADATA_MEMBER.test(name)) Reflect.deleteProperty(all, name);
  return all;
}

/** Returns the functions of the global object. Node makes some of its other members at their first use. */
function functionDescriptorsOf(holder: object): Record<PropertyKey, PropertyDescriptor> {
  const all = Object.getOwnPropertyDescriptors<object>(holder) as Record<PropertyKey, PropertyDescriptor>;
  return Object.fromEntries(Object.entries(all).filter(([, { value }]) => typeof value === 'function'));
}

/** Members that functions of libraries have of their own: assignments to those must work, as of `lodash.bind`. */
const ASSIGNABLE_MEMBERS = ['bind', 'toString'] as const;

/** Fixes a member of `Function.prototype`, but lets each function have one of its own by assignment. */
function fixForAssignment(key: (typeof ASSIGNABLE_MEMBERS)[number]): void {
  const holder = Function.prototype;
  const descriptor = Object.getOwnPropertyDescriptor(holder, key);
  if (descriptor?.configurable !== true || !('value' in descriptor)) return;
  const real: unknown = descriptor.value;
  const set = function (this: object, value: unknown): void {
    if (this === holder) throw new TypeError(`Cannot assign to read only property '${key}' of object '#<Function>'`);
    Object.defineProperty(this, key, { value, writable: true, configurable: true, enumerable: true });
  };
  Object.defineProperty(holder, key, { get: () => real, set, configurable: false, enumerable: false });
}

/** Lookups of one place after which the virtual machine has looked at the prototype. */
const LOOKUP_COUNT = 16;

/**
 * Gives an object whose members were redefined the fast form that it had before: as the prototype of an object that is read. Hot:
 * docs/performance.md#fast-built-ins.
 */
function makeFast(holder: object): void {
  const child = Object.create(holder) as object;
  for (let lookup = 0; lookup < LOOKUP_COUNT; lookup++) readConstructor(child);
}

const readConstructor = (child: object): unknown => child.constructor;

/** The built-ins as they were before strategy code was loaded. */
export class BuiltIns {
  readonly #globals = [
    ...GLOBAL_NAMES.map((name): readonly [string, unknown] => [name, Reflect.get(globalThis, name)]),
    // Its settings, such as its precision, are members too.
    ['Decimal', Decimal] as const,
  ].flatMap(([name, holder]): (readonly [string, object])[] =>
    (typeof holder === 'object' && holder !== null) || typeof holder === 'function' ? [[name, holder]] : [],
  );
  readonly #originals = COMPARED_OBJECTS.map(([name, holder]) => ({ name, holder, descriptors: descriptorsOf(holder) }));
  /** What only code of this thread can have replaced. */
  readonly #threadOriginals = [
    ...[...WATCHED_PROTOTYPES, ...this.#globals]
      .filter(([name, holder]) => name !== CONSOLE && holder !== Object.prototype)
      .map(([name, holder]) => ({ name, holder, descriptors: descriptorsOf(holder) })),
    { name: 'globalThis', holder: globalThis, descriptors: functionDescriptorsOf(globalThis) },
  ];
  readonly #originalKeys = [...FROZEN_OBJECTS, ...WATCHED_PROTOTYPES, ...this.#globals].map(([name, holder]) => ({
    name,
    holder,
    keys: new Set(Reflect.ownKeys(holder)),
  }));

  /** Freezes the built-ins of this thread permanently: an assignment throws TypeError, and `Object.prototype` accepts no new members. */
  static makeReadOnly(): void {
    ASSIGNABLE_MEMBERS.forEach(fixForAssignment);
    for (const [, holder] of FROZEN_OBJECTS) {
      for (const key of Reflect.ownKeys(holder)) {
        const descriptor = Object.getOwnPropertyDescriptor(holder, key);
        if (ONLY_COMPARED.has(key) || descriptor === undefined || descriptor.configurable !== true) continue;
        Object.defineProperty(holder, key, 'value' in descriptor ? { writable: false, configurable: false } : { configurable: false });
      }
    }
    Object.preventExtensions(Object.prototype);
    for (const [, holder] of FROZEN_OBJECTS) makeFast(holder);
  }

  /**
   * Returns true for the message of the error that an attempt to change a fixed built-in throws. `line`: the text of the line that threw it:
   * an object that accepts no new members is named in no message.
   */
  static isReadOnlyError(message: string, line: string): boolean {
    if (/object is not extensible/.test(message)) return /proto/i.test(line);
    const [, name, holderName] =
      /^Cannot (?:assign to read only|redefine|delete) property:? '?([^\s']+)'?(?: of (?:object|function) '(.*)')?/s.exec(message) ?? [];
    if (name === undefined) return false;
    const isUnnamed = holderName === UNNAMED_OBJECT;
    return COMPARED_OBJECTS.some(([, holder]) => Object.hasOwn(holder, name) && (!isUnnamed || UNNAMED_OBJECTS.has(holder)));
  }

  /** Reports built-ins that were replaced, and members that were added. `isAlone`: only strategy code can have replaced them. */
  check(warnings: WarningSink, isAlone: boolean): void {
    this.#reportReplaced(warnings, isAlone);
    // In a process with other code, that code may have added members.
    if (isAlone) this.#reportAdded(warnings);
  }

  /** Reports members that are no longer the original ones. */
  #reportReplaced(warnings: WarningSink, isAlone: boolean): void {
    const originals = isAlone ? [...this.#originals, ...this.#threadOriginals] : this.#originals;
    for (const { name, holder, descriptors } of originals) {
      for (const key of Reflect.ownKeys(descriptors)) {
        if (!isAlone && REPLACED_BY_OTHERS.has(key)) continue;
        if (isSameMember(Object.getOwnPropertyDescriptor(holder, key), Reflect.get(descriptors, key))) continue;
        warnings.add(
          warning('STATE_GLOBAL', `the strategy replaces ${name}.${String(key)}, which everything in its process shares and isobar calls`),
        );
      }
    }
  }

  /** Reports the first new member of each object. */
  #reportAdded(warnings: WarningSink): void {
    for (const { name, holder, keys } of this.#originalKeys) {
      const isMetadata = (key: string | symbol): boolean => holder === Reflect && METADATA_MEMBER.test(String(key));
      const added = Reflect.ownKeys(holder).find((key) => !keys.has(key) && !isMetadata(key));
      if (added === undefined) continue;
      keys.add(added);
      warnings.add(warning('STATE_GLOBAL', `the strategy adds ${name}.${String(added)}, which everything in its process shares`));
    }
  }
}

/** True when a member of a built-in is still the original one. */
function isSameMember(current: PropertyDescriptor | undefined, original: PropertyDescriptor): boolean {
  return current !== undefined && Object.is(current.value, original.value) && current.get === original.get && current.set === original.set;
}
