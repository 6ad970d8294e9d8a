// Twelve planted causes: `parity` names the first event and the cause, and its bridge adds up to the money that the journal itself says.

import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import type { Divergence, DivergentWhat } from '../../src/tasks/parity/model.ts';
import { START_MS } from '../simulation/plans.ts';
import { comparePlanted, Counter, FIRST_ROW, HOUR, type Planted, type PlantedWorld } from './planted.ts';
import { moneyInJournal, netInJournal, total } from './netInJournal.ts';

const closeOf = (row: number): number => START_MS + (row + 1) * HOUR;

interface Case {
  readonly name: string;
  readonly planted: Planted;
  readonly cause: Divergence;
  readonly first: { readonly what: DivergentWhat; readonly time: number };
  /** The change of money is not 0. */
  readonly costs: boolean;
}

/** Counts in a place that no journal knows. */
const hidden = { count: 0 };
class Hidden extends Strategy {
  seen = 0;
  override onBar() {
    const at = this.seen++ % 6;
    if (at === 0) this.buy({ base: String(3 + (hidden.count++ % 5)) });
    if (at === 3) this.exit();
  }
}
afterEach(() => void (hidden.count = 0));

/** Long over the funding of 08:00 and 16:00, and out. */
class Holder extends Strategy {
  seen = 0;
  override onBar() {
    const at = this.seen++;
    if (at === 1) this.buy({ base: '5' });
    if (at === 20) this.exit();
  }
}

/** Cancels the bot's resting order with a request of a person. */
async function cancelAtExchange({ world, opened }: PlantedWorld): Promise<void> {
  const order = opened.bot.deps.engine.orders.active().find(({ role }) => role === 'limit')!;
  const body = JSON.stringify({ orderId: String(order.venueId), symbol: 'AAAUSDT' });
  const ts = String(world.time.nowMs);
  const signature = createHmac('sha256', 'parity-secret').update(`${ts}POST/sapi/v1/cancel${body}`).digest('hex');
  const headers = { 'Content-Type': 'application/json', 'X-CH-APIKEY': 'parity-key', 'X-CH-TS': ts, 'X-CH-SIGN': signature };
  const answer = await fetch(`${world.exchange.url}/sapi/v1/cancel`, { method: 'POST', headers, body });
  if (answer.status !== 200) throw new Error(await answer.text());
}

