// Tests positions of futures over given rows: when they are liquidated, which orders end with them, and the distance that risk asks for.

import { expect, it } from 'vitest';
import { assert } from '../../src/base/assert.ts';
import { Strategy } from '../../src/index.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { ENDINGS, SIDES, type RunRecord } from '../../src/model/run/run.ts';
import { FuturesLedger } from '../../src/portfolio/futuresLedger.ts';
import { costBridge } from '../../src/report/metrics/costBridge.ts';
import { orderSummary } from '../../src/report/trades/orderStatistics.ts';
import { tradeSummary } from '../../src/report/trades/statistics.ts';
import { tradesOf } from '../../src/report/trades/trades.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { countRole, fundedAt, FUTURES, runPlan } from './futuresRuns.ts';
import { barsOfRows, coarser, MINUTE, planFor, START_MS } from './backtestFixture.ts';

/** Buys 100 of every contract at minute 5, when all have bars. */
class BuysAll extends Strategy {
  allFeeds = this.feeds('all');
  override onBar() {
    if (this.nowMs === START_MS + 5 * MINUTE) for (const feed of this.allFeeds) this.buy({ base: 100 }, { feed });
  }
}

it('a contract without a row is checked for liquidation at its newest mark', async () => {
  const btc = linearContract();
  const eth = linearContract({ contractId: 2 }, { base: 'ETH' });
  /** Bars at 400,000 ticks until `stepMinute`, and at `laterTicks` from then on. */
  const barsWithStep = (instrument: Instrument, stepMinute: number, laterTicks: number) => {
    const prices = Array.from({ length: 25 }, (_, minute) => (minute < stepMinute ? 400_000 : laterTicks));
    return barsOfRows(
      prices.map((ticks) => [ticks, ticks, ticks, ticks] as const),
      instrument,
    );
  };
  // 100 contracts win 400 USDT at minute 15. The other contract loses 1,000 USDT a minute later, which was the whole cash.
  const feeds = { all: [coarser(barsWithStep(btc, 10, 440_000), '5m'), barsWithStep(eth, 15, 300_000)] };
  const { record } = await runPlan({ ...planFor({ strategies: [BuysAll], feeds, cash: { USDT: '1000' }, risk: {} }), futures: FUTURES });
  expect(record.fills.length).toBe(2);
  expect(countRole(record, 'liquidation')).toBe(0);
});

/** Opens a long of the largest size, and places an order that reverses it far above the price. */
class ReversesByLimit extends Strategy {
  rows = 0;
  override onBar() {
    this.rows++;
    if (this.rows === 1) this.buy({ base: 1000 });
    if (this.rows === 2) this.sell({ base: 2000 }, { limit: 44_000 });
  }
}

it.each([true, false])(
  'an order that would reverse a position is cancelled when the position is liquidated (cross %s)',
  async (isCross) => {
    const instrument = linearContract();
    const row = (open: number, close: number) => [open, Math.max(open, close), Math.min(open, close), close] as const;
    const bars = barsOfRows(
      [
        row(400_000, 400_000),
        row(400_000, 400_000),
        row(400_000, 300_000),
        row(300_000, 310_000),
        row(450_000, 450_000),
        row(450_000, 450_000),
      ],
      instrument,
    );
    // A thousandth of 40,000 USDT, paid before the fall.
    const funding = [{ timeMs: START_MS + 2 * MINUTE, rate: 1e9, markTicks: 400_000 }];
    const futures = { ...FUTURES, isCross, data: fundedAt([instrument], funding) };
    const risk = { maxPositionQty: '1000' };
    const plan = {
      ...planFor({ strategies: [ReversesByLimit], feeds: { bars }, cash: { USDT: isCross ? '9000' : '40000' }, risk }),
      futures,
    };
    const { record } = await runPlan(plan);
    expect(countRole(record, 'liquidation')).toBe(1);
    expect(record.fills.length).toBe(2);
    expect(record.orders.ending.filter((code) => ENDINGS[code] === 'canceled').length).toBe(1);
    expect(orderSummary(record)).toMatchObject({ cancelled: 0, endedByLiquidation: 1 });
    const summary = tradeSummary(record, tradesOf(record), record.equity.units.at(-1)! - record.startUnits);
    const { funding: received } = costBridge(record, record.equity.units.at(-1)! - record.startUnits);
    expect(summary).toMatchObject({ trades: 1, liquidations: 1, funding: '40' });
    expect(received).toBe('-40');
    expect(summary.breakdowns.side).toMatchObject([{ key: 'long', liquidations: 1, funding: '40' }]);
  },
);

