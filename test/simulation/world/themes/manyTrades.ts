// Fills resting orders of the bot in many trades at once, at an exchange that counts pages of trades downward.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { SimulatedVenue } from '../venue.ts';
import { takeInPieces } from './otherAccount.ts';

/** Number of trades in which an order fills: more than a bot asks for with its first page. */
const PIECES = 60;
/** How often a resting order is looked for, ms. */
const LOOK_MS = 60_000;

/** The many trades of one day. `calmFromMs`: from this time on nothing goes wrong, ms UTC. */
export class ManyTrades {
  readonly #queue: DueQueue;
  readonly #venue: SimulatedVenue;
  readonly #calmFromMs: number;

  constructor(queue: DueQueue, venue: SimulatedVenue, calmFromMs: number) {
    this.#queue = queue;
    this.#venue = venue;
    this.#calmFromMs = calmFromMs;
    countPagesDownward(venue);
    queue.at(queue.nowMs + LOOK_MS, () => this.#look());
  }

  /** Has the market take the resting orders of the bot. */
  #look(): void {
    const queue = this.#queue;
    const venue = this.#venue;
    if (queue.nowMs >= this.#calmFromMs) return;
    venue.service.advance(queue.nowMs);
    for (const order of venue.live()) takeInPieces(venue, order, PIECES);
    queue.at(queue.nowMs + LOOK_MS, () => this.#look());
  }
}

/** Makes the exchange answer a request for trades from an id on with that trade and older ones. The specification does not say which ones. */
function countPagesDownward({ side }: SimulatedVenue): void {
  const { orders } = side;
  const tradeIndexes = orders.tradeIndexes.bind(orders);
  Object.assign(orders, {
    tradeIndexes: (...[account, instrument, limit, fromId]: Parameters<typeof tradeIndexes>): readonly number[] => {
      if (fromId === null) return tradeIndexes(account, instrument, limit, null);
      const all = tradeIndexes(account, instrument, Infinity, null);
      return all.filter((index) => orders.tradeAt(account, index).tradeId <= fromId).slice(0, limit);
    },
  });
}
