// Storage that keeps a ban across restarts, so that a new process does not send while the venue forbids it.

import type { StoredStop } from './rateStop.ts';

/** Times are Unix ms of the Scheduler that the limiter uses. */
export type Ban = StoredStop;

/** A ban record exists but cannot be read. The ban holds until the operator has removed the record. */
export interface UnreadableBan {
  /** One line: what is wrong, and in which file. */
  readonly unreadable: string;
  /** One line: what to do. */
  readonly remedy: string;
}

/** Where a ban is kept, so that a restart does not forget it. */
export interface BanStore {
  /** Returns the ban written last, or null if none was ever written. */
  read(): Ban | UnreadableBan | null;
  /** Throws when the ban cannot be stored. */
  write(ban: Ban): void;
}
