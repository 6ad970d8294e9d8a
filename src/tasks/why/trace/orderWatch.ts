// Watches the orders of a run through its journal: records the decided orders, the verdicts of the risk rules, and the ends.

import { exactDecimalText } from '../model/amounts.ts';
import type { Fill } from '../../../model/fill.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Order, OrderId } from '../../../model/order.ts';
import type { Evidence } from '../../../ports/exchange.ts';
import type { Journal, Waits } from '../../../ports/journal.ts';
import { denialBefore, type RuleVerdict } from '../../../risk/explain.ts';
import type { BotOrder } from '../../../orders/botOrder.ts';
import { recordedTerms } from '../../../orders/orderLog.ts';
import { denialText } from '../../../orders/denialReasons.ts';
import type { RiskModule } from '../../../risk/riskModule.ts';
import type { ExplainedEvent, ExplainedOrder } from '../model/explanation.ts';

/** A watched order, which changes until the order ends. */
type WatchedOrder = { -readonly [Key in keyof Omit<ExplainedOrder, 'events'>]: ExplainedOrder[Key] } & {
  readonly events: ExplainedEvent[];
};

/** The members of an event that is no fill and has no rule. */
const NO_EVENT = {
  inBar: false,
  rule: null,
  also: [],
  price: null,
  quantity: null,
  fee: null,
  isMaker: null,
  tradeId: null,
  code: null,
} as const;

/** A journal that passes all records on, and watches the orders that are decided at a bar. */
export class OrderWatch implements Journal {
  /** True while new orders are watched. */
  isOn = false;
  /** Time of the newest fill, ms UTC, by the index of the strategy. */
  readonly tradeMs: number[] = [];
  /** The highest number of an order that was decided. */
  lastOrder = 0;
  private readonly journal: Journal;
  private readonly orders = new Map<number, WatchedOrder>();
  private readonly verdicts = new Map<number, readonly RuleVerdict[]>();
  /** Numbers of the orders that wait as drafts. */
  private readonly drafts = new Set<number>();

  constructor(journal: Journal) {
    this.journal = journal;
  }

  /** Records the verdict of every risk rule for each order that is checked. Returns a function that ends this. */
  watchRisk(risk: RiskModule): () => void {
    const check = risk.check.bind(risk);
    risk.check = (order, nowMs, markTicks) => {
      if (this.isOn) this.noteVerdicts(order.id, risk.explain(order, nowMs, markTicks));
      return check(order, nowMs, markTicks);
    };
    return () => void Reflect.deleteProperty(risk, 'check');
  }
  /** Records the verdicts in a replay, which takes them from its journal. Here the rules are asked in addition. */
  watchReplayedRisk(risk: RiskModule, lastTicks: (instrumentIndex: number) => number): () => void {
    const approved = risk.approvedBefore.bind(risk);
    risk.approvedBefore = (order, nowMs, markTicks) => {
      if (this.isOn) this.noteVerdicts(order.id, risk.explain(order, nowMs, markTicks));
      return approved(order, nowMs, markTicks);
    };
    this.explainDenial = (order, code) => {
      const rules = risk.explain(order, order.createdMs, lastTicks(order.instrumentIndex));
      const isRecordedCode = rules.find(({ verdict }) => verdict === 'denied')?.code === code;
      return isRecordedCode ? rules : [denialBefore(code, 'the order', 'as the journal has it', denialText(code) ?? ''), ...rules];
    };
    return () => {
      this.explainDenial = denialWithoutRules;
      Reflect.deleteProperty(risk, 'approvedBefore');
    };
  }
  private explainDenial: (order: BotOrder, code: string) => readonly RuleVerdict[] = denialWithoutRules;
  /** Stores the verdicts about an order. */
  noteVerdicts(orderId: number, verdicts: readonly RuleVerdict[]): void {
    this.verdicts.set(orderId, verdicts);
  }

  /** Removes all watched orders. */
  clear(): void {
    this.orders.clear();
    this.verdicts.clear();
  }
  /** Ends the bar: marks all events until now as events in the bar. */
  closeBar(): void {
    for (const { events } of this.orders.values()) events.forEach((event, index) => (events[index] = { ...event, inBar: true }));
  }
  /** Returns a watched order by its number. */
  find(orderId: number): ExplainedOrder | null {
    return this.orders.get(orderId) ?? null;
  }
  /** Returns all watched orders. */
  all(): readonly ExplainedOrder[] {
    return [...this.orders.values()];
  }
  /** True when a watched order can still change. */
  get hasOpen(): boolean {
    return this.all().some(({ ending }) => ending === 'open');
  }

