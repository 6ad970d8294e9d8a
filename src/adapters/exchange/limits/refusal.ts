// Why a call is not sent, and when it may be asked for again.

import { formatTime } from '../../../model/time.ts';
import type { Op } from '../../../protocol/endpoints/endpoints.ts';
import type { UnreadableBan } from '../bans/banStore.ts';

export interface LimitRefusal {
  /** `banned`: the exchange has banned this address, nothing at all is sent. `queueFull`: too many wait before it. */
  readonly kind: 'banned' | 'queueFull';
  /** One line: what is not sent, and why. */
  readonly message: string;
  /** One line: what to do. */
  readonly remedy: string;
  /** The soonest time, of the Scheduler, at which it is worth asking again; Infinity: not before a person has acted. */
  readonly retryAtMs: number;
}

export const bannedUntil = (op: Op, untilMs: number): LimitRefusal => ({
  kind: 'banned',
  message: `${op} is not sent: the exchange has banned this address (HTTP 418); nothing is sent before ${formatTime(untilMs)}`,
  remedy: 'wait; sending meanwhile, from here or by another program, makes the ban longer',
  retryAtMs: untilMs,
});

export const bannedUnread = (op: Op, { unreadable, remedy }: UnreadableBan): LimitRefusal => ({
  kind: 'banned',
  message: `${op} is not sent: ${unreadable}`,
  remedy,
  retryAtMs: Infinity,
});

export const queueFull = (op: Op, waiting: number, retryAtMs: number): LimitRefusal => ({
  kind: 'queueFull',
  message: `${op} is not sent: ${waiting} calls of its priority wait for the rate limit already`,
  remedy: 'ask less often: fewer symbols, or longer periods',
  retryAtMs,
});
