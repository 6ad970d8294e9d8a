// What a rerun takes from the journal: which recorded order each of its orders is, and what of its outcome is switched on.

import { fromScaled, nearestScaled } from '../../base/number/decimal.ts';
import type { LatencyModel } from '../../adapters/replay/latency.ts';
import type { RecordOf } from '../../adapters/journal/records/records.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import { openOf } from '../../model/interval.ts';
import type { Order, OrderId } from '../../model/order.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { DIVERGENCES, type Divergence } from './model.ts';
import { isForeign, type RecordedRun, type ReportedOrder } from './recordedRun.ts';

/** The code of orders that the bot did not decide on, because it did not see the bar. */
export const UNDECIDED = 'UNDECIDED';

/** What tells orders of an instant apart. */
interface OrderLook {
  readonly createdMs: number;
  readonly strategy: number;
  readonly symbol: string;
  readonly side: string;
  readonly role: string;
  /** Number of the recorded entry that it is a leg of; 0: none. */
  readonly parent: number;
}

/** Finds the recorded order of each order of a run. Each recorded order is found once. */
export class OrderMatch {
  readonly #byTime = new Map<number, ReportedOrder[]>();
  readonly #legs = new Map<number, ReportedOrder[]>();
  readonly #known = new Set<number>();

  constructor(orders: readonly ReportedOrder[]) {
    for (const order of orders) {
      if (isForeign(order)) continue;
      const { parent = 0 } = order.intent ?? {};
      const [map, key] = parent > 0 ? [this.#legs, parent] : [this.#byTime, order.createdMs];
      map.set(key, [...(map.get(key) ?? []), order]);
    }
  }

  find({ createdMs, strategy, symbol, side, role, parent }: OrderLook): ReportedOrder | null {
    const list = (parent > 0 ? this.#legs.get(parent) : this.#byTime.get(createdMs)) ?? [];
    const free = list.filter(({ number }) => !this.#known.has(number));
    const found =
      free.find(
        ({ intent }) =>
          intent !== null && intent.strategy === strategy && intent.symbol === symbol && intent.side === side && intent.role === role,
      ) ?? free.find(({ intent }) => intent === null);
    if (found === undefined) return null;
    this.#known.add(found.number);
    return found;
  }
  /** Returns the recorded orders that were not found. */
  rest(orders: readonly ReportedOrder[]): readonly ReportedOrder[] {
    return orders.filter(({ number }) => !this.#known.has(number));
  }
}

export class Script implements LatencyModel {
  readonly #run: RecordedRun;
  readonly #level: number;
  readonly #latencyMs: number;
  readonly #match: OrderMatch;
  /** By number of the order in the rerun. */
  readonly #found = new Map<number, ReportedOrder>();
  /** Instants at which strategies do not decide. */
  readonly #undecided: ReadonlySet<number>;
  #engine: Engine | null = null;
  #paid = 0;
  #ownFunded: Engine['funded'] | null = null;

  /** `steps`: how many causes are switched on. `undecided`: instants at which the bot did not decide, for those causes. */
  constructor(run: RecordedRun, steps: number, latencyMs: number, undecided: ReadonlySet<number>) {
    this.#run = run;
    this.#level = steps;
    this.#latencyMs = latencyMs;
    this.#match = new OrderMatch(run.orders);
    this.#undecided = undecided;
  }

  isOn(cause: Divergence): boolean {
    return DIVERGENCES.indexOf(cause) < this.#level;
  }

  attach(engine: Engine): void {
    this.#engine = engine;
    engine.recordedDecisions = this;
    if (this.isOn('funding')) {
      this.#ownFunded = engine.funded.bind(engine);
      engine.funded = () => {};
    }
    const { instant } = engine;
    const isOpen = (): boolean => !this.#undecided.has(instant.ms);
    if (this.#undecided.size === 0) return;
    for (const run of engine.runs) {
      const instance = run.instance!;
      const { onBar } = instance;
      if (onBar !== undefined) instance.onBar = () => (isOpen() ? onBar.call(instance) : undefined);
      for (const watch of run.watches) {
        const { handler } = watch;
        Object.assign(watch, { handler: () => (isOpen() ? handler() : undefined) });
      }
    }
  }

  /** Called by the engine for each order that a strategy asks for. */
  ask(order: BotOrder): OrderId {
    const engine = this.#engine!;
    const { createdMs, strategy, side, role, id, instrument } = order;
    const parent = order.parent > 0 ? (this.#found.get(order.parent)?.number ?? -1) : 0;
    const known = this.#found.get(id);
    const found = known ?? this.#match.find({ createdMs, strategy, symbol: instrument.id, side, role, parent });
    if (found !== null) this.#found.set(id, found);
    const code = this.#denial(createdMs, found);
    if (code !== null) {
      engine.orders.deny(order, code);
      if (code !== UNDECIDED) engine.notifyOrder(order);
      return id;
    }
    engine.recordedDecisions = null;
    try {
      return engine.submit(order);
    } finally {
      engine.recordedDecisions = this;
    }
  }

  #denial(createdMs: number, found: ReportedOrder | null): string | null {
    if (this.#undecided.has(createdMs)) return UNDECIDED;
    return found?.end?.how === 'denied' && this.isOn(found.end.cause) ? found.end.code : null;
  }

  /** Returns the recorded order whose fills an order has; null: it matches the rows. */
  outcomeOf(id: OrderId): ReportedOrder | null {
    const found = this.#found.get(id) ?? null;
    if (found === null || !this.isOn('fill model')) return null;
    // Until its cause is switched on, what ended an order has not happened: rows match it.
    if (found.end !== null && !this.isOn(found.end.cause)) return null;
    return found.intent === null ? null : found;
  }

  /** The time that an order took, in whole rows: until the open of the row in which it first took liquidity. */
  ms({ id, createdMs, instrumentIndex }: Order): number {
    const first = this.#found.get(id)?.fills[0];
    if (first === undefined || first.record.maker) return this.#latencyMs;
    const { interval } = this.#engine!.execution[instrumentIndex]!.bars;
    const openMs = openOf(interval, first.record.executedMs);
    return Math.min(DAY_MS, Math.max(0, openMs - createdMs));
  }

  /** Gives a fill the money of its record, once rounding or fees are switched on. */
  setMoney(fill: Fill, record: RecordOf<'FILL'>, { base, quote, baseDigits, quoteDigits, quantityDigits }: Instrument): void {
    if (!this.isOn('rounding') || fill.lots !== nearestScaled(record.qty, quantityDigits)) return;
    const feeInBase = record.feeCoin === base && base !== quote;
    const fee = nearestScaled(record.fee, feeInBase ? baseDigits : quoteDigits);
    const isRounding = feeInBase === fill.feeInBase && Math.abs(fee - fill.fee) <= 1;
    fill.notional = nearestScaled(record.notional, quoteDigits);
    if (!isRounding && !this.isOn('fee')) return;
    fill.fee = fee;
    fill.feeInBase = feeInBase;
  }

  /** Books the recorded funding up to a time. */
  payUntil(nowMs: number): void {
    const { funded } = this.#run;
    const engine = this.#engine!;
    while (this.#ownFunded !== null && this.#paid < funded.length && funded[this.#paid]!.paidMs <= nowMs) {
      const { symbol, long, amount, paidMs } = funded[this.#paid++]!;
      const index = engine.instruments.findIndex(({ id }) => id === symbol);
      if (index >= 0) this.#ownFunded(index, long, nearestScaled(amount, engine.instruments[index]!.quoteDigits), paidMs);
    }
  }
}

/** Longest latency of a replay. */
const DAY_MS = 86_400_000;

export const unitsText = (units: number, digits: number): string => fromScaled(units, digits);
