// The exchange as market data uses it, and reads that throw a readable error if there is no reply.

import { errorCodeOf } from '../../protocol/outcome.ts';
import { causeOf } from '../../adapters/exchange/klines/barPoller.ts';
import { callAsPromise } from '../../adapters/exchange/client/callAsPromise.ts';
import type { RestClient } from '../../adapters/exchange/client/restClient.ts';
import type { ServerClock, ServerTime } from '../../adapters/exchange/time/serverClock.ts';
import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Market } from '../../model/instrument.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import type { Dialect } from '../../protocol/dialect.ts';
import type { Op, OpArgs, OpResult } from '../../protocol/endpoints/endpoints.ts';
import { errorCode } from '../../protocol/errors/errorCodes.ts';
import { listedContract, listedSymbol, type ListedInstrument } from './listedInstruments.ts';

/** The public calls of an exchange, with its clock. */
export interface MarketService {
  readonly client: RestClient;
  readonly dialect: Dialect;
  readonly scheduler: Scheduler;
  readonly clock: ServerClock;
}

/** Returns the venue's current time. Starts a measurement if its clock has not been measured yet. */
export function serverTime({ clock }: MarketService, market: Market): ServerTime {
  if (!clock.isMeasured(market)) clock.measure(market);
  return clock.now(market);
}

/** Resolves when the venue's clock has been measured, or the measurement has failed. */
export function measureClock({ clock }: MarketService, market: Market): Promise<void> {
  return clock.isMeasured(market) ? Promise.resolve() : new Promise((resolve) => clock.measure(market, () => resolve()));
}

/** The exchange gave no usable reply. `message` and `remedy` are one line each for the user. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** What the user can do. */
  readonly remedy: string;
  /** The error code of the exchange; null: it gave none. */
  readonly code: number | null;
  constructor(message: string, remedy: string, code: number | null = null) {
    super(message);
    this.remedy = remedy;
    this.code = code;
  }
}

/** Returns the reply to a read. Throws NoAnswer. */
export async function answerTo<O extends Op>({ client }: MarketService, op: O, args: OpArgs<O>): Promise<OpResult<O>> {
  const outcome = await callAsPromise(client, op, args);
  if (outcome.kind === 'acked') return outcome.value;
  const code = errorCodeOf(outcome);
  const advice = code === null ? null : errorCode(code)?.advice;
  throw new NoAnswer(`${op}: ${causeOf(outcome)}`, advice ?? 'isobar doctor looks for the reason', code);
}

/** Returns the venue's time, ms, at some time before this call returns. Throws NoAnswer. */
export async function askTime(service: MarketService, market: Market): Promise<number> {
  const { serverTimeMs } = await answerTo(service, `${market}.serverTime`, {});
  return serverTimeMs;
}

/** Returns the instruments of a market, by symbol. Throws NoAnswer. */
export async function listMarket(service: MarketService, market: Market): Promise<ReadonlyMap<string, ListedInstrument>> {
  const listing =
    market === 'spot'
      ? (await answerTo(service, 'spot.symbols', {})).rows.map(listedSymbol)
      : (await answerTo(service, 'futures.contracts', {})).rows.map(listedContract);
  return new Map(listing.map((listed) => [listed.symbol, listed]));
}

/** Throws ConfigError for a symbol that the market does not list. `place`: where the symbol was given. */
export function listedIn(
  listed: ReadonlyMap<string, ListedInstrument>,
  market: Market,
  symbol: string,
  place = '--symbol',
): ListedInstrument {
  const instrument = listed.get(symbol);
  if (instrument) return instrument;
  const near = nearestName(symbol, [...listed.keys()]);
  throw new ConfigError(
    `${place}: the ${market} market of the exchange has no ${symbol}`,
    near === null ? `isobar api ${market === 'spot' ? 'spot.symbols' : 'futures.contracts'} lists what it has` : `did you mean ${near}?`,
  );
}
