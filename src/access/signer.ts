// The one place where a secret is unwrapped: it becomes a key object that signs, and its text is gone.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '../base/errors.ts';
import { REDACTED, type Secret } from '../base/text/secret.ts';
import type { Credentials } from '../protocol/request.ts';
import type { Sign } from '../protocol/sign.ts';
import { CredentialScanner } from './credentialScanner.ts';

/** What a header can carry and JSON need not escape. */
const USABLE = /^[!#-[\]-~]{8,256}$/;

/** Signs, and says nothing of itself: what prints or copies it gets four characters of the key at most. */
export class Signer implements Credentials {
  readonly #apiKey: string;
  readonly #echoes: CredentialScanner;
  readonly sign: Sign;

  /** Takes both secrets. Throws ConfigError for text that cannot be a key or a secret. */
  constructor(apiKey: Secret, secret: Secret) {
    this.#apiKey = usable('the API key', apiKey.take());
    const text = usable('the API secret', secret.take());
    const key: KeyObject = createSecretKey(Buffer.from(text));
    const digest = (message: Uint8Array) => createHmac('sha256', key).update(message).digest('hex');
    this.sign = digest;
    this.#echoes = new CredentialScanner([this.#apiKey, text], digest);
  }

  get apiKey(): string {
    return this.#apiKey;
  }

  /** Enough to tell keys apart, no more than a quarter of one. */
  get hint(): string {
    return `${this.#apiKey.slice(0, Math.min(4, this.#apiKey.length / 4))}...`;
  }

  /** Text of strangers without key and secret, should they have sent them back. */
  hideIn(text: string): string {
    return this.#echoes.hideIn(text);
  }

  /** The same for bytes; what is hidden has as many bytes as it had. */
  hide(bytes: Uint8Array): Uint8Array {
    return this.#echoes.hide(bytes);
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): { readonly apiKey: string; readonly secret: string } {
    return { apiKey: this.hint, secret: REDACTED };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `Signer(${this.hint})`;
  }
}

function usable(what: string, text: string): string {
  if (USABLE.test(text)) return text;
  throw new ConfigError(
    `${what}: expected 8 to 256 printable characters without blanks, quotes and backslashes, got ${text.length} that are not`,
    'copy it anew from where the exchange shows it: one line, nothing around it',
  );
}
