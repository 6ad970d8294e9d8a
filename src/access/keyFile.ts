// Reads a credential from a file that only its owner can read and that git does not track.

import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import { Secret } from '../base/text/secret.ts';
import { shellWord } from '../base/text/shellWord.ts';
import { isTracked } from './gitIndex.ts';
import { redactedPath } from './keyLike.ts';

/** Maximum size of a key file. A larger file was named by mistake. */
const MAX_BYTES = 1024;
/** The permissions of all users but the owner, in the mode of a file. */
const MODE_BITS_OF_OTHERS = 0o077;

/**
 * Returns the content of a key file, which is one line. Messages name the option, variable or key `namedBy` that names the file, and never
 * show the content. Throws ConfigError for a symbolic link, a file that git tracks, a file that another user can access, and content other
 * than one line.
 */
export function readKeyFile(path: string, namedBy: string): Secret {
  const descriptor = openKeyFile(path, namedBy);
  const place = `${namedBy} ${path}`;
  try {
    checkFile(fstatSync(descriptor), path, place);
    if (isTracked(join(realpathSync(dirname(path)), basename(path)))) {
      throw new ConfigError(
        `${place}: expected a file outside of version control, got one that git tracks`,
        'keys that are in a repository are known to all who have it: revoke this one, and keep the next outside of the repository',
      );
    }
    return new Secret(readOnlyLine(descriptor, place));
  } finally {
    closeSync(descriptor);
  }
}

/** Opens the file. Does not follow a link, and does not wait for the other end of a pipe. */
function openKeyFile(path: string, namedBy: string): number {
  const place = `${namedBy} ${redactedPath(path)}`;
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ELOOP' || code === 'EMLINK') {
      throw new ConfigError(`${place}: expected a file, got a symbolic link`, 'name the file that it points to');
    }
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new ConfigError(`${place}: no such file`, 'write the key into that file, one line and nothing else, and chmod 600 it');
    }
    throw new ConfigError(`${place}: cannot be read (${code})`, 'the file has to belong to the user who runs isobar');
  }
}

/** Throws ConfigError unless `stats` are those of a regular file that only the current user can access. */
function checkFile(stats: Stats, path: string, place: string): void {
  if (!stats.isFile()) throw new ConfigError(`${place}: expected a file, got something else`, 'name a file with one line');
  // On Windows, files have no such owner and mode.
  const user = process.getuid?.();
  if (user === undefined) return;
  if (stats.uid !== user) {
    throw new ConfigError(
      `${place}: expected a file of the user who runs isobar (${user}), got one of user ${stats.uid}`,
      'make a copy that belongs to the user who runs isobar',
    );
  }
  if ((stats.mode & MODE_BITS_OF_OTHERS) !== 0) {
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
    throw new ConfigError(`${place}: expected mode 0600 or tighter, got ${mode}: others can reach it`, `chmod 600 ${shellWord(path)}`);
  }
}

/** Returns the only line of the file. Overwrites the buffer afterwards, because it contains the key. */
function readOnlyLine(descriptor: number, place: string): string {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  try {
    const size = readSync(descriptor, bytes, 0, bytes.length, 0);
    const text = bytes.toString('utf8', 0, size).trim();
    if (size <= MAX_BYTES && text !== '' && !/[\r\n]/.test(text)) return text;
    const smallContent = text === '' ? 'nothing' : 'several lines';
    const content = size > MAX_BYTES ? `more than ${MAX_BYTES} bytes` : smallContent;
    throw new ConfigError(`${place}: expected one line, got ${content}`, 'the file holds the key, or the secret, and nothing else');
  } finally {
    bytes.fill(0);
  }
}
