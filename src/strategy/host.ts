// The port from the base class of strategies to the engine. Strategies themselves cannot reach it.

import { ConfigError } from '../base/errors.ts';
import { lastPrototype } from '../base/number/onlyMembers.ts';
import type { Series, Signal } from '../indicators/graph/series.ts';
import type { IndicatorSpec, SignalSource } from '../indicators/graph/spec.ts';
import type { Interval } from '../model/interval.ts';
import type { OrderId } from '../model/order.ts';
import type {
  Amendment,
  Feed,
  Funding,
  KnownSeries,
  Missed,
  OrderInfo,
  OrderOptions,
  Position,
  RebalanceOptions,
  Size,
  Weights,
} from './types.ts';

/** The argument of a strategy's constructor. The host belongs to it, but is no property of it, so that a strategy cannot reach the host. */
export interface Setup {
  readonly params: object;
}

/** The prototype of the parameters of all strategies. With one prototype, the parameters in all lanes of a sweep have one shape. */
const PARAMETERS_PROTOTYPE = lastPrototype('this.params');

const hosts = new WeakMap<object, StrategyHost>();
/** Returns the host of a set-up. The method is bound here, because a strategy could replace `WeakMap.prototype.get` to reach the host. */
const findHost: (setup: object) => StrategyHost | undefined = hosts.get.bind(hosts);

/** Returns the constructor argument of a strategy with these parameters, which `host` serves. */
export function setupOf(params: object, host: StrategyHost): Setup {
  // A copy, because isobar itself reads parameters that a strategy may not have.
  const setup = Object.freeze({ params: Object.setPrototypeOf({ ...params }, PARAMETERS_PROTOTYPE) as object });
  hosts.set(setup, host);
  return setup;
}

/** Returns the host of a set-up. Throws ConfigError for an object that isobar has not made. */
export function hostOf(setup: Setup): StrategyHost {
  const host = findHost(setup);
  if (host !== undefined) return host;
  throw new ConfigError(
    'a strategy was constructed with a set-up that is not of isobar',
    'pass the constructor argument on as it is: constructor(setup) { super(setup); }',
  );
}

/** The calls that `Strategy` passes on. The methods of `Strategy` describe them. */
export interface StrategyHost {
  readonly bars: Feed;
  feed(name: string, byDefault?: { readonly interval?: Interval }): Feed;
  feeds(name: string): readonly Feed[];
  series(name: string, feed: Feed | undefined): KnownSeries;
  use<Out>(what: IndicatorSpec<Out> | Series, options?: UseOptions): Out | Series;
  when(signal: SignalSource, handler: () => void): Signal;
  every(periodMs: number, handler: () => void, missed: Missed): void;
  at(dayMs: number, handler: () => void, missed: Missed): void;
  cron(pattern: string, timeZone: string, handler: () => void, missed: Missed): void;
  order(isBuy: boolean, size: Size | undefined, options: OrderOptions | undefined): OrderId;
  exit(feed: Feed | undefined): OrderId | null;
  target(size: Size, feed: Feed | undefined): OrderId | null;
  rebalance(weights: Weights, options?: RebalanceOptions): readonly OrderId[];
  cancel(id: OrderId): void;
  amend(id: OrderId, change: Amendment): OrderId | null;
  group(ids: readonly OrderId[]): void;
  closeAt(timeMs: number | null, feed: Feed | undefined): void;
  position(feed: Feed | undefined): Position;
  openOrders(feed: Feed | undefined): readonly OrderInfo[];
  funding(feed: Feed | undefined): Funding;
  readonly equity: number;
  readonly cash: number;
  moneyIn(what: 'cash' | 'equity', asset: string): number;
  readonly nowMs: number;
  random(): number;
  keep<T extends object>(state: T): T;
  log(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Options of `use`. */
export interface UseOptions {
  /** Number of earlier values that `ago` may read. Default: 1. */
  readonly depth?: number;
  /** Pane in which the report draws the indicator: `price` for the pane of the bars, any other name for a pane of its own. */
  readonly pane?: string;
  /** Name of the indicator in the report. Default: the key of the spec. */
  readonly name?: string;
}
