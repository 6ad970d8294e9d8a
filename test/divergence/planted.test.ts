// Tests that `isobar parity` names the cause of a planted difference and the first event that differs. Its bridge contains the steps of
// money from the net profit of the backtest to that of the bot. They must add up to the net profit in the journal.

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
  ROWS,
  withFees,
  withFills,
  type PlantedDifference,
  type PlantedWorld,
} from './planted.ts';
import { moneyInJournal, netInJournal, total } from './netInJournal.ts';

/** A planted difference, and what the comparison must find. */
interface PlantedCase {
  /** The cause, and how the difference was planted. */
  readonly name: string;
  readonly difference: PlantedDifference;
  readonly cause: Divergence;
  /** The first event that differs: its kind, and about when it happens. */
  readonly firstEvent: { readonly what: DivergentWhat; readonly timeMs: number };
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
class FundingHolder extends Strategy {
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

/** The code with which the exchange refuses a request whose signing time is too far from its own time. */
const BAD_SIGNING_TIME = -1021;

/** Returns the prices; the one of `raisedRow` is higher by 0.40. */
const raiseInRow = (prices: Float64Array, raisedRow: number): Float64Array =>
  prices.map((price, row) => (row === raisedRow ? Math.round(price * 100 + 40) / 100 : price));

const CASES: readonly PlantedCase[] = [
  {
    name: 'data revision: the catalog has a different open from the one the bot saw',
    difference: {
      changeCatalog: (bars) => ({ ...bars, open: raiseInRow(bars.open, FIRST_ROW + 1) }),
    },
    cause: 'data revision',
    firstEvent: { what: 'fill', timeMs: closeOf(FIRST_ROW) },
    changesNet: true,
  },
  {
    name: 'data revision: the catalog has a different close from the one the bot saw, on which a limit was placed',
    difference: {
      changeCatalog: (bars) => ({ ...bars, close: raiseInRow(bars.close, FIRST_ROW + 2) }),
    },
    cause: 'data revision',
    firstEvent: { what: 'bar', timeMs: closeOf(FIRST_ROW + 2) },
    changesNet: false,
  },
  {
    // The strategy decides nothing on this bar, so the order of a later bar is not the first event.
    name: 'data revision: the catalog lacks a bar that the bot saw',
    difference: { changeCatalog: (bars) => withoutRow(bars, FIRST_ROW + 3) },
    cause: 'data revision',
    firstEvent: { what: 'bar', timeMs: closeOf(FIRST_ROW + 3) },
    changesNet: true,
  },
  {
    name: 'late bar: the exchange never gave a bar that the catalog has',
    difference: {
      changeExchange: (plan) => ({
        ...plan,
        feeds: plan.feeds.map((feedPlan) => ({ ...feedPlan, bars: withoutRow(feedPlan.bars, FIRST_ROW + 6) })),
      }),
    },
    cause: 'late bar',
    firstEvent: { what: 'bar', timeMs: closeOf(FIRST_ROW + 6) },
    changesNet: true,
  },
  {
    name: 'latency: orders arrive ten minutes later than the definition says',
    difference: withFills({ latencyMs: LATENCY_MS }),
    cause: 'latency',
    firstEvent: { what: 'fill', timeMs: closeOf(FIRST_ROW) },
    changesNet: true,
  },
  {
    name: 'fill model: the exchange fills with slippage',
    difference: withFills({ slippagePpm: 2000 }),
    cause: 'fill model',
    firstEvent: { what: 'fill', timeMs: closeOf(FIRST_ROW) },
    changesNet: true,
  },
  {
    name: 'rounding: the exchange has coarser lots than the catalog',
    difference: {
      strategy: class LimitBuyer extends MarketAndLimitOrders {
        override onBar() {
          const barInCycle = this.barCount++ % 4;
          if (barInCycle === 0) this.buy({ quote: '333.33' }, { limit: Math.round(this.bars.close.value * 1.01 * 100) / 100 });
          if (barInCycle === 2) this.exit();
        }
      },
      changeCatalog: (bars) => ({ ...bars, instrument: { ...bars.instrument, quantityDigits: 5 } }),
    },
    cause: 'rounding',
    firstEvent: { what: 'order', timeMs: closeOf(FIRST_ROW) },
    changesNet: true,
  },
  {
    name: 'fee: the account pays a different rate from that of the definition',
    difference: withFees({ makerPpm: 1500, takerPpm: 1500 }),
    cause: 'fee',
    firstEvent: { what: 'fee', timeMs: closeOf(FIRST_ROW) },
    changesNet: true,
  },
  {
    name: 'funding: the exchange paid a different rate from that of the catalog',
    difference: {
      strategy: FundingHolder,
      isFutures: true,
      rates: { catalog: [0.0001, 0.0002, 0.0001, 0.0001], exchange: [0.0001, 0.0005, 0.0001, 0.0001] },
    },
    cause: 'funding',
    firstEvent: { what: 'funding', timeMs: START_MS + 16 * HOUR_MS },
    changesNet: true,
  },
  {
    name: 'clock: the exchange refuses an order because of its signing time',
    difference: {
      actsByRow: {
        6: ({ world }) =>
          world.exchange.faulty.faults.setSchedule({
            seed: 1,
            schedule: [atEveryCall('GW.code', 'spot.newOrder', { code: BAD_SIGNING_TIME })],
          }),
        7: ({ world }) => world.exchange.faulty.faults.setSchedule({ seed: 1, schedule: [] }),
      },
    },
    cause: 'clock',
    firstEvent: { what: 'end', timeMs: closeOf(FIRST_ROW + 6) },
    changesNet: true,
  },
  {
    name: 'restart: bars went by while the bot was down',
    difference: { actsByRow: { 5: ({ restart }) => restart(3) } },
    cause: 'restart',
    firstEvent: { what: 'decision', timeMs: closeOf(FIRST_ROW + 5) },
    changesNet: true,
  },
  {
    name: 'operator: a halt by the operator',
    difference: { actsByRow: haltDuringRow(6, 'OPERATOR', 'a look') },
    cause: 'operator',
    firstEvent: { what: 'order', timeMs: closeOf(FIRST_ROW + 6) },
    changesNet: true,
  },
  {
    // Halts of the bot itself are of the class `operator` too, because no backtest repeats them.
    name: 'operator: a halt by the bot itself',
    difference: { actsByRow: haltDuringRow(6, 'POST_TRADE', 'a fill is too far off') },
    cause: 'operator',
    firstEvent: { what: 'order', timeMs: closeOf(FIRST_ROW + 6) },
    changesNet: true,
  },
  {
    name: 'operator: an order is cancelled by hand at the exchange',
    difference: { actsByRow: { 3: cancelAtExchange } },
    cause: 'operator',
    firstEvent: { what: 'end', timeMs: closeOf(FIRST_ROW + 3) },
    changesNet: false,
  },
  {
    name: 'strategy not deterministic: decisions depend on a counter that outlives the run',
    difference: { strategy: HiddenCounter, beforeComparison: () => void (hiddenState.count = 1) },
    cause: 'strategy not deterministic',
    firstEvent: { what: 'order', timeMs: closeOf(FIRST_ROW) },
    changesNet: true,
  },
];

describe('a planted difference', () => {
  test.each(CASES)(
    'the report names the cause and adds up to the net profit of the journal: $name',
    async ({ difference, cause, firstEvent, changesNet }) => {
      let money = { net: '', held: '' };
      const report = await comparePlanted(difference, (folder) => {
        money = moneyInJournal(folder);
      });
      expect(report.equal).toBe(false);
      expect({ cause: report.cause, what: report.first?.what }).toEqual({ cause, what: firstEvent.what });
      // A request that waits for a reply leaves up to two minutes after the close.
      expect(Math.abs(report.first!.time - firstEvent.timeMs)).toBeLessThan(120_000);
      // No money is left that the bridge does not explain.
      expect(report.residual).toBe('0');
      // The journal is read without the tested code.
      expect(report.net.live).toBe(money.net);
      expect(total([report.net.backtest, ...report.bridge.map(({ amount }) => amount)])).toBe(total([money.net]));
      if (difference.isFutures !== true) expect(report.held.live).toBe(money.held);
      const parts = [...report.trades, report.funding, report.held].map(({ amount }) => amount);
      expect(total([report.net.backtest, ...parts])).toBe(total([money.net]));
      expect(report.bridge.map((step) => step.cause)).toEqual(changesNet || report.bridge.length > 0 ? [cause] : []);
    },
    120_000,
  );
});

test('a run without a planted difference equals its backtest, with an empty bridge', async () => {
  let netOfJournal = '';
  const report = await comparePlanted({}, (folder) => {
    netOfJournal = netInJournal(folder);
  });
  expect(report).toMatchObject({ equal: true, first: null, cause: null, bridge: [], residual: '0', net: { live: netOfJournal } });
  expect(report.fills).toBeGreaterThan(10);
}, 120_000);

test('a catalog whose bars end within the run is rejected, and the message names both ranges', async () => {
  const changeCatalog = (bars: BarColumns): BarColumns => {
    let shorter = bars;
    for (let row = ROWS - 1; row >= ROWS - 10; row--) shorter = withoutRow(shorter, row);
    return shorter;
  };
  await expect(comparePlanted({ changeCatalog })).rejects.toThrow(/expected the bars of AAAUSDT 1h that the bot had, .* to .*, got .* to /);
}, 120_000);

/** Returns the bars without one row. */
function withoutRow(bars: BarColumns, row: number): BarColumns {
  const withoutIt = (column: Float64Array): Float64Array => column.filter((_, index) => index !== row);
  const { openMs, closeMs, open, high, low, close, volume } = bars;
  const columns = {
    openMs: withoutIt(openMs),
    closeMs: withoutIt(closeMs),
    open: withoutIt(open),
    high: withoutIt(high),
    low: withoutIt(low),
    close: withoutIt(close),
    volume: withoutIt(volume),
  };
  return { ...bars, ...columns, length: bars.length - 1 };
}
