// The layout of one store file: the order of the fields in its rows, which the head of the file gives.

import { ConfigError } from '../../base/errors.ts';
import { WrongField } from './fields.ts';
import { type FieldName, type RecordSpec, rowText, valuesIn } from './record.ts';

/** Names of the fields of each record, by its name. */
export type RecordNames = Readonly<Record<string, readonly FieldName[]>>;

/** Returns the field names that the head of a new file has. */
export const namesOf = (specs: readonly RecordSpec<unknown>[]): RecordNames =>
  Object.fromEntries(specs.map(({ name, names }) => [name, names]));

/** The order of the fields of one record in a row. */
interface FieldOrder {
  /** Number of fields in a row. */
  readonly count: number;
  /** Position in a row of each field of this version; -1: the row has no such field. */
  readonly positions: readonly number[];
}

/** Reads rows of one file. Files of earlier versions may have fewer fields or another order. */
export class Layout {
  /** True when rows have the fields of this version, in its order. Their bytes may then be copied. */
  readonly isCurrent: boolean;
  readonly #path: string;
  /** By name of the record; null: the order of this version. */
  readonly #columns: ReadonlyMap<string, FieldOrder> | null;

  private constructor(path: string, columns: ReadonlyMap<string, FieldOrder> | null) {
    this.#path = path;
    this.#columns = columns;
    this.isCurrent = columns === null;
  }

  /** Returns the layout of rows that this process has written. `path` names the file in errors. */
  static current(path: string): Layout {
    return new Layout(path, null);
  }

  /**
   * Returns the layout that a head gives. Throws ConfigError if the head names a record or a field that this version does not know, or if it
   * lacks a required field.
   */
  static ofHead(path: string, namesByRecord: Readonly<Record<string, readonly unknown[]>>, specs: readonly RecordSpec<unknown>[]): Layout {
    if (JSON.stringify(namesByRecord) === JSON.stringify(namesOf(specs))) return Layout.current(path);
    const specsByName = new Map(specs.map((spec) => [spec.name, spec]));
    const columns = new Map<string, FieldOrder>();
    for (const [name, names] of Object.entries(namesByRecord)) {
      const spec = specsByName.get(name);
      if (spec === undefined) throw storeVersionError(path, `expected records that this version knows, got ${name}`);
      columns.set(name, columnsOf(path, spec, names));
    }
    return new Layout(path, columns);
  }

  /** Returns the record in a row. Throws ConfigError with the file, the record and the field if a value is invalid. */
  read<R>(spec: RecordSpec<R>, row: string): R {
    const values = valuesIn(row);
    if (values[0] !== spec.name) throw this.#damageError(`expected a record ${spec.name}, got ${row.slice(0, 80)}`);
    return spec.fromValues(this.#read(spec, values));
  }

  /**
   * Returns the fields of a row in the order of the specification; null for a field that the file does not have. Throws ConfigError for a
   * damaged row.
   */
  #read(spec: RecordSpec<unknown>, row: readonly unknown[]): readonly unknown[] {
    const columns = this.#columns === null ? null : (this.#columns.get(spec.name) ?? null);
    if (this.#columns !== null && columns === null)
      throw this.#damageError(`expected the fields of record ${spec.name} in the head, got none`);
    const { fields } = spec;
    const count = columns?.count ?? fields.length;
    if (row.length !== count + 1) throw this.#damageError(`expected ${count} fields of record ${spec.name}, got ${row.length - 1}`);
    const values: unknown[] = [];
    for (let index = 0; index < fields.length; index++) {
      const [name, field] = fields[index]!;
      const column = columns === null ? index : columns.positions[index]!;
      try {
        values.push(field.read(column < 0 ? null : row[column + 1]));
      } catch (error) {
        if (error instanceof WrongField) throw this.#damageError(error.within(name).within(spec.name).message);
        throw error;
      }
    }
    return values;
  }

  /** Returns a row in the order of this version. */
  recodeRow(spec: RecordSpec<unknown>, row: string): string {
    return this.isCurrent ? row : spec.text(this.read(spec, row));
  }

  #damageError(message: string): ConfigError {
    return storeDamageError(this.#path, message);
  }
}

/** Returns the error for a file whose content no exchange has written. */
export const storeDamageError = (path: string, message: string): ConfigError =>
  new ConfigError(`${path}: ${message}`, 'restore the folder from a copy, or begin with an empty one; the files are not changed');

/** Returns the error for a file that another version has written. */
export const storeVersionError = (path: string, message: string): ConfigError =>
  new ConfigError(
    `${path}: ${message}`,
    'begin with an empty folder, or open this one with the version that wrote it; the files are not changed',
  );

/** Returns where a file has the fields of a record. Throws ConfigError for an unknown, repeated or missing field. */
function columnsOf(path: string, { name, fields, names }: RecordSpec<unknown>, storedNames: readonly unknown[]): FieldOrder {
  const indexByName = new Map(names.map((fieldName, index) => [rowText([fieldName]), index]));
  const positions: number[] = names.map(() => -1);
  storedNames.forEach((fieldName, column) => {
    const index = indexByName.get(rowText([fieldName]));
    if (index === undefined)
      throw storeVersionError(path, `expected fields of record ${name} that this version knows, got ${JSON.stringify(fieldName)}`);
    if (positions[index] !== -1)
      throw storeVersionError(path, `expected each field of record ${name} once, got ${JSON.stringify(fieldName)} twice`);
    positions[index] = column;
  });
  fields.forEach(([field, { isOptional }], index) => {
    if (positions[index] === -1 && !isOptional) throw storeVersionError(path, `expected field ${field} in record ${name}, got none`);
  });
  return { count: storedNames.length, positions };
}
