// Tests series of other feeds and ranks over feeds whose bars close together, at other times or several at once, against plain look-ups.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyBars } from '../../../test/fixtures/syntheticBars.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import { sub, where } from '../arithmetic/arithmetic.ts';
import { rank } from '../arithmetic/ranks.ts';
import { sma } from '../averages.ts';
import { above, and } from '../signals.ts';
import { IndicatorSet } from './indicatorSet.ts';

const MINUTE_MS = 60_000;
const START_MS = 1_704_067_200_000;
const ROWS = 150;

/** Bars of one feed: minutes between two closes (0: several bars close at once), and closes of few levels, so that values are equal at times. */
const feed = (minGap: number) =>
  fc
    .array(
      fc.record({
        rows: fc.integer({ min: 1, max: 90 }),
        gap: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: minGap, max: 7 })),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .chain((stretches) => {
      const gaps = stretches.flatMap(({ rows, gap }) => Array.from({ length: rows }, () => gap)).slice(0, ROWS);
      return fc.record({
        gaps: fc.constant(gaps),
        closes: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: gaps.length, maxLength: gaps.length }),
      });
    });

/** Returns the bars of a feed. Its column of closes is longer, as in live, and the content behind the last bar must not count. */
function barsOf({ gaps, closes }: { readonly gaps: readonly number[]; readonly closes: readonly number[] }, name: string): BarColumns {
  const bars = emptyBars(gaps.length);
  const closeMs = new Float64Array(gaps.length + ROWS);
  let ms = START_MS;
  for (const [row, gap] of gaps.entries()) {
    ms += gap * MINUTE_MS;
    closeMs[row] = ms;
    bars.openMs[row] = ms - MINUTE_MS;
    bars.close[row] = closes[row]!;
  }
  for (let row = gaps.length; row < closeMs.length; row++) closeMs[row] = ms += MINUTE_MS;
  return { ...bars, closeMs, instrument: { ...bars.instrument, wireName: name } };
}

/** Returns the newest row that had closed at `ms`, -1 before the first. */
const newestRow = ({ closeMs, length }: BarColumns, ms: number): number =>
  closeMs.findLastIndex((closed, row) => row < length && closed <= ms);
const meanOfTwo = ({ close }: BarColumns, row: number): number => (row < 1 ? NaN : (close[row - 1]! + close[row]!) / 2);

it('a series of another feed has the newest value that had closed, and a rank counts the symbols that are fresh', () => {
  fc.assert(
    fc.property(feed(1), feed(0), feed(0), fc.constantFrom(1, 2, 7, 64), (ownFeed, secondFeed, thirdFeed, blockRows) => {
      const feeds = [barsOf(ownFeed, 'AUSDT'), barsOf(secondFeed, 'BUSDT'), barsOf(thirdFeed, 'CUSDT')];
      const cursors = feeds.map(() => ({ row: -1 }));
      const sets = feeds.map((bars, index) => new IndicatorSet(bars, cursors[index]!, index === 0 ? blockRows : ROWS));
      const [own, second, third] = sets.map(({ series }) => series);
      const means = [own!, second!, third!].map(({ close }) => sma(close, 2));
      const set = sets[0]!;
      const difference = set.use(sub(own!.close, means[1]!));
      const chosen = set.use(where(and(above(own!.close, 0), above(second!.close, 3)), own!.close, third!.close));
      const ranks = [rank(means[0]!, means), rank(own!.close, [second!.close, own!.close, third!.close])].map((spec) => set.use(spec));
      for (const each of sets) each.seal();
      const bars = feeds[0]!;
      const filled = [0, 0, 0];
      for (let from = 0; from < bars.length; from += blockRows) {
        const to = Math.min(bars.length, from + blockRows);
        for (const [index, each] of sets.entries()) {
          const end = index === 0 ? to : newestRow(feeds[index]!, bars.closeMs[to - 1]!) + 1;
          for (const kernel of each.kernels) kernel.fill(filled[index]!, end);
          filled[index] = end;
        }
        for (const kernel of set.linked.flat()) kernel.fill(from, to);
        for (let row = from; row < to; row++) {
          cursors[0]!.row = row;
          const ms = bars.closeMs[row]!;
          const rows = feeds.map((each) => newestRow(each, ms));
          const closes = feeds.map((each, index) => each.close[rows[index]!] ?? NaN);
          expect(difference.value, `difference at row ${row}`).toBe(closes[0]! - meanOfTwo(feeds[1]!, rows[1]!));
          let expected = NaN;
          if (closes[1]! > 3) expected = closes[0]!;
          else if (closes[1]! <= 3) expected = closes[2]!;
          expect(chosen.value, `choice at row ${row}`).toBe(expected);
          const isFresh = (index: number) => ms - (feeds[index]!.closeMs[rows[index]!] ?? -Infinity) < 2 * MINUTE_MS;
          const rankOf = (values: readonly number[], order: readonly number[]) => {
            if (Number.isNaN(values[0])) return NaN;
            const isHigher = (index: number) =>
              values[index]! > values[0]! || (values[index] === values[0] && order.indexOf(index) < order.indexOf(0));
            return 1 + order.filter((index) => index !== 0 && isFresh(index) && isHigher(index)).length;
          };
          const meanValues = feeds.map((each, index) => meanOfTwo(each, rows[index]!));
          expect(ranks[0]!.value, `rank of the mean at row ${row}`).toBe(rankOf(meanValues, [0, 1, 2]));
          expect(ranks[1]!.value, `rank of the close at row ${row}`).toBe(rankOf(closes, [1, 0, 2]));
        }
      }
    }),
    { numRuns: 150 },
  );
}, 60_000);
