// Watches one bot: hands its strategies watched views, and says what they did at one bar.

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
import { valuesOf } from './values.ts';
import { WatchedViews, type ViewNames } from './watchedViews.ts';

export type WatchedEngine = SealedBot['engine'];
type Run = WatchedEngine['runs'][number];

/** What is watched of one strategy. */
interface Watched {
  readonly run: Run;
  readonly calls: CallLog;
  readonly views: WatchedViews;
  readonly memory: WhenMemory;
  before: readonly FieldAt[];
}

/** Callbacks of a strategy that are not handlers. */
const CALLBACKS = ['onStart', 'onBar', 'onFill', 'onOrder'] as const;

export class BotWatch {
  private readonly hosts = new Map<Run, { readonly calls: CallLog; readonly views: WatchedViews }>();
  private engine: WatchedEngine | null = null;
  private watched: readonly Watched[] = [];
  private orderWatch: OrderWatch | null = null;
  private ends: (() => void)[] = [];

  /** Makes the host between a strategy and its run. */
  readonly hostFor = (run: Run): TracingHost => {
    const calls = new CallLog();
    const views = new WatchedViews(calls, this.names);
    this.hosts.set(run, { calls, views });
    return new TracingHost(run, calls, views);
  };
  readonly watchJournal = (own: Journal): Journal => (this.orderWatch = new OrderWatch(own));

  get orders(): OrderWatch {
    return this.orderWatch!;
  }

  /** Begins to watch, before the first bar of the run. */
  attach(engine: WatchedEngine): void {
    this.engine = engine;
    this.watched = engine.runs.map((run) => ({ run, ...this.hosts.get(run)!, memory: new WhenMemory(run), before: [] }));
  }
  /** Called after each block of the run. */
  readonly onBlock = (): boolean => {
    for (const { run, memory } of this.watched) memory.onBlock(this.orders.tradeMs[run.index] ?? -Infinity);
    return false;
  };

  /** True: verdicts are those of a journal. */
  isReplayed = false;

  /** From now on, what strategies read and ask for is noted, and orders that they decide are kept. */
  begin(): void {
    this.orders.clear();
    this.orders.isOn = true;
    const engine = this.engine!;
    const lastTicks = (index: number): number => engine.lastTicks(index);
    this.ends = [this.isReplayed ? this.orders.watchReplayedRisk(engine.risk, lastTicks) : this.orders.watchRisk(engine.risk)];
    for (const watched of this.watched) {
      const { run, calls } = watched;
      watched.before = this.fields(watched);
      calls.clear();
      calls.isOn = true;
      if (run.instance !== null) this.ends.push(...CALLBACKS.map((name) => watchCallback(run.instance!, name, calls)));
    }
  }
  end(): void {
    this.orders.isOn = false;
    this.orders.closeBar();
    for (const end of this.ends.splice(0)) end();
    for (const { calls } of this.watched) calls.isOn = false;
  }

  /** Returns what the strategies saw and did, at the end of the bar. `symbol`: limits values and conditions to one instrument. */
  strategies(instrument: string | null): readonly ExplainedStrategy[] {
    return this.watched.map((watched) => this.explained(watched, instrument));
  }

  private explained(watched: Watched, instrument: string | null): ExplainedStrategy {
    const { run, calls, views } = watched;
    // Legs of brackets and orders of the venue are not decisions.
    const isDecision = (role: string, parent: number | null): boolean => parent === null && role !== 'liquidation';
    const asked = this.orders.all().filter(({ strategy, role, parent }) => strategy === run.index && isDecision(role, parent));
    const fieldNames = run.instance === null ? new Map<object, readonly string[]>() : fieldsOfViews(run.instance, views);
    const when = run.watches
      .map((_, at) => this.whenOf(watched, at, fieldNames))
      .filter((_, at) => instrument === null || run.watches[at]!.feed.instrument.id === instrument);
    const { calls: noted } = calls.all();
    const waits = waitText(run, this.engine!.nowMs);
    const tradeMs = this.orders.tradeMs[run.index];
    return {
      name: run.name,
      index: run.index,
      waits,
      values: valuesOf(run, fieldNames, instrument),
      when,
      fields: this.changes(watched),
      calls: noted,
      lastTradeMs: tradeMs ?? null,
      noTrade: asked.length > 0 ? null : noTradeReasons(waits, when, noted, calls.entered),
    };
  }

