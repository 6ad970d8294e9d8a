// Tests by which rules risk judges the adoption of a foreign order.

import { expect, test } from 'vitest';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { adoptionProblem, type AdoptionHost } from './adoption.ts';

/** Returns the rules that judge the adoption of an order that closes 146 contracts. `endedLots`: its fills when it ended; null: it is open. */
function rulesOf(closableLots: number, endedLots: number | null): string | null {
  const host = {
    instruments: [linearContract()],
    ledger: { closable: () => closableLots },
    risk: { failingRule: (rules: readonly string[]) => rules.join(' ') },
    lastTicks: () => 1000,
    nowMs: 0,
  } as unknown as AdoptionHost;
  return adoptionProblem(host, 0, { instrument: 0, side: 'buy', lots: 146, limit: 1000, reduceOnly: true, endedLots });
}

test('a liquidation that has also closed contracts of the account needs no margin', () => {
  expect(rulesOf(146, 146)).toBe('INSTRUMENT CONTRACT_TAKEN');
  expect(rulesOf(73, 146)).toBe('INSTRUMENT CONTRACT_TAKEN');
});

test('an order that is open, or closes nothing of the strategy, needs margin', () => {
  expect(rulesOf(73, null)).toContain('MARGIN');
  expect(rulesOf(0, 146)).toContain('MARGIN');
});
