// Cuts the data of a run plan: up to a time, or to the rows around a time.

import { firstAfter } from '../../../base/number/search.ts';
import { rowsOf } from '../../../model/bars/bars.ts';
import type { ContractData } from '../../../model/bars/contractData.ts';
import type { InstrumentId } from '../../../model/instrument.ts';
import { knownUntil } from '../../../model/bars/knownValues.ts';
import type { FeedPlan, RunPlan, SeriesPlan } from '../../../definition/plan/plan.ts';
import { finestFeeds } from '../../../definition/plan/finestFeeds.ts';

/** Returns the plan without bars that close after `toMs`; null if a feed has no row left. */
export function planUntil(plan: RunPlan, toMs: number): RunPlan | null {
  return slicePlan(plan, { fromMs: plan.fromMs, toMs, warmUpRows: () => Infinity });
}

/** A part of the data of a run: a span of time, and the warm-up rows before it. */
export interface DataSlice {
  /** The run begins at this time, ms UTC. */
  readonly fromMs: number;
  /** No bar closes after this time, ms UTC. */
  readonly toMs: number;
  /** Returns the maximum of rows of a feed that come before the run. `feedIndex`: its index in the plan. */
  readonly warmUpRows: (feedIndex: number) => number;
}

/** The rows of a feed in a slice. */
interface RowSpan {
  /** The first row of the slice, which may be one of the warm-up. */
  readonly fromRow: number;
  /** The first row after the warm-up. */
  readonly firstRunRow: number;
  /** The row after the last one. */
  readonly endRow: number;
}

/** Returns the plan over a part of its data. Null when a feed has no row in it, or when all rows are warm-up. */
export function slicePlan(plan: RunPlan, { fromMs, toMs, warmUpRows }: DataSlice): RunPlan | null {
  const spans = plan.feeds.map(({ bars: { closeMs, length } }, feedIndex): RowSpan => {
    const firstRunRow = firstAfter(closeMs, 0, length, fromMs);
    return {
      fromRow: Math.max(0, firstRunRow - warmUpRows(feedIndex)),
      firstRunRow,
      endRow: firstAfter(closeMs, 0, length, toMs),
    };
  });
  const hasEmptyFeed = spans.some(({ fromRow, endRow }) => endRow <= fromRow);
  const hasNoRunRow = spans.every(({ firstRunRow, endRow }) => endRow <= firstRunRow);
  if (hasEmptyFeed || hasNoRunRow) return null;
  const feeds = plan.feeds.map((feed, feedIndex): FeedPlan => {
    const { fromRow, firstRunRow, endRow } = spans[feedIndex]!;
    return { ...feed, bars: rowsOf(feed.bars, fromRow, endRow), firstRow: Math.min(firstRunRow, endRow) - fromRow };
  });
  const series = plan.series?.map((seriesPlan): SeriesPlan => ({ ...seriesPlan, values: knownUntil(seriesPlan.values, toMs) }));
  return {
    ...plan,
    feeds,
    ...(series === undefined ? {} : { series }),
    fromMs,
    toMs,
    ...(plan.futures ? { futures: { ...plan.futures, data: contractsOf(plan, spans, toMs) } } : {}),
  };
}

/** Returns the contract data of the slice. Mark prices are stored by row of the finest feed of their contract, so they are cut with it. */
function contractsOf(plan: RunPlan, spans: readonly RowSpan[], toMs: number): ReadonlyMap<InstrumentId, ContractData> {
  const contracts = new Map<InstrumentId, ContractData>(plan.futures!.data);
  for (const feed of finestFeeds(plan.feeds)) {
    const { id } = feed.bars.instrument;
    const wholeData = contracts.get(id);
    if (wholeData === undefined) continue;
    const { fromRow, endRow } = spans[plan.feeds.indexOf(feed)]!;
    const { marks } = wholeData;
    contracts.set(id, {
      ...wholeData,
      marks: marks && {
        ...marks,
        open: marks.open.subarray(fromRow, endRow),
        high: marks.high.subarray(fromRow, endRow),
        low: marks.low.subarray(fromRow, endRow),
        close: marks.close.subarray(fromRow, endRow),
      },
      funding: wholeData.funding.filter(({ timeMs }) => timeMs <= toMs),
    });
  }
  return contracts;
}

/** Returns the visible feed with the most rows inside the run. The proofs count its rows. */
export function leadFeed({ feeds }: RunPlan): FeedPlan {
  const visible = feeds.filter(({ isExecutionOnly }) => isExecutionOnly !== true);
  const rowsInRun = ({ bars, firstRow }: FeedPlan): number => bars.length - firstRow;
  return visible.reduce((lead, feed) => (rowsInRun(feed) > rowsInRun(lead) ? feed : lead));
}
