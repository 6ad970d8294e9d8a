// Finds the recorded order of each order of a rerun, and the parts of its recorded outcome for the causes that are switched on.

import { fromScaled, nearestScaled } from '../../base/number/decimal.ts';
import type { LatencyModel } from '../../adapters/replay/latencyModel.ts';
import type { RecordOf } from '../../adapters/journal/records/records.ts';
import type { FeedPlan } from '../../definition/plan/plan.ts';
import type { PreparedRun } from '../backtest/run/runBacktest.ts';
import type { Fill } from '../../model/fill.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { Order, OrderId } from '../../model/order.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { recordedTerms } from '../../orders/orderLog.ts';
import { barNumber, finestBars, openAt } from './barTimes.ts';
import { DIVERGENCES, type Divergence } from './divergences.ts';
import { causeOfMissing, isForeign, type RecordedRun, type ReportedEnd, type ReportedFill, type ReportedOrder } from './recordedRun.ts';

/** The code of orders that only the rerun decides, because the bot did not see the bar in time. */
export const UNDECIDED = 'UNDECIDED';

/** The properties by which an order of the rerun is found in the journal. */
interface OrderTraits {
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

/** True for a stop entry of spot. The exchange of spot knows no trigger orders, so the bot watches the price itself. */
export const isWatchedEntry = ({ role, symbol }: Pick<OrderTraits, 'role' | 'symbol'>): boolean =>
  role === 'condition' && symbol.startsWith('spot:');

/** A replacement whose old order had filled. Nothing of it is sent, in the bot or in a backtest, so neither has it among its orders. */
export const NOTHING_LEFT = 'REPLACED_FILLED';

/** True for such a replacement in the journal. */
const isNothingLeft = ({ end }: ReportedOrder): boolean => end?.ending === 'denied' && end.code === NOTHING_LEFT;

/** Finds the recorded order of each order of a run. Each recorded order is found once. */
export class OrderMatch {
  readonly #bars: BarColumns;
  /** Orders other than legs, by the number of the bar in which they were created. */
  readonly #ordersByBar = new Map<number, ReportedOrder[]>();
  /** Legs of brackets, by the number of their entry. */
  readonly #legsByParent = new Map<number, ReportedOrder[]>();
  /** Numbers of the recorded orders that were found. */
  readonly #matched = new Set<number>();

