// Makes the bots of a backtest in two steps: `replayedBotMaker` constructs and funds them, `sealBot` opens their venues.

import type { Scratch } from '../base/memory/rowLog.ts';
import { builtUrl, isSource } from '../base/inPackage.ts';
import { blockLoop, laneLoop, type BlockLoop, type LaneLoop } from '../engine/loop/blockLoop.ts';
import type { Engine } from '../engine/engine.ts';
import type { LogLine } from '../ports/log.ts';
import type { Notifier } from '../ports/notifier.ts';
import type { EquitySink } from '../engine/book/equityRecorder.ts';
import { sealEngine } from '../engine/loop/setUp.ts';
import type { TechnicalLibrary } from '../indicators/graph/technicalLibrary.ts';
import type { WarningList } from '../model/warning.ts';
import { addStrategies, depositCash, type HostMaker } from './startStrategies.ts';
import { botMaker, type Bot, type MakeOptions } from './bot.ts';
import type { RunPlan, StrategyPlan } from '../definition/plan/plan.ts';
import type { Deposits, RunVenue } from './kinds/parts.ts';
import { openVenue, replayWorld, type ReplaySettings } from './replayWorld.ts';

/** Options of `replayedBotMaker`. */
export interface ReplayedBotOptions
  extends
    Pick<ReplaySettings, 'faultOf' | 'clock' | 'watchJournal' | 'eventOrder' | 'finer' | 'makeExchange' | 'latency'>,
    Pick<MakeOptions, 'sharedWith'> {
  /** Cells into which the engine writes once for each block: see EngineDeps.progressCells. */
  readonly progressCells?: Int32Array | null;
  readonly log?: LogLine;
  /** Takes a line for each order that risk denies. By default nothing is logged. */
  readonly denialLog?: LogLine;
  /** Collects warnings while the bot is made. By default they are dropped. */
  readonly warnings?: WarningList;
  /** Memory that a caller reuses for many backtests. By default each run has its own. */
  readonly scratch?: Scratch;
  /** Wraps the engine's side of a strategy (its run), such as to record every call. By default nothing is wrapped. */
  readonly hostFor?: HostMaker;
  /** True to drop the columns of orders, because the caller does not read them. */
  readonly dropsOrders?: boolean;
}

/** A bot whose strategies have registered their feeds and indicators. Indicators have no values yet. */
export interface ConstructedBot {
  readonly plan: RunPlan;
  readonly bot: Bot;
  readonly engine: Engine;
  /** The deposits of each account at the venue. */
  readonly deposits: readonly Deposits[];
}

/** A bot whose set-up has ended: it takes no further feed or indicator, and is ready for its first bar. */
export interface SealedBot {
  /** The plan with the strategies of this bot. */
  readonly plan: RunPlan;
  readonly engine: Engine;
  /** The notifiers that modules have added. */
  readonly notifiers: readonly Notifier[];
  /** The only or first one of `venues`. Null when a custom adapter replaces the exchange. */
  readonly venue: RunVenue | null;
  readonly venues: readonly RunVenue[];
  /** Throws unless the bot's ledger and the venue's books agree to the last unit. */
  readonly checkBooks: () => void;
}

/** Makes one bot with these strategies and their parameters. Throws ConfigError or StrategyError if a strategy rejects them. */
export type ReplayedBotMaker = (strategies?: readonly StrategyPlan[]) => ConstructedBot;

/**
 * Returns a maker of bots that share feeds and time. Several such bots step through the same bars, one bot after the other in each block.
 */
export function replayedBotMaker(plan: RunPlan, options: ReplayedBotOptions): ReplayedBotMaker {
  const make = botMaker(plan, replayWorld(plan, options), options);
  return (strategies) => {
    const bot = make(strategies);
    const { engine } = bot;
    const botPlan = { ...plan, strategies: bot.strategies };
    addStrategies(engine, botPlan, options.hostFor);
    return { plan: botPlan, bot, engine, deposits: depositCash(engine, botPlan) };
  };
}

/**
 * Ends the set-up of a bot: prepares its indicators and opens its venue. Construct all bots that share the feeds first, because a sealed
 * feed takes no further indicator.
 */
export function sealBot(
  { plan, bot, engine, deposits }: ConstructedBot,
  technical: TechnicalLibrary | null,
  equitySink: EquitySink | null = null,
): SealedBot {
  sealEngine(engine, technical, equitySink);
  return { plan, engine, notifiers: bot.notifiers, ...openVenue(plan, bot, deposits) };
}

/** Two forms of the loop over the bars. */
export interface Loops {
  /** Runs one bot. */
  readonly loop: BlockLoop;
  /** Runs several bots over the same feeds. */
  readonly laneLoop: LaneLoop;
}

/**
 * Returns loops for the strategy classes of this plan alone. Node loads a module again for another query of its address, so each key gets
 * functions of its own. hot: docs/performance.md#one-loop-a-class
 */
export async function loopsFor(plan: RunPlan): Promise<Loops> {
  // Code that runs from source, as in tests, uses one instance for all classes. The result of a run is the same.
  if (isSource) return { loop: blockLoop, laneLoop };
  const classKey = plan.strategies.map(({ hash }) => hash).join('+');
  const address = `${builtUrl('engine/loop/blockLoop').href}?strategy=${encodeURIComponent(classKey)}`;
  const module = (await import(address)) as {
    blockLoop: BlockLoop;
    laneLoop: LaneLoop;
  };
  return { loop: module.blockLoop, laneLoop: module.laneLoop };
}
