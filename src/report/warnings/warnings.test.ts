// Warnings about bars, coverage and results: each planted fault is found, and sound data give no warning.

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
const sound = (seed = 5) => testBars(instrument, ROWS, seed);
type Price = 'open' | 'high' | 'low' | 'close';
const PRICES: readonly Price[] = ['open', 'high', 'low', 'close'];

/** Multiplies prices of the rows [from, to). */
function times(bars: BarColumns, from: number, to: number, factor: number, prices: readonly Price[] = PRICES): BarColumns {
  for (const price of prices) for (let row = from; row < to; row++) bars[price][row]! *= factor;
  return bars;
}
function still(bars: BarColumns, from: number, rows: number): BarColumns {
  for (let row = from; row < from + rows; row++) {
    for (const price of PRICES) bars[price][row] = bars.close[from - 1]!;
    bars.volume[row] = 0;
  }
  return bars;
}
const codes = (bars: BarColumns) => priceWarnings(bars).map(({ code }) => code);

describe('bars', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('a sound walk of seed %i has no warning', (seed) => expect(codes(sound(seed))).toEqual([]));

  test.each<readonly [string, (bars: BarColumns) => BarColumns, string]>([
    ['a bar × 100', (bars) => times(bars, 700, 701, 100), 'DATA_JUMP'],
    ['a bar × 0.01', (bars) => times(bars, 700, 701, 0.01), 'DATA_JUMP'],
    ['three bars × 3', (bars) => times(bars, 700, 703, 3), 'DATA_JUMP'],
    ['a high × 10', (bars) => times(bars, 700, 701, 10, ['high']), 'DATA_JUMP'],
    ['a low × 0.01', (bars) => times(bars, 700, 701, 0.01, ['low']), 'DATA_JUMP'],
    ['a close × 100', (bars) => times(bars, 700, 701, 100, ['high', 'close']), 'DATA_JUMP'],
    ['an open × 100', (bars) => times(bars, 700, 701, 100, ['open', 'high']), 'DATA_JUMP'],
    ['the first bar × 100', (bars) => times(bars, 0, 1, 100), 'DATA_LEVEL'],
    ['a split by two', (bars) => times(bars, 1200, ROWS, 0.5), 'DATA_LEVEL'],
    ['a split three for two', (bars) => times(bars, 1200, ROWS, 2 / 3), 'DATA_LEVEL'],
    ['a reverse split by ten', (bars) => times(bars, 1200, ROWS, 10), 'DATA_LEVEL'],
    ['24 bars without a move', (bars) => still(bars, 900, 24), 'DATA_DEAD'],
    ['500 bars without a move', (bars) => still(bars, 900, 500), 'DATA_DEAD'],
    ['no move at the end', (bars) => still(bars, ROWS - 40, 40), 'DATA_DEAD'],
  ])('bars: %s', (_, plant, code) => {
    for (const seed of [1, 2, 3]) expect(codes(plant(sound(seed)))).toEqual([code]);
  });

  test('23 bars without a move are a quiet market', () => expect(codes(still(sound(), 900, 22))).toEqual([]));

  test('a copied stretch is dead as well, and the text has the figures', () => {
    const bars = sound();
    for (let row = 1000; row < 1060; row++) for (const price of PRICES) bars[price][row] = bars[price][999]!;
    expect(priceWarnings(times(bars, 1500, 1501, 100))).toMatchObject([
      { code: 'DATA_JUMP', text: 'ABCUSD 1m: 1 bar with a price that jumps and returns, at 2024-01-02 01:00 UTC', file: null, line: null },
      {
        code: 'DATA_DEAD',
        text: 'ABCUSD 1m: 1 stretch of bars in which no price moves, at 2024-01-01 16:40 UTC (60 bars at most)',
      },
    ]);
  });

  test('klines of a mark price are looked at as bars are, and named', () => {
    expect(markWarnings('ABCUSD', '1h', sound())).toEqual([]);
    expect(markWarnings('ABCUSD', '1h', times(sound(), 700, 701, 0.01, ['low']))).toMatchObject([
      { code: 'DATA_JUMP', text: 'ABCUSD mark 1h: 1 bar with a price that jumps and returns, at 2024-01-01 11:40 UTC' },
    ]);
  });

  test('a price that is another one after an outage of two days is not a change of level', () => {
    const bars = times(sound(), 1200, ROWS, 2);
    for (let row = 1200; row < ROWS; row++) {
      bars.openMs[row]! += 2 * 86_400_000;
      bars.closeMs[row]! += 2 * 86_400_000;
    }
    expect(codes(bars)).toEqual([]);
  });
});

