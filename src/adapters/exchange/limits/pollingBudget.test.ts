// Tests the polling budget: how much polling fits, what is rejected, and that accepted polling keeps its pace.

import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { seededRng } from '../../../base/number/rng.ts';
import { endpointOf } from '../../../protocol/endpoints/endpoints.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { limitTable } from './limitTable.ts';
import { Limiter } from './limiter.ts';
import { requireSteadyBudget, steadyPerSecond, type Polling } from './pollingBudget.ts';

/** Returns message and remedy of a rejected polling; null if it is accepted. */
function budgetError(pollings: readonly Polling[], ...table: [] | [ReturnType<typeof limitTable>]): [string, string] | null {
  try {
    requireSteadyBudget(pollings, ...table);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [error.message, error.remedy];
  }
}
const openOrders = (calls: number, everyMs: number): Polling => ({ op: 'spot.openOrders', calls, everyMs });

describe('the budget of polling', () => {
  it('the budget of polling is 40 % of the limit', () => {
    expect(steadyPerSecond(endpointOf('spot.openOrders').limit)).toBe(4);
    expect(steadyPerSecond({ count: 3, windowMs: 1000 })).toBe(1);
  });

  it.each([
    [8, 2000],
    [40, 10_000],
    [1, 250],
  ])('the budget of polling has room for exactly %i symbols every %i ms', (calls, everyMs) => {
    expect(budgetError([openOrders(calls, everyMs)])).toBeNull();
    expect(budgetError([openOrders(calls + 1, everyMs)])).not.toBeNull();
  });

  it('the error about the budget of polling names the requested rate, the limit and a rate that fits', () => {
    expect(budgetError([openOrders(40, 2000)])).toEqual([
      '40 x spot.openOrders every 2 s: expected at most 4 calls a second, got 20 (steady traffic may use 40 % of 20 in 2 s)',
      'ask every 10 s, or for 8 instead of 40',
    ]);
    expect(budgetError([openOrders(1, 100)])?.[1]).toBe('ask every 0.3 s');
  });

  it('the budget of polling is shared by the calls of a class only', () => {
    const klines: Polling = { op: 'spot.klines', calls: 3, everyMs: 1000 };
    const depth: Polling = { op: 'spot.depth', calls: 3, everyMs: 1000 };
    expect(budgetError([klines, openOrders(4, 1000), { op: 'spot.myTrades', calls: 4, everyMs: 1000 }])).toBeNull();
    expect(budgetError([klines, depth])).toEqual([
      '3 x spot.klines every 1 s and 3 x spot.depth every 1 s: expected at most 4 calls a second, got 6 ' +
        '(steady traffic may use 40 % of 20 in 2 s)',
      'ask for 1.5 times fewer, or that much less often',
    ]);
  });

  it('the budget of polling follows the limits in force', () => {
    const table = limitTable({ 'spot.openOrders': { count: 50, weight: 2 } });
    expect(budgetError([openOrders(5, 1000)], table)).toBeNull();
    expect(budgetError([openOrders(6, 1000)], table)?.[0]).toContain('at most 10 calls a second, got 12');
  });

  it('polling that fills its budget keeps its pace with slow replies', () => {
    const queue = new DueQueue();
    queue.runDue(0);
    const rng = seededRng(5);
    const limiter = new Limiter(queue);
    let maxMs = 0;
    for (let round = 0; round < 300; round++) {
      queue.runDue(round * 2000);
      for (let symbolIndex = 0; symbolIndex < 8; symbolIndex++) {
        limiter.acquire(
          'spot.openOrders',
          'steady',
          (ticket) => {
            maxMs = Math.max(maxMs, queue.nowMs - round * 2000);
            queue.at(queue.nowMs + 10 + rng.next() * 1590, () => ticket.finish(200, null, null));
          },
          () => {},
        );
      }
    }
    expect(maxMs).toBe(0);
  });
});
