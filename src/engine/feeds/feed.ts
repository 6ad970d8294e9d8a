// One feed of a run: its columns, how far it has been delivered, and the view of it that a strategy gets.

import { IndicatorSet } from '../../indicators/graph/indicatorSet.ts';
import type { RowCursor } from '../../indicators/graph/series.ts';
import type { TechnicalLibrary } from '../../indicators/graph/technicalLibrary.ts';
import { ticksOf, type BarColumns, type TickColumn } from '../../model/bars/bars.ts';
import type { Instrument } from '../../model/instrument.ts';
import { fixedLengthMs, typicalLengthMs } from '../../model/interval.ts';
import type { Feed } from '../../strategy/types.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import { StrategyFeed } from './feedView.ts';
import type { Instant } from './instant.ts';
import { firstAfter } from '../../base/number/search.ts';

/** The feeds that a feed goes with through a block, as others may see them: cohort.ts. */
export interface FeedGroup {
  readonly lead: FeedRun;
  readonly feeds: readonly FeedRun[];
  /** Rows of them close at the instant that is being visited. */
  readonly isDue: boolean;
  /** For the recorder of equity: the next row of the lead to mark, and whether the present turn marks rows of it. */
  readonly unmarked: number;
  readonly isMarking: boolean;
}

/** How far an engine has come, and what may be due before its next row. */
export interface BlockState {
  readonly feeds: readonly FeedRun[];
  readonly blockRows: number;
  readonly blockEndMs: number;
  readonly stepsRows: boolean;
  readonly queue: DueQueue;
  readonly timers: { readonly nextMs: number };
}

