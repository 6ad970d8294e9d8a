// Keeps a secret in memory. Printing, copying or serialising it gives [redacted]. The signer reads its text once.

import { InvariantError } from '../errors.ts';

/** Stands for a secret wherever it is printed. */
export const REDACTED = '[redacted]';

/** A secret text. Only code that signs, or checks signatures, calls `take`. Afterwards the object is empty. */
export class Secret {
  #text: string | null;
  /** The only property that a copy has, such as a spread, a structured clone or a log of the object's properties. */
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

  /** Returns [redacted], so that a template text or a concatenation does not show the secret. */
  toString(): string {
    return REDACTED;
  }

  /** Returns [redacted], so that JSON does not show the secret. */
  toJSON(): string {
    return REDACTED;
  }

  /** Returns [redacted] for every conversion to a primitive value. */
  [Symbol.toPrimitive](): string {
    return REDACTED;
  }

  /** Returns the text for Node's console and util.inspect. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED;
  }
}
