// Declares the parts that the documented replies of both markets share.

/** A documented reply, and what it means. */
export interface DocumentedAnswer {
  /** Name of the form, as a section of the specification has it. */
  readonly shape: string;
  readonly body: string;
  /** The meaning of the reply as the client returns it. Times are plain numbers. */
  readonly means: unknown;
}

/** Returns a documented reply: the name of its form, its body, and the value that it means. */
export const answer = (shape: string, body: string, means: unknown): DocumentedAnswer => ({ shape, body, means });
/** Returns a list whose rows could all be read. */
export const list = (...rows: readonly unknown[]) => ({ rows, refused: [] });
/** Returns an enumerated value as the client reads it: our word, and the text of the wire. */
export const reading = (word: string, raw = word) => ({ word, raw });
/** The reply to a query of an order that the service does not know. */
export const NO_ORDER = '{"code":"0","msg":"Success","data":null}';

/** Returns a bar with prices around one price. */
export const bar = (openMs: number, close: string) => ({ openMs, open: '1', high: '2', low: '0.5', close, volume: '3' });
