// The writer aggregates bars as the page does: from prices, or from a level that was made before.

import { describe, expect, test } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { INTERVALS, typicalLengthMs, type Interval } from '../../model/interval.ts';
import type { FeedRecord } from '../../model/run/run.ts';
import { MINUTE, START_MS, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import { ChartBars } from './chartBars.ts';
import { coarsen, ladder, type ChartLevel } from './page/rows/levels.ts';

const QUALITY = { manifestHash: '', rows: 0, gaps: 0, missingBars: 0, thinBars: 0, zeroVolume: 0, roundedPrices: 0, openLastBar: false, synthetic: true }; // prettier-ignore

/** Bars with gaps of up to 3 days, which begin and end inside the bars that they are aggregated to. */
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

const plain = (level: ChartLevel) => Object.fromEntries(Object.entries(level).map(([name, of]) => [name, ArrayBuffer.isView(of) ? [...(of as Int32Array)] : of])); // prettier-ignore

describe.each([
  ['1m', 0],
  ['1m', 131],
  ['1h', 5],
] as const)('bars of %s from row %i on', (interval, firstRow) => {
  const feed = feedWithGaps(interval, 6000, firstRow);
  const own = new ChartBars(feed).level(interval);

  test.each(ladder(interval).slice(1))('make the same bars of %s as the page makes', (longer) => {
    expect(plain(new ChartBars(feed).level(longer))).toEqual(plain(coarsen(own, longer)));
  });

  test('make the same bars by way of each shorter interval', () => {
    const chart = new ChartBars(feed);
    for (const longer of INTERVALS.slice(INTERVALS.indexOf(interval) + 1)) {
      expect(plain(chart.level(longer)), longer).toEqual(plain(coarsen(own, longer)));
    }
  });
});
