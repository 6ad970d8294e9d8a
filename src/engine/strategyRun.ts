// One strategy in a run: what its base class asks for (feeds, indicators, orders, views), answered by the engine.

import type { Lots, Ticks, TimeMs, Units } from '../base/brand.ts';
import type { Decimal } from '../base/decimal.ts';
import { ConfigError, StrategyError } from '../base/errors.ts';
import { mulDiv } from '../base/exact.ts';
import { nearest } from '../base/nearest.ts';
import type { Rng } from '../base/rng.ts';
import type { Series, Signal } from '../indicators/series.ts';
import type { IndicatorSpec, SignalSource } from '../indicators/spec.ts';
import type { Instrument } from '../model/instrument.ts';
import { typicalLengthMs, type Interval } from '../model/interval.ts';
import type { OrderId } from '../model/order.ts';
import type { OrderRecord } from '../orders/record.ts';
import { decimalOf } from '../strategy/amounts.ts';
import type { StrategyHost, UseOptions } from '../strategy/host.ts';
import type { Strategy } from '../strategy/strategy.ts';
import type { Amount, Feed, FillInfo, OrderInfo, OrderOptions, Position, Size } from '../strategy/types.ts';
import type { Engine } from './engine.ts';
import type { FeedRun } from './feed.ts';
import { lotsFor } from './sizing.ts';

/** A handler of `when`, with the rows of the block on which its signal is true. */
export interface Watch {
  readonly signal: Signal;
  readonly feed: FeedRun;
  readonly handler: () => void;
  readonly rows: Int32Array;
  count: number;
  at: number;
}

/** An indicator that the report draws. */
export interface Drawn {
  readonly feed: FeedRun;
  readonly series: Series;
  readonly name: string;
  readonly pane: string | null;
}

export class StrategyRun implements StrategyHost {
  readonly index: number;
  readonly name: string;
  readonly watches: Watch[] = [];
  readonly drawn: Drawn[] = [];
  /** Feeds whose indicators must be ready before the first callback, and all whose bars bring an `onBar`. */
  readonly #needed = new Set<FeedRun>();
  readonly #listened = new Set<FeedRun>();
  instance: Strategy<object> | null = null;
  hasOnBar = false;
  wantsFills = false;
  wantsOrders = false;
  /** First instant at which every registered series is ready: callbacks begin here. Infinity when the data ends before. */
  readyMs = Infinity;
  started = false;
  readonly #engine: Engine;
  readonly #rng: Rng;
  readonly #main: FeedRun | null;
  readonly #byView = new Map<Feed, FeedRun>();
  readonly #positions: (PositionView | undefined)[] = [];
  readonly #exitPending: boolean[] = [];

