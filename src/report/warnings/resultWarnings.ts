// Warnings about results that are too good to be true, and about fills larger than the bars allow.

import { lotsPerCoin } from '../../model/instrument.ts';
import { ROLES, type FeedRecord, type RunRecord } from '../../model/run/run.ts';
import { warning, type Warning } from '../../model/warning.ts';
import { count, fixed, percent } from '../../base/text/format.ts';
import { countUpTo, executionFeeds } from '../series/daily.ts';
import type { RunFigures } from '../metrics/runFigures.ts';

/** Win rate from which a strategy probably uses future data or never takes a loss. With fewer trades than the minimum, it can be luck. */
const TOO_MANY_WINS = 0.975;
const ENOUGH_TRADES = 20;
/** An annual Sharpe ratio above this points to a mistake or to unrealistic costs. */
const TOO_HIGH_SHARPE = 5;
/** Share of a bar's volume above which a fill would have moved the price. */
const TOO_MUCH_VOLUME = 0.1;

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
  const found: Warning[] = [];
  const { winRate } = trades;
  if (winRate !== null && isTooManyWins(winRate, trades.trades))
    found.push(warning('RESULT_WINNERS', `${percent(winRate, 1)} of ${count(trades.trades)} trades won, which is too good to be true`));
  if (metrics.sharpe !== null && isTooHighSharpe(metrics.sharpe))
    found.push(warning('RESULT_SHARPE', `a Sharpe ratio of ${fixed(metrics.sharpe, 2)} is too good to be true`));
  const { bars, max, isDry } = volumeTaken(record);
  if (bars > 0) {
    const share = isDry ? 'some of bars without volume' : `at most ${percent(max, max < 1 ? 1 : 0)}`;
    const text = `fills took more than ${percent(TOO_MUCH_VOLUME, 0)} of the volume of ${count(bars)} ${bars === 1 ? 'bar' : 'bars'} (${share})`;
    found.push(warning('RESULT_VOLUME', text));
  }
  return found;
}

interface Taken {
  /** Number of bars in which fills took too much. */
  readonly bars: number;
  /** The largest share of a bar's volume. */
  readonly max: number;
  /** True when an order filled in a bar without volume. */
  readonly isDry: boolean;
}

/** Sums the filled quantities of each bar of the execution feeds. */
function volumeTaken(record: RunRecord): Taken {
  const { fills, orders, instruments } = record;
  const feeds = instruments.map(({ id }) => executionFeeds(record.feeds).find(({ bars }) => bars.instrument.id === id));
  const lots = instruments.map(() => new Map<number, number>());
  for (let fill = 0; fill < fills.length; fill++) {
    const index = fills.instrument[fill]!;
    const feed = feeds[index];
    if (feed === undefined) continue;
    const row = rowOfFill(feed, fills.timeMs[fill]!, fills.isMaker[fill] === 1, ROLES[orders.role[fills.orderId[fill]! - 1]!] ?? 'market');
    lots[index]!.set(row, (lots[index]!.get(row) ?? 0) + fills.lots[fill]!);
  }
  let [bars, max, isDry] = [0, 0, false];
  lots.forEach((byRow, index) => {
    const scale = lotsPerCoin(instruments[index]!);
    for (const [row, filled] of byRow) {
      const share = filled / (feeds[index]!.bars.volume[row]! * scale);
      if (!(share > TOO_MUCH_VOLUME)) continue;
      bars++;
      if (share === Infinity) isDry = true;
      else max = Math.max(max, share);
    }
  });
  return { bars, max, isDry };
}

/**
 * Returns the row in which a fill happened. A fill at the open has the time of the open, one inside a bar that of the close, and the close
 * of one bar is the open of the next. Resting orders fill inside, taking orders at the open. A stop can do either, so the bar with more
 * volume is assumed.
 */
function rowOfFill({ bars, firstRow }: FeedRecord, timeMs: number, isMaker: boolean, role: string): number {
  const closing = Math.max(firstRow, countUpTo(bars.closeMs, bars.length, timeMs) - 1);
  const next = closing + 1 < bars.length && bars.openMs[closing + 1]! <= timeMs ? closing + 1 : closing;
  const opened = bars.openMs[closing] === timeMs ? closing : next;
  if (isMaker) return bars.closeMs[closing] === timeMs ? closing : opened;
  if (role === 'market' || role === 'limit' || role === 'takeProfit') return opened;
  return bars.volume[opened]! > bars.volume[closing]! ? opened : closing;
}
