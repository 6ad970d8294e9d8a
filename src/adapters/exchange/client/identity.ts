// Whose account an answer is about: the first one that it names, and no other.

import { sanitizeText } from '../../../base/text/untrustedText.ts';

export class AccountIdentity {
  readonly #of: string;
  readonly #wrong: (what: string) => void;
  #known: string | null = null;

  /** `of`: the endpoint, for messages. `wrong` is told of an answer about another account. */
  constructor(of: string, wrong: (what: string) => void) {
    this.#of = of;
    this.#wrong = wrong;
  }

  /** False where one of the ids is another account's: then nothing of the answer counts. An answer that names none is believed. */
  isOurs(ids: Iterable<string | null>): boolean {
    for (const id of ids) {
      if (id === null || id === '' || id === '0') continue;
      this.#known ??= id;
      if (id === this.#known) continue;
      this.#wrong(`${this.#of}: an answer about account ${sanitizeText(id, 40)} instead of ${sanitizeText(this.#known, 40)} is left out`);
      return false;
    }
    return true;
  }
}
