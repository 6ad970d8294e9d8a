// Ports of an engine that first replays its journal. Until they are switched, nothing is sent or written.

import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ApprovedOrder, Order, OrderId } from '../../../model/order.ts';
import type { Channel, Evidence, OrderGateway } from '../../../ports/exchange.ts';
import type { Journal, Waits } from '../../../ports/journal.ts';

/** Sends nothing: the journal contains the results of orders. */
export const SILENT: OrderGateway = {
  supportsTriggerOrders: true,
  submit() {},
  cancel() {},
  read() {},
};

/** An exchange port that can be replaced. */
export class SwitchedExchange implements OrderGateway {
  readonly supportsTriggerOrders = true;
  port: OrderGateway = SILENT;

  submit(order: ApprovedOrder, seq: number): void {
    this.port.submit(order, seq);
  }
  cancel(order: Order): void {
    this.port.cancel(order);
  }
  read(order: Order, channel: Channel): void {
    this.port.read(order, channel);
  }
  orderEnded(order: Order): void {
    this.port.orderEnded?.(order);
  }
}

/** A journal that can be replaced. */
export class SwitchedJournal implements Journal {
  port: Journal;

  constructor(port: Journal) {
    this.port = port;
  }
  get durableSeq(): number {
    return this.port.durableSeq;
  }
  denied(order: Order, code: string): number {
    return this.port.denied(order, code);
  }
  drafted(order: Order, waits: Waits): number {
    return this.port.drafted(order, waits);
  }
  submitted(order: Order): number {
    return this.port.submitted(order);
  }
  signMs(order: Order): number {
    return this.port.signMs(order);
  }
  ack(order: Order): number {
    return this.port.ack(order);
  }
  refused(order: Order, code: string): number {
    return this.port.refused(order, code);
  }
  evidence(order: Order, evidence: Evidence): number {
    return this.port.evidence(order, evidence);
  }
  fill(order: Order, fill: Fill): number {
    return this.port.fill(order, fill);
  }
  state(order: Order): number {
    return this.port.state(order);
  }
  cancelSent(order: Order): number {
    return this.port.cancelSent(order);
  }
  provenAbsent(order: Order): number {
    return this.port.provenAbsent(order);
  }
  stopMoved(id: OrderId, instrument: Instrument, stop: number): number {
    return this.port.stopMoved(id, instrument, stop);
  }
}
