// Loads the strategies of a definition as classes with checked parameters.

import { dirname } from 'node:path';
import { Decimal } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import type { Bundler } from '../../adapters/plugins/bundler.ts';
import type { Importer } from '../../adapters/plugins/loadModule.ts';
import { loadStrategy, type LoadedStrategy } from '../../adapters/plugins/loadStrategy.ts';
import { parseParams, type Specs } from '../../strategy/params.ts';
import type { StrategyPlan } from '../plan/plan.ts';
import { locate } from '../text/paths.ts';
import type { StrategyEntry } from './withDefaults.ts';
import type { DefinitionSource, KeyPath } from '../text/source.ts';

/** A loaded strategy. */
export interface LoadedEntry {
  readonly plan: StrategyPlan;
  /** All files of the bundle, relative to `folder`, the folder of the strategy. Empty for a class given in code. */
  readonly inputs: readonly string[];
  readonly folder: string;
}

/** Loads the file of an entry and checks its parameters. Throws ConfigError or StrategyError. */
export async function loadEntry(
  entry: StrategyEntry,
  source: DefinitionSource,
  importer?: Importer,
  bundler?: Bundler,
): Promise<LoadedEntry> {
  const path = locate(source, entry.filePath, entry.file, { description: 'a strategy file', kind: 'file', remedy: 'correct the path' });
  const loadedStrategy = await loadStrategy(path, entry.file, importer, bundler);
  return { plan: strategyPlanOf(entry, loadedStrategy, source), inputs: loadedStrategy.inputs, folder: dirname(path) };
}

type LoadedClass = Pick<LoadedStrategy, 'strategy' | 'name' | 'hash'> & Partial<LoadedStrategy>;

/** Returns the plan of an entry whose class is already loaded. */
export function strategyPlanOf(entry: StrategyEntry, loaded: LoadedClass, source: DefinitionSource): StrategyPlan {
  const values = checkedParams(loaded.strategy.params, entry, source);
  const params = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, recordValue(value)]));
  return {
    strategy: loaded.strategy,
    record: { name: loaded.name, file: entry.file, hash: loaded.hash, params },
    params: entry.params,
    share: entry.share,
    hash: loaded.hash,
    reach: loaded.reach ?? [],
    url: loaded.url ?? null,
  };
}

/** Returns the checked parameters with defaults. Checks each one alone first, so that a message has the line of the parameter. */
function checkedParams(specs: Specs, { params, paramsPath }: StrategyEntry, source: DefinitionSource): Record<string, unknown> {
  for (const [name, value] of Object.entries(params)) {
    const path: KeyPath = [...paramsPath, name];
    const prefix = paramsPath
      .slice(0, -1)
      .map((key) => `${key}.`)
      .join('');
    const onlyThisParam = { [name]: value };
    const onlyThisSpec = Object.hasOwn(specs, name) ? { [name]: specs[name]! } : specs;
    parseParams(onlyThisSpec, onlyThisParam, `${source.place(path)} ${prefix}`.trimEnd());
  }
  return parseParams(specs, params, source.file);
}

/** Returns a parameter for the run's record. */
function recordValue(value: unknown): string | number | boolean {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value instanceof Decimal) return value.toFixed();
  throw new ConfigError(
    `a parameter is not a number, text, flag or decimal: ${String(value)}`,
    'declare it by int, float, decimal, flag or choice',
  );
}
