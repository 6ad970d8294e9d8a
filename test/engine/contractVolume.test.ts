// Tests that the cap on the share of a bar's volume converts the volume of coins to contracts.

import { expect, it } from 'vitest';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy } from '../../src/index.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, planFor } from './backtestFixture.ts';

/** Buys more than a bar can fill. */
class Greedy extends Strategy {
  override onBar() {
    if (this.openOrders().length === 0) this.buy({ base: 1000 }, { limit: 50_000 });
  }
}

it.each([
  [1, 3, 200], // With 0.001 coins per contract, 2 coins are 2000 contracts, and a tenth of them is 200.
  [5, 3, 40],
  [1, 0, 0],
])('a contract of %i x 10^-%i coins fills %i of a bar of 2 coins at a tenth', async (multiplier, multiplierDigits, contracts) => {
  const instrument = linearContract({ multiplier, multiplierDigits });
  const bars = barsOfRows(
    Array.from({ length: 4 }, () => [400_000, 400_000, 400_000, 400_000, 2] as const),
    instrument,
  );
  const plan = planFor({ strategies: [Greedy], feeds: { bars }, cash: { USDT: '90000000' }, fills: { maxVolumeSharePpm: 100_000 } });
  const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
  const prepared = await prepareBacktest({ ...plan, futures });
  prepared.loop(prepared.engine);
  const { fills } = runRecordOf({ ...plan, futures }, prepared, false);
  expect([...fills.lots]).toEqual(contracts === 0 ? [] : [contracts, contracts, contracts]);
});
