// A secret in memory: printing, copying or serialising it gives [redacted]. The signer reads its text once.

import { InvariantError } from '../errors.ts';

export const REDACTED = '[redacted]';

/** Text that must not be shown. Only code that signs, or checks signatures, calls `take`. Afterwards the object is empty. */
export class Secret {
  #text: string | null;
  /** The only property that a copy has: a spread, a structured clone, a logger that walks objects. */
  readonly value = REDACTED;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the text, once. Throws InvariantError when it was taken before. */
  take(): string {
    const text = this.#text;
    if (text === null) throw new InvariantError('a secret was taken twice');
    this.#text = null;
    return text;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  /** What Node's console and util.inspect show. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED;
  }
}
