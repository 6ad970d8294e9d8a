// Assertions that stay on in production: a broken invariant is a bug of isobar, never of the user.

import { InvariantError } from './errors.ts';

/**
 * Throws InvariantError when the condition is false. `what` names the broken invariant and the values in it. Not for the hot path when
 * `what` is a template: its text is built on every call, which costs more than an order. Use `if (!condition) throw` there.
 */
export function assert(trigger: boolean, what: string): asserts trigger {
  if (!trigger) throw new InvariantError(what);
}

/** Ends a `switch` over a union: the compiler proves that it is never reached. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${String(value)}`);
}
