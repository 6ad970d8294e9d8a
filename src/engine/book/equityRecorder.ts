// Records equity at every close of an execution row. Rows between two fills are marked together as one segment, not bar by bar.

import type { MaxDrawdown } from '../../base/number/maxDrawdown.ts';
import type { Scratch } from '../../base/memory/rowLog.ts';
import type { TickColumn } from '../../model/bars/bars.ts';
import { PIECE_BITS, pieceExtremes } from '../../model/bars/pieceExtremes.ts';
import type { EquityColumns } from '../../model/run/run.ts';
import { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { RiskModule } from '../../risk/riskModule.ts';
import type { AlignedFeeds } from '../feeds/alignedFeeds.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { ConvertedEquity } from './convertedEquity.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** Receives the equity while the run proceeds. With a sink, the recorder keeps no column of the whole run. */
export interface EquitySink {
  /** Takes `length` instants, later than those before: equity `units[i]` at `timeMs[firstTime + i]`. The recorder reuses both arrays. */
  take(timeMs: Float64Array, firstTime: number, units: Float64Array, length: number): void;
  /**
   * Returns the rows that the sink wants, ascending, among the rows [first, length), which close at `closeMs`. The sink needs no other
   * rows.
   */
  rowsOf(closeMs: Float64Array, first: number, length: number): Int32Array;
  /** Receives every instant in order, so that the maximum drawdown is that of all bars. */
  readonly drawdown: MaxDrawdown;
}

/** Rows marked at once to find the maximum drawdown. They fit into the processor's first-level cache. */
const DRAWDOWN_ROWS = 512;
/** A mark may write up to seven rows behind its last one (docs/performance.md#full-turns). */
const TURN_ROWS = 8;
/** Equity of the rows that are marked at once. */
const drawdownUnits = new Float64Array(DRAWDOWN_ROWS + TURN_ROWS);
/** Equity at the lowest and the highest mark of each piece of rows. */
const pieceUnits = new Float64Array(DRAWDOWN_ROWS + TURN_ROWS);

/** The next row when no row is left: greater than every row. */
const NO_ROW = 2 ** 31 - 1;

/**
 * The equity of a run. Call `settle` before each change of the ledger: it marks the instants before the current one with the old holdings. With one execution
 * feed a segment is a tight loop over rows, and a sink keeps only the rows that it wants. With several feeds, their closes are merged and
 * each position is valued at its newest close.
 */
export class EquityRecorder {
  private readonly feeds: readonly FeedRun[];
  private readonly ledger: Ledger;
  private readonly ticks: readonly TickColumn[];
  /** For cash in several quote assets; otherwise null. */
  private readonly converted: ConvertedEquity | null;
  /** The aligned execution feeds of the block; used when there are several execution feeds. */
  private alignedFeeds: readonly AlignedFeeds[] = [];
  /** The execution feed if there is only one, and the prices by which its holding is marked. */
  private readonly onlyFeed: FeedRun | null;
  private readonly onlyTicks: TickColumn;
  private readonly scratch: Scratch;
  private readonly units: Float64Array;
  private readonly times: Float64Array;
  private readonly sink: EquitySink | null;
  /** For a single feed: the rows that the sink wants, the number of them that are marked, and the next one. */
  private readonly sampleRows: Int32Array | null;
  private sampleCount = 0;
  private nextSampleRow: number;
  /** For a single feed with a sink: the lowest and highest mark of each piece of rows. */
  private readonly extremes: TickColumn | null;
  /** Number of rows of the run that the sink's drawdown has received. */
  private drawdownRows = 0;
  /** Number of marked instants, without those that the sink has taken. */
  private length = 0;
  /** For a single feed: the row of the first element of `units`. Bars that are read block by block are marked block by block. */
  private origin = 0;
  private readonly isByBlock: boolean;
  /** True when an instant was marked several times, once for each part in which its bars came. */
  private hasRepeats = false;

  /**
   * `feeds`: the execution feeds in instrument order. `ticks`: the prices by which their holdings are marked, row by row. With a sink, only
   * the instants of one block are kept, which has at most `blockRows` rows a feed.
   */
  constructor(
    feeds: readonly FeedRun[],
    ticks: readonly TickColumn[],
    ledger: Ledger,
    scratch: Scratch,
    sink: EquitySink | null,
    blockRows: number,
  ) {
    this.sink = sink;
    this.scratch = scratch;
    this.feeds = feeds;
    this.ledger = ledger;
    this.ticks = ticks;
    this.converted = ledger instanceof ConvertedLedger ? new ConvertedEquity(ledger, feeds, ticks) : null;
    this.onlyFeed = feeds.length === 1 ? feeds[0]! : null;
    this.onlyTicks = ticks[0]!;
    this.isByBlock = this.onlyFeed?.bars.window !== undefined;
    this.origin = this.onlyFeed?.firstRow ?? 0;
    this.sampleRows =
      this.onlyFeed === null || sink === null || this.isByBlock
        ? null
        : sink.rowsOf(this.onlyFeed.bars.closeMs, this.onlyFeed.firstRow, this.onlyFeed.bars.length);
    this.extremes = this.sampleRows === null ? null : pieceExtremes(this.onlyTicks);
    this.nextSampleRow = this.sampleRows?.[0] ?? NO_ROW;
    this.units = scratch.take(this.isByBlock ? blockRows + TURN_ROWS : equityRows(feeds, sink !== null, blockRows));
    // With one execution feed, its own closes are the times.
    this.times = this.onlyFeed === null ? scratch.take(this.units.length) : timesOf(this.onlyFeed);
  }

  /** Begins a block. Everything before it must be marked. */
  enterBlock(alignedFeeds: readonly AlignedFeeds[]): void {
    if (this.onlyFeed === null) this.alignedFeeds = alignedFeeds.filter(({ isExecution }) => isExecution);
    else if (this.isByBlock) this.origin = this.onlyFeed.nextRow;
  }

  /** Marks every delivered instant with the current holdings. Call it before they change. */
  settle(): void {
    if (this.onlyFeed === null) this.markMerged();
    else if (this.sampleRows !== null) {
      this.markDrawdown(this.sink!.drawdown, this.onlyFeed);
      this.markSamples(this.sampleRows, this.onlyFeed);
    } else this.markRows(this.onlyFeed);
  }

  /** Passes the equity of every instant until now, including the current one, to the loss rules. */
  show(risk: RiskModule): void {
    this.settle();
    risk.observe(this.times, this.units, this.length);
  }

  /** Ends a block: passes its instants to the sink, if there is one. */
  flushBlock(): void {
    if (this.sink === null || this.length === 0) return;
    if (this.hasRepeats) this.dropRepeats();
    this.sink.drawdown.take(this.units, this.length);
    this.sink.take(this.times, this.isByBlock ? this.origin - this.onlyFeed!.cursor.base : 0, this.units, this.length);
    this.length = 0;
  }

  /** Returns every instant that no sink has taken. */
  columns(): EquityColumns {
    this.settle();
    if (this.hasRepeats) this.dropRepeats();
    return { length: this.length, timeMs: this.times.subarray(0, this.length), units: this.units.subarray(0, this.length) };
  }

  /** Keeps the last of several marks at the same time, because it has all bars of the instant. */
  private dropRepeats(): void {
    const { times, units } = this;
    let keptRows = 0;
    for (let index = 0; index < this.length; index++) {
      if (index + 1 < this.length && times[index] === times[index + 1]) continue;
      times[keptRows] = times[index]!;
      units[keptRows++] = units[index]!;
    }
    this.length = keptRows;
    this.hasRepeats = false;
  }

  /** Gives the memory back, once the equity has been read. */
  release(): void {
    this.scratch.give(this.units);
    if (this.onlyFeed === null) this.scratch.give(this.times);
  }

  /** Marks the delivered rows of a single feed without a sink, or of one that is read block by block. */
  private markRows({ cursor, instrumentIndex }: FeedRun): void {
    const { length: from, origin } = this;
    const to = cursor.row + 1 - origin;
    if (to <= from) return;
    this.length = to;
    this.ledger.markRows(instrumentIndex, this.units, from, to, this.onlyTicks, origin - cursor.base);
  }

  /** Passes the equity of every delivered row to the drawdown. While nothing is held, equity is constant, so one row is enough. */
  private markDrawdown(drawdown: MaxDrawdown, { cursor, instrumentIndex, firstRow }: FeedRun): void {
    const to = cursor.row + 1 - firstRow;
    if (to <= this.drawdownRows) return;
    if (!this.ledger.holds(instrumentIndex)) this.drawdownRows = to - 1;
    if (this.ledger.isOneSided(instrumentIndex)) this.markPieces(drawdown, instrumentIndex, firstRow, to);
    else this.markDrawdownRows(drawdown, instrumentIndex, firstRow, to);
  }

  /**
   * Passes rows to the drawdown piece by piece. The equity of a one-sided position moves one way with the price. So it lies between the
   * equities at the lowest and the highest mark of the piece. If these two change nothing in the drawdown, the rows of the piece are left
   * out.
   */
  private markPieces(drawdown: MaxDrawdown, instrumentIndex: number, firstRow: number, to: number): void {
    const endPiece = ((firstRow + to - 1) >> PIECE_BITS) + 1;
    // Each piece has two marks: its lowest and its highest.
    for (let firstPiece = (firstRow + this.drawdownRows) >> PIECE_BITS; firstPiece < endPiece; firstPiece += DRAWDOWN_ROWS / 2) {
      const pieces = Math.min(DRAWDOWN_ROWS / 2, endPiece - firstPiece);
      this.ledger.markRows(instrumentIndex, pieceUnits, 0, 2 * pieces, this.extremes!, 2 * firstPiece);
      for (let index = 0; index < pieces; index++) {
        const pieceEnd = Math.min(to, ((firstPiece + index + 1) << PIECE_BITS) - firstRow);
        if (drawdown.isUnchangedBy(pieceUnits[2 * index]!, pieceUnits[2 * index + 1]!)) this.drawdownRows = pieceEnd;
        else this.markDrawdownRows(drawdown, instrumentIndex, firstRow, pieceEnd);
      }
    }
  }

  /**
   * Passes the equity of each row before `to` to the drawdown, while only one instrument is held. Rows count from `firstRow` of its ticks.
   */
  private markDrawdownRows(drawdown: MaxDrawdown, instrumentIndex: number, firstRow: number, to: number): void {
    while (this.drawdownRows < to) {
      const rows = Math.min(DRAWDOWN_ROWS, to - this.drawdownRows);
      this.ledger.markRows(instrumentIndex, drawdownUnits, 0, rows, this.onlyTicks, firstRow + this.drawdownRows);
      drawdown.take(drawdownUnits, rows);
      this.drawdownRows += rows;
    }
  }

  /** Marks the rows that the sink wants, up to the newest delivered row. */
  private markSamples(sampleRows: Int32Array, { cursor, instrumentIndex, firstRow }: FeedRun): void {
    for (; this.nextSampleRow <= cursor.row; this.nextSampleRow = sampleRows[++this.sampleCount] ?? NO_ROW) {
      const row = this.nextSampleRow;
      this.ledger.markRows(instrumentIndex, this.units, 0, 1, this.onlyTicks, row);
      this.sink!.take(this.times, row - firstRow, this.units, 1);
    }
  }

  /**
   * Marks segment by segment. The aligned feeds with the earliest row advance alone until others have a row; all feeds that close at that
   * instant then advance together.
   */
  private markMerged(): void {
    const alignedFeeds = this.alignedFeeds;
    for (;;) {
      let earliest: AlignedFeeds | null = null;
      let earliestMs = INFINITY;
      // The first unmarked close of any other group.
      let otherMs = INFINITY;
      for (let index = 0; index < alignedFeeds.length; index++) {
        const group = alignedFeeds[index]!;
        const { unmarkedMs } = group;
        group.isMarking = false;
        if (unmarkedMs < earliestMs) {
          earliest = group;
          otherMs = earliestMs;
          earliestMs = unmarkedMs;
        } else if (unmarkedMs < otherMs) otherMs = unmarkedMs;
      }
      if (earliest === null) return;
      const from = this.length;
      this.addTimes(earliest, otherMs);
      if (from > 0 && this.times[from] === this.times[from - 1]) this.hasRepeats = true;
      earliest.isMarking = true;
      if (otherMs === earliestMs) for (const group of alignedFeeds) group.isMarking = group.unmarkedMs === earliestMs;
      this.addUnits(from, this.length);
      const rows = this.length - from;
      for (let index = 0; index < alignedFeeds.length; index++)
        if (alignedFeeds[index]!.isMarking === true) alignedFeeds[index]!.unmarked += rows;
    }
  }

  /** Adds the times of unmarked rows of aligned feeds: the first one, and those before `endMs`. */
  private addTimes({ lead, unmarked }: AlignedFeeds, endMs: number): void {
    const times = this.times;
    let length = this.length;
    times[length++] = lead.closeOf(unmarked);
    for (let row = unmarked + 1; row <= lead.cursor.row; row++) {
      const closeMs = lead.closeOf(row);
      if (closeMs >= endMs) break;
      times[length++] = closeMs;
    }
    this.length = length;
  }

  /** Adds equity at the instants [from, to): feeds that are being marked count row by row, other feeds at their newest row. */
  private addUnits(from: number, to: number): void {
    if (this.converted !== null) return this.converted.write(this.units, from, to);
    const feeds = this.feeds;
    const ledger = this.ledger;
    const units = this.units;
    const cash = ledger.cashTotal;
    for (let index = from; index < to; index++) units[index] = cash;
    for (let index = 0; index < feeds.length; index++) {
      if (!ledger.holds(index)) continue;
      const { aligned, cursor, instrumentIndex } = feeds[index]!;
      const { isMarking, lead, unmarked } = aligned!;
      const nextRow = cursor.row - lead.cursor.row + unmarked;
      if (isMarking === true) ledger.addRows(instrumentIndex, units, from, to, this.ticks[index]!, nextRow, 1);
      else if (nextRow > 0) ledger.addRows(instrumentIndex, units, from, to, this.ticks[index]!, nextRow - 1, 0);
    }
  }
}

/** Returns the closes of a feed: those of the run, or those in the window of bars that are read block by block. */
function timesOf({ bars, firstRow }: FeedRun): Float64Array {
  return bars.window === undefined ? bars.closeMs.subarray(firstRow) : bars.closeMs;
}

/** Returns the number of equity instants that are in memory at once. `hasSink`: a sink takes them block by block. */
export function equityRows(feeds: readonly FeedRun[], hasSink: boolean, blockRows: number): number {
  // Columns may have spare capacity: reserve a place for every row that can still come.
  const totalRows = feeds.reduce((sum, { bars, firstRow }) => sum + bars.closeMs.length - firstRow, 0);
  if (!hasSink) return totalRows;
  return feeds.length === 1 ? 1 : Math.min(totalRows, blockRows * feeds.length);
}