  private whenOf({ run, calls, memory }: Watched, at: number, fieldNames: ReadonlyMap<object, readonly string[]>): ExplainedWhen {
    const { signal, feed } = run.watches[at]!;
    const set = feed.indicators;
    const { row } = feed.cursor;
    const operands = operandsOf(set, signal, row);
    const first = firstNotTrue(set, conjuncts(set, signal), row);
    return {
      number: at + 1,
      feed: `${feed.instrument.id} ${feed.bars.interval}`,
      text: signalText(set, signal),
      fields: fieldNames.get(signal) ?? [],
      state: operands[0]!.state,
      fired: calls.entered.has(`when ${at + 1}`),
      firstFalse: first === null ? null : signalText(set, first),
      operands,
      sinceTrade: first === null ? null : memory.wait(at),
    };
  }

  private fields({ run, views }: Watched): readonly FieldAt[] {
    const nameOf = (view: object): string | null => {
      const of = views.original(view);
      return of === view ? null : this.viewText(of);
    };
    return run.instance === null ? [] : fieldsOf(run.instance, run.kept, nameOf);
  }
  private changes(watched: Watched): readonly ExplainedField[] {
    const before = new Map(watched.before.map(({ name, text }) => [name, text]));
    return this.fields(watched).map(({ name, text, isKept, isView }) => ({
      name,
      before: before.get(name) ?? 'undefined',
      after: text,
      isKept,
      isView,
    }));
  }

  private viewText(view: object): string {
    const feed = this.engine?.feeds.find((each) => each.view === view);
    if (feed !== undefined) return `feed ${feed.instrument.id} ${feed.bars.interval}`;
    return this.names.nameOf(view as Parameters<typeof outputOf>[0]);
  }
  private readonly names: ViewNames = {
    prefixOf: (view) => {
      const shown = this.engine?.feeds.filter(({ isHidden }) => !isHidden) ?? [];
      const feed = shown.find((each) => each.view === view);
      return shown.length < 2 || feed === undefined ? '' : `${feed.instrument.id} ${feed.bars.interval} `;
    },
    nameOf: (view) => {
      const { home, key } = outputOf(view);
      const feed = this.engine?.feeds.find(({ indicators }) => indicators === home);
      return `${feed === undefined ? '' : this.names.prefixOf(feed.view)}${key}`;
    },
  };
}

/** Returns why a strategy gets no callbacks; null: it does. */
function waitText({ hasStarted, hasFailed, readyMs }: Run, nowMs: number): string | null {
  if (hasFailed) return 'it has thrown, and gets no more calls';
  if (hasStarted) return null;
  if (readyMs === Infinity) return 'its indicators are not ready before the data end';
  return readyMs > nowMs ? `its indicators warm up until ${formatMinute(readyMs)}` : 'it begins with the next bar';
}

/** Notes the calls of a callback under its name. Returns a function that ends it. */
function watchCallback(instance: Strategy, name: (typeof CALLBACKS)[number], calls: CallLog): () => void {
  const own = Object.getOwnPropertyDescriptor(instance, name);
  const called: unknown = Reflect.get(instance, name);
  // A field that holds the callback stays what it is: fields are shown as they are.
  if (typeof called !== 'function' || own !== undefined) return () => {};
  const value = (...given: unknown[]): unknown => calls.within(name, (): unknown => Reflect.apply(called, instance, given));
  Object.defineProperty(instance, name, { value, configurable: true, enumerable: false, writable: true });
  return () => void Reflect.deleteProperty(instance, name);
}
