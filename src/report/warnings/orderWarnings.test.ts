// Tests the warning about limit orders that never took part in a bar, with a strategy that replaces its order at each close.

import { expect, test } from 'vitest';
import { Strategy } from '../../index.ts';
import { backtest, generateBars } from '../../run.ts';

const BARS = 400;
const generatedBars = generateBars({ bars: BARS, symbol: 'DEMOUSDT', interval: '1h', seed: 30 });

/** Returns a strategy that replaces one limit at each close; with `waitsUntilWorking` only when the limit works. */
function replacer(waitsUntilWorking: boolean) {
  return class Replacer extends Strategy {
    override onBar() {
      const openOrders = this.openOrders();
      if (openOrders.some(({ lifecycle }) => (waitsUntilWorking ? lifecycle !== 'working' : lifecycle === 'draft'))) return;
      for (const { id } of openOrders) this.cancel(id);
      this.buy({ quote: '10' }, { limit: this.bars.close.value * 0.9995, tag: 'rung' });
    }
  };
}

test.each([
  { latencyMs: 0, waitsUntilWorking: false, hasWarning: false },
  { latencyMs: 300, waitsUntilWorking: false, hasWarning: true },
  { latencyMs: 1_000_000, waitsUntilWorking: false, hasWarning: true },
  { latencyMs: 300, waitsUntilWorking: true, hasWarning: false },
])(
  'replacing a limit at $latencyMs ms latency (waiting until it works: $waitsUntilWorking) gives a warning: $hasWarning',
  async ({ latencyMs, waitsUntilWorking, hasWarning }) => {
    const { summary } = await backtest({
      strategy: replacer(waitsUntilWorking),
      data: generatedBars,
      cash: '100000',
      fills: { latencyMs },
    });
    const neverWorked = summary.warnings.filter(({ code }) => code === 'ORDER_NEVER_WORKED');
    expect(neverWorked.length).toBe(hasWarning ? 1 : 0);
    const { created, fills } = summary.orders;
    expect(created).toBeGreaterThan(BARS / 3);
    // Only the first order works in a bar, because it replaces no other.
    if (hasWarning) expect(fills).toBeLessThan(2);
    else expect(fills).toBeGreaterThan(20);
  },
);
