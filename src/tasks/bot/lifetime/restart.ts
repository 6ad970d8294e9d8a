// Steps of a restart: checks the replay, clears halt causes that ended with the process, and follows orders whose replies were lost.

import { journalHaltChanges } from '../../../adapters/journal/haltRecords.ts';
import { restoredDraft, restoredOrders } from '../../../adapters/journal/records/restoredOrders.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { OrderId } from '../../../model/order.ts';
import { formatTime } from '../../../model/time.ts';
import { STATE } from '../../../orders/lifecycle.ts';
import type { BotOrder } from '../../../orders/botOrder.ts';
import { NEVER_LEFT, type RestoredOrder } from '../../../orders/restoreBotOrder.ts';
import type { BotJournal } from '../journal/botJournal.ts';
import { outlivesProcess } from '../safety/lastingCauses.ts';
import type { DecisionComparison, HeldDecision, ReplayDifference } from './decisionComparison.ts';

/** Changes of config and code since the last start, as sentences; empty: none. */
export type Changes = readonly string[];

/** Throws ConfigError if the replay differs or something has changed. Not called when the operator has accepted the changes. */
export function checkReplay({ differences, difference, decisions }: DecisionComparison, changes: Changes, data: string): void {
  if (changes.length === 0 && difference === null) return;
  const total = decisions + differences;
  const firstText = difference === null ? '' : `, the first ${differenceText(difference)}`;
  const countText = `${differences} of ${total} past decisions would be made differently${firstText}`;
  if (changes.length > 0)
    throw new ConfigError(
      `${data}: ${changes.join('; ')}: ${countText}`,
      'continue with --accept-changes, which leaves past orders as they are, or use another data folder',
    );
  throw new ConfigError(
    `${data}: the strategy does not repeat the decisions in its journal: ${countText}`,
    'remove the cause (the clock, random numbers, a file, a field that is not kept), unless the exchange has changed a limit of an instrument; ' +
      'then use --accept-changes or another data folder',
  );
}

/** Returns time, record, recorded and replayed decision of a difference. */
const differenceText = ({ timeMs, seq, recorded, replayed }: ReplayDifference): string =>
  `at ${formatTime(timeMs)} (record ${seq}): recorded ${recorded}; now ${replayed}`;

/**
 * Clears causes that ended with the process and starts to journal halts. Callbacks wait until the start is complete, and so do drafts: the
 * process that ended may itself have been starting.
 */
export function takeOver(engine: Engine, { journal, state }: BotJournal, venueMs: number): void {
  const { halts } = engine.risk;
  engine.drafts.hold();
  for (const cause of halts.causes().slice())
    if (!outlivesProcess(cause)) halts.clear(cause.scope, cause.code, 'it ended with the process', venueMs);
  journalHaltChanges(journal, halts, engine.instruments, state);
  engine.callbacks.holdBack();
}

/**
 * Ends the recorded drafts that the strategies no longer want, so that no later start brings them back. Strategies are notified of stop entries
 * that they did not ask for, and of no other draft.
 */
export function endUnwantedDrafts(engine: Engine, { unaskedDrafts, held }: DecisionComparison, { journal, state }: BotJournal): void {
  const waitingIds = engine.orders.drafts.waiting.map(({ order }) => order.id).filter((id) => unaskedDrafts.has(id));
  const handledIds = new Set([...waitingIds, ...held.map(({ id }) => id)]);
  engine.drafts.withdrawAll(({ order }) => unaskedDrafts.has(order.id));
  for (const trace of state.drafts.values()) {
    const { order } = restoredDraft(trace, engine.instruments);
    if (handledIds.has(order.id) || engine.orders.get(order.id) !== undefined) continue;
    order.state = STATE.done;
    order.reason = 'canceled';
    order.confirmed = true;
    journal.state(order);
  }
}

/** Returns the orders of the journal, for the services. The engine has them already. */
export function openRecordedOrders(engine: Engine, { journal, state, isTorn }: BotJournal, venueMs: number): readonly RestoredOrder[] {
  const { orders } = restoredOrders(state, engine.instruments, { isTorn, venueMs });
  for (const { id, state: orderState, signMs } of orders) if (orderState === 'unknown') journal.restoreSignMs(id, signMs);
  return orders;
}

/**
 * Starts reads for orders whose reply the last process did not receive. `recorded`: the orders of the last process. This one may have sent
 * others by now, such as an exit that came due while the bot was down: their replies are still to come. `restored`: what the journal says
 * of them.
 */
export function followRecordedOrders(
  engine: Engine,
  recorded: ReadonlySet<OrderId>,
  held: readonly HeldDecision[],
  restored: readonly Pick<RestoredOrder, 'id' | 'state'>[],
): void {
  const neverLeft = new Set(restored.flatMap(({ id, state }) => (state === 'notSent' ? [id] : [])));
  const isHeld = (order: BotOrder): boolean => held.some(({ kind, id }) => kind === 'sent' && id === order.id);
  for (const order of engine.orders.active().slice()) {
    if (!recorded.has(order.id)) continue;
    if (order.state === STATE.sent && !isHeld(order)) {
      // Changed code does not ask for this order again. If no request of it has left, it ends here.
      if (neverLeft.has(order.id)) engine.notSent(order.id, NEVER_LEFT);
      else engine.outcomeUnknown(order.id);
    } else if (order.state === STATE.unknown) {
      engine.outcomes.haltInstrument(order);
      engine.exchange.read(order, engine.orders.resolution(order).first);
    }
  }
  engine.instruments.forEach((_, index) => engine.outcomes.onResolved(index));
}
