// Tests the order of stops, entries, profits and liquidations within one row (docs/matching.md, rules 16 to 20).

import { describe, expect, it } from 'vitest';
import type { ContractData, MarkColumns } from '../../src/model/bars/contractData.ts';
import { prepareBacktest, runRecordOf } from '../../src/tasks/backtest/run/runBacktest.ts';
import { Strategy } from '../../src/index.ts';
import type { Instrument, InstrumentId } from '../../src/model/instrument.ts';
import { ENDINGS, ROLES, SIDES } from '../../src/model/run/run.ts';
import { inverseContract, linearContract } from '../fixtures/futuresVenue.ts';
import { barsOfRows, MINUTE, planFor, START_MS, type PriceRow } from './backtestFixture.ts';

/** The actions of a strategy at the close of each row, by the number of the row. */
type Script = Readonly<Record<number, (strategy: ScriptedStrategy) => void>>;

/** Gives tests access to the actions of a strategy. */
class ScriptedStrategy extends Strategy {
  enter = (size: Parameters<Strategy['buy']>[0], options?: Parameters<Strategy['buy']>[1]) => this.buy(size, options);
  reduce = (size: Parameters<Strategy['sell']>[0], options?: Parameters<Strategy['sell']>[1]) => this.sell(size, options);
}
/** Returns a strategy that does the steps of a script, one a row. */
const strategyOf = (script: Script) =>
  class extends ScriptedStrategy {
    row = 0;
    override onBar() {
      script[this.row++]?.(this);
    }
  };

/** The rows and the account of one case. */
interface Terms {
  readonly rows: readonly PriceRow[];
  readonly marks?: readonly PriceRow[];
  readonly cash?: string;
  readonly isCross?: boolean;
  readonly isNet?: boolean;
  readonly leverage?: number;
  readonly instrument?: Instrument;
  readonly feePpm?: number;
}

/** Runs a script. Returns the fills as `side role lots @ price`, and the account at the end. */
async function runScript(script: Script, terms: Terms) {
  const { rows, marks, cash = '450', isCross = false, isNet = true, leverage = 10, instrument = linearContract(), feePpm = 5000 } = terms;
  const quiet: PriceRow = [rows[0]![0], rows[0]![0], rows[0]![0], rows[0]![0]];
  const bars = barsOfRows([quiet, ...rows], instrument);
  const column = (index: number) => Int32Array.from([quiet, ...marks!].map((row) => row[index]!));
  const markColumns: MarkColumns | null = marks
    ? { open: column(0), high: column(1), low: column(2), close: column(3), source: 'test' }
    : null;
  const dataById = new Map<InstrumentId, ContractData>([[instrument.id, { marks: markColumns, funding: [] }]]);
  const futures = { leverage, isCross, isNet, liquidationFeePpm: feePpm, data: dataById };
  const plan = { ...planFor({ strategies: [strategyOf(script)], feeds: { bars }, cash: { [instrument.quote]: cash }, risk: {} }), futures };
  const prepared = await prepareBacktest(plan, {});
  prepared.loop(prepared.engine);
  prepared.engine.ledger.assertReconciled();
  prepared.venue!.assertConserved();
  const record = runRecordOf(plan, prepared, false);
  const { fills, orders } = record;
  const roleOf = (id: number) => ROLES[orders.role[id - 1]!]!;
  return {
    fills: [...fills.orderId].map((id, index) => `${SIDES[fills.side[index]!]} ${roleOf(id)} ${fills.lots[index]} @ ${fills.price[index]}`),
    rows: [...fills.timeMs].map((ms) => (ms - START_MS) / MINUTE),
    equity: record.equity.units.at(-1)! / 10 ** instrument.contract!.marginDigits,
    orders,
  };
}

const FALL: PriceRow = [400_000, 400_000, 300_000, 400_000];
const FLAT: PriceRow = [400_000, 400_000, 400_000, 400_000];
const enterLong =
  (options: object = {}) =>
  (strategy: ScriptedStrategy) =>
    strategy.enter({ base: 100 }, options);

