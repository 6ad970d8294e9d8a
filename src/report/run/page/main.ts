// The script of the report page in the browser: draws the first picture, then unpacks the run and draws it in full detail.

import { largestOf } from '../../../base/number/extremes.ts';
import { typicalLengthMs } from '../../../model/interval.ts';
import { contractValueAt } from '../../kernels/contractValue.ts';
import { addCopying, addKeys, addPrinting, addRanges, addScrollCues, addTheme, addTips, addWidths } from '../../page/browser/controls.ts';
import { byId, waitForPaint } from '../../page/browser/dom.ts';
import { BarPanel } from './barPanel.ts';
import { EquityPlots } from './equityPlots.ts';
import { drawdownsOf, exposureBetween, type EquityRows, type HeldPosition } from './rows/equityRows.ts';
import { ChartMarket } from './rows/market.ts';
import { drawPictures } from './pictures.ts';
import { PriceChart } from './priceChart.ts';
import { TimeWindow } from '../../page/browser/timeWindow.ts';
import { TradeTable } from './tradeTable.ts';
import { rowsByInstrument, unpackTrades, type UnpackedTrades } from './rows/tradeRows.ts';
import { unpackNarrow, unpackDecimals } from '../../page/browser/unpack.ts';
import { drawWeek } from './week.ts';
import type { PageData } from '../../page/wire.ts';

const MINUTE_MS = 60_000;
/** Margin around a selected trade, in lengths of the trade. */
const TRADE_MARGIN = 4;
const MIN_MARGIN_BARS = 60;
/** Factor of one zoom step by key. */
const ZOOM_STEP = 1.5;

const page = JSON.parse(byId('page')?.textContent ?? 'null') as PageData;
const markets = page.instruments.map((wire) => new ChartMarket(wire));
// At least fifteen minutes, and at least two bars.
const minMs = Math.max(15 * MINUTE_MS, largestOf(page.instruments.map(({ interval }) => 2 * typicalLengthMs(interval))));
const priceWindow = new TimeWindow(page.fromMs, page.toMs, minMs);
const root = byId('equity-plots');
const equity = root ? new EquityPlots(root, { page, rows: firstRows(), exposure: firstExposure, priceWindow }) : null;
const chartRoot = byId('price-chart');
const firstMarket = markets[0];
const chart = chartRoot && firstMarket ? new PriceChart(chartRoot, firstMarket, priceWindow, select) : null;

const panel = chart ? new BarPanel(page) : null;
if (chart) chart.onBar = (bar) => panel?.show(markets.indexOf(chart.market), bar);

let trades: UnpackedTrades | null = null;
let tradeRows: number[][] = [];
let table: TradeTable | null = null;

/** Sets the status: `drawn` after the first picture, `ready` after everything is unpacked. */
function setStatus(state: 'drawn' | 'ready'): void {
  document.documentElement.dataset['state'] = state;
  performance.mark(`isobar-${state}`);
}

/** Returns the rows of the overview, for the picture before the columns are unpacked. */
function firstRows(): EquityRows {
  const { minutes, equity: values, hold, drawdown } = page.overview;
  return { length: minutes.length, ms: minutes.map((minute) => minute * MINUTE_MS), equity: values, hold, drawdown };
}

/** Returns the exposure of the overview, for the picture before the columns are unpacked. */
function firstExposure(): { ms: number[]; exposure: number[] } {
  return { ms: page.overview.minutes.map((minute) => minute * MINUTE_MS), exposure: [...page.overview.exposure] };
}

/** Unpacks all columns and draws each part of the page as soon as its columns are ready. */
async function unpackAll(): Promise<void> {
  await waitForPaint();
  setStatus('drawn');
  trades = await unpackTrades(page.trades);
  tradeRows = rowsByInstrument(trades, markets.length);
  if (trades.length > 0) table = new TradeTable(page, trades, priceWindow, showTrade);
  drawPictures(page, trades);
  if (page.hours) drawWeek(page.hours);
  addScrollCues();
  for (const [index, market] of markets.entries()) {
    await market.unpack();
    if (chart?.market === market) chart.show(market, trades, tradeRows[index] ?? []);
  }
  await panel?.unpack();
  await waitForPaint();
  const rows = await equityRows();
  await waitForPaint();
  const holdings = holdingsOf();
  equity?.refine(rows, holdings === null ? firstExposure : (from, to, spans) => exposureBetween(rows, holdings, { from, to, spans }));
  await waitForPaint();
  setStatus('ready');
}

/** Returns equity and buy-and-hold at every instant on the page, beginning with the start of the run. */
async function equityRows(): Promise<EquityRows> {
  const minutes = await unpackNarrow(page.equity.minutes);
  const values = await unpackDecimals(page.equity.values);
  const length = minutes.length + 1;
  const ms = new Float64Array(length);
  const equityValues = new Float64Array(length);
  ms[0] = page.fromMs;
  equityValues[0] = page.start;
  for (let row = 1; row < length; row++) {
    ms[row] = minutes[row - 1]! * MINUTE_MS;
    equityValues[row] = values[row - 1]!;
  }
  await waitForPaint();
  return { length, ms, equity: equityValues, hold: holdAt(ms), drawdown: drawdownsOf(equityValues) };
}

