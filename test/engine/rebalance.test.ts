// Tests rebalances. An independent computation in decimals predicts each fill and the final cash.

import { describe, expect, test } from 'vitest';
import { Decimal } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy, type RebalanceOptions, type Weights } from '../../src/index.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { prepareBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { instrumentId } from '../../src/model/instrument.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import {
  barsOfRows,
  columnsOf,
  fillRows,
  MINUTE,
  orderRows,
  planFor,
  run,
  spotInstrument,
  START_MS,
  walkBars,
  type PriceRow,
} from './backtestFixture.ts';

const COIN_NAMES = ['AAA', 'BBB', 'CCC', 'DDD'];
const TAKER_FEE = new Decimal('0.002');
const LOT = new Decimal('0.001');
/** The smallest order of the instruments. */
const MIN_LOTS = 2;
const ROW_COUNT = 60;

/** One random comparison. */
interface RandomCase {
  readonly bars: readonly BarColumns[];
  /** The weights of each row at which the strategy rebalances. */
  readonly script: ReadonlyMap<number, Weights>;
  readonly options: { readonly band?: string; readonly minTrade?: string };
}

/** Draws bars, a script of weights and options. */
function randomCase(seed: number): RandomCase {
  const rng = seededRng(seed);
  const pick = (below: number) => Math.floor(rng.next() * below);
  const bars = COIN_NAMES.map((name, index) => {
    const instrument = spotInstrument(name);
    const walk = walkBars({ rows: ROW_COUNT, seed: seed * 10 + index, step: 200, volume: 1e6, start: 5000 + pick(20_000), instrument });
    // No order is larger than the volume of its bar.
    return { ...walk, volume: walk.volume.map(() => 1e9) };
  });
  const script = new Map<number, Weights>();
  for (let row = pick(4); row < ROW_COUNT - 2; row += 3 + pick(6)) script.set(row, randomWeights(pick));
  const band = pick(2) === 0 ? { band: ['0.02', '0.1'][pick(2)]! } : {};
  const minTrade = pick(3) === 0 ? { minTrade: '500' } : {};
  return { bars, script, options: { ...band, ...minTrade } };
}

/** Draws weights whose sum is at most 1. */
function randomWeights(pick: (below: number) => number): Weights {
  // A third of the symbols have no share.
  const shares = COIN_NAMES.map(() => (pick(3) === 0 ? 0 : pick(400)));
  const sum = Math.max(
    1,
    shares.reduce((total, share) => total + share, 0),
  );
  // The weights add up to at most 1, 0.99 or 0.5.
  const totalMilli = [1000, 990, 500][pick(3)]!;
  const weights: Record<string, string> = {};
  COIN_NAMES.forEach((name, index) => {
    // Half of the symbols without a share are not named, the other half have the weight 0.
    if (shares[index] === 0 && pick(2) === 0) return;
    weights[`${name}USDT`] = new Decimal(Math.floor((shares[index]! * totalMilli) / sum)).div(1000).toString();
  });
  return weights;
}

/** Returns a strategy that rebalances by a script. */
function scriptStrategy({ script, options }: Pick<RandomCase, 'script' | 'options'>) {
  return class Scripted extends Strategy {
    allFeeds = this.feeds('all');
    override onBar() {
      const weights = script.get((this.nowMs - START_MS) / MINUTE - 1);
      if (weights !== undefined) this.rebalance(weights, options);
    }
  };
}

/** A fill as text: `minute side symbol lots at price`, the price in ticks. */
type TradeText = string;
/** The position that the weights ask for in one symbol. */
interface Target {
  readonly index: number;
  readonly lots: number;
}

/** Predicts fills and cash in decimals. Sales fill at the next open, purchases at the open after it, or at the next open without a sale. */
class DecimalRebalances {
  cash = new Decimal(100_000);
  readonly trades: TradeText[] = [];
  readonly #case: RandomCase;
  readonly #heldLots = COIN_NAMES.map(() => 0);

