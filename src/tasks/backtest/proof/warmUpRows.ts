// Determines how many rows strategies need before their first decision. The sample of a backtest and `isobar prove` skip these rows.

import { firstAfter } from '../../../base/number/search.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { DecisionTrace } from './decisionTrace.ts';
import type { Tracer } from './tracedRun.ts';

/** Returns the rows of each feed that the strategies need before their first decision, in the order of the plan. */
export async function warmUpOf(tracer: Tracer, plan: RunPlan): Promise<readonly number[]> {
  return tracer.withBot({ plan }, new DecisionTrace(), ({ engine }) =>
    plan.feeds.map(({ bars: { closeMs, length } }, index) => {
      const feed = engine.feeds[index]!;
      const neededRows = Math.max(0, ...engine.runs.map((run) => run.readyRow(feed)));
      if (neededRows > 0) return neededRows;
      // A feed without indicators of its own may still be read at the first decision, so it needs one row if it has one.
      const rowsBeforeRun = firstAfter(closeMs, 0, length, plan.fromMs);
      return rowsBeforeRun > 0 ? 1 : 0;
    }),
  );
}
