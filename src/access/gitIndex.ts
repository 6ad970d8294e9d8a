// Checks whether git tracks a file, by reading the repository's index. It runs no git command, because repository settings can run
// programs.

import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ConfigError } from '../base/errors.ts';

const NUL = 0;
/** Bytes of an index entry before its object name. */
const ENTRY_HEAD = 40;
/** The bit of an entry's flags that marks two more bytes of flags. */
const EXTENDED = 0x4000;

/** True when the index of a repository around `path` contains it. `path` must be absolute and without links. */
export function isTracked(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const repository = join(folder, '.git');
    if (existsSync(repository) && isInIndex(gitFolder(repository), relative(folder, path).split(sep).join('/'))) return true;
    if (folder === dirname(folder)) return false;
  }
}

/** Returns the git folder: `.git` itself, or the folder that a `.git` file names, as in a worktree or a submodule. */
function gitFolder(repository: string): string {
  if (lstatSync(repository).isDirectory()) return repository;
  const [, target] = /^gitdir: (.+?)\s*$/m.exec(readFileSync(repository, 'utf8')) ?? [];
  return target === undefined ? repository : resolve(dirname(repository), target);
}

function isInIndex(git: string, name: string): boolean {
  return [join(git, 'index'), ...sharedIndexes(git)].some((file) => existsSync(file) && namesIn(file, hashBytes(git)).has(name));
}

/** Returns the path of the shared index, which a split index names at its end, in a list; an empty list without one. */
function sharedIndexes(git: string): readonly string[] {
  const index = join(git, 'index');
  const bytes = existsSync(index) ? readFileSync(index) : Buffer.alloc(0);
  const link = bytes.lastIndexOf('link');
  const hash = hashBytes(git);
  if (link < 0) return [];
  return [join(git, `sharedindex.${bytes.toString('hex', link + 8, link + 8 + hash)}`)];
}

/** Returns the number of bytes of the repository's hashes. */
function hashBytes(git: string): number {
  const common = join(git, 'commondir');
  const config = join(existsSync(common) ? resolve(git, readFileSync(common, 'utf8').trim()) : git, 'config');
  return existsSync(config) && /^\s*objectformat\s*=\s*sha256/im.test(readFileSync(config, 'utf8')) ? 32 : 20;
}

/** Returns the paths in an index (gitformat-index, versions 2 to 4). */
function namesIn(file: string, hash: number): ReadonlySet<string> {
  const bytes = readFileSync(file);
  const version = bytes.length >= 12 && bytes.toString('latin1', 0, 4) === 'DIRC' ? bytes.readUInt32BE(4) : 0;
  if (version < 2 || version > 4) {
    throw new ConfigError(`${file}: expected an index of git, version 2 to 4`, 'keep keys in a folder that is in no repository');
  }
  const names = new Set<string>();
  let previous = Buffer.alloc(0);
  let entry = 12;
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flags = bytes.readUInt16BE(entry + ENTRY_HEAD + hash);
    let start = entry + ENTRY_HEAD + hash + 2 + ((flags & EXTENDED) === 0 ? 0 : 2);
    let kept = 0;
    if (version === 4) {
      const dropped = offsetAt(bytes, start);
      start = dropped.next;
      kept = previous.length - dropped.value;
    }
    const end = bytes.indexOf(NUL, start);
    previous = Buffer.concat([previous.subarray(0, kept), bytes.subarray(start, end)]);
    names.add(previous.toString());
    // Entries are padded to eight bytes, except in version 4.
    entry = version === 4 ? end + 1 : entry + (Math.floor((end - entry) / 8) + 1) * 8;
  }
  return names;
}

/** Reads a number in groups of seven bits. It is the number of characters that an entry cuts off the end of the previous name. */
function offsetAt(bytes: Buffer, start: number): { readonly value: number; readonly next: number } {
  let next = start;
  let byte = bytes.readUInt8(next++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(next++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next };
}
