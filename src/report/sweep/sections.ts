// Writes the static parts of a sweep report: findings, the ten best sets, selection bias in words, provenance.

import { card, stamp } from '../page/firstScreen.ts';
import { writeFigure, type FigureText } from '../words/figures.ts';
import { commandBlock, factList, versionsText } from '../page/lists.ts';
import { html, Markup } from '../page/markup.ts';
import { wholeText, counted, dayText, fixed, NO_VALUE, percent, timeText } from '../../base/text/format.ts';
import { deviation, columnMedian } from '../kernels/sums.ts';
import { entryOf, MIN_DEFLATED_SHARPE, outcomeText, paramsText, type Findings, type Reasoned } from './findings.ts';
import { figureAt, figureOf, setParams, type SweepRecord } from './figures/record.ts';
import type { SweepReportInput } from './input.ts';

const DAY_MS = 86_400_000;
/** Maximum number of sets in the table of the best ones. */
const MAX_BEST = 10;
/** Maximum number of instruments in the head. */
const MAX_MARKETS = 6;
/** Maximum number of reasons in a list of sets without a result. */
const MAX_REASONS = 20;
/** Number of characters of a hash that are shown. */
const HASH_LETTERS = 16;
/** An axis with more values is written as its first and last value. */
const MAX_LISTED_VALUES = 3;

/** Figures in the table of the best sets, after the ranking figure. */
const OTHER_FIGURES = ['sharpe', 'totalReturn', 'maxDrawdown', 'profitFactor', 'trades'];

/** Returns the title of the page. */
export function sweepTitle({ strategy }: SweepRecord): string {
  return `${strategy} sweep`;
}

/** Returns the value of a figure in one set as text with its unit. */
function valueText(record: SweepRecord, name: string, value: number | undefined): string {
  return value === undefined || !Number.isFinite(value) ? NO_VALUE : writeFigure(value, entryOf(name).kind, record.asset);
}

/** Returns the head of the page: what was swept, the finding in one sentence, and the hash. */
export function sweepHead(input: SweepReportInput): Markup {
  const { record, provenance: origin } = input;
  const others = record.markets.length > MAX_MARKETS ? ` and ${record.markets.length - MAX_MARKETS} more` : '';
  const markets = `${record.markets.slice(0, MAX_MARKETS).join(', ')}${others}`;
  const axes = record.axes.map(({ name, values }) => `${name} ${spanOf(values)}`);
  const synthetic = record.isSynthetic ? html`<span class="badge">synthetic data</span>` : null;
  const when = origin.writtenMs === null ? '' : ` · ${timeText(origin.writtenMs)}`;
  return html`<header class="head">
    <div class="what">
      <h1>${sweepTitle(record)} ${synthetic}</h1>
      <p class="muted">${markets} · ${dayText(record.fromMs)} – ${dayText(record.toMs)} · ${axes.join(', ')}</p>
      <p class="answer">${answer(input)}</p>
    </div>
    ${stamp('sweep', origin.sweepHash, `isobar ${origin.versions['isobar'] ?? NO_VALUE}${when}`)}
  </header>`;
}

/** Returns the values of an axis as text: at most three values, or the first and the last, such as `5 … 50`. */
function spanOf(values: readonly (string | number | boolean)[]): string {
  return values.length <= MAX_LISTED_VALUES ? values.join(', ') : `${values[0]} … ${values.at(-1)}`;
}

/** Returns the finding in one sentence. The plateau comes first, because the single best set is mostly luck. */
function answer({ record, findings }: SweepReportInput): Markup {
  const { best, plateau, selectionBias, neighbours, ran } = findings;
  const { label } = entryOf(record.by);
  if (best === null) return html`No set of ${counted(record.sets, 'set')} has a ${label}.`;
  const plateauText =
    plateau === null
      ? html``
      : html`The steadiest ground is around <b>${paramsText(record, plateau)}</b>: ${label}
          <b>${valueText(record, record.by, neighbours.mean[plateau])}</b> on average of ${counted(neighbours.count[plateau] ?? 0, 'set')}. `;
  const selectionBiasText =
    selectionBias.expectedBest === null
      ? html`.`
      : html`; by chance alone the best of ${counted(selectionBias.trials, 'trial')} would show a Sharpe of
        ${fixed(selectionBias.expectedBest, 2)}.`;
  return html`${plateauText}The best single set of ${wholeText(ran)}, ${paramsText(record, best)}, has
  ${valueText(record, record.by, figureAt(record, record.by, best))}${selectionBiasText}`;
}

