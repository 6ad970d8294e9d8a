// Rebalances: each fill and the last unit of cash again in decimals from the bars and the weights, and what must hold around them.

import { describe, expect, test } from 'vitest';
import { Decimal } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import { Strategy, type RebalanceOptions, type Weights } from '../../src/index.ts';
import type { BarColumns } from '../../src/model/bars/bars.ts';
import { prepareBacktest } from '../../src/tasks/backtest/run/runBacktest.ts';
import { instrumentId } from '../../src/model/instrument.ts';
import { linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, columnsOf, fillRows, MINUTE, orderRows, planFor, run, spotInstrument, START_MS, walkBars } from './world.ts';

const NAMES = ['AAA', 'BBB', 'CCC', 'DDD'];
const TAKER = new Decimal('0.002');

interface Case {
  readonly bars: readonly BarColumns[];
  readonly script: ReadonlyMap<number, Weights>;
  readonly options: { readonly band?: string; readonly minTrade?: string };
}

function draw(seed: number): Case {
  const rng = seededRng(seed);
  const pick = (below: number) => Math.floor(rng.next() * below);
  const bars = NAMES.map((name, at) =>
    walkBars({ rows: 60, seed: seed * 10 + at, step: 200, volume: 1e6, start: 5000 + pick(20_000), instrument: spotInstrument(name) }),
  );
  const full = bars.map((of) => ({ ...of, volume: of.volume.map(() => 1e9) }));
  const script = new Map<number, Weights>();
  for (let row = pick(4); row < 58; row += 3 + pick(6)) {
    const shares = NAMES.map(() => (pick(3) === 0 ? 0 : pick(400)));
    const sum = Math.max(1, shares.reduce((a, b) => a + b, 0)); // prettier-ignore
    const total = [1000, 990, 500][pick(3)]!;
    const weights = shares.map((share) => new Decimal(Math.floor((share * total) / sum)).div(1000).toString());
    script.set(row, Object.fromEntries(NAMES.flatMap((name, at) => (shares[at] === 0 && pick(2) === 0 ? [] : [[`${name}USDT`, weights[at]!]])))); // prettier-ignore
  }
  const options = { ...(pick(2) === 0 ? { band: ['0.02', '0.1'][pick(2)]! } : {}), ...(pick(3) === 0 ? { minTrade: '500' } : {}) };
  return { bars: full, script, options };
}

function scripted({ script, options }: Pick<Case, 'script' | 'options'>) {
  return class Scripted extends Strategy {
    all = this.feeds('all');
    override onBar() {
      const weights = script.get((this.nowMs - START_MS) / MINUTE - 1);
      if (weights !== undefined) this.rebalance(weights, options);
    }
  };
}

type Trade = [minute: number, side: string, symbol: string, lots: number, price: number];

