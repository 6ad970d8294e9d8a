// The hole through which bytes leave and come back: a real HTTP client stands behind it, or a simulated network.

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute: origin, path and query, sent as they stand. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a GET. */
  readonly body: Uint8Array;
}

export type WireOutcome =
  | {
      readonly kind: 'reply';
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** The whole body, decompressed. */
      readonly body: Uint8Array;
    }
  /** `bytesWritten`: of this request; null where the transport cannot tell, which counts as "some". */
  | { readonly kind: 'failed'; readonly cause: string; readonly bytesWritten: number | null };

/**
 * Sends one request, once. `done` is called exactly once and never within the call, also after a cancel, which ends the waiting and not
 * the request: what it brings is `failed` with the bytes written so far. Time limits are the caller's, on its Scheduler.
 */
export type Wire = (request: WireRequest, done: (outcome: WireOutcome) => void) => () => void;
