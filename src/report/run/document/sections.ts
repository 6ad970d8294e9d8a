// Writes the tables of the report: drawdowns, months, all figures, orders, data, provenance.

import { largestOf } from '../../../base/number/extremes.ts';
import { sizeText } from '../../../model/instrument.ts';
import type { Summary } from '../../summary/summary.ts';
import { figureText, type FigureText } from '../../words/figures.ts';
import { METRIC_NAMES, METRICS, TRADE_NAMES, TRADES } from '../../words/glossary.ts';
import type { ReportInput } from './input.ts';
import { commandBlock, factList, htmlTable, versionsText, type Fact } from '../../page/lists.ts';
import { html, type Markup, type MarkupPart } from '../../page/markup.ts';
import {
  amountText,
  wholeText,
  counted,
  dayText,
  fixed,
  NO_VALUE,
  percent,
  signedPercent,
  spanText,
  THIN,
  tone,
} from '../../../base/text/format.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const DAY_MS = 86_400_000;
/** Maximum number of drawdowns in the table. */
const MAX_DRAWDOWNS = 5;
/** Number of characters of a hash that are shown. */
const HASH_LETTERS = 16;
/** Number of shown characters of the hash of a gap manifest, which has a narrow column. */
const MANIFEST_HASH_LETTERS = 12;
/** Strongest tint of a cell, in percent of its colour. */
const MAX_TINT_PERCENT = 32;
const PPM = 1e6;

/** Returns the table of the deepest drawdowns at daily closes. */
export function runDrawdowns({ metrics }: Summary): Markup {
  const drawdowns = metrics.drawdownTable.slice(0, MAX_DRAWDOWNS);
  if (drawdowns.length === 0) return html`<p class="muted">No day ended below the peak before it.</p>`;
  return htmlTable(
    ['', 'depth', 'peak', html`<span class="wide">trough</span>`, 'regained', 'length'],
    drawdowns.map(({ depth, peakMs, troughMs, recoveryMs, days }, index) => [
      String(index + 1),
      html`<span class="loss">${signedPercent(depth)}</span>`,
      dayText(peakMs),
      html`<span class="wide">${dayText(troughMs)}</span>`,
      recoveryMs === null ? 'not yet' : dayText(recoveryMs),
      spanText(days * DAY_MS),
    ]),
    'The deepest drawdowns',
  );
}

/** Returns the table of monthly returns: one row for each year, cells in percent, tinted by value. */
export function runMonths({ metrics }: Summary): Markup {
  const { monthly, yearly } = metrics;
  if (monthly.length === 0) return html`<p class="muted">No whole day, so no month.</p>`;
  // The month with the largest return has the strongest tint. A minimum above 0 avoids a division by zero.
  const maxReturn = Math.max(1e-9, largestOf(monthly.map((month) => Math.abs(month.return))));
  const tint = (value: number) => `--tint:${Math.round(Math.min(1, Math.abs(value) / maxReturn) * MAX_TINT_PERCENT)}%`;
  const cell = (value: number | undefined, digits: number) =>
    value === undefined
      ? html`<td class="none">·</td>`
      : html`<td class="${value >= 0 ? 'up' : 'down'}" style="${tint(value)}">${fixed(value * 100, digits)}</td>`;
  const rows = yearly.map(({ year, return: total }) => {
    const returnOf = (month: number) => monthly.find((listed) => listed.year === year && listed.month === month)?.return;
    const cells = MONTHS.map((_, index) => cell(returnOf(index + 1), 1));
    return html`<tr>
      <th scope="row">${year}</th>
      ${cells}
      <td class="total ${tone(total)}">${fixed(total * 100, 2)}</td>
    </tr>`;
  });
  return html`<div class="scroll">
    <table class="months" aria-label="Returns by month, percent">
      <thead>
        <tr>
          <th scope="col">%</th>
          ${MONTHS.map((name) => html`<th scope="col">${name}</th>`)}
          <th scope="col">year</th>
        </tr>
      </thead>
      <tbody>
        ${rows}
      </tbody>
    </table>
  </div>`;
}

