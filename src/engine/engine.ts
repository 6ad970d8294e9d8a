// The engine connects strategies and the exchange: it books what the exchange reports and sends the orders that risk approves. Every mode
// uses this engine; setUp.ts prepares it.

import { pow10 } from '../base/number/exact.ts';
import { listOf } from '../base/memory/listOf.ts';
import type { TickColumn } from '../model/bars/bars.ts';
import type { Fill } from '../model/fill.ts';
import type { Instrument } from '../model/instrument.ts';
import type { OrderId, Side, VenueOrderId } from '../model/order.ts';
import { formatMinute } from '../model/time.ts';
import type { Brackets } from '../orders/stops/brackets.ts';
import { STATE } from '../orders/lifecycle.ts';
import { REPLACES } from '../orders/conflicts.ts';
import { isWatched } from '../orders/drafts.ts';
import type { OrderManager } from '../orders/orderManager.ts';
import type { BotOrder } from '../orders/botOrder.ts';
import type { Reservations } from '../orders/reserve/reservation.ts';
import type { Ledger } from '../portfolio/ledger.ts';
import type { BarMarket, Evidence, ExchangeSink, OrderGateway } from '../ports/exchange.ts';
import type { RiskModule } from '../risk/riskModule.ts';
import type { MarkPrices } from '../risk/rules/rule.ts';
import type { DueQueue } from '../ports/dueQueue.ts';
import type { Size } from '../strategy/types.ts';
import type { EngineDeps } from './engineDeps.ts';
import { attributedError, throwUnknownOrder, rejectPromise } from './host/strategyErrors.ts';
import { BracketManager, entryFill, type FillOfEntry } from './router/bracketManager.ts';
import { delistedCode } from './feeds/delisting.ts';
import { alignFeeds, type AlignedFeeds } from './feeds/alignedFeeds.ts';
import { TriggerOrderTracker } from './router/triggerOrderTracker.ts';
import { WaitingDrafts } from './router/waitingDrafts.ts';
import type { EquityRecorder } from './book/equityRecorder.ts';
import { HostFaults } from './host/hostFaults.ts';
import { makeExecutionFeeds, nextBlockEnd, type FeedRun } from './feeds/feed.ts';
import { FillLog } from './book/fillLog.ts';
import type { HaltActions } from './router/haltActions.ts';
import type { Instant } from './feeds/instant.ts';
import type { Link } from './feeds/links.ts';
import { InstantParts } from './feeds/instantParts.ts';
import { MarginEvents } from './book/marginEvents.ts';
import { CallbackQueue } from './host/callbackQueue.ts';
import { UnknownOutcomes } from './router/unknownOutcomes.ts';
import { PaymentLog } from './book/paymentLog.ts';
import { Prefetch } from './book/prefetch.ts';
import { Sizing } from './router/sizing.ts';
import type { StrategyRun } from './host/strategyRun.ts';
import { Timers } from './host/timers.ts';
import { writeProgress } from './book/writeProgress.ts';
import { FillView, OrderView } from './host/views.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;
const NAN = NaN;

// hot: docs/performance.md#imported-constants
const UNKNOWN_STATE = STATE.unknown;

