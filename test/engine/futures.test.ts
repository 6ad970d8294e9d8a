// Tests random runs of futures: the books of the bot equal those of the venue in every figure at every instant.

import { describe, expect, it } from 'vitest';
import type { ContractData, FundingTime } from '../../src/model/bars/marks.ts';
import type { FuturesPlan, RunPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest, runRecordOf, type PreparedRun } from '../../src/tasks/backtest/run/runBacktest.ts';
import { assert } from '../../src/base/assert.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy } from '../../src/index.ts';
import type { Instrument, InstrumentId } from '../../src/model/instrument.ts';
import { ENDINGS, PAYMENTS, ROLES, SIDES, type RunRecord } from '../../src/model/run/run.ts';
import { FuturesLedger } from '../../src/portfolio/futuresLedger.ts';
import { costBridge } from '../../src/report/metrics/costBridge.ts';
import { closedPnl } from '../../src/report/trades/closedPnl.ts';
import { orderSummary } from '../../src/report/trades/orderStatistics.ts';
import { tradeSummary } from '../../src/report/trades/statistics.ts';
import { tradesOf } from '../../src/report/trades/trades.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, coarser, MINUTE, planFor, START_MS, walkBars, type PlanOptions } from './world.ts';

const WALK = { rows: 600, missing: 0.03, step: 4000, start: 400_000 };

/** Returns nine hourly fundings that come 5 ms late, at rates of either sign. */
function fundingOf(seed: number): FundingTime[] {
  const rng = seededRng(seed);
  return Array.from({ length: 9 }, (_, index) => ({
    timeMs: START_MS + index * 60 * MINUTE + 5,
    rate: Math.round((rng.next() - 0.4) * 4e9),
    markTicks: 400_000 + Math.round(rng.next() * 1000),
  }));
}

/** Returns a plan over random bars of contracts, with funding. */
function futuresPlan(
  instruments: readonly Instrument[],
  options: Omit<PlanOptions, 'feeds'>,
  terms: Partial<FuturesPlan> = {},
  seed = 1,
): RunPlan {
  const bars = instruments.map((instrument, index) => walkBars({ ...WALK, instrument, seed: seed + index }));
  const cash = { [instruments[0]!.quote]: instruments[0]!.quote === 'BTC' ? '0.1' : '5000' };
  const data = new Map<InstrumentId, ContractData>(
    instruments.map(({ id }, index) => [id, { marks: null, funding: fundingOf(seed + index) }]),
  );
  return {
    ...planFor({ feeds: { all: bars }, cash, size: { equity: '0.5' }, ...options }),
    futures: { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 2000, data, ...terms },
  };
}

let preparedRun: PreparedRun | null = null;
/** Runs a plan, and checks the books at its end. */
async function runPlan(plan: RunPlan): Promise<{ record: RunRecord; preparedRun: PreparedRun }> {
  preparedRun = await prepareBacktest(plan, {});
  preparedRun.loop(preparedRun.engine);
  preparedRun.engine.ledger.assertReconciled();
  return { record: runRecordOf(plan, preparedRun, false), preparedRun };
}

/** Places random orders of every kind and direction, and compares the books of bot and venue before each. */
class RandomTrader extends Strategy {
  allFeeds = this.feeds('all');
  /** Largest size, as a multiple of the equity. */
  maxEquityMultiple = 4;
  override onBar() {
    preparedRun!.checkBooks();
    for (const feed of this.allFeeds) {
      if (!feed.fresh || this.random() > 0.3) continue;
      const price = feed.bar.close;
      const tag = String(Math.floor(this.random() * 3));
      const isBuy = this.random() < 0.5;
      const direction = isBuy ? 1 : -1;
      const brackets = {
        stopLoss: price * (1 - (direction * this.random()) / 50),
        takeProfit: price * (1 + (direction * this.random()) / 50),
        trailing: price / 30,
      };
      const size = { equity: this.random() * this.maxEquityMultiple };
      const kind = this.random();
      const order = (options: object) => (isBuy ? this.buy(size, { feed, tag, ...options }) : this.sell(size, { feed, tag, ...options }));
      if (kind < 0.3) order(brackets);
      else if (kind < 0.4) order({});
      else if (kind < 0.55) order({ limit: price * (1 - (direction * this.random()) / 100), ...brackets });
      else if (kind < 0.62)
        order({
          limit: price * (1 + (direction * this.random()) / 100),
          timeInForce: (['IOC', 'FOK', 'POST_ONLY'] as const)[Math.floor(this.random() * 3)]!,
        });
      else if (kind < 0.7) this.target({ equity: (this.random() - 0.5) * this.maxEquityMultiple }, feed);
      else if (kind < 0.8) order({ reduceOnly: true });
      else if (kind < 0.9) for (const { id } of this.openOrders(feed).slice(0, 1)) this.cancel(id);
      else this.exit(feed);
    }
  }
  override onFill() {
    preparedRun!.checkBooks();
  }
  override onOrder() {
    preparedRun!.checkBooks();
  }
}
/** Trades with sizes that lead to liquidations. */
class HighLeverageTrader extends RandomTrader {
  override maxEquityMultiple = 20;
}

