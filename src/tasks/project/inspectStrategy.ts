// Inspects what a strategy asks for: constructs its class with default parameters in a host that only records.

import { Decimal } from '../../base/number/decimal.ts';
import { ConfigError, StrategyError } from '../../base/errors.ts';
import { synthesizeBars } from '../../adapters/catalog/generate/generate.ts';
import { FeedRun } from '../../engine/feeds/feed.ts';
import { feedOf } from '../../engine/feeds/feedSearch.ts';
import { Instant } from '../../engine/feeds/instant.ts';
import { KnownViews } from '../../engine/feeds/knownViews.ts';
import type { Series, Signal } from '../../indicators/graph/series.ts';
import type { IndicatorSpec, SignalSource } from '../../indicators/graph/spec.ts';
import type { KnownValues } from '../../model/bars/knownValues.ts';
import type { Interval } from '../../model/interval.ts';
import type { OrderId } from '../../model/order.ts';
import { setupOf, type StrategyHost, type UseOptions } from '../../strategy/host.ts';
import { parseParams } from '../../strategy/params.ts';
import type { StrategyClass } from '../../strategy/strategy.ts';
import type { Feed, Funding, KnownSeries, OrderInfo, Position } from '../../strategy/types.ts';

/** A parameter of a strategy, as text. */
export interface ParamNote {
  readonly name: string;
  readonly kind: string;
  readonly default: string;
  /** As text: `1 to 1000`, `at least 1`, or the choices; empty: no range. */
  readonly range: string;
  readonly unit: string;
  readonly help: string;
}

/** A feed that a strategy asks for. */
export interface FeedNote {
  /** The name in the run definition. `bars` is the default feed. */
  readonly name: string;
  /** The interval that it asks for; null: any. */
  readonly interval: string | null;
  /** True when it asks for all feeds of that name. */
  readonly isList: boolean;
  /** Warm-up bars with default parameters. */
  readonly warmupBars: number;
}

/** What a strategy takes and does, found by constructing it. */
export interface StrategyNotes {
  readonly params: readonly ParamNote[];
  readonly feeds: readonly FeedNote[];
  /** Keys of registered indicators and signals: `sma(close, 10)`. */
  readonly indicators: readonly string[];
  /** Callbacks of the class, handlers and timers. */
  readonly calls: readonly string[];
}

/**
 * Returns what a strategy asks for. Throws ConfigError or StrategyError if the class cannot be constructed with its defaults.
 * `displayName`: its name in messages.
 */