describe('a position that was opened inside a row', () => {
  it('a position opened inside a row is liquidated by the rest of that row', async () => {
    const { fills, equity } = await runScript({ 0: enterLong({ limit: 38_000 }) }, { rows: [FALL, FLAT] });
    // Margin 380, maker fee 0.76. At 34,371.8 the remaining margin is less than the liquidation fee.
    expect(fills).toEqual(['buy limit 100 @ 380000', 'sell liquidation 100 @ 343718']);
    expect(equity).toBe(69.24);
  });

  it('a cross position opened inside a row is backed by the whole account', async () => {
    const { fills, equity } = await runScript({ 0: enterLong({ limit: 38_000 }) }, { rows: [FALL, FLAT], isCross: true });
    // 449.24 back 0.1 BTC bought at 38,000: 3,350.76 / 0.0995 BTC.
    expect(fills).toEqual(['buy limit 100 @ 380000', 'sell liquidation 100 @ 336759']);
    expect(equity).toBeCloseTo(0, 4);
  });

  it('a short opened inside a row is liquidated by the high of the row', async () => {
    const rows: PriceRow[] = [[400_000, 500_000, 400_000, 400_000], FLAT];
    const { fills, equity } = await runScript(
      { 0: (strategy) => strategy.reduce({ base: 100 }, { limit: 42_000 }) },
      { rows, cash: '500' },
    );
    // (4,200 + 420) / 0.1005 BTC.
    expect(fills).toEqual(['sell limit 100 @ 420000', 'buy liquidation 100 @ 459702']);
    expect(equity).toBe(79.16);
  });

  it('a position opened inside a row stays if the marks of the row do not reach its liquidation price', async () => {
    const marks: PriceRow[] = [[400_000, 400_000, 343_719, 400_000], FLAT];
    const { fills, equity } = await runScript({ 0: enterLong({ limit: 38_000 }) }, { rows: [FALL, FLAT], marks });
    expect(fills).toEqual(['buy limit 100 @ 380000']);
    expect(equity).toBe(649.24);
  });

  it('a position opened inside a row is closed by a stop that the price reaches before the liquidation price', async () => {
    const { fills, equity } = await runScript({ 0: enterLong({ limit: 38_000, stopLoss: 36_000 }) }, { rows: [FALL, FLAT] });
    expect(fills).toEqual(['buy limit 100 @ 380000', 'sell stopLoss 100 @ 360000']);
    expect(equity).toBe(450 - 0.76 - 200 - 1.8);
  });

  it('a position opened inside a row is liquidated before a stop at or beyond the liquidation price', async () => {
    for (const stopLoss of [34_371.8, 34_000]) {
      const { fills } = await runScript({ 0: enterLong({ limit: 38_000, stopLoss }) }, { rows: [FALL, FLAT] });
      expect(fills).toEqual(['buy limit 100 @ 380000', 'sell liquidation 100 @ 343718']);
    }
    const { fills } = await runScript({ 0: enterLong({ limit: 38_000, stopLoss: 34_371.9 }) }, { rows: [FALL, FLAT] });
    expect(fills[1]).toBe('sell stopLoss 100 @ 343719');
  });

  it('a position entered on a rise is liquidated on the way down from the entry, not at the open', async () => {
    const rows: PriceRow[] = [[400_000, 420_000, 390_000, 400_000], FLAT];
    const { fills } = await runScript({ 0: enterLong({ trigger: 41_000 }) }, { rows, leverage: 50 });
    // 4,100 less 82 of margin, over 0.0995 BTC: 40,381.9.
    expect(fills).toEqual(['buy condition 100 @ 410000', 'sell liquidation 100 @ 403819']);
  });
});

