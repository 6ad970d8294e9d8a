// Tests trigger orders that a strategy amends in a backtest: the price that counts in each row, the closed lots, and rejected changes.

import { describe, expect, it } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import type { Amendment, OrderInfo } from '../../src/index.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { strategyOf, type BarScript, type CallableStrategy } from './callableStrategy.ts';
import { NO_CONTRACT_FEES, barsOfRows, fillRows, orderRows, planFor, type PlanOptions, type PriceRow } from './backtestFixture.ts';

const contract = linearContract(NO_CONTRACT_FEES);
const quiet = (price = 10_000): PriceRow => [price, price, price, price];
const quietRows = (count: number): PriceRow[] => Array.from({ length: count }, () => quiet());
/** Returns a price in ticks, which are tenths, as a strategy writes it. */
const priceText = (ticks: number): string => (ticks / 10).toFixed(1);

/** Runs a script on a contract. Returns its orders, its reports, and the fills after the entry (prices in ticks). */
async function runOnContract(rows: readonly PriceRow[], script: BarScript, options: Partial<PlanOptions> = {}) {
  const reported: OrderInfo[] = [];
  class Acting extends strategyOf(script) {
    override onOrder(order: OrderInfo) {
      reported.push(order);
    }
  }
  const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
  const plan = planFor({
    strategies: [Acting],
    feeds: { bars: barsOfRows(rows, contract) },
    cash: { USDT: '100000' },
    futures,
    ...options,
  });
  const prepared = await prepareBacktest(plan, {});
  prepared.loop(prepared.engine);
  prepared.engine.ledger.assertReconciled();
  prepared.checkBooks();
  const record = runRecordOf(plan, prepared, false);
  const orders = orderRows(record);
  const fills = fillRows(record);
  return { orders, reported, closes: fills.slice(1).map(({ side, price: ticks, lots, minute }) => ({ side, price: ticks, lots, minute })) };
}

/**
 * Returns a script that buys ten contracts at the close of row 0, and places a stop at 980.0 when it holds them. It amends the stop by
 * `changes`, which are keyed by row.
 */
function stopThenAmend(changes: Readonly<Record<number, Amendment>>, isLong = true, returned: unknown[] = []): BarScript {
  let isPlaced = false;
  return (strategy, row) => {
    if (row === 0) strategy.order(isLong ? 'buy' : 'sell', { base: 10 });
    const change = changes[row];
    const stop = strategy.api.openOrders().find(({ tag }) => tag === 'stop');
    if (change !== undefined && stop !== undefined) returned.push(stop.amend(change));
    if (isPlaced || strategy.api.position().isFlat) return;
    isPlaced = true;
    strategy.order(isLong ? 'sell' : 'buy', undefined, { trigger: priceText(isLong ? 9800 : 10_200), tag: 'stop' });
  };
}

