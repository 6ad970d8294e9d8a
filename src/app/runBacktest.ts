// One backtest from a resolved plan: builds a bot in a replayed world, drives it to the end, and collects what it leaves.

import { setFlagsFromString } from 'node:v8';
import 'reflect-metadata';
import { Container } from 'inversify';
import type { ReplayOptions } from '../adapters/replay/replayExchange.ts';
import { assert } from '../base/assert.ts';
import { ConfigError } from '../base/errors.ts';
import { toScaled } from '../base/decimal.ts';
import { seededRng } from '../base/rng.ts';
import { Scratch } from '../base/rowLog.ts';
import { blockLoop, type BlockLoop } from '../engine/blockLoop.ts';
import type { Engine, LogLine } from '../engine/engine.ts';
import type { StrategyRun } from '../engine/strategyRun.ts';
import { loadTechnicalLibrary } from '../indicators/technicalLibrary.ts';
import type { Instrument } from '../model/instrument.ts';
import type { FeedRecord, IndicatorTrace, RunRecord } from '../model/run.ts';
import { valueAt } from '../portfolio/scale.ts';
import { parseParams } from '../strategy/params.ts';
import type { Venue } from '../venue/venue.ts';
import { botModule } from './botModule.ts';
import type { RunPlan } from './plan.ts';
import { openVenue, replayModule } from './replayModule.ts';
import { TOKENS } from './tokens.ts';

export interface BacktestOptions {
  /** Cells that the engine writes once a block: see EngineParts.beat. */
  readonly beat?: Int32Array | null;
  readonly log?: LogLine;
  /** Keep the values of registered indicators, for pictures. */
  readonly trace?: boolean;
  readonly faultOf?: ReplayOptions['faultOf'];
  /** Memory to take and give back, for whoever runs many backtests; by default each run has its own. */
  readonly scratch?: Scratch;
}

/** A bot that stands ready, its world beside it. */
export interface PreparedRun {
  readonly engine: Engine;
  readonly venue: Venue;
  readonly loop: BlockLoop;
}

export async function runBacktest(plan: RunPlan, options: BacktestOptions = {}): Promise<RunRecord> {
  const prepared = await prepareBacktest(plan, options);
  prepared.loop(prepared.engine);
  return recordOf(plan, prepared, options.trace ?? false);
}

/** Everything up to the first bar: container, strategies, deposits, warm-up. */
export async function prepareBacktest(plan: RunPlan, options: BacktestOptions = {}): Promise<PreparedRun> {
  const container = new Container({ defaultScope: 'Singleton' });
  const observers = { log: options.log ?? (() => {}), beat: options.beat ?? null };
  container.load(botModule(plan, observers, options.scratch ?? new Scratch()), replayModule(plan, options.faultOf));
  const engine = container.get(TOKENS.engine);
  addStrategies(engine, plan);
  const deposits = fund(engine, plan);
  engine.seal(engine.needsTechnical ? await loadTechnicalLibrary() : null);
  const venue = openVenue(plan, engine, container.get(TOKENS.exchange), deposits);
  return { engine, venue, loop: await loopFor(plan) };
}

/** What a finished run leaves; checks first that the bot's ledger and the venue's books agree to the last unit. */
export function recordOf(plan: RunPlan, { engine, venue }: PreparedRun, trace: boolean): RunRecord {
  checkBooks(engine, venue);
  const [first] = engine.instruments;
  assert(first !== undefined, 'a run has an instrument');
  return {
    name: plan.name,
    mode: 'backtest',
    strategies: plan.strategies.map(({ record }) => record),
    instruments: engine.instruments,
    reportingAsset: first.quote,
    reportingDigits: first.quoteDigits,
    fromMs: plan.fromMs,
    toMs: plan.toMs,
    startUnits: engine.startUnits,
    seed: plan.seed,
    rules: engine.risk.rulesOn(),
    feeds: engine.feeds.map((feed, at): FeedRecord => ({
      name: feed.name,
      bars: feed.bars,
      firstRow: feed.firstRow,
      execution: feed.isExecution,
      quality: plan.feeds[at]!.quality,
    })),
    orders: engine.orders.columns(engine.nowMs),
    fills: engine.fills.columns(),
    equity: engine.recorder.columns(),
    indicators: trace ? tracesOf(engine) : [],
    warmupInRange: Math.max(0, ...engine.runs.map((run) => rowsBefore(engine, run))),
  };
}

