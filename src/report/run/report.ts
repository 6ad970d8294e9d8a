// Writes report.html: one file that shows a run without network access, from the columns and the summary of the run.

import { writeFile } from 'node:fs/promises';
import { fixedLengthMs, typicalLengthMs } from '../../model/interval.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { FeedRecord, RunRecord } from '../../model/run/run.ts';
import { chartFeeds, packEquity, packInstrument, packTrades } from './columns.ts';
import { detailOf, type Detail } from './detail.ts';
import { documentOf } from './document.ts';
import type { ReportInput } from './input.ts';
import { pageCode } from '../page/pageCode.ts';
import { overviewOf, returnsByHour } from './overview.ts';
import { Pack } from '../page/pack.ts';
import type { PageData } from '../page/wire.ts';

/** A larger page is written again with coarser bars. */
const MAX_BYTES = 14_500_000;

/** Writes the report to `path` and replaces an existing file. Rejects with the system error when writing fails. */
export async function writeReport(input: ReportInput, path: string): Promise<void> {
  await writeFile(path, await reportText(input));
}

/** Returns the text of the report, at most about 15 MB. When the bars of the run do not fit, the page has coarser ones and says so. */
export async function reportText(input: ReportInput): Promise<string> {
  const feeds = chartFeeds(input.record);
  const code = pageCode();
  for (let budget = 1; ; budget /= 2) {
    const detail = detailOf(input.record, feeds, budget);
    const pack = new Pack();
    const page = pageData(input, feeds, detail, pack);
    const columns = await pack.finish();
    const text = documentOf({ input, page, code, columns });
    if (text.length <= MAX_BYTES || detail.isCoarsest) return text;
  }
}

function pageData({ record, summary }: ReportInput, feeds: readonly FeedRecord[], detail: Detail, pack: Pack): PageData {
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
    overview: overviewOf(record),
    drawdowns: metrics.drawdownTable
      .slice(0, 5)
      .map(({ peakMs, troughMs, recoveryMs, depth }) => ({ peakMs, troughMs, recoveryMs, depth })),
    equity: packEquity(record, detail.equityStepMs, pack),
    instruments: feeds.map((feed, at) => packInstrument(record, feed, detail.intervals[at]!, pack)),
    trades: packTrades(record, feeds, pack),
    rollingSharpe: { ms: metrics.days, values: metrics.rollingSharpe.map((value) => (value === null ? null : Number(value.toFixed(4)))) },
    hours: isIntraday(record) ? returnsByHour(record) : null,
  };
}

function isIntraday({ feeds }: RunRecord): boolean {
  return feeds.some(
    ({ execution, bars }) => execution && fixedLengthMs(bars.interval) !== null && typicalLengthMs(bars.interval) < 86_400_000,
  );
}
