// Runs one strategy as a backtest and as a live bot over HTTP on the same bars, and compares both.

import { openRequest } from '../../src/definition/request.ts';
import { resolveRun } from '../../src/definition/resolve.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { finestFeeds } from '../../src/definition/plan/finestFeeds.ts';
import { openOf } from '../../src/model/interval.ts';
import { balancesOf, booksOf } from './holdings.ts';
import { exchangeOf, onTheWire, writeBot } from './setUp.ts';
import { fillRows, firstDifference, orderRows, type RunDifference, type Row, type Tables } from './tables.ts';
import { RowWorld } from './world.ts';

/** A strategy to compare. */
export interface ParityCase {
  readonly name: string;
  /** Path of a run definition. */
  readonly file: string;
  /** Overrides of the definition, in the form of `--set`. */
  readonly settings: readonly string[];
  /** Maximum number of rows of each instrument. By default all. */
  readonly bars?: number;
  /** Called with each line of the bot's log. */
  readonly notify?: (line: string) => void;
}

/** The result of a comparison. */
export interface ParityResult {
  readonly strategy: string;
  readonly bars: number;
  readonly orders: number;
  readonly fills: number;
  readonly equal: boolean;
  readonly firstDifference: RunDifference | null;
  /** Why the bot could not be run to the end. */
  readonly stopped?: string;
}

/** Runs the backtest and the bot, and returns the first difference. */
export async function runParity({ name, file, settings, bars, notify = () => {} }: ParityCase): Promise<ParityResult> {
  const { source } = await openRequest({ kind: 'file', file, settings });
  const resolved = await resolveRun(source);
  const plan = onTheWire(shortenPlan(resolved.plan, bars));
  const backtest = await backtestOf(plan);
  const rows = finestFeeds(plan.feeds).reduce((sum, feed) => sum + feed.bars.length - feed.firstRow, 0);
  const result = { strategy: name, bars: rows, orders: backtest.orders.length, fills: backtest.fills.length };
  try {
    const difference = firstDifference(backtest, await liveTables(plan, definitionOf(source.data), notify));
    return { ...result, equal: difference === null, firstDifference: difference };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ...result, equal: false, firstDifference: null, stopped: error.message };
  }
}

/** Returns the run over the first `max` rows of each instrument. */
export function shortenPlan(plan: RunPlan, max: number | undefined): RunPlan {
  if (max === undefined) return plan;
  const endMs = Math.min(...finestFeeds(plan.feeds).map(({ bars, firstRow }) => bars.closeMs[Math.min(firstRow + max, bars.length) - 1]!));
  const feeds = plan.feeds.map((feed) => {
    const { openMs, closeMs, open, high, low, close, volume } = feed.bars;
    const length = closeMs.findLastIndex((ms) => ms <= endMs) + 1;
    const firstRows = (column: Float64Array): Float64Array => column.subarray(0, length);
    const columns = {
      openMs: firstRows(openMs),
      closeMs: firstRows(closeMs),
      open: firstRows(open),
      high: firstRows(high),
      low: firstRows(low),
      close: firstRows(close),
      volume: firstRows(volume),
    };
    return { ...feed, bars: { ...feed.bars, length, ...columns } };
  });
  return { ...plan, feeds, toMs: endMs };
}

/** Returns the tables of the backtest. `partsAt` is the journalled order of instruments at each instant, for `decide: perFeed`. */
export async function backtestOf(plan: RunPlan, partsAt: Engine['parts']['orderAt'] = null): Promise<Tables> {
  const { engine, loop, checkBooks } = await prepareBacktest(plan);
  engine.parts.orderAt = partsAt;
  loop(engine);
  checkBooks();
  return tablesOf(engine, booksOf(engine));
}

/** Returns the tables of a live bot that was driven over all rows. */
async function liveTables(plan: RunPlan, definition: Readonly<Record<string, unknown>>, notify: (line: string) => void): Promise<Tables> {
  const world = await RowWorld.open(exchangeOf(plan));
  try {
    const { exchange, folder } = world;
    const opened = await world.openBot(writeBot(folder, plan, definition, exchange.url), plan, notify);
    try {
      const driver = await world.trading(opened, plan);
      let hasMoreRows = true;
      while (hasMoreRows) hasMoreRows = await driver.next();
      return tablesOf(opened.bot.deps.engine, balancesOf(exchange.service, opened.bot.deps.engine));
    } finally {
      await world.stop(opened);
    }
  } finally {
    await world.close();
  }
}

/** Returns the tables of a run. */
export function tablesOf(engine: Engine, balances: readonly Row[]): Tables {
  const barOf = (instrument: number, timeMs: number): number => openOf(engine.execution[instrument]!.bars.interval, timeMs);
  return {
    orders: orderRows(engine.orders.columns(), barOf),
    fills: fillRows(engine.fills.columns()),
    books: booksOf(engine),
    balances,
  };
}

/** Returns the keys of a definition that a bot's config has too. The other keys are in the plan of the exchange. */
export function definitionOf(data: unknown): Readonly<Record<string, unknown>> {
  const keys = [
    'strategy',
    'params',
    'feeds',
    'market',
    'futures',
    'decide',
    'cash',
    'convert',
    'size',
    'fees',
    'risk',
    'seed',
    'instruments',
  ];
  const entries = Object.entries(data ?? {});
  const fills = Object.entries((entries.find(([key]) => key === 'fills')?.[1] ?? {}) as object).filter(
    // A bot takes an interval alone.
    ([key, value]) => key === 'inside' && value !== 'finest',
  );
  return Object.fromEntries([
    ...entries.filter(([key]) => keys.includes(key)),
    ...(fills.length === 0 ? [] : [['fills', Object.fromEntries(fills)] as const]),
  ]);
}
