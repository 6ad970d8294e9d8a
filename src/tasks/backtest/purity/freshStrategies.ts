// Strategies with modules of their own: no module variable and no static field of them has been touched by another run.

import type { StrategyClass } from '../../../strategy/strategy.ts';
import type { StrategyPlan } from '../../../definition/plan/plan.ts';

let made = 0;

/** Returns the strategies of a plan, each from a module that is loaded anew. A class that was given as a value stays as it is. */
export async function freshStrategies(strategies: readonly StrategyPlan[]): Promise<readonly StrategyPlan[]> {
  const fresh = `${++made}`;
  return Promise.all(
    strategies.map(async (plan) => {
      if (plan.url === null || plan.url === undefined) return plan;
      const module = (await import(/* @vite-ignore */ `${plan.url}?fresh=${fresh}`)) as { readonly default: StrategyClass };
      return { ...plan, strategy: module.default };
    }),
  );
}
