// How the parameters of a run's strategies are told apart by name: what a grid names, and which strategy a set gives it to.

import type { ParamSpec, Specs } from '../../strategy/params.ts';
import type { StrategyPlan } from '../../definition/plan/plan.ts';

/**
 * What stands before the names of each strategy's parameters: nothing where there is one strategy, `SmaCross.` where there are several,
 * `SmaCross#2.` for the second of one name.
 */
export function paramPrefixes(strategies: readonly StrategyPlan[]): readonly string[] {
  if (strategies.length === 1) return [''];
  return strategies.map(({ record }, at) => {
    const turn = strategies.slice(0, at + 1).filter((other) => other.record.name === record.name).length;
    return turn === 1 ? `${record.name}.` : `${record.name}#${turn}.`;
  });
}

/** The parameters of all strategies by their names in a grid. */
export function paramSpecs(strategies: readonly StrategyPlan[]): Specs {
  const prefixes = paramPrefixes(strategies);
  const named = strategies.flatMap(({ strategy }, at) =>
    Object.entries(strategy.params).map(([name, spec]): [string, ParamSpec<unknown>] => [`${prefixes[at]}${name}`, spec]),
  );
  return Object.fromEntries(named);
}

/** The strategies with the parameters that a set of a grid gives to each. */
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

/** How `--set` writes the parameter that a grid calls `name`. `given` is what the definition has under `strategy`. */
export function settingOf(strategies: readonly StrategyPlan[], given: unknown, name: string): string {
  const prefixes = paramPrefixes(strategies);
  const owner = prefixes.findIndex((prefix) => name.startsWith(prefix));
  return `${paramSettings(given).prefixes[owner]}${name.slice(prefixes[owner]?.length)}`;
}

/**
 * How `--set` writes the parameters of each strategy, such as `params.` or `strategy.1.params.`, and what must be set before. `given` is
 * what the definition has under `strategy`; of a list of plain paths one that has parameters needs its path as a key too.
 */
export function paramSettings(given: unknown): { readonly prefixes: readonly string[]; readonly first: readonly string[] } {
  if (!Array.isArray(given)) return { prefixes: ['params.'], first: [] };
  return {
    prefixes: given.map((_, at) => `strategy.${at}.params.`),
    first: given.flatMap((item: unknown, at) => (typeof item === 'string' ? [`strategy.${at}.file=${item}`] : [])),
  };
}
