// Draws the charts beside the map: the distribution of a figure over all sets, and the effect of each parameter on it.
/// <reference lib="dom" />

import { byId, element } from '../../page/browser/dom.ts';
import { fixed } from '../../../base/text/format.ts';
import { drawBins, PlotFrame, TOP, type AxisRange } from '../../page/browser/frame.ts';
import { niceStep, niceTicks, numberTexts } from '../../page/browser/ticks.ts';
import { quantile } from '../../kernels/sums.ts';
import { sweepFigureText, type SweepFigure, type Model } from './model.ts';

const BINS = 40;

/** Fractions are shown in percent, so that the axis marks are round. */
const factorOf = ({ kind }: SweepFigure) => (kind === 'percent' || kind === 'change' ? 100 : 1);

/** A line with a label. */
interface Mark {
  readonly value: number;
  readonly text: string;
  readonly colour: string;
}

/** Draws the histogram of all sets, with lines at the best set, the median and the expected best without skill. */
export function drawSpread(model: Model, figure: SweepFigure): void {
  const host = byId('plot-spread');
  if (!host) return;
  const factor = factorOf(figure);
  const values = [...figure.values].filter(Number.isFinite).map((value) => value * factor);
  if (values.length === 0) return void (host.textContent = 'No set has this figure.');
  const { best, expectedBest } = model.page;
  const random = figure.name === 'sharpe' && expectedBest !== null ? expectedBest : NaN;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = quantile(Float64Array.from(sorted), 0.5);
  const top = best === null ? NaN : (figure.values[best] ?? NaN) * factor;
  const low = Math.min(sorted[0] ?? 0, 0, Number.isFinite(random) ? random : 0);
  const high = Math.max(sorted.at(-1) ?? 0, Number.isFinite(random) ? random : 0);
  const step = niceStep(Math.max(high - low, 1e-6), BINS);
  const first = Math.floor(low / step);
  const bins = Array.from({ length: Math.max(1, Math.floor(high / step) + 1 - first) }, () => 0);
  for (const value of values) {
    const bin = Math.floor(value / step) - first;
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  const max = Math.max(...bins);
  const across = { low: first * step, high: (first + bins.length) * step };
  const frame = new PlotFrame(host, across, { low: 0, high: max * 1.3 }, `Sets by ${figure.label}`);
  frame.drawMarksLeft(niceTicks(0, max, 4).filter(Number.isInteger));
  frame.drawMarksBelow(niceTicks(across.low, across.high, frame.width > 400 ? 8 : 5));
  drawBins(frame, bins, {
    startOf: (bin) => (first + bin) * step,
    colourOf: (bin) => (first + bin >= 0 ? 'gain' : 'loss'),
    textOf: (bin, amount) => `${fixed((first + bin) * step, 2)} to ${fixed((first + bin + 1) * step, 2)}: ${amount} sets`,
  });
  drawMarks(frame, [
    { value: middle, text: 'middle', colour: 'muted' },
    { value: random, text: 'chance', colour: 'warn' },
    { value: top, text: 'best', colour: 'text' },
  ]);
  frame.show();
}

/** Draws lines with labels at different heights, so that the labels do not overlap. */
function drawMarks(frame: PlotFrame, marks: readonly Mark[]): void {
  marks
    .filter(({ value }) => Number.isFinite(value))
    .forEach(({ value, text, colour }, row) => {
      const x = frame.x(value);
      const y = TOP + 10 + row * 14;
      const isLeft = x > frame.width - 60;
      frame.add('line', { x1: x, x2: x, y1: y - 8, y2: frame.y(0), stroke: `var(--${colour})`, 'stroke-width': 1.5 });
      frame.add('text', { x: isLeft ? x - 5 : x + 5, y, 'text-anchor': isLeft ? 'end' : 'start', style: `fill:var(--${colour})` }, text);
    });
}

/** Draws one chart for each parameter: for each of its values the median of all sets, the middle half of them, and the best. */
export function drawParameters(model: Model, figure: SweepFigure): void {
  const host = byId('parameters');
  if (!host) return;
  const pictures = model.page.axes.flatMap(({ name, values, unit }, axis) => {
    if (values.length < 2) return [];
    const plot = element('div', { class: 'plot' });
    const caption = element('figcaption', {}, unit === '' ? name : `${name}, ${unit}`);
    return [{ axis, plot, figure: element('figure', {}, caption, plot) }];
  });
  host.replaceChildren(...pictures.map((picture) => picture.figure));
  for (const { axis, plot } of pictures) drawParameter(model, figure, axis, plot);
}

/** Draws the chart of one parameter. */
function drawParameter(model: Model, figure: SweepFigure, axis: number, host: HTMLElement): void {
  const { values, name } = model.page.axes[axis] ?? { values: [], name: '' };
  const factor = factorOf(figure);
  const groups = values.map((): number[] => []);
  figure.values.forEach((value, set) => {
    if (Number.isFinite(value)) groups[model.places[axis]?.[set] ?? 0]?.push(value * factor);
  });
  const rows = groups.map((group) => group.toSorted((a, b) => a - b));
  if (rows.flat().length === 0) return void (host.textContent = 'No set has this figure.');
  const bands = rows.map(bandOf);
  const ends = bands.flatMap(({ low, best }) => [low, best]).filter(Number.isFinite);
  const span = { low: Math.min(0, ...ends), high: Math.max(0, ...ends) };
  const frame = new PlotFrame(host, { low: -0.5, high: values.length - 0.5 }, padRange(span.low, span.high), `${figure.label} by ${name}`);
  const ticks = niceTicks(span.low, span.high, 4);
  frame.drawMarksLeft(ticks, factor === 100 ? numberTexts(ticks).map((text) => `${text}%`) : numberTexts(ticks));
  const labelStep = Math.ceil((Math.max(...values.map((value) => String(value).length)) * 8 + 12) / ((frame.width - 52) / values.length));
  values.forEach((value, index) => {
    if (index % Math.max(1, labelStep) === 0) frame.add('text', { x: frame.x(index), y: 212, 'text-anchor': 'middle' }, String(value));
  });
  const boxWidth = Math.min(22, ((frame.width - 52) / values.length) * 0.6);
  bands.forEach((band, index) => {
    if (!Number.isFinite(band.middle)) return;
    const x = frame.x(index);
    drawBand(frame, band, x, boxWidth);
    const textOf = (value: number) => sweepFigureText(value / factor, figure.kind, model.page.asset);
    const note = `${name} ${values[index]}: middle ${textOf(band.middle)}, best ${textOf(band.best)}`;
    frame.drawTitledBox({ x: x - boxWidth / 2 - 2, y: TOP, width: boxWidth + 4, height: 188, fill: 'transparent' }, note);
  });
  frame.show();
}

/** The sets with one value of a parameter, by their figure: quartiles, median and maximum. NaN without a set. */
interface Band {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly best: number;
}

/** Returns the band of ascending figures. */
function bandOf(ascending: readonly number[]): Band {
  const quantileAt = (share: number) => (ascending.length === 0 ? NaN : quantile(Float64Array.from(ascending), share));
  return { low: quantileAt(0.25), middle: quantileAt(0.5), high: quantileAt(0.75), best: ascending.at(-1) ?? NaN };
}

/** Draws a band around `x`: a box from quartile to quartile, a line at the median, and a dot at the best set. */
function drawBand(frame: PlotFrame, band: Band, x: number, width: number): void {
  const [top, bottom] = [frame.y(band.high), frame.y(band.low)];
  const [left, right] = [x - width / 2, x + width / 2];
  const middle = frame.y(band.middle);
  const height = Math.max(1, bottom - top);
  frame.add('rect', { x: left, y: top, width, height, fill: 'var(--accent)', 'fill-opacity': 0.22, rx: 2 });
  frame.add('line', { x1: left, x2: right, y1: middle, y2: middle, stroke: 'var(--accent)', 'stroke-width': 2 });
  frame.add('circle', { cx: x, cy: frame.y(band.best), r: 2.5, fill: 'var(--text)' });
}

/** Returns a range with a small margin. An end at 0 stays at 0 below. */
function padRange(low: number, high: number): AxisRange {
  const margin = Math.max(high - low, 1e-6) * 0.05;
  return { low: low - (low < 0 ? margin : 0), high: high + margin };
}