/** Returns the lists of all figures of the account and of the trades. */
export function runFigureLists({ run, metrics, trades }: Summary): Markup {
  const asset = run.reportingAsset;
  const metricTexts = METRIC_NAMES.map((name) =>
    figureText(METRICS[name], metrics[name], asset, { reason: metrics.reasons[name], flags: metrics.flags[name] }),
  );
  const tradeTexts = TRADE_NAMES.map((name) =>
    figureText(TRADES[name], trades[name], asset, { reason: trades.reasons[name], flags: trades.flags[name] }),
  );
  const spanFigure = (label: string, ms: number | null, definition: string) =>
    figureText({ label, kind: 'span', definition }, ms, asset, { reason: 'no-trades' });
  const timeAndCountTexts: FigureText[] = [
    spanFigure('Holding time, mean', trades.holdTime.mean, 'Mean time from first to last fill.'),
    spanFigure('Holding time, median', trades.holdTime.median, 'Middle time from first to last fill.'),
    spanFigure('Holding time, wins', trades.holdTime.wins, 'Mean over the winning trades.'),
    spanFigure('Holding time, losses', trades.holdTime.losses, 'Mean over the losing trades.'),
    figureText(
      { label: 'Wins in a row', kind: 'count', definition: 'Most winning trades one after the other, in closing order.' },
      trades.maxConsecutiveWins,
      asset,
    ),
    figureText(
      { label: 'Losses in a row', kind: 'count', definition: 'Most losing trades one after the other, in closing order.' },
      trades.maxConsecutiveLosses,
      asset,
    ),
    figureText(
      { label: 'Traded volume', kind: 'cost', definition: 'Notional of the entries and exits of all closed trades.' },
      trades.volume,
      asset,
    ),
  ];
  return html`<div class="figures">
    ${figureList('The account, from daily returns (UTC)', metricTexts)}${figureList('The trades, net of fees', [...tradeTexts, ...timeAndCountTexts])}
  </div>`;
}

/** Returns a list of figures under a heading. */
function figureList(name: string, figures: readonly FigureText[]): Markup {
  return html`<div>
    <h3>${name}</h3>
    <dl class="list">
      ${figures.map(
        ({ label, text, note, isNone }) =>
          html`<div tabindex="0" data-tip>
            <dt>${label}</dt>
            <dd class="${isNone ? 'muted' : ''}">${text}</dd>
            <span class="sr">${note}</span>
          </div>`,
      )}
    </dl>
  </div>`;
}

/** Returns a count with its label. With `isWarning`, a count above 0 is highlighted. */
function countLine(label: string, amount: number, note: string, isWarning = false): Markup {
  return html`<div tabindex="0" data-tip>
    <dt>${label}</dt>
    <dd class="${isWarning && amount > 0 ? 'amber' : ''}">${wholeText(amount)}</dd>
    <span class="sr">${note}</span>
  </div>`;
}

/** Returns a duration as text. */
function durationText(durationMs: number | null): string {
  if (durationMs === null) return NO_VALUE;
  return durationMs === 0 ? 'at once' : spanText(durationMs);
}

