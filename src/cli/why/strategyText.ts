// Formats the values, conditions, fields, reads and calls of a strategy at a bar.

import { counted } from '../../base/text/format.ts';
import { formatMinute } from '../../model/time.ts';
import type { ExplainedWhen, ExplainedField, ExplainedStrategy, ExplainedValue, ExplainedWait } from '../../tasks/why/model/explanation.ts';
import { wrapText } from '../terminal/wrapText.ts';
import { rowsText, WIDTH } from './columns.ts';

/** Columns of the bar, which have a section of their own. */
const BAR_COLUMNS = ['open', 'high', 'low', 'close', 'volume'];
/** Maximum number of rows of a table, and of significant digits of a number. */
const MAX_ROWS = 60;
const MAX_DIGITS = 10;

/** Returns a number with at most ten significant digits. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(MAX_DIGITS))) : '-';
}

/** Returns the table of values. `barFeed` names the feed of the bar. The table also has the close of every other feed. */
export function valueLines(values: readonly ExplainedValue[], barFeed: string): readonly string[] {
  const hasSeveralFeeds = new Set(values.map(({ feed }) => feed)).size > 1;
  const listed = values.filter(({ name, fields, feed }) => {
    const isCloseOfOtherFeed = name === 'close' && feed !== barFeed;
    return fields.length > 0 || !BAR_COLUMNS.includes(name) || isCloseOfOtherFeed;
  });
  if (listed.length === 0) return [];
  const rows = listed
    .slice(0, MAX_ROWS)
    .map(({ feed, name, fields, value, prev }) => [
      ...(hasSeveralFeeds ? [feed] : []),
      name,
      cellText(value),
      cellText(prev),
      fields.join(', '),
    ]);
  const headings = [...(hasSeveralFeeds ? ['feed'] : []), 'name', 'value', 'one bar before', 'field'];
  return addLimitNote(rowsText([headings, ...rows], hasSeveralFeeds ? 'llrrl' : 'lrrl'), listed.length);
}

/** Returns a value as a cell. */
function cellText(value: number | boolean | null): string {
  if (value === null) return 'not ready';
  return typeof value === 'number' ? numberText(value) : String(value);
}

/** Returns each condition with its state and figures, and those of its operands below. */
export function whenLines(when: readonly ExplainedWhen[]): readonly string[] {
  return when.flatMap(({ number, operands, fired, sinceTrade, fields }) => {
    // The first operand is the condition itself.
    const [, ...parts] = operands;
    const condition = operands[0]!;
    const field = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
    const state = fired ? 'true, fired' : stateText(condition.state);
    const rows = [
      [`when ${number}${field}`, state, `${condition.text}${figuresText(condition.figures)}`],
      ...parts.map((part) => [`${'  '.repeat(part.depth)}operand`, stateText(part.state), `${part.text}${figuresText(part.figures)}`]),
      ...(sinceTrade === null ? [] : [['', '', waitText(sinceTrade)]]),
    ];
    return rowsText(rows);
  });
}

/** Returns which operands were not true since the last trade, and on how many bars. */
function waitText({ first, firstMs, bars }: ExplainedWait): string {
  const [onlyOperand] = bars;
  if (bars.length === 1 && onlyOperand !== undefined)
    return `not true since the last trade on ${counted(onlyOperand.bars, 'bar')}, first at ${formatMinute(firstMs)}`;
  const barCounts = bars.map(({ operand, bars: barCount }) => `${operand} on ${counted(barCount, 'bar')}`).join(', ');
  return `not true since the last trade: first ${first} (${formatMinute(firstMs)}); ${barCounts}`;
}

const stateText = (state: string): string => state.replace('-', ' ');
const figuresText = (text: string): string => (text === '' ? '' : `: ${text}`);

/** Returns the fields of the strategy object, with the old and the new value of a changed one. */
export function fieldLines(fields: readonly ExplainedField[]): readonly string[] {
  const listed = fields.filter(({ isView }) => !isView);
  if (listed.length === 0) return [];
  const rows = listed
    .slice(0, MAX_ROWS)
    .map(({ name, before, after, isKept }) => [
      name,
      before === after ? '' : 'changed',
      changeText(before, after) + (isKept ? '  (kept)' : ''),
    ]);
  return addLimitNote(rowsText(rows), listed.length);
}

/** Returns the value of a field, and the old one before it if it has changed. */
function changeText(before: string, after: string): string {
  return before === after ? after : `${before} -> ${after}`;
}

/** Returns the reads of the strategy and the calls that ask for something, such as an order. */
export function calledLines({ calls, waits }: ExplainedStrategy): readonly string[] {
  if (waits !== null) return wrapText(waits, WIDTH);
  if (calls.length === 0) return [];
  const rows = calls
    .slice(0, MAX_ROWS)
    .map(({ during, kind, text, result }) => [
      during,
      kind === 'read' ? 'read' : 'asked',
      `${text}${result === '' ? '' : ` = ${shortResult(result)}`}`,
    ]);
  return addLimitNote(rowsText(rows), calls.length);
}

/** Returns the result of a call. A number has at most ten significant digits. */
function shortResult(result: string): string {
  return /^-?\d+\.\d+(e-?\d+)?$/.test(result) ? numberText(Number(result)) : result;
}

/** Returns the lines, with a note when `count` rows were too many for the table. */
function addLimitNote(lines: readonly string[], count: number): readonly string[] {
  return count <= MAX_ROWS ? lines : [...lines, `... ${count - MAX_ROWS} more: --json has all`];
}
