// The hole through which bytes become lasting: the file system stands behind it, or a simulated disk that crashes.

/** Of a sync: the file has been removed, another one has its name, or somebody else has cut it or added to it: what was written is lost. */
export const REPLACED = 'REPLACED';

/** `code` as the system names it: ENOENT, EEXIST, ENOSPC, EIO, EROFS ... */
export class DiskError extends Error {
  override readonly name = 'DiskError';
  readonly code: string;
  readonly path: string;
  constructor(code: string, path: string) {
    super(`${path}: ${code}`);
    this.code = code;
    this.path = path;
  }
}

/**
 * Paths are separated by `/`. Every function throws DiskError where the disk does not do it. Nothing lasts before a `sync` has said so: what
 * a crash leaves of later appends is any part of them, file by file; of names that were made, renamed or removed, any.
 */
export interface Disk {
  /** Names of the files in a folder, sorted. */
  list(folder: string): readonly string[];
  /** The bytes of a file as they stand, synced or not. */
  read(path: string): Uint8Array;
  /** Up to `length` of them, from a place on; fewer where the file ends. */
  readAt(path: string, from: number, length: number): Uint8Array;
  size(path: string): number;
  /** Another one where a file has been changed, or replaced by another of its name. */
  identity(path: string): string;
  /** A new, empty file. Throws EEXIST where the name is taken, by a link that leads nowhere too: of several callers one succeeds. */
  create(path: string): void;
  /** At the end of a file that exists. Where it throws, any first part of the bytes may have been written. */
  append(path: string, bytes: Uint8Array): void;
  /**
   * Of a file: all that was appended before this call lasts. Of a folder: so do the names in it. `done` is called once, never within the
   * call, with null or the code of the failure; after a failure nobody knows what lasts, and a second try that succeeds proves nothing.
   * A file that does not have its name any more, because somebody removed or replaced it, and one whose length somebody else has changed,
   * fail with `REPLACED`.
   */
  sync(path: string, done: (failure: string | null) => void): void;
  /** Takes the place of a file that has the name `to`. */
  rename(from: string, to: string): void;
  remove(path: string): void;
}
