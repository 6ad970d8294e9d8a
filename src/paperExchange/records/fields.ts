// Kinds of fields of stored records: how each value is written, and what a stored value must be.

/** How the values of one field are written and read. */
export interface Field<T> {
  /** Names of the parts of a field that is a list with names of its own; null for all others. */
  readonly parts: readonly string[] | null;
  /** True when a file that lacks the name holds null in its place. */
  readonly isOptional: boolean;
  /** Returns what JSON is to hold. */
  write(value: T): unknown;
  /** Returns the value of what JSON held. Throws WrongField if it is something else. */
  read(stored: unknown): T;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type ValuesOf<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never };

/** A stored value that a field cannot have. */
export class WrongField extends Error {
  override readonly name = 'WrongField';
  /** Name of the field, with the names of those around it; empty for the value itself. */
  readonly field: string;
  readonly expected: string;
  readonly got: unknown;

  constructor(field: string, expected: string, got: unknown) {
    super(`expected ${field} to be ${expected}, got ${shortText(got)}`);
    this.field = field;
    this.expected = expected;
    this.got = got;
  }

  /** Returns the same error, of a field inside another one. */
  within(outer: string): WrongField {
    const dot = this.field === '' || this.field.startsWith('[') ? '' : '.';
    return new WrongField(`${outer}${dot}${this.field}`, this.expected, this.got);
  }
}

/** Returns a value for a message: at most 60 characters of JSON. */
const shortText = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value).slice(0, 60));

/** Reads the value of a named field. Its name stands in the error. */
export function readField<T>(field: Field<T>, name: string, stored: unknown): T {
  try {
    return field.read(stored);
  } catch (error) {
    if (error instanceof WrongField) throw error.within(name);
    throw error;
  }
}

function plain<T>(expected: string, is: (stored: unknown) => stored is T): Field<T> {
  return {
    parts: null,
    isOptional: false,
    write: (value) => value,
    read: (stored) => {
      if (is(stored)) return stored;
      throw new WrongField('', expected, stored);
    },
  };
}

/** A whole number of at most 2^53 - 1, of either sign. */
export const whole = plain('a whole number', (stored): stored is number => Number.isSafeInteger(stored));
/** A whole number from 0 on. */
export const count = plain('a whole number from 0 on', (stored): stored is number => Number.isSafeInteger(stored) && Number(stored) >= 0);
/** A whole number of any size: a sum without an upper end, which a double rounds above 2^53. */
export const sum = plain('a whole number of any size', (stored): stored is number => Number.isInteger(stored));
/** A finite number, which may have a fraction. */
export const real = plain('a number', (stored): stored is number => Number.isFinite(stored));
export const text = plain('a text', (stored): stored is string => typeof stored === 'string');

/** True or false, stored as 1 or 0. */
export const flag: Field<boolean> = {
  parts: null,
  isOptional: false,
  write: (value) => (value ? 1 : 0),
  read: (stored) => {
    if (stored === 1 || stored === 0) return stored === 1;
    throw new WrongField('', '0 or 1', stored);
  },
};

/** A number or NaN, which JSON has no word for: it is stored as null. */
export const ratio: Field<number> = {
  parts: null,
  isOptional: false,
  write: (value) => value,
  read: (stored) => (stored === null ? NaN : real.read(stored)),
};

export function oneOf<const T extends string | number>(...values: readonly T[]): Field<T> {
  const known: ReadonlySet<unknown> = new Set(values);
  return plain(`one of ${values.join(', ')}`, (stored): stored is T => known.has(stored));
}

/** The field, or null. A file from before the field was added holds null. */
export function optional<T>(field: Field<T>): Field<T | null> {
  return {
    parts: field.parts,
    isOptional: true,
    write: (value) => (value === null ? null : field.write(value)),
    read: (stored) => (stored === null ? null : field.read(stored)),
  };
}

export function listOf<T>(field: Field<T>): Field<readonly T[]> {
  return {
    parts: null,
    isOptional: false,
    write: (values) => values.map((value) => field.write(value)),
    read: (stored) => {
      if (!Array.isArray(stored)) throw new WrongField('', 'a list', stored);
      return stored.map((value: unknown, at) => readField(field, `[${at}]`, value));
    },
  };
}

/** Fields that are stored as a list, in the order of their names. The head of the file has the names. */
export function group<F extends Fields>(fields: F): Field<ValuesOf<F>> {
  const entries = Object.entries(fields);
  return {
    parts: Object.keys(fields),
    isOptional: false,
    write: (values) => entries.map(([name, field]) => field.write(values[name])),
    read: (stored) => {
      if (!Array.isArray(stored) || stored.length !== entries.length)
        throw new WrongField('', `a list of ${Object.keys(fields).join(', ')}`, stored);
      const values: Record<string, unknown> = {};
      entries.forEach(([name, field], at) => (values[name] = readField(field, name, stored[at])));
      return values as ValuesOf<F>;
    },
  };
}

/** Fields that are stored as an object with their names. It has no other names. */
export function recordField<F extends Fields>(fields: F): Field<ValuesOf<F>> {
  const entries = Object.entries(fields);
  return {
    parts: null,
    isOptional: false,
    write: (values) => Object.fromEntries(entries.map(([name, field]) => [name, field.write(values[name])])),
    read: (stored) => {
      if (!isObject(stored)) throw new WrongField('', 'an object', stored);
      for (const name of Object.keys(stored))
        if (!Object.hasOwn(fields, name)) throw new WrongField(name, 'no field of this version', stored[name]);
      const values: Record<string, unknown> = {};
      for (const [name, field] of entries) values[name] = readField(field, name, stored[name]);
      return values as ValuesOf<F>;
    },
  };
}

/** Names with lists of names, such as the fields of every record of a file. */
export const anyNames: Field<Readonly<Record<string, readonly unknown[]>>> = plain(
  'an object of lists',
  (stored): stored is Readonly<Record<string, readonly unknown[]>> => isObject(stored) && Object.values(stored).every(Array.isArray),
);

const isObject = (stored: unknown): stored is Readonly<Record<string, unknown>> =>
  typeof stored === 'object' && stored !== null && !Array.isArray(stored);
