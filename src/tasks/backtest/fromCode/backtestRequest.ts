// The options of `backtest` in `isobar/run`, and their conversion to a run request.

import { createHash } from 'node:crypto';
import { givenBars, type Bars } from '../../../adapters/catalog/bars/givenBars.ts';
import { nowMs } from '../../../adapters/clock/wallClock.ts';
import { ConfigError } from '../../../base/errors.ts';
import { checkStrategy, type LoadedStrategy } from '../../../adapters/plugins/loadStrategy.ts';
import { Strategy, type StrategyClass } from '../../../strategy/strategy.ts';
import { isComposeModule, type ModuleInMemory } from '../../../definition/models/modules.ts';
import type { ComposeModule } from '../../../definition/plan/module.ts';
import type { OptionsRequest, RunRequest } from '../../../definition/request.ts';
import type { Definition } from '../../../definition/text/schema.ts';

/** A definition file (docs/backtest.md). */
export interface FileOptions {
  /** Path of a run definition, YAML. */
  readonly definition: string;
  /** Settings `key=value` as for `--set`: `['params.fast=20']`. */
  readonly set?: readonly string[];
}

/**
 * A run in code. Decimals are text (`'0.001'`), because money is counted exactly. An option that is left out has the default of a run
 * definition (docs/backtest.md).
 */
export interface CodeOptions {
  /** The class itself, the path of a file that exports one, or a list of paths and `{ file, params, share }` on one account. */
  readonly strategy: StrategyClass | Definition['strategy'];
  /** Parameters of the class by name, checked against their declared range. Default: those of the class. */
  readonly params?: Readonly<Record<string, string | number | boolean>>;
  /**
   * Bars in place of a catalog: a file for `isobar data import`, columns in memory, or a list of these. One set of bars becomes the feed
   * `bars`. Name several sets by `feeds`.
   */
  readonly data?: string | Bars | readonly (string | Bars)[];
  /** Symbol and interval of the files in `data`, if their names do not contain them (`BTCUSDT-1h.csv` does). */
  readonly symbol?: string;
  readonly interval?: string;
  /** Bars by the name under which the strategy asks for them: `{ bars: { symbol: 'BTCUSDT', interval: '1h' } }`. */
  readonly feeds?: Definition['feeds'];
  /** External series in the catalog by the name under which the strategy asks for them: `{ openInterest: {} }`. */
  readonly series?: Definition['series'];
  /** Folder of imported bars. Default `data`. Not together with the option `data`. */
  readonly catalog?: string;
  /** Kind of market. Default `spot`. */
  readonly market?: Definition['market'];
  /** How the account trades contracts (docs/futures.md). Only with `market: 'futures'`. */
  readonly futures?: Definition['futures'];
  /** When strategies decide: `'whenComplete'` (default) or `'perFeed'` (docs/backtest.md#when-strategies-decide). */
  readonly decide?: Definition['decide'];
  /** Start, and end (exclusive), of the run: `2024-01-01` or `2024-01-01T08:30`, UTC. Default: all bars. */
  readonly from?: string;
  readonly to?: string;
  /** Starting balance in the quote asset, `'10000'`, or balances by asset, `{ USDT: '10000' }`. With both markets also by market. */
  readonly cash: Definition['cash'];
  /** With several quote assets: the symbol whose close values an asset in the reporting asset, `{ BTC: 'BTCUSDT' }` (docs/quote-assets.md). */
  readonly convert?: Definition['convert'];
  /** Size of an order without a size: `{ base }`, `{ quote }` or `{ equity }`, a fraction of equity. Default `{ equity: '0.95' }`. */
  readonly size?: Definition['size'];
  /**
   * Fee of every fill as a fraction of its notional, `'0.001'` is 0.1 %; or `{ maker, taker, in, rounding }`. Default: the instrument's
   * fees.
   */
  readonly fees?: string | Definition['fees'];
  /** How orders fill: the keys under `fills` of a definition (docs/backtest.md). */
  readonly fills?: Definition['fills'];
  /** Risk limits for all orders, such as `{ maxLeverage: '1' }`. Default none. */
  readonly risk?: Definition['risk'];
  /** Files with custom models of slippage, fees and risk rules: `{ slippage: 'models/spread.ts' }`. */
  readonly models?: Definition['models'];
  /** Modules that rebind parts of the bot (docs/compose.md): results of `composeModule`, or paths of files that export one. */
  readonly modules?: readonly (ComposeModule | string)[];
  /** Seed of all random numbers, 0 to 2147483647. Default 1. */
  readonly seed?: number;
  /** Name of the run: letters, digits, `.` `-` `_`. Default: the name of the strategy. */
  readonly name?: string;
  /** Overrides of instrument records by symbol: `{ BTCUSDT: { quantityPrecision: 5, minQuantity: '0.00001' } }`. */
  readonly instruments?: Definition['instruments'];
}

/** Options of a backtest from code: a definition file with changes, or all parts in code. */
export type BacktestOptions = FileOptions | CodeOptions;

/** A run request, with the parts that were given as values. */
export interface CodeRequest {
  readonly request: RunRequest;
  /** The strategy class, if one was given as a value. */
  readonly loadedStrategy: LoadedStrategy | null;
  /** The modules that were given as values, by their index in the list. */
  readonly modules: ReadonlyMap<number, ModuleInMemory>;
}

