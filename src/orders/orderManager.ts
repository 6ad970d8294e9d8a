// The order manager: sends each order once, and keeps what the bot knows about it. Only the table of lifecycle.ts changes an order's state.

import { InvariantError } from '../base/errors.ts';
import type { Lots, TimeMs, Units } from '../base/brand.ts';
import type { Scratch } from '../base/memory/rowLog.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { ApprovedOrder, DoneReason, OrderId, Side, VenueOrderId } from '../model/order.ts';
import type { OrderColumns } from '../model/run/run.ts';
import type { Evidence, OrderGateway } from '../ports/exchange.ts';
import type { Journal } from '../ports/journal.ts';
import { conflictOf } from './conflicts.ts';
import { Drafts, type WaitingDraft } from './drafts.ts';
import * as guarded from './prove/guards.ts';
import * as lifecycle from './lifecycle.ts';
import { OrderLog } from './orderLog.ts';
import { EndedOrders, OpenOrders } from './openOrders.ts';
import { BotOrder } from './botOrder.ts';
import { ABSENT_HOLD_MS, type Reservations } from './reserve/reservation.ts';
import { NEVER_LEFT, restoreBotOrder, type RestoredOrders } from './restoreBotOrder.ts';
import { AmendedTriggers } from './stops/amendedTriggers.ts';
import { Resolutions } from './prove/resolutions.ts';
import type { AbsenceBounds, Resolution, ResolutionStep } from './prove/resolver.ts';

// hot: docs/performance.md#imported-constants
const { proofGuards } = guarded;
const { EVENT, EVENT_BITS, NEXT_STATE, STATE } = lifecycle;

/** Stable codes of fills that should not have happened. */
export type FillAnomaly = 'LATE_LANDING' | 'FILL_AFTER_END' | 'OVERFILLED';

/** Sends orders, applies what the exchange reports about them, and writes every decision to the journal. */
export class OrderManager {
  private readonly exchange: OrderGateway;
  readonly journal: Journal;
  private readonly reservations: Reservations;
  private readonly orderLog: OrderLog;
  /** The record of the newest order if that has ended. The next order reuses it, so the pool is rarely needed. */
  private current = new BotOrder();
  /** Head of the pool of other free records. */
  private freeList: BotOrder | null = null;
  /** Unfinished orders. Finished ones are never visited. */
  private readonly open = new OpenOrders();
  readonly amended: AmendedTriggers<BotOrder>;
  private readonly provenAbsentById = new Map<number, BotOrder>();
  /** Orders that are proven absent. Each may still arrive late, at any time. */
  readonly provenAbsent: ReadonlyMap<number, BotOrder> = this.provenAbsentById;
  /** What is known about each order whose outcome is unknown. */
  private readonly resolutions: Resolutions;
  /** Live: the newest ended orders, about which the exchange may still report. A replay keeps none and reuses their records. */
  private readonly endedOrders: EndedOrders;
  private readonly maxEndedOrders: number;
  private lastId = 0;
  /** Number of orders before those of this process. */
  private base = 0;
  private impossibleCount = 0;

  constructor(exchange: OrderGateway, journal: Journal, reservations: Reservations, bounds: AbsenceBounds, scratch: Scratch | null) {
    this.maxEndedOrders = bounds.maxEndedOrders;
    this.endedOrders = new EndedOrders(bounds);
    this.orderLog = new OrderLog(scratch);
    this.exchange = exchange;
    this.journal = journal;
    this.resolutions = new Resolutions(journal, bounds);
    this.reservations = reservations;
    this.amended = new AmendedTriggers<BotOrder>(this.open, reservations, (oldOrder, nowMs) => this.cancel(oldOrder, nowMs));
  }

  /** Number of orders drafted, including denied ones. */
  get count(): number {
    return this.lastId;
  }
  /** Number of impossible pairs of lifecycle and event. Each is journalled and never acted on. */
  get impossibleEvents(): number {
    return this.impossibleCount;
  }
  /** Returns the unfinished orders, oldest first. */
  active(): readonly BotOrder[] {
    return this.open.all();
  }
  /** Returns the order with this id: unfinished, proven absent, recently ended, or waiting as a draft. */
  get(id: OrderId): BotOrder | undefined {
    return this.open.find(id) ?? this.findOther(id);
  }
  private findOther(id: OrderId): BotOrder | undefined {
    if (this.provenAbsentById.size === 0 && this.maxEndedOrders === 0) return this.drafts.find(id);
    return this.provenAbsentById.get(id) ?? this.endedOrders.get(id) ?? this.drafts.find(id);
  }
  /** Orders that wait to be sent. They are not among the active ones. */
  readonly drafts = new Drafts();

