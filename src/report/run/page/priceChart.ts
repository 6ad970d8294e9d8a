// Draws price, indicators and trades for a time window, from bars of the interval that fits the window.

import type * as Charts from 'lightweight-charts';
import type { AutoscaleInfo, DeepPartial, IChartApi, ISeriesApi, MouseEventParams, Time, TimeChartOptions } from 'lightweight-charts';
import { typicalLengthMs } from '../../../model/interval.ts';
import { chartTime } from '../../page/browser/chartUnits.ts';
import { byId, colour, element, faint, oncePerFrame } from '../../page/browser/dom.ts';
import { AXIS_WIDTH_PX } from '../../page/browser/timePlot.ts';
import { briefNumber, wholeText, counted, exactText, fixed, signedPercent, spanText, timeText, tone } from '../../../base/text/format.ts';
import { addGestures } from '../../page/browser/gestures.ts';
import { edgesOf, sliceOf, traceOn, type ChartMarket, type ChartSlice } from './rows/market.ts';
import { clickedBar, type ClickedBar } from './clickedBar.ts';
import { MAX_MARKERS, Overlay } from './overlay.ts';
import { axisTexts, signLegend, tickText } from './priceTexts.ts';
import type { TimeWindow } from '../../page/browser/timeWindow.ts';
import { rowsWithin, type UnpackedTrades } from './rows/tradeRows.ts';
import { FRACTION_DIGITS } from '../../page/wire.ts';

declare const LightweightCharts: typeof Charts;

/** Minimum width of a bar. Narrower bars merge into each other. */
const PIXELS_PER_BAR = 2;
/** Bars that the chart holds beyond either side of the window, as a share of the window. Small moves then need no new data. */
const MARGIN_SHARE = 0.6;
/** Heights of the panes, in CSS pixels: of the price, of an indicator below it, and of the volume. */
const PRICE_HEIGHT = 460;
const NARROW_PRICE_HEIGHT = 360;
const PANE_HEIGHT = 110;
const VOLUME_HEIGHT = 70;
/** Narrower windows are usually those of phones, which are lower too. */
const MAX_NARROW_WIDTH = 700;
/** Name of the pane of the volumes. */
const VOLUME_PANE = 'volume';
/** Number of colours for indicators in the stylesheet. */
const SERIES_COLOURS = 6;
/** Opacity of the colours of gain and loss in bars and in volumes. The markers of trades have the full colours. */
const BAR_STRENGTH = 0.75;
const VOLUME_STRENGTH = 0.45;
/** Limit for stretching the price axis to show an indicator, in heights of the visible bars. */
const MAX_STRETCH = 0.5;

/** The line of one indicator. */
interface Line {
  readonly series: ISeriesApi<'Line'>;
  readonly colour: string;
  values: Float64Array;
}

/** The price chart. It shows one instrument at a time. */
export class PriceChart {
  readonly #root: HTMLElement;
  readonly #timeWindow: TimeWindow;
  readonly #onSelect: (row: number) => void;
  /** Called for a click on a bar that hits no trade. */
  onBar: ((bar: ClickedBar) => void) | null = null;
  readonly #scheduleUpdate = oncePerFrame(() => this.#update());
  #market: ChartMarket;
  #trades: UnpackedTrades | null = null;
  /** Rows of the trades of this market. */
  #tradeRows: readonly number[] = [];
  #selected: number | null = null;
  #chart: IChartApi | null = null;
  #bars: ISeriesApi<'Candlestick'> | null = null;
  #volume: ISeriesApi<'Histogram'> | null = null;
  #lines: Line[] = [];
  #overlay = new Overlay();
  #slice: ChartSlice | null = null;
  /** Lowest and highest price of the visible bars. */
  #range = { low: 0, high: 0 };

