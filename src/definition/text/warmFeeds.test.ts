// Tests a feed whose bars are longer than the run: it only brings warm-up bars, and another feed of the symbol trades.

import { describe, expect, it } from 'vitest';
import { coarser, spotInstrument, START_MS, walkBars } from '../../../test/engine/backtestFixture.ts';
import { SYNTHETIC } from '../../adapters/catalog/bars/barQuality.ts';
import { memoryStore, wholeSet } from '../../adapters/catalog/bars/barStore.ts';
import { loadFeeds } from '../load/feeds.ts';
import { parseDefinition } from './parse.ts';
import { yamlSource } from './source.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const minutes = walkBars({ rows: 4 * 1440, seed: 8, instrument: spotInstrument() });
const { wireName: symbol } = minutes.instrument;
const days = coarser(minutes, '1d');

/** Loads the feeds of a definition from bars in memory. */
function feedsOf(feeds: string, fromMs: number, toMs: number, sets = [minutes, days]) {
  const source = yamlSource('x.yaml', '.', `strategy: s.ts\nfeeds: { ${feeds} }\ncash: '1000'\n`);
  const store = memoryStore(sets.map((bars) => wholeSet(bars, SYNTHETIC)));
  return loadFeeds(parseDefinition(source), source, store, { fromMs, toMs });
}
const BOTH = `bars: { symbol: ${symbol}, interval: 1m }, day: { symbol: ${symbol}, interval: 1d }`;

describe('a daily feed in a run of hours', () => {
  it.each([
    ['stored', [minutes, days]],
    ['built from the minutes', [minutes]],
  ])('a daily feed in a run of hours is only warm-up: the days before the run, %s', (_, sets) => {
    const [bars, day] = feedsOf(BOTH, START_MS + 2 * DAY + HOUR, START_MS + 2 * DAY + 20 * HOUR, sets);
    expect(bars!.bars.length - bars!.firstRow).toBe(19 * 60);
    expect([...day!.bars.openMs]).toEqual([START_MS, START_MS + DAY]);
    expect([day!.firstRow, day!.quality.rows]).toEqual([2, 0]);
  });

  it('a daily feed in a run of hours includes the day that ends in the run, though it began before', () => {
    const [, day] = feedsOf(BOTH, START_MS + 2 * DAY + HOUR, START_MS + 3 * DAY + 5 * HOUR);
    expect(day!.bars.openMs.at(-1)).toBe(START_MS + 2 * DAY);
  });

  it('a daily feed in a run of hours is an ordinary feed if a whole day lies in the run', () => {
    const [, day] = feedsOf(BOTH, START_MS + 2 * DAY, START_MS + 3 * DAY);
    expect([day!.bars.length, day!.firstRow]).toEqual([3, 2]);
  });

  it('a daily feed in a run of hours is rejected with a remedy if the symbol has no finer feed', () => {
    const loadDayAlone = () =>
      feedsOf(`day: { symbol: ${symbol}, interval: 1d }`, START_MS + 2 * DAY + HOUR, START_MS + 2 * DAY + 20 * HOUR);
    expect(loadDayAlone).toThrow(
      `x.yaml:2 feeds.day: no whole 1d bar of ${symbol} lies in the run, from 2024-01-03 01:00 UTC to 2024-01-03 20:00 UTC`,
    );
    expect(loadDayAlone).toThrow(expect.objectContaining({ remedy: expect.stringMatching(/^move from and to apart, or add a feed/) }));
  });

  it('a daily feed in a run of hours is rejected if no whole day is before the run', () => {
    expect(() => feedsOf(BOTH, START_MS + HOUR, START_MS + 20 * HOUR)).toThrow(
      `x.yaml:2 feeds.day: no whole 1d bar of ${symbol} lies in the run, and none before it: `,
    );
  });
});
