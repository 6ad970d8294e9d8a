// The doctor's interface to the network: names, connections, calls and clocks. Checks use nothing else.

import type { Market } from '../../../model/instrument.ts';
import type { Dialect } from '../../../protocol/dialect.ts';
import type { Op, OpArgs, OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/** The result of a connection, or why it failed. */
export type ConnectionReport =
  | { readonly kind: 'plain' }
  | {
      readonly kind: 'secure';
      /** Such as TLSv1.3. */
      readonly protocol: string;
      /** Subject of the certificate. */
      readonly subject: string;
      readonly issuer: string;
      /** End of its validity, Unix ms; null: cannot be parsed. */
      readonly validToMs: number | null;
    }
  | { readonly kind: 'failed'; readonly failure: NetworkFailure };

/** A failed name lookup or connection. */
export interface NetworkFailure {
  /** A code of Node.js: ENOTFOUND, ECONNREFUSED, CERT_HAS_EXPIRED; or TIMEOUT without a reply in time. */
  readonly code: string;
  readonly message: string;
}

/** A measured clock. */
export interface ClockReading {
  /** The service's clock minus this computer's, ms. */
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
}

/** One finished attempt of a call. */
export interface CallFact {
  readonly op: Op;
  readonly status: number | null;
  readonly code: number | null;
}

/** The used part of a rate limit. */
export interface LimitUse {
  readonly rateClass: string;
  readonly scope: 'key' | 'ip';
  readonly source: 'spec' | 'dialect' | 'assumed' | 'configured';
  readonly used: number;
  readonly limit: number;
  readonly windowMs: number;
}

/** The result of a WebSocket: open, with the number of pings, or why it failed. */
export type SocketReading = { readonly kind: 'open'; readonly pings: number } | { readonly kind: 'failed'; readonly why: string };

/** See the head of this file. */
export interface Probe {
  /** Ms of a monotonic clock, for durations. */
  elapsedMs(): number;
  /** Unix ms. */
  wallMs(): number;
  addresses(host: string): Promise<readonly string[] | NetworkFailure>;
  connect(origin: string): Promise<ConnectionReport>;
  /** Opens the WebSocket, waits for a heartbeat and closes it again. */
  socket(url: string): Promise<SocketReading>;
  /** Makes one attempt. `dialect`: options that replace those of the configured dialect. */
  call<O extends Op>(op: O, args: OpArgs<O>, dialect?: Partial<Dialect>): Promise<Outcome<OpResult<O>>>;
  /** Measures the clock; null: the service did not report its time. */
  clock(market: Market): Promise<ClockReading | null>;
  /** All calls up to now. */
  calls(): readonly CallFact[];
  limits(): readonly LimitUse[];
}
