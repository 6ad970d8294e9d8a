// The exchange port over REST: sends each durable order once, then reads the venue until evidence settles the outcome.

import { Decimal } from '../../base/number/decimal.ts';
import { InvariantError } from '../../base/errors.ts';
import { all, sleep, start, type Work } from '../../base/task.ts';
import type { ApprovedOrder, Order, OrderId, Side } from '../../model/order.ts';
import type { Channel, OrderGateway, ExchangeSink } from '../../ports/exchange.ts';
import type { CallOptions } from './client/restClient.ts';
import { Audits } from './account/audit.ts';
import { Cancels } from './send/cancels.ts';
import { parseTriggerTrackId } from './calls/triggers.ts';
import { ContractSettings } from './send/contractSettings.ts';
import { ExchangeContext } from './order/context.ts';
import { EvidenceReader } from './prove/evidence.ts';
import { ActiveOrderPolling } from './observe/activeOrderPolling.ts';
import { FundingWatch } from './account/funding.ts';
import { Identify } from './observe/identify.ts';
import { HoldingsCheck } from './account/holdingsCheck.ts';
import { CreateQueue } from './send/createQueue.ts';
import { readForeignOrder, type ForeignOrderDetails } from './prove/readForeignOrder.ts';
import type { ReferencePosition } from './client/unattributed.ts';
import { OrderAttribution, type ForeignOrder } from './observe/attribution.ts';
import type { AuditKind, AuditResult, AuditDifference, RestExchangeDeps, RestoredTracking, HaltCode } from './calls/types.ts';
import { Readers } from './observe/readers.ts';
import { restoreTracking } from './restore.ts';
import { StatusReader } from './observe/statusReader.ts';
import { TrackedOrder, copyRequest } from './order/trackedOrder.ts';

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
/** The clock uncertainty to assume while none has been measured. */
const UNMEASURED_MS = 60_000;
/** Before a bar is decided, wait for an order's end if its confirmation is due within this time. */
const CONFIRM_WAIT_MS = 500;
const MAX_POLLS = 4;

export class RestExchange implements OrderGateway {
  /** True on futures. Spot has no trigger orders. */
  readonly supportsTriggerOrders: boolean;
  readonly #core: ExchangeContext;
  readonly #attribution: OrderAttribution;
  readonly #readers: Readers;
  readonly #statuses: StatusReader;
  readonly #cancels: Cancels;
  readonly #createQueue: CreateQueue;
  readonly #polling: ActiveOrderPolling;
  readonly #funding: FundingWatch;
  readonly #holdings: HoldingsCheck;
  readonly #evidence: EvidenceReader;
  readonly #audits: Audits;
  /** Null on spot, and if no target settings are configured. */
  readonly #settings: ContractSettings | null;