export class Engine implements ExchangeSink, MarkPrices {
  readonly instruments: readonly Instrument[];
  readonly feeds: readonly FeedRun[];
  readonly runs: StrategyRun[] = [];
  readonly ledger: Ledger;
  readonly reservations: Reservations;
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly risk: RiskModule;
  readonly exchange: OrderGateway;
  /** The market of a replay; null: the exchange matches by itself. */
  readonly market: BarMarket | null;
  readonly queue: DueQueue;
  readonly timers = new Timers();
  readonly callbacks = new CallbackQueue();
  readonly sizing: Sizing;
  readonly fills: FillLog;
  readonly payments: PaymentLog;
  readonly instant: Instant;
  readonly defaultSize: Size;
  readonly collarPpm: number;
  readonly blockRows: number;
  /** Execution feeds in instrument order. */
  readonly execution: readonly FeedRun[];
  recorder!: EquityRecorder;
  /** Equity at the start of the run. */
  startUnits = 0;
  alignedFeeds: readonly AlignedFeeds[] = []; // the feeds of the current block, grouped by the instants at which they close
  links: readonly Link[] = []; // kernels that read several feeds
  exitsMs: readonly number[] | null = null; // by instrument: from then on only closing orders are sent (delistings.ts)
  /** End of the current block, ms UTC, inclusive. */
  blockEndMs = -INFINITY;
  /** True when a strategy has submitted or cancelled an order since the last check. While it is false, further checks are skipped. */
  hasPendingWork = false;
  /** For a live bot that is compared with a backtest: callbacks of events between instants are delivered at the next instant. */
  defersCallbacks = false;
  /** Number of exits and drafts, of all strategies, that wait for orders to end. */
  followUps = 0;
  stepsRows = false; // true: each block has one row (nextBlockEnd)
  /** While a journal is replayed: returns the recorded outcome of each order that is submitted again. Null: risk decides. */
  recordedDecisions: { submitAsRecorded(order: BotOrder): OrderId; decideDraft?(order: BotOrder): string | null | undefined } | null = null;
  /** True when a strategy has `onFill`, or `onOrder`. */
  wantsFills = false;
  wantsOrders = false;
  /** Acts on halts; null in a backtest. */
  haltActions: HaltActions | null = null;
  /** The strategy whose code is running, to which an exception is attributed. */
  currentStrategy = 0;
  /** Live: custom indicators that have thrown, and the strategies that registered them. */
  readonly faults = new HostFaults();
  /** Number of strategies that were asked to decide at this instant, and number whose `onStop` was called. */
  decided = 0;
  stopped = 0;
  /** True when there is one execution feed and one strategy, so that visiting the bars one by one is fastest. */
  hasOneFeedAndStrategy = false;
  /** `decide: perFeed`: an instant is visited in parts. */
  readonly decidesPerFeed: boolean;
  readonly parts = new InstantParts();
  /** Live, `decide: perFeed`: true while more bars of the instant may come, so that its timers wait. */
  isPartial = false;
  readonly bracketManager: BracketManager;
  readonly margin: MarginEvents;
  readonly triggerOrders: TriggerOrderTracker;
  readonly outcomes: UnknownOutcomes;
  readonly drafts: WaitingDrafts;
  /** Prices by which positions are marked: the closes, or the mark prices of a contract. */
  readonly markTicks: readonly TickColumn[];
  private readonly markValues: Float64Array;
  readonly deps: EngineDeps;
  private readonly readAhead = new Prefetch();
  private readonly hasContracts: boolean;
  private readonly onlyExecution: FeedRun | null;

  constructor(deps: EngineDeps) {
    this.deps = deps;
    this.instruments = deps.instruments;
    this.feeds = deps.feeds;
    this.ledger = deps.ledger;
    this.hasContracts = deps.ledger.market !== 'spot';
    this.reservations = deps.reservations;
    this.orders = deps.orders;
    this.brackets = deps.brackets;
    this.risk = deps.risk;
    this.exchange = deps.exchange;
    this.market = deps.market;
    this.queue = deps.queue;
    this.instant = deps.instant;
    this.defaultSize = deps.defaultSize;
    this.sizing = new Sizing(deps.sizeScale);
    this.collarPpm = deps.collarPpm;
    this.blockRows = deps.blockRows;
    this.decidesPerFeed = deps.decidesPerFeed === true;
    this.execution = makeExecutionFeeds(deps.feeds, deps.instruments);
    this.onlyExecution = this.execution.length === 1 ? this.execution[0]! : null;
    this.markTicks = listOf(this.execution, ({ closeTicks }, index) => deps.marks?.[index] ?? closeTicks);
    this.markValues = new Float64Array(deps.instruments.length);
    this.fills = new FillLog(deps.scratch);
    this.payments = new PaymentLog(deps.scratch);
    this.bracketManager = new BracketManager(this);
    this.margin = new MarginEvents(this);
    this.triggerOrders = new TriggerOrderTracker(this);
    this.outcomes = new UnknownOutcomes(this);
    this.drafts = new WaitingDrafts(this);
  }

  get nowMs(): number {
    return this.instant.ms;
  }

