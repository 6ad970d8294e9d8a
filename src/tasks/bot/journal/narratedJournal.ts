// Wraps the journal: it also logs each decision as a plain sentence, for the operator.

import type { Ticks } from '../../../base/brand.ts';
import { fromScaled } from '../../../base/number/decimal.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Order, OrderId } from '../../../model/order.ts';
import type { Evidence } from '../../../ports/exchange.ts';
import type { Journal, Waits } from '../../../ports/journal.ts';
import { orderText } from '../../../app/orderText.ts';

/** Codes of the exchange are numbers. Other codes say why an order was not sent. */
const VENUE_CODE = /^-?\d+$/;

/** Counts of orders since the start. */
export interface OrderCounts {
  sent: number;
  denied: number;
  refused: number;
  unknowns: number;
  /** Orders sent, by strategy. */
  readonly byStrategy: number[];
}

/** When and where sentences are logged. */
export interface NarrationOptions {
  /** Runs `run` once everything journalled by now is durable, and the orders that wait for that have been sent. */
  readonly afterSend: (run: () => void) => void;
  /** `code`: of a denial by risk or a refusal by the exchange. */
  readonly onDecision: (strategyIndex: number, message: string, code: string | null) => void;
  /** Returns why the last order was denied with this code, with figures. */
  readonly denialText: (code: string) => string;
}

/** A journal that logs decisions and counts orders. */
export class NarratedJournal implements Journal {
  readonly counts: OrderCounts = { sent: 0, denied: 0, refused: 0, unknowns: 0, byStrategy: [] };
  readonly #journal: Journal;
  readonly #options: NarrationOptions;

  constructor(journal: Journal, options: NarrationOptions) {
    this.#journal = journal;
    this.#options = options;
  }

  get durableSeq(): number {
    return this.#journal.durableSeq;
  }
  denied(order: Order, code: string): number {
    this.counts.denied++;
    this.#narrate(order, `${orderText(order)}: denied: ${this.#options.denialText(code)}`, code);
    return this.#journal.denied(order, code);
  }
  drafted(order: Order, waits: Waits): number {
    this.#narrate(order, `${orderText(order)}: waits for ${awaitedText(order, waits.ahead)}`, null);
    return this.#journal.drafted(order, waits);
  }
  submitted(order: Order): number {
    this.counts.sent++;
    const { strategy } = order;
    this.counts.byStrategy[strategy] = (this.counts.byStrategy[strategy] ?? 0) + 1;
    // Build the text after sending, to save time before it: size and price of the order do not change any more.
    this.#options.afterSend(() => {
      const message = `${orderText(order)}${localStopText(order)}: sent`;
      this.#options.onDecision(strategy, message, null);
    });
    return this.#journal.submitted(order);
  }
  signMs(order: Order): number {
    return this.#journal.signMs(order);
  }
  ack(order: Order): number {
    return this.#journal.ack(order);
  }
  refused(order: Order, code: string): number {
    this.counts.refused++;
    const result = VENUE_CODE.test(code) ? 'refused by the exchange' : 'not sent';
    this.#narrate(order, `${orderText(order)}: ${result}`, code);
    return this.#journal.refused(order, code);
  }
  evidence(order: Order, evidence: Evidence): number {
    return this.#journal.evidence(order, evidence);
  }
  fill(order: Order, fill: Fill): number {
    return this.#journal.fill(order, fill);
  }
  state(order: Order): number {
    if (order.lifecycle === 'unknown') {
      this.counts.unknowns++;
      this.#narrate(order, `${orderText(order)}: outcome unknown: the reply was lost; checking the exchange`, 'UNKNOWN_OUTCOME');
    }
    if (order.lifecycle === 'done' && order.reason !== null) this.#narrate(order, `${orderText(order)}: ${order.reason}`, null);
    return this.#journal.state(order);
  }
  cancelSent(order: Order): number {
    this.#narrate(order, `${orderText(order)}: cancel sent`, null);
    return this.#journal.cancelSent(order);
  }
  provenAbsent(order: Order): number {
    this.#narrate(order, `${orderText(order)}: proven absent; it is still watched`, null);
    return this.#journal.provenAbsent(order);
  }
  stopMoved(id: OrderId, instrument: Instrument, stopTicks: number): number {
    return this.#journal.stopMoved(id, instrument, stopTicks);
  }

  /** Logs a sentence about an order, once the orders that wait for the disk have been sent. */
  #narrate({ strategy }: Order, message: string, code: string | null): void {
    this.#options.afterSend(() => this.#options.onDecision(strategy, message, code));
  }
}

/** Returns what an order waits for: a price, or the end of other orders. */
function awaitedText({ instrument, triggerTicks }: Order, ahead: readonly number[]): string {
  if (ahead.length > 0 || triggerTicks === undefined) return `the end of ${orderNames(ahead)}`;
  return `a price of ${fromScaled(triggerTicks, instrument.priceDigits)}`;
}
const orderNames = (ids: readonly number[]): string => `order${ids.length === 1 ? '' : 's'} ${ids.join(', ')}`;

/** Returns a clause for a contract order with a stop of the bot: unlike a trigger order, it does not wait at the exchange. Empty otherwise. */
function localStopText({ instrument, stopLoss = 0 as Ticks, trailing = 0 as Ticks }: Order): string {
  const isLocal = instrument.contract !== undefined && (stopLoss > 0 || trailing > 0);
  return isLocal ? '; the bot keeps its stop, the exchange does not know it' : '';
}
