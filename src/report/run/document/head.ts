// Writes the first screen of the report: the run, its result, the trust strip, and the figure cards.

import type { RunRecord } from '../../../model/run/run.ts';
import { warningText } from '../../../model/warning.ts';
import type { Summary } from '../../summary/summary.ts';
import { namesWithIntervals } from '../../words/names.ts';
import { envelopeText } from '../../words/envelopeText.ts';
import { sharpeInterval, figureText } from '../../words/figures.ts';
import { METRICS, TRADES } from '../../words/glossary.ts';
import { proofLine, proofNote } from '../../words/proof.ts';
import type { ReportInput } from './input.ts';
import { html, type Markup } from '../../page/markup.ts';
import { card, stamp, trustStrip, type Chip } from '../../page/firstScreen.ts';
import {
  amountText,
  wholeText,
  counted,
  daysText,
  dayText,
  fixed,
  NO_VALUE,
  percent,
  signedPercent,
  THIN,
  timeText,
  tone,
} from '../../../base/text/format.ts';

const DAY_MS = 86_400_000;
/** With fewer closed trades, or with fewer daily returns, a figure says little about the future. */
const FEW_TRADES = 30;
const FEW_DAYS = 90;
/** Maximum number of instruments that the head names. */
const MAX_MARKETS = 6;

/** Returns the strategies of the run as text, or the name of the run. */
export function runTitle({ strategies, name }: RunRecord): string {
  return strategies.map((strategy) => strategy.name).join(' + ') || name;
}

/** Returns the head of the page: what ran, the result in one sentence, and the result hash. */
export function runHead({ record, summary, provenance }: ReportInput): Markup {
  const { run, resultHash } = summary;
  const markets = namesWithIntervals(record.feeds.map(({ bars }) => ({ id: bars.instrument.id, interval: bars.interval })));
  const others = markets.length > MAX_MARKETS ? ` and ${markets.length - MAX_MARKETS} more` : '';
  const marketsText = `${markets.slice(0, MAX_MARKETS).join(', ')}${others}`;
  const params = record.strategies.flatMap((strategy) => Object.entries(strategy.params).map(([name, value]) => `${name} ${value}`));
  const badge = summary.dataQuality.synthetic ? html`<span class="badge">synthetic data</span>` : null;
  const written = provenance.writtenMs === null ? '' : ` · ${timeText(provenance.writtenMs)}`;
  return html`<header class="head">
    <div class="what">
      <h1>${runTitle(record)} ${badge}</h1>
      <p class="muted">
        ${marketsText} · ${dayText(run.fromMs)} – ${dayText(run.toMs)}${params.length > 0 ? ` · ${params.join(', ')}` : ''}
      </p>
      <p class="answer">${runAnswer(summary)}</p>
      ${envelopeLine(summary)}
    </div>
    ${stamp('result', resultHash, `isobar ${run.versions['isobar'] ?? NO_VALUE}${written}`)}
  </header>`;
}

/** Returns the result in one sentence. */
export function runAnswer({ run, metrics, trades, orders }: Summary): Markup {
  const net = metrics.totalReturn;
  const drawdown = metrics.maxDrawdown === null ? null : `, worst drawdown ${signedPercent(metrics.maxDrawdown)}`;
  return html`<b class="${tone(net ?? 0)}">${net === null ? NO_VALUE : signedPercent(net)}</b> net in
    ${daysText(run.toMs - run.fromMs)}${drawdown},
    ${counted(trades.trades, 'trade')}${feesText(Number(orders.fees), Number(metrics.netProfit ?? 0), run.reportingAsset)}`;
}

/** Returns the line about the envelope: the range of the net profit over all orders of events inside bars. */
function envelopeLine({ envelope, run }: Summary): Markup | null {
  if (envelope === undefined) return null;
  const { low, high, long: kindText } = envelopeText(envelope, run.reportingAsset);
  const reasons = envelope.notBoundBecause.length === 0 ? '' : ` No bound, because ${envelope.notBoundBecause.join('; ')}.`;
  return html`<p class="muted" id="envelope" tabindex="0" data-tip>
    Envelope ${low} to ${high}${THIN}${run.reportingAsset} net; ${kindText}
    <span class="sr">Over the orders of events that the bars leave open.${reasons}</span>
  </p>`;
}

/** Returns the part of the answer about fees. Slippage and funding are shown in the cost bridge. */
function feesText(fees: number, net: number, asset: string): string {
  if (!(fees > 0)) return ', no fees';
  const gross = net + fees;
  return gross > 0 && fees <= gross
    ? `, ${percent(fees / gross, 0)} of gross lost to fees`
    : `, fees of ${amountText(fees, asset)}${THIN}${asset}, more than the gross result`;
}

