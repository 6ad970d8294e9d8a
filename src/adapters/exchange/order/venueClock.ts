// Compares the venue's time with the expected time. If the venue's clock jumps, no evidence counts.

import type { Work } from '../../../base/task.ts';
import type { ServerTime } from '../time/serverClock.ts';
import type { DelayObserver } from '../calls/types.ts';
import type { OrderSettings } from '../calls/orderSettings.ts';
import type { RaisedCauses } from './raisedCauses.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

/** What the monitor takes. */
export interface VenueClockMonitorDeps {
  readonly venue: VenueCalls;
  readonly serverTime: () => ServerTime;
  readonly settings: Pick<OrderSettings, 'clockJumpMs' | 'maxUncertaintyMs'>;
  readonly delayObserver: DelayObserver | null;
  readonly raisedCauses: RaisedCauses;
}

/** Watches the venue times that replies and lists show. */
export class VenueClockMonitor {
  readonly #deps: VenueClockMonitorDeps;
  #highestMs = -Infinity;

  constructor(deps: VenueClockMonitorDeps) {
    this.#deps = deps;
  }

  /** The highest venue time that was read; the expected time if none was. */
  get lastMs(): number {
    return this.#highestMs > -Infinity ? this.#highestMs : this.#deps.serverTime().ms;
  }

  /** Reads the venue's time, which is a lower bound for all later reads. Returns null without a reply, or if the time is implausible. */
  *now(): Work<number | null> {
    const { venue, serverTime, settings, delayObserver, raisedCauses } = this.#deps;
    const timeBefore = serverTime();
    const ms = yield* venue.serverTime();
    if (ms === null) return null;
    const timeAfter = serverTime();
    const slackMs = settings.clockJumpMs + Math.min(timeAfter.uncertaintyMs, settings.maxUncertaintyMs);
    const isMeasured = timeAfter.uncertaintyMs < Infinity;
    if (isMeasured && (ms < timeBefore.ms - slackMs || ms > timeAfter.ms + slackMs)) {
      delayObserver?.onClockJump();
      raisedCauses.raise('CLOCK', null, `the exchange says ${ms}, where ${timeBefore.ms} to ${timeAfter.ms} was expected`);
      return null;
    }
    if (ms > this.#highestMs) this.#highestMs = ms;
    delayObserver?.onVenueTime(ms);
    if (timeAfter.uncertaintyMs <= settings.maxUncertaintyMs) raisedCauses.clearIfAllowed('CLOCK', null);
    return ms;
  }
}
