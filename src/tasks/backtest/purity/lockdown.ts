// Built-ins that isobar itself calls with data of the whole run: strategy code must not put its own in their place and look at that data.

import { warning, type WarningList } from '../../../model/warning.ts';

/** V8 watches these and gives up fast paths when they are touched, even with the same value; `random` is replaced for each run. */
const ONLY_COMPARED = new Set<string | symbol>(['constructor', 'next', 'then', 'resolve', 'length', 'random', Symbol.iterator, Symbol.species, Symbol.isConcatSpreadable]); // prettier-ignore

/** Where other code runs too: a test sets `Math.random`, and what watches another run replaces it and the maker of functions. */
const REPLACED_BY_OTHERS = new Set<string | symbol>(['random', 'constructor']);

const TYPED: object = Object.getPrototypeOf(Float64Array.prototype);
const HOLDERS: readonly (readonly [string, object])[] = [
  ...Object.entries({ Math, Object, Reflect, Number, Array, JSON }),
  ...[Map, WeakMap, Set, WeakSet, Array, Number, Function, ArrayBuffer, DataView].map((of): [string, object] => [`${of.name}.prototype`, of.prototype]),
  ['TypedArray.prototype', TYPED],
  ['ArrayIterator.prototype', Object.getPrototypeOf([][Symbol.iterator]())],
  ['MapIterator.prototype', Object.getPrototypeOf(new Map()[Symbol.iterator]())],
  ['SetIterator.prototype', Object.getPrototypeOf(new Set()[Symbol.iterator]())],
]; // prettier-ignore
const COMPARED: readonly (readonly [string, object])[] = [...HOLDERS, ['Object.prototype', Object.prototype]];
/** What reflect-metadata adds to `Reflect`: each copy of it that a process loads replaces them, and isobar gives them nothing of a run. */
const METADATA = /metadata(keys)?$|^decorate$/i;

function describe(holder: object): Record<PropertyKey, PropertyDescriptor> {
  const all = Object.getOwnPropertyDescriptors<object>(holder) as Record<PropertyKey, PropertyDescriptor>;
  if (holder === Reflect) for (const name of Object.keys(all)) if (METADATA.test(name)) Reflect.deleteProperty(all, name);
  return all;
}

/** The built-ins as they were; made before strategy code is loaded. */
export class BuiltIns {
  readonly #were = COMPARED.map(([name, holder]) => ({ name, holder, descriptors: describe(holder) }));

  /** Fixes the built-ins of this thread for good: whoever assigns to one gets a TypeError, and `Object.prototype` takes nothing new. */
  static fix(): void {
    for (const [, holder] of HOLDERS) {
      for (const key of Reflect.ownKeys(holder)) {
        const found = Object.getOwnPropertyDescriptor(holder, key);
        if (ONLY_COMPARED.has(key) || found === undefined || found.configurable !== true) continue;
        Object.defineProperty(holder, key, 'value' in found ? { writable: false, configurable: false } : { configurable: false });
      }
    }
    Object.preventExtensions(Object.prototype);
  }

  /** Reports those that are others now. `isAlone`: nobody but the strategy can have replaced one. */
  check(warnings: WarningList, isAlone: boolean): void {
    for (const { name, holder, descriptors } of this.#were) {
      for (const key of Reflect.ownKeys(descriptors)) {
        if (!isAlone && REPLACED_BY_OTHERS.has(key)) continue;
        const was = Reflect.get(descriptors, key);
        const is = Object.getOwnPropertyDescriptor(holder, key);
        if (is !== undefined && Object.is(is.value, was.value) && is.get === was.get && is.set === was.set) continue;
        warnings.add(
          warning('STATE_GLOBAL', `the strategy replaces ${name}.${String(key)}, which everything in its process shares and isobar calls`),
        );
      }
    }
  }
}