/** Opens a position of nearly the whole margin whenever it is flat, until the exchange liquidates it. */
class AlwaysInvested extends Strategy {
  allFeeds = this.feeds('all');
  override onBar() {
    preparedRun!.checkBooks();
    for (const feed of this.allFeeds) {
      if (!feed.fresh || !this.position(feed).isFlat) continue;
      if (this.random() < 0.5) this.buy({ equity: 34 / this.allFeeds.length }, { feed });
      else this.sell({ equity: 34 / this.allFeeds.length }, { feed });
    }
  }
}

/** Expects that trades and cost bridge, each computed in its own way, explain the change of equity to the last unit. */
function checkReport(record: RunRecord): void {
  const net = record.equity.units.at(-1)! - record.startUnits;
  const { closed, openUnits } = tradesOf(record);
  const sum = (column: Float64Array) => column.reduce((total, units) => total + units, 0);
  expect(sum(closed.pnlUnits) + openUnits).toBe(net);
  expect(sum(closedPnl(record))).toBe(sum(closed.pnlUnits));
  const { netPnl, ...parts } = costBridge(record, net);
  const total = Object.values(parts).reduce((units, part) => units + Math.round(Number(part) * 10 ** record.reportingDigits), 0);
  expect(total).toBe(net);
  expect(Number(netPnl)).toBeCloseTo(net / 10 ** record.reportingDigits, 9);
  const payments = (kind: string) => record.payments!.units.filter((_, index) => PAYMENTS[record.payments!.kind[index]!] === kind);
  expect(Number(parts.funding)).toBeCloseTo(sum(payments('funding')) / 10 ** record.reportingDigits, 9);
}

const roles = ({ orders }: RunRecord, role: (typeof ROLES)[number]) => orders.role.filter((code) => ROLES[code] === role).length;

describe.each([
  ['linear', [linearContract(), linearContract({ contractId: 3, multiplier: 7, multiplierDigits: 3 }, { base: 'ETH' })]],
  ['inverse', [inverseContract()]],
])('%s', (_, instruments) => {
  it.each([
    [true, true, 0],
    [true, false, 20_000],
    [false, true, 90_000],
    [false, false, 0],
  ])('the books of bot and venue agree at every instant: cross %s, net %s, latency %i', async (isCross, isNet, latencyMs) => {
    const totals = { fills: 0, liquidations: 0, funding: 0 };
    for (const [seed, strategy, leverage] of [[1, RandomTrader, 10], [2, HighLeverageTrader, 40], [7, AlwaysInvested, 45]] as const) {
      const options = { strategies: [strategy], fills: { latencyMs, slippagePpm: 300, maxVolumeSharePpm: seed === 2 ? 100_000 : 0 }, seed };
      const { record } = await runPlan(futuresPlan(instruments, options, { isCross, isNet, leverage }, seed));
      checkReport(record);
      totals.fills += record.fills.length;
      totals.liquidations += roles(record, 'liquidation');
      totals.funding += record.payments!.kind.filter((kind) => PAYMENTS[kind] === 'funding').length;
      expect(record.orders.ending.filter((code) => ENDINGS[code] === 'refused').length).toBeLessThan(record.orders.length / 5);
    }
    expect(totals.fills).toBeGreaterThan(120);
    expect(totals.liquidations).toBeGreaterThan(0);
    expect(totals.funding).toBeGreaterThan(3);
  }); // prettier-ignore
});

