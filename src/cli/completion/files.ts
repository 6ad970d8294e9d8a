// Finds the project files that can complete a command line.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Number of folder levels to search below the first. */
const MAX_LEVELS = 2;
/** Matches names of folders that hold no files of the user's project. */
const SKIPPED_FOLDER = /^(\.|node_modules$|dist$|data$|runs$|ledger$)/;

/** Returns the files whose name matches `pattern` and whose path starts with `begun`, in the folder of `begun` and the folders below it. */
export function filesLike(begun: string, pattern: RegExp): readonly string[] {
  return filesBelow(folderOf(begun), pattern, MAX_LEVELS).filter((path) => path.startsWith(begun));
}

/** Returns the run folders whose path starts with `begun`. Without `begun`, also those in `runs`. */
export function runFolders(begun: string): readonly string[] {
  const parent = folderOf(begun);
  const folders = [...(parent === '' ? foldersIn('runs') : []), ...foldersIn(parent)];
  return folders.filter((folder) => folder.startsWith(begun) && existsSync(join(folder, 'manifest.json')));
}

/** Returns `a/b/` for `a/b/c`, and an empty text for `c`. */
function folderOf(begun: string): string {
  return begun.slice(0, begun.lastIndexOf('/') + 1);
}

/** Returns the matching files in `folder` and in the folders up to `depth` levels below it. */
function filesBelow(folder: string, pattern: RegExp, depth: number): readonly string[] {
  return childrenOf(folder).flatMap((child) => {
    const path = `${folder}${child.name}`;
    if (!child.isDirectory()) return pattern.test(child.name) ? [path] : [];
    return depth > 0 && !SKIPPED_FOLDER.test(child.name) ? filesBelow(`${path}/`, pattern, depth - 1) : [];
  });
}

/** Returns the paths of the folders in `folder`. */
function foldersIn(folder: string): readonly string[] {
  const prefix = folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  return childrenOf(folder)
    .filter((child) => child.isDirectory())
    .map((child) => `${prefix}${child.name}`);
}

/** Returns the files and folders directly in a folder. Empty when the folder cannot be read, because completion must not print errors. */
function childrenOf(folder: string) {
  try {
    return readdirSync(folder === '' ? '.' : folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
