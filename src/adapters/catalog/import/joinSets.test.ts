// Tests the join of two sets of bars against a map from time to row.

import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { emptyColumns, RAW } from '../files/columns.ts';
import { gapsBetween, joinSets, type BarSet } from './joinSets.ts';

const MINUTE_MS = 60_000;

/** A set whose rows are those minutes; its figures follow from the minute and from `salt`. */
function setOf(name: string, minutes: readonly number[], { salt = 0, openLastBar = false, isStored = false } = {}): BarSet {
  const raw = emptyColumns(minutes.length);
  for (const [row, minute] of minutes.entries()) {
    for (const column of RAW) raw[column][row] = column === 'openMs' ? minute * MINUTE_MS : minute + salt;
  }
  return { name, raw, openLastBar, isStored, placeOf: (row) => `${name}:${row + 1}` };
}
const minutesOf = ({ openMs }: { openMs: Float64Array }) => [...openMs].map((ms) => ms / MINUTE_MS);

it('joined sets have each time once, in order, however they overlap', () => {
  const minutes = fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 30 }).map((list) => list.toSorted((a, b) => a - b));
  const property = fc.property(fc.array(minutes, { minLength: 1, maxLength: 6 }), fc.boolean(), (lists, hasStored) => {
    const sets = lists.map((list, i) => setOf(String(i), list, { isStored: hasStored && i === 0 }));
    const { raw, repeats } = joinSets(sets);
    const all = [...new Set(lists.flat())].toSorted((a, b) => a - b);
    expect(minutesOf(raw)).toEqual(all);
    expect([...raw.close]).toEqual(all);
    const files = hasStored ? lists.slice(1) : lists;
    expect(repeats).toBe(files.flat().length - new Set(files.flat()).size);
  });
  fc.assert(property, { numRuns: 500 });
});

it('an error about a row that differs names both places, in any order of the sets', () => {
  const property = fc.property(fc.nat(19), fc.nat(3), (firstMinute, position) => {
    const minutes = Array.from({ length: 20 }, (_, i) => i);
    const sets = [setOf('b', minutes, { salt: 1 }), setOf('c', [40, 41]), setOf('d', [50])];
    const laterMinutes = minutes.filter((minute) => minute >= firstMinute);
    sets.splice(position, 0, setOf('a', laterMinutes));
    const [first, second] = position === 0 ? ['a:1', `b:${firstMinute + 1}`] : [`b:${firstMinute + 1}`, 'a:1'];
    expect(() => joinSets(sets)).toThrow(new RegExp(`^${second}: the bar of .* differs from that of ${first}: open`));
  });
  fc.assert(property);
});

it('joined sets replace a row that had not closed, and leave a closed one', () => {
  const old = setOf('old', [1, 2, 3], { salt: 5, openLastBar: true });
  old.raw.close[0] = old.raw.open[0] = old.raw.high[0] = old.raw.low[0] = old.raw.volume[0] = 1;
  for (const column of ['open', 'high', 'low', 'close', 'volume'] as const) old.raw[column][1] = 2;
  const later = setOf('later', [2, 3, 4]);
  for (const sets of [
    [old, later],
    [later, old],
  ]) {
    const { raw, openLastBar } = joinSets(sets);
    expect([[...raw.close], openLastBar]).toEqual([[1, 2, 3, 4], false]);
  }
  const same = setOf('same', [3]);
  expect(joinSets([old, same])).toMatchObject({ openLastBar: false });
  expect(joinSets([old, { ...same, openLastBar: true }])).toMatchObject({ openLastBar: true });
});

it('gapsBetween reports the bars that are missing between files, but not those within a file', () => {
  const sets = [setOf('c', [20, 25]), setOf('a', [1, 2, 9]), setOf('b', [3, 4]), setOf('d', [26])];
  expect(gapsBetween(sets, '1m')).toEqual([{ after: 'a', before: 'c', afterMs: 9 * MINUTE_MS, bars: 10 }]);
});
