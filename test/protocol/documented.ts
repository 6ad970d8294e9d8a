// Declares the parts that the documented replies of both markets share.

export interface DocumentedAnswer {
  /** The section of the document. */
  readonly shape: string;
  readonly body: string;
  /** The expected value; times are plain numbers. */
  readonly means: unknown;
}

export const answer = (shape: string, body: string, means: unknown): DocumentedAnswer => ({ shape, body, means });
/** A list whose rows could all be read. */
export const list = (...rows: readonly unknown[]) => ({ rows, refused: [] });
export const reading = (word: string, raw = word) => ({ word, raw });
/** The reply to a query of an order that the service does not know. */
export const NO_ORDER = '{"code":"0","msg":"Success","data":null}';
/** A bar with prices from a little below to a little above one price. */
export const bar = (openMs: number, close: string) => ({ openMs, open: '1', high: '2', low: '0.5', close, volume: '3' });
