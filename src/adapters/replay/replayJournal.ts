// The journal of a replay: writes nothing, hashes all records, and treats every record as durable at once.

import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Order, OrderId } from '../../model/order.ts';
import type { Evidence } from '../../ports/exchange.ts';
import type { Journal, Waits } from '../../ports/journal.ts';

/** Factors of the hash. */
const PRIME = 16_777_619;
const MIX = 0x85eb_ca6b | 0;
/** The kinds of records, as the hash includes them. */
const DENIED = 1;
const SUBMITTED = 2;
const DRAFTED = 3;
const ACKED = 4;
const REFUSED = 5;
const EVIDENCE = 6;
const FILL = 7;
const STATE = 8;
const PROVEN_ABSENT = 9;
const STOP_MOVED = 10;
/** Sequence number of every record. Nothing waits for a record to be durable, so records need no own numbers. */
const SEQ = 0;

/** A journal without storage. Its hash shows whether two runs made the same records. */
export class ReplayJournal implements Journal {
  private hashBits = 2_166_136_261 | 0;

  get durableSeq(): number {
    return SEQ;
  }
  /** Hash of all records, 8 hex digits. Equal runs have equal hashes. */
  get hash(): string {
    return (this.hashBits >>> 0).toString(16).padStart(8, '0');
  }

  denied(order: Order, code: string): number {
    return this.record(DENIED, order.id, code.length);
  }
  drafted(order: Order, { ahead }: Waits): number {
    return this.record(DRAFTED, order.id, ahead.length);
  }
  submitted(order: Order): number {
    return this.record(SUBMITTED, order.id, order.lots + order.quoteUnits + order.createdMs * 31);
  }
  ack(order: Order): number {
    return this.record(ACKED, order.id, 0);
  }
  refused(order: Order, code: string): number {
    return this.record(REFUSED, order.id, code.length);
  }
  evidence(order: Order, evidence: Evidence): number {
    return this.record(EVIDENCE, order.id, evidence.venueMs);
  }
  fill(order: Order, { tradeId, price, lots, fee }: Fill): number {
    // The odd factor distinguishes values with equal sums.
    return this.record(FILL, order.id, ((price * 31 + lots) * 31 + fee) * 31 + tradeId);
  }
  state(order: Order): number {
    return this.record(STATE, order.id, order.filledLots);
  }
  signMs({ createdMs }: Order): number {
    return createdMs;
  }
  cancelSent(): number {
    return SEQ;
  }
  provenAbsent(order: Order): number {
    return this.record(PROVEN_ABSENT, order.id, 0);
  }
  stopMoved(id: OrderId, _: Instrument, stop: number): number {
    return this.record(STOP_MOVED, id, stop);
  }

  private record(kind: number, id: number, value: number): number {
    // One mixing step for each record, of the low 32 bits: an added, removed, moved or changed record changes all later hashes.
    this.hashBits = Math.imul(this.hashBits ^ Math.imul(id, MIX) ^ (kind << 28) ^ value, PRIME);
    return SEQ;
  }
}
