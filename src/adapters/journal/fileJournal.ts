// Writes the journal of a live bot: one record for each event of an order, and for each other fact that a restart needs.

import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Order, OrderId } from '../../model/order.ts';
import type { Evidence } from '../../ports/exchange.ts';
import type { Journal, Waits } from '../../ports/journal.ts';
import type { RecordFacts } from './records/fields.ts';
import type { JournalFile } from './file/journalFile.ts';
import { draftOf, executionOf, intentOf, recordPriceText, recordMoneyText, qtyText } from './records/orderText.ts';
import type { RecordBody } from './records/records.ts';

/** The times with which an order is signed. */
export interface SendStamp {
  /** The X-CH-TS of its request, ms. */
  readonly signMs: number;
  /** Upper bound of the venue's time then, ms: signMs + back-dating + clock uncertainty. */
  readonly venueLatestMs: number;
}

/** Supplies the members of records that an order does not have. The process that owns the journal implements it. */
export interface JournalFacts {
  /** Returns the client order id, as sent to the venue. */
  clientOrderId(id: OrderId): string;
  /** Returns the signing time. Called once for each order, when it is journalled. The request must be signed with exactly this time. */
  stamp(order: Order): SendStamp;
  /** Returns the inputs of the order's risk verdict. */
  verdictInputs(order: Order): RecordFacts;
  /** Returns the reservation of an approved order, as text. */
  riskReserve(order: Order): string;
  /** Returns why the order was created, in one word. */
  reason(order: Order): string;
  /** Returns the venue's text of the trade id, because the number of a fill may be too small for it. */
  tradeId(fill: Fill): string;
  /** Returns a digest of the rows that were read; null if none is kept. */
  digest(evidence: Evidence): string | null;
}

/** The journal. Each method appends a record and returns its number. */
export class FileJournal implements Journal {
  readonly #file: JournalFile;
  readonly #facts: JournalFacts;
  /** Signing times of unfinished orders, by order id. */
  readonly #signMs = new Map<number, number>();

  constructor(file: JournalFile, facts: JournalFacts) {
    this.#file = file;
    this.#facts = facts;
  }

  get durableSeq(): number {
    return this.#file.durableSeq;
  }
  /** The latest number assigned. */
  get lastSeq(): number {
    return this.#file.lastSeq;
  }
  /** Why the journal has failed (order-safety, W4); null while it works. */
  get failure(): string | null {
    return this.#file.failure;
  }

  // --- Called by the order manager

