// One strategy in a run: what its base class calls to get feeds and indicators, to send orders and to read its own state.

import { ConfigError } from '../../base/errors.ts';
import type { Rng } from '../../base/number/rng.ts';
import type { Series, Signal } from '../../indicators/graph/series.ts';
import type { IndicatorSpec, SignalSource } from '../../indicators/graph/spec.ts';
import type { FundingRates } from '../../model/bars/fundingRates.ts';
import type { Interval } from '../../model/interval.ts';
import type { OrderId, Side } from '../../model/order.ts';
import { STATE } from '../../orders/lifecycle.ts';
import { OcoGroups } from '../../orders/ocoGroups.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { StrategyHost, UseOptions } from '../../strategy/host.ts';
import type { Strategy } from '../../strategy/strategy.ts';
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
import type { DecisionLog } from '../book/decisionLog.ts';
import { moneyIn } from '../book/moneyIn.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { FundingView } from '../feeds/fundingView.ts';
import { KnownViews, type NamedValues } from '../feeds/knownViews.ts';
import { Rebalancing, type RebalancingHost } from '../rebalance/rebalancing.ts';
import { Targets, type TargetHost } from '../rebalance/targets.ts';
import { Exits, type ExitHost } from '../exits/exits.ts';
import { TimedExits, type TimedExitHost } from '../exits/timedExits.ts';
import { checkKept } from './keptState.ts';
import { StrategyFeeds, type DrawnIndicator, type LinkedView } from './strategyFeeds.ts';
import { TARGET, type StrategyOrders } from './strategyOrders.ts';
import { SignalQueue, type SignalWatch } from '../feeds/signalQueue.ts';
import type { Timers } from './timers.ts';
import { noDefaultFeed, OrderView, StrategyPosition, type OrderOwner, type PositionHost } from './views.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

// hot: docs/performance.md#imported-constants
const DRAFT = STATE.draft;