describe('a stop and the liquidation of its position in one row', () => {
  // In at 40,000 with a margin of 400: liquidated at (4,000 - 400) / 0.0995 BTC = 36,180.9.
  const rows: PriceRow[] = [FLAT, FALL, FLAT];

  it.each([
    ['beyond it', 31_000, 'sell liquidation 100 @ 361809'],
    ['at it', 36_180.9, 'sell liquidation 100 @ 361809'],
    ['a tick before it', 36_181, 'sell stopLoss 100 @ 361810'],
  ])('a stop and a liquidation in one row, the stop %s', async (_, stopLoss, then) => {
    const { fills } = await runScript({ 0: enterLong({ stopLoss }) }, { rows });
    expect(fills).toEqual(['buy market 100 @ 400000', then]);
  });

  it('a liquidation costs exactly the margin, and cancels the stop', async () => {
    const { equity, orders } = await runScript({ 0: enterLong({ stopLoss: 31_000 }) }, { rows });
    expect(equity).toBe(48.4);
    expect([...orders.role].map((code) => ROLES[code])).toEqual(['market', 'liquidation']);
  });

  it.each([
    ['beyond it', 31_000, 'sell liquidation 100 @ 361809'],
    ['a tick before it', 36_181, 'sell stopLoss 100 @ 361810'],
  ])('a stop at the exchange and a liquidation in one row: %s', async (_, trigger, then) => {
    const script: Script = { 0: enterLong(), 1: (strategy) => strategy.reduce({ base: 100 }, { trigger, reduceOnly: true }) };
    const { fills } = await runScript(script, { rows: [FLAT, FLAT, FALL, FLAT] });
    expect(fills).toEqual(['buy market 100 @ 400000', then]);
  });

  it.each([
    ['beyond it', 49_000, 'buy liquidation 100 @ 437811'],
    ['a tick before it', 43_781, 'buy stopLoss 100 @ 437810'],
  ])('a stop of a short and a liquidation in one row, the stop %s', async (_, stopLoss, then) => {
    const up: PriceRow = [400_000, 500_000, 400_000, 400_000];
    const { fills } = await runScript({ 0: (strategy) => strategy.reduce({ base: 100 }, { stopLoss }) }, { rows: [FLAT, up, FLAT] });
    expect(fills).toEqual(['sell market 100 @ 400000', then]);
  });

  it('a stop beyond the liquidation price fills at its level if the marks do not reach that price', async () => {
    const marks: PriceRow[] = [FLAT, [400_000, 400_000, 361_810, 400_000], FLAT];
    const { fills } = await runScript({ 0: enterLong({ stopLoss: 31_000 }) }, { rows, marks });
    expect(fills[1]).toBe('sell stopLoss 100 @ 310000');
  });

  it('a position is liquidated if marks reach its liquidation price and no price reaches the stop', async () => {
    const marks: PriceRow[] = [FLAT, [400_000, 400_000, 361_809, 400_000], FLAT];
    const { fills } = await runScript(
      { 0: enterLong({ stopLoss: 37_000 }) },
      { rows: [FLAT, [400_000, 400_000, 390_000, 400_000], FLAT], marks },
    );
    expect(fills[1]).toBe('sell liquidation 100 @ 361809');
  });

  it.each([
    ['before it', 37_000, 'sell stopLoss 100 @ 350000', 350_000],
    ['beyond it', 35_500, 'sell liquidation 100 @ 350000', 350_000],
    ['far beyond it', 31_000, 'sell liquidation 100 @ 350000', 350_000],
  ])('a row opens beyond a stop and the liquidation price, the stop %s', async (_, stopLoss, then, open) => {
    const { fills, rows: times } = await runScript({ 0: enterLong({ stopLoss }) }, { rows: [FLAT, [open, open, 300_000, 300_000], FLAT] });
    expect([fills[1], fills.length]).toEqual([then, 2]);
    if (stopLoss > 31_000) expect(times[1]).toBe(2);
  });

  it('an inverse contract has the same order of stop and liquidation, by the value of its contracts', async () => {
    const instrument = inverseContract();
    // 10 contracts of 100 USD at 40,000 are 0.025 BTC, the margin is 0.0025: liquidated where 1,000 USD x 1.005 are worth 0.0275.
    for (const [stopLoss, then] of [
      [36_500, 'liquidation 10 @ 365454'],
      [36_545.5, 'stopLoss 10 @ 365455'],
    ] as const) {
      const { fills } = await runScript(
        { 0: (strategy) => strategy.enter({ base: 10 }, { stopLoss }) },
        { rows, instrument, cash: '0.003' },
      );
      expect(fills[1]).toBe(`sell ${then}`);
    }
  });

  it('each side of a two-way contract has its own liquidation', async () => {
    const enterBothSides = (strategy: ScriptedStrategy) => {
      strategy.enter({ base: 100 }, { stopLoss: 31_000, tag: 'long' });
      strategy.reduce({ base: 100 }, { stopLoss: 43_000, tag: 'short' });
    };
    const wild: PriceRow = [400_000, 450_000, 300_000, 400_000];
    const { fills } = await runScript({ 0: enterBothSides }, { rows: [FLAT, wild, FLAT], isNet: false, cash: '900' });
    expect(fills.toSorted()).toEqual([
      'buy market 100 @ 400000',
      'buy stopLoss 100 @ 430000',
      'sell liquidation 100 @ 361809',
      'sell market 100 @ 400000',
    ]);
  });

  it('the liquidation of one side of a two-way contract leaves the stop of the other', async () => {
    const enterBothSides = (strategy: ScriptedStrategy) => {
      strategy.enter({ base: 100 }, { tag: 'long' });
      strategy.reduce({ base: 100 }, { stopLoss: 43_000, tag: 'short' });
    };
    const above: PriceRow = [400_000, 440_000, 400_000, 400_000];
    const { fills } = await runScript({ 0: enterBothSides }, { rows: [FLAT, FALL, above, FLAT], isNet: false, cash: '900' });
    expect(fills.slice(2)).toEqual(['sell liquidation 100 @ 361809', 'buy stopLoss 100 @ 430000']);
  });
});

