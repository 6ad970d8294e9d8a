// Protects the built-ins that isobar calls with data of the whole run: strategy code must not replace them to read that data.

import { Decimal } from '../../../base/number/decimal.ts';
import { warning } from '../../../model/warning.ts';
import {
  ASSIGNABLE_GLOBALS,
  COMPARED_OBJECTS,
  CONSOLE,
  FAST_GLOBALS,
  FROZEN_OBJECTS,
  GENERATOR_PROTOTYPE,
  GLOBAL_NAMES,
  HIDING_OBJECTS,
  isMetadataMember,
  isSealed,
  ITERATOR_PROTOTYPE,
  ONLY_COMPARED,
  OPEN_PROTOTYPES,
  READ_ONLY_IN_RUN,
  REPLACED_BY_OTHERS,
  SEALED_CLASSES,
  SEALED_GLOBALS,
  WATCHED_PROTOTYPES,
  type NamedObject,
} from '../builtIns/members.ts';
import {
  isByPackage,
  isPackageMember,
  listenToDefinitions,
  noteAssignment,
  watchDefinitions,
  type OnAssignment,
} from '../builtIns/watchDefinitions.ts';
import type { WarningSink } from './purityWarning.ts';

/** Defines members for isobar itself, which is not reported. */
const { defineProperty: define } = Object;

/** True for a member that is reported when code adds it to this object. */
const isReportedAddition = (holder: object, key: string | symbol): boolean =>
  !isMetadataMember(holder, key) &&
  !isPackageMember(holder, key) &&
  (isSealed(holder, key) || OPEN_PROTOTYPES.every(([, prototype]) => prototype !== holder));

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

/** A global function that isobar calls only before strategies are loaded. Polyfills replace it in every version of Node. */
const CALLED_BEFORE_LOAD = 'structuredClone';