export class FeedRun {
  readonly name: string;
  readonly bars: BarColumns;
  readonly instrument: Instrument;
  /** Position of the instrument in the run. */
  readonly instrumentIndex: number;
  /** Newest delivered row. */
  readonly cursor: RowCursor;
  readonly indicators: IndicatorSet;
  readonly view: Feed;
  /** First row that closes inside the run; rows before it only warm indicators up. */
  readonly firstRow: number;
  /** The finest feed of its instrument: it matches and marks. */
  isExecution = false;
  /** Only matches and marks: no strategy can ask for it. */
  isHidden = false;
  /** A strategy with `onBar` listens to it. */
  hasOnBar = false;
  /** Of an execution feed: its opens and closes in whole ticks. */
  openTicks: TickColumn = new Int32Array(0);
  closeTicks: TickColumn = new Int32Array(0);
  /** Next row to deliver, and the end of the current block. */
  cur = 0;
  to = 0;
  /** Of a block without a gap: length of its rows, and the close that row 0 would have. A step of 0: the block has gaps. */
  #stepMs = 0.5;
  #originMs = 0.5;
  readonly #lengthMs: number;
  /** Of the current block: the feeds that it goes with. */
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
    // Numbers that start as a fraction are kept as doubles, written in place.
    this.#stepMs = 0;
    this.firstRow = firstAfter(bars.closeMs, 0, bars.length, fromMs);
    this.cursor = { row: -1 };
    this.#lengthMs = fixedLengthMs(bars.interval) ?? 0;
    this.indicators = new IndicatorSet(bars, this.cursor, blockRows);
    this.view = new StrategyFeed(instrument, bars, this.cursor, this.indicators.series, instant);
  }

  /** Makes it the feed that its instrument is matched and marked by. */
  execute(): void {
    this.isExecution = true;
    this.openTicks = ticksOf(this.bars, 'open');
    this.closeTicks = ticksOf(this.bars, 'close');
  }
  /** Ends the set-up of its indicators and fills them over the rows before the run, block by block; once, whoever asks. */
  warmUp(technical: TechnicalLibrary | null, blockRows: number): void {
    const { indicators, firstRow } = this;
    if (indicators.sealed) return;
    indicators.seal(technical);
    for (this.cur = 0; this.cur < firstRow; this.cur = this.to) {
      this.to = Math.min(this.cur + blockRows, firstRow);
      for (const kernel of indicators.kernels) kernel.fill(this.cur, this.to);
    }
    this.to = this.cur;
    this.cursor.row = this.cur - 1;
  }
  /** Begins a block of at most `most` rows, those that close at or before `endMs`. */
  enterBlock(max: number, endMs: number): void {
    const { closeMs, length } = this.bars;
    const { cur } = this;
    const last = Math.min(cur + max, length) - 1;
    // The end of the block is mostly the close of this very row: no search then, which would wait for memory at each of its steps.
    const to = last >= cur && closeMs[last]! <= endMs ? last + 1 : firstAfter(closeMs, cur, last + 1, endMs);
    this.to = to;
    this.#stepMs = 0;
    if (to === cur || this.#lengthMs === 0) return;
    // Rows are apart by their length at least: as far apart in all as in sum, and none is missing.
    const spanMs = closeMs[to - 1]! - closeMs[cur]!;
    if (spanMs !== (to - 1 - cur) * this.#lengthMs) return;
    this.#stepMs = this.#lengthMs;
    this.#originMs = closeMs[cur]! - cur * this.#lengthMs;
  }
  /** Close of a row of the block: reckoned where no row is missing, because reading it here and there waits for memory. */
  closeOf(row: number): number {
    return this.#stepMs > 0 ? this.#originMs + row * this.#stepMs : this.bars.closeMs[row]!;
  }
  /** The first row to deliver of the block that closes after `ms`; the end of the block when there is none. */
  firstAfter(ms: number): number {
    const { cur, to } = this;
    if (this.#stepMs > 0) return Math.min(to, Math.max(cur, Math.floor((ms - this.#originMs) / this.#stepMs) + 1));
    const { closeMs } = this.bars;
    // Mostly the whole block: no search then, which would wait for memory at each of its steps.
    return cur < to && closeMs[to - 1]! <= ms ? to : firstAfter(closeMs, cur, to, ms);
  }
  /** Some row of the block is missing, so that `closeOf` reads the column. */
  get hasGap(): boolean {
    return this.#stepMs === 0;
  }

  /** Of an execution feed: the newest delivered close in ticks; NaN before the first. */
  get lastTicks(): number {
    const { row } = this.cursor;
    return row < 0 ? NaN : this.closeTicks[row]!;
  }

  /** Back to the state in which row `cur` is the next to deliver: another engine walks through the same block. */
  rewind(cur: number): void {
    this.cur = cur;
    this.cursor.row = cur - 1;
  }
  get hasRows(): boolean {
    return this.cur < this.bars.length;
  }
  /** Close of the next row to deliver inside the block; Infinity when the block has none. */
  get nextCloseMs(): number {
    return this.cur < this.to ? this.bars.closeMs[this.cur]! : Infinity;
  }
  /** Close of the next row to deliver, of whatever block; Infinity when there is none yet. */
  get nextRowCloseMs(): number {
    return this.hasRows ? this.bars.closeMs[this.cur]! : Infinity;
  }
}

/** Close of the last row of a block that has at most `rows` rows of any feed; Infinity when no rows are left. */
export function endOfBlock(feeds: readonly FeedRun[], rows: number): number {
  let endMs = Infinity;
  for (const { bars, cur, hasRows } of feeds) {
    if (hasRows) endMs = Math.min(endMs, bars.closeMs[Math.min(cur + rows, bars.length) - 1]!);
  }
  return endMs;
}

/**
 * Returns the end of the next block, ms UTC, inclusive; Infinity when no rows are left. An indicator of an author that is not declared pure
 * may write what a strategy reads: blocks have one row then, and what is due before that row gets a block without rows. `beside`: the
 * engines that walk through the same blocks.
 */
export function nextBlockEnd(engine: BlockState, beside: readonly BlockState[]): number {
  if (!engine.stepsRows) return endOfBlock(engine.feeds, engine.blockRows);
  const rowMs = endOfBlock(engine.feeds, 1);
  if (rowMs === Infinity || engine.blockEndMs >= rowMs - 1) return rowMs;
  const isDue = ({ queue, timers }: BlockState) => queue.nextMs < rowMs || timers.nextMs < rowMs;
  return isDue(engine) || beside.some(isDue) ? rowMs - 1 : rowMs;
}

/** Feeds from fine to coarse: the first one of an instrument matches and marks it. */
export const byFineness = (a: FeedRun, b: FeedRun) => typicalLengthMs(a.bars.interval) - typicalLengthMs(b.bars.interval);
