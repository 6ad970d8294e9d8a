// Compares the venue's time with the expected time. Evidence is void if the venue's clock jumps.

import type { Work } from '../../../base/task.ts';
import type { ServerTime } from '../time/serverClock.ts';
import type { DelayObserver } from '../calls/types.ts';
import type { OrderSettings } from '../calls/settings.ts';
import type { RaisedCauses } from './raisedCauses.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

export interface VenueClockMonitorDeps {
  readonly venue: VenueCalls;
  readonly serverTime: () => ServerTime;
  readonly settings: Pick<OrderSettings, 'clockJumpMs' | 'maxUncertaintyMs'>;
  readonly delayObserver: DelayObserver | null;
  readonly raisedCauses: RaisedCauses;
}

export class VenueClockMonitor {
  readonly #parts: VenueClockMonitorDeps;
  #highestMs = -Infinity;

  constructor(parts: VenueClockMonitorDeps) {
    this.#parts = parts;
  }

  /** The highest venue time seen; before the first, the expected time. */
  get lastMs(): number {
    return this.#highestMs > -Infinity ? this.#highestMs : this.#parts.serverTime().ms;
  }

  /** Reads the venue's time: a lower bound for everything read afterwards. Returns null if there is no reply or the time is implausible. */
  *now(): Work<number | null> {
    const { venue, serverTime, settings, delayObserver, raisedCauses } = this.#parts;
    const before = serverTime();
    const ms = yield* venue.serverTime();
    if (ms === null) return null;
    const after = serverTime();
    const slackMs = settings.clockJumpMs + Math.min(after.uncertaintyMs, settings.maxUncertaintyMs);
    const isKnown = after.uncertaintyMs < Infinity;
    if (isKnown && (ms < before.ms - slackMs || ms > after.ms + slackMs)) {
      delayObserver?.onClockJump();
      raisedCauses.raise('CLOCK', null, `the exchange says ${ms}, where ${before.ms} to ${after.ms} was expected`);
      return null;
    }
    if (ms > this.#highestMs) this.#highestMs = ms;
    delayObserver?.onVenueTime(ms);
    if (after.uncertaintyMs <= settings.maxUncertaintyMs) raisedCauses.resolve('CLOCK', null);
    return ms;
  }
}
