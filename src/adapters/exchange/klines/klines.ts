// The klines calls of both markets under one name.

import type { Market } from '../../../model/instrument.ts';
import type { Interval } from '../../../model/interval.ts';
import type { RestClient } from '../client/restClient.ts';
import type { AskKlines } from './barPoller.ts';

const STEADY = { priority: 'steady' } as const;

/** Asks for the newest klines of one instrument and interval, with the priority of what comes again and again. */
export function klinesOf(client: Pick<RestClient, 'call'>, market: Market, symbol: string, interval: Interval): AskKlines {
  return (limit, done) =>
    market === 'spot'
      ? client.call('spot.klines', { symbol, interval, limit }, done, STEADY)
      : client.call('futures.klines', { contractName: symbol, interval, limit }, done, STEADY);
}
