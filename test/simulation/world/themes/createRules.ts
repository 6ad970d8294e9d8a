// Checks each create request as it leaves against what the bot believes of its other orders (docs/order-safety.md, how an unknown outcome is decided).

import { orderIdIn } from '../../../../src/protocol/clientOrderId.ts';
import type { BotProcess } from '../botProcess.ts';
import type { Report } from '../observer.ts';

/** Checks creates of one day. */
export class CreateRules {
  /** Order numbers of the creates that have left. */
  readonly #left = new Set<number>();
  /** Since when the bot has known that an outcome is unknown, ms of its clock, by order. */
  readonly #unknownSinceMs = new Map<number, number>();
  #process: BotProcess | null = null;

  /** Takes note of the orders of unknown outcome. */
  note(process: BotProcess): void {
    if (process !== this.#process) this.#unknownSinceMs.clear();
    this.#process = process;
    for (const { id, lifecycle } of process.opened?.bot.deps.engine.orders.active() ?? [])
      if (lifecycle === 'unknown' && !this.#unknownSinceMs.has(id)) this.#unknownSinceMs.set(id, process.nowMs);
  }

  /** Checks a create request that leaves now. `clientOrderId`: that of its order. The engine does not have the slices of a kill. */
  check(process: BotProcess | null, clientOrderId: string, report: Report): void {
    const prefix = process?.idPrefix ?? null;
    const engine = process?.opened?.bot.deps.engine;
    const id = prefix === null ? null : orderIdIn(prefix, clientOrderId);
    const order = id === null ? undefined : engine?.orders.get(id);
    if (engine === undefined || order === undefined) return;
    const isOpening = order.side === 'buy';
    for (const other of engine.orders.active()) {
      if (other.id === order.id || other.instrumentIndex !== order.instrumentIndex) continue;
      const isUnknown = other.lifecycle === 'unknown';
      if (isUnknown && other.side === order.side) report('SIDE', `order ${order.id} leaves while order ${other.id} of its side is unknown`);
      // An order that was accepted before may still leave.
      const wasUnknown = isUnknown && order.createdMs > (this.#unknownSinceMs.get(other.id) ?? Infinity);
      if (wasUnknown && isOpening) report('FROZEN', `order ${order.id} opens while order ${other.id} of its symbol is unknown`);
      if (isUnknown && order.slot !== '' && other.slot === order.slot && other.strategy === order.strategy)
        report('SLOT', `order ${order.id} leaves while order ${other.id} of its decision is unknown`);
      if (other.lifecycle === 'sent' && other.side === order.side && this.#left.has(other.id))
        report('WIRE', `order ${order.id} leaves while order ${other.id} of its side is on its way`);
    }
    this.#left.add(order.id);
  }
}
