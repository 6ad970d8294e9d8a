// Collects every fill and payment of a journal in order, to book them again at a restart.

import type { Instrument } from '../../../model/instrument.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Brackets } from '../../../orders/stops/brackets.ts';
import type { Ledger } from '../../../portfolio/ledger.ts';
import { contractBooks } from '../../../portfolio/pairedLedger.ts';
import { fillFromRecord } from './fillRecord.ts';
import type { JournalRecord, RecordOf } from './records.ts';
import { indexOf } from './restored.ts';
import { ppmFromRecord, scaledFromRecord } from './recordDecimals.ts';

/** What booking a fill needs of its order. */
type Booked = Pick<
  RecordOf<'INTENT'>,
  'order' | 'symbol' | 'strategy' | 'side' | 'reduceOnly' | 'parent' | 'stopLoss' | 'trailing' | 'trailingPercent' | 'trailingFrom'
>;

export interface Books {
  readonly instruments: readonly Instrument[];
  /** With its initial capital and without bookings. */
  readonly ledger: Ledger;
  readonly brackets: Brackets;
}

/** Collects while the journal is read back, before the books exist. */
export class TradeHistory {
  readonly #orders = new Map<string, Booked>();
  readonly #events: (RecordOf<'FILL'> | RecordOf<'FUNDED'> | RecordOf<'AMEND'>)[] = [];

  /** Takes the next record. */
  readonly add = (record: JournalRecord): void => {
    if (record.k === 'INTENT') this.#orders.set(record.cid, record);
    // An unattributed fill is booked once its order is known.
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
        this.#amend(event, books);
        continue;
      }
      let index = indices.get(event.symbol);
      if (index === undefined) indices.set(event.symbol, (index = indexOf(event.symbol, books.instruments)));
      if (event.k === 'FILL') this.#fill(event, index, books);
      else contractBooks(books.ledger)?.funded(index, event.long, scaledFromRecord(event.amount, books.instruments[index]!.quoteDigits));
    }
    this.#events.length = 0;
    this.#orders.clear();
  }

  /** Moves the stop of what the order has bought, and of what it buys from now on. */
  #amend({ cid, stopLoss }: RecordOf<'AMEND'>, { instruments, brackets }: Books): void {
    const order = this.#orders.get(cid);
    if (order === undefined) return;
    this.#orders.set(cid, { ...order, stopLoss });
    const index = indexOf(order.symbol, instruments);
    const bracket = brackets.of({ instrumentIndex: index, id: order.order });
    if (bracket !== undefined) brackets.moveStop(bracket, scaledFromRecord(stopLoss, instruments[index]!.priceDigits));
  }

  #fill(record: RecordOf<'FILL'>, index: number, books: Books): void {
    const { instruments, ledger } = books;
    const fill = fillFromRecord(record, instruments[index]!);
    const isBuy = record.side === 'buy';
    const order = this.#orders.get(record.cid!);
    // Orders that the venue made itself have no INTENT. They belong to the strategy that trades the contract.
    const strategy = order?.strategy ?? Math.max(0, contractBooks(ledger)?.ownerOf(index) ?? 0);
    ledger.fill(strategy, index, isBuy, fill, order?.reduceOnly ?? true);
    guard(order, strategy, index, isBuy, fill, books);
  }
}

/** Restores bracket stops like the engine's BracketManager. Take-profits are orders and have their own records. */
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
      trailingPpm: ppmFromRecord(order.trailingPercent),
      trailingFrom: ticks(order.trailingFrom ?? null),
    };
    if (lots > 0) brackets.arm(entry, lots, fill.price, fill.timeMs);
  } else if (brackets.waiting(index) > 0 && ledger.isFlat(strategy, index)) brackets.drop(strategy, index);
}
