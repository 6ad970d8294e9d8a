// Assembles the text of the page: static parts that work without a script, then the script, then the packed columns.

import type { PageCode } from '../../page/pageCode.ts';
import { isDrawnByMinute } from '../page/rows/levels.ts';
import { breakdowns } from './breakdowns.ts';
import { breakEvenTable, bridge } from './bridge.ts';
import { runCards, runHead, runTitle, runTrustStrip } from './head.ts';
import type { ReportInput } from './input.ts';
import { html, scriptJson, Markup, scriptElement } from '../../page/markup.ts';
import type { PageData } from '../../page/wire.ts';
import { runFigureLists, runDataQuality, runDrawdowns, runMonths, runOrderCounts, runProvenance } from './sections.ts';
import { keyList, packedScripts, scopedScript, shell } from '../../page/shell.ts';
import { STYLE } from '../../page/style.ts';

/** The parts from which the text of a page is assembled. */
export interface PageParts {
  readonly input: ReportInput;
  readonly page: PageData;
  readonly code: PageCode;
}

/** Returns the text of the page without its packed columns, which `withColumns` inserts. */
export function documentOf({ input, page, code }: PageParts): string {
  const { summary, record } = input;
  return shell({
    title: `${runTitle(record)} · isobar report`,
    version: summary.run.versions['isobar'] ?? '',
    style: `${code.plotStyle}${STYLE}`,
    content: html`${runHead(input)} ${runTrustStrip(summary)} ${runCards(summary)} ${equitySection(input)} ${priceSection(page)}
      <section id="when">
        <h2>When</h2>
        ${runMonths(summary)}
        <div id="hours"></div>
      </section>
      <section id="costs">
        <h2>From signal to net</h2>
        ${bridge(summary.costBridge, summary.run.reportingAsset)} ${breakEvenTable(summary)}
      </section>
      ${howSection(page)} ${breakdowns(summary)} ${tradesSection(page)}
      <section id="orders">
        <h2>Orders and rules</h2>
        ${runOrderCounts(summary)}
      </section>
      <section id="data">
        <h2>Data</h2>
        ${runDataQuality(summary)}
      </section>
      <section id="figures">
        <h2>All figures</h2>
        ${runFigureLists(summary)}
      </section>
      <section id="provenance">
        <h2>Provenance</h2>
        ${runProvenance(input)}
      </section>
      <footer class="muted">
        Price chart: <a href="https://www.tradingview.com/lightweight-charts/">TradingView Lightweight Charts™</a>, Copyright 2026
        TradingView, Inc., Apache-2.0. Curves: uPlot, MIT.
      </footer>`,
    afterMain: html`${KEY_LIST}
      <div id="tip" role="tooltip" hidden></div>
      ${scriptElement(scriptJson(page), 'type="application/json" id="page"')} ${scriptElement(code.plotLibrary)}
      ${scriptElement(code.priceLibrary)} ${scopedScript(code.script)} ${packedScripts([])}`,
  });
}

/** Returns the buttons that set the visible range of the chart `target`. */
function rangeButtons(target: string): Markup {
  const names = ['1d', '1w', '1M', '3M', '1y', 'all'];
  return html`<span class="ranges" role="group" aria-label="Range" data-target="${target}"
    >${names.map((name) => html`<button type="button" data-range="${name}">${name}</button>`)}<button
      type="button"
      data-zoom="in"
      aria-label="Zoom in"
    >
      +</button
    ><button type="button" data-zoom="out" aria-label="Zoom out">−</button></span
  >`;
}

/** Returns the frame of the equity plots, and the table of drawdowns. */
function equitySection({ summary }: ReportInput): Markup {
  return html`<section id="equity">
    <div class="bar">
      <h2>Equity</h2>
      <span class="muted read" id="equity-read"></span><label class="switch"><input type="checkbox" id="hold" checked /> buy and hold</label
      ><label class="switch"><input type="checkbox" id="log" /> log</label>${rangeButtons('equity')}
    </div>
    <div class="plots" id="equity-plots" tabindex="0" role="img" aria-label="Equity, drawdown and exposure over time">
      <div class="plot" id="plot-equity"></div>
      <p class="caption">drawdown, at every bar</p>
      <div class="plot" id="plot-drawdown"></div>
      <p class="caption">exposure, share of equity in the market</p>
      <div class="plot" id="plot-exposure"></div>
    </div>
    <h3>Deepest drawdowns, at daily closes</h3>
    ${runDrawdowns(summary)}
  </section>`;
}

