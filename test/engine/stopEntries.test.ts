// Tests stop entries of spot, which the bot watches: when they are sent, at which price they fill, and which ones are rejected.
// test/campaigns/orderForms.test.ts compares random scripts with a naive reference.

import { describe, expect, it } from 'vitest';
import { Decimal } from 'decimal.js';
import { Strategy, type OrderInfo, type OrderOptions, type Size } from '../../src/index.ts';
import type { Side } from '../../src/model/order.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { buyAtFirstBar, strategyOf, WITHOUT_FEES, ordersOf, quietBars, type BarScript, type CallableStrategy } from './callableStrategy.ts';
import {
  barsOfRows,
  coarser,
  fillRows,
  NO_CONTRACT_FEES,
  orderRows,
  planFor,
  QUIET_ROW,
  run,
  walkBars,
  type PlanOptions,
  type PriceRow,
} from './backtestFixture.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';

/** Rises from 100 to 105 and on to 107. The last row falls back. */
const CLIMB: PriceRow[] = [
  QUIET_ROW,
  [10_000, 10_200, 9990, 10_150],
  [10_150, 10_700, 10_100, 10_600],
  [10_600, 10_650, 10_050, 10_100],
  QUIET_ROW,
];

/** What differs from an order to buy without fees. */
interface OrderTerms extends Partial<PlanOptions> {
  readonly side?: Side;
}
/** Places one order at the close of the first row, and returns its fills as text. PriceRow are in ticks, minutes count from the first row. */
async function fillsOf(size: Size, options: OrderOptions, rows: PriceRow[] = CLIMB, { side = 'buy', ...planOptions }: OrderTerms = {}) {
  const result = await ordersOf(
    (strategy, row) => row === 0 && strategy.order(side, size, options),
    { ...WITHOUT_FEES, ...planOptions },
    barsOfRows(rows),
  );
  return result.fills.map(
    (fill) => `${fill.side} ${fill.lots} at ${fill.price}, minute ${fill.minute}, ${fill.isMaker ? 'maker' : 'taker'}`,
  );
}
/** Returns the error of an order with these options. */
const errorOf = (options: unknown, feeds = { bars: quietBars(3) }) =>
  run({
    strategies: [strategyOf(buyAtFirstBar({ base: '0.1' }, options as never))],
    feeds,
    ...WITHOUT_FEES,
  }).then(
    () => 'no error',
    (error: unknown) => String(error),
  );