  /** Sets the next block, also for `otherEngines`: at most `blockRows` rows of any feed. False when no rows are left. */
  openBlock(otherEngines: readonly Engine[] = []): boolean {
    const endMs = nextBlockEnd(this, otherEngines);
    if (endMs === INFINITY) return false;
    this.enterBlock(this.blockRows, endMs);
    this.market?.blockOpened();
    this.readAhead.beforeBlock(this.execution, this.fills.length);
    return true;
  }
  /** Enters a block of at most `rows` rows of each feed: those that close at or before `endMs`. */
  enterBlock(rows: number, endMs: number): void {
    this.blockEndMs = endMs;
    for (const feed of this.feeds) feed.enterBlock(rows, endMs);
    this.alignedFeeds = alignFeeds(this.feeds, this.decidesPerFeed);
    this.recorder.enterBlock(this.alignedFeeds);
  }
  /** Enters the block that another engine over the same feeds has opened, at its first rows. */
  joinBlock({ blockRows, blockEndMs }: Engine, starts: readonly number[]): void {
    for (let index = 0; index < starts.length; index++) this.feeds[index]!.rewind(starts[index]!);
    this.enterBlock(blockRows, blockEndMs);
    this.market?.blockOpened();
  }
  closeBlock(): void {
    for (const aligned of this.alignedFeeds) aligned.deliverThrough(this.blockEndMs);
    this.recorder.settle();
    this.recorder.flushBlock();
    if (this.deps.progressCells) writeProgress(this.deps.progressCells, this.execution[0]!.nextRow, this.blockEndMs);
  }
  /** Returns the memory of the run's columns to the scratch pool. The record of the run must not be read afterwards. */
  release(): void {
    this.recorder.release();
    this.fills.release();
    this.payments.release();
    this.orders.release();
  }

  // --- Requests of strategies
  /** Returns a new draft order of a strategy, which the strategy fills in. */
  newOrder(strategyIndex: number, feed: FeedRun, side: Side): BotOrder {
    return this.orders.draft(strategyIndex, feed.instrument, feed.instrumentIndex, side, this.nowMs);
  }
  /** Submits a drafted order to risk and sends it: check, reservation and send happen in one call. */
  submit(order: BotOrder): OrderId {
    if (order.triggerTicks > 0 && isWatched(order)) return this.drafts.watch(order);
    if (this.recordedDecisions !== null) return this.recordedDecisions.submitAsRecorded(order);
    const { orders, risk } = this;
    const { id } = order;
    let code = orders.precheck(order, order.triggerTicks > 0 ? this.lastTicks(order.instrumentIndex) : NAN);
    if (order.triggerTicks > 0) code ??= this.triggerOrders.denyCode(order);
    if (this.exitsMs !== null) code ??= delistedCode(order, this.exitsMs, this.nowMs);
    if (code === null) {
      if (risk.watchesEquity) this.recorder.show(risk);
      const approvedOrder = risk.check(order, order.createdMs, this.lastTicks(order.instrumentIndex));
      if (approvedOrder !== null) {
        if (order.triggerTicks > 0) this.triggerOrders.onSend();
        orders.submit(approvedOrder);
        return id;
      }
      code = risk.code ?? 'BAD_INPUT';
    }
    if (code === REPLACES) return this.drafts.replace(order);
    orders.deny(order, code);
    this.notifyOrder(order);
    return id;
  }
  /** Returns the newest close of an instrument in ticks; NaN before its first bar. */
  lastTicks(instrumentIndex: number): number {
    return (this.onlyExecution ?? this.execution[instrumentIndex]!).lastTicks;
  }
  /** Changes with every delivery of a replay, whose prices are constant in between. Undefined in live: prices are read for each order. */
  get changes(): number | undefined {
    return this.market === null ? undefined : this.instant.deliveries;
  }
  openOrders(): readonly BotOrder[] {
    return this.orders.active();
  }
  marks(): Float64Array {
    for (let index = 0; index < this.markValues.length; index++) {
      const { row, base } = this.execution[index]!.cursor;
      this.markValues[index] = row < 0 ? NAN : this.markTicks[index]![row - base]!;
    }
    return this.markValues;
  }
  equityUnits(strategyIndex: number): number {
    return this.ledger.equityUnits(strategyIndex, this.marks());
  }
  readonly toMoney = (units: number): number => units / pow10(this.instruments[0]!.quoteDigits);
  log(strategy: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    this.deps.log(this.nowMs, strategy, message, fields);
  }

