// Checks that all replies are about one account. The first reply with an account id decides which.

import { sanitizeText } from '../../../base/text/untrustedText.ts';

/** The account id that the replies of one endpoint have shown. */
export class AccountIdentity {
  readonly #endpoint: string;
  readonly #onOtherAccount: (difference: string) => void;
  #accountId: string | null = null;

  /** `endpoint`: its name, for messages. `onOtherAccount` is called for a reply about another account. */
  constructor(endpoint: string, onOtherAccount: (difference: string) => void) {
    this.#endpoint = endpoint;
    this.#onOtherAccount = onOtherAccount;
  }

  /** Returns false if an id belongs to another account; then the whole reply must be ignored. A reply without ids is accepted. */
  isOurs(ids: Iterable<string | null>): boolean {
    for (const id of ids) {
      if (id === null || id === '' || id === '0') continue;
      this.#accountId ??= id;
      if (id === this.#accountId) continue;
      this.#onOtherAccount(
        `${this.#endpoint}: an answer about account ${sanitizeText(id, 40)} instead of ${sanitizeText(this.#accountId, 40)} is left out`,
      );
      return false;
    }
    return true;
  }
}
