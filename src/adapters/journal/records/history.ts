// The money of a journal: every fill and payment in order, to be booked again at a restart.

import type { Instrument } from '../../../model/instrument.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Brackets } from '../../../orders/stops/brackets.ts';
import type { Ledger } from '../../../portfolio/ledger.ts';
import { contractBooks } from '../../../portfolio/pairedLedger.ts';
import { fillFromRecord } from './fillRecord.ts';
import type { JournalRecord, RecordOf } from './records.ts';
import { indexOf } from './restored.ts';
import { scaledFromRecord } from './recordDecimals.ts';

/** What a booking needs to know of its order. */
type Booked = Pick<RecordOf<'INTENT'>, 'order' | 'strategy' | 'side' | 'reduceOnly' | 'parent' | 'stopLoss' | 'trailing'>;

export interface Books {
  readonly instruments: readonly Instrument[];
  /** With the capital that it began with, and nothing booked. */
  readonly ledger: Ledger;
  readonly brackets: Brackets;
}

/** Collects while the journal is read back, when there are no books yet. */
export class TradeHistory {
  readonly #orders = new Map<string, Booked>();
  readonly #events: (RecordOf<'FILL'> | RecordOf<'FUNDED'>)[] = [];

  /** Takes the next record. */
  readonly add = (record: JournalRecord): void => {
    if (record.k === 'INTENT') this.#orders.set(record.cid, record);
    // A fill of nobody is booked when it is known whose it is.
    else if (record.k === 'FUNDED' || (record.k === 'FILL' && record.cid !== null)) this.#events.push(record);
  };

  /** Throws ConfigError for an instrument that is not of this run. Call it once: what was collected is given up. */
  book(books: Books): void {
    const indices = new Map<string, number>();
    for (const event of this.#events) {
      let index = indices.get(event.symbol);
      if (index === undefined) indices.set(event.symbol, (index = indexOf(event.symbol, books.instruments)));
      if (event.k === 'FILL') this.#fill(event, index, books);
      else contractBooks(books.ledger)?.funded(index, event.long, scaledFromRecord(event.amount, books.instruments[index]!.quoteDigits));
    }
    this.#events.length = 0;
    this.#orders.clear();
  }

  #fill(record: RecordOf<'FILL'>, index: number, books: Books): void {
    const { instruments, ledger } = books;
    const fill = fillFromRecord(record, instruments[index]!);
    const isBuy = record.side === 'buy';
    const order = this.#orders.get(record.cid!);
    // What the exchange has done by itself has no INTENT: it is of whoever trades the contract.
    const strategy = order?.strategy ?? Math.max(0, contractBooks(ledger)?.ownerOf(index) ?? 0);
    ledger.fill(strategy, index, isBuy, fill, order?.reduceOnly ?? true);
    guard(order, strategy, index, isBuy, fill, books);
  }
}

/** Guards as the engine's bracket desk keeps them, but for targets: those are orders, and have records of their own. */
function guard(
  order: Booked | undefined,
  strategy: number,
  index: number,
  isBuy: boolean,
  fill: Fill,
  { instruments, ledger, brackets }: Books,
): void {
  const bracket = order && order.parent > 0 ? brackets.of({ instrumentIndex: index, id: order.parent }) : undefined;
  if (bracket) {
    if (ledger.isFlat(strategy, index)) brackets.remove(bracket);
    else brackets.reduce(bracket, fill.lots);
  } else if (order && order.parent === 0 && (order.stopLoss !== null || order.trailing !== null)) {
    const lots = Math.min(fill.lots, ledger.closable(strategy, index, !isBuy, true));
    const ticks = (text: string | null): number => (text === null ? 0 : scaledFromRecord(text, instruments[index]!.priceDigits));
    const entry = {
      id: order.order,
      strategy,
      instrumentIndex: index,
      side: order.side,
      stopLoss: ticks(order.stopLoss),
      trailing: ticks(order.trailing),
    };
    if (lots > 0) brackets.arm(entry, lots, fill.price, fill.timeMs);
  } else if (brackets.waiting(index) > 0 && ledger.isFlat(strategy, index)) brackets.drop(strategy, index);
}
