// Makes the calls of a live bot for bars. Each market has one queue of kline calls. They go before other polls, and may use the whole rate
// limit of public calls.

import type { AskKlines } from '../../../adapters/exchange/klines/barPoller.ts';
import { KlineQueue } from '../../../adapters/exchange/klines/klineQueue.ts';
import { klinesOf } from '../../../adapters/exchange/klines/klinesOf.ts';
import type { Exchange } from '../../../access/openExchange.ts';
import type { Market } from '../../../model/instrument.ts';
import { marketTradesOf, type AskTrades } from '../../../adapters/exchange/trades/tradePoller.ts';
import type { KlineSet, BotTradeSet } from './liveFeeds.ts';

/** The parts of the exchange adapter that calls for bars use. */
type BarCallDeps = Pick<Exchange, 'client' | 'limiter' | 'scheduler'>;

/** Returns the functions that request the bars of a live bot. */
export const barCalls = (exchange: BarCallDeps) => ({
  ask: klineCalls(exchange),
  askTrades: tradeCalls(exchange),
});

/** Returns the call for the klines of a set. `place` is its position in the order in which strategies need the sets. */
type AskKlinesOfSet = (set: Pick<KlineSet, 'key' | 'from'>, place: number) => AskKlines;

/** Returns the function that requests the klines of a set. */
export function klineCalls({ client, limiter, scheduler }: BarCallDeps): AskKlinesOfSet {
  const queues = new Map<Market, KlineQueue>();
  return ({ key: { market, symbol }, from }, place) => {
    const { limit, weight } = limiter.limitOf(market === 'spot' ? 'spot.klines' : 'futures.klines');
    const queue = queues.get(market) ?? new KlineQueue(scheduler, { maxCalls: limit.count / weight });
    queues.set(market, queue);
    return queue.askInOrder(place, klinesOf(client, market, symbol, from, { priority: 'bars', queueMs: limit.windowMs }));
  };
}

/** Returns the function that requests the recent trades of a set. */
function tradeCalls({ client, limiter }: Pick<Exchange, 'client' | 'limiter'>): (set: Pick<BotTradeSet, 'key'>) => AskTrades {
  const { limit } = limiter.limitOf('spot.recentTrades');
  return ({ key }) => marketTradesOf(client, key.symbol, { priority: 'bars', queueMs: limit.windowMs });
}
