// Reads regular files only, for paths where other programs may have put a FIFO, which would block, or a device, which may never end.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { DiskError } from '../../ports/disk.ts';

// Windows has no such flag.
const NONBLOCK = constants.O_NONBLOCK ?? 0;
/** Error code for an entry that is not a regular file. */
const NO_FILE = 'ENOFILE';

/** Opens a regular file for reading, also through a link. Throws the system's error, and DiskError for anything but a regular file. */
export function openRegularFile(path: string): number {
  const descriptor = openSync(path, constants.O_RDONLY | NONBLOCK);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new DiskError(NO_FILE, path);
}

/** Returns the bytes of a regular file. Throws as `openRegularFile` does. */
export function readRegularFile(path: string): Buffer {
  const descriptor = openRegularFile(path);
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
