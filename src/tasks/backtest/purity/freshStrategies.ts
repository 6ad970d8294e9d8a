// Loads strategies from fresh modules, so that no module variable or static field carries state from another run.

import { fileURLToPath, pathToFileURL } from 'node:url';
import { writeElsewhere } from '../../../adapters/plugins/moduleCache.ts';
import type { StrategyClass } from '../../../strategy/strategy.ts';
import type { StrategyPlan } from '../../../definition/plan/plan.ts';
import { surroundings } from './surroundings.ts';

let loadCount = 0;

/** Returns the strategies of a plan, each from a newly loaded module. A class that was given as a value stays. */
export async function freshStrategies(strategies: readonly StrategyPlan[]): Promise<readonly StrategyPlan[]> {
  const fresh = String(++loadCount).padStart(5, '0');
  // Where a module lies belongs to the surroundings, too.
  const at = surroundings();
  const placeModule = (url: string): string => (at === null ? url : pathToFileURL(writeElsewhere(fileURLToPath(url), at)).href);
  return Promise.all(
    strategies.map(async (plan) => {
      if (plan.url === null || plan.url === undefined) return plan;
      const module = (await import(/* @vite-ignore */ `${placeModule(plan.url)}?fresh=${fresh}`)) as { readonly default: StrategyClass };
      return { ...plan, strategy: module.default };
    }),
  );
}