it('a futures run has the same result in blocks of any size', async () => {
  const records = [];
  for (const blockRows of [1, 7, 64, 4096]) {
    const plan = futuresPlan([linearContract()], { strategies: [AlwaysInvested], seed: 7, blockRows }, { leverage: 45 }, 7);
    records.push((await runPlan(plan)).record);
  }
  const [firstRecord, ...otherRecords] = records;
  expect(roles(firstRecord!, 'liquidation')).toBeGreaterThan(0);
  expect(Math.min(...firstRecord!.equity.units)).toBeGreaterThanOrEqual(0);
  for (const otherRecord of otherRecords) {
    expect(otherRecord.fills).toEqual(firstRecord!.fills);
    expect(otherRecord.payments).toEqual(firstRecord!.payments);
    expect(otherRecord.equity.units).toEqual(firstRecord!.equity.units);
  }
});

/** Goes short at the first bar and holds. */
class Short extends Strategy {
  override onBar() {
    if (this.position().isFlat && this.nowMs < START_MS + 10 * MINUTE) this.sell({ equity: 2 });
  }
}

it('the books report the profit of a short when the price falls', async () => {
  const { record, preparedRun: finishedRun } = await runPlan(futuresPlan([linearContract()], { strategies: [Short] }, { leverage: 5 }, 11));
  const { engine } = finishedRun;
  const heldLots = engine.ledger.lots(0, 0);
  expect(heldLots).toBeLessThan(0);
  const [entry] = record.fills.notional;
  const last = engine.execution[0]!.bars.close.at(-1)!;
  // A contract has 0.001 BTC, and a unit is 0.0001 USDT.
  const value = Math.round(-heldLots * 0.001 * last * 10_000);
  const funding = record.payments!.units.reduce((sum, units) => sum + units, 0);
  expect(record.equity.units.at(-1)).toBe(50_000_000 + entry! - value - record.fills.fee[0]! + funding);
});

/** Buys every contract at the first instant at which all have bars. */
class Both extends Strategy {
  allFeeds = this.feeds('all');
  override onBar() {
    if (this.nowMs === START_MS + 5 * MINUTE) for (const feed of this.allFeeds) this.buy({ base: 100 }, { feed });
  }
}

it('a contract without a row is checked for liquidation at its newest mark', async () => {
  const [slow, fast] = [linearContract(), linearContract({ contractId: 2 }, { base: 'ETH' })];
  const flat = (ticks: number) => [ticks, ticks, ticks, ticks] as const;
  const rows = (instrument: Instrument, index: number, after: number) =>
    barsOfRows(
      Array.from({ length: 25 }, (_, minute) => flat(minute < index ? 400_000 : after)),
      instrument,
    );
  // 100 contracts win 400 USDT at minute 15. The other contract loses 1,000 USDT a minute later, which was the whole cash.
  const feeds = { all: [coarser(rows(slow, 10, 440_000), '5m'), rows(fast, 15, 300_000)] };
  const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 2000, data: new Map<InstrumentId, ContractData>() };
  const { record } = await runPlan({ ...planFor({ strategies: [Both], feeds, cash: { USDT: '1000' }, risk: {} }), futures });
  expect([record.fills.length, roles(record, 'liquidation')]).toEqual([2, 0]);
});

/** Opens a long of the largest size, and places an order that reverses it far above the price. */
class Turner extends Strategy {
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
    const data = new Map<InstrumentId, ContractData>([[instrument.id, { marks: null, funding }]]);
    const futures = { leverage: 10, isCross, isNet: true, liquidationFeePpm: 2000, data };
    const risk = { maxPositionQty: '1000' };
    const plan = { ...planFor({ strategies: [Turner], feeds: { bars }, cash: { USDT: isCross ? '9000' : '40000' }, risk }), futures };
    const { record } = await runPlan(plan);
    expect(roles(record, 'liquidation')).toBe(1);
    expect(record.fills.length).toBe(2);
    expect(record.orders.ending.filter((code) => ENDINGS[code] === 'canceled').length).toBe(1);
    expect(orderSummary(record)).toMatchObject({ cancelled: 0, endedByLiquidation: 1 });
    const summary = tradeSummary(record, tradesOf(record), record.equity.units.at(-1)! - record.startUnits);
    const { funding: received } = costBridge(record, record.equity.units.at(-1)! - record.startUnits);
    expect([summary.trades, summary.liquidations, summary.funding, received]).toEqual([1, 1, '40', '-40']);
    expect(summary.breakdowns.side).toMatchObject([{ key: 'long', liquidations: 1, funding: '40' }]);
  },
);

