// The charts of the dashboard: price with the bot's fills, and equity. Both follow the newest bar until the user scrolls.
/// <reference lib="dom" />

import type * as Charts from 'lightweight-charts';
import type { IChartApi, ISeriesApi, ISeriesMarkersPluginApi, SeriesMarker, Time, UTCTimestamp } from 'lightweight-charts';
import { appendAll } from '../../../../base/memory/appendAll.ts';
import { largestOf } from '../../../../base/number/extremes.ts';
import type { BotView, FeedView } from '../../../control/botView.ts';
import { chartTime } from '../../../../report/page/browser/chartUnits.ts';
import { byId, colour, element } from '../../../../report/page/browser/dom.ts';
import { grouped } from '../../../../base/text/format.ts';
import { setText } from './table.ts';

declare const LightweightCharts: typeof Charts;

/** The pane of the bars. */
const PRICE_PANE = 'price';
/** Heights of the pane of the bars and of each pane below it, where there are some, px. */
const PRICE_HEIGHT = 280;
const PANE_HEIGHT = 90;
/** Number of newest bars whose closes decide how many decimals the price scale shows, and the maximum of decimals. */
const RECENT_BARS = 5;
const MAX_PRICE_DIGITS = 8;
/** Number of colours for lines. */
const PLOT_COLOURS = 6;

/** The objects of the chart library. */
interface ChartObjects {
  readonly price: IChartApi;
  readonly bars: ISeriesApi<'Candlestick'>;
  /** The marks of the bot's fills. */
  readonly marks: ISeriesMarkersPluginApi<Time>;
  /** The lines of what strategies plot, in the order of the feed's plots. */
  readonly plotLines: ISeriesApi<'Line'>[];
  readonly equity: IChartApi;
  readonly equityLine: ISeriesApi<'Area'>;
}

/** Both charts of the page. */
export class LiveCharts {
  #charts: ChartObjects | null = null;
  #view: BotView | null = null;
  #feedIndex = 0;
  /** Identifies the drawn data, so that the same data is not drawn twice. */
  #drawnKey = '';
  /** Identifies the lines of the price chart: names and panes. */
  #drawnLines = '';

