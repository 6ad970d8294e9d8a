// Tests that a bot of two symbols equals its backtest, deciding on both feeds together or feed by feed.

import { describe, expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { comparePlanted, MarketAndLimitOrders, ROWS } from './planted.ts';

/** Trades both symbols with one budget, and switches from one to the other. */
class TwoSymbols extends Strategy {
  barCount = 0;
  other = this.feed('other');

  override onBar() {
    const barInCycle = this.barCount++ % 5;
    if (barInCycle === 0) this.buy({ quote: '400' });
    const limit = Math.round(this.other.close.value * 0.99 * 100) / 100;
    if (barInCycle === 1) this.buy({ quote: '300' }, { feed: this.other, limit });
    if (barInCycle === 3) this.exit();
    if (barInCycle === 4) this.exit(this.other);
  }
}

describe('two symbols', () => {
  test.each([
    ['together', TwoSymbols, {}],
    ['feed by feed', MarketAndLimitOrders, { decide: 'perFeed' }],
  ] as const)(
    'a bot of two symbols equals its backtest, and an unused volume costs nothing, with decisions %s',
    async (_, strategy, definition) => {
      const difference = { strategy, hasOtherFeed: true, definition };
      const unchanged = await comparePlanted(difference);
      expect(unchanged).toMatchObject({ equal: true, first: null, bridge: [] });
      expect(unchanged.fills).toBeGreaterThan(8);
      // No fill uses the volume of the last row but one.
      const changeUnusedVolume = (volumes: Float64Array): Float64Array =>
        volumes.map((volume, row) => (row === ROWS - 2 ? volume + 1 : volume));
      const withOtherVolume = await comparePlanted({
        ...difference,
        changeCatalog: (bars) => ({ ...bars, volume: changeUnusedVolume(bars.volume) }),
      });
      expect(withOtherVolume).toMatchObject({ equal: false, cause: 'data revision', bridge: [], residual: '0' });
    },
    120_000,
  );
});
