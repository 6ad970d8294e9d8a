// The exchange port over REST: sends each durable order once, then reads the venue until evidence settles the outcome.

import { Decimal } from '../../base/number/decimal.ts';
import { InvariantError } from '../../base/errors.ts';
import { all, sleep, start, type Work } from '../../base/task.ts';
import type { ApprovedOrder, Order, OrderId, Side } from '../../model/order.ts';
import type { Channel, OrderGateway, ExchangeSink } from '../../ports/exchange.ts';
import type { CallOptions } from './client/restClient.ts';
import { Audits } from './account/audits.ts';
import { Cancels } from './send/cancels.ts';
import { parseTriggerTrackId } from './calls/triggers.ts';
import { contractSettingsOf, type ContractSettings } from './send/contractSettings.ts';
import { ExchangeContext } from './order/exchangeContext.ts';
import { EvidenceReader } from './prove/evidence.ts';
import { ActiveOrderPolling } from './observe/activeOrderPolling.ts';
import { FundingWatch } from './account/funding.ts';
import { OrderIdentifier } from './observe/orderIdentifier.ts';
import { HoldingsCheck } from './account/holdingsCheck.ts';
import { NotedTotals } from './account/notedTotals.ts';
import { uncertaintiesOf } from './account/uncertainties.ts';
import { CreateQueue } from './send/createQueue.ts';
import type { DecisionDeps } from './prove/decisionDeps.ts';
import type { ReferencePosition } from './client/referenceBook.ts';
import { OrderAttribution } from './observe/attribution.ts';
import type { ForeignOrder } from './observe/foreignOrder.ts';
import type { AuditKind, AuditResult, AuditDifference, RestExchangeDeps, RestoredTracking, HaltCode } from './calls/types.ts';
import { Readers } from './observe/readers.ts';
import { foreignCursor, restoreTracking } from './restoreTracking.ts';
import { StatusReader } from './observe/statusReader.ts';
import { TrackedOrder, copyRequest } from './order/trackedOrder.ts';
import { UNMEASURED_UNCERTAINTY_MS } from './time/serverClock.ts';

/** The times with which a create request is signed. They go into its SEND record. */
export interface SignStamp {
  /** X-CH-TS of the request, ms. */
  readonly signMs: number;
  /** Upper bound of the venue's time when the request is signed, ms. */
  readonly venueLatestMs: number;
}

const RECONCILE: CallOptions = { priority: 'reconcile' };
const STEADY: CallOptions = { priority: 'steady' };
/** How long an ended order can still be found by its venue order id. */
const ENDED_MEMORY_MS = 3_600_000;

/** Before a bar is decided, wait for an order's end if its confirmation is due within this time. */
const CONFIRM_WAIT_MS = 500;
/** Maximum number of reads before a bar is decided. */
const MAX_READS_BEFORE_BAR = 4;

/** One market's exchange over REST. The order manager calls it to send, cancel and read orders; events go to the connected sink. */
export class RestExchange implements OrderGateway {
  /** True on futures. Spot has no trigger orders. */
  readonly supportsTriggerOrders: boolean;
  readonly #context: ExchangeContext;
  readonly #attribution: OrderAttribution;
  readonly #readers: Readers;
  readonly #statuses: StatusReader;
  readonly #cancels: Cancels;
  readonly #createQueue: CreateQueue;
  readonly #polling: ActiveOrderPolling;
  readonly #funding: FundingWatch;
  readonly #notedTotals: NotedTotals;
  readonly #holdings: HoldingsCheck;
  readonly #evidence: EvidenceReader;
  readonly #audits: Audits;
  /** Null on spot, and if no target settings are configured. */
  readonly #contractSettings: ContractSettings | null;

