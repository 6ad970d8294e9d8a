// One strategy in a run: the engine's answers to what its base class asks for (feeds, indicators, orders, views).

import { ConfigError } from '../../base/errors.ts';
import { listOf } from '../../base/memory/listOf.ts';
import type { Ticks } from '../../base/brand.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Rng } from '../../base/number/rng.ts';
import type { Series, Signal } from '../../indicators/graph/series.ts';
import type { IndicatorSpec, SignalSource } from '../../indicators/graph/spec.ts';
import type { FundingRates } from '../../model/bars/fundingRates.ts';
import type { Interval } from '../../model/interval.ts';
import type { OrderId, Side } from '../../model/order.ts';
import { STATE } from '../../orders/lifecycle.ts';
import type { WaitingDraft } from '../../orders/drafts.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import * as exposure from '../../risk/rules/openOrderRules.ts';
import type { StrategyHost, UseOptions } from '../../strategy/host.ts';
import type { Strategy } from '../../strategy/strategy.ts';
import type { Feed, Funding, Missed, OrderInfo, OrderOptions, Position, Size } from '../../strategy/types.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { defaultFeed, feedOf } from '../feeds/feedSearch.ts';
import { FundingView } from '../feeds/fundingView.ts';
import { checkKept } from './kept.ts';
import { TARGET, type StrategyOrders } from './strategyOrders.ts';
import { NO_ROW, SignalQueue, type SignalWatch } from './signalQueue.ts';
import type { Timers } from './timers.ts';
import { isSeries, noDefaultFeed, OrderView, StrategyPosition, type PositionHost } from './views.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

// hot: docs/performance.md#imported-constants
const { takenLots } = exposure;
const DRAFT = STATE.draft;

/** Decision slots of the orders that `exit` sends. In two-way mode each side has its own, because a slot has one unfinished order. */
const EXIT = 'exit';
const EXIT_SHORT = 'exit short';

/** An indicator that the report draws. */
export interface DrawnIndicator {
  readonly feed: FeedRun;
  readonly series: Series;
  readonly name: string;
  readonly pane: string | null;
}

/** What `StrategyRun` needs of the engine. */
export interface RunHost extends PositionHost {
  readonly feeds: readonly FeedRun[];
  /** Execution feeds in instrument order. */
  readonly execution: readonly FeedRun[];
  readonly blockRows: number;
  readonly nowMs: number;
  readonly orders: OrderManager;
  readonly reservations: Reservations;
  readonly brackets: Brackets;
  readonly timers: Timers;
  readonly drafts: {
    withdraw(order: BotOrder): boolean;
    withdrawAll(which: (draft: WaitingDraft) => boolean): void;
    reverse(order: BotOrder, ahead: OrderId[], targetLots: number): OrderId;
  };
  readonly deps: { readonly funding?: readonly (FundingRates | null)[] };
  hasPendingWork: boolean;
  followUps: number;
  newOrder(strategy: number, feed: FeedRun, side: Side): BotOrder;
  submit(order: BotOrder): OrderId;
  equityUnits(strategy: number): number;
  toMoney(units: number): number;
  log(strategy: string, message: string, fields: Readonly<Record<string, unknown>>): void;
}

export class StrategyRun implements StrategyHost {
  readonly index: number;
  readonly name: string;
  readonly watches: SignalWatch[] = [];
  readonly signals = new SignalQueue();
  readonly drawn: DrawnIndicator[] = [];
  /** Feeds whose indicators must be ready before the first callback, and feeds whose bars call `onBar`. */
  private readonly neededFeeds = new Set<FeedRun>();
  private readonly listenedFeeds: FeedRun[] = [];
  instance: Strategy | null = null;
  hasOnBar = false;
  wantsFills = false;
  wantsOrders = false;
  /** First instant at which every registered series is ready: callbacks begin here. Infinity when the data ends earlier. */
  readyMs = INFINITY;
  /** Live: true while rows that the strategy needs before its first instant are missing. */
  awaitsRows = false;
  started = false;
  /** Live: it has thrown, and gets no more calls. */
  hasFailed = false;
  /** State that the strategy keeps over restarts; null: none. */
  kept: object | null = null;
  /** Number of random numbers that the strategy has drawn. */
  draws = 0;
  private readonly engine: RunHost;
  /** Sends a draft: `submit` of the engine, bound. Hot: docs/performance.md#bound-send. */
  private readonly send: RunHost['submit'];
  private readonly rng: Rng;
  private readonly drafts: StrategyOrders;
  /** Feeds that a strategy can ask for. */
  private readonly shownFeeds: readonly FeedRun[];
  private readonly main: FeedRun | null;
  private readonly byView = new Map<Feed, FeedRun>();
  private readonly readyRows = new Map<FeedRun, number>();
  private readonly positions: (StrategyPosition | undefined)[] = [];
  /** Position of the main feed's instrument, which strategies read at every bar. */
  private mainPosition: StrategyPosition | null = null;
  private readonly fundings: (FundingView | undefined)[] = [];
  private readonly exitPending: boolean[] = [];
  /** By instrument: the sent reversal for which the protective orders of the old side were removed; undefined without one. */
  private readonly turning: (OrderId | undefined)[] = [];

