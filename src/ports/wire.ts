// Port for HTTP requests. An HTTP client implements it, and so does a simulated network.

/** An HTTP request, complete with its headers. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Origin, path and query. They are sent unchanged. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a GET. */
  readonly body: Uint8Array;
  /** True for a read without a key. It may use a connection that was idle for long, because it can be sent again. */
  readonly isPublic?: boolean;
}

/** What became of an HTTP request. */
export type WireOutcome =
  | {
      readonly kind: 'reply';
      readonly status: number;
      /** Headers by their names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** The whole body, decompressed. */
      readonly body: Uint8Array;
    }
  /** `bytesWritten`: bytes of this request; null if the transport does not know, which counts as at least one. */
  | { readonly kind: 'failed'; readonly cause: string; readonly bytesWritten: number | null };

/**
 * Sends one request, once. `done` is called exactly once, and never within the call. Returns a function that cancels: it ends the wait, not
 * the request, and calls `done` with `failed` and the bytes already written. The caller sets time limits.
 */
export type Wire = (request: WireRequest, done: (outcome: WireOutcome) => void) => () => void;
