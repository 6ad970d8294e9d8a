// A secret in memory: whatever prints, copies or serialises it gets [redacted]; its text is taken once, by the signer.

import { InvariantError } from '../errors.ts';

export const REDACTED = '[redacted]';

/** Text that must not be seen. Only who signs, or checks signatures, calls `take`, and from then on the object holds nothing. */
export class Secret {
  #text: string | null;
  /** The only property that a copy has: a spread, a structured clone, a logger that walks objects. */
  readonly value = REDACTED;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text, once. Throws InvariantError when it was taken before. */
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
