// The warning about limit orders that never took part in a bar: by a strategy that replaces its order at each close, at several latencies.

import { expect, test } from 'vitest';
import { Strategy } from '../../index.ts';
import { backtest, generateBars } from '../../run.ts';

const BARS = 400;
const data = generateBars({ bars: BARS, symbol: 'DEMOUSDT', interval: '1h', seed: 30 });

/** Replaces one limit at each close: `waits` only once it works. */
function replacer(waits: boolean) {
  return class Replacer extends Strategy {
    override onBar() {
      const open = this.openOrders();
      if (open.some(({ lifecycle }) => (waits ? lifecycle !== 'working' : lifecycle === 'draft'))) return;
      for (const { id } of open) this.cancel(id);
      this.buy({ quote: '10' }, { limit: this.bars.close.value * 0.9995, tag: 'rung' });
    }
  };
}

test.each([
  { latencyMs: 0, waits: false, warns: false },
  { latencyMs: 300, waits: false, warns: true },
  { latencyMs: 1_000_000, waits: false, warns: true },
  { latencyMs: 300, waits: true, warns: false },
])('latency $latencyMs ms, waits $waits: warns $warns', async ({ latencyMs, waits, warns }) => {
  const { summary } = await backtest({ strategy: replacer(waits), data, cash: '100000', fills: { latencyMs } });
  const found = summary.warnings.filter(({ code }) => code === 'ORDER_NEVER_WORKED');
  expect(found.length).toBe(warns ? 1 : 0);
  const { created, fills } = summary.orders;
  expect(created).toBeGreaterThan(BARS / 3);
  // Only the first order of all works in a bar: it replaces none.
  if (warns) expect(fills).toBeLessThan(2);
  else expect(fills).toBeGreaterThan(20);
});