/** Returns the counts of orders by outcome, the fill statistics, the refusals by code, and the active risk rules. */
export function runOrderCounts({ orders: counts, run }: Summary): Markup {
  const codes = [
    ...Object.entries(counts.refusedByRiskByCode).map(([code, amount]) => ['risk', code, amount] as const),
    ...Object.entries(counts.rejectedByCode).map(([code, amount]) => ['venue', code, amount] as const),
  ];
  return html`<div class="figures">
    <div>
      <h3>What became of the orders</h3>
      <dl class="list">
        ${countLine('Created', counts.created, 'Orders that the strategies and their brackets asked for.')}
        ${countLine('Sent', counts.sent, 'Not stopped by risk before they left.')}
        ${countLine('Accepted', counts.accepted, 'The venue took them.')} ${countLine('Filled', counts.filled, 'Filled to the end.')}
        ${countLine('Partly filled', counts.partlyFilled, 'Ended, or still stand, with a part filled.')}
        ${countLine('Cancelled', counts.cancelled, 'Ended by a cancel, for example the other leg of a bracket.')}
        ${countLine('Expired', counts.expired, 'Ended by the venue without a cancel.')}
        ${countLine('Refused by risk', counts.refusedByRisk, 'Stopped by a risk rule; nothing was sent.', true)}
        ${countLine('Rejected by the venue', counts.rejected, 'The venue said no, with a code.', true)}
        ${countLine('Ever unknown', counts.unknown, 'Their answer was lost for a time.', true)}
        ${countLine('Open at the end', counts.open, 'Stood when the run ended.')}
      </dl>
    </div>
    <div>
      <h3>Answers and costs</h3>
      <dl class="list">
        <div>
          <dt>Share of volume filled as maker</dt>
          <dd>${counts.makerShare === null ? NO_VALUE : percent(counts.makerShare)}</dd>
        </div>
        <div>
          <dt>Mean time to acceptance</dt>
          <dd>${durationText(counts.meanTimeToAckMs)}</dd>
        </div>
        <div>
          <dt>Mean time to the first fill</dt>
          <dd>${durationText(counts.meanTimeToFirstFillMs)}</dd>
        </div>
        <div>
          <dt>Volume</dt>
          <dd>${amountText(Number(counts.volume), run.reportingAsset)}${THIN}${run.reportingAsset}</dd>
        </div>
        <div>
          <dt>Fees</dt>
          <dd>${amountText(Number(counts.fees), run.reportingAsset)}${THIN}${run.reportingAsset}</dd>
        </div>
      </dl>
      <h3>Refusals by code</h3>
      ${
        codes.length === 0
          ? html`<p class="muted">No order was refused.</p>`
          : htmlTable(
              ['by', 'code', 'orders'],
              codes.map(([by, code, amount]) => [by, code, wholeText(amount)]),
              'Refusals by code',
              [1],
            )
      }
      <h3>Risk rules that were on</h3>
      <p class="codes">
        ${run.rules.length === 0 ? html`<span class="amber">none</span>` : run.rules.map((rule) => html`<code>${rule}</code> `)}
      </p>
    </div>
  </div>`;
}

/** Returns a count, highlighted above 0. */
function highlightedCount(amount: number): MarkupPart {
  return amount > 0 ? html`<span class="amber">${wholeText(amount)}</span>` : wholeText(amount);
}

/** Returns the table of the quality of the data, one row for each feed. */
export function runDataQuality({ dataQuality }: Summary): Markup {
  return htmlTable(
    ['feed', 'bars', 'rows', 'gaps', 'missing', 'thin', 'no volume', 'rounded', 'last bar', 'origin', 'gap manifest'],
    dataQuality.feeds.map((feed) => [
      feed.name,
      `${feed.instrument} ${feed.interval}`,
      wholeText(feed.rows),
      highlightedCount(feed.gaps),
      highlightedCount(feed.missingBars),
      highlightedCount(feed.thinBars),
      wholeText(feed.zeroVolume),
      highlightedCount(feed.roundedPrices),
      feed.openLastBar ? html`<span class="amber">still open</span>` : 'closed',
      feed.synthetic ? html`<span class="amber">synthetic</span>` : 'recorded',
      html`<code title="${feed.manifestHash}">${feed.manifestHash.slice(0, MANIFEST_HASH_LETTERS) || NO_VALUE}</code>`,
    ]),
    'Quality of the data, by feed',
    [1],
  );
}

