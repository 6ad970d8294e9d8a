// Implements `Disk` on this computer: files that only their owner can access, opened without following links, synced on request.

import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { ConfigError } from '../../base/errors.ts';
import { DiskError, REPLACED, type Disk } from '../../ports/disk.ts';
import { checkOwner } from './ownerCheck.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Number of files kept open for further appends. */
const MAX_OPEN = 8;
// Windows lacks the last three.
const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants;
const NOFOLLOW = constants.O_NOFOLLOW ?? 0;
const NONBLOCK = constants.O_NONBLOCK ?? 0;
const DIRECTORY = constants.O_DIRECTORY ?? 0;

/** A file that is open for appending. */
interface OpenFile {
  readonly descriptor: number;
  /** Expected size in bytes: the size when opened plus what was appended. */
  size: number;
  /** Syncs under way. The file cannot be closed before they end. */
  syncs: number;
}

/**
 * Rejects, with a ConfigError, everything that others could have written: files and folders of another owner or with a mode above 0600 or
 * 0700, and links.
 */
export class FileSystemDisk implements Disk {
  /** Files open for appending, least recently used first. */
  readonly #openFiles = new Map<string, OpenFile>();
  /** Files that are read in parts, least recently used first. */
  readonly #readers = new Map<string, number>();

  /** Creates the folder if it is missing. Throws ConfigError if other users can access it. */
  prepare(folder: string): void {
    withDiskError(folder, () => mkdirSync(folder, { recursive: true, mode: FOLDER_MODE }));
    // lstat of `x/` would follow a link x.
    const stats = withDiskError(folder, () => lstatSync(folder.replace(/(.)\/+$/, '$1')));
    if (stats.isSymbolicLink()) throw linkError(folder, 'a folder');
    if (!stats.isDirectory()) throw new ConfigError(`${folder}: expected a folder, got something else`, 'name a folder');
    checkOwner(folder, stats, FOLDER_MODE);
  }

