// Drafts that wait to be sent. Replacements and reversals wait until other orders have ended, the buys of a rebalance until its sales have
// ended, and stop entries until the price reaches their trigger.

import { removeAt } from '../base/removeAt.ts';
import type { OrderId, Side } from '../model/order.ts';
import type { BotOrder } from './botOrder.ts';

/** The state of an order when its replacement was requested. */
export interface ReplacedOrder {
  readonly id: OrderId;
  readonly side: Side;
  readonly lots: number;
  readonly quoteUnits: number;
  readonly filledLots: number;
  readonly filledUnits: number;
}

/** Decision slot of the orders by which `rebalance` opens or adds to a position. */
export const REBALANCE = 'rebalance';

/** How a replaced order ended. */
export type OrderEnd = Pick<BotOrder, 'filledLots' | 'filledUnits' | 'reason'>;

/** An order that is not sent yet, and what it waits for. */
export interface WaitingDraft {
  readonly order: BotOrder;
  /** Orders that have to end first. An order that has ended is removed. */
  readonly ahead: OrderId[];
  /** For a replacement: the old order. Null for a reversal, a rebalance and a stop entry. */
  readonly replaced: ReplacedOrder | null;
  /** For a reversal and a rebalance: the lots to hold, negative for short. NaN for a replacement and a stop entry. */
  readonly targetLots: number;
  /** For a replacement that may be sent now: what the old order left to fill, in lots, or in units for an order by amount. NaN earlier. */
  remainingSize: number;
}

/** True for a draft of a rebalance. It waits until orders of other symbols have ended, and never cancels them. */
export function isOfRebalance({ order, replaced }: Pick<WaitingDraft, 'order' | 'replaced'>): boolean {
  return replaced === null && order.slot === REBALANCE;
}

/** True for a stop entry that the bot watches itself, because the exchange has no trigger orders on spot. */
export const isWatched = ({ triggerTicks, role }: Pick<BotOrder, 'triggerTicks' | 'role'>): boolean =>
  triggerTicks > 0 && (role === 'market' || role === 'limit');

/** True when two orders name the same decision. */
export function isSameSlot({ strategy, instrumentIndex, slot }: BotOrder, other: BotOrder): boolean {
  return other.parent === 0 && other.strategy === strategy && other.instrumentIndex === instrumentIndex && other.slot === slot;
}

/** The drafts that wait, in the order in which they were requested. */
export class Drafts {
  private readonly waitingDrafts: WaitingDraft[] = [];
  /** Number of stop entries among the drafts. */
  watched = 0;

  /** The drafts, oldest first. */
  get waiting(): readonly WaitingDraft[] {
    return this.waitingDrafts;
  }
  /** The orders of the drafts. */
  get orders(): readonly BotOrder[] {
    return this.waitingDrafts.map(({ order }) => order);
  }
  /** True when a waiting stop entry has the same decision slot as the order. */
  isSlotWatched(order: BotOrder): boolean {
    return order.parent === 0 && this.waitingDrafts.some((draft) => isWatched(draft.order) && isSameSlot(draft.order, order));
  }
  /** Returns the order of a waiting draft by its id. */
  find(id: OrderId): BotOrder | undefined {
    return this.waitingDrafts.find(({ order }) => order.id === id)?.order;
  }
  /** Adds a draft at the end. */
  add(draft: WaitingDraft): void {
    this.waitingDrafts.push(draft);
    if (isWatched(draft.order)) this.watched++;
  }
  /** Removes a draft that is sent or has ended. */
  remove(draft: WaitingDraft): void {
    removeAt(this.waitingDrafts, this.waitingDrafts.indexOf(draft));
    if (isWatched(draft.order)) this.watched--;
  }
}

/**
 * Returns the size of a replacement, in its own unit (lots, or units of an amount): the requested size minus what the old order has filled
 * since then, and at most what the old order left if both have the same unit. 0: nothing is left. A replacement on the other side keeps its
 * size.
 */
export function sizeLeft(order: Pick<BotOrder, 'side' | 'lots' | 'quoteUnits'>, replaced: ReplacedOrder, end: OrderEnd): number {
  const isByAmount = order.quoteUnits > 0;
  const requestedSize = isByAmount ? order.quoteUnits : order.lots;
  if (replaced.side !== order.side) return requestedSize;
  if (end.reason === 'filled') return 0;
  const filled = isByAmount ? end.filledUnits : end.filledLots;
  const filledBefore = isByAmount ? replaced.filledUnits : replaced.filledLots;
  const maxSize = Math.max(requestedSize, isByAmount ? replaced.quoteUnits : replaced.lots);
  return Math.max(0, Math.min(requestedSize - (filled - filledBefore), maxSize - filled));
}
