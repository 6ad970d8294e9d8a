// Tests the trend filter. It buys dips while the slower average rises. It sells at the middle of the band, at its stop, or in a falling
// trend.

import { describe, expect, it } from 'vitest';
import { resample } from '../src/adapters/catalog/bars/resample.ts';
import { barsFrom, trade, type Shape } from '../test/fixtures/shippedStrategyRun.ts';
import TrendFilter from './trendFilter.ts';

/** Returns closes of three hours of minutes. They rise by `step` in an hour (or fall, if it is negative), in a small zigzag. */
const slope = (step: number): number[] => Array.from({ length: 180 }, (_, minute) => 100 + (step * minute) / 60 + (minute % 2) * 0.2);
const PARAMS = { trendBars: 2, bandBars: 20, bandWidths: 2, stopAtrs: 5 };
function run(closes: readonly Shape[], params: object = {}) {
  const bars = barsFrom(closes);
  return trade(TrendFilter, { bars, trend: resample(bars, '1h').bars }, { params: { ...PARAMS, ...params } });
}

describe('trend filter', () => {
  it('trend filter buys a dip below the band of a rising market and sells at the middle of the band', async () => {
    const { orders, fills } = await run([...slope(1), 102.2, 102.3, 102.6, 103.2, 103.2]);
    expect(fills.map(({ side, after }) => [side, after])).toEqual([
      ['buy', 181],
      ['sell', 184],
    ]);
    expect(orders[1]).toMatchObject({ role: 'takeProfit', ending: 'filled' });
  });

  it('trend filter does not buy dips of a falling market', async () => {
    const { orders } = await run([...slope(-1), 96, 96.5, 97, 97.5]);
    expect(orders).toEqual([]);
  });

  it('trend filter sells at its stop', async () => {
    const { orders, fills } = await run([...slope(1), 102.2, [102.2, 102.2, 98, 98.5], 99]);
    expect(orders[2]).toMatchObject({ role: 'stopLoss', ending: 'filled' });
    expect(fills[1]!.price).toBeLessThan(102.2);
    expect(fills[1]!.price).toBeGreaterThan(98);
  });

  it('trend filter sells when the slower feed shows a falling trend', async () => {
    const decline = Array.from({ length: 59 }, (_, minute) => 102.1 - minute / 10);
    const { orders, fills } = await run([...slope(1), 102.2, ...decline, 96, 96.1], { stopAtrs: 50 });
    expect(fills.map(({ side, after }) => [side, after])).toEqual([
      ['buy', 181],
      ['sell', 240],
    ]);
    expect(orders.at(-1)).toMatchObject({ slot: 'exit', after: 240 });
  });
});
