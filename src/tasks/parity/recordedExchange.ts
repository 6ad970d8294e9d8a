// The exchange of a rerun: gives recorded orders their outcome from the journal, for the causes that are on, and matches all others to
// rows.

import { ReplayExchange, type ReplayExchangeOptions } from '../../adapters/replay/replayExchange.ts';
import { toScaled, nearestScaled } from '../../base/number/decimal.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ApprovedOrder, OrderId, VenueOrderId } from '../../model/order.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { BarBook } from '../../venue/barBook.ts';
import type { VenueOrder, VenueOrderRecord } from '../../venue/venueOrder.ts';
import type { ReportedFill, ReportedOrder } from './recordedRun.ts';
import type { RerunScript } from './rerunScript.ts';

/** A recorded order at the venue of the rerun. It fills from the journal, so rows must not match it. */
interface HeldOrder {
  readonly id: OrderId;
  readonly placed: VenueOrderRecord;
  readonly recorded: ReportedOrder;
  /** Position of the next fill. */
  next: number;
}

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** A replayed exchange in which the outcomes of recorded orders come from a script. */
export class RecordedExchange extends ReplayExchange {
  readonly #script: RerunScript;
  /** By the index of the instrument. */
  readonly #held = new Map<number, HeldOrder[]>();
  /** The recorded fill that is being booked. */
  #booking: ReportedFill | null = null;

  constructor(queue: DueQueue, options: ReplayExchangeOptions, script: RerunScript) {
    super(queue, options);
    this.#script = script;
  }

  override submit(order: ApprovedOrder): void {
    const recorded = this.#script.outcomeOf(order.id);
    if (recorded === null || (order.triggerTicks ?? 0) > 0) return super.submit(order);
    const { id, instrumentIndex } = order;
    const { engine, venue } = this;
    const { end } = recorded;
    if (end !== null && (end.ending === 'refused' || end.ending === 'notSent') && this.#script.isOn(end.cause)) {
      if (end.ending === 'refused') return engine.refused(id, end.code);
      return engine.notSent(id, end.code);
    }
    // Bracket stops and stop entries are sent when a price reaches them.
    const isFired = (order.firedAtTicks ?? 0) > 0;
    const nowMs = order.parent > 0 || isFired ? order.createdMs : engine.nowMs;
    const placed: VenueOrderRecord | null = venue.place(this.account, id, order, nowMs);
    if (placed === null) return engine.refused(id, String(venue.refusal));
    engine.acked(id, placed.id as VenueOrderId, nowMs);
    // A row matches only orders that arrived before it.
    placed.admittedMs = INFINITY;
    const held: HeldOrder = { id, placed, recorded, next: 0 };
    const list = this.#held.get(instrumentIndex) ?? [];
    this.#held.set(instrumentIndex, list);
    list.push(held);
    // An order that is sent at a price fills in the row that reaches the price, as far as the bot knew its fills when the row had closed.
    if (isFired) this.#fillUntil(held, instrumentIndex, engine.nowMs, nowMs);
  }

  override matchRow(instrument: number, row: number): void {
    const closeMs = this.book(instrument).feed.closeOf(row);
    for (const held of this.#held.get(instrument)?.slice() ?? []) this.#fillUntil(held, instrument, closeMs, -INFINITY);
    super.matchRow(instrument, row);
  }

  override settleMarks(): void {
    super.settleMarks();
    this.#script.payUntil(this.engine.nowMs);
  }

  /** Books the fills of an order that the bot knew by the close `closeMs`, and the end of the order. */
  #fillUntil(held: HeldOrder, instrument: number, closeMs: number, earliestMs: number): void {
    const { placed, recorded, id } = held;
    const { fills, end } = recorded;
    const { book } = this.book(instrument);
    while (placed.isOpen && placed.ref === id && held.next < fills.length && this.#script.knownMs(fills[held.next]!) <= closeMs) {
      const fill = fills[held.next++]!;
      const lots = this.#lotsOf(book, placed, recorded, held.next - 1);
      if (lots <= 0) continue;
      const timeMs = Math.max(fill.record.executedMs, earliestMs);
      const isComplete = placed.quoteUnits > 0 ? recorded.isFilled && held.next === fills.length : placed.filledLots + lots === placed.lots;
      placed.admittedMs = -INFINITY;
      this.#booking = fill;
      book.executeLots(placed, priceWithin(placed, fill), lots, isComplete, fill.record.maker, timeMs);
      this.#booking = null;
      if (placed.isOpen && placed.ref === id) placed.admittedMs = INFINITY;
    }
    const isOver = end !== null && end.ending === 'canceled' && this.#script.knownMs(end) <= closeMs && this.#script.isOn(end.cause);
    if (isOver && placed.isOpen && placed.ref === id && !recorded.isFilled) this.venue.cancel(placed, this.engine.nowMs);
    if (!placed.isOpen || placed.ref !== id) this.#forget(instrument, held);
  }

  #forget(instrument: number, held: HeldOrder): void {
    const list = this.#held.get(instrument)!;
    const place = list.indexOf(held);
    if (place >= 0) list.splice(place, 1);
  }

  /** Returns the recorded quantity of a fill in lots. If the order has another size in the rerun, returns the same share of that size. */
  #lotsOf(book: Pick<BarBook, 'fillableLots'>, placed: VenueOrder, { fills, isFilled, intent }: ReportedOrder, place: number): number {
    const { record } = fills[place]!;
    const isLast = place === fills.length - 1;
    const { quantityDigits, quoteDigits } = placed.instrument;
    const amount = intent?.amount == null ? null : nearestScaled(intent.amount, quoteDigits);
    // Another amount buys what it can pay at the recorded price, as it does at the exchange.
    if (placed.quoteUnits > 0 && amount !== null && amount > 0 && amount !== placed.quoteUnits) {
      const payable = book.fillableLots(placed, ticksIn(record.price, placed.instrument));
      if (isLast && isFilled) return payable;
      return Math.min(payable, Math.round(nearestScaled(record.qty, quantityDigits) * (placed.quoteUnits / amount)));
    }
    const rest = placed.quoteUnits > 0 ? INFINITY : placed.lots - placed.filledLots;
    if (isLast && isFilled && placed.quoteUnits === 0) return rest;
    const exact = toScaled(record.qty, quantityDigits);
    const intended = intent?.qty == null ? null : nearestScaled(intent.qty, quantityDigits);
    if (exact !== null && (intended === null || intended === placed.lots)) return Math.min(rest, exact);
    const total = fills.reduce((sum, fill) => sum + Number(fill.record.qty), 0);
    const share = Number(record.qty) / (intended === null || intended === 0 ? total : Number(intent!.qty));
    return Math.min(rest, Math.round((placed.lots || nearestScaled(record.qty, quantityDigits)) * share));
  }

  override filled(order: VenueOrder, fill: Fill): void {
    if (this.#booking !== null) this.#script.setMoney(fill, this.#booking.record, order.instrument);
    super.filled(order, fill);
  }
}

/** Returns the recorded price in ticks, but not beyond the limit of the order in the rerun. */
function priceWithin({ limit, sign, instrument }: VenueOrder, { record }: ReportedFill): number {
  const price = ticksIn(record.price, instrument);
  if (limit === 0) return price;
  return sign > 0 ? Math.min(price, limit) : Math.max(price, limit);
}

const ticksIn = (text: string, { priceDigits }: Instrument): number => toScaled(text, priceDigits) ?? nearestScaled(text, priceDigits);
