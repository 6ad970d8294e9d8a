// A restart: the life of the bot is replayed through its strategies, what ended with the process is written down, and the start goes on from there.

import { writeHalts } from '../../../adapters/journal/haltRecords.ts';
import { restoredOrders } from '../../../adapters/journal/records/restored.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Engine } from '../../../engine/engine.ts';
import { formatTime } from '../../../model/time.ts';
import { STATE } from '../../../orders/lifecycle.ts';
import type { BotOrder } from '../../../orders/botOrder.ts';
import type { RestoredOrder } from '../../../orders/restored.ts';
import type { BotJournal } from '../journal/botJournal.ts';
import { lasts } from '../safety/lasting.ts';
import type { AskedAgain, HeldDecision } from './askedAgain.ts';

/** What differs from the config or the code that ran, in words; nothing: all is the same. */
export type Changes = readonly string[];

/** Throws ConfigError where the replay has decided otherwise, or where something has changed, and nobody has accepted it. */
export function checkReplay({ differences, difference, decisions }: AskedAgain, changes: Changes, data: string): void {
  if (changes.length === 0 && difference === null) return;
  const total = decisions + differences;
  const first =
    difference === null
      ? ''
      : `, the first at ${formatTime(difference.timeMs)} (record ${difference.seq}): recorded ${difference.recorded}; now ${difference.replayed}`;
  const count = `${differences} of ${total} past decisions would be made differently${first}`;
  throw changes.length > 0
    ? new ConfigError(
        `${data}: ${changes.join('; ')}: ${count}`,
        'go on with it by --accept-changes: past orders stay as they are; or name another data folder',
      )
    : new ConfigError(
        `${data}: the strategy does not decide again what its journal says: ${count}`,
        'it may use the clock, chance or a file, or have begun with a field that it does not keep: take that out of it; then go on by --accept-changes, or name another data folder',
      );
}

/** Causes that ended with the process are cleared, and from now on changes are written down. What happens is told once the start is complete. */
export function takeOver(engine: Engine, { journal, state }: BotJournal, venueMs: number): void {
  const { halts } = engine.risk;
  for (const cause of halts.causes().slice()) if (!lasts(cause)) halts.clear(cause.scope, cause.code, 'it ended with the process', venueMs);
  writeHalts(journal, halts, engine.instruments, state);
  engine.callbacks.hold();
}

/** The orders of the journal, for the services; the engine has them already. */
export function pastOrders(engine: Engine, { journal, state, isTorn }: BotJournal, venueMs: number): readonly RestoredOrder[] {
  const { orders } = restoredOrders(state, engine.instruments, { isTorn, venueMs });
  for (const { id, state: now, signMs } of orders) if (now === 'unknown') journal.signedBefore(id, signMs);
  return orders;
}

/** Orders whose answer the last process did not hear: reads begin that say what became of them. */
export function followPast(engine: Engine, held: readonly HeldDecision[]): void {
  const isHeld = (order: BotOrder): boolean => held.some(({ what, id }) => what === 'sent' && id === order.id);
  for (const order of engine.orders.active().slice()) {
    if (order.state === STATE.sent && !isHeld(order)) engine.outcomeUnknown(order.id);
    else if (order.state === STATE.unknown) {
      engine.outcomes.haltInstrument(order);
      engine.exchange.read(order, engine.orders.resolution(order).first);
    }
  }
  engine.instruments.forEach((_, index) => engine.outcomes.resolved(index));
}