  constructor(engine: RunHost, index: number, name: string, rng: Rng, drafts: StrategyOrders) {
    this.engine = engine;
    this.send = engine.submit.bind(engine);
    this.index = index;
    this.name = name;
    this.rng = rng;
    this.drafts = drafts;
    this.shownFeeds = engine.feeds.filter(({ isHidden }) => !isHidden);
    for (const feed of this.shownFeeds) this.byView.set(feed.view, feed);
    this.main = this.shownFeeds.find((feed) => feed.name === 'bars') ?? (this.shownFeeds.length === 1 ? this.shownFeeds[0]! : null);
    if (this.main) this.neededFeeds.add(this.main);
    if (this.main) this.listen(this.main);
  }

  get bars(): Feed {
    return this.main?.view ?? noDefaultFeed(this.name);
  }
  get needed(): ReadonlySet<FeedRun> {
    return this.neededFeeds;
  }
  get listened(): readonly FeedRun[] {
    return this.listenedFeeds;
  }
  /** True when the current visit brought a bar of a feed that the strategy listens to. A later visit of the same instant brings none. */
  get hasFresh(): boolean {
    const listened = this.listenedFeeds;
    for (let at = 0; at < listened.length; at++) if (listened[at]!.aligned!.isDue === true) return true;
    return false;
  }
  /** Live: it has thrown, and gets no more calls. */
  fail(): void {
    this.hasFailed = true;
    this.started = false;
    this.awaitsRows = false;
    this.readyMs = INFINITY;
  }
  /** Returns the first row of a feed at which every series of this strategy over it is ready. */
  readyRow(feed: FeedRun): number {
    return this.readyRows.get(feed) ?? 0;
  }

  feed(name: string, byDefault?: { readonly interval?: Interval }): Feed {
    this.registering(`feed('${name}')`);
    const found = this.shownFeeds.filter((feed) => feed.name === name);
    if (found.length > 1) throw new ConfigError(`${this.name}: the feed ${name} is a list`, `ask for it by feeds('${name}')`);
    const feed = found[0] ?? defaultFeed(this.shownFeeds, byDefault?.interval ?? null, this.main);
    if (!feed) throw this.noFeed(name, byDefault?.interval);
    this.neededFeeds.add(feed);
    this.listen(feed);
    return feed.view;
  }
  feeds(name: string): readonly Feed[] {
    this.registering(`feeds('${name}')`);
    const found = this.shownFeeds.filter((feed) => feed.name === name);
    if (found.length === 0) throw this.noFeed(name, undefined);
    for (const feed of found) this.listen(feed);
    return listOf(found, (feed) => feed.view);
  }

  use<Out>(what: IndicatorSpec<Out> | Series, options: UseOptions = {}): Out | Series {
    this.registering('use');
    const feed = feedOf(this.shownFeeds, what);
    this.noteWarmup(feed, what);
    const out = feed.indicators.use(what as IndicatorSpec<Out>, options.depth ?? 1);
    this.draw(feed, what, out, options.pane ?? null);
    return out;
  }
  when(signal: SignalSource, handler: () => void): Signal {
    this.registering('when');
    const feed = feedOf(this.shownFeeds, signal);
    this.noteWarmup(feed, signal);
    const out = feed.indicators.use(signal as IndicatorSpec<Signal>, 1);
    const rows = new Int32Array(this.engine.blockRows);
    this.watches.push({ signal: out, feed, handler, rows, place: this.watches.length, count: 0, row: NO_ROW, at: 0, dueMs: NAN });
    return out;
  }
  every(periodMs: number, handler: () => void, missed: Missed): void {
    this.engine.hasPendingWork = true;
    this.engine.timers.every(this.index, periodMs, handler, this.engine.nowMs, missed);
  }
  at(dayMs: number, handler: () => void, missed: Missed): void {
    this.engine.hasPendingWork = true;
    this.engine.timers.at(this.index, dayMs, handler, this.engine.nowMs, missed);
  }
  cron(pattern: string, timeZone: string, handler: () => void, missed: Missed): void {
    this.engine.timers.cron(this.index, pattern, timeZone, handler, this.engine.nowMs, missed);
  }

