// Finds the recorded order of each order of a rerun, and the parts of its recorded outcome for the causes that are switched on.

import { fromScaled, nearestScaled } from '../../base/number/decimal.ts';
import type { LatencyModel } from '../../adapters/replay/latency.ts';
import type { RecordOf } from '../../adapters/journal/records/records.ts';
import type { FeedPlan } from '../../definition/plan/plan.ts';
import type { PreparedRun } from '../backtest/run/runBacktest.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import { openOf, typicalLengthMs, type Interval } from '../../model/interval.ts';
import type { Order, OrderId } from '../../model/order.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { recordedTerms } from '../../orders/orderLog.ts';
import { DIVERGENCES, type Divergence } from './model.ts';
import { isForeign, type RecordedRun, type ReportedOrder } from './recordedRun.ts';

/** The code of orders that only the rerun decides, because the bot did not see the bar in time. */
export const UNDECIDED = 'UNDECIDED';

/** The properties by which an order of the rerun is found in the journal. */
interface OrderLook {
  readonly createdMs: number;
  readonly strategy: number;
  readonly symbol: string;
  readonly side: string;
  readonly role: string;
  /** For a leg of a bracket, the number of its recorded entry; 0: not a leg. */
  readonly parent: number;
}

/** Returns the role of an order in the tables of a run. There, a stop entry that the bot watched is a trigger order. */
export const roleOfIntent = ({ role, parent, trigger }: Pick<RecordOf<'INTENT'>, 'role' | 'parent' | 'trigger'>): string =>
  parent === 0 && trigger !== null ? 'condition' : role;

/** A replacement whose old order had filled. Nothing of it is sent, in the bot or in a backtest, so neither has it among its orders. */
export const NOTHING_LEFT = 'REPLACED_FILLED';
const isNothingLeft = ({ end }: ReportedOrder): boolean => end?.how === 'denied' && end.code === NOTHING_LEFT;

/** Finds the recorded order of each order of a run. Each recorded order is found once. */
export class OrderMatch {
  readonly #lengthMs: number;
  readonly #byBar = new Map<number, ReportedOrder[]>();
  readonly #legs = new Map<number, ReportedOrder[]>();
  readonly #known = new Set<number>();

