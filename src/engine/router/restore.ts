// Restores the orders, reservations, brackets and halts of a killed bot from its journal. `restoreBot` sends nothing; `followUnknown` then sends
// requests.

import type { Lots, Units } from '../../base/brand.ts';
import type { OrderId } from '../../model/order.ts';
import type { OrderEnd } from '../../orders/drafts.ts';
import type { RestoredOrder, RestoredOrders } from '../../orders/restoreBotOrder.ts';
import { STATE } from '../../orders/lifecycle.ts';
import { ABSENT_HOLD_MS } from '../../orders/reserve/reservation.ts';
import { ticksOf } from '../../model/bars/bars.ts';
import type { HaltCause } from '../../risk/live/halts.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import type { RiskModule } from '../../risk/riskModule.ts';
import type { FeedRun } from '../feeds/feed.ts';
import type { Instant } from '../feeds/instant.ts';
import type { BracketManager } from './bracketManager.ts';
import type { TriggerOrderTracker } from './triggerOrderTracker.ts';
import type { WaitingDrafts } from './waitingDrafts.ts';
import type { UnknownOutcomes } from './unknownOutcomes.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

const NO_EFFECT: OrderEnd = { filledLots: 0 as Lots, filledUnits: 0 as Units, reason: 'noEffect' };

/** What a restore needs of the engine. */
export interface RestoreHost {
  readonly instant: Instant;
  readonly instruments: readonly unknown[];
  readonly execution: readonly FeedRun[];
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly risk: RiskModule;
  readonly bracketManager: BracketManager;
  readonly drafts: WaitingDrafts;
  readonly outcomes: UnknownOutcomes;
  readonly triggerOrders: TriggerOrderTracker;
  startTicks(instrumentIndex: number): number;
}

/** The state of a bot as its journal had it. */
export interface RestoredBot {
  readonly orders: RestoredOrders;
  /** Halts that were in force. */
  readonly causes: readonly HaltCause[];
  /** Reference values of the loss rules, by rule, as `RiskModule.restore` takes them. */
  readonly memory: ReadonlyMap<string, readonly number[]>;
}

/**
 * Restores the bot. Call it once, before the first instant and before anything observes the halts. The ledger and the brackets must already
 * contain every fill of the journal. Instruments with an unknown order are halted; `followUnknown` begins to read about these orders.
 */
export function restoreBot(engine: RestoreHost, { orders, causes, memory }: RestoredBot, nowMs: number): void {
  engine.instant.set(nowMs);
  engine.orders.restore(orders, (index) => engine.startTicks(index), nowMs);
  engine.orders.amended.restore(engine.orders.provenAbsent);
  // An earlier process has sent these trigger orders. Nothing is sent now: this only notes that such orders may wait at the exchange.
  if (orders.orders.some(({ triggerTicks }) => triggerTicks > 0)) engine.triggerOrders.onSend();
  for (const { scope, state, code, why, sinceMs } of causes) engine.risk.halts.raise(scope, state, code, why, sinceMs);
  engine.risk.restore(memory);
  for (const order of engine.orders.active()) if (order.state === STATE.unknown) engine.outcomes.haltInstrument(order);
  // Clears halts of the last process for outcomes that are no longer unknown.
  engine.instruments.forEach((_, index) => engine.outcomes.onResolved(index));
  for (const restored of orders.orders) restorePending(engine, restored, nowMs);
  restoreDrafts(engine, orders);
  engine.execution.forEach((feed, index) => followClosedRows(engine.brackets, feed, index));
}

/**
 * Restores what is still to come for an order. An order that was proven absent still has to end its reservation. An entry that has fills
 * still has to send its take-profit.
 */
function restorePending(engine: RestoreHost, restored: RestoredOrder, nowMs: number): void {
  const { id, state, endMs, strategy, instrumentIndex, pendingTargetLots } = restored;
  const holdEndMs = endMs + ABSENT_HOLD_MS;
  if (state === 'provenAbsent' && holdEndMs > nowMs) engine.outcomes.expireAt(holdEndMs, strategy, instrumentIndex);
  const entry = pendingTargetLots > 0 ? engine.orders.get(id) : undefined;
  if (entry !== undefined) engine.bracketManager.restorePendingTarget(entry, pendingTargetLots, nowMs);
}

/** Restores the drafts that waited for other orders to end. */
function restoreDrafts(engine: RestoreHost, { drafts = [] }: RestoredOrders): void {
  const isOpen = (id: OrderId): boolean =>
    engine.orders.active().some((order) => order.id === id) || drafts.some((draft) => draft.order.id === id);
  for (const { order, ahead: idsAhead, replaced, targetLots, ended } of drafts) {
    // The journal has each order that was filled or ended. If this order is not open and has no recorded end, it had no effect.
    const endOf = (id: OrderId): OrderEnd | undefined => ended.get(id) ?? (isOpen(id) ? undefined : NO_EFFECT);
    engine.drafts.restore({ order, ahead: [...idsAhead], replaced, targetLots, remainingSize: NAN }, endOf);
  }
}

/** Makes the trailing stops of an instrument follow the rows of its feed that have closed. */
function followClosedRows(brackets: Brackets, feed: FeedRun, instrumentIndex: number): void {
  if (brackets.waiting(instrumentIndex) === 0) return;
  const { openMs, closeMs, length } = feed.bars;
  const highs = ticksOf(feed.bars, 'high');
  const lows = ticksOf(feed.bars, 'low');
  const closes = ticksOf(feed.bars, 'close');
  for (let row = 0; row < length; row++) {
    brackets.followAgain(instrumentIndex, { high: highs[row]!, low: lows[row]!, close: closes[row]! }, openMs[row]!, closeMs[row]!);
  }
}

/**
 * Begins to read about each order whose outcome is unknown, and sends the cancels that the earlier process may not have sent. Call it once the
 * exchange is connected.
 */
export function followUnknown(engine: RestoreHost): void {
  for (const order of engine.orders.active().slice()) {
    if (order.state === STATE.unknown) engine.outcomes.follow(order);
    // An order may replace an older one. If the process ended before it had cancelled the older order, that cancel is sent now.
    else if (order.state !== STATE.sent) engine.orders.amended.cancelOld(order, engine.instant.ms);
  }
  engine.drafts.cancelOrdersAhead();
}
