// Takes rows of doubles. Each double means the shortest decimal that reads back as the same double.

import { MAX_DIGITS } from '../records/instrumentRecord.ts';
import { DecimalReader } from './decimalReader.ts';
import type { RowCollector } from './rowCollector.ts';
import { rowProblem } from './rowProblem.ts';
import { decimalsIn, plainNumberText } from './textRows.ts';

/** One more decimal than a price may have. A value with this many decimals is a rounding error of a computation. */
const MAX_SHOWN_DIGITS = MAX_DIGITS + 1;

/** Passes the rows of typed columns to a collector. */
export class NumberRows {
  private readonly collector: RowCollector;
  private readonly names: readonly string[];
  private readonly number = new DecimalReader();
  /** Maximum number of decimals of the volumes until now. Trying it first rarely takes more than one attempt for a row. */
  private volumeDigits = 0;

  /** `names` are those of the six columns. */
  constructor(collector: RowCollector, names: readonly string[]) {
    this.collector = collector;
    this.names = names;
  }

  /** Takes row `index` of six columns. In the file, the row is at `line`. */
  addRow(line: number, columns: readonly Float64Array[], index: number): void {
    const { row, rules } = this.collector;
    const { values } = row;
    const limit = rules.priceDigits ?? MAX_SHOWN_DIGITS;
    for (let i = 0; i < 6; i++) values[i] = columns[i]![index]!;
    row.rounded = 0;
    row.priceDigits = 0;
    let isWithinLimit = true;
    for (let i = 1; i < 5; i++) {
      const digits = decimalsIn(values[i]!, row.priceDigits, MAX_SHOWN_DIGITS);
      if (digits <= limit) row.priceDigits = digits;
      else if (rules.roundToTick) this.round(values, i, limit);
      else isWithinLimit = false;
    }
    row.volumeDigits = decimalsIn(values[5]!, this.volumeDigits, MAX_SHOWN_DIGITS);
    if (isWithinLimit && this.collector.accept(line)) {
      this.volumeDigits = row.volumeDigits;
      return;
    }
    // The column's unit has been applied, so a time that looks like seconds or microseconds is wrong.
    const fields = columns.map((column) => plainNumberText(column[index]!));
    this.collector.refuse(line, rowProblem(fields, this.names, this.collector, true), fields.join(','));
  }

  /** Rounds value `i` of the row to `digits` decimals, and counts it as rounded. Leaves a value alone that is no plain decimal. */
  private round(values: Float64Array, i: number, digits: number): void {
    const bytes = Buffer.from(plainNumberText(values[i]!), 'latin1');
    if (!this.number.read(bytes, 0, bytes.length)) return;
    this.number.round(bytes, 0, digits);
    values[i] = this.number.value;
    const { row } = this.collector;
    row.priceDigits = Math.max(row.priceDigits, this.number.digits);
    row.rounded++;
  }
}
