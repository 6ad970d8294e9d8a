// Hides the trades of lost orders from lists of trades and balances until the last read of the proof that the order is absent. While the reply to
// that read is on the way, another list shows the trade. The exchange does not find the order by its id.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import { clientOrderIdIn } from '../observer.ts';
import type { SimulatedVenue, TrueOrder } from '../venue.ts';
import { withoutTradesOf } from './lackingBalances.ts';
import { ownOrderOf } from './replies.ts';

/** Time from the signature until absence can be proved, ms: admission window, visibility delay and read lag. */
const HORIZON_MS = 5000 + 10_000 + 3000;
/** Number of rounds that prove absence. A round ends with a list of balances. */
const LAST_ROUND = 2;
/** Delay of the reply to the list of balances of the last round, ms. */
const SLOW_MS = 6000;
/** Time from the request for that list until lists show the trade, ms: after the exchange has answered. */
const SHOWN_AFTER_MS = 300;
/** How long the order is not found by its id, from the time on at which lists show its trade, ms. */
const NOT_FOUND_MS = 60_000;

/** A lost order. */
interface HiddenOrder {
  readonly horizonMs: number;
  /** Number of lists of balances that were asked for after the horizon. */
  roundCount: number;
  /** Time from which on lists show its trades, ms UTC; Infinity until it is known. */
  shownMs: number;
}

/** The late trades of one day. */
export class LateTrades {
  readonly #queue: DueQueue;
  readonly #venue: SimulatedVenue;
  readonly #hiddenByClientId = new Map<string, HiddenOrder>();

  constructor(queue: DueQueue, venue: SimulatedVenue) {
    this.#queue = queue;
    this.#venue = venue;
  }

  /** Called with the body of each create request that the exchange carries out and whose reply is lost. */
  onLostReply(body: string, signMs: number): void {
    this.#hiddenByClientId.set(clientOrderIdIn(body) ?? '', { horizonMs: signMs + HORIZON_MS, roundCount: 0, shownMs: Infinity });
  }

  /** Returns the delay of the reply to a list of balances that is requested now, ms. */
  balancesDelayMs(): number {
    const { nowMs } = this.#queue;
    let delayMs = 0;
    for (const [clientOrderId, order] of this.#hiddenByClientId) {
      const placed = this.#venue.orders.firstByClientId.get(clientOrderId);
      if (nowMs < order.horizonMs || placed === undefined || !this.#isHidden(placed) || ++order.roundCount !== LAST_ROUND) continue;
      order.shownMs = nowMs + SHOWN_AFTER_MS;
      delayMs = SLOW_MS;
    }
    return delayMs;
  }
  /** True for a row of a trade that lists lack now. */
  lacksTrade(row: string): boolean {
    const placed = this.#venue.orders.byId.get(ownOrderOf(row));
    return placed !== undefined && this.#isHidden(placed);
  }
  /** Returns a list of balances without the trades that it lacks. The slow list has them, although lists of trades show them a little later. */
  balancesOf(body: string): string {
    const lacking = Array.from(this.#hiddenByClientId, ([id, { shownMs }]) => {
      const placed = shownMs === Infinity ? this.#venue.orders.firstByClientId.get(id) : undefined;
      return placed !== undefined && this.#isHidden(placed) ? [placed] : [];
    });
    return withoutTradesOf(body, lacking.flat());
  }
  /** True while the exchange does not find an order by its id. */
  lacksOrder(venueId: string): boolean {
    const { nowMs } = this.#queue;
    const hidden = this.#hiddenByClientId.get(this.#venue.orders.byId.get(venueId)?.clientOrderId ?? '');
    return hidden !== undefined && nowMs >= hidden.shownMs && nowMs < hidden.shownMs + NOT_FOUND_MS;
  }

  #isHidden({ clientOrderId, order }: TrueOrder): boolean {
    const hidden = this.#hiddenByClientId.get(clientOrderId);
    return hidden !== undefined && this.#queue.nowMs < hidden.shownMs && this.#venue.orders.venueIdInBot(clientOrderId) !== order.id;
  }
}
