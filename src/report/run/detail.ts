// Chooses how fine the bars of a page are: those of the run, or coarser ones when a browser could not open the page quickly.

import { typicalLengthMs, type Interval } from '../../model/interval.ts';
import type { ChartBars } from './chartBars.ts';
import { rowBytes } from './columns.ts';
import type { RunIndex } from './runIndex.ts';
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

/** Rows and bytes of HTML for each of them, measured on a sample. */
interface Sampled {
  readonly rows: number;
  readonly perRow: number;
}
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
 * Returns the detail of a page. `share` is the part of the budget to use, smaller after a page that was too large. The largest part is made
 * coarser until all parts fit.
 */
export function detailOf(samples: Samples, share: number): Detail {
  const { feeds } = samples;
  const parts = feeds.map(({ interval, rows, perRow }) => new Part(ladder(interval), { rows, perRow }));
  const steps = ladder(feeds.length === 0 ? '1m' : feeds.map(({ interval }) => interval).reduce(finer)).filter(
    (of) => typicalLengthMs(of) <= typicalLengthMs(COARSEST_EQUITY),
  );
  const equity = new Part(steps, samples.equity);
  const all: readonly Part[] = [...parts, equity];
  const allBytes = () => all.reduce((sum, part) => sum + part.bytes, 0);
  while (allBytes() > BUDGET_BYTES * share) {
    let largest: Part | null = null;
    for (const part of all) if (part.canShrink && (largest === null || part.bytes > largest.bytes)) largest = part;
    if (largest === null) break;
    largest.shrink();
  }
  return {
    intervals: parts.map(({ steps: names, at }) => names[at]!),
    equityStepMs: equity.at === 0 ? 0 : typicalLengthMs(equity.steps[equity.at]!),
    isCoarsest: !all.some(({ canShrink }) => canShrink),
  };
}

/** A part of the page, and how far it has been made coarser. */
class Part {
  readonly steps: readonly Interval[];
  at = 0;
  canShrink: boolean;
  bytes: number;
  readonly #sampled: Sampled;

  constructor(steps: readonly Interval[], sampled: Sampled) {
    this.steps = steps;
    this.#sampled = sampled;
    this.bytes = this.#bytes();
    this.canShrink = steps.length > 1;
  }

  shrink(): void {
    this.at++;
    this.bytes = this.#bytes();
    this.canShrink = this.at + 1 < this.steps.length;
  }
  #bytes(): number {
    const { rows, perRow } = this.#sampled;
    return (rows * perRow * (this.at === 0 ? 1 : COARSER_BYTES) * this.#lengthAt(0)) / this.#lengthAt(this.at);
  }
  #lengthAt(at: number): number {
    const interval = this.steps[at];
    return interval === undefined ? 1 : typicalLengthMs(interval);
  }
}

function finer(a: Interval, b: Interval): Interval {
  return typicalLengthMs(a) <= typicalLengthMs(b) ? a : b;
}
