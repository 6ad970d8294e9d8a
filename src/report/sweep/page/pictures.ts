// Draws the charts beside the map: the distribution of a figure over all sets, and the effect of each parameter on it.
/// <reference lib="dom" />

import { largestOf, smallestOf } from '../../../base/number/extremes.ts';
import { byId, element } from '../../page/browser/dom.ts';
import { fixed } from '../../../base/text/format.ts';
import {
  PLOT_BOTTOM,
  drawBins,
  PLOT_HEIGHT,
  PLOT_LEFT,
  PlotFrame,
  PLOT_RIGHT,
  PLOT_TOP,
  type AxisRange,
} from '../../page/browser/frame.ts';
import { niceStep, niceTicks, numberTexts } from '../../page/browser/ticks.ts';
import { quantile } from '../../kernels/sums.ts';
import { sweepFigureText, type SweepFigure, type Model } from './model.ts';

/** About how many bins the histogram has. */
const BINS = 40;
/** Factor of the vertical axis that leaves room for the labels of the lines. */
const SPACE_FOR_LABELS = 1.3;
/** Shortest range of an axis, so that equal values can be drawn. */
const MIN_RANGE = 1e-6;

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
  // The expected best set without skill is known for the Sharpe ratio only.
  const bestWithoutSkill = figure.name === 'sharpe' && expectedBest !== null ? expectedBest : NaN;
  const ascending = values.toSorted((a, b) => a - b);
  const median = quantile(Float64Array.from(ascending), 0.5);
  const bestSetValue = best === null ? NaN : (figure.values[best] ?? NaN) * factor;
  const { setCounts, firstBin, binWidth } = histogramOf(ascending, Number.isFinite(bestWithoutSkill) ? bestWithoutSkill : 0);
  const startOf = (bin: number) => (firstBin + bin) * binWidth;
  const maxCount = largestOf(setCounts);
  const xRange = { low: startOf(0), high: startOf(setCounts.length) };
  const frame = new PlotFrame(host, xRange, { low: 0, high: maxCount * SPACE_FOR_LABELS }, `Sets by ${figure.label}`);
  frame.drawMarksLeft(niceTicks(0, maxCount, 4).filter(Number.isInteger));
  frame.drawMarksBelow(niceTicks(xRange.low, xRange.high, frame.width > 400 ? 8 : 5));
  drawBins(frame, setCounts, {
    startOf,
    colourOf: (bin) => (firstBin + bin >= 0 ? 'gain' : 'loss'),
    textOf: (bin, amount) => `${fixed(startOf(bin), 2)} to ${fixed(startOf(bin + 1), 2)}: ${amount} sets`,
  });
  drawMarks(frame, [
    { value: median, text: 'middle', colour: 'muted' },
    { value: bestWithoutSkill, text: 'chance', colour: 'warn' },
    { value: bestSetValue, text: 'best', colour: 'text' },
  ]);
  frame.show();
}

/** How many sets lie in each bin. Bin `i` starts at the value (firstBin + i) × binWidth. */
interface Histogram {
  readonly setCounts: readonly number[];
  readonly firstBin: number;
  readonly binWidth: number;
}

/** Returns the histogram of ascending values. Its range includes 0 and `included`. */
function histogramOf(ascending: readonly number[], included: number): Histogram {
  // `niceStep` chooses a width with round ends that gives about BINS bins.
  const low = Math.min(ascending[0] ?? 0, 0, included);
  const high = Math.max(ascending.at(-1) ?? 0, included);
  const binWidth = niceStep(Math.max(high - low, MIN_RANGE), BINS);
  const firstBin = Math.floor(low / binWidth);
  const binCount = Math.max(1, Math.floor(high / binWidth) + 1 - firstBin);
  const setCounts = Array.from({ length: binCount }, () => 0);
  for (const value of ascending) {
    const bin = Math.floor(value / binWidth) - firstBin;
    setCounts[bin] = (setCounts[bin] ?? 0) + 1;
  }
  return { setCounts, firstBin, binWidth };
}

/** Height of one row of labels, in pixels. */
const LABEL_ROW_PX = 14;
/** A label this near to the right edge stands at the left of its line. */
const LABEL_WIDTH_PX = 60;

