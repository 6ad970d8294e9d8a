// Tests reports of two-way runs: long and short of one contract are separate trades, and a sweep has the same figures.

import { expect, it } from 'vitest';
import type { ContractData } from '../../src/model/bars/contractData.ts';
import { runLanes } from '../../src/tasks/sweep/threads/runLanes.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy } from '../../src/index.ts';
import type { Instrument, InstrumentId } from '../../src/model/instrument.ts';
import { SIDES } from '../../src/model/run/run.ts';
import { buildSummary } from '../../src/report/summary/summary.ts';
import { SET_FIGURES } from '../../src/report/sweep/figures/setFigures.ts';
import { tradesOf } from '../../src/report/trades/trades.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import type { GivenStrategy } from '../fixtures/runPlan.ts';
import { barsOfRows, MINUTE, planFor, START_MS } from './backtestFixture.ts';

/** A funding rate of 0.001, in units of 10^-12. */
const FUNDING_RATE = 1_000_000_000;

/** Buys 107 contracts, sells 57 short beside them, and then reduces the long by 40. */
class LongAndShort extends Strategy {
  rows = 0;
  override onBar() {
    this.rows++;
    if (this.rows === 1) this.buy({ base: 107 });
    if (this.rows === 2) this.sell({ base: 57 });
    if (this.rows === 5) this.sell({ base: 40 }, { reduceOnly: true });
  }
}

/** Returns the plan of a run in which each row has one price. Funding is paid twice, at a rate of 0.001. */
function hedgePlan(instrument: Instrument, prices: readonly number[], isNet = false, strategy: GivenStrategy = LongAndShort): RunPlan {
  const rows = prices.map((price): [number, number, number, number] => [price, price, price, price]);
  const bars = barsOfRows(rows, instrument);
  const funding = [2, 4].map((minute) => ({ timeMs: START_MS + minute * MINUTE, rate: FUNDING_RATE, markTicks: prices[0]! }));
  const dataById = new Map<InstrumentId, ContractData>([[instrument.id, { marks: null, funding }]]);
  const futures = { leverage: 10, isCross: false, isNet, liquidationFeePpm: 2000, data: dataById };
  return { ...planFor({ strategies: [strategy], feeds: { bars }, cash: { [instrument.quote]: '5000' } }), futures };
}

it('a short and a long of one contract are separate trades, and a liquidation ends only the trade of its side', async () => {
  // The price rises by more than a tenth at the fifth row. The short is liquidated. The long stays, and is reduced at the sixth row.
  const record = await runBacktest(hedgePlan(linearContract(), [400_000, 400_000, 400_000, 400_000, 460_000, 460_000, 460_000]));
  const { closed, open } = tradesOf(record);
  expect(closed.length).toBe(1);
  expect(SIDES[closed.side[0]!]).toBe('sell');
  expect(closed.liquidations[0]).toBe(1);
  expect(closed.entryMs[0]).toBe(START_MS + 2 * MINUTE);
  // 57 contracts of 0.001 BTC at 40,000 USDT are worth 2,280 USDT. The funding is 0.001 of that, in units of 0.0001 USDT.
  expect(closed.fundingUnits[0]).toBe(22_800);
  expect(open).toMatchObject([{ side: 'long', baseUnits: 67, entryMs: START_MS + MINUTE }]);
  const { trades, metrics } = buildSummary(record, { versions: {} });
  expect(trades).toMatchObject({ trades: 1, longs: 0, shorts: 1, liquidations: 1, openTrades: 1 });
  expect(metrics.exposureTime).toBeCloseTo(6 / 7, 9);
  // While both sides are open, the gross exposure counts both: 164 × 40 USDT / 5,000 USDT = 1.31.
  expect(metrics.grossExposureMax).toBeCloseTo(1.31, 2);
});

it('a summary has both sides that are open at the end, and its cost bridge explains them at any last price', async () => {
  for (let lastPrice = 400_001; lastPrice < 400_040; lastPrice++) {
    const record = await runBacktest(hedgePlan(inverseContract(), [400_000, 400_000, 400_000, 400_000, 400_000, 400_000, lastPrice]));
    const { costBridge, trades } = buildSummary(record, { versions: {} });
    expect(costBridge).not.toBeNull();
    // prettier-ignore
    expect(trades.openPositions.map(({ side, quantity }) => [side, quantity])).toEqual([['long', '67'], ['short', '57']]);
  }
});

/** Makes a trade that gains and one that loses. In two-way mode it also holds a short beside both. */
class RoundTrips extends Strategy {
  rows = 0;
  override onBar() {
    this.rows++;
    if (this.rows === 1 || this.rows === 4) this.buy({ base: 100 });
    if (this.rows === 2) this.sell({ base: 30 });
    if (this.rows === 3 || this.rows === 6) this.sell({ base: 70 }, { reduceOnly: true });
    if (this.rows === 7) this.exit();
  }
}

it.each([false, true])(
  'a set of a sweep has the trades, the profit factor and the win rate of its run, which pays funding (net: %s)',
  async (isNet) => {
    const prices = [400_000, 400_000, 401_000, 402_000, 402_000, 401_000, 400_000, 400_000, 400_000];
    const plan = hedgePlan(linearContract(), prices, isNet, RoundTrips);
    const { trades } = buildSummary(await runBacktest(plan), { versions: {} });
    const [outcome] = await runLanes(plan, [{}]);
    const figure = (name: (typeof SET_FIGURES)[number]) => outcome!.values[SET_FIGURES.indexOf(name)];
    expect([trades.trades, Number(trades.funding) > 0]).toEqual([2, true]);
    expect(figure('trades')).toBe(trades.trades);
    expect(figure('profitFactor')).toBe(trades.profitFactor);
    expect(figure('winRate')).toBe(trades.winRate);
  },
);