/** Returns buy-and-hold of the instruments with an execution feed, with equal weights at the start. */
function holdAt(ms: Float64Array): Float64Array | null {
  const executed = markets.filter((market) => market.wire.execution);
  if (executed.length === 0) return null;
  const values = new Float64Array(ms.length);
  for (const market of executed) market.addGrowth(ms, page.start / executed.length, values, conversionOf(market));
  return values;
}

/** Returns the instrument that values the quote asset of a market; null for the reporting asset. */
function conversionOf({ wire: { convertedBy } }: ChartMarket): ChartMarket | null {
  return convertedBy === undefined ? null : (markets[convertedBy] ?? null);
}

/** Returns the positions of all traded instruments. Null when the page lacks the fills of one. */
function holdingsOf(): HeldPosition[] | null {
  const executed = markets.filter((market) => market.wire.execution);
  const holdings = executed.flatMap((market) => {
    const conversion = conversionOf(market);
    const rateAt = (ms: number) => (conversion === null ? 1 : conversion.closeAt(ms));
    const priceAt = (ms: number) => contractValueAt(market.wire, market.closeAt(ms)) * rateAt(ms);
    return market.changes ? [{ changes: market.changes, priceAt }] : [];
  });
  return holdings.length === executed.length ? holdings : null;
}

/** Shows a trade chosen in the table, and scrolls the chart into view. */
function showTrade(row: number): void {
  select(row);
  const hasReducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
  byId('price')?.scrollIntoView({ block: 'nearest', behavior: hasReducedMotion ? 'auto' : 'smooth' });
}

/** Shows one trade in the chart and in the table. */
function select(row: number): void {
  if (!trades) return;
  const { of } = trades;
  showInstrument(of.instrument[row] ?? 0);
  table?.select(row);
  chart?.select(row);
  const entryMs = of.entryMs[row]!;
  const exitMs = of.exitMs[row]!;
  const barMs = chart ? chart.market.barMs : MINUTE_MS;
  const marginMs = Math.max((exitMs - entryMs) * TRADE_MARGIN, barMs * MIN_MARGIN_BARS);
  priceWindow.show(entryMs - marginMs / 2, exitMs + marginMs / 2);
}

/** Shows an instrument in the price chart. */
function showInstrument(instrumentIndex: number): void {
  const market = markets[instrumentIndex];
  if (!market || !chart || chart.market === market) return;
  const picker = byId('instrument');
  if (picker instanceof HTMLSelectElement) picker.value = String(instrumentIndex);
  chart.show(market, trades, tradeRows[instrumentIndex] ?? []);
}

/** Switches the logarithmic axis of the equity plot. */
function toggleLog(): void {
  const box = byId('log');
  if (!(box instanceof HTMLInputElement) || !equity) return;
  box.checked = equity.setLog(!equity.isLog);
  // Disables the logarithmic axis when it was rejected: an equity of 0 has no logarithm.
  box.disabled = !box.checked && !equity.canBeLog;
  if (box.disabled) box.title = 'needs an equity above 0 throughout';
}

/** Redraws everything after a change of width or theme. */
function redraw(): void {
  equity?.rebuild();
  chart?.rebuild();
  if (trades) drawPictures(page, trades);
  if (page.hours) drawWeek(page.hours);
  addScrollCues();
}

/** Connects all controls of the page. */
function connectControls(): void {
  const theme = addTheme(redraw);
  addTips();
  addCopying();
  addPrinting((isPaper) => {
    redraw();
    if (isPaper) chart?.resize();
  });
  if (equity) addRanges('equity', equity.timeWindow);
  addRanges('price', priceWindow);
  byId('log')?.addEventListener('change', toggleLog);
  byId('hold')?.addEventListener('change', (event) => {
    if (event.target instanceof HTMLInputElement) equity?.showHold(event.target.checked);
  });
  byId('instrument')?.addEventListener('change', (event) => {
    if (event.target instanceof HTMLSelectElement) showInstrument(Number(event.target.value));
  });
  addKeys({
    t: theme.next,
    l: toggleLog,
    j: () => table?.step(1),
    k: () => table?.step(-1),
    '+': () => priceWindow.zoom(1 / ZOOM_STEP),
    '=': () => priceWindow.zoom(1 / ZOOM_STEP),
    '-': () => priceWindow.zoom(ZOOM_STEP),
    0: () => priceWindow.show(priceWindow.runStartMs, priceWindow.runEndMs),
  });
  addWidths(redraw);
  // The packed columns follow after this script. They are available once the browser has read the whole page.
  document.addEventListener('isobar-columns', () => void unpackAll());
}

connectControls();
