// Tests trades from fills: episodes by hand, dust, splits at zero, and money that adds up to the last unit.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lots } from '../../base/brand.ts';
import { mulDiv } from '../../base/number/exact.ts';
import { inverseContract } from '../../../test/fixtures/futuresVenue.ts';
import { MINUTE, randomScript, runRecord, START_MS, testBars, testInstrument, type ScriptFill } from '../../../test/fixtures/runRecord.ts';
import { ContractScale } from '../../portfolio/contractScale.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { exactSum } from '../series/money.ts';
import type { ClosedTrade } from './columns.ts';
import { EpisodeBook } from './episode.ts';
import { resultHash } from '../summary/resultHash.ts';
import { tradeSummary } from './statistics.ts';
import { tradesOf } from './trades.ts';

const UNITS_PER_USDT = 1e8;
const instrument = testInstrument();
const flatBars = testBars(instrument, 400, 3);
const run = (script: readonly ScriptFill[], recordOptions: Partial<Parameters<typeof runRecord>[0]> = {}) =>
  runRecord({ bars: [flatBars], script, ...recordOptions });
const netOf = (record: RunRecord) => record.equity.units[record.equity.length - 1]! - record.startUnits;

describe('episodes', () => {
  test('a round trip in parts has average prices over its fills and a profit net of fees', () => {
    const { closed, tags, open } = tradesOf(
      run([
        { row: 10, isBuy: true, lots: 10_000, price: 10_000, slot: 'cross' },
        { row: 12, isBuy: true, lots: 30_000, price: 11_000, slot: 'more' },
        { row: 20, isBuy: false, lots: 20_000, price: 12_000, inside: true, isMaker: true, role: 'takeProfit' },
        { row: 30, isBuy: false, lots: 20_000, price: 9000, slot: 'out' },
      ]),
    );
    expect(open).toEqual([]);
    expect(closed.length).toBe(1);
    expect(closed.entryPrice[0]).toBe(107.5);
    expect(closed.exitPrice[0]).toBe(105);
    expect(closed.lots[0]).toBe(40_000);
    // 430 in, 420 out, 0.85 of fees.
    expect(closed.feeUnits[0]).toBe(0.85 * UNITS_PER_USDT);
    expect(closed.pnlUnits[0]).toBe(-10.85 * UNITS_PER_USDT);
    expect(closed.returnFraction[0]).toBeCloseTo(-10.85 / 430, 12);
    expect([closed.entryMs[0], closed.exitMs[0]]).toEqual([START_MS + 10 * MINUTE, START_MS + 30 * MINUTE]);
    expect([tags[closed.entryTag[0]!], tags[closed.exitTag[0]!], closed.fills[0]]).toEqual(['cross', 'out', 4]);
  });

  test('instruments beyond the 256th keep their own trades', () => {
    const bars = Array.from({ length: 300 }, (_, index) =>
      testBars(testInstrument({ wireName: `X${index.toString(36).padStart(2, '0')}USD` }), 40),
    );
    const roundTrip = (row: number, instrumentIndex: number, from: number, to: number): ScriptFill[] => [
      { row, isBuy: true, lots: 10_000, price: from, instrument: instrumentIndex },
      { row: row + 9, isBuy: false, lots: 10_000, price: to, instrument: instrumentIndex },
    ];
    const record = runRecord({ bars, script: [...roundTrip(2, 3, 10_000, 12_000), ...roundTrip(20, 259, 10_000, 9000)] });
    const { closed } = tradesOf(record);
    expect([[...closed.instrument], [...closed.pnlUnits]]).toEqual([
      [3, 259],
      [19.78 * UNITS_PER_USDT, -10.19 * UNITS_PER_USDT],
    ]);
    expect(tradeSummary(record, tradesOf(record), netOf(record)).breakdowns.instrument.map(({ key }) => key)).toEqual([
      'spot:X03USD',
      'spot:X77USD',
    ]);
    // Two bytes for the instrument: 3 and 259 give two hashes.
    const orders = { ...record.orders, instrument: record.orders.instrument.map((index) => index % 256) };
    expect(resultHash({ ...record, orders })).not.toBe(resultHash(record));
  });

  test('an average over fills at one price is that price, without a trace of binary fractions', () => {
    const { closed } = tradesOf(
      run(
        [
          { row: 1, isBuy: true, lots: 29_885, price: 31_813_05 },
          { row: 2, isBuy: false, lots: 29_885, price: 31_413_38 },
        ],
        { start: 1e15 },
      ),
    );
    expect([closed.entryPrice[0], closed.exitPrice[0]]).toEqual([31_813.05, 31_413.38]);
  });

  test('an average over fills of an inverse contract at one price is that price', () => {
    const closed: ClosedTrade[] = [];
    const contract = inverseContract();
    const book = new EpisodeBook({ strategy: 0, index: 0, instrument: contract, path: null }, closed);
    const scale = new ContractScale(contract);
    const fillBase = { timeMs: 0, bar: -1, feeUnits: 0, feeInBase: false, isLiquidation: false, slippage: 0 };
    for (const [row, isBuy, size, ticks] of [
      [0, true, 3, 412_345],
      [1, true, 4, 412_345],
      [2, false, 7, 400_001],
    ] as const) {
      book.book({ ...fillBase, row, isBuy, lots: size, ticks, notionalUnits: scale.valueOfLots(size, ticks) });
    }
    book.end();
    expect(closed).toMatchObject([{ entryPrice: 41_234.5, exitPrice: 40_000.1, lots: 7 }]);
  });

  test('dust below the smallest order is flat, and keeps its cost for the next episode', () => {
    const coarse = { ...flatBars, instrument: testInstrument({ minLots: lots(100) }) };
    // The fee of 10 of 10,000 lots is taken in base: 9,990 are left, 9,950 can be sold in steps of 50.
    const record = runRecord({
      bars: [coarse],
      feesInBase: true,
      script: [
        { row: 10, isBuy: true, lots: 10_000, price: 10_000 },
        { row: 20, isBuy: false, lots: 9950, price: 10_000 },
        { row: 30, isBuy: true, lots: 10_000, price: 20_000 },
      ],
    });
    const trades = tradesOf(record);
    expect(trades.closed.length).toBe(1);
    // 100 paid for 0.999; 0.004 of it is left, at 0.004 / 0.999 of the cost, rounded toward zero.
    const dustCost = mulDiv(100_0000_0000, 40_0000, 9990_0000, 'down');
    expect(trades.closed.pnlUnits[0]).toBe(99_5000_0000 - 995_0000 - 100_0000_0000 + dustCost);
    expect(trades.closed.feeUnits[0]).toBe(1000_0000 + 995_0000);
    expect(trades.open).toMatchObject([{ side: 'long', baseUnits: 40_0000 + 9990_0000, entryMs: START_MS + 30 * MINUTE }]);
    expect(trades.openUnits).toBe(netOf(record) - trades.closed.pnlUnits[0]!);
  });

  test('a buy whose fee takes all its coins is a lost trade of the bought quantity', () => {
    const closed: ClosedTrade[] = [];
    const book = new EpisodeBook({ strategy: 0, index: 0, instrument, path: null }, closed);
    // A lot is 10,000 units of the base asset, worth 1,000,000 at this price.
    const fillBase = { timeMs: 0, bar: -1, feeInBase: true, isLiquidation: false, slippage: 0 };
    const fills = [
      { isBuy: true, lots: 1, feeUnits: 10_000 },
      { isBuy: true, lots: 4, feeUnits: 10_000 },
      { isBuy: true, lots: 1, feeUnits: 10_000 },
      { isBuy: false, lots: 3, feeUnits: 0 },
      { isBuy: true, lots: 1, feeUnits: 10_000 },
    ];
    fills.forEach((fill, row) => book.book({ ...fillBase, ...fill, row, ticks: 10_000, notionalUnits: fill.lots * 1_000_000 }));
    book.end();
    const prices = { entryPrice: 100, exitPrice: 100 };
    const lostTrade = { side: 1, lots: 1, entryUnits: 1_000_000, feeUnits: 1_000_000, pnlUnits: -1_000_000, fills: 1, ...prices };
    const laterTrade = { side: 1, lots: 5, entryUnits: 5_000_000, exitUnits: 3_000_000, pnlUnits: -2_000_000, fills: 3, ...prices };
    expect(closed).toMatchObject([lostTrade, laterTrade, lostTrade]);
    expect([book.base, book.flow, book.side]).toEqual([0, 0, 0]);
  });

  test('all fills of a close that fills in parts belong to the trade that it closes', () => {
    const coarse = { ...flatBars, instrument: testInstrument({ minLots: lots(100) }) };
    const { closed } = tradesOf(
      runRecord({
        bars: [coarse],
        script: [
          { row: 10, isBuy: true, lots: 1000 },
          { row: 20, isBuy: false, lots: 950 },
          { row: 21, isBuy: false, lots: 50, sameOrder: true },
          { row: 30, isBuy: true, lots: 50 },
          { row: 31, isBuy: true, lots: 450, sameOrder: true },
          { row: 40, isBuy: false, lots: 500 },
        ],
      }),
    );
    expect([...closed.fills]).toEqual([3, 3]);
    expect([...closed.lots]).toEqual([1000, 500]);
    expect(closed.entryMs[1]).toBe(START_MS + 30 * MINUTE);
  });

  test('trades of strategies and instruments are kept apart, in closing order', () => {
    const otherBars = testBars(testInstrument({ wireName: 'XYZUSD' }), 400, 4);
    const { closed } = tradesOf(
      runRecord({
        bars: [flatBars, otherBars],
        strategies: 2,
        script: [
          { row: 1, isBuy: true, lots: 10, strategy: 1 },
          { row: 2, isBuy: true, lots: 20, strategy: 0 },
          { row: 3, isBuy: true, lots: 30, strategy: 0, instrument: 1 },
          { row: 5, isBuy: false, lots: 30, strategy: 0, instrument: 1 },
          { row: 6, isBuy: false, lots: 10, strategy: 1 },
          { row: 7, isBuy: false, lots: 20, strategy: 0 },
        ],
      }),
    );
    expect([...closed.lots]).toEqual([30, 10, 20]);
    expect([[...closed.strategy], [...closed.instrument]]).toEqual([
      [0, 1, 0],
      [1, 0, 0],
    ]);
  });

  test('a fill across zero is split at zero, with notional and fee in proportion', () => {
    const closed: ClosedTrade[] = [];
    const book = new EpisodeBook({ strategy: 0, index: 0, instrument, path: null }, closed);
    const fill = (row: number, isBuy: boolean, size: number, fee: number) =>
      book.book({
        row,
        timeMs: row,
        ticks: 10_000,
        bar: -1,
        lots: size,
        notionalUnits: size * 1e6,
        feeUnits: fee,
        feeInBase: false,
        isLiquidation: false,
        slippage: 0,
        isBuy,
      });
    fill(0, true, 100, 3);
    fill(1, false, 300, 10);
    fill(2, true, 200, 5);
    book.end();
    expect(closed).toMatchObject([
      { side: 1, lots: 100, entryUnits: 1e8, exitUnits: 1e8, fills: 2, exitMs: 1, maeUnits: NaN },
      { side: -1, lots: 200, entryUnits: 2e8, exitUnits: 2e8, entryMs: 1, exitMs: 2, fills: 2 },
    ]);
    expect(closed.map(({ feeUnits }) => feeUnits)).toEqual([3 + 3, 7 + 5]);
    expect(closed[0]!.pnlUnits + closed[1]!.pnlUnits).toBe(-18);
    expect([book.base, book.flow, book.side]).toEqual([0, 0, 0]);
  });
});

