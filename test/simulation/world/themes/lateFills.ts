// Lets lost orders fill at the worst moment for the reads that look for them: just before a list of open orders, when absence can be proved.

import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import { clientOrderIdIn } from '../observer.ts';
import type { SimulatedVenue, TrueOrder } from '../venue.ts';
import { takeFromBook } from './otherAccount.ts';
import { fieldOf, ownOrderOf } from './replies.ts';

/** Time from the signature until absence can be proved, ms: admission window, visibility delay and read lag. */
const HORIZON_MS = 5000 + 10_000 + 3000;
/** How long lists of trades and balances lack such a fill, ms: the read lag, minus the time that a request takes. */
const LAG_MS = 2700;

/** A lost order that no list has shown yet. */
interface HiddenOrder {
  readonly signMs: number;
  /** Number of lists of open orders that lacked it after the horizon. */
  readCount: number;
  /** When the market took it, ms UTC; NaN before. */
  takenMs: number;
}

/** The hidden orders of one day. */
export class LateFills {
  readonly #queue: DueQueue;
  readonly #venue: SimulatedVenue;
  /** Number of lists after the horizon that lack an order which still rests: one list may be older than the read lag. */
  readonly #staleLists: number;
  readonly #hiddenByClientId = new Map<string, HiddenOrder>();
  /** The last list of balances before the fills that balances lack now. */
  #balances: string | null = null;

  constructor(queue: DueQueue, venue: SimulatedVenue, seed: number) {
    this.#queue = queue;
    this.#venue = venue;
    this.#staleLists = seed % 2 === 0 ? 1 : 0;
  }

  /** Called with the body of each create request that is carried out and whose reply is lost. */
  onLostReply(body: string, signMs: number): void {
    this.#hiddenByClientId.set(clientOrderIdIn(body) ?? '', { signMs, readCount: 0, takenMs: NaN });
  }

  /** Has the market take the hidden orders of a symbol whose time has come, before the exchange answers a list of open orders. */
  beforeOpenOrders(symbol: string): void {
    const { nowMs } = this.#queue;
    for (const [clientOrderId, hidden] of this.#hiddenByClientId) {
      const placed = this.#venue.firstByClientId.get(clientOrderId);
      if (placed?.order.instrument.wireName !== symbol || !Number.isNaN(hidden.takenMs) || nowMs < hidden.signMs + HORIZON_MS) continue;
      if (hidden.readCount++ < this.#staleLists) continue;
      hidden.takenMs = nowMs;
      takeFromBook(this.#venue, placed.order);
    }
  }

  /** True for a row that lists lack. */
  lacksRow(path: string, row: string): boolean {
    const isTrade = path.endsWith('/myTrades');
    const placed = this.#venue.orders.get(isTrade ? ownOrderOf(row) : fieldOf(row, 'orderId'));
    const hidden = placed === undefined ? undefined : this.#hiddenOf(placed);
    if (hidden === undefined) return false;
    return isTrade ? this.#queue.nowMs < hidden.takenMs + LAG_MS : Number.isNaN(hidden.takenMs);
  }
  #hiddenOf({ clientOrderId, trades }: TrueOrder): HiddenOrder | undefined {
    const hidden = this.#hiddenByClientId.get(clientOrderId);
    // What the market has taken before is shown.
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
