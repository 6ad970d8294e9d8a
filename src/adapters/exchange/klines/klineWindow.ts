// Converts a kline reply to closed bars in time order, and lists why rows were rejected.

import { mergeRows, type FigureColumns } from '../../../model/bars/aggregateBars.ts';
import { barsBetween, closeOf, nests, openOf, type Interval } from '../../../model/interval.ts';
import { formatMinute } from '../../../model/time.ts';
import { assert } from '../../../base/assert.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import type { Listing } from '../../../protocol/shapes/answer.ts';
import type { Kline } from '../../../protocol/shapes/market.ts';

/** Maximum number of rows in a reply. The API has no start time parameter (specification, part 8). */
export const MAX_KLINES = 300;

/** A closed bar. Times are ms UTC, `closeMs` is exclusive; volume is in the venue's unit. */
export interface MarketBar {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
  /** Number of venue bars in it: 1, or more for a bar built from shorter ones. */
  readonly barsIn: number;
  /** True for a bar from trades in which some may be missing. Strategies do not decide on it. */
  readonly isIncomplete?: boolean;
}

/** The newest bars of one interval from one reply. */
export interface KlineWindow {
  readonly interval: Interval;
  /** Oldest first, each time once. */
  readonly closed: readonly MarketBar[];
  /** Problems of rows that are invalid or contradict each other. */
  readonly refused: readonly string[];
  /** True if the reply has as many rows as requested, so that older bars may exist. */
  readonly isFull: boolean;
}

/**
 * Returns the bars of `listing`, the reply to a request for `requested` rows. Bars that ended by `serverMs` are closed; that is a time of
 * the venue's clock not later than the reply. Rows may come in any order and repeatedly. If two closed rows of one time differ, both are
 * rejected, because nothing shows which one is right.
 */
export function barWindow(listing: Listing<Kline>, interval: Interval, requested: number, serverMs: number): KlineWindow {
  const refusedTexts = listing.refused.map(({ problem }) => sanitizeText(problem));
  const byTime = new Map<number, MarketBar | null>();
  for (const row of listing.rows) {
    const { openMs, open, high, low, close, volume } = row;
    if (openOf(interval, openMs) !== openMs) {
      refusedTexts.push(`${formatMinute(openMs)} is not the open of a ${interval} bar`);
      continue;
    }
    const bar = barOf(row, closeOf(interval, openMs));
    if (bar.closeMs > serverMs) continue;
    if (!isPlausible(bar)) {
      refusedTexts.push(
        `the bar of ${formatMinute(openMs)} cannot be: open ${open}, high ${high}, low ${low}, close ${close}, volume ${volume}`,
      );
      continue;
    }
    const earlierBar = byTime.get(openMs);
    const isContradicted = earlierBar === null || (earlierBar !== undefined && !isSame(earlierBar, bar));
    if (earlierBar && isContradicted) refusedTexts.push(`the answer has two different bars of ${formatMinute(openMs)}`);
    byTime.set(openMs, isContradicted ? null : bar);
  }
  const closed = [...byTime.values()].filter((bar) => bar !== null).toSorted((a, b) => a.openMs - b.openMs);
  const isFull = listing.rows.length + listing.refused.length >= requested;
  return { interval, closed, refused: refusedTexts, isFull };
}

function barOf({ openMs, open, high, low, close, volume }: Kline, closeMs: number): MarketBar {
  const prices = { open: Number(open), high: Number(high), low: Number(low), close: Number(close), volume: Number(volume) };
  return { openMs, closeMs, ...prices, barsIn: 1 };
}

function isPlausible({ open, high, low, close, volume }: MarketBar): boolean {
  const lower = Math.min(open, close);
  const upper = Math.max(open, close);
  return low > 0 && low <= lower && upper <= high && high < Infinity && volume >= 0 && volume < Infinity;
}

/** True if two bars of one time have the same figures. */
export function isSame(a: MarketBar, b: MarketBar): boolean {
  return a.open === b.open && a.high === b.high && a.low === b.low && a.close === b.close && a.volume === b.volume;
}

const BLANK_BAR: MarketBar = { openMs: 0, closeMs: 0, open: 0, high: 0, low: 0, close: 0, volume: 0, barsIn: 0 };

/**
 * Returns the bars of the longer `interval` that the window covers from their open on. A bar is complete if its interval has ended and the
 * shorter bars reach its end.
 */
export function coarserWindow(window: KlineWindow, interval: Interval): KlineWindow {
  assert(nests(window.interval, interval), `${window.interval} bars do not add up to ${interval} bars`);
  const { closed: fine } = window;
  const columns = columnsOfBars(fine);
  const mergedColumns = columnsOfBars([BLANK_BAR]);
  const endMs = fine.at(-1)?.closeMs ?? -Infinity;
  const closed: MarketBar[] = [];
  for (let row = 0; row < fine.length;) {
    const firstRow = row;
    const openMs = openOf(interval, fine[firstRow]!.openMs);
    const closeMs = closeOf(interval, openMs);
    while (row < fine.length && fine[row]!.openMs < closeMs) row++;
    if (closeMs > endMs || (firstRow === 0 && fine[0]!.openMs !== openMs)) continue;
    mergeRows(columns, firstRow, row, mergedColumns, 0);
    const [open, high, low, close, volume] = [
      mergedColumns.open,
      mergedColumns.high,
      mergedColumns.low,
      mergedColumns.close,
      mergedColumns.volume,
    ].map((column) => column[0]!);
    closed.push({ openMs, closeMs, open: open!, high: high!, low: low!, close: close!, volume: volume!, barsIn: row - firstRow });
  }
  return { ...window, interval, closed };
}

/** Columns of bars, one row for each bar. */
export interface BarFigures extends FigureColumns {
  readonly length: number;
  readonly openMs: Float64Array;
}

/** Returns bars as columns. */
export function columnsOfBars(bars: readonly MarketBar[]): BarFigures {
  const column = (name: 'openMs' | 'open' | 'high' | 'low' | 'close' | 'volume') => Float64Array.from(bars, (bar) => bar[name]);
  return {
    length: bars.length,
    openMs: column('openMs'),
    open: column('open'),
    high: column('high'),
    low: column('low'),
    close: column('close'),
    volume: column('volume'),
  };
}

/** Returns columns of an interval as bars of the venue. */
export function barsOfColumns({ openMs, open, high, low, close, volume }: BarFigures, interval: Interval): MarketBar[] {
  return Array.from(openMs, (timeMs, row) => ({
    openMs: timeMs,
    closeMs: closeOf(interval, timeMs),
    open: open[row]!,
    high: high[row]!,
    low: low[row]!,
    close: close[row]!,
    volume: volume[row]!,
    barsIn: 1,
  }));
}

/** Returns how many rows to request to get all closed bars of `interval` that open at `fromMs` or later, and the running one. */
export function rowsSince(interval: Interval, fromMs: number, serverMs: number): number {
  const barCount = barsBetween(interval, openOf(interval, fromMs), openOf(interval, serverMs)) + 1;
  return Math.max(2, Math.min(MAX_KLINES, barCount));
}
