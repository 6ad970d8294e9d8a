// One feed of a run: its columns, how far it has been delivered, and the view of it that a strategy gets.

import { assert } from '../../base/assert.ts';
import { listOf } from '../../base/memory/listOf.ts';
import { IndicatorSet } from '../../indicators/graph/indicatorSet.ts';
import { closeMsOf, ticksOf, type BarColumns, type TickColumn } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { fixedLengthMs, typicalLengthMs } from '../../model/interval.ts';
import type { Feed } from '../../strategy/types.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import { StrategyFeed, type FeedCursor } from './feedView.ts';
import type { Instant } from './instant.ts';
import { firstAfter } from '../../base/number/search.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

/** Number of rows before a block that are kept for readers other than indicators: the average range, and the last close. */
const ROWS_BACK = 32;

/** The read-only view of `AlignedFeeds`: the feeds that advance together through a block. */
export interface FeedGroup {
  readonly lead: FeedRun;
  readonly feeds: readonly FeedRun[];
  /** True while rows of the group close at the visited instant. */
  readonly isDue: boolean;
  /** For the equity recorder: the next row of the lead to mark, and whether the current step marks rows of this group. */
  readonly unmarked: number;
  readonly isMarking: boolean;
}

/** The progress of an engine, and what may be due before its next row. */
export interface BlockState {
  readonly feeds: readonly FeedRun[];
  readonly blockRows: number;
  readonly blockEndMs: number;
  readonly stepsRows: boolean;
  readonly queue: DueQueue;
  readonly timers: { readonly nextMs: number };
}

/** One feed during a run: what is delivered, what comes next, and the indicators over it. */
export class FeedRun {
  /** The name by which strategies ask for the feed. */
  readonly name: string;
  /** The bars in memory: in a streamed run those of the current block and of the rows before it. */
  readonly bars: BarColumns;
  readonly instrument: Instrument;
  /** Position of the instrument in the run. */
  readonly instrumentIndex: number;
  /** The newest delivered row. */
  readonly cursor: FeedCursor;
  /** The indicators that strategies have registered on this feed. */
  readonly indicators: IndicatorSet;
  /** The instant that is being processed, shared by all feeds of the run. */
  readonly instant: Instant;
  /** The feed as strategies see it. */
  readonly view: Feed;
  /** The first row that closes inside the run. Rows before it only warm up indicators. */
  readonly firstRow: number;
  /** True for the execution feed, the finest feed of its instrument: it matches orders and marks positions. */
  isExecution = false;
  /** True for an execution-only feed: strategies cannot ask for it. */
  isExecutionOnly = false;
  /** True when a strategy with `onBar` listens to it. */
  hasOnBar = false;
  /** Execution feeds only: opens and closes in whole ticks. */
  openTicks: TickColumn = new Int32Array(0);
  closeTicks: TickColumn = new Int32Array(0);
  /** The next row to deliver. */
  nextRow = 0;
  /** The row after the last one of the current block. */
  blockEnd = 0;
  /** For a block without gaps: the length of a row, and the close that row 0 would have. A step of 0 means that the block has gaps. */
  private stepMs = 0.5;
  private originMs = 0.5;
  private readonly lengthMs: number;
  /** Its group in the current block. */
  aligned: FeedGroup | null = null;

  constructor(
    name: string,
    bars: BarColumns,
    instrument: Instrument,
    instrumentIndex: number,
    fromMs: number,
    blockRows: number,
    instant: Instant,
  ) {
    this.name = name;
    this.bars = bars;
    this.instrument = instrument;
    this.instrumentIndex = instrumentIndex;
    this.instant = instant;
    // hot: docs/performance.md#double-fields
    this.stepMs = 0;
    this.firstRow = bars.window === undefined ? firstAfter(bars.closeMs, 0, bars.length, fromMs) : bars.window.firstAfter(fromMs);
    this.cursor = { row: -1, base: 0 };
    this.lengthMs = fixedLengthMs(bars.interval) ?? 0;
    this.indicators = new IndicatorSet(bars, this.cursor, blockRows);
    this.view = new StrategyFeed(instrument, bars, this.cursor, this.indicators.series, instant);
  }

