// Tests that a difference without an effect leaves the bridge of the parity report empty (docs/parity.md). Another volume of a row in which
// no order fills changes no net profit.

import { describe, expect, test } from 'vitest';
import type { StrategyClass } from '../../src/strategy/strategy.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { comparePlanted, MarketAndLimitOrders, ROWS } from './planted.ts';
import { netInJournal } from './netInJournal.ts';
import { BracketTrader, FillReactor, LongShortTrader, TimerTrader } from './strategies.ts';

/** A strategy and the market on which it trades. `name` stands in the test title. */
interface StrategyCase {
  readonly name: string;
  readonly strategy: StrategyClass;
  readonly isFutures: boolean;
}

/** Strategies that trade in different ways. */
const STRATEGIES: readonly StrategyCase[] = [
  { name: 'market orders and resting limits', strategy: MarketAndLimitOrders, isFutures: false },
  { name: 'brackets', strategy: BracketTrader, isFutures: false },
  { name: 'decisions by fills, orders by amount', strategy: FillReactor, isFutures: false },
  { name: 'timers', strategy: TimerTrader, isFutures: false },
  { name: 'a contract, long and short', strategy: LongShortTrader, isFutures: true },
];

/** The row whose volume differs between catalog and exchange. No fill uses this volume. */
const UNUSED_ROW = ROWS - 2;
/** Funding rates, equal at the exchange and in the catalog. */
const FUNDING_RATES = [0.0001, 0.0002, 0.0001, 0.0001];

/** Returns the bars with another volume in the unused row. */
const withOtherVolume = (bars: BarColumns): BarColumns => ({
  ...bars,
  volume: bars.volume.map((volume, row) => (row === UNUSED_ROW ? volume + 1 : volume)),
});

/** Each strategy must trade, so that the comparison covers its orders. */
const MIN_FILLS = 5;
const MAX_TEST_MS = 120_000;

describe('a difference in an unused volume', () => {
  test.each(STRATEGIES)(
    'if only an unused volume differs, the bridge is empty and both runs have the net profit of the journal: $name',
    async ({ strategy, isFutures }) => {
      let netOfJournal = '';
      const report = await comparePlanted(
        {
          strategy,
          isFutures,
          changeCatalog: withOtherVolume,
          rates: { catalog: FUNDING_RATES, exchange: FUNDING_RATES },
        },
        (folder) => {
          netOfJournal = netInJournal(folder);
        },
      );
      expect(report).toMatchObject({ equal: false, cause: 'data revision', bridge: [], residual: '0', first: { what: 'bar' } });
      expect(report.net).toMatchObject({ backtest: netOfJournal, live: netOfJournal });
      expect(report.fills).toBeGreaterThan(MIN_FILLS);
    },
    MAX_TEST_MS,
  );
});
