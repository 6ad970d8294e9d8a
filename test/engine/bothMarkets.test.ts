// Tests backtests over both markets, spot and futures: each market acts as it does alone, and each account backs its own orders.

import { describe, expect, it } from 'vitest';
import type { ContractData } from '../../src/model/bars/contractData.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { prepareBacktest, runRecordOf, type PreparedRun } from '../../src/tasks/backtest/run/runBacktest.ts';
import { assert } from '../../src/base/assert.ts';
import { Strategy } from '../../src/index.ts';
import type { InstrumentId } from '../../src/model/instrument.ts';
import { PAYMENTS, ROLES, type FillColumns, type RunRecord } from '../../src/model/run/run.ts';
import { PairedLedger } from '../../src/portfolio/pairedLedger.ts';
import { costBridge } from '../../src/report/metrics/costBridge.ts';
import { exposureFigures } from '../../src/report/metrics/exposure.ts';
import { tradesOf } from '../../src/report/trades/trades.ts';
import { FUTURES_RULES, PAIRED_RULES, RULES } from '../../src/risk/rules.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import type { GivenStrategy } from '../fixtures/runPlan.ts';
import { barsOfRows, orderRows, planFor, spotInstrument, walkBars, type PlanOptions } from './backtestFixture.ts';
import { fundingOf } from './futuresRuns.ts';

/** No time without data. */
const NO_GAPS = { fromMs: new Float64Array(0), toMs: new Float64Array(0) };
const contract = linearContract();
/** The spot pair of the contract's coin. Both count prices and money in the same steps. */
const pair = spotInstrument('BTC', { priceDigits: contract.priceDigits, quoteDigits: contract.quoteDigits });
/** The random walk of each feed: prices in ticks. */
const WALK = { rows: 600, step: 4000, start: 400_000 };
const spotBars = (seed: number) => walkBars({ ...WALK, instrument: pair, seed });
const contractBars = (seed: number) => walkBars({ ...WALK, instrument: contract, seed });

/** Half of the cash for each account. */
const HALVES = { spot: { USDT: '5000' }, futures: { USDT: '5000' } };

/** Returns a plan in which the contract pays funding. */
function planWithFunding(
  strategies: readonly GivenStrategy[],
  feeds: PlanOptions['feeds'],
  options: Partial<PlanOptions> = {},
  leverage = 10,
): RunPlan {
  const dataById = new Map<InstrumentId, ContractData>([[contract.id, { marks: null, funding: fundingOf(5) }]]);
  const futures = { leverage, isCross: true, isNet: true, liquidationFeePpm: 2000, data: dataById };
  return planFor({ strategies, feeds, cash: { USDT: '5000' }, size: { equity: '0.5' }, futures, ...options });
}
/** Returns a plan over one pair and its perpetual. */
const planOfBoth = (strategies: readonly GivenStrategy[], options: Partial<PlanOptions> = {}, seed = 1, leverage = 10) =>
  planWithFunding(
    strategies,
    { spot: spotBars(seed), perp: contractBars(seed + 50) },
    { cash: { USDT: '10000' }, funds: HALVES, ...options },
    leverage,
  );

let preparedRun: PreparedRun | null = null;
/** Runs a plan, and checks the books at its end. */
async function recordFrom(runPlan: RunPlan): Promise<RunRecord> {
  preparedRun = await prepareBacktest(runPlan, {});
  preparedRun.loop(preparedRun.engine);
  preparedRun.engine.ledger.assertReconciled();
  return runRecordOf(runPlan, preparedRun, false);
}