test('closed and open profit add up to the change of equity, to the last unit', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.boolean(),
      fc.integer({ min: 1, max: 2 }),
      fc.integer({ min: 1, max: 2 }),
      fc.integer({ min: 1, max: 30 }),
      (seed, feesInBase, strategies, count, minLots) => {
        const columns = Array.from({ length: count }, (_, k) =>
          testBars(testInstrument({ wireName: ['ABCUSD', 'XYZUSD'][k]!, minLots: lots(minLots), quoteDigits: 6 }), 500, seed + k),
        );
        const record = runRecord({
          bars: columns,
          strategies,
          feesInBase,
          start: 10_000 * 1e6,
          script: randomScript(seed, { rows: 500, fills: 120, strategies, instruments: count, feesInBase }),
        });
        const trades = tradesOf(record);
        expect(Number(exactSum(trades.closed.pnlUnits)) + trades.openUnits).toBe(netOf(record));
        const { heldPnl, wins, losses, draws, trades: n, breakdowns } = tradeSummary(record, trades, netOf(record));
        expect(heldPnl).toBe('0');
        expect(wins + losses + draws).toBe(n);
        for (const rows of Object.values(breakdowns)) expect(rows.reduce((sum, row) => sum + row.trades, 0)).toBe(n);
        for (let t = 0; t < trades.closed.length; t++) expect(trades.closed.mfeUnits[t]).toBeGreaterThanOrEqual(trades.closed.pnlUnits[t]!);
      },
    ),
    { numRuns: 60 },
  );
});