/** Converts the options of `backtest` to a run request. Throws ConfigError for an invalid strategy class, module or bars. */
export function backtestRequest(options: BacktestOptions): CodeRequest {
  checkObject(options);
  if ('definition' in options) return { request: fileRequest(options), loadedStrategy: null, modules: new Map() };
  const { data, strategy, fees, symbol, interval, modules: composed, ...definitionKeys } = options;
  const modules = modulesInMemory(composed);
  const loadedStrategy = typeof strategy === 'function' ? loadedFrom(strategy) : null;
  const sources = sourcesIn(data);
  const files = sources.filter((source) => typeof source === 'string');
  checkNames({ symbol, interval }, files);
  const sets = sources.filter((source) => typeof source !== 'string').map((source) => givenBars(source, nowMs()));
  const values = {
    strategy: loadedStrategy?.name ?? strategy,
    ...definitionKeys,
    ...(composed === undefined ? {} : { modules: composed.map((module, index) => modules.get(index)?.module.name ?? module) }),
    ...(fees === undefined ? {} : { fees: typeof fees === 'string' ? { maker: fees, taker: fees } : fees }),
  };
  const request: OptionsRequest = {
    kind: 'options',
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
    data: data === undefined ? null : { files, sets },
    symbol,
    interval,
    called: 'backtest options',
    places: {},
    inCode: [
      ...(loadedStrategy === null ? [] : [`the strategy ${loadedStrategy.name}`]),
      ...Array.from(modules.values(), ({ module }) => `the module ${module.name}`),
      ...sets.map(({ bars }) => `the bars of ${bars.instrument.wireName} ${bars.interval}`),
    ],
  };
  return { request: { ...request, settings: [] }, loadedStrategy, modules };
}

/** Returns the modules that were given as values, by their index. A path is loaded with the definition, which also rejects all other values. */
function modulesInMemory(composed: unknown): ReadonlyMap<number, ModuleInMemory> {
  if (composed === undefined) return new Map();
  if (!Array.isArray(composed))
    throw new ConfigError(
      `backtest options modules: expected a list, got a ${typeof composed}`,
      "write: modules: [composeModule('NAME', ({ rebind }) => { ... })]",
    );
  const candidates: readonly unknown[] = composed;
  const modules = new Map<number, ModuleInMemory>();
  for (const [index, candidate] of candidates.entries()) {
    if (isComposeModule(candidate)) modules.set(index, { module: candidate, hash: moduleHash(candidate) });
  }
  return modules;
}

/** Returns the hash of the text of a module's factories: no more of its code is visible. */
function moduleHash({ name, bindings }: ComposeModule): string {
  const hash = createHash('sha256').update(name);
  for (const { part, isWrapping, needs, make } of bindings) hash.update(JSON.stringify([part, isWrapping, needs, String(make)]));
  return hash.digest('hex');
}

/** Throws ConfigError unless the options are an object. */
function checkObject(options: unknown): void {
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) return;
  const type = Array.isArray(options) ? 'list' : typeof options;
  const actual = options === undefined || options === null ? 'nothing' : `a ${type}`;
  throw new ConfigError(`backtest options: expected an object, got ${actual}`, "write: backtest({ strategy, data, cash: '10000' })");
}

/**
 * Throws ConfigError for a symbol or interval without a file. These names apply only to files. Bars in memory and in a catalog have their own
 * names, so others would be ignored silently.
 */
function checkNames(names: Readonly<Record<string, string | undefined>>, files: readonly string[]): void {
  const [name] = files.length > 0 ? [] : Object.entries(names).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  if (name === undefined) return;
  throw new ConfigError(
    `backtest options ${name}: expected a file in data beside it, got none`,
    `leave it out; bars and feeds name their own ${name}`,
  );
}

/** Converts the options of a definition file. Throws ConfigError for options of code, because they would be ignored silently. */
function fileRequest(options: FileOptions): RunRequest {
  const surplusOption = Object.entries(options).find(([key, value]) => key !== 'definition' && key !== 'set' && value !== undefined);
  if (surplusOption !== undefined) {
    const [key] = surplusOption;
    throw new ConfigError(
      `backtest options ${key}: expected not to be given with definition`,
      `leave it out; a key of the definition is changed by set: ['${key}=...']`,
    );
  }
  const { definition, set = [] }: { readonly definition: unknown; readonly set?: unknown } = options;
  if (typeof definition !== 'string') {
    throw new ConfigError(
      `backtest options definition: expected the path of a run definition, got a ${typeof definition}`,
      "write: { definition: 'x.yaml' }",
    );
  }
  if (!Array.isArray(set) || !set.every((setting) => typeof setting === 'string')) {
    throw new ConfigError(`backtest options set: expected a list of texts, got ${JSON.stringify(set)}`, "write: set: ['params.fast=20']");
  }
  return { kind: 'file', file: definition, settings: set };
}

/** Returns the sources that `data` names: none, one or a list. */
function sourcesIn(data: CodeOptions['data']): readonly (string | Bars)[] {
  if (data === undefined) return [];
  return isList(data) ? data : [data];
}

/** True when `data` is a list of sources. */
function isList(data: NonNullable<CodeOptions['data']>): data is readonly (string | Bars)[] {
  return Array.isArray(data);
}

/**
 * Returns a strategy class that was given as a value, in the form of a loaded file. Its hash covers the text of the class and its base classes,
 * because no more of its code is visible.
 */
function loadedFrom(strategyClass: StrategyClass): LoadedStrategy {
  const strategy = checkStrategy(strategyClass, strategyClass.name === '' ? 'strategy' : strategyClass.name, Strategy);
  const hash = createHash('sha256');
  let ancestor: unknown = strategy;
  while (typeof ancestor === 'function' && ancestor !== Strategy) {
    hash.update(String(ancestor));
    ancestor = Object.getPrototypeOf(ancestor);
  }
  return { strategy, name: strategy.name === '' ? 'strategy' : strategy.name, hash: hash.digest('hex'), inputs: [], reach: [], url: null };
}
