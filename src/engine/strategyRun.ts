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
import { takenLots } from '../risk/exposure.ts';
import type { StrategyHost, UseOptions } from '../strategy/host.ts';
import type { Strategy } from '../strategy/strategy.ts';
import { isNegative, negated } from '../strategy/amounts.ts';
import type { Amount, Feed, OrderInfo, OrderOptions, Position, Size } from '../strategy/types.ts';
import type { Engine } from './engine.ts';
import type { FeedRun } from './feed.ts';
import { defaultFeed, feedOf } from './feedSearch.ts';
import { isSeries, noDefaultFeed, orderInfo, PositionView } from './views.ts';

const MILLION = 1_000_000;

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
  /** Those that a strategy can ask for. */
  readonly #feeds: readonly FeedRun[];
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
    this.#feeds = engine.feeds.filter(({ isHidden }) => !isHidden);
    for (const feed of this.#feeds) this.#byView.set(feed.view, feed);
    this.#main = this.#feeds.find((feed) => feed.name === 'bars') ?? (this.#feeds.length === 1 ? this.#feeds[0]! : null);
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
    const found = this.#feeds.filter((feed) => feed.name === name);
    if (found.length > 1) throw new ConfigError(`${this.name}: the feed ${name} is a list`, `ask for it by feeds('${name}')`);
    const feed = found[0] ?? defaultFeed(this.#feeds, byDefault?.interval ?? null, this.#main);
    if (!feed) throw this.#noFeed(name, byDefault?.interval);
    this.#needed.add(feed);
    this.#listened.add(feed);
    return feed.view;
  }
  feeds(name: string): readonly Feed[] {
    this.#registering(`feeds('${name}')`);
    const found = this.#feeds.filter((feed) => feed.name === name);
    if (found.length === 0) throw this.#noFeed(name, undefined);
    for (const feed of found) this.#listened.add(feed);
    return found.map((feed) => feed.view);
  }

  use<Out>(what: IndicatorSpec<Out> | Series, options: UseOptions = {}): Out | Series {
    this.#registering('use');
    const feed = feedOf(this.#feeds, what);
    this.#noteWarmup(feed, what);
    const out = feed.indicators.use(what as IndicatorSpec<Out>, options.depth ?? 1);
    this.#draw(feed, what, out, options.pane ?? null);
    return out;
  }
  when(signal: SignalSource, handler: () => void): Signal {
    this.#registering('when');
    const feed = feedOf(this.#feeds, signal);
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
    let held = engine.ledger.lots(this.index, instrumentIndex);
    for (const order of engine.orders.active()) {
      if (order.strategy !== this.index || order.instrumentIndex !== instrumentIndex || order.parent !== 0) continue;
      const open = order.lots > 0 ? order.lots - order.filledLots : order.worstLots;
      held += order.side === 'buy' ? open : -open;
    }
    const missing = this.#targetLots(size, instrument, instrumentIndex) - held;
    if (Math.abs(missing) < instrument.minLots) return null;
    const order = engine.newOrder(this.index, feed, missing > 0 ? 'buy' : 'sell');
    order.slot = 'target';
    order.reduceOnly = instrument.contract === undefined ? missing < 0 : missing > 0 !== held > 0 && Math.abs(missing) <= Math.abs(held);
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
    return this.#engine.toMoney(this.#engine.ledger.cash(this.index));
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
    if (this.#isClosing(instrumentIndex)) return;
    this.#exitPending[instrumentIndex] = false;
    this.#exitsPending--;
    this.#closePosition(feed);
  }

  #closePosition(feed: FeedRun): OrderId | null {
    const engine = this.#engine;
    const { instrumentIndex } = feed;
    if (engine.ledger.isFlat(this.index, instrumentIndex)) return null;
    if (this.#isClosing(instrumentIndex)) {
      if (!this.#exitPending[instrumentIndex]) this.#exitsPending++;
      this.#exitPending[instrumentIndex] = true;
      return null;
    }
    const held = engine.ledger.lots(this.index, instrumentIndex);
    const order = engine.newOrder(this.index, feed, held < 0 ? 'buy' : 'sell');
    order.slot = 'exit';
    order.reduceOnly = true;
    order.lots = Math.abs(held) as Lots;
    return engine.submit(order);
  }

  /** Orders that close the position are still under way: what they may yet fill cannot be closed a second time. */
  #isClosing(instrumentIndex: number): boolean {
    const { ledger, reservations } = this.#engine;
    const isShort = ledger.lots(this.index, instrumentIndex) < 0;
    return takenLots(this.index, instrumentIndex, isShort, ledger, reservations) > 0;
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
    const isSpot = instrument.contract === undefined;
    if (isSpot && order.side === 'buy' && limit === 0 && size.base === undefined) order.quoteUnits = this.#moneyOf(size, instrument) as Units;
    else {
      const { instrumentIndex } = order;
      this.#applyLots(order, this.#lotsOf(size, instrument, instrumentIndex, limit > 0 ? limit : this.#engine.lastTicks(instrumentIndex)));
    }
  }

  /** What is to be held, below 0 short: on futures a size may be negative here. */
  #targetLots(size: Size, instrument: Instrument, instrumentIndex: number): number {
    const ticks = this.#engine.lastTicks(instrumentIndex);
    if (instrument.contract !== undefined) {
      const { base, quote, equity } = size;
      if (base !== undefined && isNegative(base)) return -this.#lotsOf({ base: negated(base) }, instrument, instrumentIndex, ticks);
      if (quote !== undefined && isNegative(quote)) return -this.#lotsOf({ quote: negated(quote) }, instrument, instrumentIndex, ticks);
      if (equity !== undefined && isNegative(equity)) return -this.#lotsOf({ equity: negated(equity) }, instrument, instrumentIndex, ticks);
    }
    return this.#lotsOf(size, instrument, instrumentIndex, ticks);
  }

  /** A size as a quantity, at a price in ticks. */
  #lotsOf(size: Size, instrument: Instrument, instrumentIndex: number, ticks: number): number {
    if (size.base === undefined) return this.#engine.ledger.lotsFor(instrumentIndex, this.#moneyOf(size, instrument), ticks);
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

  /**
   * Two market orders leave as limits at the collar: a spot buy by base quantity, because the venue buys by amount only (house, section 12),
   * and a futures order that opens, because services differ in what the volume of a native one counts (exchange dialect, 7.1).
   */
  #applyLots(order: OrderRecord, lots: number): void {
    order.lots = lots as Lots;
    if (order.limit > 0) return;
    const isBuy = order.side === 'buy';
    const isSpot = order.instrument.contract === undefined;
    if (isSpot ? !isBuy : order.reduceOnly) return;
    const { collarPpm } = this.#engine;
    const last = this.#engine.lastTicks(order.instrumentIndex);
    order.limit = (isBuy ? mulDiv(last, MILLION + collarPpm, MILLION, 'down') : mulDiv(last, MILLION - collarPpm, MILLION, 'up')) as Ticks;
    if (!isSpot) order.timeInForce = 'IOC';
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
    const names = [...new Set(this.#feeds.map((feed) => feed.name))];
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
