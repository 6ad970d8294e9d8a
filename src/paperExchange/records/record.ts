// Records of the exchange store. Code sees their fields by name; a stored row is a list in the order that the head of its file gives.

import type { StoredField, Fields, ValuesOf } from './fields.ts';

/** The name of a field. For a field with parts: a list of its name and theirs. */
export type FieldName = string | readonly string[];

/** One kind of record: its name, and its fields in the order in which rows have them. */
export interface RecordSpec<R> {
  readonly name: string;
  readonly fields: readonly (readonly [name: string, field: StoredField<unknown>])[];
  /** The field names, as the head of a file has them. */
  readonly names: readonly FieldName[];
  /** Returns the row of a record: JSON in printable ASCII. */
  text(values: R): string;
  /** Returns the record with the values that `fields` have read, in their order. */
  fromValues(values: readonly unknown[]): R;
}

/** The type of the records of a kind. */
export type StoredRecordOf<S> = S extends RecordSpec<infer R> ? R : never;

/** Returns the kind of record with these fields. */
export function storedRecord<F extends Fields>(name: string, fields: F): RecordSpec<ValuesOf<F>> {
  const entries = Object.entries(fields);
  return {
    name,
    fields: entries,
    names: entries.map(([fieldName, { parts }]) => (parts === null ? fieldName : [fieldName, ...parts])),
    text: (values) => {
      const row: unknown[] = [name];
      for (const [fieldName, field] of entries) row.push(field.write(values[fieldName]));
      return rowText(row);
    },
    fromValues: (values) => {
      const members: Record<string, unknown> = {};
      entries.forEach(([fieldName], index) => (members[fieldName] = values[index]));
      return members as ValuesOf<F>;
    },
  };
}

/** Returns a row as JSON in printable ASCII, so that a character is always one byte. */
export function rowText(row: readonly unknown[]): string {
  const json = JSON.stringify(row);
  return /^[\x20-\x7e]*$/.test(json) ? json : json.replace(/[^\x20-\x7e]/g, escapeText);
}
const escapeText = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Returns the values of a row; an empty list if the text is not a row. */
export function valuesIn(row: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(row);
    return Array.isArray(values) ? values : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
