// Small SVG charts of the closed trades: distribution of results, excursions, holding times, rolling Sharpe ratio.

import { byId } from '../../page/browser/dom.ts';
import { counted, fixed, spanText } from '../../../base/text/format.ts';
import { drawBins, PlotFrame } from '../../page/browser/frame.ts';
import { niceStep, niceTicks, numberTexts, timeTexts } from '../../page/browser/ticks.ts';
import type { UnpackedTrades } from './rows/tradeRows.ts';
import { FRACTION_DIGITS, type PageData } from '../../page/wire.ts';

const MAX_POINTS = 20_000;
const BINS = 40;
const DAY = 86_400_000;
const MINUTE = 60_000;
const PERCENT = 100 / 10 ** FRACTION_DIGITS;

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
  const values = [...of.return].filter(Number.isFinite).map((value) => value * PERCENT);
  if (!host || values.length === 0) return;
  const sorted = values.toSorted((a, b) => a - b);
  // The outermost half percent on either side shares the last bin. Otherwise outliers would squeeze all others into one column.
  const valueAtShare = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  const step = niceStep(Math.max(valueAtShare(0.995) - valueAtShare(0.005), 1e-6), BINS);
  const low = Math.floor(valueAtShare(0.005) / step);
  const high = Math.max(low + 1, Math.floor(valueAtShare(0.995) / step) + 1);
  const bins = Array.from({ length: high - low }, () => 0);
  for (const value of values) bins[Math.min(bins.length - 1, Math.max(0, Math.floor(value / step) - low))]!++;
  const frame = new PlotFrame(
    host,
    { low: low * step, high: high * step },
    { low: 0, high: Math.max(...bins) * 1.05 },
    'Distribution of the returns of trades',
  );
  frame.drawMarksLeft(niceTicks(0, Math.max(...bins), 4).filter(Number.isInteger));
  frame.drawMarksBelow(niceTicks(low * step, high * step, frame.width > 400 ? 8 : 5));
  drawBins(frame, bins, {
    startOf: (bin) => (low + bin) * step,
    colourOf: (bin) => (low + bin >= 0 ? 'gain' : 'loss'),
    textOf: (bin, amount) => `${fixed((low + bin) * step, 2)} to ${fixed((low + bin + 1) * step, 2)} %: ${counted(amount, 'trade')}`,
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
  const far = (column: Float64Array) =>
    rows.map((row) => Math.abs(column[row]!) * PERCENT).toSorted((a, b) => a - b)[Math.ceil((rows.length - 1) * 0.995)]!;
  const across = { low: 0, high: Math.max(far(of.mae), 1e-3) * 1.03 };
  const up = { low: 0, high: Math.max(far(of.mfe), 1e-3) * 1.03 };
  const frame = new PlotFrame(host, across, up, 'Worst against best running profit of each trade');
  frame.drawMarksLeft(niceTicks(0, up.high, 5));
  const below = niceTicks(0, across.high, frame.width > 400 ? 8 : 5);
  frame.drawMarksBelow(below, numberTexts(below.map((tick) => -tick)));
  const size = rows.length > 2000 ? 2 : 4;
  for (const [name, wanted] of [
    ['loss', false],
    ['gain', true],
  ] as const) {
    // One path for all points: a browser draws twenty thousand of them as fast as one curve.
    const points = rows
      .filter((row) => of.pnl[row]! > 0 === wanted)
      .map(
        (row) =>
          `M${frame.x(Math.min(across.high, Math.abs(of.mae[row]!) * PERCENT)).toFixed(1)} ${frame.y(Math.min(up.high, of.mfe[row]! * PERCENT)).toFixed(1)}h0`,
      );
    frame.add('path', {
      d: points.join(''),
      stroke: `var(--${name})`,
      'stroke-width': size,
      'stroke-linecap': wanted ? 'round' : 'square',
      'stroke-opacity': 0.6,
      fill: 'none',
    });
  }
  frame.show();
}

/** Returns the position of a holding time on the axis. The time doubles with every second bin, so minutes and weeks fit one chart. */
function placeOf(minutes: number): number {
  return Math.log2(minutes) * 2;
}

/** Draws the distribution of holding times. */
function drawHolding({ of, length }: UnpackedTrades): void {
  const host = byId('plot-holding');
  if (!host) return;
  const minutes = (row: number) => Math.max(1, (of.exitMs[row]! - of.entryMs[row]!) / MINUTE);
  const bins: number[] = [];
  for (let row = 0; row < length; row++) {
    const bin = Math.floor(placeOf(minutes(row)));
    while (bins.length <= bin) bins.push(0);
    bins[bin]!++;
  }
  const first = bins.findIndex((amount) => amount > 0);
  const marks = [1, 5, 15, 60, 240, 1440, 7 * 1440, 30 * 1440, 365 * 1440].filter(
    (mark) => placeOf(mark) >= first - 1 && placeOf(mark) <= bins.length + 1,
  );
  const frame = new PlotFrame(
    host,
    { low: first - 1, high: bins.length + 1 },
    { low: 0, high: Math.max(...bins) * 1.05 },
    'Holding times of trades',
  );
  frame.drawMarksLeft(niceTicks(0, Math.max(...bins), 4).filter(Number.isInteger));
  frame.drawMarksBelow(
    marks.map(placeOf),
    marks.map((mark) => spanText(mark * MINUTE)),
  );
  drawBins(frame, bins, {
    startOf: (bin) => bin,
    colourOf: () => 's0',
    textOf: (bin, amount) =>
      `${spanText(2 ** (bin / 2) * MINUTE)} to ${spanText(2 ** ((bin + 1) / 2) * MINUTE)}: ${counted(amount, 'trade')}`,
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
  const [low, high] = [Math.min(0, ...defined), Math.max(0, ...defined)];
  const margin = (high - low) * 0.05;
  const frame = new PlotFrame(host, { low: start, high: end }, { low: low - margin, high: high + margin }, 'Sharpe over the last 90 days');
  frame.drawMarksLeft(niceTicks(low - margin, high + margin, 5));
  const step = Math.max(1, Math.ceil((end - start) / DAY / (frame.width > 400 ? 6 : 4))) * DAY;
  const ticks = Array.from(
    { length: Math.floor((end - start) / step) + 1 },
    (_, index) => Math.ceil(start / DAY) * DAY + index * step,
  ).filter((at) => at <= end);
  frame.drawMarksBelow(ticks, timeTexts(ticks, DAY));
  let path = '';
  values.forEach((value, at) => {
    if (value !== null)
      path += `${path === '' || values[at - 1] === null ? 'M' : 'L'}${frame.x(ms[at]!).toFixed(1)} ${frame.y(value).toFixed(1)}`;
  });
  frame.add('path', { d: path, stroke: 'var(--accent)', 'stroke-width': 1.5, fill: 'none', 'stroke-linejoin': 'round' });
  frame.show();
}
