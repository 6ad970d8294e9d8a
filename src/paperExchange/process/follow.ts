// Paper trading on live prices: polls the public market data of another service and mirrors it in our order books.

import { callAsPromise } from '../../adapters/exchange/client/callAsPromise.ts';
import { nearestScaled } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import type { Op, OpArgs, OpResult } from '../../protocol/endpoints/endpoints.ts';
import { Mirror, type OtherLevel } from '../market/mirror.ts';
import type { Service } from '../service.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';
import { openExchange, type Exchange } from '../../access/openExchange.ts';
import { accessSettings } from '../../access/settings.ts';

const POLL_MS = 1000;
const LEVELS_PER_SIDE = 100;
const TRADES_PER_POLL = 100;
/** As many minutes as the specification returns: the history that the exchange opens with. */
const HISTORY_MINUTES = 300;

/** The service to follow, and the exchange that follows it. */
export interface FollowOptions {
  /** Base URL of the service, for both markets. */
  readonly url: string;
  readonly service: Service;
  nowMs(): number;
  /** Called once when a poll fails, and once when the next one succeeds. */
  readonly onNews: (text: string) => void;
  /** Time between polls, ms. Default 1000, a tenth of what the specification's limits for public calls allow. */
  readonly pollMs?: number;
}

/** A running follow of another service. */
export interface RunningFollow {
  /** Wire names of the followed instruments. */
  readonly names: readonly string[];
  stop(): Promise<void>;
}

/** Follows every instrument of the exchange. Throws ConfigError if the service cannot be reached or lacks an instrument. */
export async function follow(options: FollowOptions): Promise<RunningFollow> {
  const { url, service, onNews, pollMs = POLL_MS } = options;
  const followedExchange = openExchange(accessSettings({ spotUrl: url, futuresUrl: url }, {}));
  const followedMarkets = service.markets.map((traded) => new FollowedMarket(traded, followedExchange, options));
  try {
    for (const market of followedMarkets) await market.start();
  } catch (error) {
    await followedExchange.close();
    throw error;
  }
  let isStopped = false;
  let isFailing = false;
  const poll = async (): Promise<void> => {
    if (isStopped) return;
    try {
      for (const market of followedMarkets) await market.poll();
      if (isFailing) onNews(`${url} answers again`);
      isFailing = false;
    } catch (error) {
      if (!isFailing && !isStopped)
        onNews(`${url} does not answer, following is paused: ${error instanceof Error ? error.message : String(error)}`);
      isFailing = true;
    }
    if (!isStopped) followedExchange.scheduler.at(followedExchange.scheduler.nowMs + pollMs, () => void poll());
  };
  void poll();
  return {
    names: followedMarkets.map(({ name }) => name),
    stop: () => {
      isStopped = true;
      return followedExchange.close();
    },
  };
}

/** Follows the market of one instrument. */
class FollowedMarket {
  readonly name: string;
  readonly #market: TradedMarket;
  readonly #mirror: Mirror;
  readonly #followedExchange: Exchange;
  readonly #options: FollowOptions;
  /** Id of the newest trade that has been mirrored; spot only. */
  #newestTradeId = '';
  /** The last price, in ticks. */
  #lastTicks = 0;

  constructor(market: TradedMarket, followedExchange: Exchange, options: FollowOptions) {
    this.name = market.instrument.wireName;
    this.#market = market;
    this.#mirror = new Mirror(market);
    this.#followedExchange = followedExchange;
    this.#options = options;
  }

