// Lists the input files of a run with their hashes: recorded when a run is written, compared when it is verified.

import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { hashOfRead } from '../../../adapters/catalog/bars/readHashes.ts';
import { displayPath } from '../../../definition/text/paths.ts';
import type { FinishedRun } from '../run/executeDefinition.ts';

/** A file that a run has read, by its path in messages. */
export interface InputFile {
  readonly use: 'definition' | 'strategy' | 'model' | 'data';
  /** Relative to the folder in which the run was started if the file is below it, else absolute. */
  readonly file: string;
  /** SHA-256 of its bytes, as `sha256sum` prints it. */
  readonly sha256: string;
}

/** The lock file of the project, which fixes the versions of its packages. */
export interface LockFile {
  readonly file: string;
  readonly sha256: string;
}

const LOCK_FILES = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock'];

/** Bytes that are hashed at once. Hashing is limited by the processor, and a piece of this size fits into its cache. */
const PIECE_BYTES = 1 << 18;

/** Returns the SHA-256 of a file's bytes in lower-case hex; null: no such file. */
export function fileHash(path: string): string | null {
  // statSync would throw for a path that leads through a file.
  if (!existsSync(path) || !statSync(path).isFile()) return null;
  const hash = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const file = openSync(path, 'r');
  try {
    for (let bytes = readSync(file, piece); bytes > 0; bytes = readSync(file, piece)) hash.update(piece.subarray(0, bytes));
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}

/**
 * Returns the definition, data files, and strategies and models with all their imports, each once. Bars of the catalog were hashed when
 * they were loaded, a million in about 30 ms.
 */
export function inputFiles({ resolved, origin }: Pick<FinishedRun, 'resolved' | 'origin'>): readonly InputFile[] {
  const imported = origin.bars?.kind === 'import' ? origin.bars.files : [];
  const read: readonly { readonly use: InputFile['use']; readonly path: string }[] = [
    ...(origin.definition === null ? [] : [{ use: 'definition' as const, path: resolve(origin.definition) }]),
    ...resolved.files,
    ...imported.map((file) => ({ use: 'data' as const, path: resolve(file) })),
  ];
  const once = new Map(read.map((each) => [each.path, each]));
  return [...once.values()].flatMap(({ use, path }) => {
    // If a file changes during a run, use the hash of what the run has read.
    const sha256 = hashOfRead(path) ?? fileHash(path);
    return sha256 === null ? [] : [{ use, file: displayPath(path), sha256 }];
  });
}

/** Returns the package lock file in `folder`; null: no such file. */
export function lockFileIn(folder: string): LockFile | null {
  for (const file of LOCK_FILES) {
    const sha256 = fileHash(resolve(folder, file));
    if (sha256 !== null) return { file, sha256 };
  }
  return null;
}
