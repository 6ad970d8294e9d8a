// Fills the list of open orders on a day of the theme `longLists`. Just after a create request whose reply is lost, a person places as many orders
// as a list can show. So the list does not show the lost order.

import { lots, ticks } from '../../../../src/base/brand.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { SimulatedVenue } from '../venue.ts';
import { intentOf } from './manualOrders.ts';

/** Number of orders in the longest list. Lists show the newest orders. */
const MAX_LISTED_ORDERS = 1000;
/** Time from the create request until the person places the orders, ms. */
const PLACE_AFTER_MS = 300;
/** Time from the create request until the day ends, ms: enough for a bot to prove the absence of the order, which would be wrong. */
const END_AFTER_MS = 120_000;
/** Price of the person's orders, ticks: far below the market. */
const FAR_TICKS = 50;
/** Lots of the person's first order. Each next order is one lot larger, so that no two have the same fingerprint. */
const MIN_LOTS = 1000;

/** The long list of one day. */
export class LongList {
  isOver = false;
  #hasBegun = false;
  readonly #queue: DueQueue;
  readonly #venue: SimulatedVenue;

  constructor(queue: DueQueue, venue: SimulatedVenue) {
    this.#queue = queue;
    this.#venue = venue;
  }

  /** Called with the body of each create request that is carried out and whose reply is lost. The first maker buy begins the long list. */
  onLostReply(body: string): void {
    const queue = this.#queue;
    const venue = this.#venue;
    const intent = intentOf(body, venue);
    if (this.#hasBegun || intent === null || intent.side === 'sell') return;
    const priceTicks = venue.service.markets.find(({ instrument }) => instrument === intent.instrument)?.referencePrice ?? NaN;
    if (intent.limit >= priceTicks) return;
    this.#hasBegun = true;
    queue.at(queue.nowMs + PLACE_AFTER_MS, () => {
      venue.service.advance(queue.nowMs);
      for (let index = 0; index < MAX_LISTED_ORDERS; index++)
        venue.placeManually({ ...intent, lots: lots(MIN_LOTS + index), limit: ticks(FAR_TICKS) }, `BYHAND${index}`);
    });
    queue.at(queue.nowMs + END_AFTER_MS, () => (this.isOver = true));
  }
}