/** Returns the figure cards. */
export function sweepCards({ record, findings }: Pick<SweepReportInput, 'record' | 'findings'>): Markup {
  const { best, plateau, neighbours, selectionBias, ranking } = findings;
  const rankedBy = entryOf(record.by);
  const cardFigure = (label: string, value: number | null | undefined, note: string, kind = rankedBy.kind): FigureText => {
    const isNone = value === null || value === undefined || !Number.isFinite(value);
    const hasSign = kind === 'change' || kind === 'money' || kind === 'ratio';
    const sign = isNone || !hasSign ? 0 : signOf(value);
    return { label, text: isNone ? NO_VALUE : writeFigure(value, kind, record.asset), note, sign, isNone, reason: null };
  };
  const plateauFigure = cardFigure(
    `${rankedBy.label} of the plateau`,
    plateau === null ? null : neighbours.mean[plateau],
    'Highest mean over a set and its neighbours, one step in every direction.',
  );
  const bestFigure = cardFigure(`${rankedBy.label} of the best set`, figureAt(record, record.by, best), rankedBy.definition);
  const valuesBySet = figureOf(record, record.by) ?? new Float64Array();
  const medianFigure = cardFigure(
    'Middle of all sets',
    columnMedian(Float64Array.from(ranking, (set) => valuesBySet[set]!)),
    `Half of the sets have a higher ${rankedBy.label}, half a lower one.`,
  );
  const expectedBestFigure = cardFigure(
    'Best by chance',
    selectionBias.expectedBest,
    'Sharpe ratio that the best of as many trials without skill is expected to show.',
    'ratio',
  );
  const deflatedFigure = cardFigure(
    'Deflated Sharpe',
    selectionBias.deflated,
    'Probability that the best set’s true Sharpe ratio is above the best by chance (Bailey & López de Prado 2014).',
    'percent',
  );
  const isDeflatedLow = selectionBias.deflated !== null && selectionBias.deflated < MIN_DEFLATED_SHARPE;
  const returns = figureOf(record, 'totalReturn') ?? new Float64Array();
  const gainingSets = returns.filter((value) => value > 0).length;
  const gainingFigure = cardFigure(
    'Sets that gained',
    gainingSets / Math.max(1, findings.ran),
    'Share of the sets with a net return above zero.',
    'percent',
  );
  return html`<section class="cards" aria-label="Figures">
    ${card(plateauFigure, plateau === null ? 'no set has neighbours' : paramsText(record, plateau))}
    ${card(bestFigure, best === null ? NO_VALUE : paramsText(record, best))} ${card(medianFigure, `of ${counted(ranking.length, 'set')}`)}
    ${card({ ...expectedBestFigure, sign: 0 }, `Sharpe, ${counted(selectionBias.trials, 'trial')}`)}
    ${card(deflatedFigure, 'probability', isDeflatedLow)} ${card(gainingFigure, `${wholeText(gainingSets)} of ${wholeText(findings.ran)}`)}
  </section>`;
}

/** Returns the sign of a figure: 1, 0 or -1. */
function signOf(value: number): 1 | 0 | -1 {
  if (value > 0) return 1;
  return value < 0 ? -1 : 0;
}

/** Returns the options of a selector. Their values are the indexes of the names. */
function optionElements(names: readonly string[]): Markup {
  return html`${names.map((name, index) => html`<option value="${index}">${name}</option>`)}`;
}

