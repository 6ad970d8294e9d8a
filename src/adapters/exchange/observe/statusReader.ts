// Queries one order by its id until a terminal status is confirmed.

import { Decimal } from '../../../base/number/decimal.ts';
import { resultOf, start, type Task, type Work } from '../../../base/task.ts';
import { sanitizeText } from '../../../base/text/untrustedText.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { ExchangeSink } from '../../../ports/exchange.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import { STATUS_MEANING } from '../../../protocol/shapes/codes.ts';
import type { CallOptions } from '../client/restClient.ts';
import { parseTriggerTrackId } from '../calls/triggers.ts';
import type { OrderAttribution } from './attribution.ts';
import { assessStatus, type StatusReading } from '../order/assessStatus.ts';
import { EARLY_MS, isRowOf } from '../order/matchRow.ts';
import type { OrderRow } from '../calls/venueRows.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

/** What the reader takes. */
export interface StatusReaderDeps {
  readonly scheduler: Scheduler;
  readonly venue: VenueCalls;
  readonly trackedOrders: TrackedOrders;
  readonly raisedCauses: RaisedCauses;
  readonly instruments: readonly Instrument[];
  readonly sink: () => ExchangeSink;
  readonly venueMs: () => number;
  /** L: how old a list may be when it is read. */
  readonly lagMs: () => number;
  readonly attribution: Pick<OrderAttribution, 'adopt' | 'confirmId' | 'contestVenueId' | 'isIdOf' | 'replaceWrongId'>;
  /** Reads the trades of an instrument. */
  readonly readTrades: (instrumentIndex: number, sinceMs: number, options: CallOptions) => Work<unknown>;
}

/** After this many replies without information about an acknowledged order, the operator has to check. */
const MAX_EMPTY_READS = 3;

/** How far the trades are read again if a reported fill is not among the new ones. */
const LOOK_BACK_MS = 3_600_000;

/** The orders of one market whose status is queried, and when each is queried next. */
export class StatusReader {
  readonly #deps: StatusReaderDeps;
  /** When to read the terminal status of an order again. */
  readonly #due = new Map<TrackedOrder, number>();
  readonly #timers = new Map<TrackedOrder, number>();
  /** Orders with an unknown status. */
  readonly #unrecognised = new Set<TrackedOrder>();
  /** The query of each order that is on the wire. */
  readonly #queries = new Map<TrackedOrder, Task<void>>();

  constructor(deps: StatusReaderDeps) {
    this.#deps = deps;
  }

  /** Queries the order. A terminal status is queried again later, until it is confirmed. Returns once the first reply has been handled. */
  *check(tracked: TrackedOrder, options: CallOptions): Work<void> {
    if (!tracked.isLive || tracked.venueId === null) return;
    let query = this.#queries.get(tracked);
    if (query === undefined) {
      query = start(this.#query(tracked, tracked.venueId, options));
      if (!query.isOver) this.#queries.set(tracked, query);
    }
    yield* resultOf(query);
  }
  *#query(tracked: TrackedOrder, venueId: string, options: CallOptions): Work<void> {
    const { venue, instruments } = this.#deps;
    const row = yield* venue.findOrder(instruments[tracked.request.instrumentIndex]!, venueId, options);
    yield* this.#applyReply(tracked, row, options);
    this.#queries.delete(tracked);
  }

