// Names parameters in a run with several strategies, so that each name in a grid belongs to one strategy.

import type { ParamSpec, Specs } from '../../strategy/params.ts';
import type { StrategyPlan } from '../../definition/plan/plan.ts';

/**
 * Returns the prefix of each strategy's parameters: empty for a single strategy, `SmaCross.` for one of several, `SmaCross#2.` for the
 * second of the same name.
 */
export function paramPrefixes(strategies: readonly StrategyPlan[]): readonly string[] {
  if (strategies.length === 1) return [''];
  return strategies.map(({ record }, index) => {
    const number = strategies.slice(0, index + 1).filter((other) => other.record.name === record.name).length;
    return number === 1 ? `${record.name}.` : `${record.name}#${number}.`;
  });
}

/** Returns the parameters of all strategies by their names in a grid. */
export function paramSpecs(strategies: readonly StrategyPlan[]): Specs {
  const prefixes = paramPrefixes(strategies);
  const specs = new Map<string, ParamSpec<unknown>>();
  strategies.forEach(({ strategy }, index) => {
    for (const [name, spec] of Object.entries(strategy.params)) specs.set(`${prefixes[index]}${name}`, spec);
  });
  return Object.fromEntries(specs);
}

/** Returns the strategies with their parameters from `set`. */
export function withParams(strategies: readonly StrategyPlan[], set: Readonly<Record<string, unknown>>): readonly StrategyPlan[] {
  const prefixes = paramPrefixes(strategies);
  return strategies.map((plan, index) => {
    const prefix = prefixes[index] ?? '';
    const ownParams = Object.entries(set).filter(([key]) => key.startsWith(prefix));
    const ownValues = Object.fromEntries(ownParams.map(([key, value]) => [key.slice(prefix.length), value]));
    return { ...plan, params: { ...plan.params, ...ownValues } };
  });
}

/** Returns the key for `--set` of the parameter `name` in a grid. `strategyEntry`: the value under `strategy` in the definition. */
export function settingOf(strategies: readonly StrategyPlan[], strategyEntry: unknown, name: string): string {
  const gridPrefixes = paramPrefixes(strategies);
  const owner = gridPrefixes.findIndex((prefix) => name.startsWith(prefix));
  const nameInStrategy = name.slice(gridPrefixes[owner]?.length);
  return `${paramSettings(strategyEntry).prefixes[owner]}${nameInStrategy}`;
}

/**
 * Returns the prefixes of `--set` keys for each strategy, such as `params.` or `strategy.1.params.`, and settings that must come first.
 * `strategyEntry`: the value under `strategy` in the definition. If the definition lists plain paths, the path of each
 * strategy must be set as a key too, before its parameters.
 */
export function paramSettings(strategyEntry: unknown): { readonly prefixes: readonly string[]; readonly first: readonly string[] } {
  if (!Array.isArray(strategyEntry)) return { prefixes: ['params.'], first: [] };
  return {
    prefixes: strategyEntry.map((_, index) => `strategy.${index}.params.`),
    first: strategyEntry.flatMap((listed: unknown, index) => (typeof listed === 'string' ? [`strategy.${index}.file=${listed}`] : [])),
  };
}
