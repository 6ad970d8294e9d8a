// A file of columns, as the readers of bars and of series see it: Arrow or Parquet.

/** A column of a table file. `kind` is null for a type that isobar does not read. */
export interface TableField {
  readonly name: string;
  /** `int64`: whole numbers, which may also be Unix times. Null: a type that isobar does not take. */
  readonly kind: 'float64' | 'int32' | 'int64' | 'timestamp' | 'flag' | null;
}

/** Columns are read by name; rows count from 0. */
export interface TableFile {
  readonly rows: number;
  readonly fields: readonly TableField[];
  /** Fills `into` with times in ms UTC, from `fromRow` on. Times finer than a ms have a fraction. */
  readTimes(name: string, fromRow: number, into: Float64Array): void;
  readFloats(name: string, fromRow: number, into: Float64Array): void;
}
