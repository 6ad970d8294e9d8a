// The form in which the readers of bars and of series see an Arrow or Parquet file: a table of named columns, read by ranges of rows.

/** Name and type of a column. Both file formats call this a field. */
export interface TableField {
  readonly name: string;
  /** `int64`: whole numbers, which may also be Unix times. `flag`: true or false. Null: a type that isobar does not read. */
  readonly kind: 'float64' | 'int32' | 'int64' | 'timestamp' | 'flag' | null;
}

/** An open file. Rows count from 0. */
export interface TableFile {
  /** Number of rows. */
  readonly rows: number;
  /** One for each column, in the order of the file. */
  readonly fields: readonly TableField[];
  /** Fills `output` with the times of column `name` in ms UTC, from `fromRow` on. Times finer than a ms have a fraction. */
  readTimes(name: string, fromRow: number, output: Float64Array): void;
  /** Fills `output` with the numbers of column `name`, from `fromRow` on. A missing number is NaN. */
  readFloats(name: string, fromRow: number, output: Float64Array): void;
}