  get #isSpot(): boolean {
    return this.#market.instrument.market === 'spot';
  }

  /** Loads the history, then the current book. */
  async start(): Promise<void> {
    const { name } = this;
    const { rows } = this.#isSpot
      ? await this.#read('spot.klines', { symbol: name, interval: '1m', limit: HISTORY_MINUTES })
      : await this.#read('futures.klines', { contractName: name, interval: '1m', limit: HISTORY_MINUTES });
    const { klines } = this.#market.tape;
    const minutes = rows.toSorted((a, b) => a.openMs - b.openMs);
    for (const { openMs, open, high, low, close, volume } of minutes) {
      const lots = Math.max(1, Math.floor(this.#lotsOf(volume) / 4));
      for (const price of [open, high, low, close]) klines.addTrade(openMs, this.#ticksOf(price), lots);
    }
    const newest = minutes.at(-1);
    if (newest === undefined)
      throw new ConfigError(`${this.#options.url}: no klines of ${name}`, 'follow a service that trades this instrument');
    this.#lastTicks = this.#market.referencePrice = this.#ticksOf(newest.close);
    if (this.#isSpot) this.#newestTradeId = (await this.#read('spot.recentTrades', { symbol: name, limit: 1 })).rows[0]?.id ?? '';
    await this.poll();
  }

  /** Mirrors the trades since the last poll, then the current book. */
  async poll(): Promise<void> {
    if (this.#isSpot) await this.#pollTrades();
    else await this.#pollLastPrice();
    const { name } = this;
    const { bids, asks } = this.#isSpot
      ? await this.#read('spot.depth', { symbol: name, limit: LEVELS_PER_SIDE })
      : await this.#read('futures.depth', { contractName: name, limit: LEVELS_PER_SIDE });
    this.#mirror.setBook(this.#levelsOf(bids), this.#levelsOf(asks), this.#advanceToNow());
  }

  /** Repeats the trades of the followed exchange that are newer than the last poll, oldest first. */
  async #pollTrades(): Promise<void> {
    const { rows } = await this.#read('spot.recentTrades', { symbol: this.name, limit: TRADES_PER_POLL });
    const knownIndex = rows.findIndex(({ id }) => id === this.#newestTradeId);
    const newTrades = knownIndex < 0 ? rows : rows.slice(0, knownIndex);
    for (const { price, quantity, side } of newTrades.toReversed()) {
      this.#mirror.repeatTrade(
        { priceTicks: this.#ticksOf(price), lots: Math.max(1, this.#lotsOf(quantity)), takerSide: side },
        this.#advanceToNow(),
      );
    }
    this.#newestTradeId = rows[0]?.id ?? this.#newestTradeId;
  }

  /** The specification has no list of trades for contracts, so each change of the last price counts as a trade of one contract. */
  async #pollLastPrice(): Promise<void> {
    const { last } = await this.#read('futures.ticker', { contractName: this.name });
    const price = this.#ticksOf(last);
    if (price !== this.#lastTicks)
      this.#mirror.repeatTrade({ priceTicks: price, lots: 1, takerSide: price > this.#lastTicks ? 'buy' : 'sell' }, this.#advanceToNow());
    this.#lastTicks = price;
  }

  /** Advances our exchange to the present. Returns its time, ms UTC. */
  #advanceToNow(): number {
    const { service } = this.#options;
    service.advance(this.#options.nowMs());
    return service.nowMs;
  }

  /** Returns a price in ticks, at least 1. Decimals beyond those of our instrument are rounded. */
  #ticksOf(price: string): number {
    return Math.max(1, nearestScaled(price, this.#market.instrument.priceDigits));
  }
  /** Returns a quantity in lots. Decimals beyond those of our instrument are rounded. */
  #lotsOf(quantity: string): number {
    return nearestScaled(quantity, this.#isSpot ? this.#market.instrument.quantityDigits : 0);
  }
  /** Returns the levels of one side of a book, in ticks and lots. Levels that round to the same price are added up. */
  #levelsOf(rows: readonly { readonly price: string; readonly quantity: string }[]): OtherLevel[] {
    const levels = new Map<number, number>();
    for (const { price, quantity } of rows)
      levels.set(this.#ticksOf(price), (levels.get(this.#ticksOf(price)) ?? 0) + this.#lotsOf(quantity));
    return Array.from(levels, ([priceTicks, lots]) => ({ priceTicks, lots })).filter(({ lots }) => lots > 0);
  }

  /** Calls an operation of the other service. Throws ConfigError if it fails. */
  async #read<O extends Op>(op: O, args: OpArgs<O>): Promise<OpResult<O>> {
    const outcome = await callAsPromise(this.#followedExchange.client, op, args);
    if (outcome.kind === 'acked') return outcome.value;
    const reason = outcome.kind === 'refused' ? `code ${outcome.code}` : outcome.cause;
    throw new ConfigError(`${this.#options.url}: ${op} of ${this.name} failed (${reason})`, 'run isobar doctor to check the service');
  }
}
