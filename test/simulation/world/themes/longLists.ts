// Makes the list of open orders as long as it may be: just after a create whose reply is lost, a person places as many orders as a list shows.

import { lots, ticks } from '../../../../src/base/brand.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { SimulatedVenue } from '../venue.ts';
import { intentOf } from './manualOrders.ts';

/** Number of orders in the longest list. Lists show the newest orders. */
const MANY_ORDERS = 1000;
/** Time from the create until the person places the orders, and until the day ends, ms: absence could be proved by then. */
const PLACE_AFTER_MS = 300;
const END_AFTER_MS = 120_000;
/** Price and smallest size of these orders, far below the market. */
const FAR_TICKS = 50;
const SMALL_LOTS = 1000;

/** The long list of one day. */
export class LongLists {
  isOver = false;
  #hasBegun = false;
  readonly #queue: DueQueue;
  readonly #venue: SimulatedVenue;

  constructor(queue: DueQueue, venue: SimulatedVenue) {
    this.#queue = queue;
    this.#venue = venue;
  }

  /** Notes a create that is carried out and whose reply is lost. The first buy that rests begins the long list. */
  noteLost(body: string): void {
    const queue = this.#queue;
    const venue = this.#venue;
    const intent = intentOf(body, venue);
    const price = venue.service.markets.find(({ instrument }) => instrument === intent?.instrument)?.referencePrice ?? NaN;
    if (this.#hasBegun || intent === null || intent.side === 'sell' || intent.limit >= price) return;
    this.#hasBegun = true;
    queue.at(queue.nowMs + PLACE_AFTER_MS, () => {
      venue.service.advance(queue.nowMs);
      for (let nth = 0; nth < MANY_ORDERS; nth++)
        venue.placeManually({ ...intent, lots: lots(SMALL_LOTS + nth), limit: ticks(FAR_TICKS) }, `BYHAND${nth}`);
    });
    queue.at(queue.nowMs + END_AFTER_MS, () => (this.isOver = true));
  }
}
