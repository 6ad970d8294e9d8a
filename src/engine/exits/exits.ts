// The exit of a strategy from an instrument. It sets the strategy's stops aside and cancels its orders there. It closes the position once
// no other order is closing it. What the closing order leaves is protected again.

import type { OrderId, Side } from '../../model/order.ts';
import { isUnderCancel, type BotOrder } from '../../orders/botOrder.ts';
import type { WaitingDraft } from '../../orders/drafts.ts';
import * as exposure from '../../risk/rules/openOrderRules.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { Protection, type ProtectionHost } from './protection.ts';

// hot: docs/performance.md#imported-constants
const { takenLots } = exposure;

/** Decision slots of the orders that `exit` sends. In two-way mode each side has its own, because a slot holds one unfinished order. */
const EXIT = 'exit';
const EXIT_SHORT = 'exit short';

/** What `Exits` needs of the engine. */
export interface ExitHost extends ProtectionHost {
  readonly risk: { readonly limits: { readonly selfTrade?: unknown } };
  readonly drafts: ProtectionHost['drafts'] & { withdrawAll(isWithdrawn: (draft: WaitingDraft) => boolean): void };
  /** Number of exits and drafts, of all strategies, that wait for orders to end. */
  followUps: number;
}

/** What an exit needs of the strategy whose position it closes. */
export interface ExitStrategy {
  readonly index: number;
  /** Decision slot of the orders that `target` sends. */
  readonly targetSlot: string;
  /** Sets the lots of an order, and its collar if it is sent as a limit. */
  setSize(order: BotOrder, lots: number): void;
  readonly send: (order: BotOrder) => OrderId;
}

/** The exits of one strategy, with those that wait for the cancel of an order. */
export class Exits {
  private readonly host: ExitHost;
  private readonly exitStrategy: ExitStrategy;
  private readonly strategyIndex: number;
  private readonly protection: Protection;
  /** By instrument: true while an exit waits for cancels. */
  private readonly isPending: boolean[] = [];

  constructor(host: ExitHost, exitStrategy: ExitStrategy) {
    this.host = host;
    this.exitStrategy = exitStrategy;
    this.strategyIndex = exitStrategy.index;
    const { index, targetSlot, send } = exitStrategy;
    const isWaiting = (instrumentIndex: number): boolean => this.isWaiting(instrumentIndex);
    this.protection = new Protection(host, { index, slots: [EXIT, EXIT_SHORT, targetSlot], send, isWaiting });
  }

  /**
   * Cancels the strategy's orders on the instrument of a feed, sets its stops aside and closes its position. Lots that remain, or that an
   * entry fills meanwhile, are closed after this exit has ended. The stops come back if the order ends without having closed what they
   * protect. Returns the closing order; null if none was sent.
   */
  leave(feed: FeedRun): OrderId | null {
    if (this.hasNothingToClear()) return this.closePosition(feed);
    return this.withoutRestoring(feed.instrumentIndex, () => {
      this.clearStopsAndOrders(feed.instrumentIndex);
      return this.closePosition(feed);
    });
  }
  /** Runs `decide`, which may set stops aside for an order. They come back at once unless an order then closes what they protect. */
  whileDeciding(instrumentIndex: number, decide: () => OrderId | null): OrderId | null {
    return this.hasNothingToClear() ? decide() : this.withoutRestoring(instrumentIndex, decide);
  }
  /** Runs `decide`. No stop comes back before its end. */
  private withoutRestoring(instrumentIndex: number, decide: () => OrderId | null): OrderId | null {
    this.protection.begin();
    try {
      return decide();
    } finally {
      this.protection.end();
      this.restoreStops(instrumentIndex);
    }
  }
  /** True while no strategy has an order, a draft or a stop, so that an exit has nothing to cancel and nothing to set aside. */
  private hasNothingToClear(): boolean {
    const { followUps, brackets, orders } = this.host;
    return followUps === 0 && brackets.total === 0 && brackets.aside.count === 0 && orders.active().length === 0;
  }
  /** Sets the strategy's stops on an instrument aside, and cancels its orders there. */
  private clearStopsAndOrders(instrumentIndex: number): void {
    const { host, strategyIndex } = this;
    if (host.brackets.total > 0) host.brackets.setAside(strategyIndex, instrumentIndex);
    // From the newest to the oldest, because a cancel that acts at once removes its order from the list.
    const active = host.orders.active();
    for (let index = active.length - 1; index >= 0; index--) {
      const order = active[index]!;
      if (order.strategy !== strategyIndex || order.instrumentIndex !== instrumentIndex) continue;
      if (order.parent === 0 && (order.slot === EXIT || order.slot === EXIT_SHORT)) continue;
      if (isExchangeStop(order)) host.brackets.aside.noteTrigger(order);
      host.orders.cancel(order, host.nowMs);
      // A draft that waits for the cancelled order must not be sent.
      if (host.followUps > 0) this.withdrawDrafts(instrumentIndex);
    }
    // Also stop entries, which wait for no order.
    if (host.followUps > 0) this.withdrawDrafts(instrumentIndex);
    // Again: the cancel of a stop order that still waited for a row with volume returned the unsold lots to its bracket.
    if (host.brackets.total > 0) host.brackets.setAside(strategyIndex, instrumentIndex);
    if (host.brackets.aside.count > 0) this.protection.noteProtectedLots(instrumentIndex);
  }
  private withdrawDrafts(instrumentIndex: number): void {
    const { strategyIndex } = this;
    this.host.drafts.withdrawAll(({ order }) => order.strategy === strategyIndex && order.instrumentIndex === instrumentIndex);
  }
  /** True while an exit waits for cancels. It will then close everything that is held by then. */
  isWaiting(instrumentIndex: number): boolean {
    return this.host.followUps > 0 && this.isPending[instrumentIndex] === true;
  }
  /** True while an exit waits for cancels, or its order is unfinished. */
  isUnderWay(instrumentIndex: number): boolean {
    return this.isWaiting(instrumentIndex) || this.protection.isClosing(instrumentIndex);
  }
  /**
   * Handles the end of an order. An exit that waited for its cancels may now be sent. Stops come back if the order has not closed enough.
   */
  onOrderEnd(instrumentIndex: number): void {
    if (this.isWaiting(instrumentIndex)) this.exitUnlessClosing(instrumentIndex);
    this.restoreStops(instrumentIndex);
  }
  /** Brings stops back that were set aside for an order, unless an exit or a target is still closing what they protect. */
  restoreStops(instrumentIndex: number): void {
    if (this.host.brackets.aside.count > 0) this.protection.restore(instrumentIndex);
  }
  /** Sends the exit that waits, unless an order is still closing the position. */
  private exitUnlessClosing(instrumentIndex: number): void {
    const { ledger, execution } = this.host;
    const feed = execution[instrumentIndex]!;
    const longLots = ledger.closable(this.strategyIndex, instrumentIndex, false, true);
    const shortLots = ledger.closable(this.strategyIndex, instrumentIndex, true, true);
    if (this.mustWait(feed, longLots, shortLots)) return;
    this.isPending[instrumentIndex] = false;
    this.host.followUps--;
    this.whileDeciding(instrumentIndex, () => {
      // Entries under cancel may have filled meanwhile, and have armed stops.
      if (this.host.brackets.total > 0) this.host.brackets.setAside(this.strategyIndex, instrumentIndex);
      return this.closePosition(feed);
    });
  }

