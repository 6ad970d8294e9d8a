// Funding rates of a live bot over HTTP: those of its backtest, over a restart and in a replay; paid once; missing ones are said.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { writeBotFile } from '../../src/tasks/control/folder/botFile.ts';
import { botFileOf } from '../../src/tasks/bot/botFile.ts';
import type { OpenedBot } from '../../src/tasks/bot/openLiveBot.ts';
import { replayFolder } from '../../src/tasks/bot/decisions/folder.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy } from '../../src/index.ts';
import type { Op } from '../../src/protocol/endpoints/endpoints.ts';
import { PERPETUAL, perpetualBars } from '../fixtures/perpetual.ts';
import { balancesOf, booksOf } from '../parity/holdings.ts';
import { exchangeOf, onTheWire, writeBot } from '../parity/setUp.ts';
import { RowWorld } from '../parity/world.ts';
import { feed, planOf, START_MS } from '../simulation/plans.ts';

const HOUR = 3_600_000;
const hour = (ms: number): number => (ms - START_MS) / HOUR;

/** What was seen at each bar: the hour, the newest rate, its hour, the one before, the hour of the next. */
let seen: number[][] = [];
/** Long after a rate below 0, out after one above. */
class Payee extends Strategy {
  override onBar() {
    const funding = this.funding();
    const { rate } = funding;
    seen.push([hour(this.nowMs), rate, hour(funding.atMs), funding.ago(1), hour(funding.nextMs)]);
    if (this.position().isFlat && rate < 0) this.buy({ base: '5' });
    else if (!this.position().isFlat && rate > 0) this.exit();
  }
}

const RATES = [0.0001, 0.0002, -0.0003, -0.0001, 0.0004, 0.00012345, -0.0002, 0.0001];
const ROWS = 66;
const FIRST_ROW = 10;

/** Hours of a contract with funding at 8, 16, 24, ...; two of the funding times lie before the run. */
function planFor(rates: readonly number[]): RunPlan {
  const shapes = Array.from({ length: ROWS }, (_, at) => 100 + (at % 7));
  const bars = { ...perpetualBars(shapes, 'AAA', 60), interval: '1h' as const };
  const timeMs = Float64Array.from(rates, (_, at) => START_MS + 8 * (at + 1) * HOUR + at);
  const fromMs = bars.openMs[FIRST_ROW]!;
  const paid = rates.map((rate, at) => ({ timeMs: START_MS + 8 * (at + 1) * HOUR, rate: Math.round(rate * 1e12), markTicks: 10_000 }));
  const funding = paid.filter((due) => due.timeMs > fromMs);
  const data = new Map([
    [bars.instrument.id, { marks: null, funding, rates: { length: rates.length, timeMs, rate: Float64Array.from(rates) } }],
  ]);
  const feeds = [{ ...feed('bars', bars), firstRow: FIRST_ROW }];
  return onTheWire(planOf(Payee, feeds, { ...PERPETUAL, fromMs, futures: { ...PERPETUAL.futures!, leverage: 3, data } }));
}
const DEFINITION = {
  strategy: 'payee.ts',
  feeds: { bars: { symbol: 'E-AAA-USDT', interval: '1h' } },
  market: 'futures',
  futures: { leverage: 3, margin: 'cross', positions: 'net' },
  cash: '10000',
};

let world: RowWorld;
afterEach(async () => {
  seen = [];
  await world.close();
});

async function open(plan: RunPlan, off: readonly Op[] = []): Promise<string> {
  const settings = exchangeOf(plan);
  world = await RowWorld.open({ ...settings, service: { ...settings.service, off } });
  return writeBot(world.folder, plan, DEFINITION, world.exchange.url);
}

/** One lifetime of a bot, up to the hour; returns what it said. */
async function live(path: string, plan: RunPlan, untilHour: number, look: (opened: OpenedBot) => void = () => {}): Promise<string> {
  const text: string[] = [];
  const opened = await world.openBot(path, plan, (line) => text.push(line));
  writeBotFile(opened.bot.deps.config.data, botFileOf(opened));
  const driver = await world.trading(opened, plan);
  while (hour(world.time.nowMs) < untilHour && (await driver.next()));
  look(opened);
  await world.stop(opened);
  return text.join('');
}

function payments(data: string): readonly string[] {
  const files = readdirSync(join(data, 'journal')).filter((name) => name.endsWith('.jsonl'));
  const lines = files.toSorted().flatMap((name) =>
    readFileSync(join(data, 'journal', name), 'utf8')
      .trim()
      .split('\n'),
  );
  const records = lines.map((line) => JSON.parse(line) as { readonly k: string; readonly amount?: string });
  return records.flatMap(({ k, amount }) => (k === 'FUNDED' ? [amount!] : []));
}

test('they are those of the backtest at each decision, over a restart and in a replay, and each payment is booked once', async () => {
  const plan = planFor(RATES);
  const { engine, loop } = await prepareBacktest(plan);
  loop(engine);
  const expected = seen;
  seen = [];
  const path = await open(plan);
  const before = await live(path, plan, 35);
  // The second lifetime runs the first one again, from its journal.
  expect(seen).toEqual(expected.slice(0, seen.length));
  seen = [];
  const after = await live(path, plan, Infinity, ({ bot: { deps: parts } }) => {
    expect(booksOf(parts.engine)).toEqual(balancesOf(world.exchange.service, parts.engine));
    expect(booksOf(parts.engine)).toEqual(booksOf(engine));
  });
  expect(seen).toEqual(expected);
  expect(seen.find(([at]) => at === 16)).toEqual([16, 0.0002, 16, 0.0001, 24]);
  // Held from the bar after 24:00 to that after 40:00, and from that after 56:00 to that after 64:00.
  expect(payments(join(world.folder, 'bot'))).toHaveLength(3);
  expect(before + after).not.toMatch(/funding rate/);
  const load = () => Promise.resolve({ plan: plan.strategies[0]!, inputs: [], folder: '.' });
  seen = [];
  const replayed = await replayFolder(join(world.folder, 'bot'), { config: null, load });
  expect(replayed).toMatchObject({ processes: 2, difference: null });
  expect(replayed.decisions).toBeGreaterThan(3);
  expect(seen).toEqual(expected);
});

test('a funding rate that could not be read is NaN; the log says so at the start, for the strategy that reads it, and when it is due', async () => {
  const plan = planFor([]);
  const path = await open(plan, ['futures.indexPrice']);
  const text = await live(path, plan, 26);
  expect(seen.every(([, rate]) => Number.isNaN(rate))).toBe(true);
  const lacks = 'no funding rate of E-AAA-USDT is known; the first will be the rate of 2024-01-01 16:00 UTC';
  expect(text.split('\n').filter((line) => line.includes(lacks))).toHaveLength(2);
  expect(text).toContain(`Payee: funding rates are incomplete: ${lacks}; the strategy reads NaN`);
  expect(text).toMatch(/funding rate of E-AAA-USDT: /);
  expect(text).toContain('the funding rate of E-AAA-USDT of 2024-01-01 16:00 UTC was missed: strategies read NaN');
});
