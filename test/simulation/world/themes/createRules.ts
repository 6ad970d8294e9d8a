// Checks each create request as it leaves against what the bot knows of its other orders (docs/order-safety.md, how an unknown outcome is
// decided).

import { orderIdIn } from '../../../../src/protocol/clientOrderId.ts';
import type { BotProcess } from '../botProcess.ts';
import type { ReportViolation } from '../observer.ts';

/**
 * Checks the creates of one day. Its violations, each about an order that leaves while another order of its symbol is open or in doubt:
 * - `SIDE`: the other order is on its side and of unknown outcome. This is a violation already when the bot accepts the order for sending.
 * - `INSTRUMENT`: the order opens, and was decided after the other one had become unknown.
 * - `SLOT`: the other order is of the same decision and of unknown outcome.
 * - `WIRE`: the other order is on its side, and its own create request has no reply yet.
 * - `ALIKE`: the other order is open and has the same side, limit and quantity, so that a list without client order ids could not distinguish them.
 */
export class CreateRules {
  /** Numbers of the orders whose create request has been sent. */
  readonly #sentOrderNumbers = new Set<number>();
  /** Since when the bot has known that an outcome is unknown, ms UTC by what it knows of the exchange's clock, by order. */
  readonly #unknownSinceMs = new Map<number, number>();
  #process: BotProcess | null = null;

  /** Notes the orders of unknown outcome, and checks the orders that wait to be sent. */
  note(process: BotProcess, report: ReportViolation): void {
    if (process !== this.#process) this.#unknownSinceMs.clear();
    this.#process = process;
    if (process.opened === null) return;
    const { engine, venueMs } = process.opened.bot.deps;
    const active = engine.orders.active();
    for (const { id, lifecycle } of active)
      if (lifecycle === 'unknown' && !this.#unknownSinceMs.has(id)) this.#unknownSinceMs.set(id, venueMs());
    for (const waiting of active) {
      if (waiting.lifecycle !== 'sent' || this.#sentOrderNumbers.has(waiting.id)) continue;
      for (const other of active) {
        const isOfSide = other.instrumentIndex === waiting.instrumentIndex && other.side === waiting.side;
        // An order that was accepted before the other one became unknown is denied only in its turn.
        if (isOfSide && waiting.createdMs > (this.#unknownSinceMs.get(other.id) ?? Infinity) && other.lifecycle === 'unknown')
          report('SIDE', `order ${waiting.id} is accepted while order ${other.id} of its side is unknown`);
      }
    }
  }

  /** Checks a create request that leaves now. Slices of a kill are not checked, because the engine does not have them. */
  check(process: BotProcess | null, clientOrderId: string, report: ReportViolation): void {
    const prefix = process?.idPrefix ?? null;
    const engine = process?.opened?.bot.deps.engine;
    const id = prefix === null ? null : orderIdIn(prefix, clientOrderId);
    const order = id === null ? undefined : engine?.orders.get(id);
    if (engine === undefined || order === undefined) return;
    // On spot, only a buy opens.
    const isOpening = order.side === 'buy';
    for (const other of engine.orders.active()) {
      if (other.id === order.id || other.instrumentIndex !== order.instrumentIndex) continue;
      const isUnknown = other.lifecycle === 'unknown';
      if (isUnknown && other.side === order.side) report('SIDE', `order ${order.id} leaves while order ${other.id} of its side is unknown`);
      // Risk may have approved the order before the other one became unknown. Then it may still be sent.
      const wasUnknown = isUnknown && order.createdMs > (this.#unknownSinceMs.get(other.id) ?? Infinity);
      if (wasUnknown && isOpening) report('INSTRUMENT', `order ${order.id} opens while order ${other.id} of its symbol is unknown`);
      if (isUnknown && order.slot !== '' && other.slot === order.slot && other.strategy === order.strategy)
        report('SLOT', `order ${order.id} leaves while order ${other.id} of its decision is unknown`);
      if (order.limit > 0 && other.side === order.side && other.limit === order.limit && other.lots === order.lots)
        report('ALIKE', `order ${order.id} leaves and has the terms of order ${other.id}, which is open`);
      if (other.lifecycle === 'sent' && other.side === order.side && this.#sentOrderNumbers.has(other.id))
        report('WIRE', `order ${order.id} leaves while order ${other.id} of its side is on its way`);
    }
    this.#sentOrderNumbers.add(order.id);
  }
}
