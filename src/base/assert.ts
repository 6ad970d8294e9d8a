// Assertions, which stay on in production. A broken invariant is a bug of isobar, never a fault of the user.

import { InvariantError } from './errors.ts';

/**
 * Throws InvariantError when `isTrue` is false. `invariant`: the broken invariant, with its values. In the hot path, do not pass a
 * template, because its text is built on every call. Write `if (...) throw` there.
 */
export function assert(isTrue: boolean, invariant: string): asserts isTrue {
  if (!isTrue) throw new InvariantError(invariant);
}

/** Ends a `switch` over a union. The compiler proves that this call is never reached. */
export function assertNever(value: never): never {
  throw new InvariantError(`unexpected value ${String(value)}`);
}
