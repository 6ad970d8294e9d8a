// Resolves unknown outcomes and handles other faults at an exchange: requests reads, applies their evidence and halts new risk.

import type { OrderId, VenueOrderId } from '../../model/order.ts';
import { STATE } from '../../orders/lifecycle.ts';
import type { FillAnomaly, OrderManager } from '../../orders/orderManager.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { ABSENT_HOLD_MS, type Reservations } from '../../orders/reserve/reservation.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { Channel, Evidence, OrderGateway } from '../../ports/exchange.ts';
import type { Scope } from '../../risk/live/halts.ts';
import { haltCauseOf } from '../../risk/live/haltCauses.ts';
import type { RiskModule } from '../../risk/riskModule.ts';

/** Codes of the halts that an unknown outcome raises on its instrument: at once, and when only the operator can resolve it. */
const UNKNOWN = 'UNKNOWN_OUTCOME';
const NEEDS_PERSON = 'NEEDS_PERSON';
/** Code of an unattributed fill: while there is one, no absence is proven for its instrument. */
const UNATTRIBUTED = 'STRAY';

/** What `UnknownOutcomes` needs of the engine. */
export interface OutcomeHost {
  readonly orders: OrderManager;
  readonly reservations: Reservations;
  readonly risk: RiskModule;
  readonly exchange: OrderGateway;
  readonly queue: DueQueue;
  readonly runs: readonly { readonly name: string; onOrderEnd(instrumentIndex: number): void }[];
  readonly nowMs: number;
  acked(id: OrderId, venueId: VenueOrderId, timeMs: number): void;
  notifyOrder(order: BotOrder): void;
  orderEnded(order: BotOrder): void;
  log(strategy: string, message: string, fields: Readonly<Record<string, unknown>>): void;
}

/**
 * Causes that can have several events, each about another order or fill. A new reason is added to the earlier ones. DUPLICATE is missing, because
 * its reason always names all duplicate orders.
 */
const CODES_OF_EVENTS: ReadonlySet<string> = new Set(['LATE_LANDING', 'POST_TRADE', 'FINE_FILL', 'ECHO', 'ADMISSION']);

/** Acts on faults at the exchange until evidence or the operator has resolved them. */
export class UnknownOutcomes {
  private readonly engine: OutcomeHost;

  constructor(engine: OutcomeHost) {
    this.engine = engine;
  }

  /** Handles the lost reply to a create request: halts new risk on the instrument and reads lists until they prove the outcome. */
  onUnknown(order: BotOrder, isContested: boolean): void {
    const engine = this.engine;
    if (!engine.orders.outcomeUnknown(order, engine.nowMs, isContested)) return;
    if (engine.risk.watchesOutcomes) engine.risk.outcome(order, engine.nowMs);
    this.follow(order);
  }
  /** Begins to read about an order whose outcome is unknown. */
  follow(order: BotOrder): void {
    const engine = this.engine;
    this.haltInstrument(order);
    engine.notifyOrder(order);
    engine.exchange.read(order, engine.orders.resolution(order).first);
  }

  /** Halts the symbol of an order because its outcome is unknown. */
  haltInstrument({ instrumentIndex }: BotOrder): void {
    this.engine.risk.haltInstrument(instrumentIndex, UNKNOWN, this.engine.nowMs);
  }

  /** Applies one read to an order of unknown outcome. It resolves the outcome, or requests the next read. */
  applyEvidence(id: OrderId, evidence: Evidence): void {
    const engine = this.engine;
    const order = engine.orders.get(id);
    if (!order || order.state !== STATE.unknown) return;
    const isBlocked = this.isHaltedBy(UNATTRIBUTED, order.instrumentIndex);
    const step = engine.orders.applyEvidence(order, evidence, isBlocked);
    if (step.kind === 'read') {
      if (step.human !== null) this.callOperator(order, step.human);
      this.readAfter(order, step.channel, step.waitMs);
    } else if (step.kind === 'placed') this.applyPlacement(order, step.venueId);
    else this.applyAbsence(order);
  }

  /** Books that an order of unknown outcome exists at the venue. */
  applyPlacement(order: BotOrder, venueId: VenueOrderId | null): void {
    const engine = this.engine;
    engine.orders.placed(order, venueId, engine.nowMs);
    this.onResolved(order.instrumentIndex);
    if (order.reason === null) engine.notifyOrder(order);
    else engine.orderEnded(order);
  }
  /** Applies the proof that an order is absent. Its reservation is held for a while; an exit that waits for it is sent then. */
  applyAbsence(order: BotOrder): void {
    const engine = this.engine;
    const { strategy, instrumentIndex } = order;
    engine.orders.noEffect(order, engine.nowMs);
    this.expireAt(engine.nowMs + ABSENT_HOLD_MS, strategy, instrumentIndex);
    this.onResolved(instrumentIndex);
    engine.orderEnded(order);
  }
  /** Ends the reservation of an order that was proven absent. */
  expireAt(timeMs: number, strategyIndex: number, instrumentIndex: number): void {
    const engine = this.engine;
    engine.queue.at(timeMs, () => {
      engine.reservations.expireAbsent(engine.nowMs);
      engine.runs[strategyIndex]!.onOrderEnd(instrumentIndex);
    });
  }

