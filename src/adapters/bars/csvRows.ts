// Rows of a bar file, checked and collected: a fast path over bytes, and a slow one that names what is wrong with a line.

import { isPlainDecimal } from '../../base/decimal.ts';
import { ConfigError, InvariantError } from '../../base/errors.ts';
import { pow10 } from '../../base/exact.ts';
import { GrowingColumn } from '../../base/grow.ts';
import { openOf, type Interval } from '../../model/interval.ts';
import { formatTime } from '../../model/time.ts';
import { emptyColumns, RAW, type RawColumns } from './columns.ts';
import { DecimalReader, textOf } from './csvLine.ts';
import { MAX_TICKS, type SeenFigures } from './instrumentRecord.ts';

export const HEADER = 'open_time_ms,open,high,low,close,volume';
const MARK_HEADER = 'open_time_ms,open,high,low,close';
const FIELDS = HEADER.split(',');
/** 2000-01-01 and 2100-01-01: outside, the times are seconds, microseconds or no times at all. */
const EARLIEST_MS = 946_684_800_000;
const LATEST_MS = 4_102_444_800_000;
const CHUNK_ROWS = 65_536;
const COMMA = 0x2c;

export interface RowRules {
  /** Names the file in messages. */
  readonly file: string;
  readonly interval: Interval;
  /** Digits behind the point that a price may have; null: whatever the file has. */
  readonly priceDigits: number | null;
  /** Round finer prices, a half upwards, instead of refusing them. */
  readonly roundToTick: boolean;
}

/** Takes lines one by one; refuses the first that breaks a rule with a ConfigError that names line and column. */
export class RowCollector {
  rows = 0;
  /** The time of the bar of each price that was rounded. */
  readonly roundedMs = new GrowingColumn(16);
  private readonly rules: RowRules;
  /** Prices must be below. */
  private readonly priceLimit: number;
  private readonly number = new DecimalReader();
  private readonly row = new Float64Array(6);
  private chunks: Float64Array[][] = [];
  private chunk: Float64Array[] = [];
  private lastMs = -Infinity;
  private priceDigits = 0;
  private volumeDigits = 0;
  private lowest = Infinity;
  private highest = 0;
  private line = 0;

  constructor(rules: RowRules) {
    this.rules = rules;
    this.priceLimit = MAX_TICKS / pow10(rules.priceDigits ?? 0);
  }

  /** The line in `bytes` from `from` to `to`, without its end of line. */
  take(bytes: Uint8Array, from: number, to: number): void {
    this.line++;
    if (this.line === 1) this.header(textOf(bytes, from, to));
    else if (this.parse(bytes, from, to) && this.sound()) this.keep();
    else throw this.explain(textOf(bytes, from, to));
  }

  /** Where the line after those taken stands, for messages of the reader of lines. */
  place(): string {
    return `${this.rules.file}:${this.line + 1}`;
  }

  figures(): SeenFigures {
    return { priceDigits: this.priceDigits, volumeDigits: this.volumeDigits, lowest: this.lowest, highest: this.highest };
  }

  /** All rows, in arrays of their length. Each column's pieces are let go as it is made, so that memory does not double. */
  columns(): RawColumns {
    const whole = emptyColumns(this.rows);
    for (const [i, name] of RAW.entries()) {
      for (const [c, chunk] of this.chunks.entries()) {
        const from = c * CHUNK_ROWS;
        whole[name].set(chunk[i]!.subarray(0, Math.min(CHUNK_ROWS, this.rows - from)), from);
        chunk[i] = new Float64Array(0);
      }
    }
    this.chunks = [];
    return whole;
  }

  private header(text: string): void {
    if (text === HEADER) return;
    const place = `${this.rules.file}:1`;
    if (text === MARK_HEADER)
      throw new ConfigError(`${place}: mark-price klines without volume are not bars`, 'import the klines of trades');
    const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
    throw new ConfigError(`${place}: expected the header ${HEADER}, got ${shown}`, 'see docs/data.md for the layout');
  }

  private parse(bytes: Uint8Array, from: number, to: number): boolean {
    const { number, row } = this;
    const limit = this.rules.priceDigits;
    let at = from;
    for (let field = 0; field < 6; field++) {
      if (!number.read(bytes, at, to)) return false;
      if (field === 0) {
        if (number.places !== 0) return false;
      } else if (field === 5) {
        if (number.digits > this.volumeDigits) this.volumeDigits = number.digits;
      } else if (number.digits > this.priceDigits) {
        if (limit !== null && number.digits > limit) {
          if (!this.rules.roundToTick) return false;
          number.round(bytes, at, limit);
          this.roundedMs.push(row[0]!);
        }
        this.priceDigits = Math.max(this.priceDigits, number.digits);
      }
      row[field] = number.value;
      at = number.next + 1;
      if (field < 5 && (number.next >= to || bytes[number.next] !== COMMA)) return false;
    }
    return number.next === to;
  }