/** Returns the trust strip: the quality of the data and of the fills, the rules, the sample, and the warnings. */
export function runTrustStrip(summary: Summary): Markup {
  return trustStrip(trustChips(summary), summary.warnings.map(warningText));
}

/** Returns the note about fills whose time or price the bars do not determine. */
function ambiguousNote(envelope: Summary['envelope']): string {
  if (envelope === undefined) return 'Whether fills were ambiguous within their bar was not asked for.';
  return `${counted(envelope.ambiguousFills, 'fill')}, made or missed, may have been otherwise within the bar.`;
}

/** Returns the chips of the trust strip: one for each thing that could make the result wrong. */
function trustChips(summary: Summary): Chip[] {
  return [...qualityChips(summary), ...refusalChips(summary), ...evidenceChips(summary)];
}

/** Returns the chips about the quality of the bars and of the fills. */
function qualityChips({ orders, dataQuality, envelope }: Summary): Chip[] {
  const dataNotes = [
    `${counted(dataQuality.missingBars, 'bar')} missing in ${counted(dataQuality.gaps, 'gap')}`,
    `${counted(dataQuality.thinBars, 'bar')} made of fewer finer bars than there should be`,
    `${wholeText(dataQuality.zeroVolume)} without volume`,
    `${counted(dataQuality.roundedPrices, 'price')} rounded to the tick`,
  ];
  const isFine = dataQuality.gaps + dataQuality.thinBars + dataQuality.roundedPrices === 0 && !dataQuality.openLastBar;
  return [
    {
      label: 'data',
      text: `${counted(dataQuality.rows, 'row')}, ${counted(dataQuality.gaps, 'gap')}, ${wholeText(dataQuality.thinBars)} thin`,
      note: `${dataNotes.join('; ')}.`,
      href: 'data',
      isWarning: !isFine,
    },
    {
      label: 'fills',
      text: `${wholeText(orders.fills)}, ${wholeText(orders.partlyFilled)} partial`,
      note: `${counted(orders.partlyFilled, 'order')} with a part filled, ended or still standing. ${ambiguousNote(envelope)}`,
      href: 'orders',
      isWarning: orders.partlyFilled > 0,
    },
  ];
}

/** Returns the chips about orders that risk denied or the venue rejected, and about the rules that could deny one. */
function refusalChips({ run, orders }: Summary): Chip[] {
  const denied = Object.entries(orders.refusedByRiskByCode).map(([code, amount]) => `${code} ${wholeText(amount)}`);
  const rejected = Object.entries(orders.rejectedByCode).map(([code, amount]) => `${code} ${wholeText(amount)}`);
  return [
    {
      label: 'denied by risk',
      text: wholeText(orders.refusedByRisk),
      note: denied.length === 0 ? 'Risk denied no order.' : `By code: ${denied.join(', ')}.`,
      href: 'orders',
      isWarning: orders.refusedByRisk > 0,
    },
    {
      label: 'rejected by venue',
      text: wholeText(orders.rejected),
      note: rejected.length === 0 ? 'The venue rejected no order.' : `By code: ${rejected.join(', ')}.`,
      href: 'orders',
      isWarning: orders.rejected > 0,
    },
    {
      label: 'risk rules on',
      text: wholeText(run.rules.length),
      note: run.rules.length === 0 ? 'No risk rule was on.' : `${run.rules.join(', ')}.`,
      href: 'orders',
      isWarning: run.rules.length === 0,
    },
  ];
}

/** Returns the chips about what supports the figures: the size of the sample, the proof, a second run. */
function evidenceChips({ trades, metrics, proof }: Summary): Chip[] {
  return [
    {
      label: 'sample',
      text: `${counted(trades.trades, 'trade')}, ${counted(metrics.dailyReturns.length, 'day')}`,
      note: `Closed trades and daily returns that the figures rest on. Below ${FEW_TRADES} trades or ${FEW_DAYS} days they say little.`,
      href: 'trades',
      isWarning: trades.trades < FEW_TRADES || metrics.dailyReturns.length < FEW_DAYS,
    },
    ...(proof === undefined
      ? []
      : [{ label: 'proof', text: proofLine(proof), note: proofNote(proof), href: 'provenance', isWarning: proof.verdict !== 'proved' }]),
    {
      label: 'verified',
      text: 'not yet',
      note: 'This run has not been made a second time. The same result hash from the command under Provenance verifies it.',
      href: 'provenance',
      isWarning: false,
    },
  ];
}

/** Returns the figure cards. */
export function runCards(summary: Summary): Markup {
  return html`<section class="cards" aria-label="Figures">${[...performanceCards(summary), ...tradingCards(summary)]}</section>`;
}

