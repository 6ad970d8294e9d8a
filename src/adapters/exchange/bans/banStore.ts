// Where a ban outlives the process: a restart must not take up what the exchange has forbidden.

import type { Stopped } from './rateStop.ts';

/** Times are of the Scheduler that the limiter runs on: Unix ms. */
export type Ban = Stopped;

/** A ban may have been written, but nobody can read it: it holds until a person has looked. */
export interface UnreadableBan {
  /** One line: what is wrong, and where. */
  readonly unreadable: string;
  /** One line: what to do. */
  readonly remedy: string;
}

export interface BanStore {
  /** What was written last; null: nothing ever was. */
  read(): Ban | UnreadableBan | null;
  /** Throws where it cannot be kept. */
  write(ban: Ban): void;
}
