// Chooses the intervals of the bars on a page. They are coarser than in the run when a browser could not open the page quickly.

import { typicalLengthMs, type Interval } from '../../model/interval.ts';
import type { ChartBars } from './chartBars.ts';
import { rowBytes } from './columns.ts';
import type { RunIndex } from './runIndex.ts';
import { ladder } from './page/rows/levels.ts';

/** How fine the columns of a page are. */
export interface Detail {
  /** Intervals of the finest bars on the page, one for each feed. */
  readonly intervals: readonly Interval[];
  /** Distance in ms between the instants of equity on the page. 0 keeps every instant. */
  readonly equityStepMs: number;
  /** True when no part can become coarser. */
  readonly isCoarsest: boolean;
}

/** Longer bars differ more from row to row, so they take more bytes. */
const COARSER_BYTES = 1.15;
/** Limit for the columns of bars, indicators and equity. A page has 15 MB in total, including fills, trades and scripts. */
const BUDGET_BYTES = 13_000_000;
const COARSEST_EQUITY: Interval = '1d';

/** Number of rows, and bytes of HTML for each, measured on a sample. */
interface Sampled {
  readonly rows: number;
  readonly perRow: number;
}

/** Measured sizes of the parts of a page. */
export interface Samples {
  /** One for each chart: bars and indicators. */
  readonly feeds: readonly (Sampled & { readonly interval: Interval })[];
  readonly equity: Sampled;
}

/** Measures how many bytes the charts and the equity take. */
export function samplesOf(index: RunIndex, charts: readonly ChartBars[]): Samples {
  const { record } = index;
  return {
    feeds: charts.map((chart) => {
      const { feed } = chart;
      const traces = index
        .tracesOf(feed)
        .filter((trace) => record.feeds[trace.feed] === feed)
        .reduce((sum, trace) => sum + rowBytes.trace(record, trace), 0);
      return { interval: feed.bars.interval, rows: feed.bars.length - feed.firstRow, perRow: rowBytes.bars(chart) + traces };
    }),
    equity: { rows: record.equity.length, perRow: rowBytes.equity(record) },
  };
}

/**
 * Returns the detail of a page. `share` is the share of the budget to use, from 0 to 1. It is smaller after a page that was too large. The
 * largest part becomes coarser until all parts fit.
 */
export function detailOf(samples: Samples, share: number): Detail {
  const { feeds } = samples;
  const parts = feeds.map(({ interval, rows, perRow }) => new Part(ladder(interval), { rows, perRow }));
  const steps = ladder(feeds.length === 0 ? '1m' : feeds.map(({ interval }) => interval).reduce(finer)).filter(
    (interval) => typicalLengthMs(interval) <= typicalLengthMs(COARSEST_EQUITY),
  );
  const equity = new Part(steps, samples.equity);
  const pageParts: readonly Part[] = [...parts, equity];
  const totalBytes = () => pageParts.reduce((sum, part) => sum + part.bytes, 0);
  while (totalBytes() > BUDGET_BYTES * share) {
    let largest: Part | null = null;
    for (const part of pageParts) if (part.canShrink && (largest === null || part.bytes > largest.bytes)) largest = part;
    if (largest === null) break;
    largest.shrink();
  }
  return {
    intervals: parts.map(({ steps: intervals, step }) => intervals[step]!),
    equityStepMs: equity.step === 0 ? 0 : typicalLengthMs(equity.steps[equity.step]!),
    isCoarsest: !pageParts.some(({ canShrink }) => canShrink),
  };
}

/** A part of the page at one of its intervals. */
class Part {
  /** The intervals that the part can have, from fine to coarse. */
  readonly steps: readonly Interval[];
  /** Index of the current interval. */
  step = 0;
  canShrink: boolean;
  /** Estimated bytes of HTML. */
  bytes: number;
  readonly #sampled: Sampled;

  constructor(steps: readonly Interval[], sampled: Sampled) {
    this.steps = steps;
    this.#sampled = sampled;
    this.bytes = this.#estimateBytes();
    this.canShrink = steps.length > 1;
  }

  /** Takes the next coarser interval. */
  shrink(): void {
    this.step++;
    this.bytes = this.#estimateBytes();
    this.canShrink = this.step + 1 < this.steps.length;
  }
  #estimateBytes(): number {
    const { rows, perRow } = this.#sampled;
    return (rows * perRow * (this.step === 0 ? 1 : COARSER_BYTES) * this.#lengthMsAt(0)) / this.#lengthMsAt(this.step);
  }
  #lengthMsAt(step: number): number {
    const interval = this.steps[step];
    return interval === undefined ? 1 : typicalLengthMs(interval);
  }
}

function finer(a: Interval, b: Interval): Interval {
  return typicalLengthMs(a) <= typicalLengthMs(b) ? a : b;
}
