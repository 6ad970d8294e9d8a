// The base class of every strategy: field initialisers register feeds, indicators and handlers; callbacks decide.

import { ConfigError } from '../base/errors.ts';
import type { TimeMs } from '../base/brand.ts';
import type { Series, Signal } from '../indicators/graph/series.ts';
import type { IndicatorSpec, SignalSource, Source } from '../indicators/graph/spec.ts';
import type { Interval } from '../model/interval.ts';
import type { OrderId } from '../model/order.ts';
import { hostOf, type Setup, type StrategyHost, type UseOptions } from './host.ts';
import type { Specs, Values } from './params.ts';
import type {
  Amendment, CronOptions, Feed, FillInfo, Funding, KnownSeries, Missed, OrderInfo, OrderOptions, Position, RebalanceOptions, Size, TimerOptions, Weights,
} from './types.ts'; // prettier-ignore

export type { Setup };

/** The default export of a strategy file. */
export interface StrategyClass {
  readonly params: Specs;
  readonly name: string;
  new (setup: Setup): Strategy;
}
export type StrategyBase<P extends object> = { params: Specs; with: typeof Strategy.with } & (abstract new (setup: Setup) => Strategy<P>);

export abstract class Strategy<P extends object = object> {
  /** Declared parameters, readable without constructing. */
  static params: Specs = {};

  /** Returns the base class of a strategy with parameters: `class SmaCross extends Strategy.with({ fast: int(10) })`. */
  static with<const S extends Specs>(specs: S): StrategyBase<Values<S>> {
    abstract class WithParams extends Strategy<Values<S>> {
      static override params: Specs = specs;
    }
    return WithParams;
  }

  readonly #host: StrategyHost;
  readonly params: P;
  /** The default feed: the one named `bars` in the run definition, or the file of `--data`. */
  protected readonly bars: Feed;

  constructor(setup: Setup) {
    this.#host = hostOf(setup);
    this.params = setup.params as P;
    this.bars = this.#host.bars;
  }

  /** Returns a feed by its name in the run definition; `interval` is used when the definition has no such name. */
  protected feed(name: string, byDefault?: { readonly interval?: Interval }): Feed {
    return this.#host.feed(name, byDefault);
  }
  /** Returns all feeds of a list in the run definition, for rotation over many symbols. */
  protected feeds(name: string): readonly Feed[] {
    return this.#host.feeds(name);
  }
  /**
   * Returns an external series by its name in the run definition: the newest value known by now, and its age. Indicators over it go by the
   * bars of `feed`, by default those of the default feed. Call it in a field initialiser first.
   */
  protected series(name: string, feed?: Feed): KnownSeries {
    return this.#host.series(name, feed);
  }
  /** Registers an indicator or a signal, or a deeper look-back on a series. */
  protected use<Out>(spec: IndicatorSpec<Out>, options?: UseOptions): Out;
  protected use(series: Series, options: { readonly depth: number }): Series;
  protected use<Out>(what: IndicatorSpec<Out> | Series, options?: UseOptions): Out | Series {
    return this.#host.use(what, options);
  }
  /**
   * Draws a series in the report under a name of yours: in a pane of that name, in `pane`, or with `pane: 'price'` over the bars. Call it in
   * a field initialiser or in the constructor.
   */
  protected plot(name: string, source: Source, options: { readonly pane?: string } = {}): Series {
    return this.#host.use(source, { name, pane: options.pane ?? name });
  }
  /** Calls `handler` at the close of each bar on which the signal is true. */
  protected when(signal: SignalSource, handler: () => void): Signal {
    return this.#host.when(signal, handler);
  }
  /** Calls `handler` on the UTC grid of a period: `every('1h', ...)` at each full hour. */
  protected every(period: `${number}${'s' | 'm' | 'h' | 'd'}`, handler: () => void, options: TimerOptions = {}): void {
    this.#host.every(periodMs(period), handler, missedOf('every', options));
  }
  /** Calls `handler` daily at a UTC time: `at('08:00', ...)`. */
  protected at(timeUtc: `${number}:${number}`, handler: () => void, options: TimerOptions = {}): void {
    this.#host.at(timeOfDayMs(timeUtc), handler, missedOf('at', options));
  }
  /** Calls `handler` when a cron pattern names a time: `cron('0 8 * * 1-5', ...)` at 08:00 on weekdays, UTC or the clock of a zone. */
  protected cron(pattern: string, handler: () => void, zone: string | CronOptions = 'UTC', options: TimerOptions = {}): void {
    const given: CronOptions = typeof zone === 'string' ? { ...options, timeZone: zone } : zone;
    this.#host.cron(pattern, given.timeZone ?? 'UTC', handler, missedOf('cron', given));
  }

