// The journal of a live bot: one line a record, on the disk before anything leaves that rests on it.

import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Order, OrderId } from '../../model/order.ts';
import type { Evidence } from '../../ports/exchange.ts';
import type { Journal, Waits } from '../../ports/journal.ts';
import type { RecordFacts } from './records/fields.ts';
import type { JournalFile } from './file/journalFile.ts';
import { draftOf, executionOf, intentOf, recordMoneyText, qtyText } from './records/orderText.ts';
import type { RecordBody } from './records/records.ts';

/** When an order is signed. */
export interface SendStamp {
  /** The X-CH-TS of its request, ms. */
  readonly signMs: number;
  /** The latest that venue time can have been then, ms: signMs + back-dating + clock uncertainty. */
  readonly venueLatestMs: number;
}

/** What records say that is not on the order: told by the process whose journal it is. */
export interface JournalFacts {
  /** As it goes over the wire. */
  clientOrderId(id: OrderId): string;
  /** Asked for once an order, when it is journalled: its request is to be signed with exactly this time. */
  stamp(order: Order): SendStamp;
  /** On what the verdict on an order rests. */
  verdictInputs(order: Order): RecordFacts;
  /** What an approved order holds of the account until it is over. */
  riskReserve(order: Order): string;
  /** Why the order was made, in a word. */
  reason(order: Order): string;
  /** As the exchange says it: its numbers may exceed what a fill holds. */
  tradeId(fill: Fill): string;
  /** Digest of what was read; null where nobody keeps it. */
  digest(seen: Evidence): string | null;
}

export class FileJournal implements Journal {
  readonly #file: JournalFile;
  readonly #facts: JournalFacts;
  /** Of orders that are not over, by number. */
  readonly #signMs = new Map<number, number>();

  constructor(file: JournalFile, facts: JournalFacts) {
    this.#file = file;
    this.#facts = facts;
  }

  get durableSeq(): number {
    return this.#file.durableSeq;
  }
  /** The newest number that was given out. */
  get lastSeq(): number {
    return this.#file.lastSeq;
  }
  /** Why nothing lasts any more (order-safety, W4); null while all is well. */
  get failure(): string | null {
    return this.#file.failure;
  }

  // --- What the order manager tells

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
  /** The request of an order of an earlier process was signed then. */
  signedBefore(id: OrderId, signMs: number): void {
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
  evidence(order: Order, seen: Evidence): number {
    const { channel, venueMs, complete, found } = seen;
    const digest = this.#facts.digest(seen);
    return this.#file.append('EVID', { cid: this.#cid(order), channel, venueMs, complete, found, digest });
  }
  fill(order: Order, fill: Fill): number {
    const ids = { cid: this.#cid(order), tradeId: this.#facts.tradeId(fill), orderId: String(order.venueId ?? '') };
    return this.#file.append('FILL', { ...ids, ...executionOf(order, fill) });
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

  // --- What the live process tells

  /** At its start, and when it changes. */
  config(body: RecordBody<'CONFIG'>): number {
    return this.#file.append('CONFIG', body);
  }
  /** A fill of no order that we know. */
  unattributedFill(body: Omit<RecordBody<'FILL'>, 'cid' | 'filled' | 'last'>): number {
    return this.#file.append('FILL', { ...body, cid: null, filled: body.qty, last: false });
  }
  /** Funding of a position: units of money received. */
  funded(instrument: Instrument, isLong: boolean, units: number, paidMs: number): number {
    return this.#file.append('FUNDED', { symbol: instrument.id, long: isLong, amount: recordMoneyText(instrument, units), paidMs });
  }
  /** After the records of what lies before it. */
  cursor(body: RecordBody<'CURSOR'>): number {
    return this.#file.append('CURSOR', body);
  }
  setting(body: RecordBody<'SETTING'>): number {
    return this.#file.append('SETTING', body);
  }
  /** Before `onBar` is called with what it says. */
  instant(body: RecordBody<'INSTANT'>): number {
    return this.#file.append('INSTANT', body);
  }
  /** Before a strategy can see them. */
  rates(body: RecordBody<'RATES'>): number {
    return this.#file.append('RATES', body);
  }
  human(body: RecordBody<'HUMAN'>): number {
    return this.#file.append('HUMAN', body);
  }
  /** After the decision of a person to adopt it: nothing was sent from here, so that no SEND follows. */
  adopted(order: Order): number {
    return this.#intent(order);
  }
  /** At the end of an instant, where it has changed. */
  kept(body: RecordBody<'KEPT'>): number {
    return this.#file.append('KEPT', body);
  }
  /** Before the strategies hear of it. */
  stop(body: RecordBody<'STOP'>): number {
    return this.#file.append('STOP', body);
  }
  halt(body: RecordBody<'HALT'>): number {
    return this.#file.append('HALT', body);
  }
  resume(body: RecordBody<'RESUME'>): number {
    return this.#file.append('RESUME', body);
  }

  /** `done` is called once all of it lasts, or never will: then `failure` says why. Nothing may be journalled afterwards. */
  close(done: () => void): void {
    this.#file.close(done);
  }

  #intent(order: Order): number {
    const facts = this.#facts;
    const text = { cid: this.#cid(order), reason: facts.reason(order), riskReserve: facts.riskReserve(order) };
    return this.#file.append('INTENT', intentOf(order, text));
  }
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
