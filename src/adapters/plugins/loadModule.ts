// A file of an author becomes a module: bundled, hashed, and imported with this very framework.

import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, StrategyError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Warning } from '../../model/warning.ts';
import { bundleInProcess, type Bundler } from './bundler.ts';
import { COMPOSE_TOKEN, HOST_TOKEN } from './hostToken.ts';
import { writeModule } from './cache.ts';

export interface LoadedModule {
  /** Its default export; undefined where it has none. */
  readonly exported: unknown;
  /** The framework as the module sees it. */
  readonly framework: object;
  /** sha-256 of the bundled code. */
  readonly hash: string;
  /** Every file that the bundle is made of, relative to the folder of `file`. */
  readonly inputs: readonly string[];
  /** What it reaches beside the run. */
  readonly reach: readonly Warning[];
  /** Imported under a query it is a module of its own, with state of its own. */
  readonly url: string;
}

/** Imports the module at a URL: whoever watches code while it is loaded stands here. */
export type Importer = (url: string) => Promise<unknown>;

const plainImport: Importer = (url) => import(/* @vite-ignore */ url);

const CODE = /\.[cm]?[jt]sx?$/i;

/**
 * Loads a TypeScript or JavaScript file. `shown` is how messages name it, `what` the kind of thing that it exports, such as `strategy`.
 * `importer` runs the author's top-level code.
 * Throws ConfigError when the file is missing or does not compile; StrategyError when its top level throws.
 */
export async function loadModule(
  file: string,
  shown: string,
  what: string,
  importer: Importer = plainImport,
  bundler: Bundler = bundleInProcess,
): Promise<LoadedModule> {
  const path = isAbsolute(file) ? file : resolve(file);
  const found = existsSync(path) ? statSync(path) : null;
  if (!found) throw new ConfigError(`${shown}: no such ${what} file`, `give the path of a file that exports a ${what}`);
  if (!found.isFile()) throw new ConfigError(`${shown}: expected a ${what} file, got a folder`, 'give the path of the file itself');
  if (!CODE.test(path)) {
    const ending = extname(path);
    throw new ConfigError(
      `${shown}: expected a ${what} file (.ts or .js), got ${ending === '' ? 'one without an ending' : ending}`,
      `give the path of a file that exports a ${what}`,
    );
  }
  const made = await bundler(path, shown);
  const [host, compose] = [doorAddress('isobar'), doorAddress('isobar/compose')];
  const map = Buffer.from(made.map).toString('base64');
  const code = `${made.code.replaceAll(HOST_TOKEN, host).replaceAll(COMPOSE_TOKEN, compose)}\n//# sourceMappingURL=data:application/json;base64,${map}\n`;
  // Before the import: only modules that are loaded later get their author's lines in stacks.
  process.setSourceMapsEnabled(true);
  const url = pathToFileURL(writeModule(made.hash, code)).href;
  const framework = await importFramework(host);
  const module: unknown = await importer(url).catch(async (error: unknown): Promise<never> => {
    const isOfCompose = error instanceof SyntaxError && error.message.includes(`'${compose}'`);
    throw importError(error, shown, isOfCompose ? await importFramework(compose) : framework, isOfCompose ? 'isobar/compose' : 'isobar');
  });
  return { exported: defaultExport(module), framework, hash: made.hash, inputs: made.inputs, reach: made.reach, url };
}

/** The URL of a door of this very package. */
function doorAddress(server: string): string {
  return pathToFileURL(createRequire(import.meta.url).resolve(server)).href;
}

/** The framework through the same address as the author's module. */
async function importFramework(host: string): Promise<object> {
  const server: unknown = await import(/* @vite-ignore */ host);
  return typeof server === 'object' && server !== null ? server : {};
}

function importError(error: unknown, shown: string, server: object, serverName: string): Error {
  const message = error instanceof Error ? error.message : String(error);
  // What esbuild leaves of a `require` of what it does not bundle, which isobar is.
  if (/^(Dynamic require of|Cannot find module 'file:)/.test(message)) {
    return new ConfigError(`${shown}: it takes isobar, or a module of Node, by require`, 'take it by import, as the shipped strategies do');
  }
  const [, missing] = error instanceof SyntaxError ? (/does not provide an export named '([^']+)'/.exec(message) ?? []) : [];
  if (missing === undefined)
    return new StrategyError(`${shown}: the file throws when it is loaded: ${message}`, 'correct its top-level code', error);
  const near = nearestName(missing, Object.keys(server));
  const hint = near === null ? '' : `, the nearest is ${near}`;
  return new ConfigError(`${shown}: ${serverName} exports no '${missing}'${hint}`, `it exports ${Object.keys(server).join(', ')}`);
}

function defaultExport(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
}