  /** Makes this the execution feed of its instrument. */
  makeExecutionFeed(): void {
    this.isExecution = true;
    this.openTicks = ticksOf(this.bars, 'open');
    this.closeTicks = ticksOf(this.bars, 'close');
  }
  /** Fills its indicators over the rows before the run, block by block. */
  warmUp(blockRows: number): void {
    const { indicators, firstRow } = this;
    for (this.nextRow = 0; this.nextRow < firstRow; this.nextRow = this.blockEnd) {
      this.loadRows(blockRows);
      this.blockEnd = Math.min(this.nextRow + blockRows, firstRow);
      for (const kernel of indicators.kernels) kernel.fill(this.nextRow, this.blockEnd);
    }
    this.blockEnd = this.nextRow;
    this.cursor.row = this.nextRow - 1;
  }
  /** Bars that are read block by block: reads the next `rows` rows, and drops those that nothing looks back to. */
  loadRows(rows: number): void {
    const { window } = this.bars;
    if (window === undefined) return;
    // One row more, because an order may ask when the row after the block opens.
    window.hold(Math.max(0, this.nextRow - this.indicators.rowsBack - ROWS_BACK), this.nextRow + rows + 1);
    if (window.base === this.cursor.base) return;
    this.cursor.base = window.base;
    this.indicators.moveColumns(window.base);
  }
  /** Begins a block of at most `maxRows` rows: those that close at or before `endMs`. */
  enterBlock(maxRows: number, endMs: number): void {
    const { closeMs, length } = this.bars;
    const { nextRow } = this;
    const { base } = this.cursor;
    const lastRow = Math.min(nextRow + maxRows, length) - 1;
    // The block mostly ends at the close of this row. The check avoids a search, which waits for memory at each step.
    const to =
      lastRow >= nextRow && closeMs[lastRow - base]! <= endMs
        ? lastRow + 1
        : base + firstAfter(closeMs, nextRow - base, lastRow + 1 - base, endMs);
    this.blockEnd = to;
    this.stepMs = 0;
    if (to === nextRow || this.lengthMs === 0) return;
    // Rows are at least their length apart. If the total span equals the sum of the lengths, no row is missing.
    const spanMs = closeMs[to - 1 - base]! - closeMs[nextRow - base]!;
    if (spanMs !== (to - 1 - nextRow) * this.lengthMs) return;
    this.stepMs = this.lengthMs;
    this.originMs = closeMs[nextRow - base]! - nextRow * this.lengthMs;
  }
  /** Returns the close of a row of the block. Computed when no row is missing, because scattered reads wait for memory. */
  closeOf(row: number): number {
    return this.stepMs > 0 ? this.originMs + row * this.stepMs : this.bars.closeMs[row - this.cursor.base]!;
  }
  /** Returns the first row to deliver that closes after `timeMs`; the end of the block if no row does. */
  firstAfter(timeMs: number): number {
    const { nextRow, blockEnd } = this;
    if (this.stepMs > 0) return Math.min(blockEnd, Math.max(nextRow, Math.floor((timeMs - this.originMs) / this.stepMs) + 1));
    const { closeMs } = this.bars;
    const { base } = this.cursor;
    // The answer is mostly the end of the block. The check avoids a search, which waits for memory at each step.
    return nextRow < blockEnd && closeMs[blockEnd - 1 - base]! <= timeMs
      ? blockEnd
      : base + firstAfter(closeMs, nextRow - base, blockEnd - base, timeMs);
  }
  /** True when a row of the block is missing, so that `closeOf` reads the column. */
  get hasGap(): boolean {
    return this.stepMs === 0;
  }

  /** Execution feeds only: the newest delivered close in ticks; NaN before the first. */
  get lastTicks(): number {
    const { row, base } = this.cursor;
    return row < 0 ? NAN : this.closeTicks[row - base]!;
  }

