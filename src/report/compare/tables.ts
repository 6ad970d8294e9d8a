// Writes the tables of a comparison: the difference by month, all figures, the inputs, and the first fill that differs.

import { largestOf } from '../../base/number/extremes.ts';
import { shellWord } from '../../base/text/shellWord.ts';
import { amountText, wholeText, NO_VALUE, signed, THIN, timeText } from '../../base/text/format.ts';
import { METRIC_NAMES } from '../words/glossary.ts';
import { commandBlock, factList, htmlTable, versionsText } from '../page/lists.ts';
import { html, type Markup, type MarkupPart } from '../page/markup.ts';
import {
  differenceReason,
  reportedInputs,
  valueText,
  type ComparedFigure,
  type RunComparison,
  type FillCells,
  type Unequal,
} from './comparison.ts';
import type { ComparedRun } from './input.ts';
import { letter, differenceMarkup } from './sections.ts';

/** Strongest tint of a cell, in percent of its colour. */
const MAX_TINT_PERCENT = 32;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns the difference of the returns by month: one row for each year, cells in percentage points. */
export function comparisonMonths({ a, b }: RunComparison): Markup {
  const monthsOf = (run: ComparedRun) =>
    new Map(run.summary.metrics.monthly.map((entry) => [`${entry.year}-${entry.month}`, entry.return]));
  const monthsOfA = monthsOf(a);
  const monthsOfB = monthsOf(b);
  /** Returns the difference in a month, where January is 0; null when one of the runs does not have the month. */
  const differenceIn = (year: number, month: number): number | null => {
    const key = `${year}-${month + 1}`;
    const returnOfA = monthsOfA.get(key);
    const returnOfB = monthsOfB.get(key);
    return returnOfA === undefined || returnOfB === undefined ? null : returnOfB - returnOfA;
  };
  const allYears = [...monthsOfA.keys(), ...monthsOfB.keys()].map((key) => Number(key.split('-')[0]));
  const years = [...new Set(allYears)].toSorted((earlier, later) => earlier - later);
  const cellDifferences = years.flatMap((year) => MONTHS.map((_, month) => differenceIn(year, month)));
  const differences = cellDifferences.filter((difference) => difference !== null);
  if (differences.length === 0) return html`<p class="muted">No month is in both.</p>`;
  // The largest difference has the strongest tint. A minimum above 0 avoids a division by zero.
  const maxDifference = Math.max(1e-9, largestOf(differences.map(Math.abs)));
  const cell = (value: number | null) =>
    value === null
      ? html`<td class="none">·</td>`
      : html`<td class="${value >= 0 ? 'up' : 'down'}" style="--tint:${Math.round((Math.abs(value) / maxDifference) * MAX_TINT_PERCENT)}%">
          ${signed(value * 100, 1)}
        </td>`;
  return html`<div class="scroll">
    <table class="months" aria-label="Return of B less that of A by month, percentage points">
      <thead>
        <tr>
          <th scope="col">pp</th>
          ${MONTHS.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${years.map(
          (year) =>
            html`<tr>
              <th scope="row">${year}</th>
              ${MONTHS.map((_, month) => cell(differenceIn(year, month)))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** Returns the table of all figures of both runs. */
export function comparedFigures(comparison: RunComparison): Markup {
  const { a, b, figures } = comparison;
  const names: readonly string[] = METRIC_NAMES;
  const account = figures.filter(({ name }) => names.includes(name));
  const tradesAndOrders = figures.filter(({ name }) => !names.includes(name));
  const reasonText = (run: ComparedRun, { name }: ComparedFigure) => differenceReason(run, name) ?? '';
  const figureRow = (figure: ComparedFigure) =>
    html`<tr>
      <th scope="row" tabindex="0" data-tip>${figure.label}<span class="sr">${figure.definition}</span></th>
      <td title="${figure.a === null ? reasonText(a, figure) : ''}">${figure.text.a}</td>
      <td title="${figure.b === null ? reasonText(b, figure) : ''}">${figure.text.b}</td>
      <td class="${figure.difference === 0 ? 'same' : ''}">${differenceMarkup(figure)}</td>
    </tr>`;
  const groupRows = (name: string, groupFigures: readonly ComparedFigure[]) =>
    html`<tr class="head">
        <th scope="rowgroup" colspan="4">${name}</th>
      </tr>
      ${groupFigures.map(figureRow)}`;
  return html`<div class="scroll">
      <table class="plain" id="figures-table" aria-label="All figures of both runs">
        <thead>
          <tr>
            <th scope="col"></th>
            <th scope="col">${letter('a')}</th>
            <th scope="col">${letter('b')}</th>
            <th scope="col">B − A</th>
          </tr>
        </thead>
        <tbody>
          ${groupRows('The account, from daily returns (UTC)', account)} ${groupRows('Trades and orders', tradesAndOrders)}
        </tbody>
      </table>
    </div>
    <p class="muted note">▲ B is better, ▼ worse; pp: percentage points. A figure without an arrow is neither good nor bad by itself.</p>`;
}

/** Returns the tables of the definition keys and inputs that differ. */
export function whatDiffers(comparison: RunComparison): Markup {
  const { keys } = comparison;
  const inputs = reportedInputs(comparison);
  if (keys.length + inputs.length === 0) return html`<p>Nothing: definition, code, bars and versions are the same.</p>`;
  const headings = (name: string) => [name, html`${letter('a')}`, html`${letter('b')}`];
  const valueMarkup = (text: string | null) =>
    html`<span class="${text === null ? 'muted' : ''}" title="${text ?? ''}">${valueText(text)}</span>`;
  const definitionTable =
    keys.length === 0
      ? null
      : html`<h3>In the definition</h3>
          ${htmlTable(
            headings('key'),
            keys.map((key): MarkupPart[] => [key.name, valueMarkup(key.a), valueMarkup(key.b)]),
            'Keys of the definition that differ',
            [],
          )}`;
  const inputTable =
    inputs.length === 0
      ? null
      : html`<h3>In what went in</h3>
          ${htmlTable(
            ['', 'what', ...headings('').slice(1)],
            inputs.map((input: Unequal): MarkupPart[] => [input.name, input.use, valueMarkup(input.a), valueMarkup(input.b)]),
            'Inputs that differ',
            [1],
          )}`;
  return html`${definitionTable}${inputTable}`;
}

/** Returns the first fill that differs, as a table with one row for each run. */
export function fillSection({ firstFill: first, a }: RunComparison): Markup {
  if (first === null) {
    const fills = Math.max(0, a.fills.length - 1);
    return html`<p>None: ${fills === 1 ? 'the only fill is' : `all ${wholeText(fills)} fills are`} the same in both.</p>`;
  }
  const sameFills = first.row - 1;
  const columns = ['time', 'instrument', 'side', 'price', 'quantity', 'notional', 'fee', 'as'];
  // The first three columns and the last one have text, which is aligned to the left.
  const textClass = (columnIndex: number) => (columnIndex < 3 || columnIndex === columns.length - 1 ? 't' : '');
  const firstCells = comparedFillCells(first.a);
  const secondCells = comparedFillCells(first.b);
  const isDifferent = (columnIndex: number) =>
    firstCells !== null && secondCells !== null && firstCells[columnIndex] !== secondCells[columnIndex];
  const cellMarkup = (cell: string, columnIndex: number) =>
    html`<td class="${textClass(columnIndex)} ${isDifferent(columnIndex) ? 'differs' : ''}">${cell}</td>`;
  const runRow = (side: 'a' | 'b', cells: readonly string[] | null) =>
    html`<tr>
      <th scope="row">${letter(side)}</th>
      ${
        cells === null
          ? html`<td class="t muted" colspan="${columns.length}">no such fill: the run has ${wholeText(sameFills)}</td>`
          : cells.map(cellMarkup)
      }
    </tr>`;
  const sameText = sameFills === 1 ? 'fill is' : `${wholeText(sameFills)} fills are`;
  return html`<p class="lead">
      ${sameFills === 0 ? 'The very first fill differs.' : `The first ${sameText} the same; fill ${wholeText(first.row)} is not.`}
    </p>
    <div class="scroll">
      <table class="plain first" aria-label="The first fill that differs">
        <thead>
          <tr>
            <th scope="col"></th>
            ${columns.map((name, column) => html`<th scope="col" class="${textClass(column)}">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${runRow('a', firstCells)} ${runRow('b', secondCells)}
        </tbody>
      </table>
    </div>`;
}

/** Returns the cells of a fill. Null without a fill. */
export function comparedFillCells(fill: FillCells | null): readonly string[] | null {
  if (fill === null) return null;
  const cellOf = (name: string) => fill[name] ?? NO_VALUE;
  return [
    timeText(Number(cellOf('time_ms'))),
    cellOf('instrument'),
    cellOf('side'),
    cellOf('price'),
    cellOf('quantity'),
    cellOf('notional'),
    `${cellOf('fee')}${THIN}${cellOf('fee_asset')}`,
    fill['is_maker'] === '1' ? 'maker' : 'taker',
  ];
}

/** Returns the origin of both runs, and the command that writes the page again. */
export function comparisonProvenance({ a, b }: RunComparison): Markup {
  const runFacts = ({ path, summary: { run, resultHash, dataQuality } }: ComparedRun, side: 'a' | 'b') => {
    const moneyText = (amount: string): string => amountText(Number(amount), run.reportingAsset);
    return html`<div>
      <h3>${letter(side)} ${path}</h3>
      ${factList([
        ['Result hash', html`<code>${resultHash}</code>`],
        ['Range', `${timeText(run.fromMs)} – ${timeText(run.toMs)}`],
        ['Start, end', `${moneyText(run.startEquity)}, ${moneyText(run.endEquity)}${THIN}${run.reportingAsset}`],
        ['Bars, gaps', `${wholeText(dataQuality.rows)}, ${wholeText(dataQuality.gaps)}`],
        ['Versions', versionsText(run.versions)],
        ['Is it still so?', html`<code>isobar verify ${shellWord(path)}</code>`],
      ])}
    </div>`;
  };
  return html`<p>The command that makes this page again:</p>
    ${commandBlock(`isobar report ${shellWord(a.path)} ${shellWord(b.path)}`)}
    <div class="figures">${runFacts(a, 'a')} ${runFacts(b, 'b')}</div>`;
}
