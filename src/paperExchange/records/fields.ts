// The field types of stored records: how each value is written, and which stored values are valid.

/** How the values of one field are written and read. */
export interface StoredField<T> {
  /** Names of the parts of a field that is a list with names of its own; null for all others. */
  readonly parts: readonly string[] | null;
  /** True when a file that lacks the name holds null in its place. */
  readonly isOptional: boolean;
  /** Returns the stored form of a value, as JSON can hold it. */
  write(value: T): unknown;
  /** Returns the value of a stored form. Throws WrongField if it is invalid. */
  read(stored: unknown): T;
}

/** The fields of a record by name. */
export type Fields = Readonly<Record<string, StoredField<unknown>>>;
/** The values of these fields. */
export type ValuesOf<F extends Fields> = { readonly [Name in keyof F]: F[Name] extends StoredField<infer T> ? T : never };

/** A stored value that a field cannot have. */
export class WrongField extends Error {
  override readonly name = 'WrongField';
  /** Path of the field, such as `order.futures.leverage`; empty for the value itself. */
  readonly field: string;
  /** The expected form. */
  readonly expected: string;
  /** The stored value. */
  readonly actual: unknown;

  constructor(field: string, expected: string, value: unknown) {
    super(`expected ${field} to be ${expected}, got ${shortText(value)}`);
    this.field = field;
    this.expected = expected;
    this.actual = value;
  }

  /** Returns the same error with `outer` in front of the path. */
  within(outer: string): WrongField {
    const dot = this.field === '' || this.field.startsWith('[') ? '' : '.';
    return new WrongField(`${outer}${dot}${this.field}`, this.expected, this.actual);
  }
}

/** Returns a value for a message: at most 60 characters of JSON. */
const shortText = (value: unknown): string => (value === undefined ? 'none' : JSON.stringify(value).slice(0, 60));

/** Reads the value of a named field. An error names the field. */
export function readField<T>(field: StoredField<T>, name: string, stored: unknown): T {
  try {
    return field.read(stored);
  } catch (error) {
    if (error instanceof WrongField) throw error.within(name);
    throw error;
  }
}

/** Returns a field whose values JSON can hold as they are. `expected` describes them in errors. */
function plainField<T>(expected: string, isValid: (stored: unknown) => stored is T): StoredField<T> {
  return {
    parts: null,
    isOptional: false,
    write: (value) => value,
    read: (stored) => {
      if (isValid(stored)) return stored;
      throw new WrongField('', expected, stored);
    },
  };
}

/** A whole number of at most 2^53 - 1, of either sign. */
export const storedInteger = plainField('a whole number', (stored): stored is number => Number.isSafeInteger(stored));
/** A whole number from 0 on. */
export const storedCount = plainField(
  'a whole number from 0 on',
  (stored): stored is number => Number.isSafeInteger(stored) && Number(stored) >= 0,
);

/** A whole number of any size: an unbounded sum, which a double rounds above 2^53. */
export const storedSum = plainField('a whole number of any size', (stored): stored is number => Number.isInteger(stored));
/** A finite number, which may have a fraction. */
export const storedReal = plainField('a number', (stored): stored is number => Number.isFinite(stored));
/** Any text. */
export const storedText = plainField('a text', (stored): stored is string => typeof stored === 'string');

/** True or false, stored as 1 or 0. */
export const storedFlag: StoredField<boolean> = {
  parts: null,
  isOptional: false,
  write: (value) => (value ? 1 : 0),
  read: (stored) => {
    if (stored === 1 || stored === 0) return stored === 1;
    throw new WrongField('', '0 or 1', stored);
  },
};

/** A number or NaN. JSON cannot hold NaN, so it is stored as null. */
export const storedRatio: StoredField<number> = {
  parts: null,
  isOptional: false,
  write: (value) => value,
  read: (stored) => (stored === null ? NaN : storedReal.read(stored)),
};

/** Returns a field with one of some values. */
export function storedChoice<const T extends string | number>(...values: readonly T[]): StoredField<T> {
  const allowed: ReadonlySet<unknown> = new Set(values);
  return plainField(`one of ${values.join(', ')}`, (stored): stored is T => allowed.has(stored));
}

/** Returns a field that may be null. In files written before the field was added, it is null. */
export function storedOptional<T>(field: StoredField<T>): StoredField<T | null> {
  return {
    parts: field.parts,
    isOptional: true,
    write: (value) => (value === null ? null : field.write(value)),
    read: (stored) => (stored === null ? null : field.read(stored)),
  };
}

/** Returns a field with a list of values. */
export function storedList<T>(field: StoredField<T>): StoredField<readonly T[]> {
  return {
    parts: null,
    isOptional: false,
    write: (values) => values.map((value) => field.write(value)),
    read: (stored) => {
      if (!Array.isArray(stored)) throw new WrongField('', 'a list', stored);
      return stored.map((value: unknown, index) => readField(field, `[${index}]`, value));
    },
  };
}

/** Returns a field with several values, stored as a list in the order of their names. The head of the file has the names. */
export function storedGroup<F extends Fields>(fields: F): StoredField<ValuesOf<F>> {
  const entries = Object.entries(fields);
  return {
    parts: Object.keys(fields),
    isOptional: false,
    write: (values) => entries.map(([name, field]) => field.write(values[name])),
    read: (stored) => {
      if (!Array.isArray(stored) || stored.length !== entries.length)
        throw new WrongField('', `a list of ${Object.keys(fields).join(', ')}`, stored);
      const values: Record<string, unknown> = {};
      entries.forEach(([name, field], index) => (values[name] = readField(field, name, stored[index])));
      return values as ValuesOf<F>;
    },
  };
}

/** Returns a field with several values, stored as an object with exactly their names. */
export function storedObject<F extends Fields>(fields: F): StoredField<ValuesOf<F>> {
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

/** An object whose values are lists, such as the field names of every record in the head of a file. */
export const storedNameLists: StoredField<Readonly<Record<string, readonly unknown[]>>> = plainField(
  'an object of lists',
  (stored): stored is Readonly<Record<string, readonly unknown[]>> => isObject(stored) && Object.values(stored).every(Array.isArray),
);

const isObject = (stored: unknown): stored is Readonly<Record<string, unknown>> =>
  typeof stored === 'object' && stored !== null && !Array.isArray(stored);
