// Looks again soon at instruments whose orders may end at any moment; those that rest are left to the audits.

import type { Scheduler } from '../../../ports/scheduler.ts';
import type { OrderSettings } from '../calls/settings.ts';
import { waitingIn } from '../calls/conditions.ts';
import type { Track, Tracks } from '../order/track.ts';

export interface FollowParts {
  readonly scheduler: Scheduler;
  readonly tracks: Tracks;
  readonly settings: Pick<OrderSettings, 'followMs' | 'fastMs'>;
  /** Looks at the instrument once. */
  readonly look: (instrument: number, done: () => void) => void;
}

/**
 * What takes at once or not at all, and what is to be cancelled, is worth a look soon; and what a list should have shown: how late lists are
 * is measured on it, and counts three times in every proof.
 */
const isRestless = ({ stage, wanted, isCancelWanted, terminal, venueId, listed }: Track): boolean =>
  stage === 'live' &&
  (isCancelWanted || waitingIn(venueId) === null) &&
  terminal === null &&
  (isCancelWanted || listed === 'missed' || wanted.limit === 0 || wanted.timeInForce === 'IOC' || wanted.timeInForce === 'FOK');

export class Follow {
  readonly #parts: FollowParts;
  readonly #timers = new Map<number, number>();

  constructor(parts: FollowParts) {
    this.#parts = parts;
  }

  /** Something may have happened to an order of the instrument. */
  soon(instrument: number): void {
    this.#arm(instrument, this.#parts.settings.followMs);
  }
  stop(): void {
    for (const handle of this.#timers.values()) this.#parts.scheduler.cancel(handle);
    this.#timers.clear();
  }

  #arm(instrument: number, pauseMs: number): void {
    if (this.#timers.has(instrument)) return;
    const { scheduler, look, tracks, settings } = this.#parts;
    const run = (): void => {
      this.#timers.delete(instrument);
      look(instrument, () => {
        const isWorth = Array.from(tracks.openOf(instrument)).some(isRestless);
        if (isWorth) this.#arm(instrument, Math.min(2 * pauseMs, settings.fastMs));
      });
    };
    this.#timers.set(instrument, scheduler.at(scheduler.nowMs + Math.ceil(pauseMs), run));
  }
}
