// Tests that a bot of two symbols equals its backtest, whether it decides on both feeds together or feed by feed.

import { expect, test } from 'vitest';
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

/** A bot of two symbols by how it decides. */
const BOTS = [
  { decisions: 'together', difference: { strategy: TwoSymbols, hasOtherFeed: true, definition: {} } },
  { decisions: 'feed by feed', difference: { strategy: MarketAndLimitOrders, hasOtherFeed: true, definition: { decide: 'perFeed' } } },
] as const;
const MIN_FILLS = 9;
/** A row whose volume no fill uses. */
const UNUSED_ROW = ROWS - 2;

/** Returns the volumes with another one in `UNUSED_ROW`. */
const changeUnusedVolume = (volumes: Float64Array): Float64Array =>
  volumes.map((volume, row) => (row === UNUSED_ROW ? volume + 1 : volume));

test.each(BOTS)(
  'a bot of two symbols that decides $decisions equals its backtest',
  async ({ difference }) => {
    const report = await comparePlanted(difference);
    expect(report).toMatchObject({ equal: true, first: null, bridge: [] });
    expect(report.fills).toBeGreaterThanOrEqual(MIN_FILLS);
  },
  120_000,
);

test.each(BOTS)(
  'a revised volume that no fill uses costs a bot of two symbols nothing (it decides $decisions)',
  async ({ difference }) => {
    const report = await comparePlanted({
      ...difference,
      changeCatalog: (bars) => ({ ...bars, volume: changeUnusedVolume(bars.volume) }),
    });
    expect(report).toMatchObject({ equal: false, cause: 'data revision', bridge: [], residual: '0' });
  },
  120_000,
);
