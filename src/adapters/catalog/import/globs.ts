// Expands file patterns with *, ?, [...], {a,b} and **, for shells that do not.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { smallestOf } from '../../../base/number/extremes.ts';
import { ConfigError } from '../../../base/errors.ts';

/** A character that may make a name a pattern. */
const PATTERN_CHARACTER = /[*?[{]/;

/** Returns each file once. The matches of a pattern are sorted by name. Throws ConfigError for a pattern without matches. */
export function expandFiles(names: readonly string[]): string[] {
  // A file name may contain such a character, so an existing file is not a pattern.
  const files = names.flatMap((name) => (PATTERN_CHARACTER.test(name) && !existsSync(name) ? matchesOf(name) : [name]));
  return [...new Set(files)];
}

/** Returns the files that match a pattern, sorted. Throws ConfigError if no file matches. */
function matchesOf(pattern: string): string[] {
  const parts = (sep === '\\' ? pattern.replaceAll('\\', '/') : pattern).split('/');
  let paths = [''];
  for (const part of parts) paths = paths.flatMap((path) => matchPart(path, part));
  const files = paths.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true).toSorted();
  if (files.length === 0) throw new ConfigError(`${pattern}: no file matches`, 'check the path and the pattern');
  return files;
}

/** Returns the paths that `part` of a pattern matches in the folder `path`, which ends with a slash or is empty. */
function matchPart(path: string, part: string): string[] {
  if (part === '') return [`${path}/`.replace('//', '/')];
  if (part === '**') return foldersBelow(path);
  const withSlash = (name: string) => (isFolder(name) ? `${name}/` : name);
  if (!PATTERN_CHARACTER.test(part)) return existsSync(path + part) ? [withSlash(path + part)] : [];
  const matches = matcherOf(part);
  const includesHidden = part.startsWith('.');
  const names = namesIn(path).filter((name) => matches(name) && (includesHidden || !name.startsWith('.')));
  return names.map((name) => withSlash(path + name));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Returns `path` and all folders below it, except hidden ones. */
function foldersBelow(path: string): string[] {
  const subfolders = namesIn(path).filter((name) => !name.startsWith('.') && isFolder(join(path, name)));
  return [path, ...subfolders.flatMap((name) => foldersBelow(`${path}${name}/`))];
}

/** Returns the names in a folder; none if it cannot be listed. */
function namesIn(path: string): string[] {
  try {
    return readdirSync(path === '' ? '.' : path);
  } catch {
    // Not a folder, or not accessible: nothing in it matches.
    return [];
  }
}

/** One element of a pattern: `*`, a test for one character, or alternatives. */
type PatternElement = '*' | ((letter: string) => boolean) | readonly (readonly PatternElement[])[];

/** Returns the test for names that match a part of a pattern. Its time is proportional to the product of both lengths for any pattern. */
function matcherOf(part: string): (name: string) => boolean {
  const elements = elementsOf(part);
  return (name) => endPositions(elements, name, new Set([0])).has(name.length);
}

/** Returns the positions in a name at which `elements` may end if they start at one of `from`. */
function endPositions(elements: readonly PatternElement[], name: string, from: ReadonlySet<number>): ReadonlySet<number> {
  let positions = from;
  for (const element of elements) {
    positions = positionsAfter(element, name, positions);
    if (positions.size === 0) return positions;
  }
  return positions;
}

/** Returns the positions in a name at which one element may end. `from` is not empty. */
function positionsAfter(element: PatternElement, name: string, from: ReadonlySet<number>): ReadonlySet<number> {
  const ends = new Set<number>();
  if (element === '*') {
    for (let position = smallestOf(from); position <= name.length; position++) ends.add(position);
  } else if (typeof element === 'function') {
    for (const position of from) if (position < name.length && element(name[position]!)) ends.add(position + 1);
  } else {
    for (const choice of element) for (const position of endPositions(choice, name, from)) ends.add(position);
  }
  return ends;
}

/** Parses one segment of a pattern, between two slashes. */
function elementsOf(part: string): PatternElement[] {
  const elements: PatternElement[] = [];
  // Found once, so that a pattern with many opening brackets is read in one pass.
  const lastSquare = part.lastIndexOf(']');
  const lastCurly = part.lastIndexOf('}');
  for (let position = 0; position < part.length; position++) {
    const letter = part[position]!;
    const square = letter === '[' && position + 1 < lastSquare ? part.indexOf(']', position + 1) : -1;
    const curly = letter === '{' && position < lastCurly ? part.indexOf('}', position) : -1;
    // Empty brackets are plain characters.
    if (square > position + 1) {
      elements.push(characterClass(part, part.slice(position, square + 1)));
      position = square;
    } else if (curly >= 0) {
      const choices = part.slice(position + 1, curly).split(',');
      elements.push(choices.map(plainElements));
      position = curly;
    } else elements.push(plainElement(letter));
  }
  return elements;
}

function plainElements(text: string): PatternElement[] {
  return Array.from({ length: text.length }, (_, index) => plainElement(text[index]!));
}

function plainElement(character: string): PatternElement {
  if (character === '*') return '*';
  if (character === '?') return () => true;
  return (letter) => letter === character;
}

/** Returns the test of a character class such as `[a-z]` or `[!0-9]`. */
function characterClass(part: string, text: string): (letter: string) => boolean {
  try {
    const pattern = new RegExp(`^${text.replace(/^\[!/, '[^').replaceAll('\\', '\\\\')}$`);
    return (letter) => pattern.test(letter);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError(`${part}: a pattern with a range that runs backwards`, 'write the lesser sign first: [a-z]');
  }
}