  list(folder: string): readonly string[] {
    const entries = withDiskError(folder, () => readdirSync(folder, { withFileTypes: true }));
    return entries
      .filter((entry) => !entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  }

  read(path: string): Uint8Array {
    const descriptor = openChecked(path, O_RDONLY | NONBLOCK);
    try {
      return withDiskError(path, () => readFileSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
  }

  readAt(path: string, from: number, length: number): Uint8Array {
    const bytes = Buffer.allocUnsafe(length);
    const read = withDiskError(path, () => readSync(this.#readerOf(path), bytes, 0, length, from));
    return bytes.subarray(0, read);
  }

  size(path: string): number {
    const descriptor = openChecked(path, O_RDONLY | NONBLOCK);
    try {
      return fstatSync(descriptor).size;
    } finally {
      closeSync(descriptor);
    }
  }

  create(path: string): void {
    const descriptor = withDiskError(path, () => openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | NOFOLLOW, FILE_MODE));
    this.#addOpen(path, descriptor);
  }

  append(path: string, bytes: Uint8Array): void {
    const file = this.#openFile(path);
    for (let offset = 0; offset < bytes.length;) {
      const written = withDiskError(path, () => writeSync(file.descriptor, bytes, offset));
      offset += written;
      file.size += written;
    }
  }

  sync(path: string, done: (failure: string | null) => void): void {
    // An open file is not a folder. Skip the check, because a journal record waits for this sync.
    const isFolder = !this.#openFiles.has(path) && withDiskError(path, () => lstatSync(path)).isDirectory();
    if (isFolder) syncFolder(path, done);
    else {
      const file = this.#openFile(path);
      file.syncs++;
      fdatasync(file.descriptor, (error) => {
        // A file that was renamed or removed here in the meantime has no entry under that name any more.
        const isInPlace = error !== null || this.#openFiles.get(path) !== file || isUnchanged(file, path);
        file.syncs--;
        if (file.syncs === 0 && this.#openFiles.get(path) !== file) closeSync(file.descriptor);
        const problem = isInPlace ? null : REPLACED;
        done(error ? codeOf(error) : problem);
      });
    }
  }

  identity(path: string): string {
    const { dev, ino, size, mtimeMs } = withDiskError(path, () => lstatSync(path));
    return [dev, ino, size, mtimeMs].join(' ');
  }

  rename(from: string, to: string): void {
    this.#forget(from);
    this.#forget(to);
    withDiskError(from, () => renameSync(from, to));
  }

  remove(path: string): void {
    this.#forget(path);
    withDiskError(path, () => unlinkSync(path));
  }

  /** Closes all open files. They are opened again when used again. */
  close(): void {
    for (const path of [...this.#openFiles.keys(), ...this.#readers.keys()]) this.#forget(path);
  }

  #openFile(path: string): OpenFile {
    const handle = this.#openFiles.get(path);
    if (!handle) return this.#addOpen(path, openChecked(path, O_WRONLY | O_APPEND | NONBLOCK));
    this.#openFiles.delete(path);
    this.#openFiles.set(path, handle);
    return handle;
  }

  #addOpen(path: string, descriptor: number): OpenFile {
    const file = { descriptor, size: fstatSync(descriptor).size, syncs: 0 };
    this.#openFiles.set(path, file);
    const idle = [...this.#openFiles].find(([, { syncs }]) => syncs === 0);
    if (this.#openFiles.size > MAX_OPEN && idle && idle[0] !== path) this.#forget(idle[0]);
    return file;
  }

  /** Returns an open descriptor for reading parts of the file. */
  #readerOf(path: string): number {
    const reader = this.#readers.get(path);
    const descriptor = reader ?? openChecked(path, O_RDONLY | NONBLOCK);
    this.#readers.delete(path);
    this.#readers.set(path, descriptor);
    const [oldest] = this.#readers;
    if (this.#readers.size > MAX_OPEN && oldest) {
      closeSync(oldest[1]);
      this.#readers.delete(oldest[0]);
    }
    return descriptor;
  }

  /** Closes the file, once its syncs have ended. */
  #forget(path: string): void {
    const reading = this.#readers.get(path);
    if (reading !== undefined) closeSync(reading);
    this.#readers.delete(path);
    const file = this.#openFiles.get(path);
    if (!file) return;
    this.#openFiles.delete(path);
    if (file.syncs === 0) closeSync(file.descriptor);
  }
}

/** Returns the code of a system error. Rethrows any other error. */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  throw error;
}

/** Runs `useDisk`. Throws DiskError with the code of a system error, and ConfigError for a link. */
function withDiskError<T>(path: string, useDisk: () => T): T {
  try {
    return useDisk();
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ELOOP' || code === 'EMLINK') throw linkError(path, 'a file');
    throw new DiskError(code, path);
  }
}

/** Opens a file without following links and without waiting for the other end of a pipe. */
function openChecked(path: string, flags: number): number {
  const descriptor = withDiskError(path, () => openSync(path, flags | NOFOLLOW));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new ConfigError(`${path}: expected a file, got something else`, 'name a file');
    checkOwner(path, stats, FILE_MODE);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

const linkError = (path: string, expected: string): ConfigError =>
  new ConfigError(`${path}: expected ${expected}, got a symbolic link`, 'name what it points to');

/** True if the open file still has its name and no other process has changed its size. */
function isUnchanged({ descriptor, size }: OpenFile, path: string): boolean {
  try {
    const descriptorStats = fstatSync(descriptor);
    const pathStats = lstatSync(path);
    return descriptorStats.ino === pathStats.ino && descriptorStats.dev === pathStats.dev && descriptorStats.size === size;
  } catch (error) {
    codeOf(error);
    return false;
  }
}

/** Syncs the names in a folder. Windows has no such call. */
function syncFolder(folder: string, done: (failure: string | null) => void): void {
  if (process.platform === 'win32') {
    process.nextTick(done, null);
    return;
  }
  const descriptor = withDiskError(folder, () => openSync(folder, O_RDONLY | DIRECTORY | NOFOLLOW));
  fsync(descriptor, (error) => {
    closeSync(descriptor);
    done(error ? codeOf(error) : null);
  });
}
