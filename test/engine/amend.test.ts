// Tests `amend` and `closeAt`: their effects on orders and stops, and the values that a position reports.

import { describe, expect, it } from 'vitest';
import type { Amendment } from '../../src/index.ts';
import { strategyOf, WITHOUT_FEES, type BarScript, ordersOf, quietBars } from './callableStrategy.ts';
import { barsOfRows, fillRows, MINUTE, QUIET_ROW, run, START_MS, type PriceRow } from './backtestFixture.ts';

const barsOf = (...rows: PriceRow[]) => barsOfRows(rows);
/** Returns role, price in ticks and minute of each sale. */
const salesOf = ({ orders, fills }: Awaited<ReturnType<typeof ordersOf>>) =>
  fills.filter(({ side }) => side === 'sell').map(({ order, price, minute }) => ({ role: orders[order - 1]!.role, price, minute }));

describe('a stop that is amended', () => {
  /** Buys at the first bar, and amends that order at the bar `amendRow`. */
  const buyThenAmend =
    (options: object, change: Amendment, amendRow: number): BarScript =>
    (strategy, row) => {
      if (row === 0) strategy.order('buy', { base: '0.1' }, options);
      if (row === amendRow) expect(strategy.api.amend(1, change)).toBe(1);
    };

  it('a stop that is amended holds from the next row on, not for the row on which it was decided', async () => {
    const result = await ordersOf(
      buyThenAmend({ stopLoss: 90 }, { stop: '98' }, 2),
      WITHOUT_FEES,
      barsOf(QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9500, 10_000], [10_000, 10_010, 9810, 10_000], [10_000, 10_000, 9700, 9900], QUIET_ROW),
    );
    expect(salesOf(result)).toEqual([{ role: 'stopLoss', price: 9800, minute: 5 }]);
  });

  it('a stop that is amended to a level which the price has passed triggers at the next open', async () => {
    const result = await ordersOf(buyThenAmend({ stopLoss: 90 }, { stop: 101 }, 2), WITHOUT_FEES, quietBars(6));
    expect(salesOf(result)).toEqual([{ role: 'stopLoss', price: 10_000, minute: 3 }]);
  });

  it('an amended stop keeps its trailing distance, and the nearer of both levels counts', async () => {
    const result = await ordersOf(
      buyThenAmend({ trailing: 5 }, { stop: 97 }, 2),
      WITHOUT_FEES,
      barsOf(QUIET_ROW, QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9650, 9700], QUIET_ROW),
    );
    expect(salesOf(result)).toEqual([{ role: 'stopLoss', price: 9700, minute: 4 }]);
  });

  it('a stop may be amended while its entry still waits to fill', async () => {
    const result = await ordersOf(
      buyThenAmend({ limit: 99 }, { stop: 98 }, 1),
      WITHOUT_FEES,
      barsOf(QUIET_ROW, QUIET_ROW, QUIET_ROW, [9950, 9960, 9850, 9900], [9900, 9910, 9750, 9800], QUIET_ROW),
    );
    expect(salesOf(result)).toEqual([{ role: 'stopLoss', price: 9800, minute: 5 }]);
  });

  it('amending a stop changes nothing and returns null if the level is not a number or nothing is protected', async () => {
    const returned: unknown[] = [];
    const result = await ordersOf(
      (strategy, row) => {
        if (row === 0) strategy.order('buy', { base: '0.1' }, { stopLoss: 98 });
        if (row === 2)
          returned.push(strategy.api.amend(1, { stop: NaN }), strategy.api.amend(7, { stop: 97 }), strategy.api.amend(1, { stop: 0 }));
        if (row === 4) returned.push(strategy.api.amend(1, { stop: 99 }));
      },
      WITHOUT_FEES,
      barsOf(QUIET_ROW, QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9750, 9800], QUIET_ROW, QUIET_ROW),
    );
    expect(salesOf(result)).toEqual([{ role: 'stopLoss', price: 9800, minute: 4 }]);
    expect(returned).toEqual([null, null, null, null]);
  });
});