  constructor(root: HTMLElement, market: ChartMarket, timeWindow: TimeWindow, onSelect: (row: number) => void) {
    this.#root = root;
    this.#market = market;
    this.#timeWindow = timeWindow;
    this.#onSelect = onSelect;
    timeWindow.onChange(this.#scheduleUpdate);
    addGestures(root, timeWindow, {
      plotArea: () => ({ left: 0, width: this.#plotWidth() }),
      onClick: (x, y) => {
        const trade = this.#overlay.hit(x, y);
        if (trade !== null) this.#onSelect(trade);
        else this.#clickBar(x);
      },
    });
    this.rebuild();
  }

  /** The instrument that is shown. */
  get market(): ChartMarket {
    return this.#market;
  }

  /** Shows an instrument. Call it again after more of its data is unpacked. */
  show(market: ChartMarket, trades: UnpackedTrades | null, tradeRows: readonly number[]): void {
    this.#market = market;
    this.#trades = trades;
    this.#tradeRows = tradeRows;
    this.rebuild();
  }

  /** Highlights a trade. */
  select(row: number | null): void {
    this.#selected = row;
    this.#scheduleUpdate();
  }

  /** Returns the width of the drawing area in CSS pixels. */
  #plotWidth(): number {
    return Math.max(100, this.#root.clientWidth - AXIS_WIDTH_PX);
  }

  /** Rebuilds the chart for another market, width or theme. */
  rebuild(): void {
    this.#chart?.remove();
    this.#slice = null;
    this.#lines = [];
    const { traces, wire } = this.#market;
    const hasVolume = wire.volume !== null;
    const tracePanes = new Set(traces.map(({ pane }) => pane).filter((pane) => pane !== 'price'));
    // The pane of the volume is the first one below the price.
    const panes = [...(hasVolume ? [VOLUME_PANE] : []), ...tracePanes].map((name, index) => ({
      name,
      height: hasVolume && index === 0 ? VOLUME_HEIGHT : PANE_HEIGHT,
    }));
    const priceHeight = window.innerWidth <= MAX_NARROW_WIDTH ? NARROW_PRICE_HEIGHT : PRICE_HEIGHT;
    const panesHeight = panes.reduce((sum, { height }) => sum + height, 0);
    this.#root.style.height = `${priceHeight + panesHeight}px`;
    const chart = LightweightCharts.createChart(this.#root, this.#options());
    this.#chart = chart;
    this.#bars = this.#barSeries(chart);
    this.#overlay = new Overlay();
    this.#bars.attachPrimitive(this.#overlay);
    this.#volume = hasVolume ? this.#volumeSeries(chart) : null;
    this.#lines = traces.map((trace, index) => {
      const lineColour = colour(`s${index % SERIES_COLOURS}`);
      const pane = trace.pane === 'price' ? 0 : panes.findLastIndex(({ name }) => name === trace.pane) + 1;
      return { series: this.#lineSeries(chart, trace, lineColour, pane), colour: lineColour, values: new Float64Array(0) };
    });
    chart.panes().forEach((pane, index) => pane.setStretchFactor(index === 0 ? priceHeight : (panes[index - 1]?.height ?? PANE_HEIGHT)));
    chart.subscribeCrosshairMove((event) => this.#onCursor(event));
    this.#update();
    this.#showLegend(null);
  }

  /** Adds the bars of the price. A rising bar is hollow and a falling bar is filled, so that they differ without colour too. */
  #barSeries(chart: IChartApi): ISeriesApi<'Candlestick'> {
    const gain = faint(colour('gain'), BAR_STRENGTH);
    const loss = faint(colour('loss'), BAR_STRENGTH);
    const { digits } = this.#market.wire;
    return chart.addSeries(LightweightCharts.CandlestickSeries, {
      upColor: colour('surface'),
      downColor: loss,
      borderUpColor: gain,
      borderDownColor: loss,
      wickUpColor: gain,
      wickDownColor: loss,
      priceLineVisible: false,
      lastValueVisible: false,
      priceFormat: { type: 'price', precision: Math.max(0, digits), minMove: 10 ** -digits },
    });
  }

  /** Adds the pane of the volumes. */
  #volumeSeries(chart: IChartApi): ISeriesApi<'Histogram'> {
    const options = {
      priceLineVisible: false,
      lastValueVisible: false,
      base: 0,
      priceFormat: { type: 'custom' as const, minMove: 1e-8, formatter: briefNumber },
    };
    return chart.addSeries(LightweightCharts.HistogramSeries, options, 1);
  }

  /** Adds the line of an indicator to a pane. Pane 0 is that of the price. */
  #lineSeries(chart: IChartApi, trace: ChartMarket['traces'][number], lineColour: string, pane: number): ISeriesApi<'Line'> {
    const clipsToBars = { autoscaleInfoProvider: (range: () => AutoscaleInfo | null) => this.#clipRange(range()) };
    const options = {
      color: lineColour,
      lineWidth: 1 as const,
      priceLineVisible: false,
      lastValueVisible: false,
      crosshairMarkerVisible: false,
      // A value of a coarser feed holds until its next bar closes.
      lineType: trace.closeMs === null ? LightweightCharts.LineType.Simple : LightweightCharts.LineType.WithSteps,
      priceFormat: { type: 'price' as const, precision: trace.digits, minMove: 10 ** -trace.digits },
      ...(pane === 0 ? clipsToBars : {}),
    };
    return chart.addSeries(LightweightCharts.LineSeries, options, pane);
  }

  /** Clips the range of a line to prices near the visible bars, so that a distant average does not flatten them. */
  #clipRange(info: AutoscaleInfo | null): AutoscaleInfo | null {
    const { low, high } = this.#range;
    if (!info?.priceRange || !(high > low)) return info;
    const minValue = Math.max(info.priceRange.minValue, low - (high - low) * MAX_STRETCH);
    const maxValue = Math.min(info.priceRange.maxValue, high + (high - low) * MAX_STRETCH);
    return minValue < maxValue ? { ...info, priceRange: { minValue, maxValue } } : null;
  }

  /** Measures the lowest and highest price of the visible bars. */
  #measureRange({ level, rows, times }: ChartSlice): void {
    const { fromMs, toMs } = this.#timeWindow;
    let low = Infinity;
    let high = -Infinity;
    rows.forEach((row, place) => {
      const isVisible = times[place]! >= fromMs && times[place]! <= toMs;
      if (row < 0 || !isVisible) return;
      low = Math.min(low, level.low[row]!);
      high = Math.max(high, level.high[row]!);
    });
    const scale = 10 ** this.#market.wire.digits;
    this.#range = { low: low / scale, high: high / scale };
  }