  /** Makes `row` the next to deliver again, because another engine steps through the same block. */
  rewind(row: number): void {
    this.nextRow = row;
    this.cursor.row = row - 1;
    this.instant.deliveries++;
  }
  /** The price before the first bar, in ticks: the last warm-up close, or else the first open. */
  get startTicks(): number {
    const { firstRow, openTicks, closeTicks } = this;
    // It is first read before the first block, and may be read again at any time.
    if (this.bars.window !== undefined) return (this.windowStartTicks ??= this.readStartTicks());
    return firstRow > 0 ? closeTicks[firstRow - 1]! : openTicks[0]!;
  }
  /** The start price of bars that are read block by block, once it was read. */
  private windowStartTicks: number | null = null;
  private readStartTicks(): number {
    this.loadRows(this.firstRow + 1);
    return this.firstRow > 0 ? this.closeTicks[this.firstRow - 1]! : this.openTicks[0]!;
  }
  /** True while a row is left to deliver. */
  get hasRows(): boolean {
    return this.nextRow < this.bars.length;
  }
  /** Returns the close of the next row to deliver inside the block; Infinity when the block has none. */
  get nextCloseMs(): number {
    return this.nextRow < this.blockEnd ? this.bars.closeMs[this.nextRow - this.cursor.base]! : INFINITY;
  }
  /** Returns the close of the next row to deliver in any block; Infinity while no row has arrived. */
  get nextRowCloseMs(): number {
    return this.hasRows ? this.bars.closeMs[this.nextRow - this.cursor.base]! : INFINITY;
  }
  /** Returns when a row closes, inside the block or not; Infinity if the data end earlier. */
  anyCloseMs(row: number): number {
    return row < this.bars.length ? closeMsOf(this.bars, row) : INFINITY;
  }
}

/** Returns the close of the last row of a block with at most `rows` rows of any feed; Infinity when no rows are left. */
export function endOfBlock(feeds: readonly FeedRun[], rows: number): number {
  let endMs = INFINITY;
  for (const { bars, nextRow, cursor, hasRows } of feeds) {
    if (hasRows) endMs = Math.min(endMs, bars.closeMs[Math.min(nextRow + rows, bars.length) - 1 - cursor.base]!);
  }
  return endMs;
}

/**
 * Returns the end of the next block, ms UTC, inclusive; Infinity when no rows are left. A custom indicator that is not declared pure may
 * write what a strategy reads. Blocks then have one row, and events due before that row get a block without rows. `others`: the engines
 * that step through the same blocks.
 */
export function nextBlockEnd(engine: BlockState, others: readonly BlockState[]): number {
  for (const feed of engine.feeds) feed.loadRows(engine.blockRows);
  if (!engine.stepsRows) return endOfBlock(engine.feeds, engine.blockRows);
  const rowMs = endOfBlock(engine.feeds, 1);
  if (rowMs === INFINITY || engine.blockEndMs >= rowMs - 1) return rowMs;
  const isDue = ({ queue, timers }: BlockState) => queue.nextMs < rowMs || timers.nextMs < rowMs;
  return isDue(engine) || others.some(isDue) ? rowMs - 1 : rowMs;
}

/** Makes the finest feed of each instrument its execution feed, of equally fine ones the first. Returns these feeds, in the order of the instruments. */
export function makeExecutionFeeds(feeds: readonly FeedRun[], instruments: readonly Instrument[]): readonly FeedRun[] {
  const finestFeeds = new Map<number, FeedRun>();
  for (const feed of feeds) {
    const finest = finestFeeds.get(feed.instrumentIndex);
    if (finest === undefined || isFiner(feed, finest)) finestFeeds.set(feed.instrumentIndex, feed);
  }
  return listOf(instruments, ({ id }, index) => {
    const finest = finestFeeds.get(index);
    assert(finest !== undefined, `${id} has no feed`);
    finest.makeExecutionFeed();
    return finest;
  });
}

/** True when the bars of a feed are shorter than those of another one. */
export const isFiner = (feed: FeedRun, other: FeedRun): boolean =>
  typicalLengthMs(feed.bars.interval) < typicalLengthMs(other.bars.interval);
