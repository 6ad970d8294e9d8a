// Tracks the bot's trigger orders: denies them where they are not supported, and cancels them when the position that they should close has
// ended. Also closes what a rejected stop, or an exit that was made smaller, has left of a position.

import type { BotOrder } from '../../orders/botOrder.ts';
import { isBeingAmended } from '../../orders/stops/amendedTriggers.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { OrderGateway } from '../../ports/exchange.ts';
import type { FeedRun } from '../feeds/feed.ts';

/** Deny code: spot has no trigger orders, and not every exchange behind the port supports them. */
const UNSUPPORTED = 'CONDITION_UNSUPPORTED';

/** What `TriggerOrderTracker` needs of the engine. */
export interface TriggerHost {
  readonly exchange: OrderGateway;
  readonly ledger: Ledger;
  readonly orders: OrderManager;
  readonly execution: readonly FeedRun[];
  readonly runs: readonly { leave(feed: FeedRun): unknown }[];
  readonly nowMs: number;
  hasPendingWork: boolean;
}

/** The trigger orders that the exchange watches for the bot. */
export class TriggerOrderTracker {
  private readonly engine: TriggerHost;
  /** True once a trigger order was sent, or is known from an earlier process. Until then `onReduction` has nothing to search. */
  private hasAny = false;

  constructor(engine: TriggerHost) {
    this.engine = engine;
  }

  /** Returns the deny code of a drafted trigger order, or null if it may be sent. */
  denyCode({ instrument, code }: BotOrder): string | null {
    return instrument.contract !== undefined && this.engine.exchange.supportsTriggerOrders === true ? code : UNSUPPORTED;
  }
  /** True once a trigger order was sent, also by an earlier process. */
  get hasSent(): boolean {
    return this.hasAny;
  }
  /** Notes that a trigger order was sent. */
  onSend(): void {
    this.hasAny = true;
  }
  /** Handles the end of an order: closes what a rejected stop, or an exit that was made smaller, has left of the position. */
  onEnd(order: BotOrder): void {
    if (order.triggerTicks === 0) return this.closeRemainder(order);
    if (order.reason === 'rejected' && order.role === 'stopLoss') this.replaceRejectedStop(order);
  }

  /**
   * Handles a stop that the exchange rejected as it triggered, because other orders have closed a part of the lots or hold them. The bot's
   * own exit closes the remainder and cancels those orders. A stop for a part of the position, or in two-way mode, is left to the strategy.
   */
  private replaceRejectedStop(order: BotOrder): void {
    const engine = this.engine;
    const { strategy, instrumentIndex, side, lots } = order;
    // The stop was moved: the order from before or after the move has closed the position, or still protects it.
    if (engine.orders.amended.oldOf(order) !== undefined || isBeingAmended(order, engine.orders.active())) return;
    const isBuy = side === 'buy';
    const closableLots = engine.ledger.closable(strategy, instrumentIndex, isBuy, true);
    const isForWholePosition = closableLots > 0 && lots >= closableLots;
    const hasOtherSide = engine.ledger.closable(strategy, instrumentIndex, !isBuy, true) > 0;
    if (!isForWholePosition || hasOtherSide) return;
    engine.hasPendingWork = true;
    engine.runs[strategy]!.leave(engine.execution[instrumentIndex]!);
  }

  /**
   * Closes the lots by which a filled exit was made smaller to give it a unique fingerprint. They have no stop. If the position has any other
   * size, the order was not an exit of the whole position.
   */
  private closeRemainder(order: BotOrder): void {
    const { strategy, instrument, instrumentIndex, side, reduceOnly } = order;
    const isExit = instrument.contract !== undefined && reduceOnly && order.role === 'market' && order.parent === 0;
    if (!isExit || order.filledLots < order.lots) return;
    const engine = this.engine;
    const isBuy = side === 'buy';
    if (engine.ledger.closable(strategy, instrumentIndex, isBuy, true) !== order.fingerprintOffset) return;
    // An exit would close the other side of a two-way position too.
    if (engine.ledger.closable(strategy, instrumentIndex, !isBuy, true) > 0) return;
    engine.hasPendingWork = true;
    engine.runs[strategy]!.leave(engine.execution[instrumentIndex]!);
  }

  /** Handles a reduced position. Once it is flat, cancels its trigger orders, which would close what a later entry opens. */
  onReduction(strategyIndex: number, instrumentIndex: number): void {
    if (!this.hasAny) return;
    const { ledger, orders, nowMs } = this.engine;
    const active = orders.active();
    for (let index = active.length - 1; index >= 0; index--) {
      const order = active[index]!;
      const isOwn = order.strategy === strategyIndex && order.instrumentIndex === instrumentIndex;
      if (!isOwn || order.triggerTicks === 0 || !order.reduceOnly) continue;
      if (ledger.closable(strategyIndex, instrumentIndex, order.side === 'buy', true) === 0) orders.cancel(order, nowMs);
    }
  }
}