  /** Returns a pooled record with the next id, into which the engine writes the order intent. */
  draft(strategyIndex: number, instrument: Instrument, instrumentIndex: number, side: Side, nowMs: number): BotOrder {
    const order = this.current;
    if (order.isFree === false) {
      // hot: docs/performance.md#early-return
      this.current = this.freeList ?? new BotOrder();
      this.freeList = this.current.nextFree;
      return this.draft(strategyIndex, instrument, instrumentIndex, side, nowMs);
    }
    order.begin(++this.lastId, strategyIndex, instrument, instrumentIndex, side, nowMs);
    return order;
  }

  /** Returns why a draft cannot be sent now, or null. Also makes its fingerprint unique: see `conflictOf`. */
  precheck(order: BotOrder, lastTicks: number): string | null {
    if (this.drafts.watched > 0 && this.drafts.isSlotWatched(order)) return 'SLOT_BUSY';
    if (this.open.isEmpty && this.provenAbsentById.size === 0) return null;
    return conflictOf(order, this.open.all(), this.provenAbsentById, lastTicks);
  }

  /** Ends a draft that may not be sent. `code` is the stable deny code. */
  deny(order: BotOrder, code: string): void {
    order.code = code;
    this.journal.denied(order, code);
    this.step(order, EVENT.denied);
    this.endDraft(order, 'denied');
  }
  /** Makes an order wait as a draft until others have ended. */
  wait(draft: WaitingDraft): void {
    this.drafts.add(draft);
    this.journal.drafted(draft.order, draft);
  }
  /** Ends a draft that its strategy no longer wants. */
  withdraw(order: BotOrder, nowMs: number): void {
    order.changedMs = nowMs as TimeMs;
    this.step(order, EVENT.canceled);
    this.endDraft(order, 'canceled');
    this.journal.state(order);
  }
  private endDraft(order: BotOrder, reason: DoneReason): void {
    order.reason = reason;
    order.confirmed = true;
    if (order.amends > 0) this.amended.reinstateOld(order);
    this.orderLog.write(order, reason);
    this.returnToPool(order);
  }

  /** Sends an approved order, once. Risk made its reservation in the same call as the approval. */
  submit(order: BotOrder & ApprovedOrder): void {
    if (order.state !== STATE.draft) throw new InvariantError(`order ${order.id} is sent a second time`);
    this.open.add(order);
    const seq = this.journal.submitted(order);
    this.step(order, EVENT.sent);
    this.exchange.submit(order, seq);
  }

  /** Registers a draft that is already at the exchange and was not sent from here: an order of the exchange itself, or an adopted one. */
  registerExisting(order: BotOrder, nowMs: number): void {
    this.open.add(order);
    this.step(order, EVENT.sent);
    this.step(order, EVENT.placed);
    order.arrivedMs = nowMs;
    this.journal.ack(order);
  }

  /** Requests a cancel. If it cannot be sent yet, it is sent with the acknowledgement. */
  cancel(order: BotOrder, nowMs: number): void {
    if (order.amends > 0) this.amended.cancelOld(order, nowMs);
    if (order.state === STATE.done || order.state === STATE.cancelSent) return;
    if (order.state !== STATE.working) {
      order.wantsCancel = true;
      return;
    }
    this.step(order, EVENT.cancelWanted);
    order.changedMs = nowMs as TimeMs;
    this.journal.cancelSent(order);
    this.exchange.cancel(order);
  }

  /** Applies the acknowledgement of an order. */
  acked(order: BotOrder, venueId: VenueOrderId, nowMs: number): void {
    if (order.state > STATE.unknown) return this.applyLateAck(order, venueId, nowMs);
    if (order.venueId === null) order.venueId = venueId;
    if (!(order.arrivedMs <= nowMs)) order.arrivedMs = nowMs;
    if (!this.step(order, EVENT.acked)) return;
    if (order.wasUnknown) this.resolutions.delete(order);
    this.journal.ack(order);
    if (order.amends > 0) this.amended.cancelOld(order, nowMs);
    if (order.wantsCancel) this.cancel(order, nowMs);
  }

  /** Applies the refusal of a create request, with the code of the exchange. */
  refused(order: BotOrder, code: string, nowMs: number): void {
    order.code = code;
    // The order is already proven absent.
    if (order.state === STATE.done && order.reason === 'noEffect') return;
    if (!this.step(order, EVENT.refused)) return;
    this.journal.refused(order, code);
    if (order.state === STATE.done) this.finishAt(order, 'refused', nowMs);
  }