describe('a stop entry of spot', () => {
  it('a stop entry buys at its level as taker in the row that reaches it', async () => {
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105 })).toEqual(['buy 100 at 10500, minute 3, taker']);
    expect(await fillsOf({ quote: '1050' }, { stopEntry: '105' })).toEqual(['buy 10000 at 10500, minute 3, taker']);
    expect(await fillsOf({ base: '0.1' }, { stopEntry: new Decimal(107) })).toEqual(['buy 100 at 10700, minute 3, taker']);
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 107.01 })).toEqual([]);
  });
  it('a stop entry sells a holding below the market', async () => {
    const fall = CLIMB.map(([open, high, low, close]): PriceRow => [20_000 - open, 20_000 - low, 20_000 - high, 20_000 - close]);
    const seller: OrderTerms = { side: 'sell', cash: { USDT: '1000', BTC: '1' } };
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 95 }, fall, seller)).toEqual(['sell 100 at 9500, minute 3, taker']);
  });
  it('a stop entry fills at an open beyond its level', async () => {
    const gapRows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_560, 10_600, 10_550, 10_580], QUIET_ROW];
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105 }, gapRows)).toEqual(['buy 100 at 10560, minute 2, taker']);
  });
  it('a stop entry rests at its collar, 1 % beyond its level, until the end of a row that opens beyond the collar', async () => {
    const gapRows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_700, 10_750, 10_650, 10_700], QUIET_ROW];
    const returningRows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_700, 10_750, 10_600, 10_700], QUIET_ROW];
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105 }, gapRows)).toEqual([]);
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105 }, returningRows)).toEqual(['buy 100 at 10605, minute 3, maker']);
    // An order by amount has no collar.
    expect(await fillsOf({ quote: '1070' }, { stopEntry: 105 }, gapRows)).toEqual(['buy 10000 at 10700, minute 2, taker']);
  });
  it('a stop entry with a limit fills at its level within the limit, and rests otherwise', async () => {
    const gapRows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_700, 10_750, 10_650, 10_700], [10_700, 10_710, 10_500, 10_600], QUIET_ROW];
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, limit: 106 })).toEqual(['buy 100 at 10500, minute 3, taker']);
    // The row opens beyond the limit, and the next one returns to it.
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, limit: 106 }, gapRows)).toEqual(['buy 100 at 10600, minute 4, maker']);
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, limit: 108 }, gapRows)).toEqual(['buy 100 at 10700, minute 2, taker']);
    // The limit is below the level. The row that reaches the level does not show which prices came after it.
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, limit: 103 })).toEqual(['buy 100 at 10300, minute 4, maker']);
  });
  it('a stop entry is protected in its row like any entry inside a row', async () => {
    const fills = (options: OrderOptions) => fillsOf({ base: '0.1' }, { stopEntry: 105, ...options });
    expect(await fills({ stopLoss: 102 })).toEqual(['buy 100 at 10500, minute 3, taker', 'sell 100 at 10200, minute 3, taker']);
    // The row of the entry does not fill the target; the open of the next row does.
    expect(await fills({ stopLoss: 100.8, takeProfit: 106 })).toEqual([
      'buy 100 at 10500, minute 3, taker',
      'sell 100 at 10600, minute 3, taker',
    ]);
    // The best price of the row came after the entry: 107 less 4.5.
    expect(await fills({ trailing: 4.5 })).toEqual(['buy 100 at 10500, minute 3, taker', 'sell 100 at 10250, minute 4, taker']);
  });
  it('a stop entry filled at an open beyond its target sells at that open, before the row reaches its stop', async () => {
    const gapRows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_560, 10_600, 10_100, 10_580], QUIET_ROW];
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, takeProfit: 105.5, stopLoss: 102 }, gapRows)).toEqual([
      'buy 100 at 10560, minute 2, taker',
      'sell 100 at 10560, minute 2, taker',
    ]);
  });
  it('a stop entry does not change the time of another stop entry that the same open sends', async () => {
    const gapRows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_700, 10_750, 10_600, 10_700], QUIET_ROW];
    const result = await ordersOf(
      (strategy, row) => {
        if (row !== 0) return;
        strategy.order('buy', { base: '0.1' }, { stopEntry: 106.5, takeProfit: 120, tag: 'at once' });
        strategy.order('buy', { base: '0.2' }, { stopEntry: 105, tag: 'collared' });
      },
      WITHOUT_FEES,
      barsOfRows(gapRows),
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
        strategy.order('buy', { base: '0.1' }, { stopEntry: 106, tag: 'far' });
        strategy.order('buy', { base: '0.2' }, { stopEntry: 103, tag: 'near' });
      },
      WITHOUT_FEES,
      barsOfRows(CLIMB),
    );
    expect(result.fills.map(({ price }) => price)).toEqual([10_300, 10_600]);
    expect(result.orders.map(({ role, limit, ending }) => [role, limit, ending])).toEqual([
      ['condition', 10_600, 'filled'],
      ['condition', 10_300, 'filled'],
    ]);
  });
  it('a stop entry fills after stops that its row reaches, and before resting limits', async () => {
    const wide: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_000, 10_600, 9600, 10_000], QUIET_ROW];
    const result = await ordersOf(
      (strategy, row) => {
        if (row !== 0) return;
        strategy.order('buy', { base: '0.1' }, { limit: 97, tag: 'rests' });
        strategy.order('buy', { base: '0.2' }, { stopEntry: 105, tag: 'enters' });
        strategy.order('buy', { base: '0.3' }, { stopLoss: 98, tag: 'stops' });
      },
      WITHOUT_FEES,
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
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105 }, CLIMB, { fills: { latencyMs: 90_000, slippageTicks: 3 } })).toEqual([
      'buy 100 at 10503, minute 3, taker',
    ]);
    expect(await fillsOf({ base: '0.1' }, { stopEntry: 105, limit: 105.02 }, CLIMB, { fills: { slippageTicks: 3 } })).toEqual([
      'buy 100 at 10502, minute 3, taker',
    ]);
  });
  it('a stop entry fills what the cap on volume leaves, and the rest of its limit rests', async () => {
    const thin = CLIMB.map(([open, high, low, close]): PriceRow => [open, high, low, close, 1]);
    const tenthOfVolume = { ...WITHOUT_FEES, fills: { maxVolumeSharePpm: 100_000 } };
    const fillsUnderCap = async (options: OrderOptions, size: Size = { base: '0.15' }) =>
      (await ordersOf(buyAtFirstBar(size, options), tenthOfVolume, barsOfRows(thin))).fills.map(({ price, lots, minute }) => ({
        price,
        lots,
        minute,
      }));
    expect(await fillsUnderCap({ stopEntry: 105 })).toEqual([{ price: 10_500, lots: 100, minute: 3 }]);
    expect(await fillsUnderCap({ stopEntry: 105 }, { quote: '20' })).toEqual([{ price: 10_500, lots: 100, minute: 3 }]);
    expect(await fillsUnderCap({ stopEntry: 105, limit: 105.5 })).toEqual([
      { price: 10_500, lots: 100, minute: 3 },
      { price: 10_550, lots: 50, minute: 4 },
    ]);
  });
});

