// Writes the final table of a sweep for the terminal, at most 100 columns wide: the ten best sets, selection bias, path of the report.

import { largestOf } from '../../base/number/extremes.ts';
import { assertNever } from '../../base/assert.ts';
import { warningText } from '../../model/warning.ts';
import type { FigureKind } from '../words/figures.ts';
import { wholeText, counted, dayText, fixed, NO_VALUE, percent, signed, signedPercent } from '../../base/text/format.ts';
import { COLUMNS, colourText, withLead } from '../terminal/lines.ts';
import { entryOf, outcomeText, paramsText, type Findings } from './findings.ts';
import { figureOf, setParams, type SelectionBias, type SweepRecord } from './figures/record.ts';

/** Maximum number of sets in the table, of symbols or reasons in a line, and of characters of a cell. */
const MAX_BEST = 10;
const MAX_LISTED = 3;
const MAX_CELL_LENGTH = 16;
/** Figures after the ranking figure, as far as they fit the width. */
const OTHER_FIGURES = ['sharpe', 'totalReturn', 'maxDrawdown', 'trades', 'profitFactor'];

/** How the table is written. */
export interface SweepTableOptions {
  readonly colour: boolean;
  readonly report: string;
  /** The command that runs one set as a backtest. */
  readonly command: string;
}

/** Returns the lines joined by \n, without a final \n. */
export function sweepTable(record: SweepRecord, findings: Findings, { colour, report, command }: SweepTableOptions): string {
  const amber = (text: string) => (colour ? colourText(text, 'amber') : text);
  const lines = [...heading(record, findings), ''];
  if (findings.best === null) lines.push(`  No set has a ${entryOf(record.by).label}.`);
  else lines.push(`  The best by ${entryOf(record.by).label}`, ...bestRows(record, findings), '', ...trustLines(record, findings));
  lines.push('');
  for (const { reason, sets } of findings.refused.slice(0, MAX_LISTED))
    lines.push(...withLead('  Refused by the strategy: ', `${counted(sets, 'set')}: ${reason}`));
  for (const { reason, sets } of findings.failed.slice(0, MAX_LISTED))
    lines.push(...withLead('  Failed: ', `${counted(sets, 'set')}: ${reason}`));
  const warnings = findings.warnings.map(warningText);
  if (warnings.length > 0) lines.push(...withLead('  Look here first: ', `${warnings.join('; ')}.`).map(amber));
  if (findings.best !== null) lines.push(...withLead('  One set  ', command));
  lines.push(`  Report   ${report}`);
  return lines.join('\n');
}

/** Returns the heading: strategy, symbols, range and number of sets, on one line if it fits. */
function heading(record: SweepRecord, findings: Findings): string[] {
  const others = record.markets.length > MAX_LISTED ? ` and ${record.markets.length - MAX_LISTED} more` : '';
  const markets = record.markets.slice(0, MAX_LISTED).join(', ') + others;
  const subject = `  ${record.strategy}  ${markets}  ${dayText(record.fromMs)} – ${dayText(record.toMs)}`;
  const sets = outcomeText(findings, findings.ran === 1 ? ' set' : ' sets');
  const drawn = record.gridSize > record.sets ? `, drawn from ${wholeText(record.gridSize)}` : '';
  const oneLine = `${subject}  (${sets}${drawn})`;
  return oneLine.length <= COLUMNS ? [oneLine] : [subject, `  (${sets}${drawn})`];
}

