// Names with *, ?, [...], {a,b} and ** as the files they stand for, for shells that leave them as they are.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';

const SIGNS = /[*?[{]/;

/** The files, each once, those of a pattern in order of their names. Throws ConfigError for a pattern that matches none. */
export function expandFiles(names: readonly string[]): string[] {
  // A file may have such a sign in its name.
  const files = names.flatMap((name) => (SIGNS.test(name) && !existsSync(name) ? matchesOf(name) : [name]));
  return [...new Set(files)];
}

function matchesOf(pattern: string): string[] {
  const parts = (sep === '\\' ? pattern.replaceAll('\\', '/') : pattern).split('/');
  let paths = [''];
  for (const part of parts) paths = paths.flatMap((path) => step(path, part));
  const files = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true).toSorted();
  if (files.length === 0) throw new ConfigError(`${pattern}: no file matches`, 'check the path and the pattern');
  return files;
}

/** What `part` of a pattern leads to from the folder `path`, which ends with a slash or is empty. */
function step(path: string, part: string): string[] {
  if (part === '') return [`${path}/`.replace('//', '/')];
  if (part === '**') return foldersBelow(path);
  const slash = (name: string) => (statSync(name, { throwIfNoEntry: false })?.isDirectory() === true ? `${name}/` : name);
  if (!SIGNS.test(part)) return existsSync(path + part) ? [slash(path + part)] : [];
  const matcher = matcherOf(part);
  return namesIn(path).flatMap((name) =>
    matcher.test(name) && (part.startsWith('.') || !name.startsWith('.')) ? [slash(path + name)] : [],
  );
}

function foldersBelow(path: string): string[] {
  const inner = namesIn(path).filter(
    (name) => !name.startsWith('.') && statSync(join(path, name), { throwIfNoEntry: false })?.isDirectory() === true,
  );
  return [path, ...inner.flatMap((name) => foldersBelow(`${path}${name}/`))];
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path === '' ? '.' : path);
  } catch {
    // A file where the pattern wants a folder, or one that is closed to us: nothing in it matches.
    return [];
  }
}

function matcherOf(part: string): RegExp {
  const source = part.replaceAll(/\*+|\?|\[[!^]?[^\]]+\]|\{[^}]*\}|[\\^$+.()|[\]{}]/g, (sign) => {
    if (sign.startsWith('*')) return '.*';
    if (sign === '?') return '.';
    if (sign.length > 1 && sign.startsWith('[')) return sign.replace(/^\[!/, '[^').replaceAll('\\', '\\\\');
    if (sign.length > 1 && sign.startsWith('{')) return `(?:${sign.slice(1, -1).split(',').map(literal).join('|')})`;
    return `\\${sign}`;
  });
  try {
    return new RegExp(`^${source}$`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError(`${part}: a pattern with a range that runs backwards`, 'write the lesser sign first: [a-z]');
  }
}

function literal(text: string): string {
  return text
    .replaceAll(/[\\^$+.()|[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
}
