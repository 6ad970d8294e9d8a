// Watches one bot: gives its strategies watched views, and returns what each strategy saw and did at one bar.

import { appendAll } from '../../../base/memory/appendAll.ts';
import type { SealedBot } from '../../../app/replayedBot.ts';
import { formatMinute } from '../../../model/time.ts';
import type { Journal } from '../../../ports/journal.ts';
import type { Strategy } from '../../../strategy/strategy.ts';
import { outputOf } from '../../../indicators/graph/spec.ts';
import type { ExplainedWhen, ExplainedField, ExplainedStrategy } from '../model/explanation.ts';
import { CallLog } from './callLog.ts';
import { WhenMemory } from './whenMemory.ts';
import { noTradeReasons } from './noTrade.ts';
import { OrderWatch } from './orderWatch.ts';
import { signalText, firstNotTrue, conjuncts, operandsOf } from './signalTree.ts';
import { fieldsOf, fieldsOfViews, type FieldAt } from './strategyFields.ts';
import { TracingHost } from './tracingHost.ts';
import { valuesOf } from './valuesOf.ts';
import { WatchedViews, type ViewNames } from './watchedViews.ts';

/** The engine of the bot that is watched. */
export type WatchedEngine = SealedBot['engine'];
type Run = WatchedEngine['runs'][number];

/** One strategy with its watched views and calls. */
interface WatchedStrategy {
  readonly run: Run;
  readonly calls: CallLog;
  readonly views: WatchedViews;
  readonly memory: WhenMemory;
  /** The fields at the beginning of the bar. */
  before: readonly FieldAt[];
}

/** Callbacks that are methods of a strategy. Handlers are given to `when`, `every`, `at` and `cron` instead. */
const CALLBACKS = ['onStart', 'onBar', 'onFill', 'onOrder'] as const;

/** Watches all strategies of a bot at one bar. */
export class BotWatch {
  private readonly hosts = new Map<Run, { readonly calls: CallLog; readonly views: WatchedViews }>();
  private engine: WatchedEngine | null = null;
  private watched: readonly WatchedStrategy[] = [];
  private orderWatch: OrderWatch | null = null;
  /** Functions that end the records of the bar. */
  private endRecords: (() => void)[] = [];

  /** Returns the host that stands between a strategy and its run. */
  readonly hostFor = (run: Run): TracingHost => {
    const calls = new CallLog();
    const views = new WatchedViews(calls, this.names);
    this.hosts.set(run, { calls, views });
    return new TracingHost(run, calls, views);
  };
  /** Returns the journal that watches the orders of the bot. */
  readonly watchJournal = (journal: Journal): Journal => (this.orderWatch = new OrderWatch(journal));

  /** The watch of the orders. It exists once the journal is watched. */
  get orders(): OrderWatch {
    return this.orderWatch!;
  }

  /** Starts to watch the strategies of `engine`. Called before the first bar of the run. */
  attach(engine: WatchedEngine): void {
    this.engine = engine;
    this.watched = engine.runs.map((run) => ({ run, ...this.hosts.get(run)!, memory: new WhenMemory(run), before: [] }));
  }
  /** Called after each block of the run. */
  readonly onBlock = (): boolean => {
    for (const { run, memory } of this.watched) memory.onBlock(this.orders.tradeMs[run.index] ?? -Infinity);
    return false;
  };

  /** True when the bot is replayed, so that verdicts come from its journal. */
  isReplayed = false;

  /** Starts to record the bar: reads and calls of strategies, and the orders that they decide. */
  begin(): void {
    this.orders.clear();
    this.orders.isOn = true;
    const engine = this.engine!;
    const lastTicks = (index: number): number => engine.lastTicks(index);
    this.endRecords = [this.isReplayed ? this.orders.watchReplayedRisk(engine.risk, lastTicks) : this.orders.watchRisk(engine.risk)];
    for (const watched of this.watched) {
      const { run, calls } = watched;
      watched.before = this.fields(watched);
      calls.clear();
      calls.isOn = true;
      if (run.instance !== null)
        appendAll(
          this.endRecords,
          CALLBACKS.map((name) => watchCallback(run.instance!, name, calls)),
        );
    }
  }
  /** Ends the record of the bar. */
  end(): void {
    this.orders.isOn = false;
    this.orders.closeBar();
    for (const endRecord of this.endRecords.splice(0)) endRecord();
    for (const { calls } of this.watched) calls.isOn = false;
  }

  /** Returns what the strategies saw and did at the bar. Values and conditions are limited to `instrument`, unless it is null. */
  strategies(instrument: string | null): readonly ExplainedStrategy[] {
    return this.watched.map((watched) => this.explain(watched, instrument));
  }

