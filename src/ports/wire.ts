// Port for HTTP requests: a real HTTP client implements it, or a simulated network.

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute: origin, path and query, sent unchanged. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a GET. */
  readonly body: Uint8Array;
  /** True for a read without a key: its connection may have been idle for long, because it may be sent again if it meets a closing one. */
  readonly isPublic?: boolean;
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
  /** `bytesWritten`: bytes of this request; null if the transport does not know, which counts as at least one. */
  | { readonly kind: 'failed'; readonly cause: string; readonly bytesWritten: number | null };

/**
 * Sends one request, once. `done` is called exactly once and never within the call. A cancel also calls it: it ends the wait and not the
 * request, and gives `failed` with the bytes written until then. The caller sets time limits, on its Scheduler.
 */
export type Wire = (request: WireRequest, done: (outcome: WireOutcome) => void) => () => void;
