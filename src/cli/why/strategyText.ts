// Formats what a strategy saw and did at a bar: values, conditions, fields, reads and calls.

import { counted } from '../../base/text/format.ts';
import { formatMinute } from '../../model/time.ts';
import type { ExplainedWhen, ExplainedField, ExplainedStrategy, ExplainedValue, ExplainedWait } from '../../tasks/why/model/explanation.ts';
import { wrapped } from '../terminal/wrapped.ts';
import { rowsText, WIDTH } from './columns.ts';

/** Columns of the bar, which are shown in their own section. */
const COLUMNS_OF_BAR = ['open', 'high', 'low', 'close', 'volume'];
const MAX_ROWS = 60;

/** Returns a number with at most ten significant digits. */
export function numberText(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(10))) : '-';
}

/** Returns the lines of values. `own`: the feed of the bar. For other feeds, their close is shown too. */
export function valueLines(values: readonly ExplainedValue[], own: string): readonly string[] {
  const isSeveral = new Set(values.map(({ feed }) => feed)).size > 1;
  const shown = values.filter(
    ({ name, fields, feed }) => fields.length > 0 || !COLUMNS_OF_BAR.includes(name) || (name === 'close' && feed !== own),
  );
  if (shown.length === 0) return [];
  const rows = shown
    .slice(0, MAX_ROWS)
    .map(({ feed, name, fields, value, prev }) => [...(isSeveral ? [feed] : []), name, cellText(value), cellText(prev), fields.join(', ')]);
  const head = [...(isSeveral ? ['feed'] : []), 'name', 'value', 'one bar before', 'field'];
  return limited(rowsText([head, ...rows], isSeveral ? 'llrrl' : 'lrrl'), shown.length);
}

function cellText(value: number | boolean | null): string {
  if (value === null) return 'not ready';
  return typeof value === 'number' ? numberText(value) : String(value);
}

export function whenLines(when: readonly ExplainedWhen[]): readonly string[] {
  return when.flatMap(({ number, operands, fired, sinceTrade, fields }) => {
    const [, ...parts] = operands;
    const own = operands[0]!;
    const field = fields.length === 0 ? '' : ` (${fields.join(', ')})`;
    const rows = [
      [`when ${number}${field}`, fired ? 'true, fired' : stateWord(own.state), `${own.text}${figures(own.figures)}`],
      ...parts.map((part) => [`${'  '.repeat(part.depth)}operand`, stateWord(part.state), `${part.text}${figures(part.figures)}`]),
      ...(sinceTrade === null ? [] : [['', '', waitText(sinceTrade)]]),
    ];
    return rowsText(rows);
  });
}

/** Returns which operands were not true since the last trade, and on how many bars. */
function waitText({ first, firstMs, bars }: ExplainedWait): string {
  const [only] = bars;
  if (bars.length === 1 && only !== undefined)
    return `not true since the last trade on ${counted(only.bars, 'bar')}, first at ${formatMinute(firstMs)}`;
  const each = bars.map(({ operand, bars: of }) => `${operand} on ${counted(of, 'bar')}`).join(', ');
  return `not true since the last trade: first ${first} (${formatMinute(firstMs)}); ${each}`;
}

const stateWord = (state: string): string => state.replace('-', ' ');
const figures = (text: string): string => (text === '' ? '' : `: ${text}`);

export function fieldLines(fields: readonly ExplainedField[]): readonly string[] {
  const shown = fields.filter(({ isView }) => !isView);
  if (shown.length === 0) return [];
  const rows = shown
    .slice(0, MAX_ROWS)
    .map(({ name, before, after, isKept }) => [
      name,
      before === after ? '' : 'changed',
      `${before === after ? after : `${before} -> ${after}`}${isKept ? '  (kept)' : ''}`,
    ]);
  return limited(rowsText(rows), shown.length);
}

export function calledLines({ calls, waits }: ExplainedStrategy): readonly string[] {
  if (waits !== null) return wrapped(waits, WIDTH);
  if (calls.length === 0) return [];
  const rows = calls
    .slice(0, MAX_ROWS)
    .map(({ during, kind, text, result }) => [
      during,
      kind === 'read' ? 'read' : 'asked',
      `${text}${result === '' ? '' : ` = ${shortResult(result)}`}`,
    ]);
  return limited(rowsText(rows), calls.length);
}

/** Shortens a number to at most ten significant digits. */
function shortResult(result: string): string {
  return /^-?\d+\.\d+(e-?\d+)?$/.test(result) ? numberText(Number(result)) : result;
}

function limited(lines: readonly string[], all: number): readonly string[] {
  return all <= MAX_ROWS ? lines : [...lines, `... ${all - MAX_ROWS} more: --json has all`];
}
