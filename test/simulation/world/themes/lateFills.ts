// Lets lost orders fill just before the bot reads the list of open orders that could prove them absent. That is the worst moment for the bot.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import { clientOrderIdIn } from '../observer.ts';
import type { SimulatedVenue, TrueOrder } from '../venue.ts';
import { takeFromBook } from './otherAccount.ts';
import { fieldOf, ownOrderOf } from './replies.ts';

/** Time from the signature until absence can be proved, ms: admission window, visibility delay and read lag. */
const HORIZON_MS = 5000 + 10_000 + 3000;
/** How long lists of trades and balances lack the fill of a lost order, ms: the read lag, minus the time that a request takes. */
const LAG_MS = 2700;

/** A lost order that no list has shown yet. */
interface HiddenOrder {
  readonly signMs: number;
  /** Number of lists of open orders after the horizon that did not show the order. */
  readCount: number;
  /** When the order filled, ms UTC; NaN while it rests. */
  takenMs: number;
}

/** The hidden orders of one day. */
export class LateFills {
  readonly #queue: DueQueue;
  readonly #venue: SimulatedVenue;
  /** Number of lists after the horizon that do not show an order although it rests: one list may be older than the read lag. */
  readonly #staleListCount: number;
  readonly #hiddenByClientId = new Map<string, HiddenOrder>();
  /** The list of balances that the bot gets while lists lag: the last one before the hidden fills. */
  #balances: string | null = null;

  constructor(queue: DueQueue, venue: SimulatedVenue, seed: number) {
    this.#queue = queue;
    this.#venue = venue;
    this.#staleListCount = seed % 2 === 0 ? 1 : 0;
  }

  /** Called with the body of each create request that is carried out and whose reply is lost. */
  onLostReply(body: string, signMs: number): void {
    this.#hiddenByClientId.set(clientOrderIdIn(body) ?? '', { signMs, readCount: 0, takenMs: NaN });
  }

  /** Fills the hidden orders of a symbol whose time has come, just before the exchange answers a list of open orders. */
  beforeOpenOrders(symbol: string): void {
    const { nowMs } = this.#queue;
    for (const [clientOrderId, hidden] of this.#hiddenByClientId) {
      const placed = this.#venue.orders.firstByClientId.get(clientOrderId);
      if (placed?.order.instrument.wireName !== symbol || !Number.isNaN(hidden.takenMs) || nowMs < hidden.signMs + HORIZON_MS) continue;
      if (hidden.readCount++ < this.#staleListCount) continue;
      hidden.takenMs = nowMs;
      takeFromBook(this.#venue, placed.order);
    }
  }

  /** True for a row that lists do not show yet. */
  lacksRow(path: string, row: string): boolean {
    const isTrade = path.endsWith('/myTrades');
    const placed = this.#venue.orders.byId.get(isTrade ? ownOrderOf(row) : fieldOf(row, 'orderId'));
    const hidden = placed === undefined ? undefined : this.#hiddenOf(placed);
    if (hidden === undefined) return false;
    return isTrade ? this.#queue.nowMs < hidden.takenMs + LAG_MS : Number.isNaN(hidden.takenMs);
  }
  /** Returns the entry of an order that is hidden; undefined for any other order. */
  #hiddenOf({ clientOrderId, trades }: TrueOrder): HiddenOrder | undefined {
    const hidden = this.#hiddenByClientId.get(clientOrderId);
    // An order with an earlier fill is not hidden: lists have already shown that fill.
    const hasFilledBefore = hidden !== undefined && trades.some(({ timeMs }) => timeMs < (hidden.takenMs || Infinity) - LAG_MS);
    return hasFilledBefore ? undefined : hidden;
  }

  /** Returns a list of balances as the bot sees it: without fills that are younger than the lag. */
  balancesOf(body: string): string {
    const isLagging = Array.from(this.#hiddenByClientId.values()).some(({ takenMs }) => this.#queue.nowMs < takenMs + LAG_MS);
    if (isLagging) return this.#balances ?? body;
    this.#balances = body;
    return body;
  }
}
