// Hashes of catalog files, computed while loading them, so that a run folder records exactly the inputs that the run used.

import { resolve } from 'node:path';

const hashes = new Map<string, string>();

/** Notes the hex SHA-256 of the bytes last read from `path`. */
export function noteHash(path: string, sha256: string): void {
  hashes.set(resolve(path), sha256);
}

/** Returns the hash of a file, or null if this thread has not loaded the whole file. */
export const hashOfRead = (path: string): string | null => hashes.get(resolve(path)) ?? null;