  constructor(testCase: RandomCase) {
    this.#case = testCase;
    const { length } = testCase.bars[0]!;
    for (const [row, weights] of testCase.script) {
      // The data ends before the orders of this row and of all later rows can fill.
      if (row + 1 >= length) break;
      const targets = this.#targets(row, weights);
      const sales = targets.filter(({ index, lots }) => lots < this.#heldLots[index]!);
      const purchases = targets.filter(({ index, lots }) => lots > this.#heldLots[index]!);
      for (const { index, lots } of sales) this.#book(row + 1, index, this.#heldLots[index]! - lots, false);
      const purchaseRow = sales.length > 0 ? row + 1 : row;
      if (purchaseRow + 1 >= length) break;
      this.#buy(row, purchaseRow, purchases);
    }
  }

  /** Returns a price of a row, exactly as in the bars. */
  #price(column: 'open' | 'close', index: number, row: number): Decimal {
    return new Decimal(this.#case.bars[index]![column][row]!.toFixed(2));
  }

  /** Returns the whole lots that `money` pays for at the close of the row. */
  #lotsFor(money: Decimal, index: number, row: number): number {
    const lotPrice = this.#price('close', index, row).times(LOT);
    return money.div(lotPrice).floor().toNumber();
  }

  /** Returns the symbols that are traded, with their target lots: those of the weights in that order, then the others. */
  #targets(row: number, weights: Weights): readonly Target[] {
    const { options } = this.#case;
    const equity = this.#heldLots.reduce(
      (sum, lots, index) => sum.plus(this.#price('close', index, row).times(LOT).times(lots)),
      this.cash,
    );
    const equityShare = (weight: Decimal.Value) => equity.times(weight).toDecimalPlaces(8, Decimal.ROUND_DOWN);
    const targets: Target[] = [];
    COIN_NAMES.forEach((name, index) => {
      const lots = this.#lotsFor(equityShare(weights[`${name}USDT`] ?? 0), index, row);
      const heldLots = this.#heldLots[index]!;
      const missingLots = Math.abs(lots - heldLots);
      if (missingLots < MIN_LOTS) return;
      const isWithinBand = options.band !== undefined && missingLots <= this.#lotsFor(equityShare(options.band), index, row);
      // The band does not apply to a symbol that is opened or closed.
      if (lots > 0 && heldLots > 0 && isWithinBand) return;
      if (options.minTrade !== undefined && missingLots < this.#lotsFor(new Decimal(options.minTrade), index, row)) return;
      targets.push({ index, lots });
    });
    const namedOrder = Object.keys(weights).map((name) => COIN_NAMES.indexOf(name.slice(0, 3)));
    // Symbols that the weights do not name come last.
    const rankOf = (index: number) => (namedOrder.includes(index) ? namedOrder.indexOf(index) : COIN_NAMES.length);
    return targets.toSorted((left, right) => rankOf(left.index) - rankOf(right.index) || left.index - right.index);
  }

  /** Sends purchases for their value at the decision with the cash that is left then, and books them at the open after `sendRow`. */
  #buy(row: number, sendRow: number, purchases: readonly Target[]): void {
    let reserved = new Decimal(0);
    const sent: { readonly index: number; readonly amount: Decimal }[] = [];
    for (const { index, lots } of purchases) {
      const missingLots = lots - this.#heldLots[index]!;
      const lotPrice = this.#price('close', index, row).times(LOT);
      const free = this.cash.minus(reserved).div(TAKER_FEE.plus(1)).toDecimalPlaces(8, Decimal.ROUND_DOWN);
      const amount = Decimal.min(lotPrice.times(missingLots), free);
      if (missingLots < MIN_LOTS || amount.lt(lotPrice.times(MIN_LOTS))) continue;
      reserved = reserved.plus(amount).plus(amount.times(TAKER_FEE).toDecimalPlaces(8, Decimal.ROUND_UP));
      sent.push({ index, amount });
    }
    for (const { index, amount } of sent) {
      const openPrice = this.#price('open', index, sendRow + 1).times(LOT);
      const lots = amount.div(openPrice).floor().toNumber();
      if (lots > 0) this.#book(sendRow + 1, index, lots, true);
    }
  }

  /** Books a fill at the open of the row, which is the time when the row before it closed. */
  #book(row: number, index: number, lots: number, isBuy: boolean): void {
    const open = this.#price('open', index, row);
    const value = open.times(LOT).times(lots);
    const fee = value.times(TAKER_FEE).toDecimalPlaces(8, Decimal.ROUND_HALF_UP);
    this.cash = isBuy ? this.cash.minus(value).minus(fee) : this.cash.plus(value).minus(fee);
    this.#heldLots[index]! += isBuy ? lots : -lots;
    this.trades.push(`${row} ${isBuy ? 'buy' : 'sell'} ${COIN_NAMES[index]!} ${lots} at ${open.times(100).toNumber()}`);
  }
}

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);
const QUOTE_FEES = { takerPpm: 2000, in: 'quote' } as const;

