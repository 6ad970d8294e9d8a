// The parts of a comparison that need no script: the two runs, the answer, the cards, the tables of what differs.

import { count, dayText, fixed, NONE, signed, THIN, timeText } from '../html/page/format.ts';
import { many, trustStrip, type Chip } from '../html/head.ts';
import { html, type Markup, type Part } from '../html/markup.ts';
import { table } from '../html/sections.ts';
import { METRIC_NAMES } from '../html/glossary.ts';
import { marketsOf, strategyNames } from '../terminal/closingTable.ts';
import { reasonOf, toldInputs, valueText, type ComparedFigure, type Comparison, type FillCells, type Unequal } from './comparison.ts';
import type { ComparedRun } from './input.ts';

const CARDS = ['totalReturn', 'maxDrawdown', 'sharpe', 'trades', 'winRate', 'fees'];
const SHORT_HASH = 12;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function title({ a, b }: Comparison): string {
  const [of, other] = [strategyNames(a.summary.run), strategyNames(b.summary.run)];
  return of === other ? `${of}, two runs` : `${of} and ${other}`;
}

const letter = (side: 'a' | 'b') => html`<span class="letter ${side}">${side.toUpperCase()}</span>`;

export function head(comparison: Comparison, version: string, writtenMs: number | null): Markup {
  const { a, b } = comparison;
  const when = writtenMs === null ? '' : ` · ${timeText(writtenMs)}`;
  const isSynthetic = a.summary.dataQuality.synthetic || b.summary.dataQuality.synthetic;
  return html`<header class="head">
      <div class="what">
        <h1>${title(comparison)} ${isSynthetic ? html`<span class="badge">synthetic data</span>` : null}</h1>
        <p class="answer">${answer(comparison)}</p>
      </div>
      <div class="stamp">
        <p class="muted">isobar ${version}${when}</p>
        <p class="tools">
          <button type="button" id="theme" aria-live="polite">theme: system</button>
          <button type="button" id="keys">keys <kbd>?</kbd></button>
        </p>
      </div>
    </header>
    <div class="pair">${runBox(a, 'a')} ${runBox(b, 'b')}</div>`;
}

function runBox({ summary: { run, resultHash }, path }: ComparedRun, side: 'a' | 'b'): Markup {
  const params = [run.strategy].flat().flatMap((of) => Object.entries(of.params).map(([name, value]) => `${name} ${value}`));
  return html`<div class="run ${side}">
    <h2>${letter(side)} ${strategyNames(run)}</h2>
    <p class="muted">
      ${marketsOf(run).join(', ')} · ${dayText(run.fromMs)} – ${dayText(run.toMs)}${params.length === 0 ? '' : ` · ${params.join(', ')}`}
    </p>
    <p>
      <code>${path}</code> <span class="muted of">result</span> <code title="${resultHash}">${resultHash.slice(0, SHORT_HASH)}</code>
      <button type="button" data-copy="${resultHash}">copy</button>
    </p>
  </div>`;
}

function figureOf({ figures }: Comparison, name: string): ComparedFigure | undefined {
  return figures.find((figure) => figure.name === name);
}

/** What lies between the two, in one sentence. */
export function answer(comparison: Comparison): Markup {
  if (comparison.isIdentical) return html`<b>The results are identical</b>: the same orders, fills and equity.`;
  const [net, down, sharpe] = ['totalReturn', 'maxDrawdown', 'sharpe'].map((name) => figureOf(comparison, name));
  if (net?.difference === undefined || net.difference === null) return html`One of the two has no net return.`;
  const sign = net.difference > 0 ? 'gain' : net.difference < 0 ? 'loss' : '';
  const gap = `${fixed(Math.abs(net.difference) * 100, 2)}${THIN}pp`;
  const deeper =
    down?.difference === undefined || down.difference === null
      ? ''
      : down.difference === 0
        ? '; its worst drawdown is as deep'
        : `; its worst drawdown is ${fixed(Math.abs(down.difference) * 100, 2)}${THIN}pp ${down.difference < 0 ? 'deeper' : 'less deep'}`;
  const ratio = sharpe?.difference === undefined || sharpe.difference === null ? '' : `, its Sharpe ${sharpe.text.b} against ${sharpe.text.a}`;
  return html`B ends <b class="${sign}">${gap}</b> ${net.difference < 0 ? 'below' : 'above'} A: <b>${net.text.b}</b> net against <b>${net.text.a}</b>${deeper}${ratio}.`;
}

