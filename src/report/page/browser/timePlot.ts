// Common settings of all plots over time: size, axes, and the cursor that plots of one group share.

import type uPlotClass from 'uplot';
import { colour, element } from './dom.ts';
import { percent } from '../../../base/text/format.ts';
import { timeTexts } from './ticks.ts';

/** Width of the value axis, CSS pixels. It is the same for all charts of a page, so that equal times are aligned vertically. */
export const AXIS_WIDTH_PX = 76;
const TICK_FONT = '11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const DAY_MS = 86_400_000;
const MONTH_MS = 30.4 * DAY_MS;
/** Steps of at least this length are whole months. */
const MIN_MONTH_STEP_MS = 27 * DAY_MS;
/** Height of the time axis, and the least distance of its labels, CSS pixels. */
const TIME_AXIS_HEIGHT_PX = 26;
const MIN_LABEL_DISTANCE_PX = 64;
/** Possible distances between two labels of the time axis. */
const TIME_STEPS_MS = [1 / 1440, 1 / 288, 1 / 96, 1 / 24, 1 / 8, 1 / 4, 1 / 2, 1, 2, 7, 14, 30, 61, 91, 182, 365, 730, 1826].map(
  (days) => days * DAY_MS,
);
/** A label closer than this to the left edge would be cut off. CSS pixels. */
const HALF_LABEL_PX = 28;

/** The properties by which plots over time differ. */
export interface TimePlotSettings {
  readonly width: number;
  readonly height: number;
  /** True for the lowest plot of its group. It shows the time labels. */
  readonly isLowest: boolean;
  /** Plots with the same group share their cursor. */
  readonly cursorGroup: string;
  /** Draws behind the curves. */
  readonly draw: ((chart: uPlotClass) => void) | null;
  readonly onCursor: (chart: uPlotClass) => void;
}

/** Returns the options of a uPlot chart whose first column is ms UTC. The caller sets the ranges of both axes with the data. */
export function timePlotOptions(settings: TimePlotSettings, series: uPlotClass.Series[], y: uPlotClass.Axis): uPlotClass.Options {
  const common: uPlotClass.Axis = {
    stroke: colour('muted'),
    font: TICK_FONT,
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  };
  const timeAxis: uPlotClass.Axis = {
    ...common,
    scale: 'x',
    show: true,
    size: settings.isLowest ? TIME_AXIS_HEIGHT_PX : 0,
    space: MIN_LABEL_DISTANCE_PX,
    incrs: TIME_STEPS_MS,
    splits: axisTimes,
    values: (chart, timesMs, _axisIndex, _space, stepMs) =>
      settings.isLowest ? timeLabels(chart, timesMs, stepMs) : timesMs.map(() => ''),
  };
  return {
    width: settings.width,
    height: settings.height,
    ms: 1,
    padding: [8, 0, settings.isLowest ? 0 : 4, 0],
    legend: { show: false },
    scales: {
      x: { time: true, auto: false, range: (_, min, max) => [min, max] },
      y: { auto: false, range: (_, min, max) => [min, max] },
    },
    cursor: { drag: { x: false, y: false, setScale: false }, y: false, points: { size: 6 }, sync: { key: settings.cursorGroup } },
    series: [{}, ...series],
    axes: [timeAxis, { ...common, scale: 'y', side: 1, size: AXIS_WIDTH_PX, gap: 6, ...y }],
    hooks: {
      ...(settings.draw ? { drawClear: [settings.draw] } : {}),
      setCursor: [settings.onCursor],
    },
  };
}

/** Returns the labels of the time axis. A label that would be cut off at the left edge is empty. */
function timeLabels(chart: uPlotClass, timesMs: readonly number[], stepMs: number): string[] {
  return timeTexts(timesMs, stepMs).map((text, index) => (chart.valToPos(timesMs[index]!, 'x') < HALF_LABEL_PX ? '' : text));
}

/** Returns a legend entry: a short line in the colour `name`, then the text. */
export function legendKey(name: string, text: string): HTMLElement {
  return element('span', {}, element('i', { class: 'swatch', style: `border-color:var(--${name})` }), text);
}

/** Returns the labels of an axis of fractions in percent, with as many decimals as their distance needs. */
export function percentLabels(fractions: readonly number[]): string[] {
  const step = Math.abs((fractions[1] ?? 1) - (fractions[0] ?? 0));
  const fineDigits = step < 0.001 ? 2 : 1;
  const digits = step < 0.01 ? fineDigits : 0;
  return fractions.map((fraction) => percent(fraction, digits));
}

/** Returns the times of the labels from `lowMs` to `highMs`, about `stepMs` apart. Labels of whole months stand at the starts of months. */
function axisTimes(_chart: uPlotClass, _axisIndex: number, lowMs: number, highMs: number, stepMs: number): number[] {
  return stepMs >= MIN_MONTH_STEP_MS ? monthTimes(lowMs, highMs, stepMs) : evenTimes(lowMs, highMs, stepMs);
}

/** Returns starts of months. With a step of whole years they are starts of years that the step divides. */
function monthTimes(lowMs: number, highMs: number, stepMs: number): number[] {
  const timesMs: number[] = [];
  const stepMonths = Math.max(1, Math.round(stepMs / MONTH_MS));
  const stepYears = Math.max(1, stepMonths / 12);
  const firstYear = Math.floor(new Date(lowMs).getUTCFullYear() / stepYears) * stepYears;
  for (let month = 0; ; month += stepMonths) {
    const timeMs = Date.UTC(firstYear, month);
    if (timeMs > highMs) return timesMs;
    if (timeMs >= lowMs) timesMs.push(timeMs);
  }
}

/** Returns the multiples of `stepMs`. */
function evenTimes(lowMs: number, highMs: number, stepMs: number): number[] {
  const timesMs: number[] = [];
  for (let timeMs = Math.ceil(lowMs / stepMs) * stepMs; timeMs <= highMs; timeMs += stepMs) timesMs.push(timeMs);
  return timesMs;
}