/** The same in decimals: sales at the next open, purchases at the one after it for their value at the decision, or at once where nothing is sold. */
function oracle({ bars, script, options }: Case): { trades: Trade[]; cash: Decimal } {
  const LOT = new Decimal('0.001');
  let cash = new Decimal(100_000);
  const held = NAMES.map(() => 0);
  const trades: Trade[] = [];
  const price = (column: 'open' | 'close', at: number, row: number) => new Decimal(bars[at]![column][row]!.toFixed(2));
  const feeOf = (value: Decimal) => value.times(TAKER).toDecimalPlaces(8, Decimal.ROUND_HALF_UP);
  const book = (row: number, at: number, lots: number, isBuy: boolean) => {
    const open = price('open', at, row);
    const value = open.times(LOT).times(lots);
    cash = isBuy ? cash.minus(value).minus(feeOf(value)) : cash.plus(value).minus(feeOf(value));
    held[at]! += isBuy ? lots : -lots;
    // Fills are at the opening of the row, which is when the row before it closed.
    trades.push([row, isBuy ? 'buy' : 'sell', NAMES[at]!, lots, open.times(100).toNumber()]);
  };
  const lotsFor = (money: Decimal, at: number, row: number) =>
    money
      .div(price('close', at, row).times(LOT))
      .floor()
      .toNumber();
  for (const [row, weights] of script) {
    if (row + 1 >= bars[0]!.length) break;
    const equity = held.reduce((sum, lots, at) => sum.plus(price('close', at, row).times(LOT).times(lots)), cash);
    const part = (of: Decimal.Value) => equity.times(of).toDecimalPlaces(8, Decimal.ROUND_DOWN);
    const moves = NAMES.flatMap((name, at) => {
      const wanted = lotsFor(part(weights[`${name}USDT`] ?? 0), at, row);
      const off = Math.abs(wanted - held[at]!);
      if (off < 2) return [];
      if (wanted > 0 && held[at]! > 0 && options.band !== undefined && off <= lotsFor(part(options.band), at, row)) return [];
      if (options.minTrade !== undefined && off < lotsFor(new Decimal(options.minTrade), at, row)) return [];
      return [{ at, wanted }];
    });
    const order = Object.keys(weights).map((name) => NAMES.indexOf(name.slice(0, 3)));
    moves.sort((a, b) => (order.indexOf(a.at) + 9) % 9 - ((order.indexOf(b.at) + 9) % 9) || a.at - b.at); // prettier-ignore
    const sales = moves.filter(({ at, wanted }) => wanted < held[at]!);
    const buys = moves.filter(({ at, wanted }) => wanted > held[at]!);
    for (const { at, wanted } of sales) book(row + 1, at, held[at]! - wanted, false);
    const seen = sales.length > 0 ? row + 1 : row;
    if (seen + 1 >= bars[0]!.length) break;
    let reserved = new Decimal(0);
    const sent = buys.flatMap(({ at, wanted }) => {
      const missing = wanted - held[at]!;
      const close = price('close', at, row);
      const free = cash.minus(reserved).div(TAKER.plus(1)).toDecimalPlaces(8, Decimal.ROUND_DOWN);
      const amount = Decimal.min(close.times(LOT).times(missing), free);
      if (missing < 2 || amount.lt(close.times(LOT).times(2))) return [];
      reserved = reserved.plus(amount).plus(amount.times(TAKER).toDecimalPlaces(8, Decimal.ROUND_UP));
      return [{ at, amount }];
    });
    for (const { at, amount } of sent) {
      const lots = amount
        .div(price('open', at, seen + 1).times(LOT))
        .floor()
        .toNumber();
      if (lots > 0) book(seen + 1, at, lots, true);
    }
  }
  return { trades, cash };
}

describe('spot', () => {
  test.each(Array.from({ length: 40 }, (_, at) => at + 1))('spot equals decimals, seed %i', async (seed) => {
    const drawn = draw(seed);
    const expected = oracle(drawn);
    const strategies = [scripted(drawn)];
    const { record, engine } = await run({ strategies, feeds: { all: drawn.bars }, fees: { takerPpm: 2000, in: 'quote' } }); // prettier-ignore
    const minute = new Map(record.fills.timeMs.subarray(0, record.fills.length).entries());
    const trades: Trade[] = fillRows(record).map(({ side, lots, price }, at) => [
      Math.floor((minute.get(at)! - START_MS) / MINUTE),
      side,
      NAMES[record.fills.instrument[at]!]!,
      lots,
      price,
    ]);
    const sorted = (rows: readonly Trade[]) => rows.map((row) => JSON.stringify(row)).toSorted();

    expect(sorted(trades)).toEqual(sorted(expected.trades));
    expect(new Decimal(engine.ledger.cash(0)).div(1e8).toString()).toBe(expected.cash.toString());
    expect(orderRows(record).filter(({ code }) => code !== '' && code !== 'REPLACED_FILLED')).toEqual([]);
  });
  test('the random cases trade', () => {
    const trades = Array.from({ length: 40 }, (_, at) => oracle(draw(at + 1)).trades.length);
    expect(trades.reduce((a, b) => a + b)).toBeGreaterThan(800);
  });
  test('blocks of any size give the same orders', async () => {
    const drawn = draw(7);
    const at = async (blockRows: number) =>
      columnsOf((await run({ strategies: [scripted(drawn)], feeds: { all: drawn.bars }, fees: { takerPpm: 2000, in: 'quote' }, blockRows })).record);
    const whole = await at(2048);
    for (const rows of [1, 7]) expect(await at(rows)).toEqual(whole);
  }); // prettier-ignore
});

