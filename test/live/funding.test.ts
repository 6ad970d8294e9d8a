// Tests the funding rates of a live bot over HTTP: they are those of its backtest, each is paid once, and missing ones are reported.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/replayFolder.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import type { Op } from '../../src/protocol/endpoints/endpoints.ts';
import { PERPETUAL, perpetualBars } from '../fixtures/perpetual.ts';
import { balancesOf, booksOf } from '../parity/holdings.ts';
import { exchangeOf, liveComparablePlan, writeBot } from '../parity/setUp.ts';
import { RowWorld } from '../parity/world.ts';
import { feed, planOf, START_MS } from '../simulation/plans.ts';

const HOUR_MS = 3_600_000;

/** Returns a time as hours after the start of the data. */
const hoursAfterStart = (ms: number): number => (ms - START_MS) / HOUR_MS;

/** What the strategy read at one bar. Hours count from the start of the data. */
interface FundingReading {
  readonly hour: number;
  /** The newest rate, and its hour. */
  readonly rate: number;
  readonly rateHour: number;
  readonly previousRate: number;
  readonly nextRateHour: number;
}
let readings: FundingReading[] = [];
/** Buys after a funding rate below 0, and exits after one above 0. */
class FundingReceiver extends Strategy {
  override onBar() {
    const funding = this.funding();
    const { rate } = funding;
    readings.push({
      hour: hoursAfterStart(this.nowMs),
      rate,
      rateHour: hoursAfterStart(funding.atMs),
      previousRate: funding.ago(1),
      nextRateHour: hoursAfterStart(funding.nextMs),
    });
    if (this.position().isFlat && rate < 0) this.buy({ base: '5' });
    else if (!this.position().isFlat && rate > 0) this.exit();
  }
}

/** Funding rates, one every eight hours. */
const RATES = [0.0001, 0.0002, -0.0003, -0.0001, 0.0004, 0.00012345, -0.0002, 0.0001];
/** Hourly rows of the data, and the first row of the run. */
const ROW_COUNT = 66;
const FIRST_ROW = 10;

/** Keeps what it counts, so that a start begins at its newest kept point. */
class KeepingReceiver extends FundingReceiver {
  counted = this.keep({ bars: 0 });
  override onBar() {
    this.counted.bars++;
    super.onBar();
  }
}

/** Returns a plan of hourly bars of a contract with funding at 8, 16, 24, ... hours. The first time lies before the run. */
function planFor(rates: readonly number[], strategy: StrategyClass = FundingReceiver): RunPlan {
  const closes = Array.from({ length: ROW_COUNT }, (_, index) => 100 + (index % 7));
  const bars = { ...perpetualBars(closes, 'AAA', 60), interval: '1h' as const };
  const timeMs = Float64Array.from(rates, (_, index) => START_MS + 8 * (index + 1) * HOUR_MS + index);
  const fromMs = bars.openMs[FIRST_ROW]!;
  const fundingRows = rates.map((rate, index) => ({
    timeMs: START_MS + 8 * (index + 1) * HOUR_MS,
    rate: Math.round(rate * 1e12),
    markTicks: 10_000,
  }));
  const funding = fundingRows.filter((due) => due.timeMs > fromMs);
  const dataById = new Map([
    [bars.instrument.id, { marks: null, funding, rates: { length: rates.length, timeMs, rate: Float64Array.from(rates) } }],
  ]);
  const feeds = [{ ...feed('bars', bars), firstRow: FIRST_ROW }];
  return liveComparablePlan(
    planOf(strategy, feeds, { ...PERPETUAL, fromMs, futures: { ...PERPETUAL.futures!, leverage: 3, data: dataById } }),
  );
}
const DEFINITION = {
  strategy: 'fundingReceiver.ts',
  feeds: { bars: { symbol: 'E-AAA-USDT', interval: '1h' } },
  market: 'futures',
  futures: { leverage: 3, margin: 'cross', positions: 'net' },
  cash: '10000',
};

let world: RowWorld;
afterEach(async () => {
  readings = [];
  await world.close();
});

/** Opens the exchange without the endpoints `off`. Returns the path of the bot's config. */
async function openExchange(plan: RunPlan, off: readonly Op[] = []): Promise<string> {
  const settings = exchangeOf(plan);
  world = await RowWorld.open({ ...settings, service: { ...settings.service, off } });
  return writeBot(world.folder, plan, DEFINITION, world.exchange.url);
}

