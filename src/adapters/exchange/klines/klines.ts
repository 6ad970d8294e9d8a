// Kline requests for both markets in one shape.

import type { Market } from '../../../model/instrument.ts';
import type { Interval } from '../../../model/interval.ts';
import type { RestClient } from '../client/restClient.ts';
import type { AskKlines } from './barPoller.ts';

const STEADY = { priority: 'steady' } as const;

/** Returns the request for the newest klines of one instrument and interval, at polling priority. */
export function klinesOf(client: Pick<RestClient, 'call'>, market: Market, symbol: string, interval: Interval): AskKlines {
  return (limit, done) =>
    market === 'spot'
      ? client.call('spot.klines', { symbol, interval, limit }, done, STEADY)
      : client.call('futures.klines', { contractName: symbol, interval, limit }, done, STEADY);
}