  /** Ends an order whose request has not left this process. */
  notSent(order: BotOrder, cause: string, nowMs: number): void {
    order.code = 'NOT_SENT';
    if (!this.step(order, EVENT.notSent)) return;
    this.journal.refused(order, cause);
    this.finishAt(order, 'notSent', nowMs);
  }
  /** Denies an order that was decided on before a restart and is now too late to be sent. */
  missed(order: BotOrder, nowMs: number): void {
    order.code = 'MISSED';
    this.journal.denied(order, order.code);
    if (this.step(order, EVENT.notSent)) this.finishAt(order, 'denied', nowMs);
  }

  /** Returns false if the outcome is already known. `isContested`: another order has the same id, so that only its end is known. */
  outcomeUnknown(order: BotOrder, nowMs: number, isContested = false): boolean {
    if (order.state > (isContested ? STATE.cancelSent : STATE.unknown)) return false;
    if (order.state === STATE.cancelSent) order.wantsCancel = true;
    if (!this.step(order, EVENT.outcomeUnknown)) return false;
    order.venueId = null;
    order.wasUnknown = true;
    order.changedMs = nowMs as TimeMs;
    this.journal.state(order);
    return true;
  }
  /** Returns what is known about an order whose outcome is unknown. */
  resolution(order: BotOrder): Resolution {
    return this.resolutions.of(order);
  }
  /** Adds a read to what is known about an order whose outcome is unknown, and returns the next step. `isBlocked`: see Resolution. */
  applyEvidence(order: BotOrder, evidence: Evidence, isBlocked: boolean): ResolutionStep {
    return this.resolutions.applyEvidence(order, evidence, isBlocked);
  }

  /** Applies the proof that an order with an unknown outcome was placed. */
  placed(order: BotOrder, venueId: VenueOrderId | null, nowMs: number): void {
    if (!this.step(order, EVENT.placed)) return;
    this.resolutions.delete(order);
    if (venueId !== null) order.venueId = venueId;
    if (!(order.arrivedMs <= nowMs)) order.arrivedMs = nowMs;
    this.journal.ack(order);
    if (order.amends > 0) this.amended.cancelOld(order, nowMs);
    if (order.wantsCancel) this.cancel(order, nowMs);
  }

  /** Applies the proof that an order is absent. Its full quantity stays reserved for ABSENT_HOLD_MS, because it may still arrive. */
  noEffect(order: BotOrder, nowMs: number): void {
    if (!this.step(order, EVENT.noEffect)) return;
    this.resolutions.delete(order);
    this.journal.provenAbsent(order);
    if (proofGuards.absentMemory) this.provenAbsentById.set(order.id, order);
    if (proofGuards.absentReserve && !this.amended.isCovered(order)) this.reservations.holdAbsent(order, nowMs);
    else this.reservations.release(order);
    this.finishAt(order, 'noEffect', nowMs);
  }

  /** Books a fill. Returns the code of its anomaly, or null; it counts either way. In a replay, a fill beyond the order's size throws. */
  filled(order: BotOrder, fill: Fill): FillAnomaly | null {
    let anomaly: FillAnomaly | null = null;
    if (order.state !== STATE.working) {
      if (order.state === STATE.sent || order.state === STATE.unknown) {
        if (!proofGuards.earlyFills) return null;
        this.placed(order, null, fill.timeMs); // a fill proves that the order was placed
      }
      if (order.state === STATE.done) anomaly = this.arrivedLate(order, null, fill.timeMs) ? 'LATE_LANDING' : 'FILL_AFTER_END';
    }
    const { lots } = order;
    const filledLots = order.filledLots + fill.lots;
    order.filledLots = filledLots as Lots;
    order.filledUnits = (order.filledUnits + fill.notional) as Units;
    const isOverfilled = filledLots > lots && lots > 0;
    if (isOverfilled && this.maxEndedOrders === 0) throw new InvariantError(`order ${order.id} filled ${filledLots} lots of ${lots}`);
    this.reservations.fill(order);
    this.journal.fill(order, fill);
    if (isOverfilled) return 'OVERFILLED';
    if (lots === 0 || filledLots !== lots || order.state === STATE.done) return anomaly;
    order.changedMs = fill.timeMs as TimeMs;
    if (this.step(order, EVENT.filled)) this.finish(order, 'filled');
    return anomaly;
  }

