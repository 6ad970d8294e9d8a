// Runs one strategy as a backtest and as a live bot over HTTP on the same bars, and compares orders, fills and balances.

import { openRequest } from '../../src/definition/request.ts';
import { resolveRun } from '../../src/definition/resolve.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { finestFeeds } from '../../src/definition/plan/finestFeeds.ts';
import { openOf } from '../../src/model/interval.ts';
import { balancesOf, booksOf } from './holdings.ts';
import { exchangeOf, liveComparablePlan, writeBot } from './setUp.ts';
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
  const plan = liveComparablePlan(shortenPlan(resolved.plan, bars));
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

/** Returns the run over the first `maxRows` rows of each instrument. */
export function shortenPlan(plan: RunPlan, maxRows: number | undefined): RunPlan {
  if (maxRows === undefined) return plan;
  const lastCloses = finestFeeds(plan.feeds).map(({ bars, firstRow }) => {
    const endRow = Math.min(firstRow + maxRows, bars.length);
    return bars.closeMs[endRow - 1]!;
  });
  const endMs = Math.min(...lastCloses);
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

/**
 * Runs the backtest and returns its tables. `journalledOrder` is the order in which a live bot delivered the instruments of each instant, for
 * `decide: perFeed`.
 */
export async function backtestOf(plan: RunPlan, journalledOrder: Engine['parts']['orderAt'] = null): Promise<Tables> {
  const { engine, loop, checkBooks } = await prepareBacktest(plan);
  engine.parts.orderAt = journalledOrder;
  loop(engine);
  checkBooks();
  return tablesOf(engine, booksOf(engine));
}

/** Drives a live bot over all rows and returns its tables. */
async function liveTables(plan: RunPlan, definition: Readonly<Record<string, unknown>>, notify: (line: string) => void): Promise<Tables> {
  const world = await RowWorld.open(exchangeOf(plan));
  try {
    const { exchange, folder } = world;
    const opened = await world.openBot(writeBot(folder, plan, definition, exchange.url), plan, notify);
    try {
      const driver = await world.startTrading(opened, plan);
      let hasMoreRows = true;
      while (hasMoreRows) hasMoreRows = await driver.driveNextRows();
      return tablesOf(opened.bot.deps.engine, balancesOf(exchange.service, opened.bot.deps.engine));
    } finally {
      await world.stop(opened);
    }
  } finally {
    await world.close();
  }
}

/** Returns the tables of a run that has ended. */
export function tablesOf(engine: Engine, balances: readonly Row[]): Tables {
  const barOpenOf = (instrument: number, timeMs: number): number => openOf(engine.execution[instrument]!.bars.interval, timeMs);
  return {
    orders: orderRows(engine.orders.columns(), barOpenOf),
    fills: fillRows(engine.fills.columns()),
    books: booksOf(engine),
    balances,
  };
}

/** Keys that a run definition and the config of a bot have in common. */
const SHARED_KEYS: ReadonlySet<string> = new Set([
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
]);

/** Returns the keys of a definition that a bot's config has too. The other keys are in the plan of the exchange. */
export function definitionOf(data: unknown): Readonly<Record<string, unknown>> {
  const definition = (data ?? {}) as Readonly<Record<string, unknown>>;
  const shared = Object.fromEntries(Object.entries(definition).filter(([key]) => SHARED_KEYS.has(key)));
  // Of the fill parameters, a bot has only the execution interval, and it accepts no `finest`.
  const { inside } = (definition['fills'] ?? {}) as { readonly inside?: unknown };
  return inside === undefined || inside === 'finest' ? shared : { ...shared, fills: { inside } };
}