  constructor(parts: RestExchangeDeps) {
    const core = new ExchangeContext(parts);
    this.#core = core;
    this.supportsTriggerOrders = parts.market === 'futures';
    const { instruments, scheduler, settings, serverTime, delayObserver = null, notes = null } = parts;
    const { venue, tracks, raisedCauses, sink, venueMs, lagMs, own } = core;
    const adopted = (track: TrackedOrder): void => this.#onAdoption(track);
    const cancelExtra = (index: number, venueId: string): void => void start(venue.cancel(instruments[index]!, venueId));
    const attribution = new OrderAttribution({ tracks, raisedCauses, sink, adopted, cancelExtra });
    this.#attribution = attribution;
    const identify = new Identify({ venue, attribution });
    this.#readers = new Readers({
      core,
      attribution,
      identify,
      statuses: () => this.#statuses,
    });
    const { reconcile, readTrades } = this.#readers;
    const contested = (orders: readonly TrackedOrder[], venueId: string): void => attribution.contestVenueId(orders, venueId);
    this.#statuses = new StatusReader({ scheduler, venue, tracks, raisedCauses, instruments, sink, venueMs, lagMs, contested, readTrades });
    this.#cancels = new Cancels({
      scheduler,
      venue,
      instruments,
      settings,
      check: (track) => this.#statuses.check(track, RECONCILE),
    });
    this.#settings = settingsOf(core);
    const { journal } = parts;
    this.#createQueue = new CreateQueue({
      scheduler, venue, tracks, raisedCauses, journal, instruments, settings, serverTime, delayObserver, sink, adopted, contested,
      isExtra: (venueId) => attribution.isExtra(venueId),
      doubled: (track, venueId) => attribution.addSecondId(track, venueId),
      holdCode: (track) => this.#holdCode(track),
    }); // prettier-ignore
    this.#polling = new ActiveOrderPolling({ scheduler, tracks, settings, reconcile: (index) => reconcile(index, STEADY) });
    this.#funding = new FundingWatch({
      instruments, venueMs,
      funded: (index, isLong, units, timeMs) => sink().funded(index, isLong, units, timeMs),
      noted: (index, side, units) => notes?.cursor({ symbol: instruments[index]!.id, channel: `funding ${side}`, value: String(units) }),
    }); // prettier-ignore
    this.#holdings = new HoldingsCheck({ core, funding: this.#funding, readTrades, agreed: () => this.#noteTotals() });
    const venueNow = (): Work<number | null> => core.clock.now();
    const holdings = this.#holdings;
    this.#evidence = new EvidenceReader({
      venue, attribution, identify, holdings, sink, venueNow, readTrades,
      lastMs: () => core.clock.lastMs,
      isWaiting: (index, triggerId) => Array.from(tracks.openOf(index)).some((track) => parseTriggerTrackId(track.venueId)?.triggerId === triggerId),
    }); // prettier-ignore
    const active = (): readonly number[] => own.filter((index) => tracks.openOf(index).size > 0);
    const uncertainties = (): readonly AuditDifference[] => uncertaintiesOf(attribution, core);
    this.#audits = new Audits({ scheduler, settings, raisedCauses, holdings, own, reconcile, active, uncertainties, venueNow });
  }

  /** Connects the engine as the receiver of events. On futures, also starts applying the contract settings. */
  connect(sink: ExchangeSink): void {
    this.#core.listener = sink;
    this.#settings?.begin(this.#core.own);
  }

  /** Returns the signing time for the SEND record. The request is then signed with exactly this time. */
  stamp(_order?: Pick<Order, 'id'>): SignStamp {
    const { ms, uncertaintyMs } = this.#core.parts.serverTime();
    return { signMs: ms - this.#core.parts.settings.backdateMs, venueLatestMs: ms + Math.ceil(Math.min(uncertaintyMs, UNMEASURED_MS)) };
  }
  /** Returns the venue's own text of the trade id that `tradeId` stands for. */
  tradeText(tradeId: number): string {
    return this.#core.numbers.textOf(tradeId);
  }

  // --- Called by the order manager

  submit(order: ApprovedOrder, seq: number): void {
    const { clientOrderIdOf, journal } = this.#core.parts;
    const track = new TrackedOrder(copyRequest(order), clientOrderIdOf(order.id), journal.signMs(order), order);
    this.#core.tracks.add(track);
    this.#createQueue.submit(track, seq);
  }
  cancel(order: Order): void {
    const track = this.#core.tracks.byId(order.id);
    if (track !== undefined) this.#cancels.want(track);
  }
  read(order: Order, channel: Channel): void {
    const track = this.#core.tracks.byId(order.id);
    if (track === undefined) throw new InvariantError(`order ${order.id} was never sent from here`);
    this.#evidence.read(track, order, channel);
  }
  /** Moves the order to the memory of ended orders. One that is proven absent is searched for as before. */
  orderEnded(order: Order): void {
    const track = this.#core.tracks.byId(order.id);
    if (track === undefined || order.reason === 'noEffect') return;
    this.#statuses.forget(track);
    this.#cancels.forget(track);
    this.#core.tracks.retire(track, this.#core.parts.scheduler.nowMs);
  }

  // --- Called by the live process

  /** Called when the journal is durable up to `seq`. */
  onDurable(_seq: number): void {
    this.#createQueue.onDurable();
  }

  /** Restores tracking after a restart. Must be called before anything else. */
  restore(state: RestoredTracking): void {
    this.#readers.sinceMs = state.sinceMs;
    if (state.duplicates != null) this.#attribution.restoreNamed(state.duplicates);
    restoreTracking(state, {
      instruments: this.#core.parts.instruments,
      own: this.#core.own,
      tracks: this.#core.tracks,
      holdings: this.#core.holdings,
      positions: this.#core.positions,
      funding: this.#funding,
      externalBook: this.#core.externalBook,
      seen: (index) => this.#readers.trades(index).seen,
      orderOf: this.#core.parts.orderOf,
    });
    for (const index of this.#core.own) {
      for (const track of this.#core.tracks.openOf(index)) if (track.isLive && track.isCancelWanted) this.#cancels.want(track);
    }
  }

  /** Reads the current state of working orders and calls `done` once. Waits for ends that are about to be confirmed. */
  settle(instruments: readonly number[], done: () => void): void {
    start(this.#settle(instruments)).whenOver(done);
  }

  audit(kind: AuditKind, done: (result: AuditResult) => void): void {
    const { scheduler, settings } = this.#core.parts;
    this.#core.tracks.forget(scheduler.nowMs - ENDED_MEMORY_MS, scheduler.nowMs - settings.refusedWatchMs);
    start(this.#audits.run(kind)).whenOver(done);
  }
  /** The halt causes that this exchange has raised and not cleared. */
  get raisedCauses(): readonly AuditDifference[] {
    return this.#core.raisedCauses.standing;
  }

  /** The operator decides that venue order `venueId` is our order `id`, which has no venue order id yet. */
  adopt(id: OrderId, venueId: string): void {
    const track = this.#core.tracks.byId(id);
    if (track === undefined || track.venueId !== null) return;
    this.#attribution.ignore(venueId);
    const seen = { instrument: track.request.instrumentIndex, channel: 'openOrders', venueMs: this.#core.clock.lastMs } as const;
    this.#attribution.adopt(track, venueId, seen, null);
    this.#readers.trades(track.request.instrumentIndex).adoptFills(venueId);
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
  /** Reads the terms and fills of a foreign order now. Passes `done`, called once, the details or the reason why it cannot be ours. */
  readForeign(venueId: string, done: (found: ForeignOrderDetails | string) => void): void {
    const { core, attribution, readers } = { core: this.#core, attribution: this.#attribution, readers: this.#readers };
    const work = readForeignOrder(venueId, { venue: core.venue, instruments: core.parts.instruments, attribution, readers });
    start(work).whenOver(done);
  }
  /** The operator adopts a foreign order as `order`: its fills are booked, and it is tracked from now on. */
  adoptFills(order: Order, venueId: string): void {
    const track = new TrackedOrder(copyRequest(order), this.#core.parts.clientOrderIdOf(order.id), order.createdMs, order);
    track.isOnWire = true;
    track.venueId = venueId;
    track.listed = 'seen';
    this.#core.tracks.add(track);
    this.#readers.trades(order.instrumentIndex).adoptFills(venueId);
    this.#attribution.markDecided(venueId);
    if (track.isOpen) this.#onAdoption(track);
  }
  /** The operator clears a halt cause that does not clear by itself. Clearing MISMATCH accepts the holdings that differed. */
  clear(code: HaltCode, instrument: number | null): void {
    const { raisedCauses, calls } = this.#core;
    raisedCauses.clear(code, instrument);
    if (code === 'DUPLICATE') this.#attribution.forgetNamed();
    if (code === 'KEY') calls.isLocked = false;
    if (code === 'MISMATCH') this.#holdings.acceptDifferences();
  }
  /** What the account holds beyond the strategies' positions. */
  get externalPositions(): readonly ReferencePosition[] {
    return this.#core.externalBook.positions();
  }

  /** True when no create waits for the disk or the rate limit, and no call is on the wire. */
  get isIdle(): boolean {
    return this.#core.calls.open === 0 && this.#createQueue.isEmpty;
  }
  /** Stops all timers. Calls `done` when no call is on the wire. */
  stop(done: () => void): void {
    for (const part of [this.#core.incidents, this.#statuses, this.#cancels, this.#polling, this.#settings]) part?.stop();
    this.#core.calls.stop(done);
  }

  // --- Internals

  /** Returns the code of the reason why an order must not be sent now, or null if it may be sent. */
  #holdCode({ request: wanted, id }: TrackedOrder): string | null {
    const { instrumentIndex: index, side, lots, reduceOnly, instrument } = wanted;
    const isReduction = reduceOnly || (instrument.contract === undefined && side === 'sell');
    if (!isReduction) return this.#settings === null || this.#settings.isReady(index) ? null : 'SETTINGS';
    const lacking = this.#holdings.lackingLots(index, side) + this.#takenLots(index, side);
    if (lacking === 0) return null;
    // The books hold more than the venue shows. All open reductions together may use what the venue does show.
    const others = Array.from(this.#core.tracks.openOf(index)).filter((track) => track.id !== id && track.request.side === side);
    const open = others.reduce((sum, track) => sum + Math.max(0, track.request.lots - track.filledLots), 0);
    const held = Math.abs(this.#core.parts.heldLots?.(index) ?? Infinity);
    return lots + open <= held - lacking ? null : 'VENUE_HOLDS_LESS';
  }
  /** Lots that unattributed fills have taken from the strategies' holdings and that the operator has not explained. Usually 0. */
  #takenLots(index: number, side: Side): number {
    const { quantityDigits } = this.#core.parts.instruments[index]!;
    const extra = this.#attribution.extraQty(index).times(Decimal.pow(10, quantityDigits));
    const net = extra.plus(this.#readers.trades(index).openLots).times(side === 'sell' ? -1 : 1);
    return Math.max(0, net.ceil().toNumber());
  }
  #onAdoption(track: TrackedOrder): void {
    track.knownMs = this.#core.parts.scheduler.nowMs;
    this.#cancels.onVenueId(track);
    this.#polling.scheduleRead(track.request.instrumentIndex);
  }
  *#settle(instruments: readonly number[]): Work<void> {
    const { scheduler } = this.#core.parts;
    const isMeant = (track: TrackedOrder): boolean => instruments.includes(track.request.instrumentIndex);
    const meant = instruments.filter((index) => this.#core.own.includes(index));
    const active = meant.filter((index) => Array.from(this.#core.tracks.openOf(index)).some(({ isLive }) => isLive));
    for (let pollsLeft = active.length === 0 ? 0 : MAX_POLLS; pollsLeft > 0; pollsLeft--) {
      yield* all(active.map((index) => this.#readers.reconcile(index, RECONCILE)));
      const dueMs = this.#statuses.dueOf(isMeant);
      if (pollsLeft === 1 || dueMs > scheduler.nowMs + CONFIRM_WAIT_MS) break;
      yield* sleep(scheduler, Math.max(scheduler.nowMs, Math.ceil(dueMs)) + 1 - scheduler.nowMs);
    }
    yield* this.#settlePositions(meant);
  }
  /** Open positions pay or receive funding, which no trade list shows. */
  *#settlePositions(instruments: readonly number[]): Work<void> {
    const held = instruments.filter((index) => (this.#core.positions.lotsOf(index) ?? 0) !== 0);
    if (this.#core.parts.market !== 'spot' && held.length > 0) yield* this.#holdings.verify(held, RECONCILE);
  }

  /** Notes, for a restart, the totals and the newest trade that they include. */
  #noteTotals(): void {
    const { notes, instruments } = this.#core.parts;
    if (notes === undefined) return;
    for (const [asset, total] of this.#core.holdings.entries()) notes.cursor({ symbol: asset, channel: 'total', value: total });
    for (const index of this.#core.own) {
      const lots = this.#core.positions.lotsOf(index);
      const symbol = instruments[index]!.id;
      if (lots !== null) notes.cursor({ symbol, channel: 'position', value: String(lots) });
      notes.cursor({ symbol, channel: 'counted', value: this.#readers.trades(index).seen.newestId ?? '0' });
    }
    // The process may end between two notes. This marker makes them count together or not at all.
    notes.cursor({ symbol: 'totals', channel: NOTED, value: '' });
  }
}

/** The channel of the cursor that ends a group of totals. */
const NOTED = 'noted';

/** Returns orders whose venue order id also identifies another order, and duplicate orders that are still open. */
function uncertaintiesOf({ openExtras }: OrderAttribution, { own, tracks }: ExchangeContext): readonly AuditDifference[] {
  const contested = own.flatMap((index) =>
    Array.from(tracks.openOf(index)).filter(({ isContested, isBelievedAbsent }) => isContested && !isBelievedAbsent),
  );
  return [
    ...contested.map(({ request, cid, contestedId }): AuditDifference => {
      const what = `${cid}: the exchange has its id for another order too, and has not shown which is which`;
      return { code: 'ECHO', instrument: request.instrumentIndex, venueId: contestedId === '' ? null : contestedId, what };
    }),
    ...openExtras.map(({ venueId, instrument, cid }): AuditDifference => {
      return { code: 'DUPLICATE', instrument, venueId, what: `order ${venueId}, a second copy of ${cid}, is open and is being cancelled` };
    }),
  ];
}

/** Returns null on spot and if no target settings are configured. */
function settingsOf({ parts, calls, venue, raisedCauses, settingsTarget }: ExchangeContext): ContractSettings | null {
  const { market, scheduler, instruments, settings, notes = null } = parts;
  if (market === 'spot' || parts.contractSettingsTarget === undefined) return null;
  const { cancelRetryMs: retryMs, cancelRetryMaxMs: retryMaxMs } = settings;
  return new ContractSettings({ calls, venue, scheduler, instruments, raisedCauses, notes, target: settingsTarget, retryMs, retryMaxMs });
}