  // --- Reports of the exchange
  acked(id: OrderId, venueId: VenueOrderId, timeMs: number): void {
    const order = this.orderOf(id);
    const wasUnknown = order.state === UNKNOWN_STATE;
    this.orders.acked(order, venueId, timeMs);
    if (wasUnknown) this.outcomes.onResolved(order.instrumentIndex);
    this.notifyOrder(order);
  }
  refused(id: OrderId, code: string): void {
    const order = this.orderOf(id);
    const wasUnknown = order.state === UNKNOWN_STATE;
    this.orders.refused(order, code, this.nowMs);
    if (this.risk.watchesOutcomes) this.risk.refused(order, code, this.nowMs);
    if (wasUnknown) this.outcomes.onResolved(order.instrumentIndex);
    this.orderEnded(order);
  }
  notSent(id: OrderId, cause: string): void {
    const order = this.orderOf(id);
    this.orders.notSent(order, cause, this.nowMs);
    this.orderEnded(order);
    if (order.role === 'takeProfit') this.bracketManager.retryTarget(order);
  }
  outcomeUnknown(id: OrderId, _cause = '', isContested = false): void {
    this.outcomes.onUnknown(this.orderOf(id), isContested);
  }
  filled(id: OrderId, fill: Fill): void {
    const order = this.orderOf(id);
    const { strategy, instrumentIndex, parent } = order;
    // Copied first, because an order that is sent below may fill at once and reuse the same record.
    const fillCopy: FillOfEntry | null = order.isGuarded === true || parent > 0 ? entryFill(fill) : null;
    this.recorder.settle();
    const isBuy = order.sign > 0;
    this.ledger.fill(strategy, instrumentIndex, isBuy, fill, order.reduceOnly);
    if (this.brackets.aside.count > 0) this.brackets.aside.onFill(order, fill.lots, this.ledger);
    if (this.risk.watchesOutcomes) this.risk.filled(order, fill);
    if (fill.covered > 0) this.margin.bookCoveredLoss(order, fill);
    this.fills.push(strategy, instrumentIndex, isBuy, id, fill);
    const wasUnknown = order.state === UNKNOWN_STATE;
    const anomaly = this.orders.filled(order, fill);
    if (wasUnknown) this.outcomes.onResolved(instrumentIndex);
    if (anomaly !== null) this.outcomes.reportAnomaly(order, anomaly);
    const run = this.wantsFills ? this.runs[strategy]! : null;
    if (run?.wantsFills === true) this.callbacks.addFill(run, new FillView(order, fill), fill.timeMs, instrumentIndex, fill.tradeId);
    // Before the end is reported, because an exit that waited for the end is sent then. Its lots need no leg, and it sets the entry's stop aside.
    if (parent > 0) this.bracketManager.onLegFill(order, fillCopy!.lots);
    const entry = fillCopy === null ? order : this.bracketManager.armBeforeEnd(order, fillCopy);
    if (order.reason === null) this.notifyOrder(order);
    else this.orderEnded(order);
    if (parent === 0 && this.brackets.total > 0 && (!isBuy || this.hasContracts))
      this.bracketManager.onClosingFill(strategy, instrumentIndex, isBuy);
    if (fillCopy !== null && entry.id === id && entry.isGuarded) this.bracketManager.onEntryFill(entry, fillCopy);
    if (this.hasContracts) this.triggerOrders.onReduction(strategy, instrumentIndex);
  }
  ended(id: OrderId, reason: 'filled' | 'canceled' | 'rejected' | 'expired', timeMs: number): void {
    const order = this.orderOf(id);
    this.orders.ended(order, reason, timeMs);
    this.orderEnded(order);
    if (this.bracketManager.hasPendingTargets) this.bracketManager.onEntryEnd(id, timeMs);
  }
  evidence(id: OrderId, evidence: Evidence): void {
    this.outcomes.applyEvidence(id, evidence);
  }
  arrivedLate(id: OrderId, venueId: VenueOrderId, timeMs: number): void {
    this.outcomes.onLateArrival(id, venueId, timeMs);
  }
  raiseHalt(code: string, instrument: number | null, reason: string): void {
    this.outcomes.raiseHalt(code, instrument, reason);
  }
  clearHalt(code: string, instrument: number | null, mistake?: string): void {
    this.outcomes.clearHalt(code, instrument, mistake);
  }
  funded(instrumentIndex: number, isLong: boolean, units: number, timeMs: number): void {
    this.margin.bookFunding(instrumentIndex, isLong, units, timeMs);
  }
  liquidated(instrumentIndex: number, wasLong: boolean, fill: Fill): void {
    this.margin.bookLiquidation(instrumentIndex, wasLong, fill);
  }

