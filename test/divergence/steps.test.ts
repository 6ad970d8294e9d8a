// Tests the steps of the divergence bridge (docs/parity.md): if only an unused volume differs, every step has the backtest's net profit.

import { describe, expect, test } from 'vitest';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import { comparePlanted, MarketAndLimitOrders, ROWS } from './planted.ts';
import { netInJournal } from './netInJournal.ts';
import { Bracketed, FillReactor, LongAndShort, TimerTrader } from './strategies.ts';

const STRATEGIES: readonly (readonly [name: string, strategy: StrategyClass, isFutures: boolean])[] = [
  ['market orders and resting limits', MarketAndLimitOrders, false],
  ['brackets', Bracketed, false],
  ['decisions by fills, orders by amount', FillReactor, false],
  ['timers', TimerTrader, false],
  ['a contract, long and short', LongAndShort, true],
];

/** The row whose volume differs. No fill uses it. */
const UNUSED_ROW = ROWS - 2;
/** Funding rates of the exchange and of the catalog. */
const RATES = [0.0001, 0.0002, 0.0001, 0.0001];

describe('a difference in an unused volume', () => {
  test.each(STRATEGIES)(
    'a difference in an unused volume leaves the bridge empty: %s',
    async (_, strategy, isFutures) => {
      let netOfJournal = '';
      const report = await comparePlanted(
        {
          strategy,
          isFutures,
          catalog: (bars) => ({ ...bars, volume: bars.volume.map((volume, row) => (row === UNUSED_ROW ? volume + 1 : volume)) }),
          rates: { catalog: RATES, exchange: RATES },
        },
        (folder) => {
          netOfJournal = netInJournal(folder);
        },
      );
      expect(report).toMatchObject({ equal: false, cause: 'data revision', bridge: [], residual: '0', first: { what: 'bar' } });
      expect(report.net).toMatchObject({ backtest: netOfJournal, live: netOfJournal });
      expect(report.fills).toBeGreaterThan(5);
    },
    120_000,
  );
});