/** In two-way mode, holds a long with a stop while an order that opens a short rests above, and closes the rest of the long by `exit`. */
class BothWays extends Strategy {
  rows = 0;
  override onBar() {
    this.rows++;
    if (this.rows === 1) this.sell({ base: 100 }, { limit: 45_000, tag: 'short' });
    if (this.rows === 1) this.buy({ base: 60 }, { stopLoss: 39_000, tag: 'guarded' });
    if (this.rows === 1) this.buy({ base: 40 }, { tag: 'free' });
    if (this.rows === 4) this.exit();
  }
}

it('two-way: a resting order that opens a short does not prevent a stop or an exit from closing all of a long', async () => {
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
  const data = new Map<InstrumentId, ContractData>([[instrument.id, { marks: null, funding: [] }]]);
  const futures = { leverage: 10, isCross: true, isNet: false, liquidationFeePpm: 2000, data };
  const { record, preparedRun: finishedRun } = await runPlan({
    ...planFor({ strategies: [BothWays], feeds: { bars }, cash: { USDT: '40000' } }),
    futures,
  });
  expect([...record.fills.lots]).toEqual([60, 40, 60, 40]);
  const { ledger } = finishedRun.engine;
  assert(ledger instanceof FuturesLedger, 'the books of a futures account');
  expect([ledger.side(0, true).lots, record.fills.price[2]]).toEqual([0, 390_000]);
});

/** Holds a long of the first contract that a later row liquidates. In that row a resting buy of the last contract and a partial stop fill. */
class Fallen extends Strategy {
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
  ['another contract', true, 2, [100]],
  ['another contract', false, 2, [100]],
  ['part of the position', false, 1, [10, 90]],
])('a fill of %s inside a row (cross: %s) does not delay a liquidation of that row', async (_, isCross, contracts, sold) => {
  const instruments = [linearContract(), linearContract({ contractId: 3 }, { base: 'ETH' })].slice(0, contracts);
  const row = (low: number) => [400_000, 400_000, low, 400_000] as const;
  const lows = [[400_000, 400_000, 350_000, 400_000, 400_000], [400_000, 400_000, 389_000, 400_000, 400_000]]; // prettier-ignore
  const allFeeds = instruments.map((instrument, index) => barsOfRows(lows[index]!.map(row), instrument));
  const data = new Map<InstrumentId, ContractData>(instruments.map(({ id }) => [id, { marks: null, funding: [] }]));
  const futures = { leverage: 10, isCross, isNet: true, liquidationFeePpm: 2000, data };
  const { record } = await runPlan({ ...planFor({ strategies: [Fallen], feeds: { all: allFeeds }, cash: { USDT: '450' } }), futures });
  const { fills } = record;
  const sells = [...fills.side.keys()].filter((index) => SIDES[fills.side[index]!] === 'sell');
  expect(sells.map((index) => fills.lots[index])).toEqual(sold);
  expect(sells.map((index) => fills.timeMs[index])).toEqual(sold.map(() => START_MS + 3 * MINUTE));
});

// In cross mode the account is short by 2 USDT if the new position is valued at the low of the row, but not at its close.
it.each([
  ['isolated', 350_000, [100, 1]],
  ['cross', 357_150, [100]],
] as const)(
  'a position opened inside a row is checked for liquidation in it, with those of other contracts (%s)',
  async (margin, low, sold) => {
    const instruments = [linearContract(), linearContract({ contractId: 3 }, { base: 'ETH' })];
    const lows = [low, 350_000].map((min) => [400_000, 400_000, min, 400_000, 400_000]);
    const allFeeds = instruments.map((instrument, index) =>
      barsOfRows(
        lows[index]!.map((lower) => [400_000, 400_000, lower, 400_000]),
        instrument,
      ),
    );
    const data = new Map<InstrumentId, ContractData>(instruments.map(({ id }) => [id, { marks: null, funding: [] }]));
    const futures = { leverage: 10, isCross: margin === 'cross', isNet: true, liquidationFeePpm: 2000, data };
    const { record } = await runPlan({ ...planFor({ strategies: [Fallen], feeds: { all: allFeeds }, cash: { USDT: '450' } }), futures });
    const { fills } = record;
    const feesOf = (side: 'buy' | 'sell') =>
      [...fills.side.keys()].filter((index) => SIDES[fills.side[index]!] === side).map((index) => fills.lots[index]);
    expect([feesOf('buy'), feesOf('sell')]).toEqual([[100, 1], sold]);
  },
);

