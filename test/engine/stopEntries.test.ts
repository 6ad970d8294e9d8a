// Tests stop entries of spot, which the bot watches: when they are sent, at which price they fill, and which ones are rejected.
// test/campaigns/orderForms.test.ts compares random scripts with a naive reference.

import { describe, expect, it } from 'vitest';
import { Decimal } from 'decimal.js';
import { Strategy, type OrderInfo, type OrderOptions, type Size } from '../../src/index.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { strategyOf, FREE, ordersOf, QUIET, quietBars, type Api } from './strategyApi.ts';
import { barsOfRows, coarser, fillRows, orderRows, planFor, run, walkBars } from './world.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';

type Prices = [number, number, number, number];
/** Rises from 100 to 105 and on to 107. The last row falls back. */
const CLIMB: Prices[] = [QUIET, [10_000, 10_200, 9990, 10_150], [10_150, 10_700, 10_100, 10_600], [10_600, 10_650, 10_050, 10_100], QUIET];

/** The fills of one order that is placed at the close of the first row. */
async function fillsOf(size: Size, options: OrderOptions, rows: Prices[] = CLIMB, isBuy = true, more = {}) {
  const result = await ordersOf(
    (strategy, row) => row === 0 && strategy.order(isBuy, size, options),
    { ...FREE, ...more },
    barsOfRows(rows),
  );
  return result.fills.map(({ side, price, lots, minute, isMaker }) => [side, price, lots, minute, isMaker]);
}
/** Returns the error of an order with these options. */
const errorOf = (options: unknown, feeds = { bars: quietBars(3) }) =>
  run({
    strategies: [strategyOf((strategy, row) => row === 0 && strategy.order(true, { base: '0.1' }, options as never))],
    feeds,
    ...FREE,
  }).then(
    () => 'no error',
    (error: unknown) => String(error),
  );

