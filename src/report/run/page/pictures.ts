// Small SVG charts of the closed trades: distribution of results, excursions, holding times, rolling Sharpe ratio.

import { largestOf, smallestOf } from '../../../base/number/extremes.ts';
import { byId } from '../../page/browser/dom.ts';
import { counted, fixed, spanText } from '../../../base/text/format.ts';
import { drawBins, PlotFrame } from '../../page/browser/frame.ts';
import { niceStep, niceTicks, numberTexts, timeTexts } from '../../page/browser/ticks.ts';
import type { UnpackedTrades } from './rows/tradeRows.ts';
import { FRACTION_DIGITS, type PageData } from '../../page/wire.ts';

/** Most points of the chart of excursions. */
const MAX_POINTS = 20_000;
/** About how many bins the histogram of returns has. */
const MAX_BINS = 40;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Converts a packed fraction to percent. */
const PERCENT_PER_UNIT = 100 / 10 ** FRACTION_DIGITS;
/** Factor of the vertical axis that leaves a margin above the highest column. */
const SPACE_ABOVE = 1.05;

/** Draws all four charts. Call it again after a change of width. */
export function drawPictures(page: PageData, trades: UnpackedTrades): void {
  if (trades.length > 0) {
    drawReturns(trades);
    drawExcursions(trades);
    drawHolding(trades);
  } else for (const id of ['plot-returns', 'plot-excursions', 'plot-holding']) setCaption(id, 'No trade was closed.');
  drawSharpe(page);
}

/** Shows a text in place of a chart. */
function setCaption(id: string, text: string): void {
  const host = byId(id);
  if (host) host.textContent = text;
}

/** Draws the distribution of the returns of trades. */
function drawReturns({ of }: UnpackedTrades): void {
  const host = byId('plot-returns');
  const values = [...of.return].filter(Number.isFinite).map((value) => value * PERCENT_PER_UNIT);
  if (!host || values.length === 0) return;
  const ascending = values.toSorted((a, b) => a - b);
  // The outermost half percent on either side shares the last bin. Otherwise outliers would squeeze all others into one column.
  const valueAtShare = (share: number) => ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))]!;
  const binWidth = niceStep(Math.max(valueAtShare(0.995) - valueAtShare(0.005), 1e-6), MAX_BINS);
  const firstBin = Math.floor(valueAtShare(0.005) / binWidth);
  const endBin = Math.max(firstBin + 1, Math.floor(valueAtShare(0.995) / binWidth) + 1);
  const bins = Array.from({ length: endBin - firstBin }, () => 0);
  for (const value of values) {
    const bin = Math.floor(value / binWidth) - firstBin;
    bins[Math.min(bins.length - 1, Math.max(0, bin))]!++;
  }
  const startOf = (bin: number) => (firstBin + bin) * binWidth;
  const maxCount = largestOf(bins);
  const frame = new PlotFrame(
    host,
    { low: startOf(0), high: startOf(bins.length) },
    { low: 0, high: maxCount * SPACE_ABOVE },
    'Distribution of the returns of trades',
  );
  frame.drawMarksLeft(niceTicks(0, maxCount, 4).filter(Number.isInteger));
  frame.drawMarksBelow(niceTicks(startOf(0), startOf(bins.length), frame.width > 400 ? 8 : 5));
  drawBins(frame, bins, {
    startOf,
    colourOf: (bin) => (firstBin + bin >= 0 ? 'gain' : 'loss'),
    textOf: (bin, amount) => `${fixed(startOf(bin), 2)} to ${fixed(startOf(bin + 1), 2)} %: ${counted(amount, 'trade')}`,
  });
  frame.show();
}

/** Draws the worst running profit of each trade against its best. */
function drawExcursions({ of, length }: UnpackedTrades): void {
  const host = byId('plot-excursions');
  if (!host) return;
  const every = Math.max(1, Math.ceil(length / MAX_POINTS));
  const rows: number[] = [];
  for (let row = 0; row < length; row += every) if (Number.isFinite(of.mae[row]) && Number.isFinite(of.mfe[row])) rows.push(row);
  if (rows.length === 0) return setCaption('plot-excursions', 'No running profit was recorded.');
  // The outermost half percent is drawn at the edge, so that outliers do not squeeze all others.
  const percentAt995 = (column: Float64Array) => {
    const ascending = rows.map((row) => Math.abs(column[row]!) * PERCENT_PER_UNIT).toSorted((a, b) => a - b);
    return ascending[Math.ceil((rows.length - 1) * 0.995)]!;
  };
  const xRange = { low: 0, high: Math.max(percentAt995(of.mae), 1e-3) * 1.03 };
  const yRange = { low: 0, high: Math.max(percentAt995(of.mfe), 1e-3) * 1.03 };
  const frame = new PlotFrame(host, xRange, yRange, 'Worst against best running profit of each trade');
  frame.drawMarksLeft(niceTicks(0, yRange.high, 5));
  const below = niceTicks(0, xRange.high, frame.width > 400 ? 8 : 5);
  frame.drawMarksBelow(below, numberTexts(below.map((tick) => -tick)));
  // A line without length, which is drawn as a dot.
  const dotPath = (row: number) => {
    const x = frame.x(Math.min(xRange.high, Math.abs(of.mae[row]!) * PERCENT_PER_UNIT));
    const y = frame.y(Math.min(yRange.high, of.mfe[row]! * PERCENT_PER_UNIT));
    return `M${x.toFixed(1)} ${y.toFixed(1)}h0`;
  };
  const dotSize = rows.length > 2000 ? 2 : 4;
  for (const isWin of [false, true]) {
    // One path for all points: a browser draws twenty thousand of them as fast as one curve.
    const dots = rows.filter((row) => of.pnl[row]! > 0 === isWin).map(dotPath);
    frame.add('path', {
      d: dots.join(''),
      stroke: `var(--${isWin ? 'gain' : 'loss'})`,
      'stroke-width': dotSize,
      'stroke-linecap': isWin ? 'round' : 'square',
      'stroke-opacity': 0.6,
      fill: 'none',
    });
  }
  frame.show();
}

