// Tests that the block size does not change a run: orders, fills and equity are equal, with gaps, several feeds, timers and latency.
import { describe, expect, it } from 'vitest';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { fingerprint, planOf, type PlanOptions } from './plans.ts';
import { manyFeeds, CrossTrader, ManySymbolTrader, gappyFeed, WhenTrader } from './strategies.ts';

describe.each([0, 20_000, 90_000])('with a latency of %i ms', (latencyMs) => {
  it.each<[string, () => ReturnType<typeof planOf>, PlanOptions]>([
    ['onBar, one feed with gaps', () => planOf(CrossTrader, [gappyFeed]), {}],
    ['when, one feed with gaps', () => planOf(WhenTrader, [gappyFeed]), {}],
    [
      'when, fees in quote, a volume cap and slippage',
      () => planOf(WhenTrader, [gappyFeed]),
      { fees: { in: 'quote' }, fills: { maxVolumeSharePpm: 20_000, slippagePpm: 200 } },
    ],
    ['two strategies on one account', () => planOf([CrossTrader, WhenTrader], [gappyFeed]), {}],
    ['three symbols with gaps, hourly and minute bars, timers', () => planOf(ManySymbolTrader, manyFeeds), {}],
    ['a drawdown halt', () => planOf(CrossTrader, [gappyFeed]), { risk: { maxDrawdown: '0.004', maxDailyLoss: '0.003' } }],
  ])('a run is the same with blocks of 1, 7, 512 and 4096 rows: %s', async (_, makePlan, options) => {
    const { fills, fees, ...planOptions } = options;
    const plan = makePlan();
    const changedPlan = { ...plan, ...planOptions, fees: { ...plan.fees, ...fees }, fills: { ...plan.fills, ...fills, latencyMs } };
    const runWithBlocks = (blockRows: number) => runBacktest({ ...changedPlan, blockRows });
    const expected = await runWithBlocks(1);
    expect(expected.fills.length).toBeGreaterThan(10);
    for (const blockRows of [7, 512, 4096])
      expect(fingerprint(await runWithBlocks(blockRows)), `B = ${blockRows}`).toEqual(fingerprint(expected));
  });
});
