// Describes why the limiter refuses a call, and when to try again.

import { formatTime } from '../../../model/time.ts';
import type { Op } from '../../../protocol/endpoints/endpoints.ts';
import type { UnreadableBan } from '../bans/banStore.ts';

/** Why the limiter does not send a call. */
export interface LimitRefusal {
  /** `banned`: the venue has banned this address, so nothing is sent. `queueFull`: too many calls are waiting. */
  readonly kind: 'banned' | 'queueFull';
  /** One line: what is not sent, and why. */
  readonly message: string;
  /** One line: what to do. */
  readonly remedy: string;
  /** The earliest time, of the Scheduler, at which a new attempt makes sense; Infinity: not before the operator has acted. */
  readonly retryAtMs: number;
}

/** Returns the refusal during a ban that ends at `untilMs` (ms UTC). */
export const bannedUntil = (op: Op, untilMs: number): LimitRefusal => ({
  kind: 'banned',
  message: `${op} is not sent: the exchange has banned this address (HTTP 418); nothing is sent before ${formatTime(untilMs)}`,
  remedy: 'wait; sending meanwhile, from here or by another program, makes the ban longer',
  retryAtMs: untilMs,
});

/** Returns the refusal while the stored ban cannot be read. */
export const bannedByRecord = (op: Op, { unreadable, remedy }: UnreadableBan): LimitRefusal => ({
  kind: 'banned',
  message: `${op} is not sent: ${unreadable}`,
  remedy,
  retryAtMs: Infinity,
});

/** Returns the refusal for a full queue, with the time of the next free place (ms UTC). */
export const queueFull = (op: Op, waiting: number, retryAtMs: number): LimitRefusal => ({
  kind: 'queueFull',
  message: `${op} is not sent: ${waiting} calls of its priority wait for the rate limit already`,
  remedy: 'ask less often: fewer symbols, or longer periods',
  retryAtMs,
});
