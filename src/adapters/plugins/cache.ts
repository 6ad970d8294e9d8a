// Writes bundled strategies before they are imported, into a folder that no other user can write to.

import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/**
 * Writes `code` under a name made of `hash` and the hash of the code itself, and returns its path. `hash` alone is not enough: two
 * installations share the temporary folder, and each code contains the address of its own framework. Also, a changed comment moves the
 * lines of the source map.
 */
export function writeModule(hash: string, code: string): string {
  const name = `${hash.slice(0, 32)}-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.mjs`;
  const folder = ownFolder();
  const path = join(folder, name);
  if (existsSync(path)) return path;
  // Another run may write the same module now. Each writes its own file, and the last rename wins with equal bytes.
  const draft = `${path}.${process.pid}-${threadId}`;
  writeFileSync(draft, code, { mode: 0o600 });
  renameSync(draft, path);
  return path;
}

/** Returns `<tmp>/isobar-<user>`, or a new folder if another user has made that one. */
function ownFolder(): string {
  const user = userInfo();
  const folder = join(tmpdir(), `isobar-${user.uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isOwn = user.uid < 0 || (found.isDirectory() && found.uid === user.uid && (found.mode & 0o022) === 0);
  return isOwn ? folder : mkdtempSync(join(tmpdir(), 'isobar-'));
}
