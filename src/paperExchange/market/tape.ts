// The tape: the latest trades of an instrument, and the klines built from them.

import type { Match } from '../matching/matcher.ts';
import { Klines } from './klines.ts';

/** Maximum `limit` of recent trades (specification, part 8). */
const MAX_TRADES = 1000;

/** The tape of one instrument. */
export class Tape {
  /** The klines of the trades. */
  readonly klines = new Klines();
  readonly #trades: Match[] = [];

  /** Adds a trade, and its price and lots to the klines. */
  addTrade(match: Match): void {
    this.addTradeOfBar(match);
    this.klines.addTrade(match.timeMs, match.price, match.lots);
  }

  /** Adds a trade that the klines already include, as part of a bar. */
  addTradeOfBar(match: Match): void {
    this.#trades.push(match);
    if (this.#trades.length > 2 * MAX_TRADES) this.#trades.splice(0, this.#trades.length - MAX_TRADES);
  }

  /** Returns at most `limit` trades, newest first. */
  latest(limit: number): readonly Match[] {
    return this.#trades.slice(-limit).toReversed();
  }
}
