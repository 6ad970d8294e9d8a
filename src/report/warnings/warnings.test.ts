// Tests the warnings about bars, coverage and results: each planted fault is found, and sound data give no warning.

import { describe, expect, test } from 'vitest';
import { inverseContract } from '../../../test/fixtures/futuresVenue.ts';
import { randomScript, runRecord, START_MS, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { buildSummary } from '../summary/summary.ts';
import { coverageWarnings } from './coverage.ts';
import { markWarnings, priceWarnings } from './dataWarnings.ts';
import { resultWarnings } from './resultWarnings.ts';

const ROWS = 2000;
const instrument = testInstrument();
const soundBars = (seed = 5) => testBars(instrument, ROWS, seed);
type Price = 'open' | 'high' | 'low' | 'close';
const PRICES: readonly Price[] = ['open', 'high', 'low', 'close'];

/** Multiplies the prices of the rows [from, to) by `factor`. */
function scalePrices(bars: BarColumns, from: number, to: number, factor: number, prices: readonly Price[] = PRICES): BarColumns {
  for (const price of prices) for (let row = from; row < to; row++) bars[price][row]! *= factor;
  return bars;
}
/** Sets the prices of `rows` rows to the close before them, without volume. */
function holdPrices(bars: BarColumns, from: number, rows: number): BarColumns {
  for (let row = from; row < from + rows; row++) {
    for (const price of PRICES) bars[price][row] = bars.close[from - 1]!;
    bars.volume[row] = 0;
  }
  return bars;
}
const codes = (bars: BarColumns) => priceWarnings(bars).map(({ code }) => code);

describe('bars', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('a sound walk of seed %i has no warning', (seed) => expect(codes(soundBars(seed))).toEqual([]));

  test.each<readonly [string, (bars: BarColumns) => BarColumns, string]>([
    ['a bar × 100', (bars) => scalePrices(bars, 700, 701, 100), 'DATA_JUMP'],
    ['a bar × 0.01', (bars) => scalePrices(bars, 700, 701, 0.01), 'DATA_JUMP'],
    ['three bars × 3', (bars) => scalePrices(bars, 700, 703, 3), 'DATA_JUMP'],
    ['a high × 10', (bars) => scalePrices(bars, 700, 701, 10, ['high']), 'DATA_JUMP'],
    ['a low × 0.01', (bars) => scalePrices(bars, 700, 701, 0.01, ['low']), 'DATA_JUMP'],
    ['a close × 100', (bars) => scalePrices(bars, 700, 701, 100, ['high', 'close']), 'DATA_JUMP'],
    ['an open × 100', (bars) => scalePrices(bars, 700, 701, 100, ['open', 'high']), 'DATA_JUMP'],
    ['the first bar × 100', (bars) => scalePrices(bars, 0, 1, 100), 'DATA_LEVEL'],
    ['a split by two', (bars) => scalePrices(bars, 1200, ROWS, 0.5), 'DATA_LEVEL'],
    ['a split three for two', (bars) => scalePrices(bars, 1200, ROWS, 2 / 3), 'DATA_LEVEL'],
    ['a reverse split by ten', (bars) => scalePrices(bars, 1200, ROWS, 10), 'DATA_LEVEL'],
    ['24 bars without a move', (bars) => holdPrices(bars, 900, 24), 'DATA_DEAD'],
    ['500 bars without a move', (bars) => holdPrices(bars, 900, 500), 'DATA_DEAD'],
    ['no move at the end', (bars) => holdPrices(bars, ROWS - 40, 40), 'DATA_DEAD'],
  ])('bars with %s have the warning of that flaw', (_, plant, code) => {
    for (const seed of [1, 2, 3]) expect(codes(plant(soundBars(seed)))).toEqual([code]);
  });

  test('22 bars without a move give no warning', () => expect(codes(holdPrices(soundBars(), 900, 22))).toEqual([]));

  test('the warnings about a jump and a stretch without a move have their figures', () => {
    const bars = soundBars();
    for (let row = 1000; row < 1060; row++) for (const price of PRICES) bars[price][row] = bars[price][999]!;
    expect(priceWarnings(scalePrices(bars, 1500, 1501, 100))).toMatchObject([
      { code: 'DATA_JUMP', text: 'ABCUSD 1m: 1 bar with a price that jumps and returns, at 2024-01-02 01:00 UTC', file: null, line: null },
      {
        code: 'DATA_DEAD',
        text: 'ABCUSD 1m: 1 stretch of bars in which no price moves, at 2024-01-01 16:40 UTC (60 bars at most)',
      },
    ]);
  });

  test('klines of a mark price are checked like bars, and the warning names them', () => {
    expect(markWarnings('ABCUSD', '1h', soundBars())).toEqual([]);
    expect(markWarnings('ABCUSD', '1h', scalePrices(soundBars(), 700, 701, 0.01, ['low']))).toMatchObject([
      { code: 'DATA_JUMP', text: 'ABCUSD mark 1h: 1 bar with a price that jumps and returns, at 2024-01-01 11:40 UTC' },
    ]);
  });

  test('a new price after an outage of two days is no change of level', () => {
    const bars = scalePrices(soundBars(), 1200, ROWS, 2);
    for (let row = 1200; row < ROWS; row++) {
      bars.openMs[row]! += 2 * 86_400_000;
      bars.closeMs[row]! += 2 * 86_400_000;
    }
    expect(codes(bars)).toEqual([]);
  });
});