  /** Handles a resolved outcome. If it was the last unknown one of the instrument, the instrument trades again. */
  onResolved(instrumentIndex: number): void {
    const { orders, risk, nowMs } = this.engine;
    if (risk.watchesOutcomes) risk.outcome(null, nowMs);
    const hasUnknown = orders.active().some((order) => order.instrumentIndex === instrumentIndex && order.state === STATE.unknown);
    if (hasUnknown) return;
    risk.clearInstrumentHalt(instrumentIndex, UNKNOWN, nowMs);
    risk.clearInstrumentHalt(instrumentIndex, NEEDS_PERSON, nowMs);
  }

  /** Applies the operator's decision about an unknown order: placed as `venueId`, or null for no effect. False when it is not unknown. */
  resolve(id: OrderId, venueId: VenueOrderId | null): boolean {
    const order = this.engine.orders.get(id);
    if (!order || order.state !== STATE.unknown) return false;
    if (venueId === null) this.applyAbsence(order);
    else this.applyPlacement(order, venueId);
    return true;
  }

  /** Handles an order that a list shows although the bot believes that it never arrived. */
  onLateArrival(id: OrderId, venueId: VenueOrderId, timeMs: number): void {
    const engine = this.engine;
    const order = engine.orders.get(id);
    if (!order) return this.raiseHalt('ALIEN', null, `order ${venueId} of ours is not known any more`);
    // A list shows an order before its reply has arrived.
    if (order.state < STATE.working) return engine.acked(id, venueId, timeMs);
    if (engine.orders.arrivedLate(order, venueId, timeMs)) this.reportLateArrival(order);
  }
  private reportLateArrival(order: BotOrder): void {
    this.raiseHalt('LATE_LANDING', order.instrumentIndex, `order ${order.id} is at the exchange after all`);
    this.engine.notifyOrder(order);
  }
  /** Handles a fill that should not have happened. */
  reportAnomaly(order: BotOrder, anomaly: FillAnomaly): void {
    if (anomaly === 'LATE_LANDING') return this.reportLateArrival(order);
    const what = anomaly === 'OVERFILLED' ? 'more was filled than ordered' : 'filled after its end';
    this.raiseHalt('POST_TRADE', null, `order ${order.id}: ${what}`);
  }

  /** Halts an instrument, or the account for null, with the cause of a code. */
  raiseHalt(code: string, instrument: number | null, reason: string): void {
    const { risk, nowMs } = this.engine;
    const { state, needsPerson } = haltCauseOf(code);
    const scope = scopeOf(instrument);
    // An operator who is called needs the full reason, and so does one who may have to act at the exchange. Foreign orders have a list of their own.
    const isNews = (needsPerson && code !== 'ALIEN') || code === 'SETTINGS';
    const fullReason = CODES_OF_EVENTS.has(code) ? risk.halts.withEarlier(scope, code, reason) : reason;
    risk.halts.raise(scope, state, code, fullReason, nowMs, isNews);
  }
  /** Clears the cause of a code, unless only the operator may clear it. `mistake`: why it was raised by mistake; it is then cleared in any case. */
  clearHalt(code: string, instrument: number | null, mistake?: string): void {
    const { risk, nowMs } = this.engine;
    const mayClear = mistake !== undefined || !haltCauseOf(code).needsPerson;
    if (mayClear) risk.halts.clear(scopeOf(instrument), code, mistake ?? 'its cause is gone', nowMs);
  }

  /** Reads a channel about an order after `waitMs`, if its outcome is still unknown then. */
  private readAfter(order: BotOrder, channel: Channel, waitMs: number): void {
    const { exchange, queue, nowMs } = this.engine;
    if (waitMs === 0) return exchange.read(order, channel);
    const { id } = order;
    queue.at(Math.max(queue.nowMs, nowMs + waitMs), () => {
      if (order.id === id && order.state === STATE.unknown) exchange.read(order, channel);
    });
  }
  /** Halts the symbol of an order until the operator resolves it, and logs why. */
  private callOperator(order: BotOrder, reason: string): void {
    if (this.isHaltedBy(NEEDS_PERSON, order.instrumentIndex)) return;
    const message = `order ${order.id} stays unknown: ${reason}`;
    this.engine.log(this.engine.runs[order.strategy]!.name, message, {});
    this.raiseHalt(NEEDS_PERSON, order.instrumentIndex, message);
  }
  /** True while a cause with this code halts the instrument or the account. */
  private isHaltedBy(code: string, instrumentIndex: number): boolean {
    const { halts } = this.engine.risk;
    return halts.hasAny && (halts.holds({ kind: 'symbol', instrument: instrumentIndex }, code) || halts.holds({ kind: 'account' }, code));
  }
}

const scopeOf = (instrumentIndex: number | null): Scope =>
  instrumentIndex === null ? { kind: 'account' } : { kind: 'symbol', instrument: instrumentIndex };
