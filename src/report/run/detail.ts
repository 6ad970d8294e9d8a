// Chooses how fine the bars of a page are: those of the run, or coarser ones when a browser could not open the page quickly.

import { typicalLengthMs, type Interval } from '../../model/interval.ts';
import type { FeedRecord, RunRecord } from '../../model/run/run.ts';
import { rowBytes } from './columns.ts';
import { ladder } from './page/rows/levels.ts';

export interface Detail {
  /** Intervals of the finest bars on the page, one for each feed. */
  readonly intervals: readonly Interval[];
  /** Length in ms of the spans that keep one instant of equity each. 0 keeps every instant. */
  readonly equityStepMs: number;
  /** True when nothing can be made coarser. */
  readonly isCoarsest: boolean;
}

/** Longer bars differ more from row to row, so they take more bytes. */
const COARSER_BYTES = 1.15;
/** Limit for the columns with one value a row. A page has 15 MB in all, and fills, trades and scripts need the rest. */
const BUDGET_BYTES = 13_000_000;
const COARSEST_EQUITY: Interval = '1d';

/**
 * Returns the detail of a page. `share` is the part of the budget to use, smaller after a page that was too large. The largest part is made
 * coarser until all parts fit.
 */
export function detailOf(record: RunRecord, feeds: readonly FeedRecord[], share: number): Detail {
  const parts = feeds.map((feed) => {
    const { bars, firstRow } = feed;
    const traces = record.indicators
      .filter((trace) => record.feeds[trace.feed] === feed)
      .reduce((sum, trace) => sum + rowBytes.trace(record, trace), 0);
    return { steps: ladder(bars.interval), at: 0, rows: bars.length - firstRow, perRow: rowBytes.bars(feed) + traces };
  });
  const steps = ladder(feeds.length === 0 ? '1m' : feeds.map(({ bars }) => bars.interval).reduce(finer)).filter(
    (of) => typicalLengthMs(of) <= typicalLengthMs(COARSEST_EQUITY),
  );
  const equity = { steps, at: 0, rows: record.equity.length, perRow: rowBytes.equity(record) };
  const all = [...parts, equity];
  const bytesOf = (part: (typeof all)[number]) =>
    (part.rows * part.perRow * (part.at === 0 ? 1 : COARSER_BYTES) * lengthAt(part, 0)) / lengthAt(part, part.at);
  const canShrink = (part: (typeof all)[number]) => part.at + 1 < part.steps.length;
  while (all.reduce((sum, part) => sum + bytesOf(part), 0) > BUDGET_BYTES * share) {
    const largest = all.filter(canShrink).toSorted((a, b) => bytesOf(b) - bytesOf(a))[0];
    if (!largest) break;
    largest.at++;
  }
  return {
    intervals: parts.map(({ steps: names, at }) => names[at]!),
    equityStepMs: equity.at === 0 ? 0 : typicalLengthMs(equity.steps[equity.at]!),
    isCoarsest: !all.some(canShrink),
  };
}

function lengthAt({ steps }: { readonly steps: readonly Interval[] }, at: number): number {
  const interval = steps[at];
  return interval === undefined ? 1 : typicalLengthMs(interval);
}

function finer(a: Interval, b: Interval): Interval {
  return typicalLengthMs(a) <= typicalLengthMs(b) ? a : b;
}