/** What `StrategyRun` needs of the engine. */
export interface RunHost extends ExitHost, TimedExitHost, PositionHost, RebalancingHost, TargetHost {
  readonly feeds: readonly FeedRun[];
  readonly blockRows: number;
  readonly timers: Timers;
  readonly drafts: ExitHost['drafts'] & RebalancingHost['drafts'] & TargetHost['drafts'];
  readonly deps: { readonly funding?: readonly (FundingRates | null)[]; readonly known?: readonly NamedValues[] };
  hasPendingWork: boolean;
  wantsFills: boolean;
  readonly defaultSize: Size;
  submit(order: BotOrder): OrderId;
  equityUnits(strategyIndex: number): number;
  lastTicks(instrumentIndex: number): number;
  toMoney(units: number): number;
  log(strategy: string, message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** One strategy in a run. The base class `Strategy` calls it for everything that a strategy does. */
export class StrategyRun implements StrategyHost {
  /** Position of the strategy in the run definition, from 0. */
  readonly index: number;
  readonly name: string;
  readonly watches: readonly SignalWatch[];
  readonly signals = new SignalQueue();
  readonly drawn: readonly DrawnIndicator[];
  /** Its series and signals that read several feeds. */
  readonly linked: readonly LinkedView[];
  /** Feeds whose indicators must be ready before the first callback. */
  readonly needed: ReadonlySet<FeedRun>;
  /** Feeds whose bars call `onBar`. */
  readonly listened: readonly FeedRun[];
  instance: Strategy | null = null;
  hasOnBar = false;
  wantsFills = false;
  wantsOrders = false;
  /** First instant at which every registered series is ready: callbacks begin here. Infinity when the data ends earlier. */
  readyMs = INFINITY;
  /** Live: true while rows that the strategy needs before its first instant are missing. */
  awaitsRows = false;
  hasStarted = false;
  /** Live: it has thrown, and gets no more calls. */
  hasFailed = false;
  /** State that the strategy keeps over restarts; null: none. */
  kept: object | null = null;
  /** Number of random numbers that the strategy has drawn. */
  draws = 0;
  /** Records its orders, exits and cancels; null: the run keeps no such log. */
  decisions: DecisionLog | null = null;
  /** True once it has read its equity or cash, read its open orders, or set a target, which depends on its position. */
  readsMoney = false;
  readsOrders = false;
  asksForTargets = false;
  readonly oco = new OcoGroups();
  /** Receives `amend` of an order view: the run itself, or a wrapper that records its calls. */
  owner: OrderOwner = this;
  /** True once it has changed an order. The envelope of a run does not include moved stops. */
  amends = false;
  private readonly engine: RunHost;
  /** Sends a draft: `submit` of the engine, bound. Hot: docs/performance.md#bound-send. */
  private readonly send: RunHost['submit'];
  private readonly rng: Rng;
  private readonly drafts: StrategyOrders;
  private readonly ownFeeds: StrategyFeeds;
  private readonly exits: Exits;
  private readonly timedExits: TimedExits;
  private readonly targets: Targets;
  private readonly rebalancing: Rebalancing;
  private readonly known: KnownViews;
  private readonly positions: (StrategyPosition | undefined)[] = [];
  /** Position of the main feed's instrument, which strategies read at every bar. */
  private mainPosition: StrategyPosition | null = null;
  private readonly fundings: (FundingView | undefined)[] = [];

  constructor(engine: RunHost, index: number, name: string, rng: Rng, drafts: StrategyOrders) {
    this.engine = engine;
    this.send = engine.submit.bind(engine);
    this.index = index;
    this.name = name;
    this.rng = rng;
    this.drafts = drafts;
    const setSize = (order: BotOrder, lots: number): void => drafts.setSize(order, lots);
    this.exits = new Exits(engine, { index, targetSlot: TARGET, setSize, send: this.send });
    const isUnderWay = (instrumentIndex: number): boolean => this.exits.isUnderWay(instrumentIndex);
    this.timedExits = new TimedExits(engine, { index, name, isUnderWay, exit: (feed) => void this.exit(feed.view) });
    this.ownFeeds = new StrategyFeeds(name, engine.feeds, engine.blockRows);
    this.known = new KnownViews(name, engine.deps.known ?? [], engine);
    this.targets = new Targets(engine, drafts, { index, slot: TARGET, send: this.send, leave: (feed) => this.leave(feed) });
    this.rebalancing = new Rebalancing(engine, this.ownFeeds, drafts, {
      index,
      name,
      targetSlot: TARGET,
      goTo: (feed, lots) => this.goTo(feed, lots),
      writeSize: (order, missingLots, heldLots) => this.targets.writeSize(order, missingLots, heldLots),
      send: this.send,
    });
    this.watches = this.ownFeeds.watches;
    this.drawn = this.ownFeeds.drawn;
    this.linked = this.ownFeeds.linked;
    this.needed = this.ownFeeds.needed;
    this.listened = this.ownFeeds.listened;
  }

  get bars(): Feed {
    return this.ownFeeds.main?.view ?? noDefaultFeed(this.name);
  }
  /** True when the current visit brought a bar of a feed that the strategy listens to. A later visit of the same instant brings none. */
  get hasFresh(): boolean {
    const { listened } = this;
    for (let index = 0; index < listened.length; index++) if (listened[index]!.aligned!.isDue === true) return true;
    return false;
  }
  /** Live: it has thrown, and gets no more calls. */
  fail(): void {
    this.hasFailed = true;
    this.hasStarted = false;
    this.awaitsRows = false;
    this.readyMs = INFINITY;
  }
  /** Returns the first row of a feed at which every series of this strategy over it is ready. */
  readyRow(feed: FeedRun): number {
    return this.ownFeeds.readyRow(feed);
  }

  feed(name: string, byDefault?: { readonly interval?: Interval }): Feed {
    this.checkIsConstructing(`feed('${name}')`);
    return this.ownFeeds.listenToOne(name, byDefault?.interval);
  }
  feeds(name: string): readonly Feed[] {
    this.checkIsConstructing(`feeds('${name}')`);
    return this.ownFeeds.listenToAll(name);
  }
  series(name: string, view: Feed | undefined): KnownSeries {
    return this.known.on(this.ownFeeds.feedFor(view), name, () => this.checkIsConstructing(`series('${name}')`));
  }
  use<Out>(specOrSeries: IndicatorSpec<Out> | Series, options: UseOptions = {}): Out | Series {
    this.checkIsConstructing('use');
    return this.ownFeeds.use(specOrSeries, options);
  }
  when(signal: SignalSource, handler: () => void): Signal {
    this.checkIsConstructing('when');
    return this.ownFeeds.watch(signal, handler);
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
    const feed = this.ownFeeds.feedFor(options?.feed);
    const order = engine.newOrder(this.index, feed, isBuy ? 'buy' : 'sell');
    try {
      this.drafts.write(order, isBuy, size, options);
    } catch (error) {
      // The strategy may catch the error and continue. The order must then be denied, so that it does not stay open.
      engine.orders.deny(order, 'BAD_INPUT');
      throw error;
    }
    if (this.decisions !== null) this.decisions.order(order, (size ?? engine.defaultSize).equity !== undefined);
    return this.send(order);
  }

  exit(view: Feed | undefined): OrderId | null {
    const engine = this.engine;
    engine.hasPendingWork = true;
    const feed = this.ownFeeds.feedFor(view);
    if (this.decisions !== null) this.decisions.note('exit', 0, this.index, feed.instrumentIndex, engine.nowMs);
    return this.leave(feed);
  }
  /** Exits the instrument of a feed, also if a reversal is under way there. */
  leave(feed: FeedRun): OrderId | null {
    if (this.engine.followUps > 0) this.rebalancing.withdraw(feed.instrumentIndex);
    this.targets.forgetReversal(feed.instrumentIndex);
    return this.exits.leave(feed);
  }

  target(size: Size, view: Feed | undefined): OrderId | null {
    const engine = this.engine;
    engine.hasPendingWork = true;
    this.asksForTargets = true;
    const feed = this.ownFeeds.feedFor(view);
    return this.goTo(feed, this.drafts.targetLots(size, feed.instrument, feed.instrumentIndex));
  }
  private goTo(feed: FeedRun, targetLots: number): OrderId | null {
    return this.exits.whileDeciding(feed.instrumentIndex, () => this.targets.goTo(feed, targetLots));
  }
  reverse(order: BotOrder): OrderId {
    return this.targets.reverse(order);
  }
  onReversalEnd(id: OrderId, instrumentIndex: number, side: Side): void {
    this.targets.onReversalEnd(id, instrumentIndex, side);
  }
  sizeToTarget(order: BotOrder, targetLots: number): number {
    return this.targets.sizeToTarget(order, targetLots);
  }
  resize(order: BotOrder): void {
    this.targets.resize(order);
  }
  rebalance(weights: Weights, options?: RebalanceOptions): readonly OrderId[] {
    this.engine.hasPendingWork = true;
    this.asksForTargets = true;
    return this.rebalancing.rebalanceTo(weights, options);
  }
  fitToCash(order: BotOrder, decidedTicks: number): boolean {
    return this.rebalancing.fitToCash(order, decidedTicks);
  }
  private isOwn({ strategy, instrumentIndex }: BotOrder, instrument: number): boolean {
    return strategy === this.index && instrumentIndex === instrument;
  }

  cancel(id: OrderId): void {
    this.engine.hasPendingWork = true;
    const order = this.engine.orders.get(id);
    if (!order || order.strategy !== this.index) return;
    if (this.decisions !== null) this.decisions.note('cancel', id, this.index, order.instrumentIndex, this.engine.nowMs);
    this.targets.onCancel(id, order.instrumentIndex);
    if (order.state === DRAFT) this.engine.drafts.withdraw(order);
    else this.engine.orders.cancel(order, this.engine.nowMs);
  }
  amend(id: OrderId, change: Amendment): OrderId | null {
    this.engine.hasPendingWork = true;
    this.amends = true;
    const newId = this.drafts.amend(id, change, this.decisions);
    if (newId === null || newId === id) return newId;
    // Of a trigger order that was moved, either may fill until the old one has ended.
    if (this.engine.orders.get(newId)?.amends === id) this.oco.join(id, newId);
    else this.oco.replace(id, newId);
    return newId;
  }
  group(ids: readonly OrderId[]): void {
    const ownIds = ids.filter((id) => this.engine.orders.get(id)?.strategy === this.index);
    if (ownIds.length < 2) return;
    this.oco.add(ownIds);
    this.wantsFills = this.engine.wantsFills = true;
  }
  /** Cancels the other orders of the group of an order that has filled. */
  cancelOthers(id: OrderId): void {
    for (const otherId of this.oco.endGroupOf(id)) this.cancel(otherId);
  }
  /** True while orders of a group may still cancel each other. The journal does not contain the groups. */
  get hasGroups(): boolean {
    if (!this.oco.isEmpty) this.oco.forget((id) => (this.engine.orders.get(id)?.state ?? STATE.done) !== STATE.done);
    return !this.oco.isEmpty;
  }
  closeAt(timeMs: number | null, view: Feed | undefined): void {
    this.engine.hasPendingWork = true;
    this.timedExits.at(this.ownFeeds.feedFor(view), timeMs);
  }
  position(view: Feed | undefined): Position {
    if (view === undefined) return (this.mainPosition ??= this.positionIn(this.ownFeeds.feedFor(undefined)));
    return this.positionIn(this.ownFeeds.feedFor(view));
  }
  private positionIn({ instrumentIndex }: FeedRun): StrategyPosition {
    return (this.positions[instrumentIndex] ??= new StrategyPosition(this.engine, this.index, instrumentIndex));
  }
  openOrders(view: Feed | undefined): readonly OrderInfo[] {
    this.readsOrders = true;
    const { instrumentIndex } = this.ownFeeds.feedFor(view);
    const { orders } = this.engine;
    const ownOrders: OrderInfo[] = [];
    this.addViews(ownOrders, orders.active(), instrumentIndex);
    if (orders.drafts.waiting.length > 0) this.addViews(ownOrders, orders.drafts.orders, instrumentIndex);
    return ownOrders;
  }
  private addViews(views: OrderInfo[], orders: readonly BotOrder[], instrumentIndex: number): void {
    for (let index = 0; index < orders.length; index++)
      if (this.isOwn(orders[index]!, instrumentIndex)) views.push(new OrderView(orders[index]!, this.owner));
  }
  funding(view: Feed | undefined): Funding {
    const { instrument, instrumentIndex } = this.ownFeeds.feedFor(view);
    if (instrument.contract === undefined) {
      throw new ConfigError(`${this.name}: ${instrument.id} has no funding`, 'give the feed of a contract: funding(feed)');
    }
    const { deps } = this.engine;
    return (this.fundings[instrumentIndex] ??= new FundingView(deps.funding?.[instrumentIndex] ?? null, this.engine));
  }
  /** What its decisions depended on besides bars, as texts for a report. */
  get dependsOn(): readonly string[] {
    const dependencies: string[] = [];
    if (this.mainPosition !== null || this.positions.some((position) => position !== undefined)) dependencies.push('its position');
    if (this.readsOrders) dependencies.push('its open orders');
    if (this.readsMoney) dependencies.push('its equity or cash');
    if (this.asksForTargets) dependencies.push('what it holds, by target');
    if (this.amends) dependencies.push('stops and orders that it amends');
    if (this.wantsFills) dependencies.push('its fills, by onFill');
    if (this.wantsOrders) dependencies.push('its orders, by onOrder');
    return dependencies;
  }
  /** True when the strategy has asked for the funding of the instrument. */
  readsFundingOf(instrumentIndex: number): boolean {
    return this.fundings[instrumentIndex] !== undefined;
  }
  get equity(): number {
    this.readsMoney = true;
    return this.engine.toMoney(this.engine.equityUnits(this.index));
  }
  get cash(): number {
    this.readsMoney = true;
    return this.engine.toMoney(this.engine.ledger.cash(this.index));
  }
  moneyIn(figure: 'cash' | 'equity', asset: string): number {
    this.readsMoney = true;
    return this.engine.toMoney(moneyIn(this.engine, this.index, this.name, figure, asset));
  }
  get nowMs(): number {
    return this.engine.nowMs;
  }
  random(): number {
    this.draws++;
    return this.rng.next();
  }
  keep<T extends object>(state: T): T {
    this.checkIsConstructing('keep');
    if (this.kept !== null) throw new ConfigError(`${this.name}: keep is called twice`, 'put everything to keep into one object');
    checkKept(this.name, state);
    this.kept = state;
    return state;
  }
  log(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.engine.log(this.name, message, fields);
  }

  /** True while an exit waits for cancels. It will then close everything that is held by then. */
  isLeaving(instrumentIndex: number): boolean {
    return this.exits.isWaiting(instrumentIndex);
  }
  /**
   * Handles the end of an order. An exit that waited for its cancels may now be sent. Stops come back if the order has not closed enough.
   */
  onOrderEnd(instrumentIndex: number): void {
    this.exits.onOrderEnd(instrumentIndex);
  }
  /** Brings stops back that were set aside for an order, unless an exit or a target is still closing what they protect. */
  restoreStops(instrumentIndex: number): void {
    this.exits.restoreStops(instrumentIndex);
  }

  /** Throws ConfigError after the construction of the strategy, when nothing can be registered any more. */
  private checkIsConstructing(action: string): void {
    if (this.instance)
      throw new ConfigError(`${this.name}: ${action} after construction`, 'register feeds, indicators and handlers in field initialisers');
  }
}