  private sound(): boolean {
    const { row, lastMs } = this;
    const time = row[0]!;
    if (!(time > lastMs && time >= EARLIEST_MS && time < LATEST_MS) || openOf(this.rules.interval, time) !== time) return false;
    const [open, high, low, close] = [row[1]!, row[2]!, row[3]!, row[4]!];
    if (!(low > 0 && low <= open && low <= close && open <= high && close <= high && row[5]! < Infinity)) return false;
    return high < this.priceLimit;
  }

  private keep(): void {
    const { row, rows } = this;
    const at = rows % CHUNK_ROWS;
    if (at === 0) this.chunks.push((this.chunk = RAW.map(() => new Float64Array(CHUNK_ROWS))));
    const { chunk } = this;
    for (let i = 0; i < 6; i++) chunk[i]![at] = row[i]!;
    this.lastMs = row[0]!;
    if (row[3]! < this.lowest) this.lowest = row[3]!;
    if (row[2]! > this.highest) this.highest = row[2]!;
    this.rows++;
  }

  /** What is wrong with a line that the fast path refused. */
  private explain(text: string): ConfigError {
    const place = `${this.rules.file}:${this.line}`;
    const fields = text.split(',');
    const wrong = (column: string, reason: string, remedy: string) => new ConfigError(`${place} ${column}: ${reason}`, remedy);
    if (fields.length !== 6) {
      const got = text === '' ? 'an empty line' : `${fields.length}`;
      return new ConfigError(`${place}: expected 6 columns, got ${got}`, 'remove or mend the line; nothing was imported');
    }
    for (const [i, field] of fields.entries()) {
      const problem = this.fieldProblem(i, field);
      if (problem) return wrong(FIELDS[i]!, problem[0], problem[1]);
    }
    const time = Number(fields[0]);
    if (time === this.lastMs)
      return wrong(FIELDS[0]!, `the same time twice, ${formatTime(time)}`, 'remove one of the two; nothing was imported');
    if (time < this.lastMs) {
      return wrong(
        FIELDS[0]!,
        `expected a time after ${formatTime(this.lastMs)}, got ${formatTime(time)}`,
        'sort the file by time, oldest first',
      );
    }
    const [, open, high, low, close] = this.row;
    const order = `low ${low}, open ${open}, close ${close}, high ${high}`;
    if (!(low! <= open! && low! <= close!)) return wrong('low', `expected low <= open and close, got ${order}`, MEND);
    if (!(high! >= open! && high! >= close!)) return wrong('high', `expected high >= open and close, got ${order}`, MEND);
    if (high! >= this.priceLimit) return wrong('high', `expected a price below ${this.priceLimit}, got ${high}`, MEND);
    throw new InvariantError(`${place}: refused without a reason: ${text}`);
  }

  private fieldProblem(i: number, field: string): [reason: string, remedy: string] | null {
    const shown = JSON.stringify(field.length > 40 ? `${field.slice(0, 40)}...` : field);
    if (i === 0) return this.timeProblem(field, shown);
    if (field === '') return ['expected a number, got nothing', MEND];
    if (!isPlainDecimal(field))
      return [`expected a plain decimal, got ${shown}`, 'write digits and a point only: no exponent, sign, space, NaN'];
    if (i === 5) {
      if (field.startsWith('-')) return [`expected 0 or more, got ${shown}`, MEND];
      return Number(field) === Infinity ? [`expected a finite number, got ${shown}`, MEND] : null;
    }
    if (Number(field) <= 0) return [`expected a price above 0, got ${shown}`, MEND];
    const limit = this.rules.priceDigits;
    const digits = (field.split('.')[1] ?? '').replace(/0+$/, '').length;
    if (limit === null || digits <= limit) return null;
    if (!this.rules.roundToTick) {
      return [
        `${shown} is finer than the instrument's precision of ${limit} digits`,
        'round by --round-to-tick, or give a finer record by --instrument FILE',
      ];
    }
    return roundsToZero(field, limit) ? [`${shown} rounds to 0 at ${limit} digits`, 'give a finer record by --instrument FILE'] : null;
  }

  private timeProblem(field: string, shown: string): [reason: string, remedy: string] | null {
    if (!/^\d+$/.test(field)) return [`expected Unix milliseconds, got ${shown}`, 'write the open time of the bar in ms, UTC'];
    const time = Number(field);
    if (time < EARLIEST_MS || time >= LATEST_MS) {
      const guess =
        time * 1000 >= EARLIEST_MS && time * 1000 < LATEST_MS ? ' (seconds?)' : time > 1e15 && time < 1e19 ? ' (finer than ms?)' : '';
      return [`expected Unix milliseconds of the years 2000 to 2099, got ${shown}${guess}`, 'write the open time of the bar in ms, UTC'];
    }
    const { interval } = this.rules;
    if (openOf(interval, time) === time) return null;
    return [`${formatTime(time)} is not the open of a ${interval} bar`, 'name the right interval by --interval'];
  }
}

function roundsToZero(field: string, digits: number): boolean {
  const [whole = '', part = ''] = field.split('.');
  return /^0*$/.test(whole + part.slice(0, digits)) && (part[digits] ?? '0') < '5';
}

const MEND = 'mend or remove the line; nothing was imported';
