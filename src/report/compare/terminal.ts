// Writes a comparison for the terminal, at most 100 columns wide: figures, differing inputs, and the first fill that differs.

import { largestOf } from '../../base/number/extremes.ts';
import { wholeText, dayText } from '../../base/text/format.ts';
import { marketNames, strategyNames } from '../terminal/closingTable.ts';
import { COLUMNS, colourText, withLead } from '../terminal/lines.ts';
import { reportedInputs, valueText, type ComparedFigure, type RunComparison, type Unequal } from './comparison.ts';
import type { ComparedRun } from './input.ts';
import { comparedFillCells } from './tables.ts';

/** How the comparison is written. */
export interface CompareTableOptions {
  /** Use ANSI colours. Arrows carry the same meaning without them. */
  readonly colour: boolean;
  /** Path of the page as it is displayed. */
  readonly report: string;
}

/** Names of the figures that the terminal shows, in order. */
const SHOWN_FIGURES = [
  'totalReturn',
  'netProfit',
  'cagr',
  'maxDrawdown',
  'maxDrawdownDaily',
  'volatility',
  'sharpe',
  'sortino',
  'calmar',
  'psr0',
  'exposureTime',
  'trades',
  'winRate',
  'profitFactor',
  'averageTrade',
  'created',
  'refusedByRisk',
  'fees',
];
/** Most inputs that are listed. */
const MAX_UNEQUAL = 12;
/** Widths in characters: of a value, of the name of a figure, and of a value of an input. */
const CELL_WIDTH = 20;
const LABEL_WIDTH = 18;
const INPUT_WIDTH = 19;

/** Returns the lines joined by \n, without a final \n. */
export function compareTable(comparison: RunComparison, { colour, report }: CompareTableOptions): string {
  const { a, b, figures, isIdentical, warnings } = comparison;
  const rows = SHOWN_FIGURES.flatMap((name) => figures.find((figure) => figure.name === name) ?? []);
  const lines = [
    ...runLines('A', a),
    ...runLines('B', b),
    '',
    `  ${''.padEnd(LABEL_WIDTH)}${['A', 'B', 'B − A'].map((name) => name.padStart(CELL_WIDTH)).join('')}`,
    ...rows.map((figure) => figureLine(figure, colour)),
    '',
    ...(isIdentical ? ['  The results are identical: the same orders, fills and equity.'] : fillLines(comparison)),
    ...unequalLines([...comparison.keys, ...reportedInputs(comparison)]),
    '',
  ];
  if (warnings.length > 0)
    lines.push(...withLead('  Look here first: ', `${warnings.join('; ')}.`).map((line) => (colour ? colourText(line, 'amber') : line)));
  lines.push(`  Report   ${report}`);
  return lines.join('\n');
}

/** Returns the lines about one run. */
function runLines(letter: string, { path, summary: { run, resultHash } }: ComparedRun): string[] {
  const what = `${strategyNames(run)}  ${marketNames(run).join(', ')}`;
  const range = `${dayText(run.fromMs)} – ${dayText(run.toMs)}`;
  return [
    `  ${letter}  ${cutText(path, COLUMNS - 30)}  result ${resultHash.slice(0, 12)}`,
    `     ${cutText(what, COLUMNS - 32)}  ${range}`,
  ];
}

/** Returns the line of one figure. */
function figureLine({ label, text, better, difference }: ComparedFigure, colour: boolean): string {
  const betterArrow = better === 'b' ? '▲' : '▼';
  const arrow = better === null ? ' ' : betterArrow;
  const gap = `${(difference === 0 ? 'the same' : text.difference).padStart(CELL_WIDTH)} ${arrow}`;
  const hue = better === 'b' ? 'cyan' : 'red';
  const gapText = !colour || better === null ? gap : colourText(gap, hue);
  return `  ${label.padEnd(LABEL_WIDTH)}${text.a.padStart(CELL_WIDTH)}${text.b.padStart(CELL_WIDTH)}${gapText}`.trimEnd();
}

/** Returns the lines about the first fill that differs. */
function fillLines({ firstFill }: RunComparison): string[] {
  if (firstFill === null) return ['  No fill differs: orders or equity do.'];
  const line = (letter: string, cells: readonly string[] | null) => {
    const [time, instrument, side, price, quantity, , fee] = cells ?? [];
    const what = cells === null ? 'no such fill' : `${time}  ${instrument} ${side} ${quantity} at ${price}, fee ${fee}`;
    return `    ${letter}  ${cutText(what, COLUMNS - 8)}`;
  };
  return [
    `  The first fill that differs is number ${wholeText(firstFill.row)}`,
    line('A', comparedFillCells(firstFill.a)),
    line('B', comparedFillCells(firstFill.b)),
  ];
}

/** Returns the lines about the keys and inputs that differ, at most `MAX_UNEQUAL` of them. */
function unequalLines(unequal: readonly Unequal[]): string[] {
  if (unequal.length === 0) return ['', '  Nothing differs in what went in: definition, code, bars, versions.'];
  const nameWidth = Math.min(38, Math.max(16, largestOf(unequal.map(({ name }) => name.length))));
  const lines = unequal.slice(0, MAX_UNEQUAL).map(({ use, name, a, b }) => {
    const lead = `    ${cutText(name, nameWidth).padEnd(nameWidth)}  ${use.padEnd(10)}`;
    return `${lead}  ${cutText(valueText(a), INPUT_WIDTH).padEnd(INPUT_WIDTH)}  ${cutText(valueText(b), INPUT_WIDTH)}`.trimEnd();
  });
  const more = unequal.length > MAX_UNEQUAL ? [`    and ${wholeText(unequal.length - MAX_UNEQUAL)} more, in the report`] : [];
  return ['', `${'  What went in, where it differs'.padEnd(nameWidth + 16)}  ${'A'.padEnd(INPUT_WIDTH)}  B`, ...lines, ...more];
}

/** Returns at most `maxLength` characters. The start is cut, because the end of a path says more. */
function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `…${text.slice(text.length - maxLength + 1)}`;
}