/** Returns a fee as text. For a contract, both the opening and the closing fee when they differ. */
function feeText(openPpm: number, closePpm = openPpm): string {
  const open = percent(openPpm / PPM, 3);
  return closePpm === openPpm ? open : `${open} to open, ${percent(closePpm / PPM, 3)} to close`;
}

/** Returns the origin of the run: command, inputs, instruments, parameters, definition. */
export function runProvenance(input: ReportInput): Markup {
  const { record, provenance: origin } = input;
  return html`<p>The command that makes this run again:</p>
    ${commandBlock(origin.command)}
    <div class="figures">
      <div>
        <h3>Run</h3>
        ${factList(runFacts(input))}
      </div>
      <div>
        <h3>Made from</h3>
        ${factList(origin.hashes.map(({ name, sha256 }) => [name, html`<code title="${sha256}">${sha256.slice(0, HASH_LETTERS) || NO_VALUE}</code>`]))}
      </div>
    </div>
    <h3>Instruments</h3>
    ${instrumentTable(input)}
    <h3>Parameters</h3>
    ${htmlTable(
      ['strategy', 'file', 'parameters'],
      record.strategies.map((strategy) => [
        strategy.name,
        strategy.file,
        Object.entries(strategy.params)
          .map(([name, value]) => `${name} ${value}`)
          .join(', ') || 'none',
      ]),
      'Strategies and their parameters',
      [1, 2],
    )}
    <details>
      <summary>Definition</summary>
      <pre>${origin.definition}</pre>
    </details>`;
}

/** Returns the facts of the run for the table of its provenance. */
function runFacts({ record, summary: { run, resultHash } }: ReportInput): readonly Fact[] {
  const days = counted(Math.round((run.toMs - run.fromMs) / DAY_MS), 'day');
  const asset = run.reportingAsset;
  return [
    ['Result hash', html`<code>${resultHash}</code>`],
    ['Range', `${dayText(run.fromMs)} – ${dayText(run.toMs)}, ${days}`],
    ['Start, end', `${amountText(Number(run.startEquity), asset)}, ${amountText(Number(run.endEquity), asset)}${THIN}${asset}`],
    ...cashFacts(run),
    ['Seed', String(record.seed)],
    ['Warm-up', `${counted(run.warmupRows, 'row')} before the run, ${wholeText(run.warmupInRange)} inside it`],
    ['Versions', versionsText(run.versions)],
  ];
}

/** Returns the cash of each quote asset of a run with several of them. */
function cashFacts({ cash = [] }: ReportInput['summary']['run']): readonly Fact[] {
  return cash.map(({ asset, start, end, convertedBy }) => {
    const amounts = `${amountText(Number(start), asset)} at the start, ${amountText(Number(end), asset)} at the end`;
    const valuation = convertedBy === undefined ? 'the reporting asset' : `valued at the closes of ${convertedBy}`;
    return [`Cash in ${asset}`, `${amounts}, ${valuation}`];
  });
}

/** Returns the table of instruments with their precisions and fees. */
function instrumentTable({ record, summary }: ReportInput): Markup {
  return htmlTable(
    [
      'instrument',
      'base',
      'quote',
      'price digits',
      'quantity digits',
      'smallest quantity',
      'maker fee, record',
      'taker fee, record',
      'valued at',
    ],
    record.instruments.map((instrument, index) => [
      instrument.id,
      instrument.base,
      instrument.quote,
      String(instrument.priceDigits),
      String(instrument.quantityDigits),
      sizeText(fixed(instrument.minLots / 10 ** instrument.quantityDigits, instrument.quantityDigits), instrument),
      feeText(instrument.contract?.openMakerFeePpm ?? instrument.makerFeePpm, instrument.contract?.closeMakerFeePpm),
      feeText(instrument.contract?.openTakerFeePpm ?? instrument.takerFeePpm, instrument.contract?.closeTakerFeePpm),
      summary.run.instruments[index]?.markSource ?? NO_VALUE,
    ]),
    'Instruments',
    [1, 2],
  );
}
