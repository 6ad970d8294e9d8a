// Tests bots with stop entries of spot. The bot watches the price of such an entry itself, and sends the order when the bar has closed. So it
// differs from the backtest only by the fill model, even if a bar opens beyond an entry.

import { expect, test } from 'vitest';
import { Strategy, type OrderOptions } from '../../src/index.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { comparePlanted, hourBars, type PlantedDifference } from './planted.ts';

/** Returns further options of the entry of a bar. `stopEntry` is its level. */
type OptionsOf = (bar: number, stopEntry: number) => Omit<OrderOptions, 'stopEntry'>;

/**
 * Returns a strategy that places a stop entry above each close, and exits at the next even bar. The smaller the distance, the more bars open
 * beyond the entry.
 */
function stopEntryTrader(distance: number, optionsOf: OptionsOf) {
  return class StopEntryTrader extends Strategy {
    barCount = 0;
    override onBar() {
      const bar = this.barCount++;
      if (!this.position().isFlat) {
        if (bar % 2 === 0) this.exit();
        return;
      }
      for (const { id } of this.openOrders()) this.cancel(id);
      const stopEntry = Math.round((this.bars.close.value + distance) * 100) / 100;
      this.buy({ base: '5' }, { stopEntry, ...optionsOf(bar, stopEntry) });
    }
  };
}

/** Returns a run whose exchange and catalog have the bars of this seed. */
function withBarsOf(seed: number): Pick<PlantedDifference, 'changeExchange' | 'changeCatalog'> {
  const replaceBars = (bars: BarColumns): BarColumns => ({ ...hourBars(seed), instrument: bars.instrument });
  return {
    changeCatalog: replaceBars,
    changeExchange: (plan) => ({ ...plan, feeds: plan.feeds.map((feed) => ({ ...feed, bars: replaceBars(feed.bars) })) }),
  };
}

/** One bot: its stop entries, and the bars on which it trades. */
interface StopEntryCase {
  readonly name: string;
  readonly seed: number;
  /** Distance of the entry above the close. */
  readonly distance: number;
  readonly optionsOf: OptionsOf;
}

test.each<StopEntryCase>([
  { name: 'at a distance', seed: 5, distance: 0.5, optionsOf: () => ({}) },
  { name: 'at a distance, some of them withdrawn', seed: 22, distance: 0.5, optionsOf: () => ({}) },
  { name: 'nearer than many opens', seed: 5, distance: 0.1, optionsOf: () => ({}) },
  { name: 'nearer, with stops', seed: 5, distance: 0.05, optionsOf: (_, stopEntry) => ({ stopLoss: stopEntry - 1.5 }) },
  {
    name: 'nearer, with stops and targets',
    seed: 22,
    distance: 0.1,
    optionsOf: (_, stopEntry) => ({ stopLoss: stopEntry - 2, takeProfit: stopEntry + 3 }),
  },
  {
    name: 'with and without limits',
    seed: 5,
    distance: 0.1,
    optionsOf: (bar, stopEntry) => (bar % 3 === 0 ? { limit: stopEntry + 0.02 } : {}),
  },
])(
  'a bot with stop entries of spot, $name, differs from its backtest only by the fill model (seed $seed)',
  { timeout: 120_000 },
  async ({ seed, distance, optionsOf }) => {
    const { cause, bridge, residual, fills } = await comparePlanted({
      strategy: stopEntryTrader(distance, optionsOf),
      ...withBarsOf(seed),
    });
    expect({ cause, causes: bridge.map((step) => step.cause), residual }).toEqual({
      cause: 'fill model',
      causes: ['fill model'],
      residual: '0',
    });
    expect(fills).toBeGreaterThan(8);
  },
);

test('a restart between two bars adds only the restart to the causes of a bot with stop entries', { timeout: 120_000 }, async () => {
  const { bridge, residual } = await comparePlanted({
    strategy: stopEntryTrader(0.1, () => ({})),
    actsByRow: { 9: ({ restart }) => restart(0) },
  });
  expect({ causes: bridge.map(({ cause }) => cause), residual }).toEqual({ causes: ['fill model', 'restart'], residual: '0' });
});
