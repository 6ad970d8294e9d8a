// Bots of two symbols: equal where nothing was planted, with decisions together and feed by feed.

import { describe, expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { comparePlanted, Counter, ROWS } from './planted.ts';

/** Trades both symbols with one budget, and switches from one to the other. */
class Both extends Strategy {
  seen = 0;
  other = this.feed('other');
  override onBar() {
    const at = this.seen++ % 5;
    if (at === 0) this.buy({ quote: '400' });
    if (at === 1) this.buy({ quote: '300' }, { feed: this.other, limit: Math.round(this.other.close.value * 0.99 * 100) / 100 });
    if (at === 3) this.exit();
    if (at === 4) this.exit(this.other);
  }
}

describe('two symbols', () => {
  test.each([
    ['together', Both, {}],
    ['feed by feed', Counter, { decide: 'perFeed' }],
  ] as const)(
    'two symbols: %s',
    async (_, strategy, definition) => {
      const planted = { strategy, isPaired: true, definition };
      const same = await comparePlanted(planted);
      if (process.env['SHOW'] !== undefined) console.log(JSON.stringify(same));
      expect(same).toMatchObject({ equal: true, first: null, bridge: [] });
      expect(same.fills).toBeGreaterThan(8);
      const volume = (values: Float64Array): Float64Array => values.map((each, row) => (row === ROWS - 2 ? each + 1 : each));
      const harmless = await comparePlanted({ ...planted, catalog: (bars) => ({ ...bars, volume: volume(bars.volume) }) });
      expect(harmless).toMatchObject({ equal: false, cause: 'data revision', bridge: [], residual: '0' });
    },
    120_000,
  );
});
