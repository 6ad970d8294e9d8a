// The tape: the latest trades of an instrument, and the klines built from them.

import type { Match } from '../matching/matcher.ts';
import { Klines } from './klines.ts';

/** Maximum `limit` of recent trades (specification, part 8). */
const MAX_TRADES = 1000;

export class Tape {
  readonly klines = new Klines();
  readonly #trades: Match[] = [];

  print(match: Match): void {
    this.note(match);
    this.klines.print(match.timeMs, match.price, match.lots);
  }

  /** Adds a trade whose volume a bar already includes. */
  note(match: Match): void {
    this.#trades.push(match);
    if (this.#trades.length > 2 * MAX_TRADES) this.#trades.splice(0, this.#trades.length - MAX_TRADES);
  }

  /** Newest first. */
  latest(limit: number): readonly Match[] {
    return this.#trades.slice(-limit).toReversed();
  }
}
