// Reads klines as venues return them: a JSON list of objects (idx, open, high, low, close, vol; numbers on spot, text on futures), or of
// lists (time, open, high, low, close, volume, ...).

import { ConfigError } from '../../../base/errors.ts';
import { withoutMark } from '../rows/formats.ts';
import { RowCollector, type ParsedFile, type RowRules } from '../rows/rowCollector.ts';
import { badRow } from '../rows/rowProblem.ts';
import { plainNumberText, sixColumns, TextRows } from '../rows/textRows.ts';

/** A reply has some hundred klines. A longer file does not fit into a string. */
const MAX_BYTES = 256 * 1024 * 1024;
const FIELD_NAMES = ['idx', 'open', 'high', 'low', 'close', 'vol'];

/** Reads the rows of a JSON file of klines from its chunks of bytes. */
export class KlinesJson {
  /** The format, for the record of the import. */
  readonly format = 'json';
  /** Number of rows kept. 0 until `finish`, because the whole list is parsed there. */
  rowsTaken = 0;
  private readonly chunks: Uint8Array[] = [];
  private bytes = 0;
  private readonly rules: RowRules;

  constructor(rules: RowRules) {
    this.rules = rules;
  }

  /** The place reached in the file, for messages. */
  get reached(): string {
    return `byte ${this.bytes}`;
  }

  /** Takes the next chunk of bytes. Throws ConfigError when the file is too large. */
  addChunk(bytes: Uint8Array): void {
    this.bytes += bytes.length;
    if (this.bytes > MAX_BYTES) throw new ConfigError(`${this.rules.file}: a JSON file of more than ${MAX_BYTES} bytes`, 'split it');
    this.chunks.push(bytes);
  }

  /** Parses the whole list and returns its rows. */
  finish(): ParsedFile {
    const { file } = this.rules;
    const collector = new RowCollector(this.rules, (line) => `${file}[${line - 1}]`);
    const rows = new TextRows(collector, sixColumns(FIELD_NAMES));
    for (const [index, row] of this.parseList().entries()) {
      const fields = fieldsOf(row);
      const text = () => flatJson(row);
      if (fields === null)
        collector.refuse(index + 1, badRow(`expected an object with ${FIELD_NAMES.join(', ')}, got ${clippedText(text())}`), text());
      else rows.takeFields(index + 1, fields, text);
    }
    this.rowsTaken = collector.rows;
    return collector.parsed();
  }

  /** Returns the list of klines in the file. Throws ConfigError for other content. */
  private parseList(): readonly unknown[] {
    const fileBytes = Buffer.concat(this.chunks);
    const text = fileBytes.toString('utf8', withoutMark(fileBytes));
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      throw new ConfigError(
        `${this.rules.file}: no valid JSON: ${error instanceof Error ? error.message : String(error)}`,
        'fetch it again',
      );
    }
    if (Array.isArray(parsed)) return parsed;
    throw new ConfigError(`${this.rules.file}: expected a list of klines, got ${clippedText(flatJson(parsed))}`, 'save the list alone');
  }
}

/** Returns the six fields as text, or null for anything but a kline. Numbers are doubles on the wire too; text keeps its digits. */
function fieldsOf(row: unknown): string[] | null {
  const isList = Array.isArray(row);
  if (!isList && !isObject(row)) return null;
  const fields: string[] = [];
  for (const [index, name] of FIELD_NAMES.entries()) {
    const value: unknown = isList ? row[index] : row[name];
    if (typeof value !== 'number' && typeof value !== 'string') return null;
    fields.push(typeof value === 'number' ? plainNumberText(value) : value);
  }
  return fields;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Returns JSON without content nested deeper than a kline, because nested lists may be deeper than the stack. */
function flatJson(value: unknown): string {
  const flat = (inner: unknown) => (isObject(inner) ? '...' : inner);
  if (Array.isArray(value)) return JSON.stringify(value.map(flat));
  const members = isObject(value) ? Object.entries(value).map(([name, inner]) => [name, flat(inner)] as const) : null;
  return JSON.stringify(members === null ? value : Object.fromEntries(members));
}

function clippedText(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
