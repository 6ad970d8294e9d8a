// Signs requests. Turns the text of the secret into a key object, which cannot be printed.

import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { ConfigError } from '../base/errors.ts';
import { REDACTED, type Secret } from '../base/text/secret.ts';
import type { Credentials } from '../protocol/request.ts';
import type { Sign } from '../protocol/sign.ts';
import { CredentialScanner } from './credentialScanner.ts';

/** Characters that a header allows and that need no escape in JSON. */
const CREDENTIAL_PATTERN = /^[!#-[\]-~]{8,256}$/;

/** Signs requests without revealing the credentials. A printed or copied signer shows at most four characters of the key. */
export class Signer implements Credentials {
  readonly #apiKey: string;
  readonly #scanner: CredentialScanner;
  readonly sign: Sign;

  /** Consumes both secrets. Throws ConfigError for text that cannot be a key or a secret. */
  constructor(apiKey: Secret, secret: Secret) {
    this.#apiKey = checkedCredential('the API key', apiKey.take());
    const text = checkedCredential('the API secret', secret.take());
    const key: KeyObject = createSecretKey(Buffer.from(text));
    const digest = (message: Uint8Array) => createHmac('sha256', key).update(message).digest('hex');
    this.sign = digest;
    this.#scanner = new CredentialScanner([this.#apiKey, text], digest);
  }

  get apiKey(): string {
    return this.#apiKey;
  }

  /** Returns the beginning of the key, to distinguish keys: at most four characters, and at most a quarter of the key. */
  get hint(): string {
    return `${this.#apiKey.slice(0, Math.min(4, this.#apiKey.length / 4))}...`;
  }

  /** Returns untrusted text with key and secret masked. A service can have repeated them in its reply. */
  maskText(text: string): string {
    return this.#scanner.maskText(text);
  }

  /** Returns untrusted bytes with key and secret masked. The length does not change. */
  maskBytes(bytes: Uint8Array): Uint8Array {
    return this.#scanner.maskBytes(bytes);
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

/** Returns the text of a credential. Throws ConfigError for a text that a key or secret cannot have. */
function checkedCredential(name: string, text: string): string {
  if (CREDENTIAL_PATTERN.test(text)) return text;
  throw new ConfigError(
    `${name}: expected 8 to 256 printable characters without blanks, quotes and backslashes, got ${text.length} that are not`,
    'copy it again from where the exchange shows it: one line, nothing around it',
  );
}
