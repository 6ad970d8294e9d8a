// Tests the bar poller against a simulated venue in simulated time: when it polls, how it handles outages, and how it stops.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeMs } from '../../../base/brand.ts';
import { seededRng } from '../../../base/number/rng.ts';
import { closeOf, openOf, type Interval } from '../../../model/interval.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { klineOf } from '../../../../test/fixtures/randomVenue.ts';
import { Limiter } from '../limits/limiter.ts';
import { BarPoller, type AskKlines, type FeedOptions } from './barPoller.ts';
import type { BarEvent } from './barTracker.ts';
import { pollRules } from './pollPlan.ts';

const START_MS = Date.UTC(2024, 0, 1, 0, 0, 10);
const MINUTE_MS = 60_000;
/** The exchange's clock runs an hour ahead of ours. */
const VENUE_AHEAD_MS = 3_600_000;

/** The faults of the simulated venue, and the feed that is polled. */
interface VenueOptions {
  readonly seed?: number;
  readonly interval?: Interval;
  readonly from?: Interval;
  /** Server times at which no reply comes. */
  readonly isAwayAt?: (serverMs: number) => boolean;
  /** Returns the delay from the close of a bar until the venue publishes it. */
  readonly lagMs?: (openMs: number) => number;
  /** The exchange's clock is unknown before this time. */
  readonly clockKnownFromMs?: number;
  readonly feed?: Partial<FeedOptions>;
}

/** Simulates a venue with bars of any age, its clock, and a poller of one feed. */
class World {
  readonly scheduler = new DueQueue();
  readonly events: (BarEvent & { readonly atMs: number })[] = [];
  readonly causes: string[] = [];
  readonly calls: { readonly atMs: number; readonly rows: number }[] = [];
  readonly poller: BarPoller;

  constructor({
    seed = 1,
    interval = '1m',
    from = interval,
    isAwayAt = () => false,
    lagMs = () => 200,
    clockKnownFromMs = 0,
    feed = {},
  }: VenueOptions) {
    const rng = seededRng(seed);
    this.scheduler.runDue(START_MS - VENUE_AHEAD_MS);
    const askKlines: AskKlines = (rows, done) => {
      this.calls.push({ atMs: this.serverMs, rows });
      const isAway = isAwayAt(this.serverMs);
      const handle = this.scheduler.at(this.scheduler.nowMs + (isAway ? 1500 : 20 + Math.floor(rng.next() * 200)), () =>
        done(
          isAway
            ? { kind: 'notSent', cause: 'connection refused' }
            : { kind: 'acked', value: { rows: this.#klines(from, rows, lagMs), refused: [] } },
        ),
      );
      return () => this.scheduler.cancel(handle);
    };
    const deps = {
      scheduler: this.scheduler,
      serverTime: () => ({ ms: timeMs(this.serverMs), uncertaintyMs: this.serverMs < clockKnownFromMs ? Infinity : 30 }),
      random: () => rng.next(),
      ask: askKlines,
    };
    const sink = {
      event: (event: BarEvent) => void this.events.push({ ...event, atMs: this.serverMs }),
      onProblem: (problem: string, againMs: number | null) =>
        void this.causes.push(`${problem} ${againMs === null ? '' : Math.ceil(againMs / 1000)}`),
    };
    this.poller = new BarPoller({ ...deps, sink }, { interval, from, ...feed });
  }

  get serverMs(): number {
    return this.scheduler.nowMs + VENUE_AHEAD_MS;
  }

  runUntil(serverMs: number): void {
    this.scheduler.runDue(serverMs - VENUE_AHEAD_MS);
  }

  bars(): readonly number[] {
    return this.events.flatMap((event) => (event.kind === 'bar' ? [event.bar.openMs] : []));
  }

  /** Returns the newest `rows` published klines, newest first, beginning with the running one. */
  #klines(from: Interval, rows: number, lagMs: (openMs: number) => number) {
    const klines = [];
    for (let openMs = openOf(from, this.serverMs); klines.length < rows; openMs = openOf(from, openMs - 1)) {
      const closeMs = closeOf(from, openMs);
      if (closeMs > this.serverMs || closeMs + lagMs(openMs) <= this.serverMs) klines.push(klineOf(openMs, 100 + (openMs % 977)));
    }
    return klines;
  }
}

/** Returns the open times of the one-minute bars `from` to `to` (exclusive), counted from the start. */
const openTimes = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => openOf('1m', START_MS) + (from + i) * MINUTE_MS);