describe('a stop entry that waits', () => {
  const runOnClimb = (script: BarScript) => ordersOf(script, WITHOUT_FEES, barsOfRows(CLIMB));
  it('a waiting stop entry is a draft with its trigger, and cancel and exit withdraw it', async () => {
    let openOrders: readonly OrderInfo[] = [];
    const placeEntry = (strategy: CallableStrategy) => strategy.order('buy', { base: '0.1' }, { stopEntry: 105, tag: 'break' });
    const canceled = await runOnClimb((strategy, row) => {
      if (row === 0) placeEntry(strategy);
      if (row !== 1) return;
      openOrders = strategy.api.openOrders();
      strategy.api.cancel(openOrders[0]!.id);
    });
    expect(openOrders).toMatchObject([{ lifecycle: 'draft', trigger: 105, limit: NaN, tag: 'break' }]);
    expect(canceled.fills).toEqual([]);
    expect(canceled.orders).toMatchObject([{ ending: 'canceled' }]);
    const afterExit = await runOnClimb((strategy, row) => (row === 0 ? placeEntry(strategy) : row === 1 && strategy.api.exit()));
    expect(afterExit.fills).toEqual([]);
  });
  it('a waiting stop entry holds its tag, and can be replaced in one callback', async () => {
    const result = await runOnClimb((strategy, row) => {
      if (row !== 0) return;
      const id = strategy.order('buy', { base: '0.1' }, { stopEntry: 105 });
      strategy.order('buy', { base: '0.1' });
      strategy.order('buy', { base: '0.1' }, { stopEntry: 104 });
      strategy.api.cancel(id);
      strategy.order('buy', { base: '0.1' }, { stopEntry: 103 });
    });
    expect(result.orders.map(({ ending, code }) => [ending, code])).toEqual([
      ['canceled', ''],
      ['denied', 'SLOT_BUSY'],
      ['denied', 'SLOT_BUSY'],
      ['filled', ''],
    ]);
  });
  it('a stop entry does not trigger in the row in which it was placed', async () => {
    class EntersBetweenBars extends Strategy {
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
    const { record } = await run({ strategies: [EntersBetweenBars], feeds: { bars: slow }, ...WITHOUT_FEES });
    expect(fillRows(record).map(({ minute }) => minute)).toEqual([15]);
  });
  it('a stop entry that fills cancels the others of its oco group in the next instant', async () => {
    const result = await runOnClimb((strategy, row) => {
      if (row !== 0) return;
      const up = strategy.order('buy', { base: '0.1' }, { stopEntry: 105, tag: 'up' });
      const dip = strategy.order('buy', { base: '0.2' }, { limit: 99, tag: 'dip' });
      strategy.api.oco(up, dip);
    });
    expect(result.orders.map(({ ending }) => ending)).toEqual(['filled', 'canceled']);
    const dipFirst = await runOnClimb((strategy, row) => {
      if (row !== 0) return;
      const up = strategy.order('buy', { base: '0.1' }, { stopEntry: 105, tag: 'up' });
      const dip = strategy.order('buy', { base: '0.2' }, { limit: 99.95, tag: 'dip' });
      strategy.api.oco(up, dip);
    });
    expect(dipFirst.orders.map(({ ending }) => ending)).toEqual(['canceled', 'filled']);
  });
  it('risk checks a stop entry when it is sent', async () => {
    const result = await runOnClimb((strategy, row) => {
      if (row === 0) strategy.order('buy', { base: '2000' }, { stopEntry: 105 });
    });
    expect(result.orders).toMatchObject([{ ending: 'denied', role: 'condition' }]);
    expect(result.orders[0]!.code).not.toBe('');
  });
});

describe('invalid stop entries', () => {
  /** Returns the deny code of an order at a price of 100; an empty text if it is not denied. */
  const codeOf = async (options: OrderOptions, side: Side = 'buy') =>
    (
      await ordersOf(
        (strategy, row) => row === 0 && strategy.order(side, { base: '0.1' }, options),
        { cash: { USDT: '1000', BTC: '1' } },
        quietBars(3),
      )
    ).orders[0]!.code;
  it('a stop entry at the market or on its wrong side is denied', async () => {
    for (const stopEntry of [99, 100, '99.99']) expect(await codeOf({ stopEntry })).toBe('ENTRY_SIDE');
    for (const stopEntry of [101, 100, '100.01']) expect(await codeOf({ stopEntry }, 'sell')).toBe('ENTRY_SIDE');
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
      (strategy, row) => row === 0 && strategy.api.amend(strategy.order('buy', { base: '0.1' }, { stopEntry: 105 }), { stop: 99 }),
      WITHOUT_FEES,
      quietBars(3),
    );
    await expect(amended).rejects.toThrow(/stop entry|trigger order/);
  });
});

