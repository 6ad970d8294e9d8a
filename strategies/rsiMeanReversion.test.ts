// Tests the RSI mean reversion. It enters only on a dip of a rising market. It leaves on a recovery, at its stop, or after some bars.

import { describe, expect, it } from 'vitest';
import { barsFrom, trade, type Shape } from '../test/fixtures/shippedStrategyRun.ts';
import RsiMeanReversion from './rsiMeanReversion.ts';

const PARAMS = { rsiBars: 2, trendBars: 20, oversold: 20, recovered: 60, maxBars: 5, stopShare: 0.05 };
/** Closes that rise by 1 in each bar, from 100 to 129. Their RSI is 100. */
const RISE: Shape[] = Array.from({ length: 30 }, (_, bar) => 100 + bar);
const DIP = 125;
const run = (after: readonly Shape[], params: object = {}, before = RISE) =>
  trade(RsiMeanReversion, { bars: barsFrom([...before, ...after]) }, { params: { ...PARAMS, ...params } });

describe('RSI mean reversion', () => {
  it('RSI mean reversion buys at the open after the RSI has fallen below oversold, and sells at the open after its recovery', async () => {
    const { fills } = await run([127, DIP, 126, 128, 130, 131]);
    // The RSI over 2 bars is above 20 at 127, falls below 20 at 125, and is above 60 for the first time at 128.
    expect(fills).toMatchObject([
      { side: 'buy', price: DIP, after: 32 },
      { side: 'sell', price: 128, after: 34 },
    ]);
  });

  it('RSI mean reversion buys nothing in a falling market', async () => {
    const fall = Array.from({ length: 30 }, (_, bar) => 160 - bar + (bar % 5 === 0 ? 2 : 0));
    const { orders } = await run([128, 120, 122, 118], {}, fall);
    expect(orders).toEqual([]);
  });

  it('RSI mean reversion sells at its stop, 5 % below the close that entered', async () => {
    const { orders, fills } = await run([127, DIP, [DIP, 126, 117, 118], 119]);
    expect(fills).toMatchObject([
      { side: 'buy', price: DIP },
      { side: 'sell', price: 118.75, after: 33 },
    ]);
    expect(orders[1]).toMatchObject({ role: 'stopLoss', ending: 'filled' });
  });

  it('RSI mean reversion sells when the market has not recovered in time, and may enter again', async () => {
    const flat = Array.from({ length: 8 }, (_, bar) => DIP - bar / 100);
    const { fills } = await run([127, DIP, ...flat, 130, 135, 142, 136, 130, 130], { oversold: 30 });
    // It buys at the open after 32 bars. The five closes of the position are those of bars 33 to 37.
    expect(fills.map(({ side, after }) => [side, after])).toEqual([
      ['buy', 32],
      ['sell', 37],
      ['buy', 45],
    ]);
  });

  it('RSI mean reversion does not add to a position', async () => {
    const { orders } = await run([127, DIP, 126, 124, 125, 123.5], { recovered: 99 });
    expect(orders.filter(({ side }) => side === 'buy')).toHaveLength(1);
  });

  it('RSI mean reversion holds its position during missing bars', async () => {
    const { fills } = await run([127, DIP, null, null, 126, 130, 131]);
    expect(fills.map(({ side, after }) => [side, after])).toEqual([
      ['buy', 34],
      ['sell', 36],
    ]);
  });
});
