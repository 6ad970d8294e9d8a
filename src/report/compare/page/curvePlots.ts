// Draws the equity of two runs from a common start, their drawdowns and their difference: three plots over one time axis.
/// <reference lib="dom" />

import type uPlotClass from 'uplot';
import { byId, colour, element, faint, oncePerFrame } from '../../page/browser/dom.ts';
import { fixed, NO_VALUE, signed, signedPercent, THIN, timeText } from '../../../base/text/format.ts';
import { addGestures } from '../../page/browser/gestures.ts';
import { logTicks, niceTicks, numberTexts } from '../../page/browser/ticks.ts';
import { AXIS_WIDTH_PX, legendKey, percentLabels, timePlotOptions } from '../../page/browser/timePlot.ts';
import { TimeWindow } from '../../page/browser/timeWindow.ts';

declare const uPlot: typeof uPlotClass;

/** Heights of the plots in CSS pixels. */
const HEIGHTS = { growth: 280, depth: 120, between: 120 } as const;
/** One of the three plots: equity, drawdowns, difference. */
type PlotName = keyof typeof HEIGHTS;
type PlotValues = readonly (number | null)[];

/** Columns of equal length. Null outside the run. Growth is 100 at the start. */
export interface CurveColumns {
  readonly ms: readonly number[];
  readonly growth: readonly [a: PlotValues, b: PlotValues];
  readonly depth: readonly [a: PlotValues, b: PlotValues];
  /** b minus a, in percentage points of the starting equity, as a fraction. */
  readonly between: PlotValues;
}

/** The three plots, and their common time window. */
export class CurvePlots {
  /** The visible time span of all plots. */
  readonly timeWindow: TimeWindow;
  readonly #root: HTMLElement;
  readonly #columns: CurveColumns;
  #isLog = false;
  #plots: Partial<Record<PlotName, uPlotClass>> = {};
  readonly #scheduleWindow = oncePerFrame(() => this.#applyWindow());

