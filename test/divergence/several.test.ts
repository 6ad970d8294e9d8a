// Several planted causes at once, also with brackets and contracts: the bridge names exactly those.

import { describe, expect, test } from 'vitest';
import type { Divergence } from '../../src/tasks/parity/model.ts';
import { comparePlanted, Counter, type Planted } from './planted.ts';
import { netInJournal, total } from './netInJournal.ts';
import { Bracketed, Listener, Turning } from './strategies.ts';

const slipping = (slippagePpm: number): Planted => ({ exchange: (plan) => ({ ...plan, fills: { ...plan.fills, slippagePpm } }) });
const COSTLY: Planted = {
  exchange: (plan) => ({
    ...plan,
    fills: { ...plan.fills, slippagePpm: 2000 },
    fees: { ...plan.fees, makerPpm: 1500, takerPpm: 1500 },
  }),
};
const LATE: Planted = { exchange: (plan) => ({ ...plan, fills: { ...plan.fills, latencyMs: 600_000 } }) };
/** Down for three bars, and once between two bars. */
const DOWN: Planted = { acts: { 5: ({ restart }) => restart(3), 15: ({ restart }) => restart(0) } };
const FUNDED: Planted = {
  isFutures: true,
  rates: { catalog: [0.0001, 0.0002, 0.0001, 0.0001], exchange: [0.0001, 0.0002, 0.0001, 0.0001] },
};

const CASES: readonly (readonly [name: string, planted: Planted, causes: readonly Divergence[]])[] = [
  ['slippage, fees and a restart', { strategy: Counter, ...COSTLY, ...DOWN }, ['fill model', 'fee', 'restart']],
  ['slippage and fees under brackets', { strategy: Bracketed, ...COSTLY }, ['fill model', 'fee']],
  ['a restart under brackets', { strategy: Bracketed, ...DOWN }, ['restart']],
  ['all of these under brackets', { strategy: Bracketed, ...COSTLY, ...DOWN }, ['fill model', 'fee', 'restart']],
  ['latency under brackets', { strategy: Bracketed, ...LATE }, ['latency']],
  ['latency, with decisions by fills', { strategy: Listener, ...LATE }, ['latency']],
  ['slippage and fees, with decisions by fills', { strategy: Listener, ...COSTLY }, ['fill model', 'fee']],
  ['a restart of a bot with a contract', { strategy: Turning, ...FUNDED, ...DOWN }, ['restart']],
  ['slippage of a contract', { strategy: Turning, ...FUNDED, ...slipping(20_000) }, ['fill model']],
  ['latency of a contract', { strategy: Turning, ...FUNDED, ...LATE }, ['latency']],
];

describe('the bridge has the planted causes alone', () => {
  test.each(CASES)(
    'the bridge has the planted causes alone: %s',
    async (_, planted, causes) => {
      let journal = '';
      const report = await comparePlanted(planted, (folder) => void (journal = netInJournal(folder)));
      if (process.env['SHOW'] !== undefined) console.log(JSON.stringify(report));
      expect(report.bridge.map(({ cause }) => cause)).toEqual(causes);
      expect(causes).toContain(report.cause);
      expect(report.residual).toBe('0');
      expect(report.net.live).toBe(journal);
      expect(total([report.net.backtest, ...report.bridge.map(({ amount }) => amount)])).toBe(total([journal]));
    },
    120_000,
  );
});
