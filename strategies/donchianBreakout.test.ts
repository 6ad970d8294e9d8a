// Tests the Donchian breakout: it enters above the channel of the bars before, and leaves below it, at its stop, or at its trailing stop.

import { describe, expect, it } from 'vitest';
import { barsFrom, trade, type Shape } from '../test/fixtures/shippedStrategyRun.ts';
import DonchianBreakout from './donchianBreakout.ts';

/** Bars from 99 to 101: the channel is 99 to 101, and the ATR is 2. */
const QUIET: Shape[] = Array.from({ length: 6 }, () => [100, 101, 99, 100]);
const PARAMS = { entryBars: 5, exitBars: 3, atrBars: 5, stopAtrs: 2, trailAtrs: 10 };
const run = (nextBars: readonly Shape[], params: object = {}) =>
  trade(DonchianBreakout, { bars: barsFrom([...QUIET, ...nextBars]) }, { params: { ...PARAMS, ...params } });
/** Returns side, price and index of the bar of each fill. */
const summaryOf = (fills: Awaited<ReturnType<typeof run>>['fills']) => fills.map(({ side, price, after }) => [side, price, after]);

describe('Donchian breakout', () => {
  it('Donchian breakout does not buy after a high above the channel if the close is inside it', async () => {
    expect((await run([[100, 105, 100, 101], 100.5])).fills).toEqual([]);
  });

  it('Donchian breakout buys at the open after a close above the highest high before it', async () => {
    const { fills } = await run([
      // Closes above the channel.
      [100, 102, 100, 101.5],
      // Fills the buy at its open.
      [101.6, 102, 101, 102],
    ]);
    expect(summaryOf(fills)).toEqual([['buy', 101.6, 7]]);
  });

  it('Donchian breakout sells at the open after a close below the lowest low before it', async () => {
    const bars: Shape[] = [
      // Closes above the channel.
      [100, 102, 100, 101.5],
      103,
      104,
      105,
      // Closes below the lowest low of the three bars before.
      [105, 105, 101, 101],
      // Fills the sale at its open.
      [100.9, 101, 100, 100],
    ];
    const { fills } = await run(bars, { stopAtrs: 20 });
    expect(summaryOf(fills)).toEqual([
      ['buy', 101.5, 7],
      ['sell', 100.9, 11],
    ]);
  });

  it('Donchian breakout sells at the stop, two ATRs below the close that entered', async () => {
    // The bar that enters has a range of 2, so the ATR stays 2 and the stop is at 97.5.
    const { orders, fills } = await run(
      [
        [100, 102, 100, 101.5],
        [101.5, 101.5, 97, 98],
      ],
      { exitBars: 6 },
    );
    expect(summaryOf(fills)).toEqual([
      ['buy', 101.5, 7],
      ['sell', 97.5, 8],
    ]);
    expect(orders[1]).toMatchObject({ role: 'stopLoss', parent: 1 });
  });

  it('Donchian breakout follows the best price of closed bars by its trailing stop', async () => {
    const { orders, fills } = await run(
      [
        [100, 102, 100, 101.5],
        [101.5, 110, 101.5, 110],
        [110, 112, 103, 104],
      ],
      { trailAtrs: 3 },
    );
    // The best price before the last bar is 110. The stop is three ATRs of 2 below it.
    expect(summaryOf(fills)).toEqual([
      ['buy', 101.5, 7],
      ['sell', 104, 9],
    ]);
    expect(orders[1]).toMatchObject({ role: 'trailing' });
  });
});
