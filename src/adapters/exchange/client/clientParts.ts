// What the client of an exchange is made of.

import type { Market } from '../../../model/instrument.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Dialect } from '../../../protocol/dialect.ts';
import type { Credentials } from '../../../protocol/request.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { ServerClock } from '../time/serverClock.ts';
import type { LateReplyWire } from '../wire/lateReplyWire.ts';
import type { Op } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/** Facts of one attempt, fit for a log. */
export interface CallLog {
  readonly op: Op;
  readonly kind: Outcome<unknown>['kind'];
  /** From 1. */
  readonly attempt: number;
  /** From the first byte out to the answer or its failure; null where nothing was sent. */
  readonly latencyMs: number | null;
  /** HTTP status; null where no reply came. */
  readonly status: number | null;
  /** The service's own; null where it said none. */
  readonly code: number | null;
  /** An answer that came when nobody waited for it any more. */
  readonly isLate: boolean;
}

export interface RestClientDeps {
  readonly wire: LateReplyWire;
  readonly scheduler: Scheduler;
  readonly limiter: Limiter;
  readonly clock: ServerClock;
  /** Origins such as `https://api.example.com`. */
  readonly baseUrls: Readonly<Record<Market, string>>;
  /** Null: public calls only. */
  readonly credentials: Credentials | null;
  readonly dialect: Dialect;
  /** From 0 to 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Told of every attempt when it is over: facts that hold no secret, never headers, bodies or what was signed. */
  readonly log?: (entry: CallLog) => void;
}
