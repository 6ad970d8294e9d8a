// Fills resting orders of the bot in many trades at once, at an exchange that counts pages of trades downward.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import type { SimulatedVenue } from '../venue.ts';
import { takeInPieces } from './otherAccount.ts';

/** Number of trades in which an order fills: more than a bot asks for with its first page. */
const PIECES = 60;
/** Time between two rounds in which the market takes the resting orders, ms. */
const ROUND_MS = 60_000;

/** Fills the resting orders of the bot in many trades, every minute until `untilMs`. */
export function fillInManyTrades(queue: DueQueue, venue: SimulatedVenue, untilMs: number): void {
  countPagesDownward(venue);
  const takeAll = (): void => {
    if (queue.nowMs >= untilMs) return;
    venue.service.advance(queue.nowMs);
    for (const order of venue.openOrders()) takeInPieces(venue, order, PIECES);
    queue.at(queue.nowMs + ROUND_MS, takeAll);
  };
  queue.at(queue.nowMs + ROUND_MS, takeAll);
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
