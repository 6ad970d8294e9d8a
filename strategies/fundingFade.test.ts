// Tests the funding fade: it sells above the bands, buys below them, leaves at the middle, and opens no long shortly before funding.

import { describe, expect, it } from 'vitest';
import { PERPETUAL, perpetualBars } from '../test/fixtures/perpetual.ts';
import { trade, type Shape } from '../test/fixtures/shippedStrategyRun.ts';
import FundingFade from './fundingFade.ts';

/** Returns closes that alternate around 100. */
const swings = (bars: number): Shape[] => Array.from({ length: bars }, (_, bar) => (bar % 2 === 0 ? 100.2 : 99.8));
const PARAMS = { bandBars: 20, bandWidths: 2, stopAtrs: 30, quietHours: 0.5 };
const run = (shapes: readonly Shape[], params: object = {}) =>
  trade(FundingFade, { bars: perpetualBars(shapes) }, { ...PERPETUAL, params: { ...PARAMS, ...params } });
/** Returns side, price and bar index of each fill. */
const fillSummary = ({ fills }: Awaited<ReturnType<typeof run>>) => fills.map(({ side, price, after }) => [side, price, after]);

describe('funding fade', () => {
  it('funding fade sells above the upper band, and buys back at the middle', async () => {
    expect(fillSummary(await run([...swings(60), 102, 102, 100, 100]))).toEqual([
      ['sell', 102, 61],
      ['buy', 100, 63],
    ]);
  });

  it('funding fade buys below the lower band, and sells at the middle', async () => {
    expect(fillSummary(await run([...swings(60), 98, 98, 100.1, 100]))).toEqual([
      ['buy', 98, 61],
      ['sell', 100.1, 63],
    ]);
  });

  it('funding fade opens no long in the half hour before funding, but opens shorts', async () => {
    // Funding is due at 08:00, after 480 minutes.
    expect(fillSummary(await run([...swings(455), 98, 98, 98]))).toEqual([]);
    expect(fillSummary(await run([...swings(455), 102, 102]))).toEqual([['sell', 102, 456]]);
    expect(fillSummary(await run([...swings(445), 98, 98]))).toEqual([['buy', 98, 446]]);
  });

  it('funding fade exits at its stop', async () => {
    const { orders } = await run([...swings(60), 102, 102, [102, 130, 102, 130], 130]);
    expect(orders.filter(({ role }) => role === 'stopLoss').map(({ side, ending }) => [side, ending])).toEqual([['buy', 'filled']]);
  });
});
