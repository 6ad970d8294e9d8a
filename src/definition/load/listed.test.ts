// Tests times of listing in a definition: which bars of a symbol a run uses.

import { describe, expect, it } from 'vitest';
import { spotInstrument, START_MS, walkBars } from '../../../test/engine/backtestFixture.ts';
import { SYNTHETIC } from '../../adapters/catalog/bars/barQuality.ts';
import { memoryStore, wholeSet } from '../../adapters/catalog/bars/barStore.ts';
import { parseDefinition } from '../text/parse.ts';
import { yamlSource } from '../text/source.ts';
import { loadFeeds } from './feeds.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const sets = ['AAA', 'BBB'].map((name, index) => walkBars({ rows: 4 * 1440, seed: 30 + index, instrument: spotInstrument(name) }));

/** Loads the feeds of a definition with these times of listing. */
function feedsOf(listed: string, range = { fromMs: START_MS + DAY, toMs: START_MS + 3 * DAY }) {
  const feeds = `feeds: { all: { symbols: [AAAUSDT, BBBUSDT], interval: 1m, listed: { ${listed} } } }`;
  const source = yamlSource('x.yaml', '.', `strategy: s.ts\n${feeds}\ncash: '1000'\n`);
  return loadFeeds(parseDefinition(source), source, memoryStore(sets.map((bars) => wholeSet(bars, SYNTHETIC))), range);
}
/** Returns the start and the end of the bars of a feed, in ms since START_MS, and its first row after the warm-up. */
const spanOf = ({ bars, firstRow }: ReturnType<typeof feedsOf>[number]) => [
  bars.openMs[0]! - START_MS,
  bars.closeMs[bars.length - 1]! - START_MS,
  firstRow,
];

describe('listed', () => {
  it('listed does not change the bars of other symbols', () => {
    expect(feedsOf('AAAUSDT: { to: 2024-01-03 }').map(spanOf)[1]).toEqual([0, 3 * DAY, 1440]);
  });
  it('listed ends the bars of a symbol at `to`', () => {
    const [feed] = feedsOf('AAAUSDT: { to: 2024-01-03 }');
    expect(spanOf(feed!)).toEqual([0, 2 * DAY, 1440]);
    expect(feed!.listedToMs).toBe(START_MS + 2 * DAY);
    expect(feed!.quality.rows).toBe(1440);
  });
  it('listed begins the bars of a symbol at `from`, without warm-up bars before it', () => {
    expect(spanOf(feedsOf('AAAUSDT: { from: 2024-01-02T06:00 }')[0]!)).toEqual([DAY + 6 * HOUR, 3 * DAY, 0]);
    expect(feedsOf('AAAUSDT: { from: 2024-01-02T06:00 }').map(({ listedFromMs }) => listedFromMs)).toEqual([
      START_MS + DAY + 6 * HOUR,
      undefined,
    ]);
    // Listed before the run: only the bars between are warm-up.
    const [listedEarlier] = feedsOf('AAAUSDT: { from: 2024-01-01T20:00 }');
    expect(spanOf(listedEarlier!)).toEqual([20 * HOUR, 3 * DAY, 240]);
    expect(listedEarlier!.quality.rows).toBe(2 * 1440);
  });
  it('listed leaves a symbol out that is not listed in the run', () => {
    for (const times of ['to: 2024-01-02', 'from: 2024-01-04']) {
      expect(feedsOf(`AAAUSDT: { ${times} }`).map(({ bars }) => bars.instrument.wireName)).toEqual(['BBBUSDT']);
    }
  });
  it('listed rejects symbols that the feed lacks, unknown keys, and times in the wrong order', () => {
    expect(() => feedsOf('AABUSDT: { to: 2024-01-03 }')).toThrow('feeds.all.listed.AABUSDT: the feed has no symbol AABUSDT');
    expect(() => feedsOf('AAAUSDT: { from: 2024-01-03, to: 2024-01-03 }')).toThrow(
      'AAAUSDT is listed from 2024-01-03 to 2024-01-03, which is not later',
    );
    expect(() => feedsOf('AAAUSDT: { until: 2024-01-03 }')).toThrow('until');
  });
});