describe('a stop entry of spot', () => {
  it('a stop entry buys at its level as taker in the row that reaches it', async () => {
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105 })).toEqual([['buy', 10_500, 100, 3, false]]);
    expect(await fillsOf({ quote: '1050' }, { stopEntry: '105' })).toEqual([['buy', 10_500, 10_000, 3, false]]);
    expect(await fillsOf({ base: '0.1' }, { stopEntry: new Decimal(107) })).toEqual([['buy', 10_700, 100, 3, false]]);
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 107.01 })).toEqual([]);
  });
  it('a stop entry sells a holding below the market', async () => {
    const fall = CLIMB.map(([open, high, low, close]): Prices => [20_000 - open, 20_000 - low, 20_000 - high, 20_000 - close]);
    const cash = { cash: { USDT: '1000', BTC: '1' } };
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 95 }, fall, false, cash)).toEqual([['sell', 9500, 100, 3, false]]);
  });
  it('a stop entry fills at an open beyond its level', async () => {
    const gap: Prices[] = [QUIET, QUIET, [10_560, 10_600, 10_550, 10_580], QUIET];
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105 }, gap)).toEqual([['buy', 10_560, 100, 2, false]]);
  });
  it('a stop entry rests at its collar, 1 % beyond its level, until the end of a row that opens beyond the collar', async () => {
    const gap: Prices[] = [QUIET, QUIET, [10_700, 10_750, 10_650, 10_700], QUIET];
    const back: Prices[] = [QUIET, QUIET, [10_700, 10_750, 10_600, 10_700], QUIET];
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105 }, gap)).toEqual([]);
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105 }, back)).toEqual([['buy', 10_605, 100, 3, true]]);
    // An order by amount has no collar.
    expect(await fillsOf({ quote: '1070' }, { stopEntry: 105 }, gap)).toEqual([['buy', 10_700, 10_000, 2, false]]);
  });
  it('a stop entry with a limit fills at its level within the limit, and rests otherwise', async () => {
    const gap: Prices[] = [QUIET, QUIET, [10_700, 10_750, 10_650, 10_700], [10_700, 10_710, 10_500, 10_600], QUIET];
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, limit: 106 })).toEqual([['buy', 10_500, 100, 3, false]]);
    // The row opens beyond the limit, and the next one returns to it.
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, limit: 106 }, gap)).toEqual([['buy', 10_600, 100, 4, true]]);
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, limit: 108 }, gap)).toEqual([['buy', 10_700, 100, 2, false]]);
    // The limit is below the level. The row that reaches the level does not show which prices came after it.
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, limit: 103 })).toEqual([['buy', 10_300, 100, 4, true]]);
  });
  it('a stop entry is protected in its row like any entry inside a row', async () => {
    const fills = (options: OrderOptions) => fillsOf({ base: '0.1' }, { stopEntry: 105, ...options });
    expect(await fills({ stopLoss: 102 })).toEqual([
      ['buy', 10_500, 100, 3, false],
      ['sell', 10_200, 100, 3, false],
    ]);
    // The row of the entry does not fill the target; the open of the next row does.
    expect(await fills({ stopLoss: 100.8, takeProfit: 106 })).toEqual([
      ['buy', 10_500, 100, 3, false],
      ['sell', 10_600, 100, 3, false],
    ]);
    // The best price of the row came after the entry: 107 less 4.5.
    expect(await fills({ trailing: 4.5 })).toEqual([
      ['buy', 10_500, 100, 3, false],
      ['sell', 10_250, 100, 4, false],
    ]);
  });
  it('a stop entry filled at an open beyond its target sells at that open, before the row reaches its stop', async () => {
    const gap: Prices[] = [QUIET, QUIET, [10_560, 10_600, 10_100, 10_580], QUIET];
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, takeProfit: 105.5, stopLoss: 102 }, gap)).toEqual([
      ['buy', 10_560, 100, 2, false],
      ['sell', 10_560, 100, 2, false],
    ]);
  });
  it('a stop entry does not change the time of another stop entry that the same open sends', async () => {
    const gap: Prices[] = [QUIET, QUIET, [10_700, 10_750, 10_600, 10_700], QUIET];
    const result = await ordersOf(
      (strategy, row) => {
        if (row !== 0) return;
        strategy.order(true, { base: '0.1' }, { stopEntry: 106.5, takeProfit: 120, tag: 'at once' });
        strategy.order(true, { base: '0.2' }, { stopEntry: 105, tag: 'collared' });
      },
      FREE,
      barsOfRows(gap),
    );
    expect(result.fills.map(({ price, lots, minute }) => [price, lots, minute])).toEqual([
      [10_700, 100, 2],
      [10_605, 200, 3],
    ]);
  });
  it('stop entries of one row are sent one after the other, the nearest to the open first', async () => {
    const result = await ordersOf(
      (strategy, row) => {
        if (row !== 0) return;
        strategy.order(true, { base: '0.1' }, { stopEntry: 106, tag: 'far' });
        strategy.order(true, { base: '0.2' }, { stopEntry: 103, tag: 'near' });
      },
      FREE,
      barsOfRows(CLIMB),
    );
    expect(result.fills.map(({ price }) => price)).toEqual([10_300, 10_600]);
    expect(result.orders.map(({ role, limit, ending }) => [role, limit, ending])).toEqual([
      ['condition', 10_600, 'filled'],
      ['condition', 10_300, 'filled'],
    ]);
  });
  it('a stop entry fills after stops that its row reaches, and before resting limits', async () => {
    const wide: Prices[] = [QUIET, QUIET, [10_000, 10_600, 9600, 10_000], QUIET];
    const result = await ordersOf(
      (strategy, row) => {
        if (row !== 0) return;
        strategy.order(true, { base: '0.1' }, { limit: 97, tag: 'rests' });
        strategy.order(true, { base: '0.2' }, { stopEntry: 105, tag: 'enters' });
        strategy.order(true, { base: '0.3' }, { stopLoss: 98, tag: 'stops' });
      },
      FREE,
      barsOfRows(wide),
    );
    expect(result.fills.map(({ side, price, lots }) => [side, price, lots])).toEqual([
      ['buy', 10_000, 300],
      ['sell', 9800, 300],
      ['buy', 10_500, 200],
      ['buy', 9700, 100],
    ]);
  });
  it('a stop entry is sent without latency and fills with slippage', async () => {
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105 }, CLIMB, true, { fills: { latencyMs: 90_000, slippageTicks: 3 } })).toEqual([
      ['buy', 10_503, 100, 3, false],
    ]);
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, limit: 105.02 }, CLIMB, true, { fills: { slippageTicks: 3 } })).toEqual([
      ['buy', 10_502, 100, 3, false],
    ]);
  });
  it('a stop entry fills what the cap on volume leaves, and the rest of its limit rests', async () => {
    const thin = CLIMB.map((row): [number, number, number, number, number] => [...row, 1]);
    const capped = async (options: OrderOptions, size: Size = { base: '0.15' }) =>
      (
        await ordersOf(
          (strategy, row) => row === 0 && strategy.order(true, size, options),
          { ...FREE, fills: { maxVolumeSharePpm: 100_000 } },
          barsOfRows(thin),
        )
      ).fills.map(({ price, lots, minute }) => [price, lots, minute]);
    expect(await capped({ stopEntry: 105 })).toEqual([[10_500, 100, 3]]);
    expect(await capped({ stopEntry: 105 }, { quote: '20' })).toEqual([[10_500, 100, 3]]);
    expect(await capped({ stopEntry: 105, limit: 105.5 })).toEqual([
      [10_500, 100, 3],
      [10_550, 50, 4],
    ]);
  });
});

