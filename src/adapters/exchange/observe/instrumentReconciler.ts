// Reconciles one instrument: reads its open orders and trades, then the status of each of our orders that the list does not show.

import { all, pending, start, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { toScaled } from '../../../base/number/decimal.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { OrderAttribution } from './attribution.ts';
import { isOther, mayWait, parseTriggerTrackId } from '../calls/triggers.ts';
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
  readonly identify: OrderIdentifier;
  readonly raisedCauses: RaisedCauses;
  readonly trades: TradeReader;
  readonly statuses: () => StatusReader;
  readonly venueMs: () => number;
  /** Time of our clock. */
  readonly nowMs: () => number;
  readonly delayObserver: DelayObserver | null;
}

interface PendingReconciliation {
  readonly options: CallOptions;
  /** Receives true if every list was complete. */
  readonly done: (isWhole: boolean) => void;
}

/** Reconciles one instrument. Requests during a reconciliation share the next one. */
export class InstrumentReconciler {
  readonly #deps: InstrumentReconcilerDeps;
  readonly #waiting: PendingReconciliation[] = [];
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
      this.#waiting.push({ options, done });
      if (!this.#isRunning) start(this.#serve());
      return () => {};
    });
  }

  /** One reconciliation serves all requests made before it begins. Those made meanwhile are served by the next one. */
  *#serve(): Work<void> {
    for (let served = this.#waiting.splice(0); served.length > 0; served = this.#waiting.splice(0)) {
      this.#isRunning = true;
      const isWhole = yield* this.#reconcile(served[0]!.options);
      this.#isRunning = false;
      for (const { done } of served) done(isWhole);
      if (this.#isRunning) return;
    }
  }

  /**
   * Reads the open orders, waiting triggers and trades of the instrument, and attributes each row. Returns true if every list was complete
   * and nothing is unattributed.
   */
  *#reconcile(options: CallOptions): Work<boolean> {
    const { trades, index, raisedCauses, nowMs } = this.#deps;
    const askedMs = nowMs();
    const page = yield* this.#openOrders(options);
    const openListed = page === null ? null : this.#attributeOpen(page);
    const areWaitingWhole = yield* this.#attributeTriggers(openListed, options);
    const { isWhole, unattributed } = yield* trades.read(Infinity, options);
    const isComplete = page !== null && page.isWhole && areWaitingWhole && isWhole;
    if (page !== null && !page.isWhole) raisedCauses.raise('GAP', index, 'the list of open orders is cut off or cannot be read');
    else if (isComplete) raisedCauses.resolve('GAP', index);
    yield* this.#checkOthers(openListed, askedMs, options);
    return isComplete && unattributed === 0;
  }

  /** Returns null if the list did not arrive. */
  *#openOrders(options: CallOptions): Work<Page<OrderRow> | null> {
    const { venue, instrument, index, identify } = this.#deps;
    const page = yield* venue.openOrders(instrument, options);
    return page === null ? null : yield* identify.rows(page, instrument, index, options);
  }

  /** Returns our orders that the list shows as open. */
  #attributeOpen(page: Page<OrderRow>): Set<TrackedOrder> {
    const { attribution, index, venueMs, instrument } = this.#deps;
    const sighting = { instrument: index, channel: 'openOrders', venueMs: venueMs() } as const;
    const foundOrders = new Set<TrackedOrder>();
    if (page.isWhole) attribution.applyCompleteList(index, new Set(page.rows.map(({ venueId }) => venueId)));
    for (const row of oldestFirst(page.rows)) {
      const tracked = attribution.attribute(row, sighting);
      if (tracked === null) continue;
      this.#measureReadLag(tracked);
      const isBehind = toScaled(row.executed, instrument.quantityDigits) !== tracked.filledLots;
      if (!isTerminal(row) && !isBehind) foundOrders.add(tracked);
    }
    return foundOrders;
  }

  /** Attributes the list of trigger orders. Returns false if it is incomplete. Without trigger orders of our own, nothing is read. */
  *#attributeTriggers(openListed: Set<TrackedOrder> | null, options: CallOptions): Work<boolean> {
    const { venue, instrument, index, trackedOrders, attribution, venueMs } = this.#deps;
    const ownTriggers = trackedOrders.triggersOf(index);
    if (ownTriggers.size === 0) return true;
    const rows = yield* venue.readTriggerOrders(instrument, options);
    const sighting = { instrument: index, channel: 'openOrders', venueMs: venueMs() } as const;
    for (const row of rows ?? []) {
      if (!mayWait(row)) continue;
      const trackedTrigger = Array.from(ownTriggers).find(({ venueId }) => parseTriggerTrackId(venueId)?.triggerId === row.triggerOrderId);
      if (trackedTrigger?.venueId && isOther(row, trackedTrigger.request))
        attribution.contestVenueId([trackedTrigger], trackedTrigger.venueId);
      else if (trackedTrigger !== undefined) openListed?.add(trackedTrigger);
      else attribution.attributeTrigger(row, ownTriggers, sighting);
    }
    return rows !== null;
  }

  /** Measures the read lag: the time from the acknowledgement until a list shows the order. */
  #measureReadLag(tracked: TrackedOrder): void {
    const { delayObserver, nowMs } = this.#deps;
    if (tracked.listed === 'missed') delayObserver?.onReadLag(nowMs() - tracked.knownMs);
    tracked.listed = 'seen';
  }

  /** Queries our live orders that the list does not show; all of them without a list. */
  *#checkOthers(openListed: ReadonlySet<TrackedOrder> | null, askedMs: number, options: CallOptions): Work<void> {
    const { trackedOrders, index } = this.#deps;
    const unlistedOrders = Array.from(trackedOrders.openOf(index)).filter(
      (tracked) => tracked.isLive && !(openListed?.has(tracked) ?? false),
    );
    yield* all(unlistedOrders.map((tracked) => this.#checkOther(tracked, openListed === null ? null : askedMs, options)));
  }
  /** Queries one of these orders. `askedMs`: our time at which the list was requested; null without a list. */
  *#checkOther(tracked: TrackedOrder, askedMs: number | null, options: CallOptions): Work<void> {
    yield* this.#deps.statuses().check(tracked, options);
    if (askedMs !== null) this.#noteMissing(tracked, askedMs);
  }
  /**
   * Notes that a list requested after the acknowledgement does not show the order. If a later list shows it as open, this list was
   * outdated, and the read lag can be measured. A list that was requested before the acknowledgement proves nothing.
   */
  #noteMissing(tracked: TrackedOrder, askedMs: number): void {
    const wasKnown = tracked.isLive && tracked.knownMs < askedMs && parseTriggerTrackId(tracked.venueId) === null;
    if (wasKnown && tracked.listed === 'not yet') tracked.listed = 'missed';
  }
}
