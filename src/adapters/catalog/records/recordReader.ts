// Reads checked values from a JSON object that people edit. Every message has the place, the expected value and the actual one.

import { toScaled } from '../../../base/number/decimal.ts';
import { isPlainDecimal } from '../../../base/number/decimalText.ts';
import { ConfigError } from '../../../base/errors.ts';
import { nearestName } from '../../../base/number/nearestName.ts';

const REMEDY = 'docs/data.md shows a record';
const MILLION_DIGITS = 6;
/** Maximum length of a wrong value in messages. */
const MAX_SHOWN = 60;

/** Place of an object in its file, for messages. */
interface RecordPlace {
  readonly json: string;
  readonly file: string;
  /** Offset of the object in the text. */
  readonly from: number;
  /** Prefix of its keys, such as `contract.`. */
  readonly prefix: string;
  /** For a record inside another file: returns the place of a key. */
  readonly where: ((key: string) => string) | null;
}

/** Reads the members of a JSON record. An error names the line and the member. */
export class RecordReader<Key extends string> {
  private readonly values: Readonly<Record<string, unknown>>;
  private readonly json: string;
  private readonly file: string;
  private readonly from: number;
  private readonly prefix: string;
  private readonly where: RecordPlace['where'];

  /** Throws ConfigError for a value that is not an object or has a key that is not in `keys`. */
  private constructor(value: unknown, keys: readonly Key[], { json, file, from, prefix, where }: RecordPlace) {
    this.json = json;
    this.file = file;
    this.from = from;
    this.prefix = prefix;
    this.where = where;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ConfigError(`${file}${prefix === '' ? '' : ` ${prefix.slice(0, -1)}`}: expected an object`, REMEDY);
    }
    this.values = { ...value };
    for (const key of Object.keys(this.values)) {
      if ((keys as readonly string[]).includes(key)) continue;
      const nearName = nearestName(key, keys);
      throw new ConfigError(
        `${this.place(key)}: unknown key`,
        nearName === null ? `the keys are ${keys.join(', ')}` : `did you mean ${nearName}?`,
      );
    }
  }

  /** Reads the text of a whole record; `file` names it in messages. */
  static parse<Key extends string>(json: string, file: string, keys: readonly Key[]): RecordReader<Key> {
    let value: unknown;
    try {
      value = JSON.parse(json);
    } catch (error) {
      throw new ConfigError(`${file}: no valid JSON: ${error instanceof Error ? error.message : String(error)}`, REMEDY);
    }
    return new RecordReader(value, keys, { json, file, from: 0, prefix: '', where: null });
  }

  /** Reads a record in memory; `where` returns the place of a key for messages. */
  static fromRecord<Key extends string>(record: unknown, where: (key: string) => string, keys: readonly Key[]): RecordReader<Key> {
    return new RecordReader(record, keys, { json: '', file: '', from: 0, prefix: '', where });
  }

  /** True when the record has the key. */
  has(key: Key): boolean {
    return this.values[key] !== undefined;
  }

  /** Returns the object at a key. */
  inner<Inner extends string>(key: Key, keys: readonly Inner[]): RecordReader<Inner> {
    return new RecordReader(this.values[key], keys, this.placeIn(key, `${key}.`));
  }
  /** Returns the objects of the list at a key, which must have at least one. */
  list<Inner extends string>(key: Key, keys: readonly Inner[]): readonly RecordReader<Inner>[] {
    const value = this.values[key];
    if (!Array.isArray(value) || value.length === 0) throw this.valueError(key, 'a list of objects', value);
    return value.map((item, index) => new RecordReader(item, keys, this.placeIn(key, `${key}[${index}].`)));
  }
  /** Returns the place of an object at a key. `suffix` is added to the prefix of its keys. */
  private placeIn(key: Key, suffix: string): RecordPlace {
    const { json, file, prefix, where } = this;
    return { json, file, from: this.positionOf(key), prefix: `${prefix}${suffix}`, where };
  }

  /** Returns a list of names; an empty list if the key is absent. */
  texts(key: Key): readonly string[] {
    const value: unknown = this.values[key] ?? [];
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) throw this.valueError(key, 'a list of names', value);
    return value;
  }

  /** Returns the name of an asset. */
  asset(key: Key): string {
    const value = this.values[key];
    if (typeof value !== 'string' || !/^[A-Za-z0-9.]{1,20}$/.test(value))
      throw this.valueError(key, 'the name of an asset such as "BTC"', value);
    return value;
  }
  /** Returns one of the choices. */
  choice<const T extends string>(key: Key, choices: readonly T[]): T {
    const found = choices.find((choice) => choice === this.values[key]);
    if (found === undefined) throw this.valueError(key, `one of ${choices.join(', ')}`, this.values[key]);
    return found;
  }
  /** Returns text of printable characters. */
  text(key: Key): string {
    const value = this.values[key];
    if (typeof value !== 'string' || !/^[ -~]{1,40}$/.test(value)) throw this.valueError(key, 'a word', value);
    return value;
  }

  /** Returns an integer from `min` to `max`. `unit` follows `a whole number` in the message. */
  wholeNumber(key: Key, min: number, max: number, unit: string, defaultValue?: number): number {
    const value = this.values[key] ?? defaultValue;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
      throw this.valueError(key, `a whole number${unit}, ${min} to ${max}`, value);
    }
    return value;
  }
  /** True when the value of a key is null. */
  isNull(key: Key): boolean {
    return this.values[key] === null;
  }

  /** Returns a decimal in quotes, scaled by 10^digits. */
  decimal(key: Key, digits: number, description: string): number {
    const value = this.values[key];
    const expected = `${description} in quotes with at most ${digits} digits behind the point`;
    if (typeof value !== 'string' || !isPlainDecimal(value) || value.startsWith('-')) throw this.valueError(key, expected, value);
    // Check first, because `toScaled` treats an amount above 2^53 as a bug.
    const scaled = Number(value) * 10 ** digits > Number.MAX_SAFE_INTEGER ? null : toScaled(value, digits);
    if (scaled === null) throw this.valueError(key, expected, value);
    return scaled;
  }
  /** Returns a fraction below 1, in millionths. */
  rate(key: Key, description: string): number {
    const ppm = this.decimal(key, MILLION_DIGITS, `${description} such as "0.001"`);
    if (ppm >= 1_000_000) throw this.valueError(key, 'a fraction below 1 ("0.001" is 0.1 %)', this.values[key]);
    return ppm;
  }

  /** Returns the value at a key without a check; undefined if the key is absent. */
  uncheckedValue(key: Key): unknown {
    return this.values[key];
  }
  /** Returns the error for the wrong value `got` at a key. */
  valueError(key: Key, expected: string, got: unknown, remedy = REMEDY): ConfigError {
    const text = got === undefined ? 'nothing' : JSON.stringify(got);
    const shownText = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 3)}...` : text;
    return new ConfigError(`${this.place(key)}: expected ${expected}, got ${shownText}`, remedy);
  }

  /** Returns the position of a key in the text; -1 if it is absent. */
  private positionOf(key: string): number {
    return this.json.indexOf(`"${key}"`, this.from);
  }
  /** Returns the place of a key for messages: file, line and name. */
  private place(key: string): string {
    if (this.where) return this.where(`${this.prefix}${key}`);
    const position = this.positionOf(key);
    const line = position < 0 ? '' : `:${this.json.slice(0, position).split('\n').length}`;
    return `${this.file}${line} ${this.prefix}${key}`;
  }
}
