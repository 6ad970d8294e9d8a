// Changes one strategy's position to a target: sends the order for the missing lots, and reverses a position that stops protect.

import type { Ticks } from '../../base/brand.ts';
import type { OrderId, Side } from '../../model/order.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { WaitingDraft } from '../../orders/drafts.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { FeedRun } from '../feeds/feed.ts';

/** What targets need of the engine. */
export interface TargetHost {
  readonly ledger: Ledger;
  readonly orders: OrderManager;
  readonly execution: readonly FeedRun[];
  /** Number of drafts and reversals that wait for other orders. */
  followUps: number;
  readonly drafts: {
    withdraw(order: BotOrder): boolean;
    reverse(order: BotOrder, ahead: OrderId[], targetLots: number): OrderId;
  };
  newOrder(strategyIndex: number, feed: FeedRun, side: Side): BotOrder;
}

/** What a change to a target needs to know and to change of other orders. */
interface TargetSizes {
  setSize(order: BotOrder, lots: number): void;
  heldAndOrdered(instrumentIndex: number): number;
  reversal(instrumentIndex: number): WaitingDraft | undefined;
  clearOldSide(order: BotOrder, missingLots: number): { readonly isCleared: boolean; readonly ahead: OrderId[] };
}

/** How a target sends the strategy's orders. */
interface TargetOrders {
  readonly index: number;
  readonly slot: string;
  send(order: BotOrder): OrderId;
  /** Exits the instrument of a feed. */
  leave(feed: FeedRun): OrderId | null;
}

/** The target positions of one strategy, and the reversals that wait or were sent. */
export class Targets {
  private readonly engine: TargetHost;
  private readonly sizes: TargetSizes;
  private readonly targetOrders: TargetOrders;
  /** By instrument: the sent reversal for which the protective orders of the old side were removed; undefined without one. */
  private readonly sentReversals: (OrderId | undefined)[] = [];

  constructor(engine: TargetHost, sizes: TargetSizes, targetOrders: TargetOrders) {
    this.engine = engine;
    this.sizes = sizes;
    this.targetOrders = targetOrders;
  }

  /** Changes the position to `targetLots` lots, and removes stops that would close it twice. Null: no order was needed. */
  goTo(feed: FeedRun, targetLots: number): OrderId | null {
    const engine = this.engine;
    const { instrumentIndex, instrument } = feed;
    const waitingReversal = engine.followUps === 0 ? undefined : this.sizes.reversal(instrumentIndex);
    if (waitingReversal !== undefined && waitingReversal.targetLots === targetLots) return null;
    // The newest decision replaces the older one.
    if (waitingReversal !== undefined) engine.drafts.withdraw(waitingReversal.order);
    const heldLots = this.sizes.heldAndOrdered(instrumentIndex);
    const missingLots = targetLots - heldLots;
    if (Math.abs(missingLots) < instrument.minLots) return null;
    const order = engine.newOrder(this.targetOrders.index, feed, missingLots > 0 ? 'buy' : 'sell');
    order.slot = this.targetOrders.slot;
    this.writeSize(order, missingLots, heldLots);
    const { isCleared, ahead } = this.sizes.clearOldSide(order, missingLots);
    if (!isCleared) return this.targetOrders.send(order);
    return ahead.length === 0 ? this.reverse(order) : engine.drafts.reverse(order, ahead, targetLots);
  }
  /** Sends a reversal once the stops of the old side have ended. If it does not fill, an exit closes the old side. */
  reverse(order: BotOrder): OrderId {
    const engine = this.engine;
    const { id, instrumentIndex } = order;
    this.targetOrders.send(order);
    if (order.id !== id) return id;
    if (order.reason === 'denied') this.targetOrders.leave(engine.execution[instrumentIndex]!);
    else if (order.reason === null) {
      this.forgetReversal(instrumentIndex);
      this.sentReversals[instrumentIndex] = id;
      engine.followUps++;
    }
    return id;
  }
  /** Stops watching the reversal, because the strategy decides about the old side from now on. */
  forgetReversal(instrumentIndex: number): void {
    if (this.sentReversals[instrumentIndex] === undefined) return;
    this.sentReversals[instrumentIndex] = undefined;
    this.engine.followUps--;
  }
  /** Handles the end of a reversal: an exit closes the remainder of the old side, unless a waiting draft will do so. */
  onReversalEnd(id: OrderId, instrumentIndex: number, side: Side): void {
    if (this.sentReversals[instrumentIndex] !== id) return;
    this.forgetReversal(instrumentIndex);
    const { ledger, orders, execution } = this.engine;
    const isDrafted = orders.drafts.orders.some(
      (draft) => draft.strategy === this.targetOrders.index && draft.instrumentIndex === instrumentIndex,
    );
    if (!isDrafted && ledger.closable(this.targetOrders.index, instrumentIndex, side === 'buy', true) > 0)
      this.targetOrders.leave(execution[instrumentIndex]!);
  }
  /** Writes the missing lots as a market order. An order that only reduces the held lots is reduce-only. */
  writeSize(order: BotOrder, missingLots: number, heldLots: number): void {
    const isSpot = order.instrument.contract === undefined;
    const isReduction = missingLots > 0 !== heldLots > 0 && Math.abs(missingLots) <= Math.abs(heldLots);
    order.reduceOnly = isSpot ? missingLots < 0 : isReduction;
    order.limit = 0 as Ticks;
    order.timeInForce = null;
    this.sizes.setSize(order, Math.abs(missingLots));
  }
  /** Sizes a reversal once its stops have ended. Returns the lots that it still needs; 0 when it needs none, or would have to trade the other way. */
  sizeToTarget(order: BotOrder, targetLots: number): number {
    const heldLots = this.sizes.heldAndOrdered(order.instrumentIndex);
    const missingLots = targetLots - heldLots;
    if (missingLots > 0 !== order.sign > 0 || missingLots === 0) return 0;
    this.writeSize(order, missingLots, heldLots);
    return Math.abs(missingLots);
  }
  /**
   * Adapts a draft that is sent with another size, and perhaps later than requested: a market order gets its collar at the newest price.
   */
  resize(order: BotOrder): void {
    if (order.role !== 'market') return;
    order.limit = 0 as Ticks;
    this.sizes.setSize(order, order.lots);
  }
  /** Handles a cancel by the strategy itself, which is then responsible for the old side. */
  onCancel(id: OrderId, instrumentIndex: number): void {
    if (this.sentReversals[instrumentIndex] === id) this.forgetReversal(instrumentIndex);
  }
}
