// Draws equity with buy-and-hold, drawdown and exposure: three plots over one time axis.

import type uPlotClass from 'uplot';
import { byId, colour, element, faint, oncePerFrame } from '../../page/browser/dom.ts';
import { bandAt, pointsBetween, type EquityPoints, type EquityRows } from './rows/equityRows.ts';
import { fixed, signedPercent, timeText } from '../../../base/text/format.ts';
import { addGestures } from '../../page/browser/gestures.ts';
import { logTicks, niceTicks, numberTexts } from '../../page/browser/ticks.ts';
import { AXIS_WIDTH_PX, legendKey, percentLabels, timePlotOptions } from '../../page/browser/timePlot.ts';
import { TimeWindow } from '../../page/browser/timeWindow.ts';
import type { PageData } from '../../page/wire.ts';

declare const uPlot: typeof uPlotClass;

/** Heights of the plots in CSS pixels. */
const HEIGHTS = { equity: 260, drawdown: 110, exposure: 66 } as const;
/** More points than this would overlap. */
const POINTS_PER_PIXEL = 0.75;
/** Minimum width of a span of the exposure, in CSS pixels. */
const PIXELS_PER_SPAN = 3;
/** Shortest time window of the plots. */
const MIN_WINDOW_MS = 20 * 60_000;
/** Size of the numbers of drawdowns, in CSS pixels. */
const NUMBER_PX = 12;

/** Returns the exposure as means over equal spans: the ends of the spans (ms) and the values. */
type ExposureSeries = (from: number, to: number, spans: number) => { readonly ms: number[]; readonly exposure: number[] };
/** One of the three plots. */
type PlotName = keyof typeof HEIGHTS;

/** What the plots show. */
export interface EquityPlotsOptions {
  readonly page: PageData;
  readonly rows: EquityRows;
  readonly exposure: ExposureSeries;
  /** The time window of the price chart, which the plots mark. */
  readonly priceWindow: TimeWindow;
}

/** The three plots, and their common time window. */
export class EquityPlots {
  /** The visible time span of all plots. */
  readonly timeWindow: TimeWindow;
  readonly #page: PageData;
  readonly #root: HTMLElement;
  readonly #priceWindow: TimeWindow;
  #rows: EquityRows;
  #exposure: ExposureSeries;
  #isLog = false;
  #isHoldShown = true;
  #plots: Partial<Record<PlotName, uPlotClass>> = {};
  #points: EquityPoints = { ms: [], equity: [], hold: [], drawdown: [], depth: [] };
  readonly #scheduleUpdate = oncePerFrame(() => this.#update());

