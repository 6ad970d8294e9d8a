// Hashes of catalog files, taken in the read that loaded them: what a run folder says of its inputs is what the run has had.

import { resolve } from 'node:path';

const hashes = new Map<string, string>();

/** SHA-256 in hex of the bytes that were read from `path` last. */
export function noteHash(path: string, sha256: string): void {
  hashes.set(resolve(path), sha256);
}

/** Null for a file that this thread has not loaded as a whole. */
export const hashOfRead = (path: string): string | null => hashes.get(resolve(path)) ?? null;
