// Tests how far a trade ran for and against its position while it was open: by hand, and against a naive walk.

import { describe, expect, test } from 'vitest';
import { MINUTE, randomScript, runRecord, START_MS, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import { PAYMENTS, type PaymentColumns } from '../../model/run/run.ts';
import { tradesOf } from './trades.ts';

const UNITS_PER_USDT = 1e8;
const instrument = testInstrument();

const barsWithPrices = (rows: readonly (readonly [open: number, high: number, low: number, close: number])[]) => {
  const bars = testBars(testInstrument({ makerFeePpm: 0, takerFeePpm: 0 }), rows.length);
  for (const [i, name] of (['open', 'high', 'low', 'close'] as const).entries()) rows.forEach((row, r) => (bars[name][r] = row[i]!));
  return bars;
};

describe('excursions', () => {
  const rows = [
    [100, 200, 1, 100],
    [100, 150, 50, 110],
    [110, 130, 90, 120],
    [120, 125, 80, 100],
    [100, 300, 2, 105],
  ] as const;
  const unit = { lots: 10_000 };

  test('excursions use high and low of whole bars, and only fills and the entry close of the bars of the fills', () => {
    const { closed, path } = tradesOf(
      runRecord({
        bars: [barsWithPrices(rows)],
        script: [
          { row: 1, isBuy: true, ...unit },
          { row: 4, isBuy: false, ...unit },
        ],
      }),
    );
    expect(path).toBe('coarse');
    expect([closed.maeUnits[0], closed.mfeUnits[0]]).toEqual([-20 * UNITS_PER_USDT, 30 * UNITS_PER_USDT]);
    expect(closed.mfeFraction[0]).toBeCloseTo(0.3, 12);
  });

  test('excursions do not use high and low of a bar in which a resting limit fills', () => {
    const { closed } = tradesOf(
      runRecord({
        bars: [barsWithPrices(rows)],
        script: [
          { row: 1, isBuy: true, ...unit },
          { row: 3, isBuy: false, ...unit, inside: true, isMaker: true, price: 12_200 },
        ],
      }),
    );
    expect([closed.maeUnits[0], closed.mfeUnits[0]]).toEqual([-10 * UNITS_PER_USDT, 30 * UNITS_PER_USDT]);
  });

  /** Returns the trade of a buy in row 1 that is stopped at `price` in row `row`. */
  const stoppedTrade = (price: number, row: number, inside: boolean, limit = 9500) =>
    tradesOf(
      runRecord({
        bars: [barsWithPrices(rows)],
        script: [
          { row: 1, isBuy: true, ...unit },
          { row, isBuy: false, ...unit, inside, price, role: 'stopLoss', limit },
        ],
      }),
    ).closed;
  test('excursions use high and low of the bar before a stop only if the stop fills at the open', () => {
    const inside = stoppedTrade(9500, 2, true);
    expect([inside.maeUnits[0], inside.mfeUnits[0]]).toEqual([-5 * UNITS_PER_USDT, 10 * UNITS_PER_USDT]);
    // At the open of row 4, 100.00 by its gap from 105.00: row 3 was whole.
    expect(stoppedTrade(10_000, 4, false, 10_500).maeUnits[0]).toBe(-20 * UNITS_PER_USDT);
    // Slippage from 101.00 to 100.40 leads near the open of row 4, but no sell is above the open at which it triggers: it was in row 3.
    expect(stoppedTrade(10_040, 3, true, 10_100).maeUnits[0]).toBe(-10 * UNITS_PER_USDT);
  });

  test('excursions before a liquidation do not include the loss that others covered', () => {
    const record = runRecord({
      bars: [barsWithPrices(rows)],
      script: [
        { row: 1, isBuy: true, ...unit },
        { row: 3, isBuy: false, ...unit, inside: true, price: 5000, role: 'liquidation' },
      ],
    });
    const covered: PaymentColumns = {
      length: 1,
      timeMs: record.fills.timeMs.slice(1),
      strategy: Uint8Array.of(0),
      instrument: Uint16Array.of(0),
      kind: Uint8Array.of(PAYMENTS.indexOf('covered')),
      isLong: Uint8Array.of(1),
      units: Float64Array.of(42 * UNITS_PER_USDT),
      afterFills: Float64Array.of(1),
    };
    const { closed } = tradesOf({ ...record, payments: covered });
    expect([closed.pnlUnits[0], closed.maeUnits[0], closed.mfeUnits[0]]).toEqual([
      -8 * UNITS_PER_USDT,
      -10 * UNITS_PER_USDT,
      30 * UNITS_PER_USDT,
    ]);
  });

  test('a trade that enters and exits in one bar has no excursions from that bar', () => {
    const { closed } = tradesOf(
      runRecord({
        bars: [barsWithPrices(rows)],
        script: [
          { row: 1, isBuy: true, ...unit },
          { row: 1, isBuy: false, ...unit, inside: true, isMaker: true, price: 10_300 },
        ],
      }),
    );
    expect([closed.maeUnits[0], closed.mfeUnits[0]]).toEqual([0, 3 * UNITS_PER_USDT]);
  });

  test('excursions equal those of a naive walk over every bar of every trade', () => {
    const record = runRecord({ bars: [testBars(instrument, 3000, 9)], script: randomScript(4, { rows: 3000, fills: 300 }) });
    const { closed } = tradesOf(record);
    const { fills, feeds } = record;
    const { bars } = feeds[0]!;
    expect(closed.length).toBeGreaterThan(50);
    for (let t = 0; t < closed.length; t++) {
      const tradeFills = Array.from({ length: fills.length }, (_, i) => i).filter(
        (i) => fills.timeMs[i]! >= closed.entryMs[t]! && fills.timeMs[i]! <= closed.exitMs[t]!,
      );
      let cash = 0;
      let base = 0;
      let worst = 0;
      let best = 0;
      const updateExtremes = (price: number) => {
        worst = Math.min(worst, Math.round(cash + base * price));
        best = Math.max(best, Math.round(cash + base * price));
      };
      for (const [k, i] of tradeFills.entries()) {
        const direction = fills.side[i] === 0 ? 1 : -1;
        cash -= direction * fills.notional[i]! + fills.fee[i]!;
        base += direction * fills.lots[i]! * 1e4;
        updateExtremes(fills.price[i]! / 100);
        const fillRow = (fills.timeMs[i]! - START_MS) / MINUTE;
        const nextFillRow = k + 1 < tradeFills.length ? (fills.timeMs[tradeFills[k + 1]!]! - START_MS) / MINUTE : fillRow;
        for (let row = fillRow; row < nextFillRow; row++) {
          if (row === fillRow) updateExtremes(bars.close[row]!);
          else [bars.high[row]!, bars.low[row]!].forEach(updateExtremes);
        }
      }
      expect([closed.maeUnits[t], closed.mfeUnits[t]]).toEqual([worst, best]);
    }
  });
});
