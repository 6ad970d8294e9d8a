// Common settings of all plots over time: size, axes, and the cursor that plots of one group share.

import type uPlotClass from 'uplot';
import { colour, element } from './dom.ts';
import { percent } from '../../../base/text/format.ts';
import { timeTexts } from './ticks.ts';

/** Width of the value axis. It is the same for all charts of a page, so that equal times are aligned vertically. */
export const AXIS_WIDTH = 76;
const TICK_FONT = '11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const DAY_MS = 86_400_000;
/** Distances between two marks of the time axis, ms. */
const TIME_STEPS = [1 / 1440, 1 / 288, 1 / 96, 1 / 24, 1 / 8, 1 / 4, 1 / 2, 1, 2, 7, 14, 30, 61, 91, 182, 365, 730, 1826].map(
  (days) => days * DAY_MS,
);
/** A label closer than this to the left edge would be cut off. CSS pixels. */
const HALF_LABEL = 28;

/** The properties by which plots over time differ. */
export interface TimePlot {
  readonly width: number;
  readonly height: number;
  /** True for the lowest plot of its group. It shows the time labels. */
  readonly isLast: boolean;
  /** Plots with the same name share their cursor. */
  readonly sync: string;
  /** Draws behind the curves. */
  readonly draw: ((plot: uPlotClass) => void) | null;
  readonly onCursor: (plot: uPlotClass) => void;
}

/** Returns the options of a plot whose first column is ms UTC. The caller sets the ranges of both axes with the data. */
export function timePlot(plot: TimePlot, series: uPlotClass.Series[], y: uPlotClass.Axis): uPlotClass.Options {
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
    size: plot.isLast ? 26 : 0,
    space: 64,
    incrs: TIME_STEPS,
    splits: timeSplits,
    values: (chart, ticks, _axisIndex, _space, step) => (plot.isLast ? timeLabels(chart, ticks, step) : ticks.map(() => '')),
  };
  return {
    width: plot.width,
    height: plot.height,
    ms: 1,
    padding: [8, 0, plot.isLast ? 0 : 4, 0],
    legend: { show: false },
    scales: {
      x: { time: true, auto: false, range: (_, min, max) => [min, max] },
      y: { auto: false, range: (_, min, max) => [min, max] },
    },
    cursor: { drag: { x: false, y: false, setScale: false }, y: false, points: { size: 6 }, sync: { key: plot.sync } },
    series: [{}, ...series],
    axes: [timeAxis, { ...common, scale: 'y', side: 1, size: AXIS_WIDTH, gap: 6, ...y }],
    hooks: {
      ...(plot.draw ? { drawClear: [plot.draw] } : {}),
      setCursor: [plot.onCursor],
    },
  };
}

/** Returns the labels of the time axis. A label that would be cut off at the left edge is empty. */
function timeLabels(chart: uPlotClass, ticks: readonly number[], step: number): string[] {
  return timeTexts(ticks, step).map((text, index) => (chart.valToPos(ticks[index]!, 'x') < HALF_LABEL ? '' : text));
}

/** Returns text after a short line in the colour of its curve. */
export function legendKey(name: string, text: string): HTMLElement {
  return element('span', {}, element('i', { class: 'swatch', style: `border-color:var(--${name})` }), text);
}

/** Returns the labels of an axis of fractions. */
export function percents(ticks: readonly number[]): string[] {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0));
  const fineDigits = step < 0.001 ? 2 : 1;
  const digits = step < 0.01 ? fineDigits : 0;
  return ticks.map((tick) => percent(tick, digits));
}

/** Returns the times of the marks from `low` to `high`, `step` ms apart. */
function timeSplits(_chart: uPlotClass, _axisIndex: number, low: number, high: number, step: number): number[] {
  const ticks: number[] = [];
  if (step >= 27 * DAY_MS) {
    // Months and years start at calendar boundaries.
    const months = Math.max(1, Math.round(step / (30.4 * DAY_MS)));
    const years = Math.max(1, months / 12);
    const year = Math.floor(new Date(low).getUTCFullYear() / years) * years;
    for (let month = 0; ; month += months) {
      const tick = Date.UTC(year, month);
      if (tick > high) return ticks;
      if (tick >= low) ticks.push(tick);
    }
  }
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(tick);
  return ticks;
}
