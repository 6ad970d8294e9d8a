// Writes bundled strategies before they are imported, into a folder that no other user can write to.

import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { threadId } from 'node:worker_threads';

/**
 * Writes `code` under a name made of `hash` and the hash of the code itself, and returns its path. `hash` alone is not enough: two
 * installations share the temporary folder, and each code contains the address of its own framework. Also, a changed comment moves the
 * lines of the source map.
 */
export function writeModule(hash: string, code: string): string {
  const name = `${hash.slice(0, 32)}-${createHash('sha256').update(code).digest('hex').slice(0, 12)}.mjs`;
  const folder = ownFolder();
  return writeOnce(join(folder, name), () => code);
}

/** Words in a path by which code may try to distinguish a test from a real run. */
const TEST_WORDS = 'live-prod-production/prove-proof-sample-backtest-test-dev';
/** Folders for copies, how their source maps name the folder of the author's files, and what is done with the digits of their names. */
const OTHER_PLACES = [
  { folder: `anotherplace/${TEST_WORDS}`, sources: `/otherfiles/${TEST_WORDS}`, turnDigit: (digit: number) => 15 - digit },
  { folder: 'x', sources: '/otherfiles-2', turnDigit: (digit: number) => (digit + 5) % 16 },
  { folder: 'far/from/home', sources: '/other/files/3', turnDigit: (digit: number) => (digit + 10) % 16 },
] as const;
const MAP = /(\/\/# sourceMappingURL=data:application\/json;base64,)([\w+/=]+)/;

/**
 * Writes a copy of a written module into another folder, under another name, with other folders in its stacks. Returns its path. Code whose
 * behaviour depends on its place behaves differently there. `index`: which folder, from 0.
 */
export function writeElsewhere(path: string, index: number): string {
  const otherPlace = OTHER_PLACES[index]!;
  const name = basename(path).replaceAll(/[\da-f](?=[\da-f-]*\.mjs$)/g, (digit) =>
    otherPlace.turnDigit(Number.parseInt(digit, 16)).toString(16),
  );
  const folder = join(dirname(path), otherPlace.folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return writeOnce(join(folder, name), () =>
    readFileSync(path, 'utf8').replace(MAP, (_, head: string, map: string) => head + moveSourceMap(map, otherPlace.sources)),
  );
}

/** Returns a source map, in base 64, that names another folder. */
function moveSourceMap(map: string, sources: string): string {
  const sourceMap = JSON.parse(Buffer.from(map, 'base64').toString()) as { readonly sourceRoot?: string };
  return Buffer.from(JSON.stringify({ ...sourceMap, sourceRoot: `${sources}${sourceMap.sourceRoot ?? ''}` })).toString('base64');
}

/** Returns the path of the author's file that a stack names. Paths of a copy in another folder are mapped back. */
export function sourceOf(path: string): string {
  const otherPlace = OTHER_PLACES.find(({ sources }) => path.startsWith(`${sources}/`));
  return otherPlace === undefined ? path : path.slice(otherPlace.sources.length);
}

/** Returns the path after the code is there. Existing code is not written again, because its name has its hash. */
function writeOnce(path: string, codeOf: () => string): string {
  if (existsSync(path)) return path;
  // Another run may write the same module now. Each writes its own file, and the last rename wins with equal bytes.
  const draft = `${path}.${process.pid}-${threadId}`;
  writeFileSync(draft, codeOf(), { mode: 0o600 });
  renameSync(draft, path);
  return path;
}

/** Returns `<tmp>/isobar-<user>`, or a new folder if another user has made that one. */
function ownFolder(): string {
  const user = userInfo();
  const folder = join(tmpdir(), `isobar-${user.uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stats = lstatSync(folder);
  const isOwn = user.uid < 0 || (stats.isDirectory() && stats.uid === user.uid && (stats.mode & 0o022) === 0);
  return isOwn ? folder : mkdtempSync(join(tmpdir(), 'isobar-'));
}
