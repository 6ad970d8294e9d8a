// Manages the stop entries that the bot watches itself. They wait as drafts and are sent once a row has reached their trigger.

import type { Ticks, TimeMs } from '../../base/brand.ts';
import { CAPPED, type OrderId } from '../../model/order.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { isSameSlot, type WaitingDraft } from '../../orders/drafts.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import type { StopEntry } from '../../orders/stops/stopEntries.ts';
import type { RiskModule } from '../../risk/riskModule.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** What `StopEntryManager` needs of the engine. */
export interface StopEntryHost {
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly risk: RiskModule;
  readonly bracketManager: { hitPrice: number; readonly legTimeMs: number };
  readonly nowMs: number;
  hasPendingWork: boolean;
  lastTicks(instrumentIndex: number): number;
  submit(order: BotOrder): OrderId;
}

/** Watches waiting stop entries, sends those whose trigger a price has reached, and ends those that are cancelled. */
export class StopEntryManager {
  private readonly engine: StopEntryHost;
  /** Removes a draft from the waiting drafts. */
  private readonly removeDraft: (draft: WaitingDraft) => void;

  constructor(engine: StopEntryHost, removeDraft: (draft: WaitingDraft) => void) {
    this.engine = engine;
    this.removeDraft = removeDraft;
  }

  /** Returns the deny code of an order that may not wait here, or null. Risk rules that depend on money check it when it is sent. */
  denyCode(order: BotOrder): string | null {
    const { orders, risk } = this.engine;
    const hasValidSize = order.quoteUnits > 0 || order.lots >= order.instrument.minLots;
    if (!hasValidSize || Number.isNaN(order.lots)) return 'BAD_INPUT';
    if (order.code !== null) return order.code;
    const hasSameSlot = (other: BotOrder): boolean => isSameSlot(order, other);
    const isSlotBusy = orders.active().some(hasSameSlot) || orders.drafts.orders.some(hasSameSlot);
    return isSlotBusy ? 'SLOT_BUSY' : risk.bracketCode(order, this.engine.lastTicks(order.instrumentIndex));
  }

  /** Sends the stop entries that the open of a row reaches, at that open. Returns true if there were any. */
  fireAtOpen(instrumentIndex: number, openMs: number, open: number): boolean {
    const reachedEntries = this.engine.brackets.entries.reachedAtOpen(instrumentIndex, openMs, open);
    for (const entry of reachedEntries) this.fire(entry, open);
    return reachedEntries.length > 0;
  }
  /** Sends the stop entries that a row reaches, at their trigger. */
  fireInRow(instrumentIndex: number, openMs: number, open: number, high: number, low: number): void {
    for (const entry of this.engine.brackets.entries.reachedInRow(instrumentIndex, openMs, open, high, low))
      this.fire(entry, entry.triggerTicks);
  }

  /** Sends a stop entry. `price`: the price that reached its trigger. A replay fills it at that price if its limit allows. */
  fire({ id }: Pick<StopEntry, 'id'>, price: number): void {
    const { engine } = this;
    const { bracketManager } = engine;
    const draft = engine.orders.drafts.waiting.find(({ order }) => order.id === id);
    if (draft === undefined) return;
    this.removeDraft(draft);
    const { order } = draft;
    const { sign, limit, role } = order;
    order.firedAtTicks = order.triggerTicks;
    order.triggerTicks = 0 as Ticks;
    order.triggersAbove = false;
    const { legTimeMs } = bracketManager;
    // NaN outside of a replayed row.
    const isReplayed = legTimeMs === legTimeMs;
    order.createdMs = order.changedMs = (isReplayed ? legTimeMs : engine.nowMs) as TimeMs;
    const isWithinLimit = limit === 0 || (price - limit) * sign <= 0;
    engine.hasPendingWork = true;
    bracketManager.hitPrice = isWithinLimit ? price : NAN;
    engine.submit(order);
    bracketManager.hitPrice = NAN;
    const isStillOpen = order.id === id && order.reason === null;
    // A market buy whose row opens beyond its collar is a limit order until the row ends, and is recorded as one.
    if (isReplayed && !isWithinLimit && role === 'market' && isStillOpen) order.code = CAPPED;
  }
}
