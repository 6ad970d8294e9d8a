// Tests that each closed bar of any venue is reported once and in order, and that no bar is lost silently.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeMs } from '../../../base/brand.ts';
import { seededRng, type Rng } from '../../../base/number/rng.ts';
import { barsBetween, closeOf, INTERVALS, type Interval } from '../../../model/interval.ts';
import { nestedIn } from '../../../model/bars/aggregateBars.ts';
import { BarTracker, type BarEvent } from './barTracker.ts';
import { answerOf, klineOf, venueOf } from '../../../../test/fixtures/randomVenue.ts';
import { barWindow, coarserWindow, isSame, MAX_KLINES, rowsSince, type KlineWindow, type MarketBar } from './klineWindow.ts';
import { expectAtLeast, expectEqual, expectSame } from '../../../../test/fixtures/quickExpect.ts';

const MONDAY = Date.UTC(2024, 0, 1);

/** Checks that events follow the rules of a bar stream, and stores the last report about each time. */
class EventChecker {
  readonly reported = new Map<number, MarketBar>();
  readonly #holes = new Set<number>();
  readonly #interval: Interval;
  #lastMs: number | null = null;
  #gapMs: number | null = null;

  constructor(interval: Interval) {
    this.#interval = interval;
  }

  check(event: BarEvent, window: KlineWindow, serverMs: number): void {
    if (event.kind === 'gap') return this.#gap(event, window);
    const { bar } = event;
    expectAtLeast(serverMs, bar.closeMs);
    const earlier = this.reported.get(bar.openMs);
    if (event.kind === 'bar') {
      expectSame(earlier, undefined);
      // The bar follows the last one, or the gap that was reported.
      if (this.#lastMs !== null) expectSame(bar.openMs, this.#gapMs ?? closeOf(this.#interval, this.#lastMs));
      this.#lastMs = bar.openMs;
      this.#gapMs = null;
    } else if (event.kind === 'late') {
      expectSame(earlier, undefined);
      expectSame(this.#holes.delete(bar.openMs), true);
    } else {
      expect(event.was).toBe(earlier);
      expect(isSame(event.was, bar)).toBe(false);
    }
    this.reported.set(bar.openMs, bar);
  }

  /** Checks a gap event, and notes the minutes that it covers. */
  #gap({ fromMs, bars, why }: Extract<BarEvent, { kind: 'gap' }>, window: KlineWindow): void {
    expect(this.#gapMs).toBeNull();
    expect(fromMs).toBe(closeOf(this.#interval, this.#lastMs!));
    let openMs = fromMs;
    for (let i = 0; i < bars; i++, openMs = closeOf(this.#interval, openMs)) this.#holes.add(openMs);
    this.#gapMs = openMs;
    expect(why).toBe(window.isFull && window.closed[0]!.openMs === openMs ? 'outOfReach' : 'notSent');
  }
}

/** Returns the time of the next poll: mostly after a bar, sometimes at once, sometimes after an outage of up to 400 bars. */
function nextPoll(serverMs: number, interval: Interval, rng: Rng): number {
  const lengthMs = closeOf(interval, serverMs) - serverMs;
  const kind = rng.next();
  const maxBarsLater = kind < 0.93 ? 2 : 400;
  const maxBars = kind < 0.2 ? 0.2 : maxBarsLater;
  return serverMs + Math.ceil(lengthMs * (rng.next() * maxBars));
}

describe('bars from a random venue', () => {
  it('bars of a random venue are reported once and in order, and the last report about each bar equals the venue', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 }), fc.constantFrom<Interval>('1m', '1h', '1d', '1M'), (seed, interval) => {
        const rng = seededRng(seed);
        const venue = venueOf(interval, MONDAY, rng);
        const tracker = new BarTracker(interval);
        const checker = new EventChecker(interval);
        let serverMs = MONDAY + 90_000;
        for (let poll = 0; poll < 25; poll++, serverMs = nextPoll(serverMs, interval, rng)) {
          const requestedRows = tracker.lastMs === null ? 100 : rowsSince(interval, tracker.lastMs, serverMs) + 10;
          const rows = Math.min(MAX_KLINES, requestedRows);
          const window = barWindow(answerOf(venue, serverMs, rows, rng), interval, rows, serverMs);
          for (const event of tracker.eventsIn(window)) checker.check(event, window, serverMs);
          const firstOpenMs = Math.min(...checker.reported.keys());
          for (const bar of window.closed) if (bar.openMs >= firstOpenMs) expectEqual(checker.reported.get(bar.openMs), bar);
          expect(tracker.eventsIn(window)).toEqual([]);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('longer bars that are built from the bars of a random venue are reported by the same rules', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.constantFrom<Interval>('4h', '30m', '1w', '3m', '7m', '2h', '12h', '3d'),
        (seed, interval) => {
          const rng = seededRng(seed);
          const from = nestedIn(interval, INTERVALS)[0]!;
          const venue = venueOf(from, MONDAY, rng);
          const tracker = new BarTracker(interval);
          const checker = new EventChecker(interval);
          let serverMs = MONDAY + 90_000;
          for (let poll = 0; poll < 25; poll++, serverMs = nextPoll(serverMs, from, rng)) {
            const rows = tracker.lastMs === null ? MAX_KLINES : rowsSince(from, tracker.lastMs, serverMs);
            const fine = barWindow(answerOf(venue, serverMs, rows, rng), from, rows, serverMs);
            const window = coarserWindow(fine, interval);
            for (const event of tracker.eventsIn(window)) checker.check(event, window, serverMs);
            for (const bar of window.closed) {
              const partsOfBar = fine.closed.filter(({ openMs }) => openMs >= bar.openMs && openMs < bar.closeMs);
              expectEqual([bar.open, bar.close, bar.barsIn], [partsOfBar[0]!.open, partsOfBar.at(-1)!.close, partsOfBar.length]);
              expectSame(bar.high, Math.max(...partsOfBar.map(({ high }) => high)));
              expectSame(bar.low, Math.min(...partsOfBar.map(({ low }) => low)));
              expectSame(
                bar.volume,
                partsOfBar.reduce((sum, { volume }) => sum + volume, 0),
              );
            }
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});

const kline = (minute: number, close = 100 + minute) => klineOf(MONDAY + minute * 60_000, close);
const windowOf = (minutes: readonly number[], requestedRows = 50) => {
  const rows = minutes.map((minute) => kline(minute));
  return barWindow({ rows, refused: [] }, '1m', requestedRows, MONDAY + 1e9);
};
const kinds = (events: readonly BarEvent[]) =>
  events.map(
    (event) => `${event.kind} ${event.kind === 'gap' ? `${event.bars} ${event.why}` : barsBetween('1m', MONDAY, event.bar.openMs)}`,
  );

describe('a window of bars', () => {
  it('a window of bars has the closed bars, oldest first, from the ms of their close', () => {
    const rows = [kline(2), kline(0), kline(1)];
    const minutesAt = (serverMs: number) =>
      barWindow({ rows, refused: [] }, '1m', 3, serverMs).closed.map(({ openMs }) => (openMs - MONDAY) / 60_000);
    expect(minutesAt(MONDAY + 180_000)).toEqual([0, 1, 2]);
    expect(minutesAt(MONDAY + 179_999)).toEqual([0, 1]);
  });

  it('a window of bars rejects impossible and contradictory rows, and names them', () => {
    const unusual = [
      { ...kline(3), high: '90' },
      { ...kline(4), openMs: timeMs(kline(4).openMs + 1) },
      { ...kline(5), volume: '-1' },
    ];
    const rows = [kline(0), kline(0), kline(1, 7), kline(1, 8), kline(1, 7), ...unusual];
    const refused = [{ instrument: null, problem: '[9].open: expected a price above 0, got 0' }];
    const window = barWindow({ rows, refused }, '1m', 9, MONDAY + 1e9);
    expect(window.closed.map(({ openMs }) => openMs)).toEqual([MONDAY]);
    expect(window.refused).toEqual([
      '[9].open: expected a price above 0, got 0',
      'the answer has two different bars of 2024-01-01 00:01 UTC',
      'the bar of 2024-01-01 00:03 UTC cannot be: open 103, high 90, low 102, close 103, volume 1.5',
      '2024-01-01 00:04 UTC is not the open of a 1m bar',
      'the bar of 2024-01-01 00:05 UTC cannot be: open 105, high 106, low 104, close 105, volume -1',
    ]);
    expect(window.isFull).toBe(true);
  });

  it('the tracker distinguishes bars that the exchange did not send from bars that its newest rows do not reach', () => {
    const tracker = new BarTracker('1m');
    expect(kinds(tracker.eventsIn(windowOf([0, 1])))).toEqual(['bar 0', 'bar 1']);
    expect(kinds(tracker.eventsIn(windowOf([3, 4], 3)))).toEqual(['gap 1 notSent', 'bar 3', 'bar 4']);
    expect(kinds(tracker.eventsIn(windowOf([9, 10], 2)))).toEqual(['gap 4 outOfReach', 'bar 9', 'bar 10']);
    expect(kinds(tracker.eventsIn(windowOf([2, 3, 10])))).toEqual(['late 2']);
    expect(kinds(tracker.eventsIn(windowOf([2, 3, 10, 11])))).toEqual(['bar 11']);
  });

  it('a tracker that starts with known bars continues after them', () => {
    const knownBars = windowOf([10, 11, 13]).closed;
    const tracker = new BarTracker('1m', knownBars);
    expect(kinds(tracker.eventsIn(windowOf([8, 9, 10, 11, 12, 13, 14])))).toEqual(['late 12', 'bar 14']);
    expect(kinds(tracker.eventsIn(barWindow({ rows: [kline(13, 5)], refused: [] }, '1m', 9, MONDAY + 1e9)))).toEqual(['revised 13']);
  });

  it('revisions are found only in the newest 600 bars', () => {
    const tracker = new BarTracker('1m');
    const allMinutes = Array.from({ length: 1500 }, (_, minute) => minute);
    for (let firstMinute = 0; firstMinute < allMinutes.length; firstMinute += 100)
      tracker.eventsIn(windowOf(allMinutes.slice(firstMinute, firstMinute + 100), 300));
    const revised = (minute: number) => barWindow({ rows: [kline(minute, 5)], refused: [] }, '1m', 9, MONDAY + 1e9);
    expect(kinds(tracker.eventsIn(revised(1499 - 599)))).toEqual(['revised 900']);
    expect(kinds(tracker.eventsIn(revised(100)))).toEqual([]);
  });

  it('a longer bar is not replaced by one that is built from fewer parts', () => {
    const fine = windowOf([0, 1, 2, 3, 4, 5]);
    const tracker = new BarTracker('5m');
    expect(kinds(tracker.eventsIn(coarserWindow(fine, '5m')))).toEqual(['bar 0']);
    expect(tracker.eventsIn(coarserWindow({ ...fine, closed: fine.closed.filter((_, i) => i !== 3) }, '5m'))).toEqual([]);
    expect(kinds(tracker.eventsIn(coarserWindow(windowOf([0, 1, 2, 3, 4, 5, 9]), '5m')))).toEqual(['bar 5']);
  });
});