describe('coverage', () => {
  const bars = soundBars();
  const record = runRecord({ bars: [bars], script: [] });
  const coverageTexts = (change: Partial<RunRecord>) =>
    coverageWarnings({ ...record, ...change }).map(({ code, text }) => `${code}: ${text}`);
  const endMs = START_MS + ROWS * 60_000;

  test('bars that cover the run give no warning', () => expect(coverageTexts({ fromMs: START_MS, toMs: endMs })).toEqual([]));
  test('bars that end ten days before the run give a warning', () => {
    expect(coverageTexts({ fromMs: START_MS, toMs: endMs + 10 * 86_400_000 })).toEqual([
      'DATA_ENDS_EARLY: the bars end at 2024-01-02 09:20 UTC, 10 days before the end of the run: that time counts as days without a result',
    ]);
  });
  test('bars that begin three days after the start of the run give a warning', () => {
    expect(coverageTexts({ fromMs: START_MS - 3 * 86_400_000, toMs: endMs })).toMatchObject([
      expect.stringMatching(/^DATA_STARTS_LATE: .*3 days after/),
    ]);
  });
  test('a second feed that covers half of the run gives a warning', () => {
    const halfFeed = { ...record.feeds[0]!, bars: testBars(testInstrument({ wireName: 'XYZUSD' }), ROWS / 2, 2) };
    expect(coverageTexts({ fromMs: START_MS, toMs: endMs, feeds: [...record.feeds, halfFeed] })).toEqual([
      'DATA_PARTIAL: XYZUSD 1m covers 2024-01-01 00:00 UTC to 2024-01-01 16:40 UTC of a run from 2024-01-01 00:00 UTC to 2024-01-02 09:20 UTC',
    ]);
  });
  test('feeds that cover the same part of the run share a warning', () => {
    const half = (wireName: string) => ({ ...record.feeds[0]!, bars: testBars(testInstrument({ wireName }), ROWS / 2, 2) });
    const feeds = [...record.feeds, ...['XUSD', 'YUSD', 'ZUSD'].map(half)];
    expect(coverageTexts({ fromMs: START_MS, toMs: endMs, feeds })).toEqual([
      'DATA_PARTIAL: XUSD 1m, YUSD 1m, ZUSD 1m cover 2024-01-01 00:00 UTC to 2024-01-01 16:40 UTC of a run from 2024-01-01 00:00 UTC to 2024-01-02 09:20 UTC',
    ]);
  });
  test('a symbol whose bars begin with its listing gives no warning, and one whose bars begin later does', () => {
    const runFrom = START_MS - 86_400_000;
    const first = { ...record.feeds[0]!, bars: testBars(testInstrument({ wireName: 'OLDUSD' }), ROWS + 1440, 2, runFrom) };
    const young = { ...record.feeds[0]!, bars: testBars(testInstrument({ wireName: 'XYZUSD' }), ROWS, 2), listedFromMs: START_MS };
    expect(coverageTexts({ fromMs: runFrom, toMs: endMs, feeds: [first, young] })).toEqual([]);
    const late = { ...young, listedFromMs: START_MS - 3_600_000 };
    expect(coverageTexts({ fromMs: runFrom, toMs: endMs, feeds: [first, late] })).toMatchObject([
      expect.stringMatching(/^DATA_PARTIAL: XYZUSD 1m covers 2024-01-01 00:00 UTC/),
    ]);
  });
});

