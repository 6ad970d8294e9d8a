// Tests a bot whose orders take ten minutes: its backtest is equal only with that latency, declared or measured.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { comparePlanted, LATENCY_MS, MarketAndLimitOrders, withFills } from './planted.ts';

/** Buys at the market and by two limits below it, which it replaces at each close once they are working. Exits with a profit of 0.4 %. */
class Ladder extends Strategy {
  override onBar() {
    const { isFlat, qty, entryPrice } = this.position();
    const close = this.bars.close.value;
    if (!isFlat && close > entryPrice * 1.004) {
      this.exit();
      return;
    }
    if (isFlat && this.openOrders().length === 0) this.buy({ base: '2' }, { tag: 'first' });
    const rungs = this.openOrders().filter(({ tag }) => tag.startsWith('rung'));
    if (qty.gt(20) || rungs.some(({ lifecycle }) => lifecycle !== 'working')) return;
    for (const { id } of rungs) this.cancel(id);
    for (const rung of [1, 2]) this.buy({ base: '1' }, { limit: close * (1 - rung * 0.004), tag: `rung ${rung}` });
  }
}

test.each([MarketAndLimitOrders, Ladder])(
  'a bot with a latency of ten minutes equals a backtest only with that latency: %o',
  { timeout: 240_000 },
  async (strategy) => {
    const difference = { strategy, ...withFills({ latencyMs: LATENCY_MS }) };
    const withoutLatency = await comparePlanted(difference);
    expect(withoutLatency).toMatchObject({ equal: false, cause: 'latency', latency: { backtestMs: 0, from: 'config', measuredMs: 1 } });
    expect(withoutLatency.fills).toBeGreaterThan(5);
    expect(withoutLatency.latency.orders).toBeGreaterThan(2);
    const withDeclaredLatency = await comparePlanted({ ...difference, definition: { fills: { latencyMs: LATENCY_MS } } });
    expect(withDeclaredLatency).toMatchObject({ equal: true, cause: null, latency: { backtestMs: LATENCY_MS, from: 'config' } });
    const withMeasuredLatency = await comparePlanted({ ...difference, latency: 'measured' });
    expect(withMeasuredLatency).toMatchObject({ equal: true, latency: { backtestMs: 1, from: 'measured' } });
    for (const { net, fills } of [withDeclaredLatency, withMeasuredLatency])
      expect([net.live, fills]).toEqual([withoutLatency.net.live, withoutLatency.fills]);
  },
);
