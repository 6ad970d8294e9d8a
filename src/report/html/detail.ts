// How fine the bars of a page may be: as the run's own, unless the page would grow beyond what a browser opens at once.

import { typicalLengthMs, type Interval } from '../../model/interval.ts';
import type { FeedRecord, RunRecord } from '../../model/run.ts';
import { ladder } from './page/levels.ts';

export interface Detail {
  /** Of the finest bars on the page, feed by feed. */
  readonly intervals: readonly Interval[];
  /** One instant of equity in each such span; 0 is every instant. */
  readonly equityStepMs: number;
  /** Nothing can be made coarser. */
  readonly isCoarsest: boolean;
}

/** Bytes of HTML that a row costs, measured on one-minute bars: open, high, low, close; one indicator; equity. */
const BAR_BYTES = 7.5;
const TRACE_BYTES = 1.6;
const EQUITY_BYTES = 1.7;
/** What the columns by row may take of the 15 MB of a page; fills, trades and the scripts need the rest. */
const BUDGET_BYTES = 13_000_000;
const COARSEST_EQUITY: Interval = '1d';

/** `share` of the budget; smaller after a page that came out too large. The largest part is made coarser until all fit. */
export function detailOf(record: RunRecord, feeds: readonly FeedRecord[], share: number): Detail {
  const parts = feeds.map(({ bars, firstRow }) => {
    const traces = record.indicators.filter((trace) => record.feeds[trace.feed]?.bars.instrument.id === bars.instrument.id).length;
    return { steps: ladder(bars.interval), at: 0, rows: bars.length - firstRow, perRow: BAR_BYTES + traces * TRACE_BYTES };
  });
  const steps = ladder(feeds.length === 0 ? '1m' : feeds.map(({ bars }) => bars.interval).reduce(finer)).filter((of) => typicalLengthMs(of) <= typicalLengthMs(COARSEST_EQUITY));
  const equity = { steps, at: 0, rows: record.equity.length, perRow: EQUITY_BYTES };
  const all = [...parts, equity];
  const bytesOf = (part: (typeof all)[number]) => (part.rows * part.perRow * lengthAt(part, 0)) / lengthAt(part, part.at);
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
