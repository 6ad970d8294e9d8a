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
interface ScriptedOrder {
  readonly id: OrderId;
  readonly placed: VenueOrderRecord;
  readonly recorded: ReportedOrder;
  /** Position of the next recorded fill. */
  nextFill: number;
}

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** A replayed exchange in which the outcomes of recorded orders come from a script. */
export class RecordedExchange extends ReplayExchange {
  readonly #script: RerunScript;
  /** The scripted orders at the venue, by the index of their instrument. */
  readonly #scriptedOrders = new Map<number, ScriptedOrder[]>();
  /** The recorded fill that is being booked. */
  #bookedFill: ReportedFill | null = null;

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
    if (end !== null && this.#script.isOn(end.cause)) {
      if (end.ending === 'refused') return engine.refused(id, end.code);
      if (end.ending === 'notSent') return engine.notSent(id, end.code);
    }
    // Bracket stops and stop entries are sent when a price reaches them.
    const isFired = (order.firedAtTicks ?? 0) > 0;
    const nowMs = order.parent > 0 || isFired ? order.createdMs : engine.nowMs;
    const placed: VenueOrderRecord | null = venue.place(this.account, id, order, nowMs);
    if (placed === null) return engine.refused(id, String(venue.refusal));
    engine.acked(id, placed.id as VenueOrderId, nowMs);
    // A row matches only orders that arrived before it.
    placed.admittedMs = INFINITY;
    const scripted: ScriptedOrder = { id, placed, recorded, nextFill: 0 };
    const ordersOfInstrument = this.#scriptedOrders.get(instrumentIndex) ?? [];
    this.#scriptedOrders.set(instrumentIndex, ordersOfInstrument);
    ordersOfInstrument.push(scripted);
    // An order that is sent at a price fills in the row that reaches the price. Only fills that the bot knew when the row had closed count.
    if (isFired) this.#fillUntil(scripted, instrumentIndex, engine.nowMs, nowMs);
  }

  override matchRow(instrumentIndex: number, row: number): void {
    const closeMs = this.book(instrumentIndex).feed.closeOf(row);
    // A copy, because an order that ends leaves the list.
    const ordersOfInstrument = this.#scriptedOrders.get(instrumentIndex)?.slice() ?? [];
    for (const scripted of ordersOfInstrument) this.#fillUntil(scripted, instrumentIndex, closeMs, -INFINITY);
    super.matchRow(instrumentIndex, row);
  }

  /** Books all fills and ends that the bot knew by `timeMs`. Between the closes of rows, timers need them. */
  bookKnown(timeMs: number): void {
    for (const [instrumentIndex, orders] of this.#scriptedOrders)
      for (const scripted of orders.slice()) this.#fillUntil(scripted, instrumentIndex, timeMs, -INFINITY);
  }

  override settleMarks(): void {
    super.settleMarks();
    this.#script.payUntil(this.engine.nowMs);
  }

  /** Books the fills of an order that the bot knew by `knownMs`, and the end of the order. */
  #fillUntil(scripted: ScriptedOrder, instrumentIndex: number, knownMs: number, earliestMs: number): void {
    const { placed, recorded, id } = scripted;
    const { fills, end } = recorded;
    const { book } = this.book(instrumentIndex);
    // The venue reuses the records of ended orders for later ones.
    const isStillOpen = (): boolean => placed.isOpen && placed.ref === id;
    const isNextFillKnown = (): boolean => scripted.nextFill < fills.length && this.#script.knownMs(fills[scripted.nextFill]!) <= knownMs;
    while (isStillOpen() && isNextFillKnown()) {
      const fillIndex = scripted.nextFill++;
      const fill = fills[fillIndex]!;
      const lots = this.#lotsOf(book, placed, recorded, fillIndex);
      if (lots <= 0) continue;
      const timeMs = Math.max(fill.record.executedMs, earliestMs);
      const isLastRecorded = recorded.isFilled && scripted.nextFill === fills.length;
      const isComplete = placed.quoteUnits > 0 ? isLastRecorded : placed.filledLots + lots === placed.lots;
      placed.admittedMs = -INFINITY;
      this.#bookedFill = fill;
      book.executeLots(placed, priceWithin(placed, fill), lots, isComplete, fill.record.maker, timeMs);
      this.#bookedFill = null;
      if (isStillOpen()) placed.admittedMs = INFINITY;
    }
    const isCanceled = end !== null && end.ending === 'canceled' && this.#script.isOn(end.cause) && this.#script.knownMs(end) <= knownMs;
    if (isCanceled && !recorded.isFilled && isStillOpen()) this.venue.cancel(placed, this.engine.nowMs);
    if (!isStillOpen()) this.#forget(instrumentIndex, scripted);
  }

  /** Removes an ended order from the list of its instrument. */
  #forget(instrumentIndex: number, scripted: ScriptedOrder): void {
    const ordersOfInstrument = this.#scriptedOrders.get(instrumentIndex)!;
    const index = ordersOfInstrument.indexOf(scripted);
    if (index >= 0) ordersOfInstrument.splice(index, 1);
  }

  /** Returns the recorded quantity of a fill in lots. If the order has another size in the rerun, returns the same share of that size. */
  #lotsOf(book: Pick<BarBook, 'fillableLots'>, placed: VenueOrder, { fills, isFilled, intent }: ReportedOrder, fillIndex: number): number {
    const { record } = fills[fillIndex]!;
    const isLast = fillIndex === fills.length - 1;
    const { quantityDigits, quoteDigits } = placed.instrument;
    const amount = intent?.amount == null ? null : nearestScaled(intent.amount, quoteDigits);
    // Another amount buys what it can pay at the recorded price, as it does at the exchange.
    if (placed.quoteUnits > 0 && amount !== null && amount > 0 && amount !== placed.quoteUnits) {
      const payable = book.fillableLots(placed, ticksIn(record.price, placed.instrument));
      if (isLast && isFilled) return payable;
      return Math.min(payable, Math.round(nearestScaled(record.qty, quantityDigits) * (placed.quoteUnits / amount)));
    }
    const remainingLots = placed.quoteUnits > 0 ? INFINITY : placed.lots - placed.filledLots;
    if (isLast && isFilled && placed.quoteUnits === 0) return remainingLots;
    const recordedLots = toScaled(record.qty, quantityDigits);
    const intendedLots = intent?.qty == null ? null : nearestScaled(intent.qty, quantityDigits);
    const isSameSize = intendedLots === null || intendedLots === placed.lots;
    if (recordedLots !== null && isSameSize) return Math.min(remainingLots, recordedLots);
    const filledQty = fills.reduce((sum, fill) => sum + Number(fill.record.qty), 0);
    const recordedSize = intendedLots === null || intendedLots === 0 ? filledQty : Number(intent!.qty);
    const share = Number(record.qty) / recordedSize;
    const sizeInRerun = placed.lots || nearestScaled(record.qty, quantityDigits);
    return Math.min(remainingLots, Math.round(sizeInRerun * share));
  }

  /** Gives a recorded fill its recorded amounts before the bot receives it. */
  override filled(order: VenueOrder, fill: Fill): void {
    if (this.#bookedFill !== null) this.#script.setMoney(fill, this.#bookedFill.record, order.instrument);
    super.filled(order, fill);
  }
}

/** Returns the recorded price in ticks, but not beyond the limit of the order in the rerun. */
function priceWithin({ limit, sign, instrument }: VenueOrder, { record }: ReportedFill): number {
  const price = ticksIn(record.price, instrument);
  if (limit === 0) return price;
  return sign > 0 ? Math.min(price, limit) : Math.max(price, limit);
}

/** Returns a price in ticks. A price between two ticks is rounded. */
const ticksIn = (text: string, { priceDigits }: Instrument): number => toScaled(text, priceDigits) ?? nearestScaled(text, priceDigits);