/** Returns the functions of the global object. Node makes some of its other members at their first use. */
function functionDescriptorsOf(holder: object): Record<PropertyKey, PropertyDescriptor> {
  const descriptors = Object.getOwnPropertyDescriptors<object>(holder) as Record<PropertyKey, PropertyDescriptor>;
  return Object.fromEntries(
    Object.entries(descriptors).filter(([name, { value }]) => typeof value === 'function' && name !== CALLED_BEFORE_LOAD),
  );
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

/**
 * Makes a member of a built-in read-only, but lets code assign a member of this name to any object that inherits it, such as to a single function.
 * An assignment of another value to the built-in itself calls `onAssignment`, and throws TypeError.
 */
function fixForAssignment([name, holder]: NamedObject, key: string | symbol, onAssignment: OnAssignment = () => {}): void {
  const descriptor = Object.getOwnPropertyDescriptor(holder, key);
  if (descriptor?.configurable !== true) return;
  if (!('value' in descriptor)) return void define(holder, key, { configurable: false });
  const real: unknown = descriptor.value;
  const set = function (this: object, value: unknown): void {
    if (this !== holder) return void define(this, key, { value, writable: true, configurable: true, enumerable: true });
    // A polyfill of a package that corrects a rare fault of other engines is left out.
    if (Object.is(value, real) || isByPackage(set)) return;
    onAssignment(name, key, set);
    throw new TypeError(`Cannot assign to read only property '${String(key)}' of object '#<${name.replace('.prototype', '')}>'`);
  };
  define(holder, key, { get: () => real, set, configurable: false, enumerable: false });
}

/** Number of reads through one line of code after which the virtual machine treats the object as a prototype. */
const LOOKUP_COUNT = 16;

/**
 * Restores the fast form in which the virtual machine stored an object before its members were redefined, by reading through an object whose prototype it is.
 * Such reads do it once for an object. A constructor whose prototype it becomes does it again. Hot: docs/performance.md#fast-built-ins.
 */
function makeFast(holder: object): void {
  const child = Object.create(holder) as object;
  for (let lookup = 0; lookup < LOOKUP_COUNT; lookup++) readConstructor(child);
  const construct = function (): void {};
  construct.prototype = holder;
  Reflect.construct(construct, []);
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
    ...OPEN_PROTOTYPES.map(([name, holder]) => ({ name, holder, descriptors: sealedDescriptorsOf(holder) })),
    { name: 'globalThis', holder: globalThis, descriptors: functionDescriptorsOf(globalThis) },
  ];
  readonly #originalKeys = [...FROZEN_OBJECTS, ...OPEN_PROTOTYPES, ...WATCHED_PROTOTYPES, ...this.#globals].map(([name, holder]) => ({
    name,
    holder,
    keys: new Set(Reflect.ownKeys(holder)),
  }));

  /** The global classes in the order in which the global object has them. One that code deletes and adds again becomes the last one. */
  readonly #globalOrder = orderOfGlobals();

  /**
   * Freezes the built-ins of this thread permanently: an assignment throws TypeError, and `Object.prototype` accepts no new members. Changes by a
   * package are left out. `isOfPackage`: true when code of a package called the function.
   */
  static makeReadOnly(isOfPackage: (below: (...args: never[]) => unknown) => boolean): void {
    watchDefinitions(isOfPackage);
    for (const [namedObject, keys] of ASSIGNABLE_MEMBERS) for (const key of keys) fixForAssignment(namedObject, key);
    for (const [, holder] of FROZEN_OBJECTS) {
      for (const key of Reflect.ownKeys(holder)) {
        const descriptor = Object.getOwnPropertyDescriptor(holder, key);
        if (ONLY_COMPARED.has(key) || isMetadataMember(holder, key) || descriptor === undefined || descriptor.configurable !== true)
          continue;
        define(holder, key, 'value' in descriptor ? { writable: false, configurable: false } : { configurable: false });
      }
    }
    Object.preventExtensions(Object.prototype);
    for (const [, holder] of FROZEN_OBJECTS) makeFast(holder);
  }

  /**
   * Makes members that `makeReadOnly` leaves as they are read-only, once strategies are loaded: polyfills assign some of them meanwhile. Costs a run
   * nothing: the fast paths stay. `onAssignment` receives definitions of fixed members. `seal` can still fix the global classes its way.
   */
  static guard(onAssignment: OnAssignment): void {
    listenToDefinitions(onAssignment);
    for (const [holder, key] of READ_ONLY_IN_RUN) {
      const descriptor = Object.getOwnPropertyDescriptor(holder, key);
      if (descriptor?.configurable !== true) continue;
      define(holder, key, 'value' in descriptor ? { writable: false, configurable: false } : { configurable: false });
      makeFast(holder);
    }
    for (const holder of HIDING_OBJECTS) Object.preventExtensions(holder);
    for (const name of SEALED_GLOBALS) {
      const descriptor = Object.getOwnPropertyDescriptor(globalThis, name);
      if (descriptor?.configurable === true && 'value' in descriptor) define(globalThis, name, { writable: false });
    }
  }

  /**
   * Fixes the members that `makeReadOnly` leaves as they are, and the global classes, permanently. Most built-in objects then accept no new
   * members. Code may replace such a member and put it back within one callback: only a fixed member shows that. Fixed members cost time, so
   * this is for a thread that makes no more runs at full speed. `onAssignment`: see `fixForAssignment`; the newest one is called.
   */
  static seal(onAssignment: OnAssignment): void {
    listenToDefinitions(onAssignment);
    const fix = (namedObject: NamedObject, key: string | symbol): void => fixForAssignment(namedObject, key, noteAssignment);
    // A member of its own, because code could put another one in front of the inherited one.
    if (!Object.hasOwn(GENERATOR_PROTOTYPE, Symbol.iterator)) {
      const value: unknown = Reflect.get(ITERATOR_PROTOTYPE, Symbol.iterator);
      define(GENERATOR_PROTOTYPE, Symbol.iterator, { value, writable: true, configurable: true });
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
      if (configurable === true) define(globalThis, name, { writable: false, configurable: false });
    }
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
        if ((!isAlone && REPLACED_BY_OTHERS.has(key)) || isPackageMember(holder, key)) continue;
        if (isSameMember(Object.getOwnPropertyDescriptor(holder, key), Reflect.get(descriptors, key))) continue;
        warnings.add(warning('STATE_GLOBAL', replacedText(name, key)));
      }
    }
    if (!isAlone) return;
    const order = orderOfGlobals();
    if (order.some((name, index) => name !== this.#globalOrder[index]))
      warnings.add(warning('STATE_GLOBAL', replacedText('globalThis', order.at(-1)!)));
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

/** Returns the names of the sealed globals in their order on the global object. */
const orderOfGlobals = (): readonly string[] => Object.getOwnPropertyNames(globalThis).filter((name) => SEALED_GLOBALS.includes(name));

/** Returns the text of the warning about a member of a built-in that strategy code replaces. */
export const replacedText = (name: string, key: string | symbol): string =>
  `the strategy replaces ${name}.${String(key)}, which everything in its process shares and isobar calls`;

/** True when a member of a built-in is still the original one. */
function isSameMember(current: PropertyDescriptor | undefined, original: PropertyDescriptor): boolean {
  return current !== undefined && Object.is(current.value, original.value) && current.get === original.get && current.set === original.set;
}
