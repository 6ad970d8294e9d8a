// What the base class of strategies needs from the engine, which implements it. Strategy authors never see it.

import { ConfigError } from '../base/errors.ts';
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

/** What a strategy is constructed with. Opaque to authors: the host is linked to it, but is not a property of it. */
export interface Setup {
  readonly params: object;
}

const hosts = new WeakMap<object, StrategyHost>();
/** Bound: a WeakMap whose prototype a strategy has changed must not expose the host. */
const hostBehind: (setup: object) => StrategyHost | undefined = hosts.get.bind(hosts);

/** Returns what a strategy is constructed with: its parameters, and the host that serves it. */
export function setupOf(params: object, host: StrategyHost): Setup {
  const setup = Object.freeze({ params });
  hosts.set(setup, host);
  return setup;
}

/** Returns the host of a set-up. Throws ConfigError for an object that isobar has not made. */
export function hostOf(setup: Setup): StrategyHost {
  const host = hostBehind(setup);
  if (host !== undefined) return host;
  throw new ConfigError(
    'a strategy was constructed with a set-up that is not of isobar',
    'pass the constructor argument on as it is: constructor(setup) { super(setup); }',
  );
}

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
  readonly nowMs: number;
  random(): number;
  keep<T extends object>(state: T): T;
  log(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface UseOptions {
  /** How many earlier values `ago` may read; 1 by default. */
  readonly depth?: number;
  /** Where the report draws it: `price` over the bars, any other name in a pane of its own. */
  readonly pane?: string;
  /** Its name in the report; the key of the spec by default. */
  readonly name?: string;
}