  order(isBuy: boolean, size: Size | undefined, options: OrderOptions | undefined): OrderId {
    const engine = this.engine;
    engine.hasPendingWork = true;
    const feed = this.feedFor(options?.feed);
    const order = engine.newOrder(this.index, feed, isBuy ? 'buy' : 'sell');
    try {
      this.drafts.write(order, isBuy, size, options);
    } catch (error) {
      // The strategy may catch the error and continue. The order must then be denied, so that it does not stay open.
      engine.orders.deny(order, 'BAD_INPUT');
      throw error;
    }
    return this.send(order);
  }

  exit(view: Feed | undefined): OrderId | null {
    this.engine.hasPendingWork = true;
    return this.leave(this.feedFor(view));
  }
  /**
   * Exits the instrument of a feed: cancels the strategy's orders there and closes its position. Its stops are removed now. What the exit
   * leaves, or what an entry fills meanwhile, is closed after that exit has ended.
   */
  leave(feed: FeedRun): OrderId | null {
    const engine = this.engine;
    const { instrumentIndex } = feed;
    this.stopTurning(instrumentIndex);
    if (engine.brackets.total > 0) engine.brackets.drop(this.index, instrumentIndex);
    // From the newest to the oldest, because a cancel that acts at once removes its order from the list.
    const active = engine.orders.active();
    for (let at = active.length - 1; at >= 0; at--) {
      const order = active[at]!;
      if (order.strategy !== this.index || order.instrumentIndex !== instrumentIndex) continue;
      if (order.parent === 0 && (order.slot === EXIT || order.slot === EXIT_SHORT)) continue;
      engine.orders.cancel(order, engine.nowMs);
      // A draft that waits for an open order ends with it.
      if (engine.followUps > 0) engine.drafts.withdrawAll((draft) => this.isOwn(draft.order, instrumentIndex));
    }
    // Again: the cancel of a stop order that still waited for a row with volume returned the unsold lots to its bracket.
    if (engine.brackets.total > 0) engine.brackets.drop(this.index, instrumentIndex);
    return this.closePosition(feed);
  }

  target(size: Size, view: Feed | undefined): OrderId | null {
    const engine = this.engine;
    engine.hasPendingWork = true;
    const feed = this.feedFor(view);
    const { instrumentIndex, instrument } = feed;
    const wanted = this.drafts.targetLots(size, instrument, instrumentIndex);
    const turning = engine.followUps === 0 ? undefined : this.drafts.reversal(instrumentIndex);
    if (turning !== undefined && turning.targetLots === wanted) return null;
    // The newest decision counts.
    if (turning !== undefined) engine.drafts.withdraw(turning.order);
    const held = this.drafts.heldAndOrdered(instrumentIndex);
    const missing = wanted - held;
    if (Math.abs(missing) < instrument.minLots) return null;
    const order = engine.newOrder(this.index, feed, missing > 0 ? 'buy' : 'sell');
    order.slot = TARGET;
    this.sizeTarget(order, missing, held);
    const { isCleared, ahead } = this.drafts.clearOldSide(order, missing);
    if (!isCleared) return this.send(order);
    return ahead.length === 0 ? this.reverse(order) : engine.drafts.reverse(order, ahead, wanted);
  }
  /** Sends a reversal whose stops have ended. If it does not fill, the old side is closed anyway, because nothing protects it now. */
  reverse(order: BotOrder): OrderId {
    const engine = this.engine;
    const { id, instrumentIndex } = order;
    this.send(order);
    if (order.id !== id) return id;
    if (order.reason === 'denied') this.leave(engine.execution[instrumentIndex]!);
    else if (order.reason === null) {
      this.stopTurning(instrumentIndex);
      this.turning[instrumentIndex] = id;
      engine.followUps++;
    }
    return id;
  }
  /** Stops watching the reversal: from now on the strategy decides about the old side. */
  private stopTurning(instrumentIndex: number): void {
    if (this.turning[instrumentIndex] === undefined) return;
    this.turning[instrumentIndex] = undefined;
    this.engine.followUps--;
  }
  /** Handles the end of a reversal: an exit closes what is left of the old side, unless another draft will do so. */
  reversalEnded(id: OrderId, instrumentIndex: number, side: Side): void {
    if (this.turning[instrumentIndex] !== id) return;
    this.stopTurning(instrumentIndex);
    const { ledger, orders, execution } = this.engine;
    const isDrafted = orders.drafts.orders.some((draft) => this.isOwn(draft, instrumentIndex));
    if (!isDrafted && ledger.closable(this.index, instrumentIndex, side === 'buy', true) > 0) this.leave(execution[instrumentIndex]!);
  }
  private sizeTarget(order: BotOrder, missing: number, held: number): void {
    const { instrument } = order;
    order.reduceOnly = instrument.contract === undefined ? missing < 0 : missing > 0 !== held > 0 && Math.abs(missing) <= Math.abs(held);
    order.limit = 0 as Ticks;
    order.timeInForce = null;
    this.drafts.sizeTo(order, Math.abs(missing));
  }
  /** Returns the lots that a reversal still needs once its stops have ended; 0 when it needs none, or would have to trade the other way. */
  missingLots(order: BotOrder, targetLots: number): number {
    const held = this.drafts.heldAndOrdered(order.instrumentIndex);
    const missing = targetLots - held;
    if (missing > 0 !== order.sign > 0 || missing === 0) return 0;
    this.sizeTarget(order, missing, held);
    return Math.abs(missing);
  }
  /**
   * Adapts a draft that is sent with another size, and perhaps later than requested: a market order gets its collar at the newest price.
   */
  resize(order: BotOrder): void {
    if (order.role !== 'market') return;
    order.limit = 0 as Ticks;
    this.drafts.sizeTo(order, order.lots);
  }
  private isOwn({ strategy, instrumentIndex }: BotOrder, instrument: number): boolean {
    return strategy === this.index && instrumentIndex === instrument;
  }

