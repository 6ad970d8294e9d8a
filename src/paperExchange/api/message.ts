// What goes in and out of the exchange: a request as it was received, byte for byte, and the answer to it.

/** A request as the door received it. Nothing of it is decoded: signatures are over these very bytes. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query, as they stood on the request line. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
  /** Address of the sender. */
  readonly ip: string;
}

export interface ServiceResponse {
  readonly status: number;
  /** Beside Content-Type and Content-Length, which the door sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
}

/** What a handler answers: the JSON text of a success, or the code of a refusal (exchange dialect, 10.2). */
export type HandlerReply = { readonly body: string } | { readonly code: number };

export const done = (body: string): HandlerReply => ({ body });
export const refused = (code: number): HandlerReply => ({ code });
