// Counts for each condition which operand kept it from being true since the last trade, block by block.

import type { Signal } from '../../../indicators/graph/series.ts';
import type { SealedBot } from '../../../app/replayedBot.ts';
import type { ExplainedWait } from '../model/explanation.ts';
import { signalText, conjuncts, firstNotTrue } from './signalTree.ts';

type Run = SealedBot['engine']['runs'][number];
type Watch = Run['watches'][number];

interface Counted {
  readonly watch: Watch;
  readonly parts: readonly Signal[];
  /** The next row to count. */
  row: number;
  first: Signal | null;
  firstMs: number;
  readonly bars: Map<Signal, number>;
}

/** The counts for all conditions of one strategy. */
export class WhenMemory {
  private readonly counted: readonly Counted[];
  private readonly run: Run;
  private sinceMs = -Infinity;

  constructor(run: Run) {
    this.run = run;
    this.counted = run.watches.map((watch) => ({
      watch,
      parts: conjuncts(watch.feed.indicators, watch.signal),
      row: watch.feed.cur,
      first: null,
      firstMs: NaN,
      bars: new Map(),
    }));
  }

  /** Counts the rows of the block that has ended. `tradeMs`: the newest fill of the strategy, ms UTC; -Infinity: none. */
  onBlock(tradeMs: number): void {
    const isNew = tradeMs > this.sinceMs;
    this.sinceMs = tradeMs;
    const fromMs = Math.max(tradeMs, this.run.readyMs - 1);
    for (const each of this.counted) {
      if (isNew) clear(each);
      count(each, fromMs);
    }
  }

  /** Returns which operands of condition `index` were not true up to the newest block; null: always true, or no rows yet. */
  wait(index: number): ExplainedWait | null {
    const { watch, first, firstMs, bars } = this.counted[index]!;
    if (first === null) return null;
    const { indicators } = watch.feed;
    const listed = [...bars].map(([part, of]) => ({ operand: signalText(indicators, part), bars: of }));
    return { first: signalText(indicators, first), firstMs, bars: listed.toSorted((a, b) => b.bars - a.bars) };
  }
}

function clear(counted: Counted): void {
  counted.first = null;
  counted.firstMs = NaN;
  counted.bars.clear();
}

/** Counts the delivered rows that close after `fromMs`. */
function count(counted: Counted, fromMs: number): void {
  const { watch, parts, bars } = counted;
  const { feed } = watch;
  const { closeMs, openMs } = feed.bars;
  for (; counted.row < feed.cur; counted.row++) {
    const { row } = counted;
    if (closeMs[row]! <= fromMs) continue;
    const part = firstNotTrue(feed.indicators, parts, row);
    if (part === null) continue;
    bars.set(part, (bars.get(part) ?? 0) + 1);
    if (counted.first !== null) continue;
    counted.first = part;
    counted.firstMs = openMs[row]!;
  }
}
