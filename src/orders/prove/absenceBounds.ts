// The absence bounds: how long to wait until an empty list proves that an order is absent. They are fixed in a replay and measured in live
// (order-safety, section 3).

import { proofGuards } from './guards.ts';

// hot: docs/performance.md#file-constants
const INFINITY = Infinity;

/** All values are ms of venue time. A horizon that is computed from them is valid only at that time, because live bounds change. */
export interface AbsenceBounds {
  /** How long after its timestamp the venue may still admit a request. */
  readonly recvWindowMs: number;
  /** D, the visibility delay: the longest assumed time from admission until lists show an order. */
  readonly visibilityDelayMs: number;
  /** L, the read lag: how old a list may be when it is read. */
  readonly readLagMs: number;
  /** H: the operator is called this long after the absence horizon. */
  readonly escalateAfterMs: number;
  /** Time from the end of a round of reads to the next one. */
  readonly resolveEveryMs: number;
  /** How many orders stay known after their end, and for how long: lists that lag may still show them. */
  readonly maxEndedOrders: number;
  readonly endedOrderTtlMs: number;
  /** Counts the jumps of the venue's clock: a read before a jump proves nothing afterwards. */
  readonly clockEpoch: number;
  /** The highest venue time seen at the last jump: no request was signed later than that. */
  readonly epochMs: number;
}

/** The venue of a replay answers from its own books, so no list lags and no request is admitted late. */
export const REPLAY_ABSENCE_BOUNDS: AbsenceBounds = {
  recvWindowMs: 0,
  visibilityDelayMs: 0,
  readLagMs: 0,
  escalateAfterMs: 600_000,
  resolveEveryMs: 0,
  maxEndedOrders: 0,
  endedOrderTtlMs: 0,
  clockEpoch: 0,
  epochMs: -INFINITY,
};

/** The settings of order-safety, section 18. The admission window is a rule of the venue and cannot be set. */
export interface AbsenceBoundsSettings {
  readonly deltaMinMs: number;
  readonly deltaIncidentMs: number;
  readonly incidentMemoryMs: number;
  readonly readLagMs: number;
  readonly resolveEveryMs: number;
  readonly humanAfterMs: number;
}
/** The settings of a bot whose config has none. docs/order-safety.md explains the figures. */
export const DEFAULT_ABSENCE_BOUNDS: AbsenceBoundsSettings = {
  deltaMinMs: 60_000,
  deltaIncidentMs: 600_000,
  incidentMemoryMs: 900_000,
  readLagMs: 3000,
  resolveEveryMs: 2000,
  humanAfterMs: 600_000,
};

/** The admission window: the venue rejects a request that arrives later than this after signing. */
export const RECV_WINDOW_MS = 5000;
const DAY_MS = 86_400_000;
/** The visibility delay is this factor times the 99.9th percentile of the measured admission delays. */
const VISIBILITY_FACTOR = 10;
/** The read lag is this factor times the largest measured lag. */
const LAG_FACTOR = 3;
/** The number of measurements kept: those of one day with an order every 20 s. On a busier day only the newest are kept. */
const MAX_SAMPLES = 4320;

const MAX_ENDED_ORDERS = 10_000;
/** Twice the time for which the exchange adapter recognises an ended order by its id. */
const ENDED_ORDER_TTL_MS = 7_200_000;

/** One measured admission delay, and the venue time at which it was measured. */
interface DelaySample {
  readonly atMs: number;
  readonly delayMs: number;
}

/** The absence bounds of a live bot. The exchange adapter reports its measurements here. All times are venue time. */
export class MeasuredAbsenceBounds implements AbsenceBounds {
  readonly recvWindowMs = RECV_WINDOW_MS;
  readonly escalateAfterMs: number;
  readonly resolveEveryMs: number;
  readonly maxEndedOrders = MAX_ENDED_ORDERS;
  readonly endedOrderTtlMs = ENDED_ORDER_TTL_MS;
  clockEpoch = 0;
  epochMs = -INFINITY;
  private readonly settings: AbsenceBoundsSettings;
  private admissions: DelaySample[] = [];
  /** The largest measured read lag. */
  private maxLagMs = 0;
  /** When the newest incident was reported. */
  private incidentMs = -INFINITY;
  /** The highest known venue time. */
  private nowMs = -INFINITY;

  constructor(settings: AbsenceBoundsSettings = DEFAULT_ABSENCE_BOUNDS) {
    this.settings = settings;
    this.escalateAfterMs = settings.humanAfterMs;
    this.resolveEveryMs = settings.resolveEveryMs;
  }

  /** Reports that the venue's time is at least `venueMs`. */
  onVenueTime(venueMs: number): void {
    if (venueMs > this.nowMs) this.nowMs = venueMs;
  }
  /** Reports that an acknowledged order was admitted `delayMs` after the time with which it was signed. */
  onAdmission(delayMs: number, venueMs: number): void {
    this.onVenueTime(venueMs);
    this.admissions.push({ atMs: venueMs, delayMs });
    if (this.admissions.length > MAX_SAMPLES) this.admissions.shift();
  }
  /** Reports that an acknowledged order was first seen in a list `lagMs` after its acknowledgement. */
  onReadLag(lagMs: number): void {
    if (lagMs > this.maxLagMs) this.maxLagMs = lagMs;
  }
  /** Reports an answer of the venue that admits a delay between gateway and lists: -1001, -1006, -1007, -1016, HTTP 504. */
  onIncident(venueMs: number): void {
    this.onVenueTime(venueMs);
    this.incidentMs = Math.max(this.incidentMs, venueMs);
  }
  /**
   * Reports that the venue's clock has jumped: the bounds of every unknown order restart at the highest time that the clock ever showed.
   */
  onClockJump(): void {
    this.clockEpoch++;
    this.epochMs = this.nowMs;
  }

  get visibilityDelayMs(): number {
    const { deltaMinMs, deltaIncidentMs, incidentMemoryMs } = this.settings;
    const measuredMs = VISIBILITY_FACTOR * this.admissionP999Ms();
    const isIncident = proofGuards.incidentsWiden && this.nowMs - this.incidentMs <= incidentMemoryMs;
    return Math.max(deltaMinMs, measuredMs, isIncident ? deltaIncidentMs : 0);
  }
  get readLagMs(): number {
    return Math.max(this.settings.readLagMs, LAG_FACTOR * this.maxLagMs);
  }

  /** Returns the 99.9th percentile of the admission delays of the last day, ms; 0 without a measurement. */
  private admissionP999Ms(): number {
    const sinceMs = this.nowMs - DAY_MS;
    while (this.admissions.length > 0 && this.admissions[0]!.atMs <= sinceMs) this.admissions.shift();
    const { length } = this.admissions;
    // The percentile by nearest rank. With few measurements it is the largest one. Every read needs it, so the loop collects only the largest
    // measurements instead of sorting all of them.
    const largestMs: number[] = [];
    const rank = length - Math.ceil(length * 0.999);
    for (const { delayMs } of this.admissions) {
      let index = largestMs.length;
      while (index > 0 && largestMs[index - 1]! < delayMs) index--;
      if (index <= rank) largestMs.splice(index, 0, delayMs);
      if (largestMs.length > rank + 1) largestMs.pop();
    }
    return largestMs[rank] ?? 0;
  }
}