describe('the bar poller', () => {
  it('the bar poller delivers each bar within two seconds of its close, with one call for each bar', () => {
    const world = new World({ feed: { firstRows: 2 } });
    world.poller.start();
    world.runUntil(START_MS + 60 * MINUTE_MS);
    expect(world.bars()).toEqual(openTimes(-1, 60));
    expect(world.calls).toHaveLength(61);
    for (const event of world.events.slice(1)) {
      if (event.kind !== 'bar') throw new Error(event.kind);
      expect(event.atMs - event.bar.closeMs).toBeGreaterThanOrEqual(400);
      expect(event.atMs - event.bar.closeMs).toBeLessThan(2000);
    }
    // The call requests the rows that may have been revised, and no more.
    expect(Math.max(...world.calls.slice(1).map(({ rows }) => rows))).toBeLessThanOrEqual(13);
  });

  it('the bar poller does not request a bar that closed just before the start until the venue has had the time to build it', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const afterMs = [0, 1, 399, 400, 5000][seed % 5]!;
      const closeMs = openOf('1m', START_MS) + MINUTE_MS;
      const openMs = closeMs - 2 * MINUTE_MS;
      const bar = { openMs, closeMs: openMs + MINUTE_MS, open: 100, high: 101, low: 99, close: 100, volume: 1, barsIn: 1 };
      const world = new World({ seed, feed: { known: [bar] } });
      world.runUntil(closeMs + afterMs);
      world.poller.start();
      world.runUntil(closeMs + 10_000);
      const [firstCall] = world.calls;
      expect(firstCall!.atMs - closeMs).toBeGreaterThanOrEqual(Math.max(400, afterMs));
      expect(firstCall!.atMs - closeMs).toBeLessThanOrEqual(Math.max(400, afterMs) + 1001);
      expect(world.bars().at(-1)).toBe(closeMs - MINUTE_MS);
    }
  });

  it('the bar poller requests a late bar at growing intervals for at most 30 s', () => {
    const lateOpenMs = openOf('1m', START_MS) + 5 * MINUTE_MS;
    const world = new World({ lagMs: (openMs) => (openMs === lateOpenMs ? 100_000 : 0), feed: { firstRows: 2 } });
    world.poller.start();
    world.runUntil(START_MS + 10 * MINUTE_MS);
    const calls = world.calls
      .filter(({ atMs }) => openOf('1m', atMs) === lateOpenMs + MINUTE_MS)
      .map(({ atMs }) => (atMs - lateOpenMs - MINUTE_MS) / 1000);
    expect(calls.length).toBeGreaterThanOrEqual(5);
    expect(calls.length).toBeLessThanOrEqual(7);
    expect(calls.at(-1)!).toBeLessThanOrEqual(30);
    const eventsAround = world.events.filter(({ atMs }) => atMs > lateOpenMs + MINUTE_MS && atMs < lateOpenMs + 4 * MINUTE_MS);
    expect(eventsAround.map((event) => event.kind)).toEqual(['gap', 'bar', 'late', 'bar']);
    expect(world.bars()).toEqual(openTimes(-1, 10).filter((openMs) => openMs !== lateOpenMs));
  });

  it('the bar poller requests a late bar for as long as its grace period', () => {
    const lateOpenMs = openOf('1m', START_MS) + 5 * MINUTE_MS;
    const delayOf = (graceMs: number): number => {
      const rules = pollRules('1m', graceMs);
      const world = new World({ lagMs: (openMs) => (openMs === lateOpenMs ? 31_000 : 0), feed: { firstRows: 2, rules } });
      world.poller.start();
      world.runUntil(START_MS + 10 * MINUTE_MS);
      return world.events.find((event) => event.kind === 'bar' && event.bar.openMs === lateOpenMs)!.atMs - lateOpenMs - MINUTE_MS;
    };
    // Without a grace period, the call for the next bar reads this one.
    expect(delayOf(0)).toBeGreaterThan(MINUTE_MS);
    expect(delayOf(60_000)).toBeLessThan(MINUTE_MS);
  });

  it('the bar poller fills the gap of an outage that the newest 300 rows cover, with about one call a minute meanwhile', () => {
    const outageFromMs = START_MS + 10 * MINUTE_MS;
    const outageToMs = START_MS + 300 * MINUTE_MS;
    const world = new World({ isAwayAt: (ms) => ms > outageFromMs && ms < outageToMs, feed: { firstRows: 2 } });
    world.poller.start();
    world.runUntil(START_MS + 320 * MINUTE_MS);
    expect(world.bars()).toEqual(openTimes(-1, 320));
    expect(world.events.every(({ kind }) => kind === 'bar')).toBe(true);
    const callsDuringOutage = world.calls.filter(({ atMs }) => atMs > outageFromMs && atMs < outageToMs).length;
    expect(callsDuringOutage).toBeGreaterThan(285);
    expect(callsDuringOutage).toBeLessThan(450);
    expect(world.causes[0]).toMatch(/^connection refused 1$/);
  });

  it('the bar poller reports the gap of a longer outage', () => {
    const outageFromMs = START_MS + 10 * MINUTE_MS;
    const outageToMs = START_MS + 400 * MINUTE_MS;
    const world = new World({ isAwayAt: (ms) => ms > outageFromMs && ms < outageToMs, feed: { firstRows: 2 } });
    world.poller.start();
    world.runUntil(START_MS + 420 * MINUTE_MS);
    const gaps = world.events.filter((event) => event.kind === 'gap');
    expect(gaps).toHaveLength(1);
    expect(gaps[0]).toMatchObject({ why: 'outOfReach', fromMs: openOf('1m', outageFromMs) });
    expect(world.bars().length + gaps[0]!.bars).toBe(421);
  });

  it('the bar poller builds bars of an interval that the exchange lacks from shorter ones', () => {
    const world = new World({ interval: '4h', from: '1h' });
    world.poller.start();
    world.runUntil(START_MS + 30 * 3_600_000);
    // The first reply has 300 rows of an hour: 299 are closed, and 298 of them are in whole groups of four.
    expect(world.bars()).toHaveLength(74 + 7);
    const lastEvent = world.events.at(-1);
    expect(lastEvent).toMatchObject({ kind: 'bar', bar: { openMs: Date.UTC(2024, 0, 2), barsIn: 4 } });
    expect(world.calls.length).toBeLessThanOrEqual(9);
  });

  it('the bar poller makes one call for a bar of a month, and no call before its close', () => {
    const world = new World({ interval: '1M' });
    world.poller.start();
    world.runUntil(Date.UTC(2024, 1, 1) + 10 * MINUTE_MS);
    expect(world.calls).toHaveLength(2);
    expect(world.bars().at(-1)).toBe(Date.UTC(2024, 0, 1));
  });

  it('the bar poller makes no call while the clock of the exchange is unknown', () => {
    const world = new World({ clockKnownFromMs: START_MS + 5000, feed: { firstRows: 2 } });
    world.poller.start();
    world.runUntil(START_MS + 4999);
    expect([world.calls.length, world.events.length]).toEqual([0, 0]);
    expect(world.causes[0]).toMatch(/^the exchange's clock could not be measured 1$/);
    world.runUntil(START_MS + MINUTE_MS);
    expect(world.bars()).toEqual(openTimes(-1, 1));
  });

  it('forty bar pollers share one rate limit: no call is refused, and every bar comes within 10 s', () => {
    const scheduler = new DueQueue();
    scheduler.runDue(START_MS);
    const limiter = new Limiter(scheduler, {});
    const rng = seededRng(5);
    const deliveries: { readonly behindMs: number }[] = [];
    const causes: string[] = [];
    const sent: number[] = [];
    const askKlines: AskKlines = (rows, done) =>
      limiter.acquire(
        'spot.klines',
        'steady',
        (ticket) => {
          sent.push(scheduler.nowMs);
          scheduler.at(scheduler.nowMs + 30, () => {
            ticket.finish(200, null, null);
            const openMs = openOf('1m', scheduler.nowMs);
            const klines = Array.from({ length: rows }, (_, i) => klineOf(openMs - i * MINUTE_MS, 100));
            done({ kind: 'acked', value: { rows: klines, refused: [] } });
          });
        },
        () => scheduler.at(scheduler.nowMs, () => done({ kind: 'notSent', cause: 'refused by the limiter' })),
      );
    const sink = {
      event: (event: BarEvent) => {
        if (event.kind === 'bar' && scheduler.nowMs > START_MS + MINUTE_MS)
          deliveries.push({ behindMs: scheduler.nowMs - event.bar.closeMs });
      },
      onProblem: (problem: string) => void causes.push(problem),
    };
    const serverTime = () => ({ ms: timeMs(scheduler.nowMs), uncertaintyMs: 0 });
    const deps = { scheduler, serverTime, random: () => rng.next(), ask: askKlines, sink };
    for (let i = 0; i < 40; i++) new BarPoller(deps, { interval: '1m', from: '1m', firstRows: 2 }).start();
    scheduler.runDue(START_MS + 30 * MINUTE_MS);
    expect(causes).toEqual([]);
    expect(deliveries).toHaveLength(40 * 29);
    expect(Math.max(...deliveries.map(({ behindMs }) => behindMs))).toBeLessThan(10_000);
    // The limit of the specification's table: 20 calls in any two seconds.
    for (let i = 20; i < sent.length; i++) expect(sent[i]! - sent[i - 20]!).toBeGreaterThanOrEqual(2000);
  });

  it('the bar poller reports nothing after stop', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 3 * MINUTE_MS }), fc.nat(), (afterMs, seed) => {
        const world = new World({ seed });
        world.poller.start();
        world.runUntil(START_MS + afterMs);
        world.poller.stop();
        const events = world.events.length;
        const calls = world.calls.length;
        world.runUntil(START_MS + 10 * MINUTE_MS);
        expect([world.events.length, world.calls.length, world.scheduler.nextMs]).toEqual([events, calls, Infinity]);
      }),
      { numRuns: 50 },
    );
  });
});