/** Orders one more contract at every close. */
class Eager extends Strategy {
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
  const data = new Map<InstrumentId, ContractData>([[instrument.id, { marks: null, funding: [] }]]);
  const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 2000, data };
  const { record } = await runPlan({
    ...planFor({ strategies: [Eager], feeds: { bars }, cash: { USDT: '350' }, risk: { minLiquidationAtrs: '50' } }),
    futures,
  });
  const { orders } = record;
  let heldLots = 0;
  for (let index = 0; index < orders.length; index++) {
    const ranges = Array.from({ length: 14 }, (_, back) => (index - back < 20 ? 40 : 400));
    const move = (50 * ranges.reduce((sum, range) => sum + range, 0)) / 14;
    // A contract of 0.001 BTC costs 0.016 USDT to open. After the move, 0.5 % of its value must be left.
    const contracts = (heldLots + 1) * 0.001;
    const remaining = record.equity.units[index]! / 10_000 - 0.016 - contracts * move - contracts * (40_000 - move) * 0.005;
    const passes = index >= 14 && remaining > 0;
    expect([index, orders.texts[orders.code[index]!] ?? '']).toEqual([index, passes ? '' : 'LIQUIDATION_DISTANCE']);
    if (passes) heldLots++;
  }
  // Orders are approved while the ranges are small, and denied when some are large.
  expect(heldLots).toBeGreaterThan(6);
  expect(heldLots).toBeLessThan(25);
});

/** Buys one long at row 2, and sells it at row 5. */
class InAndOut extends Strategy {
  rows = 0;
  override onBar() {
    this.rows++;
    if (this.rows === 1) this.buy({ base: 100 });
    if (this.rows === 4) this.exit();
  }
}

it('the cost bridge of one trade has the figures of a calculation by hand', async () => {
  const instrument = linearContract();
  const row = (open: number, close: number) => [open, Math.max(open, close), Math.min(open, close), close] as const;
  const bars = barsOfRows(
    [row(400_000, 400_000), row(400_100, 400_500), row(400_500, 401_000), row(401_000, 402_000), row(401_900, 401_900)],
    instrument,
  );
  const data = new Map<InstrumentId, ContractData>([
    [instrument.id, { marks: null, funding: [{ timeMs: START_MS + 2 * MINUTE + 5, rate: 100_000_000, markTicks: 400_500 }] }],
  ]);
  const plan = {
    ...planFor({ strategies: [InAndOut], feeds: { bars }, cash: { USDT: '20000' } }),
    futures: { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 2000, data },
  };
  const { record } = await runPlan(plan);
  // 100 contracts are 0.1 BTC. The entry is at 40,010.0 (decided at 40,000.0), the exit at 40,190.0 (decided at 40,200.0).
  // Fees are 0.04 % of 4,001 and 0.05 % of 4,019, and funding 0.01 % of 4,005.
  expect(costBridge(record, record.equity.units.at(-1)! - record.startUnits)).toEqual({
    grossSignalPnl: '20',
    spreadSlippage: '-2',
    fees: '-3.6099',
    funding: '-0.4005',
    liquidationLoss: '0',
    netPnl: '13.9896',
  });
  const { closed } = tradesOf(record);
  expect(closed.length).toBe(1);
  expect([closed.pnlUnits[0], closed.feeUnits[0], closed.slippageUnits[0], closed.fundingUnits[0]]).toEqual([
    139_896, 36_099, -20_000, -4_005,
  ]);
  expect([closed.entryPrice[0], closed.exitPrice[0]]).toEqual([40_010, 40_190]);
});
