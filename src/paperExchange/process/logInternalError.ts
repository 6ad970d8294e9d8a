// What an operator reads of an error of the paper exchange itself.

import type { InternalError } from '../internalError.ts';

/** Errors that are written with their stack; of more, as a hostile client may cause, one line each thousand. */
const FULL = 20;
const EVERY = 1000;

let count = 0;

/** Writes an error and its cause to stderr. Nothing of the request is written but its operation. */
export function logInternalError({ where, cause, doubt }: InternalError): void {
  count++;
  if (count > FULL && count % EVERY !== 0 && doubt === null) return;
  const stack = cause instanceof Error ? (cause.stack ?? `${cause.name}: ${cause.message}`) : String(cause);
  const end = doubt === null ? 'answered -1000; the books agree, and the exchange goes on' : `the books are in doubt: ${doubt}`;
  process.stderr.write(`internal error ${count} at ${where}: ${stack}\n  ${end}\n`);
}
