// Simulation lanes for the envelope: new instances of the strategies, over rows matched in another order of events than docs/matching.md.

import type { EventOrder } from '../../../adapters/replay/eventOrder.ts';
import type { FinerSource } from '../../../adapters/replay/finerRows.ts';
import { replayedBotMaker, loopsFor, sealBot } from '../../../app/replayedBot.ts';
import { StrategyError } from '../../../base/errors.ts';
import { needsTechnical } from '../../../engine/loop/setUp.ts';
import { loadTechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
import { pathFigures, type PathFigures } from '../../../report/envelope/figures.ts';
import { EquitySampler, Sampling } from '../../../report/series/daily.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';

/** How a lane matches its rows: the order of events, and the source of finer rows (null: none). */
export interface RowMatching {
  readonly eventOrder: EventOrder;
  readonly finer: FinerSource | null;
}

/** The best and the worst order of events in each row. */
export const BEST_AND_WORST: readonly RowMatching[] = [
  { eventOrder: 'best', finer: null },
  { eventOrder: 'worst', finer: null },
];

/** Runs a lane for each matching and returns its figures. Null if a strategy throws in a lane: it did not throw in the run itself. */
export async function envelopeLanes(
  plan: RunPlan,
  matchings: readonly RowMatching[],
  progressCells: Int32Array | null,
): Promise<readonly PathFigures[] | null> {
  let current: RowMatching = matchings[0]!;
  const make = replayedBotMaker(plan, {
    eventOrder: () => current.eventOrder,
    finer: () => current.finer,
    dropsOrders: plan.futures?.isNet ?? true,
    progressCells,
  });
  const sampling = new Sampling(plan.fromMs, plan.toMs);
  try {
    const made = matchings.map((matching) => {
      current = matching;
      return { isBest: matching.eventOrder === 'best', bot: make(), sampler: new EquitySampler(sampling) };
    });
    const technical = made.some(({ bot }) => needsTechnical(bot.engine)) ? await loadTechnicalLibrary() : null;
    const sealed = made.map(({ isBest, bot, sampler }) => {
      // In the best order a limit fills as soon as the price touches it.
      const own = isBest ? { ...bot, plan: { ...bot.plan, fills: { ...bot.plan.fills, limit: 'touch' as const } } } : bot;
      const { engine } = sealBot(own, technical, sampler);
      sampler.drawdown.begin(engine.startUnits);
      return { engine, sampler };
    });
    const { lanes: loop } = await loopsFor(plan);
    loop(sealed.map(({ engine }) => engine));
    const { fromMs, toMs } = plan;
    return sealed.map(({ engine: { recorder, risk, startUnits }, sampler }) => {
      const isKept = risk.watchesEquity;
      const equity = isKept ? recorder.columns() : sampler.columns();
      return pathFigures({ fromMs, toMs, startUnits, equity }, isKept ? null : sampler.drawdown);
    });
  } catch (error) {
    if (error instanceof StrategyError) return null;
    throw error;
  }
}