  cancel(id: OrderId): void {
    this.engine.hasPendingWork = true;
    const order = this.engine.orders.get(id);
    if (!order || order.strategy !== this.index) return;
    if (this.turning[order.instrumentIndex] === id) this.stopTurning(order.instrumentIndex);
    if (order.state === DRAFT) this.engine.drafts.withdraw(order);
    else this.engine.orders.cancel(order, this.engine.nowMs);
  }
  position(view: Feed | undefined): Position {
    if (view === undefined) return (this.mainPosition ??= this.positionIn(this.feedFor(undefined)));
    return this.positionIn(this.feedFor(view));
  }
  private positionIn({ instrumentIndex }: FeedRun): StrategyPosition {
    return (this.positions[instrumentIndex] ??= new StrategyPosition(this.engine, this.index, instrumentIndex));
  }
  openOrders(view: Feed | undefined): readonly OrderInfo[] {
    const { instrumentIndex } = this.feedFor(view);
    const { orders } = this.engine;
    const own: OrderInfo[] = [];
    this.addViews(own, orders.active(), instrumentIndex);
    this.addViews(own, orders.drafts.orders, instrumentIndex);
    return own;
  }
  private addViews(views: OrderInfo[], orders: readonly BotOrder[], instrumentIndex: number): void {
    for (let at = 0; at < orders.length; at++) if (this.isOwn(orders[at]!, instrumentIndex)) views.push(new OrderView(orders[at]!));
  }
  funding(view: Feed | undefined): Funding {
    const { instrument, instrumentIndex } = this.feedFor(view);
    if (instrument.contract === undefined) {
      throw new ConfigError(`${this.name}: ${instrument.id} has no funding`, 'ask for that of a contract: funding(feed)');
    }
    const { deps } = this.engine;
    return (this.fundings[instrumentIndex] ??= new FundingView(deps.funding?.[instrumentIndex] ?? null, this.engine));
  }
  /** True when the strategy has asked for the funding of the instrument. */
  readsFundingOf(instrumentIndex: number): boolean {
    return this.fundings[instrumentIndex] !== undefined;
  }
  get equity(): number {
    return this.engine.toMoney(this.engine.equityUnits(this.index));
  }
  get cash(): number {
    return this.engine.toMoney(this.engine.ledger.cash(this.index));
  }
  get nowMs(): number {
    return this.engine.nowMs;
  }
  random(): number {
    this.draws++;
    return this.rng.next();
  }
  keep<T extends object>(state: T): T {
    this.registering('keep');
    if (this.kept !== null) throw new ConfigError(`${this.name}: keep is called twice`, 'put all that is to be kept into one object');
    checkKept(this.name, state);
    this.kept = state;
    return state;
  }
  log(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.engine.log(this.name, message, fields);
  }