/** Returns the frame of the map with its selectors. */
export function mapSection({ record, findings }: SweepReportInput): Markup {
  const { axes, figures } = record;
  const isFlat = axes.filter(({ values }) => values.length > 1).length < 2;
  const names = axes.map(({ name }) => name);
  const axisSelectors = isFlat
    ? null
    : html`<label
          >across
          <select id="pick-across">
            ${optionElements(names)}
          </select></label
        >
        <label
          >up
          <select id="pick-down">
            ${optionElements(names)}
          </select></label
        >`;
  const pinSelectors = axes.map(
    ({ name, values }, axis) =>
      html`<label hidden
        >${name}
        <select id="hold-${axis}">
          ${values.map((value, index) => html`<option value="${index}">${String(value)}</option>`)}
          <option value="best">best of all</option>
          <option value="mean">mean of all</option>
        </select></label
      >`,
  );
  return html`<section id="map-section">
    <div class="bar">
      <h2>Map</h2>
      <span class="filters"
        ><label
          >show
          <select id="pick-figure">
            ${optionElements(figures.map(({ name }) => entryOf(name).label))}
          </select></label
        >
        ${axisSelectors} ${pinSelectors} <label><input type="checkbox" id="smooth" /> mean of neighbours</label></span
      >
    </div>
    <p class="read" id="map-read" aria-live="polite"></p>
    <div class="holder">
      <canvas id="map" tabindex="0" role="application" aria-label="Map of the sets: arrow keys choose one"></canvas>
    </div>
    <div class="under">
      <span id="map-key"></span>
      <span><span class="sign best"></span>best set</span>
      ${findings.plateau === null ? null : html`<span><span class="sign plateau"></span>plateau</span>`}
      <span><span class="sign chosen"></span>chosen</span>
      ${missingResultText(findings) === '' ? null : html`<span><span class="sign refused"></span>${missingResultText(findings)}</span>`}
    </div>
    <p class="command"><code id="set-command"></code> <button type="button" data-copy="">copy</button></p>
  </section>`;
}

/** Returns the table of the best sets, followed by the plateau. */
export function bestSetsSection({ record, findings }: SweepReportInput): Markup {
  const { ranking, plateau, neighbours } = findings;
  if (ranking.length === 0) return html``;
  const figures = [record.by, ...OTHER_FIGURES.filter((name) => name !== record.by && figureOf(record, name) !== null)];
  const rowOf = (setIndex: number, label: string, cssClass: string) =>
    html`<tr class="${cssClass}" data-set="${setIndex}" tabindex="0">
      <th scope="row">${label}</th>
      ${setParams(record, setIndex).map(({ value }) => html`<td>${String(value)}</td>`)}
      ${figures.map((name, index) => html`<td class="${index === 0 ? 'by' : ''}">${valueText(record, name, figureAt(record, name, setIndex))}</td>`)}
      <td>${valueText(record, record.by, neighbours.mean[setIndex])}</td>
    </tr>`;
  return html`<section id="best">
    <div class="bar">
      <h2>The best by ${entryOf(record.by).label}</h2>
      <span class="muted note">A row shows its set on the map.</span>
    </div>
    <div class="scroll">
      <table class="plain">
        <thead>
          <tr>
            <th></th>
            ${record.axes.map(({ name, unit }) => html`<th title="${unit}">${name}</th>`)}
            ${figures.map((name) => html`<th>${entryOf(name).label}</th>`)}
            <th>neighbours</th>
          </tr>
        </thead>
        <tbody>
          ${ranking.slice(0, MAX_BEST).map((set, rank) => rowOf(set, String(rank + 1), ''))}
          ${plateau === null ? null : rowOf(plateau, 'plateau', 'plateau')}
        </tbody>
      </table>
    </div>
  </section>`;
}

