// Tests `amend` and `closeAt`: their effects on orders and stops, and the values that a position reports.

import { describe, expect, it } from 'vitest';
import type { Amendment } from '../../src/index.ts';
import { strategyOf, FREE, type Api, ordersOf, quietBars } from './strategyApi.ts';
import { barsOfRows, fillRows, MINUTE, run, START_MS } from './world.ts';

type Prices = [number, number, number, number];
const QUIET: Prices = [10_000, 10_010, 9990, 10_000];
const rows = (...list: Prices[]) => barsOfRows(list);
const sells = ({ orders, fills }: Awaited<ReturnType<typeof ordersOf>>) =>
  fills
    .filter(({ order }) => orders[order - 1]!.side === 'sell')
    .map(({ order, price, minute }) => [orders[order - 1]!.role, price, minute]);

describe('a stop that is amended', () => {
  const buyThenAmend = (options: object, change: Amendment, when: number) => (strategy: Api, row: number) => {
    if (row === 0) strategy.order(true, { base: '0.1' }, options);
    if (row === when) expect(strategy.api.amend(1, change)).toBe(1);
  };

  it('a stop that is amended holds from the next row on, not for the row on which it was decided', async () => {
    const result = await ordersOf(
      buyThenAmend({ stopLoss: 90 }, { stop: '98' }, 2),
      FREE,
      rows(QUIET, QUIET, [10_000, 10_000, 9500, 10_000], [10_000, 10_010, 9810, 10_000], [10_000, 10_000, 9700, 9900], QUIET),
    );
    expect(sells(result)).toEqual([['stopLoss', 9800, 5]]);
  });

  it('a stop that is amended to a level which the price has passed triggers at the next open', async () => {
    const result = await ordersOf(buyThenAmend({ stopLoss: 90 }, { stop: 101 }, 2), FREE, quietBars(6));
    expect(sells(result)).toEqual([['stopLoss', 10_000, 3]]);
  });

  it('an amended stop keeps its trailing distance, and the nearer of both levels counts', async () => {
    const result = await ordersOf(
      buyThenAmend({ trailing: 5 }, { stop: 97 }, 2),
      FREE,
      rows(QUIET, QUIET, QUIET, [10_000, 10_000, 9650, 9700], QUIET),
    );
    expect(sells(result)).toEqual([['stopLoss', 9700, 4]]);
  });

  it('a stop may be amended while its entry still waits to fill', async () => {
    const result = await ordersOf(
      buyThenAmend({ limit: 99 }, { stop: 98 }, 1),
      FREE,
      rows(QUIET, QUIET, QUIET, [9950, 9960, 9850, 9900], [9900, 9910, 9750, 9800], QUIET),
    );
    expect(sells(result)).toEqual([['stopLoss', 9800, 5]]);
  });

  it('amending a stop changes nothing and returns null if the level is not a number or nothing is protected', async () => {
    const returned: unknown[] = [];
    const result = await ordersOf(
      (strategy, row) => {
        if (row === 0) strategy.order(true, { base: '0.1' }, { stopLoss: 98 });
        if (row === 2)
          returned.push(strategy.api.amend(1, { stop: NaN }), strategy.api.amend(7, { stop: 97 }), strategy.api.amend(1, { stop: 0 }));
        if (row === 4) returned.push(strategy.api.amend(1, { stop: 99 }));
      },
      FREE,
      rows(QUIET, QUIET, QUIET, [10_000, 10_000, 9750, 9800], QUIET, QUIET),
    );
    expect(sells(result)).toEqual([['stopLoss', 9800, 4]]);
    expect(returned).toEqual([null, null, null, null]);
  });
});

describe('a limit order that is amended', () => {
  it('an amended limit order is replaced by one with the new price, the remaining lots, the same tag and the same bracket', async () => {
    const returned: unknown[] = [];
    const result = await ordersOf(
      (strategy, row) => {
        if (row === 0) strategy.order(true, { base: '0.2' }, { limit: 98, stopLoss: 95, tag: 'dip' });
        if (row === 2) returned.push(strategy.api.openOrders()[0]!.amend({ limit: 99, size: '0.1', stop: 97 }));
      },
      { ...FREE, fills: { latencyMs: 300 } },
      rows(QUIET, QUIET, QUIET, QUIET, [10_000, 10_000, 9890, 9950], [9950, 9950, 9650, 9700], QUIET, QUIET),
    );
    expect(returned).toEqual([2]);
    expect(result.orders.slice(0, 2).map(({ lots, limit, ending }) => [lots, limit, ending])).toEqual([
      [200, 9800, 'canceled'],
      [100, 9900, 'filled'],
    ]);
    expect(sells(result)).toEqual([['stopLoss', 9700, 6]]);
  });

  it('a limit order stays unchanged when it is amended to a price that is not a number', async () => {
    const { orders } = await ordersOf((strategy, row) => {
      if (row === 0) strategy.order(true, { base: '0.2' }, { limit: 98 });
      if (row === 2)
        expect([strategy.api.amend(1, { limit: NaN }), strategy.api.amend(1, { size: 0 }), strategy.api.amend(1, { target: NaN })]).toEqual(
          [null, null, null],
        );
    }, FREE);
    expect(orders).toHaveLength(1);
  });

  it.each([
    [{}, /without anything to change/],
    [{ stopp: 1 }, /with stopp, which it does not change/],
    [{ target: 110 }, /has filled/],
    [{ size: '-0.1' }, /this.amend with a negative size, -0.1, at /],
    [{ size: { base: '0.1' } }, /with \{ base \} as its size: expected a number/],
    [{ stop: { price: 95 } }, /with \{ price \} as its stop: expected a number/],
  ])('the amendment %j of a limit order is rejected with a remedy', async (change, message) => {
    const amended = ordersOf((strategy, row) => {
      if (row === 0) strategy.order(true, { base: '0.1' }, { stopLoss: 90 });
      if (row === 2) strategy.api.amend(1, change as Amendment);
    }, FREE);
    await expect(amended).rejects.toMatchObject({ message: expect.stringMatching(message) });
  });
});

