// The charts of the dashboard: price with the bot's fills, and equity. Both follow the newest bar until the user scrolls.
/// <reference lib="dom" />

import type * as Charts from 'lightweight-charts';
import type { IChartApi, ISeriesApi, ISeriesMarkersPluginApi, SeriesMarker, Time, UTCTimestamp } from 'lightweight-charts';
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
/** Number of colours for lines. */
const PLOT_COLOURS = 6;

/** The objects of the chart library. */
interface ChartObjects {
  readonly price: IChartApi;
  readonly bars: ISeriesApi<'Candlestick'>;
  readonly marks: ISeriesMarkersPluginApi<Time>;
  /** What strategies draw on the feed, in the order of its plots. */
  readonly plots: ISeriesApi<'Line'>[];
  readonly equity: IChartApi;
  readonly line: ISeriesApi<'Area'>;
}

/** Both charts of the page. */
export class LiveCharts {
  #charts: ChartObjects | null = null;
  #view: BotView | null = null;
  #feed = 0;
  /** Text that identifies the drawn data, so that the same data is not drawn twice. */
  #drawn = '';
  /** Text that identifies the lines of the price chart: names and panes. */
  #lines = '';

  constructor() {
    byId('feed')?.addEventListener('change', (event) => {
      this.#feed = event.target instanceof HTMLSelectElement ? event.target.selectedIndex : 0;
      this.#drawn = '';
      if (this.#view) this.show(this.#view);
    });
    new ResizeObserver(() => this.#resize()).observe(document.body);
  }

  /** Draws the charts again after a change of the theme. */
  restyle(): void {
    this.#charts?.price.remove();
    this.#charts?.equity.remove();
    this.#charts = null;
    this.#drawn = '';
    this.#lines = '';
    if (this.#view) this.show(this.#view);
  }

  /** Draws a view, unless its data is already drawn. */
  show(view: BotView): void {
    this.#view = view;
    this.#drawNames(view.feeds);
    const feed = view.feeds[this.#feed] ?? view.feeds[0];
    setText('last', feed?.lastPrice ? grouped(feed.lastPrice) : '');
    const drawnState = `${feed?.instrument} ${feed?.bars.at(-1)?.[0]} ${feed?.lastPrice} ${view.fills.at(-1)?.tradeId} ${view.equity[0]?.points.at(-1)?.[0]} ${view.equity[0]?.now}`;
    if (drawnState === this.#drawn) return;
    const isFirst = this.#charts === null;
    this.#charts ??= createCharts();
    this.#drawn = drawnState;
    if (feed) this.#drawPrice(view, feed, this.#charts);
    const points = (view.equity[0]?.points ?? []).map(([timeMs, value]) => ({ time: chartTime(timeMs), value: Number(value) }));
    setText('equity-note', points.length === 0 ? 'No bar has closed since the start.' : '');
    this.#charts.line.setData(rising(points));
    if (!isFirst) return;
    this.#charts.price.timeScale().fitContent();
    this.#charts.equity.timeScale().fitContent();
  }

  /** Draws the bars of a feed with the bot's fills. */
  #drawPrice({ fills }: BotView, feed: FeedView, charts: ChartObjects): void {
    const { instrument, bars } = feed;
    const { bars: series, marks } = charts;
    const digits = Math.min(8, Math.max(0, ...bars.slice(-5).map((bar) => decimals(bar[4]))));
    series.applyOptions({ priceFormat: { type: 'price', precision: digits, minMove: 10 ** -digits } });
    series.setData(rising(bars.map(([openMs, open, high, low, close]) => ({ time: chartTime(openMs), open, high, low, close }))));
    const first = bars[0]?.[0] ?? Infinity;
    const ownFills = fills.filter((fill) => fill.instrument === instrument && fill.timeMs >= first).toSorted((a, b) => a.timeMs - b.timeMs);
    marks.setMarkers(
      ownFills.map(({ side, timeMs }): SeriesMarker<Time> => ({
        time: chartTime(barOf(bars, timeMs)),
        position: side === 'buy' ? 'belowBar' : 'aboveBar',
        shape: side === 'buy' ? 'arrowUp' : 'arrowDown',
        color: colour(side === 'buy' ? 'gain' : 'loss'),
      })),
    );
    this.#drawPlots(feed, charts);
  }

  /** Draws the plots of a feed. Their lines are created again when names or panes have changed. */
  #drawPlots({ instrument, interval, bars, plots }: FeedView, { price, plots: lines }: ChartObjects): void {
    const names = JSON.stringify([instrument, interval, plots.map(({ strategy, name, pane }) => [strategy, name, pane])]);
    if (names !== this.#lines) {
      this.#lines = names;
      for (const line of lines.splice(0)) price.removeSeries(line);
      lines.push(...addLines(price, plots));
      byId('plots')?.replaceChildren(...legendOf(plots));
    }
    for (const [index, { values }] of plots.entries()) {
      const points = bars.map(([openMs], row) => {
        const value = values[row] ?? null;
        return value === null ? { time: chartTime(openMs) } : { time: chartTime(openMs), value };
      });
      lines[index]?.setData(rising(points));
    }
  }

  #drawNames(feeds: readonly FeedView[]): void {
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

/** Returns the decimals of a price; 2 for more than 4, because a binary fraction may have many more digits than the price. */
function decimals(value: number): number {
  const { length } = String(value).split('.')[1] ?? '';
  return length <= 4 ? length : 2;
}

/** Returns the open time of the bar that contains `timeMs`, or of the newest bar when that bar has not arrived yet. */
function barOf(bars: FeedView['bars'], timeMs: number): number {
  return bars.findLast(([openMs]) => openMs <= timeMs)?.[0] ?? timeMs;
}

/** Returns the points whose times rise, because the chart library rejects others. */
function rising<T extends { readonly time: UTCTimestamp }>(points: readonly T[]): T[] {
  return points.filter(({ time }, index) => index === 0 || time > (points[index - 1]?.time ?? 0));
}

/** Returns the colours and the behaviour of a chart. */
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
  const line = equity.addSeries(LightweightCharts.AreaSeries, {
    lineColor: accent,
    topColor: `${accent}40`,
    bottomColor: `${accent}00`,
    lineWidth: 2,
    priceLineVisible: false,
  });
  return { price, bars, marks: LightweightCharts.createSeriesMarkers(bars, []), plots: [], equity, line };
}
