// Warnings about results that are too good to be true, and about fills larger than the bars allow.

import { lotsPerCoin } from '../../model/instrument.ts';
import { typicalLengthMs } from '../../model/interval.ts';
import { ROLES, type FeedRecord, type RunRecord } from '../../model/run/run.ts';
import { RowsByCode } from '../kernels/rowsByCode.ts';
import { warning, type Warning } from '../../model/warning.ts';
import { wholeText, fixed, percent } from '../../base/text/format.ts';
import { countUpTo, executionFeedById } from '../series/daily.ts';
import type { RunFigures } from '../metrics/runFigures.ts';

/** Win rate from which a strategy probably uses future data or never takes a loss. With fewer trades than the minimum, it can be luck. */
const TOO_MANY_WINS = 0.975;
const ENOUGH_TRADES = 20;
/** An annual Sharpe ratio above this points to a mistake or to unrealistic costs. */
const TOO_HIGH_SHARPE = 5;
/** Share of a bar's volume above which a fill would have moved the price. */
const TOO_MUCH_VOLUME = 0.1;
/** Number of rows to check one by one before a binary search. */
const MAX_STEPS = 16;

/** Returns true when the win rate is too good to be true for this number of trades. */
export function isTooManyWins(winRate: number, trades: number): boolean {
  return winRate >= TOO_MANY_WINS && trades >= ENOUGH_TRADES;
}
/** Returns true when an annual Sharpe ratio is too good to be true. */
export function isTooHighSharpe(sharpe: number): boolean {
  return sharpe > TOO_HIGH_SHARPE;
}

/** Returns the warnings about results that no real market gives. */
export function resultWarnings(record: RunRecord, { metrics, trades }: Pick<RunFigures, 'metrics' | 'trades'>): readonly Warning[] {
  const warnings: Warning[] = [];
  const { winRate } = trades;
  if (winRate !== null && isTooManyWins(winRate, trades.trades))
    warnings.push(
      warning('RESULT_WINNERS', `${percent(winRate, 1)} of ${wholeText(trades.trades)} trades won, which is too good to be true`),
    );
  if (metrics.sharpe !== null && isTooHighSharpe(metrics.sharpe))
    warnings.push(warning('RESULT_SHARPE', `a Sharpe ratio of ${fixed(metrics.sharpe, 2)} is too good to be true`));
  const { bars, max, isDry } = volumeTaken(record);
  if (bars > 0) {
    const share = isDry ? 'some of bars without volume' : `at most ${percent(max, max < 1 ? 1 : 0)}`;
    const limit = percent(TOO_MUCH_VOLUME, 0);
    const text = `fills took more than ${limit} of the volume of ${wholeText(bars)} ${bars === 1 ? 'bar' : 'bars'} (${share})`;
    warnings.push(warning('RESULT_VOLUME', text));
  }
  return warnings;
}

/** How much of the volume of bars the fills of a run took. */
interface VolumeShare {
  /** Number of bars in which fills took too much. */
  readonly bars: number;
  /** The largest share of a bar's volume. */
  readonly max: number;
  /** True when an order filled in a bar without volume. */
  readonly isDry: boolean;
}

/** Sums the filled quantities of each bar of the execution feeds. */
function volumeTaken(record: RunRecord): VolumeShare {
  const { fills, instruments } = record;
  const feeds = new Map<string, FeedRecord>();
  // The quantity of a single trade says little about the market, so fills against trades are judged by the bars around them.
  const barFeeds = record.feeds.filter(({ bars, firstRow }) => bars.tape === undefined && firstRow < bars.length);
  const executionById = executionFeedById(record.feeds);
  for (const feed of barFeeds.toSorted(byBarLength)) {
    const { id } = feed.bars.instrument;
    if (executionById.has(id) && !feeds.has(id)) feeds.set(id, feed);
  }
  const shares = new VolumeShares(record);
  const fillRows = new RowsByCode(fills.instrument, fills.length, instruments.length);
  instruments.forEach((instrument, index) => {
    const feed = feeds.get(instrument.id);
    if (feed !== undefined) shares.add(feed, fillRows.of(index), lotsPerCoin(instrument));
  });
  return shares;
}

/** Orders feeds by the length of their bars, the shortest first. */
const byBarLength = (a: FeedRecord, b: FeedRecord): number => typicalLengthMs(a.bars.interval) - typicalLengthMs(b.bars.interval);