describe('a spot rebalance', () => {
  test.each(SEEDS)('a random spot rebalance has the fills and the cash of the decimal computation, seed %i', async (seed) => {
    const testCase = randomCase(seed);
    const expected = new DecimalRebalances(testCase);
    const { record, engine } = await run({ strategies: [scriptStrategy(testCase)], feeds: { all: testCase.bars }, fees: QUOTE_FEES });
    const trades = fillRows(record).map(({ side, lots, price, minute }, fillIndex): TradeText => {
      const name = COIN_NAMES[record.fills.instrument[fillIndex]!]!;
      return `${Math.floor(minute)} ${side} ${name} ${lots} at ${price}`;
    });

    expect(trades.toSorted()).toEqual(expected.trades.toSorted());
    expect(new Decimal(engine.ledger.cash(0)).div(1e8).toString()).toBe(expected.cash.toString());
    expect(orderRows(record).filter(({ code }) => code !== '' && code !== 'REPLACED_FILLED')).toEqual([]);
  });
  test('the random spot rebalances have more than 800 trades', () => {
    const tradeCounts = SEEDS.map((seed) => new DecimalRebalances(randomCase(seed)).trades.length);
    expect(tradeCounts.reduce((total, count) => total + count)).toBeGreaterThan(800);
  });
  test('a rebalance gives the same orders in blocks of any size', async () => {
    const { bars, script, options } = randomCase(7);
    const columnsWithBlocks = async (blockRows: number) => {
      const { record } = await run({
        strategies: [scriptStrategy({ script, options })],
        feeds: { all: bars },
        fees: QUOTE_FEES,
        blockRows,
      });
      return columnsOf(record);
    };
    const fullBlocks = await columnsWithBlocks(2048);
    for (const blockRows of [1, 7]) expect(await columnsWithBlocks(blockRows)).toEqual(fullBlocks);
  });
});

/** Returns twelve rows of one price with a volume that no order reaches. */
const rowsAtPrice = (price: number): readonly PriceRow[] => Array.from({ length: 12 }, () => [price, price, price, price, 1e9]);
const twoPairs = () => [10_000, 5000].map((price, index) => barsOfRows(rowsAtPrice(price), spotInstrument(COIN_NAMES[index])));

/** Returns a strategy class that calls the function of each row that has one. */
function scriptedByRow(script: Readonly<Record<number, (strategy: RowStrategy) => void>>) {
  return class extends RowStrategy {
    override onBar() {
      script[this.row++]?.(this);
    }
  };
}
/** A strategy whose protected actions are public. */
class RowStrategy extends Strategy {
  allFeeds = this.feeds('all');
  row = 0;
  rebalanceTo = (weights: Weights, options?: RebalanceOptions) => this.rebalance(weights, options);
  exitSymbol = (index: number) => this.exit(this.allFeeds[index]);
  openOrdersOf = (index: number) => this.openOrders(this.allFeeds[index]);
  quantityOf = (index: number) => Number(this.position(this.allFeeds[index]).qty);
}
const WITHOUT_FEES = { fees: { makerPpm: 0, takerPpm: 0 } };

/** `followUps` counts orders that the engine sends once another order has ended. */
const expectNothingWaits = ({ followUps }: { readonly followUps: number }) => expect(followUps).toBe(0);