  /** Handles a late arrival: an order that was proven absent or refused is at the exchange after all. It is open again and is cancelled. */
  arrivedLate(order: BotOrder, venueId: VenueOrderId | null, nowMs: number): boolean {
    if (venueId !== null && order.venueId === null) order.venueId = venueId;
    if (!order.isWithoutEffect || !this.step(order, EVENT.lateArrival)) return false;
    order.reason = null;
    order.confirmed = false;
    order.changedMs = nowMs as TimeMs;
    this.provenAbsentById.delete(order.id);
    this.endedOrders.delete(order.id);
    this.open.add(order);
    this.reservations.reinstate(order);
    this.journal.ack(order);
    this.journal.cancelSent(order);
    this.exchange.cancel(order);
    return true;
  }

  /** Applies a terminal status from the venue. In a replay it is its own confirmation. */
  ended(order: BotOrder, reason: 'filled' | 'canceled' | 'rejected' | 'expired', nowMs: number): void {
    if (!this.step(order, EVENT[reason])) return;
    order.reason = reason;
    order.confirmed = true;
    this.journal.state(order);
    this.finishAt(order, reason, nowMs);
  }

  /**
   * Restores orders from a journal. Order numbers continue above those that were used. `markTicks`: the newest price of an instrument, at
   * which an order is reserved. Journals each order with an unknown outcome; none is sent again.
   */
  restore({ lastOrder, orders }: RestoredOrders, markTicks: (instrumentIndex: number) => number, nowMs: number): void {
    if (this.lastId === 0) this.orderLog.base = this.base = lastOrder;
    this.lastId = Math.max(this.lastId, lastOrder);
    for (const restored of orders) {
      const order = restoreBotOrder(restored);
      const reserve = (): void => {
        this.reservations.assess(order, markTicks(order.instrumentIndex));
        this.reservations.add(order);
      };
      if (restored.state === 'refused') this.endedOrders.add(order);
      else if (restored.state === 'provenAbsent') {
        this.provenAbsentById.set(order.id, order);
        if (restored.endMs + ABSENT_HOLD_MS <= nowMs) continue;
        reserve();
        this.reservations.holdAbsent(order, restored.endMs);
      } else {
        this.open.add(order);
        if (restored.state === 'notSent') {
          this.notSent(order, NEVER_LEFT, nowMs);
          continue;
        }
        reserve();
        if (restored.state !== 'unknown') continue;
        this.resolutions.begin(order, restored.signMs);
        this.journal.state(order);
      }
    }
  }

  /** Returns the columns of all orders, including those that are still open. */
  columns(): OrderColumns {
    for (const order of [...this.open.all(), ...this.drafts.orders]) this.orderLog.write(order, 'open');
    return this.orderLog.columns(this.lastId - this.base);
  }

  /** Returns the memory of the log. Call it once the columns are no longer needed. */
  release(): void {
    this.orderLog.release();
  }

  private finishAt(order: BotOrder, reason: DoneReason, nowMs: number): void {
    order.changedMs = nowMs as TimeMs;
    this.finish(order, reason);
  }
  /** Ends the order at its `changedMs`. Hot: docs/performance.md#out-parameters. */
  private finish(order: BotOrder, reason: DoneReason): void {
    order.reason = reason;
    order.confirmed = true;
    this.open.remove(order);
    if (order.amends > 0) this.amended.reinstateOld(order);
    this.orderLog.write(order, reason);
    if (reason === 'noEffect') return this.exchange.orderEnded?.(order);
    this.reservations.release(order);
    if (this.maxEndedOrders === 0) return this.returnToPool(order);
    this.endedOrders.retain(order);
    this.exchange.orderEnded?.(order);
  }

  private returnToPool(order: BotOrder): void {
    order.isFree = true;
    if (order === this.current) return;
    order.nextFree = this.freeList;
    this.freeList = order;
  }

  /** Handles an acknowledgement after a fill or a list: it only adds the venue's id. After a proof of absence it is a late arrival. */
  private applyLateAck(order: BotOrder, venueId: VenueOrderId, nowMs: number): void {
    if (order.state === STATE.done) {
      this.arrivedLate(order, venueId, nowMs);
      return;
    }
    if (order.venueId !== null) return void this.step(order, EVENT.acked);
    order.venueId = venueId;
    this.journal.ack(order);
    // A cancel that was requested earlier had no id to name.
    if (order.state === STATE.cancelSent) this.exchange.cancel(order);
  }

  /** Moves an order to the state that follows from an event. Returns false, and counts it, if the table has no such step. */
  private step(order: BotOrder, event: number): boolean {
    const nextState = NEXT_STATE[(order.state << EVENT_BITS) | event]!;
    if (nextState < 0) {
      this.impossibleCount++;
      this.journal.state(order);
      return false;
    }
    order.state = nextState;
    return true;
  }
}
