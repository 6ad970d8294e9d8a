// MeanCross on seeded bars: it trades, it never holds more than one position, and it does the same every time.
import { backtest, generateBars } from 'isobar/run';
import { expect, test } from 'vitest';
import MeanCross from './meanCross.ts';

const data = generateBars({ bars: 5000, symbol: 'DEMOUSDT', interval: '1h', seed: 7 });
const run = (params = {}) => backtest({ strategy: MeanCross, params, data, cash: '10000', fees: '0.001' });

test('it trades, and every exit follows an entry', async () => {
  const { trades, orders } = await run();
  expect(trades.length).toBeGreaterThan(10);
  expect(orders.side.filter((side) => side === 'buy').length - trades.length).toBeLessThanOrEqual(1);
});

test('the same bars give the same result, other parameters another one', async () => {
  const [one, again, other] = [await run(), await run(), await run({ fast: 5 })];
  expect(again.resultHash).toBe(one.resultHash);
  expect(other.resultHash).not.toBe(one.resultHash);
});