describe('waiting purchases', () => {
  test('a purchase waits as a draft until the sale has filled', async () => {
    const draftsOfBbb: unknown[] = [];
    const script = {
      0: (strategy: RowStrategy) => void strategy.rebalanceTo({ AAAUSDT: 1 }),
      4: (strategy: RowStrategy) => {
        strategy.rebalanceTo({ BBBUSDT: 1 });
        draftsOfBbb.push(strategy.openOrdersOf(1).map(({ lifecycle, tag }) => [lifecycle, tag]));
      },
    };
    const { record } = await run({ strategies: [scriptedByRow(script)], feeds: { all: twoPairs() }, ...WITHOUT_FEES });
    expect(draftsOfBbb).toEqual([[['draft', 'rebalance']]]);
    expect(fillRows(record).map(({ side, minute }) => [side, Math.floor(minute)])).toEqual([
      ['buy', 1],
      ['sell', 5],
      ['buy', 6],
    ]);
  });
  test('with latency, a purchase waits until the sale has filled', async () => {
    const script = {
      0: (strategy: RowStrategy) => void strategy.rebalanceTo({ AAAUSDT: 1 }),
      4: (strategy: RowStrategy) => void strategy.rebalanceTo({ BBBUSDT: 1 }),
    };
    const { record } = await run({
      strategies: [scriptedByRow(script)],
      feeds: { all: twoPairs() },
      ...WITHOUT_FEES,
      fills: { latencyMs: 90_000 },
    });
    const fills = fillRows(record);
    expect(fills.map(({ side }) => side)).toEqual(['buy', 'sell', 'buy']);
    expect(fills[2]!.minute).toBeGreaterThan(fills[1]!.minute);
  });
  test('a purchase is left out, and not denied, when the fees of those before it leave less cash than the smallest order', async () => {
    let ids: readonly unknown[] = [];
    const script = { 0: (strategy: RowStrategy) => void (ids = strategy.rebalanceTo({ AAAUSDT: '0.999', BBBUSDT: '0.001' })) };
    const { record, engine } = await run({ strategies: [scriptedByRow(script)], feeds: { all: twoPairs() }, fees: QUOTE_FEES });
    expect(ids).toHaveLength(1);
    expect(orderRows(record).map(({ code }) => code)).toEqual(['']);
    expectNothingWaits(engine);
  });
  test('newer weights withdraw a purchase that has not been sent', async () => {
    const script = {
      0: (strategy: RowStrategy) => void strategy.rebalanceTo({ AAAUSDT: 1 }),
      4: (strategy: RowStrategy) => {
        strategy.rebalanceTo({ BBBUSDT: 1 });
        strategy.rebalanceTo({});
      },
    };
    const { record, engine } = await run({ strategies: [scriptedByRow(script)], feeds: { all: twoPairs() }, ...WITHOUT_FEES });
    expect(fillRows(record).map(({ side }) => side)).toEqual(['buy', 'sell']);
    expectNothingWaits(engine);
    expect(engine.orders.drafts.waiting).toEqual([]);
  });
  test('an exit of a symbol withdraws its waiting purchase', async () => {
    const script = {
      0: (strategy: RowStrategy) => void strategy.rebalanceTo({ AAAUSDT: 1 }),
      4: (strategy: RowStrategy) => {
        strategy.rebalanceTo({ BBBUSDT: 1 });
        strategy.exitSymbol(1);
      },
    };
    const { record, engine } = await run({ strategies: [scriptedByRow(script)], feeds: { all: twoPairs() }, ...WITHOUT_FEES });
    expect(fillRows(record).map(({ side }) => side)).toEqual(['buy', 'sell']);
    expectNothingWaits(engine);
  });
  test('a purchase does not wait for a sale that risk denies', async () => {
    const script = {
      0: (strategy: RowStrategy) => void strategy.rebalanceTo({ AAAUSDT: '0.5' }),
      4: (strategy: RowStrategy) => void strategy.rebalanceTo({ BBBUSDT: '0.5' }),
    };
    const { engine, record } = await run({
      strategies: [scriptedByRow(script)],
      feeds: { all: twoPairs() },
      ...WITHOUT_FEES,
      risk: { maxOrderQty: '600' },
    });
    expect(orderRows(record).filter(({ code }) => code === 'QTY_MAX').length).toBeGreaterThan(0);
    expectNothingWaits(engine);
    expect(engine.orders.drafts.waiting).toEqual([]);
  });
  test('a rebalance sends no second order while an order of the symbol works', async () => {
    const thinBars = twoPairs().map((bars) => ({ ...bars, volume: bars.volume.map(() => 100) }));
    const script = Object.fromEntries(
      [0, 1, 2, 3, 4, 5, 6].map((row) => [row, (strategy: RowStrategy) => void strategy.rebalanceTo({ AAAUSDT: '0.9' })]),
    );
    const { record } = await run({
      strategies: [scriptedByRow(script)],
      feeds: { all: thinBars },
      ...WITHOUT_FEES,
      fills: { maxVolumeSharePpm: 100_000 },
    });
    expect(orderRows(record).filter(({ code }) => code !== '')).toEqual([]);
  });
});

