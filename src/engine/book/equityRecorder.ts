// Equity at each instant at which an execution row closes, marked in segments between fills: nothing of it is done bar by bar.

import type { DeepestFall } from '../../base/number/deepestFall.ts';
import type { Scratch } from '../../base/memory/rowLog.ts';
import type { TickColumn } from '../../model/bars/bars.ts';
import type { EquityColumns } from '../../model/run/run.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { RiskModule } from '../../risk/riskModule.ts';
import type { AlignedFeeds } from '../feeds/alignedFeeds.ts';
import type { FeedRun } from '../feeds/feed.ts';

/** Takes the equity as the run goes on, in place of a column of all of it. */
export interface EquitySink {
  /** `length` instants, later than all before: `units[i]` at `timeMs[at + i]`. Both arrays are used again. */
  take(timeMs: Float64Array, at: number, units: Float64Array, length: number): void;
  /** The rows at which it looks, ascending, of those in [first, length), which end at `closeMs`: others need not be given to it. */
  rowsOf(closeMs: Float64Array, first: number, length: number): Int32Array;
  /** Is given every instant, in order, so that the deepest falls are those of all bars. */
  readonly falls: DeepestFall;
}

/** Rows that are marked at once to look for the deepest falls; a mark may write seven more. They stay in the processor's first cache. */
const FALL_ROWS = 512;
const fallUnits = new Float64Array(FALL_ROWS + 8);

/** Past all rows. */
const NO_ROW = 2 ** 31 - 1;

/**
 * Call `settle` before each change of the ledger: instants before the one in work are marked with the old holdings. With one execution
 * feed a segment is a tight loop over rows, of which with a sink only the few are kept at which that looks; with several, a merge of their closes where
 * each position is valued at its newest close.
 */
