// The base class of every strategy. Its field initialisers register feeds, indicators and handlers, and its callbacks trade.

import { ConfigError } from '../base/errors.ts';
import { mustBeCalled } from '../base/number/onlyMembers.ts';
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
/** The base class of a strategy with the parameters `P`. */
export type StrategyBase<P extends object> = { params: Specs; with: typeof Strategy.with } & (abstract new (setup: Setup) => Strategy<P>);

/** The base class of strategies. */
export abstract class Strategy<P extends object = object> {
  /** Declared parameters. Static, so that isobar can read them before it constructs the strategy. */
  static params: Specs = {};

  /** Returns the base class of a strategy with parameters: `class SmaCross extends Strategy.with({ fast: int(10) })`. */
  static with<const S extends Specs>(specs: S): StrategyBase<Values<S>> {
    abstract class WithParams extends Strategy<Values<S>> {
      static override params: Specs = specs;
    }
    return WithParams;
  }

  readonly #host: StrategyHost;
  /** The values of the declared parameters. */
  readonly params: P;
  /** The default feed: the feed with the name `bars` in the run definition, or the file of `--data`. */
  protected readonly bars: Feed;

  constructor(setup: Setup) {
    this.#host = hostOf(setup);
    this.params = setup.params as P;
    this.bars = this.#host.bars;
  }

  /** Returns a feed by its name in the run definition. If the definition has no such name, the feed has the interval of `byDefault`. */
  protected feed(name: string, byDefault?: { readonly interval?: Interval }): Feed {
    return this.#host.feed(name, byDefault);
  }
  /** Returns all feeds of a list in the run definition, such as those of many symbols. */
  protected feeds(name: string): readonly Feed[] {
    return this.#host.feeds(name);
  }
  /**
   * Returns an external series by its name in the run definition: the newest value that is known, and its age. Indicators over it have a value
   * for each bar of `feed`, by default the default feed. Call it in a field initialiser first.
   */
  protected series(name: string, feed?: Feed): KnownSeries {
    return this.#host.series(name, feed);
  }
  /** Registers an indicator, a signal, or a longer look-back (`depth`) on a series. Returns its values. */
  protected use<Out>(spec: IndicatorSpec<Out>, options?: UseOptions): Out;
  protected use(series: Series, options: { readonly depth: number }): Series;
  protected use<Out>(what: IndicatorSpec<Out> | Series, options?: UseOptions): Out | Series {
    return this.#host.use(what, options);
  }
  /**
   * Draws a series in the report and the dashboard, under the name `name`. The pane is `pane`, by default one of the same name. The pane of
   * the bars is `price`. Call it in a field initialiser or in the constructor.
   */
  protected plot(name: string, source: Source, options: { readonly pane?: string } = {}): Series {
    return this.#host.use(source, { name, pane: options.pane ?? name });
  }
  /** Calls `handler` at the close of each bar on which the signal is true. */
  protected when(signal: SignalSource, handler: () => void): Signal {
    return this.#host.when(signal, handler);
  }
  /** Calls `handler` at every multiple of a period in UTC: `every('1h', ...)` calls it at each full hour. */
  protected every(period: `${number}${'s' | 'm' | 'h' | 'd'}`, handler: () => void, options: TimerOptions = {}): void {
    this.#host.every(periodMs(period), handler, missedOf('every', options));
  }
  /** Calls `handler` every day at a UTC time: `at('08:00', ...)`. */
  protected at(timeUtc: `${number}:${number}`, handler: () => void, options: TimerOptions = {}): void {
    this.#host.at(timeOfDayMs(timeUtc), handler, missedOf('at', options));
  }
  /** Calls `handler` at the times of a cron pattern, in UTC or a time zone: `cron('0 8 * * 1-5', ...)` calls it at 08:00 on weekdays. */
  protected cron(pattern: string, handler: () => void, zone: string | CronOptions = 'UTC', options: TimerOptions = {}): void {
    const cronOptions: CronOptions = typeof zone === 'string' ? { ...options, timeZone: zone } : zone;
    this.#host.cron(pattern, cronOptions.timeZone ?? 'UTC', handler, missedOf('cron', cronOptions));
  }