  constructor(deps: RestExchangeDeps) {
    const context = new ExchangeContext(deps);
    this.#context = context;
    this.supportsTriggerOrders = deps.market === 'futures';
    const { instruments, scheduler, settings } = deps;
    const { venue, trackedOrders, ownInstruments } = context;
    this.#attribution = this.#openAttribution();
    const orderIdentifier = new OrderIdentifier({ venue, attribution: this.#attribution });
    this.#readers = new Readers({ context, attribution: this.#attribution, orderIdentifier, statuses: () => this.#statuses });
    const { reconcile, readTrades } = this.#readers;
    this.#statuses = this.#openStatuses();
    this.#cancels = new Cancels({
      scheduler,
      venue,
      instruments,
      settings,
      queryOrder: (tracked) => this.#statuses.check(tracked, RECONCILE),
      unbookedLots: (tracked) => this.#readers.trades(tracked.request.instrumentIndex).unbookedLots(tracked),
    });
    this.#funding = this.#openFunding();
    const contractSettings = contractSettingsOf(context);
    this.#contractSettings = contractSettings;
    this.#createQueue = this.#openCreateQueue();
    this.#polling = new ActiveOrderPolling({ scheduler, trackedOrders, settings, reconcile: (index) => reconcile(index, STEADY) });
    this.#notedTotals = this.#openNotedTotals();
    this.#holdings = new HoldingsCheck({ context, funding: this.#funding, readTrades, contractSettings, notedTotals: this.#notedTotals });
    const venueNow = (): Work<number | null> => context.clock.now();
    this.#evidence = this.#openEvidence(orderIdentifier, venueNow);
    const active = (): readonly number[] => ownInstruments.filter((index) => trackedOrders.openOf(index).size > 0);
    const uncertainties = (): readonly AuditDifference[] => uncertaintiesOf(this.#attribution, context);
    this.#audits = new Audits({ context, holdings: this.#holdings, reconcile, active, uncertainties, venueNow });
  }

  #openAttribution(): OrderAttribution {
    const { trackedOrders, raisedCauses, sink, venue, deps } = this.#context;
    const { instruments, notes = null } = deps;
    return new OrderAttribution({
      instruments,
      trackedOrders,
      raisedCauses,
      sink,
      onIdKnown: (tracked) => this.#onAdoption(tracked),
      noteForeign: (foreign, state) => {
        const newestTrade = state === 'waits' ? this.#readers.trades(foreign.instrument).lastBookedId : null;
        notes?.cursor(foreignCursor(foreign, instruments, state === 'decided' ? undefined : newestTrade));
      },
      cancelDuplicate: (index, venueId) => void start(venue.cancel(instruments[index]!, venueId)),
      bookDuplicate: (index, venueId) => this.#readers.trades(index).ignoreFills(venueId),
    });
  }

