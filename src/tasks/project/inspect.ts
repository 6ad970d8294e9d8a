// What a strategy asks for: its class constructed with default parameters in a set-up that only takes notes.

import { Decimal } from '../../base/number/decimal.ts';
import { ConfigError, StrategyError } from '../../base/errors.ts';
import { synthesizeBars } from '../../adapters/catalog/generate/generate.ts';
import { FeedRun } from '../../engine/feeds/feed.ts';
import { feedOf } from '../../engine/feeds/feedSearch.ts';
import { Instant } from '../../engine/feeds/instant.ts';
import type { Series, Signal } from '../../indicators/graph/series.ts';
import type { IndicatorSpec, SignalSource } from '../../indicators/graph/spec.ts';
import type { Interval } from '../../model/interval.ts';
import type { OrderId } from '../../model/order.ts';
import { setupOf, type StrategyHost, type UseOptions } from '../../strategy/host.ts';
import { parseParams } from '../../strategy/params.ts';
import type { StrategyClass } from '../../strategy/strategy.ts';
import type { Feed, Funding, OrderInfo, Position } from '../../strategy/types.ts';

export interface ParamNote {
  readonly name: string;
  readonly kind: string;
  readonly default: string;
  /** As people write it: `1 to 1000`, `at least 1`, or the choices; empty without one. */
  readonly range: string;
  readonly unit: string;
  readonly help: string;
}

export interface FeedNote {
  /** The name in the run definition; `bars` is the default feed. */
  readonly name: string;
  /** The interval that it asks for; null where any will do. */
  readonly interval: string | null;
  /** It asks for all feeds of that name. */
  readonly isList: boolean;
  /** Bars before its first decision, with default parameters. */
  readonly warmupBars: number;
}

export interface StrategyNotes {
  readonly params: readonly ParamNote[];
  readonly feeds: readonly FeedNote[];
  /** Keys of registered indicators and signals: `sma(close, 10)`. */
  readonly indicators: readonly string[];
  /** Callbacks that the class has, handlers and timers. */
  readonly calls: readonly string[];
}

/** Throws ConfigError or StrategyError when the class cannot be constructed with its defaults. `shown` names it in messages. */
export function inspectStrategy(strategy: StrategyClass, shown: string): StrategyNotes {
  const host = new RecordingHost();
  const params = parseParams(strategy.params, {}, shown);
  let instance: object;
  try {
    instance = new strategy(setupOf(params, host));
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${shown}: ${error.message}`, error.remedy);
    if (error instanceof StrategyError) throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw new StrategyError(
      `${shown}: it cannot be constructed with its default parameters: ${what}`,
      'correct its field initialisers',
      error,
    );
  }
  const callbacks = ['onStart', 'onBar', 'onFill', 'onOrder', 'onStop'].filter((name) => typeof Reflect.get(instance, name) === 'function');
  // What callbacks read shows in the text of the class alone: none of them is called here.
  const readsBars = /\bthis\.bars\b/.test(String(strategy));
  return {
    params: paramNotes(strategy),
    feeds: host.feedNotes(readsBars),
    indicators: host.indicators,
    calls: [...new Set([...callbacks, ...host.calls])],
  };
}

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

/** Bounds are numbers, or decimals as text. */
function rangeOf(min: unknown, max: unknown): string {
  const [from, to] = [min, max].map((bound) => (typeof bound === 'number' || typeof bound === 'string' ? String(bound) : null));
  if (from && to) return `${from} to ${to}`;
  if (from) return `at least ${from}`;
  return to ? `at most ${to}` : '';
}

/** Nothing is held before a run: a field that keeps its position for later is sound. */
const FLAT: Position = {
  qty: new Decimal(0),
  entryPrice: NaN,
  isFlat: true,
  isLong: false,
  isShort: false,
  long: new Decimal(0),
  short: new Decimal(0),
};
const NO_FUNDING: Funding = { rate: NaN, atMs: NaN, nextMs: NaN, ago: () => NaN };

/** Feeds of a list that stand for any number of them. */
const LIST_SYMBOLS = ['AAAUSDT', 'BBBUSDT', 'CCCUSDT'];

class RecordingHost implements StrategyHost {
  readonly indicators: string[] = [];
  readonly calls: string[] = [];
  readonly equity = 0;
  readonly cash = 0;
  readonly nowMs = 0;
  readonly #instant = new Instant(0);
  readonly #runs: FeedRun[] = [];
  readonly #requested = new Map<string, { interval: string | null; isList: boolean }>();
  readonly #warmup = new Map<string, number>();
  #isBarsUsed = false;
  readonly #bars = this.#make('bars', 'AAAUSDT', '1h');

  /** The default feed is there from the start; it is noted where it is read, or nothing else was asked for. */
  get bars(): Feed {
    return this.#bars.view;
  }
  feed(name: string, byDefault?: { readonly interval?: Interval }): Feed {
    const known = this.#runs.find((run) => run.name === name);
    this.#requested.set(name, { interval: byDefault?.interval ?? null, isList: false });
    return (known ?? this.#make(name, 'AAAUSDT', byDefault?.interval ?? '4h')).view;
  }
  feeds(name: string): readonly Feed[] {
    this.#requested.set(name, { interval: null, isList: true });
    return LIST_SYMBOLS.map((symbol) => this.#make(name, symbol, '1h').view);
  }
  use<Out>(what: IndicatorSpec<Out> | Series, options: UseOptions = {}): Out | Series {
    const run = this.#note(what);
    return run.indicators.use(what as IndicatorSpec<Out>, options.depth ?? 1);
  }
  when(signal: SignalSource): Signal {
    const run = this.#note(signal);
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
    const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
    this.calls.push(`at ${two(dayMs / 3_600_000)}:${two((dayMs / 60_000) % 60)} UTC`);
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
  cancel(): void {
    throw this.#tooEarly('cancel()');
  }
  position(): Position {
    return FLAT;
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
    // What is said in a set-up has no run whose log could hold it.
  }

  feedNotes(readsBars: boolean): readonly FeedNote[] {
    const asked = [...this.#requested].map(([name, { interval, isList }]) => ({
      name,
      interval,
      isList,
      warmupBars: this.#warmup.get(name) ?? 0,
    }));
    if (!this.#isBarsUsed && !readsBars && asked.length > 0) return asked;
    return [{ name: 'bars', interval: null, isList: false, warmupBars: this.#warmup.get('bars') ?? 0 }, ...asked];
  }

  #note(what: IndicatorSpec<unknown> | Series | SignalSource): FeedRun {
    const run = feedOf(this.#runs, what);
    if (run.name === 'bars') this.#isBarsUsed = true;
    if ('key' in what && !this.indicators.includes(what.key)) this.indicators.push(what.key);
    const bars = 'warmupBars' in what ? what.warmupBars : 1;
    this.#warmup.set(run.name, Math.max(this.#warmup.get(run.name) ?? 0, bars));
    return run;
  }
  #make(name: string, symbol: string, interval: Interval): FeedRun {
    const bars = synthesizeBars({ symbol, interval, fromMs: 0, bars: 2, seed: 1 });
    const run = new FeedRun(name, bars, bars.instrument, this.#runs.length, 0, 1, this.#instant);
    this.#runs.push(run);
    return run;
  }
  #tooEarly(what: string): ConfigError {
    return new ConfigError(`${what} while the strategy is constructed`, 'trade from onStart, onBar, a handler or a timer');
  }
}
