// Tests the perpetual trend: it enters outside a channel, long or short, with equal risk per contract, and leaves at a narrower channel.

import { describe, expect, it } from 'vitest';
import { PERPETUAL, perpetualBars } from '../test/fixtures/perpetual.ts';
import { trade, type Shape } from '../test/fixtures/shippedStrategyRun.ts';
import PerpetualTrend from './perpetualTrend.ts';

/** Bars from 99 to 101: the channel is 99 to 101, and the ATR is 2. */
const QUIET: Shape[] = Array.from({ length: 6 }, () => [100, 101, 99, 100]);
const PARAMS = { entryBars: 5, exitBars: 3, atrBars: 5, stopAtrs: 2, risk: 0.01, mostEach: 10 };

/** Runs the strategy over one contract for each list of bars. */
const run = (barsOfContracts: readonly (readonly Shape[])[], params: object = {}) => {
  const contracts = barsOfContracts.map((after, index) => perpetualBars([...QUIET, ...after], 'ABC'[index]!.repeat(3)));
  return trade(PerpetualTrend, { contracts }, { ...PERPETUAL, params: { ...PARAMS, ...params } });
};

/** Returns side, price and bar index of each fill. */
const fillSummary = ({ fills }: Awaited<ReturnType<typeof run>>) => fills.map(({ side, price, after }) => [side, price, after]);

describe('perpetual trend', () => {
  it('perpetual trend buys above the channel and leaves below the narrower one', async () => {
    const rising: Shape[] = [[100, 102, 100, 101.5], 103, 104, 105, [105, 105, 101, 101], [100.9, 101, 100, 100]];
    expect(fillSummary(await run([rising], { stopAtrs: 20 }))).toEqual([
      ['buy', 101.5, 7],
      ['sell', 100.9, 11],
    ]);
  });

  it('perpetual trend sells short below the channel, with a stop above the price', async () => {
    const falling: Shape[] = [[100, 100, 98, 98.5], 98.4, 98.3, [98.3, 104, 98, 103]];
    const { fills, orders } = await run([falling]);
    // The bar that enters has a range of 2, so the ATR stays 2 and the stop is 4 above the close.
    expect(orders.find(({ role }) => role === 'stopLoss')).toMatchObject({ side: 'buy', limit: 102.5, ending: 'filled' });
    expect(fills.map(({ side, price }) => [side, price])).toEqual([
      ['sell', 98.5],
      ['buy', 102.5],
    ]);
  });

  it('perpetual trend risks the same part of its equity on each contract', async () => {
    const { fills } = await run([
      [[100, 102, 100, 101.5], 101.5],
      [[100, 102, 100, 101.5], 101.5],
    ]);
    // 1 % of 10,000, divided by a distance of 4, is 25 coins. A contract is a thousandth of a coin.
    expect(fills.map(({ symbol, qty }) => [symbol, Math.round(qty * 1000)])).toEqual([
      ['E-AAA-USDT', 25_000],
      ['E-BBB-USDT', 25_000],
    ]);
    const capped = await run([[[100, 102, 100, 101.5], 101.5]], { mostEach: 0.1 });
    expect(capped.fills.map(({ qty }) => Math.round(qty * 1000))).toEqual([Math.floor(1000 / 0.1015)]);
  });
});