const rowsAt = (price: number, count = 12): Parameters<typeof barsOfRows>[0] => Array.from({ length: count }, () => [price, price, price, price, 1e9]); // prettier-ignore
const twoCoins = (prices: readonly [number, number] = [10_000, 5000]) =>
  prices.map((price, at) => barsOfRows(rowsAt(price), spotInstrument(NAMES[at])));

/** A strategy that acts at rows. */
function acting(acts: Readonly<Record<number, (own: Acting) => void>>) {
  return class extends Acting {
    override onBar() {
      acts[this.row++]?.(this);
    }
  };
}
class Acting extends Strategy {
  all = this.feeds('all');
  row = 0;
  to = (weights: Weights, options?: RebalanceOptions) => this.rebalance(weights, options);
  leave = (at: number) => this.exit(this.all[at]);
  orders = (at: number) => this.openOrders(this.all[at]);
  order = (at: number, isBuy: boolean, base: number, limit?: number) =>
    isBuy
      ? this.buy({ base }, { feed: this.all[at]!, ...(limit === undefined ? {} : { limit }) })
      : this.sell({ base }, { feed: this.all[at]! });
}
const FREE = { fees: { makerPpm: 0, takerPpm: 0 } };

describe('what waits', () => {
  test('a purchase waits for the sale, and is visible as an order until then', async () => {
    const seen: unknown[] = [];
    const acts = {
      0: (own: Acting) => void own.to({ AAAUSDT: 1 }),
      4: (own: Acting) => {
        own.to({ BBBUSDT: 1 });
        seen.push(own.orders(1).map(({ lifecycle, tag }) => [lifecycle, tag]));
      },
    };
    const { record } = await run({ strategies: [acting(acts)], feeds: { all: twoCoins() }, ...FREE });
    expect(seen).toEqual([[['draft', 'rebalance']]]);
    expect(fillRows(record).map(({ side, minute }) => [side, Math.floor(minute)])).toEqual([['buy', 1], ['sell', 5], ['buy', 6]]); // prettier-ignore
  });
  test('with latency, a purchase waits until the sale has filled', async () => {
    const acts = { 0: (own: Acting) => void own.to({ AAAUSDT: 1 }), 4: (own: Acting) => void own.to({ BBBUSDT: 1 }) };
    const { record } = await run({ strategies: [acting(acts)], feeds: { all: twoCoins() }, ...FREE, fills: { latencyMs: 90_000 } });
    const fills = fillRows(record);
    expect(fills.map(({ side }) => side)).toEqual(['buy', 'sell', 'buy']);
    expect(fills[2]!.minute).toBeGreaterThan(fills[1]!.minute);
  });
  test('the newest weights count: what has not been sent is withdrawn', async () => {
    const acts = {
      0: (own: Acting) => void own.to({ AAAUSDT: 1 }),
      4: (own: Acting) => {
        own.to({ BBBUSDT: 1 });
        own.to({});
      },
    };
    const { record, engine } = await run({ strategies: [acting(acts)], feeds: { all: twoCoins() }, ...FREE });
    expect(fillRows(record).map(({ side }) => side)).toEqual(['buy', 'sell']);
    expect(engine.orders.drafts.waiting).toEqual([]);
    expect(engine.followUps).toBe(0);
  });
  test('an exit of the symbol withdraws a waiting purchase', async () => {
    const acts = {
      0: (own: Acting) => void own.to({ AAAUSDT: 1 }),
      4: (own: Acting) => {
        own.to({ BBBUSDT: 1 });
        own.leave(1);
      },
    };
    const { record, engine } = await run({ strategies: [acting(acts)], feeds: { all: twoCoins() }, ...FREE });
    expect(fillRows(record).map(({ side }) => side)).toEqual(['buy', 'sell']);
    expect(engine.followUps).toBe(0);
  });
  test('a sale that risk denies frees nothing, and the purchase still goes out', async () => {
    const acts = { 0: (own: Acting) => void own.to({ AAAUSDT: '0.5' }), 4: (own: Acting) => void own.to({ BBBUSDT: '0.5' }) };
    const all = twoCoins();
    const { engine, record } = await run({ strategies: [acting(acts)], feeds: { all }, ...FREE, risk: { maxOrderQty: '600' } });
    expect(orderRows(record).filter(({ code }) => code === 'QTY_MAX').length).toBeGreaterThan(0);
    expect(engine.orders.drafts.waiting).toEqual([]);
    expect(engine.followUps).toBe(0);
  });
  test('a symbol whose last order still works is left alone until the next call', async () => {
    const thin = twoCoins().map((bars) => ({ ...bars, volume: bars.volume.map(() => 100) }));
    const acts = Object.fromEntries([0, 1, 2, 3, 4, 5, 6].map((row) => [row, (own: Acting) => void own.to({ AAAUSDT: '0.9' })]));
    const { record } = await run({ strategies: [acting(acts)], feeds: { all: thin }, ...FREE, fills: { maxVolumeSharePpm: 100_000 } });
    expect(orderRows(record).filter(({ code }) => code !== '')).toEqual([]);
  });
});

