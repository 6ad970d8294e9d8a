// Port for durable storage. The file system implements it, and so does a simulated disk that crashes.

/** Failure of a sync, because another process has removed, replaced, truncated or extended the file. The written data are lost. */
export const REPLACED = 'REPLACED';

/** Returns a sentence about the failure of a sync. */
export const syncFailureText = (path: string, failure: string | null): string =>
  failure === REPLACED ? `${path}: another process has removed, replaced or changed it while it was in use` : `${path}: ${failure}`;

/** A failure of the disk. `code`: the system's code, such as ENOENT or ENOSPC. */
export class DiskError extends Error {
  override readonly name = 'DiskError';
  /** The system's code, such as ENOENT or ENOSPC. */
  readonly code: string;
  /** The path of the failed operation. */
  readonly path: string;
  constructor(code: string, path: string) {
    super(`${path}: ${code}`);
    this.code = code;
    this.path = path;
  }
}

/**
 * Durable storage. Paths are separated by `/`. Every function throws DiskError if the disk fails. Nothing is durable before a `sync` has
 * reported it: after a crash, any part of the later appends, creations, renames and removals may be missing.
 */
export interface Disk {
  /** Returns the names of the files in a folder, sorted. */
  list(folder: string): readonly string[];
  /** Returns the current bytes of a file, synced or not. */
  read(path: string): Uint8Array;
  /** Returns up to `length` bytes from an offset on; fewer at the end of the file. */
  readAt(path: string, from: number, length: number): Uint8Array;
  /** Returns the length of a file in bytes. */
  size(path: string): number;
  /** Returns a value that differs after a file was changed, or replaced by another of its name. */
  identity(path: string): string;
  /** Creates an empty file. Throws EEXIST if the name exists, even as a link to nothing. Of several callers one succeeds. */
  create(path: string): void;
  /** Appends to an existing file. If it throws, any first part of the bytes may have been written. */
  append(path: string, bytes: Uint8Array): void;
  /**
   * For a file: makes everything appended before this call durable. For a folder: makes its names durable. `done` is called once, never
   * within the call, with null or the code of the failure. After a failure it is unknown what is durable, and a second sync that succeeds
   * proves nothing. Fails with `REPLACED` if the file was removed or replaced, or if another process has changed its length.
   */
  sync(path: string, done: (failure: string | null) => void): void;
  /** Replaces a file that has the name `to`. */
  rename(from: string, to: string): void;
  /** Removes a file. */
  remove(path: string): void;
}
