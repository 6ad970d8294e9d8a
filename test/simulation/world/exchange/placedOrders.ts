// The true orders of one client of the simulated exchange: all that the exchange has placed, also second copies of a create request.

import { parseTriggerTrackId } from '../../../../src/adapters/exchange/calls/triggers.ts';
import { orderNumberOf, type UserOrder } from '../../../../src/paperExchange/orders/userOrder.ts';
import type { FuturesExchange } from '../../../../src/paperExchange/futures/futuresExchange.ts';
import type { SpotExchange } from '../../../../src/paperExchange/spot/spotExchange.ts';
import type { TrueOrder } from '../venueTerms.ts';
import { retainFilled } from './tradeUnits.ts';

/** Every order of one client. An order that a crash of the exchange has undone stays only in `oldestFirst`. */
export class PlacedOrders {
  /** By venue order id. */
  readonly byId = new Map<string, TrueOrder>();
  readonly oldestFirst: TrueOrder[] = [];
  /** Number of orders of each client order id. */
  readonly countByClientId = new Map<string, number>();
  /** The first order of each client order id. */
  readonly firstByClientId = new Map<string, TrueOrder>();
  /** By client order id: number of second copies of its create request that the network has delivered. */
  readonly copyCountByClientId = new Map<string, number>();
  /** Client order ids that have more than one order. */
  readonly repeatedClientIds = new Set<string>();
  /** Trigger orders that have fired, by the id of the order that each has placed. */
  readonly firedByOrderId = new Map<string, TrueOrder>();
  /** Number of orders that crashes of the exchange have undone. */
  lostCount = 0;
  readonly #allByClientId = new Map<string, TrueOrder[]>();
  /** The newest id by which the bot has known an order, by client order id. A bot forgets orders that have ended. */
  readonly #newestIdInBot = new Map<string, string>();
  /** Orders that no reply has shown to the bot yet, of an exchange that may crash. */
  readonly #unshown = new Set<TrueOrder>();

  /** Returns the venue order id that the bot has for a client order id. The bot's computer sets this function. */
  venueIdInBot: (clientOrderId: string) => string | null = () => null;
  /** Returns true if a strategy was notified of a fill of a client order id. The bot's computer sets this function. */
  isNotified: (clientOrderId: string) => boolean = () => false;

