// The engine of a live bot: that of a backtest, over bars that grow, with books as its journal has left them.

import type { TradeHistory } from '../../../adapters/journal/records/history.ts';
import { DiscardingScratch } from '../../../base/memory/rowLog.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { LogLine } from '../../../ports/log.ts';
import { HaltActions } from '../../../engine/router/haltActions.ts';
import { sealEngine } from '../../../engine/loop/setUp.ts';
import { loadTechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
import { addStrategies, fund } from '../../../app/begin.ts';
import { createBot } from '../../../app/bot.ts';
import { resolveRun, type ResolveOptions } from '../../../definition/resolve.ts';
import type { FeedPlan, RunPlan } from '../../../definition/plan/plan.ts';
import { liveContracts } from '../feeds/fundingRates.ts';
import type { LiveBehaviour } from '../config/read.ts';
import { withDefaults } from '../config/riskDefaults.ts';
import { liveWorld, type LivePorts } from '../../../app/liveWorld.ts';
import { Overrides } from '../../../app/overrides.ts';
import { bookHistory } from '../journal/recovery.ts';
import { missingWarmup } from '../feeds/warmup.ts';

/** Rows that indicators are filled with at a time while they warm up. */
const BLOCK_ROWS = 512;

/** The plan of a backtest, whose bars grow and whose end is open. Throws ConfigError and StrategyError. */
export async function livePlan(
  { source, markets, timeScale }: Pick<LiveBehaviour, 'source' | 'markets' | 'timeScale'>,
  feeds: readonly FeedPlan[],
  fromMs: number,
  { load, bundler }: { readonly load?: ResolveOptions['load']; readonly bundler?: ResolveOptions['bundler'] },
): Promise<RunPlan> {
  const { plan } = await resolveRun(source, {
    feeds,
    contracts: markets.includes('futures') ? { data: liveContracts(feeds), inputs: [], files: [], notes: [], warnings: [] } : undefined,
    blockRows: BLOCK_ROWS,
    ...(load ? { load } : {}),
    bundler,
  });
  return { ...plan, risk: withDefaults(plan.risk, timeScale), fromMs, toMs: Infinity };
}

export interface BuiltEngine {
  readonly engine: Engine;
  /** Equity of each strategy as its books began. */
  readonly startUnits: readonly number[];
}

/** Strategies constructed, books funded and brought up to date, indicators warm. */
export async function buildEngine(plan: RunPlan, ports: LivePorts, history: TradeHistory, log: LogLine): Promise<BuiltEngine> {
  // Its ports are those of the process, or silent while a past life is replayed: what modules make of them is in them already.
  const overrides = new Overrides(plan.models, ['rules']);
  const { engine } = createBot(plan, liveWorld(ports), { log, scratch: new DiscardingScratch(), overrides });
  addStrategies(engine, plan);
  fund(engine, plan);
  const marks = engine.instruments.map((_, index) => engine.startTicks(index));
  const startUnits = engine.runs.map((_, strategy) => engine.ledger.equityUnits(strategy, marks));
  bookHistory(engine, history);
  engine.haltActions = new HaltActions(engine);
  sealEngine(engine, engine.needsTechnical ? await loadTechnicalLibrary() : null);
  return { engine, startUnits };
}

/** Strategies that wait because their warm-up is not covered, and what each lacks; they begin when enough bars have come. */
export function lackingWarmup(engine: Engine): readonly { readonly name: string; readonly says: string }[] {
  return engine.runs.flatMap((run) =>
    [...run.needed].flatMap((feed) => {
      const message = missingWarmup(run.name, feed.bars, run.readyRow(feed) + 1);
      return message === null ? [] : [{ name: run.name, says: message }];
    }),
  );
}
