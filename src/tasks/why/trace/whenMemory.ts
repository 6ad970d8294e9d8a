// What stood in the way of each condition since the last trade, counted block by block.

import type { Signal } from '../../../indicators/graph/series.ts';
import type { SealedBot } from '../../../app/replayedBot.ts';
import type { ExplainedWait } from '../model/explanation.ts';
import { signalText, conjuncts, firstNotTrue } from './signalTree.ts';

type Run = SealedBot['engine']['runs'][number];
type Watch = Run['watches'][number];

interface Counted {
  readonly watch: Watch;
  readonly parts: readonly Signal[];
  /** The next row to look at. */
  row: number;
  first: Signal | null;
  firstMs: number;
  readonly bars: Map<Signal, number>;
}

/** The conditions of one strategy. */
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

  /** Looks at the rows of the block that has ended. `tradeMs`: the newest fill of the strategy; -Infinity: none. */
  onBlock(tradeMs: number): void {
    const isNew = tradeMs > this.sinceMs;
    this.sinceMs = tradeMs;
    const fromMs = Math.max(tradeMs, this.run.readyMs - 1);
    for (const each of this.counted) {
      if (isNew) clear(each);
      count(each, fromMs);
    }
  }

  /** Returns what stood in the way of condition `at` up to the newest block; null: nothing, or the rows are none. */
  wait(at: number): ExplainedWait | null {
    const { watch, first, firstMs, bars } = this.counted[at]!;
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

/** Counts the rows up to the newest that was delivered, of those that close after `fromMs`. */
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
