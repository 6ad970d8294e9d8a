// Stands between a strategy and its run during an explanation: gives watched views to the strategy, and records reads and calls.

import type { Series, Signal } from '../../../indicators/graph/series.ts';
import type { IndicatorSpec, SignalSource } from '../../../indicators/graph/spec.ts';
import type { Interval } from '../../../model/interval.ts';
import type { OrderId } from '../../../model/order.ts';
import type { StrategyHost, UseOptions } from '../../../strategy/host.ts';
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
} from '../../../strategy/types.ts';
import type { CallLog } from './callLog.ts';
import { plainText } from './plainText.ts';
import type { WatchedViews } from './watchedViews.ts';

/** Forwards every call of a strategy to its run. While the call log is on, it records reads with their values and calls with their results. */
export class TracingHost implements StrategyHost {
  /** The run of the strategy, which does the work. */
  private readonly run: StrategyHost;
  private readonly calls: CallLog;
  private readonly views: WatchedViews;
  /** Number of handlers registered by `when`. It names each handler in the trace. */
  private handlerCount = 0;

  constructor(run: StrategyHost, callLog: CallLog, views: WatchedViews) {
    this.run = run;
    this.calls = callLog;
    this.views = views;
  }

  get bars(): Feed {
    return this.views.feed(this.run.bars);
  }
  feed(name: string, defaults?: { readonly interval?: Interval }): Feed {
    return this.views.feed(this.run.feed(name, defaults));
  }
  feeds(name: string): readonly Feed[] {
    return this.run.feeds(name).map((feed) => this.views.feed(feed));
  }
  series(name: string, feed: Feed | undefined): KnownSeries {
    return this.views.watchKnown(this.run.series(name, this.views.original(feed)));
  }
  use<Out>(what: IndicatorSpec<Out> | Series, options?: UseOptions): Out | Series {
    return this.views.wrapOutput(this.run.use<Out>(this.views.original(what), options));
  }
  when(signal: SignalSource, handler: () => void): Signal {
    const name = `when ${++this.handlerCount}`;
    const callback: unknown = handler;
    // The run rejects a handler that is not a function.
    const watched = typeof callback === 'function' ? (): void => this.calls.runCallback(name, handler) : handler;
    return this.views.wrapOutput(this.run.when(this.views.original(signal), watched));
  }
  every(periodMs: number, handler: () => void, missed: Missed): void {
    this.run.every(periodMs, () => this.calls.runCallback('every', handler), missed);
  }
  at(dayMs: number, handler: () => void, missed: Missed): void {
    this.run.at(dayMs, () => this.calls.runCallback('at', handler), missed);
  }
  cron(pattern: string, timeZone: string, handler: () => void, missed: Missed): void {
    this.run.cron(pattern, timeZone, () => this.calls.runCallback('cron', handler), missed);
  }
  keep<T extends object>(state: T): T {
    return this.run.keep(state);
  }
  order(isBuy: boolean, size: Size | undefined, options: OrderOptions | undefined): OrderId {
    return this.record(isBuy ? 'buy' : 'sell', [size, options], () => this.run.order(isBuy, size, this.withFeed(options)));
  }
  exit(feed: Feed | undefined): OrderId | null {
    return this.record('exit', [feed], () => this.run.exit(this.views.original(feed)));
  }
  target(size: Size, feed: Feed | undefined): OrderId | null {
    return this.record('target', [size, feed], () => this.run.target(size, this.views.original(feed)));
  }
  rebalance(weights: Weights, options?: RebalanceOptions): readonly OrderId[] {
    return this.record('rebalance', [weights, options], () => this.run.rebalance(weights, options));
  }
  cancel(id: OrderId): void {
    this.record('cancel', [id], () => this.run.cancel(id));
  }
  amend(id: OrderId, change: Amendment): OrderId | null {
    return this.record('amend', [id, change], () => this.run.amend(id, change));
  }
  group(ids: readonly OrderId[]): void {
    this.record('oco', [...ids], () => this.run.group(ids));
  }
  closeAt(timeMs: number | null, feed: Feed | undefined): void {
    this.record('closeAt', [timeMs, feed], () => this.run.closeAt(timeMs, this.views.original(feed)));
  }
  position(feed: Feed | undefined): Position {
    const position = this.run.position(this.views.original(feed));
    return this.calls.isOn ? this.watchedPosition(position, feed) : position;
  }
  openOrders(feed: Feed | undefined): readonly OrderInfo[] {
    const orders = this.run.openOrders(this.views.original(feed));
    if (this.calls.isOn)
      this.calls.read(`openOrders(${feedArgument(feed)})`, orders.length === 0 ? 'none' : orders.map(orderText).join(', '));
    return orders;
  }
  funding(feed: Feed | undefined): Funding {
    const funding = this.run.funding(this.views.original(feed));
    if (!this.calls.isOn) return funding;
    const name = `funding(${feedArgument(feed)})`;
    const log = this.calls;
    return {
      get rate() {
        return recordRead(log, `${name}.rate`, funding.rate);
      },
      get atMs() {
        return recordRead(log, `${name}.atMs`, funding.atMs);
      },
      get nextMs() {
        return recordRead(log, `${name}.nextMs`, funding.nextMs);
      },
      ago: (times) => recordRead(log, `${name}.ago(${times})`, funding.ago(times)),
    };
  }
  get equity(): number {
    return recordRead(this.calls, 'equity', this.run.equity);
  }
  get cash(): number {
    return recordRead(this.calls, 'cash', this.run.cash);
  }
  moneyIn(what: 'cash' | 'equity', asset: string): number {
    return recordRead(this.calls, `${what}In ${asset}`, this.run.moneyIn(what, asset));
  }
  get nowMs(): number {
    return this.run.nowMs;
  }
  random(): number {
    return recordRead(this.calls, 'random()', this.run.random());
  }
  log(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.record('log', [message, fields], () => this.run.log(message, fields));
  }