/** Places random market, limit and bracket orders of either side on one feed. Sizes are quantities, so that the equity has no influence. */
abstract class RandomTrader extends Strategy {
  abstract tradedFeed: ReturnType<RandomTrader['feed']>;
  abstract sizeUnit: number;
  override onBar() {
    preparedRun!.checkBooks();
    if (!this.tradedFeed.fresh || this.random() > 0.4) return;
    const feed = this.tradedFeed;
    const price = feed.bar.close;
    const tag = String(Math.floor(this.random() * 3));
    const size = { base: Math.ceil(this.random() * 40) * this.sizeUnit };
    const limitDistance = this.random() / 80;
    const isBuy = this.random() < 0.55;
    // Three in ten actions are a limit order, three an order with a stop, three a market order, and one is an exit.
    const actionDraw = this.random();
    let options = {};
    if (actionDraw < 0.3) options = { limit: price * (isBuy ? 1 - limitDistance : 1 + limitDistance) };
    else if (actionDraw < 0.6) options = { stopLoss: price * (isBuy ? 0.98 : 1.02) };
    if (actionDraw > 0.9) this.exit(feed);
    else if (isBuy) this.buy(size, { feed, tag, ...options });
    else this.sell(size, { feed, tag, ...options });
  }
}
class SpotTrader extends RandomTrader {
  tradedFeed = this.feed('spot');
  sizeUnit = 0.001;
}
class FuturesTrader extends RandomTrader {
  tradedFeed = this.feed('perp');
  sizeUnit = 20;
}
class IdleSpot extends Strategy {
  tradedFeed = this.feed('spot');
  override onBar() {}
}
class IdleFutures extends Strategy {
  tradedFeed = this.feed('perp');
  override onBar() {}
}

/** Returns the fills of one instrument and strategy as plain columns. */
const fillsOf = ({ fills, instruments }: RunRecord, id: InstrumentId, strategy: number) => {
  const keys = [
    'isMaker',
    'side',
    'price',
    'lots',
    'notional',
    'fee',
    'feeInBase',
    'timeMs',
  ] as const satisfies readonly (keyof FillColumns)[];
  return Array.from({ length: fills.length }, (_, row) => row)
    .filter((row) => instruments[fills.instrument[row]!]!.id === id && fills.strategy[row] === strategy)
    .map((row) => keys.map((key) => fills[key][row]));
};

