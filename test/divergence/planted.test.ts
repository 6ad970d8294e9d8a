// Tests that `isobar parity` names a planted cause and the first divergent event, and that its bridge adds up to the net of the journal.

import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { Divergence, DivergentWhat } from '../../src/tasks/parity/divergences.ts';
import { START_MS } from '../simulation/plans.ts';
import { atEveryCall } from '../fixtures/plantedFaults.ts';
import {
  closeOf,
  comparePlanted,
  FIRST_ROW,
  haltDuringRow,
  HOUR_MS,
  LATENCY_MS,
  MarketAndLimitOrders,
  withFees,
  withFills,
  type PlantedDifference,
  type PlantedWorld,
} from './planted.ts';
import { moneyInJournal, netInJournal, total } from './netInJournal.ts';

/** A planted cause, and what the comparison must find. */
interface PlantedCase {
  readonly name: string;
  readonly planted: PlantedDifference;
  readonly cause: Divergence;
  readonly first: { readonly what: DivergentWhat; readonly time: number };
  /** True when the difference changes the net profit. */
  readonly changesNet: boolean;
}

/** State outside the strategy, which no journal records. */
const hiddenState = { count: 0 };
/** Decides by state that outlives a run, so that no two runs are equal. */
class HiddenCounter extends Strategy {
  barCount = 0;
  override onBar() {
    const barInCycle = this.barCount++ % 6;
    if (barInCycle === 0) this.buy({ base: String(3 + (hiddenState.count++ % 5)) });
    if (barInCycle === 3) this.exit();
  }
}
afterEach(() => void (hiddenState.count = 0));

/** Holds a long position over the funding of 08:00 and 16:00, and exits. */
class Holder extends Strategy {
  barCount = 0;
  override onBar() {
    const bar = this.barCount++;
    if (bar === 1) this.buy({ base: '5' });
    if (bar === 20) this.exit();
  }
}

/** Cancels the bot's resting order by a signed request of its own, as a person would. */
async function cancelAtExchange({ world, opened }: PlantedWorld): Promise<void> {
  const order = opened.bot.deps.engine.orders.active().find(({ role }) => role === 'limit')!;
  const body = JSON.stringify({ orderId: String(order.venueId), symbol: 'AAAUSDT' });
  const signMs = String(world.time.nowMs);
  const signature = createHmac('sha256', 'parity-secret').update(`${signMs}POST/sapi/v1/cancel${body}`).digest('hex');
  const headers = { 'Content-Type': 'application/json', 'X-CH-APIKEY': 'parity-key', 'X-CH-TS': signMs, 'X-CH-SIGN': signature };
  const response = await fetch(`${world.exchange.url}/sapi/v1/cancel`, { method: 'POST', headers, body });
  if (response.status !== 200) throw new Error(await response.text());
}

/** Returns the prices with that of one row raised by 0.4. */
const raiseInRow = (prices: Float64Array, raisedRow: number): Float64Array =>
  prices.map((price, row) => (row === raisedRow ? Math.round(price * 100 + 40) / 100 : price));

