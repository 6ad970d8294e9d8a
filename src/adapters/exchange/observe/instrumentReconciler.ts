// Reconciles one instrument: reads its open orders and trades, then the status of each of our orders that the list does not show.
// Audits, polling and the time before a bar is decided all use it.

import { all, pending, start, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { toScaled } from '../../../base/number/decimal.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { OrderAttribution } from './attribution.ts';
import { describesOtherOrder, mayStillWait, parseTriggerTrackId } from '../calls/triggers.ts';
import type { OrderIdentifier } from './orderIdentifier.ts';
import type { DelayObserver } from '../calls/types.ts';
import { oldestFirst, type OrderRow, type Page } from '../calls/venueRows.ts';
import { isTerminal, type StatusReader } from './statusReader.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import type { TradeReader } from './tradeReader.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

/** What the reconciler of one instrument takes. */
export interface InstrumentReconcilerDeps {
  readonly instrument: Instrument;
  readonly index: number;
  readonly venue: VenueCalls;
  readonly trackedOrders: TrackedOrders;
  readonly attribution: OrderAttribution;
  readonly orderIdentifier: OrderIdentifier;
  readonly raisedCauses: RaisedCauses;
  readonly trades: TradeReader;
  readonly statuses: () => StatusReader;
  readonly venueMs: () => number;
  /** Time of our clock. */
  readonly nowMs: () => number;
  readonly delayObserver: DelayObserver | null;
}

/** A requested reconciliation that has not begun. */
interface PendingReconciliation {
  readonly options: CallOptions;
  /** Receives true if every list was complete. */
  readonly onDone: (isComplete: boolean) => void;
}

/** Reconciles one instrument. Requests during a reconciliation share the next one. */
export class InstrumentReconciler {
  readonly #deps: InstrumentReconcilerDeps;
  readonly #pending: PendingReconciliation[] = [];
  #isRunning = false;

  constructor(deps: InstrumentReconcilerDeps) {
    this.#deps = deps;
  }

  /** True while a reconciliation runs. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Reconciles the instrument. Returns true if every list was complete. A running reconciliation may have read too early, so another
   * follows.
   */
  *run(options: CallOptions): Work<boolean> {
    return yield* pending<boolean>((done) => {
      this.#pending.push({ options, onDone: done });
      if (!this.#isRunning) start(this.#serve());
      return () => {};
    });
  }

  /** One reconciliation serves all requests made before it begins. Those made meanwhile are served by the next one. */
  *#serve(): Work<void> {
    for (let served = this.#pending.splice(0); served.length > 0; served = this.#pending.splice(0)) {
      this.#isRunning = true;
      const isComplete = yield* this.#reconcile(served[0]!.options);
      this.#isRunning = false;
      for (const { onDone } of served) onDone(isComplete);
      if (this.#isRunning) return;
    }
  }

  /**
   * Reads the open orders, waiting triggers and trades of the instrument, and attributes each row. Returns true if every list was complete
   * and nothing is unattributed.
   */
  *#reconcile(options: CallOptions): Work<boolean> {
    const { trades, index, raisedCauses, nowMs } = this.#deps;
    const requestedMs = nowMs();
    const page = yield* this.#readOpenOrders(options);
    const listedAsOpen = page === null ? null : this.#attributeOpen(page);
    const areTriggersComplete = yield* this.#attributeTriggers(listedAsOpen, options);
    const { isComplete: areTradesComplete, unattributed } = yield* trades.read(Infinity, options);
    const isComplete = page !== null && page.isComplete && areTriggersComplete && areTradesComplete;
    if (page !== null && !page.isComplete) raisedCauses.raise('GAP', index, 'the list of open orders is cut off or cannot be read');
    else if (isComplete) raisedCauses.clearIfAllowed('GAP', index);
    yield* this.#queryUnlisted(listedAsOpen, requestedMs, options);
    return isComplete && unattributed === 0;
  }

  /** Returns null if the list did not arrive. */
  *#readOpenOrders(options: CallOptions): Work<Page<OrderRow> | null> {
    const { venue, instrument, index, orderIdentifier } = this.#deps;
    const page = yield* venue.openOrders(instrument, options);
    return page === null ? null : yield* orderIdentifier.withClientOrderIds(page, instrument, index, options);
  }

  /** Returns our orders that the list shows as open. */
  #attributeOpen(page: Page<OrderRow>): Set<TrackedOrder> {
    const { attribution, index, venueMs, instrument } = this.#deps;
    const sighting = { instrument: index, channel: 'openOrders', venueMs: venueMs() } as const;
    const foundOrders = new Set<TrackedOrder>();
    if (page.isComplete) attribution.duplicates.applyCompleteList(index, new Set(page.rows.map(({ venueId }) => venueId)));
    for (const row of oldestFirst(page.rows)) {
      const tracked = attribution.attribute(row, sighting);
      if (tracked === null) continue;
      this.#measureReadLag(tracked);
      const isBehind = toScaled(row.executed, instrument.quantityDigits) !== tracked.executedLots;
      if (!isTerminal(row) && !isBehind) foundOrders.add(tracked);
    }
    return foundOrders;
  }

  /** Attributes the list of trigger orders. Returns false if it is incomplete. Without trigger orders of our own, nothing is read. */
  *#attributeTriggers(listedAsOpen: Set<TrackedOrder> | null, options: CallOptions): Work<boolean> {
    const { venue, instrument, index, trackedOrders, attribution, venueMs } = this.#deps;
    const ownTriggers = trackedOrders.triggersOf(index);
    if (ownTriggers.size === 0) return true;
    const rows = yield* venue.readTriggerOrders(instrument, options);
    const sighting = { instrument: index, channel: 'openOrders', venueMs: venueMs() } as const;
    for (const row of rows ?? []) {
      if (!mayStillWait(row)) continue;
      const trackedTrigger = Array.from(ownTriggers).find(({ venueId }) => parseTriggerTrackId(venueId)?.triggerId === row.triggerOrderId);
      if (trackedTrigger?.venueId && describesOtherOrder(row, trackedTrigger.request))
        attribution.contestVenueId([trackedTrigger], trackedTrigger.venueId);
      else if (trackedTrigger !== undefined) listedAsOpen?.add(trackedTrigger);
      else attribution.attributeTrigger(row, ownTriggers, sighting);
    }
    return rows !== null;
  }

  /** Measures the read lag: the time from the acknowledgement until a list shows the order. */
  #measureReadLag(tracked: TrackedOrder): void {
    const { delayObserver, nowMs } = this.#deps;
    if (tracked.listSighting === 'missed') delayObserver?.onReadLag(nowMs() - tracked.idKnownMs);
    tracked.listSighting = 'seen';
  }

  /** Queries our live orders that the list does not show; all of them without a list. */
  *#queryUnlisted(listedAsOpen: ReadonlySet<TrackedOrder> | null, requestedMs: number, options: CallOptions): Work<void> {
    const { trackedOrders, index } = this.#deps;
    const unlistedOrders = Array.from(trackedOrders.openOf(index)).filter(
      (tracked) => tracked.isLive && !(listedAsOpen?.has(tracked) ?? false),
    );
    yield* all(unlistedOrders.map((tracked) => this.#queryUnlistedOrder(tracked, listedAsOpen === null ? null : requestedMs, options)));
  }
  /** Queries one unlisted order. `requestedMs`: our time at which the list was requested; null without a list. */
  *#queryUnlistedOrder(tracked: TrackedOrder, requestedMs: number | null, options: CallOptions): Work<void> {
    yield* this.#deps.statuses().check(tracked, options);
    if (requestedMs !== null) this.#noteMissing(tracked, requestedMs);
  }
  /**
   * Notes that a list requested after the acknowledgement does not show the order. If a later list shows it as open, this list was
   * outdated, and the read lag can be measured. A list that was requested before the acknowledgement proves nothing.
   */
  #noteMissing(tracked: TrackedOrder, requestedMs: number): void {
    const wasKnown = tracked.isLive && tracked.idKnownMs < requestedMs && parseTriggerTrackId(tracked.venueId) === null;
    if (wasKnown && tracked.listSighting === 'not yet') tracked.listSighting = 'missed';
  }
}
