// Two more lanes of a run: the same strategies, made anew, where each row takes the best, and the worst, of the orders that its bars allow.

import type { EventOrder } from '../../../adapters/replay/eventOrder.ts';
import { replayedBotMaker, loopsFor, sealBot, type SealedBot } from '../../../app/replayedBot.ts';
import { StrategyError } from '../../../base/errors.ts';
import { needsTechnical } from '../../../engine/loop/setUp.ts';
import { loadTechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
import type { PathFigures } from '../../../report/envelope/figures.ts';
import { pathFigures } from '../../../report/envelope/figures.ts';
import { EquitySampler, Sampling } from '../../../report/series/daily.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';

const LANES = ['best', 'worst'] as const;

/** Returns the figures of the lanes; null if a strategy throws in one of them, as it did not in the run. */
export async function envelopeLanes(plan: RunPlan, progressCells: Int32Array | null): Promise<readonly PathFigures[] | null> {
  let eventOrder: EventOrder = null;
  const make = replayedBotMaker(plan, { eventOrder: () => eventOrder, dropsOrders: plan.futures?.isNet ?? true, progressCells });
  const sampling = new Sampling(plan.fromMs, plan.toMs);
  try {
    const made = LANES.map((each) => {
      eventOrder = each;
      return { eventOrder: each, bot: make(), sampler: new EquitySampler(sampling) };
    });
    const technical = made.some(({ bot }) => needsTechnical(bot.engine)) ? await loadTechnicalLibrary() : null;
    const sealed = made.map(({ eventOrder: each, bot, sampler }) => {
      // In the best order a limit fills as soon as the price touches it.
      const own = each === 'best' ? { ...bot, plan: { ...bot.plan, fills: { ...bot.plan.fills, limit: 'touch' as const } } } : bot;
      const lanes: SealedBot = sealBot(own, technical, sampler);
      sampler.falls.begin(lanes.engine.startUnits);
      return { ...lanes, sampler };
    });
    const { lanes: loop } = await loopsFor(plan);
    loop(sealed.map(({ engine }) => engine));
    return sealed.map(({ engine, sampler }) =>
      engine.risk.watchesEquity
        ? pathFigures({ fromMs: plan.fromMs, toMs: plan.toMs, startUnits: engine.startUnits, equity: engine.recorder.columns() }, null)
        : pathFigures({ fromMs: plan.fromMs, toMs: plan.toMs, startUnits: engine.startUnits, equity: sampler.columns() }, sampler.falls),
    );
  } catch (error) {
    if (error instanceof StrategyError) return null;
    throw error;
  }
}