  #openStatuses(): StatusReader {
    const { venue, trackedOrders, raisedCauses, sink, venueMs, lagMs, deps } = this.#context;
    const { scheduler, instruments } = deps;
    const attribution = this.#attribution;
    const { readTrades } = this.#readers;
    return new StatusReader({ scheduler, venue, trackedOrders, raisedCauses, instruments, sink, venueMs, lagMs, attribution, readTrades });
  }

  #openCreateQueue(): CreateQueue {
    const { venue, trackedOrders, raisedCauses, sink, deps } = this.#context;
    const { scheduler, journal, instruments, settings, serverTime, delayObserver = null } = deps;
    return new CreateQueue({
      scheduler,
      venue,
      trackedOrders,
      raisedCauses,
      journal,
      instruments,
      settings,
      serverTime,
      delayObserver,
      sink,
      onIdKnown: (tracked) => this.#onAdoption(tracked),
      attribution: this.#attribution,
      holdCode: (tracked) => this.#holdCode(tracked),
    });
  }

  #openFunding(): FundingWatch {
    const { venue, venueMs, sink, deps } = this.#context;
    const { instruments, holdsSide: isHeld, onUnreportedFunding: onUnreported, notes = null } = deps;
    const common = { venue, instruments, venueMs, isHeld, onUnreported };
    return new FundingWatch({
      ...common,
      reportPayment: (index, isLong, units, timeMs) => sink().funded(index, isLong, units, timeMs),
      journalTotal: ({ id }, side, value) => notes?.cursor({ symbol: id, channel: `funding ${side}`, value }),
    });
  }

  #openNotedTotals(): NotedTotals {
    const { holdings, positions, ownInstruments, deps } = this.#context;
    const { instruments, notes = null } = deps;
    const countedUpTo = (index: number): string | null => this.#readers.trades(index).bookedIds.countedUpToId;
    const hasCountedAll = (index: number): boolean => this.#readers.trades(index).hasCountedAll;
    return new NotedTotals({ notes, instruments, ownInstruments, holdings, positions, countedUpTo, hasCountedAll });
  }

  #openEvidence(orderIdentifier: OrderIdentifier, venueNow: () => Work<number | null>): EvidenceReader {
    const { venue, sink, clock, trackedOrders } = this.#context;
    const isTriggerOf = ({ venueId }: TrackedOrder, triggerId: string): boolean => parseTriggerTrackId(venueId)?.triggerId === triggerId;
    return new EvidenceReader({
      venue,
      attribution: this.#attribution,
      trackedOrders,
      orderIdentifier,
      holdings: this.#holdings,
      sink,
      venueNow,
      readTrades: this.#readers.readTrades,
      lastMs: () => clock.lastMs,
      isKnownTrigger: (index, triggerId) => Array.from(trackedOrders.openOf(index)).some((tracked) => isTriggerOf(tracked, triggerId)),
    });
  }

  /** Connects the engine as the receiver of events. On futures, also starts applying the contract settings. */
  connect(sink: ExchangeSink): void {
    this.#context.connectedSink = sink;
    this.#attribution.connected();
    this.#contractSettings?.sendAll(this.#context.ownInstruments);
  }

  /** Returns the signing time for the SEND record. The request is then signed with exactly this time. */
  stamp(_order?: Pick<Order, 'id'>): SignStamp {
    const { ms, uncertaintyMs } = this.#context.deps.serverTime();
    return {
      signMs: ms - this.#context.deps.settings.backdateMs,
      venueLatestMs: ms + Math.ceil(Math.min(uncertaintyMs, UNMEASURED_UNCERTAINTY_MS)),
    };
  }
  /** Returns the venue's text of the trade id whose number in fills is `tradeId`. */
  tradeText(tradeId: number): string {
    return this.#context.tradeNumbers.tradeIdOf(tradeId);
  }

  // --- Called by the order manager

  /** Sends the order once its journal record `seq` is durable. */
  submit(order: ApprovedOrder, seq: number): void {
    const { clientOrderIdOf, journal } = this.#context.deps;
    const tracked = new TrackedOrder(copyRequest(order), clientOrderIdOf(order.id), journal.signMs(order), order);
    this.#context.trackedOrders.add(this.#createQueue.markRequested(tracked));
    this.#createQueue.submit(tracked, seq);
  }
  /** Cancels the order. Repeats the cancel until the order has ended. */
  cancel(order: Order): void {
    const tracked = this.#context.trackedOrders.byId(order.id);
    if (tracked !== undefined) this.#cancels.cancel(tracked);
  }
  /** Reads one list as evidence about the order. Throws InvariantError for an order that was never sent here. */
  read(order: Order, channel: Channel): void {
    const tracked = this.#context.trackedOrders.byId(order.id);
    if (tracked === undefined) throw new InvariantError(`order ${order.id} was never sent from here`);
    this.#evidence.read(tracked, order, channel);
  }
  /** Moves the order to the memory of ended orders. An order that is proven absent stays: lists are still searched for it. */
  orderEnded(order: Order): void {
    const tracked = this.#context.trackedOrders.byId(order.id);
    if (tracked === undefined || order.reason === 'noEffect') return;
    this.#statuses.forget(tracked);
    this.#cancels.forget(tracked);
    this.#context.trackedOrders.retire(tracked, this.#context.deps.scheduler.nowMs);
  }

  // --- Called by the live process

  /** Called when the journal is durable up to `seq`. */
  onDurable(_seq: number): void {
    this.#createQueue.onDurable();
  }

  /** Restores tracking after a restart. Must be called before anything else. */
  restore(state: RestoredTracking): void {
    this.#readers.sinceMs = state.sinceMs;
    if (state.duplicates != null) this.#attribution.duplicates.restoreNamed(state.duplicates);
    if (state.ended !== undefined) this.#attribution.restoreEnded(state.ended);
    this.#notedTotals.restore(state.cursors);
    restoreTracking(state, {
      instruments: this.#context.deps.instruments,
      ownInstruments: this.#context.ownInstruments,
      trackedOrders: this.#context.trackedOrders,
      holdings: this.#context.holdings,
      positions: this.#context.positions,
      funding: this.#funding,
      externalBook: this.#context.externalBook,
      bookedIdsOf: (index) => this.#readers.trades(index).bookedIds,
      restoreForeign: (foreign) => this.#attribution.restoreForeign(foreign),
      orderOf: this.#context.deps.orderOf,
      onIncident: (venueMs) => this.#context.deps.delayObserver?.onIncident(venueMs),
    });
    for (const index of this.#context.ownInstruments) {
      for (const tracked of this.#context.trackedOrders.openOf(index))
        if (tracked.isLive && tracked.isCancelWanted) this.#cancels.cancel(tracked);
    }
  }

  /** Reads the current state of working orders, and calls `done` once. Waits for a terminal status that is about to be confirmed. */
  settle(instruments: readonly number[], done: () => void): void {
    start(this.#settle(instruments)).whenOver(done);
  }

  /** Audits the account, and calls `done` once with the result. */
  audit(kind: AuditKind, done: (result: AuditResult) => void): void {
    const { scheduler, settings } = this.#context.deps;
    this.#context.trackedOrders.forget(scheduler.nowMs - ENDED_MEMORY_MS, scheduler.nowMs - settings.refusedWatchMs);
    start(this.#audits.run(kind)).whenOver(done);
  }
  /** The halt causes that this exchange has raised and not cleared. */
  get raisedCauses(): readonly AuditDifference[] {
    return this.#context.raisedCauses.raisedNow;
  }

  /** The operator decides that venue order `venueId` is our order `id`, which has no venue order id yet. */
  adopt(id: OrderId, venueId: string): void {
    const tracked = this.#context.trackedOrders.byId(id);
    if (tracked === undefined || tracked.venueId !== null) return;
    this.#attribution.ignore(parseTriggerTrackId(venueId)?.triggerId ?? venueId);
    const sighting = { instrument: tracked.request.instrumentIndex, channel: 'openOrders', venueMs: this.#context.clock.lastMs } as const;
    this.#attribution.adopt(tracked, venueId, sighting, null);
    this.#readers.trades(tracked.request.instrumentIndex).adoptFills(venueId);
  }
  /** The operator marks venue order `venueId` as not ours. */
  ignore(venueId: string): void {
    const foreign = this.#attribution.foreignOrders.get(venueId);
    if (foreign !== undefined) this.#readers.trades(foreign.instrument).ignoreFills(venueId);
    this.#attribution.ignore(venueId);
  }
  /** Foreign orders that the operator has neither adopted nor ignored. */
  get foreignOrders(): readonly ForeignOrder[] {
    return Array.from(this.#attribution.foreignOrders.values());
  }
  /** Reads an order for a decision of the operator, and calls `done` once with what `read` returns. */
  readForDecision<T>(read: (deps: DecisionDeps) => Work<T>, done: (answer: T) => void): void {
    const { venue, deps, trackedOrders, lagMs } = this.#context;
    const { instruments, scheduler } = deps;
    const [attribution, readers] = [this.#attribution, this.#readers];
    start(read({ venue, instruments, trackedOrders, attribution, readers, lagMs, nowMs: () => scheduler.nowMs })).whenOver(done);
  }
  /** The operator adopts a foreign order as `order`: its fills are booked, and it is tracked from now on. */
  adoptFills(order: Order, venueId: string): void {
    const tracked = new TrackedOrder(copyRequest(order), this.#context.deps.clientOrderIdOf(order.id), order.createdMs, order);
    Object.assign(tracked, { isOnWire: true, venueId, isAdopted: true, isIdShown: true, listSighting: 'seen' } as const);
    this.#context.trackedOrders.add(tracked);
    this.#readers.trades(order.instrumentIndex).adoptFills(venueId);
    this.#attribution.markDecided(venueId);
    if (tracked.isOpen) this.#onAdoption(tracked);
  }
  /** Clears a halt cause for the operator, who alone may clear it. Clearing MISMATCH accepts the holdings that differed. */
  clear(code: HaltCode, instrumentIndex: number | null): void {
    const { raisedCauses, calls } = this.#context;
    raisedCauses.forget(code, instrumentIndex);
    if (code === 'DUPLICATE') this.#attribution.duplicates.forgetNamed();
    if (code === 'ALIEN') this.#attribution.noteCleared();
    if (code === 'KEY') calls.isLocked = false;
    // A mismatch of one instrument is about the fills of an order. The audit raises a difference of the holdings for the account.
    if (code === 'MISMATCH' && instrumentIndex === null) this.#holdings.acceptDifferences();
  }
  /** What the account holds beyond the strategies' positions. */
  get externalPositions(): readonly ReferencePosition[] {
    return this.#context.externalBook.positions();
  }

  /** True when no create waits for the disk or the rate limit, and no call is on the wire. */
  get isIdle(): boolean {
    return this.#context.calls.openCount === 0 && this.#createQueue.isEmpty;
  }
  /** Stops all timers. Calls `done` when no call is on the wire. */
  stop(done: () => void): void {
    for (const part of [this.#context.incidents, this.#statuses, this.#cancels, this.#polling, this.#contractSettings]) part?.stop();
    this.#context.calls.stop(done);
  }

  // --- Internals

  /** Returns the code of the reason why an order must not be sent now, or null if it may be sent. */
  #holdCode({ request, id }: TrackedOrder): string | null {
    const { instrumentIndex: index, side, lots, reduceOnly, instrument } = request;
    const isReduction = reduceOnly || (instrument.contract === undefined && side === 'sell');
    if (!isReduction) return this.#contractSettings === null || this.#contractSettings.isReady(index) ? null : 'SETTINGS';
    const lackingLots = this.#holdings.lackingLots(index, side) + this.#unexplainedLots(index, side);
    if (lackingLots === 0) return null;
    // The books hold more than the venue shows. All open reductions together may use what the venue does show.
    const otherOrders = Array.from(this.#context.trackedOrders.openOf(index)).filter(
      (tracked) => tracked.id !== id && tracked.request.side === side && (tracked.request.reduceOnly || !this.#context.isTwoWay(index)),
    );
    const othersOpenLots = otherOrders.reduce((sum, tracked) => sum + Math.max(0, tracked.request.lots - tracked.executedLots), 0);
    const heldLots = this.#context.deps.heldLots?.(index, side) ?? Infinity;
    return lots + othersOpenLots <= heldLots - lackingLots ? null : 'VENUE_HOLDS_LESS';
  }
  /** Lots that unattributed fills have taken from the strategies' holdings and that the operator has not explained. Usually 0. */
  #unexplainedLots(index: number, side: Side): number {
    const { quantityDigits } = this.#context.deps.instruments[index]!;
    const part = this.#holdings.reducedBy(index, side);
    const duplicateLots = this.#attribution.duplicates.netQty(index, part).times(Decimal.pow(10, quantityDigits));
    const boughtLots = duplicateLots.plus(this.#readers.trades(index).openLots(part));
    const takenLots = side === 'sell' ? boughtLots.negated() : boughtLots;
    return Math.max(0, takenLots.ceil().toNumber());
  }
  #onAdoption(tracked: TrackedOrder): void {
    tracked.idKnownMs = this.#context.deps.scheduler.nowMs;
    const { venueId, request } = tracked;
    if (venueId !== null && this.#attribution.foreignOrders.has(venueId)) this.#readers.trades(request.instrumentIndex).adoptFills(venueId);
    this.#attribution.withdrawOf(tracked);
    this.#cancels.onVenueId(tracked);
    this.#polling.scheduleRead(tracked.request.instrumentIndex);
  }
  /** Reconciles instruments with working orders until no read is due soon, then their positions. */
  *#settle(instruments: readonly number[]): Work<void> {
    const { scheduler } = this.#context.deps;
    const isRequested = (tracked: TrackedOrder): boolean => instruments.includes(tracked.request.instrumentIndex);
    const requestedIndexes = instruments.filter((index) => this.#context.ownInstruments.includes(index));
    const activeInstruments = requestedIndexes.filter((index) =>
      Array.from(this.#context.trackedOrders.openOf(index)).some(({ isLive }) => isLive),
    );
    for (let readsLeft = activeInstruments.length === 0 ? 0 : MAX_READS_BEFORE_BAR; readsLeft > 0; readsLeft--) {
      yield* all(activeInstruments.map((index) => this.#readers.reconcile(index, RECONCILE)));
      const dueMs = this.#statuses.dueOf(isRequested);
      if (readsLeft === 1 || dueMs > scheduler.nowMs + CONFIRM_WAIT_MS) break;
      yield* sleep(scheduler, Math.max(scheduler.nowMs, Math.ceil(dueMs)) + 1 - scheduler.nowMs);
    }
    yield* this.#settlePositions(requestedIndexes);
  }
  /** Reads open positions, because they pay or receive funding, which no trade list shows. */
  *#settlePositions(instruments: readonly number[]): Work<void> {
    if (this.#context.deps.market === 'spot') return;
    const instrumentsWithPosition = instruments.filter((index) => !this.#context.positions.isFlat(index));
    if (instrumentsWithPosition.length > 0) yield* this.#holdings.verify(instrumentsWithPosition, RECONCILE);
  }
}