const CASES: readonly Case[] = [
  {
    name: 'data revision: the catalog has another open than the bot saw',
    planted: {
      catalog: (bars) => ({
        ...bars,
        open: bars.open.map((price, row) => (row === FIRST_ROW + 1 ? Math.round(price * 100 + 40) / 100 : price)),
      }),
    },
    cause: 'data revision',
    first: { what: 'fill', time: closeOf(FIRST_ROW) },
    costs: true,
  },
  {
    name: 'data revision: the catalog has another close than the bot saw, on which a limit was placed',
    planted: {
      catalog: (bars) => ({
        ...bars,
        close: bars.close.map((price, row) => (row === FIRST_ROW + 2 ? Math.round(price * 100 + 40) / 100 : price)),
      }),
    },
    cause: 'data revision',
    first: { what: 'bar', time: closeOf(FIRST_ROW + 2) },
    costs: false,
  },
  {
    name: 'late bar: the exchange never gave a bar that the catalog has',
    planted: {
      exchange: (plan) => ({ ...plan, feeds: plan.feeds.map((each) => ({ ...each, bars: without(each.bars, FIRST_ROW + 6) })) }),
    },
    cause: 'late bar',
    first: { what: 'bar', time: closeOf(FIRST_ROW + 6) },
    costs: true,
  },
  {
    name: 'latency: orders arrive ten minutes later than the definition says',
    planted: { exchange: (plan) => ({ ...plan, fills: { ...plan.fills, latencyMs: 600_000 } }) },
    cause: 'latency',
    first: { what: 'fill', time: closeOf(FIRST_ROW) },
    costs: true,
  },
  {
    name: 'fill model: the exchange fills with slippage',
    planted: { exchange: (plan) => ({ ...plan, fills: { ...plan.fills, slippagePpm: 2000 } }) },
    cause: 'fill model',
    first: { what: 'fill', time: closeOf(FIRST_ROW) },
    costs: true,
  },
  {
    name: 'rounding: the exchange has coarser lots than the catalog',
    planted: {
      strategy: class Thirds extends Counter {
        override onBar() {
          const at = this.seen++ % 4;
          if (at === 0) this.buy({ quote: '333.33' }, { limit: Math.round(this.bars.close.value * 1.01 * 100) / 100 });
          if (at === 2) this.exit();
        }
      },
      catalog: (bars) => ({ ...bars, instrument: { ...bars.instrument, quantityDigits: 5 } }),
    },
    cause: 'rounding',
    first: { what: 'order', time: closeOf(FIRST_ROW) },
    costs: true,
  },
  {
    name: 'fee: the account pays another rate than the definition says',
    planted: { exchange: (plan) => ({ ...plan, fees: { ...plan.fees, makerPpm: 1500, takerPpm: 1500 } }) },
    cause: 'fee',
    first: { what: 'fee', time: closeOf(FIRST_ROW) },
    costs: true,
  },
  {
    name: 'funding: the exchange paid another rate than the catalog has',
    planted: {
      strategy: Holder,
      isFutures: true,
      rates: { catalog: [0.0001, 0.0002, 0.0001, 0.0001], exchange: [0.0001, 0.0005, 0.0001, 0.0001] },
    },
    cause: 'funding',
    first: { what: 'funding', time: START_MS + 16 * HOUR },
    costs: true,
  },
  {
    name: 'clock: the exchange refuses an order by its time',
    planted: {
      acts: {
        6: ({ world }) => {
          const schedule = [{ point: 'GW.code' as const, op: 'spot.newOrder' as const, p: 1, params: { code: -1021 } }];
          world.exchange.faulty.faults.set({ seed: 1, schedule });
        },
        7: ({ world }) => world.exchange.faulty.faults.set({ seed: 1, schedule: [] }),
      },
    },
    cause: 'clock',
    first: { what: 'end', time: closeOf(FIRST_ROW + 6) },
    costs: true,
  },
  {
    name: 'restart: bars went by while the bot was down',
    planted: { acts: { 5: ({ restart }) => restart(3) } },
    cause: 'restart',
    first: { what: 'decision', time: closeOf(FIRST_ROW + 5) },
    costs: true,
  },
  {
    name: 'operator: a halt',
    planted: {
      acts: {
        6: ({ opened: { bot } }) => {
          const { engine } = bot.deps;
          bot.driver.step(() => engine.risk.halts.raise({ kind: 'account' }, 'HALT_NEW', 'OPERATOR', 'a look', engine.nowMs));
        },
        7: ({ opened: { bot } }) => {
          const { engine } = bot.deps;
          bot.driver.step(() => void engine.risk.resume({ kind: 'account' }, 'OPERATOR', 'a person', engine.nowMs));
        },
      },
    },
    cause: 'operator',
    first: { what: 'order', time: closeOf(FIRST_ROW + 6) },
    costs: true,
  },
  {
    name: 'operator: an order is cancelled by hand at the exchange',
    planted: { acts: { 3: cancelAtExchange } },
    cause: 'operator',
    first: { what: 'end', time: closeOf(FIRST_ROW + 3) },
    costs: false,
  },
  {
    name: 'strategy not deterministic: a hidden counter',
    planted: { strategy: Hidden, afterwards: () => void (hidden.count = 1) },
    cause: 'strategy not deterministic',
    first: { what: 'order', time: closeOf(FIRST_ROW) },
    costs: true,
  },
];

describe('a planted cause', () => {
  test.each(CASES)(
    'a planted cause: $name',
    async ({ planted, cause, first, costs }) => {
      let [journal, held] = ['', ''];
      const report = await comparePlanted(planted, (folder) => void ({ net: journal, held } = moneyInJournal(folder)));
      if (process.env['SHOW'] !== undefined) console.log(JSON.stringify(report));
      expect(report.equal).toBe(false);
      expect({ cause: report.cause, what: report.first?.what }).toEqual({ cause, what: first.what });
      // A request that waits for an answer goes out some seconds after the close.
      expect(Math.abs(report.first!.time - first.time)).toBeLessThan(120_000);
      expect(report.residual).toBe('0');
      // Fills and fees, read from the journal without the tested code.
      expect(report.net.live).toBe(journal);
      expect(total([report.net.backtest, ...report.bridge.map(({ amount }) => amount)])).toBe(total([journal]));
      if (planted.isFutures !== true) expect(report.held.live).toBe(held);
      const parts = [...report.trades, report.funding, report.held].map(({ amount }) => amount);
      expect(total([report.net.backtest, ...parts])).toBe(total([journal]));
      expect(report.bridge.map((step) => step.cause)).toEqual(costs || report.bridge.length > 0 ? [cause] : []);
    },
    120_000,
  );
});

test('identical runs are equal, with an empty bridge', async () => {
  let journal = '';
  const report = await comparePlanted({}, (folder) => void (journal = netInJournal(folder)));
  expect(report).toMatchObject({ equal: true, first: null, cause: null, bridge: [], residual: '0', net: { live: journal } });
  expect(report.fills).toBeGreaterThan(10);
}, 120_000);

type Columns = Parameters<NonNullable<Planted['catalog']>>[0];

function without(bars: Columns, row: number): Columns {
  const cut = (column: Float64Array): Float64Array => column.filter((_, at) => at !== row);
  const { openMs, closeMs, open, high, low, close, volume } = bars;
  const columns = { openMs: cut(openMs), closeMs: cut(closeMs), open: cut(open), high: cut(high), low: cut(low), close: cut(close) };
  return { ...bars, ...columns, volume: cut(volume), length: bars.length - 1 };
}
