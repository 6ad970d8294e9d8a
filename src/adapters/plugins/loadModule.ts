// Loads an author's file as a module: bundles it, hashes it, and imports it with this copy of the framework.

import { existsSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, extname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { entryKindText } from '../disk/regularFile.ts';
import { ConfigError, StrategyError } from '../../base/errors.ts';
import { builtUrl } from '../../base/inPackage.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Warning } from '../../model/warning.ts';
import { bundleInProcess, type Bundler } from './bundler.ts';
import { COMPOSE_TOKEN, HOST_TOKEN } from './hostToken.ts';
import { writeModule } from './moduleCache.ts';

/** An author's file as a loaded module. */
export interface LoadedModule {
  /** Its default export; undefined if it has none. */
  readonly exported: unknown;
  /** The framework as the module sees it. */
  readonly framework: object;
  /** sha-256 of the bundled code. */
  readonly hash: string;
  /** All bundled files, relative to the folder of `file`. */
  readonly inputs: readonly string[];
  /** Warnings about what the code uses outside the run. */
  readonly reach: readonly Warning[];
  /** With a query appended, the URL imports a separate module with its own state. */
  readonly url: string;
}

/** Imports the module at a URL, made of `files` (absolute paths). Replaceable, to observe code while it is loaded. */
export type Importer = (url: string, files: readonly string[]) => Promise<unknown>;

const plainImport: Importer = (url) => import(/* @vite-ignore */ url);

const CODE_FILE = /\.[cm]?[jt]sx?$/i;

/** How the code of an author is compiled and run. */
export interface ModuleLoading {
  /** Runs the top-level code. */
  readonly importer?: Importer | undefined;
  /** Default: in this process. */
  readonly bundler?: Bundler | undefined;
}

/**
 * Loads a TypeScript or JavaScript file. `displayName` names it in messages, `kind` is the kind of export, such as `strategy`. Throws
 * ConfigError if the file is missing or does not compile; StrategyError if its top-level code throws.
 */
export async function loadModule(
  file: string,
  displayName: string,
  kind: string,
  { importer = plainImport, bundler = bundleInProcess }: ModuleLoading = {},
): Promise<LoadedModule> {
  const path = isAbsolute(file) ? file : resolve(file);
  const stats = existsSync(path) ? statSync(path) : null;
  if (!stats) throw new ConfigError(`${displayName}: no such ${kind} file`, `give the path of a file that exports a ${kind}`);
  if (!stats.isFile())
    throw new ConfigError(`${displayName}: expected a ${kind} file, got ${entryKindText(stats)}`, 'give the path of the file itself');
  if (!CODE_FILE.test(path)) {
    const ending = extname(path);
    throw new ConfigError(
      `${displayName}: expected a ${kind} file (.ts or .js), got ${ending === '' ? 'one without an ending' : ending}`,
      `give the path of a file that exports a ${kind}`,
    );
  }
  const bundled = await bundler(path, displayName);
  const host = builtUrl('index').href;
  const compose = builtUrl('compose').href;
  const map = Buffer.from(bundled.map).toString('base64');
  const code = `${bundled.code.replaceAll(HOST_TOKEN, host).replaceAll(COMPOSE_TOKEN, compose)}\n//# sourceMappingURL=data:application/json;base64,${map}\n`;
  // Must precede the import: only modules loaded later get their source lines in stack traces.
  process.setSourceMapsEnabled(true);
  const url = pathToFileURL(writeModule(bundled.hash, code)).href;
  const framework = await importFramework(host);
  const files = bundled.inputs.map((name) => resolve(dirname(path), name));
  const module: unknown = await importer(url, files).catch(async (error: unknown): Promise<never> => {
    const isOfCompose = error instanceof SyntaxError && error.message.includes(`'${compose}'`);
    throw importError(
      error,
      displayName,
      isOfCompose ? await importFramework(compose) : framework,
      isOfCompose ? 'isobar/compose' : 'isobar',
    );
  });
  return { exported: defaultExport(module), framework, hash: bundled.hash, inputs: bundled.inputs, reach: bundled.reach, url };
}

/** Imports the framework from the same address as the author's module. */
async function importFramework(host: string): Promise<object> {
  const framework: unknown = await import(/* @vite-ignore */ host);
  return typeof framework === 'object' && framework !== null ? framework : {};
}

/** Returns the error for a module that cannot be imported: a missing export, a `require`, or an exception of its top-level code. */
function importError(error: unknown, displayName: string, framework: object, frameworkName: string): Error {
  const message = error instanceof Error ? error.message : String(error);
  // esbuild replaces a `require` of an unbundled module, such as isobar, by code that throws this.
  const [, required = null] = /^Dynamic require of "([^"]*)"/.exec(message) ?? [];
  if (required !== null && !isBuiltin(required) && !/^(?:file:|isobar)/.test(required)) {
    return new ConfigError(
      `${displayName}: it, or a package that it imports, takes '${required}' by require while it is loaded, and the bundle does not hold it`,
      `add an import of ${required} to the strategy file, or use another package`,
    );
  }
  if (required !== null || message.startsWith("Cannot find module 'file:")) {
    return new ConfigError(
      `${displayName}: it takes isobar, or a module of Node, by require`,
      'take it by import, as the shipped strategies do',
    );
  }
  const [, moduleName = '', missing] =
    error instanceof SyntaxError
      ? (/^(?:The requested module '([^']+)' )?does not provide an export named '([^']+)'/.exec(message) ?? [])
      : [];
  if (missing === undefined)
    return new StrategyError(`${displayName}: the file throws when it is loaded: ${message}`, 'correct its top-level code', error);
  if (moduleName.startsWith('node:'))
    return new ConfigError(`${displayName}: ${moduleName} exports no '${missing}'`, 'correct the name that it imports');
  const nearest = nearestName(missing, Object.keys(framework));
  const hint = nearest === null ? '' : `, the nearest is ${nearest}`;
  return new ConfigError(
    `${displayName}: ${frameworkName} exports no '${missing}'${hint}`,
    `it exports ${Object.keys(framework).join(', ')}`,
  );
}

function defaultExport(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
}
