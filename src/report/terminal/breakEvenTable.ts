// Writes the break-even of a run as lines for the terminal (at most 100 columns) and as cells for the report.

import { assertNever } from '../../base/assert.ts';
import { wholeText, counted, exactText, signedAmount } from '../../base/text/format.ts';
import { BREAK_EVEN_COSTS, type BreakEven, type BreakEvenCost, type BreakEvenPoint } from '../metrics/breakEven.ts';
import { withLead } from './lines.ts';

/** The break-even of one cost in words. */
export interface BreakEvenRow {
  readonly label: string;
  /** The value with its unit, or the reason in its place. */
  readonly value: string;
  /** The cost of the run itself. */
  readonly own: string;
  readonly remark: string;
}

const LABELS: Readonly<Record<BreakEvenCost, string>> = { fee: 'Fee', slippage: 'Slippage', latency: 'Latency', size: 'Size' };
/** Widths of the columns in characters. */
const LABEL_WIDTH = 12;
const VALUE_WIDTH = 16;
const OWN_WIDTH = 24;

/** Returns one row for each cost, in the order of `BREAK_EVEN_COSTS`. `asset` is the asset of the net profit. */
export function breakEvenRows(breakEven: BreakEven, asset: string): readonly BreakEvenRow[] {
  return BREAK_EVEN_COSTS.map((name) => {
    const point = breakEven[name];
    return { label: LABELS[name], value: valueText(point), own: ownText(name, point.own), remark: remarkText(point, asset) };
  });
}

/** Returns the lines of the table, with its heading. */
export function breakEvenLines(breakEven: BreakEven, asset: string): readonly string[] {
  const line = (label: string, value: string, own: string): string =>
    `  ${label.padEnd(LABEL_WIDTH)} ${value.padStart(VALUE_WIDTH)}   ${own.padEnd(OWN_WIDTH)} `;
  return [
    `${line('Break-even', 'no profit from', 'this run')}net profit`,
    ...breakEvenRows(breakEven, asset).flatMap(({ label, value, own, remark }) => withLead(line(label, value, own), remark)),
  ];
}

/** Returns the break-even with its unit, or why there is no value. */
function valueText({ value, reason, unit }: BreakEvenPoint): string {
  if (value !== null) return amount(value, unit);
  if (reason === 'never') return 'never';
  return reason === 'already-negative' ? 'already' : 'no impact model';
}

/** Returns the remark: the net profit on both sides of the break-even, or why it has no value. */
function remarkText({ reason, unit, range, bracket, crossings, monotone }: BreakEvenPoint, asset: string): string {
  if (range === null) return 'add fills.impact: without it, size costs nothing';
  const [first, last] = range;
  if (reason === 'never') return `above 0 up to ${amount(last, unit)}`;
  const expectedCrossings = bracket === null ? 0 : 1;
  const hasMoreCrossings = crossings > expectedCrossings;
  const crossingsText = hasMoreCrossings ? `; its sign changes ${counted(crossings, 'time')} up to ${amount(last, unit)}` : '';
  if (bracket === null) return `at most 0 at ${amount(first, unit)}${crossingsText}`;
  const { netLow, netHigh, low, fillsHigh } = bracket;
  const netsText = `${signedAmount(Number(netLow), asset)} at ${amount(low, unit)}, then ${signedAmount(Number(netHigh), asset)} ${asset}`;
  const emptyText = fillsHigh === 0 ? '; nothing fills then: the account or a risk rule does not allow it' : '';
  // With growing size, the profit usually rises before it falls, so size gets no remark.
  const unevenText = monotone === false && unit !== 'x' && !hasMoreCrossings ? '; it rises at times' : '';
  return `${netsText}${emptyText}${unevenText}${crossingsText}`;
}

/** Returns the cost of the run itself as text. */
function ownText(name: BreakEvenCost, own: BreakEvenPoint['own']): string {
  const model = own['model'] === true ? 'a model' : null;
  switch (name) {
    case 'fee':
      return own['maker'] === own['taker'] ? `${own['taker']} bp` : `${own['maker']} bp maker, ${own['taker']} bp taker`;
    case 'slippage': {
      const ticksText = own['ticks'] === 0 ? '' : ` and ${own['ticks']} ticks`;
      return model ?? `${own['rate']} bp${ticksText}`;
    }
    case 'latency':
      return model ?? amount(Number(own['ms']), 'ms');
    case 'size':
      return '1 x';
    default:
      return assertNever(name);
  }
}

/** Returns a value with its unit, rounded to 4 decimals. */
function amount(value: number, unit: string): string {
  const text = Number.isInteger(value) ? wholeText(value) : exactText(Math.round(value * 10_000), 4);
  return `${text} ${unit}`;
}
