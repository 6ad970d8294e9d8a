// Orders and fills name their instrument, also in a run of more instruments than a byte can number.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/strategy/strategy.ts';
import { runBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { planFor, spotInstrument, walkBars } from './world.ts';

class Ends extends Strategy {
  all = this.feeds('all');

  override onBar() {
    for (const at of [3, 9]) {
      const feed = this.all[at]!;
      if (this.position(feed).isFlat) this.buy(undefined, { feed });
    }
  }
}

test('instruments beyond the 256th have records of their own', async () => {
  const bars = Array.from({ length: 300 }, (_, at) => walkBars({ rows: 4, seed: at + 1, instrument: spotInstrument(`A${at}`) }));
  const record = await runBacktest(planFor({ strategies: [Ends], feeds: { all: bars }, size: { base: '0.01' }, cash: { USDT: '100000' } }));
  // Instruments are in the order of their ids: A9 is the last one.
  const ids = (of: Uint16Array) => [...of].slice(0, 2).map((at) => record.instruments[at]!.id);
  expect(record.instruments.at(-1)!.id).toBe('spot:A9USDT');
  expect(ids(record.fills.instrument)).toEqual(['spot:A3USDT', 'spot:A9USDT']);
  expect(ids(record.orders.instrument)).toEqual(['spot:A3USDT', 'spot:A9USDT']);
});

test('more strategies than a byte can number are refused', async () => {
  class Idle extends Strategy {
    override onBar() {}
  }
  const planOf = (count: number) =>
    planFor({ strategies: Array.from({ length: count }, () => Idle), feeds: { bars: walkBars({ rows: 4 }) } });
  await runBacktest(planOf(256));
  await expect(runBacktest(planOf(257))).rejects.toThrow('the run: expected at most 256 strategies, got 257');
});
