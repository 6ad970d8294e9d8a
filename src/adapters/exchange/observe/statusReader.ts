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
import { assessStatus, type StatusReading } from '../order/confirm.ts';
import type { OrderRow } from '../calls/rows.ts';
import type { TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import type { RaisedCauses } from '../order/raisedCauses.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

export interface StatusReaderDeps {
  readonly scheduler: Scheduler;
  readonly venue: VenueCalls;
  readonly tracks: TrackedOrders;
  readonly raisedCauses: RaisedCauses;
  readonly instruments: readonly Instrument[];
  readonly sink: () => ExchangeSink;
  readonly venueMs: () => number;
  /** L: how old a list may be when it is read. */
  readonly lagMs: () => number;
  /** Reports that the venue has used one id for these orders. */
  readonly contested: (tracks: readonly TrackedOrder[], venueId: string) => void;
  /** Reads the trades of an instrument. */
  readonly readTrades: (instrument: number, sinceMs: number, options: CallOptions) => Work<unknown>;
}

/** After this many replies without information about an acknowledged order, the operator has to check. */
const MAX_SILENCES = 3;
/** How far an order's fills may precede its signing time. */
const EARLY_MS = 1000;
const LOOK_BACK_MS = 3_600_000;

export class StatusReader {
  readonly #parts: StatusReaderDeps;
  /** When to read the terminal status of an order again. */
  readonly #due = new Map<TrackedOrder, number>();
  readonly #timers = new Map<TrackedOrder, number>();
  /** Orders with an unknown status. */
  readonly #unrecognised = new Set<TrackedOrder>();
  /** The query of each order that is on the wire. */
  readonly #queries = new Map<TrackedOrder, Task<void>>();

  constructor(parts: StatusReaderDeps) {
    this.#parts = parts;
  }

  /** Queries the order, and again when its end needs confirmation. Ends after the immediate consequences of the reply. */
  *check(track: TrackedOrder, options: CallOptions): Work<void> {
    if (!track.isLive || track.venueId === null) return;
    let query = this.#queries.get(track);
    if (query === undefined) {
      query = start(this.#query(track, track.venueId, options));
      if (!query.isOver) this.#queries.set(track, query);
    }
    yield* resultOf(query);
  }
  *#query(track: TrackedOrder, venueId: string, options: CallOptions): Work<void> {
    const { venue, instruments } = this.#parts;
    const row = yield* venue.order(instruments[track.request.instrumentIndex]!, venueId, options);
    yield* this.#take(track, row, options);
    this.#queries.delete(track);
  }

  /** Returns when the next terminal status is due for confirmation, in ms of our clock; Infinity if none is. */
  dueOf(isMeant: (track: TrackedOrder) => boolean): number {
    let due = Infinity;
    for (const [track, atMs] of this.#due) if (isMeant(track)) due = Math.min(due, atMs);
    return due;
  }
  stop(): void {
    for (const handle of this.#timers.values()) this.#parts.scheduler.cancel(handle);
    this.#timers.clear();
  }

  *#take(track: TrackedOrder, row: OrderRow | 'none' | null, options: CallOptions): Work<void> {
    const { scheduler, venueMs } = this.#parts;
    if (row === null || !track.isLive) return;
    if (row === 'none') {
      this.#noteEmptyRead(track);
      return;
    }
    track.emptyReads = 0;
    if (!this.#isFollowed(track, row)) return;
    const executedLots = executedOf(row, track);
    if (row.status.word === 'UNKNOWN') {
      this.#markUnrecognised(track, `order ${row.venueId} has an unknown status: ${sanitizeText(row.status.raw, 40)}`);
      return;
    }
    this.#isPlain(track);
    const reading: StatusReading = { status: row.status, executedLots, atMs: scheduler.nowMs };
    // Fills first: the status is accepted only if the booked fills add up to it.
    if (executedLots === track.filledLots) track.lackedFills = false;
    else {
      // The missing fill is usually among the new trades. If not, it became visible late, so read further back.
      const sinceMs = track.lackedFills ? Math.max(track.signMs, venueMs() - LOOK_BACK_MS) - EARLY_MS : Infinity;
      track.lackedFills = true;
      yield* this.#parts.readTrades(track.request.instrumentIndex, sinceMs, options);
    }
    this.#assess(track, reading);
  }
  /** Follows a trigger order that has fired: the resulting order replaces it. Returns false if that order is another one of ours. */
  #isFollowed(track: TrackedOrder, row: OrderRow): boolean {
    const { scheduler, tracks, contested } = this.#parts;
    if (row.venueId === track.venueId || parseTriggerTrackId(track.venueId) === null) return true;
    const other = tracks.byVenueId(row.venueId);
    if (other !== undefined && other !== track) {
      contested([other, track], row.venueId);
      return false;
    }
    tracks.setVenueId(track, row.venueId);
    track.knownMs = scheduler.nowMs;
    return true;
  }

  /** An acknowledged order that is not found counts as alive, because a list may be older than the order. */
  #noteEmptyRead(track: TrackedOrder): void {
    const { scheduler, lagMs } = this.#parts;
    if (track.emptyReads++ === 0) track.silentMs = scheduler.nowMs;
    if (track.emptyReads < MAX_SILENCES || scheduler.nowMs < track.silentMs + lagMs()) return;
    this.#markUnrecognised(track, `order ${track.venueId ?? ''} is not found by its id`);
  }
  #markUnrecognised(track: TrackedOrder, what: string): void {
    this.#unrecognised.add(track);
    this.#parts.raisedCauses.raise('STATUS', track.request.instrumentIndex, what);
  }
  #isPlain(track: TrackedOrder): void {
    if (!this.#unrecognised.delete(track)) return;
    const { instrumentIndex } = track.request;
    const isLast = !Array.from(this.#unrecognised).some(({ request }) => request.instrumentIndex === instrumentIndex);
    if (isLast) this.#parts.raisedCauses.resolve('STATUS', instrumentIndex);
  }

  #assess(track: TrackedOrder, reading: StatusReading): void {
    if (!track.isLive) return;
    const verdict = assessStatus(track.terminal, reading, track.filledLots, this.#parts.lagMs());
    if (verdict.kind === 'live') {
      track.terminal = null;
      this.#due.delete(track);
    } else if (verdict.kind === 'unconfirmed') {
      track.terminal = verdict.first;
      this.#readAgain(track, verdict.againMs);
    } else this.#reportEnd(track, verdict.how);
  }

  #readAgain(track: TrackedOrder, atMs: number): void {
    const { scheduler } = this.#parts;
    this.#due.set(track, atMs);
    this.#cancelTimer(track);
    this.#timers.set(
      track,
      scheduler.at(Math.max(scheduler.nowMs, Math.ceil(atMs)), () => {
        this.#timers.delete(track);
        start(this.check(track, { priority: 'reconcile' }));
      }),
    );
  }

  #reportEnd(track: TrackedOrder, how: 'filled' | 'canceled' | 'rejected' | 'expired'): void {
    const { sink, venueMs } = this.#parts;
    sink().ended(track.id, how, how === 'filled' && track.lastFillMs > 0 ? track.lastFillMs : venueMs());
  }

  /** The order has ended: nothing needs confirmation any more. */
  forget(track: TrackedOrder): void {
    this.#isPlain(track);
    this.#due.delete(track);
    this.#cancelTimer(track);
  }
  #cancelTimer(track: TrackedOrder): void {
    const handle = this.#timers.get(track);
    if (handle !== undefined) this.#parts.scheduler.cancel(handle);
    this.#timers.delete(track);
  }
}

/** Returns the lots that the row reports as filled, without the fraction that the account holds for the order. Any other fraction stays. */
function executedOf({ executed }: OrderRow, { request, restLots }: TrackedOrder): number {
  const lots = new Decimal(executed).times(Decimal.pow(10, request.instrument.quantityDigits));
  const whole = lots.minus(restLots);
  return (whole.isInteger() ? whole : lots).toNumber();
}

/** True for a status that needs only its confirmation. */
export const isTerminal = ({ status }: Pick<OrderRow, 'status'>): boolean => STATUS_MEANING[status.word].kind === 'terminal';
