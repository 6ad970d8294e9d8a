// Every step of the bridge is a rerun of its own: where only a volume that nobody reads differs, each of them gives the money of the backtest.

import { describe, expect, test } from 'vitest';
import { Strategy } from '../../src/index.ts';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { comparePlanted, Counter, ROWS } from './planted.ts';
import { netInJournal } from './netInJournal.ts';

/** Brackets whose legs come of fills inside a bar, and an entry that rests. */
class Bracketed extends Strategy {
  seen = 0;
  override onBar() {
    const at = this.seen++ % 5;
    const price = this.bars.close.value;
    const near = (factor: number): number => Math.round(price * factor * 100) / 100;
    if (at === 0 && this.position().isFlat) this.buy({ base: '4' }, { takeProfit: near(1.01), stopLoss: near(0.985) });
    if (at === 3) this.buy({ base: '1' }, { limit: near(0.99), takeProfit: near(1.02) });
    if (at === 4) this.exit();
  }
}

/** Fills of its own decide what it does next. */
class Listener extends Strategy {
  bought = 0;
  override onFill() {
    this.bought++;
  }
  override onBar() {
    if (this.bought % 2 === 0 && this.position().isFlat) this.buy({ quote: '700' });
    else if (this.bought % 3 === 2 || this.bars.close.value > this.bars.open.value) this.exit();
  }
}

/** By conditions, not by bars. */
class Waiting extends Strategy {
  override onStart() {
    this.every('3h', () => void (this.position().isFlat ? this.buy({ base: '3' }) : this.exit()));
  }
}

/** Long and short of a contract, with stops. */
class Turning extends Strategy {
  seen = 0;
  override onBar() {
    const at = this.seen++ % 6;
    const price = this.bars.close.value;
    if (at === 0) this.buy({ base: '5' }, { stopLoss: Math.round(price * 97) / 100 });
    if (at === 2) this.exit();
    if (at === 3) this.sell({ base: '5' }, { takeProfit: Math.round(price * 98) / 100 });
    if (at === 5) this.exit();
  }
}

const STRATEGIES: readonly (readonly [name: string, strategy: StrategyClass, isFutures: boolean])[] = [
  ['market orders and resting limits', Counter, false],
  ['brackets', Bracketed, false],
  ['decisions by fills, orders by amount', Listener, false],
  ['timers', Waiting, false],
  ['a contract, long and short', Turning, true],
];

describe('a difference that costs nothing', () => {
  test.each(STRATEGIES)(
    '%s',
    async (_, strategy, isFutures) => {
      let journal = '';
      const report = await comparePlanted(
        {
          strategy,
          isFutures,
          catalog: (bars) => ({ ...bars, volume: bars.volume.map((volume, row) => (row === ROWS - 2 ? volume + 1 : volume)) }),
          rates: { catalog: [0.0001, 0.0002, 0.0001, 0.0001], exchange: [0.0001, 0.0002, 0.0001, 0.0001] },
        },
        (folder) => void (journal = netInJournal(folder)),
      );
      if (process.env['SHOW'] !== undefined) console.log(JSON.stringify(report));
      expect(report).toMatchObject({ equal: false, cause: 'data revision', bridge: [], residual: '0', first: { what: 'bar' } });
      expect(report.net).toMatchObject({ backtest: journal, live: journal });
      expect(report.fills).toBeGreaterThan(5);
    },
    120_000,
  );
});
