// Recognises keys where none belong, by their looks or by the name they were given: in messages, in arguments, in configuration.

import { ConfigError } from '../base/errors.ts';
import { REDACTED } from '../base/text/secret.ts';

/** Twenty characters with a digit and without a blank, a dot or a slash: no word that a person would miss in a message. */
const WORD = /[A-Za-z0-9+=_-]{20,}/g;
/** A whole text with digits among the letters, slashes too, as base64 has them. */
const WHOLE = /^(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9+/=_-]{20,}$/;

/** Text that a person gave, without what may be a key that stands in the wrong place. */
export const withoutKeys = (text: string): string => text.replace(WORD, (word) => (/\d/.test(word) ? REDACTED : word));

/** A path at which nothing is, which may be a key in place of one. */
export const redactedPath = (path: string): string => (WHOLE.test(path) ? REDACTED : path);

/** How people call keys and secrets; what names a file of one (`keyFile`) is none. */
const KINDS = '(key|secret|token|password|passphrase|credentials?)';
const PLAIN = new RegExp(`^${KINDS}+$`);
const FULL = new RegExp(`^(isobar)?(api|access|private|secret|sign|signing)${KINDS}+$`);
const letters = (name: string): string => name.replace(/[^A-Za-z]/g, '').toLowerCase();

/** True for names such as `apiKey`, `api-secret` and `ISOBAR_API_KEY`, and for `key` and `secret` alone. */
export const namesKey = (name: string): boolean => FULL.test(letters(name)) || PLAIN.test(letters(name));

export const KEY_REMEDY =
  'set ISOBAR_API_KEY and ISOBAR_API_SECRET, or put each into a file of mode 0600 and name it: ISOBAR_API_KEY_FILE, keyFile';

/** Throws ConfigError for a key on a command line: every program on this computer can read it there, and the shell remembers it. */
export function refuseKeysInArguments(argv: readonly string[]): void {
  for (const word of argv) {
    const [, dashes = '', name = '', is = ''] = /^(-{0,2})([A-Za-z][\w-]*)(=?)/.exec(word) ?? [];
    // Without dashes it may be a parameter of a strategy, which may well be called key.
    const isKey = dashes === '' ? is === '=' && FULL.test(letters(name)) : namesKey(name);
    if (!isKey) continue;
    throw new ConfigError(`${dashes}${name}: a key is not taken from the command line, where other programs can read it`, KEY_REMEDY);
  }
}
