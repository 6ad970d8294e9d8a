// Tests median and percentiles against sorted windows, over series with equal values, zeros of both signs and holes.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyBars } from '../../../test/fixtures/syntheticBars.ts';
import { div } from '../arithmetic/arithmetic.ts';
import { IndicatorSet } from '../graph/indicatorSet.ts';
import { median, percentile } from './statistics.ts';

it('median and percentile equal those of the sorted window, after holes and in blocks of any size', () => {
  const value = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constant(-0),
    fc.constant(NaN),
    fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  );
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 120 }),
      fc.integer({ min: 1, max: 12 }),
      fc.double({ min: 0, max: 100, noNaN: true }),
      fc.constantFrom(1, 3, 64),
      (values, bars, percent, blockRows) => {
        const columns = emptyBars(values.length);
        for (const [row, x] of values.entries()) {
          columns.close[row] = Number.isNaN(x) ? 1 : x;
          columns.volume[row] = Number.isNaN(x) ? 0 : 1;
        }
        const cursor = { row: -1 };
        const set = new IndicatorSet(columns, cursor, blockRows);
        const source = div(set.series.close, set.series.volume);
        const medians = set.use(median(source, bars));
        const percentiles = set.use(percentile(source, bars, percent));
        set.seal();
        for (let row = 0; row < values.length; row++) {
          if (row % blockRows === 0) for (const kernel of set.kernels) kernel.fill(row, Math.min(values.length, row + blockRows));
          cursor.row = row;
          const window = values.slice(Math.max(0, row - bars + 1), row + 1);
          const sorted = window.toSorted((a, b) => a - b);
          const isComplete = window.length === bars && !window.some(Number.isNaN);
          const at = (position: number) => sorted[position]! + 0;
          const place = (percent / 100) * (bars - 1);
          const low = at(Math.floor(place));
          const high = at(Math.min(bars - 1, Math.floor(place) + 1));
          expect(medians.value, `median at row ${row}`).toBe(isComplete ? (at((bars - 1) >> 1) + at(bars >> 1)) / 2 : NaN);
          expect(percentiles.value, `percentile at row ${row}`).toBe(isComplete ? low + (high - low) * (place - Math.floor(place)) : NaN);
        }
      },
    ),
  );
});
