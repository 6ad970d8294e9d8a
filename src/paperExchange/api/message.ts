// The requests and responses of the exchange. A request is kept byte for byte as it was received.

/** A request as the HTTP server received it. Nothing is decoded, because signatures cover exactly these bytes. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query, exactly as on the request line. */
  readonly target: string;
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** Address of the sender. */
  readonly ip: string;
}

/** A response as the HTTP server writes it. */
export interface ServiceResponse {
  readonly status: number;
  /** Headers in addition to Content-Type and Content-Length, which the HTTP server sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** A handler's reply: the JSON text of a success, or the error code of a refusal (exchange dialect, 10.2). */
export type HandlerReply = { readonly body: string } | { readonly code: number };

/** Returns the reply of a call that succeeded. `body`: JSON text. */
export const succeeded = (body: string): HandlerReply => ({ body });
/** Returns the reply of a call that was refused with an error code. */
export const refused = (code: number): HandlerReply => ({ code });
