// Tests both forms of the SMA cross: it is long from the open after a cross up to the open after a cross down.

import { expect, it } from 'vitest';
import { minutes } from '../test/simulation/plans.ts';
import { barsFrom, trade } from '../test/fixtures/shippedStrategyRun.ts';
import SmaCross from './smaCross.ts';
import SmaCrossOnBar from './smaCrossOnBar.ts';

it.each([SmaCross, SmaCrossOnBar])('%o buys after a cross up, sells after a cross down, and holds once in between', async (strategy) => {
  // Averages of 2 and 4 closes: the close of 103 moves the fast one above the slow one, and the close of 98 moves it below.
  const bars = barsFrom([102, 101, 100, 100, 103, 105, 105, 98, 97, 97]);
  const { fills } = await trade(strategy, { bars }, { params: { fast: 2, slow: 4 } });
  expect(fills).toMatchObject([
    { side: 'buy', price: 103, after: 5 },
    { side: 'sell', price: 98, after: 8 },
  ]);
});

it('both forms of the SMA cross have the same orders and fills', async () => {
  const bars = minutes('AAAUSDT', 2000, 5, 0.02);
  const [signals, everyBar] = [await trade(SmaCross, { bars }), await trade(SmaCrossOnBar, { bars })];
  expect(signals.fills.length).toBeGreaterThan(40);
  expect({ ...everyBar, record: null }).toEqual({ ...signals, record: null });
});