export function trust(comparison: Comparison): Markup {
  const { a, b, keys, inputs, firstFill, doubts, isIdentical } = comparison;
  const [x, y] = [a.summary.run, b.summary.run];
  const isSameTime = x.fromMs === y.fromMs && x.toMs === y.toMs;
  const of = (use: string) => inputs.filter((each) => each.use === use).length;
  const chips: Chip[] = [
    {
      label: 'result',
      text: isIdentical ? 'identical' : 'different',
      note: 'Two runs with one hash had the same orders, fills and equity.',
      href: 'first',
      isWarning: false,
    },
    { label: 'time', text: isSameTime ? 'the same' : 'different', note: 'From the start of the run to its end.', href: 'differs', isWarning: !isSameTime },
    {
      label: 'bars',
      text: of('bars') === 0 ? 'the same' : 'different',
      note: 'By the content of every feed, and by its name.',
      href: 'differs',
      isWarning: of('bars') > 0,
    },
    {
      label: 'code',
      text: of('code') === 0 ? 'the same' : 'different',
      note: 'Of strategies and models with all that they import, as compiled.',
      href: 'differs',
      isWarning: false,
    },
    { label: 'definition', text: keys.length === 0 ? 'the same' : many(keys.length, 'key'), note: 'Keys whose values differ.', href: 'differs', isWarning: false },
    {
      label: 'first difference',
      text: firstFill === null ? 'no fill differs' : `fill ${count(firstFill.row)}`,
      note: 'The first row of fills.csv that is not the same in both.',
      href: 'first',
      isWarning: false,
    },
  ];
  return trustStrip(chips, doubts);
}

/** In words as well as in colour: an arrow for what is better. */
function verdictOf({ better, text, difference }: ComparedFigure): Markup {
  if (better === null) return html`<span class="${difference === 0 ? 'muted' : ''}">${text.difference}</span>`;
  return html`<span class="${better === 'b' ? 'gain' : 'loss'}">${text.difference} ${better === 'b' ? '▲' : '▼'}</span>`;
}

export function cards(comparison: Comparison): Markup {
  return html`<section class="cards" aria-label="Figures">
    ${CARDS.map((name) => figureOf(comparison, name))
      .filter((figure) => figure !== undefined)
      .map(
        (figure) =>
          html`<div class="card" tabindex="0" data-tip>
            <span class="label">${figure.label}</span>
            <span class="two"
              >${letter('a')}<span class="value">${figure.text.a}</span> ${letter('b')}<span class="value">${figure.text.b}</span></span
            >
            <span class="diff"><span class="muted">B − A</span><b>${verdictOf(figure)}</b></span>
            <span class="sr">${figure.definition}</span>
          </div>`,
      )}
  </section>`;
}

export function curves(stepText: string): Markup {
  const names = ['1d', '1w', '1M', '3M', '1y', 'all'];
  return html`<section id="curves">
    <div class="bar">
      <h2>Equity from one start</h2>
      <span class="muted read" id="curves-read"></span><label class="switch"><input type="checkbox" id="log" /> log</label
      ><span class="ranges" role="group" aria-label="Range" data-target="curves"
        >${names.map((name) => html`<button type="button" data-range="${name}">${name}</button>`)}<button
          type="button"
          data-zoom="in"
          aria-label="Zoom in"
        >
          +</button
        ><button type="button" data-zoom="out" aria-label="Zoom out">−</button></span
      >
    </div>
    <div class="plots" id="curve-plots" tabindex="0" role="img" aria-label="Equity, drawdown and difference of both runs over time">
      <p class="caption">equity, 100 at the start of each run</p>
      <div class="plot" id="plot-growth"></div>
      <p class="caption">drawdown, at every bar</p>
      <div class="plot" id="plot-depth"></div>
      <p class="caption">B − A, in percentage points of the start; in the colour of the one that is ahead</p>
      <div class="plot" id="plot-between"></div>
    </div>
    <p class="muted note">One point every ${stepText}.</p>
  </section>`;
}