/** Returns the cards about the equity. */
function performanceCards({ run, metrics }: Summary): Markup[] {
  const figure = (name: 'totalReturn' | 'cagr' | 'maxDrawdown' | 'sharpe' | 'sortino' | 'calmar') =>
    figureText(METRICS[name], metrics[name], run.reportingAsset, { reason: metrics.reasons[name], flags: metrics.flags[name] });
  const interval = sharpeInterval(metrics);
  const profit = figureText(METRICS.netProfit, metrics.netProfit, run.reportingAsset);
  const benchmarkText = metrics.benchmarkReturn === null ? 'no benchmark' : `holding ${signedPercent(metrics.benchmarkReturn)}`;
  const volatilityText = `volatility ${metrics.volatility === null ? NO_VALUE : percent(metrics.volatility)}`;
  const growthRemark = metrics.flags['cagr']?.includes('extrapolated') ? 'from under 90 days' : volatilityText;
  const dailyDrawdownText = metrics.maxDrawdownDaily === null ? NO_VALUE : signedPercent(metrics.maxDrawdownDaily);
  const intervalText = interval === null ? '95 %: –' : `95 %: ${fixed(interval[0], 2)} … ${fixed(interval[1], 2)}`;
  const netReturn = figure('totalReturn');
  const sharpe = figure('sharpe');
  const sharpeNote = `${sharpe.note} The interval is ±1.96 standard errors, corrected for skew and kurtosis (Mertens 2002).`;
  return [
    card({ ...netReturn, note: `${netReturn.note} ${profit.text} in money; ${benchmarkText}.` }, profit.text),
    card(figure('cagr'), growthRemark, metrics.flags['cagr'] !== undefined),
    card(figure('maxDrawdown'), `daily ${dailyDrawdownText}${lengthOf(metrics.drawdownTable[0])}`),
    card({ ...sharpe, note: sharpeNote }, intervalText),
    card(figure('sortino'), `PSR(0) ${metrics.psr0 === null ? NO_VALUE : percent(metrics.psr0, 1)}`),
    card(figure('calmar'), benchmarkText),
  ];
}

/** Returns how long the deepest drawdown at daily closes lasted, as text. */
function lengthOf(deepest: Summary['metrics']['drawdownTable'][number] | undefined): string {
  if (deepest === undefined) return '';
  return `, ${daysText(deepest.days * DAY_MS)}${deepest.recoveryMs === null ? ', not regained' : ''}`;
}

/** Returns the cards about trades and fees. */
function tradingCards(summary: Summary): Markup[] {
  const { run, metrics, trades } = summary;
  const figure = (name: 'winRate' | 'profitFactor' | 'expectancy') =>
    figureText(TRADES[name], trades[name], run.reportingAsset, { reason: trades.reasons[name], flags: trades.flags[name] });
  const perTrade = trades.averageTradeFraction === null ? '' : `${signedPercent(trades.averageTradeFraction, 3)} a trade`;
  return [
    tradesCard(trades),
    card(figure('winRate'), `${wholeText(trades.wins)} won, ${wholeText(trades.losses)} lost`),
    card(figure('profitFactor'), `payoff ${trades.payoff === null ? NO_VALUE : fixed(trades.payoff, 2)}`),
    card(figure('expectancy'), perTrade),
    card(
      figureText(METRICS.exposureTime, metrics.exposureTime, run.reportingAsset, { reason: metrics.reasons.exposureTime }),
      `gross ${metrics.grossExposure === null ? NO_VALUE : percent(metrics.grossExposure, 1)} on average`,
    ),
    feesCard(summary),
  ];
}

/** Returns the card of the number of trades. */
function tradesCard({ trades, openTrades, longs, shorts }: Summary['trades']): Markup {
  return card(
    {
      label: 'Trades',
      text: wholeText(trades),
      note: 'Closed flat-to-flat episodes of one strategy and instrument.',
      sign: 0,
      isNone: false,
      reason: null,
    },
    openTrades > 0 ? `${wholeText(openTrades)} still open` : `${wholeText(longs)} long, ${wholeText(shorts)} short`,
  );
}

/** Returns the card of the fees, as a part of the gross profit, or of the volume when they exceed it. */
function feesCard({ run, metrics, orders }: Summary): Markup {
  const fees = Number(orders.fees);
  const gross = Number(metrics.netProfit ?? 0) + fees;
  // A minimum above 0 avoids a division by zero.
  const volume = Math.max(Number(orders.volume), 1e-9);
  const definition =
    'Paid to the venue on all fills; a fee in the base asset counts at the price of its fill. Gross is the net profit before them.';
  const isPartOfGross = fees > 0 && fees < gross;
  return card(
    figureText({ label: 'Fees', kind: 'cost', definition }, orders.fees, run.reportingAsset),
    isPartOfGross ? `${percent(fees / gross, 0)} of gross` : `${percent(fees / volume, 3)} of volume`,
  );
}
