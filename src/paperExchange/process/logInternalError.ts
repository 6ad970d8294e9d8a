// Logs internal errors of the paper exchange for the operator.

import type { InternalError } from '../internalError.ts';

/** Number of errors logged with their stack. Beyond it, as a hostile client may cause, one error in 1000 is logged. */
const MAX_LOGGED_IN_FULL = 20;
const LOG_EVERY = 1000;

let errorCount = 0;

/** Writes an error and its cause to stderr. Of the request it writes only the operation. */
export function logInternalError({ where, cause, doubt }: InternalError): void {
  errorCount++;
  if (errorCount > MAX_LOGGED_IN_FULL && errorCount % LOG_EVERY !== 0 && doubt === null) return;
  const stack = cause instanceof Error ? (cause.stack ?? `${cause.name}: ${cause.message}`) : String(cause);
  const consequence = doubt === null ? 'answered -1000; the books agree, and the exchange continues' : `the books are in doubt: ${doubt}`;
  process.stderr.write(`internal error ${errorCount} at ${where}: ${stack}\n  ${consequence}\n`);
}
