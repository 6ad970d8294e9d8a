// Writes the first screen of a comparison: the two runs, the answer, the trust strip, the figure cards, and the frame of the curves.

import { wholeText, counted, dayText, fixed, THIN, timeText } from '../../base/text/format.ts';
import { trustStrip, withUnit, type Chip } from '../page/firstScreen.ts';
import { html, type Markup } from '../page/markup.ts';
import { marketNames, strategyNames } from '../terminal/closingTable.ts';
import type { ComparedFigure, RunComparison } from './comparison.ts';
import type { ComparedRun } from './input.ts';

/** The figures that have a card. */
const CARD_FIGURES = ['totalReturn', 'maxDrawdown', 'sharpe', 'trades', 'winRate', 'fees'];
/** Letters of a hash that are shown. */
const SHORT_HASH_LENGTH = 12;

/** Returns the names of the compared strategies. */
export function comparisonTitle({ a, b }: RunComparison): string {
  const first = strategyNames(a.summary.run);
  const second = strategyNames(b.summary.run);
  return first === second ? `${first}, two runs` : `${first} and ${second}`;
}

/** Returns the coloured letter of a run: A or B. */
export const letter = (side: 'a' | 'b') => html`<span class="letter ${side}">${side.toUpperCase()}</span>`;

/** Returns the head of the page, with a box for each run. */
export function comparisonHead(comparison: RunComparison, version: string, writtenMs: number | null): Markup {
  const { a, b } = comparison;
  const when = writtenMs === null ? '' : ` · ${timeText(writtenMs)}`;
  const isSynthetic = a.summary.dataQuality.synthetic || b.summary.dataQuality.synthetic;
  return html`<header class="head">
      <div class="what">
        <h1>${comparisonTitle(comparison)} ${isSynthetic ? html`<span class="badge">synthetic data</span>` : null}</h1>
        <p class="answer">${comparisonAnswer(comparison)}</p>
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

/** Returns the box of one run: strategy, symbols, range, parameters, folder, result hash. */
function runBox({ summary: { run, resultHash }, path }: ComparedRun, side: 'a' | 'b'): Markup {
  const params = [run.strategy].flat().flatMap((strategy) => Object.entries(strategy.params).map(([name, value]) => `${name} ${value}`));
  return html`<div class="run ${side}">
    <h2>${letter(side)} ${strategyNames(run)}</h2>
    <p class="muted">
      ${marketNames(run).join(', ')} · ${dayText(run.fromMs)} – ${dayText(run.toMs)}${params.length === 0 ? '' : ` · ${params.join(', ')}`}
    </p>
    <p>
      <code>${path}</code> <span class="muted of">result</span> <code title="${resultHash}">${resultHash.slice(0, SHORT_HASH_LENGTH)}</code>
      <button type="button" data-copy="${resultHash}">copy</button>
    </p>
  </div>`;
}

/** Returns a figure of both runs by its name. */
function figureOf({ figures }: RunComparison, name: string): ComparedFigure | undefined {
  return figures.find((figure) => figure.name === name);
}

/** Returns the difference between the two runs in one sentence. */
export function comparisonAnswer(comparison: RunComparison): Markup {
  if (comparison.isIdentical) return html`<b>The results are identical</b>: the same orders, fills and equity.`;
  const net = figureOf(comparison, 'totalReturn');
  const drawdown = figureOf(comparison, 'maxDrawdown');
  const sharpe = figureOf(comparison, 'sharpe');
  if (net?.difference === undefined || net.difference === null) return html`One of the two has no net return.`;
  const lossClass = net.difference < 0 ? 'loss' : '';
  const signClass = net.difference > 0 ? 'gain' : lossClass;
  const gap = `${fixed(Math.abs(net.difference) * 100, 2)}${THIN}pp`;
  const drawdownText = drawdownDifferenceText(drawdown?.difference ?? null);
  const sharpeText =
    sharpe?.difference === undefined || sharpe.difference === null ? '' : `, its Sharpe ${sharpe.text.b} against ${sharpe.text.a}`;
  return html`B ends <b class="${signClass}">${gap}</b> ${net.difference < 0 ? 'below' : 'above'} A: <b>${net.text.b}</b> net against
    <b>${net.text.a}</b>${drawdownText}${sharpeText}.`;
}

/** Returns how much deeper the worst drawdown of B is, as a part of the answer. Empty without a difference to show. */
function drawdownDifferenceText(difference: number | null): string {
  if (difference === null) return '';
  if (difference === 0) return '; its worst drawdown is as deep';
  return `; its worst drawdown is ${fixed(Math.abs(difference) * 100, 2)}${THIN}pp ${difference < 0 ? 'deeper' : 'less deep'}`;
}

/** Returns the trust strip: what is equal in both runs, and the warnings. */
export function comparisonTrustStrip(comparison: RunComparison): Markup {
  const { keys, firstFill, warnings, isIdentical } = comparison;
  const chips: Chip[] = [
    {
      label: 'result',
      text: isIdentical ? 'identical' : 'different',
      note: 'Two runs with one hash had the same orders, fills and equity.',
      href: 'first',
      isWarning: false,
    },
    ...inputChips(comparison),
    {
      label: 'definition',
      text: keys.length === 0 ? 'the same' : counted(keys.length, 'key'),
      note: 'Keys whose values differ.',
      href: 'differs',
      isWarning: false,
    },
    {
      label: 'first difference',
      text: firstFill === null ? 'no fill differs' : `fill ${wholeText(firstFill.row)}`,
      note: 'The first row of fills.csv that is not the same in both.',
      href: 'first',
      isWarning: false,
    },
  ];
  return trustStrip(chips, warnings);
}

/** Returns the chips about what went into both runs: time, bars and code. */
function inputChips({ a, b, inputs }: RunComparison): readonly Chip[] {
  const first = a.summary.run;
  const second = b.summary.run;
  const isSameTime = first.fromMs === second.fromMs && first.toMs === second.toMs;
  const countOf = (use: string) => inputs.filter((input) => input.use === use).length;
  return [
    {
      label: 'time',
      text: isSameTime ? 'the same' : 'different',
      note: 'From the start of the run to its end.',
      href: 'differs',
      isWarning: !isSameTime,
    },
    {
      label: 'bars',
      text: countOf('bars') === 0 ? 'the same' : 'different',
      note: 'By the content of every feed, and by its name.',
      href: 'differs',
      isWarning: countOf('bars') > 0,
    },
    {
      label: 'code',
      text: countOf('code') === 0 ? 'the same' : 'different',
      note: 'Of strategies and models with all that they import, as compiled.',
      href: 'differs',
      isWarning: false,
    },
  ];
}

/** Returns the difference of a figure. An arrow marks the better run, so that the colour is not needed. */
export function differenceMarkup({ better, text, difference }: ComparedFigure): Markup {
  if (better === null) return html`<span class="${difference === 0 ? 'muted' : ''}">${text.difference}</span>`;
  return html`<span class="${better === 'b' ? 'gain' : 'loss'}">${text.difference} ${better === 'b' ? '▲' : '▼'}</span>`;
}

/** Returns the cards of the main figures of both runs. */
export function comparisonCards(comparison: RunComparison): Markup {
  return html`<section class="cards" aria-label="Figures">
    ${CARD_FIGURES.map((name) => figureOf(comparison, name))
      .filter((figure) => figure !== undefined)
      .map(
        (figure) =>
          html`<div class="card" tabindex="0" data-tip>
            <span class="label">${figure.label}</span>
            <span class="two"
              >${letter('a')}<span class="value">${withUnit(figure.text.a)}</span> ${letter('b')}<span class="value"
                >${withUnit(figure.text.b)}</span
              ></span
            >
            <span class="diff"><span class="muted">B − A</span><b>${differenceMarkup(figure)}</b></span>
            <span class="sr">${figure.definition}</span>
          </div>`,
      )}
  </section>`;
}

/** Returns the frame of the curves. `step` is the distance between their points as text. */
export function comparisonCurves(step: string): Markup {
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
    <p class="muted note">One point every ${step}.</p>
  </section>`;
}

/** Returns a step in ms as text, such as `15 minutes`. */
export function stepText(durationMs: number): string {
  const units = [
    { name: 'day', unitMs: 86_400_000 },
    { name: 'hour', unitMs: 3_600_000 },
    { name: 'minute', unitMs: 60_000 },
  ];
  const largest = units.find(({ unitMs }) => durationMs >= unitMs && durationMs % unitMs === 0);
  const { name, unitMs } = largest ?? { name: 'second', unitMs: 1000 };
  const amount = Math.round(durationMs / unitMs);
  return amount === 1 ? name : `${wholeText(amount)} ${name}s`;
}
