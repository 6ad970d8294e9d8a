// One strategy twice: as a backtest, and as a live bot over HTTP against a paper exchange whose prices are the same bars.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runExchange, type RunningExchange } from '../../src/app/exchange/runExchange.ts';
import { openRequest } from '../../src/app/definition/request.ts';
import { resolveRun } from '../../src/app/definition/resolve.ts';
import { LiveLog } from '../../src/app/live/liveLog.ts';
import { readLiveConfig } from '../../src/app/live/liveConfig.ts';
import { openLiveBot, type OpenedBot } from '../../src/app/live/openLiveBot.ts';
import type { RunPlan } from '../../src/app/plan.ts';
import { prepareBacktest } from '../../src/app/runBacktest.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { finestFeeds } from '../../src/app/finestFeeds.ts';
import { openOf } from '../../src/model/interval.ts';
import { RowDriver, THINK_MS } from './driver.ts';
import { balancesOf, booksOf } from './holdings.ts';
import { exchangeOf, onTheWire, writeBot } from './setUp.ts';
import { SteppedTime } from './steppedTime.ts';
import { fillRows, firstDifference, orderRows, type Difference, type Row, type Tables } from './tables.ts';

export interface ParityCase {
  readonly name: string;
  /** A definition. */
  readonly file: string;
  /** Overrides of it, as `--set` has them. */
  readonly settings: readonly string[];
  /** Rows of each instrument that are run at most; default all. */
  readonly bars?: number;
  /** Takes what the bot says. */
  readonly tell?: (line: string) => void;
}

export interface ParityResult {
  readonly strategy: string;
  readonly bars: number;
  readonly orders: number;
  readonly fills: number;
  readonly equal: boolean;
  readonly firstDifference: Difference | null;
  /** Why the bot could not be run to the end. */
  readonly stopped?: string;
}

/** Ms that the start of the bot may take: two audits, some seconds apart. */
const START_MS = 60_000;

export async function runParity({ name, file, settings, bars, tell = () => {} }: ParityCase): Promise<ParityResult> {
  const { source } = await openRequest({ kind: 'file', file, settings });
  const resolved = await resolveRun(source);
  const plan = onTheWire(shortened(resolved.plan, bars));
  const backtest = await backtestOf(plan);
  const rows = finestFeeds(plan.feeds).reduce((sum, feed) => sum + feed.bars.length - feed.firstRow, 0);
  const result = { strategy: name, bars: rows, orders: backtest.orders.length, fills: backtest.fills.length };
  try {
    const difference = firstDifference(backtest, await liveOf(plan, definitionOf(source.data), tell));
    return { ...result, equal: difference === null, firstDifference: difference };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ...result, equal: false, firstDifference: null, stopped: error.message };
  }
}

/** The same run over its first `most` rows of each instrument. */
function shortened(plan: RunPlan, most: number | undefined): RunPlan {
  if (most === undefined) return plan;
  const endMs = Math.min(...finestFeeds(plan.feeds).map(({ bars, firstRow }) => bars.closeMs[Math.min(firstRow + most, bars.length) - 1]!));
  const feeds = plan.feeds.map((feed) => {
    const { openMs, closeMs, open, high, low, close, volume } = feed.bars;
    const length = closeMs.findLastIndex((ms) => ms <= endMs) + 1;
    const cut = (column: Float64Array): Float64Array => column.subarray(0, length);
    const columns = {
      openMs: cut(openMs),
      closeMs: cut(closeMs),
      open: cut(open),
      high: cut(high),
      low: cut(low),
      close: cut(close),
      volume: cut(volume),
    };
    return { ...feed, bars: { ...feed.bars, length, ...columns } };
  });
  return { ...plan, feeds, toMs: endMs };
}

async function backtestOf(plan: RunPlan): Promise<Tables> {
  const { engine, loop, checkBooks } = await prepareBacktest(plan);
  loop(engine);
  checkBooks();
  return tablesOf(engine, booksOf(engine));
}

