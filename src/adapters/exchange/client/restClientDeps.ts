// The collaborators of the REST client, and its log entries.

import type { Market } from '../../../model/instrument.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Dialect } from '../../../protocol/dialect.ts';
import type { Credentials } from '../../../protocol/request.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { ServerClock } from '../time/serverClock.ts';
import type { LateReplyWire } from '../wire/lateReplyWire.ts';
import type { Op } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/** One attempt of a call, as the log shows it. It has no secrets. */
export interface ApiCallLog {
  readonly op: Op;
  readonly kind: Outcome<unknown>['kind'];
  /** Starts at 1. */
  readonly attempt: number;
  /** From the first byte sent to the reply or failure; null if nothing was sent. */
  readonly latencyMs: number | null;
  /** HTTP status; null if no reply came. */
  readonly status: number | null;
  /** The service's code; null if it sent none. */
  readonly code: number | null;
  /** True if the reply came after the call had ended. */
  readonly isLate: boolean;
}

/** The collaborators and settings of the REST client. */
export interface RestClientDeps {
  readonly wire: LateReplyWire;
  readonly scheduler: Scheduler;
  readonly limiter: Limiter;
  readonly clock: ServerClock;
  /** Origins such as `https://api.example.com`. */
  readonly baseUrls: Readonly<Record<Market, string>>;
  /** Null allows public calls only. */
  readonly credentials: Credentials | null;
  readonly dialect: Dialect;
  /** From 0 to 1, for the jitter of pauses. */
  readonly random: () => number;
  /** Receives each attempt when it has ended. Headers, bodies and signed text are left out. */
  readonly log?: (entry: ApiCallLog) => void;
}
