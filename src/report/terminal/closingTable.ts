// The final table of a run in the terminal: the main figures, the warnings, and the path of the report. At most 100 columns.

import type { StreamedFigures } from '../../model/run/streamed.ts';
import { warningText } from '../../model/warning.ts';
import type { Summary } from '../summary/summary.ts';
import type { RunSummary } from '../metrics/runFigures.ts';
import {
  amountText,
  wholeText,
  counted,
  dayText,
  daysText,
  fixed,
  NO_VALUE,
  percent,
  signedAmount,
  signedPercent,
} from '../../base/text/format.ts';
import { envelopeText } from '../words/envelopeText.ts';
import { namesWithIntervals } from '../words/names.ts';
import { exitLines } from './breakdowns.ts';
import { breakEvenLines } from './breakEvenTable.ts';
import { proofLine } from '../words/proof.ts';
import { COLUMNS, colourText, withLead, type Hue } from './lines.ts';
import { sparkline } from './sparkline.ts';

/** How the table is written. */
export interface ClosingOptions {
  /** Use ANSI colours. Signs carry the same meaning without them. */
  readonly colour: boolean;
  /** Path of the report as it is displayed. Absent when no report was written. */
  readonly report?: string;
}

/** Width in characters of the line that draws the equity. */
const SPARK_WIDTH = 60;
/** Widths in characters of the columns of the table. */
const LABEL_WIDTH = 12;
const VALUE_WIDTH = 14;
const UNIT_WIDTH = 6;
const REMARK_WIDTH = 16;
/** Most symbols that the heading names. */
const MAX_MARKETS = 3;
const DAY_MS = 86_400_000;

/** Equity by row in any unit, from a run that has just ended or from a run folder. */
export interface EquityOfRun {
  readonly equity: { readonly length: number; readonly units: ArrayLike<number> };
}

/** Returns the equity that the table draws. A streamed run has no full column of equity, so it is read at the positions to draw. */
export function drawnEquity({ equity, streamed }: EquityOfRun & { readonly streamed?: StreamedFigures }): EquityOfRun {
  if (streamed === undefined) return { equity };
  const { equityRows } = streamed;
  const length = Math.min(SPARK_WIDTH, equityRows);
  // Each column of the line draws the last row of its share of the rows.
  const lastRowOf = (columnIndex: number): number => Math.floor(((columnIndex + 1) * equityRows) / length) - 1;
  const units = Array.from({ length }, (_, column) => streamed.unitsAt(lastRowOf(column)));
  return { equity: { length, units } };
}

/** Returns the lines joined by \n, without a final \n. */
export function closingTable({ equity }: EquityOfRun, summary: Summary, options: ClosingOptions): string {
  const paint = options.colour ? ansiPaint : plainPaint;
  const warnings = summary.warnings.map(warningText);
  const lines = [
    ...headingLines(summary),
    '',
    ...figureLines(summary, paint),
    ...cashLines(summary),
    ...exitLines(summary),
    ...proofLines(summary, paint),
  ];
  if (equity.length > 1) lines.push('', `  ${sparkline(equity.units, equity.length, SPARK_WIDTH)}`);
  if (summary.breakEven !== undefined) lines.push('', ...breakEvenLines(summary.breakEven, summary.run.reportingAsset));
  lines.push('');
  if (warnings.length > 0) lines.push(...withLead('  Look here first: ', `${warnings.join('; ')}.`).map(paint.warning));
  if (options.report !== undefined) lines.push(`  Report   ${options.report}`);
  return lines.join('\n').trimEnd();
}

/** Returns the heading: strategies, symbols and range, on one line if it fits. */
function headingLines({ run, dataQuality }: Summary): string[] {
  const names = strategyNames(run);
  const markets = marketNames(run);
  const extent = `(${daysText(run.toMs - run.fromMs)}, ${counted(dataQuality.rows, 'bar')}, ${counted(dataQuality.gaps, 'gap')})`;
  const range = `${dayText(run.fromMs)} – ${dayText(run.toMs)}  ${extent}`;
  const others = markets.length > MAX_MARKETS ? ` and ${markets.length - MAX_MARKETS} more` : '';
  const subject = `  ${names}  ${markets.slice(0, MAX_MARKETS).join(', ')}${others}`;
  const oneLine = `${subject}  ${range}`;
  return oneLine.length <= COLUMNS ? [oneLine] : [cutText(subject), `  ${range}`];
}

/** Returns the strategy classes of a run. */
export function strategyNames({ strategy }: RunSummary): string {
  return [strategy]
    .flat()
    .map(({ name }) => name)
    .join(' + ');
}

/** Returns the symbols of a run, each with its intervals: `BTCUSDT 1m 1h`. */
export function marketNames({ feeds }: RunSummary): readonly string[] {
  return namesWithIntervals(feeds.map(({ instrument, interval }) => ({ id: instrument, interval })));
}

/** Colours texts, or leaves them as they are. */
interface Paint {
  /** Colours a text as a gain or a loss. */
  readonly result: (value: number) => (text: string) => string;
  readonly warning: (text: string) => string;
}