  /** Sends the orders that close the position, or remembers that the exit has to wait. Returns the last order; null if none was sent. */
  private closePosition(feed: FeedRun): OrderId | null {
    const { host } = this;
    const { instrumentIndex } = feed;
    const { ledger } = host;
    if (ledger.isFlat(this.strategyIndex, instrumentIndex)) return null;
    const longLots = ledger.closable(this.strategyIndex, instrumentIndex, false, true);
    const shortLots = ledger.closable(this.strategyIndex, instrumentIndex, true, true);
    if (this.mustWait(feed, longLots, shortLots)) {
      if (!this.isPending[instrumentIndex]) host.followUps++;
      this.isPending[instrumentIndex] = true;
      return null;
    }
    if (shortLots === 0) return this.sendClosing(feed, 'sell', longLots, EXIT);
    if (longLots > 0) this.sendClosing(feed, 'sell', longLots, EXIT);
    return this.sendClosing(feed, 'buy', shortLots, longLots > 0 ? EXIT_SHORT : EXIT);
  }

  private sendClosing(feed: FeedRun, side: Side, lots: number, slot: string): OrderId {
    const order = this.host.newOrder(this.strategyIndex, feed, side);
    order.slot = slot;
    order.reduceOnly = true;
    this.exitStrategy.setSize(order, lots);
    return this.exitStrategy.send(order);
  }

  /**
   * True while orders that close the position are unfinished: the lots that they may still fill must not be closed twice. Also true while an
   * order of the strategy with which the exit would trade is being cancelled.
   */
  private mustWait(feed: FeedRun, longLots: number, shortLots: number): boolean {
    const { instrumentIndex } = feed;
    if (longLots > 0 && this.takenLots(instrumentIndex, false) > 0) return true;
    if (shortLots > 0 && this.takenLots(instrumentIndex, true) > 0) return true;
    if (this.host.risk.limits.selfTrade === undefined) return false;
    return (longLots > 0 && this.meetsOwnOrder(feed, false)) || (shortLots > 0 && this.meetsOwnOrder(feed, true));
  }
  /** Returns the lots that unfinished orders of one side may still close. */
  private takenLots(instrumentIndex: number, isBuy: boolean): number {
    const { ledger, reservations } = this.host;
    return takenLots(this.strategyIndex, instrumentIndex, isBuy, ledger, reservations);
  }
  /** True when an exit at the market could trade with an order of the strategy that is under cancel: risk would deny it (`SELF_TRADE`). */
  private meetsOwnOrder({ instrumentIndex, lastTicks }: FeedRun, isBuy: boolean): boolean {
    const { orders, reservations } = this.host;
    const worstTicks = reservations.collarTicks(lastTicks, isBuy);
    return orders.active().some((order) => {
      const isOwn = order.strategy === this.strategyIndex && order.instrumentIndex === instrumentIndex && isUnderCancel(order);
      if (!isOwn || (order.side === 'buy') === isBuy) return false;
      const otherTicks = order.limit > 0 ? order.limit : reservations.collarTicks(lastTicks, !isBuy);
      return isBuy ? worstTicks >= otherTicks : worstTicks <= otherTicks;
    });
  }
}

/** True for a stop of a strategy that waits at the exchange, and that the strategy has not cancelled. */
export const isExchangeStop = (order: BotOrder): boolean =>
  order.triggerTicks > 0 && order.reduceOnly && order.role === 'stopLoss' && order.parent === 0 && !isUnderCancel(order);
