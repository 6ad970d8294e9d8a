// What the text of a strategy reaches beside the run: modules of Node, files of data, and code that is loaded while it runs.

import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import type { Metafile } from 'esbuild';
import type { Warning } from '../../model/warning.ts';
import { codeOnly, dataAt } from './codeText.ts';
import { COMPOSE_TOKEN, HOST_TOKEN } from './hostToken.ts';

/** They compute from what they are given. */
const PURE = new Set(['assert', 'assert/strict', 'buffer', 'constants', 'events', 'path', 'path/posix', 'path/win32', 'punycode', 'querystring', 'string_decoder', 'url', 'util', 'util/types']); // prettier-ignore
const FILES = new Set(['fs', 'fs/promises', 'sqlite']);
/** Of `crypto`: what computes from what it is given. */
const PURE_CRYPTO = new Set(['createHash', 'createHmac', 'hash', 'timingSafeEqual']);
/** Of any import but that of a name in quotes, and of a call of `eval`. */
const LOADS = /\bimport\s*\(|(?<![.\w$])eval\s*\(/g;
const NAMED = /^import\s*\(\s*(?:\/\*[\s\S]*?\*\/\s*)*(?:'[^'\n]*'|"[^"\n]*"|`[^`$]*`)\s*[,)]/;

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
      if (external !== true || name === HOST_TOKEN || name === COMPOSE_TOKEN || isPure(module, text)) return [];
      if (!builtinModules.includes(module.split('?')[0]!))
        return [at('IMPURE_MODULE', `the strategy loads ${name}: nothing of it is part of the hash`, Math.max(0, text.indexOf(name)))];
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
  const index = dataAt(text);
  if (index < 0) return [];
  const what = isCode ? 'a table of numbers or a long text in the code' : 'the strategy imports a file of data';
  return [at('LOOKAHEAD_FILE', `${what}: it may hold what lies ahead of a bar`, isCode ? index : 0)];
}

function loadsIn(text: string, at: At): Warning[] {
  for (const { index } of codeOnly(text).matchAll(LOADS)) {
    if (NAMED.test(text.slice(index, index + 500))) continue;
    return [at('IMPURE_MODULE', 'the strategy loads code while it runs: nothing of it is part of the hash', index)];
  }
  return [];
}

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