const CASES: readonly PlantedCase[] = [
  {
    name: 'data revision: the catalog has a different open from the one the bot saw',
    planted: {
      changeCatalog: (bars) => ({ ...bars, open: raiseInRow(bars.open, FIRST_ROW + 1) }),
    },
    cause: 'data revision',
    first: { what: 'fill', time: closeOf(FIRST_ROW) },
    changesNet: true,
  },
  {
    name: 'data revision: the catalog has a different close from the one the bot saw, on which a limit was placed',
    planted: {
      changeCatalog: (bars) => ({ ...bars, close: raiseInRow(bars.close, FIRST_ROW + 2) }),
    },
    cause: 'data revision',
    first: { what: 'bar', time: closeOf(FIRST_ROW + 2) },
    changesNet: false,
  },
  {
    name: 'late bar: the exchange never gave a bar that the catalog has',
    planted: {
      changeExchange: (plan) => ({
        ...plan,
        feeds: plan.feeds.map((feedPlan) => ({ ...feedPlan, bars: withoutRow(feedPlan.bars, FIRST_ROW + 6) })),
      }),
    },
    cause: 'late bar',
    first: { what: 'bar', time: closeOf(FIRST_ROW + 6) },
    changesNet: true,
  },
  {
    name: 'latency: orders arrive ten minutes later than the definition says',
    planted: withFills({ latencyMs: LATENCY_MS }),
    cause: 'latency',
    first: { what: 'fill', time: closeOf(FIRST_ROW) },
    changesNet: true,
  },
  {
    name: 'fill model: the exchange fills with slippage',
    planted: withFills({ slippagePpm: 2000 }),
    cause: 'fill model',
    first: { what: 'fill', time: closeOf(FIRST_ROW) },
    changesNet: true,
  },
  {
    name: 'rounding: the exchange has coarser lots than the catalog',
    planted: {
      strategy: class Thirds extends MarketAndLimitOrders {
        override onBar() {
          const barInCycle = this.barCount++ % 4;
          if (barInCycle === 0) this.buy({ quote: '333.33' }, { limit: Math.round(this.bars.close.value * 1.01 * 100) / 100 });
          if (barInCycle === 2) this.exit();
        }
      },
      changeCatalog: (bars) => ({ ...bars, instrument: { ...bars.instrument, quantityDigits: 5 } }),
    },
    cause: 'rounding',
    first: { what: 'order', time: closeOf(FIRST_ROW) },
    changesNet: true,
  },
  {
    name: 'fee: the account pays a different rate from that of the definition',
    planted: withFees({ makerPpm: 1500, takerPpm: 1500 }),
    cause: 'fee',
    first: { what: 'fee', time: closeOf(FIRST_ROW) },
    changesNet: true,
  },
  {
    name: 'funding: the exchange paid a different rate from that of the catalog',
    planted: {
      strategy: Holder,
      isFutures: true,
      rates: { catalog: [0.0001, 0.0002, 0.0001, 0.0001], exchange: [0.0001, 0.0005, 0.0001, 0.0001] },
    },
    cause: 'funding',
    first: { what: 'funding', time: START_MS + 16 * HOUR_MS },
    changesNet: true,
  },
  {
    name: 'clock: the exchange refuses an order by its time',
    planted: {
      actsByRow: {
        6: ({ world }) =>
          world.exchange.faulty.faults.setSchedule({ seed: 1, schedule: [atEveryCall('GW.code', 'spot.newOrder', { code: -1021 })] }),
        7: ({ world }) => world.exchange.faulty.faults.setSchedule({ seed: 1, schedule: [] }),
      },
    },
    cause: 'clock',
    first: { what: 'end', time: closeOf(FIRST_ROW + 6) },
    changesNet: true,
  },
  {
    name: 'restart: bars went by while the bot was down',
    planted: { actsByRow: { 5: ({ restart }) => restart(3) } },
    cause: 'restart',
    first: { what: 'decision', time: closeOf(FIRST_ROW + 5) },
    changesNet: true,
  },
  {
    name: 'operator: a halt',
    planted: { actsByRow: haltDuringRow(6, 'OPERATOR', 'a look') },
    cause: 'operator',
    first: { what: 'order', time: closeOf(FIRST_ROW + 6) },
    changesNet: true,
  },
  {
    name: 'operator: the bot halts itself',
    planted: { actsByRow: haltDuringRow(6, 'POST_TRADE', 'a fill is too far off') },
    cause: 'operator',
    first: { what: 'order', time: closeOf(FIRST_ROW + 6) },
    changesNet: true,
  },
  {
    name: 'operator: an order is cancelled by hand at the exchange',
    planted: { actsByRow: { 3: cancelAtExchange } },
    cause: 'operator',
    first: { what: 'end', time: closeOf(FIRST_ROW + 3) },
    changesNet: false,
  },
  {
    name: 'strategy not deterministic: a hidden counter',
    planted: { strategy: HiddenCounter, beforeComparison: () => void (hiddenState.count = 1) },
    cause: 'strategy not deterministic',
    first: { what: 'order', time: closeOf(FIRST_ROW) },
    changesNet: true,
  },
];

describe('a planted cause', () => {
  test.each(CASES)(
    'the report names the planted cause and its bridge adds up: $name',
    async ({ planted, cause, first, changesNet }) => {
      let money = { net: '', held: '' };
      const report = await comparePlanted(planted, (folder) => {
        money = moneyInJournal(folder);
      });
      expect(report.equal).toBe(false);
      expect({ cause: report.cause, what: report.first?.what }).toEqual({ cause, what: first.what });
      // A request that waits for a reply leaves up to two minutes after the close.
      expect(Math.abs(report.first!.time - first.time)).toBeLessThan(120_000);
      expect(report.residual).toBe('0');
      // Fills and fees, read from the journal without the tested code.
      expect(report.net.live).toBe(money.net);
      expect(total([report.net.backtest, ...report.bridge.map(({ amount }) => amount)])).toBe(total([money.net]));
      if (planted.isFutures !== true) expect(report.held.live).toBe(money.held);
      const parts = [...report.trades, report.funding, report.held].map(({ amount }) => amount);
      expect(total([report.net.backtest, ...parts])).toBe(total([money.net]));
      expect(report.bridge.map((step) => step.cause)).toEqual(changesNet || report.bridge.length > 0 ? [cause] : []);
    },
    120_000,
  );
});

test('a run without a planted cause equals its backtest, with an empty bridge', async () => {
  let netOfJournal = '';
  const report = await comparePlanted({}, (folder) => {
    netOfJournal = netInJournal(folder);
  });
  expect(report).toMatchObject({ equal: true, first: null, cause: null, bridge: [], residual: '0', net: { live: netOfJournal } });
  expect(report.fills).toBeGreaterThan(10);
}, 120_000);

/** Returns the bars without one row. */
function withoutRow(bars: BarColumns, row: number): BarColumns {
  const withoutRowOf = (column: Float64Array): Float64Array => column.filter((_, index) => index !== row);
  const { openMs, closeMs, open, high, low, close, volume } = bars;
  const columns = {
    openMs: withoutRowOf(openMs),
    closeMs: withoutRowOf(closeMs),
    open: withoutRowOf(open),
    high: withoutRowOf(high),
    low: withoutRowOf(low),
    close: withoutRowOf(close),
  };
  return { ...bars, ...columns, volume: withoutRowOf(volume), length: bars.length - 1 };
}
