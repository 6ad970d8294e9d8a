// Checks that a file or folder belongs to the user who runs isobar and that no other user can access it.

import { ConfigError } from '../../base/errors.ts';
import { shellWord } from '../../base/text/shellWord.ts';

const MODE_OF_OTHERS = 0o077;

/** Throws ConfigError if another user owns the file or can access it. `expectedMode`: the widest allowed mode, for the message. */
export function checkOwner(path: string, { uid, mode }: { readonly uid: number; readonly mode: number }, expectedMode: number): void {
  // Windows has neither owners nor modes of this kind.
  const user = process.getuid?.();
  if (user === undefined) return;
  if (uid !== user) {
    throw new ConfigError(
      `${path}: expected one of the user who runs isobar (${user}), got one of user ${uid}`,
      'run isobar as the user to whom it belongs',
    );
  }
  if ((mode & MODE_OF_OTHERS) === 0) return;
  const [expectedText, actualText] = [expectedMode, mode & 0o777].map((bits) => bits.toString(8).padStart(4, '0'));
  throw new ConfigError(
    `${path}: expected mode ${expectedText} or tighter, got ${actualText}: others can reach it`,
    `find out who has changed it; then chmod ${expectedText} ${shellWord(path)}`,
  );
}
