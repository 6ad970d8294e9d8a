// The exit of a strategy from an instrument: cancels its orders there, and closes the position once no other order is closing it.

import type { OrderId, Side } from '../../model/order.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { WaitingDraft } from '../../orders/drafts.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import * as exposure from '../../risk/rules/openOrderRules.ts';
import type { FeedRun } from '../feeds/feed.ts';
import type { StrategyOrders } from './strategyOrders.ts';

// hot: docs/performance.md#imported-constants
const { takenLots } = exposure;

/** Decision slots of the orders that `exit` sends. In two-way mode each side has its own, because a slot holds one unfinished order. */
const EXIT = 'exit';
const EXIT_SHORT = 'exit short';

/** What `Exits` needs of the engine. */
export interface ExitHost {
  readonly ledger: Ledger;
  /** Execution feeds in instrument order. */
  readonly execution: readonly FeedRun[];
  readonly nowMs: number;
  readonly orders: OrderManager;
  readonly reservations: Reservations;
  readonly brackets: Brackets;
  readonly drafts: { withdrawAll(which: (draft: WaitingDraft) => boolean): void };
  /** Number of exits and drafts, of all strategies, that wait for orders to end. */
  followUps: number;
  newOrder(strategy: number, feed: FeedRun, side: Side): BotOrder;
}

/** The exits of one strategy, with those that wait for the cancel of an order. */
export class Exits {
  private readonly host: ExitHost;
  private readonly strategy: number;
  private readonly orders: StrategyOrders;
  private readonly send: (order: BotOrder) => OrderId;
  /** By instrument: true while an exit waits for cancels. */
  private readonly pending: boolean[] = [];

  constructor(host: ExitHost, strategy: number, orders: StrategyOrders, send: (order: BotOrder) => OrderId) {
    this.host = host;
    this.strategy = strategy;
    this.orders = orders;
    this.send = send;
  }

  /**
   * Cancels the strategy's orders on the instrument of a feed, removes its stops and closes its position. Lots that remain, or that an
   * entry fills meanwhile, are closed after this exit has ended. Returns the closing order; null if none was sent.
   */
  leave(feed: FeedRun): OrderId | null {
    const { host, strategy } = this;
    const { instrumentIndex } = feed;
    if (host.brackets.total > 0) host.brackets.drop(strategy, instrumentIndex);
    // From the newest to the oldest, because a cancel that acts at once removes its order from the list.
    const active = host.orders.active();
    for (let index = active.length - 1; index >= 0; index--) {
      const order = active[index]!;
      if (order.strategy !== strategy || order.instrumentIndex !== instrumentIndex) continue;
      if (order.parent === 0 && (order.slot === EXIT || order.slot === EXIT_SHORT)) continue;
      host.orders.cancel(order, host.nowMs);
      // A draft that waits for the cancelled order must not be sent.
      if (host.followUps > 0) this.withdrawDrafts(instrumentIndex);
    }
    // Also stop entries, which wait for no order.
    if (host.followUps > 0) this.withdrawDrafts(instrumentIndex);
    // Again: the cancel of a stop order that still waited for a row with volume returned the unsold lots to its bracket.
    if (host.brackets.total > 0) host.brackets.drop(strategy, instrumentIndex);
    return this.closePosition(feed);
  }
  private withdrawDrafts(instrumentIndex: number): void {
    const { strategy } = this;
    this.host.drafts.withdrawAll(({ order }) => order.strategy === strategy && order.instrumentIndex === instrumentIndex);
  }
  /** True while an exit waits for cancels. It will then close everything that is held by then. */
  isWaiting(instrumentIndex: number): boolean {
    return this.host.followUps > 0 && this.pending[instrumentIndex] === true;
  }
  /** Handles the end of an order: an exit that waited for its cancels may now be sent. */
  onOrderEnd(instrumentIndex: number): void {
    if (this.isWaiting(instrumentIndex)) this.exitUnlessClosing(instrumentIndex);
  }
  private exitUnlessClosing(instrumentIndex: number): void {
    const { ledger, execution } = this.host;
    const long = ledger.closable(this.strategy, instrumentIndex, false, true);
    if (this.isClosing(instrumentIndex, long, ledger.closable(this.strategy, instrumentIndex, true, true))) return;
    this.pending[instrumentIndex] = false;
    this.host.followUps--;
    this.closePosition(execution[instrumentIndex]!);
  }

  private closePosition(feed: FeedRun): OrderId | null {
    const { host } = this;
    const { instrumentIndex } = feed;
    const { ledger } = host;
    if (ledger.isFlat(this.strategy, instrumentIndex)) return null;
    const long = ledger.closable(this.strategy, instrumentIndex, false, true);
    const short = ledger.closable(this.strategy, instrumentIndex, true, true);
    if (this.isClosing(instrumentIndex, long, short)) {
      if (!this.pending[instrumentIndex]) host.followUps++;
      this.pending[instrumentIndex] = true;
      return null;
    }
    if (short === 0) return this.close(feed, 'sell', long, EXIT);
    if (long > 0) this.close(feed, 'sell', long, EXIT);
    return this.close(feed, 'buy', short, long > 0 ? EXIT_SHORT : EXIT);
  }

  private close(feed: FeedRun, side: Side, lots: number, slot: string): OrderId {
    const order = this.host.newOrder(this.strategy, feed, side);
    order.slot = slot;
    order.reduceOnly = true;
    this.orders.setSize(order, lots);
    return this.send(order);
  }

  /** True while orders that close the position are unfinished. The lots that they may still fill must not be closed twice. */
  private isClosing(instrumentIndex: number, long: number, short: number): boolean {
    return (long > 0 && this.takenLots(instrumentIndex, false) > 0) || (short > 0 && this.takenLots(instrumentIndex, true) > 0);
  }
  private takenLots(instrumentIndex: number, isBuy: boolean): number {
    const { ledger, reservations } = this.host;
    return takenLots(this.strategy, instrumentIndex, isBuy, ledger, reservations);
  }
}
