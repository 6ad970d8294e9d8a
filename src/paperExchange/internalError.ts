// Internal errors of the exchange, and whether it may continue after one.

/** An internal error: a request triggered it, although no request should be able to. */
export interface InternalError {
  /** The operation, or `time` if it happened while time advanced. */
  readonly where: string;
  readonly cause: unknown;
  /** The disagreement that the audit found in the books. Null: they agree, and the exchange continues. */
  readonly doubt: string | null;
}

/** Returns the name and message of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));
