// Stop entries of spot, which the bot watches itself and sends when their bar has closed: what differs from the backtest is their fill model,
// also of entries beyond which a bar opens, and no operator is blamed.

import { expect, test } from 'vitest';
import { Strategy, type OrderOptions } from '../../src/index.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { comparePlanted, hourBars, type Planted } from './planted.ts';

/** Waits a little above each close, and exits after some bars. The nearer the entry, the more bars open beyond it. */
function breaks(distance: number, optionsOf: (at: number, entry: number) => Omit<OrderOptions, 'stopEntry'>) {
  return class Breaks extends Strategy {
    barCount = 0;
    override onBar() {
      const at = this.barCount++;
      if (!this.position().isFlat) {
        if (at % 2 === 0) this.exit();
        return;
      }
      for (const { id } of this.openOrders()) this.cancel(id);
      const stopEntry = Math.round((this.bars.close.value + distance) * 100) / 100;
      this.buy({ base: '5' }, { stopEntry, ...optionsOf(at, stopEntry) });
    }
  };
}

/** Other bars than those of the other tests, at the exchange and in the catalog. */
function barsOf(seed: number): Pick<Planted, 'exchange' | 'catalog'> {
  const other = (bars: BarColumns): BarColumns => ({ ...hourBars(seed), instrument: bars.instrument });
  return { catalog: other, exchange: (plan) => ({ ...plan, feeds: plan.feeds.map((feed) => ({ ...feed, bars: other(feed.bars) })) }) };
}

test.each<[string, number, number, (at: number, entry: number) => Omit<OrderOptions, 'stopEntry'>]>([
  ['at a distance', 5, 0.5, () => ({})],
  ['at a distance, of which some are withdrawn', 22, 0.5, () => ({})],
  ['nearer than bars open', 5, 0.1, () => ({})],
  ['nearer, with stops', 5, 0.05, (_, entry) => ({ stopLoss: entry - 1.5 })],
  ['nearer, with stops and targets', 22, 0.1, (_, entry) => ({ stopLoss: entry - 2, takeProfit: entry + 3 })],
  ['with and without limits', 5, 0.1, (at, entry) => (at % 3 === 0 ? { limit: entry + 0.02 } : {})],
])(
  'a bot with stop entries of spot, %s, differs by the fill model alone: seed %i',
  { timeout: 120_000 },
  async (_, seed, distance, optionsOf) => {
    const { cause, bridge, residual, fills } = await comparePlanted({ strategy: breaks(distance, optionsOf), ...barsOf(seed) });
    expect({ cause, causes: bridge.map((step) => step.cause), residual }).toEqual({
      cause: 'fill model',
      causes: ['fill model'],
      residual: '0',
    });
    expect(fills).toBeGreaterThan(8);
  },
);

test('a restart between two bars adds the cause of a restart alone', { timeout: 120_000 }, async () => {
  const { bridge, residual } = await comparePlanted({
    strategy: breaks(0.1, () => ({})),
    acts: { 9: ({ restart }) => restart(0) },
  });
  expect({ causes: bridge.map(({ cause }) => cause), residual }).toEqual({ causes: ['fill model', 'restart'], residual: '0' });
});