/** Returns the explanation of the selection bias. */
export function selectionBiasSection({ record, findings }: SweepReportInput): Markup {
  const { selectionBias } = findings;
  const spread = deviation(record.trials.sharpes);
  const earlierText =
    selectionBias.earlier > 0
      ? html`${counted(selectionBias.earlier, 'trial')} of them were made by earlier runs and sweeps on the same market data, whatever
        strategy made them, which the ledger remembers.`
      : html`The ledger knows of no earlier run or sweep on this market data.`;
  const comparison =
    selectionBias.expectedBest === null
      ? html`<p>With fewer than two Sharpe ratios there is nothing to compare.</p>`
      : html`<p>
            The Sharpe ratios of these trials spread by ${fixed(spread, 2)}. If none of them had any skill, the best would still be expected
            to show <b>${fixed(selectionBias.expectedBest, 2)}</b>. The best set has
            <b>${selectionBias.sharpe === null ? NO_VALUE : fixed(selectionBias.sharpe, 2)}</b>: the probability that its true ratio is
            above that bar is <b>${selectionBias.deflated === null ? NO_VALUE : percent(selectionBias.deflated, 1)}</b>.
          </p>
          <p>
            Neighbouring sets trade alike and are not independent trials, so the bar is rather too high than too low. It knows nothing of
            ideas that were dropped before, nor of sweeps on other machines.
          </p>`;
  return html`<section id="chance">
    <h2>What chance alone would show</h2>
    <div class="grid">
      <div class="prose">
        <p>
          Among many sets one looks good by luck. ${counted(selectionBias.trials, 'trial')}
          ${selectionBias.trials === 1 ? 'counts' : 'count'} here. ${earlierText}
        </p>
        ${comparison}
        <p>
          The figures of a sweep are those of the past that chose them. Take a set from the middle of a plateau, and run it once on a range
          of time that no sweep has seen.
        </p>
      </div>
      <figure>
        <figcaption>All sets by the figure of the map</figcaption>
        <div class="plot" id="plot-spread"></div>
      </figure>
    </div>
  </section>`;
}

/** Frame of the charts of each parameter. */
export const PICTURES = html`<section id="each">
  <h2>What each parameter does</h2>
  <p class="caption">Over all sets with the value: the middle, the half of them around it, and the best (dot).</p>
  <div id="parameters"></div>
</section>`;

/** Returns the meaning of the hatched cells of the map. Empty when all sets have a result. */
function missingResultText({ refused, failed }: Findings): string {
  return [...(refused.length > 0 ? ['refused'] : []), ...(failed.length > 0 ? ['failed'] : [])].join(' or ');
}

/** Returns the lists of the sets without a result, by reason. */
export function refusalsSection({ findings }: SweepReportInput): Markup {
  return html`${reasonList('refused', 'Refused by the strategy', findings.refused)}${reasonList('failed', 'Failed', findings.failed)}`;
}

/** Returns one list of reasons. */
function reasonList(id: string, heading: string, reasons: readonly Reasoned[]): Markup | null {
  if (reasons.length === 0) return null;
  return html`<section id="${id}">
    <h2>${heading}</h2>
    ${factList(reasons.slice(0, MAX_REASONS).map(({ reason, sets }) => [counted(sets, 'set'), reason]))}
  </section>`;
}

/** Returns an input of the sweep. The page shows the start of a hash, and the whole hash as its title. */
function inputMarkup(value: string): Markup | string {
  const isHash = /^[0-9a-f]{64}$/.test(value);
  return isHash ? html`<code title="${value}">${value.slice(0, HASH_LETTERS)}</code>` : value;
}

/** Returns the origin of the sweep: command, hash, inputs, definition. */
export function sweepProvenance({ record, findings, provenance: origin }: SweepReportInput): Markup {
  const dayCount = Math.round((record.toMs - record.fromMs) / DAY_MS);
  return html`<section id="provenance">
    <h2>Provenance</h2>
    <p>The command that makes this sweep again:</p>
    ${commandBlock(origin.command)}
    <div class="figures">
      <div>
        <h3>Sweep</h3>
        ${factList([
          ['Sweep hash', html`<code>${origin.sweepHash}</code>`],
          ['Range', `${dayText(record.fromMs)} – ${dayText(record.toMs)}, ${counted(dayCount, 'day')}`],
          ['Bars', wholeText(record.bars)],
          ['Sets', `${outcomeText(findings)}, of ${wholeText(record.gridSize)} in the grid`],
          ['Ledger', origin.ledger],
          ['Versions', versionsText(origin.versions)],
        ])}
      </div>
      <div>
        <h3>Made from</h3>
        ${factList(origin.parts.map(({ name, value }) => [name, inputMarkup(value)]))}
      </div>
    </div>
    <details>
      <summary>The definition</summary>
      <pre>${origin.definition}</pre>
    </details>
  </section>`;
}