  /** Returns size, colours and behaviour of the chart. */
  #options(): DeepPartial<TimeChartOptions> {
    const line = colour('line');
    return {
      width: this.#root.clientWidth,
      height: this.#root.clientHeight,
      layout: {
        background: { type: LightweightCharts.ColorType.Solid, color: colour('surface') },
        textColor: colour('muted'),
        fontSize: 11,
        fontFamily: 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace',
        attributionLogo: true,
        panes: { separatorColor: line, separatorHoverColor: line, enableResize: false },
      },
      grid: { vertLines: { color: line }, horzLines: { color: line } },
      crosshair: {
        mode: LightweightCharts.CrosshairMode.Normal,
        vertLine: { color: colour('muted'), labelBackgroundColor: colour('accent') },
        horzLine: { color: colour('muted'), labelBackgroundColor: colour('accent') },
      },
      rightPriceScale: { borderVisible: false, minimumWidth: AXIS_WIDTH_PX, scaleMargins: { top: 0.08, bottom: 0.08 } },
      timeScale: {
        borderColor: line,
        timeVisible: true,
        secondsVisible: false,
        allowBoldLabels: false,
        minBarSpacing: 0.05,
        rightOffset: 0,
        tickMarkFormatter: (time: Time, kind: Charts.TickMarkType) => tickText(Number(time) * 1000, kind),
      },
      localization: { timeFormatter: (time: Time) => timeText(Number(time) * 1000), tickmarksPriceFormatter: axisTexts },
      // The page handles time gestures itself, because the equity plots share them.
      handleScroll: false,
      handleScale: {
        mouseWheel: false,
        pinch: false,
        axisPressedMouseMove: { time: false, price: true },
        axisDoubleClickReset: { time: false, price: true },
      },
    };
  }

  /** Moves the chart to the window. Loads other bars first when the window has left the loaded bars or needs another interval. */
  #update(): void {
    const { fromMs, toMs, spanMs } = this.#timeWindow;
    const level = this.#market.levelFor(spanMs, this.#plotWidth() / PIXELS_PER_BAR);
    const current = this.#slice;
    const start = current?.times[0] ?? 0;
    const coversStart = start <= fromMs || start <= this.#timeWindow.runStartMs;
    const coversEnd = current !== null && (current.endMs >= toMs || current.endMs >= this.#timeWindow.runEndMs);
    if (current?.level !== level || !coversStart || !coversEnd) {
      const marginMs = spanMs * MARGIN_SHARE;
      const barMs = typicalLengthMs(level.interval);
      const sliceFromMs = Math.max(this.#timeWindow.runStartMs - barMs, fromMs - marginMs);
      const sliceToMs = Math.min(this.#timeWindow.runEndMs + barMs, toMs + marginMs);
      this.#slice = sliceOf(level, sliceFromMs, sliceToMs);
      this.#setSliceData(this.#slice);
    }
    const slice = this.#slice;
    if (!slice) return;
    this.#measureRange(slice);
    const [left, right] = edgesOf(slice, this.#timeWindow);
    // The chart shows half a bar beyond both ends. Below two bars the inset shrinks, because the chart rejects an inverted range.
    const inset = Math.min(0.5, (right - left) / 4);
    this.#chart?.timeScale().setVisibleLogicalRange({ from: left + inset, to: right - inset });
    const rows = this.#trades ? rowsWithin(this.#trades, this.#tradeRows, fromMs, toMs) : [];
    const { brackets, wire } = this.#market;
    this.#overlay.show({ slice, trades: this.#trades, rows, brackets, priceDigits: wire.priceDigits, selected: this.#selected });
    this.#showSummary(slice, rows.length);
  }

  /** Gives the bars, volumes and indicators of a slice to the chart. */
  #setSliceData(slice: ChartSlice): void {
    const { level, times, rows } = slice;
    const scale = 10 ** this.#market.wire.digits;
    this.#bars?.setData(
      times.map((timeMs, place) => {
        const time = chartTime(timeMs);
        const row = rows[place]!;
        if (row < 0) return { time };
        return {
          time,
          open: level.open[row]! / scale,
          high: level.high[row]! / scale,
          low: level.low[row]! / scale,
          close: level.close[row]! / scale,
        };
      }),
    );
    const risingColour = faint(colour('gain'), VOLUME_STRENGTH);
    const fallingColour = faint(colour('loss'), VOLUME_STRENGTH);
    this.#volume?.setData(
      times.map((timeMs, place) => {
        const row = rows[place]!;
        if (row < 0) return { time: chartTime(timeMs) };
        const isRising = level.close[row]! >= level.open[row]!;
        return { time: chartTime(timeMs), value: level.volume[row]!, color: isRising ? risingColour : fallingColour };
      }),
    );
    this.#lines.forEach((line, index) => {
      const trace = this.#market.traces[index];
      if (!trace) return;
      line.values = traceOn(slice, trace);
      line.series.setData(
        times.map((timeMs, place) => {
          const value = line.values[place]!;
          return Number.isFinite(value) ? { time: chartTime(timeMs), value } : { time: chartTime(timeMs) };
        }),
      );
    });
  }

  /** Shows the interval of the bars and the number of trades in view. */
  #showSummary(slice: ChartSlice, tradeCount: number): void {
    const { quote } = this.#market.wire;
    const sharedNote = tradeCount > MAX_MARKERS ? `, several to a marker` : '';
    const tradesText = this.#trades === null ? 'unpacking the trades' : `${counted(tradeCount, 'trade')} in view${sharedNote}`;
    const text = `${slice.level.interval} bars, ${quote} · ${tradesText}`;
    byId('price-read')?.replaceChildren(element('span', {}, text), ...this.#selectedText());
  }

  /** Returns side, result and duration of the selected trade; nothing without one. */
  #selectedText(): HTMLElement[] {
    const row = this.#selected;
    if (row === null || !this.#trades) return [];
    const { of } = this.#trades;
    const side = of.side[row] === 0 ? 'long' : 'short';
    const result = signedPercent(of.return[row]! / 10 ** FRACTION_DIGITS);
    const duration = spanText(of.exitMs[row]! - of.entryMs[row]!);
    return [element('b', { class: tone(of.pnl[row]!) }, `trade ${wholeText(row + 1)}: ${side}, ${result} in ${duration}`)];
  }

  /** Reports the bar at a position in pixels. */
  #clickBar(x: number): void {
    const place = Math.round(Number(this.#chart?.timeScale().coordinateToLogical(x) ?? -1));
    const bar = this.#slice === null ? null : clickedBar(this.#slice, place, this.#market, this.#lines);
    if (bar !== null) this.onBar?.(bar);
  }

  /** Shows the bar and the indicators under the cursor. */
  #onCursor(event: MouseEventParams): void {
    const slice = this.#slice;
    const place = event.logical === undefined ? -1 : Math.round(Number(event.logical));
    const isOnGrid = slice !== null && place >= 0 && place < slice.rows.length;
    this.#showLegend(isOnGrid ? place : null);
  }

  /** Shows the bar at a place of the grid with its indicators. Null shows the meaning of the signs. */
  #showLegend(place: number | null): void {
    const legend = byId('price-legend');
    if (!legend) return;
    const slice = this.#slice;
    const barOrSigns = slice && place !== null ? [element('span', {}, this.#barText(slice, place))] : signLegend(this.#market.wire);
    const indicators: HTMLElement[] = [];
    this.#lines.forEach((line, index) => {
      const trace = this.#market.traces[index];
      if (!trace) return;
      const value = place === null ? '' : ` ${fixed(line.values[place] ?? Number.NaN, trace.digits)}`;
      const swatch = element('i', { class: 'swatch', style: `border-color:${line.colour}` });
      indicators.push(element('span', {}, swatch, `${trace.name}${value}`));
    });
    legend.replaceChildren(...barOrSigns, ...indicators);
  }

  /** Returns the time, the prices and the volume of the bar at a place of the grid. */
  #barText({ level, rows, times }: ChartSlice, place: number): string {
    const { wire } = this.#market;
    const row = rows[place]!;
    const time = timeText(times[place]!);
    if (row < 0) return `${time}  no bar`;
    const digits = Math.max(0, wire.digits);
    const price = (column: Int32Array): string => exactText(column[row]!, digits, digits);
    const volume = wire.volume === null ? '' : `  V ${briefNumber(level.volume[row] ?? 0)}`;
    return `${time}  O ${price(level.open)}  H ${price(level.high)}  L ${price(level.low)}  C ${price(level.close)}${volume}`;
  }

  /** Draws at another size immediately, because printing does not wait for the next frame. */
  resize(): void {
    this.#chart?.resize(this.#root.clientWidth, this.#root.clientHeight, true);
    this.#slice = null;
    this.#update();
  }
}
