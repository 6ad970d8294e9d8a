// Records of answers: their members described once, read from every known name and written under the specification's.

import { isObject, jsonNumber, type Json, type JsonObject } from '../json/json.ts';
import { id, idText, memberOf, Mismatch, scalarText, type Value } from './value.ts';
import type { Variants } from './variants.ts';

/** One member of a record; most stand under one name, an order id under two. */
export interface Field<T> {
  /** What stands in it. */
  readonly value: Value<unknown>;
  /** On the wire, the written one first; under any of them it is read. */
  readonly names: readonly string[];
  /** Null is a value of it. */
  readonly canBeNull: boolean;
  /** The name that the record gives it, unless it says another. */
  named(own: string): Field<T>;
  /** Throws Mismatch. */
  read(from: JsonObject): T;
  write(value: T, variants: Variants, into: Map<string, Json>): void;
}

interface Options<T> {
  /** What an absent or null member is; without it the record is refused. */
  readonly absent?: { readonly value: T };
  readonly write?: (value: T, variants: Variants, name: string, into: Map<string, Json>) => void;
}

function field<T>(value: Value<T>, names: readonly string[], options: Options<T>): Field<T> {
  const [first = ''] = names;
  return {
    value,
    names,
    canBeNull: options.absent !== undefined,
    named: (own) => (first === '' ? field(value, [own], options) : field(value, names, options)),
    read(from) {
      for (const name of names) {
        const json = from.get(name);
        if (json === undefined || json === null) continue;
        try {
          return value.read(json);
        } catch (error) {
          if (error instanceof Mismatch) error.within(name);
          throw error;
        }
      }
      if (options.absent) return options.absent.value;
      throw new Mismatch(value.kind, from.get(first)).within(first);
    },
    write(of, variants, into) {
      if (options.write) options.write(of, variants, first, into);
      else into.set(first, value.write(of, variants));
    },
  };
}

/** A member without which the record is refused. `names`: on the wire, the written one first; by default the record's own. */
export const required = <T>(value: Value<T>, ...names: readonly string[]): Field<T> => field(value, names, {});

/** A member that may be missing or null; null is left out when written. */
export function optional<T>(value: Value<T>, ...names: readonly string[]): Field<T | null> {
  return field<T | null>(wide(value), names, {
    absent: { value: null },
    write(of, variants, name, into) {
      if (of !== null) into.set(name, value.write(of, variants));
    },
  });
}

/** A member that may be missing or null; null is written as null. */
export function nullable<T>(value: Value<T>, ...names: readonly string[]): Field<T | null> {
  return field<T | null>(wide(value), names, {
    absent: { value: null },
    write: (of, variants, name, into) => into.set(name, of === null ? null : value.write(of, variants)),
  });
}

/** As optional, and written only where a switch asks for it. */
export function optionalWhere<T>(on: (variants: Variants) => boolean, value: Value<T>, ...names: readonly string[]): Field<T | null> {
  return field<T | null>(wide(value), names, {
    absent: { value: null },
    write(of, variants, name, into) {
      if (of !== null && on(variants)) into.set(name, value.write(of, variants));
    },
  });
}

/** A client order id: null where it is absent, empty or `0`; written as `0`, or not at all where a switch leaves it out. */
export function clientIdField(
  value: Value<string | null>,
  on: (variants: Variants) => boolean = () => true,
  ...names: readonly string[]
): Field<string | null> {
  return field(value, names, {
    absent: { value: null },
    write(of, variants, name, into) {
      if (on(variants)) into.set(name, value.write(of, variants));
    },
  });
}

/** `value` where null is read elsewhere. */
const wide = <T>(value: Value<T>): Value<T | null> => ({
  ...value,
  write: (of, variants) => (of === null ? null : value.write(of, variants)),
});

/**
 * The id of a spot order under `orderId` (a number, text, or a list of one) and, sometimes, `orderIdString`. Where both stand they
 * have to agree: a service that cannot say which order it means has not said it.
 */
export function orderIdField(options: { readonly withText: boolean; readonly form: 'number' | 'switch' }): Field<string> {
  const made: Field<string> = {
    value: id,
    names: ['orderId', 'orderIdString'],
    canBeNull: false,
    named: () => made,
    read(from) {
      const [plain, text] = [from.get('orderId') ?? null, from.get('orderIdString') ?? null];
      const found = idText(plain) ?? idText(text);
      if (found === null) throw new Mismatch('an order id', from.get('orderId')).within('orderId');
      if (text !== null && plain !== null && scalarText(text) !== found)
        throw new Mismatch(`orderIdString ${found}`, text).within('orderIdString');
      return found;
    },
    write(value, { spotOrderId }, into) {
      const form = options.form === 'switch' ? spotOrderId : 'number';
      into.set('orderId', form === 'array' ? [value] : jsonNumber(value));
      if (options.withText || form === 'both') into.set('orderIdString', value);
    },
  };
  return made;
}

export interface RecordValue<T> extends Value<T> {
  readonly fields: Readonly<Record<string, Field<never>>>;
}

/** The value of a JSON object with these members; others are ignored. */
export function record<F extends Record<string, unknown>>(fields: { readonly [K in keyof F]: Field<F[K]> }): RecordValue<Readonly<F>> {
  // The members are of many types, which agree name by name: what `read` of a name gives, `write` of that name takes.
  const named = Object.entries(fields as Readonly<Record<string, Field<unknown>>>).map(
    ([own, member]) => [own, member.named(own)] as const,
  );
  return {
    kind: 'record',
    fields: Object.fromEntries(named) as Readonly<Record<string, Field<never>>>,
    read(json) {
      if (!isObject(json)) throw new Mismatch('an object', json);
      const found: Record<string, unknown> = {};
      for (const [own, member] of named) found[own] = member.read(json);
      return found as F;
    },
    write(value, variants) {
      const into = new Map<string, Json>();
      for (const [own, member] of named) member.write(value[own], variants, into);
      return into;
    },
  };
}

/** The name of the instrument that a refused row is about, where it can be read. */
export function instrumentIn(row: Json): string | null {
  for (const name of ['symbol', 'contractName']) {
    const found = memberOf(row, name);
    if (typeof found === 'string' && found !== '') return found.toUpperCase();
  }
  return null;
}
