// Describes records of replies. A member is read under every known name, and written under the specification's name.

import { isObject, jsonNumber, type Json, type JsonObject } from '../json/json.ts';
import { wireId, idText, memberOf, Mismatch, scalarText, type Value } from './value.ts';
import type { Variants } from './variants.ts';

/** One member of a record. Most have one name; an order id has two. */
export interface Field<T> {
  /** The value of the member. */
  readonly value: Value<unknown>;
  /** The wire names of the member. It is read under each name and written under the first. */
  readonly names: readonly string[];
  /** True if it may be null. */
  readonly canBeNull: boolean;
  /** Returns the field with the record's name for it as its wire name, unless it has wire names already. */
  named(fallbackName: string): Field<T>;
  /** Throws Mismatch. */
  read(from: JsonObject): T;
  /** Adds the member to `members`, as `variants` require. */
  write(value: T, variants: Variants, members: Map<string, Json>): void;
}

interface FieldOptions<T> {
  /** The value for an absent or null member. Without this option, a record that lacks the member is rejected. */
  readonly absent?: { readonly value: T };
  readonly write?: (value: T, variants: Variants, name: string, members: Map<string, Json>) => void;
}

/** Returns a member of a record under its wire names. */
function field<T>(value: Value<T>, names: readonly string[], options: FieldOptions<T>): Field<T> {
  const [first = ''] = names;
  return {
    value,
    names,
    canBeNull: options.absent !== undefined,
    named: (fallbackName) => (first === '' ? field(value, [fallbackName], options) : field(value, names, options)),
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
    write(plainValue, variants, members) {
      if (options.write) options.write(plainValue, variants, first, members);
      else members.set(first, value.write(plainValue, variants));
    },
  };
}

/** A required member. `names`: its wire names, the one to write first; by default the name in the record. */
export const required = <T>(value: Value<T>, ...names: readonly string[]): Field<T> => field(value, names, {});

/** Returns a member that may be missing or null. Null is not written. */
export function optional<T>(value: Value<T>, ...names: readonly string[]): Field<T | null> {
  return field<T | null>(orNull(value), names, {
    absent: { value: null },
    write(plainValue, variants, name, members) {
      if (plainValue !== null) members.set(name, value.write(plainValue, variants));
    },
  });
}

/** Returns a member that may be missing or null. Null is written as null. */
export function nullable<T>(value: Value<T>, ...names: readonly string[]): Field<T | null> {
  return field<T | null>(orNull(value), names, {
    absent: { value: null },
    write: (plainValue, variants, name, members) => members.set(name, plainValue === null ? null : value.write(plainValue, variants)),
  });
}

/** Like `optional`, but written only if a switch asks for it. */
export function optionalIf<T>(isWritten: (variants: Variants) => boolean, value: Value<T>, ...names: readonly string[]): Field<T | null> {
  return field<T | null>(orNull(value), names, {
    absent: { value: null },
    write(plainValue, variants, name, members) {
      if (plainValue !== null && isWritten(variants)) members.set(name, value.write(plainValue, variants));
    },
  });
}

/** A client order id. It is null if absent, empty or `0`; null is written as `0`, or omitted if a switch says so. */
export function clientIdField(
  value: Value<string | null>,
  isWritten: (variants: Variants) => boolean = () => true,
  ...names: readonly string[]
): Field<string | null> {
  return field(value, names, {
    absent: { value: null },
    write(plainValue, variants, name, members) {
      if (isWritten(variants)) members.set(name, value.write(plainValue, variants));
    },
  });
}

/** Adds null to the type of `value`. The field itself handles null when it reads. */
const orNull = <T>(value: Value<T>): Value<T | null> => ({
  ...value,
  write: (plainValue, variants) => (plainValue === null ? null : value.write(plainValue, variants)),
});

/**
 * The id of a spot order under `orderId` (a number, text, or a list of one) and sometimes also under `orderIdString`. If both are present
 * they must agree; otherwise the reply does not identify the order.
 */
export function orderIdField(options: { readonly hasText: boolean; readonly form: 'number' | 'switch' }): Field<string> {
  const idField: Field<string> = {
    value: wireId,
    names: ['orderId', 'orderIdString'],
    canBeNull: false,
    named: () => idField,
    read(from) {
      const idJson = from.get('orderId') ?? null;
      const idTextJson = from.get('orderIdString') ?? null;
      const idDigits = idText(idJson) ?? idText(idTextJson);
      if (idDigits === null) throw new Mismatch('an order id', from.get('orderId')).within('orderId');
      if (idTextJson !== null && idJson !== null && scalarText(idTextJson) !== idDigits)
        throw new Mismatch(`orderIdString ${idDigits}`, idTextJson).within('orderIdString');
      return idDigits;
    },
    write(value, { spotOrderId }, members) {
      const form = options.form === 'switch' ? spotOrderId : 'number';
      members.set('orderId', form === 'array' ? [value] : jsonNumber(value));
      if (options.hasText || form === 'both') members.set('orderIdString', value);
    },
  };
  return idField;
}

/** A record with its members. */
export interface RecordValue<T> extends Value<T> {
  readonly fields: Readonly<Record<string, Field<never>>>;
}

/** Returns the value of a JSON object with these members. Other members are ignored. */
export function wireRecord<F extends Record<string, unknown>>(fields: { readonly [K in keyof F]: Field<F[K]> }): RecordValue<Readonly<F>> {
  // The members have different types, but each `write` gets a value of the type that the `read` of the same name returns.
  const namedFields = Object.entries(fields as Readonly<Record<string, Field<unknown>>>).map(
    ([memberName, member]) => [memberName, member.named(memberName)] as const,
  );
  return {
    kind: 'record',
    fields: Object.fromEntries(namedFields) as Readonly<Record<string, Field<never>>>,
    read(json) {
      if (!isObject(json)) throw new Mismatch('an object', json);
      const members: Record<string, unknown> = {};
      for (const [memberName, member] of namedFields) members[memberName] = member.read(json);
      return members as F;
    },
    write(value, variants) {
      const members = new Map<string, Json>();
      for (const [memberName, member] of namedFields) member.write(value[memberName], variants, members);
      return members;
    },
  };
}

/** Returns the instrument of a rejected row, if it can be read. */
export function instrumentIn(row: Json): string | null {
  for (const name of ['symbol', 'contractName']) {
    const member = memberOf(row, name);
    if (typeof member === 'string' && member !== '') return member.toUpperCase();
  }
  return null;
}
