// Protects the built-ins that isobar calls with data of the whole run: strategy code must not replace them to read that data.

import { Decimal } from '../../../base/number/decimal.ts';
import { warning } from '../../../model/warning.ts';
import type { WarningSink } from './purityWarning.ts';

/** A built-in object and its name in messages. */
type NamedObject = readonly [name: string, builtIn: object];

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
const FROZEN_OBJECTS: readonly NamedObject[] = [
  ...Object.entries({ Math, Object, Reflect, Number, Array, JSON }),
  ...[Map, WeakMap, Set, WeakSet, Array, Number, Function, ArrayBuffer, DataView].map((builtIn): [string, object] => [`${builtIn.name}.prototype`, builtIn.prototype]),
  ['TypedArray.prototype', TYPED_ARRAY_PROTOTYPE],
  ['ArrayIterator.prototype', Object.getPrototypeOf([][Symbol.iterator]())],
  ['MapIterator.prototype', Object.getPrototypeOf(new Map()[Symbol.iterator]())],
  ['SetIterator.prototype', Object.getPrototypeOf(new Set()[Symbol.iterator]())],
  // Each quantity that a strategy reads is a Decimal, and isobar calculates with the same class.
  ['Decimal.prototype', Decimal.prototype],
]; // prettier-ignore
/** The watch itself replaces members of these, so they are not frozen. */
const WATCHED_PROTOTYPES: readonly NamedObject[] = [Object, String, RegExp, Error, Promise, Date, Symbol, BigInt, Boolean].map(
  (builtIn) => [`${builtIn.name}.prototype`, builtIn.prototype],
);
/** Names of global functions and objects whose members are compared, too. */
const GLOBAL_NAMES = [
  'Date', 'String', 'RegExp', 'Promise', 'BigInt', 'Boolean', 'Map', 'Set', 'WeakMap', 'WeakSet', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView',
  'Function', 'Proxy', 'Intl', 'Atomics', 'WebAssembly', 'parseInt', 'parseFloat', 'isNaN', 'isFinite', 'structuredClone', 'console',
]; // prettier-ignore
/** The one global whose members a strategy may replace, to print elsewhere or not at all. */
const CONSOLE = 'console';
/** The objects whose members are compared with the originals. */
const COMPARED_OBJECTS: readonly NamedObject[] = [...FROZEN_OBJECTS, ['Object.prototype', Object.prototype]];
/** How a message names an object without a name, and the built-ins that it names so. */
const UNNAMED_OBJECT = '#<Object>';
const UNNAMED_OBJECTS: ReadonlySet<object> = new Set([Math, Reflect, JSON]);
/** Members that reflect-metadata adds to `Reflect`. Each loaded copy replaces them, and isobar passes them no data of a run. */
const METADATA_MEMBER = /metadata(keys)?$|^decorate$/i;

const isMetadataMember = (holder: object, key: string | symbol): boolean => holder === Reflect && METADATA_MEMBER.test(String(key));

/** Returns the members of an object, without those that reflect-metadata replaces. */
function descriptorsOf(holder: object): Record<PropertyKey, PropertyDescriptor> {
  const descriptors = Object.getOwnPropertyDescriptors<object>(holder) as Record<PropertyKey, PropertyDescriptor>;
  for (const name of Object.keys(descriptors)) if (isMetadataMember(holder, name)) Reflect.deleteProperty(descriptors, name);
  return descriptors;
}

/** Returns the functions of the global object. Node makes some of its other members at their first use. */
function functionDescriptorsOf(holder: object): Record<PropertyKey, PropertyDescriptor> {
  const descriptors = Object.getOwnPropertyDescriptors<object>(holder) as Record<PropertyKey, PropertyDescriptor>;
  return Object.fromEntries(Object.entries(descriptors).filter(([, { value }]) => typeof value === 'function'));
}

/** Members of `Function.prototype` that libraries assign to single functions, such as `lodash.bind`. These assignments must still work. */
const ASSIGNABLE_MEMBERS = ['bind', 'toString'] as const;

/** Makes a member of `Function.prototype` read-only, but lets code assign a member of this name to any single function. */
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

/** Number of reads through one line of code after which the virtual machine treats the object as a prototype. */
const LOOKUP_COUNT = 16;

/**
 * Restores the fast form in which the virtual machine stored an object before its members were redefined, by reading through an object whose prototype it is.
 * Hot: docs/performance.md#fast-built-ins.
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
    // Settings of Decimal, such as its precision, are members of the class.
    ['Decimal', Decimal] as const,
  ].flatMap(([name, holder]): NamedObject[] =>
    (typeof holder === 'object' && holder !== null) || typeof holder === 'function' ? [[name, holder]] : [],
  );
  readonly #originals = COMPARED_OBJECTS.map(([name, holder]) => ({ name, holder, descriptors: descriptorsOf(holder) }));
  /** Built-ins that other code may replace too, so they are compared only in a thread that runs strategies alone. */
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
        if (ONLY_COMPARED.has(key) || isMetadataMember(holder, key) || descriptor === undefined || descriptor.configurable !== true)
          continue;
        Object.defineProperty(holder, key, 'value' in descriptor ? { writable: false, configurable: false } : { configurable: false });
      }
    }
    Object.preventExtensions(Object.prototype);
    for (const [, holder] of FROZEN_OBJECTS) makeFast(holder);
  }

  /**
   * Returns true for the message of the error that an attempt to change a frozen built-in throws. `line`: the source line that threw it. It
   * is needed because the message about an object that accepts no new members does not name the object.
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
      const added = Reflect.ownKeys(holder).find((key) => !keys.has(key) && !isMetadataMember(holder, key));
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