async function liveOf(plan: RunPlan, definition: Readonly<Record<string, unknown>>, tell: (line: string) => void): Promise<Tables> {
  const folder = temporary();
  const settings = exchangeOf(plan);
  const exchange = await runExchange(settings, { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} });
  const time = new SteppedTime(exchange);
  try {
    const path = writeBot(folder, plan, definition, exchange.url);
    const opened = await openBot(path, plan, time, tell);
    try {
      await drive(opened, exchange, time, plan);
      return tablesOf(opened.bot.parts.engine, balancesOf(exchange.service, opened.bot.parts.engine));
    } finally {
      await stop(opened, time);
    }
  } finally {
    time.close();
    await exchange.close();
    rmSync(folder, { recursive: true });
  }
}

/** In memory where there is such a folder: the disk has tests of its own. */
const temporary = (): string => mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-parity-'));

async function openBot(path: string, plan: RunPlan, time: SteppedTime, tell: (line: string) => void): Promise<OpenedBot> {
  const opening = openLiveBot(readLiveConfig(path, {}), {
    log: (nowMs) =>
      new LiveLog({
        write: tell,
        isPretty: false,
        nowMs,
        formatTime: (ms) => new Date(ms).toISOString(),
        hide: (text) => text,
        level: 'debug',
      }),
    scheduler: time,
    load: () => Promise.resolve({ plan: plan.strategies[0]!, inputs: [], folder: '.' }),
    broken: (why) => {
      throw new Error(`the bot broke: ${why}`);
    },
    room: Math.max(...plan.feeds.map(({ bars }) => bars.length)) + 1,
  });
  return whileTimePasses(opening, time);
}

/** What waits for time to pass gets it, a thing that is due at a time. */
async function whileTimePasses<T>(work: Promise<T>, time: SteppedTime): Promise<T> {
  const state = { isDone: false };
  const done = work.finally(() => (state.isDone = true));
  done.catch(() => {});
  for (let step = 0; !state.isDone; step++) {
    await time.quiet();
    if (!state.isDone && time.nextMs < Infinity && step % 50 === 49) await time.stepTo(time.nextMs);
  }
  return done;
}

async function drive({ bot }: OpenedBot, exchange: RunningExchange, time: SteppedTime, plan: RunPlan): Promise<void> {
  const { rows } = exchange.service;
  if (rows === null) throw new Error('the exchange follows no rows');
  bot.start();
  const latestMs = time.nowMs + START_MS;
  await time.quiet();
  while (!bot.isTrading) {
    if (time.nextMs > latestMs) throw new Error('the bot does not begin to trade');
    await time.stepTo(time.nextMs);
  }
  bot.parts.engine.tellsAtInstants = true;
  const { spot, futures } = exchange.service.sides;
  const openOrders = (): number => (spot?.live().length ?? 0) + (futures?.live().length ?? 0) + (futures?.triggers.pending().length ?? 0);
  const driver = new RowDriver({ bot, time, rows, openOrders, isPrompt: plan.fills.latencyMs === 0 });
  while (await driver.next());
}

async function stop(opened: OpenedBot, time: SteppedTime): Promise<void> {
  const state = { isStopped: false };
  opened.bot.stop(() => (state.isStopped = true));
  const latestMs = time.nowMs + THINK_MS;
  await time.quiet();
  while (!state.isStopped && time.nextMs < latestMs) await time.stepTo(time.nextMs);
  await opened.close();
}

function tablesOf(engine: Engine, balances: readonly Row[]): Tables {
  const barOf = (instrument: number, timeMs: number): number => openOf(engine.execution[instrument]!.bars.interval, timeMs);
  return {
    orders: orderRows(engine.orders.columns(engine.nowMs), barOf),
    fills: fillRows(engine.fills.columns()),
    books: booksOf(engine),
    balances,
  };
}

/** The keys that a bot's config has too; what else it says stands in the plan that the exchange is made of. */
function definitionOf(data: unknown): Readonly<Record<string, unknown>> {
  const keys = ['strategy', 'params', 'feeds', 'market', 'futures', 'cash', 'size', 'fees', 'risk', 'seed', 'instruments'];
  return Object.fromEntries(Object.entries(data ?? {}).filter(([key]) => keys.includes(key)));
}