  /** Places a buy order. Its default size is that of the run definition. `onOrder` and `onFill` report the progress of the order. */
  protected buy(size?: Size, options?: OrderOptions): OrderId {
    return this.#host.order(true, size, options);
  }
  /** Places a sell order. Its default size is that of the run definition. `onOrder` and `onFill` report the progress of the order. */
  protected sell(size?: Size, options?: OrderOptions): OrderId {
    return this.#host.order(false, size, options);
  }
  /** Cancels the working orders of the feed and closes its position. Returns null when nothing is open, or when cancels must act first. */
  protected exit(feed?: Feed): OrderId | null {
    return this.#host.exit(feed);
  }
  /** Trades the difference between the position with its working orders and a size. Returns null when there is no difference. */
  protected target(size: Size, feed?: Feed): OrderId | null {
    return this.#host.target(size, feed);
  }
  /**
   * Trades until the positions are these fractions of the equity, by symbol. Closes the position of a symbol without a weight. Orders that free
   * money are sent first. Orders that need money wait until they have ended.
   */
  protected rebalance(weights: Weights, options?: RebalanceOptions): readonly OrderId[] {
    return this.#host.rebalance(weights, options);
  }
  /** Cancels an order of this strategy. */
  protected cancel(id: OrderId): void {
    this.#host.cancel(id);
  }
  /**
   * Changes an order of this strategy: `limit` and `size` of a working limit order, `stop` and `target` of the position that it opens. Returns
   * the id of the order that replaces it. Null if nothing is left to change.
   */
  protected amend(id: OrderId, change: Amendment): OrderId | null {
    return this.#host.amend(id, change);
  }
  /** Links orders so that one cancels the other: the first fill of one of them, even in part, cancels the others. */
  protected oco(...ids: readonly OrderId[]): void {
    this.#host.group(ids);
  }
  /** Closes the position of a feed at a time, ms UTC. A later call for the feed replaces an earlier one. Null removes the exit. */
  protected closeAt(timeMs: number | null, feed?: Feed): void {
    this.#host.closeAt(timeMs, feed);
  }
  /** Returns the position of this strategy in the instrument of a feed. */
  protected position(feed?: Feed): Position {
    return this.#host.position(feed);
  }
  /** Returns the unfinished orders of this strategy in the instrument of a feed. */
  protected openOrders(feed?: Feed): readonly OrderInfo[] {
    return this.#host.openOrders(feed);
  }
  /** Returns the funding of a contract that is known now: past rates, and when the next one is due. */
  protected funding(feed?: Feed): Funding {
    return this.#host.funding(feed);
  }
  /** Cash plus positions at the last close, in the reporting asset. */
  protected get equity(): number {
    return this.#host.equity;
  }
  /** Cash in the reporting asset. */
  protected get cash(): number {
    return this.#host.cash;
  }
  /** Returns the cash in a quote asset of the run, such as `this.cashIn('BTC')`. */
  protected cashIn(asset: string): number {
    return this.#host.moneyIn('cash', asset);
  }
  /** Returns the equity as an amount of a quote asset of the run, at the newest close of its conversion. For sizes of orders in that asset. */
  protected equityIn(asset: string): number {
    return this.#host.moneyIn('equity', asset);
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
   * Registers plain data (numbers, text, flags, lists, plain objects) of the strategy. A live bot writes a change to its journal, so that a
   * restart continues with the data. Returns the object, which you change in place. Call it once, in a field initialiser.
   */
  protected keep<T extends object>(state: T): T {
    return this.#host.keep(state);
  }
  /** Writes a line to the log of the run. */
  protected log(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.#host.log(message, fields);
  }

  /** Called once, before the first bar on which all feeds and indicators are ready. */
  onStart?(): void;
  /** Called once at each instant, after all bars that close at it are in. */
  onBar?(): void;
  /** Called after each fill of an order of this strategy. */
  onFill?(fill: FillInfo): void;
  /** Called after each change of an order of this strategy. */
  onOrder?(order: OrderInfo): void;
  /** Called once, at the end of the run. */
  onStop?(): void;
}

mustBeCalled(Strategy.prototype, ['position', 'funding']);

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the length of a period such as `5m`, ms. Throws ConfigError for any other text. */
function periodMs(period: string): number {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(period) ?? [];
  const length = Number(count) * (UNIT_MS[unit ?? ''] ?? NaN);
  if (!(length >= 1000)) throw new ConfigError(`every('${period}'): expected a period such as 30s, 5m, 1h or 1d`, 'correct the period');
  return length;
}

const MISSED: readonly Missed[] = ['skip', 'once', 'all'];

/** Returns the option `missed`. Throws ConfigError for an invalid value. */
function missedOf(call: string, { missed = 'skip' }: TimerOptions): Missed {
  if (MISSED.includes(missed)) return missed;
  throw new ConfigError(`${call}: missed: expected one of ${MISSED.join(', ')}, got ${missed}`, 'correct the option');
}

/** Returns the time since midnight of a text such as `08:00`, ms. Throws ConfigError for any other text. */
function timeOfDayMs(time: string): number {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(time) ?? [];
  if (!(Number(hour) < 24 && Number(minute) < 60))
    throw new ConfigError(`at('${time}'): expected a UTC time such as 08:00`, 'correct the time');
  return Number(hour) * 3_600_000 + Number(minute) * 60_000;
}
