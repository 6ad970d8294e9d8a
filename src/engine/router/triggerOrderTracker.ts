// Condition orders of the bot: where they may be sent at all, and their end with the position that they were to close.

import type { BotOrder } from '../../orders/botOrder.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { ExchangePort } from '../../ports/exchange.ts';
import type { FeedRun } from '../feeds/feed.ts';

/** Spot has no condition orders, and not every exchange that stands behind the port takes them. */
const UNSUPPORTED = 'CONDITION_UNSUPPORTED';

/** What it needs of the engine. */
export interface TriggerHost {
  readonly exchange: ExchangePort;
  readonly ledger: Ledger;
  readonly orders: OrderManager;
  readonly execution: readonly FeedRun[];
  readonly runs: readonly { leave(feed: FeedRun): unknown }[];
  readonly nowMs: number;
  hasPendingWork: boolean;
}

export class TriggerOrderTracker {
  readonly #engine: TriggerHost;
  /** Condition orders that were sent and have not ended. */
  #open = 0;

  constructor(engine: TriggerHost) {
    this.#engine = engine;
  }

  /** Why a drafted condition order may not go on; null: it may. */
  denyCode({ instrument }: BotOrder): string | null {
    return instrument.contract !== undefined && this.#engine.exchange.supportsTriggerOrders === true ? null : UNSUPPORTED;
  }
  sent(): void {
    this.#open++;
  }
  ended(order: BotOrder): void {
    this.#open--;
    if (order.reason === 'rejected' && order.role === 'stopLoss') this.#stopFailed(order);
  }

  /**
   * The exchange has refused what a stop had to close as it went off: a part of that has left by other orders, or is held by them. What is
   * left goes by the bot's own exit, which takes those orders back. A smaller stop, or one of two sides, is none of the whole position.
   */
  #stopFailed({ strategy, instrumentIndex, side, lots }: BotOrder): void {
    const engine = this.#engine;
    const isBuy = side === 'buy';
    const held = engine.ledger.closable(strategy, instrumentIndex, isBuy, true);
    if (held === 0 || lots < held || engine.ledger.closable(strategy, instrumentIndex, !isBuy, true) > 0) return;
    engine.hasPendingWork = true;
    engine.runs[strategy]!.leave(engine.execution[instrumentIndex]!);
  }

  /** A position was reduced. Once nothing of it is left, no order may wait to close what a later entry opens. */
  reduced(strategy: number, instrumentIndex: number): void {
    if (this.#open === 0) return;
    const { ledger, orders, nowMs } = this.#engine;
    const active = orders.active();
    for (let at = active.length - 1; at >= 0; at--) {
      const order = active[at]!;
      if (order.triggerTicks === 0 || !order.reduceOnly || order.strategy !== strategy || order.instrumentIndex !== instrumentIndex)
        continue;
      if (ledger.closable(strategy, instrumentIndex, order.side === 'buy', true) === 0) orders.cancel(order, nowMs);
    }
  }
}