describe('a limit order that is amended', () => {
  it('an amended limit order is replaced by one with the new price, the remaining lots, the same tag and the same bracket', async () => {
    const returned: unknown[] = [];
    const result = await ordersOf(
      (strategy, row) => {
        if (row === 0) strategy.order('buy', { base: '0.2' }, { limit: 98, stopLoss: 95, tag: 'dip' });
        if (row === 2) returned.push(strategy.api.openOrders()[0]!.amend({ limit: 99, size: '0.1', stop: 97 }));
      },
      { ...WITHOUT_FEES, fills: { latencyMs: 300 } },
      barsOf(QUIET_ROW, QUIET_ROW, QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9890, 9950], [9950, 9950, 9650, 9700], QUIET_ROW, QUIET_ROW),
    );
    expect(returned).toEqual([2]);
    expect(result.orders.slice(0, 2).map(({ lots, limit, ending }) => [lots, limit, ending])).toEqual([
      [200, 9800, 'canceled'],
      [100, 9900, 'filled'],
    ]);
    expect(salesOf(result)).toEqual([{ role: 'stopLoss', price: 9700, minute: 6 }]);
  });

  it('a limit order stays unchanged when it is amended to a price that is not a number', async () => {
    const { orders } = await ordersOf((strategy, row) => {
      if (row === 0) strategy.order('buy', { base: '0.2' }, { limit: 98 });
      if (row === 2)
        expect([strategy.api.amend(1, { limit: NaN }), strategy.api.amend(1, { size: 0 }), strategy.api.amend(1, { target: NaN })]).toEqual(
          [null, null, null],
        );
    }, WITHOUT_FEES);
    expect(orders).toHaveLength(1);
  });

  it.each([
    [{}, /without anything to change/],
    [{ stop: undefined }, /without anything to change/],
    [{ stopp: 1 }, /with stopp, which it does not change/],
    [{ target: 110 }, /has filled/],
    [{ size: '-0.1' }, /this.amend with a negative size, -0.1, at /],
    [{ size: { base: '0.1' } }, /with \{ base \} as its size: expected a number/],
    [{ stop: { price: 95 } }, /with \{ price \} as its stop: expected a number/],
  ])('the amendment %j of a limit order is rejected with a remedy', async (change, message) => {
    const amended = ordersOf((strategy, row) => {
      if (row === 0) strategy.order('buy', { base: '0.1' }, { stopLoss: 90 });
      if (row === 2) strategy.api.amend(1, change as Amendment);
    }, WITHOUT_FEES);
    await expect(amended).rejects.toMatchObject({ message: expect.stringMatching(message) });
  });
});

describe('oco', () => {
  /** Places limits of one oco group at 98 and 99, and then calls `laterScript`. */
  const twoOrders =
    (laterScript: BarScript = () => {}): BarScript =>
    (strategy, row) => {
      if (row === 0)
        strategy.api.oco(
          strategy.order('buy', { base: '0.1' }, { limit: 98, tag: 'low' }),
          strategy.order('buy', { base: '0.1' }, { limit: 99, tag: 'high' }),
        );
      laterScript(strategy, row);
    };
  const dipRow: PriceRow = [10_000, 10_000, 9850, 9900];
  const endingsByLimit = ({ orders }: Awaited<ReturnType<typeof ordersOf>>) => orders.map(({ limit, ending }) => [limit, ending]);

  it('the first fill of an oco group cancels the other order, with the latency of a cancel', async () => {
    const result = await ordersOf(
      twoOrders(),
      { ...WITHOUT_FEES, fills: { latencyMs: 300 } },
      barsOf(QUIET_ROW, QUIET_ROW, QUIET_ROW, dipRow, [9900, 9900, 9850, 9900], QUIET_ROW, QUIET_ROW),
    );
    expect(endingsByLimit(result)).toEqual([[9800, 'canceled'], [9900, 'filled']]); // prettier-ignore
  });

  it('a row that reaches both orders of an oco group fills both', async () => {
    const result = await ordersOf(
      twoOrders(),
      WITHOUT_FEES,
      barsOf(QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9700, 9900], QUIET_ROW, QUIET_ROW),
    );
    expect(endingsByLimit(result)).toEqual([[9800, 'filled'], [9900, 'filled']]); // prettier-ignore
  });

  it('the replacement of an amended order stays in its oco group', async () => {
    const amended = await ordersOf(
      twoOrders((strategy, row) => void (row === 1 && strategy.api.amend(2, { limit: '98.9' }))),
      WITHOUT_FEES,
      barsOf(QUIET_ROW, QUIET_ROW, QUIET_ROW, dipRow, QUIET_ROW, QUIET_ROW),
    );
    expect(endingsByLimit(amended)).toEqual([[9800, 'canceled'], [9900, 'canceled'], [9890, 'filled']]); // prettier-ignore
  });

  it('a cancel of one order of an oco group leaves the other working', async () => {
    const cancelled = await ordersOf(
      twoOrders((strategy, row) => void (row === 1 && strategy.api.cancel(2))),
      WITHOUT_FEES,
      barsOf(QUIET_ROW, QUIET_ROW, QUIET_ROW, [10_000, 10_000, 9700, 9900], QUIET_ROW),
    );
    expect(endingsByLimit(cancelled)).toEqual([[9800, 'filled'], [9900, 'canceled']]); // prettier-ignore
  });
});

