// A bot in a replayed world: built from a plan, its strategies constructed, its accounts funded, its venue open.

import 'reflect-metadata';
import { Container } from 'inversify';
import type { ReplayOptions } from '../../adapters/replay/replayExchange.ts';
import { ConfigError } from '../../base/errors.ts';
import { toScaled } from '../../base/decimal.ts';
import { seededRng } from '../../base/rng.ts';
import { Scratch } from '../../base/rowLog.ts';
import { blockLoop, laneLoop, type BlockLoop, type LaneLoop } from '../../engine/blockLoop.ts';
import type { Engine, LogLine } from '../../engine/engine.ts';
import type { EquitySink } from '../../engine/equityRecorder.ts';
import { addStrategy, sealEngine } from '../../engine/setUp.ts';
import type { TechnicalLibrary } from '../../indicators/technicalLibrary.ts';
import type { Instrument } from '../../model/instrument.ts';
import { parseParams } from '../../strategy/params.ts';
import { botModule } from '../bot/botModule.ts';
import type { RunPlan, StrategyPlan } from '../bot/plan.ts';
import { marketOf } from '../market/market.ts';
import type { AccountPlan, Deposits, RunVenue } from '../market/parts.ts';
import { openVenue, replayModule } from './replayModule.ts';
import { TOKENS } from '../bot/tokens.ts';

export interface BotOptions {
  /** Cells that the engine writes once a block: see EngineParts.beat. */
  readonly beat?: Int32Array | null;
  readonly log?: LogLine;
  readonly faultOf?: ReplayOptions['faultOf'];
  /** Memory to take and give back, for whoever runs many backtests; by default each run has its own. */
  readonly scratch?: Scratch;
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
  container.load(botModule(plan, { log, beat, dropsOrders }, scratch), replayModule(plan, options.faultOf));
  return (strategies = plan.strategies) => {
    const own = { ...plan, strategies };
    const engine = container.get(TOKENS.engine);
    addStrategies(engine, own);
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
  const url = new URL(`../../engine/blockLoop.js?strategy=${encodeURIComponent(key)}`, import.meta.url);
  const module = (await import(url.href)) as { blockLoop: BlockLoop; laneLoop: LaneLoop };
  return { loop: module.blockLoop, lanes: module.laneLoop };
}

export function addStrategies(engine: Engine, plan: RunPlan): void {
  plan.strategies.forEach(({ strategy, record, params }, index) => {
    const values = parseParams(strategy.params, params, record.file);
    try {
      addStrategy(engine, strategy, record.name, values, seededRng(plan.seed * 65_537 + index));
    } catch (error) {
      throw engine.blame(error, 'while it was constructed');
    }
  });
}

/** Puts the starting balances into the books of the strategies, by share; returns what each account at the venue is to be given. */
export function fund(engine: Engine, plan: RunPlan): readonly Deposits[] {
  return marketOf(engine.instruments)
    .accounts(plan, engine)
    .map((account) => fundAccount(account, engine, plan));
}

function fundAccount({ market, ledger, cash }: AccountPlan, engine: Engine, plan: RunPlan): Deposits {
  const deposits = new Map<string, number>();
  const assets = assetsOf(engine.instruments.filter((of) => of.market === market));
  const parts = marketOf(engine.instruments);
  for (const [asset, text] of Object.entries(cash)) {
    const digits = assets.get(asset);
    if (digits === undefined) {
      throw new ConfigError(`cash.${asset}: no feed of the run trades it`, `name one of ${[...assets.keys()].join(', ')}`);
    }
    const total = toScaled(text, digits);
    if (total === null || total < 0) {
      throw new ConfigError(`cash.${asset}: expected at most ${digits} decimals and not below zero, got ${text}`, 'round the amount');
    }
    deposits.set(asset, total);
    splitByShare(total, plan).forEach((units, strategy) => ledger.deposit(strategy, asset, units, parts.worthOf(engine, asset, units)));
  }
  return deposits;
}

/** The parts of `total` by the strategies' shares, rounded down; the last one has what remains. */
function splitByShare(total: number, plan: RunPlan): number[] {
  const parts = plan.strategies.map(({ share }) => Math.floor(total * Number(share)));
  const given = parts.slice(0, -1).reduce((sum, part) => sum + part, 0);
  parts[parts.length - 1] = total - given;
  return parts;
}

function assetsOf(instruments: readonly Instrument[]): Map<string, number> {
  return new Map(
    instruments.flatMap(({ base, baseDigits, quote, quoteDigits }): [string, number][] => [
      [quote, quoteDigits],
      [base, baseDigits],
    ]),
  );
}