  /** Returns our time, ms, of the next confirmation among the included orders; Infinity if none is due. */
  dueOf(isIncluded: (tracked: TrackedOrder) => boolean): number {
    let dueMs = Infinity;
    for (const [tracked, atMs] of this.#due) if (isIncluded(tracked)) dueMs = Math.min(dueMs, atMs);
    return dueMs;
  }
  /** Ends all queries. */
  stop(): void {
    for (const handle of this.#timers.values()) this.#deps.scheduler.cancel(handle);
    this.#timers.clear();
  }

  /** Applies the reply to a read of one order. 'none': the exchange does not know the order. Null: the read failed. */
  *#applyReply(tracked: TrackedOrder, row: OrderRow | 'none' | null, options: CallOptions): Work<void> {
    const { scheduler, venueMs, attribution } = this.#deps;
    if (row === null || !tracked.isLive) return;
    if (row === 'none') {
      this.#noteEmptyRead(tracked);
      return;
    }
    tracked.emptyReads = 0;
    if (!this.#followFired(tracked, row)) return;
    if (!isRowOf(row, tracked, tracked.request.instrumentIndex)) {
      attribution.contestVenueId([tracked], row.venueId);
      return;
    }
    if (!attribution.isIdOf(tracked, row)) return;
    const executedLots = executedOf(row, tracked);
    if (row.status.word === 'UNKNOWN') {
      this.#markUnrecognised(tracked, `order ${row.venueId} has an unknown status: ${sanitizeText(row.status.raw, 40)}`);
      return;
    }
    this.#markRecognised(tracked);
    const reading: StatusReading = { status: row.status, executedLots, atMs: scheduler.nowMs };
    // Fills first: the status is accepted only if the booked fills add up to it.
    if (executedLots === tracked.filledLots) tracked.hadUnbookedFills = false;
    else {
      // The missing fill is usually among the new trades. If not, it became visible late, so read further back.
      const sinceMs = tracked.hadUnbookedFills ? Math.max(tracked.signMs, venueMs() - LOOK_BACK_MS) - EARLY_MS : Infinity;
      tracked.hadUnbookedFills = true;
      yield* this.#deps.readTrades(tracked.request.instrumentIndex, sinceMs, options);
    }
    this.#assess(tracked, reading);
  }
  /**
   * Follows a trigger order that has fired: the resulting order replaces it, also if that counted as foreign until now. Returns false if that
   * order is another one of ours.
   */
  #followFired(tracked: TrackedOrder, row: OrderRow): boolean {
    const { trackedOrders, attribution, venueMs } = this.#deps;
    if (row.venueId === tracked.venueId || parseTriggerTrackId(tracked.venueId) === null) return true;
    const otherOrder = trackedOrders.byVenueId(row.venueId);
    if (otherOrder !== undefined && otherOrder !== tracked) {
      attribution.contestVenueId([otherOrder, tracked], row.venueId);
      return false;
    }
    const sighting = { instrument: tracked.request.instrumentIndex, channel: 'orderHistory', venueMs: venueMs() } as const;
    attribution.adopt(tracked, row.venueId, sighting, row.timeMs);
    return true;
  }

  /** Notes that the venue did not find the order. It counts as live, because a list may be older than the order. */
  #noteEmptyRead(tracked: TrackedOrder): void {
    const { scheduler, lagMs, attribution } = this.#deps;
    if (tracked.emptyReads++ === 0) tracked.firstEmptyReadMs = scheduler.nowMs;
    if (tracked.emptyReads < MAX_EMPTY_READS || scheduler.nowMs < tracked.firstEmptyReadMs + lagMs()) return;
    if (tracked.otherId !== null) {
      if (tracked.filledLots === 0) return attribution.replaceWrongId(tracked);
      attribution.confirmId(tracked);
    }
    this.#markUnrecognised(tracked, `order ${tracked.venueId ?? ''} is not found by its id`);
  }
  #markUnrecognised(tracked: TrackedOrder, statusText: string): void {
    this.#unrecognised.add(tracked);
    this.#deps.raisedCauses.raise('STATUS', tracked.request.instrumentIndex, statusText);
  }
  /** Clears the halt cause if this was the last order of the instrument with an unknown status. */
  #markRecognised(tracked: TrackedOrder): void {
    if (!this.#unrecognised.delete(tracked)) return;
    const { instrumentIndex } = tracked.request;
    const isLast = !Array.from(this.#unrecognised).some(({ request }) => request.instrumentIndex === instrumentIndex);
    if (isLast) this.#deps.raisedCauses.clearIfAllowed('STATUS', instrumentIndex);
  }

  /** Reports the end if the reading confirms it. Otherwise plans the next read. */
  #assess(tracked: TrackedOrder, reading: StatusReading): void {
    if (!tracked.isLive) return;
    const verdict = assessStatus(tracked.terminalReading, reading, tracked.filledLots, this.#deps.lagMs());
    if (verdict.kind === 'live') {
      tracked.terminalReading = null;
      this.#due.delete(tracked);
    } else if (verdict.kind === 'unconfirmed') {
      tracked.terminalReading = verdict.first;
      this.#readAgain(tracked, verdict.againMs);
    } else this.#reportEnd(tracked, verdict.reason);
  }

  /** Plans the next read of an order, which replaces an earlier plan. */
  #readAgain(tracked: TrackedOrder, atMs: number): void {
    const { scheduler } = this.#deps;
    this.#due.set(tracked, atMs);
    this.#cancelTimer(tracked);
    this.#timers.set(
      tracked,
      scheduler.at(Math.max(scheduler.nowMs, Math.ceil(atMs)), () => {
        this.#timers.delete(tracked);
        start(this.check(tracked, { priority: 'reconcile' }));
      }),
    );
  }

  #reportEnd(tracked: TrackedOrder, reason: 'filled' | 'canceled' | 'rejected' | 'expired'): void {
    const { sink, venueMs } = this.#deps;
    // For its strategy, an order has not filled if the account holds whole lots of its fills.
    if (reason === 'filled' && tracked.accountLots.greaterThanOrEqualTo(1)) return sink().ended(tracked.id, 'canceled', venueMs());
    sink().ended(tracked.id, reason, reason === 'filled' && tracked.lastFillMs > 0 ? tracked.lastFillMs : venueMs());
  }

  /** Stops reading an order that has ended. */
  forget(tracked: TrackedOrder): void {
    this.#markRecognised(tracked);
    this.#due.delete(tracked);
    this.#cancelTimer(tracked);
  }
  #cancelTimer(tracked: TrackedOrder): void {
    const handle = this.#timers.get(tracked);
    if (handle !== undefined) this.#deps.scheduler.cancel(handle);
    this.#timers.delete(tracked);
  }
}

/** Returns the lots that the row reports as filled, without those that the account holds for the order. Any other fraction stays. */
function executedOf({ executed }: OrderRow, { request, accountLots }: TrackedOrder): number {
  const lots = new Decimal(executed).times(Decimal.pow(10, request.instrument.quantityDigits));
  const wholeLots = lots.minus(accountLots);
  return (wholeLots.isInteger() ? wholeLots : lots).toNumber();
}

/** True for a status that needs only its confirmation. */
export const isTerminal = ({ status }: Pick<OrderRow, 'status'>): boolean => STATUS_MEANING[status.word].kind === 'terminal';
