// Orders that are not sent yet because others have to end first: replacements of an order under cancel, reversals of a position, and what a
// rebalance buys with the money that its sales free; and stop entries that wait for their price.

import { removeAt } from '../base/removeAt.ts';
import type { OrderId, Side } from '../model/order.ts';
import type { BotOrder } from './botOrder.ts';

/** The state of an order when its replacement was requested. */
export interface Replaced {
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
export type Ended = Pick<BotOrder, 'filledLots' | 'filledUnits' | 'reason'>;

export interface WaitingDraft {
  readonly order: BotOrder;
  /** Orders that have to end first. An order that has ended is removed. */
  readonly ahead: OrderId[];
  /** For a replacement: the old order. Null for a reversal, a rebalance and a stop entry. */
  readonly replaced: Replaced | null;
  /** For a reversal and a rebalance: the lots to hold, negative for short. NaN for a replacement and a stop entry. */
  readonly targetLots: number;
  /** For a replacement that may be sent now: what the old order left to do, in lots, or in units for an order by amount. NaN before. */
  left: number;
}

/** True for a draft of a rebalance: it waits for orders of other symbols, which are to fill and are never cancelled for it. */
export function isOfRebalance({ order, replaced }: Pick<WaitingDraft, 'order' | 'replaced'>): boolean {
  return replaced === null && order.slot === REBALANCE;
}

/** True for a stop entry that no exchange watches: that of spot. */
export const isWatched = ({ triggerTicks, role }: BotOrder): boolean => triggerTicks > 0 && (role === 'market' || role === 'limit');

/** True when two orders name the same decision. */
export function isSameSlot({ strategy, instrumentIndex, slot }: BotOrder, other: BotOrder): boolean {
  return other.parent === 0 && other.strategy === strategy && other.instrumentIndex === instrumentIndex && other.slot === slot;
}

export class Drafts {
  private readonly waitingDrafts: WaitingDraft[] = [];
  /** Number of stop entries among them. */
  watched = 0;

  get waiting(): readonly WaitingDraft[] {
    return this.waitingDrafts;
  }
  get orders(): readonly BotOrder[] {
    return this.waitingDrafts.map(({ order }) => order);
  }
  /** True when a stop entry that waits has the slot of an order. */
  isSlotWatched(order: BotOrder): boolean {
    return order.parent === 0 && this.waitingDrafts.some((draft) => isWatched(draft.order) && isSameSlot(draft.order, order));
  }
  find(id: OrderId): BotOrder | undefined {
    return this.waitingDrafts.find(({ order }) => order.id === id)?.order;
  }
  add(draft: WaitingDraft): void {
    this.waitingDrafts.push(draft);
    if (isWatched(draft.order)) this.watched++;
  }
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
export function sizeLeft(order: Pick<BotOrder, 'side' | 'lots' | 'quoteUnits'>, old: Replaced, end: Ended): number {
  const isByAmount = order.quoteUnits > 0;
  const wanted = isByAmount ? order.quoteUnits : order.lots;
  if (old.side !== order.side) return wanted;
  if (end.reason === 'filled') return 0;
  const filled = isByAmount ? end.filledUnits : end.filledLots;
  const before = isByAmount ? old.filledUnits : old.filledLots;
  const whole = Math.max(wanted, isByAmount ? old.quoteUnits : old.lots);
  return Math.max(0, Math.min(wanted - (filled - before), whole - filled));
}
