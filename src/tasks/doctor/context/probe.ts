// What a doctor needs of the world: names, connections, calls, clocks. The checks know nothing else of it.

import type { Market } from '../../../model/instrument.ts';
import type { Dialect } from '../../../protocol/dialect.ts';
import type { Op, OpArgs, OpResult } from '../../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/** How a connection came about, or why none did. */
export type ConnectionReport =
  | { readonly kind: 'plain' }
  | {
      readonly kind: 'secure';
      /** Such as TLSv1.3. */
      readonly protocol: string;
      /** Whom the certificate names. */
      readonly subject: string;
      readonly issuer: string;
      /** Its last moment, Unix ms; null where it cannot be read. */
      readonly validToMs: number | null;
    }
  | { readonly kind: 'failed'; readonly failure: NetworkFailure };

export interface NetworkFailure {
  /** As Node.js names it: ENOTFOUND, ECONNREFUSED, CERT_HAS_EXPIRED; TIMEOUT where nobody answered in time. */
  readonly code: string;
  readonly message: string;
}

export interface ClockReading {
  /** The service's clock less ours, ms. */
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
}

/** One attempt of a call, when it was over. */
export interface CallFact {
  readonly op: Op;
  readonly status: number | null;
  readonly code: number | null;
}

/** How much of a rate limit was used. */
export interface LimitUse {
  readonly rateClass: string;
  readonly scope: 'key' | 'ip';
  readonly source: 'spec' | 'dialect' | 'assumed' | 'configured';
  readonly used: number;
  readonly limit: number;
  readonly windowMs: number;
}

/** What came of a WebSocket: open, with or without a heartbeat meanwhile, or why it did not come about. */
export type SocketReading = { readonly kind: 'open'; readonly pings: number } | { readonly kind: 'failed'; readonly why: string };

export interface Probe {
  /** Ms of a clock that never goes back, for durations. */
  elapsedMs(): number;
  /** Unix ms. */
  wallMs(): number;
  addresses(host: string): Promise<readonly string[] | NetworkFailure>;
  connect(origin: string): Promise<ConnectionReport>;
  /** Opens the WebSocket and waits for a heartbeat for a while; closes it again. */
  socket(url: string): Promise<SocketReading>;
  /** One attempt. With `dialect`, in a dialect that differs from the configured one in these. */
  call<O extends Op>(op: O, args: OpArgs<O>, dialect?: Partial<Dialect>): Promise<Outcome<OpResult<O>>>;
  /** Null where the service did not tell its time. */
  clock(market: Market): Promise<ClockReading | null>;
  /** So far. */
  calls(): readonly CallFact[];
  limits(): readonly LimitUse[];
}