  /** Records an order that the exchange has placed. `mayBeLost`: true for an exchange that may crash. */
  add(placement: TrueOrder, mayBeLost: boolean): void {
    const { order, clientOrderId } = placement;
    this.byId.set(order.id, placement);
    this.oldestFirst.push(placement);
    if (mayBeLost) this.#unshown.add(placement);
    if (!this.firstByClientId.has(clientOrderId)) this.firstByClientId.set(clientOrderId, placement);
    const sameIdOrders = this.#allByClientId.get(clientOrderId) ?? [];
    this.#allByClientId.set(clientOrderId, sameIdOrders);
    sameIdOrders.push(placement);
    if (sameIdOrders.length > 1) this.repeatedClientIds.add(clientOrderId);
    this.countByClientId.set(clientOrderId, (this.countByClientId.get(clientOrderId) ?? 0) + 1);
  }
  /** Notes a reply that has reached the bot: the exchange must not lose the orders that the reply shows. */
  noteShown(replyBody: string): void {
    for (const placement of this.#unshown) if (replyBody.includes(placement.order.id)) this.#unshown.delete(placement);
  }

  /** Returns all second copies that the network has delivered. */
  copies(): readonly TrueOrder[] {
    if (this.repeatedClientIds.size === 0) return [];
    return Array.from(this.repeatedClientIds).flatMap((id) => (this.copyCountByClientId.has(id) ? this.copiesOf(id) : []));
  }
  /** Returns the second copies of a client order id: all its orders except the one that the bot knows, or else the first. */
  copiesOf(clientOrderId: string): readonly TrueOrder[] {
    const sameIdOrders = this.#allByClientId.get(clientOrderId) ?? [];
    if (sameIdOrders.length < 2) return [];
    const botOrder = this.#botOrderOf(clientOrderId, sameIdOrders);
    return sameIdOrders.filter((placedOrder) => placedOrder !== botOrder);
  }
  /**
   * Returns which of the orders of a client order id is the bot's: the one whose id it knows, or else the first. If that one was cancelled, and the
   * strategy was notified of a fill, the bot has taken the copy for it: the order that a trigger order places has its client order id.
   */
  #botOrderOf(clientOrderId: string, sameIdOrders: readonly TrueOrder[]): TrueOrder | undefined {
    const botId = this.#idInBot(clientOrderId) ?? '';
    const known = sameIdOrders.find((placed) => placed.order.id === botId || this.firedByOrderId.get(botId) === placed) ?? sameIdOrders[0];
    if (known?.trades.length !== 0 || !this.isNotified(clientOrderId)) return known;
    return sameIdOrders.find(({ trades }) => trades.length > 0) ?? known;
  }
  /** True for a second copy, and for the order that a copy of a trigger order has placed. */
  isCopy({ id }: UserOrder, clientOrderId: string): boolean {
    return this.copiesOf(clientOrderId).some((copy) => copy.order.id === id || this.firedByOrderId.get(id) === copy);
  }
  /** Returns the ids by which lists show a placed order: its own, and that of the order which a trigger order has placed. */
  idsOf(placement: TrueOrder): readonly string[] {
    const fired = Array.from(this.firedByOrderId).filter(([, trigger]) => trigger === placement);
    return [parseTriggerTrackId(placement.order.id)?.triggerId ?? placement.order.id, ...fired.map(([id]) => id)];
  }
  /** Returns the number of orders of a client order id that have filled or are open. */
  effectsOf(clientOrderId: string): number {
    const sameIdOrders = this.#allByClientId.get(clientOrderId) ?? [];
    return sameIdOrders.filter(({ order, trades }) => trades.length > 0 || order.venueOrder !== null).length;
  }
  /** Returns the order of a client order id that belongs to the bot. */
  ownOf(clientOrderId: string): TrueOrder | undefined {
    if (!this.copyCountByClientId.has(clientOrderId)) return this.firstByClientId.get(clientOrderId);
    return this.#botOrderOf(clientOrderId, this.#allByClientId.get(clientOrderId) ?? []);
  }
  /** Returns the venue order id by which the bot knows its order, or has known it; null if it has known none. */
  #idInBot(clientOrderId: string): string | null {
    const id = this.venueIdInBot(clientOrderId);
    if (id !== null) this.#newestIdInBot.set(clientOrderId, id);
    return id ?? this.#newestIdInBot.get(clientOrderId) ?? null;
  }

  /** Compares the records with a restored exchange, and removes what it has lost. Returns the lost orders that a reply has shown. */
  forgetLost({ orders }: SpotExchange | FuturesExchange): readonly TrueOrder[] {
    const lostThoughShown: TrueOrder[] = [];
    for (const placement of this.byId.values()) {
      const { id } = placement.order;
      const restored = orders.orderNumbered(orderNumberOf(id));
      if (restored !== null) {
        placement.order = restored;
        retainFilled(placement.trades, (restored.venueOrder ?? restored.ended)!.filledLots);
        continue;
      }
      if (!this.#unshown.delete(placement)) lostThoughShown.push(placement);
      this.lostCount++;
      placement.trades.length = 0;
      this.byId.delete(id);
      this.#forgetClientId(placement);
    }
    return lostThoughShown;
  }
  /** Removes a lost order from the records by client order id. */
  #forgetClientId(placement: TrueOrder): void {
    const { clientOrderId } = placement;
    const remainingOrders = (this.#allByClientId.get(clientOrderId) ?? []).filter((other) => other !== placement);
    this.#allByClientId.set(clientOrderId, remainingOrders);
    this.countByClientId.set(clientOrderId, remainingOrders.length);
    if (remainingOrders.length < 2) this.repeatedClientIds.delete(clientOrderId);
    if (remainingOrders.length === 0) this.firstByClientId.delete(clientOrderId);
    else this.firstByClientId.set(clientOrderId, remainingOrders[0]!);
  }
}