describe('closeAt', () => {
  it('closeAt exits once at the time of the newest call', async () => {
    const result = await ordersOf(
      (strategy, row) => {
        if (row === 0) strategy.order('buy', { base: '0.1' });
        if (row === 1) strategy.api.closeAt(START_MS + 3 * MINUTE + 30_000);
        if (row === 2) strategy.api.closeAt(START_MS + 5 * MINUTE + 30_000);
        if (row === 7) strategy.order('buy', { base: '0.1' });
      },
      WITHOUT_FEES,
      quietBars(12),
    );
    expect(result.fills.map(({ minute }) => minute)).toEqual([1, 6, 8]);
  });

  it('closeAt(null) withdraws the exit', async () => {
    const { fills } = await ordersOf(
      (strategy, row) => {
        if (row === 0) strategy.order('buy', { base: '0.1' });
        if (row === 1) strategy.api.closeAt(START_MS + 4 * MINUTE);
        if (row === 2) strategy.api.closeAt(null);
      },
      WITHOUT_FEES,
      quietBars(10),
    );
    expect(fills.map(({ minute }) => minute)).toEqual([1]);
  });

  it('closeAt with a past time exits at once, also after an earlier time was withdrawn', async () => {
    const { fills } = await ordersOf(
      (strategy, row) => {
        if (row === 0) strategy.order('buy', { base: '0.1' });
        if (row === 1) strategy.api.closeAt(START_MS + 4 * MINUTE);
        if (row === 2) strategy.api.closeAt(null);
        if (row === 6) strategy.api.closeAt(START_MS);
      },
      WITHOUT_FEES,
      quietBars(10),
    );
    expect(fills.map(({ minute }) => minute)).toEqual([1, 7]);
  });

  it('closeAt rejects a value that is not a time', async () => {
    let wasChecked = false;
    await ordersOf((strategy, row) => {
      if (row !== 1) return;
      expect(() => strategy.api.closeAt(NaN)).toThrow(/expected a time/);
      wasChecked = true;
    }, WITHOUT_FEES);
    expect(wasChecked).toBe(true);
  });
});

describe('a position', () => {
  it('a position reports the time of its opening, and its profit to the last unit', async () => {
    /** Minute of the opening, age in minutes and profit, at each bar. */
    const reportedPositions: unknown[] = [];
    const Watcher = strategyOf((strategy, row) => {
      if (row === 0 || row === 2) strategy.order('buy', { base: row === 0 ? '0.1' : '0.05' });
      if (row === 5) strategy.api.exit();
      const { openedMs, ageMs, unrealisedProfit } = strategy.api.position();
      reportedPositions.push({ openedMinute: (openedMs - START_MS) / MINUTE, age: ageMs / MINUTE, profit: unrealisedProfit.toString() });
    });
    const flat: PriceRow = [10_000, 10_000, 10_000, 10_000];
    const up: PriceRow = [10_007, 10_007, 10_007, 10_007];
    const { record } = await run({ strategies: [Watcher], feeds: { bars: barsOf(flat, flat, up, up, flat, flat, flat) }, ...WITHOUT_FEES });
    expect(fillRows(record)).toHaveLength(3);
    // 0.1 at 100 and 0.05 at 100.07.
    expect(reportedPositions).toEqual([
      { openedMinute: NaN, age: NaN, profit: '0' },
      { openedMinute: 1, age: 1, profit: '0' },
      { openedMinute: 1, age: 2, profit: '0.007' },
      { openedMinute: 1, age: 3, profit: '0.007' },
      { openedMinute: 1, age: 4, profit: '-0.0035' },
      { openedMinute: 1, age: 5, profit: '-0.0035' },
      { openedMinute: NaN, age: NaN, profit: '0' },
    ]);
  });
});
