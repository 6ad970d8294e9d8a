// Assertions that stay on in production: a broken invariant is our bug, never the user's.

import { InvariantError } from './errors.ts';

/**
 * Throws InvariantError when `condition` is false. `what` names the broken invariant and the values in it. Not for the hot path where
 * `what` is a template: its text is built on every call, which costs more than an order; there it is `if (!condition) throw`.
 */
export function assert(trigger: boolean, what: string): asserts trigger {
  if (!trigger) throw new InvariantError(what);
}

/** The end of a `switch` over a union: the compiler proves that it is never reached. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${String(value)}`);
}