  get durableSeq(): number {
    return this.journal.durableSeq;
  }
  denied(order: Order, code: string): number {
    const watched = this.watchedOrder(order);
    if (watched !== null) {
      watched.code = code;
      watched.ending = 'denied';
      watched.verdict = 'denied';
      if (watched.rules.length === 0) watched.rules = this.explainDenial(order as BotOrder, code);
    }
    return this.journal.denied(order, code);
  }
  drafted(order: Order, waits: Waits): number {
    const watched = this.watchedOrder(order);
    this.drafts.add(order.id);
    const ordersAhead = waits.ahead.map((id) => `order ${id}`);
    const awaitedText = ordersAhead.length > 0 ? `the end of ${ordersAhead.join(', ')}` : 'its price';
    watched?.events.push({ ...NO_EVENT, timeMs: order.changedMs, order: order.id, kind: 'ended', text: `waits for ${awaitedText}` });
    return this.journal.drafted(order, waits);
  }
  submitted(order: Order): number {
    const watched = this.watchedOrder(order);
    if (watched !== null) watched.verdict = 'approved';
    return this.journal.submitted(order);
  }
  signMs(order: Order): number {
    return this.journal.signMs(order);
  }
  ack(order: Order): number {
    // An order that the venue made itself is acknowledged without being sent.
    const watched = this.orders.get(order.id) ?? this.watchedOrder(order);
    const arrivedMs: unknown = Reflect.get(order, 'arrivedMs');
    const timeMs = typeof arrivedMs === 'number' && !Number.isNaN(arrivedMs) ? arrivedMs : order.changedMs;
    watched?.events.push({ ...NO_EVENT, timeMs, order: order.id, kind: 'arrived', text: 'at the venue' });
    return this.journal.ack(order);
  }
  refused(order: Order, code: string): number {
    const watched = this.orders.get(order.id);
    if (watched !== undefined) {
      const isSent = /^-?\d+$/.test(code);
      watched.code = code;
      watched.ending = isSent ? 'refused' : 'notSent';
      watched.events.push({
        ...NO_EVENT,
        timeMs: order.changedMs,
        order: order.id,
        kind: isSent ? 'refused' : 'notSent',
        code,
        text: isSent ? `the venue refused it: ${code}` : code,
      });
    }
    return this.journal.refused(order, code);
  }
  evidence(order: Order, evidence: Evidence): number {
    return this.journal.evidence(order, evidence);
  }
  fill(order: Order, fill: Fill): number {
    this.tradeMs[order.strategy] = fill.timeMs;
    const watched = this.orders.get(order.id);
    if (watched !== undefined) {
      watched.events.push(fillEvent(order.id, order.instrument, fill));
      watched.filledQuantity = exactDecimalText(order.filledLots, order.instrument.quantityDigits);
      if (order.lots > 0 && order.filledLots === order.lots) watched.ending = 'filled';
      watched.code = codeOf(order) ?? watched.code;
    }
    return this.journal.fill(order, fill);
  }
  state(order: Order): number {
    const watched = this.orders.get(order.id);
    if (watched !== undefined) {
      watched.code = codeOf(order) ?? watched.code;
      if (order.reason !== null) watched.ending = order.reason;
      if (order.reason === 'canceled' || order.reason === 'expired' || order.reason === 'rejected') {
        watched.events.push({
          ...NO_EVENT,
          timeMs: order.changedMs,
          order: order.id,
          kind: 'canceled',
          code: codeOf(order),
          text: order.reason,
        });
      } else if (order.lifecycle === 'unknown') {
        watched.events.push({ ...NO_EVENT, timeMs: order.changedMs, order: order.id, kind: 'unknown', text: 'its outcome is unknown' });
      }
    }
    return this.journal.state(order);
  }
  cancelSent(order: Order): number {
    return this.journal.cancelSent(order);
  }
  provenAbsent(order: Order): number {
    const watched = this.orders.get(order.id);
    if (watched !== undefined) watched.ending = 'noEffect';
    return this.journal.provenAbsent(order);
  }
  stopMoved(id: OrderId, instrument: Instrument, stop: number): number {
    return this.journal.stopMoved(id, instrument, stop);
  }

