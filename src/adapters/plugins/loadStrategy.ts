// Loads a strategy file and checks that it exports a strategy class.

import { basename } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import type { Warning } from '../../model/warning.ts';
import type { StrategyClass } from '../../strategy/strategy.ts';
import type { Bundler } from './bundler.ts';
import { loadModule, type Importer } from './loadModule.ts';

/** A strategy class from an author's file. */
export interface LoadedStrategy {
  readonly strategy: StrategyClass;
  /** Name of the class, or of the file if the class has none. */
  readonly name: string;
  /** sha-256 of the bundled code. */
  readonly hash: string;
  /** All bundled files, relative to the folder of the strategy. */
  readonly inputs: readonly string[];
  /** Warnings about what the code uses outside the run. */
  readonly reach: readonly Warning[];
  /** URL of its module; null for a class that was passed in. */
  readonly url: string | null;
}

/** The callbacks of a strategy. The engine calls them synchronously, so a promise that one of them returns would be lost. */
const CALLBACKS = ['onStart', 'onBar', 'onFill', 'onOrder', 'onStop'] as const;

const REMEDY = 'callbacks run inside one step of the engine and cannot wait: remove async, await and yield';

/** A callback is an async method. `displayName` is the file, or the name of the class. */
export class AsyncCallbackError extends ConfigError {
  readonly displayName: string;
  /** The name of the callback, such as `onBar`. */
  readonly callback: string;
  constructor(message: string, displayName: string, callback: string) {
    super(message, REMEDY);
    this.displayName = displayName;
    this.callback = callback;
  }
}

/**
 * Loads the strategy class that `file` exports by default. `displayName` names the file in messages. `importer` runs the author's top-level code.
 * Throws ConfigError if the file is missing, does not compile or exports no strategy; StrategyError if its top-level code throws.
 * The file is code with all rights of this process: load only what you would run.
 */
export async function loadStrategy(
  file: string,
  displayName: string = file,
  importer?: Importer,
  bundler?: Bundler,
): Promise<LoadedStrategy> {
  const { exported, framework, hash, inputs, reach, url } = await loadModule(file, displayName, 'strategy', { importer, bundler });
  const strategy = checkDefault(exported, displayName, baseOf(framework));
  const name = strategy.name === '' ? basename(file).replace(/\.[cm]?[jt]s$/, '') : strategy.name;
  return { strategy, name, hash, inputs, reach, url };
}

type Constructor = abstract new (...args: never[]) => object;

function baseOf(framework: object): Constructor {
  if ('Strategy' in framework && isConstructor(framework.Strategy)) return framework.Strategy;
  throw new ConfigError('the isobar package exports no Strategy', 'install isobar again');
}

const EXAMPLE = 'write: export default class MyStrategy extends Strategy.with({ ... }) { ... }';

/** Returns the strategy class that a file exports. Throws ConfigError for any other default export. */
function checkDefault(exported: unknown, displayName: string, base: Constructor): StrategyClass {
  if (exported === undefined) throw new ConfigError(`${displayName}: expected a default export, got none`, EXAMPLE);
  if (!isConstructor(exported))
    throw new ConfigError(`${displayName}: expected a class as default export, got ${valueKindText(exported)}`, EXAMPLE);
  return checkStrategy(exported, displayName, base);
}

/** Returns a class that extends `base` and has synchronous callbacks. Throws ConfigError; `displayName` names the class in the message. */
export function checkStrategy(exported: Constructor & { readonly name: string }, displayName: string, base: Constructor): StrategyClass {
  if (!isStrategy(exported, base)) {
    const name = exported.name === '' ? 'the class' : exported.name;
    const remedy = extendsNamesake(exported, base) ? 'two copies of isobar are loaded: install one (npm ls isobar)' : EXAMPLE;
    throw new ConfigError(`${displayName}: expected a class that extends Strategy, got ${name}, which does not`, remedy);
  }
  for (const callback of CALLBACKS) {
    const kind = functionKind(exported.prototype, callback);
    if (kind === '' || kind === 'Function') continue;
    const message = `${displayName}: expected a synchronous ${callback}, got a method of kind ${kind}`;
    throw kind.startsWith('Async') ? new AsyncCallbackError(message, displayName, callback) : new ConfigError(message, REMEDY);
  }
  return exported;
}

function isConstructor(value: unknown): value is Constructor & { readonly name: string } {
  return typeof value === 'function' && typeof value.prototype === 'object' && value.prototype !== null;
}

function isStrategy(value: Constructor, base: Constructor): value is Constructor & StrategyClass & { readonly name: string } {
  return value.prototype instanceof base;
}

/** True if it extends the Strategy of another copy of the package. */
function extendsNamesake(value: Constructor, base: Constructor): boolean {
  for (
    let constructorInChain: unknown = value;
    typeof constructorInChain === 'function';
    constructorInChain = Object.getPrototypeOf(constructorInChain)
  )
    if (constructorInChain.name === base.name) return true;
  return false;
}

/** Returns `Function`, `AsyncFunction`, `GeneratorFunction` ... for a method, or '' if the class has none. */
function functionKind(prototype: object, name: string): string {
  const method: unknown = Reflect.get(prototype, name);
  return typeof method === 'function' ? Object.prototype.toString.call(method).slice(8, -1) : '';
}

/** Returns the kind of a value, for messages. */
function valueKindText(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