/** Runs the bot until the given hour. Returns its log. `inspect` is called before it stops. */
async function runBot(path: string, plan: RunPlan, untilHour: number, inspect: (opened: OpenedBot) => void = () => {}): Promise<string> {
  const logLines: string[] = [];
  const opened = await world.openBot(path, plan, (line) => logLines.push(line));
  writeBotFile(opened.bot.deps.config.data, botFileOf(opened));
  const driver = await world.startTrading(opened, plan);
  while (hoursAfterStart(world.time.nowMs) < untilHour && (await driver.driveNextRows()));
  inspect(opened);
  await world.stop(opened);
  return logLines.join('');
}

/** Returns the amounts of all journalled payments. */
function bookedPayments(data: string): readonly string[] {
  const files = readdirSync(join(data, 'journal')).filter((name) => name.endsWith('.jsonl'));
  const lines = files.toSorted().flatMap((name) =>
    readFileSync(join(data, 'journal', name), 'utf8')
      .trim()
      .split('\n'),
  );
  const records = lines.map((line) => JSON.parse(line) as { readonly k: string; readonly amount?: string });
  return records.flatMap(({ k, amount }) => (k === 'FUNDED' ? [amount!] : []));
}

test('funding rates are those of the backtest at each decision, over a restart and in a replay, and each payment is booked once', async () => {
  const plan = planFor(RATES);
  const { engine, loop } = await prepareBacktest(plan);
  loop(engine);
  const readingsOfBacktest = readings;
  readings = [];
  const path = await openExchange(plan);
  const firstLog = await runBot(path, plan, 35);
  // The second lifetime first replays the first one from the journal.
  expect(readings).toEqual(readingsOfBacktest.slice(0, readings.length));
  readings = [];
  const secondLog = await runBot(path, plan, Infinity, ({ bot: { deps } }) => {
    expect(booksOf(deps.engine)).toEqual(balancesOf(world.exchange.service, deps.engine));
    expect(booksOf(deps.engine)).toEqual(booksOf(engine));
  });
  expect(readings).toEqual(readingsOfBacktest);
  expect(readings.find(({ hour }) => hour === 16)).toEqual({
    hour: 16,
    rate: 0.0002,
    rateHour: 16,
    previousRate: 0.0001,
    nextRateHour: 24,
  });
  // The position is open at the payments of hours 32, 40 and 64.
  expect(bookedPayments(join(world.folder, 'bot'))).toHaveLength(3);
  expect(firstLog + secondLog).not.toMatch(/funding rate/);
  const load = () => Promise.resolve({ plan: plan.strategies[0]!, inputs: [], folder: '.' });
  readings = [];
  const replayed = await replayFolder(join(world.folder, 'bot'), { config: null, load });
  expect(replayed).toMatchObject({ processes: 2, difference: null });
  expect(replayed.decisions).toBeGreaterThan(3);
  expect(readings).toEqual(readingsOfBacktest);
});

test('a replay of a bot that was restarted from kept state covers its whole journal, with the rates of the backtest', async () => {
  const plan = planFor(RATES, KeepingReceiver);
  const { engine, loop } = await prepareBacktest(plan);
  loop(engine);
  const readingsOfBacktest = readings;
  readings = [];
  const path = await openExchange(plan);
  await runBot(path, plan, 35);
  readings = [];
  const secondLog = await runBot(path, plan, Infinity);
  expect(secondLog).toContain('strategies begin with their kept state');
  expect(readings.length).toBeLessThan(readingsOfBacktest.length);
  expect(readings).toEqual(readingsOfBacktest.slice(-readings.length));
  readings = [];
  const load = () => Promise.resolve({ plan: plan.strategies[0]!, inputs: [], folder: '.' });
  const replayed = await replayFolder(join(world.folder, 'bot'), { config: null, load });
  expect(replayed).toMatchObject({ processes: 2, difference: null });
  expect(readings).toEqual(readingsOfBacktest);
});

test('a funding rate that could not be read is NaN, and the log says so at the start and when it is due', async () => {
  const plan = planFor([]);
  const path = await openExchange(plan, ['futures.indexPrice']);
  const log = await runBot(path, plan, 26);
  expect(readings.every(({ rate }) => Number.isNaN(rate))).toBe(true);
  const noRateText = 'no funding rate of E-AAA-USDT is known; the first will be the rate of 2024-01-01 16:00 UTC';
  expect(log.split('\n').filter((line) => line.includes(noRateText))).toHaveLength(2);
  expect(log).toContain(`FundingReceiver: funding rates are incomplete: ${noRateText}; the strategy reads NaN`);
  expect(log).toMatch(/funding rate of E-AAA-USDT: /);
  expect(log).toContain('the funding rate of E-AAA-USDT of 2024-01-01 16:00 UTC was missed: strategies read NaN');
});