  constructor(root: HTMLElement, columns: CurveColumns) {
    this.#root = root;
    this.#columns = columns;
    const { ms } = columns;
    const firstMs = ms[0] ?? 0;
    const stepMs = (ms[1] ?? 0) - firstMs;
    this.timeWindow = new TimeWindow(firstMs, ms.at(-1) ?? 1, Math.max(20 * 60_000, 8 * stepMs));
    this.timeWindow.onChange(this.#scheduleWindow);
    addGestures(root, this.timeWindow, { plotArea: () => ({ left: 0, width: this.#plotWidth() - AXIS_WIDTH_PX }) });
    this.rebuild();
  }

  /** True while the axis of equity is logarithmic. */
  get isLog(): boolean {
    return this.#isLog;
  }

  /** Switches the logarithmic axis. Returns false when an equity is 0 or below, because it has no logarithm. */
  setLog(isLog: boolean): boolean {
    this.#isLog = isLog && this.#columns.growth.flat().every((value) => value === null || value > 0);
    this.rebuild();
    return this.#isLog;
  }

  /** Rebuilds the plots after a change of width, theme or axis. */
  rebuild(): void {
    for (const plot of Object.values(this.#plots)) plot.destroy();
    this.#plots = { growth: this.#growthPlot(), depth: this.#depthPlot(), between: this.#betweenPlot() };
    const { ms, growth, depth, between } = this.#columns;
    const logOrNull = (value: number | null) => (value === null ? null : Math.log(value));
    const drawn = growth.map((values) => (this.#isLog ? values.map(logOrNull) : values));
    this.#plots.growth?.setData([[...ms], ...drawn.map((values) => [...values])], false);
    this.#plots.depth?.setData([[...ms], ...depth.map((values) => [...values])], false);
    this.#plots.between?.setData([[...ms], sideOf(between, 1), sideOf(between, -1)], false);
    this.#applyWindow();
  }

  /** Returns the width of the plots in CSS pixels. */
  #plotWidth(): number {
    return Math.max(200, this.#root.clientWidth);
  }

  /** Shows the chosen window of time in all plots. */
  #applyWindow(): void {
    const { fromMs, toMs } = this.timeWindow;
    for (const [name, plot] of Object.entries(this.#plots)) {
      plot.batch(() => {
        plot.setScale('x', { min: fromMs, max: toMs });
        plot.setScale('y', rangeOf(name, plot, fromMs, toMs));
      });
    }
    this.#showFigures(null);
  }

  /** Creates a plot without data. `draw` paints behind its curves. */
  #plot(name: PlotName, series: uPlotClass.Series[], y: uPlotClass.Axis, draw: ((plot: uPlotClass) => void) | null = null): uPlotClass {
    const options = {
      width: this.#plotWidth(),
      height: HEIGHTS[name],
      isLowest: name === 'between',
      cursorGroup: 'isobar-compare',
      draw,
      onCursor: (plot: uPlotClass) => this.#showFigures(plot.cursor.idx ?? null),
    };
    return new uPlot(timePlotOptions(options, series, y), [[], ...series.map((): number[] => [])], byId(`plot-${name}`) ?? this.#root);
  }

  /** Creates the plot of the equity of both runs, with a line at the common start. */
  #growthPlot(): uPlotClass {
    const line = { spanGaps: false, points: { show: false }, width: 1.5 } as const;
    return this.#plot(
      'growth',
      [
        { ...line, stroke: colour('accent') },
        { ...line, stroke: colour('bench') },
      ],
      {
        splits: (_, __, low, high) => (this.#isLog ? logTicks(Math.exp(low), Math.exp(high), 5).map(Math.log) : niceTicks(low, high, 6)),
        values: (_, ticks) => numberTexts(this.#isLog ? ticks.map(Math.exp) : ticks),
      },
      (plot) => zeroLine(plot, this.#isLog ? Math.log(100) : 100),
    );
  }

  /** Creates the plot of both drawdowns. */
  #depthPlot(): uPlotClass {
    // The areas are not filled, because overlapping areas would make a third colour that belongs to neither run.
    const line = (name: string): uPlotClass.Series => ({ stroke: colour(name), width: 1.25, points: { show: false }, spanGaps: false });
    return this.#plot('depth', [line('accent'), line('bench')], {
      splits: (_, __, low, high) => niceTicks(low, high, 3),
      values: (_, ticks) => percentLabels(ticks),
    });
  }

  /** Creates the plot of the difference, in the colour of the better run. */
  #betweenPlot(): uPlotClass {
    const area = (name: string): uPlotClass.Series => ({
      stroke: colour(name),
      fill: faint(colour(name), 0.25),
      fillTo: 0,
      width: 1,
      points: { show: false },
      spanGaps: false,
    });
    return this.#plot(
      'between',
      [area('bench'), area('accent')],
      { splits: (_, __, low, high) => niceTicks(low, high, 4), values: (_, ticks) => pointTexts(ticks) },
      (plot) => zeroLine(plot, 0),
    );
  }

  /** Shows the figures at the cursor. Without a cursor (null), shows those at the end of the window. */
  #showFigures(cursor: number | null): void {
    const readout = byId('curves-read');
    const { ms, growth, depth, between } = this.#columns;
    const lastVisibleRow = ms.findLastIndex((time) => time <= this.timeWindow.toMs);
    const row = cursor ?? Math.max(0, lastVisibleRow);
    if (!readout || ms[row] === undefined) return;
    const reading = (side: 0 | 1, name: string, letter: string) => {
      const equity = growth[side][row];
      const drawdown = depth[side][row];
      const hasFigures = typeof equity === 'number' && typeof drawdown === 'number';
      const text = hasFigures ? `${fixed(equity, 2)}, drawdown ${signedPercent(drawdown)}` : NO_VALUE;
      return legendKey(name, `${letter} ${text}`);
    };
    const gap = between[row];
    readout.replaceChildren(
      element('span', {}, timeText(ms[row])),
      reading(0, 'accent', 'A'),
      reading(1, 'bench', 'B'),
      element('span', {}, typeof gap === 'number' ? `B − A ${signed(gap * 100, 2)}${THIN}pp` : ''),
    );
  }
}

/** Returns the values on one side of zero, including adjacent zeros. Values on the other side become null. */
function sideOf(values: PlotValues, sign: 1 | -1): (number | null)[] {
  const isOnSide = (value: number | null | undefined) => typeof value === 'number' && value * sign > 0;
  return values.map((value, row) => {
    if (isOnSide(value)) return value;
    const isBesideSide = isOnSide(values[row - 1]) || isOnSide(values[row + 1]);
    return value !== null && isBesideSide ? 0 : null;
  });
}

/** Returns the labels of an axis of percentage points. */
function pointTexts(ticks: readonly number[]): string[] {
  return numberTexts(ticks.map((tick) => tick * 100)).map((text) => `${text}${THIN}pp`);
}

/** Draws the line at the common start, or at a difference of zero. */
function zeroLine(plot: uPlotClass, value: number): void {
  const { left, width, top, height } = plot.bbox;
  const y = plot.valToPos(value, 'y', true);
  if (!(y >= top && y <= top + height)) return;
  plot.ctx.save();
  plot.ctx.strokeStyle = faint(colour('muted'), 0.6);
  plot.ctx.lineWidth = uPlot.pxRatio;
  plot.ctx.setLineDash([4 * uPlot.pxRatio, 4 * uPlot.pxRatio]);
  plot.ctx.beginPath();
  plot.ctx.moveTo(left, y);
  plot.ctx.lineTo(left + width, y);
  plot.ctx.stroke();
  plot.ctx.restore();
}

/** Returns the range of the visible values with a small margin. Drawdown axes start at 0. */
function rangeOf(name: string, plot: uPlotClass, from: number, to: number): { min: number; max: number } {
  const [ms, ...columns] = plot.data;
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (let row = 0; row < ms.length; row++) {
      const time = ms[row] ?? 0;
      const value = column[row];
      if (time < from || time > to || value === null || value === undefined) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return { min: 0, max: 1 };
  if (name === 'depth') return { min: Math.min(low * 1.08, -1e-4), max: 0 };
  const margin = Math.max((high - low) * 0.06, name === 'between' ? 1e-4 : Math.abs(high) * 1e-6);
  return { min: low - margin, max: high + margin };
}