  /** Returns what a strategy knew and called, and why it did not trade. */
  private explain(watched: WatchedStrategy, instrument: string | null): ExplainedStrategy {
    const { run, calls, views } = watched;
    // Legs of brackets and orders of the venue are not decisions.
    const isDecision = (role: string, parent: number | null): boolean => parent === null && role !== 'liquidation';
    const decided = this.orders.all().filter(({ strategy, role, parent }) => strategy === run.index && isDecision(role, parent));
    const fieldNames = run.instance === null ? new Map<object, readonly string[]>() : fieldsOfViews(run.instance, views);
    const when = run.watches
      .map((_, index) => this.whenOf(watched, index, fieldNames))
      .filter((_, index) => instrument === null || run.watches[index]!.feed.instrument.id === instrument);
    const { calls: recordedCalls } = calls.all();
    const waits = waitText(run, this.engine!.nowMs);
    const tradeMs = this.orders.tradeMs[run.index];
    return {
      name: run.name,
      index: run.index,
      waits,
      values: valuesOf(run, fieldNames, instrument),
      when,
      fields: this.fieldChanges(watched),
      calls: recordedCalls,
      lastTradeMs: tradeMs ?? null,
      noTrade: decided.length > 0 ? null : noTradeReasons(waits, when, recordedCalls, calls.enteredCallbacks),
    };
  }

  /** Returns the state of one `when`: its operands, and the first part that was not true. */
  private whenOf(
    { run, calls, memory }: WatchedStrategy,
    index: number,
    fieldNames: ReadonlyMap<object, readonly string[]>,
  ): ExplainedWhen {
    const { signal, feed } = run.watches[index]!;
    const set = feed.indicators;
    const { row } = feed.cursor;
    const operands = operandsOf(set, signal, row);
    const firstFalse = firstNotTrue(set, conjuncts(set, signal), row);
    return {
      number: index + 1,
      feed: `${feed.instrument.id} ${feed.bars.interval}`,
      text: signalText(set, signal),
      fields: fieldNames.get(signal) ?? [],
      state: operands[0]!.state,
      fired: calls.enteredCallbacks.has(`when ${index + 1}`),
      firstFalse: firstFalse === null ? null : signalText(set, firstFalse),
      operands,
      sinceTrade: firstFalse === null ? null : memory.wait(index),
    };
  }

  /** Returns the fields of a strategy as they are now. */
  private fields({ run, views }: WatchedStrategy): readonly FieldAt[] {
    const nameOf = (view: object): string | null => {
      const original = views.original(view);
      return original === view ? null : this.viewText(original);
    };
    return run.instance === null ? [] : fieldsOf(run.instance, run.kept, nameOf);
  }
  /** Returns the fields of a strategy, before and after the bar. */
  private fieldChanges(watched: WatchedStrategy): readonly ExplainedField[] {
    const before = new Map(watched.before.map(({ name, text }) => [name, text]));
    return this.fields(watched).map(({ name, text, isKept, isView }) => ({
      name,
      before: before.get(name) ?? 'undefined',
      after: text,
      isKept,
      isView,
    }));
  }

  /** Returns the name of a feed, a series or a signal. */
  private viewText(view: object): string {
    const feed = this.engine?.feeds.find((candidate) => candidate.view === view);
    if (feed !== undefined) return `feed ${feed.instrument.id} ${feed.bars.interval}`;
    return this.names.nameOf(view as Parameters<typeof outputOf>[0]);
  }

  private readonly names: ViewNames = {
    prefixOf: (view) => {
      const visibleFeeds = this.engine?.feeds.filter(({ isExecutionOnly }) => !isExecutionOnly) ?? [];
      const feed = visibleFeeds.find((candidate) => candidate.view === view);
      return visibleFeeds.length < 2 || feed === undefined ? '' : `${feed.instrument.id} ${feed.bars.interval} `;
    },
    nameOf: (view) => {
      const { home, key } = outputOf(view);
      const feed = this.engine?.feeds.find(({ indicators }) => indicators === home);
      return `${feed === undefined ? '' : this.names.prefixOf(feed.view)}${key}`;
    },
  };
}

/** Returns why a strategy gets no callbacks. Null when the strategy gets them. */
function waitText({ hasStarted, hasFailed, readyMs }: Run, nowMs: number): string | null {
  if (hasFailed) return 'the strategy has thrown an error, and gets no more calls';
  if (hasStarted) return null;
  if (readyMs === Infinity) return 'its indicators are not ready before the data end';
  return readyMs > nowMs ? `its indicators warm up until ${formatMinute(readyMs)}` : 'it starts with the next bar';
}

/** Records all calls of a callback under its name. Returns a function that ends the record. */
function watchCallback(instance: Strategy, name: (typeof CALLBACKS)[number], calls: CallLog): () => void {
  const ownProperty = Object.getOwnPropertyDescriptor(instance, name);
  const callback: unknown = Reflect.get(instance, name);
  // A callback in a field is not replaced, because the explanation shows the fields of the strategy.
  if (typeof callback !== 'function' || ownProperty !== undefined) return () => {};
  const value = (...args: unknown[]): unknown => calls.runCallback(name, (): unknown => Reflect.apply(callback, instance, args));
  Object.defineProperty(instance, name, { value, configurable: true, enumerable: false, writable: true });
  return () => void Reflect.deleteProperty(instance, name);
}