describe('a stop entry that waits', () => {
  const waiting = async (script: (strategy: Api, row: number) => unknown, rows = CLIMB) => ordersOf(script, FREE, barsOfRows(rows));
  it('a waiting stop entry is a draft with its trigger, and cancel and exit withdraw it', async () => {
    let seenOrders: readonly OrderInfo[] = [];
    const placeEntry = (strategy: Api) => strategy.order(true, { base: '0.1' }, { stopEntry: 105, tag: 'break' });
    const canceled = await waiting((strategy, row) => {
      if (row === 0) placeEntry(strategy);
      if (row !== 1) return;
      seenOrders = strategy.api.openOrders();
      strategy.api.cancel(seenOrders[0]!.id);
    });
    expect(seenOrders).toMatchObject([{ lifecycle: 'draft', trigger: 105, limit: NaN, tag: 'break' }]);
    expect(canceled.fills).toEqual([]);
    expect(canceled.orders).toMatchObject([{ ending: 'canceled' }]);
    const afterExit = await waiting((strategy, row) => (row === 0 ? placeEntry(strategy) : row === 1 && strategy.api.exit()));
    expect(afterExit.fills).toEqual([]);
  });
  it('a waiting stop entry holds its tag, and can be replaced in one callback', async () => {
    const result = await waiting((strategy, row) => {
      if (row !== 0) return;
      const id = strategy.order(true, { base: '0.1' }, { stopEntry: 105 });
      strategy.order(true, { base: '0.1' });
      strategy.order(true, { base: '0.1' }, { stopEntry: 104 });
      strategy.api.cancel(id);
      strategy.order(true, { base: '0.1' }, { stopEntry: 103 });
    });
    expect(result.orders.map(({ ending, code }) => [ending, code])).toEqual([
      ['canceled', ''],
      ['denied', 'SLOT_BUSY'],
      ['denied', 'SLOT_BUSY'],
      ['filled', ''],
    ]);
  });
  it('a stop entry does not trigger in the row in which it was placed', async () => {
    class InRow extends Strategy {
      override onStart() {
        this.every('1m', () => {
          if (this.nowMs % 300_000 === 60_000 && this.openOrders().length === 0) this.buy({ base: '0.1' }, { stopEntry: 105 });
        });
      }
    }
    const rows = barsOfRows(CLIMB);
    const slow = {
      ...rows,
      interval: '5m' as const,
      openMs: rows.openMs.map((ms, row) => rows.openMs[0]! + row * 300_000),
      closeMs: rows.openMs.map((_, row) => rows.openMs[0]! + (row + 1) * 300_000),
    };
    // Placed a minute after row 1 has opened, so row 2 is the first in which it can trigger.
    const { record } = await run({ strategies: [InRow], feeds: { bars: slow }, ...FREE });
    expect(fillRows(record).map(({ minute }) => minute)).toEqual([15]);
  });
  it('a stop entry that fills cancels the others of its oco group in the next instant', async () => {
    const result = await waiting((strategy, row) => {
      if (row !== 0) return;
      const up = strategy.order(true, { base: '0.1' }, { stopEntry: 105, tag: 'up' });
      const dip = strategy.order(true, { base: '0.2' }, { limit: 99, tag: 'dip' });
      strategy.api.oco(up, dip);
    });
    expect(result.orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled']);
    const dipFirst = await waiting((strategy, row) => {
      if (row !== 0) return;
      const up = strategy.order(true, { base: '0.1' }, { stopEntry: 105, tag: 'up' });
      const dip = strategy.order(true, { base: '0.2' }, { limit: 99.95, tag: 'dip' });
      strategy.api.oco(up, dip);
    }, CLIMB);
    expect(dipFirst.orders.map(({ ending }) => ending)).toEqual(['canceled', 'filled']);
  });
  it('risk checks a stop entry when it is sent', async () => {
    const result = await waiting((strategy, row) => {
      if (row === 0) strategy.order(true, { base: '2000' }, { stopEntry: 105 });
    });
    expect(result.orders).toMatchObject([{ ending: 'denied', role: 'condition' }]);
    expect(result.orders[0]!.code).not.toBe('');
  });
});

describe('invalid stop entries', () => {
  const codeOf = async (options: OrderOptions, isBuy = true) =>
    (
      await ordersOf(
        (strategy, row) => row === 0 && strategy.order(isBuy, { base: '0.1' }, options),
        { cash: { USDT: '1000', BTC: '1' } },
        quietBars(3),
      )
    ).orders[0]!.code;
  it('a stop entry at the market or on its wrong side is denied', async () => {
    for (const stopEntry of [99, 100, '99.99']) expect(await codeOf({ stopEntry })).toBe('ENTRY_SIDE');
    for (const stopEntry of [101, 100, '100.01']) expect(await codeOf({ stopEntry }, false)).toBe('ENTRY_SIDE');
  });
  it('a stop entry with a level that is not a price is denied', async () => {
    for (const stopEntry of [NaN, -105, 0, Infinity]) expect(await codeOf({ stopEntry })).toBe('BAD_INPUT');
    for (const limit of [NaN, -105, 0]) expect(await codeOf({ stopEntry: 105, limit })).toBe('BAD_INPUT');
    expect(await codeOf({ stopEntry: 105, stopLoss: NaN })).toBe('BAD_INPUT');
  });
  it('a stop entry with a bracket on the wrong side of its level is denied', async () => {
    expect(await codeOf({ stopEntry: 105, stopLoss: 105 })).toBe('STOP_SIDE');
    expect(await codeOf({ stopEntry: 105, takeProfit: 104 })).toBe('TARGET_SIDE');
    expect(await codeOf({ stopEntry: 105, stopLoss: 104, takeProfit: 106 })).toBe('');
    // With a limit below the level, the order would buy at the limit.
    expect(await codeOf({ stopEntry: 105, limit: 103, stopLoss: 104 })).toBe('STOP_SIDE');
  });
  it('a stop entry with contradicting options is rejected', async () => {
    expect(await errorOf({ stopEntry: 105, trigger: 106 })).toMatch(/stopEntry and a trigger/);
    expect(await errorOf({ stopEntry: 105, timeInForce: 'IOC' })).toMatch(/stopEntry and a time in force/);
    expect(await errorOf({ stopEntry: 105, limit: 106, reduceOnly: true })).toMatch(/stopEntry that is reduceOnly/);
    expect(await errorOf({ stopEntri: 105 })).toMatch(/option stopEntri, which does not exist/);
    expect(await codeOf({ trigger: 105 })).toBe('CONDITION_UNSUPPORTED');
  });
  it('amend of a stop entry is rejected with a remedy', async () => {
    const amended = ordersOf(
      (strategy, row) => row === 0 && strategy.api.amend(strategy.order(true, { base: '0.1' }, { stopEntry: 105 }), { stop: 99 }),
      FREE,
      quietBars(3),
    );
    await expect(amended).rejects.toThrow(/stop entry|trigger order/);
  });
});

describe('a stop entry of a contract', () => {
  const contract = linearContract({ openMakerFeePpm: 0, openTakerFeePpm: 0, closeMakerFeePpm: 0, closeTakerFeePpm: 0 });
  const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
  async function onContract(options: OrderOptions, isBuy: boolean, rows: Prices[]) {
    const prices = rows.map((row) => row.map((price) => price * 10) as Prices);
    const placeOnce = strategyOf((strategy, row) => row === 0 && strategy.order(isBuy, { base: '10' }, options));
    const plan = planFor({ strategies: [placeOnce], feeds: { bars: barsOfRows(prices, contract) }, cash: { USDT: '100000' }, futures });
    const prepared = await prepareBacktest(plan, {});
    prepared.loop(prepared.engine);
    const record = runRecordOf(plan, prepared, false);
    return { fills: fillRows(record).map(({ side, price, isMaker }) => [side, price, isMaker]), orders: orderRows(record) };
  }
  it('a stop entry of a contract waits at the exchange, opens either side, and may be a stop-limit', async () => {
    expect((await onContract({ stopEntry: 10_500 }, true, CLIMB)).fills).toEqual([['buy', 105_000, false]]);
    const fall = CLIMB.map(([open, high, low, close]): Prices => [20_000 - open, 20_000 - low, 20_000 - high, 20_000 - close]);
    expect((await onContract({ stopEntry: 9500 }, false, fall)).fills).toEqual([['sell', 95_000, false]]);
    const gap: Prices[] = [QUIET, QUIET, [10_700, 10_750, 10_650, 10_700], [10_700, 10_710, 10_500, 10_600], QUIET];
    expect((await onContract({ stopEntry: 10_500, limit: 10_600 }, true, gap)).fills).toEqual([['buy', 106_000, true]]);
    expect((await onContract({ stopEntry: 10_500, limit: 10_600 }, true, CLIMB)).fills).toEqual([['buy', 105_000, false]]);
  });
  it('a stop entry of a contract on the wrong side of the market is denied', async () => {
    expect((await onContract({ stopEntry: 10_000 }, true, CLIMB)).orders).toMatchObject([{ code: 'ENTRY_SIDE' }]);
    expect((await onContract({ stopEntry: 10_000 }, false, CLIMB)).orders).toMatchObject([{ code: 'ENTRY_SIDE' }]);
    expect((await onContract({ stopEntry: 10_500 }, false, CLIMB)).orders).toMatchObject([{ code: 'ENTRY_SIDE' }]);
  });
});

describe('a stop entry over finer prices', () => {
  class Breaks extends Strategy {
    row = 0;
    override onBar() {
      const { close } = this.bars.bar;
      if (++this.row % 9 === 0) this.exit();
      if (!this.position().isFlat || this.openOrders().length > 0) return;
      const limit = this.row % 2 === 0 ? { limit: close * 1.0022 } : {};
      this.buy({ quote: '200' }, { stopEntry: close * 1.002, stopLoss: close * 0.997, ...limit });
    }
  }
  it('a stop entry fills in execution-only rows as if the run had named them, in blocks of any size', async () => {
    const fine = walkBars({ rows: 3000, step: 40, seed: 9 });
    const fillsIn = async (blockRows: number, isHidden: boolean) => {
      const plan = planFor({ strategies: [Breaks], feeds: { bars: coarser(fine, '15m'), fine }, blockRows });
      const feeds = plan.feeds.map((feed) => ({ ...feed, isHidden: isHidden && feed.name === 'fine' }));
      const prepared = await prepareBacktest({ ...plan, feeds }, {});
      prepared.loop(prepared.engine);
      prepared.checkBooks();
      return fillRows(runRecordOf(plan, prepared, false));
    };
    const fillsOfNamedFeed = await fillsIn(512, false);
    expect(fillsOfNamedFeed.filter(({ side }) => side === 'buy').length).toBeGreaterThan(20);
    for (const blockRows of [1, 7, 512]) expect(await fillsIn(blockRows, true)).toEqual(fillsOfNamedFeed);
  });
  it('a stop entry is sent by the first trade at its level or beyond', async () => {
    const rows = barsOfRows(CLIMB);
    const prices = [10_000, 9990, 10_150, 10_560, 10_480, 10_600, 10_650];
    const tape = {
      first: Float64Array.from([0, 1, 2, 5, 6, 7]),
      price: Float64Array.from(prices),
      lots: Float64Array.from(prices, () => 500),
      takerSide: new Int8Array(prices.length),
    };
    const taped = { ...rows, tape } as never;
    const fillsOn = async (options: OrderOptions) =>
      (await ordersOf((strategy, row) => row === 0 && strategy.order(true, { base: '0.1' }, options), FREE, taped)).fills.map(
        ({ price, isMaker }) => [price, isMaker],
      );
    expect(await fillsOn({ stopEntry: 105 })).toEqual([[10_560, false]]);
    // Beyond the limit the order rests, and the next trade fills it.
    expect(await fillsOn({ stopEntry: 105, limit: 105.5 })).toEqual([[10_550, true]]);
    expect(await fillsOn({ stopEntry: 105.61 })).toEqual([[10_600, false]]);
  });
});
