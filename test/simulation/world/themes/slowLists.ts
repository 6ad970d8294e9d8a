// Shows a lost order as late as a bot must expect, and makes two lists of open orders misleading. The reply to the last list before the absence
// horizon arrives after the horizon. The first list after the horizon comes from a replica that is no longer updated.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import { clientOrderIdIn } from '../observer.ts';
import type { SimulatedVenue } from '../venue.ts';
import { fieldOf } from './replies.ts';

/** Time from the signature until absence can be proved, ms: admission window, visibility delay and read lag. */
const HORIZON_MS = 5000 + 10_000 + 3000;
/** A list that is requested in this time before the horizon is slow, ms. */
const SLOW_BEFORE_MS = 3000;
/** Time from the horizon until the reply to a slow list arrives, ms. */
const ARRIVES_AFTER_MS = 300;

/** An order whose reply is lost. */
interface LostOrder {
  readonly symbol: string;
  readonly horizonMs: number;
  /** Number of lists of open orders that were answered after the horizon. */
  listCount: number;
}

/** The slow lists of one day. */
export class SlowLists {
  readonly #queue: DueQueue;
  readonly #venue: SimulatedVenue;
  readonly #lostByClientId = new Map<string, LostOrder>();

  constructor(queue: DueQueue, venue: SimulatedVenue) {
    this.#queue = queue;
    this.#venue = venue;
  }

  /** Notes a create that is carried out and whose reply is lost. */
  onLostReply(body: string, signMs: number): void {
    const symbol = fieldOf(body, 'symbol');
    this.#lostByClientId.set(clientOrderIdIn(body) ?? '', { symbol, horizonMs: signMs + HORIZON_MS, listCount: 0 });
  }

  /** Returns the delay of the reply to a list of open orders of this symbol that is requested now, ms. */
  delayMs(symbol: string): number {
    const { nowMs } = this.#queue;
    const delaysMs = this.#lostOf(symbol)
      .filter(({ horizonMs }) => nowMs >= horizonMs - SLOW_BEFORE_MS && nowMs < horizonMs)
      .map(({ horizonMs }) => horizonMs - nowMs + ARRIVES_AFTER_MS);
    return Math.max(0, ...delaysMs);
  }

  /** Notes that the exchange answers a list of open orders of this symbol. */
  noteList(symbol: string): void {
    for (const order of this.#lostOf(symbol)) if (this.#queue.nowMs >= order.horizonMs) order.listCount++;
  }
  /** True for a row that the list lacks that is answered now. */
  lacksRow(row: string): boolean {
    const clientOrderId = this.#venue.orders.byId.get(fieldOf(row, 'orderId'))?.clientOrderId;
    const order = clientOrderId === undefined ? undefined : this.#lostByClientId.get(clientOrderId);
    return order !== undefined && order.listCount <= 1;
  }

  /** Returns the lost orders of a symbol. */
  #lostOf(symbol: string): readonly LostOrder[] {
    return Array.from(this.#lostByClientId.values()).filter((order) => order.symbol === symbol);
  }
}
