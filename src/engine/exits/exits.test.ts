// Tests when an exit withdraws drafts that wait.

import { expect, test } from 'vitest';
import type { FeedRun } from '../feeds/feed.ts';
import { Exits, type ExitHost, type ExitStrategy } from './exits.ts';

/** Returns how often an exit without a position, an order or a stop asks for the strategy's drafts to be withdrawn. */
function withdrawalsOfExit(followUps: number): number {
  let withdrawals = 0;
  const host = {
    followUps,
    brackets: { total: 0, aside: { count: 0 } },
    orders: { active: () => [] },
    drafts: { withdrawAll: () => void withdrawals++ },
    ledger: { isFlat: () => true },
  };
  const exits = new Exits(host as unknown as ExitHost, { index: 0 } as unknown as ExitStrategy);
  expect(exits.leave({ instrumentIndex: 0 } as unknown as FeedRun)).toBeNull();
  return withdrawals;
}

test('an exit withdraws drafts that wait although no order is open', () => {
  expect([withdrawalsOfExit(1), withdrawalsOfExit(0)]).toEqual([1, 0]);
});
