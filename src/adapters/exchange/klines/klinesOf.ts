// Requests klines of either market.

import type { Market } from '../../../model/instrument.ts';
import type { CommonInterval } from '../../../model/interval.ts';
import type { CallOptions, RestClient } from '../client/restClient.ts';
import type { AskKlines } from './barPoller.ts';

/** The priority of recording, because no strategy waits for recorded bars. */
const STEADY: CallOptions = { priority: 'steady' };

/** Returns the function that requests the newest klines of one instrument and interval, by default at polling priority. */
export function klinesOf(
  client: Pick<RestClient, 'call'>,
  market: Market,
  symbol: string,
  interval: CommonInterval,
  options: CallOptions = STEADY,
): AskKlines {
  return (limit, done) =>
    market === 'spot'
      ? client.call('spot.klines', { symbol, interval, limit }, done, options)
      : client.call('futures.klines', { contractName: symbol, interval, limit }, done, options);
}