  /** Returns the watched order. Starts to watch a new order while the watch is on. Null when the order is not watched. */
  private watchedOrder(order: Order): WatchedOrder | null {
    // A stop entry, and a draft that waited for other orders, is judged after the row at which it got its number. Its time in
    // `orders.csv` is that of the verdict, so it is an order of that bar too.
    const isNew = order.id > this.lastOrder || isSentEntry(order) || this.drafts.delete(order.id);
    this.lastOrder = Math.max(this.lastOrder, order.id);
    const watched = this.orders.get(order.id);
    if (watched !== undefined) return this.updateOrder(watched, order);
    if (!isNew || !this.isOn) return null;
    const newOrder: WatchedOrder = {
      ...termsOf(order),
      verdict: 'none',
      code: null,
      rules: [],
      ending: 'open',
      filledQuantity: exactDecimalText(order.filledLots, order.instrument.quantityDigits),
      events: [],
    };
    this.orders.set(order.id, newOrder);
    return this.updateOrder(newOrder, order);
  }
  /** Updates a watched order from `order`, because a draft may be sent with another size than its first one. */
  private updateOrder(watched: WatchedOrder, order: Order): WatchedOrder {
    Object.assign(watched, termsOf(order));
    watched.rules = this.verdicts.get(order.id) ?? watched.rules;
    return watched;
  }
}

/** True for a stop entry that has triggered. */
const isSentEntry = ({ parent, firedAtTicks }: Order): boolean => parent === 0 && (firedAtTicks ?? 0) > 0;

/** Returns the terms of an order as the explanation shows them. */
function termsOf(
  order: Order,
): Pick<
  ExplainedOrder,
  | 'order'
  | 'strategy'
  | 'instrument'
  | 'side'
  | 'role'
  | 'quantity'
  | 'quoteAmount'
  | 'price'
  | 'reduceOnly'
  | 'parent'
  | 'tag'
  | 'createdMs'
> {
  const { id, strategy, instrument, side, lots, quoteUnits, reduceOnly, parent, slot, createdMs } = order;
  const { role, price: ticks } = recordedTerms(order);
  return {
    order: id,
    strategy,
    instrument: instrument.id,
    side,
    role,
    quantity: lots > 0 ? exactDecimalText(lots, instrument.quantityDigits) : null,
    quoteAmount: quoteUnits > 0 ? exactDecimalText(quoteUnits, instrument.quoteDigits) : null,
    price: ticks > 0 ? exactDecimalText(ticks, instrument.priceDigits) : null,
    reduceOnly,
    parent: parent > 0 ? parent : null,
    tag: slot,
    createdMs,
  };
}

/** Returns the verdict for an order that a check denied before the rules, so that no rule was asked. */
function denialWithoutRules(_: unknown, code: string): readonly RuleVerdict[] {
  return [denialBefore(code, 'the order', 'before the rules', denialText(code) ?? '')];
}

/** Returns the code of a denial or refusal, or null. Only the orders of a live bot have one. */
function codeOf(order: Order): string | null {
  const code: unknown = Reflect.get(order, 'code');
  return typeof code === 'string' ? code : null;
}

/** Returns a fill as an event of its order. */
function fillEvent(orderId: number, instrument: Instrument, fill: Fill): ExplainedEvent {
  const { price, lots, fee, feeInBase, isMaker, tradeId, timeMs } = fill;
  const feeAsset = feeInBase ? instrument.base : instrument.quote;
  return {
    timeMs,
    order: orderId,
    kind: 'fill',
    inBar: false,
    rule: null,
    also: [],
    price: exactDecimalText(price, instrument.priceDigits),
    quantity: exactDecimalText(lots, instrument.quantityDigits),
    fee: `${exactDecimalText(fee, feeInBase ? instrument.baseDigits : instrument.quoteDigits)} ${feeAsset}`,
    isMaker,
    tradeId: String(tradeId),
    code: null,
    text: `filled as ${isMaker ? 'maker' : 'taker'}`,
  };
}