  /** Executes a call and records it with its arguments and its result, or with the error that it throws. */
  private record<T>(name: string, args: readonly unknown[], execute: () => T): T {
    if (!this.calls.isOn) return execute();
    const argumentTexts = args.filter((argument) => argument !== undefined).map((argument) => plainText(argument));
    const text = `${name}(${argumentTexts.join(', ')})`;
    try {
      const result = execute();
      const resultText = result === null ? 'nothing to do' : `order ${String(result)}`;
      this.calls.call(text, result === undefined ? '' : resultText);
      return result;
    } catch (error) {
      this.calls.call(text, `throws ${error instanceof Error ? error.message : String(error)}`);
      throw error;
    }
  }
  /** Returns the options with the feed of the run in place of its watched view. */
  private withFeed(options: OrderOptions | undefined): OrderOptions | undefined {
    return options?.feed === undefined ? options : { ...options, feed: this.views.original(options.feed) };
  }
  /** Returns a position that records each read of a member. */
  private watchedPosition(position: Position, feed: Feed | undefined): Position {
    const name = `position(${feedArgument(feed)})`;
    const log = this.calls;
    const read = <Key extends keyof Position>(key: Key): Position[Key] => recordRead(log, `${name}.${key}`, position[key]);
    return {
      get qty() {
        return read('qty');
      },
      get entryPrice() {
        return read('entryPrice');
      },
      get isFlat() {
        return read('isFlat');
      },
      get isLong() {
        return read('isLong');
      },
      get isShort() {
        return read('isShort');
      },
      get long() {
        return read('long');
      },
      get short() {
        return read('short');
      },
      get openedMs() {
        return read('openedMs');
      },
      get ageMs() {
        return read('ageMs');
      },
      get unrealisedProfit() {
        return read('unrealisedProfit');
      },
    };
  }
}

/** Records the read of a value, and returns the value. */
function recordRead<T>(log: CallLog, text: string, value: T): T {
  if (log.isOn) log.read(text, plainText(value));
  return value;
}

/** Returns a feed as the argument of a call; empty for a call without a feed. */
const feedArgument = (feed: Feed | undefined): string => (feed === undefined ? '' : plainText(feed));

/** Returns an order in one line of the trace. */
function orderText({ id, side, lifecycle, tag }: OrderInfo): string {
  return `${id} ${side} ${tag} (${lifecycle})`;
}
