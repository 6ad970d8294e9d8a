// Equity at each instant at which an execution row closes, marked in segments between fills: nothing of it is done bar by bar.

import type { Scratch } from '../base/rowLog.ts';
import type { TickColumn } from '../model/bars.ts';
import type { EquityColumns } from '../model/run.ts';
import type { Ledger } from '../portfolio/ledger.ts';
import type { RiskModule } from '../risk/riskModule.ts';
import type { FeedRun } from './feed.ts';

/** Takes the equity as the run goes on, in place of a column of all of it. */
export interface EquitySink {
  /** `length` instants, later than all before: `units[i]` at `timeMs[at + i]`. Both arrays are used again. */
  take(timeMs: Float64Array, at: number, units: Float64Array, length: number): void;
  /** The rows at which it looks, ascending, of those in [first, length), which end at `closeMs`: others need not be given to it. */
  rowsOf(closeMs: Float64Array, first: number, length: number): Int32Array;
}

/** Past all rows. */
const NO_ROW = 2 ** 31 - 1;

/**
 * Call `settle` before each change of the ledger: instants before the one in work are marked with the old holdings. With one execution
 * feed a segment is a tight loop over rows, or with a sink the few rows at which that looks; with several, a merge of their closes where
 * each position is valued at its newest close.
 */
export class EquityRecorder {
  readonly #feeds: readonly FeedRun[];
  readonly #ledger: Ledger;
  readonly #ticks: readonly TickColumn[];
  /** Next row of each execution feed to mark, where there are several. */
  readonly #marked: Int32Array;
  /** The execution feed where there is only one, and what its holding is marked with. */
  readonly #only: FeedRun | null;
  readonly #onlyTicks: TickColumn;
  readonly #scratch: Scratch;
  readonly #units: Float64Array;
  readonly #times: Float64Array;
  readonly #sink: EquitySink | null;
  /** The rows of the only feed at which the sink looks, how many of them are marked, and the next one. */
  readonly #looks: Int32Array | null;
  #looked = 0;
  #next: number;
  /** Instants marked so far, those that the sink has taken left out. */
  #length = 0;

  /**
   * `feeds`: the execution feeds, in instrument order; `ticks`: what their holdings are marked with, row by row. With a sink no more is kept
   * than the instants of a block, of at most `blockRows` rows a feed.
   */
  constructor(
    feeds: readonly FeedRun[],
    ticks: readonly TickColumn[],
    ledger: Ledger,
    scratch: Scratch,
    sink: EquitySink | null,
    blockRows: number,
  ) {
    this.#sink = sink;
    this.#scratch = scratch;
    this.#feeds = feeds;
    this.#ledger = ledger;
    this.#ticks = ticks;
    this.#marked = Int32Array.from(feeds, (feed) => feed.firstRow);
    this.#only = feeds.length === 1 ? feeds[0]! : null;
    this.#onlyTicks = ticks[0]!;
    this.#looks =
      this.#only === null || sink === null ? null : sink.rowsOf(this.#only.bars.closeMs, this.#only.firstRow, this.#only.bars.length);
    this.#next = this.#looks?.[0] ?? NO_ROW;
    this.#units = scratch.take(equityRows(feeds, sink !== null, blockRows));
    // One execution feed: its own closes are the times.
    this.#times = feeds.length === 1 ? feeds[0]!.bars.closeMs.subarray(feeds[0]!.firstRow) : new Float64Array(this.#units.length);
  }

  /** Marks every delivered instant with the holdings as they are: call it before they change. */
  settle(): void {
    if (this.#only === null) this.#markMerged();
    else if (this.#looks !== null) this.#markLooks(this.#looks, this.#only);
    else this.#markRows(this.#only);
  }

  /** Shows the loss rules every instant marked so far, the present one included. */
  show(risk: RiskModule): void {
    this.settle();
    risk.observe(this.#times, this.#units, this.#length);
  }

  /** A block is over: hands its instants to the sink, if there is one. */
  handOver(): void {
    if (this.#sink === null || this.#length === 0) return;
    this.#sink.take(this.#times, 0, this.#units, this.#length);
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
    const from = this.#length;
    const to = cursor.row + 1 - firstRow;
    if (to <= from) return;
    this.#length = to;
    this.#ledger.markRows(instrumentIndex, this.#units, from, to, this.#onlyTicks, firstRow);
  }

  /** Up to the newest delivered row. */
  #markLooks(looks: Int32Array, { cursor, instrumentIndex, firstRow }: FeedRun): void {
    for (; this.#next <= cursor.row; this.#next = looks[++this.#looked] ?? NO_ROW) {
      const row = this.#next;
      this.#ledger.markRows(instrumentIndex, this.#units, 0, 1, this.#onlyTicks, row);
      this.#sink!.take(this.#times, row - firstRow, this.#units, 1);
    }
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

/** Instants of equity that are in memory at the same time. `isTaken`: a sink takes them. */
export function equityRows(feeds: readonly FeedRun[], isTaken: boolean, blockRows: number): number {
  // Columns may have room to grow: every row that can come has its place.
  const all = feeds.reduce((sum, { bars, firstRow }) => sum + bars.closeMs.length - firstRow, 0);
  if (!isTaken) return all;
  return feeds.length === 1 ? 1 : Math.min(all, blockRows * feeds.length);
}