  constructor() {
    byId('feed')?.addEventListener('change', (event) => {
      this.#feedIndex = event.target instanceof HTMLSelectElement ? event.target.selectedIndex : 0;
      this.#drawnKey = '';
      if (this.#view) this.show(this.#view);
    });
    new ResizeObserver(() => this.#resize()).observe(document.body);
  }

  /** Draws the charts again after a change of the theme. */
  restyle(): void {
    this.#charts?.price.remove();
    this.#charts?.equity.remove();
    this.#charts = null;
    this.#drawnKey = '';
    this.#drawnLines = '';
    if (this.#view) this.show(this.#view);
  }

  /** Draws a view, unless its data is already drawn. */
  show(view: BotView): void {
    this.#view = view;
    this.#drawFeedNames(view.feeds);
    const feed = view.feeds[this.#feedIndex] ?? view.feeds[0];
    setText('last', feed?.lastPrice ? grouped(feed.lastPrice) : '');
    const [equity] = view.equity;
    const viewKey = [
      feed?.instrument,
      feed?.bars.at(-1)?.[0],
      feed?.lastPrice,
      view.fills.at(-1)?.tradeId,
      equity?.points.at(-1)?.[0],
      equity?.now,
    ].join(' ');
    if (viewKey === this.#drawnKey) return;
    const isFirstDraw = this.#charts === null;
    this.#charts ??= createCharts();
    this.#drawnKey = viewKey;
    if (feed) this.#drawPrice(view, feed, this.#charts);
    const points = (equity?.points ?? []).map(([timeMs, value]) => ({ time: chartTime(timeMs), value: Number(value) }));
    setText('equity-note', points.length === 0 ? 'No bar has closed since the start.' : '');
    this.#charts.equityLine.setData(withRisingTimes(points));
    if (!isFirstDraw) return;
    this.#charts.price.timeScale().fitContent();
    this.#charts.equity.timeScale().fitContent();
  }

  /** Draws the bars of a feed with the bot's fills. */
  #drawPrice({ fills }: BotView, feed: FeedView, charts: ChartObjects): void {
    const { instrument, bars } = feed;
    const { bars: series, marks } = charts;
    const closes = bars.slice(-RECENT_BARS).map(([, , , , close]) => close);
    const digits = Math.min(MAX_PRICE_DIGITS, Math.max(0, largestOf(closes.map(priceDecimals))));
    series.applyOptions({ priceFormat: { type: 'price', precision: digits, minMove: 10 ** -digits } });
    const candles = bars.map(([openMs, open, high, low, close]) => ({ time: chartTime(openMs), open, high, low, close }));
    series.setData(withRisingTimes(candles));
    const firstOpenMs = bars[0]?.[0] ?? Infinity;
    const shownFills = fills
      .filter((fill) => fill.instrument === instrument && fill.timeMs >= firstOpenMs)
      .toSorted((earlier, later) => earlier.timeMs - later.timeMs);
    marks.setMarkers(
      shownFills.map(({ side, timeMs }): SeriesMarker<Time> => ({
        time: chartTime(barOpenMs(bars, timeMs)),
        position: side === 'buy' ? 'belowBar' : 'aboveBar',
        shape: side === 'buy' ? 'arrowUp' : 'arrowDown',
        color: colour(side === 'buy' ? 'gain' : 'loss'),
      })),
    );
    this.#drawPlots(feed, charts);
  }

  /** Draws the plots of a feed. Their lines are created again when names or panes have changed. */
  #drawPlots({ instrument, interval, bars, plots }: FeedView, { price, plotLines }: ChartObjects): void {
    const plotNames = plots.map(({ strategy, name, pane }) => [strategy, name, pane]);
    const linesKey = JSON.stringify([instrument, interval, plotNames]);
    if (linesKey !== this.#drawnLines) {
      this.#drawnLines = linesKey;
      for (const line of plotLines.splice(0)) price.removeSeries(line);
      appendAll(plotLines, addLines(price, plots));
      byId('plots')?.replaceChildren(...legendOf(plots));
    }
    for (const [index, { values }] of plots.entries()) {
      const points = bars.map(([openMs], row) => {
        const value = values[row] ?? null;
        return value === null ? { time: chartTime(openMs) } : { time: chartTime(openMs), value };
      });
      plotLines[index]?.setData(withRisingTimes(points));
    }
  }

  /** Fills the list of feeds, from which the user chooses one. */
  #drawFeedNames(feeds: readonly FeedView[]): void {
    const select = byId('feed');
    const names = feeds.map(({ instrument, interval }) => `${instrument} ${interval}`);
    if (!(select instanceof HTMLSelectElement) || select.options.length === names.length) return;
    select.replaceChildren(...names.map((name) => element('option', {}, name)));
  }

  /** Fits both charts to the page. */
  #resize(): void {
    if (!this.#charts) return;
    for (const [id, chart] of [
      ['price-chart', this.#charts.price],
      ['equity-chart', this.#charts.equity],
    ] as const) {
      const root = byId(id);
      if (root && root.clientWidth > 0) chart.resize(root.clientWidth, root.clientHeight);
    }
  }
}

/** Adds a line for each plot, in the pane that it names, and makes the chart higher for the panes. */
function addLines(price: IChartApi, plots: FeedView['plots']): ISeriesApi<'Line'>[] {
  const panes = [...new Set(plots.map(({ pane }) => pane).filter((pane) => pane !== PRICE_PANE))];
  const lines = plots.map(({ pane }, index) =>
    price.addSeries(
      LightweightCharts.LineSeries,
      {
        color: colour(`s${index % PLOT_COLOURS}`),
        lineWidth: 1,
        priceLineVisible: false,
        lastValueVisible: false,
        crosshairMarkerVisible: false,
      },
      pane === PRICE_PANE ? 0 : panes.indexOf(pane) + 1,
    ),
  );
  const root = byId('price-chart');
  if (root) {
    root.style.height = panes.length === 0 ? '' : `${PRICE_HEIGHT + panes.length * PANE_HEIGHT}px`;
    price.resize(root.clientWidth, root.clientHeight);
  }
  price.panes().forEach((pane, index) => pane.setStretchFactor(index === 0 ? PRICE_HEIGHT : PANE_HEIGHT));
  return lines;
}

/** Returns the names of the plots, each with the colour of its line. */
function legendOf(plots: FeedView['plots']): HTMLElement[] {
  const hasSeveral = new Set(plots.map(({ strategy }) => strategy)).size > 1;
  return plots.map(({ strategy, name }, index) => {
    const sample = element('span', { class: 'sample' }, '');
    sample.style.background = colour(`s${index % PLOT_COLOURS}`);
    return element('span', {}, sample, hasSeveral ? `${strategy} ${name}` : name);
  });
}

/** A price with more decimals than this comes from the rounding of a binary fraction. It is shown with two. */
const MAX_EXACT_DECIMALS = 4;

/** Returns how many decimals of a price to show. */
function priceDecimals(price: number): number {
  const { length } = String(price).split('.')[1] ?? '';
  return length <= MAX_EXACT_DECIMALS ? length : 2;
}

/** Returns the open time of the bar that contains `timeMs`, or of the newest bar when that bar has not arrived yet. */
function barOpenMs(bars: FeedView['bars'], timeMs: number): number {
  return bars.findLast(([openMs]) => openMs <= timeMs)?.[0] ?? timeMs;
}

/** Returns the points that are later than their predecessor, because the chart library rejects others. */
function withRisingTimes<T extends { readonly time: UTCTimestamp }>(points: readonly T[]): T[] {
  return points.filter(({ time }, index) => index === 0 || time > (points[index - 1]?.time ?? 0));
}

/** Returns the colours and the behaviour that both charts share. */
function chartOptions() {
  return {
    autoSize: false,
    layout: {
      background: { type: LightweightCharts.ColorType.Solid, color: colour('surface') },
      textColor: colour('muted'),
      fontSize: 11,
      attributionLogo: false,
      panes: { separatorColor: colour('line'), separatorHoverColor: colour('line') },
    },
    grid: { vertLines: { color: colour('line') }, horzLines: { color: colour('line') } },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.1, bottom: 0.1 } },
    timeScale: { borderColor: colour('line'), timeVisible: true, secondsVisible: false, rightOffset: 3 },
    crosshair: { mode: LightweightCharts.CrosshairMode.Normal },
    handleScroll: { vertTouchDrag: false },
  };
}

/** Creates both charts in the colours of the theme. */
function createCharts(): ChartObjects {
  const chart = (id: string): IChartApi => {
    const root = byId(id);
    if (!root) throw new TypeError(`no #${id}`);
    return LightweightCharts.createChart(root, { ...chartOptions(), width: root.clientWidth, height: root.clientHeight });
  };
  const price = chart('price-chart');
  const muted = colour('muted');
  const bars = price.addSeries(LightweightCharts.CandlestickSeries, {
    upColor: colour('surface'),
    downColor: muted,
    borderUpColor: muted,
    borderDownColor: muted,
    wickUpColor: muted,
    wickDownColor: muted,
    priceLineColor: colour('accent'),
  });
  const equity = chart('equity-chart');
  const accent = colour('accent');
  const equityLine = equity.addSeries(LightweightCharts.AreaSeries, {
    lineColor: accent,
    topColor: `${accent}40`,
    bottomColor: `${accent}00`,
    lineWidth: 2,
    priceLineVisible: false,
  });
  return { price, bars, marks: LightweightCharts.createSeriesMarkers(bars, []), plotLines: [], equity, equityLine };
}