  denied(order: Order, code: string): number {
    return this.#verdict(order, code);
  }
  drafted(order: Order, waits: Waits): number {
    return this.#file.append('DRAFT', { cid: this.#cid(order), ...draftOf(order, waits) });
  }
  submitted(order: Order): number {
    this.#verdict(order, null);
    this.#intent(order);
    const { signMs, venueLatestMs } = this.#facts.stamp(order);
    this.#signMs.set(order.id, signMs);
    return this.#file.append('SEND', { cid: this.#cid(order), signMs, venueLatestMs });
  }
  signMs({ id, createdMs }: Order): number {
    return this.#signMs.get(id) ?? createdMs;
  }
  /** Restores the signing time of an order of an earlier process. */
  restoreSignMs(id: OrderId, signMs: number): void {
    this.#signMs.set(id, signMs);
  }
  ack(order: Order): number {
    this.#signMs.delete(order.id);
    return this.#file.append('ACK', { cid: this.#cid(order), orderId: String(order.venueId ?? '') });
  }
  refused(order: Order, code: string): number {
    this.#signMs.delete(order.id);
    return this.#file.append('REFUSED', { cid: this.#cid(order), code });
  }
  evidence(order: Order, evidence: Evidence): number {
    const { channel, venueMs, complete, found } = evidence;
    const digest = this.#facts.digest(evidence);
    return this.#file.append('EVID', { cid: this.#cid(order), channel, venueMs, complete, found, digest });
  }
  fill(order: Order, fill: Fill): number {
    const ids = { cid: this.#cid(order), tradeId: this.#facts.tradeId(fill), orderId: String(order.venueId ?? '') };
    return this.#file.append('FILL', { ...ids, ...executionOf(order, fill), long: undefined, split: undefined });
  }
  state(order: Order): number {
    const { lifecycle, reason, confirmed } = order;
    return this.#file.append('STATE', { cid: this.#cid(order), lifecycle, reason, confirmed, filled: qtyText(order, order.filledLots) });
  }
  cancelSent(order: Order): number {
    return this.state(order);
  }
  provenAbsent(order: Order): number {
    this.#signMs.delete(order.id);
    return this.#file.append('TOMB', { cid: this.#cid(order) });
  }
  stopMoved(id: OrderId, instrument: Instrument, stop: number): number {
    return this.#file.append('AMEND', { cid: this.#facts.clientOrderId(id), order: id, stopLoss: recordPriceText(instrument, stop) });
  }

  // --- Called by the live process

  /** Journals the configuration: at the start, and after each change. */
  config(body: RecordBody<'CONFIG'>): number {
    return this.#file.append('CONFIG', body);
  }
  /** Journals an unattributed fill. `long`: in two-way mode, the side of the position that it changes. */
  unattributedFill({
    long,
    split,
    ...body
  }: Omit<RecordBody<'FILL'>, 'cid' | 'filled' | 'last' | 'long' | 'split'> & Partial<Pick<RecordBody<'FILL'>, 'long' | 'split'>>): number {
    return this.#file.append('FILL', { ...body, cid: null, filled: body.qty, last: false, long, split });
  }
  /** Journals a funding payment of a position; above 0 is received. */
  funded(instrument: Instrument, isLong: boolean, units: number, paidMs: number): number {
    return this.#file.append('FUNDED', { symbol: instrument.id, long: isLong, amount: recordMoneyText(instrument, units), paidMs });
  }
  /** Journals a cursor. Must be called after all records that precede the cursor. */
  cursor(body: RecordBody<'CURSOR'>): number {
    return this.#file.append('CURSOR', body);
  }
  setting(body: RecordBody<'SETTING'>): number {
    return this.#file.append('SETTING', body);
  }
  /** Journals the bars of an instant. Must be called before `onBar` is called for it. */
  instant(body: RecordBody<'INSTANT'>): number {
    return this.#file.append('INSTANT', body);
  }
  /** Journals funding rates. Must be called before a strategy sees them. */
  rates(body: RecordBody<'RATES'>): number {
    return this.#file.append('RATES', body);
  }
  /** Journals values of an external series. Must be called before a strategy sees them. */
  series(body: RecordBody<'SERIES'>): number {
    return this.#file.append('SERIES', body);
  }
  human(body: RecordBody<'HUMAN'>): number {
    return this.#file.append('HUMAN', body);
  }
  /** Journals an adopted order, after the operator's decision. No SEND follows, because this bot did not send it. */
  adopted(order: Order): number {
    return this.#intent(order);
  }
  /** Journals the state that strategies keep, at the end of an instant that changed it. */
  kept(body: RecordBody<'KEPT'>): number {
    return this.#file.append('KEPT', body);
  }
  /** Journals a clean stop, before the strategies' `onStop`. */
  stop(body: RecordBody<'STOP'>): number {
    return this.#file.append('STOP', body);
  }
  halt(body: RecordBody<'HALT'>): number {
    return this.#file.append('HALT', body);
  }
  resume(body: RecordBody<'RESUME'>): number {
    return this.#file.append('RESUME', body);
  }

  /** Calls `done` when everything is durable or never will be; then `failure` has the reason. Nothing may be journalled afterwards. */
  close(done: () => void): void {
    this.#file.close(done);
  }

  #intent(order: Order): number {
    const facts = this.#facts;
    const ownMembers = { cid: this.#cid(order), reason: facts.reason(order), riskReserve: facts.riskReserve(order) };
    return this.#file.append('INTENT', intentOf(order, ownMembers));
  }
  /** Journals the verdict of risk with its inputs. `code`: the deny code; null for an approved order. */
  #verdict(order: Order, code: string | null): number {
    return this.#file.append('VERDICT', {
      cid: this.#cid(order),
      order: order.id,
      ok: code === null,
      code,
      inputs: this.#facts.verdictInputs(order),
    });
  }
  #cid(order: Order): string {
    return this.#facts.clientOrderId(order.id);
  }
}
