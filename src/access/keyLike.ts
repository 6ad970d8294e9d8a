// Detects keys in messages, arguments and configuration, by their form or their name.

import { ConfigError } from '../base/errors.ts';
import { REDACTED } from '../base/text/secret.ts';

/**
 * A word of at least 20 characters without a blank, dot or slash. If it has a digit, it may be a key. Messages rarely need such words.
 */
const LONG_WORD = /[A-Za-z0-9+=_-]{20,}/g;
/** A text that may be a key. It has letters and digits, and may have slashes, as base64 does. */
const KEY_TEXT = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/=_-]{20,}$/;

/** Returns the text of a user with every word masked that may be a key. */
export const withoutKeys = (text: string): string => text.replace(LONG_WORD, (word) => (/\d/.test(word) ? REDACTED : word));

/** Returns a path for a message, masked if it looks like a key. A user can have given a key in place of a path. */
export const redactedPath = (path: string): string => (KEY_TEXT.test(path) ? REDACTED : path);

/** Usual names of keys and secrets. `keyFile` does not match, because it names a file. */
const KEY_WORDS = '(key|secret|token|password|passphrase|credentials?)';
/** Names such as `key`, which are often no credentials. */
const SHORT_NAME = new RegExp(`^${KEY_WORDS}+$`);
/** Names such as `apiKey`, which always mean a credential. */
const FULL_NAME = new RegExp(`^(isobar)?(api|access|private|secret|sign|signing)${KEY_WORDS}+$`);

/** Returns the letters of a name in lower case. */
const lettersOf = (name: string): string => name.replace(/[^A-Za-z]/g, '').toLowerCase();

/** True for names such as `apiKey`, `api-secret` and `ISOBAR_API_KEY`, and for `key` and `secret` alone. */
export const namesKey = (name: string): boolean => FULL_NAME.test(lettersOf(name)) || SHORT_NAME.test(lettersOf(name));

/** The remedy of every error about a key in the wrong place. */
export const KEY_REMEDY =
  'set ISOBAR_API_KEY and ISOBAR_API_SECRET, or put each into a file of mode 0600 and name it: ISOBAR_API_KEY_FILE, keyFile';

/** Throws ConfigError for a key on a command line. Every program on this computer can read a command line, and shells store it. */
export function refuseKeysInArguments(argv: readonly string[]): void {
  for (const argument of argv) {
    const [, dashes = '', name = '', equals = ''] = /^(-{0,2})([A-Za-z][\w-]*)(=?)/.exec(argument) ?? [];
    // A word without dashes can set a strategy parameter, and `key` can be the name of a parameter.
    const isKey = dashes === '' ? equals === '=' && FULL_NAME.test(lettersOf(name)) : namesKey(name);
    if (!isKey) continue;
    throw new ConfigError(`${dashes}${name}: a key is not taken from the command line, where other programs can read it`, KEY_REMEDY);
  }
}
