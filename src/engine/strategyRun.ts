// One strategy in a run: what its base class asks for (feeds, indicators, orders, views), answered by the engine.

import type { Lots, Ticks, Units } from '../base/brand.ts';
import { ConfigError, StrategyError } from '../base/errors.ts';
import { mulDiv } from '../base/exact.ts';
import { nearest } from '../base/nearest.ts';
import type { Rng } from '../base/rng.ts';
import type { Series, Signal } from '../indicators/series.ts';
import type { IndicatorSpec, SignalSource } from '../indicators/spec.ts';
import type { Instrument } from '../model/instrument.ts';
import type { Interval } from '../model/interval.ts';
import type { OrderId } from '../model/order.ts';
import type { OrderRecord } from '../orders/record.ts';
import type { StrategyHost, UseOptions } from '../strategy/host.ts';
import type { Strategy } from '../strategy/strategy.ts';
import type { Amount, Feed, OrderInfo, OrderOptions, Position, Size } from '../strategy/types.ts';
import type { Engine } from './engine.ts';
import type { FeedRun } from './feed.ts';
import { defaultFeed, feedOf } from './feedSearch.ts';
import { lotsFor } from './sizing.ts';
import { isSeries, noDefaultFeed, orderInfo, PositionView } from './views.ts';

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
  instance: Strategy | null = null;
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
  readonly #readyRows = new Map<FeedRun, number>();
  readonly #positions: (PositionView | undefined)[] = [];
  readonly #exitPending: boolean[] = [];
  #exitsPending = 0;

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
  /** The first row of a feed at which every series of this strategy over it is ready. */
  readyRow(feed: FeedRun): number {
    return this.#readyRows.get(feed) ?? 0;
  }

  feed(name: string, byDefault?: { readonly interval?: Interval }): Feed {
    this.#registering(`feed('${name}')`);
    const found = this.#engine.feeds.filter((feed) => feed.name === name);
    if (found.length > 1) throw new ConfigError(`${this.name}: the feed ${name} is a list`, `ask for it by feeds('${name}')`);
    const feed = found[0] ?? defaultFeed(this.#engine.feeds, byDefault?.interval ?? null, this.#main);
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
    const feed = feedOf(this.#engine.feeds, what);
    this.#noteWarmup(feed, what);
    const out = feed.indicators.use(what as IndicatorSpec<Out>, options.depth ?? 1);
    this.#draw(feed, what, out, options.pane ?? null);
    return out;
  }
  when(signal: SignalSource, handler: () => void): Signal {
    this.#registering('when');
    const feed = feedOf(this.#engine.feeds, signal);
    this.#noteWarmup(feed, signal);
    const out = feed.indicators.use(signal as IndicatorSpec<Signal>, 1);
    this.watches.push({ signal: out, feed, handler, rows: new Int32Array(this.#engine.blockRows), count: 0, at: 0 });
    return out;
  }
  every(periodMs: number, handler: () => void): void {
    this.#engine.touched = true;
    this.#engine.timers.every(this.index, periodMs, handler, this.#engine.nowMs);
  }
  at(dayMs: number, handler: () => void): void {
    this.#engine.touched = true;
    this.#engine.timers.at(this.index, dayMs, handler, this.#engine.nowMs);
  }

  order(isBuy: boolean, size: Size | undefined, options: OrderOptions | undefined): OrderId {
    const engine = this.#engine;
    engine.touched = true;
    const feed = this.#feedFor(options?.feed);
    const order = engine.newOrder(this.index, feed, isBuy ? 'buy' : 'sell');
    if (options !== undefined) this.#applyOptions(order, options, isBuy);
    const isLimit = options?.limit !== undefined;
    const isPriceSound = (!isLimit || order.limit > 0) && order.takeProfit >= 0 && order.stopLoss >= 0 && order.trailing >= 0;
    order.role = isLimit ? 'limit' : 'market';
    order.slot = options?.tag ?? order.side;
    this.#applySize(order, size ?? engine.defaultSize);
    // A price that is no number (an indicator that is not ready, say), or a limit of nothing, makes the whole order unsound: risk denies it.
    if (!isPriceSound) order.lots = NaN as Lots;
    return engine.submit(order);
  }

  exit(view: Feed | undefined): OrderId | null {
    const engine = this.#engine;
    engine.touched = true;
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
    engine.touched = true;
    const feed = this.#feedFor(view);
    const { instrumentIndex, instrument } = feed;
    let held = engine.ledger.sellableLots(this.index, instrumentIndex);
    for (const order of engine.orders.active()) {
      if (order.strategy !== this.index || order.instrumentIndex !== instrumentIndex || order.parent !== 0) continue;
      const open = order.lots > 0 ? order.lots - order.filledLots : order.worstLots;
      held += order.side === 'buy' ? open : -open;
    }
    const missing = this.#lotsOf(size, instrument, engine.lastTicks(instrumentIndex)) - held;
    if (Math.abs(missing) < instrument.minLots) return null;
    const order = engine.newOrder(this.index, feed, missing > 0 ? 'buy' : 'sell');
    order.slot = 'target';
    order.reduceOnly = missing < 0;
    this.#applyLots(order, Math.abs(missing));
    return engine.submit(order);
  }

  cancel(id: OrderId): void {
    this.#engine.touched = true;
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
    if (this.#exitsPending === 0 || !this.#exitPending[instrumentIndex]) return;
    const feed = this.#engine.executionFeed(instrumentIndex);
    if (this.#engine.reservations.sellLots(this.index, instrumentIndex) > 0) return;
    this.#exitPending[instrumentIndex] = false;
    this.#exitsPending--;
    this.#closePosition(feed);
  }

  #closePosition(feed: FeedRun): OrderId | null {
    const engine = this.#engine;
    const { instrumentIndex } = feed;
    if (engine.ledger.isFlat(this.index, instrumentIndex)) return null;
    if (engine.reservations.sellLots(this.index, instrumentIndex) > 0) {
      if (!this.#exitPending[instrumentIndex]) this.#exitsPending++;
      this.#exitPending[instrumentIndex] = true;
      return null;
    }
    const order = engine.newOrder(this.index, feed, 'sell');
    order.slot = 'exit';
    order.reduceOnly = true;
    order.lots = engine.ledger.sellableLots(this.index, instrumentIndex) as Lots;
    return engine.submit(order);
  }

  #applyOptions(order: OrderRecord, options: OrderOptions, isBuy: boolean): void {
    const { sizing } = this.#engine;
    const { instrument } = order;
    if (options.limit !== undefined) order.limit = sizing.ticks(instrument, options.limit, isBuy) as Ticks;
    // Legs trade the other way: what guards a long is sold, so its prices are rounded up, the nearer and the better one.
    if (options.takeProfit !== undefined) order.takeProfit = sizing.ticks(instrument, options.takeProfit, !isBuy) as Ticks;
    if (options.stopLoss !== undefined) order.stopLoss = sizing.ticks(instrument, options.stopLoss, !isBuy) as Ticks;
    if (options.trailing !== undefined) {
      const distance = sizing.ticks(instrument, options.trailing, true);
      order.trailing = (distance >= 0 ? Math.max(1, distance) : NaN) as Ticks;
    }
    if (options.reduceOnly !== undefined) order.reduceOnly = options.reduceOnly;
    if (options.timeInForce !== undefined) order.timeInForce = options.timeInForce;
  }

  #applySize(order: OrderRecord, size: Size): void {
    const { instrument, limit } = order;
    if (order.side === 'buy' && limit === 0 && size.base === undefined) order.quoteUnits = this.#moneyOf(size, instrument) as Units;
    else this.#applyLots(order, this.#lotsOf(size, instrument, limit > 0 ? limit : this.#engine.lastTicks(order.instrumentIndex)));
  }

  /** A size as a quantity, at a price in ticks. */
  #lotsOf(size: Size, instrument: Instrument, ticks: number): number {
    if (size.base === undefined) return lotsFor(this.#moneyOf(size, instrument), ticks, instrument);
    const lots = this.#engine.sizing.lots(instrument, size.base);
    if (lots < 0) throw this.#negative(size.base, 'base');
    return lots;
  }

  /** A size as an amount of money: as it stands, or a share of this strategy's equity. */
  #moneyOf(size: Size, instrument: Instrument): number {
    const { sizing } = this.#engine;
    const amount = size.quote ?? size.equity!;
    if (Number(amount) < 0) throw this.#negative(amount, size.quote !== undefined ? 'quote' : 'equity');
    return size.quote !== undefined ? sizing.quoteUnits(instrument, amount) : sizing.ofEquity(this.#engine.equityUnits(this.index), amount);
  }

  /** A market buy by base quantity is a limit order at the collar: the venue buys by amount only (house, section 12). */
  #applyLots(order: OrderRecord, lots: number): void {
    order.lots = lots as Lots;
    if (order.side !== 'buy' || order.limit > 0) return;
    order.limit = mulDiv(this.#engine.lastTicks(order.instrumentIndex), 1_000_000 + this.#engine.collarPpm, 1_000_000, 'down') as Ticks;
  }

  /** Of this strategy's own: what others on the account have registered over the feed does not delay it. */
  #noteWarmup(feed: FeedRun, what: object): void {
    if ('warmupBars' in what) this.#readyRows.set(feed, Math.max(this.readyRow(feed), Number(what.warmupBars) - 1));
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