test('exit reasons and holding times equal those of a naive count', () => {
  const reasons = { stopLoss: 'stop', takeProfit: 'target', trailing: 'trail', liquidation: 'liquidation' } as const;
  const roles = ['market', 'stopLoss', 'limit', 'trailing', 'takeProfit', 'condition'] as const;
  const heldMinutes = [1, 4, 5, 14, 15, 59, 60, 1];
  let row = 1;
  const script: ScriptFill[] = heldMinutes.flatMap((minutesHeld, index) => {
    const entry = row;
    row += minutesHeld + 1;
    const role = roles[index % roles.length]!;
    return [
      { row: entry, isBuy: true, lots: 10_000, price: 10_000 },
      { row: entry + minutesHeld, isBuy: false, lots: 10_000, price: 10_000 + index, role, limit: 10_000 },
    ];
  });
  const record = run(script);
  const { breakdowns } = tradeSummary(record, tradesOf(record), netOf(record));
  const tally = (keys: readonly string[]) =>
    Object.fromEntries([...new Set(keys)].map((key) => [key, keys.filter((candidate) => candidate === key).length]));
  const tradesByKey = (rows: readonly { key: string; trades: number }[]) =>
    Object.fromEntries(rows.map(({ key, trades }) => [key, trades]));
  const reasonByRole: Readonly<Record<string, string>> = reasons;
  expect(tradesByKey(breakdowns.exitReason)).toEqual(
    tally(heldMinutes.map((_, at) => reasonByRole[roles[at % roles.length]!] ?? 'signal')),
  );
  const group = (minutes: number) => {
    if (minutes < 5) return '1m to 5m';
    if (minutes < 15) return '5m to 15m';
    return minutes < 60 ? '15m to 1h' : '1h to 4h';
  };
  expect(tradesByKey(breakdowns.holdTime)).toEqual(tally(heldMinutes.map(group)));
  expect(breakdowns.holdTime.map(({ key }) => key)).toEqual(['1m to 5m', '5m to 15m', '15m to 1h', '1h to 4h']);
});

