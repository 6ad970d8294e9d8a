// A strategy file becomes a class: bundled, hashed, imported with this very framework, and checked for its shape.

import { statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError, StrategyError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import type { StrategyClass } from '../strategy/strategy.ts';
import { bundle, HOST_TOKEN } from './bundle.ts';
import { writeModule } from './cache.ts';

export interface LoadedStrategy {
  readonly strategy: StrategyClass;
  /** The name of the class, or of the file where the class has none. */
  readonly name: string;
  /** sha-256 of the bundled code. */
  readonly hash: string;
  /** Every file that the bundle is made of, relative to the folder of the strategy. */
  readonly inputs: readonly string[];
}

/** Called by the framework in the middle of its synchronous step: a promise returned from one of these would be lost. */
const CALLBACKS = ['onStart', 'onBar', 'onFill', 'onOrder', 'onStop'] as const;

/**
 * Loads the strategy class that `file` exports by default. `shown` is how messages name the file.
 * `beforeImport` is called when the author's top-level code is about to run.
 * Throws ConfigError when the file is missing, does not compile, or exports no strategy; StrategyError when its top level throws.
 * The file is code with all rights of this process: load only what you would run.
 */
export async function loadStrategy(file: string, shown: string = file, beforeImport: () => void = () => {}): Promise<LoadedStrategy> {
  const path = isAbsolute(file) ? file : resolve(file);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new ConfigError(`${shown}: no such strategy file`, 'give the path of a file that exports a strategy class');
  if (!found.isFile()) throw new ConfigError(`${shown}: expected a strategy file, got a folder`, 'give the path of the file itself');
  const made = await bundle(path, shown);
  const host = pathToFileURL(createRequire(import.meta.url).resolve('isobar')).href;
  const map = Buffer.from(made.map).toString('base64');
  const code = `${made.code.replaceAll(HOST_TOKEN, host)}\n//# sourceMappingURL=data:application/json;base64,${map}\n`;
  // Before the import: only modules that are loaded later get their author's lines in stacks.
  process.setSourceMapsEnabled(true);
  const url = pathToFileURL(writeModule(made.hash, `${host}\n${path}`, code)).href;
  const door = await openDoor(host);
  beforeImport();
  const module: unknown = await import(/* @vite-ignore */ url).catch((error: unknown): never => {
    throw importError(error, shown, door);
  });
  const strategy = checkShape(defaultExport(module), shown, door.Strategy);
  return {
    strategy,
    name: strategy.name === '' ? basename(path).replace(/\.[cm]?[jt]s$/, '') : strategy.name,
    hash: made.hash,
    inputs: made.inputs,
  };
}

type Constructor = abstract new (...args: never[]) => object;

/** The framework as the strategy sees it, through the same address. */
async function openDoor(host: string): Promise<{ readonly Strategy: Constructor }> {
  const door: unknown = await import(/* @vite-ignore */ host);
  if (typeof door === 'object' && door !== null && 'Strategy' in door && isConstructor(door.Strategy))
    return { ...door, Strategy: door.Strategy };
  throw new ConfigError(`${host}: the package exports no Strategy`, 'install isobar again');
}

function importError(error: unknown, shown: string, door: object): Error {
  const message = error instanceof Error ? error.message : String(error);
  const [, missing] = error instanceof SyntaxError ? (/does not provide an export named '([^']+)'/.exec(message) ?? []) : [];
  if (missing === undefined)
    return new StrategyError(`${shown}: the file throws when it is loaded: ${message}`, 'correct its top-level code', error);
  const near = nearest(missing, Object.keys(door));
  const hint = near === null ? '' : `, the nearest is ${near}`;
  return new ConfigError(`${shown}: isobar exports no '${missing}'${hint}`, `it exports ${Object.keys(door).join(', ')}`);
}

function defaultExport(module: unknown): unknown {
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
}

function checkShape(exported: unknown, shown: string, base: Constructor): StrategyClass & { readonly name: string } {
  const example = 'write: export default class MyStrategy extends Strategy.with({ ... }) { ... }';
  if (exported === undefined) throw new ConfigError(`${shown}: expected a default export, got none`, example);
  if (!isConstructor(exported)) throw new ConfigError(`${shown}: expected a class as default export, got ${kindOf(exported)}`, example);
  if (!isStrategy(exported, base)) {
    const name = exported.name === '' ? 'the class' : exported.name;
    throw new ConfigError(`${shown}: expected a class that extends Strategy, got ${name}, which does not`, example);
  }
  for (const callback of CALLBACKS) {
    const kind = functionKind(exported.prototype, callback);
    if (kind === '' || kind === 'Function') continue;
    throw new ConfigError(
      `${shown}: expected a synchronous ${callback}, got a method of kind ${kind}`,
      'callbacks run inside one step of the engine and cannot wait: remove async, await and yield',
    );
  }
  return exported;
}

function isConstructor(value: unknown): value is Constructor & { readonly name: string } {
  return typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null;
}

function isStrategy(value: Constructor, base: Constructor): value is Constructor & StrategyClass & { readonly name: string } {
  return value.prototype instanceof base;
}

/** `Function`, `AsyncFunction`, `GeneratorFunction` ... of a method, or '' where the class has none. */
function functionKind(prototype: object, name: string): string {
  const method: unknown = Reflect.get(prototype, name);
  return typeof method === 'function' ? Object.prototype.toString.call(method).slice(8, -1) : '';
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : typeof value === 'function' ? 'a function' : `a ${typeof value}`;
}