/** Adds up the shares of the volume of bars that fills took, one instrument after the other. */
class VolumeShares implements VolumeShare {
  bars = 0;
  max = 0;
  isDry = false;
  readonly #record: RunRecord;
  /** The bar row of each fill of an instrument, and the order of its fills by ascending row. Both are reused for the next instrument. */
  #rows = new Uint32Array(0);
  #order = new Uint32Array(0);

  constructor(record: RunRecord) {
    this.#record = record;
  }

  /** Adds the fills of one instrument. `ownFills` has their rows in the table of fills, ascending. */
  add(feed: FeedRecord, ownFills: Uint32Array, lotsPerVolume: number): void {
    const { fills } = this.#record;
    this.#place(feed, ownFills);
    const rows = this.#rows;
    const order = this.#order;
    for (let index = 0; index < ownFills.length;) {
      const row = rows[order[index]!]!;
      // All fills in one bar count together.
      let lots = 0;
      for (; index < ownFills.length && rows[order[index]!] === row; index++) lots += fills.lots[ownFills[order[index]!]!]!;
      if (lots > 0) this.#count(lots / (feed.bars.volume[row]! * lotsPerVolume));
    }
  }

  /** Finds the bar row of each fill, and sorts the fills by it. Most fills are already in that order. */
  #place(feed: FeedRecord, ownFills: Uint32Array): void {
    const { fills, orders } = this.#record;
    if (this.#rows.length < ownFills.length) {
      this.#rows = new Uint32Array(ownFills.length);
      this.#order = new Uint32Array(ownFills.length);
    }
    const rows = this.#rows;
    let closed = 0;
    let isAscending = true;
    for (let index = 0; index < ownFills.length; index++) {
      const fill = ownFills[index]!;
      const timeMs = fills.timeMs[fill]!;
      closed = countNear(feed.bars.closeMs, feed.bars.length, timeMs, closed);
      const role = ROLES[orders.role[fills.orderId[fill]! - 1]!] ?? 'market';
      rows[index] = rowOfFill(feed, Math.max(feed.firstRow, closed - 1), { timeMs, isMaker: fills.isMaker[fill] === 1, role });
      this.#order[index] = index;
      if (index > 0 && rows[index]! < rows[index - 1]!) isAscending = false;
    }
    if (!isAscending) this.#order.subarray(0, ownFills.length).sort((a, b) => rows[a]! - rows[b]!);
  }

  /** Counts a bar if its share is too large. */
  #count(share: number): void {
    if (!(share > TOO_MUCH_VOLUME)) return;
    this.bars++;
    if (share === Infinity) this.isDry = true;
    else this.max = Math.max(this.max, share);
  }
}

/** Returns the number of times at or before `timeMs`, like `countUpTo`. `near` is a guess of the result, from which the search starts. */
function countNear(times: Float64Array, length: number, timeMs: number, near: number): number {
  if (near > 0 && times[near - 1]! > timeMs) return countUpTo(times, length, timeMs);
  const end = Math.min(length, near + MAX_STEPS);
  let reached = near;
  while (reached < end && times[reached]! <= timeMs) reached++;
  return reached < end || reached === length ? reached : countUpTo(times, length, timeMs);
}

/** What decides in which row a fill happened. */
interface PlacedFill {
  readonly timeMs: number;
  readonly isMaker: boolean;
  readonly role: string;
}

/**
 * Returns the row in which a fill happened. `closing` is the last row that had closed at the time of the fill. A fill at the open of a bar
 * has the time of the open, and a fill inside a bar has the time of the close. The close of one bar is the open of the next, so the time
 * alone does not decide. Makers fill inside a bar, takers at an open. A stop can do either, so the bar with more volume is assumed.
 */
function rowOfFill({ bars }: FeedRecord, closing: number, { timeMs, isMaker, role }: PlacedFill): number {
  const next = closing + 1 < bars.length && bars.openMs[closing + 1]! <= timeMs ? closing + 1 : closing;
  const opened = bars.openMs[closing] === timeMs ? closing : next;
  if (isMaker) return bars.closeMs[closing] === timeMs ? closing : opened;
  if (role === 'market' || role === 'limit' || role === 'takeProfit') return opened;
  return bars.volume[opened]! > bars.volume[closing]! ? opened : closing;
}
