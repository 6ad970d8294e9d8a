// Buries the trade of a lost order under many newer ones: just after it, another account takes a resting order of the bot in many trades. Lists
// show the trade as late as a bot must expect, and balances come from a replica that lacks it until the bot knows the order and
// lists show the trade.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import { clientOrderIdIn } from '../observer.ts';
import type { SimulatedVenue } from '../venue.ts';
import { withoutTradesOf } from './lackingBalances.ts';
import { takeInPieces } from './otherAccount.ts';
import { fieldOf, ownOrderOf } from './replies.ts';

/** Number of newer trades: more than the first page of a list has. */
const PIECES = 60;
/** Time from the trade until lists show it, ms: when absence can be proved, and no later than the first list that may prove it is answered. */
const HIDDEN_MS = 20_500;
/** Time between two checks whether a lost order has filled, ms. */
const CHECK_PAUSE_MS = 5;
/** Time after a lost create at which the checks end, ms. */
const GIVE_UP_MS = 1000;

/** The buried trades of one day. */
export class BuriedTrades {
  readonly #queue: DueQueue;
  readonly #venue: SimulatedVenue;
  readonly #buriedIds = new Set<string>();

  constructor(queue: DueQueue, venue: SimulatedVenue) {
    this.#queue = queue;
    this.#venue = venue;
  }

  /** Called with the body of each create request that the exchange carries out and whose reply is lost. */
  onLostReply(body: string): void {
    this.#buryOnceFilled(clientOrderIdIn(body) ?? '', this.#queue.nowMs + GIVE_UP_MS);
  }
  /** Buries the trades of an order once it has filled, if the bot has another order that rests. */
  #buryOnceFilled(clientOrderId: string, untilMs: number): void {
    const queue = this.#queue;
    const venue = this.#venue;
    if (queue.nowMs > untilMs) return;
    const lost = venue.orders.firstByClientId.get(clientOrderId);
    if (lost === undefined || lost.trades.length === 0 || lost.order.venueOrder !== null)
      return void queue.at(queue.nowMs + CHECK_PAUSE_MS, () => this.#buryOnceFilled(clientOrderId, untilMs));
    const { instrument } = lost.order;
    const resting = venue.openOrders().find((order) => order.instrument === instrument && order !== lost.order);
    if (resting === undefined) return;
    this.#buriedIds.add(lost.order.id);
    venue.service.advance(queue.nowMs);
    takeInPieces(venue, resting, PIECES);
  }

  /** No list of balances is slow. */
  balancesDelayMs(): number {
    return 0;
  }
  /** The exchange finds each order. */
  lacksOrder(): boolean {
    return false;
  }
  /** True for a row of a trade that lists lack now. */
  lacksTrade(row: string): boolean {
    return this.#buriedIds.has(ownOrderOf(row)) && this.#isHidden(Number(fieldOf(row, 'time')));
  }
  /** True while lists lack a buried trade of this time, ms UTC. */
  #isHidden(tradeMs: number): boolean {
    return this.#queue.nowMs < tradeMs + HIDDEN_MS;
  }

  /** Returns a list of balances without the trades of buried orders that the bot does not know, or that lists of trades still lack. */
  balancesOf(body: string): string {
    const buried = Array.from(this.#buriedIds, (id) => this.#venue.orders.byId.get(id)!);
    return withoutTradesOf(
      body,
      buried.filter(
        ({ clientOrderId, order, trades }) =>
          this.#venue.orders.venueIdInBot(clientOrderId) !== order.id || trades.some(({ timeMs }) => this.#isHidden(timeMs)),
      ),
    );
  }
}