describe('a rebalance of contracts', () => {
  const contracts = ['E-AAA-USDT', 'E-BBB-USDT'].map((wireName, index) =>
    linearContract({ contractId: index + 1 }, { id: instrumentId('futures', wireName), wireName }),
  );
  const runFutures = async (script: Parameters<typeof scriptedByRow>[0]) => {
    const feeds = contracts.map((contract) => barsOfRows(rowsAtPrice(10_000), contract));
    const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
    const prepared = await prepareBacktest(
      planFor({ strategies: [scriptedByRow(script)], feeds: { all: feeds }, cash: { USDT: '100' }, futures }),
    );
    prepared.loop(prepared.engine);
    prepared.checkBooks();
    return prepared.engine;
  };
  test('weights of contracts open longs and shorts, reverse positions, and close those without a weight', async () => {
    const quantities: number[][] = [];
    const recordQuantities = (strategy: RowStrategy) => void quantities.push([strategy.quantityOf(0), strategy.quantityOf(1)]);
    const engine = await runFutures({
      0: (strategy) => void strategy.rebalanceTo({ 'E-AAA-USDT': '0.5', 'E-BBB-USDT': '-0.5' }),
      3: (strategy) => {
        recordQuantities(strategy);
        strategy.rebalanceTo({ 'E-AAA-USDT': '-0.5', 'E-BBB-USDT': '0.25' });
      },
      7: (strategy) => {
        recordQuantities(strategy);
        strategy.rebalanceTo({ 'E-BBB-USDT': '0.25' });
      },
      10: recordQuantities,
    });
    const signs = quantities.map((pair) => pair.map(Math.sign));
    // prettier-ignore
    expect(signs).toEqual([[1, -1], [-1, 1], [0, 1]]);
    expect(quantities[0]![0]).toBe(-quantities[0]![1]!);
    expect(engine.orders.active()).toEqual([]);
  });
});

describe('invalid rebalances', () => {
  const errorMessageOf = async (rebalance: (strategy: RowStrategy) => void) => {
    try {
      await run({ strategies: [scriptedByRow({ 0: rebalance })], feeds: { all: twoPairs() } });
    } catch (error) {
      return (error as Error).message;
    }
    return 'no error';
  };
  test.each<[string, RegExp, (strategy: RowStrategy) => void]>([
    ['a symbol without a feed', /rebalance of AAUSDT, which has no feed/, (strategy) => void strategy.rebalanceTo({ AAUSDT: 1 })],
    ['a weight that is not a number', /the weight of AAAUSDT is NaN/, (strategy) => void strategy.rebalanceTo({ AAAUSDT: NaN })],
    ['text that is not a number', /the weight of AAAUSDT is much/, (strategy) => void strategy.rebalanceTo({ AAAUSDT: 'much' })],
    ['a short of spot', /AAAUSDT has the weight -0.1/, (strategy) => void strategy.rebalanceTo({ AAAUSDT: '-0.1' })],
    ['weights of more than 1 in total', /sum to 1.1/, (strategy) => void strategy.rebalanceTo({ AAAUSDT: '0.6', BBBUSDT: '0.5' })],
    ['an unknown option', /option bands, which does not exist/, (strategy) => void strategy.rebalanceTo({}, { bands: 1 } as never)],
    ['a negative band', /the band is -1/, (strategy) => void strategy.rebalanceTo({}, { band: -1 })],
    ['no weights', /rebalance got no weights/, (strategy) => void strategy.rebalanceTo(null as never)],
  ])('a rebalance with %s is rejected', async (_, expected, rebalance) => {
    expect(await errorMessageOf(rebalance)).toMatch(expected);
  });
  test('ten weights of 0.1 are accepted', async () => {
    const feeds = Array.from({ length: 10 }, (_, index) => barsOfRows(rowsAtPrice(1000), spotInstrument(`A${index}`)));
    const weights = Object.fromEntries(feeds.map(({ instrument }) => [instrument.wireName, 0.1]));
    const { record } = await run({
      strategies: [scriptedByRow({ 0: (strategy) => void strategy.rebalanceTo(weights) })],
      feeds: { all: feeds },
      ...WITHOUT_FEES,
    });
    expect(fillRows(record).length).toBe(10);
  });
});