  runTimers(untilMs: number): void {
    this.timers.runDue(untilMs, this.callTimer);
    this.deliverCallbacks();
  }
  readonly callTimer = (strategyIndex: number, handler: () => void): void => {
    const run = this.runs[strategyIndex]!;
    this.currentStrategy = strategyIndex;
    const returned: unknown = run.hasStarted ? handler() : undefined;
    if (returned !== undefined) this.rejectReturn(run, returned, 'a timer');
  };
  /** Reports booked events to the included strategies, in the order of fill time, instrument and trade id. Reactions may book more. */
  deliverCallbacks(isIncluded: ((run: StrategyRun) => boolean) | null = null): void {
    if (!this.defersCallbacks) this.callbacks.deliver(this.enterStrategy, this.rejectReturnOf, isIncluded);
  }
  /** Reports the events that were held back since a restart. */
  deliverHeld(): void {
    this.callbacks.deliverHeld(this.enterStrategy, this.rejectReturnOf);
  }
  private readonly enterStrategy = (run: StrategyRun): void => void (this.currentStrategy = run.index);
  private readonly rejectReturnOf = (run: StrategyRun, value: unknown, callback: string): void => this.rejectReturn(run, value, callback);

  /** Returns what the strategy threw as an error that names it and the bar. */
  attributeError(error: unknown, when = `at ${formatMinute(this.nowMs)}`): Error {
    return attributedError(error, this.runs[this.currentStrategy]?.name ?? 'strategy', when);
  }
  rejectReturn(run: StrategyRun, value: unknown, callback = 'onBar'): void {
    rejectPromise(run.name, value, callback);
  }

  startTicks(instrumentIndex: number): number {
    return this.execution[instrumentIndex]!.startTicks;
  }
  private orderOf(id: OrderId): BotOrder {
    return this.orders.get(id) ?? throwUnknownOrder(id);
  }
  orderEnded(order: BotOrder): void {
    this.notifyOrder(order);
    if (this.followUps > 0 || this.brackets.aside.count > 0) return this.continueWaiting(order);
    this.handleEnd(order);
  }
  private handleEnd(order: BotOrder): void {
    if (order.firedAtTicks > 0 && order.parent > 0 && order.filledLots < order.lots) this.bracketManager.onLegRemainder(order);
    if (this.bracketManager.hasWaitingStops) this.bracketManager.onSiblingEnd(order);
    if (order.triggerTicks > 0 || order.fingerprintOffset > 0) this.triggerOrders.onEnd(order);
  }
  /** Continues exits and drafts that waited for this order. Reads what drafts need of its record first: another order may reuse it. */
  private continueWaiting(order: BotOrder): void {
    const run = this.runs[order.strategy]!;
    const { id, instrumentIndex, side } = order;
    this.drafts.onOrderEnd(order);
    this.handleEnd(order);
    run.onReversalEnd(id, instrumentIndex, side);
    run.onOrderEnd(instrumentIndex);
    this.drafts.releaseInTurn();
  }
  notifyOrder(order: BotOrder): void {
    const run = this.wantsOrders ? this.runs[order.strategy]! : null;
    if (run?.wantsOrders === true) this.callbacks.addOrder(run, new OrderView(order, run.owner));
  }
}
