// The journal of a replay: keeps what the engine decides, in words that the recorded decision has too.

import { draftOf, qtyText, sizesOf } from '../../../adapters/journal/orderText.ts';
import type { Body, JournalRecord } from '../../../adapters/journal/records.ts';
import type { Order, OrderId } from '../../../model/order.ts';
import type { Journal, Waits } from '../../../ports/journal.ts';

export class MadeJournal implements Journal {
  /** Decisions that were made and not held against the record yet. */
  readonly made: string[] = [];
  readonly durableSeq = 0;
  readonly #cidOf: (id: OrderId) => string;

  constructor(cidOf: (id: OrderId) => string) {
    this.#cidOf = cidOf;
  }

  denied(order: Order, code: string): number {
    this.made.push(`verdict on ${this.#cidOf(order.id)}: ${code}`);
    return 0;
  }
  drafted(order: Order, waits: Waits): number {
    this.made.push(draftText(this.#cidOf(order.id), draftOf(order, waits)));
    return 0;
  }
  submitted(order: Order): number {
    this.made.push(`verdict on ${this.#cidOf(order.id)}: approved`);
    const { fp } = sizesOf(order);
    this.made.push(
      intentText({
        cid: this.#cidOf(order.id),
        strategy: order.strategy,
        fp,
        role: order.role,
        reduceOnly: order.reduceOnly,
        createdMs: order.createdMs,
      }),
    );
    return 0;
  }
  signMs(order: Order): number {
    return order.createdMs;
  }
  cancelSent(order: Order): number {
    this.made.push(cancelText(this.#cidOf(order.id), qtyText(order, order.filledLots)));
    return 0;
  }
  ack(): number {
    return 0;
  }
  refused(): number {
    return 0;
  }
  evidence(): number {
    return 0;
  }
  fill(): number {
    return 0;
  }
  state(): number {
    return 0;
  }
  tomb(): number {
    return 0;
  }
}

/** What a record decides, in the same words; null: it decides nothing. */
export function decisionIn(record: JournalRecord): string | null {
  if (record.k === 'VERDICT') return `verdict on ${record.cid}: ${record.code ?? 'approved'}`;
  if (record.k === 'INTENT') return intentText(record);
  if (record.k === 'DRAFT') return draftText(record.cid, record);
  return record.k === 'STATE' && record.lifecycle === 'cancelSent' ? cancelText(record.cid, record.filled) : null;
}

interface Intended {
  readonly cid: string;
  readonly strategy: number;
  readonly fp: string;
  readonly role: string;
  readonly reduceOnly: boolean;
  readonly createdMs: number;
}

const intentText = ({ cid, strategy, fp, role, reduceOnly, createdMs }: Intended): string =>
  `order ${cid} of strategy ${strategy}: ${fp} ${role}${reduceOnly ? ' reducing' : ''} at ${createdMs}`;
const cancelText = (cid: string, filled: string): string => `cancel of ${cid}, ${filled} filled`;
const draftText = (cid: string, { side, qty, amount, price, slot, ahead }: Omit<Body<'DRAFT'>, 'cid'>): string =>
  `draft ${cid}: ${side} ${qty ?? amount} at ${price ?? 'the market'}, ${slot}, after ${ahead.join(', ')}`;
