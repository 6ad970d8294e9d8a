// A bot in a replayed world: built from a plan, begun as every bot, its venue open.

import 'reflect-metadata';
import { Container } from 'inversify';
import type { ReplayOptions } from '../adapters/replay/replayExchange.ts';
import { Scratch } from '../base/memory/rowLog.ts';
import { blockLoop, laneLoop, type BlockLoop, type LaneLoop } from '../engine/loop/blockLoop.ts';
import type { Engine } from '../engine/engine.ts';
import type { LogLine } from '../ports/log.ts';
import type { EquitySink } from '../engine/book/equityRecorder.ts';
import { sealEngine } from '../engine/loop/setUp.ts';
import type { TechnicalLibrary } from '../indicators/graph/technicalLibrary.ts';
import type { WarningList } from '../model/warning.ts';
import { addStrategies, fund, type HostMaker } from './begin.ts';
import { botModule } from './botModule.ts';
import type { RunPlan, StrategyPlan } from '../definition/plan/plan.ts';
import type { Deposits, RunVenue } from './kinds/parts.ts';
import { openVenue, replayModule } from './replayModule.ts';
import { TOKENS } from './tokens.ts';

export interface BotOptions {
  /** Cells that the engine writes once a block: see EngineParts.beat. */
  readonly beat?: Int32Array | null;
  readonly log?: LogLine;
  /** Where it is told why risk refuses orders; by default nobody reads it, and no text is made. */
  readonly refusals?: LogLine;
  /** Where warnings about the run are collected while it is made; by default nobody reads them. */
  readonly warnings?: WarningList;
  readonly faultOf?: ReplayOptions['faultOf'];
  /** Memory to take and give back, for whoever runs many backtests; by default each run has its own. */
  readonly scratch?: Scratch;
  /** What stands between a strategy and its run; by default nothing. */
  readonly hostFor?: HostMaker;
  /** Nobody reads the columns of its orders: they are not kept. */
  readonly dropsOrders?: boolean;
}

/** A bot whose strategies have registered what they need; nothing is filled yet. */
export interface ConstructedBot {
  readonly plan: RunPlan;
  readonly engine: Engine;
  /** What each account at the venue is to be given. */
  readonly deposits: readonly Deposits[];
}

/** A bot that stands before its first bar, its world beside it. */
export interface SealedBot {
  readonly engine: Engine;
  readonly venue: RunVenue;
  /** Throws unless the bot's ledger and the venue's books agree to the last unit. */
  readonly checkBooks: () => void;
}

/** Makes one bot of a run with the parameters that its strategies are given. Throws ConfigError and StrategyError where one does not take them. */
export type BotMaker = (strategies?: readonly StrategyPlan[]) => ConstructedBot;

/** Whatever it makes shares feeds and time: several bots of one run walk through the same bars, one after the other in each block. */
export function botMaker(plan: RunPlan, options: BotOptions): BotMaker {
  // What one `get` needs it makes once; the next one makes its own, and what the bots share is bound as such.
  const container = new Container({ defaultScope: 'Request' });
  const { log = () => {}, beat = null, dropsOrders = false, scratch = new Scratch() } = options;
  container.load(botModule(plan, { log, beat, dropsOrders }, scratch), replayModule(plan, options.faultOf, options.refusals));
  return (strategies = plan.strategies) => {
    const own = { ...plan, strategies };
    const engine = container.get(TOKENS.engine);
    addStrategies(engine, own, options.hostFor);
    return { plan: own, engine, deposits: fund(engine, own) };
  };
}

/** Ends the set-up: warm-up, and the venue with its account. Every bot that shares the feeds must be constructed by now. */
export function sealBot(
  { plan, engine, deposits }: ConstructedBot,
  technical: TechnicalLibrary | null,
  equitySink: EquitySink | null = null,
): SealedBot {
  sealEngine(engine, technical, equitySink);
  return { engine, ...openVenue(plan, engine, engine.exchange, deposits) };
}

/** The loops for one bot, and for several over the same feeds. */
export interface Loops {
  readonly loop: BlockLoop;
  readonly lanes: LaneLoop;
}

/** Instances of the loops for these classes alone: V8 keeps type feedback per function (see blockLoop.ts). */
export async function loopsFor(plan: RunPlan): Promise<Loops> {
  // From source (in tests) one instance serves all: results never depend on which instance runs.
  if (import.meta.url.endsWith('.ts')) return { loop: blockLoop, lanes: laneLoop };
  const key = plan.strategies.map(({ hash }) => hash).join('+');
  const url = new URL(`../engine/loop/blockLoop.js?strategy=${encodeURIComponent(key)}`, import.meta.url);
  const module = (await import(url.href)) as { blockLoop: BlockLoop; laneLoop: LaneLoop };
  return { loop: module.blockLoop, lanes: module.laneLoop };
}
