// The bot's belief of its orders: pooled records, one send each, changed only by the table of lifecycle.ts.

import { InvariantError } from '../base/errors.ts';
import type { Lots, TimeMs, Units } from '../base/brand.ts';
import type { Scratch } from '../base/rowLog.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { ApprovedOrder, DoneReason, OrderId, Side, VenueOrderId } from '../model/order.ts';
import type { OrderColumns } from '../model/run.ts';
import type { Evidence, ExchangePort } from '../ports/exchange.ts';
import type { Journal } from '../ports/journal.ts';
import * as lifecycle from './lifecycle.ts';
import { OrderLog } from './log.ts';
import { OrderRecord } from './record.ts';
import type { Reservations } from './reservation.ts';
import { reconcile, type Fence, type Finding } from './resolver.ts';

// V8 folds a constant of this file, and reads an imported one from its cell at each use.
const { EVENT, EVENT_COUNT, NEXT_STATE, STATE } = lifecycle;

export class OrderManager {
  readonly #exchange: ExchangePort;
  readonly #journal: Journal;
  readonly #reservations: Reservations;
  readonly #log: OrderLog;
  /** Head of the pool: records that no order uses. */
  #spare: OrderRecord | null = null;
  /** Unfinished orders, oldest first. Finished ones are never walked. */
  readonly #active: OrderRecord[] = [];
  /** Orders that were proved to have had no effect: kept for ever, for an order may land late. */
  readonly #tombstones = new Map<number, OrderRecord>();
  /** What was read so far about each order whose outcome is unknown. */
  readonly #evidence = new Map<number, Evidence[]>();
  readonly #fence: Fence;
  #count = 0;
  #impossible = 0;

  constructor(exchange: ExchangePort, journal: Journal, reservations: Reservations, fence: Fence, scratch: Scratch) {
    this.#log = new OrderLog(scratch);
    this.#exchange = exchange;
    this.#fence = fence;
    this.#journal = journal;
    this.#reservations = reservations;
  }

  /** Orders drafted so far, refused ones included. */
  get count(): number {
    return this.#count;
  }
  /** (lifecycle, event) pairs that cannot happen: journalled, never acted on. */
  get impossibleEvents(): number {
    return this.#impossible;
  }
  active(): readonly OrderRecord[] {
    return this.#active;
  }
  get(id: OrderId): OrderRecord | undefined {
    const active = this.#active;
    for (let at = active.length - 1; at >= 0; at--) if (active[at]!.id === id) return active[at];
    return this.#tombstones.size > 0 ? this.#tombstones.get(id) : undefined;
  }

