// Writes report.html: one file that shows a run without network access, from the columns and the summary of the run.

import { writeFile } from 'node:fs/promises';
import { typicalLengthMs } from '../../model/interval.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { ChartBars } from './chartBars.ts';
import { chartFeeds, firstBars, packEquity, packInstrument, type FirstBars } from './columns.ts';
import { detailOf, samplesOf, type Detail } from './detail.ts';
import { documentOf } from './document/document.ts';
import { EventColumns } from './eventColumns.ts';
import type { ReportInput } from './document/input.ts';
import { BarEvents } from './events/barEvents.ts';
import { pageCode } from '../page/pageCode.ts';
import { withColumns } from '../page/shell.ts';
import { reportingView } from '../series/reportingView.ts';
import { overviewOf, returnsByHour } from './overview.ts';
import { RunIndex } from './runIndex.ts';
import { Pack } from '../page/pack.ts';
import type { PageData, WireInstrument, WireOverview } from '../page/wire.ts';

/** A larger page is written again with coarser bars. */
const MAX_BYTES = 14_500_000;

/** Writes the report to `path` and replaces an existing file. Rejects with the system error when writing fails. */
export async function writeReport(input: ReportInput, path: string): Promise<void> {
  await writeFile(path, await reportPieces(input));
}

/**
 * Returns the text of the report in pieces, together at most about 15 MB. If the bars of the run do not fit, the page has coarser bars, and a note about it.
 */
async function reportPieces(input: ReportInput): Promise<readonly string[]> {
  const index = new RunIndex(input.record);
  const charts = chartFeeds(input.record).map((feed) => new ChartBars(feed));
  const samples = samplesOf(index, charts);
  const inMoney = reportingView(input.record);
  const overview = overviewOf(inMoney === input.record ? index : new RunIndex(inMoney));
  const code = pageCode();
  const events = new EventColumns(index);
  for (const chart of charts) {
    events.packChart(chart);
    if (events.packer.isFull) await events.packer.finish();
  }
  events.packTrades(charts);
  const feeds = charts.map(({ feed }) => feed);
  const barEvents = new BarEvents(input.record, feeds, events.packer);
  let bars: readonly FirstBars[] = [];
  for (let budget = 1; ; budget /= 2) {
    const detail = detailOf(samples, budget);
    bars = charts.map((chart, place) => firstBars(chart.level(detail.intervals[place]!), bars[place]));
    const pack = new Pack();
    const page = await pageData(input, { index, charts, overview, events, barEvents, bars }, detail, pack);
    if (page === null) continue;
    const columns = await pack.finish();
    const pieces = withColumns(documentOf({ input, page, code }), columns);
    const totalLength = pieces.reduce((sum, { length }) => sum + length, 0);
    if (totalLength <= MAX_BYTES || detail.isCoarsest) return pieces;
  }
}

/** The parts from which a page is built. */
interface PageSources {
  readonly index: RunIndex;
  readonly charts: readonly ChartBars[];
  readonly overview: WireOverview;
  readonly events: EventColumns;
  readonly barEvents: BarEvents;
  /** The bars of each chart at the detail of the page. */
  readonly bars: readonly FirstBars[];
}

/** Returns the data of the page and adds its columns to `pack`. Null as soon as the page would certainly be too large. */
async function pageData(input: ReportInput, parts: PageSources, detail: Detail, pack: Pack): Promise<PageData | null> {
  const { record, summary } = input;
  const { overview, events } = parts;
  const { metrics } = summary;
  const equity = packEquity(record, detail.equityStepMs, pack);
  const instruments = await instrumentsOf(parts, detail, pack);
  if (instruments === null) return null;
  return {
    name: record.name,
    resultHash: summary.resultHash,
    asset: record.reportingAsset,
    assetDigits: record.reportingDigits,
    fromMs: record.fromMs,
    toMs: record.toMs,
    start: record.startUnits / pow10(record.reportingDigits),
    strategies: record.strategies.map(({ name }) => name),
    overview,
    drawdowns: metrics.drawdownTable
      .slice(0, 5)
      .map(({ peakMs, troughMs, recoveryMs, depth }) => ({ peakMs, troughMs, recoveryMs, depth })),
    equity,
    instruments,
    trades: events.tradesOn(pack),
    barEvents: parts.barEvents.on(pack),
    rollingSharpe: { ms: metrics.days, values: metrics.rollingSharpe.map((value) => (value === null ? null : Number(value.toFixed(4)))) },
    hours: isIntraday(record) ? returnsByHour(record) : null,
  };
}

/** Packs all charts. Null as soon as the page would certainly be too large. */
async function instrumentsOf(
  { index, charts, events, bars }: PageSources,
  { isCoarsest }: Detail,
  pack: Pack,
): Promise<WireInstrument[] | null> {
  // The first bars are part of the page as plain JSON, so their length counts beside the packed columns.
  const firstLength = bars.reduce((sum, { length }) => sum + length, 0);
  const instruments: WireInstrument[] = [];
  for (let chart = 0; chart < charts.length; chart++) {
    if (!isCoarsest && firstLength + events.packer.length + pack.packer.length > MAX_BYTES) return null;
    const convertedBy = conversionPlace(index, charts, chart);
    instruments.push({ ...packInstrument(index, charts[chart]!, bars[chart]!, pack), ...convertedBy, ...events.on(pack, chart) });
    if (pack.packer.isFull) await pack.packer.finish();
  }
  return instruments;
}

/** Returns the place of the chart whose close values the quote asset of another one. Nothing for the reporting asset. */
function conversionPlace({ record }: RunIndex, charts: readonly ChartBars[], chart: number): Pick<WireInstrument, 'convertedBy'> {
  const { quote } = charts[chart]!.feed.bars.instrument;
  const conversion = record.quoteAssets?.find(({ asset }) => asset === quote)?.conversion ?? null;
  const place = conversion === null ? -1 : charts.findIndex(({ feed }) => feed.bars.instrument.id === record.instruments[conversion]!.id);
  return place < 0 ? {} : { convertedBy: place };
}

/** True when orders filled in bars shorter than a day. */
function isIntraday({ feeds }: RunRecord): boolean {
  return feeds.some(({ execution, bars }) => execution && typicalLengthMs(bars.interval) < 86_400_000);
}