describe('coverage', () => {
  const bars = sound();
  const record = runRecord({ bars: [bars], script: [] });
  const of = (change: Partial<RunRecord>) => coverageWarnings({ ...record, ...change }).map(({ code, text }) => `${code}: ${text}`);
  const endMs = START_MS + ROWS * 60_000;

  test('bars that cover the run give no warning', () => expect(of({ fromMs: START_MS, toMs: endMs })).toEqual([]));
  test('bars that end ten days before the run', () => {
    expect(of({ fromMs: START_MS, toMs: endMs + 10 * 86_400_000 })).toEqual([
      'DATA_ENDS_EARLY: the bars end at 2024-01-02 09:20 UTC, 10 days before the end of the run: that time counts as days without a result',
    ]);
  });
  test('bars that begin three days after the start of the run', () => {
    expect(of({ fromMs: START_MS - 3 * 86_400_000, toMs: endMs })).toMatchObject([
      expect.stringMatching(/^DATA_STARTS_LATE: .*3 days after/),
    ]);
  });
  test('a second feed that covers half of the run', () => {
    const half = { ...record.feeds[0]!, bars: testBars(testInstrument({ wireName: 'XYZUSD' }), ROWS / 2, 2) };
    expect(of({ fromMs: START_MS, toMs: endMs, feeds: [...record.feeds, half] })).toEqual([
      'DATA_PARTIAL: XYZUSD 1m covers 2024-01-01 00:00 UTC to 2024-01-01 16:40 UTC of a run from 2024-01-01 00:00 UTC to 2024-01-02 09:20 UTC',
    ]);
  });
});

describe('results', () => {
  const record = runRecord({ bars: [sound()], script: randomScript(2, { rows: ROWS, fills: 90 }) });
  const { metrics, trades } = buildSummary(record, { versions: {} });
  const of = (winRate: number, sharpe: number, count = 100) =>
    resultWarnings(record, { metrics: { ...metrics, sharpe }, trades: { ...trades, winRate, trades: count } });

  test('an ordinary result gives no warning', () => expect(of(0.6, 2)).toEqual([]));
  test('98 % winners, but not 12 of 12', () => {
    expect(of(0.98, 2).map(({ code }) => code)).toEqual(['RESULT_WINNERS']);
    expect(of(1, 2, 12)).toEqual([]);
  });
  test('a Sharpe ratio above 5, not 5 itself', () => {
    expect(of(0.5, 5.01).map(({ code }) => code)).toEqual(['RESULT_SHARPE']);
    expect(of(0.5, 5)).toEqual([]);
  });
  test('fills of more than a tenth of a bar', () => {
    const { bars } = record.feeds[0]!;
    // Every fill of the script is of a few lots; a bar has 100 coins, a million lots.
    const thin = (volume: number) => {
      const feeds = [{ ...record.feeds[0]!, bars: { ...bars, volume: bars.volume.map(() => volume) } }];
      return resultWarnings({ ...record, feeds }, { metrics, trades: { ...trades, winRate: 0.5 } });
    };
    const max = Math.max(...record.fills.lots.subarray(0, record.fills.length)) / 1e4;
    expect(thin(max * 20)).toEqual([]);
    expect(thin(max / 2.65).map(({ code, text }) => [code, text.replace(/\s/g, ' ')])).toEqual([
      ['RESULT_VOLUME', expect.stringMatching(/^fills took more than 10 % of the volume of \d+ bars \(at most \d+ %\)$/)],
    ]);
    expect(thin(0)[0]!.text).toContain('bars without volume');
  });
  test('fills of more than a tenth of a bar, in whichever order they were booked', () => {
    const bars = testBars(testInstrument(), ROWS, 3);
    // Three fills in each of some rows.
    const script = Array.from({ length: 60 }, (_, at) => ({ row: Math.floor(at / 3), isBuy: true, lots: 1 + (at % 5) }));
    const many = runRecord({ bars: [{ ...bars, volume: bars.volume.map(() => 8e-3) }], script });
    const { fills } = many;
    const places = Array.from({ length: fills.length }, (_, at) => at).toSorted((a, b) => (a % 3) - (b % 3) || b - a);
    const moved = { ...fills };
    for (const name of ['lots', 'timeMs', 'orderId', 'isMaker'] as const)
      Object.assign(moved, { [name]: fills[name].map((_: number, at: number) => fills[name][places[at]!]!) });
    const texts = (booked: typeof fills) =>
      resultWarnings({ ...many, fills: booked }, { metrics, trades: { ...trades, winRate: 0.5 } }).map(({ text }) => text);
    expect(texts(fills)).toHaveLength(1);
    expect(texts(moved)).toEqual(texts(fills));
  });
  test('results of inverse contracts too: volumes of bars are in the coin of the face value', () => {
    const inverse = testInstrument({ contract: { ...inverseContract().contract!, multiplierDigits: 0, multiplier: 100 } });
    const bars = testBars(inverse, ROWS, 5);
    const taken = (volume: number) => {
      const feed = { ...record.feeds[0]!, bars: { ...bars, volume: bars.volume.map(() => volume) } };
      const given = { ...record, instruments: [inverse], feeds: [feed] };
      return resultWarnings(given, { metrics, trades: { ...trades, winRate: 0.5 } }).map(({ code }) => code);
    };
    // The largest fill, in coins of the volume: a contract is 100 of them.
    const value = (Math.max(...record.fills.lots.subarray(0, record.fills.length)) * 100) / 10 ** inverse.quantityDigits;
    expect([taken(value * 20), taken(value * 2)]).toEqual([[], ['RESULT_VOLUME']]);
  });
});