describe('an entry and the liquidation of a position in one row', () => {
  const twice = (...limits: readonly number[]): Script => ({
    0: enterLong(),
    1: (strategy) => limits.forEach((limit, index) => strategy.enter({ base: 100 }, { limit, tag: String(index) })),
  });
  const rows: PriceRow[] = [FLAT, FLAT, [400_000, 400_000, 340_000, 400_000], FLAT];

  it('an entry before the liquidation price fills first and is liquidated with the position', async () => {
    const { fills } = await runScript(twice(37_000), { rows, cash: '900' });
    // 7,700 less 770 of margin, over 0.199 BTC.
    expect(fills).toEqual(['buy market 100 @ 400000', 'buy limit 100 @ 370000', 'sell liquidation 200 @ 348241']);
  });

  it('an entry beyond the liquidation price fills after the liquidation and opens a new position', async () => {
    const { fills } = await runScript(twice(36_000), { rows, cash: '900' });
    // Its own liquidation, 32,562.8, lies beyond the low.
    expect(fills).toEqual(['buy market 100 @ 400000', 'sell liquidation 100 @ 361809', 'buy limit 100 @ 360000']);
  });

  it('of several entries in the row of a liquidation the nearest to the open fills first, whatever their order of placement', async () => {
    const low: PriceRow = [400_000, 400_000, 300_000, 400_000];
    const { fills } = await runScript(
      { 0: (strategy) => [33_000, 38_000].forEach((limit) => strategy.enter({ base: 100 }, { limit, tag: String(limit) })) },
      { rows: [low, FLAT], cash: '900' },
    );
    // The first is liquidated at 34,371.8 before the price reaches the second, whose own liquidation price is 29,849.2.
    expect(fills).toEqual(['buy limit 100 @ 380000', 'sell liquidation 100 @ 343718', 'buy limit 100 @ 330000']);
  });

  it('a liquidation of a cross account cancels the entries beyond the liquidation price', async () => {
    const { fills, equity } = await runScript(twice(36_000), { rows, cash: '900', isCross: true });
    // 898.4 back 0.1 BTC at 40,000: liquidated at 31,171.9, which the row does not reach.
    expect(fills).toEqual(['buy market 100 @ 400000', 'buy limit 100 @ 360000']);
    expect(equity).toBeCloseTo(900 - 1.6 - 0.72 + 400, 9);
    const deep: PriceRow[] = [FLAT, FLAT, [400_000, 400_000, 300_000, 400_000], FLAT];
    const ended = await runScript(
      { 0: (strategy) => strategy.enter({ base: 200 }), 1: enterLong({ limit: 35_000, tag: 'more' }) },
      { rows: deep, cash: '1300', isCross: true },
    );
    // 1,296.8 behind 0.2 BTC: (8,000 - 1,296.8) / 0.199 is 33,684.4.
    expect(ended.fills.slice(1)).toEqual(['buy limit 100 @ 350000', expect.stringMatching(/^sell liquidation 300/)]);
    const beyond = await runScript(
      { 0: (strategy) => strategy.enter({ base: 200 }), 1: enterLong({ limit: 33_000, tag: 'more' }) },
      { rows: deep, cash: '1300', isCross: true },
    );
    expect(beyond.fills.slice(1)).toEqual(['sell liquidation 200 @ 336844']);
    expect([...beyond.orders.ending].map((code) => ENDINGS[code])).toEqual(['filled', 'canceled', 'filled']);
  });
});

describe('a profit and the liquidation of a position in one row', () => {
  const wild: PriceRow = [400_000, 420_000, 350_000, 400_000];

  it.each([
    ['a target', { 0: enterLong({ takeProfit: 41_000 }) }],
    [
      'a resting limit that only reduces',
      { 0: enterLong(), 1: (strategy: ScriptedStrategy) => strategy.reduce({ base: 100 }, { limit: 41_000, reduceOnly: true }) },
    ],
    ['a resting limit', { 0: enterLong(), 1: (strategy: ScriptedStrategy) => strategy.reduce({ base: 100 }, { limit: 41_000 }) }],
    [
      'a trigger order',
      { 0: enterLong(), 1: (strategy: ScriptedStrategy) => strategy.reduce({ base: 100 }, { trigger: 41_000, reduceOnly: true }) },
    ],
  ] as const)('a liquidation comes before a profit in the same row: %s', async (_, script) => {
    const { fills } = await runScript(script, { rows: [FLAT, FLAT, wild, FLAT] });
    expect(fills).toEqual(['buy market 100 @ 400000', 'sell liquidation 100 @ 361809']);
  });

  it('a profit comes before a liquidation if the row opens beyond the target', async () => {
    const { fills } = await runScript(
      { 0: enterLong({ takeProfit: 41_000 }) },
      { rows: [FLAT, [415_000, 420_000, 350_000, 400_000], FLAT] },
    );
    expect(fills[1]).toBe('sell takeProfit 100 @ 415000');
  });
});