describe('a run over both markets', () => {
  it.each([1, 2, 3])('a run over both markets does in each what a run over that market alone does (seed %i)', async (seed) => {
    const options = { seed, fees: { in: 'received' as const }, fills: { slippagePpm: 200 } };
    const bothRecord = await recordFrom(planOfBoth([SpotTrader, FuturesTrader], options, seed));
    const singleMarket = { ...options, cash: { USDT: '5000' } };
    const spotRecord = await recordFrom(planWithFunding([SpotTrader, IdleSpot], { spot: spotBars(seed) }, singleMarket));
    const futuresRecord = await recordFrom(planWithFunding([IdleFutures, FuturesTrader], { perp: contractBars(seed + 50) }, singleMarket));
    expect(bothRecord.fills.length).toBe(spotRecord.fills.length + futuresRecord.fills.length);
    expect(spotRecord.fills.length).toBeGreaterThan(50);
    expect(futuresRecord.fills.length).toBeGreaterThan(50);
    expect(fillsOf(bothRecord, pair.id, 0)).toEqual(fillsOf(spotRecord, pair.id, 0));
    expect(fillsOf(bothRecord, contract.id, 1)).toEqual(fillsOf(futuresRecord, contract.id, 1));
    expect(bothRecord.payments!.units).toEqual(futuresRecord.payments!.units);
    expect(bothRecord.equity.timeMs).toEqual(spotRecord.equity.timeMs);
    expect(bothRecord.startUnits).toBe(spotRecord.startUnits + futuresRecord.startUnits);
    expect([...bothRecord.equity.units]).toEqual(
      [...spotRecord.equity.units].map((units, index) => units + futuresRecord.equity.units[index]!),
    );
  });

  it.each([4, 9])(
    'a run over both markets agrees with both venues at every bar, and its figures add up to the last unit (seed %i)',
    async (seed) => {
      /** Trades both markets, with sizes that lead to liquidations of the contract. */
      class BothTrader extends SpotTrader {
        perp = this.feed('perp');
        override onBar() {
          super.onBar();
          const size = { equity: this.random() * 22 };
          const options = { feed: this.perp, tag: 'perp' };
          const actionDraw = this.random();
          if (actionDraw < 0.1) this.buy(size, options);
          else if (actionDraw < 0.2) this.sell(size, options);
        }
      }
      const record = await recordFrom(planOfBoth([BothTrader], { seed, fees: { in: 'quote' } }, seed, 45));
      const netUnits = record.equity.units.at(-1)! - record.startUnits;
      const { netPnl, ...parts } = costBridge(record, netUnits);
      const unitsPerCoin = 10 ** record.reportingDigits;
      const partUnits = Object.values(parts).map((part) => BigInt(Math.round(Number(part) * unitsPerCoin)));
      expect(partUnits.reduce((sum, units) => sum + units, 0n)).toBe(BigInt(netUnits));
      expect(Number(netPnl)).toBeCloseTo(netUnits / unitsPerCoin, 6);
      const { closed, openUnits } = tradesOf(record);
      expect(closed.pnlUnits.reduce((sum, units) => sum + units, 0) + openUnits).toBe(netUnits);
      const { payments } = record;
      const fundingUnits = payments!.units
        .filter((_, index) => PAYMENTS[payments!.kind[index]!] === 'funding')
        .reduce((sum, units) => sum + units, 0);
      expect(Number(parts.funding)).toBeCloseTo(fundingUnits / unitsPerCoin, 6);
      expect(fundingUnits).not.toBe(0);
      expect([...record.orders.role].some((role) => ROLES[role] === 'liquidation')).toBe(true);
      expect(record.markSources).toEqual(['last price', 'close']);
    },
  );

  it('a run over both markets does not pay in one account with the money of the other', async () => {
    /** Buys coins and sells contracts, each once. */
    class OrdersOnce extends Strategy {
      spot = this.feed('spot');
      perp = this.feed('perp');
      isDone = false;
      override onBar() {
        if (this.isDone) return;
        this.isDone = true;
        this.buy({ quote: 600 }, { feed: this.spot });
        this.sell({ quote: 60_000 }, { feed: this.perp });
      }
    }
    const codesWith = async (funds: NonNullable<RunPlan['funds']>) =>
      orderRows(await recordFrom(planOfBoth([OrdersOnce], { funds, seed: 1 })))
        .map(({ code }) => code)
        .slice(0, 2);
    expect(await codesWith({ spot: { USDT: '500' }, futures: { USDT: '20000' } })).toEqual(['MARGIN', '']);
    expect(await codesWith({ spot: { USDT: '20000' }, futures: { USDT: '500' } })).toEqual(['', 'MARGIN']);
    expect(await codesWith({ spot: { USDT: '700' }, futures: { USDT: '7000' } })).toEqual(['', '']);
    // The account can pay the margin of 6,000 and the fees once. Cash that one order has reserved is not available to another one.
    class OrdersTwice extends OrdersOnce {
      override onBar() {
        if (this.isDone) return;
        this.isDone = true;
        for (const tag of ['a', 'b']) this.sell({ quote: 40_000 }, { feed: this.perp, tag });
        for (const tag of ['a', 'b']) this.buy({ quote: 400 }, { feed: this.spot, tag });
      }
    }
    const twice = orderRows(await recordFrom(planOfBoth([OrdersTwice], { funds: { spot: { USDT: '700' }, futures: { USDT: '7000' } } })));
    expect(twice.map(({ code }) => code).slice(0, 4)).toEqual(['', 'MARGIN', '', 'MARGIN']);
  });

  it('leverage and notional of a run over both markets count both sides of a hedge', async () => {
    /** Buys coins, hedges them with more contracts, and then sells the coins. */
    class HedgesCoins extends Strategy {
      spot = this.feed('spot');
      perp = this.feed('perp');
      step = 0;
      override onBar() {
        if (this.step++ === 0) this.buy({ quote: 4500 }, { feed: this.spot });
        if (this.step === 4) this.sell({ quote: 7000 }, { feed: this.perp });
        if (this.step === 8) this.exit(this.spot);
      }
    }
    const codesWith = async (risk: RunPlan['risk']) =>
      orderRows(await recordFrom(planOfBoth([HedgesCoins], { risk }))).map(({ code }) => code);
    expect(await codesWith({ maxLeverage: '1.3' })).toEqual(['', '', '']);
    expect(await codesWith({ maxLeverage: '1' })).toEqual(['', 'LEVERAGE', '']);
    expect(await codesWith({ maxGrossNotional: '11000' })).toEqual(['', 'PORTFOLIO', '']);
    // Net of each other they are 2500; without the coins the contracts are 7000 short.
    expect(await codesWith({ maxNetNotional: '5000' })).toEqual(['', '', '']);
    expect(await codesWith({ maxNetNotional: '4000' })).toEqual(['PORTFOLIO', 'PORTFOLIO']);
    expect(await codesWith({ maxPositionNotional: '6000' })).toEqual(['', 'POSITION_NOTIONAL', '']);
    // 7,000 of the equity of both accounts, which is 10,000. Limits do not apply to an order that only sells a holding.
    expect(await codesWith({ maxConcentration: '0.8' })).toEqual(['', '', '']);
    expect(await codesWith({ maxConcentration: '0.6' })).toEqual(['', 'CONCENTRATION', '']);
    expect(await codesWith({ maxPositionNotional: '4000' })).toEqual(['POSITION_NOTIONAL', 'POSITION_NOTIONAL']);
    // A reduce-only spot buy is refused; a reduce-only buy of contracts is not.
    class Reduces extends HedgesCoins {
      override onBar() {
        if (this.step++ === 0) this.buy({ quote: 100 }, { feed: this.spot, reduceOnly: true });
        if (this.step === 3) this.sell({ quote: 1000 }, { feed: this.perp });
        if (this.step === 6) this.buy({ base: 1 }, { feed: this.perp, reduceOnly: true });
      }
    }
    expect(orderRows(await recordFrom(planOfBoth([Reduces]))).map(({ code }) => code)).toEqual(['REDUCE_ONLY', '', '']);
  });

  it('a run over both markets checks each order by the rules of its own market', async () => {
    /** Places one order in each market. */
    class OrdersInBoth extends Strategy {
      spot = this.feed('spot');
      perp = this.feed('perp');
      isDone = false;
      override onBar() {
        if (this.isDone) return;
        this.isDone = true;
        this.buy({ quote: 1500 }, { feed: this.spot });
        this.sell({ quote: 3000 }, { feed: this.perp });
      }
    }
    const codesWith = async (risk: RunPlan['risk'], strategies: readonly GivenStrategy[] = [OrdersInBoth]) =>
      orderRows(await recordFrom(planOfBoth(strategies, { risk }))).map(({ code }) => code);
    // A limit on quantities counts coins on spot, and contracts on futures: 3,000 USDT at 40,000 are 75 contracts of 0.001.
    expect(await codesWith({ maxPositionQty: '74' })).toEqual(['', 'POSITION_MAX']);
    expect(await codesWith({ maxPositionQty: '0.01' })).toEqual(['POSITION_MAX', 'POSITION_MAX']);
    expect(await codesWith({ maxConcentration: '0.2' })).toEqual(['', 'CONCENTRATION']);
    // The contracts use 300 and fees of the 5,000 of their account. What the spot orders have reserved is in the other account.
    expect(await codesWith({ marginBuffer: '0.93' })).toEqual(['', '']);
    expect(await codesWith({ marginBuffer: '0.97' })).toEqual(['', 'MARGIN_BUFFER']);
    // At the first bar no range is known. A spot position has no liquidation price.
    expect(await codesWith({ minLiquidationAtrs: '1' })).toEqual(['', 'LIQUIDATION_DISTANCE']);
    // Two strategies may hold the same coin, but not the same contract.
    expect(await codesWith({}, [OrdersInBoth, OrdersInBoth])).toEqual(['', '', '', 'CONTRACT_TAKEN']);
    const { maxLeverage } = contract.contract!;
    class SellsTooMuch extends OrdersInBoth {
      override onBar() {
        if (!this.isDone) this.sell({ quote: 300_000 }, { feed: this.perp });
        this.isDone = true;
      }
    }
    const large = await recordFrom(
      planOfBoth([SellsTooMuch], { funds: { spot: { USDT: '1' }, futures: { USDT: '400000' } } }, 1, maxLeverage),
    );
    expect(orderRows(large)[0]!.code).toBe('TIER');
  });

  it('a run over both markets applies every rule that either market has', () => {
    const codes = (rules: readonly { readonly code: string }[]) => rules.map(({ code }) => code);
    expect([...RULES, ...FUTURES_RULES].map(({ code }) => code).filter((code) => !codes(PAIRED_RULES).includes(code))).toEqual([]);
    expect(new Set(codes(PAIRED_RULES)).size).toBe(PAIRED_RULES.length);
  });

  it('a run over both markets counts equity and cash of a strategy over both, position and entry price by market', async () => {
    const rows = Array.from({ length: 6 }, (): [number, number, number, number] => [400_000, 400_000, 400_000, 400_000]);
    const reportedValues: unknown[] = [];
    class ReadsViews extends Strategy {
      spot = this.feed('spot');
      perp = this.feed('perp');
      step = 0;
      override onBar() {
        if (this.step++ === 0) {
          this.buy({ base: 0.01 }, { feed: this.spot });
          this.sell({ base: 10 }, { feed: this.perp });
        }
        if (this.step < 3) return;
        const coinsHeld = this.position(this.spot);
        const short = this.position(this.perp);
        reportedValues.push([
          this.equity,
          this.cash,
          coinsHeld.long.toNumber(),
          coinsHeld.short.toNumber(),
          short.long.toNumber(),
          short.short.toNumber(),
        ]);
        reportedValues.push([coinsHeld.qty.toNumber(), short.qty.toNumber(), short.isShort, short.entryPrice]);
      }
    }
    const feeless = linearContract({ openMakerFeePpm: 0, openTakerFeePpm: 0 });
    const feeds = { spot: barsOfRows(rows, pair), perp: barsOfRows(rows, feeless) };
    const runPlan = planWithFunding([ReadsViews], feeds, { cash: { USDT: '10000' }, funds: HALVES, fees: { makerPpm: 0, takerPpm: 0 } });
    const record = await recordFrom(runPlan);
    const price = 400_000 / 10 ** pair.priceDigits;
    expect(reportedValues.slice(0, 2)).toEqual([
      [10_000, 10_000 - 0.01 * price, 0.01, 0, 0, 10],
      [0.01, -10, true, price],
    ]);
    const { ledger } = preparedRun!.engine;
    assert(ledger instanceof PairedLedger, 'two accounts');
    expect(ledger.ledgerOfMarket('futures').cashTotal + ledger.ledgerOfMarket('spot').cashTotal).toBe(ledger.cashTotal);
    expect(record.reportingAsset).toBe('USDT');
    // Ten contracts of 0.001 coins offset 0.01 coins: a hedge, which counts twice in the gross.
    const { grossExposureMax, netExposureMax } = exposureFigures(record, NO_GAPS, Float64Array.of(record.startUnits));
    expect(grossExposureMax).toBeCloseTo((0.02 * price) / 10_000, 12);
    expect(netExposureMax).toBeCloseTo(0, 12);
  });
});
