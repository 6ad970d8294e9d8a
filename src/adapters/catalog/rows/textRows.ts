// Rows whose numbers are text: a fast path over bytes, and a slow one for other ways to write a number and for words about what is wrong.

import { pow10 } from '../../../base/number/exact.ts';
import { DecimalReader } from './decimalReader.ts';
import { EARLIEST_MS, LATEST_MS, type RowProblem, type RowCollector } from './rowCollector.ts';
import { badRow, rowProblem } from './rowProblem.ts';
import { msOfDate, msOfUnix } from './timeText.ts';

/** What the columns of a file mean. */
export interface Columns {
  /** For each column of the file which number it is: 0 time, 1 open, 2 high, 3 low, 4 close, 5 volume, -1 none. */
  readonly slots: Int8Array;
  /** The names of the six in messages. */
  readonly names: readonly string[];
  /** The column that names the symbol of each row, where there is one: all rows have to be of one symbol. */
  readonly symbol: { readonly at: number; readonly name: string } | null;
  /** Times in ms only, and plain decimals only: isobar's own layout. */
  readonly strict: boolean;
}

const COMMA = 0x2c;
const PLAIN_SLOTS = Int8Array.of(0, 1, 2, 3, 4, 5);

export class TextRows {
  private readonly collector: RowCollector;
  private readonly columns: Columns;
  /** The column of each of the six. */
  private readonly places: readonly number[];
  private readonly number = new DecimalReader();
  /** The symbol of the first row, as it is written there, without signs. */
  private symbol: string | null = null;

  constructor(collector: RowCollector, columns: Columns) {
    this.collector = collector;
    this.columns = columns;
    this.places = [...PLAIN_SLOTS].map((slot) => columns.slots.indexOf(slot));
  }

  /** Takes the line in `bytes` from `from` to `to`, without its end of line. */
  takeLine(line: number, bytes: Uint8Array, from: number, to: number): void {
    const { symbol } = this.columns;
    if (symbol === null && this.parse(bytes, from, to, this.columns.slots) && this.collector.accept(line)) return;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
    const fields = text.split(',');
    const expected = this.columns.slots.length;
    const problem = symbol !== null && fields.length === expected ? this.symbolProblem(fields[symbol.at]!, symbol.name) : null;
    if (problem) this.collector.refuse(line, problem, text);
    else if (fields.length === expected)
      this.takeFields(
        line,
        this.places.map((place) => fields[place]!),
        () => text,
      );
    else {
      const got = text === '' ? 'an empty line' : `${fields.length}`;
      this.collector.refuse(line, badRow(`expected ${expected} columns, got ${got}`), text);
    }
  }

  /** Rows of two symbols whose times happen to rise would become bars that never were. */
  private symbolProblem(field: string, column: string): RowProblem | null {
    // BTC/USDT in one year is BTCUSDT in the next.
    const symbol = field.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase();
    this.symbol ??= symbol;
    if (symbol === this.symbol) return null;
    const reason = `expected the symbol of the rows before it, ${this.symbol}, got ${JSON.stringify(field)}`;
    return { column, reason, remedy: 'put each symbol into a file of its own, or import with --skip-bad' };
  }

  /** Takes the six fields of a row as they were written; `text` gives the row for a reject file. */
  takeFields(line: number, written: readonly string[], text: () => string): void {
    const fields = this.columns.strict ? written : written.map((field, i) => (i === 0 ? plainTime(field) : plainNumber(field)));
    const bytes = Buffer.from(fields.join(','), 'latin1');
    if (this.parse(bytes, 0, bytes.length, PLAIN_SLOTS) && this.collector.accept(line)) return;
    this.collector.refuse(line, rowProblem(fields, this.columns.names, this.collector, this.columns.strict), text());
  }

  /** Reads a line into the row at hand; false when it is not made of plain numbers and as many columns as there should be. */
  private parse(bytes: Uint8Array, from: number, to: number, slots: Int8Array): boolean {
    const { number } = this;
    const { row, rules } = this.collector;
    const { values } = row;
    const limit = rules.priceDigits;
    row.priceDigits = 0;
    row.rounded = 0;
    let at = from;
    for (let column = 0; column < slots.length; column++) {
      const slot = slots[column]!;
      let end = at;
      if (slot < 0) {
        while (end < to && bytes[end] !== COMMA) end++;
      } else {
        if (!number.read(bytes, at, to)) return false;
        end = number.next;
        if (slot === 0) {
          if (number.places !== 0) return false;
          if (!this.columns.strict && !(number.value >= EARLIEST_MS && number.value < LATEST_MS)) number.value = msOfUnix(number.value);
        } else if (slot === 5) {
          row.volumeDigits = number.digits;
        } else if (number.digits > row.priceDigits) {
          if (limit !== null && number.digits > limit) {
            if (!rules.roundToTick) return false;
            number.round(bytes, at, limit);
            row.rounded++;
          }
          if (number.digits > row.priceDigits) row.priceDigits = number.digits;
        }
        values[slot] = number.value;
      }
      // All but the last column end with a comma.
      const isLast = column === slots.length - 1;
      if (end < to === isLast) return false;
      at = end + 1;
    }
    return true;
  }
}

/** Six numbers in columns of their own: a list of lists, or of objects. */
export function sixColumns(names: readonly string[]): Columns {
  return { slots: PLAIN_SLOTS, names, symbol: null, strict: false };
}

const PLAIN = /^\d+(\.\d+)?$/;

/** A time as a plain decimal where it is written in any way that can be told; else as it stands. */
function plainTime(field: string): string {
  const text = unquoted(field);
  if (/^\d+(\.0+)?$/.test(text)) return text.split('.')[0]!;
  const ms = msOfDate(text);
  return ms === null ? text : String(ms);
}

function plainNumber(field: string): string {
  if (PLAIN.test(field)) return field;
  const text = unquoted(field);
  return /^\d+(\.\d*)?[eE][+-]?\d{1,3}$/.test(text) || /^\d+\.$/.test(text) ? withoutExponent(text) : text;
}

function unquoted(field: string): string {
  return field
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim();
}

/** 2.9e-7 as 0.00000029: the same digits, the point elsewhere. */
export function withoutExponent(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', part = ''] = mantissa.split('.');
  const digits = whole + part;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return digits.padEnd(point, '0');
  return `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** The shortest plain decimal that reads back as `value`; NaN and Infinity by name. */
export function plainText(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  return value < 0 ? `-${withoutExponent(text.slice(1))}` : withoutExponent(text);
}

/** The fewest digits behind the point, `least` or more, with which a decimal reads back as `value`; `most` when none does. */
export function decimalsIn(value: number, min: number, max: number): number {
  let digits = min;
  while (digits < max && Math.round(value * pow10(digits)) / pow10(digits) !== value) digits++;
  return digits;
}
