// Detects keys in the wrong place, by their form or by their name: in messages, arguments and configuration.

import { ConfigError } from '../base/errors.ts';
import { REDACTED } from '../base/text/secret.ts';

/**
 * At least 20 characters with neither blank, dot nor slash. With a digit among them, the text may be a key; such text is rarely a word that
 * a message needs.
 */
const WORD = /[A-Za-z0-9+=_-]{20,}/g;
/** A complete text with letters and digits. Slashes are allowed, because base64 has them. */
const WHOLE = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/=_-]{20,}$/;

/** Returns text from a user without anything that may be a key in the wrong place. */
export const withoutKeys = (text: string): string => text.replace(WORD, (word) => (/\d/.test(word) ? REDACTED : word));

/** Returns a path for a message. A path that does not exist may be a key, so it is masked if it looks like one. */
export const redactedPath = (path: string): string => (WHOLE.test(path) ? REDACTED : path);

/** Usual names of keys and secrets. A name for a key file (`keyFile`) is not among them. */
const KINDS = '(key|secret|token|password|passphrase|credentials?)';
const PLAIN = new RegExp(`^${KINDS}+$`);
const FULL = new RegExp(`^(isobar)?(api|access|private|secret|sign|signing)${KINDS}+$`);
const letters = (name: string): string => name.replace(/[^A-Za-z]/g, '').toLowerCase();

/** True for names such as `apiKey`, `api-secret` and `ISOBAR_API_KEY`, and for `key` and `secret` alone. */
export const namesKey = (name: string): boolean => FULL.test(letters(name)) || PLAIN.test(letters(name));

export const KEY_REMEDY =
  'set ISOBAR_API_KEY and ISOBAR_API_SECRET, or put each into a file of mode 0600 and name it: ISOBAR_API_KEY_FILE, keyFile';

/** Throws ConfigError for a key on a command line, where every program on this computer can read it and the shell stores it. */
export function refuseKeysInArguments(argv: readonly string[]): void {
  for (const word of argv) {
    const [, dashes = '', name = '', is = ''] = /^(-{0,2})([A-Za-z][\w-]*)(=?)/.exec(word) ?? [];
    // Without dashes it may be a strategy parameter, which may be called key.
    const isKey = dashes === '' ? is === '=' && FULL.test(letters(name)) : namesKey(name);
    if (!isKey) continue;
    throw new ConfigError(`${dashes}${name}: a key is not taken from the command line, where other programs can read it`, KEY_REMEDY);
  }
}
