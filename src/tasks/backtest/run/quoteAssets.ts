// What a run with cash in several quote assets records of them.

import { toScaled } from '../../../base/number/decimal.ts';
import type { FeedRun } from '../../../engine/feeds/feed.ts';
import type { FeedRecord, RunRecord } from '../../../model/run/run.ts';
import { ConvertedLedger } from '../../../portfolio/convertedLedger.ts';
import type { Ledger } from '../../../portfolio/ledger.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';

/** Returns the feeds of a run, as its record has them. */
export function feedRecordsOf(plan: RunPlan, { feeds }: { readonly feeds: readonly FeedRun[] }): readonly FeedRecord[] {
  return feeds.map((feed, index): FeedRecord => ({
    name: feed.name,
    bars: feed.bars,
    firstRow: feed.firstRow,
    execution: feed.isExecution,
    ...(feed.isExecutionOnly ? { isExecutionOnly: true } : {}),
    ...listedTimes(plan.feeds[index]!),
    quality: plan.feeds[index]!.quality,
  }));
}

function listedTimes({ listedFromMs, listedToMs }: RunPlan['feeds'][number]): Pick<FeedRecord, 'listedFromMs' | 'listedToMs'> {
  return { ...(listedFromMs === undefined ? {} : { listedFromMs }), ...(listedToMs === undefined ? {} : { listedToMs }) };
}

/** Returns the cash by asset of a run with several quote assets. Nothing for a run with one. */
export function runQuoteAssets(plan: RunPlan, { ledger }: { readonly ledger: Ledger }): Pick<RunRecord, 'quoteAssets'> {
  if (!(ledger instanceof ConvertedLedger)) return {};
  return {
    quoteAssets: ledger.accounts.map(({ cashAsset, cashDigits, cashTotal }, account) => ({
      asset: cashAsset,
      conversion: account === 0 ? null : ledger.conversions[account - 1]!.index,
      startUnits: toScaled(plan.cash[cashAsset] ?? '0', cashDigits) ?? 0,
      endUnits: cashTotal,
    })),
  };
}
