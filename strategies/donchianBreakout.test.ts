// Tests the Donchian breakout: it enters above the channel of the bars before, and leaves below it, at its stop, or at its trailing stop.

import { describe, expect, it } from 'vitest';
import { barsFrom, trade, type Shape } from '../test/fixtures/shippedStrategyRun.ts';
import DonchianBreakout from './donchianBreakout.ts';

/** Bars from 99 to 101: the channel is 99 to 101, and the ATR is 2. */
const QUIET: Shape[] = Array.from({ length: 6 }, () => [100, 101, 99, 100]);
const PARAMS = { entryBars: 5, exitBars: 3, atrBars: 5, stopAtrs: 2, trailAtrs: 10 };
const run = (after: readonly Shape[], params: object = {}) =>
  trade(DonchianBreakout, { bars: barsFrom([...QUIET, ...after]) }, { params: { ...PARAMS, ...params } });
const brief = (fills: Awaited<ReturnType<typeof run>>['fills']) => fills.map(({ side, price, after }) => [side, price, after]);

describe('Donchian breakout', () => {
  it('Donchian breakout buys at the open after a close above the highest high before it, and not after only a high above it', async () => {
    expect((await run([[100, 105, 100, 101], 100.5])).fills).toEqual([]);
    expect(
      brief(
        (
          await run([
            [100, 102, 100, 101.5],
            [101.6, 102, 101, 102],
          ])
        ).fills,
      ),
    ).toEqual([['buy', 101.6, 7]]);
  });

  it('Donchian breakout sells at the open after a close below the lowest low before it', async () => {
    const { fills } = await run([[100, 102, 100, 101.5], 103, 104, 105, [105, 105, 101, 101], [100.9, 101, 100, 100]], { stopAtrs: 20 });
    expect(brief(fills)).toEqual([
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
    expect(brief(fills)).toEqual([
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
    // The stop is three ATRs below 110. This is the best price before the bar that reaches the stop.
    expect(brief(fills)).toEqual([
      ['buy', 101.5, 7],
      ['sell', 104, 9],
    ]);
    expect(orders[1]).toMatchObject({ role: 'trailing' });
  });
});
