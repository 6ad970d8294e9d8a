// Equity at each instant at which an execution row closes, marked in segments between fills: nothing of it is done bar by bar.

import type { Scratch } from '../base/rowLog.ts';
import type { TickColumn } from '../model/bars.ts';
import type { EquityColumns } from '../model/run.ts';
import type { Ledger } from '../portfolio/ledger.ts';
import type { RiskModule } from '../risk/riskModule.ts';
import type { FeedRun } from './feed.ts';

/** Takes the instants of a block when it is over, in place of a column of all of them. */
export interface EquitySink {
  /** `length` instants: `units[i]` at `timeMs[at + i]`. Both arrays are used again for the next block. */
  take(timeMs: Float64Array, at: number, units: Float64Array, length: number): void;
}

/**
 * Call `settle` before each change of the ledger: instants before the one in work are marked with the old holdings. With one execution
 * feed a segment is a tight loop over rows; with several, a merge of their closes where each position is valued at its newest close.
 */
export class EquityRecorder {
  readonly #feeds: readonly FeedRun[];
  readonly #ledger: Ledger;
  readonly #ticks: readonly TickColumn[];
  /** Next row of each execution feed to mark. */
  readonly #marked: Int32Array;
  /** The execution feed where there is only one. */
  readonly #only: FeedRun | null;
  readonly #scratch: Scratch;
  readonly #units: Float64Array;
  readonly #times: Float64Array;
  readonly #sink: EquitySink | null;
  /** Instants marked so far, those that the sink has taken left out. */
  #length = 0;
  /** Instants that the sink has taken; 0 without one. */
  #taken = 0;

  /** `feeds`: the execution feeds, in instrument order; `ticks`: what their holdings are marked with, row by row. With a sink only the instants of a block, of at most `blockRows` rows a feed, are kept. */
  constructor(feeds: readonly FeedRun[], ticks: readonly TickColumn[], ledger: Ledger, scratch: Scratch, sink: EquitySink | null, blockRows: number) {
    this.#sink = sink;
    this.#scratch = scratch;
    this.#feeds = feeds;
    this.#ledger = ledger;
    this.#ticks = ticks;
    this.#marked = Int32Array.from(feeds, (feed) => feed.firstRow);
    this.#only = feeds.length === 1 ? feeds[0]! : null;
    // Columns may have room to grow: every row that can come has its place.
    const all = feeds.reduce((sum, feed) => sum + feed.bars.closeMs.length - feed.firstRow, 0);
    const rows = sink === null ? all : Math.min(all, blockRows * feeds.length);
    this.#units = scratch.take(rows);
    // One execution feed: its own closes are the times.
    this.#times = feeds.length === 1 ? feeds[0]!.bars.closeMs.subarray(feeds[0]!.firstRow) : new Float64Array(rows);
  }

  /** Marks every delivered instant with the holdings as they are: call it before they change. */
  settle(): void {
    if (this.#only === null) this.#markMerged();
    else if (this.#only.cursor.row >= this.#marked[0]!) this.#markRows(this.#only);
  }

  /** Shows the loss rules every instant marked so far, the present one included. */
  show(risk: RiskModule): void {
    this.settle();
    risk.observe(this.#times, this.#units, this.#length);
  }

  /** A block is over: hands its instants to the sink, if there is one. */
  handOver(): void {
    if (this.#sink === null || this.#length === 0) return;
    this.#sink.take(this.#times, this.#only === null ? 0 : this.#taken, this.#units, this.#length);
    this.#taken += this.#length;
    this.#length = 0;
  }

  /** Every instant, where no sink has taken them. */
  columns(): EquityColumns {
    this.settle();
    return { length: this.#length, timeMs: this.#times.subarray(0, this.#length), units: this.#units.subarray(0, this.#length) };
  }

  release(): void {
    this.#scratch.give(this.#units);
  }

  #markRows({ cursor, instrumentIndex, firstRow }: FeedRun): void {
    // Row `first` stands at the front of the memory.
    const first = firstRow + this.#taken;
    const from = this.#marked[0]! - first;
    const to = cursor.row + 1 - first;
    this.#marked[0] = cursor.row + 1;
    this.#length = to;
    this.#ledger.markRows(instrumentIndex, this.#units, from, to, this.#ticks[0]!, first);
  }

  #markMerged(): void {
    const feeds = this.#feeds;
    const marked = this.#marked;
    const ledger = this.#ledger;
    for (;;) {
      let t = Infinity;
      for (let f = 0; f < feeds.length; f++) {
        const feed = feeds[f]!;
        const row = marked[f]!;
        if (row <= feed.cursor.row && feed.bars.closeMs[row]! < t) t = feed.bars.closeMs[row]!;
      }
      if (t === Infinity) return;
      let equity = ledger.cashTotal;
      for (let f = 0; f < feeds.length; f++) {
        const feed = feeds[f]!;
        const next = marked[f]!;
        const isMarked = next <= feed.cursor.row && feed.bars.closeMs[next] === t;
        if (isMarked) marked[f] = next + 1;
        const row = isMarked ? next : next - 1;
        if (row >= 0 && ledger.holds(feed.instrumentIndex)) equity += ledger.worth(feed.instrumentIndex, this.#ticks[f]![row]!);
      }
      this.#times[this.#length] = t;
      this.#units[this.#length++] = equity;
    }
  }
}
