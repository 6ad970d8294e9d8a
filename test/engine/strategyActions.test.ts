// Tests actions and views of a strategy: sales, exits, targets, cancels, open orders, random numbers and the log.

import { describe, expect, it } from 'vitest';
import type { OrderInfo } from '../../src/index.ts';
import { MINUTE, run, START_MS } from './backtestFixture.ts';
import { quietBars, strategyOf, CallableStrategy, ordersOf } from './callableStrategy.ts';

/** Returns the members of an order view in the order of its declaration, with quantities as text. */
const membersOf = ({ id, side, qty, filled, lifecycle, tag, limit, entry, code }: OrderInfo) =>
  [id, side, String(qty), String(filled), lifecycle, tag, limit, entry, code]; // prettier-ignore

describe('actions', () => {
  it('a sale of more than the holding is denied, and a sale of the holding is sent', async () => {
    const { orders } = await ordersOf((strategy, row) => {
      if (row === 0) strategy.order('sell', { base: '0.1' });
      if (row === 1) strategy.order('buy', { base: '0.1' });
      if (row === 3) strategy.order('sell', { base: '0.1' });
    });
    expect(orders.map(({ ending, code }) => code || ending)).toEqual(['MARGIN', 'filled', 'filled']);
  });

  it('exit does nothing while flat, and nothing while an exit works', async () => {
    const returned: (number | null)[] = [];
    const { orders } = await ordersOf(
      (strategy, row) => {
        if (row === 0) returned.push(strategy.api.exit());
        if (row === 0) strategy.order('buy', { base: '0.1' });
        if (row === 3) returned.push(strategy.api.exit(), strategy.api.exit());
      },
      { fills: { latencyMs: 1000 } },
    );
    expect(returned).toEqual([null, 2, null]);
    expect(orders).toHaveLength(2);
  });

  it('exit with latency is sent once its cancels have acted', async () => {
    const { orders, fills } = await ordersOf(
      (strategy, row) => {
        if (row === 0) strategy.order('buy', { base: '0.1' });
        if (row === 2) strategy.order('sell', { base: '0.1' }, { limit: 110 });
        if (row === 4) strategy.api.exit();
      },
      { fills: { latencyMs: 1000 } },
      quietBars(9),
    );
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled', 'filled']);
    expect(fills.map(({ minute }) => minute)).toEqual([2, 7]);
  });

  it('target trades the difference to the position and the working orders', async () => {
    const ids: (number | null)[] = [];
    const { orders, engine } = await ordersOf((strategy, row) => {
      if (row === 0) ids.push(strategy.api.target({ base: '0.5' }), strategy.api.target({ base: '0.5' }));
      if (row === 2) ids.push(strategy.api.target({ base: '0.2' }));
      if (row === 4) ids.push(strategy.api.target({ base: '0.201' }), strategy.api.target({ base: '0.2' }));
    });
    expect(ids).toEqual([1, null, 2, null, null]);
    expect(orders.map(({ side, lots }) => [side, lots])).toEqual([['buy', 500], ['sell', 300]]); // prettier-ignore
    expect(engine.ledger.lots(0, 0)).toBe(200);
  });

  it('cancel, openOrders, position, cash and equity report the state of the strategy', async () => {
    const reportedViews: unknown[] = [];
    await ordersOf((strategy, row) => {
      const { api } = strategy;
      if (row === 0) strategy.order('buy', { base: '0.1' }, { limit: 99 });
      if (row === 1) reportedViews.push(api.openOrders().map(membersOf));
      if (row === 1) api.cancel(1);
      if (row === 2) reportedViews.push(api.openOrders().length, api.position().isFlat, api.position().entryPrice, api.cash());
      if (row === 2) strategy.order('buy', { base: '0.25' });
      if (row === 4) {
        const { qty, entryPrice, isLong, isShort } = api.position();
        reportedViews.push(String(qty), entryPrice, isLong, isShort, api.cash(), api.equity());
      }
    });
    expect(reportedViews).toEqual([
      [[1, 'buy', '0.1', '0', 'working', 'buy', 99, null, null]],
      0,
      true,
      NaN,
      100_000,
      '0.25',
      100,
      true,
      false,
      99_975,
      100_000,
    ]);
  });

  it('an open order has its tag, its limit, and the entry that it closes', async () => {
    const reportedViews: unknown[] = [];
    const look = (strategy: CallableStrategy) =>
      reportedViews.push(...strategy.api.openOrders().map(({ id, tag, limit, entry }) => [id, tag, limit, entry]));
    const withLatency = { fills: { latencyMs: 1000 } };
    await ordersOf((strategy, row) => {
      if (row === 0) strategy.order('buy', { base: '0.1' }, { takeProfit: 110.5, tag: 'mine' });
      if (row === 0) strategy.order('buy', { base: '0.2' });
      if (row === 0) look(strategy);
      if (row === 3) look(strategy);
    }, withLatency); // prettier-ignore
    expect(reportedViews).toEqual([[1, 'mine', NaN, null], [2, 'buy', NaN, null], [3, 'takeProfit', 110.5, 1]]); // prettier-ignore
  });

  it('random numbers depend on the seed and the strategy, and are the same in every run', async () => {
    const randomNumbers = async (seed: number) => {
      const numbers: number[] = [];
      const drawEachBar = strategyOf((strategy) => numbers.push(strategy.api.random()));
      await run({ strategies: [drawEachBar, drawEachBar], feeds: { bars: quietBars(3) }, seed });
      return numbers;
    };
    const firstRun = await randomNumbers(1);
    const secondRun = await randomNumbers(1);
    const otherSeed = await randomNumbers(2);
    expect(secondRun).toEqual(firstRun);
    expect(new Set([...firstRun, ...otherSeed]).size).toBe(12);
    expect(firstRun.every((number) => number >= 0 && number < 1)).toBe(true);
  });

  it('log lines have the time and the name of the strategy', async () => {
    const lines: unknown[] = [];
    await run(
      { strategies: [strategyOf((strategy, row) => row === 1 && strategy.api.log('hello', { row }))], feeds: { bars: quietBars(3) } },
      { log: (...line) => lines.push(line) },
    );
    expect(lines).toEqual([[START_MS + 2 * MINUTE, 'Acting', 'hello', { row: 1 }]]);
  });
});
