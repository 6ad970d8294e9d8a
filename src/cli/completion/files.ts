// The files of a project that a command line may go on with.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders below the one that is searched; a project is flatter. */
const DEPTH = 2;
const SKIPPED = /^(\.|node_modules$|dist$|data$|runs$|ledger$)/;

/** Files whose name fits `pattern` and whose path goes on from `begun`: those of its folder and of the folders below. */
export function filesLike(begun: string, pattern: RegExp): readonly string[] {
  return filesBelow(folderOf(begun), pattern, DEPTH).filter((path) => path.startsWith(begun));
}

/** Run folders that go on from `begun`, or lie under `runs` where nothing was begun. */
export function runFolders(begun: string): readonly string[] {
  const parent = folderOf(begun);
  const runs = [...(parent === '' ? foldersIn('runs') : []), ...foldersIn(parent)].filter((folder) =>
    existsSync(join(folder, 'manifest.json')),
  );
  return runs.filter((path) => path.startsWith(begun));
}

/** `a/b/` of `a/b/c`; nothing of `c`. */
function folderOf(begun: string): string {
  return begun.slice(0, begun.lastIndexOf('/') + 1);
}

function filesBelow(folder: string, pattern: RegExp, depth: number): readonly string[] {
  return entries(folder).flatMap((entry) => {
    const path = `${folder}${entry.name}`;
    if (!entry.isDirectory()) return pattern.test(entry.name) ? [path] : [];
    return depth > 0 && !SKIPPED.test(entry.name) ? filesBelow(`${path}/`, pattern, depth - 1) : [];
  });
}

function foldersIn(folder: string): readonly string[] {
  const prefix = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  return entries(folder).filter((entry) => entry.isDirectory()).map((entry) => `${prefix}${entry.name}`); // prettier-ignore
}

/** A folder that cannot be read has nothing to offer: a line that is being typed is no place for errors. */
function entries(folder: string) {
  try {
    return readdirSync(folder === '' ? '.' : folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
