// Names of parameters in a run with several strategies: which strategy a name in a grid belongs to.

import type { ParamSpec, Specs } from '../../strategy/params.ts';
import type { StrategyPlan } from '../../definition/plan/plan.ts';

/**
 * Returns the prefix of each strategy's parameters: empty for a single strategy, `SmaCross.` for one of several, `SmaCross#2.` for the
 * second of the same name.
 */
export function paramPrefixes(strategies: readonly StrategyPlan[]): readonly string[] {
  if (strategies.length === 1) return [''];
  return strategies.map(({ record }, at) => {
    const turn = strategies.slice(0, at + 1).filter((other) => other.record.name === record.name).length;
    return turn === 1 ? `${record.name}.` : `${record.name}#${turn}.`;
  });
}

/** Returns the parameters of all strategies by their names in a grid. */
export function paramSpecs(strategies: readonly StrategyPlan[]): Specs {
  const prefixes = paramPrefixes(strategies);
  const named = strategies.flatMap(({ strategy }, at) =>
    Object.entries(strategy.params).map(([name, spec]): [string, ParamSpec<unknown>] => [`${prefixes[at]}${name}`, spec]),
  );
  return Object.fromEntries(named);
}

/** Returns the strategies with the parameters that a parameter set gives them. */
export function withParams(strategies: readonly StrategyPlan[], set: Readonly<Record<string, unknown>>): readonly StrategyPlan[] {
  const prefixes = paramPrefixes(strategies);
  return strategies.map((plan, at) => {
    const prefix = prefixes[at] ?? '';
    const own = Object.entries(set)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value]);
    return { ...plan, params: { ...plan.params, ...Object.fromEntries(own) } };
  });
}

/** Returns the key for `--set` of the parameter `name` in a grid. `given`: the value under `strategy` in the definition. */
export function settingOf(strategies: readonly StrategyPlan[], given: unknown, name: string): string {
  const prefixes = paramPrefixes(strategies);
  const owner = prefixes.findIndex((prefix) => name.startsWith(prefix));
  return `${paramSettings(given).prefixes[owner]}${name.slice(prefixes[owner]?.length)}`;
}

/**
 * Returns the prefixes of `--set` keys for each strategy, such as `params.` or `strategy.1.params.`, and settings that must come first.
 * `given`: the value under `strategy` in the definition. In a list of plain paths, a strategy with parameters needs its path as a key too.
 */
export function paramSettings(given: unknown): { readonly prefixes: readonly string[]; readonly first: readonly string[] } {
  if (!Array.isArray(given)) return { prefixes: ['params.'], first: [] };
  return {
    prefixes: given.map((_, at) => `strategy.${at}.params.`),
    first: given.flatMap((item: unknown, at) => (typeof item === 'string' ? [`strategy.${at}.file=${item}`] : [])),
  };
}
