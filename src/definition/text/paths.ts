// Resolves the paths in a definition, from the current folder or from the folder of the definition.

import { existsSync, statSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import { whereIs, type DefinitionSource, type KeyPath } from './source.ts';

/** The expected kind of a path, and the remedy if it is missing. */
export interface PathRequest {
  /** The expected file or folder in words, for the message. */
  readonly description: string;
  readonly kind: 'file' | 'folder';
  readonly remedy: string;
}

/**
 * Returns the absolute path for `text`, which the definition has at the key `path`. The current folder is tried first, because definitions
 * are in a folder of their own and name strategies from the project root. Throws ConfigError that names both places.
 */
export function locate(source: DefinitionSource, path: KeyPath, text: string, request: PathRequest): string {
  const fromCurrentFolder = resolve(source.startedIn ?? '.', text);
  const fromDefinition = resolve(join(source.folder, text));
  const candidates = isAbsolute(text) ? [text] : [...new Set([fromCurrentFolder, fromDefinition])];
  const existing = candidates.find((candidate) => existsSync(candidate));
  const wantsFolder = request.kind === 'folder';
  if (existing !== undefined && statSync(existing).isDirectory() === wantsFolder) return existing;
  const missingText = candidates.length > 1 ? `which is neither ${candidates.join(' nor ')}` : `which does not exist`;
  const problem = existing === undefined ? missingText : `which is a ${wantsFolder ? 'file' : 'folder'}`;
  throw new ConfigError(
    `${whereIs(source, path)}: expected ${request.description}, got '${text}', ${problem}`,
    `${request.remedy}; paths are tried from the current folder, then from the folder of the definition`,
  );
}

/** Returns a path as a user types it: relative to the current folder if it is below it. */
export function displayPath(path: string): string {
  const relativePath = relative(process.cwd(), path);
  return relativePath === '' || relativePath.startsWith('..') || isAbsolute(relativePath) ? path : relativePath;
}
