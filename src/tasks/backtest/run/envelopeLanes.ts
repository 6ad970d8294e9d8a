// Simulation lanes for the envelope: new instances of the strategies, over rows matched in another order of events than docs/matching.md.

import type { EventOrder } from '../../../adapters/replay/eventOrder.ts';
import type { FinerSource } from '../../../adapters/replay/finerRows.ts';
import { replayedBotMaker, loopsFor, sealBot, type ConstructedBot } from '../../../app/replayedBot.ts';
import { StrategyError } from '../../../base/errors.ts';
import { needsTechnical } from '../../../engine/loop/setUp.ts';
import { loadTechnicalLibrary, type TechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
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

type BotEngine = ConstructedBot['engine'];

/** A constructed bot with its matching, and the sampler of its equity. */
interface EnvelopeBot {
  readonly matching: RowMatching;
  readonly bot: ConstructedBot;
  readonly sampler: EquitySampler;
}

/** Runs a lane for each matching and returns its figures. Null if a strategy throws in a lane: it did not throw in the run itself. */
export async function envelopeLanes(
  plan: RunPlan,
  matchings: readonly RowMatching[],
  progressCells: Int32Array | null,
): Promise<readonly PathFigures[] | null> {
  try {
    const bots = constructBots(plan, matchings, progressCells);
    const technical = bots.some(({ bot }) => needsTechnical(bot.engine)) ? await loadTechnicalLibrary() : null;
    const engines = bots.map((bot) => sealEnvelopeBot(bot, technical));
    const { laneLoop } = await loopsFor(plan);
    laneLoop(engines);
    return engines.map((engine, index) => envelopeFigures(plan, engine, bots[index]!.sampler));
  } catch (error) {
    if (error instanceof StrategyError) return null;
    throw error;
  }
}

/** Constructs a bot for each matching. All share the feeds and the time. */
function constructBots(plan: RunPlan, matchings: readonly RowMatching[], progressCells: Int32Array | null): readonly EnvelopeBot[] {
  // The maker asks for the matching of the bot that it constructs.
  let current: RowMatching = matchings[0]!;
  const constructBot = replayedBotMaker(plan, {
    eventOrder: () => current.eventOrder,
    finer: () => current.finer,
    dropsOrders: plan.futures?.isNet ?? true,
    progressCells,
  });
  const sampling = new Sampling(plan.fromMs, plan.toMs);
  return matchings.map((matching) => {
    current = matching;
    return { matching, bot: constructBot(), sampler: new EquitySampler(sampling) };
  });
}

/** Prepares a bot for its run, and returns its engine. */
function sealEnvelopeBot({ matching, bot, sampler }: EnvelopeBot, technical: TechnicalLibrary | null): BotEngine {
  const { engine } = sealBot(matching.eventOrder === 'best' ? withTouchFills(bot) : bot, technical, sampler);
  sampler.drawdown.begin(engine.startUnits);
  return engine;
}

/** Returns the bot with fills at the touch: in the best order, a limit fills as soon as the price touches it. */
function withTouchFills(bot: ConstructedBot): ConstructedBot {
  return { ...bot, plan: { ...bot.plan, fills: { ...bot.plan.fills, limit: 'touch' } } };
}

/** Returns the figures of a run that has ended. */
function envelopeFigures({ fromMs, toMs }: RunPlan, { recorder, risk, startUnits }: BotEngine, sampler: EquitySampler): PathFigures {
  // Rules that watch the equity make the recorder keep it. Otherwise the sampler has it, with the drawdown.
  if (risk.watchesEquity) return pathFigures({ fromMs, toMs, startUnits, equity: recorder.columns() }, null);
  return pathFigures({ fromMs, toMs, startUnits, equity: sampler.columns() }, sampler.drawdown);
}
