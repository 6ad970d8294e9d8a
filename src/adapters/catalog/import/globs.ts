// Expands file patterns with *, ?, [...], {a,b} and **, for shells that do not.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { ConfigError } from '../../../base/errors.ts';

const SIGNS = /[*?[{]/;

/** Returns the files, each once, those of a pattern sorted by name. Throws ConfigError for a pattern without matches. */
export function expandFiles(names: readonly string[]): string[] {
  // A file name may contain such a character.
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

/** Returns what `part` of a pattern matches in the folder `path`, which ends with a slash or is empty. */
function step(path: string, part: string): string[] {
  if (part === '') return [`${path}/`.replace('//', '/')];
  if (part === '**') return foldersBelow(path);
  const slash = (name: string) => (statSync(name, { throwIfNoEntry: false })?.isDirectory() === true ? `${name}/` : name);
  if (!SIGNS.test(part)) return existsSync(path + part) ? [slash(path + part)] : [];
  const matches = matcherOf(part);
  return namesIn(path).flatMap((name) => (matches(name) && (part.startsWith('.') || !name.startsWith('.')) ? [slash(path + name)] : []));
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
    // Not a folder, or not accessible: nothing in it matches.
    return [];
  }
}

/** One element of a pattern: `*`, a test for one character, or alternatives. */
type Sign = '*' | ((letter: string) => boolean) | readonly (readonly Sign[])[];

/** Returns the test for names that match a part of a pattern. Its time is proportional to the product of both lengths for any pattern. */
function matcherOf(part: string): (name: string) => boolean {
  const signs = signsOf(part);
  return (name) => reachableStates(signs, name, new Set([0])).has(name.length);
}

/** Returns the positions in a name at which `signs` may end if they start at one of `from`. */
function reachableStates(signs: readonly Sign[], name: string, from: ReadonlySet<number>): ReadonlySet<number> {
  let places = from;
  for (const sign of signs) {
    const next = new Set<number>();
    if (sign === '*') for (let at = Math.min(...places); at <= name.length; at++) next.add(at);
    else if (typeof sign === 'function') for (const at of places) if (at < name.length && sign(name[at]!)) next.add(at + 1);
    if (typeof sign === 'object') for (const choice of sign) for (const at of reachableStates(choice, name, places)) next.add(at);
    if (next.size === 0) return next;
    places = next;
  }
  return places;
}

function signsOf(part: string): Sign[] {
  const signs: Sign[] = [];
  // Found once, so that a pattern with many opening brackets is read in one pass.
  const [lastSquare, lastCurly] = [part.lastIndexOf(']'), part.lastIndexOf('}')];
  for (let at = 0; at < part.length; at++) {
    const letter = part[at]!;
    const square = letter === '[' && at + 1 < lastSquare ? part.indexOf(']', at + 1) : -1;
    const curly = letter === '{' && at < lastCurly ? part.indexOf('}', at) : -1;
    if (square > at + 1) {
      signs.push(classOf(part, part.slice(at, square + 1)));
      at = square;
    } else if (curly >= 0) {
      signs.push(part.slice(at + 1, curly).split(',').map(plainSigns)); // prettier-ignore
      at = curly;
    } else signs.push(plainSign(letter));
  }
  return signs;
}
const plainSigns = (text: string): Sign[] => Array.from({ length: text.length }, (_, at) => plainSign(text[at]!));
const plainSign = (sign: string): Sign => (sign === '*' ? '*' : sign === '?' ? () => true : (letter) => letter === sign);

function classOf(part: string, text: string): (letter: string) => boolean {
  try {
    const test = new RegExp(`^${text.replace(/^\[!/, '[^').replaceAll('\\', '\\\\')}$`);
    return (letter) => test.test(letter);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ConfigError(`${part}: a pattern with a range that runs backwards`, 'write the lesser sign first: [a-z]');
  }
}