describe('futures', () => {
  const contracts = ['E-AAA-USDT', 'E-BBB-USDT'].map((wireName, at) =>
    linearContract({ contractId: at + 1 }, { id: instrumentId('futures', wireName), wireName }),
  );
  const play = async (acts: Parameters<typeof acting>[0]) => {
    const all = contracts.map((contract) => barsOfRows(rowsAt(10_000), contract));
    const futures = { leverage: 10, isCross: true, isNet: true, liquidationFeePpm: 0, data: new Map() };
    const world = await prepareBacktest(planFor({ strategies: [acting(acts)], feeds: { all }, cash: { USDT: '100' }, futures }));
    world.loop(world.engine);
    world.checkBooks();
    return world.engine;
  };
  test('weights open longs and shorts, reverse positions, and close those without a weight', async () => {
    const held: number[][] = [];
    const look = (own: Acting) => void held.push([0, 1].map((at) => Number(own['position'](own.all[at]).qty)));
    const engine = await play({
      0: (own) => void own.to({ 'E-AAA-USDT': '0.5', 'E-BBB-USDT': '-0.5' }),
      3: (own) => {
        look(own);
        own.to({ 'E-AAA-USDT': '-0.5', 'E-BBB-USDT': '0.25' });
      },
      7: (own) => {
        look(own);
        own.to({ 'E-BBB-USDT': '0.25' });
      },
      10: look,
    });
    const signs = held.map((pair) => pair.map(Math.sign));
    expect(signs).toEqual([[1, -1], [-1, 1], [0, 1]]); // prettier-ignore
    expect(held[0]![0]).toBe(-held[0]![1]!);
    expect(engine.orders.active()).toEqual([]);
  });
});

describe('refuses', () => {
  const message = async (act: (own: Acting) => void) => {
    try {
      await run({ strategies: [acting({ 0: act })], feeds: { all: twoCoins() } });
    } catch (error) {
      return (error as Error).message;
    }
    return 'nothing';
  };
  test.each<[string, RegExp, (own: Acting) => void]>([
    ['a symbol without a feed', /rebalance of AAUSDT, which has no feed/, (own) => void own.to({ AAUSDT: 1 })],
    ['a weight that is not a number', /the weight of AAAUSDT is NaN/, (own) => void own.to({ AAAUSDT: NaN })],
    ['text that is not a number', /the weight of AAAUSDT is much/, (own) => void own.to({ AAAUSDT: 'much' })],
    ['a short of spot', /AAAUSDT has the weight -0.1/, (own) => void own.to({ AAAUSDT: '-0.1' })],
    ['more than all', /sum to 1.1/, (own) => void own.to({ AAAUSDT: '0.6', BBBUSDT: '0.5' })],
    ['an unknown option', /option bands, which does not exist/, (own) => void own.to({}, { bands: 1 } as never)],
    ['a negative band', /the band is -1/, (own) => void own.to({}, { band: -1 })],
    ['no weights', /rebalance got no weights/, (own) => void own.to(null as never)],
  ])('refuses: %s', async (_, expected, act) => {
    expect(await message(act)).toMatch(expected);
  });
  test('ten weights of 0.1 are not refused', async () => {
    const all = Array.from({ length: 10 }, (_, at) => barsOfRows(rowsAt(1000), spotInstrument(`A${at}`)));
    const weights = Object.fromEntries(all.map(({ instrument }) => [instrument.wireName, 0.1]));
    const { record } = await run({ strategies: [acting({ 0: (own) => void own.to(weights) })], feeds: { all }, ...FREE });
    expect(fillRows(record).length).toBe(10);
  });
});
