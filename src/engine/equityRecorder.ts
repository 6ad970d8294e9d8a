// Equity at each instant at which an execution row closes, marked in segments between fills: nothing of it is done bar by bar.

import { ticksOf, type TickColumn } from '../model/bars.ts';
import type { EquityColumns } from '../model/run.ts';
import { markSegment, type Ledger } from '../portfolio/ledger.ts';
import type { FeedRun } from './feed.ts';

/**
 * Call `settle` before each change of the ledger: instants before the one in work are marked with the old holdings. With one execution
 * feed a segment is a tight loop over rows; with several, a merge of their closes where each position is valued at its newest close.
 */
export class EquityRecorder {
  readonly #feeds: readonly FeedRun[];
  readonly #ledger: Ledger;
  readonly #ticks: readonly TickColumn[];
  /** Next row of each execution feed to mark. */
  readonly #marked: number[];
  readonly #startUnits: number;
  readonly #units: Float64Array;
  readonly #times: Float64Array;
  #length = 0;
  #peak: number;
  #scanned = 0;

  /** `feeds`: the execution feeds, in instrument order. */
  constructor(feeds: readonly FeedRun[], ledger: Ledger, startUnits: number) {
    this.#feeds = feeds;
    this.#ledger = ledger;
    this.#startUnits = startUnits;
    this.#peak = startUnits;
    this.#ticks = feeds.map((feed) => ticksOf(feed.bars, 'close'));
    this.#marked = feeds.map((feed) => feed.firstRow);
    const rows = feeds.reduce((sum, feed) => sum + feed.bars.length - feed.firstRow, 0);
    this.#units = new Float64Array(rows);
    // One execution feed: its own closes are the times.
    this.#times = feeds.length === 1 ? feeds[0]!.bars.closeMs.subarray(feeds[0]!.firstRow) : new Float64Array(rows);
  }

  /** Marks every delivered instant with the holdings as they are: call it before they change. */
  settle(): void {
    if (this.#feeds.length === 1) this.#markRows(this.#feeds[0]!.cursor.row + 1);
    else this.#markMerged();
  }

  /** The highest equity of the run up to the newest delivered instant, the start included. */
  peakUnits(): number {
    this.settle();
    for (; this.#scanned < this.#length; this.#scanned++) this.#peak = Math.max(this.#peak, this.#units[this.#scanned]!);
    return this.#peak;
  }

  /** Equity at the newest marked instant at or before `ms`; the starting equity before the first. */
  asOf(ms: number): number {
    this.settle();
    let at = this.#length - 1;
    while (at >= 0 && this.#times[at]! > ms) at--;
    return at < 0 ? this.#startUnits : this.#units[at]!;
  }

  columns(): EquityColumns {
    this.settle();
    return { length: this.#length, timeMs: this.#times.subarray(0, this.#length), units: this.#units.subarray(0, this.#length) };
  }

  #markRows(until: number): void {
    const from = this.#marked[0]!;
    if (until <= from) return;
    const ledger = this.#ledger;
    const { instrumentIndex, firstRow } = this.#feeds[0]!;
    const shift = from - firstRow;
    markSegment(this.#units, shift, until - firstRow, ledger.quoteTotal, ledger.baseTotal(instrumentIndex), this.#ticks[0]!, firstRow, ledger.scale(instrumentIndex));
    this.#marked[0] = until;
    this.#length = until - firstRow;
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
      let equity = ledger.quoteTotal;
      for (let f = 0; f < feeds.length; f++) {
        const feed = feeds[f]!;
        if (marked[f]! <= feed.cursor.row && feed.bars.closeMs[marked[f]!]! === t) marked[f]!++;
        const row = marked[f]! - 1;
        if (row >= 0 && ledger.baseTotal(feed.instrumentIndex) !== 0) equity += ledger.value(feed.instrumentIndex, this.#ticks[f]![row]!);
      }
      this.#times[this.#length] = t;
      this.#units[this.#length++] = equity;
    }
  }
}
