// Restores ledger, orders and halts from the journal after a restart, before the first request.

import type { RecordOf } from '../../../adapters/journal/records/records.ts';
import { causesOf, journalHaltChanges } from '../../../adapters/journal/haltRecords.ts';
import type { JournalHistory } from '../../../adapters/journal/records/journalHistory.ts';
import { memoryOf, restoredOrders, sentOrder } from '../../../adapters/journal/records/restoredOrders.ts';
import type { Engine } from '../../../engine/engine.ts';
import { restoreBot } from '../../../engine/router/restore.ts';
import type { RestoredOrder } from '../../../orders/restoreBotOrder.ts';
import type { BotJournal } from './botJournal.ts';
import { outlivesProcess } from '../safety/lastingCauses.ts';

/** Books fills and payments of earlier processes in order. Call it before the engine is sealed. */
export function bookHistory({ ledger, brackets, instruments }: Engine, history: JournalHistory): void {
  history.book({ ledger, brackets, instruments });
}

/** Restores orders and halts of earlier processes, and then starts to journal halts. Sends nothing. Returns the orders. */
export function restoreEngine(engine: Engine, journal: BotJournal, venueMs: number): readonly RestoredOrder[] {
  const { state, isTorn } = journal;
  const orders = restoredOrders(state, engine.instruments, { isTorn, venueMs });
  const causes = causesOf(state, engine.instruments).filter(outlivesProcess);
  restoreBot(engine, { orders, causes, memory: memoryOf(state) }, venueMs);
  journalHaltChanges(journal.journal, engine.risk.halts, engine.instruments, state);
  return orders.orders;
}

/** Restores a slice of a kill, which no limit of a strategy counts, and notifies its strategy. */
export function restoreSlice(engine: Engine, intent: RecordOf<'INTENT'>, timeMs: number): void {
  const slice = sentOrder(intent, engine.instruments);
  engine.orders.restore({ lastOrder: intent.order, orders: [slice] }, (index) => engine.lastTicks(index), timeMs);
  const order = engine.orders.get(slice.id);
  if (order === undefined) return;
  // In a replay this writes nothing: `isobar why` follows an order from here on.
  engine.orders.journal.submitted(order);
  engine.notifyOrder(order);
}
