// Reads of files that somebody else may have put there: a FIFO would wait for ever, and a device may never end.

import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { DiskError } from '../../ports/disk.ts';

// Windows has no such flag.
const NONBLOCK = constants.O_NONBLOCK ?? 0;
/** Of what is there and is no regular file. */
const NO_FILE = 'ENOFILE';

/** The bytes of a regular file, to which a link may lead. Throws what the system says, and DiskError for anything but such a file. */
export function readRegular(path: string): Buffer {
  const descriptor = openSync(path, constants.O_RDONLY | NONBLOCK);
  try {
    if (!fstatSync(descriptor).isFile()) throw new DiskError(NO_FILE, path);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