export function inspectStrategy(strategy: StrategyClass, displayName: string): StrategyNotes {
  const host = new InspectionHost();
  const params = parseParams(strategy.params, {}, displayName);
  let instance: object;
  try {
    instance = new strategy(setupOf(params, host));
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${displayName}: ${error.message}`, error.remedy);
    if (error instanceof StrategyError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new StrategyError(
      `${displayName}: it cannot be constructed with its default parameters: ${message}`,
      'correct its field initialisers',
      error,
    );
  }
  const callbacks = ['onStart', 'onBar', 'onFill', 'onOrder', 'onStop'].filter((name) => typeof Reflect.get(instance, name) === 'function');
  // No callback is called here, so look in the text of the class for what callbacks read.
  const readsBars = /\bthis\.bars\b/.test(String(strategy));
  return {
    params: paramNotes(strategy),
    feeds: host.feedNotes(readsBars),
    indicators: host.indicators,
    calls: [...new Set([...callbacks, ...host.calls])],
  };
}

/** Returns the parameters of a strategy class with their defaults and meanings. */
function paramNotes({ params }: StrategyClass): readonly ParamNote[] {
  return Object.entries(params).map(([name, spec]) => ({
    name,
    kind: spec.kind,
    default: spec.default instanceof Decimal ? spec.default.toFixed() : String(spec.default),
    range: spec.choices === undefined ? rangeOf(spec.min, spec.max) : spec.choices.join(', '),
    unit: spec.unit ?? '',
    help: spec.help ?? '',
  }));
}

/** Returns a range as text; empty without bounds. Bounds are numbers, or decimals as text. */
function rangeOf(min: unknown, max: unknown): string {
  const boundText = (bound: unknown) => (typeof bound === 'number' || typeof bound === 'string' ? String(bound) : null);
  const from = boundText(min);
  const to = boundText(max);
  if (from && to) return `${from} to ${to}`;
  if (from) return `at least ${from}`;
  return to ? `at most ${to}` : '';
}

/** Before a run there is no position. Fields of a strategy may hold this object. */
const FLAT_POSITION: Position = {
  qty: new Decimal(0),
  entryPrice: NaN,
  isFlat: true,
  isLong: false,
  isShort: false,
  long: new Decimal(0),
  short: new Decimal(0),
  openedMs: NaN,
  ageMs: NaN,
  unrealisedProfit: new Decimal(0),
};
/** A series without values. */
const NO_VALUES: KnownValues = { length: 0, knownMs: new Float64Array(0), timeMs: new Float64Array(0), value: new Float64Array(0) };
const NO_FUNDING: Funding = { rate: NaN, atMs: NaN, nextMs: NaN, ago: () => NaN };

/** Example symbols for a list of feeds. */
const LIST_SYMBOLS = ['AAAUSDT', 'BBBUSDT', 'CCCUSDT'];

/** A host without bars: it records what a strategy declares, and every number in it is NaN or 0. */
class InspectionHost implements StrategyHost {
  readonly indicators: string[] = [];
  readonly calls: string[] = [];
  readonly equity = 0;
  readonly cash = 0;
  moneyIn(): number {
    return 0;
  }
  readonly nowMs = 0;
  readonly #instant = new Instant(0);
  readonly #feedRuns: FeedRun[] = [];
  /** By name of the feed: how it was requested, and the warm-up bars that its indicators need. */
  readonly #requested = new Map<string, { interval: string | null; isList: boolean }>();
  readonly #warmup = new Map<string, number>();
  #isBarsUsed = false;
  readonly #bars = this.#addFeed('bars', 'AAAUSDT', '1h');

  /** The default feed always exists. It is reported if it is used, or if no other feed was requested. */
  get bars(): Feed {
    return this.#bars.view;
  }
  feed(name: string, byDefault?: { readonly interval?: Interval }): Feed {
    const existing = this.#feedRuns.find((run) => run.name === name);
    this.#requested.set(name, { interval: byDefault?.interval ?? null, isList: false });
    return (existing ?? this.#addFeed(name, 'AAAUSDT', byDefault?.interval ?? '4h')).view;
  }
  feeds(name: string): readonly Feed[] {
    this.#requested.set(name, { interval: null, isList: true });
    return LIST_SYMBOLS.map((symbol) => this.#addFeed(name, symbol, '1h').view);
  }
  /** No value of any series is known before a run. */
  series(name: string, feed: Feed = this.bars): KnownSeries {
    const run = this.#feedRuns.find(({ view }) => view === feed) ?? this.#bars;
    if (run === this.#bars) this.#isBarsUsed = true;
    if (!this.indicators.includes(`series(${name})`)) this.indicators.push(`series(${name})`);
    return new KnownViews('', [{ name, symbol: null, values: NO_VALUES }], this).on(run, name, () => {});
  }
  use<Out>(what: IndicatorSpec<Out> | Series, options: UseOptions = {}): Out | Series {
    const run = this.#noteUse(what);
    return run.indicators.use(what as IndicatorSpec<Out>, options.depth ?? 1);
  }
  when(signal: SignalSource): Signal {
    const run = this.#noteUse(signal);
    this.calls.push(`when ${'key' in signal ? signal.key : run.indicators.keyOf(signal)}`);
    return run.indicators.use(signal as IndicatorSpec<Signal>, 1);
  }
  every(periodMs: number): void {
    this.calls.push(`every ${periodMs / 1000} s`);
  }
  keep<T extends object>(state: T): T {
    return state;
  }
  cron(pattern: string, timeZone: string): void {
    this.calls.push(`cron ${pattern} ${timeZone}`);
  }
  at(dayMs: number): void {
    const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0');
    this.calls.push(`at ${twoDigits(dayMs / 3_600_000)}:${twoDigits((dayMs / 60_000) % 60)} UTC`);
  }
  order(): OrderId {
    throw this.#tooEarly('an order');
  }
  exit(): OrderId | null {
    throw this.#tooEarly('exit()');
  }
  target(): OrderId | null {
    throw this.#tooEarly('target()');
  }
  rebalance(): readonly OrderId[] {
    throw this.#tooEarly('rebalance()');
  }
  cancel(): void {
    throw this.#tooEarly('cancel()');
  }
  amend(): OrderId | null {
    throw this.#tooEarly('amend()');
  }
  group(): void {
    throw this.#tooEarly('oco()');
  }
  closeAt(): void {
    throw this.#tooEarly('closeAt()');
  }
  position(): Position {
    return FLAT_POSITION;
  }
  openOrders(): readonly OrderInfo[] {
    return [];
  }
  funding(): Funding {
    return NO_FUNDING;
  }
  random(): number {
    return 0.5;
  }
  log(): void {
    // Messages during construction are dropped: there is no run with a log.
  }

  /** Returns the requested feeds. `readsBars`: the text of the class mentions `this.bars`. */
  feedNotes(readsBars: boolean): readonly FeedNote[] {
    const requestedFeeds = [...this.#requested].map(([name, { interval, isList }]) => ({
      name,
      interval,
      isList,
      warmupBars: this.#warmup.get(name) ?? 0,
    }));
    if (!this.#isBarsUsed && !readsBars && requestedFeeds.length > 0) return requestedFeeds;
    return [{ name: 'bars', interval: null, isList: false, warmupBars: this.#warmup.get('bars') ?? 0 }, ...requestedFeeds];
  }

  /** Notes an indicator and the warm-up that it needs. Returns the feed that it reads. */
  #noteUse(indicator: IndicatorSpec<unknown> | Series | SignalSource): FeedRun {
    const run = feedOf(this.#feedRuns, indicator);
    if (run.name === 'bars') this.#isBarsUsed = true;
    if ('key' in indicator && !this.indicators.includes(indicator.key)) this.indicators.push(indicator.key);
    const warmupBars = 'warmupBars' in indicator ? indicator.warmupBars : 1;
    this.#warmup.set(run.name, Math.max(this.#warmup.get(run.name) ?? 0, warmupBars));
    return run;
  }
  /** Adds a feed of two synthetic bars, because indicators need a feed to be registered. */
  #addFeed(name: string, symbol: string, interval: Interval): FeedRun {
    const bars = synthesizeBars({ symbol, interval, fromMs: 0, bars: 2, seed: 1 });
    const run = new FeedRun(name, bars, bars.instrument, this.#feedRuns.length, 0, 1, this.#instant);
    this.#feedRuns.push(run);
    return run;
  }
  /** Returns the error for an action that needs a run. */
  #tooEarly(action: string): ConfigError {
    return new ConfigError(`${action} while the strategy is constructed`, 'trade from onStart, onBar, a handler or a timer');
  }
}