  /** True when an exit waits for cancels: it closes what is held, and what is bought until then. */
  isLeaving(instrumentIndex: number): boolean {
    return this.engine.followUps > 0 && this.exitPending[instrumentIndex] === true;
  }
  /** Handles the end of an order: an exit that waited for its cancels may now be sent. */
  orderEnded(instrumentIndex: number): void {
    if (this.isLeaving(instrumentIndex)) this.exitOnce(instrumentIndex);
  }
  private exitOnce(instrumentIndex: number): void {
    const { ledger, execution } = this.engine;
    const long = ledger.closable(this.index, instrumentIndex, false, true);
    if (this.isClosing(instrumentIndex, long, ledger.closable(this.index, instrumentIndex, true, true))) return;
    this.exitPending[instrumentIndex] = false;
    this.engine.followUps--;
    this.closePosition(execution[instrumentIndex]!);
  }

  private closePosition(feed: FeedRun): OrderId | null {
    const engine = this.engine;
    const { instrumentIndex } = feed;
    const { ledger } = engine;
    if (ledger.isFlat(this.index, instrumentIndex)) return null;
    const long = ledger.closable(this.index, instrumentIndex, false, true);
    const short = ledger.closable(this.index, instrumentIndex, true, true);
    if (this.isClosing(instrumentIndex, long, short)) {
      if (!this.exitPending[instrumentIndex]) engine.followUps++;
      this.exitPending[instrumentIndex] = true;
      return null;
    }
    if (short === 0) return this.close(feed, 'sell', long, EXIT);
    if (long > 0) this.close(feed, 'sell', long, EXIT);
    return this.close(feed, 'buy', short, long > 0 ? EXIT_SHORT : EXIT);
  }

  private close(feed: FeedRun, side: Side, lots: number, slot: string): OrderId {
    const order = this.engine.newOrder(this.index, feed, side);
    order.slot = slot;
    order.reduceOnly = true;
    this.drafts.sizeTo(order, lots);
    return this.send(order);
  }

  /** True when orders that close the position are unfinished: what they may still fill cannot be closed a second time. */
  private isClosing(instrumentIndex: number, long: number, short: number): boolean {
    return (long > 0 && this.takenLots(instrumentIndex, false) > 0) || (short > 0 && this.takenLots(instrumentIndex, true) > 0);
  }
  private takenLots(instrumentIndex: number, isBuy: boolean): number {
    const { ledger, reservations } = this.engine;
    return takenLots(this.index, instrumentIndex, isBuy, ledger, reservations);
  }

  /** Warm-up of this strategy only: what other strategies have registered over the feed does not delay it. */
  private noteWarmup(feed: FeedRun, what: object): void {
    if ('warmupBars' in what) this.readyRows.set(feed, Math.max(this.readyRow(feed), Number(what.warmupBars) - 1));
  }

  private draw(feed: FeedRun, what: object, out: unknown, pane: string | null): void {
    if (!('key' in what) || typeof out !== 'object' || out === null) return;
    const name = String(what.key);
    if (isSeries(out)) this.drawn.push({ feed, series: out, name, pane });
    else
      for (const [part, series] of Object.entries(out))
        if (isSeries(series)) this.drawn.push({ feed, series, name: `${name} ${part}`, pane });
  }

  private listen(feed: FeedRun): void {
    if (!this.listenedFeeds.includes(feed)) this.listenedFeeds.push(feed);
  }
  private feedFor(view: Feed | undefined): FeedRun {
    const feed = view === undefined ? this.main : this.byView.get(view);
    if (!feed && view !== undefined)
      throw new ConfigError(`${this.name}: expected a feed of this strategy`, 'name one: this.feed(name) has it');
    if (!feed)
      throw new ConfigError(`${this.name}: the run has several feeds and none is called bars`, 'name the feed: buy(size, { feed })');
    return feed;
  }
  private registering(what: string): void {
    if (this.instance)
      throw new ConfigError(`${this.name}: ${what} after construction`, 'register feeds, indicators and handlers in field initialisers');
  }
  private noFeed(name: string, interval: Interval | undefined): ConfigError {
    const names = [...new Set(this.shownFeeds.map((feed) => feed.name))];
    const near = nearestName(name, names);
    const wanted = interval ? `, interval: ${interval}` : '';
    return new ConfigError(
      `${this.name}: the run has no feed called ${name}${wanted}`,
      `${near ? `did you mean ${near}? ` : ''}add it to the definition: feeds: { ${name}: { symbol: ...${wanted} } } (it has ${names.join(', ')})`,
    );
  }
}