/** Returns the frame of the price chart, with a note when its bars are coarser than those of the run. */
function priceSection(page: PageData): Markup {
  const picker =
    page.instruments.length < 2
      ? html`<span class="muted">${page.instruments[0]?.name ?? 'no bars'}</span>`
      : html`<label
          ><span class="sr">Instrument</span
          ><select id="instrument">
            ${page.instruments.map((instrument, index) => html`<option value="${index}">${instrument.name}</option>`)}
          </select></label
        >`;
  const coarse = page.instruments.filter(({ interval, ranOn }) => interval !== ranOn);
  const note =
    coarse.length === 0
      ? null
      : html`<p class="muted note">
          ${coarse.every(({ interval, ranOn }) => interval === '1m' && isDrawnByMinute(ranOn)) ? 'Charts have no bars below a minute: the finest are' : 'For the size of this page its finest bars are'}
          ${[...new Set(coarse.map(({ interval }) => interval))].join(', ')}; the run was made on
          ${[...new Set(coarse.map(({ ranOn }) => ranOn))].join(', ')}.
        </p>`;
  return html`<section id="price">
    <div class="bar">
      <h2>Price and trades</h2>
      ${picker}<span class="muted read" id="price-read"></span>${rangeButtons('price')}
    </div>
    <div class="chart" id="price-chart" tabindex="0" role="img" aria-label="Price, indicators and trades over time"></div>
    <p class="legend" id="price-legend"></p>
    ${note}
  </section>`;
}

/** Returns the box of a chart. The script draws into it. */
function figure(id: string, name: string): Markup {
  return html`<figure>
    <figcaption>${name}</figcaption>
    <div class="plot" id="${id}"></div>
  </figure>`;
}

/** Returns the frames of the pictures of trades. Empty without trades and without a rolling Sharpe ratio. */
function howSection(page: PageData): Markup {
  if (page.trades.length === 0 && page.rollingSharpe.values.every((value) => value === null)) return html``;
  return html`<section id="how">
    <h2>How</h2>
    <div class="grid">
      ${figure('plot-returns', 'Returns of trades, net, % of entry')}
      ${figure('plot-excursions', 'Worst (MAE) against best (MFE) running profit of each trade, % of entry')}
      ${figure('plot-holding', 'Holding time of trades')} ${figure('plot-sharpe', 'Sharpe over the last 90 days')}
    </div>
  </section>`;
}

/** Returns a filter of the table of trades. */
function select(id: string, name: string, options: readonly string[]): Markup {
  return html`<label
    >${name}
    <select id="${id}">
      <option value="">all</option>
      ${options.map((text, index) => html`<option value="${index}">${text}</option>`)}
    </select></label
  >`;
}

/** Returns the frame of the table of trades with its filters. */
function tradesSection({ trades, instruments, strategies }: PageData): Markup {
  if (trades.length === 0)
    return html`<section id="trades">
      <h2>Trades</h2>
      <p class="muted">No trade was closed. Orders and rules, below, says what became of each order.</p>
    </section>`;
  const truncationNote =
    trades.all > trades.length
      ? html`<p class="muted note">The first ${trades.length} of ${trades.all} trades; trades.csv has all of them.</p>`
      : null;
  return html`<section id="trades">
    <div class="bar">
      <h2>Trades</h2>
      <span class="muted" id="trade-count"></span>
      <span class="filters"
        >${select('filter-side', 'side', ['long', 'short'])} ${select('filter-result', 'result', ['won', 'lost'])}
        ${
          instruments.length > 1
            ? select(
                'filter-instrument',
                'instrument',
                instruments.map(({ name }) => name),
              )
            : null
        }
        ${strategies.length > 1 ? select('filter-strategy', 'strategy', strategies) : null}
        <button type="button" id="filter-group" hidden></button>
        <label><input type="checkbox" id="filter-window" /> in the price window</label>
        <button type="button" id="export">export CSV</button></span
      >
    </div>
    <div class="scroll">
      <table id="trade-table">
        <thead></thead>
        <tbody></tbody>
      </table>
    </div>
    <div class="bar pages"><span id="trade-pages"></span></div>
    ${truncationNote}
  </section>`;
}

const KEY_LIST = keyList([
  [html`<kbd>?</kbd>`, 'this list'],
  [html`<kbd>t</kbd>`, 'theme: system, light, dark'],
  [html`<kbd>l</kbd>`, 'logarithmic equity'],
  [html`<kbd>j</kbd> <kbd>k</kbd>`, 'next, previous trade of the table'],
  [html`<kbd>+</kbd> <kbd>−</kbd>`, 'zoom the chart that has the focus, else the price'],
  [html`<kbd>←</kbd> <kbd>→</kbd>`, 'move the chart that has the focus'],
  [html`<kbd>0</kbd>`, 'the whole run'],
  ['Ctrl + wheel, pinch', 'zoom; the wheel alone once a chart has the focus'],
  ['drag', 'move'],
  [html`<kbd>Esc</kbd>`, 'close, leave the chart'],
]);
