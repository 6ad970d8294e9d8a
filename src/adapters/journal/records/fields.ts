// Defines the field types of journal records. The reader checks values with them, and the compiler derives the record types from them.

/** A type of values in a record. */
export interface RecordField<T> {
  /** Description of valid values, for messages. */
  readonly expects: string;
  readonly accepts: (value: unknown) => value is T;
}

const field = <T>(expects: string, isValid: (value: unknown) => boolean): RecordField<T> => ({
  expects,
  accepts: isValid as RecordField<T>['accepts'],
});

/** Any text. */
export const textField = field<string>('text', (value) => typeof value === 'string');
/** True or false. */
export const flagField = field<boolean>('true or false', (value) => typeof value === 'boolean');
/** A whole number that a double holds exactly. */
export const integerField = field<number>('a whole number', Number.isSafeInteger);
/** Digits with optional sign and point. Money, prices and quantities never become binary fractions. */
export const decimalField = field<string>(
  'a plain decimal in quotes',
  (value) => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value),
);
/** Prices with shares of a whole, such as `105.5:0.6 110:0.4`. */
export const sharesField = field<string>(
  'prices with shares, such as 105.5:0.6 110:0.4',
  (value) => typeof value === 'string' && value.split(' ').every((target) => /^\d+(\.\d+)?:[01](\.\d+)?$/.test(target)),
);

/** A finite number above 0. */
export const positiveField = field<number>('a number above 0', (value) => typeof value === 'number' && value > 0 && value < Infinity);

/** A field that may be absent, because earlier versions did not write it. */
export const ifWritten = <T>({ expects, accepts }: RecordField<T>): RecordField<T | undefined> =>
  field(expects, (value) => value === undefined || accepts(value));
/** A field that may be null. */
export const orNull = <T>({ expects, accepts }: RecordField<T>): RecordField<T | null> =>
  field(`${expects} or null`, (value) => value === null || accepts(value));
/** A field with one of these texts. */
export const choiceField = <const T extends string>(...names: readonly T[]): RecordField<T> =>
  field(names.join(' | '), (value) => names.includes(value as T));
/** A field with a list of values. */
export const listField = <T>({ expects, accepts }: RecordField<T>): RecordField<readonly T[]> =>
  field(`a list of: ${expects}`, (value) => Array.isArray(value) && value.every(accepts));

/** Known values by name. */
export type RecordFacts = Readonly<Record<string, string | number | boolean | null>>;
/** Names with values that are neither lists nor objects. */
export const factsField = field<RecordFacts>(
  'names with simple values',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isSimple),
);
const isSimple = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));

/** A row of bars: the numbers exactly as delivered. */
export const numbersField = field<readonly number[]>(
  'numbers',
  (value) => Array.isArray(value) && value.every((element) => typeof element === 'number' && Number.isFinite(element)),
);
