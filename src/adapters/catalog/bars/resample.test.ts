// Tests coarser bars against a naive walk, and when a coarse bar is complete.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { closeOf, nests, openOf, type Interval } from '../../../model/interval.ts';
import { synthesizeBars } from '../generate/generate.ts';
import { resample } from './resample.ts';
import { sliceColumns, barsOf } from '../files/columns.ts';

const JAN_2024 = Date.UTC(2024, 0, 1);
const firstRows = (bars: BarColumns, to: number) => barsOf(sliceColumns(bars, 0, to), bars.instrument, bars.interval);

/** Groups rows by their coarse bar, in a map of arrays. */
function resampleNaively(bars: BarColumns, interval: Interval) {
  const groups = new Map<number, number[]>();
  for (let i = 0; i < bars.length; i++) {
    const open = openOf(interval, bars.openMs[i]!);
    groups.set(open, [...(groups.get(open) ?? []), i]);
  }
  const end = bars.closeMs[bars.length - 1]!;
  return [...groups]
    .filter(([open]) => closeOf(interval, open) <= end)
    .map(([open, rows]) => ({
      timeAndPrices: [
        open,
        bars.open[rows[0]!],
        Math.max(...rows.map((i) => bars.high[i]!)),
        Math.min(...rows.map((i) => bars.low[i]!)),
        bars.close[rows.at(-1)!],
      ],
      volume: rows.reduce((sum, i) => sum + bars.volume[i]!, 0),
      count: rows.length,
    }));
}

describe('resample', () => {
  it('resample agrees with a naive walk over generated bars with gaps', () => {
    const pairs: [Interval, Interval][] = [
      ['1m', '5m'],
      ['1m', '1h'],
      ['5m', '30m'],
      ['1h', '1d'],
      ['1h', '1w'],
      ['4h', '1M'],
      ['1d', '1M'],
      ['15m', '4h'],
      ['5s', '1m'],
      ['1s', '15s'],
      ['1m', '3m'],
      ['1m', '7m'],
      ['3m', '2h'],
      ['2h', '12h'],
      ['1h', '3d'],
      ['1d', '2w'],
      ['8h', '1M'],
    ];
    const property = fc.property(
      fc.constantFrom(...pairs),
      fc.nat(),
      fc.integer({ min: 1, max: 700 }),
      fc.nat(10_000),
      (pair, seed, rows, offset) => {
        const [from, to] = pair;
        const bars = synthesizeBars({
          symbol: 'SYNUSDT',
          interval: from,
          fromMs: JAN_2024 + offset * 60_000,
          bars: rows,
          seed,
          gapShare: 0.3,
        });
        const { bars: coarse, barsIn } = resample(bars, to);
        const expected = resampleNaively(bars, to);
        expect(expected.map((group) => group.count)).toEqual([...barsIn]);
        expect(expected.map((group) => group.volume)).toEqual([...coarse.volume]);
        const coarseRows = Array.from({ length: coarse.length }, (_, i) => [
          coarse.openMs[i],
          coarse.open[i],
          coarse.high[i],
          coarse.low[i],
          coarse.close[i],
        ]);
        expect(coarseRows).toEqual(expected.map((group) => group.timeAndPrices));
        expect([...coarse.closeMs]).toEqual([...coarse.openMs].map((open) => closeOf(to, open)));
      },
    );
    fc.assert(property, { numRuns: 150 });
  });

  it('resample emits a bar once its interval has ended and not before', () => {
    const bars = synthesizeBars({ symbol: 'SYNUSDT', interval: '1m', fromMs: JAN_2024, bars: 180, seed: 1 });
    expect(resample(firstRows(bars, 59), '1h').bars.length).toBe(0);
    expect(resample(firstRows(bars, 60), '1h').bars.length).toBe(1);
    expect(resample(firstRows(bars, 119), '1h').bars.length).toBe(1);
    // The last minutes of the hour are missing: the next hour's first minute ends it.
    const holed = { ...bars, openMs: bars.openMs.map((ms, i) => (i < 50 ? ms : ms + 10 * 60_000)) };
    const late = barsOf(holed, bars.instrument, '1m');
    expect(resample(firstRows(late, 50), '1h').bars.length).toBe(0);
    const { bars: hour, barsIn, thin } = resample(firstRows(late, 51), '1h');
    expect([hour.length, barsIn[0], thin, hour.close[0]]).toEqual([1, 50, 1, bars.close[49]]);
    // A part of a longer source knows how far the source goes.
    expect(resample(firstRows(late, 50), '1h', 0, late.closeMs[50]).bars.length).toBe(1);
  });

  it('resample adds nothing that later rows could change', () => {
    const bars = synthesizeBars({ symbol: 'SYNUSDT', interval: '1m', fromMs: JAN_2024, bars: 2000, seed: 2, gapShare: 0.2 });
    const whole = resample(bars, '15m').bars;
    for (let rows = 1; rows < bars.length; rows += 37) {
      const part = resample(firstRows(bars, rows), '15m').bars;
      expect([...part.close]).toEqual([...whole.close.subarray(0, part.length)]);
      expect([...part.volume]).toEqual([...whole.volume.subarray(0, part.length)]);
    }
  });

  it('resample drops bars below the minimum coverage, and counts those that have fewer source bars than others', () => {
    const bars = synthesizeBars({ symbol: 'SYNUSDT', interval: '1m', fromMs: JAN_2024, bars: 30_000, seed: 3, gapShare: 0.1 });
    const allBars = resample(bars, '1h');
    const covered = resample(bars, '1h', 0.9);
    expect(allBars.thin).toBe([...allBars.barsIn].filter((count) => count < 60).length);
    expect(covered.dropped).toBe([...allBars.barsIn].filter((count) => count < 54).length);
    expect(covered.dropped).toBeGreaterThan(10);
    expect(covered.bars.length + covered.dropped).toBe(allBars.bars.length);
    expect(Math.min(...covered.barsIn)).toBe(54);
    expect(resample(bars, '1h', 1).thin).toBe(0);
  });

  it('resample returns a bar with exactly the minimum coverage, also if the product of binary fractions is above it', () => {
    const day = synthesizeBars({ symbol: 'SYNUSDT', interval: '1m', fromMs: JAN_2024, bars: 1440, seed: 3 });
    // 1440 * 0.55 is 792.0000000000001.
    expect([...resample(barsOf(sliceColumns(day, 648, 1440), day.instrument, '1m'), '1d', 0.55).barsIn]).toEqual([792]);
  });

  it('resample refuses intervals that do not nest', () => {
    const bars = synthesizeBars({ symbol: 'SYNUSDT', interval: '1h', fromMs: JAN_2024, bars: 10, seed: 3 });
    for (const interval of ['1m', '30m', '1h'] as const)
      expect(() => resample(bars, interval)).toThrow(`${interval} bars cannot be made from 1h bars`);
    expect(nests('1w', '1M')).toBe(false);
    expect(nests('1d', '1M')).toBe(true);
    expect(nests('1d', '1w')).toBe(true);
    expect(nests('1M', '1w')).toBe(false);
  });
});
