// Formats responses of an exchange as text: a table if it fits the width, else one paragraph for each record. All digits stay.

import { sanitizeText } from '../../base/text/untrustedText.ts';
import { formatTime } from '../../model/time.ts';
import { COLUMNS } from '../../report/terminal/lines.ts';
import { wrapText } from '../terminal/wrapText.ts';
import { alignedRows } from '../terminal/tables.ts';

/** Maximum length of a value, in characters. */
const MAX_CELL_LENGTH = 64;
/** Indentation of a nested value, and the space between the values of a paragraph, in characters. */
const INDENT_COLUMNS = 2;
const WORD_SPACE = '   ';

/** Returns a response as lines of at most `columns` characters where possible. */
export function answerLines(answer: unknown, columns = COLUMNS): readonly string[] {
  if (Array.isArray(answer)) return listLines(answer, columns);
  if (!isRecord(answer) || isCode(answer)) return [cellText('', answer)];
  return recordLines(answer, columns);
}

/** A JSON object. */
type JsonFields = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is JsonFields => typeof value === 'object' && value !== null && !Array.isArray(value);
/** True for a code of the wire protocol: the word that it means, and its raw text. */
const isCode = (value: unknown): boolean => isRecord(value) && typeof value['word'] === 'string' && typeof value['raw'] === 'string';
/** True for a value that fits into one cell. */
const isSimple = (value: unknown): boolean => typeof value !== 'object' || value === null || isCode(value);

/**
 * Returns the lines of the simple members, then those of the nested members below their headings. The member `rows` needs no heading.
 */
function recordLines(record: JsonFields, columns: number): readonly string[] {
  const entries = presentFields(record);
  const simple = entries.filter(([, value]) => isSimple(value));
  const simpleLines = alignedRows(simple.map(([name, value]) => [headingText(name), cellText(name, value)]));
  const nested = entries.filter(([name, value]) => !isSimple(value) && !(name === 'refused' && isEmpty(value)));
  const blocks = nested.map(([name, value]) => {
    if (name === 'rows') return answerLines(value, columns);
    const heading = name === 'refused' ? 'not understood, and omitted' : headingText(name);
    return [`${heading}:`, ...answerLines(value, columns - INDENT_COLUMNS).map((line) => `  ${line}`)];
  });
  return [...simpleLines, ...blocks.flat()];
}

/** Returns the members that have a value. */
const presentFields = (record: JsonFields): readonly (readonly [string, unknown])[] =>
  Object.entries(record).filter(([, value]) => value !== null && value !== undefined);

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** Returns a list of records as a table, or as paragraphs when the table is too wide. Other lists become one wrapped text. */
function listLines(values: readonly unknown[], columns: number): readonly string[] {
  if (values.length === 0) return ['none'];
  const records = values.filter(isRecord).filter((record) => !isCode(record));
  if (records.length < values.length) return wrapText(values.map((value) => answerLines(value, columns).join(' ')).join(', '), columns);
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  // Columns without any value are omitted to save width.
  const columnNames = names.filter((name) => records.some((record) => record[name] !== null && record[name] !== undefined));
  const isFlat = records.every((record) => columnNames.every((name) => isSimple(record[name])));
  if (isFlat) {
    const table = alignedRows([
      columnNames.map(headingText),
      ...records.map((record) => columnNames.map((name) => cellText(name, record[name]))),
    ]);
    if (table.every((line) => line.length <= columns)) return table;
  }
  return records.flatMap((record, index) => [...(index === 0 ? [] : ['']), ...packedLines(record, columns)]);
}

/** Returns a record as a paragraph of its simple values, with nested values below. */
function packedLines(record: JsonFields, columns: number): readonly string[] {
  const entries = presentFields(record);
  const pairs = entries.filter(([, value]) => isSimple(value)).map(([name, value]) => `${headingText(name)} ${cellText(name, value)}`);
  const lines = packWords(pairs, columns - INDENT_COLUMNS);
  const nested = entries.filter(([, value]) => !isSimple(value));
  const nestedLines = nested.flatMap(([name, value]) => {
    const valueLines = answerLines(value, columns - 2 * INDENT_COLUMNS);
    return [`${headingText(name)}:`, ...valueLines.map((line) => `  ${line}`)];
  });
  return [...lines.map((line, index) => (index === 0 ? line : `  ${line}`)), ...nestedLines.map((line) => `  ${line}`)];
}

/** Returns lines with as many words as fit, three spaces apart. */
function packWords(words: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + WORD_SPACE.length + word.length <= columns) lines[lines.length - 1] = line + WORD_SPACE + word;
    else lines.push(word);
  }
  return lines;
}

/** Returns the heading of a member without the suffix Ms. A bar's `openMs` becomes `opens`, because `open` is its first price. */
const headingText = (name: string): string => (name === 'openMs' ? 'opens' : name.replace(/(?<=[a-z])Ms$/, ''));

/** Returns one value as text. A time becomes a UTC time, and an unknown code keeps its raw text. */
function cellText(name: string, value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number' && /(^|[a-z])(time|open)Ms$/i.test(name)) return formatTime(value);
  if (isRecord(value)) {
    const word = String(value['word']);
    return sanitizeText(word === 'UNKNOWN' ? `UNKNOWN (${String(value['raw'])})` : word, MAX_CELL_LENGTH);
  }
  return sanitizeText(typeof value === 'string' ? value : JSON.stringify(value), MAX_CELL_LENGTH);
}