describe('a trigger order that is amended', () => {
  it.each([
    ['a long', true, 9900, [10_000, 10_000, 9850, 9900], { side: 'sell', price: 9900, lots: 10, minute: 5 }],
    ['a short', false, 10_100, [10_000, 10_150, 10_000, 10_100], { side: 'buy', price: 10_100, lots: 10, minute: 5 }],
  ] as const)(
    'a trigger order that is amended stops %s at its new price, from the next row on',
    async (_, isLong, stop, row, expectedClose) => {
      const { orders, closes } = await runOnContract(
        [...quietRows(4), [...row], quiet()],
        stopThenAmend({ 2: { stop: priceText(stop) } }, isLong),
      );
      expect(closes).toEqual([expectedClose]);
      expect(orders.map(({ role, ending, limit }) => [role, ending, limit]).slice(1)).toEqual([
        ['stopLoss', 'canceled', isLong ? 9800 : 10_200],
        ['stopLoss', 'filled', stop],
      ]);
    },
  );

  it('an amended trigger order keeps its old trigger until the new order has arrived', async () => {
    const rows = [...quietRows(5), [10_000, 10_000, 9700, 9950] as PriceRow, quiet(9950), quiet(9950)];
    // The new order is decided at the close of the row before the fall, and arrives inside the row that falls.
    const { orders, closes } = await runOnContract(rows, stopThenAmend({ 4: { stop: priceText(9900) } }), { fills: { latencyMs: 300 } });
    expect(closes).toEqual([{ side: 'sell', price: 9800, lots: 10, minute: 6 }]);
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'filled', 'canceled']);
  });

  it('a row that reaches the old and the new trigger of an amended order closes the position once', async () => {
    // The new order arrives inside row 5, and the cancel of the old one inside row 6.
    const rows = [...quietRows(6), [10_000, 10_000, 9700, 9900] as PriceRow, quiet(9900), quiet(9900), quiet(9900)];
    const { closes, orders } = await runOnContract(rows, stopThenAmend({ 4: { stop: priceText(9900) } }), { fills: { latencyMs: 40_000 } });
    expect(closes).toEqual([{ side: 'sell', price: 9900, lots: 10, minute: 7 }]);
    // The old order has fired too, and nothing was left to close.
    expect(orders.map(({ ending, code }) => [ending, code])).toEqual([
      ['filled', ''],
      ['rejected', '10015'],
      ['filled', ''],
    ]);
  });

  it('a trigger order that is amended to beyond the price fires at the next open', async () => {
    const { closes } = await runOnContract(quietRows(6), stopThenAmend({ 2: { stop: priceText(10_100) } }));
    expect(closes).toEqual([{ side: 'sell', price: 10_000, lots: 10, minute: 3 }]);
  });

  it('an amended trigger order gets the requested size, but at most the position', async () => {
    const changes: Readonly<Record<number, Amendment>> = {
      3: { stop: priceText(9850) },
      6: { stop: priceText(9900), size: 11 },
    };
    const script: BarScript = (strategy, row) => {
      const change = changes[row];
      if (change !== undefined) strategy.api.openOrders()[0]!.amend(change);
      if (row === 0) strategy.order('buy', { base: 10 });
      if (row === 2) strategy.order('sell', { base: 4 }, { tag: 'part', reduceOnly: true });
      if (row === 4) strategy.order('buy', { base: 5 }, { tag: 'more' });
    };
    // A stop holds the lots that it closes. They can be sold beside it only if it holds fewer.
    const withSmallStop: BarScript = (strategy, row) => {
      if (row === 1) strategy.order('sell', { base: 6 }, { trigger: priceText(9800), tag: 'stop' });
      script(strategy, row);
    };
    const { orders } = await runOnContract(quietRows(9), withSmallStop);
    const stops = orders.filter(({ role }) => role === 'stopLoss').map(({ lots, limit, ending }) => [lots, limit, ending]);
    expect(stops).toEqual([[6, 9800, 'canceled'], [6, 9850, 'canceled'], [11, 9900, 'open']]); // prettier-ignore
  });

  it('an amendment of the size alone keeps the trigger, and a size beyond the position is denied', async () => {
    const returned: unknown[] = [];
    const { orders } = await runOnContract(
      quietRows(8),
      stopThenAmend({ 2: { size: 4 }, 4: { size: 11 }, 5: { size: 4 } }, true, returned),
    );
    // The last amendment changes nothing.
    expect(returned).toEqual([3, null, 3]);
    expect(orders.map(({ lots, limit, ending, code }) => [lots, limit, ending, code])).toEqual([
      [10, 10_100, 'filled', ''],
      [10, 9800, 'canceled', ''],
      [4, 9800, 'open', ''],
      [11, 9800, 'denied', 'MARGIN'],
    ]);
  });

  it('a trigger order that takes a profit is amended by `target`', async () => {
    const rows = [...quietRows(4), [10_000, 10_150, 10_000, 10_100] as PriceRow, quiet()];
    const { closes } = await runOnContract(rows, (strategy, row) => {
      if (row === 0) strategy.order('buy', { base: 10 });
      if (row === 1) strategy.order('sell', undefined, { trigger: priceText(10_200), tag: 'profit' });
      if (row === 2) strategy.api.openOrders()[0]!.amend({ target: priceText(10_100) });
    });
    expect(closes).toEqual([{ side: 'sell', price: 10_100, lots: 10, minute: 5 }]);
  });

  it('amend of a trigger order returns null before its acknowledgement, during another amendment, and for a value that is not a number', async () => {
    const returned: unknown[] = [];
    const { orders, closes } = await runOnContract(
      quietRows(14),
      stopThenAmend(
        { 4: { stop: priceText(9850) }, 5: { stop: NaN }, 6: { size: 0 }, 7: { stop: priceText(9860) }, 8: { stop: priceText(9870) } },
        true,
        returned,
      ),
      { fills: { latencyMs: 90_000 } },
    );
    // The stop of row 3 arrives in row 5; the new one of row 7 in row 9.
    expect(returned).toEqual([null, null, null, 3, null]);
    expect([closes, orders.length]).toEqual([[], 3]);
  });

  it('amend returns null for a trigger order that has ended', async () => {
    const returned: unknown[] = [];
    const script = stopThenAmend({});
    await runOnContract([...quietRows(3), [9700, 9750, 9700, 9750], quiet(9750), quiet(9750)], (strategy, row) => {
      script(strategy, row);
      if (row === 4) returned.push(strategy.api.amend(2, { stop: priceText(9700) }));
    });
    expect(returned).toEqual([null]);
  });

  it('a cancel of the new order also cancels the amended trigger order, and an exit cancels both', async () => {
    const runAndAct = (act: (strategy: CallableStrategy) => unknown) => {
      const amendStop = stopThenAmend({ 6: { stop: priceText(9850) } });
      const amendThenAct: BarScript = (strategy, row) => {
        amendStop(strategy, row);
        if (row === 7) act(strategy);
      };
      return runOnContract(quietRows(16), amendThenAct, { fills: { latencyMs: 90_000 } });
    };
    const afterCancel = await runAndAct((strategy) => strategy.api.cancel(3));
    expect(afterCancel.orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled', 'canceled']);
    const afterExit = await runAndAct((strategy) => strategy.api.exit());
    expect(afterExit.orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled', 'canceled', 'filled']);
    expect(afterExit.closes).toHaveLength(1);
  });

  it('an amended trigger order that fires cancels the other order of its oco group', async () => {
    const script = stopThenAmend({ 2: { stop: priceText(9900) } });
    const fall: PriceRow = [10_000, 10_000, 9850, 9900];
    const { orders } = await runOnContract([...quietRows(4), fall, quiet(), quiet(), quiet()], (strategy, row) => {
      script(strategy, row);
      if (row !== 1) return;
      const otherOrder = strategy.order('buy', { base: 1 }, { limit: priceText(9000), tag: 'other' });
      strategy.api.oco(2, otherOrder);
    });
    expect(orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled', 'canceled', 'filled']);
  });

  it.each([
    ['with `target`, although the order is a stop', { target: '99' }, /this trigger order is a stop/, undefined],
    ['with a limit', { limit: '99' }, /with a limit or targets, but it is a trigger order/, undefined],
    ['with targets', { targets: [{ at: '99' }] }, /with a limit or targets/, undefined],
    ['if it may open a position', { stop: '99' }, /may open a position/, { trigger: '1010', reduceOnly: false }],
  ])('the amendment of a trigger order is rejected: %s', async (_, change, message, options) => {
    const amendStop = stopThenAmend({ 2: change });
    const script: BarScript = (strategy, row) => {
      if (options === undefined) amendStop(strategy, row);
      else if (row === 0) strategy.order('buy', { base: 1 }, options);
      else if (row === 2) strategy.api.openOrders()[0]!.amend(change);
    };
    await expect(runOnContract(quietRows(5), script)).rejects.toThrow(message);
  });
});

/** A stop at the exchange, in ticks, and the rows from the first to the last in which it may fire. */
interface WaitingStop {
  readonly level: number;
  readonly firstRow: number;
  lastRow: number;
}

/** A position with a stop that moves. */
interface StopScript {
  readonly rows: readonly PriceRow[];
  readonly isLong: boolean;
  readonly firstLevel: number;
  /** New levels of the stop, by the row at whose close they are requested. */
  readonly moves: ReadonlyMap<number, number>;
  readonly latencyMs: number;
}

/**
 * Returns the row and the price at which a moved stop closes the position, or null. Written from docs/matching.md and docs/strategies.md
 * alone. An order that is decided at the close of a row may fire from the next row on, or from the one after it if it arrives inside a row.
 * A cancel that arrives inside a row acts after the row.
 */
function naiveExitOf({ rows, isLong, firstLevel, moves, latencyMs }: StopScript): { readonly row: number; readonly price: number } | null {
  const rowsUntilActive = latencyMs > 0 ? 2 : 1;
  /** Rows until the cancel of the old stop has acted. It is sent when the new stop is acknowledged. */
  const rowsUntilCancelled = Math.ceil((2 * latencyMs) / 60_000);
  const placedRow = latencyMs > 0 ? 2 : 1;
  const stops: WaitingStop[] = [{ level: firstLevel, firstRow: placedRow + rowsUntilActive, lastRow: Infinity }];
  /** The first row at whose close the stop can be moved again. */
  let movableFromRow = placedRow + 1;
  for (let row = 0; row < rows.length; row++) {
    const [open, high, low] = rows[row]!;
    const active = stops.filter(({ firstRow, lastRow }) => firstRow <= row && row <= lastRow);
    if (active.some(({ level }) => (isLong ? open <= level : open >= level))) return { row, price: open };
    const reached = active.filter(({ level }) => (isLong ? low <= level : high >= level));
    const [nearest] = reached.toSorted((a, b) => Math.abs(a.level - open) - Math.abs(b.level - open));
    if (nearest !== undefined) return { row, price: nearest.level };
    const newLevel = moves.get(row);
    const newestStop = stops.at(-1)!;
    if (newLevel === undefined || row < movableFromRow || newLevel === newestStop.level) continue;
    stops.push({ level: newLevel, firstRow: row + rowsUntilActive, lastRow: Infinity });
    newestStop.lastRow = row + rowsUntilCancelled;
    movableFromRow = row + Math.max(1, rowsUntilCancelled);
  }
  return null;
}

/** Draws a script: quiet rows until the stop waits, then random prices and moves of the stop. */
function randomScript(seed: number, latencyMs: number): StopScript {
  const rng = seededRng(seed);
  const pick = (below: number): number => Math.floor(rng.next() * below);
  const isLong = pick(2) === 0;
  const sign = isLong ? 1 : -1;
  let lastTicks = 10_000;
  const rows = Array.from({ length: 24 }, (_, row): PriceRow => {
    if (row < 4) return quiet();
    const open = lastTicks + pick(61) - 30;
    const close = open + pick(81) - 40;
    const high = Math.max(open, close) + pick(20);
    const low = Math.min(open, close) - pick(20);
    lastTicks = close;
    return [open, high, low, close];
  });
  const firstLevel = 10_000 - sign * (60 + pick(120));
  const moves = new Map<number, number>();
  for (let row = 2; row < 22; row++) {
    if (pick(3) === 0) continue;
    const [, , , close] = rows[row]!;
    // One new level in ten lies on the other side of the price.
    const distance = pick(10) === 0 ? -20 : 20 + pick(150);
    moves.set(row, close - sign * distance);
  }
  return { rows, isLong, firstLevel, moves, latencyMs };
}

/** Runs a script: enters at row 0, places the stop once the position is open, and moves it as the script says. */
function runStopScript({ rows, isLong, firstLevel, moves, latencyMs }: StopScript) {
  let isPlaced = false;
  const script = (strategy: CallableStrategy, row: number): void => {
    if (row === 0) strategy.order(isLong ? 'buy' : 'sell', { base: 10 });
    const newLevel = moves.get(row);
    if (newLevel !== undefined)
      for (const order of strategy.api.openOrders()) if (order.tag === 'stop') order.amend({ stop: priceText(newLevel) });
    if (isPlaced || strategy.api.position().isFlat) return;
    isPlaced = true;
    strategy.order(isLong ? 'sell' : 'buy', undefined, { trigger: priceText(firstLevel), tag: 'stop' });
  };
  return runOnContract(rows, script, { fills: { latencyMs } });
}

it.each([
  ['at once', 0],
  ['inside the next row', 300],
  ['inside the next row, and cancels in the one after it', 40_000],
])(
  '80 random scripts that move a stop, with orders that arrive %s, equal a naive reference',
  async (_, latencyMs) => {
    let closedCount = 0;
    let movedCount = 0;
    for (let seed = 1; seed <= 80; seed++) {
      const script = randomScript(seed, latencyMs);
      const { closes, orders } = await runStopScript(script);
      const naiveExit = naiveExitOf(script);
      const expected = naiveExit === null ? [] : [{ side: script.isLong ? 'sell' : 'buy', price: naiveExit.price, lots: 10 }];
      expect(
        closes.map(({ side, price, lots }) => ({ side, price, lots })),
        `seed ${seed}`,
      ).toEqual(expected);
      // The fill of a row has the minute of its open or of its end.
      if (naiveExit !== null) expect([naiveExit.row, naiveExit.row + 1], `seed ${seed}`).toContain(closes[0]!.minute);
      closedCount += closes.length;
      movedCount += orders.filter(({ role }) => role === 'stopLoss').length - 1;
    }
    expect(closedCount).toBeGreaterThan(40);
    expect(movedCount).toBeGreaterThan(130);
  },
  120_000,
);
