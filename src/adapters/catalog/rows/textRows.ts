// Parses rows of text: on a fast path over bytes, or on a slow path for other number formats and for error messages.

import { pow10 } from '../../../base/number/exact.ts';
import { DecimalReader } from './decimalReader.ts';
import { EARLIEST_MS, LATEST_MS, type RowProblem, type RowCollector } from './rowCollector.ts';
import { badRow, rowProblem } from './rowProblem.ts';
import { msOfDate, msOfUnix } from './timeText.ts';

/** The meaning of a file's columns. */
export interface Columns {
  /** For each column of the file its value: 0 time, 1 open, 2 high, 3 low, 4 close, 5 volume, -1 ignored. */
  readonly slots: Int8Array;
  /** Names of the six values in messages. */
  readonly names: readonly string[];
  /** The column with the symbol of each row, if there is one. All rows must have the same symbol. */
  readonly symbol: { readonly index: number; readonly name: string } | null;
  /** Times in ms only and plain decimals only: isobar's own layout. */
  readonly strict: boolean;
}

const COMMA = 0x2c;
/** The slots of a time and of a volume. Those between them are prices. */
const TIME_SLOT = 0;
const VOLUME_SLOT = 5;
const PLAIN_SLOTS = Int8Array.of(TIME_SLOT, 1, 2, 3, 4, VOLUME_SLOT);

/** Parses the cells of text rows and passes the rows to a collector. */
export class TextRows {
  private readonly collector: RowCollector;
  private readonly columns: Columns;
  /** The column of each of the six values. */
  private readonly positions: readonly number[];
  private readonly number = new DecimalReader();
  /** The symbol of the first row, without punctuation. */
  private symbol: string | null = null;

  constructor(collector: RowCollector, columns: Columns) {
    this.collector = collector;
    this.columns = columns;
    this.positions = [...PLAIN_SLOTS].map((slot) => columns.slots.indexOf(slot));
  }

  /** Takes the line in `bytes` from `from` to `to`, without its line end. */
  parseLine(line: number, bytes: Uint8Array, from: number, to: number): void {
    const { symbol } = this.columns;
    if (symbol === null && this.parse(bytes, from, to, this.columns.slots) && this.collector.accept(line)) return;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
    const fields = text.split(',');
    const expected = this.columns.slots.length;
    if (fields.length !== expected) {
      const actual = text === '' ? 'an empty line' : `${fields.length}`;
      this.collector.refuse(line, badRow(`expected ${expected} columns, got ${actual}`), text);
      return;
    }
    const problem = symbol === null ? null : this.symbolProblem(fields[symbol.index]!, symbol.name);
    if (problem) {
      this.collector.refuse(line, problem, text);
      return;
    }
    const sixFields = this.positions.map((position) => fields[position]!);
    this.takeFields(line, sixFields, () => text);
  }

  /** Returns the problem of a row with another symbol than the rows before it. Rows of two symbols would be mixed into false bars. */
  private symbolProblem(field: string, column: string): RowProblem | null {
    // The same symbol may be written BTC/USDT in one year and BTCUSDT in the next.
    const symbol = field.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();
    this.symbol ??= symbol;
    if (symbol === this.symbol) return null;
    const reason = `expected the symbol of the rows before it, ${this.symbol}, got ${JSON.stringify(field)}`;
    return { column, reason, remedy: 'put each symbol into a file of its own, or import with --skip-bad' };
  }

  /** Takes the six fields of a row as written; `text` returns the row for a reject file. */
  takeFields(line: number, written: readonly string[], text: () => string): void {
    const fields = this.columns.strict ? written : written.map((field, i) => (i === TIME_SLOT ? plainTime(field) : plainNumber(field)));
    const bytes = Buffer.from(fields.join(','), 'latin1');
    if (this.parse(bytes, 0, bytes.length, PLAIN_SLOTS) && this.collector.accept(line)) return;
    this.collector.refuse(line, rowProblem(fields, this.columns.names, this.collector, this.columns.strict), text());
  }

  /** Parses a line into the current row of the collector. Returns false unless it has plain numbers and the right number of columns. */
  private parse(bytes: Uint8Array, from: number, to: number, slots: Int8Array): boolean {
    const { number } = this;
    const { row, rules } = this.collector;
    const { values } = row;
    const limit = rules.priceDigits;
    row.priceDigits = 0;
    row.rounded = 0;
    let start = from;
    for (let column = 0; column < slots.length; column++) {
      const slot = slots[column]!;
      let end = start;
      if (slot < 0) {
        while (end < to && bytes[end] !== COMMA) end++;
      } else {
        if (!number.read(bytes, start, to)) return false;
        end = number.endPosition;
        if (slot === TIME_SLOT) {
          if (number.places !== 0) return false;
          if (!this.columns.strict && !(number.value >= EARLIEST_MS && number.value < LATEST_MS)) number.value = msOfUnix(number.value);
        } else if (slot === VOLUME_SLOT) {
          row.volumeDigits = number.digits;
        } else if (number.digits > row.priceDigits) {
          if (limit !== null && number.digits > limit) {
            if (!rules.roundToTick) return false;
            number.round(bytes, start, limit);
            row.rounded++;
          }
          if (number.digits > row.priceDigits) row.priceDigits = number.digits;
        }
        values[slot] = number.value;
      }
      // Every column except the last ends with a comma.
      const isLast = column === slots.length - 1;
      const hasComma = end < to;
      if (hasComma === isLast) return false;
      start = end + 1;
    }
    return true;
  }
}

/** Returns columns for rows of exactly six values: a list of lists, or of objects. */
export function sixColumns(names: readonly string[]): Columns {
  return { slots: PLAIN_SLOTS, names, symbol: null, strict: false };
}

const PLAIN_DECIMAL = /^\d+(\.\d+)?$/;

/** Returns a time as a plain decimal if its format is known; otherwise unchanged. */
function plainTime(field: string): string {
  const text = unquote(field);
  if (/^\d+(\.0+)?$/.test(text)) return text.split('.')[0]!;
  const ms = msOfDate(text);
  return ms === null ? text : String(ms);
}

/** Returns a number as a plain decimal if its format is known; otherwise unchanged. */
function plainNumber(field: string): string {
  if (PLAIN_DECIMAL.test(field)) return field;
  const text = unquote(field);
  const hasExponent = /^\d+(\.\d*)?[eE][+-]?\d{1,3}$/.test(text);
  const endsWithPoint = /^\d+\.$/.test(text);
  return hasExponent || endsWithPoint ? withoutExponent(text) : text;
}

/** Returns a field without its quotes and the spaces around them. */
function unquote(field: string): string {
  return field
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
}

/** Returns 2.9e-7 as 0.00000029: the same digits with the point moved. */
export function withoutExponent(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [integerPart = '', decimals = ''] = mantissa.split('.');
  const digits = integerPart + decimals;
  const point = integerPart.length + Number(exponent);
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return digits.padEnd(point, '0');
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Returns the shortest plain decimal that reads back as `value`; NaN and Infinity by name. */
export function plainNumberText(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  return value < 0 ? `-${withoutExponent(text.slice(1))}` : withoutExponent(text);
}

/** Returns the minimum number of decimals, from `min` on, with which a decimal reads back as `value`; `max` if none does. */
export function decimalsIn(value: number, min: number, max: number): number {
  let digits = min;
  while (digits < max && Math.round(value * pow10(digits)) / pow10(digits) !== value) digits++;
  return digits;
}
