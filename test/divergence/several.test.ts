// Tests bots with several planted causes of divergence at once: the bridge names exactly these causes.

import { describe, expect, test } from 'vitest';
import type { Divergence } from '../../src/tasks/parity/divergences.ts';
import { comparePlanted, LATENCY_MS, MarketAndLimitOrders, withFills, type PlantedDifference } from './planted.ts';
import { netInJournal, total } from './netInJournal.ts';
import { BracketTrader, FillReactor, LongShortTrader } from './strategies.ts';

/** The exchange has slippage and higher fees. */
const WITH_SLIPPAGE_AND_FEES: PlantedDifference = {
  changeExchange: (plan) => ({
    ...plan,
    fills: { ...plan.fills, slippagePpm: 2000 },
    fees: { ...plan.fees, makerPpm: 1500, takerPpm: 1500 },
  }),
};
/** Orders arrive at the exchange ten minutes late. */
const WITH_LATENCY = withFills({ latencyMs: LATENCY_MS });
/** The bot is down for three bars, and is restarted once between two bars. */
const WITH_RESTARTS: PlantedDifference = { actsByRow: { 5: ({ restart }) => restart(3), 15: ({ restart }) => restart(0) } };
/** The bot trades a contract, with equal funding rates on both sides. */
const ON_CONTRACT: PlantedDifference = {
  isFutures: true,
  rates: { catalog: [0.0001, 0.0002, 0.0001, 0.0001], exchange: [0.0001, 0.0002, 0.0001, 0.0001] },
};

/** A bot with planted causes, and the causes that its bridge must name. `name` stands in the test title. */
interface SeveralCausesCase {
  readonly name: string;
  readonly difference: PlantedDifference;
  readonly causes: readonly Divergence[];
}

const CASES: readonly SeveralCausesCase[] = [
  {
    name: 'slippage, fees and a restart',
    difference: { strategy: MarketAndLimitOrders, ...WITH_SLIPPAGE_AND_FEES, ...WITH_RESTARTS },
    causes: ['fill model', 'fee', 'restart'],
  },
  {
    name: 'slippage and fees under brackets',
    difference: { strategy: BracketTrader, ...WITH_SLIPPAGE_AND_FEES },
    causes: ['fill model', 'fee'],
  },
  {
    name: 'a restart under brackets',
    difference: { strategy: BracketTrader, ...WITH_RESTARTS },
    causes: ['restart'],
  },
  {
    name: 'all of these under brackets',
    difference: { strategy: BracketTrader, ...WITH_SLIPPAGE_AND_FEES, ...WITH_RESTARTS },
    causes: ['fill model', 'fee', 'restart'],
  },
  {
    name: 'latency under brackets',
    difference: { strategy: BracketTrader, ...WITH_LATENCY },
    causes: ['latency'],
  },
  {
    name: 'latency, with decisions by fills',
    difference: { strategy: FillReactor, ...WITH_LATENCY },
    causes: ['latency'],
  },
  {
    name: 'slippage and fees, with decisions by fills',
    difference: { strategy: FillReactor, ...WITH_SLIPPAGE_AND_FEES },
    causes: ['fill model', 'fee'],
  },
  {
    name: 'a restart of a bot with a contract',
    difference: { strategy: LongShortTrader, ...ON_CONTRACT, ...WITH_RESTARTS },
    causes: ['restart'],
  },
  {
    name: 'slippage of a contract',
    difference: { strategy: LongShortTrader, ...ON_CONTRACT, ...withFills({ slippagePpm: 20_000 }) },
    causes: ['fill model'],
  },
  {
    name: 'latency of a contract',
    difference: { strategy: LongShortTrader, ...ON_CONTRACT, ...WITH_LATENCY },
    causes: ['latency'],
  },
];

/** Time limit of one test. */
const MAX_TEST_MS = 120_000;

describe('several planted causes', () => {
  test.each(CASES)(
    'the bridge of a bot names exactly its planted causes: $name',
    async ({ difference, causes }) => {
      let netOfJournal = '';
      const report = await comparePlanted(difference, (folder) => {
        netOfJournal = netInJournal(folder);
      });
      expect(report.bridge.map(({ cause }) => cause)).toEqual(causes);
      expect(causes).toContain(report.cause);
      expect(report.residual).toBe('0');
      expect(report.net.live).toBe(netOfJournal);
      expect(total([report.net.backtest, ...report.bridge.map(({ amount }) => amount)])).toBe(total([netOfJournal]));
    },
    MAX_TEST_MS,
  );
});
