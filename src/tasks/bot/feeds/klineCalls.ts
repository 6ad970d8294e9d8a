// Queues the kline calls of a live bot: one queue for each market, before other polling, with the full rate limit of public calls.

import type { AskKlines } from '../../../adapters/exchange/klines/barPoller.ts';
import { KlineQueue } from '../../../adapters/exchange/klines/klineQueue.ts';
import { klinesOf } from '../../../adapters/exchange/klines/klines.ts';
import type { Exchange } from '../../../access/openExchange.ts';
import type { Market } from '../../../model/instrument.ts';
import type { LiveSet } from './feeds.ts';

/** Returns the function that requests the klines of a set. `place`: its position in the order in which strategies need the sets. */
export function klineCalls({
  client,
  limiter,
  scheduler,
}: Pick<Exchange, 'client' | 'limiter' | 'scheduler'>): (set: Pick<LiveSet, 'key' | 'from'>, place: number) => AskKlines {
  const queues = new Map<Market, KlineQueue>();
  return ({ key: { market, symbol }, from }, place) => {
    const { limit, weight } = limiter.limitOf(market === 'spot' ? 'spot.klines' : 'futures.klines');
    let queue = queues.get(market);
    if (queue === undefined) queues.set(market, (queue = new KlineQueue(scheduler, { maxCalls: limit.count / weight })));
    return queue.queued(place, klinesOf(client, market, symbol, from, { priority: 'bars', queueMs: limit.windowMs }));
  };
}