describe('oco', () => {
  const twoOrders =
    (later: (strategy: Api, row: number) => void = () => {}) =>
    (strategy: Api, row: number) => {
      if (row === 0)
        strategy.api.oco(
          strategy.order(true, { base: '0.1' }, { limit: 98, tag: 'low' }),
          strategy.order(true, { base: '0.1' }, { limit: 99, tag: 'high' }),
        );
      later(strategy, row);
    };
  const dipRow: Prices = [10_000, 10_000, 9850, 9900];
  const endingsByLimit = ({ orders }: Awaited<ReturnType<typeof ordersOf>>) => orders.map(({ limit, ending }) => [limit, ending]);

  it('oco: the first fill cancels the other order, with the latency of a cancel', async () => {
    const result = await ordersOf(
      twoOrders(),
      { ...FREE, fills: { latencyMs: 300 } },
      rows(QUIET, QUIET, QUIET, dipRow, [9900, 9900, 9850, 9900], QUIET, QUIET),
    );
    expect(endingsByLimit(result)).toEqual([[9800, 'canceled'], [9900, 'filled']]); // prettier-ignore
  });

  it('oco: a row that reaches both orders fills both', async () => {
    const result = await ordersOf(twoOrders(), FREE, rows(QUIET, QUIET, [10_000, 10_000, 9700, 9900], QUIET, QUIET));
    expect(endingsByLimit(result)).toEqual([[9800, 'filled'], [9900, 'filled']]); // prettier-ignore
  });

  it('oco covers the replacement of an amended order, and a cancel of one order leaves the others working', async () => {
    const amended = await ordersOf(
      twoOrders((strategy, row) => void (row === 1 && strategy.api.amend(2, { limit: '98.9' }))),
      FREE,
      rows(QUIET, QUIET, QUIET, dipRow, QUIET, QUIET),
    );
    expect(endingsByLimit(amended)).toEqual([[9800, 'canceled'], [9900, 'canceled'], [9890, 'filled']]); // prettier-ignore
    const cancelled = await ordersOf(
      twoOrders((strategy, row) => void (row === 1 && strategy.api.cancel(2))),
      FREE,
      rows(QUIET, QUIET, QUIET, [10_000, 10_000, 9700, 9900], QUIET),
    );
    expect(endingsByLimit(cancelled)).toEqual([[9800, 'filled'], [9900, 'canceled']]); // prettier-ignore
  });
});

describe('closeAt', () => {
  it('closeAt exits once at the time of the newest call', async () => {
    const result = await ordersOf(
      (strategy, row) => {
        if (row === 0) strategy.order(true, { base: '0.1' });
        if (row === 1) strategy.api.closeAt(START_MS + 3 * MINUTE + 30_000);
        if (row === 2) strategy.api.closeAt(START_MS + 5 * MINUTE + 30_000);
        if (row === 7) strategy.order(true, { base: '0.1' });
      },
      FREE,
      quietBars(12),
    );
    expect(result.fills.map(({ minute }) => minute)).toEqual([1, 6, 8]);
  });

  it('closeAt accepts null to withdraw it and a past time to exit at once, and rejects values that are not a time', async () => {
    const result = await ordersOf(
      (strategy, row) => {
        if (row === 0) strategy.order(true, { base: '0.1' });
        if (row === 1) strategy.api.closeAt(START_MS + 4 * MINUTE);
        if (row === 2) strategy.api.closeAt(null);
        if (row === 6) strategy.api.closeAt(START_MS);
        if (row === 7) expect(() => strategy.api.closeAt(NaN)).toThrow(/expected a time/);
      },
      FREE,
      quietBars(10),
    );
    expect(result.fills.map(({ minute }) => minute)).toEqual([1, 7]);
  });
});

describe('a position', () => {
  it('a position reports the time of its opening, and its profit to the last unit', async () => {
    const reportedPositions: unknown[] = [];
    const Watcher = strategyOf((strategy, row) => {
      if (row === 0 || row === 2) strategy.order(true, { base: row === 0 ? '0.1' : '0.05' });
      if (row === 5) strategy.api.exit();
      const { openedMs, ageMs, unrealisedProfit } = strategy.api.position();
      reportedPositions.push([(openedMs - START_MS) / MINUTE, ageMs / MINUTE, unrealisedProfit.toString()]);
    });
    const flat: Prices = [10_000, 10_000, 10_000, 10_000];
    const up: Prices = [10_007, 10_007, 10_007, 10_007];
    const { record } = await run({ strategies: [Watcher], feeds: { bars: rows(flat, flat, up, up, flat, flat, flat) }, ...FREE });
    expect(fillRows(record)).toHaveLength(3);
    // 0.1 at 100 and 0.05 at 100.07.
    expect(reportedPositions).toEqual([
      [NaN, NaN, '0'],
      [1, 1, '0'],
      [1, 2, '0.007'],
      [1, 3, '0.007'],
      [1, 4, '-0.0035'],
      [1, 5, '-0.0035'],
      [NaN, NaN, '0'],
    ]);
  });
});