test('the trade summary has money as text, fractions as numbers, and a list of open positions', () => {
  const record = run([
    { row: 10, isBuy: true, lots: 10_000, price: 10_000 },
    { row: 20, isBuy: false, lots: 10_000, price: 10_100 },
    { row: 30, isBuy: true, lots: 10_000, price: 10_000 },
    { row: 40, isBuy: false, lots: 10_000, price: 9900 },
    { row: 50, isBuy: true, lots: 5000, price: 10_000 },
  ]);
  const summary = tradeSummary(record, tradesOf(record), netOf(record));
  expect(summary).toMatchObject({
    trades: 2,
    longs: 2,
    shorts: 0,
    wins: 1,
    losses: 1,
    openTrades: 1,
    grossProfit: '0.799',
    grossLoss: '-1.199',
    closedPnl: '-0.4',
    averageTrade: '-0.2',
    bestTrade: '0.799',
    volume: '400',
    fees: '0.4',
    winRate: 0.5,
    holdTime: { mean: 10 * MINUTE },
    flags: { mae: ['coarse'] },
    openPositions: [{ instrument: 'spot:ABCUSD', side: 'long', quantity: '0.5', entryPrice: 100, entryMs: START_MS + 50 * MINUTE }],
  });
  expect(summary.averageTradeFraction).toBeCloseTo(-0.002, 12);
  expect(summary.breakdowns.weekday.map(({ key }) => key)).toEqual(['Mon']);
  expect(summary.breakdowns.month.map(({ key, trades }) => [key, trades])).toEqual([['2024-01', 2]]);
});

test('exactSum is exact beyond 2^53 units', () => {
  const values = new Float64Array(5).fill(Number.MAX_SAFE_INTEGER);
  expect(exactSum(values)).toBe(5n * BigInt(Number.MAX_SAFE_INTEGER));
});