/** Returns the lines of the best sets and of the plateau. */
function bestRows(record: SweepRecord, { ranking, plateau, neighbours }: Findings): string[] {
  const figures = [record.by, ...OTHER_FIGURES.filter((name) => name !== record.by)];
  const rows = ranking.slice(0, MAX_BEST).map((set, rank) => ({ label: String(rank + 1), set }));
  if (plateau !== null) rows.push({ label: 'plateau', set: plateau });
  const figureColumns = [
    ...figures.map((name) =>
      column(entryOf(name).label, rows, ({ set }) => shortFigure(figureOf(record, name)?.[set] ?? NaN, entryOf(name).kind)),
    ),
    column('neighbours', rows, ({ set }) => shortFigure(neighbours.mean[set] ?? NaN, entryOf(record.by).kind)),
  ];
  const setColumns = [
    column('', rows, ({ label }) => label),
    ...record.axes.map(({ name }, axis) => column(name, rows, ({ set }) => String(setParams(record, set)[axis]?.value))),
  ];
  // Drops figures after the first if the parameters would not fit, because the parameters identify the sets.
  const isTooWide = () => widthOf([...setColumns, ...figureColumns]) > COLUMNS;
  while (figureColumns.length > 2 && isTooWide()) figureColumns.splice(-2, 1);
  while (setColumns.length > 2 && isTooWide()) setColumns.pop();
  const columns = [...setColumns, ...figureColumns];
  // Line 0 has the headings.
  return Array.from({ length: rows.length + 1 }, (_, line) => lineOf(columns, line));
}

/** Returns the cells of one column, its header first, padded to one width. */
function column<Row>(head: string, rows: readonly Row[], text: (row: Row) => string): readonly string[] {
  const cells = [cutText(head), ...rows.map((row) => cutText(text(row)))];
  const width = largestOf(cells.map(({ length }) => length));
  return cells.map((cell) => cell.padStart(width));
}

/** Returns a text, cut to the width of a cell. */
const cutText = (text: string) => (text.length > MAX_CELL_LENGTH ? `${text.slice(0, MAX_CELL_LENGTH - 1)}…` : text);
/** Returns one line of the table. */
const lineOf = (columns: readonly (readonly string[])[], row: number) =>
  `  ${columns.map((cells) => cells[row] ?? '').join('  ')}`.trimEnd();
/** Returns the width of the table in characters. */
const widthOf = (columns: readonly (readonly string[])[]) => columns.reduce((sum, [head = '']) => sum + head.length + 2, 0);

/** Returns the lines about the plateau, the trials and the selection bias. */
function trustLines(record: SweepRecord, { best, plateau, neighbours, selectionBias }: Findings): string[] {
  const lines: string[] = [];
  const { label, kind } = entryOf(record.by);
  if (plateau !== null && best !== null) {
    const mean = shortFigure(neighbours.mean[plateau] ?? NaN, kind);
    lines.push(
      ...withLead(
        '  Plateau  ',
        `around ${paramsText(record, plateau)}: ${label} ${mean} on average of ${counted(neighbours.count[plateau] ?? 0, 'set')}`,
      ),
    );
  }
  lines.push(...withLead('  Trials   ', trialsText(selectionBias)));
  if (selectionBias.expectedBest === null) return lines;
  const expected = `the best of ${counted(selectionBias.trials, 'trial')} without skill shows a Sharpe of ${fixed(selectionBias.expectedBest, 2)}`;
  const actual = selectionBias.sharpe === null ? '' : `; the best set has ${fixed(selectionBias.sharpe, 2)}`;
  const probability =
    selectionBias.deflated === null ? '' : `, above it with a probability of ${percent(selectionBias.deflated, 1)} (deflated Sharpe)`;
  return [...lines, ...withLead('  Chance   ', `${expected}${actual}${probability}`)];
}

/** Returns a figure without its unit, which is in the header or is the asset of the run. */
function shortFigure(value: number, kind: FigureKind): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  switch (kind) {
    case 'change':
      return signedPercent(value);
    case 'percent':
      return percent(value);
    case 'money':
      return signed(value, 2);
    case 'count':
      return wholeText(value);
    case 'ratio':
    case 'cost':
      return fixed(value, 2);
    case 'days':
    case 'span':
      return fixed(value, 1);
    default:
      return assertNever(kind);
  }
}

/** Returns both trial counts: of the family, which decides the selection bias, and of all work on the same market data. */
function trialsText({ trials, earlier, family, allTrials }: SelectionBias): string {
  const before = earlier > 0 ? `, ${wholeText(earlier)} of them by earlier runs and sweeps` : '';
  const own = family === null ? 'without a family' : `of the family ${family}`;
  return `${wholeText(trials)} on these bars ${own}${before}; ${wholeText(allTrials)} with those of all families`;
}
