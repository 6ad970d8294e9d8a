// A restart: books, orders and halts are made again from the journal, before anything is asked or sent.

import { causesOf, writeHalts } from '../../../adapters/journal/haltRecords.ts';
import type { TradeHistory } from '../../../adapters/journal/records/history.ts';
import { memoryOf, restoredOrders } from '../../../adapters/journal/records/restored.ts';
import type { Engine } from '../../../engine/engine.ts';
import { restoreBot } from '../../../engine/router/restore.ts';
import type { RestoredOrder } from '../../../orders/restored.ts';
import type { BotJournal } from './botJournal.ts';
import { lasts } from '../safety/lasting.ts';

/** Fills and payments of earlier processes, booked in order: before the engine is sealed. */
export function bookHistory({ ledger, brackets, instruments }: Engine, history: TradeHistory): void {
  history.book({ ledger, brackets, instruments });
}

/** Orders and halts of earlier processes; from now on halts are written down. Nothing is sent. */
export function restoreEngine(engine: Engine, journal: BotJournal, venueMs: number): readonly RestoredOrder[] {
  const { state, isTorn } = journal;
  const orders = restoredOrders(state, engine.instruments, { isTorn, venueMs });
  restoreBot(engine, { orders, causes: causesOf(state, engine.instruments).filter(lasts), memory: memoryOf(state) }, venueMs);
  writeHalts(journal.journal, engine.risk.halts, engine.instruments, state);
  return orders.orders;
}