describe('results', () => {
  const record = runRecord({ bars: [soundBars()], script: randomScript(2, { rows: ROWS, fills: 90 }) });
  const { metrics, trades } = buildSummary(record, { versions: {} });
  const resultCodes = (winRate: number, sharpe: number, count = 100) =>
    resultWarnings(record, { metrics: { ...metrics, sharpe }, trades: { ...trades, winRate, trades: count } });

  test('an ordinary result gives no warning', () => expect(resultCodes(0.6, 2)).toEqual([]));
  test('98 % winners give a warning, and 12 of 12 do not', () => {
    expect(resultCodes(0.98, 2).map(({ code }) => code)).toEqual(['RESULT_WINNERS']);
    expect(resultCodes(1, 2, 12)).toEqual([]);
  });
  test('a Sharpe ratio above 5 gives a warning', () => {
    expect(resultCodes(0.5, 5.01).map(({ code }) => code)).toEqual(['RESULT_SHARPE']);
    expect(resultCodes(0.5, 5)).toEqual([]);
  });
  test('fills of more than a tenth of the volume of a bar give a warning', () => {
    const { bars } = record.feeds[0]!;
    // Every fill of the script is of a few lots; a bar has 100 coins, a million lots.
    const warningsAtVolume = (volume: number) => {
      const feeds = [{ ...record.feeds[0]!, bars: { ...bars, volume: bars.volume.map(() => volume) } }];
      return resultWarnings({ ...record, feeds }, { metrics, trades: { ...trades, winRate: 0.5 } });
    };
    const max = Math.max(...record.fills.lots.subarray(0, record.fills.length)) / 1e4;
    expect(warningsAtVolume(max * 20)).toEqual([]);
    expect(warningsAtVolume(max / 2.65).map(({ code, text }) => [code, text.replace(/\s/g, ' ')])).toEqual([
      ['RESULT_VOLUME', expect.stringMatching(/^fills took more than 10 % of the volume of \d+ bars \(at most \d+ %\)$/)],
    ]);
    expect(warningsAtVolume(0)[0]!.text).toContain('bars without volume');
  });
  test('the warning about fills and volume does not depend on the order of the bookings', () => {
    const bars = testBars(testInstrument(), ROWS, 3);
    // Three fills in each of some rows.
    const script = Array.from({ length: 60 }, (_, index) => ({ row: Math.floor(index / 3), isBuy: true, lots: 1 + (index % 5) }));
    const recordWithManyFills = runRecord({ bars: [{ ...bars, volume: bars.volume.map(() => 8e-3) }], script });
    const { fills } = recordWithManyFills;
    const shuffledPlaces = Array.from({ length: fills.length }, (_, index) => index).toSorted((a, b) => (a % 3) - (b % 3) || b - a);
    const shuffledFills = { ...fills };
    for (const name of ['lots', 'timeMs', 'orderId', 'isMaker'] as const)
      Object.assign(shuffledFills, { [name]: fills[name].map((_: number, index: number) => fills[name][shuffledPlaces[index]!]!) });
    const texts = (booked: typeof fills) =>
      resultWarnings({ ...recordWithManyFills, fills: booked }, { metrics, trades: { ...trades, winRate: 0.5 } }).map(({ text }) => text);
    expect(texts(fills)).toHaveLength(1);
    expect(texts(shuffledFills)).toEqual(texts(fills));
  });
  test('the warning about fills and volume of inverse contracts counts in coins of the face value', () => {
    const inverse = testInstrument({ contract: { ...inverseContract().contract!, multiplierDigits: 0, multiplier: 100 } });
    const bars = testBars(inverse, ROWS, 5);
    const codesAtVolume = (volume: number) => {
      const feed = { ...record.feeds[0]!, bars: { ...bars, volume: bars.volume.map(() => volume) } };
      const inverseRecord = { ...record, instruments: [inverse], feeds: [feed] };
      return resultWarnings(inverseRecord, { metrics, trades: { ...trades, winRate: 0.5 } }).map(({ code }) => code);
    };
    // The largest fill, in coins of the volume: a contract is 100 of them.
    const value = (Math.max(...record.fills.lots.subarray(0, record.fills.length)) * 100) / 10 ** inverse.quantityDigits;
    expect([codesAtVolume(value * 20), codesAtVolume(value * 2)]).toEqual([[], ['RESULT_VOLUME']]);
  });
});
