// Resolves paths in a definition: from the current folder, then from the folder of the definition.

import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { whereIs, type DefinitionSource, type KeyPath } from './source.ts';

/** What a path should lead to, and the remedy if it does not. */
export interface PathRequest {
  readonly what: string;
  readonly kind: 'file' | 'folder';
  readonly remedy: string;
}

/**
 * Returns the absolute path for `text`, which the definition has at `path`. The current folder comes first, because definitions are in a
 * folder of their own and name strategies from the project root. Throws ConfigError that names both places.
 */
export function locate(source: DefinitionSource, path: KeyPath, text: string, wanted: PathRequest): string {
  const tried = isAbsolute(text) ? [text] : [...new Set([resolve(source.startedIn ?? '.', text), resolve(join(source.folder, text))])];
  const found = tried.find((place) => existsSync(place));
  if (found !== undefined && statSync(found).isDirectory() === (wanted.kind === 'folder')) return found;
  const missing = tried.length > 1 ? `which is neither ${tried.join(' nor ')}` : `which does not exist`;
  const places = found === undefined ? missing : `which is a ${wanted.kind === 'folder' ? 'file' : 'folder'}`;
  throw new ConfigError(
    `${whereIs(source, path)}: expected ${wanted.what}, got '${text}', ${places}`,
    `${wanted.remedy}; paths are tried from the current folder, then from the folder of the definition`,
  );
}

/** Returns a path as a user types it: relative to the current folder if it is below it. */
export function displayPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near === '' || near.startsWith('..') || isAbsolute(near) ? path : near;
}
