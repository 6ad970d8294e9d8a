// Checks whether git tracks a file. Reads the index itself, because a git command runs programs that the repository configures.

import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ConfigError } from '../base/errors.ts';

const NUL = 0;
/** Number of bytes of an index entry before its object name. */
const ENTRY_HEAD = 40;
/** The signature of the extension that names the shared index. Its size, four bytes, stands between it and the hash. */
const LINK_EXTENSION = 'link';
/** The bit in the flags of an entry that says that two more bytes of flags follow. */
const EXTENDED = 0x4000;

/** True when a repository in any folder above `path` tracks it. `path` must be absolute and without links. */
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

/** True when the index of a repository, or the shared index of a split one, contains the path. */
function isInIndex(repositoryFolder: string, trackedPath: string): boolean {
  return [join(repositoryFolder, 'index'), ...sharedIndexes(repositoryFolder)].some(
    (file) => existsSync(file) && pathsIn(file, hashBytes(repositoryFolder)).has(trackedPath),
  );
}

/** Returns the path of the shared index, which a split index names at its end. Empty when the index is not split. */
function sharedIndexes(repositoryFolder: string): readonly string[] {
  const index = join(repositoryFolder, 'index');
  const bytes = existsSync(index) ? readFileSync(index) : Buffer.alloc(0);
  const link = bytes.lastIndexOf(LINK_EXTENSION);
  if (link < 0) return [];
  const hashStart = link + LINK_EXTENSION.length + 4;
  return [join(repositoryFolder, `sharedindex.${bytes.toString('hex', hashStart, hashStart + hashBytes(repositoryFolder))}`)];
}

/** Returns the length of the hashes of a repository in bytes. */
function hashBytes(repositoryFolder: string): number {
  const common = join(repositoryFolder, 'commondir');
  const config = join(existsSync(common) ? resolve(repositoryFolder, readFileSync(common, 'utf8').trim()) : repositoryFolder, 'config');
  return existsSync(config) && /^\s*objectformat\s*=\s*sha256/im.test(readFileSync(config, 'utf8')) ? 32 : 20;
}

/** Returns the paths in an index (gitformat-index, versions 2 to 4) whose hashes have `hashLength` bytes. */
function pathsIn(file: string, hashLength: number): ReadonlySet<string> {
  const bytes = readFileSync(file);
  const version = bytes.length >= 12 && bytes.toString('latin1', 0, 4) === 'DIRC' ? bytes.readUInt32BE(4) : 0;
  if (version < 2 || version > 4) {
    throw new ConfigError(`${file}: expected an index of git, version 2 to 4`, 'keep keys in a folder that is in no repository');
  }
  const paths = new Set<string>();
  let previous = Buffer.alloc(0);
  let entryStart = 12;
  for (let entriesLeft = bytes.readUInt32BE(8); entriesLeft > 0; entriesLeft--) {
    const flagsStart = entryStart + ENTRY_HEAD + hashLength;
    const flags = bytes.readUInt16BE(flagsStart);
    let nameStart = flagsStart + 2 + ((flags & EXTENDED) === 0 ? 0 : 2);
    let prefixLength = 0;
    // In version 4, an entry has only the end of its path. The beginning is that of the previous path.
    if (version === 4) {
      const removed = readVarint(bytes, nameStart);
      nameStart = removed.next;
      prefixLength = previous.length - removed.value;
    }
    const nameEnd = bytes.indexOf(NUL, nameStart);
    previous = Buffer.concat([previous.subarray(0, prefixLength), bytes.subarray(nameStart, nameEnd)]);
    paths.add(previous.toString());
    // Entries are padded to eight bytes, except in version 4.
    entryStart = version === 4 ? nameEnd + 1 : entryStart + (Math.floor((nameEnd - entryStart) / 8) + 1) * 8;
  }
  return paths;
}

/**
 * Returns a number of variable length, and the position after it: seven bits a byte, as in the offsets of git's pack files, where each further
 * byte adds one. It is the number of characters that an entry removes from the end of the previous path.
 */
function readVarint(bytes: Buffer, start: number): { readonly value: number; readonly next: number } {
  let next = start;
  let byte = bytes.readUInt8(next++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(next++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, next };
}
