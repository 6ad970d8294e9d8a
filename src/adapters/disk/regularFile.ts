// Reads regular files only, for paths where other programs may have put a FIFO, which would block, or a device, which may never end.

import { closeSync, constants, fstatSync, openSync, readFileSync, writeFileSync, type Stats } from 'node:fs';
import { DiskError } from '../../ports/disk.ts';
import { fileError, NO_REGULAR_FILE } from './fileError.ts';

// Windows has no such flag.
const NONBLOCK = constants.O_NONBLOCK ?? 0;

/** Opens a regular file for reading, also through a link. Throws the system's error, and DiskError for anything but a regular file. */
export function openRegularFile(path: string): number {
  return openChecked(path, constants.O_RDONLY);
}

/** Opens a file without waiting for the other end of a FIFO. Throws DiskError for anything but a regular file. */
function openChecked(path: string, flags: number): number {
  const descriptor = openSync(path, flags | NONBLOCK);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new DiskError(NO_REGULAR_FILE, path);
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

/** Returns the bytes of a file that a user or another program may have put there. Throws ConfigError, with the cause, if it cannot be read. */
export function readInputFile(path: string): Buffer {
  try {
    return readRegularFile(path);
  } catch (error) {
    throw fileError(path, 'cannot be read', error);
  }
}

/** Returns what an entry that is no regular file is, for messages. */
export function entryKindText(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a FIFO';
  return stats.isSocket() ? 'a socket' : 'a device';
}

/** Appends text to a regular file, and creates it if it is missing. Throws the system's error, and DiskError for anything else. */
export function appendToRegularFile(path: string, text: string): void {
  const descriptor = openChecked(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}
