// Reconciles one instrument: reads its open orders and trades, then the status of each of our orders that the list does not show.

import { all, pending, start, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { toScaled } from '../../../base/number/decimal.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { OrderAttribution } from './attribution.ts';
import { isOther, mayWait, parseTriggerTrackId } from '../calls/triggers.ts';
import type { Identify } from './identify.ts';
import type { DelayObserver } from '../calls/types.ts';
import type { OrderRow, Page } from '../calls/rows.ts';
import { isTerminal, type StatusReader } from './statusReader.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import type { TradeReader } from './tradeReader.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

export interface InstrumentReconcilerDeps {
  readonly instrument: Instrument;
  readonly index: number;
  readonly venue: VenueCalls;
  readonly tracks: TrackedOrders;
  readonly attribution: OrderAttribution;
  readonly identify: Identify;
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
  readonly done: (isWhole: boolean) => void;
}

export class InstrumentReconciler {
  readonly #parts: InstrumentReconcilerDeps;
  readonly #waiting: PendingReconciliation[] = [];
  #isRunning = false;

  constructor(parts: InstrumentReconcilerDeps) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Returns true if every list was complete. A reconciliation already running may have started too early, so another follows. */
  *run(options: CallOptions): Work<boolean> {
    return yield* pending<boolean>((done) => {
      this.#waiting.push({ options, done });
      if (!this.#isRunning) start(this.#serve());
      return () => {};
    });
  }

  /** One reconciliation serves all requests made before it begins. Those made meanwhile are served by the next one. */
  *#serve(): Work<void> {
    for (let asked = this.#waiting.splice(0); asked.length > 0; asked = this.#waiting.splice(0)) {
      this.#isRunning = true;
      const isWhole = yield* this.#reconcile(asked[0]!.options);
      this.#isRunning = false;
      for (const { done } of asked) done(isWhole);
      if (this.#isRunning) return;
    }
  }

  *#reconcile(options: CallOptions): Work<boolean> {
    const { trades, index, raisedCauses, nowMs } = this.#parts;
    const askedMs = nowMs();
    const page = yield* this.#openOrders(options);
    const listed = page === null ? null : this.#attributeOpen(page);
    const areWaitingWhole = yield* this.#attributeTriggers(listed, options);
    const { isWhole, unattributed } = yield* trades.read(Infinity, options);
    const isComplete = page !== null && page.isWhole && areWaitingWhole && isWhole;
    if (page !== null && !page.isWhole) raisedCauses.raise('GAP', index, 'the list of open orders is cut off or cannot be read');
    else if (isComplete) raisedCauses.resolve('GAP', index);
    yield* this.#checkOthers(listed, askedMs, options);
    return isComplete && unattributed === 0;
  }

  /** Returns null if the list did not arrive. */
  *#openOrders(options: CallOptions): Work<Page<OrderRow> | null> {
    const { venue, instrument, index, identify } = this.#parts;
    const page = yield* venue.openOrders(instrument, options);
    return page === null ? null : yield* identify.rows(page, instrument, index, options);
  }

  /** Returns our orders that the list shows as open. */
  #attributeOpen(page: Page<OrderRow>): Set<TrackedOrder> {
    const { attribution, index, venueMs, instrument } = this.#parts;
    const seen = { instrument: index, channel: 'openOrders', venueMs: venueMs() } as const;
    const found = new Set<TrackedOrder>();
    if (page.isWhole) attribution.applyCompleteList(index, new Set(page.rows.map(({ venueId }) => venueId)));
    for (const row of page.rows) {
      const track = attribution.attribute(row, seen);
      if (track === null) continue;
      this.#measureReadLag(track);
      const isBehind = toScaled(row.executed, instrument.quantityDigits) !== track.filledLots;
      if (!isTerminal(row) && !isBehind) found.add(track);
    }
    return found;
  }

  /** Trigger orders have their own list. It is read only if we ever had trigger orders on this instrument. */
  *#attributeTriggers(listed: Set<TrackedOrder> | null, options: CallOptions): Work<boolean> {
    const { venue, instrument, index, tracks, attribution, venueMs } = this.#parts;
    const own = tracks.triggersOf(index);
    if (own.size === 0) return true;
    const rows = yield* venue.waiting(instrument, options);
    const seen = { instrument: index, channel: 'openOrders', venueMs: venueMs() } as const;
    for (const row of rows ?? []) {
      if (!mayWait(row)) continue;
      const known = Array.from(own).find(({ venueId }) => parseTriggerTrackId(venueId)?.triggerId === row.triggerOrderId);
      if (known?.venueId && isOther(row, known.request)) attribution.contestVenueId([known], known.venueId);
      else if (known !== undefined) listed?.add(known);
      else attribution.attributeTrigger(row, own, seen);
    }
    return rows !== null;
  }

  /** The time from an acknowledgement until a list shows the order measures the read lag. */
  #measureReadLag(track: TrackedOrder): void {
    const { delayObserver, nowMs } = this.#parts;
    if (track.listed === 'missed') delayObserver?.onReadLag(nowMs() - track.knownMs);
    track.listed = 'seen';
  }

  /** Without a list, every order is queried. */
  *#checkOthers(listed: ReadonlySet<TrackedOrder> | null, askedMs: number, options: CallOptions): Work<void> {
    const { tracks, index } = this.#parts;
    const others = Array.from(tracks.openOf(index)).filter((track) => track.isLive && !(listed?.has(track) ?? false));
    yield* all(others.map((track) => this.#checkOther(track, listed === null ? null : askedMs, options)));
  }
  /** `askedMs`: when the list was requested that does not show the order; null without a list. */
  *#checkOther(track: TrackedOrder, askedMs: number | null, options: CallOptions): Work<void> {
    yield* this.#parts.statuses().check(track, options);
    if (askedMs !== null) this.#noteMissing(track, askedMs);
  }
  /**
   * An order that a later list shows as open has been open since its acknowledgement. A list requested later that did not show it was
   * outdated. A list that was already in flight proves nothing.
   */
  #noteMissing(track: TrackedOrder, askedMs: number): void {
    const isLate = track.isLive && track.knownMs < askedMs && parseTriggerTrackId(track.venueId) === null;
    if (isLate && track.listed === 'not yet') track.listed = 'missed';
  }
}
