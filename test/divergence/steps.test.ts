// Every step of the bridge is a rerun of its own: where only an unused volume differs, each step has the net profit of the backtest.

import { describe, expect, test } from 'vitest';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { comparePlanted, Counter, ROWS } from './planted.ts';
import { netInJournal } from './netInJournal.ts';
import { Bracketed, Listener, Turning, Waiting } from './strategies.ts';

const STRATEGIES: readonly (readonly [name: string, strategy: StrategyClass, isFutures: boolean])[] = [
  ['market orders and resting limits', Counter, false],
  ['brackets', Bracketed, false],
  ['decisions by fills, orders by amount', Listener, false],
  ['timers', Waiting, false],
  ['a contract, long and short', Turning, true],
];

describe('a difference that costs nothing', () => {
  test.each(STRATEGIES)(
    'a difference that costs nothing: %s',
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
