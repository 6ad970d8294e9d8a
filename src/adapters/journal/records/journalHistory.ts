// Collects every fill and payment of a journal, and books them again at a restart.

import type { Instrument } from '../../../model/instrument.ts';
import type { Fill } from '../../../model/fill.ts';
import { dropClosed, type Brackets } from '../../../orders/stops/brackets.ts';
import type { Ledger } from '../../../portfolio/ledger.ts';
import { futuresLedgerOf } from '../../../portfolio/pairedLedger.ts';
import { fillFromRecord } from './fillRecord.ts';
import type { JournalRecord, RecordOf } from './records.ts';
import { indexOf } from './restoredOrders.ts';
import { ppmFromRecord, scaledFromRecord } from './recordDecimals.ts';

/** The terms of an order that booking its fills needs. */
type BookingTerms = Pick<
  RecordOf<'INTENT'>,
  'order' | 'symbol' | 'strategy' | 'side' | 'reduceOnly' | 'parent' | 'stopLoss' | 'trailing' | 'trailingPercent' | 'trailingFrom'
>;

/** The books of a new process. */
export interface Books {
  readonly instruments: readonly Instrument[];
  /** The ledger with its initial capital and without bookings. */
  readonly ledger: Ledger;
  readonly brackets: Brackets;
}

/** Collects the events while the journal is read back, because the books do not exist yet. */
export class JournalHistory {
  readonly #orders = new Map<string, BookingTerms>();
  readonly #events: (RecordOf<'FILL'> | RecordOf<'FUNDED'> | RecordOf<'AMEND'>)[] = [];

  /** Adds the next record of the journal. */
  readonly add = (record: JournalRecord): void => {
    if (record.k === 'INTENT') this.#orders.set(record.cid, record);
    // Unattributed fills are left out. One without a known order is booked once it is known.
    else if (record.k === 'FUNDED' || record.k === 'AMEND' || (record.k === 'FILL' && record.cid !== null)) this.#events.push(record);
  };

  /**
   * Books all collected events. Throws ConfigError for an instrument that is not in this run. Call it once: the collected events are
   * discarded.
   */
  book(books: Books): void {
    const indices = new Map<string, number>();
    for (const event of this.#events) {
      if (event.k === 'AMEND') {
        this.#moveStop(event, books);
        continue;
      }
      let index = indices.get(event.symbol);
      if (index === undefined) indices.set(event.symbol, (index = indexOf(event.symbol, books.instruments)));
      if (event.k === 'FILL') this.#bookFill(event, index, books);
      else futuresLedgerOf(books.ledger)?.funded(index, event.long, scaledFromRecord(event.amount, books.instruments[index]!.quoteDigits));
    }
    this.#events.length = 0;
    this.#orders.clear();
  }

  /** Moves the stop of the order's bracket, for past and future fills. */
  #moveStop({ cid, stopLoss }: RecordOf<'AMEND'>, { instruments, brackets }: Books): void {
    const order = this.#orders.get(cid);
    if (order === undefined) return;
    this.#orders.set(cid, { ...order, stopLoss });
    const index = indexOf(order.symbol, instruments);
    const bracket = brackets.of({ instrumentIndex: index, id: order.order });
    if (bracket !== undefined) brackets.moveStop(bracket, scaledFromRecord(stopLoss, instruments[index]!.priceDigits));
  }

  /** Books a fill in the ledger, and in the bracket of its order. */
  #bookFill(record: RecordOf<'FILL'>, index: number, books: Books): void {
    const { instruments, ledger } = books;
    const fill = fillFromRecord(record, instruments[index]!);
    const isBuy = record.side === 'buy';
    const order = this.#orders.get(record.cid!);
    // Orders that the venue created, such as a liquidation, have no INTENT. They belong to the strategy that trades the contract.
    const strategyIndex = order?.strategy ?? Math.max(0, futuresLedgerOf(ledger)?.ownerOf(index) ?? 0);
    ledger.fill(strategyIndex, index, isBuy, fill, order?.reduceOnly ?? true);
    restoreBracket(order, { strategy: strategyIndex, index, isBuy, fill }, books);
  }
}

/** A fill that the ledger has booked. */
interface BookedFill {
  readonly strategy: number;
  /** Index of the instrument. */
  readonly index: number;
  readonly isBuy: boolean;
  readonly fill: Fill;
}

/** Updates the bracket for a fill, as the engine's BracketManager does. Take-profits are orders, which have records of their own. */
function restoreBracket(order: BookingTerms | undefined, booked: BookedFill, { instruments, ledger, brackets }: Books): void {
  const { strategy, index, isBuy, fill } = booked;
  const bracket = order && order.parent > 0 ? brackets.of({ instrumentIndex: index, id: order.parent }) : undefined;
  if (bracket === undefined && brackets.waiting(index) > 0) dropClosed(brackets, ledger, { strategy, instrument: index, isBuy });
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
      trailingPpm: ppmFromRecord(order.trailingPercent),
      trailingFrom: ticks(order.trailingFrom ?? null),
    };
    if (lots > 0) brackets.arm(entry, lots, fill.price, fill.timeMs);
  }
}