/** Returns the lines of the main figures. */
function figureLines({ run, metrics, trades, orders, envelope }: Summary, paint: Paint): string[] {
  const asset = run.reportingAsset;
  const fees = Number(orders.fees);
  const gross = Number(metrics.netProfit ?? 0) + fees;
  const resultPaint = paint.result(metrics.totalReturn ?? 0);
  return [
    lineOf({
      label: 'Net return',
      value: valueOrNone(metrics.totalReturn, signedPercent),
      remark: ['CAGR', valueOrNone(metrics.cagr, signedPercent)],
      paint: resultPaint,
    }),
    lineOf({
      label: 'Net profit',
      value: signedMoney(metrics.netProfit, asset),
      unit: asset,
      remark: ['Buy and hold', valueOrNone(metrics.benchmarkReturn, signedPercent)],
      paint: resultPaint,
    }),
    ...(envelope === undefined ? [] : [envelopeLine(envelope, asset)]),
    lineOf({ label: 'Max drawdown', value: valueOrNone(metrics.maxDrawdown, percent), remark: dailyDrawdown(metrics) }),
    lineOf({
      label: 'Sharpe',
      value: valueOrNone(metrics.sharpe, ratioText),
      remark: [`PSR(0) ${valueOrNone(metrics.psr0, shareText)}`, `PSR(1) ${valueOrNone(metrics.psr1, shareText)}`],
    }),
    lineOf({
      label: 'Sortino',
      value: valueOrNone(metrics.sortino, ratioText),
      remark: ['Calmar', valueOrNone(metrics.calmar, ratioText)],
    }),
    lineOf({
      label: 'Trades',
      value: wholeText(trades.trades),
      remark: [`won ${valueOrNone(trades.winRate, shareText)}`, `profit factor ${valueOrNone(trades.profitFactor, ratioText)}`],
    }),
    lineOf({
      label: 'Fees',
      value: amountText(-fees, asset),
      unit: asset,
      remark: [shareOfGross(fees, gross), `exposure ${valueOrNone(metrics.exposureTime, shareText)}`],
    }),
  ];
}

/** Returns the line about the cash of a run with several quote assets. */
function cashLines({ run: { cash = [] } }: Summary): string[] {
  if (cash.length === 0) return [];
  const changes = cash.map(({ asset, start, end }) => `${amountText(Number(start), asset)} to ${amountText(Number(end), asset)} ${asset}`);
  return [cutText(`  ${'Cash'.padEnd(LABEL_WIDTH)} ${changes.join(', ')}`)];
}

/** Returns the line about the proof of the strategies. Empty for a run of an earlier isobar version. */
function proofLines({ proof }: Summary, paint: Paint): string[] {
  if (proof === undefined) return [];
  const line = cutText(`  ${'Proof'.padEnd(LABEL_WIDTH)} ${proofLine(proof)}`);
  return [proof.verdict === 'refuted' ? paint.warning(line) : line];
}

/** Returns the line of the envelope: the range of the net profit, and whether it is a bound. */
function envelopeLine(envelope: NonNullable<Summary['envelope']>, asset: string): string {
  const { low, high, short } = envelopeText(envelope, asset);
  return cutText(lineOf({ label: 'Envelope', value: low, unit: asset, remark: [`to ${high}`, short] }));
}

/** One line of the table. */
interface TableLine {
  readonly label: string;
  readonly value: string;
  readonly unit?: string;
  /** A second figure with its label, or a remark in two parts. */
  readonly remark: readonly [string, string];
  /** Colours the value. */
  readonly paint?: (text: string) => string;
}

/** Returns a line: label, right-aligned value and unit, then the remark. */
function lineOf({ label, value, unit = '', remark: [firstRemark, secondRemark], paint = unchanged }: TableLine): string {
  const cells = [
    `  ${label.padEnd(LABEL_WIDTH)}`,
    paint(value.padStart(VALUE_WIDTH)),
    `${unit.padEnd(UNIT_WIDTH)} `,
    firstRemark.padEnd(REMARK_WIDTH),
    secondRemark,
  ];
  return cells.join(' ').trimEnd();
}

/** Returns the drawdown at daily closes: its depth, and its duration. */
function dailyDrawdown({ maxDrawdownDaily, drawdownTable }: Summary['metrics']): [string, string] {
  const [worst] = drawdownTable;
  const depth = `daily ${valueOrNone(maxDrawdownDaily, percent)}`;
  if (!worst) return [depth, ''];
  const recovery = worst.recoveryMs === null ? 'not recovered' : `recovered in ${daysText(worst.recoveryMs - worst.troughMs)}`;
  return [depth, `(${daysText(worst.days * DAY_MS)}, ${recovery})`];
}

const shareText = (value: number) => percent(value, 1);
const ratioText = (value: number) => fixed(value, 2);

/** Returns the fees as a share of the gross profit. */
function shareOfGross(fees: number, gross: number): string {
  if (fees <= 0) return '';
  return fees < gross ? `${percent(fees / gross, 0)} of gross` : 'above gross';
}

/** Returns a value as text, or the sign for a missing number. */
function valueOrNone(value: number | null, textOf: (value: number) => string): string {
  return value === null ? NO_VALUE : textOf(value);
}

/** Returns an amount with its sign, as text. */
function signedMoney(amount: string | null, asset: string): string {
  return amount === null ? NO_VALUE : signedAmount(Number(amount), asset);
}

/** Returns a line, cut to the width of the terminal. */
function cutText(line: string): string {
  return line.length <= COLUMNS ? line : `${line.slice(0, COLUMNS - 1)}…`;
}

const unchanged = (text: string) => text;
const plainPaint: Paint = { result: () => unchanged, warning: unchanged };
const paintIn = (hue: Hue) => (text: string) => colourText(text, hue);
const lossPaint = (value: number) => (value < 0 ? paintIn('red') : unchanged);
const ansiPaint: Paint = { result: (value) => (value > 0 ? paintIn('cyan') : lossPaint(value)), warning: paintIn('amber') };
