// The last line of defence: what the exchange does about an error of its own.

/** An error inside the exchange that no request may cause, and a request caused all the same. */
export interface InternalError {
  /** The operation, or `time` where it happened while time passed. */
  readonly where: string;
  readonly cause: unknown;
  /** Why the books may be wrong; null: they agree, and the exchange goes on. */
  readonly doubt: string | null;
}

export const messageOf = (error: unknown): string => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));
