// A strategy file becomes a class: loaded as any module of an author, and checked for its shape.

import { basename } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import type { Warning } from '../../model/warning.ts';
import type { StrategyClass } from '../../strategy/strategy.ts';
import type { Bundler } from './bundler.ts';
import { loadModule, type Importer } from './loadModule.ts';

export interface LoadedStrategy {
  readonly strategy: StrategyClass;
  /** The name of the class, or of the file where the class has none. */
  readonly name: string;
  /** sha-256 of the bundled code. */
  readonly hash: string;
  /** Every file that the bundle is made of, relative to the folder of the strategy. */
  readonly inputs: readonly string[];
  /** What it reaches beside the run. */
  readonly reach: readonly Warning[];
  /** Where its module lies; null for a class that was at hand. */
  readonly url: string | null;
}

/** Called by the framework in the middle of its synchronous step: a promise returned from one of these would be lost. */
const CALLBACKS = ['onStart', 'onBar', 'onFill', 'onOrder', 'onStop'] as const;

/**
 * Loads the strategy class that `file` exports by default. `shown` is how messages name the file.
 * `importer` runs the author's top-level code.
 * Throws ConfigError when the file is missing, does not compile, or exports no strategy; StrategyError when its top level throws.
 * The file is code with all rights of this process: load only what you would run.
 */
export async function loadStrategy(file: string, shown: string = file, importer?: Importer, bundler?: Bundler): Promise<LoadedStrategy> {
  const { exported, framework, hash, inputs, reach, url } = await loadModule(file, shown, 'strategy', importer, bundler);
  const strategy = checkDefault(exported, shown, baseOf(framework));
  const name = strategy.name === '' ? basename(file).replace(/\.[cm]?[jt]s$/, '') : strategy.name;
  return { strategy, name, hash, inputs, reach, url };
}

type Constructor = abstract new (...args: never[]) => object;

function baseOf(server: object): Constructor {
  if ('Strategy' in server && isConstructor(server.Strategy)) return server.Strategy;
  throw new ConfigError('the isobar package exports no Strategy', 'install isobar again');
}

const EXAMPLE = 'write: export default class MyStrategy extends Strategy.with({ ... }) { ... }';

function checkDefault(exported: unknown, shown: string, base: Constructor): StrategyClass {
  if (exported === undefined) throw new ConfigError(`${shown}: expected a default export, got none`, EXAMPLE);
  if (!isConstructor(exported)) throw new ConfigError(`${shown}: expected a class as default export, got ${kindOf(exported)}`, EXAMPLE);
  return checkStrategy(exported, shown, base);
}

/** A class that extends `base` and whose callbacks are synchronous. Throws ConfigError; `shown` is how its message names the class. */
export function checkStrategy(exported: Constructor & { readonly name: string }, shown: string, base: Constructor): StrategyClass {
  if (!isStrategy(exported, base)) {
    const name = exported.name === '' ? 'the class' : exported.name;
    const remedy = extendsNamesake(exported, base) ? 'two copies of isobar are loaded: install one (npm ls isobar)' : EXAMPLE;
    throw new ConfigError(`${shown}: expected a class that extends Strategy, got ${name}, which does not`, remedy);
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

/** It extends the Strategy of another copy of the package. */
function extendsNamesake(value: Constructor, base: Constructor): boolean {
  for (let each: unknown = value; typeof each === 'function'; each = Object.getPrototypeOf(each)) if (each.name === base.name) return true;
  return false;
}

/** `Function`, `AsyncFunction`, `GeneratorFunction` ... of a method, or '' where the class has none. */
function functionKind(prototype: object, name: string): string {
  const method: unknown = Reflect.get(prototype, name);
  return typeof method === 'function' ? Object.prototype.toString.call(method).slice(8, -1) : '';
}

function kindOf(value: unknown): string {
  return value === null
    ? 'null'
    : typeof value === 'function'
      ? 'a function'
      : typeof value === 'object'
        ? 'an object'
        : `a ${typeof value}`;
}
