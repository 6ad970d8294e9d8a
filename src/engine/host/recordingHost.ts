// Records the calls that a strategy makes, so that two runs that must behave alike can be compared.

import type { Series, Signal } from '../../indicators/graph/series.ts';
import type { IndicatorSpec, SignalSource } from '../../indicators/graph/spec.ts';
import type { Interval } from '../../model/interval.ts';
import type { OrderId } from '../../model/order.ts';
import type { StrategyHost, UseOptions } from '../../strategy/host.ts';
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
} from '../../strategy/types.ts';
import { callText } from './callText.ts';
import type { StrategyRun } from './strategyRun.ts';

/** One call of a strategy. */
export interface HostCall {
  readonly timeMs: number;
  /** The call as text, such as `ThisStrategy: buy({"base":"1"})`. */
  readonly text: string;
}

/** Receives each call of a strategy before it is made. */
export interface HostCallLog {
  note(run: StrategyRun, name: string, args: readonly unknown[]): void;
}

/** Limit on recorded calls. If two runs differ, they do so early. */
const MAX_CALLS = 1_000_000;

/** Keeps each call as text. */
export class HostCallTexts implements HostCallLog {
  readonly calls: HostCall[] = [];

  note(run: StrategyRun, name: string, args: readonly unknown[]): void {
    if (this.calls.length < MAX_CALLS) this.calls.push({ timeMs: run.nowMs, text: callText(run, name, args) });
  }
}

/** Passes every call of a strategy on to its run, and reports it before. */
export class RecordingHost implements StrategyHost {
  private readonly run: StrategyRun;
  private readonly callLog: HostCallLog;

  constructor(run: StrategyRun, callLog: HostCallLog) {
    this.run = run;
    this.callLog = callLog;
  }

  get bars(): Feed {
    return this.run.bars;
  }
  feed(name: string, byDefault?: { readonly interval?: Interval }): Feed {
    return this.run.feed(name, byDefault);
  }
  feeds(name: string): readonly Feed[] {
    return this.run.feeds(name);
  }
  series(name: string, feed: Feed | undefined): KnownSeries {
    return this.run.series(name, feed);
  }
  use<Out>(specOrSeries: IndicatorSpec<Out> | Series, options?: UseOptions): Out | Series {
    return this.run.use(specOrSeries, options);
  }
  when(signal: SignalSource, handler: () => void): Signal {
    return this.run.when(signal, handler);
  }
  every(periodMs: number, handler: () => void, missed: Missed): void {
    this.note('every', periodMs);
    this.run.every(periodMs, handler, missed);
  }
  at(dayMs: number, handler: () => void, missed: Missed): void {
    this.note('at', dayMs);
    this.run.at(dayMs, handler, missed);
  }
  cron(pattern: string, timeZone: string, handler: () => void, missed: Missed): void {
    this.note('cron', pattern, timeZone);
    this.run.cron(pattern, timeZone, handler, missed);
  }
  keep<T extends object>(state: T): T {
    return this.run.keep(state);
  }
  order(isBuy: boolean, size: Size | undefined, options: OrderOptions | undefined): OrderId {
    this.note(isBuy ? 'buy' : 'sell', size, options);
    return this.run.order(isBuy, size, options);
  }
  exit(feed: Feed | undefined): OrderId | null {
    this.note('exit', feed);
    return this.run.exit(feed);
  }
  target(size: Size, feed: Feed | undefined): OrderId | null {
    this.note('target', size, feed);
    return this.run.target(size, feed);
  }
  rebalance(weights: Weights, options?: RebalanceOptions): readonly OrderId[] {
    this.note('rebalance', weights, options);
    return this.run.rebalance(weights, options);
  }
  cancel(id: OrderId): void {
    this.note('cancel', id);
    this.run.cancel(id);
  }
  amend(id: OrderId, change: Amendment): OrderId | null {
    this.note('amend', id, change);
    return this.run.amend(id, change);
  }
  group(ids: readonly OrderId[]): void {
    this.note('oco', ...ids);
    this.run.group(ids);
  }
  closeAt(timeMs: number | null, feed: Feed | undefined): void {
    this.note('closeAt', timeMs, feed);
    this.run.closeAt(timeMs, feed);
  }
  position(feed: Feed | undefined): Position {
    this.note('position', feed);
    return this.run.position(feed);
  }
  openOrders(feed: Feed | undefined): readonly OrderInfo[] {
    this.note('openOrders', feed);
    return this.run.openOrders(feed);
  }
  funding(feed: Feed | undefined): Funding {
    this.note('funding', feed);
    return this.run.funding(feed);
  }
  get equity(): number {
    this.note('equity');
    return this.run.equity;
  }
  get cash(): number {
    this.note('cash');
    return this.run.cash;
  }
  moneyIn(figure: 'cash' | 'equity', asset: string): number {
    this.note(figure);
    return this.run.moneyIn(figure, asset);
  }
  get nowMs(): number {
    this.note('nowMs');
    return this.run.nowMs;
  }
  random(): number {
    this.note('random');
    return this.run.random();
  }
  log(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.note('log', message, fields);
    this.run.log(message, fields);
  }

  private note(name: string, ...args: unknown[]): void {
    this.callLog.note(this.run, name, args);
  }
}
