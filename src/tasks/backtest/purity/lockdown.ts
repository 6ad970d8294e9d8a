// Protects the built-ins that isobar calls with data of the whole run: strategy code must not replace them to read that data.

import { warning } from '../../../model/warning.ts';
import type { WarningSink } from './report.ts';

/** Members that are never redefined, but only compared; `random` is replaced for each run. Hot: docs/performance.md#watched-built-ins. */
const ONLY_COMPARED = new Set<string | symbol>(['constructor', 'next', 'then', 'resolve', 'length', 'random', 'toLocaleString', Symbol.iterator, Symbol.species, Symbol.isConcatSpreadable]); // prettier-ignore

/** Other code changes these too: a test sets `Math.random`, and the watch of another run replaces it and the function constructors. */
const REPLACED_BY_OTHERS = new Set<string | symbol>(['random', 'constructor']);

const TYPED: object = Object.getPrototypeOf(Float64Array.prototype);
const HOLDERS: readonly (readonly [string, object])[] = [
  ...Object.entries({ Math, Object, Reflect, Number, Array, JSON }),
  ...[Map, WeakMap, Set, WeakSet, Array, Number, Function, ArrayBuffer, DataView].map((builtIn): [string, object] => [`${builtIn.name}.prototype`, builtIn.prototype]),
  ['TypedArray.prototype', TYPED],
  ['ArrayIterator.prototype', Object.getPrototypeOf([][Symbol.iterator]())],
  ['MapIterator.prototype', Object.getPrototypeOf(new Map()[Symbol.iterator]())],
  ['SetIterator.prototype', Object.getPrototypeOf(new Set()[Symbol.iterator]())],
]; // prettier-ignore
/** Their members may be replaced by the watch itself, so only new ones are compared. */
const ADDED_TO: readonly (readonly [string, object])[] = [Object, String, RegExp, Error, Promise, Date, Symbol, BigInt, Boolean].map((builtIn) => [`${builtIn.name}.prototype`, builtIn.prototype]); // prettier-ignore
const COMPARED: readonly (readonly [string, object])[] = [...HOLDERS, ['Object.prototype', Object.prototype]];
/** Members that reflect-metadata adds to `Reflect`. Each loaded copy replaces them, and isobar passes them no data of a run. */
const METADATA = /metadata(keys)?$|^decorate$/i;

function describe(holder: object): Record<PropertyKey, PropertyDescriptor> {
  const all = Object.getOwnPropertyDescriptors<object>(holder) as Record<PropertyKey, PropertyDescriptor>;
  if (holder === Reflect) for (const name of Object.keys(all)) if (METADATA.test(name)) Reflect.deleteProperty(all, name);
  return all;
}

/** The built-ins as they were before strategy code was loaded. */
export class BuiltIns {
  readonly #were = COMPARED.map(([name, holder]) => ({ name, holder, descriptors: describe(holder) }));
  readonly #members = [...HOLDERS, ...ADDED_TO].map(([name, holder]) => ({ name, holder, keys: new Set(Reflect.ownKeys(holder)) }));

  /** Freezes the built-ins of this thread permanently: an assignment throws TypeError, and `Object.prototype` accepts no new members. */
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

  /** Reports built-ins that were replaced, and members that were added. `isAlone`: only strategy code can have replaced them. */
  check(warnings: WarningSink, isAlone: boolean): void {
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
    // Elsewhere any code of the process may add what it lacks.
    if (!isAlone) return;
    for (const { name, holder, keys } of this.#members) {
      const added = Reflect.ownKeys(holder).find((key) => !keys.has(key) && !(holder === Reflect && METADATA.test(String(key))));
      if (added === undefined) continue;
      keys.add(added);
      warnings.add(warning('STATE_GLOBAL', `the strategy adds ${name}.${String(added)}, which everything in its process shares`));
    }
  }
}
