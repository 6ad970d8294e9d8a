// Two-way positions in what a run leaves: long and short of a contract are trades apart, one by one, and in a sweep as in a run.

import { expect, it } from 'vitest';
import type { ContractData } from '../../src/model/bars/marks.ts';
import { runLanes } from '../../src/tasks/sweep/threads/lanes.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy } from '../../src/index.ts';
import type { Instrument, InstrumentId } from '../../src/model/instrument.ts';
import { buildSummary } from '../../src/report/summary/summary.ts';
import { SET_FIGURES } from '../../src/report/sweep/figures/setFigures.ts';
import { tradesOf } from '../../src/report/trades/trades.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import type { GivenStrategy } from '../fixtures/runPlan.ts';
import { barsOfRows, MINUTE, planFor, START_MS } from './world.ts';

/** A long at the second row, a short beside it at the third, what is left of the long leaves with the last row but one. */
class Hedge extends Strategy {
  rows = 0;
  override onBar() {
    this.rows++;
    if (this.rows === 1) this.buy({ base: 107 });
    if (this.rows === 2) this.sell({ base: 57 });
    if (this.rows === 5) this.sell({ base: 40 }, { reduceOnly: true });
  }
}

function hedged(instrument: Instrument, prices: readonly number[], isNet = false, strategy: GivenStrategy = Hedge): RunPlan {
  const bars = barsOfRows(prices.map((price) => [price, price, price, price]), instrument); // prettier-ignore
  const funding = [2, 4].map((minute) => ({ timeMs: START_MS + minute * MINUTE, rate: 1_000_000_000, markTicks: prices[0]! }));
  const data = new Map<InstrumentId, ContractData>([[instrument.id, { marks: null, funding }]]);
  const futures = { leverage: 10, isCross: false, isNet, liquidationFeePpm: 2000, data };
  return { ...planFor({ strategies: [strategy], feeds: { bars }, cash: { [instrument.quote]: '5000' } }), futures };
}

it('a short and a long of one contract are separate trades, and a liquidation ends only the trade of its side', async () => {
  // Up by more than a tenth at the fifth row: the short is closed, the long stays, and is reduced at the sixth.
  const record = await runBacktest(hedged(linearContract(), [400_000, 400_000, 400_000, 400_000, 460_000, 460_000, 460_000]));
  const { closed, open } = tradesOf(record);
  expect([closed.length, closed.side[0], closed.liquidations[0], closed.entryMs[0]]).toEqual([1, 1, 1, START_MS + 2 * MINUTE]);
  // 57 contracts of 0.001 BTC at 40,000: 2,280 USDT. The funding is a thousandth of it.
  expect(closed.fundingUnits[0]).toBe(22_800);
  expect(open).toMatchObject([{ side: 'long', baseUnits: 67, entryMs: START_MS + MINUTE }]);
  const { trades, metrics } = buildSummary(record, { versions: {} });
  expect([trades.trades, trades.longs, trades.shorts, trades.liquidations, trades.openTrades]).toEqual([1, 0, 1, 1, 1]);
  expect(metrics.exposureTime).toBeCloseTo(6 / 7, 9);
  // While both are open, gross counts both: 164 contracts of 40 USDT, of 5,000.
  expect(metrics.grossExposureMax).toBeCloseTo(1.31, 2);
});

it('two sides open at the end are marked as the account marks them, and the bridge adds up despite rounding', async () => {
  for (let last = 400_001; last < 400_040; last++) {
    const record = await runBacktest(hedged(inverseContract(), [400_000, 400_000, 400_000, 400_000, 400_000, 400_000, last]));
    const { costBridge, trades } = buildSummary(record, { versions: {} });
    expect(costBridge).not.toBeNull();
    expect(trades.openPositions.map(({ side, quantity }) => [side, quantity])).toEqual([['long', '67'], ['short', '57']]); // prettier-ignore
  }
});

/** A trade that gains and one that loses; with two ways at once a short beside both. */
class Trips extends Strategy {
  rows = 0;
  override onBar() {
    this.rows++;
    if (this.rows === 1 || this.rows === 4) this.buy({ base: 100 });
    if (this.rows === 2) this.sell({ base: 30 });
    if (this.rows === 3 || this.rows === 6) this.sell({ base: 70 }, { reduceOnly: true });
    if (this.rows === 7) this.exit();
  }
}

it.each([false, true])('a set of a sweep has the figures of its run, funding among them (net: %s)', async (isNet) => {
  const prices = [400_000, 400_000, 401_000, 402_000, 402_000, 401_000, 400_000, 400_000, 400_000];
  const plan = hedged(linearContract(), prices, isNet, Trips);
  const { trades } = buildSummary(await runBacktest(plan), { versions: {} });
  const [outcome] = await runLanes(plan, [{}]);
  const figure = (name: (typeof SET_FIGURES)[number]) => outcome!.values[SET_FIGURES.indexOf(name)];
  expect([trades.trades, Number(trades.funding) > 0]).toEqual([2, true]);
  expect([figure('trades'), figure('profitFactor'), figure('winRate')]).toEqual([trades.trades, trades.profitFactor, trades.winRate]);
});
