// The layout of one file: the order in which its rows have the fields of each record, as its head says.

import { ConfigError } from '../../base/errors.ts';
import { WrongField } from './fields.ts';
import { type FieldName, type RecordSpec, rowText, valuesIn } from './record.ts';

/** Names of the fields of each record, by its name. */
export type RecordNames = Readonly<Record<string, readonly FieldName[]>>;

/** Returns what the head of a new file says of its rows. */
export const namesOf = (specs: readonly RecordSpec<unknown>[]): RecordNames =>
  Object.fromEntries(specs.map(({ name, names }) => [name, names]));

/** How rows have the fields of one record. */
interface Columns {
  /** Number of fields in a row. */
  readonly count: number;
  /** Position in a row of each field of this version; -1: the row has no such field. */
  readonly at: readonly number[];
}

export class Layout {
  /** True when rows have the fields of this version, in its order. Their bytes may then be copied. */
  readonly isCurrent: boolean;
  readonly #path: string;
  /** By name of the record; null: the order of this version. */
  readonly #columns: ReadonlyMap<string, Columns> | null;

  private constructor(path: string, columns: ReadonlyMap<string, Columns> | null) {
    this.#path = path;
    this.#columns = columns;
    this.isCurrent = columns === null;
  }

  /** The layout of rows that this process has written. `path` is for messages. */
  static current(path: string): Layout {
    return new Layout(path, null);
  }

  /**
   * The layout that a head gives. Throws ConfigError if it names a record or a field that this version does not know, or if it lacks one that
   * every record has.
   */
  static ofHead(path: string, given: Readonly<Record<string, readonly unknown[]>>, specs: readonly RecordSpec<unknown>[]): Layout {
    if (JSON.stringify(given) === JSON.stringify(namesOf(specs))) return Layout.current(path);
    const known = new Map(specs.map((spec) => [spec.name, spec]));
    const columns = new Map<string, Columns>();
    for (const [name, names] of Object.entries(given)) {
      const spec = known.get(name);
      if (spec === undefined) throw otherVersion(path, `expected records that this version knows, got ${name}`);
      columns.set(name, columnsOf(path, spec, names));
    }
    return new Layout(path, columns);
  }

  /** Returns the record in a row. Throws ConfigError with the file, the record and the field if a field is not what it must be. */
  read<R>(spec: RecordSpec<R>, row: string): R {
    const values = valuesIn(row);
    if (values[0] !== spec.name) throw this.#wrong(`expected a record ${spec.name}, got ${row.slice(0, 80)}`);
    return spec.of(this.#read(spec, values));
  }

  #read(spec: RecordSpec<unknown>, row: readonly unknown[]): readonly unknown[] {
    const columns = this.#columns === null ? null : (this.#columns.get(spec.name) ?? null);
    if (this.#columns !== null && columns === null) throw this.#wrong(`expected the fields of record ${spec.name} in the head, got none`);
    const { fields } = spec;
    const count = columns?.count ?? fields.length;
    if (row.length !== count + 1) throw this.#wrong(`expected ${count} fields of record ${spec.name}, got ${row.length - 1}`);
    const values: unknown[] = [];
    for (let at = 0; at < fields.length; at++) {
      const column = columns === null ? at : columns.at[at]!;
      try {
        values.push(fields[at]![1].read(column < 0 ? null : row[column + 1]));
      } catch (error) {
        if (error instanceof WrongField) throw this.#wrong(error.within(fields[at]![0]).within(spec.name).message);
        throw error;
      }
    }
    return values;
  }

  /** Returns a row in the order of this version. */
  recodeRow(spec: RecordSpec<unknown>, row: string): string {
    return this.isCurrent ? row : spec.text(this.read(spec, row));
  }

  #wrong(message: string): ConfigError {
    return damage(this.#path, message);
  }
}

/** The error of a file that does not hold what an exchange has written. */
export const damage = (path: string, message: string): ConfigError =>
  new ConfigError(`${path}: ${message}`, 'bring the folder back from a copy, or begin with an empty one; what it held is kept as it is');

/** The error of a file that another version has written. */
export const otherVersion = (path: string, message: string): ConfigError =>
  new ConfigError(
    `${path}: ${message}`,
    'begin with an empty folder, or open this one with the version that wrote it; it is kept as it is',
  );

function columnsOf(path: string, { name, fields, names }: RecordSpec<unknown>, given: readonly unknown[]): Columns {
  const own = new Map(names.map((each, at) => [rowText([each]), at]));
  const found: number[] = names.map(() => -1);
  given.forEach((each, column) => {
    const at = own.get(rowText([each]));
    if (at === undefined)
      throw otherVersion(path, `expected fields of record ${name} that this version knows, got ${JSON.stringify(each)}`);
    if (found[at] !== -1) throw otherVersion(path, `expected each field of record ${name} once, got ${JSON.stringify(each)} twice`);
    found[at] = column;
  });
  fields.forEach(([field, { isOptional }], at) => {
    if (found[at] === -1 && !isOptional) throw otherVersion(path, `expected field ${field} in record ${name}, got none`);
  });
  return { count: given.length, at: found };
}