export class EquityRecorder {
  readonly #feeds: readonly FeedRun[];
  readonly #ledger: Ledger;
  readonly #ticks: readonly TickColumn[];
  /** Of the block: where there are several execution feeds, which of them go together. */
  #alignedFeeds: readonly AlignedFeeds[] = [];
  /** The execution feed where there is only one, and what its holding is marked with. */
  readonly #only: FeedRun | null;
  readonly #onlyTicks: TickColumn;
  readonly #scratch: Scratch;
  readonly #units: Float64Array;
  readonly #times: Float64Array;
  readonly #sink: EquitySink | null;
  /** The rows of the only feed at which the sink looks, how many of them are marked, and the next one. */
  readonly #sampleRows: Int32Array | null;
  #sampleCount = 0;
  /** Rows of the run that the sink's falls have seen. */
  #fallen = 0;
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
    this.#only = feeds.length === 1 ? feeds[0]! : null;
    this.#onlyTicks = ticks[0]!;
    this.#sampleRows =
      this.#only === null || sink === null ? null : sink.rowsOf(this.#only.bars.closeMs, this.#only.firstRow, this.#only.bars.length);
    this.#next = this.#sampleRows?.[0] ?? NO_ROW;
    this.#units = scratch.take(equityRows(feeds, sink !== null, blockRows));
    // One execution feed: its own closes are the times.
    this.#times = feeds.length === 1 ? feeds[0]!.bars.closeMs.subarray(feeds[0]!.firstRow) : scratch.take(this.#units.length);
  }

  /** A block begins, and everything before it is marked. */
  enterBlock(group: readonly AlignedFeeds[]): void {
    if (this.#only === null) this.#alignedFeeds = group.filter(({ isExecution }) => isExecution);
  }

  /** Marks every delivered instant with the holdings as they are: call it before they change. */
  settle(): void {
    if (this.#only === null) this.#markMerged();
    else if (this.#sampleRows !== null) {
      this.#markFalls(this.#sink!.falls, this.#only);
      this.#markSamples(this.#sampleRows, this.#only);
    } else this.#markRows(this.#only);
  }

  /** Shows the loss rules every instant marked so far, the present one included. */
  show(risk: RiskModule): void {
    this.settle();
    risk.observe(this.#times, this.#units, this.#length);
  }

  /** A block is over: hands its instants to the sink, if there is one. */
  flushBlock(): void {
    if (this.#sink === null || this.#length === 0) return;
    this.#sink.falls.take(this.#units, this.#length);
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
    if (this.#only === null) this.#scratch.give(this.#times);
  }

  #markRows({ cursor, instrumentIndex, firstRow }: FeedRun): void {
    const from = this.#length;
    const to = cursor.row + 1 - firstRow;
    if (to <= from) return;
    this.#length = to;
    this.#ledger.markRows(instrumentIndex, this.#units, from, to, this.#onlyTicks, firstRow);
  }

  /** Every row up to the newest delivered one; while nothing is held they are all the same. */
  #markFalls(falls: DeepestFall, { cursor, instrumentIndex, firstRow }: FeedRun): void {
    const to = cursor.row + 1 - firstRow;
    if (to <= this.#fallen) return;
    if (!this.#ledger.holds(instrumentIndex)) this.#fallen = to - 1;
    while (this.#fallen < to) {
      const rows = Math.min(FALL_ROWS, to - this.#fallen);
      this.#ledger.markRows(instrumentIndex, fallUnits, 0, rows, this.#onlyTicks, firstRow + this.#fallen);
      falls.take(fallUnits, rows);
      this.#fallen += rows;
    }
  }

  /** Up to the newest delivered row. */
  #markSamples(looks: Int32Array, { cursor, instrumentIndex, firstRow }: FeedRun): void {
    for (; this.#next <= cursor.row; this.#next = looks[++this.#sampleCount] ?? NO_ROW) {
      const row = this.#next;
      this.#ledger.markRows(instrumentIndex, this.#units, 0, 1, this.#onlyTicks, row);
      this.#sink!.take(this.#times, row - firstRow, this.#units, 1);
    }
  }

  /** Stretch by stretch: the cohort whose rows come first goes alone until another one has a row, at which all that close then go on. */
  #markMerged(): void {
    const otherAligned = this.#alignedFeeds;
    for (;;) {
      let first: AlignedFeeds | null = null;
      let t = Infinity;
      let limit = Infinity;
      for (let at = 0; at < otherAligned.length; at++) {
        const cohort = otherAligned[at]!;
        const ms = cohort.unmarkedMs;
        cohort.isMarking = false;
        if (ms < t) {
          first = cohort;
          limit = t;
          t = ms;
        } else if (ms < limit) limit = ms;
      }
      if (first === null) return;
      const from = this.#length;
      this.#addTimes(first, limit);
      first.isMarking = true;
      if (limit === t) for (const cohort of otherAligned) cohort.isMarking = cohort.unmarkedMs === t;
      this.#addUnits(from, this.#length);
      const rows = this.#length - from;
      for (let at = 0; at < otherAligned.length; at++) if (otherAligned[at]!.isMarking === true) otherAligned[at]!.unmarked += rows;
    }
  }

  /** The instants of a cohort's unmarked rows: the first one, and those before the limit. */
  #addTimes({ lead, unmarked }: AlignedFeeds, limit: number): void {
    const times = this.#times;
    let length = this.#length;
    times[length++] = lead.closeOf(unmarked);
    for (let row = unmarked + 1; row <= lead.cursor.row; row++) {
      const ms = lead.closeOf(row);
      if (ms >= limit) break;
      times[length++] = ms;
    }
    this.#length = length;
  }

  /** Equity at the instants [from, to): of a cohort that is being marked row by row, of another one at its newest row. */
  #addUnits(from: number, to: number): void {
    const feeds = this.#feeds;
    const ledger = this.#ledger;
    const units = this.#units;
    const cash = ledger.cashTotal;
    for (let at = from; at < to; at++) units[at] = cash;
    for (let f = 0; f < feeds.length; f++) {
      const { aligned, cursor, instrumentIndex } = feeds[f]!;
      const { isMarking, lead, unmarked } = aligned!;
      const next = cursor.row - lead.cursor.row + unmarked;
      if (isMarking === true) ledger.addRows(instrumentIndex, units, from, to, this.#ticks[f]!, next, 1);
      else if (next > 0) ledger.addRows(instrumentIndex, units, from, to, this.#ticks[f]!, next - 1, 0);
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
