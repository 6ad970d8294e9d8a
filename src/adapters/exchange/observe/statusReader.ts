// What has become of one order: asked by its id until a terminal status is confirmed.

import { Decimal } from '../../../base/number/decimal.ts';
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
  /** L: how old a read may be. */
  readonly lagMs: () => number;
  /** The exchange has given one id to these orders. */
  readonly contested: (tracks: readonly TrackedOrder[], venueId: string) => void;
  /** Reads the trades of an instrument, and calls back. */
  readonly readTrades: (instrument: number, sinceMs: number, options: CallOptions, done: () => void) => void;
}

/** So many answers without information about an order that was acknowledged are a matter for a person. */
const MAX_SILENCES = 3;
/** How much earlier than its signature an order may seem to have filled. */
const EARLY_MS = 1000;
const LOOK_BACK_MS = 3_600_000;

export class StatusReader {
  readonly #parts: StatusReaderDeps;
  /** Orders whose terminal status is to be read again: when. */
  readonly #due = new Map<TrackedOrder, number>();
  readonly #timers = new Map<TrackedOrder, number>();
  /** Orders whose status nobody understands. */
  readonly #unrecognised = new Set<TrackedOrder>();
  /** Orders that are being asked about, with those who wait for the answer. */
  readonly #asking = new Map<TrackedOrder, (() => void)[]>();

  constructor(parts: StatusReaderDeps) {
    this.#parts = parts;
  }

  /** Asks for the order, and again when its end is to be confirmed. `done` is called once, after what the answer leads to at once. */
  check(track: TrackedOrder, options: CallOptions, done: () => void = () => {}): void {
    if (track.stage !== 'live' || track.venueId === null) return done();
    const waiting = this.#asking.get(track);
    if (waiting !== undefined) return void waiting.push(done);
    this.#asking.set(track, [done]);
    const { venue, instruments } = this.#parts;
    venue.order(instruments[track.request.instrumentIndex]!, track.venueId, options, (row) => {
      this.#take(track, row, options, () => {
        const waiters = this.#asking.get(track) ?? [];
        this.#asking.delete(track);
        for (const each of waiters) each();
      });
    });
  }

  /** An end that was read is still to be confirmed: when, in ms of our clock; Infinity: there is none among these. */
  dueOf(isMeant: (track: TrackedOrder) => boolean): number {
    let due = Infinity;
    for (const [track, atMs] of this.#due) if (isMeant(track)) due = Math.min(due, atMs);
    return due;
  }
  stop(): void {
    for (const handle of this.#timers.values()) this.#parts.scheduler.cancel(handle);
    this.#timers.clear();
  }

  #take(track: TrackedOrder, row: OrderRow | 'none' | null, options: CallOptions, done: () => void): void {
    const { scheduler, venueMs } = this.#parts;
    const index = track.request.instrumentIndex;
    if (row === null || track.stage !== 'live') return done();
    if (row === 'none') {
      this.#noteEmptyRead(track);
      return done();
    }
    track.emptyReads = 0;
    // It has fired: what came of it is the order from now on.
    if (row.venueId !== track.venueId && parseTriggerTrackId(track.venueId) !== null) {
      const other = this.#parts.tracks.byVenueId(row.venueId);
      if (other !== undefined && other !== track) {
        this.#parts.contested([other, track], row.venueId);
        return done();
      }
      this.#parts.tracks.setVenueId(track, row.venueId);
      track.knownMs = scheduler.nowMs;
    }
    const executedLots = executedOf(row, track);
    if (row.status.word === 'UNKNOWN') {
      this.#markUnrecognised(track, `order ${row.venueId} has a status that nobody knows: ${sanitizeText(row.status.raw, 40)}`);
      return done();
    }
    this.#isPlain(track);
    const reading: StatusReading = { status: row.status, executedLots, atMs: scheduler.nowMs };
    // Fills first: what the status says is believed only where they add up to it.
    const isBehind = executedLots !== track.filledLots;
    if (!isBehind) {
      track.lackedFills = false;
      return this.#assess(track, reading, done);
    }
    // What is new is mostly it; where it was not, a row was visible too late for the readings of its time.
    const sinceMs = track.lackedFills ? Math.max(track.signMs, venueMs() - LOOK_BACK_MS) - EARLY_MS : Infinity;
    track.lackedFills = true;
    this.#parts.readTrades(index, sinceMs, options, () => this.#assess(track, reading, done));
  }

  /** An order that was acknowledged and is not found lives: a list may be older than it. */
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

  #assess(track: TrackedOrder, reading: StatusReading, done: () => void): void {
    if (track.stage !== 'live') return done();
    const verdict = assessStatus(track.terminal, reading, track.filledLots, this.#parts.lagMs());
    if (verdict.kind === 'live') {
      track.terminal = null;
      this.#due.delete(track);
    } else if (verdict.kind === 'unconfirmed') {
      track.terminal = verdict.first;
      this.#again(track, verdict.againMs);
    } else this.#ended(track, verdict.how);
    done();
  }

  #again(track: TrackedOrder, atMs: number): void {
    const { scheduler } = this.#parts;
    this.#due.set(track, atMs);
    this.#cancelTimer(track);
    this.#timers.set(
      track,
      scheduler.at(Math.max(scheduler.nowMs, Math.ceil(atMs)), () => {
        this.#timers.delete(track);
        this.check(track, { priority: 'reconcile' });
      }),
    );
  }

  #ended(track: TrackedOrder, how: 'filled' | 'canceled' | 'rejected' | 'expired'): void {
    const { tracks, scheduler, sink, venueMs } = this.#parts;
    this.forget(track);
    tracks.markEnded(track, 'ended', scheduler.nowMs);
    sink().ended(track.id, how, how === 'filled' && track.lastFillMs > 0 ? track.lastFillMs : venueMs());
  }

  /** It is over: nothing is to be confirmed any more. */
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

/** Lots that the row says are filled; a fraction that the account holds for the order is left out, any other stays. */
function executedOf({ executed }: OrderRow, { request, restLots }: TrackedOrder): number {
  const lots = new Decimal(executed).times(Decimal.pow(10, request.instrument.quantityDigits));
  const whole = lots.minus(restLots);
  return (whole.isInteger() ? whole : lots).toNumber();
}

/** A status that leaves nothing to wait for but its confirmation. */
export const isTerminal = ({ status }: Pick<OrderRow, 'status'>): boolean => STATUS_MEANING[status.word].kind === 'terminal';
