// Counts for each condition which operand kept it from being true since the last trade, block by block.

import type { Signal } from '../../../indicators/graph/series.ts';
import type { SealedBot } from '../../../app/replayedBot.ts';
import type { ExplainedWait } from '../model/explanation.ts';
import { signalText, conjuncts, firstNotTrue } from './signalTree.ts';

type Run = SealedBot['engine']['runs'][number];
type Watch = Run['watches'][number];

/** The counts of one condition since the last trade. */
interface WatchCounts {
  readonly watch: Watch;
  /** The operands of the condition: it is true when all of them are. */
  readonly parts: readonly Signal[];
  /** The next row to count. */
  row: number;
  /** The operand that kept the condition from being true in the first counted row, and the open of this row, ms UTC. Null and NaN: none. */
  first: Signal | null;
  firstMs: number;
  /** By operand: the number of rows in which it was the first that was not true. */
  readonly bars: Map<Signal, number>;
}

/** The counts for all conditions of one strategy. */
export class WhenMemory {
  private readonly counts: readonly WatchCounts[];
  private readonly run: Run;
  /** Time of the last trade, ms UTC. */
  private sinceMs = -Infinity;

  constructor(run: Run) {
    this.run = run;
    this.counts = run.watches.map((watch) => ({
      watch,
      parts: conjuncts(watch.feed.indicators, watch.signal),
      row: watch.feed.nextRow,
      first: null,
      firstMs: NaN,
      bars: new Map(),
    }));
  }

  /** Counts the rows of the block that has ended. `tradeMs`: the newest fill of the strategy, ms UTC; -Infinity: none. */
  onBlock(tradeMs: number): void {
    const hasTraded = tradeMs > this.sinceMs;
    this.sinceMs = tradeMs;
    const fromMs = Math.max(tradeMs, this.run.readyMs - 1);
    for (const watchCounts of this.counts) {
      if (hasTraded) clear(watchCounts);
      countRows(watchCounts, fromMs);
    }
  }

  /** Returns which operands of condition `index` were not true up to the newest block; null: always true, or no rows yet. */
  wait(index: number): ExplainedWait | null {
    const { watch, first, firstMs, bars } = this.counts[index]!;
    if (first === null) return null;
    const { indicators } = watch.feed;
    const byOperand = [...bars].map(([part, barCount]) => ({ operand: signalText(indicators, part), bars: barCount }));
    return { first: signalText(indicators, first), firstMs, bars: byOperand.toSorted((a, b) => b.bars - a.bars) };
  }
}

/** Removes the counts of a condition after a trade. */
function clear(watchCounts: WatchCounts): void {
  watchCounts.first = null;
  watchCounts.firstMs = NaN;
  watchCounts.bars.clear();
}

/** Counts the delivered rows that close after `fromMs`. */
function countRows(watchCounts: WatchCounts, fromMs: number): void {
  const { watch, parts, bars } = watchCounts;
  const { feed } = watch;
  const { closeMs, openMs } = feed.bars;
  for (; watchCounts.row < feed.nextRow; watchCounts.row++) {
    const { row } = watchCounts;
    if (closeMs[row]! <= fromMs) continue;
    const part = firstNotTrue(feed.indicators, parts, row);
    if (part === null) continue;
    bars.set(part, (bars.get(part) ?? 0) + 1);
    if (watchCounts.first !== null) continue;
    watchCounts.first = part;
    watchCounts.firstMs = openMs[row]!;
  }
}
