// Finds what a strategy uses outside the run: Node modules, data files, and code loaded at run time.

import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative } from 'node:path';
import type { Metafile } from 'esbuild';
import type { Warning } from '../../model/warning.ts';
import { codeOnly, dataAt } from './codeText.ts';
import { COMPOSE_TOKEN, HOST_TOKEN } from './hostToken.ts';

/** Modules of Node that only compute from their arguments. */
export const PURE_MODULES: ReadonlySet<string> = new Set(['assert', 'assert/strict', 'buffer', 'constants', 'events', 'path', 'path/posix', 'path/win32', 'punycode', 'querystring', 'string_decoder', 'url', 'util', 'util/types']); // prettier-ignore
/** The module with esbuild's helpers for syntax that it rewrites, such as decorators. The bundle holds them. */
const BUNDLER_RUNTIME = '<runtime>';
const FILE_MODULES = new Set(['fs', 'fs/promises', 'sqlite']);
/** Functions of other modules that only compute from their arguments, at once. */
const PURE_FUNCTIONS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['async_hooks', new Set(['AsyncLocalStorage'])],
  ['crypto', new Set(['createHash', 'createHmac', 'hash', 'timingSafeEqual', 'createCipheriv', 'createDecipheriv', 'hkdfSync', 'pbkdf2Sync', 'scryptSync'])],
  ['zlib', new Set(['gzipSync', 'gunzipSync', 'unzipSync', 'deflateSync', 'inflateSync', 'deflateRawSync', 'inflateRawSync', 'brotliCompressSync', 'brotliDecompressSync', 'crc32', 'constants'])],
]); // prettier-ignore
/** `import(`, and a call of `eval`. */
const DYNAMIC_LOAD = /\bimport\s*\(|(?<![.\w$])eval\s*\(/g;
/** An import of a quoted name, such as `import('./own.js')`: the bundle holds the module. */
const LITERAL_IMPORT = /^import\s*\(\s*(?:\/\*[\s\S]*?\*\/\s*)*(?:'[^'\n]*'|"[^"\n]*"|`[^`$]*`)\s*[,)]/;
/** A longer name, with its comments, counts as one that is not quoted. */
const MAX_IMPORT_LENGTH = 500;

/** Makes a warning about the file; `index`: the place in its text. */
type WarningAt = (code: Warning['code'], text: string, index: number) => Warning;

/**
 * Returns a warning for each use of something outside the run by the files of a bundle: Node modules that do more than compute, packages that
 * the bundle does not hold, data, and code that is loaded later. `folder`: base of the paths in `inputs`.
 */
export function externalUseWarnings({ inputs }: Pick<Metafile, 'inputs'>, folder: string): readonly Warning[] {
  const isOfPackage = packageFileTest(folder);
  const ownFiles = Object.entries(inputs).filter(([path]) => !isOfPackage(path) && !path.includes('isobar:'));
  return ownFiles.flatMap(([path, { imports }]) => {
    const text = fileText(join(folder, path));
    const file = relative(process.cwd(), join(folder, path));
    const warningAt: WarningAt = (code, warningText, index) => ({ code, text: warningText, file, line: lineAt(text, index) });
    const imported = imports.flatMap(({ path: name, external }) => (external === true ? (importWarning(name, text, warningAt) ?? []) : []));
    return [...imported, ...embeddedDataWarnings(path, text, warningAt), ...dynamicLoadWarnings(text, warningAt)];
  });
}

/** Matches the folder of a package, with a slash at its end, up to the innermost one of a path. */
export const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+\//;

/** Returns the package in which a folder lies, with a slash at its end; '' if it lies in none. `folder`: absolute, with slashes as in a URL. */
export const packageOf = (folder: string): string => PACKAGE_FOLDER.exec(`${folder}/`)?.[0] ?? '';

/**
 * Returns a test that is true for a file of a package, by its path relative to `folder`, the folder of the strategy. Strategies may be installed as a
 * package themselves: the files of that package are the author's own, and other packages can lie beside it.
 */
export function packageFileTest(folder: string): (path: string) => boolean {
  const withSlashes = (path: string): string => path.replaceAll('\\', '/');
  const ownPackage = packageOf(withSlashes(folder));
  return (path) => {
    const absolutePath = withSlashes(join(folder, path));
    const isOwn = ownPackage !== '' && absolutePath.startsWith(ownPackage);
    return (isOwn ? `/${absolutePath.slice(ownPackage.length)}` : absolutePath).includes('/node_modules/');
  };
}

/** Returns the warning about a module that the bundle does not hold; null for one that only computes, and for isobar itself. */
function importWarning(name: string, text: string, warningAt: WarningAt): Warning | null {
  const module = name.replace(/^node:/, '');
  if (name === HOST_TOKEN || name === COMPOSE_TOKEN || name === BUNDLER_RUNTIME || isPure(module, text)) return null;
  const isOfNode = builtinModules.includes(module.split('?')[0]!);
  if (!isOfNode) {
    const problem = `the strategy loads ${name}, whose content is not part of the hash`;
    return warningAt('IMPURE_MODULE', problem, Math.max(0, text.indexOf(name)));
  }
  const quotedName = new RegExp(`["'\`](?:node:)?${module.replace(/[/.]/g, String.raw`\$&`)}["'\`]`);
  const index = Math.max(0, text.search(quotedName));
  if (FILE_MODULES.has(module)) {
    return warningAt('LOOKAHEAD_FILE', `the strategy imports node:${module}: a file may hold data from after a bar`, index);
  }
  return warningAt('IMPURE_MODULE', `the strategy imports node:${module}: the result depends on what is outside the run`, index);
}

/** Returns the warning for a file that contains data: a table of numbers, or a long text. */
function embeddedDataWarnings(path: string, text: string, warningAt: WarningAt): readonly Warning[] {
  const isCode = /\.[cm]?[jt]sx?$/i.test(path);
  const index = dataAt(text);
  if (index < 0) return [];
  const problem = isCode ? 'a table of numbers or a long text in the code' : 'the strategy imports a file of data';
  return [warningAt('LOOKAHEAD_FILE', `${problem}: it may hold data from after a bar`, isCode ? index : 0)];
}

/** Returns a warning about the first place that loads code whose name is not known before the run; none: an empty list. */
function dynamicLoadWarnings(text: string, warningAt: WarningAt): readonly Warning[] {
  for (const { index } of codeOnly(text).matchAll(DYNAMIC_LOAD)) {
    if (LITERAL_IMPORT.test(text.slice(index, index + MAX_IMPORT_LENGTH))) continue;
    return [warningAt('IMPURE_MODULE', 'the strategy loads code while it runs, whose content is not part of the hash', index)];
  }
  return [];
}

/** True: the module only computes, or every import of it in the code names such functions. */
function isPure(module: string, text: string): boolean {
  if (PURE_MODULES.has(module)) return true;
  const functions = PURE_FUNCTIONS.get(module);
  if (functions === undefined) return false;
  const quotedModule = String.raw`["'](?:node:)?${module}["']`;
  const moduleLoads = text.match(new RegExp(String.raw`(?:\bfrom|\bimport|\brequire\s*\()\s*${quotedModule}`, 'g')) ?? [];
  const nameLists = [...text.matchAll(new RegExp(String.raw`\bimport\s*\{([^}]*)\}\s*from\s*${quotedModule}`, 'g'))].map(
    ([, names = '']) => names,
  );
  const names = nameLists.flatMap((list) => list.split(',').flatMap((name) => /\S+/.exec(name)?.[0] ?? []));
  return nameLists.length > 0 && nameLists.length === moduleLoads.length && names.every((name) => functions.has(name));
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** Returns the text of a source file; '' if it cannot be read. */
function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // For example a module generated by a bundler plugin.
    return '';
  }
}