/**
 * What the compiler may inline; set before the first loop is compiled, heuristics of V8, never part of a result (2026-11-21, Node 20,
 * SMA 10/30 and 100/300 in the onBar form).
 * - Signals are read at every bar through a getter of some 50 bytecodes. V8 inlines functions of at most 27 whatever else it inlines;
 *   beyond that the order path, which is inlined too, uses the budget up, and each read becomes a call: 15 ns a bar instead of 11.
 * - An order walks through some forty small functions. At each call that is not inlined every number is boxed and unboxed and every
 *   object's shape is looked at again: with room for all of them an order costs 100 ns less.
 */
const INLINING = ['--max-inlined-bytecode-size-small=64', '--max-inlined-bytecode-size=1000', '--max-inlined-bytecode-size-cumulative=4000'];

/** An instance of the loop for these classes alone: V8 keeps type feedback per function (see blockLoop.ts). */
async function loopFor(plan: RunPlan): Promise<BlockLoop> {
  for (const flag of INLINING) setFlagsFromString(flag);
  // From source (in tests) one instance serves all: results never depend on which instance runs.
  if (import.meta.url.endsWith('.ts')) return blockLoop;
  const key = plan.strategies.map(({ hash }) => hash).join('+');
  const url = new URL(`../engine/blockLoop.js?strategy=${encodeURIComponent(key)}`, import.meta.url);
  const module = (await import(url.href)) as { blockLoop: BlockLoop };
  return module.blockLoop;
}

function addStrategies(engine: Engine, plan: RunPlan): void {
  plan.strategies.forEach(({ strategy, record, params }, index) => {
    const values = parseParams(strategy.params, params, record.file);
    try {
      engine.addStrategy(strategy, record.name, values, seededRng(plan.seed * 65_537 + index));
    } catch (error) {
      throw engine.blame(error, 'while it was constructed');
    }
  });
}

/** Puts the starting balances into the books of the strategies, by share; returns what the venue is to be given. */
function fund(engine: Engine, plan: RunPlan): Map<string, number> {
  const deposits = new Map<string, number>();
  const assets = assetsOf(engine.instruments);
  for (const [asset, text] of Object.entries(plan.cash)) {
    const digits = assets.get(asset);
    if (digits === undefined) {
      throw new ConfigError(`cash.${asset}: no feed of the run trades it`, `name one of ${[...assets.keys()].join(', ')}`);
    }
    const total = toScaled(text, digits);
    if (total === null || total < 0) {
      throw new ConfigError(`cash.${asset}: expected at most ${digits} decimals and not below zero, got ${text}`, 'round the amount');
    }
    deposits.set(asset, total);
    splitByShare(total, plan).forEach((units, strategy) => engine.ledger.deposit(strategy, asset, units, worthOf(engine, asset, units)));
  }
  return deposits;
}

/** What a starting balance is worth in quote units as the run begins: coins come in at their price, or all their proceeds were profit. */
function worthOf(engine: Engine, asset: string, units: number): number {
  const index = engine.instruments.findIndex(({ base }) => base === asset);
  return index < 0 ? 0 : valueAt(units, engine.startTicks(index), engine.ledger.scale(index));
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

function checkBooks(engine: Engine, venue: Venue): void {
  venue.assertConserved();
  const held = (asset: string) => venue.free(0, asset) + venue.locked(0, asset);
  const [first] = engine.instruments;
  assert(
    held(first!.quote) === engine.ledger.quoteTotal,
    `the venue holds ${held(first!.quote)} of ${first!.quote}, the ledger ${engine.ledger.quoteTotal}`,
  );
  engine.instruments.forEach(({ base }, index) => {
    assert(
      held(base) === engine.ledger.baseTotal(index),
      `the venue holds ${held(base)} of ${base}, the ledger ${engine.ledger.baseTotal(index)}`,
    );
  });
}

function tracesOf(engine: Engine): IndicatorTrace[] {
  const drawn = engine.runs.flatMap((run) => run.drawn);
  return drawn.map(({ feed, series, name, pane }) => ({
    name,
    pane: pane ?? (isOverPrice(name) ? 'price' : name),
    feed: engine.feeds.indexOf(feed),
    values: feed.indicators.traceValues(series),
  }));
}

/** Averages and channels of prices belong over the bars; what is made of an oscillator does not. */
function isOverPrice(name: string): boolean {
  return /^(sma|ema|wma|vwap|bollinger|highest|lowest)\b/.test(name) && !/(rsi|adx|macd|stochastic|atr|volume|technical)/.test(name);
}

/** Bars of the run that went by before a strategy was ready. */
function rowsBefore(engine: Engine, run: StrategyRun): number {
  const [feed] = engine.execution;
  const { closeMs, length } = feed!.bars;
  let row = feed!.firstRow;
  while (row < length && closeMs[row]! < run.readyMs) row++;
  return row - feed!.firstRow;
}