describe('a stop entry of a contract', () => {
  const contract = linearContract(NO_CONTRACT_FEES);
  const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
  /** Places one order on a contract at the close of the first row. PriceRow are ten times those of spot. */
  async function runOnContract(side: Side, options: OrderOptions, rows: PriceRow[]) {
    const prices = rows.map((row) => row.map((price) => price! * 10) as unknown as PriceRow);
    const placeOnce = strategyOf((strategy, row) => row === 0 && strategy.order(side, { base: '10' }, options));
    const plan = planFor({ strategies: [placeOnce], feeds: { bars: barsOfRows(prices, contract) }, cash: { USDT: '100000' }, futures });
    const prepared = await prepareBacktest(plan, {});
    prepared.loop(prepared.engine);
    const record = runRecordOf(plan, prepared, false);
    return { fills: fillRows(record), orders: orderRows(record) };
  }
  it('a stop entry of a contract waits at the exchange, opens either side, and may be a stop-limit', async () => {
    expect((await runOnContract('buy', { stopEntry: 10_500 }, CLIMB)).fills).toMatchObject([
      { side: 'buy', price: 105_000, isMaker: false },
    ]);
    const fall = CLIMB.map(([open, high, low, close]): PriceRow => [20_000 - open, 20_000 - low, 20_000 - high, 20_000 - close]);
    expect((await runOnContract('sell', { stopEntry: 9500 }, fall)).fills).toMatchObject([{ side: 'sell', price: 95_000, isMaker: false }]);
    const gapRows: PriceRow[] = [QUIET_ROW, QUIET_ROW, [10_700, 10_750, 10_650, 10_700], [10_700, 10_710, 10_500, 10_600], QUIET_ROW];
    expect((await runOnContract('buy', { stopEntry: 10_500, limit: 10_600 }, gapRows)).fills).toMatchObject([
      { side: 'buy', price: 106_000, isMaker: true },
    ]);
    expect((await runOnContract('buy', { stopEntry: 10_500, limit: 10_600 }, CLIMB)).fills).toMatchObject([
      { side: 'buy', price: 105_000, isMaker: false },
    ]);
  });
  it('a stop entry of a contract on the wrong side of the market is denied', async () => {
    expect((await runOnContract('buy', { stopEntry: 10_000 }, CLIMB)).orders).toMatchObject([{ code: 'ENTRY_SIDE' }]);
    expect((await runOnContract('sell', { stopEntry: 10_000 }, CLIMB)).orders).toMatchObject([{ code: 'ENTRY_SIDE' }]);
    expect((await runOnContract('sell', { stopEntry: 10_500 }, CLIMB)).orders).toMatchObject([{ code: 'ENTRY_SIDE' }]);
  });
});

describe('a stop entry over finer prices', () => {
  /** Sends a stop entry 0.2 % above the close, every second time with a limit, and exits at every ninth bar. */
  class EntersAbovePrice extends Strategy {
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
    const fillsIn = async (blockRows: number, fineFeed: 'named' | 'executionOnly') => {
      const plan = planFor({ strategies: [EntersAbovePrice], feeds: { bars: coarser(fine, '15m'), fine }, blockRows });
      const feeds = plan.feeds.map((feed) => ({ ...feed, isExecutionOnly: fineFeed === 'executionOnly' && feed.name === 'fine' }));
      const prepared = await prepareBacktest({ ...plan, feeds }, {});
      prepared.loop(prepared.engine);
      prepared.checkBooks();
      return fillRows(runRecordOf(plan, prepared, false));
    };
    const fillsOfNamedFeed = await fillsIn(512, 'named');
    expect(fillsOfNamedFeed.filter(({ side }) => side === 'buy').length).toBeGreaterThan(20);
    for (const blockRows of [1, 7, 512]) expect(await fillsIn(blockRows, 'executionOnly')).toEqual(fillsOfNamedFeed);
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
      (await ordersOf(buyAtFirstBar({ base: '0.1' }, options), WITHOUT_FEES, taped)).fills.map(({ price, isMaker }) => ({
        price,
        isMaker,
      }));
    expect(await fillsOn({ stopEntry: 105 })).toEqual([{ price: 10_560, isMaker: false }]);
    // Beyond the limit the order rests, and the next trade fills it.
    expect(await fillsOn({ stopEntry: 105, limit: 105.5 })).toEqual([{ price: 10_550, isMaker: true }]);
    expect(await fillsOn({ stopEntry: 105.61 })).toEqual([{ price: 10_600, isMaker: false }]);
  });
});