/** Draws lines with labels at different heights, so that the labels do not overlap. */
function drawMarks(frame: PlotFrame, marks: readonly Mark[]): void {
  marks
    .filter(({ value }) => Number.isFinite(value))
    .forEach(({ value, text, colour }, row) => {
      const x = frame.x(value);
      const y = PLOT_TOP + 10 + row * LABEL_ROW_PX;
      const isLabelLeft = x > frame.width - LABEL_WIDTH_PX;
      const label = isLabelLeft ? { x: x - 5, 'text-anchor': 'end' } : { x: x + 5, 'text-anchor': 'start' };
      frame.add('line', { x1: x, x2: x, y1: y - 8, y2: frame.y(0), stroke: `var(--${colour})`, 'stroke-width': 1.5 });
      frame.add('text', { ...label, y, style: `fill:var(--${colour})` }, text);
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

/** Width of one character of a label, and of the space between two labels, in pixels. */
const CHARACTER_PX = 8;
const LABEL_SPACE_PX = 12;
/** Baseline of the labels below the chart, above its lower edge, in pixels. */
const LABEL_BASELINE_PX = 8;
/** Maximum width of the box of a band, in pixels. */
const MAX_BOX_PX = 22;

/** Draws the chart of one parameter. */
function drawParameter(model: Model, figure: SweepFigure, axis: number, host: HTMLElement): void {
  const { values, name } = model.page.axes[axis] ?? { values: [], name: '' };
  const factor = factorOf(figure);
  // By value of the parameter: the figures of the sets with that value.
  const groups = values.map((): number[] => []);
  figure.values.forEach((value, set) => {
    if (Number.isFinite(value)) groups[model.places[axis]?.[set] ?? 0]?.push(value * factor);
  });
  if (groups.flat().length === 0) return void (host.textContent = 'No set has this figure.');
  const bands = groups.map((group) => bandOf(group.toSorted((a, b) => a - b)));
  const ends = bands.flatMap(({ low, best }) => [low, best]).filter(Number.isFinite);
  const span = { low: Math.min(0, smallestOf(ends)), high: Math.max(0, largestOf(ends)) };
  const frame = new PlotFrame(host, { low: -0.5, high: values.length - 0.5 }, padRange(span.low, span.high), `${figure.label} by ${name}`);
  const ticks = niceTicks(span.low, span.high, 4);
  frame.drawMarksLeft(ticks, factor === 100 ? numberTexts(ticks).map((text) => `${text}%`) : numberTexts(ticks));
  const bandWidth = (frame.width - PLOT_LEFT - PLOT_RIGHT) / values.length;
  const maxLabelLength = largestOf(values.map((value) => String(value).length));
  const labelWidth = maxLabelLength * CHARACTER_PX + LABEL_SPACE_PX;
  const labelStep = Math.max(1, Math.ceil(labelWidth / bandWidth));
  const labelY = PLOT_HEIGHT - LABEL_BASELINE_PX;
  values.forEach((value, index) => {
    if (index % labelStep === 0) frame.add('text', { x: frame.x(index), y: labelY, 'text-anchor': 'middle' }, String(value));
  });
  const boxWidth = Math.min(MAX_BOX_PX, bandWidth * 0.6);
  const plotHeight = PLOT_HEIGHT - PLOT_TOP - PLOT_BOTTOM;
  bands.forEach((band, index) => {
    if (!Number.isFinite(band.middle)) return;
    const x = frame.x(index);
    drawBand(frame, band, x, boxWidth);
    const textOf = (value: number) => sweepFigureText(value / factor, figure.kind, model.page.asset);
    const note = `${name} ${values[index]}: middle ${textOf(band.middle)}, best ${textOf(band.best)}`;
    frame.drawTitledBox({ x: x - boxWidth / 2 - 2, y: PLOT_TOP, width: boxWidth + 4, height: plotHeight, fill: 'transparent' }, note);
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
  const top = frame.y(band.high);
  const bottom = frame.y(band.low);
  const left = x - width / 2;
  const right = x + width / 2;
  const middle = frame.y(band.middle);
  const height = Math.max(1, bottom - top);
  frame.add('rect', { x: left, y: top, width, height, fill: 'var(--accent)', 'fill-opacity': 0.22, rx: 2 });
  frame.add('line', { x1: left, x2: right, y1: middle, y2: middle, stroke: 'var(--accent)', 'stroke-width': 2 });
  frame.add('circle', { cx: x, cy: frame.y(band.best), r: 2.5, fill: 'var(--text)' });
}

/** Returns a range with a small margin. An end at 0 stays at 0 below. */
function padRange(low: number, high: number): AxisRange {
  const margin = Math.max(high - low, MIN_RANGE) * 0.05;
  return { low: low - (low < 0 ? margin : 0), high: high + margin };
}