/** In two-way mode, holds a long with a stop while an order that opens a short rests above, and closes the rest of the long by `exit`. */
class HedgedLong extends Strategy {
  rows = 0;
  override onBar() {
    this.rows++;
    if (this.rows === 1) this.sell({ base: 100 }, { limit: 45_000, tag: 'short' });
    if (this.rows === 1) this.buy({ base: 60 }, { stopLoss: 39_000, tag: 'guarded' });
    if (this.rows === 1) this.buy({ base: 40 }, { tag: 'free' });
    if (this.rows === 4) this.exit();
  }
}

it('in two-way mode a resting order that opens a short prevents neither a stop nor an exit from closing all of a long', async () => {
  const instrument = linearContract();
  const row = (open: number, low: number, close: number) => [open, open, low, close] as const;
  const bars = barsOfRows(
    [
      row(400_000, 400_000, 400_000),
      row(400_000, 399_000, 400_000),
      row(400_000, 389_000, 390_000),
      row(390_000, 390_000, 390_000),
      row(390_000, 390_000, 390_000),
      row(390_000, 390_000, 390_000),
    ],
    instrument,
  );
  const futures = { ...FUTURES, isNet: false };
  const { record, finishedRun } = await runPlan({
    ...planFor({ strategies: [HedgedLong], feeds: { bars }, cash: { USDT: '40000' } }),
    futures,
  });
  expect([...record.fills.lots]).toEqual([60, 40, 60, 40]);
  const { ledger } = finishedRun.engine;
  assert(ledger instanceof FuturesLedger, 'the books of a futures account');
  expect(ledger.side(0, true).lots).toBe(0);
  expect(record.fills.price[2]).toBe(390_000);
});

/** Returns the positions of the fills of one side among all fills. */
const fillIndexes = ({ fills }: RunRecord, side: 'buy' | 'sell') =>
  [...fills.side.keys()].filter((index) => SIDES[fills.side[index]!] === side);

/** Holds a long of the first contract that a later row liquidates. In that row a resting buy of the last contract and a partial stop fill. */
class LiquidatedLong extends Strategy {
  allFeeds = this.feeds('all');
  rows = 0;
  override onBar() {
    const [firstFeed] = this.allFeeds;
    if (++this.rows === 1) this.buy({ base: 100 }, { feed: firstFeed! });
    if (this.rows !== 2) return;
    if (this.allFeeds.length > 1) this.buy({ base: 1 }, { feed: this.allFeeds[1]!, limit: 39_000 });
    else this.sell({ base: 10 }, { feed: firstFeed!, trigger: 38_000 });
  }
}

it.each([
  { fill: 'another contract', isCross: true, contracts: 2, soldLots: [100] },
  { fill: 'another contract', isCross: false, contracts: 2, soldLots: [100] },
  { fill: 'part of the position', isCross: false, contracts: 1, soldLots: [10, 90] },
])('a fill of $fill inside a row (cross: $isCross) does not delay a liquidation of that row', async ({ isCross, contracts, soldLots }) => {
  const instruments = [linearContract(), linearContract({ contractId: 3 }, { base: 'ETH' })].slice(0, contracts);
  const row = (low: number) => [400_000, 400_000, low, 400_000] as const;
  const lows = [[400_000, 400_000, 350_000, 400_000, 400_000], [400_000, 400_000, 389_000, 400_000, 400_000]]; // prettier-ignore
  const allFeeds = instruments.map((instrument, index) => barsOfRows(lows[index]!.map(row), instrument));
  const futures = { ...FUTURES, isCross };
  const { record } = await runPlan({
    ...planFor({ strategies: [LiquidatedLong], feeds: { all: allFeeds }, cash: { USDT: '450' } }),
    futures,
  });
  const { fills } = record;
  const sells = fillIndexes(record, 'sell');
  expect(sells.map((index) => fills.lots[index])).toEqual(soldLots);
  expect(sells.map((index) => fills.timeMs[index])).toEqual(soldLots.map(() => START_MS + 3 * MINUTE));
});

