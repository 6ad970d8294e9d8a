// Builds the content of summary.json: the run, its results, and the quality of its data (docs/metrics.md).

import { formatTime } from '../../model/time.ts';
import { isBriefReplacement, isPackageRead } from '../../model/warning.ts';
import type { RunProof } from '../../model/run/proof.ts';
import type { FeedQuality, QuoteAssetRecord, RunRecord } from '../../model/run/run.ts';
import { dailyEquity } from '../series/daily.ts';
import { reportingView } from '../series/reportingView.ts';
import type { Envelope } from '../envelope/figures.ts';
import type { HoldingPeriods } from '../metrics/exposure.ts';
import type { PortfolioOptions } from '../kernels/portfolio.ts';
import { costBridge } from '../metrics/costBridge.ts';
import { metricsOf } from '../metrics/metrics.ts';
import { moneyText } from '../series/money.ts';
import { orderSummary } from '../trades/orderStatistics.ts';
import { tradeSummary } from '../trades/statistics.ts';
import type { RunTrades } from '../trades/columns.ts';
import type { DataQuality, RunSummary, Summary } from '../metrics/runFigures.ts';
import { tradesOf } from '../trades/trades.ts';
import { proofWarnings } from '../warnings/proofWarnings.ts';
import { warningsOf } from '../warnings/runWarnings.ts';
import { resultHash } from './resultHash.ts';

export type { Summary };

/** Parameters of the figures, and what the record does not contain. */
export interface SummaryOptions extends PortfolioOptions {
  /** Versions by name: isobar, node. Not part of the result hash. */
  readonly versions: Readonly<Record<string, string>>;
  readonly envelope?: Envelope | null;
}

/** Returns the summary of a finished run, with its warnings. */
export function buildSummary(record: RunRecord, options: SummaryOptions): Summary {
  const trades = tradesOf(record);
  const { equity } = record;
  const inMoney = reportingView(record);
  const endUnits = equity.length === 0 ? record.startUnits : equity.units[equity.length - 1]!;
  const summary = {
    resultHash: resultHash(record),
    run: runSummary(record, endUnits, options.versions),
    metrics: metricsOf(inMoney, holdingPeriodsOf(record, trades), dailyEquity(inMoney), options),
    trades: tradeSummary(record, trades, endUnits - record.startUnits),
    orders: orderSummary(inMoney),
    dataQuality: qualityOf(record),
    costBridge: costBridge(inMoney, endUnits - record.startUnits),
    ...(options.envelope ? { envelope: options.envelope } : {}),
  };
  return { ...summary, warnings: warningsOf(record, summary) };
}

/**
 * Returns the summary with the proof of its strategies added. The warnings of the proof stand first. Warnings about reads of the machine by
 * packages, and about brief replacements of built-ins, are left out if purity is proved. No decision then depends on them. A proof that
 * names the line of such a replacement says more than its warning.
 */
export function withProof(summary: Summary, proof: RunProof): Summary {
  const isPure = proof.proofs.some(({ name, verdict }) => name === 'purity' && verdict === 'proved');
  const namesReplacement = proof.proofs.some(({ text, file }) => text.startsWith('the strategy replaces ') && file !== null);
  const warnings = summary.warnings.filter(
    (each) => !(isPure && isPackageRead(each)) && !((isPure || namesReplacement) && isBriefReplacement(each)),
  );
  return { ...summary, warnings: [...proofWarnings(proof, warnings), ...warnings], proof };
}

/** Returns the section `run` of summary.json. */
function runSummary(record: RunRecord, endUnits: number, versions: Readonly<Record<string, string>>): RunSummary {
  const { strategies, reportingDigits } = record;
  return {
    name: record.name,
    mode: record.mode,
    strategy: strategies.length === 1 ? strategies[0]! : strategies,
    instruments: record.instruments.map(({ id, base, quote }, index) => ({
      id,
      base,
      quote,
      markSource: record.markSources?.[index] ?? 'close',
    })),
    feeds: record.feeds.map(({ name, bars, execution, isExecutionOnly }) => ({
      name,
      instrument: bars.instrument.id,
      interval: bars.interval,
      execution,
      ...(isExecutionOnly ? { inside: true as const } : {}),
    })),
    from: formatTime(record.fromMs),
    to: formatTime(record.toMs),
    fromMs: record.fromMs,
    toMs: record.toMs,
    reportingAsset: record.reportingAsset,
    startEquity: moneyText(record.startUnits, reportingDigits),
    endEquity: moneyText(endUnits, reportingDigits),
    ...(record.quoteAssets === undefined ? {} : { cash: cashOf(record, record.quoteAssets) }),
    seed: record.seed,
    versions,
    rules: record.rules,
    warmupRows: record.feeds.reduce((sum, feed) => sum + feed.firstRow, 0),
    warmupInRange: record.warmupInRange,
  };
}

/** Returns the money of each quote asset at the start and at the end. */
function cashOf({ instruments, reportingDigits }: RunRecord, assets: readonly QuoteAssetRecord[]): NonNullable<RunSummary['cash']> {
  return assets.map(({ asset, conversion, startUnits, endUnits }) => ({
    asset,
    start: moneyText(startUnits, reportingDigits),
    end: moneyText(endUnits, reportingDigits),
    ...(conversion === null ? {} : { convertedBy: instruments[conversion]!.id }),
  }));
}

/** Returns the times of all closed trades, then of the open ones, which end with the run. */
function holdingPeriodsOf(record: RunRecord, { closed, open }: RunTrades): HoldingPeriods {
  const fromMs = new Float64Array(closed.length + open.length);
  const toMs = new Float64Array(fromMs.length).fill(record.toMs, closed.length);
  fromMs.set(closed.entryMs);
  toMs.set(closed.exitMs);
  open.forEach(({ entryMs }, index) => {
    fromMs[closed.length + index] = entryMs;
  });
  return { fromMs, toMs };
}

/** Returns the data quality by feed, and its sums over all feeds. */
function qualityOf({ feeds }: RunRecord): DataQuality {
  const total = (countIn: (quality: FeedQuality) => number) => feeds.reduce((sum, { quality }) => sum + countIn(quality), 0);
  return {
    rows: total(({ rows }) => rows),
    gaps: total(({ gaps }) => gaps),
    missingBars: total(({ missingBars }) => missingBars),
    thinBars: total(({ thinBars }) => thinBars),
    zeroVolume: total(({ zeroVolume }) => zeroVolume),
    roundedPrices: total(({ roundedPrices }) => roundedPrices),
    openLastBar: feeds.some(({ quality }) => quality.openLastBar),
    synthetic: feeds.some(({ quality }) => quality.synthetic),
    feeds: feeds.map(({ name, bars, quality }) => ({ name, instrument: bars.instrument.id, interval: bars.interval, ...quality })),
  };
}
