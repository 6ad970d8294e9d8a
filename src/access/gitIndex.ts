// Checks whether git tracks a file. Reads the index itself, because a git command runs programs that the repository configures.

import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { ConfigError } from '../base/errors.ts';

const NUL = 0;
/** The first bytes of every index of git. */
const SIGNATURE = 'DIRC';
/** Length of the head of an index: signature, version and number of entries, four bytes each. */
const HEAD_BYTES = 12;
const VERSION_OFFSET = 4;
const ENTRY_COUNT_OFFSET = 8;
/** Number of bytes of an index entry before its object name. */
const ENTRY_HEAD_BYTES = 40;
/** The signature of the extension that names the shared index. Then follow the size of the extension and the hash of the shared index. */
const LINK_EXTENSION = 'link';
const EXTENSION_SIZE_BYTES = 4;
/** The bit in the flags of an entry that says that two more bytes of flags follow. */
const EXTENDED_FLAG = 0x4000;
/** Entries are padded to a multiple of this length, except in version 4. */
const ENTRY_ALIGNMENT_BYTES = 8;

/** True when a repository in any folder above `path` tracks it. `path` must be absolute and without links. */
export function isTracked(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const dotGit = join(folder, '.git');
    if (existsSync(dotGit) && isInIndex(gitFolderOf(dotGit), relative(folder, path).split(sep).join('/'))) return true;
    if (folder === dirname(folder)) return false;
  }
}

/** Returns the git folder: `.git` itself, or the folder that a `.git` file names, as in a worktree or a submodule. */
function gitFolderOf(dotGit: string): string {
  if (lstatSync(dotGit).isDirectory()) return dotGit;
  const [, target] = /^gitdir: (.+?)\s*$/m.exec(readFileSync(dotGit, 'utf8')) ?? [];
  return target === undefined ? dotGit : resolve(dirname(dotGit), target);
}

/** True when the index of a repository, or the shared index of a split one, contains the path. */
function isInIndex(gitFolder: string, path: string): boolean {
  return [join(gitFolder, 'index'), ...sharedIndexIn(gitFolder)].some(
    (indexPath) => existsSync(indexPath) && pathsIn(indexPath, hashLengthOf(gitFolder)).has(path),
  );
}

/**
 * Returns the paths at which the shared index may be, which a split index names in its extension `link`. Paths of the index and of its other
 * extensions may have this text, too; no file has the hash that is read after it. The list is empty if the index is not split.
 */
function sharedIndexIn(gitFolder: string): readonly string[] {
  const index = join(gitFolder, 'index');
  const bytes = existsSync(index) ? readFileSync(index) : Buffer.alloc(0);
  const hashLength = hashLengthOf(gitFolder);
  const paths: string[] = [];
  for (let start = bytes.indexOf(LINK_EXTENSION); start >= 0; start = bytes.indexOf(LINK_EXTENSION, start + 1)) {
    const hashStart = start + LINK_EXTENSION.length + EXTENSION_SIZE_BYTES;
    paths.push(join(gitFolder, `sharedindex.${bytes.toString('hex', hashStart, hashStart + hashLength)}`));
  }
  return paths;
}

/** Returns the length of the hashes of a repository in bytes. */
function hashLengthOf(gitFolder: string): number {
  const commonFolderFile = join(gitFolder, 'commondir');
  const commonFolder = existsSync(commonFolderFile) ? resolve(gitFolder, readFileSync(commonFolderFile, 'utf8').trim()) : gitFolder;
  const config = join(commonFolder, 'config');
  const usesSha256 = existsSync(config) && /^\s*objectformat\s*=\s*sha256/im.test(readFileSync(config, 'utf8'));
  return usesSha256 ? 32 : 20;
}

/** Returns the paths in an index (gitformat-index, versions 2 to 4) whose hashes have `hashBytes` bytes. */
function pathsIn(indexPath: string, hashBytes: number): ReadonlySet<string> {
  const bytes = readFileSync(indexPath);
  const isIndex = bytes.length >= HEAD_BYTES && bytes.toString('latin1', 0, SIGNATURE.length) === SIGNATURE;
  const version = isIndex ? bytes.readUInt32BE(VERSION_OFFSET) : 0;
  if (version < 2 || version > 4) {
    throw new ConfigError(`${indexPath}: expected an index of git, version 2 to 4`, 'keep keys in a folder that is in no repository');
  }
  const paths = new Set<string>();
  let previousPath = Buffer.alloc(0);
  let entryStart = HEAD_BYTES;
  for (let entriesLeft = bytes.readUInt32BE(ENTRY_COUNT_OFFSET); entriesLeft > 0; entriesLeft--) {
    const flagsStart = entryStart + ENTRY_HEAD_BYTES + hashBytes;
    const flags = bytes.readUInt16BE(flagsStart);
    const flagBytes = (flags & EXTENDED_FLAG) === 0 ? 2 : 4;
    let nameStart = flagsStart + flagBytes;
    let prefixLength = 0;
    // In version 4, an entry has only the end of its path. The beginning is that of the previous path.
    if (version === 4) {
      const removedLength = readVarint(bytes, nameStart);
      nameStart = removedLength.nextOffset;
      prefixLength = previousPath.length - removedLength.value;
    }
    const nameEnd = bytes.indexOf(NUL, nameStart);
    previousPath = Buffer.concat([previousPath.subarray(0, prefixLength), bytes.subarray(nameStart, nameEnd)]);
    paths.add(previousPath.toString());
    // The padding has at least one byte: the zero at the end of the name.
    const paddedLength = (Math.floor((nameEnd - entryStart) / ENTRY_ALIGNMENT_BYTES) + 1) * ENTRY_ALIGNMENT_BYTES;
    entryStart = version === 4 ? nameEnd + 1 : entryStart + paddedLength;
  }
  return paths;
}

/**
 * Returns a number of variable length and the offset after it. Each byte has seven bits of the number, the highest first, and the bit 0x80 if
 * another byte follows. For each further byte the number is raised by one and shifted by seven bits, as in git's pack files.
 */
function readVarint(bytes: Buffer, start: number): { readonly value: number; readonly nextOffset: number } {
  let nextOffset = start;
  let byte = bytes.readUInt8(nextOffset++);
  let value = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    byte = bytes.readUInt8(nextOffset++);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, nextOffset };
}