  /** `lengthMs`: the length of the shortest bars. An order that waits for the end of others may be made some time after the close. */
  constructor(orders: readonly ReportedOrder[], lengthMs: number) {
    this.#lengthMs = lengthMs;
    for (const order of orders) {
      if (isForeign(order) || isNothingLeft(order)) continue;
      const { parent = 0 } = order.intent ?? {};
      const [map, key] = parent > 0 ? [this.#legs, parent] : [this.#byBar, this.#barOf(order.createdMs)];
      const known = map.get(key);
      if (known === undefined) map.set(key, [order]);
      else known.push(order);
    }
  }

  #barOf(createdMs: number): number {
    return Math.floor(createdMs / this.#lengthMs);
  }

  find({ createdMs, strategy, symbol, side, role, parent }: OrderLook): ReportedOrder | null {
    const list = (parent > 0 ? this.#legs.get(parent) : this.#byBar.get(this.#barOf(createdMs))) ?? [];
    const free = list.filter(({ number }) => !this.#known.has(number));
    const alike = free.filter(
      ({ intent }) =>
        intent !== null &&
        intent.strategy === strategy &&
        intent.symbol === symbol &&
        intent.side === side &&
        roleOfIntent(intent) === role,
    );
    const found =
      alike.find((order) => order.createdMs === createdMs) ??
      free.find((order) => order.intent === null && order.createdMs === createdMs) ??
      alike[0];
    if (found === undefined) return null;
    this.#known.add(found.number);
    return found;
  }
  /** Returns the recorded orders that no call of `find` has returned. */
  rest(orders: readonly ReportedOrder[]): readonly ReportedOrder[] {
    return orders.filter((order) => !this.#known.has(order.number) && !isNothingLeft(order));
  }
}

/** Returns the length of the shortest bars, ms. */
export const finestMs = (feeds: readonly FeedPlan[]): number => Math.min(...feeds.map(({ bars }) => typicalLengthMs(bars.interval)));

/**
 * Returns the latency of a taker order, ms, rounded to whole rows: 0 if the order filled in the row that opened with its decision. Otherwise
 * the shortest latency at which the order misses the rows before its fill. Null: unknown.
 */
export function rowLatency({ fills: [first], intent }: ReportedOrder, interval: Interval): number | null {
  if (first === undefined || intent === null || first.record.maker || intent.role === 'limit' || intent.parent > 0) return null;
  const openMs = openOf(interval, first.record.executedMs);
  if (openMs <= openOf(interval, intent.createdMs)) return 0;
  return Math.max(1, openMs - typicalLengthMs(interval) + 1 - intent.createdMs);
}

/** Returns the recorded latency of an order, ms, rounded to the shortest bars of its symbol; null: unknown. */
export function latencyIn(order: ReportedOrder, feeds: readonly FeedPlan[]): number | null {
  const feed = feeds.findLast(({ bars }) => bars.instrument.id === order.intent?.symbol);
  return feed === undefined ? null : rowLatency(order, feed.bars.interval);
}

/** The median of the latencies of the orders whose latency is known, and their number; 0 without one. */
export function medianLatency(
  run: RecordedRun,
  feeds: readonly FeedPlan[],
  minMs = 0,
): { readonly ms: number | null; readonly orders: number } {
  const known = run.orders
    .flatMap((order) => latencyIn(order, feeds) ?? [])
    .map((ms) => Math.max(ms, minMs))
    .toSorted((a, b) => a - b);
  return { ms: known[known.length >> 1] ?? null, orders: known.length };
}

export interface ScriptTerms {
  /** The latency of the definition. */
  readonly latencyMs: number;
  readonly feeds: readonly FeedPlan[];
  /** Instants at which the bot did not decide, for the causes that are on. */
  readonly undecided: ReadonlySet<number>;
}

type RunEngine = PreparedRun['engine'];

export class Script implements LatencyModel {
  readonly #run: RecordedRun;
  readonly #level: number;
  readonly #latencyMs: number;
  readonly #match: OrderMatch;
  /** Median of all known latencies, ms. It is used for cancels, and for orders whose own latency is unknown. */
  readonly #usualMs: number;
  /** By the number of the order in the rerun. */
  readonly #found = new Map<number, ReportedOrder>();
  /** Instants at which strategies do not decide. */
  readonly #undecided: ReadonlySet<number>;
  #engine: RunEngine | null = null;
  #paid = 0;
  #ownFunded: RunEngine['funded'] | null = null;

  /** `steps`: the number of causes that are switched on. */
  constructor(run: RecordedRun, steps: number, { latencyMs, feeds, undecided }: ScriptTerms) {
    this.#run = run;
    this.#level = steps;
    this.#latencyMs = latencyMs;
    this.#match = new OrderMatch(run.orders, finestMs(feeds));
    this.#undecided = undecided;
    this.#usualMs = medianLatency(run, feeds, latencyMs).ms ?? latencyMs;
  }

  isOn(cause: Divergence): boolean {
    return DIVERGENCES.indexOf(cause) < this.#level;
  }

  attach(engine: RunEngine): void {
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
      if (run.hasOnBar) {
        const onBar = instance.onBar!.bind(instance);
        instance.onBar = () => (isOpen() ? onBar() : undefined);
      }
      for (const watch of run.watches) {
        const { handler } = watch;
        Object.assign(watch, { handler: () => (isOpen() ? handler() : undefined) });
      }
    }
  }

  /** Submits or denies an order. The engine calls this for each order that a strategy asks for. */
  ask(order: BotOrder): OrderId {
    const engine = this.#engine!;
    const { createdMs, strategy, side, id, instrument } = order;
    const { role } = recordedTerms(order);
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

  /** Returns the recorded order whose fills the order `id` gets; null: the order matches rows. */
  outcomeOf(id: OrderId): ReportedOrder | null {
    const found = this.#found.get(id) ?? null;
    if (found === null || !this.isOn('fill model')) return null;
    // While the cause of its end is off, the order did not end in this rerun, and matches rows.
    if (found.end !== null && !this.isOn(found.end.cause)) return null;
    // After a downtime, the bot sends orders too late, such as a stop that a price reached meanwhile.
    const isLate = this.#run.down.some(({ fromMs, toMs }) => found.createdMs > fromMs && found.createdMs < toMs);
    if (isLate && !this.isOn('restart')) return null;
    return found.intent === null ? null : found;
  }

  /** Returns the latency of an order or a cancel, ms. */
  ms({ id, createdMs, instrumentIndex }: Order, isCancel: boolean): number {
    const found = isCancel ? undefined : this.#found.get(id);
    const { interval } = this.#engine!.execution[instrumentIndex]!.bars;
    const known = found === undefined ? null : rowLatency(found, interval);
    if (known === null) return this.#usualMs;
    // In the rerun, the order may be made at another time of the row.
    const arrivesMs = found!.createdMs + known;
    return Math.min(DAY_MS, known === 0 ? this.#latencyMs : Math.max(0, arrivesMs - createdMs));
  }

  /** Gives a fill the recorded notional and fee, if the causes rounding and fee are switched on. */
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

  /** Books the recorded funding payments up to `nowMs`. */
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
