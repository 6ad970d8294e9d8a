// Creates the poller of a set of bars. It requests klines, or trades from which it builds bars.

import { BarPoller, type AskKlines } from '../../../adapters/exchange/klines/barPoller.ts';
import type { BarEvent } from '../../../adapters/exchange/klines/barTracker.ts';
import { pollRules } from '../../../adapters/exchange/klines/pollPlan.ts';
import type { ServerTime } from '../../../adapters/exchange/time/serverClock.ts';
import type { TradeEvent } from '../../../adapters/exchange/trades/tradeBarTracker.ts';
import { TradePoller, type AskTrades } from '../../../adapters/exchange/trades/tradePoller.ts';
import { formatTime } from '../../../model/time.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { BarTimes } from '../config/barTimes.ts';
import type { KlineSet, LiveSet, BotTradeSet } from './liveFeeds.ts';

/** Polls one set of bars. */
export interface SetPoller {
  start(): void;
  /** No event follows. */
  stop(): void;
}

/** The collaborators of all pollers. */
export interface SetPollerDeps {
  readonly scheduler: Scheduler;
  readonly serverTime: () => ServerTime;
  readonly random: () => number;
  readonly times: BarTimes;
  readonly ask: (set: KlineSet) => AskKlines;
  readonly askTrades: (set: BotTradeSet) => AskTrades;
}

/** Receives the events of one poller: `onBar` for a set of klines, `onTrades` for a set of trades. */
export interface SetSink {
  readonly onBar: (event: BarEvent) => void;
  readonly onTrades: (event: TradeEvent) => void;
  readonly onReply: (serverMs: number) => void;
  readonly onProblem: (problem: string, againMs: number | null) => void;
}

/** True for bars from trades. */
export const isTradeSet = (set: LiveSet): set is BotTradeSet => set.trades !== undefined;

/** Returns the poller of a set. */
export function pollerOf(set: LiveSet, deps: SetPollerDeps, sink: SetSink): SetPoller {
  const { scheduler, serverTime, random, times, ask, askTrades } = deps;
  const { onReply, onProblem } = sink;
  if (isTradeSet(set)) {
    const tradeSink = { event: sink.onTrades, answered: onReply, onProblem };
    return new TradePoller(
      { scheduler, serverTime, random, ask: askTrades(set), sink: tradeSink },
      { ...set.trades, delayMs: times.delayMs },
    );
  }
  const { interval } = set.key;
  return new BarPoller(
    { scheduler, serverTime, random, ask: ask(set), sink: { event: sink.onBar, answered: onReply, onProblem } },
    {
      interval,
      from: set.from,
      known: set.known,
      rules: { ...pollRules(interval, times.graceMs), delayMs: times.delayMs, spreadMs: times.spreadMs },
    },
  );
}

/** Returns the log message for trades that may be missing in the next bar. */
export function tradeEventText(event: Exclude<TradeEvent, { readonly kind: 'bar' }>): string {
  if (event.kind === 'late') return `${event.trades} trades came after a later bar: left out, and the next bar is incomplete`;
  const from = event.fromMs === null ? 'before the first known one' : `after ${formatTime(event.fromMs)}`;
  const to = event.toMs === null ? '' : ` and before ${formatTime(event.toMs)}`;
  return `trades ${from}${to} may be missing, because two polls share no trade id: the next bar is incomplete`;
}