  constructor(engine: Engine, index: number, name: string, rng: Rng) {
    this.#engine = engine;
    this.index = index;
    this.name = name;
    this.#rng = rng;
    for (const feed of engine.feeds) this.#byView.set(feed.view, feed);
    this.#main = engine.feeds.find((feed) => feed.name === 'bars') ?? (engine.feeds.length === 1 ? engine.feeds[0]! : null);
    if (this.#main) this.#needed.add(this.#main);
    if (this.#main) this.#listened.add(this.#main);
  }

  get bars(): Feed {
    return this.#main?.view ?? noDefaultFeed(this.name);
  }
  get needed(): ReadonlySet<FeedRun> {
    return this.#needed;
  }
  get listened(): ReadonlySet<FeedRun> {
    return this.#listened;
  }

  feed(name: string, byDefault?: { readonly interval?: Interval }): Feed {
    this.#registering(`feed('${name}')`);
    const found = this.#engine.feeds.filter((feed) => feed.name === name);
    if (found.length > 1) throw new ConfigError(`${this.name}: the feed ${name} is a list`, `ask for it by feeds('${name}')`);
    const feed = found[0] ?? this.#engine.defaultFeed(byDefault?.interval ?? null);
    if (!feed) throw this.#noFeed(name, byDefault?.interval);
    this.#needed.add(feed);
    this.#listened.add(feed);
    return feed.view;
  }
  feeds(name: string): readonly Feed[] {
    this.#registering(`feeds('${name}')`);
    const found = this.#engine.feeds.filter((feed) => feed.name === name);
    if (found.length === 0) throw this.#noFeed(name, undefined);
    for (const feed of found) this.#listened.add(feed);
    return found.map((feed) => feed.view);
  }

  use<Out>(what: IndicatorSpec<Out> | Series, options: UseOptions = {}): Out | Series {
    this.#registering('use');
    const feed = this.#engine.feedOf(what);
    const out = feed.indicators.use(what as IndicatorSpec<Out>, options.depth ?? 1);
    this.#draw(feed, what, out, options.pane ?? null);
    return out;
  }
  when(signal: SignalSource, handler: () => void): Signal {
    this.#registering('when');
    const feed = this.#engine.feedOf(signal);
    const out = feed.indicators.use(signal as IndicatorSpec<Signal>, 1);
    this.watches.push({ signal: out, feed, handler, rows: new Int32Array(this.#engine.blockRows), count: 0, at: 0 });
    return out;
  }
  every(periodMs: number, handler: () => void): void {
    this.#engine.timers.every(this.index, periodMs, handler);
  }
  at(dayMs: number, handler: () => void): void {
    this.#engine.timers.at(this.index, dayMs, handler);
  }

  order(isBuy: boolean, size: Size | undefined, options: OrderOptions | undefined): OrderId {
    const engine = this.#engine;
    const feed = this.#feedFor(options?.feed);
    const intent = engine.newIntent(feed, isBuy);
    if (options !== undefined) this.#applyOptions(options, feed, isBuy);
    intent.role = intent.limit > 0 ? 'limit' : 'market';
    intent.slot = options?.tag ?? (isBuy ? 'buy' : 'sell');
    this.#applySize(size ?? engine.defaultSize, feed, isBuy);
    return engine.submitIntent(this.index);
  }

  exit(view: Feed | undefined): OrderId | null {
    const engine = this.#engine;
    const feed = this.#feedFor(view);
    const { instrumentIndex } = feed;
    engine.brackets.drop(this.index, instrumentIndex);
    // From the newest on: a cancel that acts at once takes its order out of the list.
    const active = engine.orders.active();
    for (let at = active.length - 1; at >= 0; at--) {
      const order = active[at]!;
      if (order.strategy !== this.index || order.instrumentIndex !== instrumentIndex) continue;
      if (order.slot === 'exit' && order.parent === 0) return null;
      engine.orders.cancel(order, engine.nowMs);
    }
    return this.#closePosition(feed);
  }

  target(size: Size, view: Feed | undefined): OrderId | null {
    const engine = this.#engine;
    const feed = this.#feedFor(view);
    const intent = engine.newIntent(feed, true);
    this.#applySize(size, feed, false);
    const wanted = intent.lots;
    let held = engine.ledger.sellableLots(this.index, feed.instrumentIndex);
    for (const order of engine.orders.active()) {
      if (order.strategy !== this.index || order.instrumentIndex !== feed.instrumentIndex || order.parent !== 0) continue;
      const open = order.lots > 0 ? order.lots - order.filledLots : order.worstLots;
      held += order.side === 'buy' ? open : -open;
    }
    const missing = wanted - held;
    if (Math.abs(missing) < feed.instrument.minLots) return null;
    const isBuy = missing > 0;
    const trade = engine.newIntent(feed, isBuy);
    trade.slot = 'target';
    trade.reduceOnly = !isBuy;
    this.#applyLots(Math.abs(missing), feed, isBuy);
    return engine.submitIntent(this.index);
  }

  cancel(id: OrderId): void {
    const order = this.#engine.orders.get(id);
    if (order && order.strategy === this.index) this.#engine.orders.cancel(order, this.#engine.nowMs);
  }
  position(view: Feed | undefined): Position {
    const feed = view === undefined ? this.#main : this.#byView.get(view);
    const { instrumentIndex } = feed ?? this.#feedFor(view);
    return (this.#positions[instrumentIndex] ??= new PositionView(this.#engine, this.index, instrumentIndex));
  }
  openOrders(view: Feed | undefined): readonly OrderInfo[] {
    const feed = this.#feedFor(view);
    return this.#engine.orders
      .active()
      .filter((order) => order.strategy === this.index && order.instrumentIndex === feed.instrumentIndex)
      .map(orderInfo);
  }
  get equity(): number {
    return this.#engine.toMoney(this.#engine.equityUnits(this.index));
  }
  get cash(): number {
    return this.#engine.toMoney(this.#engine.ledger.quote(this.index));
  }
  get nowMs(): number {
    return this.#engine.nowMs;
  }
  random(): number {
    return this.#rng.next();
  }
  log(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#engine.log(this.name, message, fields);
  }

  /** An order of this strategy has ended: an exit that waited for its cancels may now go. */
  orderEnded(instrumentIndex: number): void {
    if (!this.#exitPending[instrumentIndex]) return;
    const feed = this.#engine.executionFeed(instrumentIndex);
    if (this.#engine.reservations.sellLots(this.index, instrumentIndex) > 0) return;
    this.#exitPending[instrumentIndex] = false;
    this.#closePosition(feed);
  }

  #closePosition(feed: FeedRun): OrderId | null {
    const engine = this.#engine;
    const { instrumentIndex } = feed;
    if (engine.ledger.isFlat(this.index, instrumentIndex)) return null;
    if (engine.reservations.sellLots(this.index, instrumentIndex) > 0) {
      this.#exitPending[instrumentIndex] = true;
      return null;
    }
    const intent = engine.newIntent(feed, false);
    intent.slot = 'exit';
    intent.reduceOnly = true;
    intent.lots = engine.ledger.sellableLots(this.index, instrumentIndex) as Lots;
    return engine.submitIntent(this.index);
  }

  #applyOptions(options: OrderOptions, feed: FeedRun, isBuy: boolean): void {
    const { intent, sizing } = this.#engine;
    const { instrument } = feed;
    if (options.limit !== undefined) intent.limit = sizing.ticks(instrument, options.limit, isBuy) as Ticks;
    // Legs trade the other way: what guards a long is sold, so its prices are rounded up, the nearer and the better one.
    if (options.takeProfit !== undefined) intent.takeProfit = sizing.ticks(instrument, options.takeProfit, !isBuy) as Ticks;
    if (options.stopLoss !== undefined) intent.stopLoss = sizing.ticks(instrument, options.stopLoss, !isBuy) as Ticks;
    if (options.trailing !== undefined) intent.trailing = Math.max(1, sizing.ticks(instrument, options.trailing, true)) as Ticks;
    if (options.reduceOnly !== undefined) intent.reduceOnly = options.reduceOnly;
    if (options.timeInForce !== undefined) intent.timeInForce = options.timeInForce;
  }

  #applySize(size: Size, feed: FeedRun, isBuy: boolean): void {
    const { intent, sizing } = this.#engine;
    const { instrument } = feed;
    if (size.base !== undefined) {
      const lots = sizing.lots(instrument, size.base);
      if (lots < 0) throw this.#negative(size.base, 'base');
      this.#applyLots(lots, feed, isBuy);
      return;
    }
    const amount = size.quote ?? size.equity!;
    const money =
      size.quote !== undefined
        ? sizing.quoteUnits(instrument, size.quote)
        : sizing.ofEquity(this.#engine.equityUnits(this.index), amount);
    if (money < 0 || Number(amount) < 0) throw this.#negative(amount, size.quote !== undefined ? 'quote' : 'equity');
    if (isBuy && intent.limit === 0) intent.quoteUnits = money as Units;
    else this.#applyLots(lotsFor(money, intent.limit > 0 ? intent.limit : this.#engine.lastTicks(feed.instrumentIndex), instrument), feed, isBuy);
  }

  /** A market buy by base quantity is a limit order at the collar: the venue buys by amount only (house, section 12). */
  #applyLots(lots: number, feed: FeedRun, isBuy: boolean): void {
    const { intent, collarPpm } = this.#engine;
    intent.lots = lots as Lots;
    if (isBuy && intent.limit === 0) intent.limit = mulDiv(this.#engine.lastTicks(feed.instrumentIndex), 1_000_000 + collarPpm, 1_000_000, 'down') as Ticks;
  }

  #draw(feed: FeedRun, what: object, out: unknown, pane: string | null): void {
    if (!('key' in what) || typeof out !== 'object' || out === null) return;
    const name = String(what.key);
    if (isSeries(out)) this.drawn.push({ feed, series: out, name, pane });
    else for (const [part, series] of Object.entries(out)) if (isSeries(series)) this.drawn.push({ feed, series, name: `${name} ${part}`, pane });
  }

  #feedFor(view: Feed | undefined): FeedRun {
    const feed = view === undefined ? this.#main : this.#byView.get(view);
    if (!feed) throw new ConfigError(`${this.name}: the run has several feeds and none is called bars`, 'name the feed: buy(size, { feed })');
    return feed;
  }
  #registering(what: string): void {
    if (this.instance) throw new ConfigError(`${this.name}: ${what} after construction`, 'register feeds, indicators and handlers in field initialisers');
  }
  #noFeed(name: string, interval: Interval | undefined): ConfigError {
    const names = [...new Set(this.#engine.feeds.map((feed) => feed.name))];
    const near = nearest(name, names);
    const wanted = interval ? `, interval: ${interval}` : '';
    return new ConfigError(
      `${this.name}: the run has no feed called ${name}${wanted}`,
      `${near ? `did you mean ${near}? ` : ''}add it to the definition: feeds: { ${name}: { symbol: ...${wanted} } } (it has ${names.join(', ')})`,
    );
  }
  #negative(amount: Amount, unit: string): StrategyError {
    return new StrategyError(
      `${this.name}: an order of a negative size, ${String(amount)} ${unit}`,
      'sizes are above zero: the direction is in buy and sell',
    );
  }
}

/** Copies of what a strategy may keep. */
export function orderInfo(order: OrderRecord): OrderInfo {
  const { instrument } = order;
  const byAmount = order.lots === 0;
  return {
    id: order.id,
    side: order.side,
    qty: byAmount ? decimalOf(order.filledLots, instrument.quantityDigits) : decimalOf(order.lots, instrument.quantityDigits),
    filled: decimalOf(order.filledLots, instrument.quantityDigits),
    lifecycle: order.lifecycle,
    code: order.code,
  };
}

export function fillInfo(order: OrderRecord, price: number, lots: number, fee: number, feeInBase: boolean, timeMs: number): FillInfo {
  const { instrument } = order;
  return {
    orderId: order.id,
    side: order.side,
    price: price / 10 ** instrument.priceDigits,
    qty: decimalOf(lots, instrument.quantityDigits),
    fee: decimalOf(fee, feeInBase ? instrument.baseDigits : instrument.quoteDigits),
    feeAsset: feeInBase ? instrument.base : instrument.quote,
    timeMs: timeMs as TimeMs,
  };
}

class PositionView implements Position {
  readonly #engine: Engine;
  readonly #strategy: number;
  readonly #at: number;
  #qty: Decimal | null = null;
  #qtyUnits = NaN;

  constructor(engine: Engine, strategy: number, instrumentIndex: number) {
    this.#engine = engine;
    this.#strategy = strategy;
    this.#at = instrumentIndex;
  }
  get qty(): Decimal {
    const held = this.#engine.ledger.base(this.#strategy, this.#at);
    if (this.#qty === null || held !== this.#qtyUnits) {
      this.#qty = decimalOf(held, this.#instrument().baseDigits);
      this.#qtyUnits = held;
    }
    return this.#qty;
  }
  get entryPrice(): number {
    return this.#engine.ledger.entryPrice(this.#strategy, this.#at);
  }
  get isFlat(): boolean {
    return this.#engine.ledger.isFlat(this.#strategy, this.#at);
  }
  get isLong(): boolean {
    return !this.isFlat && this.#engine.ledger.base(this.#strategy, this.#at) > 0;
  }
  get isShort(): boolean {
    return !this.isFlat && this.#engine.ledger.base(this.#strategy, this.#at) < 0;
  }
  #instrument(): Instrument {
    return this.#engine.instruments[this.#at]!;
  }
}

const isSeries = (value: unknown): value is Series =>
  typeof value === 'object' && value !== null && 'ago' in value && 'prev' in value;

/** Stands in for `this.bars` where a run has no default feed: reading anything of it says what to do. */
function noDefaultFeed(strategy: string): Feed {
  return new Proxy({} as Feed, {
    get() {
      throw new ConfigError(`${strategy}: this.bars needs a feed called bars`, 'add `bars` under `feeds` of the definition, or use this.feeds(name)');
    },
  });
}

/** Feeds from fine to coarse: the first one of an instrument matches and marks it. */
export const byFineness = (a: FeedRun, b: FeedRun) => typicalLengthMs(a.bars.interval) - typicalLengthMs(b.bars.interval);
