// Tests that the writer of a report aggregates bars as the page does: from prices, or from a shorter level.

import { describe, expect, test } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { INTERVALS, typicalLengthMs, type Interval } from '../../model/interval.ts';
import { CLEAN_QUALITY, type FeedRecord } from '../../model/run/run.ts';
import { MINUTE, START_MS, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import { ChartBars } from './chartBars.ts';
import { coarsen, ladder, type ChartLevel } from './page/rows/levels.ts';

const QUALITY = { ...CLEAN_QUALITY, synthetic: true };

/** Returns a feed with gaps of up to 3 days. It begins and ends inside the bars that it is aggregated to. */
function feedWithGaps(interval: Interval, rows: number, firstRow: number): FeedRecord {
  const bars = { ...testBars(testInstrument(), rows), interval };
  const random = seededRng(3);
  const step = typicalLengthMs(interval);
  let ms = START_MS + 7 * MINUTE;
  for (let row = 0; row < rows; row++) {
    bars.openMs[row] = ms;
    ms += step * (random.next() < 0.02 ? Math.ceil((random.next() * 4320 * MINUTE) / step) : 1);
  }
  return { name: 'bars', bars, firstRow, execution: true, quality: QUALITY };
}

/** Returns a level with arrays in place of typed arrays, so that levels can be compared. */
function plainLevel(level: ChartLevel): Readonly<Record<string, unknown>> {
  const members = Object.entries(level).map(([name, value]) => [name, ArrayBuffer.isView(value) ? [...(value as Int32Array)] : value]);
  return Object.fromEntries(members);
}

describe.each([
  ['1m', 0],
  ['1m', 131],
  ['1h', 5],
] as const)('bars of %s from row %i on', (interval, firstRow) => {
  const feed = feedWithGaps(interval, 6000, firstRow);
  const baseLevel = new ChartBars(feed).level(interval);

  test.each(ladder(interval).slice(1))('the writer aggregates bars to the same %s bars as the page', (longer) => {
    expect(plainLevel(new ChartBars(feed).level(longer))).toEqual(plainLevel(coarsen(baseLevel, longer)));
  });

  test('the writer aggregates bars through each shorter interval to the same bars as the page', () => {
    const chart = new ChartBars(feed);
    for (const longer of INTERVALS.slice(INTERVALS.indexOf(interval) + 1)) {
      expect(plainLevel(chart.level(longer)), longer).toEqual(plainLevel(coarsen(baseLevel, longer)));
    }
  });
});