  /** Buys; without a size, the size of the run definition. `onOrder` and `onFill` report what becomes of the order. */
  protected buy(size?: Size, options?: OrderOptions): OrderId {
    return this.#host.order(true, size, options);
  }
  protected sell(size?: Size, options?: OrderOptions): OrderId {
    return this.#host.order(false, size, options);
  }
  /** Cancels the working orders of the feed and closes its position. Null when nothing is open, or when cancels must act first. */
  protected exit(feed?: Feed): OrderId | null {
    return this.#host.exit(feed);
  }
  /** Trades the difference to a size, counting working orders; null without a difference. */
  protected target(size: Size, feed?: Feed): OrderId | null {
    return this.#host.target(size, feed);
  }
  /**
   * Brings positions to fractions of the equity, by symbol. A symbol without a weight is closed. What frees money is sent first; what takes it
   * waits until those orders have ended.
   */
  protected rebalance(weights: Weights, options?: RebalanceOptions): readonly OrderId[] {
    return this.#host.rebalance(weights, options);
  }
  protected cancel(id: OrderId): void {
    this.#host.cancel(id);
  }
  /**
   * Changes an order of this strategy: `limit` and `size` of a limit order that works, `stop` of what an order has bought or will buy.
   * Returns the id of the order that now stands for it; null if there is nothing to change any more.
   */
  protected amend(id: OrderId, change: Amendment): OrderId | null {
    return this.#host.amend(id, change);
  }
  /** One cancels the other: the first fill of one of these orders, also in part, cancels the rest. */
  protected oco(...ids: readonly OrderId[]): void {
    this.#host.group(ids);
  }
  /** Exits a feed at a time, ms UTC, whatever is held then. The newest call for a feed counts; null calls it off. */
  protected closeAt(timeMs: number | null, feed?: Feed): void {
    this.#host.closeAt(timeMs, feed);
  }
  protected position(feed?: Feed): Position {
    return this.#host.position(feed);
  }
  protected openOrders(feed?: Feed): readonly OrderInfo[] {
    return this.#host.openOrders(feed);
  }
  /** Returns the funding of a contract as known by now: past rates, and when the next one is due. */
  protected funding(feed?: Feed): Funding {
    return this.#host.funding(feed);
  }
  /** Cash plus positions at the last close, in the reporting asset. */
  protected get equity(): number {
    return this.#host.equity;
  }
  protected get cash(): number {
    return this.#host.cash;
  }
  /** The current instant, ms UTC. */
  protected get nowMs(): TimeMs {
    return this.#host.nowMs as TimeMs;
  }
  /** Returns a uniform random number in [0, 1), from the run's seed. */
  protected random(): number {
    return this.#host.random();
  }
  /**
   * Registers plain data (numbers, text, flags, lists, plain objects) that a live bot writes to its journal when it has changed, so that a
   * restart resumes with it. Returns the object: change it in place. Call it in a field initialiser, once a strategy.
   */
  protected keep<T extends object>(state: T): T {
    return this.#host.keep(state);
  }
  protected log(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#host.log(message, fields);
  }

  /** Called once, before the first bar on which everything is ready. */
  onStart?(): void;
  /** Called once an instant, after all bars that closed then are in. */
  onBar?(): void;
  onFill?(fill: FillInfo): void;
  onOrder?(order: OrderInfo): void;
  onStop?(): void;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function periodMs(period: string): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(period) ?? [];
  const length = Number(count) * (UNIT_MS[unit ?? ''] ?? NaN);
  if (!(length >= 1000)) throw new ConfigError(`every('${period}'): expected a period such as 30s, 5m, 1h or 1d`, 'correct the period');
  return length;
}

const MISSED: readonly Missed[] = ['skip', 'once', 'all'];

function missedOf(call: string, { missed = 'skip' }: TimerOptions): Missed {
  if (MISSED.includes(missed)) return missed;
  throw new ConfigError(`${call}: missed: expected one of ${MISSED.join(', ')}, got ${missed}`, 'correct the option');
}

function timeOfDayMs(time: string): number {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(time) ?? [];
  if (!(Number(hour) < 24 && Number(minute) < 60))
    throw new ConfigError(`at('${time}'): expected a UTC time such as 08:00`, 'correct the time');
  return Number(hour) * 3_600_000 + Number(minute) * 60_000;
}
