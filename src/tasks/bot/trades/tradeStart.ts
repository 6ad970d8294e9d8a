// The bars from trades with which a live bot starts: counted from the catalog and the newest trades of the exchange.

import type { BarKey } from '../../../adapters/catalog/files/paths.ts';
import type { MarketBar } from '../../../adapters/exchange/klines/klineWindow.ts';
import { TradeBarTracker, type TradeEvent } from '../../../adapters/exchange/trades/tradeBarTracker.ts';
import { haveIds, MAX_TRADES, tradeWindow, type TradeWindow } from '../../../adapters/exchange/trades/tradeWindow.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { TradeDigits } from '../../../model/bars/tradeBarBuilder.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { formatTime } from '../../../model/time.ts';
import { tradeBarRule } from '../../../model/tradeBars.ts';
import type { Listing } from '../../../protocol/shapes/answer.ts';
import type { PublicTrade } from '../../../protocol/shapes/market.ts';
import { commonDigits, joinHistory, newestStoredDay, type TradeHistory } from './tradeHistory.ts';

/** The trades of one symbol as exchange and catalog have them at a start. */
export interface TradeStart {
  readonly key: BarKey;
  readonly instrument: Instrument;
  readonly digits: TradeDigits;
  /** The newest trades of the exchange. */
  readonly window: TradeWindow;
  /** Every trade before this time is in the window, or older than it. */
  readonly settledMs: number;
  /** Null: the catalog has no trades, or they are left out. */
  readonly history: TradeHistory | null;
  /** Why the trades of the catalog are left out, as a sentence; null: they are used, or there are none. */
  readonly note: string | null;
}

/** Where the bars of a start come from, and what follows them. */
export interface StartedBars {
  /** Builds the bars that follow. */
  readonly tracker: TradeBarTracker;
  /** Oldest first. */
  readonly bars: readonly MarketBar[];
  readonly notes: readonly string[];
}

/** Throws ConfigError if the exchange gives trades without ids. `place`: where the feed is in the config. */
export function requireTradeIds(listing: Listing<PublicTrade>, { interval }: BarKey, place: string): void {
  if (haveIds(listing)) return;
  throw new ConfigError(
    `${place}: expected an exchange whose recent trades have ids, for bars of ${interval}, got trades without ids`,
    'write an interval of time such as 1m: without ids a bot cannot know whether it has seen all trades',
  );
}

/** Returns the trades of a start. `listing`: the reply to a request for `MAX_TRADES` trades after `settledMs`. */
export function tradeStart(
  catalog: string,
  feed: Pick<TradeStart, 'key' | 'instrument'>,
  listing: Listing<PublicTrade>,
  settledMs: number,
): TradeStart {
  const stored = newestStoredDay(catalog, feed.key, settledMs);
  const digits = commonDigits(feed.instrument, stored);
  const window = tradeWindow(listing, MAX_TRADES, digits);
  const joined = stored === null ? null : joinHistory(catalog, feed.key, stored, window.trades, digits);
  const start = { ...feed, digits, window, settledMs };
  if (typeof joined === 'string') return { ...start, history: null, note: joined };
  return { ...start, history: joined, note: null };
}

/** Returns the bars of a new lifetime. */
export function firstTradeBars({ key, instrument, digits, window, settledMs, history, note }: TradeStart): StartedBars {
  const tracker = trackerFor({ key, instrument, digits }, history?.openMs ?? null);
  if (history !== null) tracker.addHistory(history.trades);
  const events = tracker.eventsIn(window, settledMs);
  const name = `${key.symbol} ${key.interval}`;
  const notes = note === null ? [] : [note];
  const firstTrade = window.trades[0];
  if (firstTrade === undefined) notes.push(`${name}: the exchange has no trades yet; counting begins with the first one`);
  else if (history === null)
    notes.push(
      `${name}: trades before ${formatTime(firstTrade.timeMs)} are not known, so counting begins there: until 00:00 UTC bars may end at other trades than in a backtest over the whole day`,
    );
  return { tracker, bars: [...(history?.bars ?? []), ...barsOf(events)], notes };
}

/** Returns the bars since the one that ended at `lastMs`, which a lifetime that continues does not have yet. -Infinity: it has none. */
export function tradeBarsSince(lastMs: number, start: TradeStart): StartedBars {
  if (lastMs === -Infinity) return firstTradeBars({ ...start, history: null });
  const tracker = trackerFor(start, lastMs);
  const events = tracker.eventsIn(start.window, start.settledMs);
  const name = `${start.key.symbol} ${start.key.interval}`;
  const hasGap = events.some(({ kind }) => kind === 'gap');
  const note = `${name}: the newest trades of the exchange do not reach back to ${formatTime(lastMs)}, where the newest bar of the bot ended: the next bar is incomplete, and nobody decides on it`;
  return { tracker, bars: barsOf(events), notes: hasGap ? [note] : [] };
}

/** Returns a tracker whose first bar opens at `openMs`; null: at its first trade. */
const trackerFor = ({ key, instrument, digits }: Pick<TradeStart, 'key' | 'instrument' | 'digits'>, openMs: number | null) =>
  new TradeBarTracker({ rule: tradeBarRule(key.interval)!, instrument, digits, openMs });

/** Returns the bars that were completed among the events of a tracker. */
const barsOf = (events: readonly TradeEvent[]): readonly MarketBar[] =>
  events.flatMap((event) => (event.kind === 'bar' ? [event.bar] : []));