// In cross mode the account is short by 2 USDT if the new position is valued at the low of the row, but not at its close.
it.each([
  ['isolated', 350_000, [100, 1]],
  ['cross', 357_150, [100]],
] as const)(
  'a position opened inside a row is checked for liquidation in it, with those of other contracts (%s)',
  async (margin, low, soldLots) => {
    const instruments = [linearContract(), linearContract({ contractId: 3 }, { base: 'ETH' })];
    const lows = [low, 350_000].map((min) => [400_000, 400_000, min, 400_000, 400_000]);
    const allFeeds = instruments.map((instrument, index) =>
      barsOfRows(
        lows[index]!.map((lower) => [400_000, 400_000, lower, 400_000]),
        instrument,
      ),
    );
    const futures = { ...FUTURES, isCross: margin === 'cross' };
    const { record } = await runPlan({
      ...planFor({ strategies: [LiquidatedLong], feeds: { all: allFeeds }, cash: { USDT: '450' } }),
      futures,
    });
    const lotsOf = (side: 'buy' | 'sell') => fillIndexes(record, side).map((index) => record.fills.lots[index]);
    expect(lotsOf('buy')).toEqual([100, 1]);
    expect(lotsOf('sell')).toEqual(soldLots);
  },
);

/** Orders one more contract at every close. */
class BuysAtEachClose extends Strategy {
  override onBar() {
    this.buy({ base: 1 }, { tag: String(this.nowMs) });
  }
}

it('the distance to liquidation is measured by the mean true range of 14 bars that the strategy sees', async () => {
  // Ranges of 40 USDT, and of 400 from bar 21 on.
  const row = (index: number): [number, number, number, number] =>
    index < 20 ? [400_000, 400_200, 399_800, 400_000] : [401_000, 403_000, 399_000, 400_000];
  const instrument = linearContract();
  const bars = barsOfRows(Array.from({ length: 45 }, (_, index) => row(index)), instrument); // prettier-ignore
  const { record } = await runPlan({
    ...planFor({ strategies: [BuysAtEachClose], feeds: { bars }, cash: { USDT: '350' }, risk: { minLiquidationAtrs: '50' } }),
    futures: FUTURES,
  });
  const { orders } = record;
  let heldLots = 0;
  for (let index = 0; index < orders.length; index++) {
    const ranges = Array.from({ length: 14 }, (_, back) => (index - back < 20 ? 40 : 400));
    const move = (50 * ranges.reduce((sum, range) => sum + range, 0)) / 14;
    // A contract of 0.001 BTC costs 0.016 USDT to open. After the move, 0.5 % of its value must be left.
    const coins = (heldLots + 1) * 0.001;
    const remaining = record.equity.units[index]! / 10_000 - 0.016 - coins * move - coins * (40_000 - move) * 0.005;
    const passes = index >= 14 && remaining > 0;
    expect([index, orders.texts[orders.code[index]!] ?? '']).toEqual([index, passes ? '' : 'LIQUIDATION_DISTANCE']);
    if (passes) heldLots++;
  }
  // Orders are approved while the ranges are small, and denied when some are large.
  expect(heldLots).toBeGreaterThan(6);
  expect(heldLots).toBeLessThan(25);
});

it('of several feeds beside execution-only bars, the finest one measures the distance to liquidation, in any order of the feeds', async () => {
  const instrument = linearContract();
  // The range is 40 USDT in each minute, and also in each coarser bar.
  const minutes = barsOfRows(Array.from({ length: 90 }, () => [400_000, 400_200, 399_800, 400_000] as const), instrument); // prettier-ignore
  /** Returns the number of orders that the rule denies. */
  const deniedWith = async (feeds: Readonly<Record<string, BarColumns>>): Promise<number> => {
    const plan = planFor({ strategies: [BuysAtEachClose], feeds, cash: { USDT: '100000' }, risk: { minLiquidationAtrs: '1' } });
    const withFiner = plan.feeds.map((feed) => (feed.name === 'finer' ? { ...feed, isExecutionOnly: true } : feed));
    const { orders } = (await runPlan({ ...plan, feeds: withFiner, futures: FUTURES })).record;
    return Array.from({ length: orders.length }, (_, row) => orders.texts[orders.code[row]!] ?? '').filter(
      (code) => code === 'LIQUIDATION_DISTANCE',
    ).length;
  };
  const [bars, slow] = [coarser(minutes, '5m'), coarser(minutes, '15m')];
  // 14 true ranges need 15 bars of five minutes.
  expect(await deniedWith({ bars, slow, finer: minutes })).toBe(14);
  expect(await deniedWith({ slow, bars, finer: minutes })).toBe(14);
});