/** Holding times with a label below the axis, in minutes. */
const HOLD_MARKS = [1, 5, 15, 60, 240, 1440, 7 * 1440, 30 * 1440, 365 * 1440];

/** Returns the position of a holding time on the axis. The time doubles with every second bin, so minutes and weeks fit one chart. */
function holdBinOf(minutes: number): number {
  return Math.log2(minutes) * 2;
}

/** Draws the distribution of holding times. */
function drawHolding({ of, length }: UnpackedTrades): void {
  const host = byId('plot-holding');
  if (!host) return;
  const heldMinutes = (row: number) => Math.max(1, (of.exitMs[row]! - of.entryMs[row]!) / MINUTE_MS);
  const bins: number[] = [];
  for (let row = 0; row < length; row++) {
    const bin = Math.floor(holdBinOf(heldMinutes(row)));
    while (bins.length <= bin) bins.push(0);
    bins[bin]!++;
  }
  const firstBin = bins.findIndex((amount) => amount > 0);
  const maxCount = largestOf(bins);
  const xRange = { low: firstBin - 1, high: bins.length + 1 };
  const marks = HOLD_MARKS.filter((minutes) => holdBinOf(minutes) >= xRange.low && holdBinOf(minutes) <= xRange.high);
  const frame = new PlotFrame(host, xRange, { low: 0, high: maxCount * SPACE_ABOVE }, 'Holding times of trades');
  frame.drawMarksLeft(niceTicks(0, maxCount, 4).filter(Number.isInteger));
  frame.drawMarksBelow(
    marks.map(holdBinOf),
    marks.map((minutes) => spanText(minutes * MINUTE_MS)),
  );
  drawBins(frame, bins, {
    startOf: (bin) => bin,
    colourOf: () => 's0',
    textOf: (bin, amount) =>
      `${spanText(2 ** (bin / 2) * MINUTE_MS)} to ${spanText(2 ** ((bin + 1) / 2) * MINUTE_MS)}: ${counted(amount, 'trade')}`,
  });
  frame.show();
}

/** Draws the rolling Sharpe ratio. */
function drawSharpe({ rollingSharpe }: PageData): void {
  const host = byId('plot-sharpe');
  if (!host) return;
  const { ms, values } = rollingSharpe;
  const defined = values.filter((value) => value !== null);
  if (defined.length < 2) return setCaption('plot-sharpe', 'The run is shorter than the 90 days of a window.');
  const start = ms[values.findIndex((value) => value !== null)]!;
  const end = ms.at(-1)!;
  const low = Math.min(0, smallestOf(defined));
  const high = Math.max(0, largestOf(defined));
  const margin = (high - low) * 0.05;
  const frame = new PlotFrame(host, { low: start, high: end }, { low: low - margin, high: high + margin }, 'Sharpe over the last 90 days');
  frame.drawMarksLeft(niceTicks(low - margin, high + margin, 5));
  const step = Math.max(1, Math.ceil((end - start) / DAY_MS / (frame.width > 400 ? 6 : 4))) * DAY_MS;
  const ticks = Array.from(
    { length: Math.floor((end - start) / step) + 1 },
    (_, index) => Math.ceil(start / DAY_MS) * DAY_MS + index * step,
  ).filter((tick) => tick <= end);
  frame.drawMarksBelow(ticks, timeTexts(ticks, DAY_MS));
  let path = '';
  values.forEach((value, index) => {
    if (value === null) return;
    const isStart = path === '' || values[index - 1] === null;
    path += `${isStart ? 'M' : 'L'}${frame.x(ms[index]!).toFixed(1)} ${frame.y(value).toFixed(1)}`;
  });
  frame.add('path', { d: path, stroke: 'var(--accent)', 'stroke-width': 1.5, fill: 'none', 'stroke-linejoin': 'round' });
  frame.show();
}
