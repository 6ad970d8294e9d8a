// What the text of a strategy reaches beside the run: modules of Node, files of data, and code that is loaded while it runs.

import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import type { Metafile } from 'esbuild';
import type { Warning } from '../model/warning.ts';

/** They compute from what they are given. */
const PURE = new Set(['assert', 'assert/strict', 'buffer', 'constants', 'events', 'path', 'path/posix', 'path/win32', 'punycode', 'querystring', 'string_decoder', 'url', 'util', 'util/types']); // prettier-ignore
const FILES = new Set(['fs', 'fs/promises', 'sqlite']);
/** Of `crypto`: what computes from what it is given. */
const PURE_CRYPTO = new Set(['createHash', 'createHmac', 'hash', 'timingSafeEqual']);
/** So many numbers in a row are data, not settings. */
const MANY_NUMBERS = 100;
const LONG_TEXT = 2_000;

/** Longer texts between two commas are no number of a table. It bounds the work: a pattern over the whole text takes hours for long digits. */
const LONGEST_ITEM = 200;

const NUMBER = String.raw`-?(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?["']?[\s\]})]*$`;
/** A number, by itself or with its key, between two commas. */
const ITEM = new RegExp(String.raw`^[\s[{(]*(?:["']?[\w. :+-]+["']?\s*:\s*)?["']?${NUMBER}`, 'i');
/** A number in front of the first comma of a table. */
const FIRST_ITEM = new RegExp(NUMBER, 'i');
const BLOB = new RegExp(String.raw`(["'\x60])[^"'\x60\s\\]{${LONG_TEXT},}\1`);

/** Returns what the files of a bundle reach. `folder`: where the paths of `metafile` begin. */
export function reachOf({ inputs }: Pick<Metafile, 'inputs'>, folder: string): readonly Warning[] {
  const own = Object.entries(inputs).filter(([path]) => !/(^|\/)node_modules\//.test(path) && !path.includes('isobar:'));
  return own.flatMap(([path, { imports }]) => {
    const text = textOf(join(folder, path));
    const file = relative(process.cwd(), join(folder, path));
    const at = (code: Warning['code'], what: string, index: number): Warning => ({ code, text: what, file, line: lineAt(text, index) });
    const reached = imports.flatMap(({ path: name, external }) => {
      const module = name.replace(/^node:/, '');
      const index = Math.max(0, text.search(new RegExp(`["'\`](?:node:)?${module.replace(/[/.]/g, String.raw`\$&`)}["'\`]`)));
      if (external !== true || !builtinModules.includes(module.split('?')[0]!) || isPure(module, text)) return [];
      if (FILES.has(module))
        return [at('LOOKAHEAD_FILE', `the strategy imports node:${module}: a file may hold what lies ahead of a bar`, index)];
      return [at('IMPURE_MODULE', `the strategy imports node:${module}: the result depends on what is outside the run`, index)];
    });
    return [...reached, ...dataIn(path, text, at), ...loadsIn(text, at)];
  });
}

type At = (code: Warning['code'], what: string, index: number) => Warning;

function dataIn(path: string, text: string, at: At): Warning[] {
  const isCode = /\.[cm]?[jt]sx?$/i.test(path);
  const index = tableAt(text) ?? BLOB.exec(text)?.index;
  if (index === undefined) return [];
  const what = isCode ? 'a table of numbers or a long text in the code' : 'the strategy imports a file of data';
  return [at('LOOKAHEAD_FILE', `${what}: it may hold what lies ahead of a bar`, isCode ? index : 0)];
}

/** Returns where `MANY_NUMBERS` numbers in a row begin, with commas between them; null: nowhere. Takes time in proportion to the text. */
function tableAt(text: string): number | null {
  let [begin, count, from] = [0, 0, 0];
  for (let comma = text.indexOf(','); comma >= 0; comma = text.indexOf(',', from)) {
    const item = text.slice(from, comma);
    if (count > 0 && isItem(item)) count++;
    else {
      const end = item.slice(-LONGEST_ITEM);
      const found = FIRST_ITEM.exec(end);
      count = found === null ? 0 : 1;
      begin = comma - end.length + (found?.index ?? 0);
    }
    if (count === MANY_NUMBERS) return begin;
    from = comma + 1;
  }
  return null;
}

function isItem(text: string): boolean {
  const item = text.length > LONGEST_ITEM ? text.replaceAll(/\s+/g, ' ') : text;
  return item.length <= LONGEST_ITEM && ITEM.test(item);
}

function loadsIn(text: string, at: At): Warning[] {
  const code = withoutComments(text);
  const found = /\bimport\s*\(\s*(?!["'\s])|(?<![.\w$])eval\s*\(/.exec(code);
  return found === null
    ? []
    : [at('IMPURE_MODULE', 'the strategy loads code while it runs: nothing of it is part of the hash', found.index)];
}

/** With the same places: comments become blanks. */
const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '));

function isPure(module: string, text: string): boolean {
  if (PURE.has(module)) return true;
  if (module !== 'crypto') return false;
  const [, names] = /import\s*\{([^}]*)\}\s*from\s*["'](?:node:)?crypto["']/.exec(text) ?? [];
  return names !== undefined && names.split(',').every((name) => PURE_CRYPTO.has(name.trim().split(/\s/)[0] ?? ''));
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Such as a module that a plugin of the bundler made.
    return '';
  }
}
