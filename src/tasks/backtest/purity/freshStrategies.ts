// Loads strategies from fresh modules, so that no module variable or static field carries state from another run.

import { fileURLToPath, pathToFileURL } from 'node:url';
import { writeElsewhere } from '../../../adapters/plugins/moduleCache.ts';
import type { StrategyClass } from '../../../strategy/strategy.ts';
import type { StrategyPlan } from '../../../definition/plan/plan.ts';
import { surroundings } from '../surroundings/surroundings.ts';

let loadCount = 0;

/** Returns the strategies of a plan, each from a newly loaded module. A class that was given as a value stays. */
export async function freshStrategies(strategies: readonly StrategyPlan[]): Promise<readonly StrategyPlan[]> {
  // Node caches modules by URL, so a new number makes it load the module again.
  const loadNumber = String(++loadCount).padStart(5, '0');
  const surroundingsIndex = surroundings();
  /** Other surroundings have another folder for the module, too. */
  const moduleUrl = (url: string): string => {
    if (surroundingsIndex === null) return url;
    return pathToFileURL(writeElsewhere(fileURLToPath(url), surroundingsIndex)).href;
  };
  return Promise.all(
    strategies.map(async (plan) => {
      if (plan.url === null || plan.url === undefined) return plan;
      const module = (await import(/* @vite-ignore */ `${moduleUrl(plan.url)}?fresh=${loadNumber}`)) as { readonly default: StrategyClass };
      return { ...plan, strategy: module.default };
    }),
  );
}