  constructor(root: HTMLElement, { page, rows, exposure, priceWindow }: EquityPlotsOptions) {
    this.#page = page;
    this.#root = root;
    this.#rows = rows;
    this.#exposure = exposure;
    this.#priceWindow = priceWindow;
    this.timeWindow = new TimeWindow(page.fromMs, page.toMs, MIN_WINDOW_MS);
    this.timeWindow.onChange(this.#scheduleUpdate);
    priceWindow.onChange(this.#scheduleUpdate);
    addGestures(root, this.timeWindow, { plotArea: () => ({ left: 0, width: this.#plotWidth() - AXIS_WIDTH_PX }) });
    this.rebuild();
  }

  /** Replaces the rows by finer rows of the same run. */
  refine(rows: EquityRows, exposure: ExposureSeries): void {
    this.#rows = rows;
    this.#exposure = exposure;
    this.#update();
  }

  /** Shows or hides buy-and-hold. Without it the axis fits equity alone. */
  showHold(isShown: boolean): void {
    this.#isHoldShown = isShown;
    this.#update();
  }

  /** True when the equity axis is logarithmic. */
  get isLog(): boolean {
    return this.#isLog;
  }

  /** True when equity is always above 0, which a logarithmic axis requires. */
  get canBeLog(): boolean {
    return this.#minEquity() > 0;
  }

  /** Switches the logarithmic axis. Returns false when an equity of 0 or below prevents it. */
  setLog(isLog: boolean): boolean {
    this.#isLog = isLog && this.canBeLog;
    this.rebuild();
    return this.#isLog;
  }

  /** Returns the lowest equity of the run. */
  #minEquity(): number {
    let low = Infinity;
    const { equity, length } = this.#rows;
    for (let row = 0; row < length; row++) if (equity[row]! < low) low = equity[row]!;
    return low;
  }

  /** Returns the width of the plots in CSS pixels. */
  #plotWidth(): number {
    return Math.max(200, this.#root.clientWidth);
  }

  /** Rebuilds the plots after a change of width, theme or axis. */
  rebuild(): void {
    for (const plot of Object.values(this.#plots)) plot.destroy();
    this.#plots = { equity: this.#equityPlot(), drawdown: this.#drawdownPlot(), exposure: this.#exposurePlot() };
    this.#update();
  }

  /** Draws the chosen window of time in all plots. */
  #update(): void {
    const { fromMs, toMs } = this.timeWindow;
    const width = this.#plotWidth() - AXIS_WIDTH_PX;
    const points = pointsBetween(this.#rows, fromMs, toMs, Math.round(width * POINTS_PER_PIXEL));
    const exposure = this.#exposure(fromMs, toMs, Math.round(width / PIXELS_PER_SPAN));
    this.#points = points;
    const logOrNull = (value: number | null) => (value !== null && value > 0 ? Math.log(value) : null);
    const onAxis = (values: readonly (number | null)[]) => (this.#isLog ? values.map(logOrNull) : [...values]);
    const hold = this.#isHoldShown ? onAxis(points.hold) : points.hold.map(() => null);
    const { high, low } = bandAt(this.#page.overview, points.ms);
    this.#setPlotData('equity', [points.ms, hold, onAxis(points.equity), onAxis(high), onAxis(low)]);
    this.#setPlotData('drawdown', [points.ms, points.depth]);
    this.#setPlotData('exposure', [exposure.ms, exposure.exposure]);
    this.#showFigures(null);
  }

  /** Gives a plot its data, and fits its axes to them. */
  #setPlotData(name: PlotName, data: uPlotClass.AlignedData): void {
    const plot = this.#plots[name];
    if (!plot) return;
    plot.batch(() => {
      plot.setData(data, false);
      plot.setScale('x', { min: this.timeWindow.fromMs, max: this.timeWindow.toMs });
      plot.setScale('y', rangeOf(name, data.slice(1)));
    });
  }

  /** Returns the options that the three plots share. `draw` paints behind the lines. */
  #options(name: PlotName, series: uPlotClass.Series[], y: uPlotClass.Axis, draw: ((plot: uPlotClass) => void) | null): uPlotClass.Options {
    return timePlotOptions(
      {
        width: this.#plotWidth(),
        height: HEIGHTS[name],
        isLowest: name === 'exposure',
        cursorGroup: 'isobar-equity',
        draw,
        onCursor: (plot) => this.#showFigures(plot.cursor.idx ?? null, plot),
      },
      series,
      y,
    );
  }

  /** Creates the plot of equity and of buy and hold, with the envelope as a band. */
  #equityPlot(): uPlotClass {
    const line = { spanGaps: false, points: { show: false } } as const;
    const series: uPlotClass.Series[] = [
      { ...line, stroke: colour('bench'), width: 1 },
      { ...line, stroke: colour('accent'), width: 1.5 },
      // The envelope: the highest and the lowest equity. The band between them is filled.
      { ...line, stroke: faint(colour('accent'), 0.4), width: 1 },
      { ...line, stroke: faint(colour('accent'), 0.4), width: 1 },
    ];
    // A logarithmic axis has the logarithms of the equity.
    const logAxisTicks = (low: number, high: number) => logTicks(Math.exp(low), Math.exp(high), 5).map(Math.log);
    const axis: uPlotClass.Axis = {
      splits: (_plot, _axis, low, high) => (this.#isLog ? logAxisTicks(low, high) : niceTicks(low, high, 6)),
      values: (_plot, ticks) => numberTexts(this.#isLog ? ticks.map(Math.exp) : ticks),
    };
    return new uPlot(
      {
        ...this.#options('equity', series, axis, (plot) => this.#markPriceWindow(plot)),
        bands: [{ series: [3, 4], fill: faint(colour('accent'), 0.16) }],
      },
      [[], [], [], [], []],
      byId('plot-equity') ?? this.#root,
    );
  }

  /** Creates the plot of the drawdown. */
  #drawdownPlot(): uPlotClass {
    const series: uPlotClass.Series[] = [{ stroke: colour('loss'), fill: faint(colour('loss'), 0.18), width: 1, points: { show: false } }];
    const axis: uPlotClass.Axis = {
      splits: (_plot, _axis, low, high) => niceTicks(low, high, 3),
      values: (_plot, ticks) => percentLabels(ticks),
    };
    return new uPlot(
      this.#options('drawdown', series, axis, (plot) => this.#markDrawdowns(plot)),
      [[], []],
      byId('plot-drawdown') ?? this.#root,
    );
  }

  /** Creates the plot of the exposure. */
  #exposurePlot(): uPlotClass {
    // A value is the mean of the span that ends at its time.
    const steps = uPlot.paths.stepped;
    const series: uPlotClass.Series[] = [
      {
        stroke: colour('muted'),
        fill: faint(colour('muted'), 0.35),
        width: 0,
        points: { show: false },
        ...(steps ? { paths: steps({ align: -1 }) } : {}),
      },
    ];
    const axis: uPlotClass.Axis = { splits: (_plot, _axis, low, high) => [low, high], values: (_plot, ticks) => percentLabels(ticks) };
    return new uPlot(this.#options('exposure', series, axis, null), [[], []], byId('plot-exposure') ?? this.#root);
  }

  /** Marks the time window of the price chart as a band behind the curve. */
  #markPriceWindow(plot: uPlotClass): void {
    if (this.#priceWindow.isWhole) return;
    this.#drawBand(plot, this.#priceWindow.fromMs, this.#priceWindow.toMs, faint(colour('accent'), 0.22));
  }

  /** Marks the deepest drawdowns as numbered bands. */
  #markDrawdowns(plot: uPlotClass): void {
    const { ctx } = plot;
    this.#page.drawdowns.forEach(({ peakMs, troughMs, recoveryMs }, index) => {
      this.#drawBand(plot, peakMs, recoveryMs ?? this.#page.toMs, faint(colour('muted'), 0.1));
      if (troughMs < this.timeWindow.fromMs || troughMs > this.timeWindow.toMs) return;
      ctx.save();
      ctx.fillStyle = colour('text');
      const fontSize = NUMBER_PX * uPlot.pxRatio;
      ctx.font = `${fontSize}px system-ui, sans-serif`;
      ctx.textAlign = 'center';
      ctx.fillText(String(index + 1), plot.valToPos(troughMs, 'x', true), plot.bbox.top + fontSize);
      ctx.restore();
    });
  }

  /** Fills the span between two times over the whole height of a plot. */
  #drawBand(plot: uPlotClass, from: number, to: number, fill: string): void {
    const { left, top, width, height } = plot.bbox;
    const start = Math.max(left, plot.valToPos(from, 'x', true));
    const end = Math.min(left + width, plot.valToPos(to, 'x', true));
    if (end < left || start > left + width) return;
    plot.ctx.save();
    plot.ctx.fillStyle = fill;
    plot.ctx.fillRect(start, top, Math.max(2, end - start), height);
    plot.ctx.restore();
  }

  /** Shows the figures at the cursor. Without a cursor (null), shows those at the end of the window. */
  #showFigures(cursor: number | null, plot?: uPlotClass): void {
    const readout = byId('equity-read');
    const { ms, equity, hold, drawdown } = this.#points;
    const cursorMs = cursor === null || !plot ? undefined : plot.data[0][cursor];
    const rowAt = (timeMs: number) => ms.findLastIndex((pointMs) => pointMs <= timeMs);
    const row = cursorMs === undefined ? ms.length - 1 : Math.max(0, rowAt(cursorMs));
    if (!readout || row < 0 || ms[row] === undefined) return;
    const holdValue = hold[row];
    const { asset } = this.#page;
    const parts = [element('span', {}, timeText(ms[row])), legendKey('accent', `equity ${fixed(equity[row]!, 2)} ${asset}`)];
    if (holdValue !== null && holdValue !== undefined) parts.push(legendKey('bench', `buy and hold ${fixed(holdValue, 2)}`));
    parts.push(legendKey('loss', `drawdown ${signedPercent(drawdown[row]!)}`));
    readout.replaceChildren(...parts);
  }
}

/** Returns the range of the visible values with a small margin. The drawdown and exposure axes start at 0. */
function rangeOf(
  name: PlotName,
  columns: uPlotClass.AlignedData | readonly (ArrayLike<number | null | undefined> | undefined)[],
): { min: number; max: number } {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (const value of Array.from(column ?? [])) {
      if (value === null || value === undefined) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return { min: 0, max: 1 };
  if (name === 'drawdown') return { min: Math.min(low * 1.08, -1e-4), max: 0 };
  if (name === 'exposure') return { min: 0, max: high > 1.05 ? Math.ceil(high) : 1 };
  const margin = Math.max((high - low) * 0.06, Math.abs(high) * 1e-6, 1e-9);
  return { min: low - margin, max: high + margin };
}