/** Where the difference was made: rows years, cells percentage points. */
export function months({ a, b }: Comparison): Markup {
  const of = (run: ComparedRun) => new Map(run.summary.metrics.monthly.map((each) => [`${each.year}-${each.month}`, each.return]));
  const [inA, inB] = [of(a), of(b)];
  const gap = (key: string) => (inA.has(key) && inB.has(key) ? (inB.get(key) ?? 0) - (inA.get(key) ?? 0) : null);
  const years = [...new Set([...inA.keys(), ...inB.keys()].map((key) => Number(key.split('-')[0])))].toSorted((x, y) => x - y);
  const all = years.flatMap((year) => MONTHS.map((_, month) => gap(`${year}-${month + 1}`))).filter((value) => value !== null);
  if (all.length === 0) return html`<p class="muted">No month is in both.</p>`;
  const most = Math.max(...all.map(Math.abs), 1e-9);
  const cell = (value: number | null) =>
    value === null
      ? html`<td class="none">·</td>`
      : html`<td class="${value >= 0 ? 'up' : 'down'}" style="--tint:${Math.round((Math.abs(value) / most) * 32)}%">${signed(value * 100, 1)}</td>`;
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
              ${MONTHS.map((_, month) => cell(gap(`${year}-${month + 1}`)))}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

export function allFigures(comparison: Comparison): Markup {
  const { a, b, figures } = comparison;
  const names: readonly string[] = METRIC_NAMES;
  const account = figures.filter(({ name }) => names.includes(name));
  const rest = figures.filter(({ name }) => !names.includes(name));
  const missing = (run: ComparedRun, { name }: ComparedFigure) => reasonOf(run, name) ?? '';
  const row = (figure: ComparedFigure) =>
    html`<tr>
      <th scope="row" tabindex="0" data-tip>${figure.label}<span class="sr">${figure.definition}</span></th>
      <td title="${figure.a === null ? missing(a, figure) : ''}">${figure.text.a}</td>
      <td title="${figure.b === null ? missing(b, figure) : ''}">${figure.text.b}</td>
      <td class="${figure.difference === 0 ? 'same' : ''}">${verdictOf(figure)}</td>
    </tr>`;
  const group = (name: string, list: readonly ComparedFigure[]) =>
    html`<tr class="head">
        <th scope="rowgroup" colspan="4">${name}</th>
      </tr>
      ${list.map(row)}`;
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
          ${group('The account, from daily returns (UTC)', account)} ${group('Trades and orders', rest)}
        </tbody>
      </table>
    </div>
    <p class="muted note">▲ B is better, ▼ worse; pp: percentage points. A figure without an arrow is neither good nor bad by itself.</p>`;
}

export function whatDiffers(comparison: Comparison): Markup {
  const { keys } = comparison;
  const inputs = toldInputs(comparison);
  if (keys.length + inputs.length === 0) return html`<p>Nothing: definition, code, bars and versions are the same.</p>`;
  const heads = (name: string) => [name, html`${letter('a')}`, html`${letter('b')}`];
  const value = (text: string | null) => html`<span class="${text === null ? 'muted' : ''}" title="${text ?? ''}">${valueText(text)}</span>`;
  const settings =
    keys.length === 0
      ? null
      : html`<h3>In the definition</h3>
          ${table(heads('key'), keys.map((key): Part[] => [key.name, value(key.a), value(key.b)]), 'Keys of the definition that differ', [])}`;
  const rest =
    inputs.length === 0
      ? null
      : html`<h3>In what went in</h3>
          ${table(
            ['', 'what', ...heads('').slice(1)],
            inputs.map((input: Unequal): Part[] => [input.name, input.use, value(input.a), value(input.b)]),
            'Inputs that differ',
            [1],
          )}`;
  return html`${settings}${rest}`;
}

export function firstFill({ firstFill: first, a }: Comparison): Markup {
  if (first === null) {
    const fills = Math.max(0, a.fills.length - 1);
    return html`<p>None: ${fills === 1 ? 'the only fill is' : `all ${count(fills)} fills are`} the same in both.</p>`;
  }
  const before = first.row - 1;
  const columns = ['time', 'instrument', 'side', 'price', 'quantity', 'notional', 'fee', 'as'];
  const [of, other] = [cellsOf(first.a), cellsOf(first.b)];
  const rows = ([['a', of], ['b', other]] as const).map(
    ([side, cells]) =>
      html`<tr>
        <th scope="row">${letter(side)}</th>
        ${
          cells === null
            ? html`<td class="t muted" colspan="${columns.length}">no such fill: the run has ${count(before)}</td>`
            : cells.map((cell, at) => html`<td class="${at < 3 || at === 7 ? 't' : ''} ${of !== null && other !== null && of[at] !== other[at] ? 'differs' : ''}">${cell}</td>`)
        }
      </tr>`,
  );
  return html`<p class="lead">${before === 0 ? 'The very first fill differs.' : `The first ${before === 1 ? 'fill is' : `${count(before)} fills are`} the same; fill ${count(first.row)} is not.`}</p>
    <div class="scroll">
      <table class="plain first" aria-label="The first fill that differs">
        <thead>
          <tr>
            <th scope="col"></th>
            ${columns.map((name, at) => html`<th scope="col" class="${at < 3 || at === 7 ? 't' : ''}">${name}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>`;
}

/** A fill as a row of the page. */
export function cellsOf(fill: FillCells | null): readonly string[] | null {
  if (fill === null) return null;
  const of = (name: string) => fill[name] ?? NONE;
  return [
    timeText(Number(of('time_ms'))),
    of('instrument'),
    of('side'),
    of('price'),
    of('quantity'),
    of('notional'),
    `${of('fee')}${THIN}${of('fee_asset')}`,
    fill['is_maker'] === '1' ? 'maker' : 'taker',
  ];
}

export function provenance({ a, b }: Comparison): Markup {
  const command = `isobar report ${a.path} ${b.path}`;
  const block = ({ path, summary: { run, resultHash, dataQuality } }: ComparedRun, side: 'a' | 'b') =>
    html`<div>
      <h3>${letter(side)} ${path}</h3>
      <dl class="list text">
        <div><dt>Result hash</dt><dd><code>${resultHash}</code></dd></div>
        <div><dt>Range</dt><dd>${timeText(run.fromMs)} – ${timeText(run.toMs)}</dd></div>
        <div><dt>Start, end</dt><dd>${fixed(Number(run.startEquity), 2)}, ${fixed(Number(run.endEquity), 2)}${THIN}${run.reportingAsset}</dd></div>
        <div><dt>Bars, gaps</dt><dd>${count(dataQuality.rows)}, ${count(dataQuality.gaps)}</dd></div>
        <div><dt>Versions</dt><dd>${Object.entries(run.versions).map(([name, version]) => `${name} ${version}`).join(', ')}</dd></div>
        <div><dt>Is it still so?</dt><dd><code>isobar verify ${path}</code></dd></div>
      </dl>
    </div>`;
  return html`<p>The command that makes this page again:</p>
    <p class="command"><code>${command}</code> <button type="button" data-copy="${command}">copy</button></p>
    <div class="figures">${block(a, 'a')} ${block(b, 'b')}</div>`;
}

/** `15 minutes`. */
export function stepText(ms: number): string {
  const units = [['day', 86_400_000], ['hour', 3_600_000], ['minute', 60_000]] as const;
  const [name, length] = units.find(([, of]) => ms >= of && ms % of === 0) ?? ['second', 1000];
  const amount = Math.round(ms / length);
  return amount === 1 ? name : `${count(amount)} ${name}s`;
}
