// Watches the functions that define members of objects, so that a definition of a member of a built-in is reported with its line.

import { BUILT_IN_NAMES, isSealed, SEALED_GLOBALS } from './members.ts';

type AnyFunction = (...args: never[]) => unknown;

/** Receives an attempt to change a fixed member. `name`: of the object. `below`: the function that the code calls. */
export type OnAssignment = (name: string, key: string | symbol, below: AnyFunction) => void;

/** Receives attempts to change members that are fixed. */
let onFixedAssignment: OnAssignment = () => {};

/** Returns true when code of a package called the function. */
export let isByPackage: (below: AnyFunction) => boolean = () => false;

/** From now on, calls `listener` for each attempt to change a fixed member. The newest listener is called. */
export function listenToDefinitions(listener: OnAssignment): void {
  onFixedAssignment = listener;
}

/** Calls the listener for an attempt to change a fixed member. */
export const noteAssignment: OnAssignment = (...assignment) => onFixedAssignment(...assignment);

/** The members that packages have added to built-ins. */
const packageMembers = new Map<unknown, Set<PropertyKey>>();
/** The global object that core-js shares between its copies. It keeps symbols and functions of polyfills. */
const PACKAGE_STORE = '__core-js_shared__';

/** True for a member that a package has added to a built-in, as a polyfill does. */
export const isPackageMember = (holder: unknown, key: PropertyKey): boolean => packageMembers.get(holder)?.has(key) === true;

/**
 * Prepares the definition of a member of a built-in: notes it, or calls the listener if the member is fixed. Returns false where a package redefines a
 * fixed member, as polyfills do that correct rare faults: the definition is then left out, because the original member has to stay.
 */
function mayDefine(holder: unknown, key: PropertyKey, definition: PropertyDescriptor | null, below: AnyFunction): boolean {
  const name = BUILT_IN_NAMES.get(holder);
  if (name === undefined || typeof key === 'number') return true;
  const current = Reflect.getOwnPropertyDescriptor(holder as object, key);
  if (definition !== null && current !== undefined && 'value' in definition && Object.is(definition.value, current.value)) return true;
  if (current === undefined && definition !== null && isByPackage(below)) {
    // A package may keep state in a global of its own.
    const isState = holder === globalThis && key !== PACKAGE_STORE && typeof definition.value !== 'function';
    if (!isState) packageMembers.set(holder, (packageMembers.get(holder) ?? new Set()).add(key));
  }
  const isFixed = current?.configurable === false;
  const isKnown = holder === globalThis ? SEALED_GLOBALS.includes(String(key)) : isSealed(holder as object, key);
  if (!isFixed && !isKnown) return true;
  if (isFixed && isByPackage(below)) return false;
  onFixedAssignment(name, key, below);
  return true;
}

/** Replaces the functions that define or delete members by ones that call `mayDefine` first. `isOfPackage`: see `isByPackage`. */
export function watchDefinitions(isOfPackage: typeof isByPackage): void {
  isByPackage = isOfPackage;
  if (Object.getOwnPropertyDescriptor(Object, 'defineProperty')?.writable !== true) return;
  const { defineProperty } = Object;
  const { defineProperty: defineByReflect, deleteProperty } = Reflect;
  const ofObject = {
    defineProperty: <T>(target: T, key: PropertyKey, descriptor: PropertyDescriptor & ThisType<unknown>): T =>
      mayDefine(target, key, descriptor, ofObject.defineProperty) ? defineProperty(target, key, descriptor) : target,
    defineProperties: <T>(target: T, descriptors: PropertyDescriptorMap & ThisType<unknown>): T => {
      if (!BUILT_IN_NAMES.has(target)) return defineProperties(target, descriptors);
      for (const key of Reflect.ownKeys(descriptors)) {
        const descriptor: PropertyDescriptor = Reflect.get(descriptors, key);
        if (mayDefine(target, key, descriptor, ofObject.defineProperties)) defineProperty(target, key, descriptor);
      }
      return target;
    },
  };
  const { defineProperties } = Object;
  const ofReflect = {
    defineProperty: (target: object, key: PropertyKey, descriptor: PropertyDescriptor & ThisType<unknown>): boolean =>
      !mayDefine(target, key, descriptor, ofReflect.defineProperty) || defineByReflect(target, key, descriptor),
    deleteProperty: (target: object, key: PropertyKey): boolean => {
      mayDefine(target, key, null, ofReflect.deleteProperty);
      return deleteProperty(target, key);
    },
  };
  Object.defineProperty = ofObject.defineProperty;
  Object.defineProperties = ofObject.defineProperties;
  Reflect.defineProperty = ofReflect.defineProperty;
  Reflect.deleteProperty = ofReflect.deleteProperty;
  for (const name of ['__defineGetter__', '__defineSetter__']) watchLegacyDefinition(name, defineProperty);
}

/** Replaces an old function of `Object.prototype` that defines a getter or a setter. */
function watchLegacyDefinition(name: string, defineProperty: typeof Object.defineProperty): void {
  const real: unknown = Reflect.get(Object.prototype, name);
  if (typeof real !== 'function') return;
  const watched = function (this: unknown, key: PropertyKey, accessor: unknown): unknown {
    mayDefine(this, key, {}, watched);
    return Reflect.apply(real, this, [key, accessor]);
  };
  defineProperty(watched, 'name', { value: name });
  defineProperty(Object.prototype, name, { value: watched, writable: true, enumerable: false, configurable: true });
}
