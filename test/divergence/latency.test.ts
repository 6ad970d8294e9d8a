// A bot whose orders take ten minutes: its backtest is equal once it has that latency, declared or measured. Without it the cause is
// the latency, and the report says what the bot had.

import { expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { comparePlanted, Counter, type Planted } from './planted.ts';

const LATENCY_MS = 600_000;
const LATE: Planted = { exchange: (plan) => ({ ...plan, fills: { ...plan.fills, latencyMs: LATENCY_MS } }) };

/** Averages down by rungs that are replaced at each close, once they work. */
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

test.each([Counter, Ladder])('a late bot of %o', { timeout: 240_000 }, async (strategy) => {
  const planted = { strategy, ...LATE };
  const plain = await comparePlanted(planted);
  expect(plain).toMatchObject({ equal: false, cause: 'latency', latency: { backtestMs: 0, from: 'config', measuredMs: 1 } });
  expect(plain.fills).toBeGreaterThan(5);
  expect(plain.latency.orders).toBeGreaterThan(2);
  const declared = await comparePlanted({ ...planted, definition: { fills: { latencyMs: LATENCY_MS } } });
  expect(declared).toMatchObject({ equal: true, cause: null, latency: { backtestMs: LATENCY_MS, from: 'config' } });
  const measured = await comparePlanted({ ...planted, latency: 'measured' });
  expect(measured).toMatchObject({ equal: true, latency: { backtestMs: 1, from: 'measured' } });
  for (const { net, fills } of [declared, measured]) expect([net.live, fills]).toEqual([plain.net.live, plain.fills]);
});