  /** A pooled record with the next id, for the engine to say what is wanted. */
  draft(strategy: number, instrument: Instrument, instrumentIndex: number, side: Side, nowMs: number): OrderRecord {
    const order = this.#spare ?? new OrderRecord();
    this.#spare = order.nextSpare;
    order.begin(++this.#count, strategy, instrument, instrumentIndex, side, nowMs);
    return order;
  }

  /**
   * Why a draft may not go on, or null. Also makes its fingerprint unique (order-safety, section 6): while another order of the
   * symbol looks the same, one lot less is sent, so that a lost answer can be told apart.
   */
  obstacle(order: OrderRecord): string | null {
    const active = this.#active;
    for (let at = 0; at < active.length; at++) {
      const other = active[at]!;
      if (other.instrumentIndex !== order.instrumentIndex) continue;
      if (other.side === order.side && other.state === STATE.unknown) return 'SIDE_UNKNOWN';
      if (order.parent === 0 && other.parent === 0 && other.strategy === order.strategy && other.slot === order.slot) return 'SLOT_BUSY';
    }
    if (active.length === 0 && this.#tombstones.size === 0) return null;
    return this.#makeUnique(order) ? null : 'FP_NOT_UNIQUE';
  }

  /** Ends a draft that may not be sent. `code` is the stable code of the refusal. */
  deny(order: OrderRecord, code: string): void {
    order.code = code;
    this.#journal.denied(order, code);
    this.#step(order, EVENT.denied);
    order.reason = 'denied';
    order.confirmed = true;
    this.#log.write(order, order.createdMs);
    this.#pool(order);
  }

  /** Sends an approved order, once. Its reservation was made by risk in the same call as the approval. */
  submit(order: OrderRecord & ApprovedOrder): void {
    if (order.state !== STATE.draft) throw new InvariantError(`order ${order.id} is sent a second time`);
    this.#active[this.#active.length] = order;
    const seq = this.#journal.submitted(order);
    this.#step(order, EVENT.sent);
    this.#exchange.submit(order, seq);
  }

  /** An order that the exchange has made itself, and that stands there already: the end of a position without margin. Its fill follows. */
  forced(strategy: number, instrument: Instrument, instrumentIndex: number, side: Side, lots: number, nowMs: number): OrderRecord {
    const order = this.draft(strategy, instrument, instrumentIndex, side, nowMs);
    order.role = 'liquidation';
    order.slot = 'liquidation';
    order.reduceOnly = true;
    order.lots = lots as Lots;
    this.#active.push(order);
    this.#step(order, EVENT.sent);
    this.#step(order, EVENT.placed);
    order.arrivedMs = nowMs;
    this.#journal.ack(order);
    return order;
  }

  /** Asks for a cancel; one that cannot go out yet goes out with the acknowledgement. */
  cancel(order: OrderRecord, nowMs: number): void {
    if (order.state === STATE.done || order.state === STATE.cancelSent) return;
    if (order.state !== STATE.working) {
      order.cancelWanted = true;
      return;
    }
    this.#step(order, EVENT.cancelWanted);
    order.changedMs = nowMs as TimeMs;
    this.#exchange.cancel(order);
  }

  acked(order: OrderRecord, venueId: VenueOrderId, nowMs: number): void {
    if (order.venueId === null) order.venueId = venueId;
    if (!(order.arrivedMs <= nowMs)) order.arrivedMs = nowMs;
    if (!this.#step(order, EVENT.acked)) return;
    this.#journal.ack(order);
    if (order.cancelWanted) this.cancel(order, nowMs);
  }

  refused(order: OrderRecord, code: string, nowMs: number): void {
    order.code = code;
    if (!this.#step(order, EVENT.refused)) return;
    this.#journal.refused(order, code);
    if (order.state === STATE.done) this.#finish(order, 'refused', nowMs);
  }

  notSent(order: OrderRecord, cause: string, nowMs: number): void {
    order.code = 'NOT_SENT';
    if (!this.#step(order, EVENT.notSent)) return;
    this.#journal.refused(order, cause);
    this.#finish(order, 'notSent', nowMs);
  }

  outcomeUnknown(order: OrderRecord, nowMs: number): void {
    if (!this.#step(order, EVENT.outcomeUnknown)) return;
    order.wasUnknown = true;
    order.changedMs = nowMs as TimeMs;
    this.#journal.state(order);
  }

  /** Adds a read to what is known about an order whose outcome is unknown, and says what follows. */
  weigh(order: OrderRecord, seen: Evidence): Finding {
    this.#journal.evidence(order, seen);
    const all = this.#evidence.get(order.id) ?? [];
    all.push(seen);
    this.#evidence.set(order.id, all);
    const finding = reconcile(order.createdMs, all, this.#fence);
    if (finding.kind === 'placed' || finding.kind === 'noEffect') this.#evidence.delete(order.id);
    return finding;
  }

  /** Evidence placed an order whose answer was lost. */
  placed(order: OrderRecord, nowMs: number): void {
    if (!this.#step(order, EVENT.placed)) return;
    if (!(order.arrivedMs <= nowMs)) order.arrivedMs = nowMs;
    this.#journal.ack(order);
    if (order.cancelWanted) this.cancel(order, nowMs);
  }

  /** Evidence proved that an order never had an effect. Its full quantity stays reserved for a while: it may still land. */
  noEffect(order: OrderRecord, nowMs: number): void {
    if (!this.#step(order, EVENT.noEffect)) return;
    this.#journal.tomb(order);
    this.#tombstones.set(order.id, order);
    this.#reservations.entomb(order, nowMs);
    this.#finish(order, 'noEffect', nowMs);
  }

  /** Books an execution into the belief. Returns false for a fill that no live order can have had. */
  filled(order: OrderRecord, fill: Fill): void {
    if (order.state === STATE.sent || order.state === STATE.unknown) this.placed(order, fill.timeMs); // a fill is proof of placement
    else if (order.state === STATE.done) this.#lateLanded(order);
    order.filledLots = (order.filledLots + fill.lots) as Lots;
    order.filledUnits = (order.filledUnits + fill.notional) as Units;
    if (order.lots > 0 && order.filledLots > order.lots) throw new InvariantError(`order ${order.id} filled ${order.filledLots} lots of ${order.lots}`);
    this.#reservations.fill(order, fill.lots, fill.notional);
    this.#journal.fill(order, fill);
    if (order.lots === 0 || order.filledLots !== order.lots) return;
    if (this.#step(order, EVENT.filled)) this.#finish(order, 'filled', fill.timeMs);
  }

  /** A terminal status from the venue; in a replay it is its own confirmation. */
  ended(order: OrderRecord, how: 'filled' | 'canceled' | 'rejected' | 'expired', nowMs: number): void {
    if (!this.#step(order, EVENT[how])) return;
    this.#journal.state(order);
    this.#finish(order, how, nowMs);
  }

  /** The columns of all orders, those still open included. */
  columns(nowMs: number): OrderColumns {
    for (const order of this.#active) this.#log.write(order, nowMs);
    return this.#log.columns(this.#count);
  }

  /** Gives the memory of the log back; call it when the columns are not needed any more. */
  release(): void {
    this.#log.release();
  }

  #finish(order: OrderRecord, reason: DoneReason, nowMs: number): void {
    order.reason = reason;
    order.confirmed = true;
    order.changedMs = nowMs as TimeMs;
    const active = this.#active;
    if (active[active.length - 1] === order) active.pop();
    else this.#takeOut(order);
    this.#log.write(order, nowMs);
    if (reason === 'noEffect') return;
    this.#reservations.release(order);
    this.#pool(order);
  }

  #takeOut(order: OrderRecord): void {
    const at = this.#active.indexOf(order);
    if (at >= 0) this.#active.splice(at, 1);
  }
  #pool(order: OrderRecord): void {
    order.nextSpare = this.#spare;
    this.#spare = order;
  }

  /** An order that was proved without effect has landed after all: it lives again and is cancelled. */
  #lateLanded(order: OrderRecord): void {
    if (!this.#step(order, EVENT.lateLanded)) return;
    order.reason = null;
    order.confirmed = false;
    this.#tombstones.delete(order.id);
    this.#active.push(order);
    this.#reservations.rise(order);
    this.#exchange.cancel(order);
  }

  #step(order: OrderRecord, event: number): boolean {
    const to = NEXT_STATE[order.state * EVENT_COUNT + event]!;
    if (to < 0) {
      this.#impossible++;
      this.#journal.state(order);
      return false;
    }
    order.state = to;
    return true;
  }

  #makeUnique(order: OrderRecord): boolean {
    if (!this.#looksTaken(order)) return true;
    // By amount there is no lot to take away; a smaller amount is as good a mark.
    const [step, least] = order.lots > 0 ? [1, order.instrument.minLots] : [1, 1];
    for (let tries = 0; tries < 16; tries++) {
      if (order.lots > 0) order.lots = (order.lots - step) as Lots;
      else order.quoteUnits = (order.quoteUnits - step) as Units;
      if ((order.lots > 0 ? order.lots : order.quoteUnits) < least) return false;
      if (!this.#looksTaken(order)) return true;
    }
    return false;
  }

  #looksTaken(order: OrderRecord): boolean {
    const active = this.#active;
    for (let at = 0; at < active.length; at++) if (looksLike(active[at]!, order)) return true;
    for (const tomb of this.#tombstones.values()) if (looksLike(tomb, order)) return true;
    return false;
  }
}

function looksLike(a: OrderRecord, b: OrderRecord): boolean {
  return (
    a.instrumentIndex === b.instrumentIndex &&
    a.side === b.side &&
    a.limit === b.limit &&
    a.lots === b.lots &&
    a.quoteUnits === b.quoteUnits
  );
}
