// Writes report.html: one file that shows a run without network access, from the columns and the summary of the run.

import { writeFile } from 'node:fs/promises';
import { fixedLengthMs, typicalLengthMs } from '../../model/interval.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { ChartBars } from './chartBars.ts';
import { chartFeeds, firstLevel, packEquity, packInstrument, packTrades } from './columns.ts';
import { detailOf, samplesOf, type Detail } from './detail.ts';
import { documentOf } from './document.ts';
import type { ReportInput } from './input.ts';
import { pageCode } from '../page/pageCode.ts';
import { overviewOf, returnsByHour } from './overview.ts';
import { RunIndex } from './runIndex.ts';
import { Pack } from '../page/pack.ts';
import type { PageData, WireOverview } from '../page/wire.ts';

/** A larger page is written again with coarser bars. */
const MAX_BYTES = 14_500_000;

/** Writes the report to `path` and replaces an existing file. Rejects with the system error when writing fails. */
export async function writeReport(input: ReportInput, path: string): Promise<void> {
  await writeFile(path, await reportText(input));
}

/** Returns the text of the report, at most about 15 MB. When the bars of the run do not fit, the page has coarser ones and says so. */
export async function reportText(input: ReportInput): Promise<string> {
  const index = new RunIndex(input.record);
  const charts = chartFeeds(input.record).map((feed) => new ChartBars(feed));
  const samples = samplesOf(index, charts);
  const overview = overviewOf(index);
  const code = pageCode();
  for (let budget = 1; ; budget /= 2) {
    const detail = detailOf(samples, budget);
    // What is drawn first is not packed. If it alone is too large, nothing needs to be packed.
    if (!detail.isCoarsest && firstLength(charts, detail) > MAX_BYTES) continue;
    const pack = new Pack();
    const page = pageData(input, { index, charts, overview }, detail, pack);
    const columns = await pack.finish();
    const text = documentOf({ input, page, code, columns });
    if (text.length <= MAX_BYTES || detail.isCoarsest) return text;
  }
}

/** What does not depend on the detail of the page. */
interface PageParts {
  readonly index: RunIndex;
  readonly charts: readonly ChartBars[];
  readonly overview: WireOverview;
}

/** Returns the length of the bars that are drawn before anything is unpacked. The page repeats their numbers as they are. */
function firstLength(charts: readonly ChartBars[], { intervals }: Detail): number {
  return charts.reduce((sum, chart, at) => sum + JSON.stringify(firstLevel(chart.level(intervals[at]!)).cells).length, 0);
}

function pageData({ record, summary }: ReportInput, { index, charts, overview }: PageParts, detail: Detail, pack: Pack): PageData {
  const { metrics } = summary;
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
    equity: packEquity(record, detail.equityStepMs, pack),
    instruments: charts.map((chart, at) => packInstrument(index, chart, detail.intervals[at]!, pack)),
    trades: packTrades(
      record,
      charts.map(({ feed }) => feed),
      pack,
    ),
    rollingSharpe: { ms: metrics.days, values: metrics.rollingSharpe.map((value) => (value === null ? null : Number(value.toFixed(4)))) },
    hours: isIntraday(record) ? returnsByHour(record) : null,
  };
}

function isIntraday({ feeds }: RunRecord): boolean {
  return feeds.some(
    ({ execution, bars }) => execution && fixedLengthMs(bars.interval) !== null && typicalLengthMs(bars.interval) < 86_400_000,
  );
}
