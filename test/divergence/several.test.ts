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

const CASES: readonly (readonly [name: string, difference: PlantedDifference, causes: readonly Divergence[]])[] = [
  [
    'slippage, fees and a restart',
    { strategy: MarketAndLimitOrders, ...WITH_SLIPPAGE_AND_FEES, ...WITH_RESTARTS },
    ['fill model', 'fee', 'restart'],
  ],
  ['slippage and fees under brackets', { strategy: BracketTrader, ...WITH_SLIPPAGE_AND_FEES }, ['fill model', 'fee']],
  ['a restart under brackets', { strategy: BracketTrader, ...WITH_RESTARTS }, ['restart']],
  [
    'all of these under brackets',
    { strategy: BracketTrader, ...WITH_SLIPPAGE_AND_FEES, ...WITH_RESTARTS },
    ['fill model', 'fee', 'restart'],
  ],
  ['latency under brackets', { strategy: BracketTrader, ...WITH_LATENCY }, ['latency']],
  ['latency, with decisions by fills', { strategy: FillReactor, ...WITH_LATENCY }, ['latency']],
  ['slippage and fees, with decisions by fills', { strategy: FillReactor, ...WITH_SLIPPAGE_AND_FEES }, ['fill model', 'fee']],
  ['a restart of a bot with a contract', { strategy: LongShortTrader, ...ON_CONTRACT, ...WITH_RESTARTS }, ['restart']],
  ['slippage of a contract', { strategy: LongShortTrader, ...ON_CONTRACT, ...withFills({ slippagePpm: 20_000 }) }, ['fill model']],
  ['latency of a contract', { strategy: LongShortTrader, ...ON_CONTRACT, ...WITH_LATENCY }, ['latency']],
];

describe('several planted causes', () => {
  test.each(CASES)(
    'the bridge of a bot names exactly its planted causes: %s',
    async (_, difference, causes) => {
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
    120_000,
  );
});
