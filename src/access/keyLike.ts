// Detects keys in the wrong place, by their form or their name: in messages, arguments and configuration.

import { ConfigError } from '../base/errors.ts';
import { REDACTED } from '../base/text/secret.ts';

/**
 * A word of at least 20 characters without a blank, dot or slash. If it has a digit, it may be a key. A message hardly ever needs such a
 * word.
 */
const LONG_WORD = /[A-Za-z0-9+=_-]{20,}/g;
/** A whole text that may be a key: it has letters and digits, and may have slashes, as base64 does. */
const KEY_TEXT = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/=_-]{20,}$/;

/** Returns a user's text with all words masked that may be a key. */
export const withoutKeys = (text: string): string => text.replace(LONG_WORD, (word) => (/\d/.test(word) ? REDACTED : word));

/** Returns a path for a message. A path that does not exist may be a key, so it is masked if it looks like one. */
export const redactedPath = (path: string): string => (KEY_TEXT.test(path) ? REDACTED : path);

/** Usual names of keys and secrets. `keyFile` does not match, because it names a file. */
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
    const [, dashes = '', name = '', equals = ''] = /^(-{0,2})([A-Za-z][\w-]*)(=?)/.exec(word) ?? [];
    // A word without dashes may set a strategy parameter, whose name may be key.
    const isKey = dashes === '' ? equals === '=' && FULL.test(letters(name)) : namesKey(name);
    if (!isKey) continue;
    throw new ConfigError(`${dashes}${name}: a key is not taken from the command line, where other programs can read it`, KEY_REMEDY);
  }
}