  /** `bars`: the shortest ones. Orders match within a bar, because an order that waits for others is created after the close. */
  constructor(orders: readonly ReportedOrder[], bars: BarColumns) {
    this.#bars = bars;
    for (const order of orders) {
      if (isForeign(order) || isNothingLeft(order)) continue;
      const { parent = 0 } = order.intent ?? {};
      if (parent > 0) addToGroup(this.#legsByParent, parent, order);
      else addToGroup(this.#ordersByBar, this.#barOf(order.createdMs), order);
    }
  }

  /** Returns the number of the bar in which an order was created. */
  #barOf(createdMs: number): number {
    return barNumber(this.#bars, createdMs);
  }

  /** Returns the recorded order with these properties. Null without one. */
  find(traits: OrderTraits): ReportedOrder | null {
    const bar = this.#barOf(traits.createdMs);
    const match = this.#bestMatchIn(traits.parent > 0 ? this.#legsByParent.get(traits.parent) : this.#ordersByBar.get(bar), traits);
    // The bot sends a stop entry that it watches when the bar has closed, a backtest at the open of the bar that opens beyond it.
    return match ?? (isWatchedEntry(traits) ? this.#bestMatchIn(this.#ordersByBar.get(bar + 1), traits) : null);
  }

  /** Returns the unmatched order that is most like the one looked for, and marks it as matched; null if none is. */
  #bestMatchIn(candidates: readonly ReportedOrder[] = [], traits: OrderTraits): ReportedOrder | null {
    const { createdMs } = traits;
    const unmatched = candidates.filter(({ number }) => !this.#matched.has(number));
    const alike = unmatched.filter((order) => hasTraits(order, traits));
    const match =
      alike.find((order) => order.createdMs === createdMs) ??
      unmatched.find((order) => order.intent === null && order.createdMs === createdMs) ??
      alike[0];
    if (match === undefined) return null;
    this.#matched.add(match.number);
    return match;
  }

  /** Returns the recorded orders that no call of `find` has returned. */
  unmatched(orders: readonly ReportedOrder[]): readonly ReportedOrder[] {
    return orders.filter((order) => !this.#matched.has(order.number) && !isNothingLeft(order));
  }
}

/** True when a recorded order has these properties, whatever its time and its entry. */
function hasTraits({ intent }: ReportedOrder, { strategy, symbol, side, role }: OrderTraits): boolean {
  if (intent === null) return false;
  return intent.strategy === strategy && intent.symbol === symbol && intent.side === side && roleOfIntent(intent) === role;
}

/** Adds an order to the group with a key. */
function addToGroup(groups: Map<number, ReportedOrder[]>, key: number, order: ReportedOrder): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [order]);
  else group.push(order);
}

/** The shortest latency that a fill in the next row shows, ms. */
const NEXT_ROW_MS = 1;

/**
 * Returns the latency of a taker order, ms, rounded to whole rows: 0 if the order filled in the row that opened with its decision.
 * Otherwise the shortest latency at which the order misses the rows before its fill. Null: unknown.
 */
export function rowLatency({ fills: [first], intent }: ReportedOrder, bars: BarColumns): number | null {
  if (first === undefined || intent === null || first.record.maker || intent.role === 'limit' || intent.parent > 0) return null;
  const openMs = openAt(bars, first.record.executedMs);
  if (openMs <= openAt(bars, intent.createdMs)) return 0;
  return Math.max(NEXT_ROW_MS, openAt(bars, openMs - 1) + 1 - intent.createdMs);
}

/** Returns the recorded latency of an order in ms, rounded to the shortest bars of its symbol. Null when it is unknown. */
export function latencyIn(order: ReportedOrder, { timerInstants }: RecordedRun, feeds: readonly FeedPlan[]): number | null {
  const feed = feeds.findLast(({ bars }) => bars.instrument.id === order.intent?.symbol);
  const ms = feed === undefined ? null : rowLatency(order, feed.bars);
  // An order that a timer decided inside of a row fills in the next row, without latency too.
  return ms === NEXT_ROW_MS && timerInstants.has(order.createdMs) ? 0 : ms;
}

/** Returns the median of the known latencies (at least `minMs` each), and the number of orders behind it. Null without a known latency. */
export function medianLatency(
  run: RecordedRun,
  feeds: readonly FeedPlan[],
  minMs = 0,
): { readonly ms: number | null; readonly orders: number } {
  const latencies = run.orders
    .flatMap((order) => latencyIn(order, run, feeds) ?? [])
    .map((ms) => Math.max(ms, minMs))
    .toSorted((a, b) => a - b);
  return { ms: latencies[latencies.length >> 1] ?? null, orders: latencies.length };
}

/** The parts of a rerun that a script needs. */
export interface ScriptTerms {
  /** The latency of the definition. */
  readonly latencyMs: number;
  readonly feeds: readonly FeedPlan[];
  /** Instants at which the bot did not decide, for the causes that are on. */
  readonly undecided: ReadonlySet<number>;
}

/** The engine of a backtest. */
type RunEngine = PreparedRun['engine'];

/** Maximum latency of a replay: one day. */
const MAX_LATENCY_MS = 86_400_000;

/** Gives each order of a rerun the recorded denial, latency, fills and payments, for the causes that are switched on. */
export class RerunScript implements LatencyModel {
  readonly #run: RecordedRun;
  /** Number of causes that are switched on, in the order of DIVERGENCES. */
  readonly #steps: number;
  readonly #latencyMs: number;
  readonly #match: OrderMatch;
  /** Median of all known latencies, ms. It is used for cancels, and for orders whose own latency is unknown. */
  readonly #medianMs: number;
  /** The recorded orders, by the number of the order in the rerun. */
  readonly #recordedById = new Map<number, ReportedOrder>();
  /** Instants at which strategies do not decide. */
  readonly #undecided: ReadonlySet<number>;
  #engine: RunEngine | null = null;
  /** Number of recorded payments that are booked. */
  #paidCount = 0;
  /** The engine's own booking of a payment. Null while the cause `funding` is switched off. */
  #bookFunding: RunEngine['funded'] | null = null;

  constructor(run: RecordedRun, steps: number, { latencyMs, feeds, undecided }: ScriptTerms) {
    this.#run = run;
    this.#steps = steps;
    this.#latencyMs = latencyMs;
    this.#match = new OrderMatch(run.orders, finestBars(feeds));
    this.#undecided = undecided;
    this.#medianMs = medianLatency(run, feeds, latencyMs).ms ?? latencyMs;
  }

  /** True when a cause is switched on. */
  isOn(cause: Divergence): boolean {
    return DIVERGENCES.indexOf(cause) < this.#steps;
  }

  /** Connects the script to the engine of the rerun, before its first bar. `bookKnown` books what the bot knew of its orders at a time. */
  attach(engine: RunEngine, bookKnown: (ms: number) => void): void {
    this.#engine = engine;
    engine.recordedDecisions = this;
    if (this.isOn('funding')) {
      this.#bookFunding = engine.funded.bind(engine);
      engine.funded = () => {};
    }
    this.#repeatTimers(engine, bookKnown);
    const { instant } = engine;
    const mayDecide = (): boolean => !this.#undecided.has(instant.ms);
    if (this.#undecided.size === 0) return;
    for (const run of engine.runs) {
      const instance = run.instance!;
      if (run.hasOnBar) {
        const onBar = instance.onBar!.bind(instance);
        instance.onBar = () => (mayDecide() ? onBar() : undefined);
      }
      for (const watch of run.watches) {
        const { handler } = watch;
        Object.assign(watch, { handler: () => (mayDecide() ? handler() : undefined) });
      }
    }
  }

  /**
   * Lets timers know the orders as they did in the bot, and miss what they missed there. It is made up for when the bot did, for the causes
   * that are switched on.
   */
  #repeatTimers(engine: RunEngine, bookKnown: (ms: number) => void): void {
    const { timers } = engine;
    const spans = this.#run.missed.filter((span) => this.isOn(causeOfMissing(this.#run, span.toMs)));
    const runDue = timers.runDue.bind(timers);
    timers.runDue = (ms, callTimer) => {
      bookKnown(ms);
      if (!engine.callbacks.isEmpty) engine.deliverCallbacks();
      while (spans.length > 0 && spans[0]!.resumedMs <= ms) timers.runMissed(spans.shift()!.toMs, callTimer);
      const [span] = spans;
      if (span === undefined || ms <= span.fromMs) runDue(ms, callTimer);
      else timers.holdUntil(span.resumedMs);
    };
  }

  /** Submits or denies an order. The engine calls this for each order that a strategy asks for. */
  submitAsRecorded(order: BotOrder): OrderId {
    const engine = this.#engine!;
    const { createdMs, strategy, side, id, instrument } = order;
    const { role } = recordedTerms(order);
    const parent = order.parent > 0 ? (this.#recordedById.get(order.parent)?.number ?? -1) : 0;
    const earlier = this.#recordedById.get(id);
    const recorded = earlier ?? this.#match.find({ createdMs, strategy, symbol: instrument.id, side, role, parent });
    if (recorded !== null) this.#recordedById.set(id, recorded);
    const code = this.#denialCode(createdMs, recorded);
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

  /** Returns the code with which an order must be denied. Null when it is not denied. */
  #denialCode(createdMs: number, recorded: ReportedOrder | null): string | null {
    if (this.#undecided.has(createdMs)) return UNDECIDED;
    return recorded?.end?.ending === 'denied' && this.isOn(recorded.end.cause) ? recorded.end.code : null;
  }

  /** Returns the recorded order whose fills the order `id` takes. Null when the order matches rows. */
  outcomeOf(id: OrderId): ReportedOrder | null {
    const recorded = this.#recordedById.get(id) ?? null;
    if (recorded === null || !this.isOn('fill model')) return null;
    // While the cause of its end is switched off, the order does not end in this rerun, so it matches rows.
    if (recorded.end !== null && !this.isOn(recorded.end.cause)) return null;
    // After a downtime, the bot sends orders too late, such as a stop that a price reached meanwhile.
    const isLate = this.#run.down.some(({ fromMs, toMs }) => recorded.createdMs > fromMs && recorded.createdMs < toMs);
    if (isLate && !this.isOn('restart')) return null;
    return recorded.intent === null ? null : recorded;
  }

  /**
   * Returns the first instant at which strategies know a fill or an end, ms UTC. While the cause `restart` is switched off, the bot is not
   * down, so it knows at once what it learned at its next start.
   */
  knownMs(report: ReportedFill | ReportedEnd): number {
    const { knownMs } = report;
    if (this.isOn('restart') || !this.#run.down.some(({ fromMs, toMs }) => knownMs > fromMs && knownMs <= toMs)) return knownMs;
    return 'record' in report ? report.record.executedMs : report.t;
  }

  /** Returns the latency of an order or a cancel, ms. */
  ms({ id, createdMs, instrumentIndex }: Order, isCancel: boolean): number {
    const recorded = isCancel ? undefined : this.#recordedById.get(id);
    const { bars } = this.#engine!.execution[instrumentIndex]!;
    const recordedMs = recorded === undefined ? null : rowLatency(recorded, bars);
    if (recordedMs === null) return this.#medianMs;
    // In the rerun, the order may be created at another time of the row.
    const arrivesMs = recorded!.createdMs + recordedMs;
    return Math.min(MAX_LATENCY_MS, recordedMs === 0 ? this.#latencyMs : Math.max(0, arrivesMs - createdMs));
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
    while (this.#bookFunding !== null && this.#paidCount < funded.length && funded[this.#paidCount]!.paidMs <= nowMs) {
      const { symbol, long, amount, paidMs } = funded[this.#paidCount++]!;
      const index = engine.instruments.findIndex(({ id }) => id === symbol);
      if (index >= 0) this.#bookFunding(index, long, nearestScaled(amount, engine.instruments[index]!.quoteDigits), paidMs);
    }
  }
}

/** Returns an amount in units as a decimal. */
export const unitsText = (units: number, digits: number): string => fromScaled(units, digits);
