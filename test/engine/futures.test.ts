// Tests random runs of futures: the books of the bot equal those of the venue in every figure at every instant, and so do the reports.

import { describe, expect, it } from 'vitest';
import { Strategy } from '../../src/index.ts';
import { ENDINGS, PAYMENTS, type RunRecord } from '../../src/model/run/run.ts';
import { costBridge } from '../../src/report/metrics/costBridge.ts';
import { closedPnl } from '../../src/report/trades/closedPnl.ts';
import { tradesOf } from '../../src/report/trades/trades.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { checkCurrentBooks, countRole, fundedAt, FUTURES, randomFuturesPlan, runPlan } from './futuresRuns.ts';
import { barsOfRows, MINUTE, planFor, START_MS } from './backtestFixture.ts';

/** Places random orders of every kind and direction, and compares the books of bot and venue before each. */
class RandomTrader extends Strategy {
  allFeeds = this.feeds('all');
  /** Largest size, as a multiple of the equity. */
  maxEquityMultiple = 4;
  override onBar() {
    checkCurrentBooks();
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
      const actionDraw = this.random();
      const order = (options: object) => (isBuy ? this.buy(size, { feed, tag, ...options }) : this.sell(size, { feed, tag, ...options }));
      if (actionDraw < 0.3) order(brackets);
      else if (actionDraw < 0.4) order({});
      else if (actionDraw < 0.55) order({ limit: price * (1 - (direction * this.random()) / 100), ...brackets });
      else if (actionDraw < 0.62)
        order({
          limit: price * (1 + (direction * this.random()) / 100),
          timeInForce: (['IOC', 'FOK', 'POST_ONLY'] as const)[Math.floor(this.random() * 3)]!,
        });
      else if (actionDraw < 0.7) this.target({ equity: (this.random() - 0.5) * this.maxEquityMultiple }, feed);
      else if (actionDraw < 0.8) order({ reduceOnly: true });
      else if (actionDraw < 0.9) for (const { id } of this.openOrders(feed).slice(0, 1)) this.cancel(id);
      else this.exit(feed);
    }
  }
  override onFill() {
    checkCurrentBooks();
  }
  override onOrder() {
    checkCurrentBooks();
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
    checkCurrentBooks();
    for (const feed of this.allFeeds) {
      if (!feed.fresh || !this.position(feed).isFlat) continue;
      if (this.random() < 0.5) this.buy({ equity: 34 / this.allFeeds.length }, { feed });
      else this.sell({ equity: 34 / this.allFeeds.length }, { feed });
    }
  }
}

/** Expects that trades and cost bridge, each computed in its own way, explain the change of equity to the last unit. */
function checkReport(record: RunRecord): void {
  const netUnits = record.equity.units.at(-1)! - record.startUnits;
  const { closed, openUnits } = tradesOf(record);
  const sum = (column: Float64Array) => column.reduce((total, units) => total + units, 0);
  expect(sum(closed.pnlUnits) + openUnits).toBe(netUnits);
  expect(sum(closedPnl(record))).toBe(sum(closed.pnlUnits));
  const { netPnl, ...bridge } = costBridge(record, netUnits);
  const total = Object.values(bridge).reduce((units, part) => units + Math.round(Number(part) * 10 ** record.reportingDigits), 0);
  expect(total).toBe(netUnits);
  expect(Number(netPnl)).toBeCloseTo(netUnits / 10 ** record.reportingDigits, 9);
  const payments = (kind: string) => record.payments!.units.filter((_, index) => PAYMENTS[record.payments!.kind[index]!] === kind);
  expect(Number(bridge.funding)).toBeCloseTo(sum(payments('funding')) / 10 ** record.reportingDigits, 9);
}

const TRADERS = [
  { strategy: RandomTrader, seed: 1, leverage: 10 },
  { strategy: HighLeverageTrader, seed: 2, leverage: 40 },
  { strategy: AlwaysInvested, seed: 7, leverage: 45 },
];

describe.each([
  ['linear', [linearContract(), linearContract({ contractId: 3, multiplier: 7, multiplierDigits: 3 }, { base: 'ETH' })]],
  ['inverse', [inverseContract()]],
])('random runs of %s contracts', (_, instruments) => {
  it.each([
    [true, true, 0],
    [true, false, 20_000],
    [false, true, 90_000],
    [false, false, 0],
  ])('the books of bot and venue agree at every instant (cross: %s, net: %s, latency %i ms)', async (isCross, isNet, latencyMs) => {
    const totals = { fills: 0, liquidations: 0, funding: 0 };
    for (const { seed, strategy, leverage } of TRADERS) {
      const options = { strategies: [strategy], fills: { latencyMs, slippagePpm: 300, maxVolumeSharePpm: seed === 2 ? 100_000 : 0 }, seed };
      const { record } = await runPlan(randomFuturesPlan(instruments, options, { isCross, isNet, leverage }, seed));
      checkReport(record);
      totals.fills += record.fills.length;
      totals.liquidations += countRole(record, 'liquidation');
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
    const plan = randomFuturesPlan([linearContract()], { strategies: [AlwaysInvested], seed: 7, blockRows }, { leverage: 45 }, 7);
    records.push((await runPlan(plan)).record);
  }
  const [firstRecord, ...otherRecords] = records;
  expect(countRole(firstRecord!, 'liquidation')).toBeGreaterThan(0);
  expect(Math.min(...firstRecord!.equity.units)).toBeGreaterThanOrEqual(0);
  for (const otherRecord of otherRecords) {
    expect(otherRecord.fills).toEqual(firstRecord!.fills);
    expect(otherRecord.payments).toEqual(firstRecord!.payments);
    expect(otherRecord.equity.units).toEqual(firstRecord!.equity.units);
  }
});

/** Goes short at the first bar and holds. */
class HoldsShort extends Strategy {
  override onBar() {
    if (this.position().isFlat && this.nowMs < START_MS + 10 * MINUTE) this.sell({ equity: 2 });
  }
}

it('the books report the profit of a short when the price falls', async () => {
  const { record, finishedRun } = await runPlan(randomFuturesPlan([linearContract()], { strategies: [HoldsShort] }, { leverage: 5 }, 11));
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

/** Buys one long at row 2, and sells it at row 5. */
class OneRoundTrip extends Strategy {
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
  const funding = [{ timeMs: START_MS + 2 * MINUTE + 5, rate: 100_000_000, markTicks: 400_500 }];
  const plan = {
    ...planFor({ strategies: [OneRoundTrip], feeds: { bars }, cash: { USDT: '20000' } }),
    futures: { ...FUTURES, data: fundedAt([instrument], funding) },
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
  expect(closed.pnlUnits[0]).toBe(139_896);
  expect(closed.feeUnits[0]).toBe(36_099);
  expect(closed.slippageUnits[0]).toBe(-20_000);
  expect(closed.fundingUnits[0]).toBe(-4_005);
  expect(closed.entryPrice[0]).toBe(40_010);
  expect(closed.exitPrice[0]).toBe(40_190);
});
