// Builds the engine of a live bot: the engine of a backtest, with growing bars and a ledger restored from the journal.

import type { JournalHistory } from '../../../adapters/journal/records/journalHistory.ts';
import { DiscardingScratch } from '../../../base/memory/rowLog.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { LogLine } from '../../../ports/log.ts';
import { HaltActions } from '../../../engine/router/haltActions.ts';
import { needsTechnical, sealEngine } from '../../../engine/loop/setUp.ts';
import { loadTechnicalLibrary } from '../../../indicators/graph/technicalLibrary.ts';
import { addStrategies, depositCash, type HostMaker } from '../../../app/startStrategies.ts';
import { createBot } from '../../../app/bot.ts';
import { resolveRun, type ResolveOptions } from '../../../definition/resolve.ts';
import type { FeedPlan, RunPlan } from '../../../definition/plan/plan.ts';
import { liveContracts } from '../feeds/fundingRates.ts';
import type { LiveBehaviour } from '../config/liveConfig.ts';
import { withRiskDefaults } from '../config/riskDefaults.ts';
import { liveWorld, type LivePorts } from '../../../app/liveWorld.ts';
import { Overrides } from '../../../app/overrides.ts';
import { bookHistory } from '../journal/restoreEngine.ts';
import { missingWarmup } from '../feeds/warmup.ts';

/** Rows per block while indicators warm up. */
const BLOCK_ROWS = 512;

/** Returns the plan of a backtest with growing bars and no end. Throws ConfigError and StrategyError if it is invalid. */
export async function livePlan(
  { source, markets, timeScale }: Pick<LiveBehaviour, 'source' | 'markets' | 'timeScale'>,
  feeds: readonly FeedPlan[],
  fromMs: number,
  { load, bundler, series }: { readonly [Name in 'load' | 'bundler' | 'series']?: ResolveOptions[Name] | undefined },
): Promise<RunPlan> {
  const hasFutures = markets.includes('futures');
  const { plan } = await resolveRun(source, {
    feeds,
    series,
    contracts: hasFutures ? { data: liveContracts(feeds), inputs: [], files: [], notes: [], warnings: [] } : undefined,
    blockRows: BLOCK_ROWS,
    ...(load ? { load } : {}),
    bundler,
  });
  return { ...plan, risk: withRiskDefaults(plan.risk, timeScale), fromMs, toMs: Infinity };
}

/** A sealed engine. */
export interface BuiltEngine {
  readonly engine: Engine;
  /** Equity of each strategy at the start of the ledger. */
  readonly startUnits: readonly number[];
}

/** Constructs strategies, funds the ledger, books the history and warms up indicators. */
export async function buildEngine(
  plan: RunPlan,
  ports: LivePorts,
  history: JournalHistory,
  log: LogLine,
  hostFor?: HostMaker,
): Promise<BuiltEngine> {
  // Modules have already wrapped these ports. In the replay of a past lifetime the ports are silent.
  const overrides = new Overrides(plan.models, ['rules']);
  const { engine } = createBot(plan, liveWorld(ports), { log, scratch: new DiscardingScratch(), overrides });
  addStrategies(engine, plan, hostFor);
  depositCash(engine, plan);
  const marks = engine.instruments.map((_, index) => engine.startTicks(index));
  const startUnits = engine.runs.map((_, strategy) => engine.ledger.equityUnits(strategy, marks));
  bookHistory(engine, history);
  engine.haltActions = new HaltActions(engine);
  const technicalLibrary = needsTechnical(engine) ? await loadTechnicalLibrary() : null;
  sealEngine(engine, technicalLibrary);
  return { engine, startUnits };
}

/** Returns the strategies that lack warm-up bars, each with a sentence. They begin once enough bars have arrived. */
export function lackingWarmup(engine: Engine): readonly { readonly name: string; readonly message: string }[] {
  return engine.runs.flatMap((run) =>
    [...run.needed].flatMap((feed) => {
      const message = missingWarmup(run.name, feed.bars, run.readyRow(feed) + 1);
      return message === null ? [] : [{ name: run.name, message }];
    }),
  );
}
