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
const ARRAY_ITERATOR_PROTOTYPE: object = Object.getPrototypeOf([][Symbol.iterator]());
const TYPED_ARRAYS = [
  Float64Array, Float32Array, Int32Array, Int16Array, Int8Array, Uint32Array, Uint16Array, Uint8Array, Uint8ClampedArray, BigInt64Array, BigUint64Array,
] as const; // prettier-ignore
/** The objects that `makeReadOnly` freezes, by their name in messages. */
const FROZEN_OBJECTS: readonly NamedObject[] = [
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
const ITERATOR_PROTOTYPE: object = Object.getPrototypeOf(ARRAY_ITERATOR_PROTOTYPE);
const GENERATOR_PROTOTYPE: object = Object.getPrototypeOf(Object.getPrototypeOf((function* () {})()));
/**
 * Prototypes whose sealed members alone are compared and fixed. Polyfills add and replace the others, and a strategy may assign them to its own
 * iterators, such as `return`.
 */
const OPEN_PROTOTYPES: readonly NamedObject[] = [
  ['Iterator.prototype', ITERATOR_PROTOTYPE],
  ['Generator.prototype', GENERATOR_PROTOTYPE],
];
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
/**
 * Global classes and objects that isobar reads at each use. It gives some of them objects that hold the columns of a feed. The watch replaces
 * none of them. Polyfills assign none of these, so they stay members with a value, which code reads faster than a getter.
 */
const FAST_GLOBALS: readonly string[] = ['Object', 'Array', 'Number', 'String', 'Boolean', 'Math', 'RegExp'];
/** More of these. Polyfills assign them where they are missing, as in `global.Map = global.Map || OwnMap`, so the same value may be assigned. */
const ASSIGNABLE_GLOBALS: readonly string[] = [
  'Symbol', 'BigInt', 'Map', 'Set', 'WeakMap', 'WeakSet', 'JSON', 'Reflect', 'Proxy', 'Promise', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView',
  ...TYPED_ARRAYS.map(({ name }) => name),
]; // prettier-ignore
const SEALED_GLOBALS: readonly string[] = [...FAST_GLOBALS, ...ASSIGNABLE_GLOBALS];
/** The classes whose own members decide what a method of their instances makes, such as a part of a column. */
const SEALED_CLASSES: readonly NamedObject[] = [['Array', Array], ['TypedArray', Object.getPrototypeOf(Float64Array)], ...TYPED_ARRAYS.map((each): NamedObject => [each.name, each])]; // prettier-ignore
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
const isSealed = (holder: object, key: string | symbol): boolean =>
  WALKING_MEMBERS.has(key) || key === Symbol.species || (key === 'constructor' && ARRAY_PROTOTYPES.has(holder));
/** True for a member that is reported when code adds it to this object. */
const isReportedAddition = (holder: object, key: string | symbol): boolean =>
  !isMetadataMember(holder, key) && (isSealed(holder, key) || OPEN_PROTOTYPES.every(([, prototype]) => prototype !== holder));
/** Members that no code can assign to a function or to a frozen list, whether or not built-ins are fixed. */
const NEVER_ASSIGNABLE = new Set<string | symbol>(['length', 'name', 'prototype']);
/** Matches a line of code that may define a sealed member. */
const SEALED_MEMBER_NAME = /iterator|next|species|constructor|proto/i;
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

/** Returns the sealed members of an object. */
function sealedDescriptorsOf(holder: object): Record<PropertyKey, PropertyDescriptor> {
  const descriptors = descriptorsOf(holder);
  return Object.fromEntries(Reflect.ownKeys(descriptors).flatMap((key) => (isSealed(holder, key) ? [[key, descriptors[key]!]] : [])));
}

/** Returns the functions of the global object. Node makes some of its other members at their first use. */
function functionDescriptorsOf(holder: object): Record<PropertyKey, PropertyDescriptor> {
  const descriptors = Object.getOwnPropertyDescriptors<object>(holder) as Record<PropertyKey, PropertyDescriptor>;
  return Object.fromEntries(Object.entries(descriptors).filter(([, { value }]) => typeof value === 'function'));
}

/** Members that libraries assign to single objects, such as `lodash.bind`, and core-js to its WeakMap. These assignments must still work. */
const ASSIGNABLE_MEMBERS: readonly (readonly [namedObject: NamedObject, keys: readonly string[]])[] = [
  [
    ['Function.prototype', Function.prototype],
    ['bind', 'toString'],
  ],
  [
    ['WeakMap.prototype', WeakMap.prototype],
    ['get', 'has', 'set'],
  ],
];

/** Receives an assignment to a member that cannot change. `name`: of the object. `below`: the function that the assignment calls. */
type OnAssignment = (name: string, key: string | symbol, below: (...args: never[]) => unknown) => void;

/**
 * Makes a member of a built-in read-only, but lets code assign a member of this name to any object that inherits it, such as to a single function.
 * An assignment of another value to the built-in itself calls `onAssignment`, and throws TypeError.
 */
function fixForAssignment([name, holder]: NamedObject, key: string | symbol, onAssignment: OnAssignment = () => {}): void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, key);
  if (descriptor?.configurable !== true) return;
  if (!('value' in descriptor)) return void Object.defineProperty(holder, key, { configurable: false });
  const real: unknown = descriptor.value;
  const set = function (this: object, value: unknown): void {
    if (this !== holder) return void Object.defineProperty(this, key, { value, writable: true, configurable: true, enumerable: true });
    if (Object.is(value, real)) return;
    onAssignment(name, key, set);
    throw new TypeError(`Cannot assign to read only property '${String(key)}' of object '#<${name.replace('.prototype', '')}>'`);
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

/** Receives assignments to members that `BuiltIns.seal` has fixed. */
let onSealedAssignment: OnAssignment = () => {};

/** The objects with sealed members, by name, once `BuiltIns.seal` has fixed them. */
const sealedNames = new Map<unknown, string>();

/** Calls `onSealedAssignment` for a definition of a sealed member. It fails, but `Reflect.defineProperty` and a `catch` would hide that. */
function noteDefinition(holder: unknown, key: PropertyKey, below: (...args: never[]) => unknown): void {
  const name = sealedNames.get(holder);
  if (name === undefined || typeof key === 'number') return;
  if (holder === globalThis ? SEALED_GLOBALS.includes(String(key)) : isSealed(holder as object, key)) onSealedAssignment(name, key, below);
}

/** Replaces the functions that define members by ones that call `noteDefinition` first. */
function watchDefinitions(): void {
  if (Object.getOwnPropertyDescriptor(Object, 'defineProperty')?.writable !== true) return;
  const { defineProperty, defineProperties } = Object;
  const { defineProperty: defineByReflect } = Reflect;
  const ofObject = {
    defineProperty: <T>(target: T, key: PropertyKey, descriptor: PropertyDescriptor & ThisType<unknown>): T => {
      noteDefinition(target, key, ofObject.defineProperty);
      return defineProperty(target, key, descriptor);
    },
    defineProperties: <T>(target: T, descriptors: PropertyDescriptorMap & ThisType<unknown>): T => {
      if (sealedNames.has(target)) for (const key of Reflect.ownKeys(descriptors)) noteDefinition(target, key, ofObject.defineProperties);
      return defineProperties(target, descriptors);
    },
  };
  const ofReflect = {
    defineProperty: (target: object, key: PropertyKey, descriptor: PropertyDescriptor & ThisType<unknown>): boolean => {
      noteDefinition(target, key, ofReflect.defineProperty);
      return defineByReflect(target, key, descriptor);
    },
  };
  Object.defineProperty = ofObject.defineProperty;
  Object.defineProperties = ofObject.defineProperties;
  Reflect.defineProperty = ofReflect.defineProperty;
}

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
    ...OPEN_PROTOTYPES.map(([name, holder]) => ({ name, holder, descriptors: sealedDescriptorsOf(holder) })),
    { name: 'globalThis', holder: globalThis, descriptors: functionDescriptorsOf(globalThis) },
  ];
  readonly #originalKeys = [...FROZEN_OBJECTS, ...OPEN_PROTOTYPES, ...WATCHED_PROTOTYPES, ...this.#globals].map(([name, holder]) => ({
    name,
    holder,
    keys: new Set(Reflect.ownKeys(holder)),
  }));

  /** Freezes the built-ins of this thread permanently: an assignment throws TypeError, and `Object.prototype` accepts no new members. */
  static makeReadOnly(): void {
    watchDefinitions();
    for (const [namedObject, keys] of ASSIGNABLE_MEMBERS) for (const key of keys) fixForAssignment(namedObject, key);
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
   * Fixes the members that `makeReadOnly` leaves as they are, and the global classes, permanently. Most built-in objects then accept no new
   * members. Code may replace such a member and put it back within one callback: only a fixed member shows that. Fixed members cost time, so
   * this is for a thread that makes no more runs at full speed. `onAssignment`: see `fixForAssignment`; the newest one is called.
   */
  static seal(onAssignment: OnAssignment): void {
    onSealedAssignment = onAssignment;
    const fix = (namedObject: NamedObject, key: string | symbol): void =>
      fixForAssignment(namedObject, key, (...assignment) => onSealedAssignment(...assignment));
    // A member of its own, because code could put another one in front of the inherited one.
    if (!Object.hasOwn(GENERATOR_PROTOTYPE, Symbol.iterator)) {
      const value: unknown = Reflect.get(ITERATOR_PROTOTYPE, Symbol.iterator);
      Object.defineProperty(GENERATOR_PROTOTYPE, Symbol.iterator, { value, writable: true, configurable: true });
    }
    for (const namedObject of [...FROZEN_OBJECTS, ...OPEN_PROTOTYPES, ...SEALED_CLASSES]) {
      const [, holder] = namedObject;
      for (const key of Reflect.ownKeys(holder)) if (isSealed(holder, key)) fix(namedObject, key);
      // A package may add members to `Reflect`. It is no prototype, so a new member of it is never called.
      if (holder !== Reflect && !OPEN_PROTOTYPES.includes(namedObject)) Object.preventExtensions(holder);
      makeFast(holder);
    }
    for (const name of ASSIGNABLE_GLOBALS) fix(['globalThis', globalThis], name);
    for (const name of FAST_GLOBALS) {
      const { configurable } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
      if (configurable === true) Object.defineProperty(globalThis, name, { writable: false, configurable: false });
    }
    for (const [name, holder] of [...FROZEN_OBJECTS, ...OPEN_PROTOTYPES, ...SEALED_CLASSES]) sealedNames.set(holder, name);
    sealedNames.set(globalThis, 'globalThis');
  }

  /**
   * Returns true for the message of the error that an attempt to change a fixed built-in throws. `line`: the source line that threw it; empty if
   * unknown. It is needed because some messages do not name the object: code that changes a frozen object of its own throws the same ones.
   */
  static isReadOnlyError(message: string, line: string): boolean {
    // A sealed member is a getter, so the text of its earlier descriptor with another value is invalid.
    if (message.startsWith('Invalid property descriptor')) return SEALED_MEMBER_NAME.test(line);
    const [, addedName] = /^Cannot (?:add|define) property (.*), object is not extensible/s.exec(message) ?? [];
    if (addedName !== undefined) return /proto/i.test(line) || isBuiltInMethod(addedName);
    const [, name, holderName] =
      /^Cannot (?:assign to read only|redefine|delete) property:? '?([^\s']+)'?(?: of (?:object|function) '(.*)')?/s.exec(message) ?? [];
    if (name === undefined || NEVER_ASSIGNABLE.has(name)) return false;
    if (SEALED_GLOBALS.includes(name) && (holderName === undefined || /\bglobal(?:This)?\b/.test(line))) return true;
    const isUnnamed = holderName === UNNAMED_OBJECT;
    return [...COMPARED_OBJECTS, ...OPEN_PROTOTYPES].some(
      ([, holder]) => memberKey(holder, name) !== undefined && (!isUnnamed || UNNAMED_OBJECTS.has(holder)),
    );
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
        warnings.add(warning('STATE_GLOBAL', replacedText(name, key)));
      }
    }
  }

  /** Reports the first new member of each object. */
  #reportAdded(warnings: WarningSink): void {
    for (const { name, holder, keys } of this.#originalKeys) {
      const added = Reflect.ownKeys(holder).find((key) => !keys.has(key) && isReportedAddition(holder, key));
      if (added === undefined) continue;
      keys.add(added);
      warnings.add(warning('STATE_GLOBAL', `the strategy adds ${name}.${String(added)}, which everything in its process shares`));
    }
  }
}

/** Returns the key of the member that a message names; undefined: the object has none of that name. */
const memberKey = (holder: object, name: string): string | symbol | undefined =>
  Reflect.ownKeys(holder).find((key) => String(key) === name);

/** True for the name of a method of a built-in. One of the same name in front of it would be called in its place. */
function isBuiltInMethod(name: string): boolean {
  return [...COMPARED_OBJECTS, ...OPEN_PROTOTYPES].some(([, holder]) => {
    const key = memberKey(holder, name);
    // Some getters throw on a prototype.
    return key !== undefined && typeof Reflect.getOwnPropertyDescriptor(holder, key)?.value === 'function';
  });
}

/** Returns the text of the warning about a member of a built-in that strategy code replaces. */
export const replacedText = (name: string, key: string | symbol): string =>
  `the strategy replaces ${name}.${String(key)}, which everything in its process shares and isobar calls`;

/** True when a member of a built-in is still the original one. */
function isSameMember(current: PropertyDescriptor | undefined, original: PropertyDescriptor): boolean {
  return current !== undefined && Object.is(current.value, original.value) && current.get === original.get && current.set === original.set;
}
