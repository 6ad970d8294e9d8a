// The exchange as market data needs it, and its calls with an error for a person where there is no answer.

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
import { listedContract, listedSymbol, type ListedInstrument } from './instruments.ts';

export interface MarketService {
  readonly client: RestClient;
  readonly dialect: Dialect;
  readonly scheduler: Scheduler;
  readonly clock: ServerClock;
}

/** The exchange's time now; where its clock was not measured yet, that is begun. */
export function serverTime({ clock }: MarketService, market: Market): ServerTime {
  if (!clock.isMeasured(market)) clock.measure(market);
  return clock.now(market);
}

/** Resolves when the exchange's clock has been measured, or could not be. */
export function measureClock({ clock }: MarketService, market: Market): Promise<void> {
  return clock.isMeasured(market) ? Promise.resolve() : new Promise((resolve) => clock.measure(market, () => resolve()));
}

/** The exchange gave no answer that can be used. `message` is one line for a person, `remedy` another. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.remedy = remedy;
  }
}

/** The answer to a read. Throws NoAnswer. */
export async function answerTo<O extends Op>({ client }: MarketService, op: O, args: OpArgs<O>): Promise<OpResult<O>> {
  const outcome = await callAsPromise(client, op, args);
  if (outcome.kind === 'acked') return outcome.value;
  const code = outcome.kind === 'refused' ? outcome.code : outcome.kind === 'unknown' ? (outcome.error?.code ?? null) : null;
  const advice = code === null ? null : errorCode(code)?.advice;
  throw new NoAnswer(`${op}: ${causeOf(outcome)}`, advice ?? 'isobar doctor looks for the reason');
}

/** The exchange's time (ms) at some moment before this returns. Throws NoAnswer. */
export async function askTime(service: MarketService, market: Market): Promise<number> {
  const { serverTimeMs } = await answerTo(service, `${market}.serverTime`, {});
  return serverTimeMs;
}

/** What a market lists, by symbol. Throws NoAnswer. */
export async function listMarket(service: MarketService, market: Market): Promise<ReadonlyMap<string, ListedInstrument>> {
  const found =
    market === 'spot'
      ? (await answerTo(service, 'spot.symbols', {})).rows.map(listedSymbol)
      : (await answerTo(service, 'futures.contracts', {})).rows.map(listedContract);
  return new Map(found.map((listed) => [listed.symbol, listed]));
}

/** Throws ConfigError for a symbol that the market does not list; `place` is where it was asked for. */
export function listedIn(
  listed: ReadonlyMap<string, ListedInstrument>,
  market: Market,
  symbol: string,
  place = '--symbol',
): ListedInstrument {
  const found = listed.get(symbol);
  if (found) return found;
  const near = nearestName(symbol, [...listed.keys()]);
  throw new ConfigError(
    `${place}: the ${market} market of the exchange has no ${symbol}`,
    near === null ? `isobar api ${market === 'spot' ? 'spot.symbols' : 'futures.contracts'} lists what it has` : `did you mean ${near}?`,
  );
}
