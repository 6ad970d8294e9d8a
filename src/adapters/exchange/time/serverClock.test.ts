// Tests the exchange's clock over simulated networks: the true time lies within the stated uncertainty, and the clock never runs backwards.

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import type { Market } from '../../../model/instrument.ts';
import { DueQueue } from '../../../ports/dueQueue.ts';
import { offsetOf, type ClockSample } from './clockOffset.ts';
import { JUMP_MS, ServerClock, type ServerClockOptions } from './serverClock.ts';

const START_MS = Date.UTC(2024, 0, 1);
const HOUR_MS = 3_600_000;

/** The network delays out and back, and the offset of the service's clock, ms; null if no reply comes. */
interface NetworkPath {
  readonly aheadMs: number;
  readonly outMs: number;
  readonly backMs: number;
}

/** A clock over a simulated network. The test sets the network's delays and moves the time. */
class World {
  readonly scheduler = new DueQueue();
  readonly clock: ServerClock;
  readonly requests: Market[] = [];
  readonly jumps: number[] = [];
  path: (market: Market) => NetworkPath | null;

  constructor(networkPath: (market: Market) => NetworkPath | null, options: ServerClockOptions = {}) {
    this.scheduler.runDue(START_MS);
    this.path = networkPath;
    this.clock = new ServerClock(this.scheduler, { jumped: (_market, byMs) => void this.jumps.push(byMs), ...options });
    this.clock.attach((market, done) => {
      this.requests.push(market);
      const path = this.path(market);
      const sentMs = this.scheduler.nowMs;
      if (path === null) {
        this.scheduler.at(sentMs + 1000, () => done(null));
        return;
      }
      const { aheadMs, outMs, backMs } = path;
      const serverMs = Math.floor(sentMs + outMs + aheadMs);
      this.scheduler.at(Math.ceil(sentMs + outMs + backMs), () => done({ sentMs, receivedMs: this.scheduler.nowMs, serverMs }));
    });
  }

  /** Measures, lets the replies arrive, and returns the result of `measure`. */
  measure(market: Market): boolean | null {
    let isMeasuredAtEnd: boolean | null = null;
    this.clock.measure(market, (isMeasured) => void (isMeasuredAtEnd = isMeasured));
    this.pass(10_000);
    return isMeasuredAtEnd;
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.scheduler.runDue(this.scheduler.nowMs + ms);
  }
}

describe('offsetOf', () => {
  const networkPath = fc.record({
    outMs: fc.double({ min: 0, max: 800, noNaN: true }),
    backMs: fc.double({ min: 0, max: 800, noNaN: true }),
  });

  test('the true offset is always within the stated uncertainty, however uneven the network delays are', () => {
    fc.assert(
      fc.property(
        fc.array(networkPath, { minLength: 1, maxLength: 9 }),
        fc.double({ min: -2 * HOUR_MS, max: 2 * HOUR_MS, noNaN: true }),
        (networkPaths, aheadMs) => {
          let nowMs = START_MS + 0.25;
          const samples = networkPaths.map(({ outMs, backMs }): ClockSample => {
            const sentMs = nowMs;
            nowMs += outMs + backMs;
            // Our clock is read in whole ms, like the service's.
            return { sentMs: Math.floor(sentMs), serverMs: Math.floor(sentMs + outMs + aheadMs), receivedMs: Math.floor(nowMs) };
          });
          const { offsetMs, uncertaintyMs } = offsetOf(samples);
          expect(Math.abs(offsetMs - aheadMs)).toBeLessThanOrEqual(uncertaintyMs + 1e-6);
          const quickest = Math.min(...samples.map(({ sentMs, receivedMs }) => receivedMs - sentMs));
          expect(uncertaintyMs).toBeLessThanOrEqual(quickest + 2);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('offsetOf returns the median, which one slow reply does not change', () => {
    const sample = (outMs: number, backMs: number): ClockSample => ({
      sentMs: START_MS,
      serverMs: START_MS + 5000 + outMs,
      receivedMs: START_MS + outMs + backMs,
    });
    const evenSamples = [sample(20, 20), sample(22, 22), sample(18, 18), sample(20, 20)];
    expect(offsetOf(evenSamples)).toMatchObject({ offsetMs: 5000, uncertaintyMs: 19 });
    expect(offsetOf([...evenSamples, sample(2, 900)])).toMatchObject({ offsetMs: 5000 });
    expect(offsetOf([sample(2, 900)])).toEqual({ offsetMs: 4551, uncertaintyMs: 452 });
  });

  test('offsetOf returns the distance between samples that contradict each other', () => {
    const sampleWith = (offsetMs: number): ClockSample => ({ sentMs: START_MS, receivedMs: START_MS, serverMs: START_MS + offsetMs });
    expect(offsetOf([sampleWith(0), sampleWith(0), sampleWith(9000)])).toEqual({ offsetMs: 0, uncertaintyMs: 9001 });
  });
});

describe('ServerClock', () => {
  test('ServerClock returns our own time with infinite uncertainty until it was measured', () => {
    const { clock } = new World(() => ({ aheadMs: HOUR_MS, outMs: 20, backMs: 20 }));
    expect(clock.now('spot')).toEqual({ ms: START_MS, uncertaintyMs: Infinity });
    expect([clock.isMeasured('spot'), clock.isMeasuredSince('spot', 0)]).toEqual([false, false]);
  });

  test('ServerClock is right within its uncertainty if the clocks are an hour apart', () => {
    for (const aheadMs of [-HOUR_MS, HOUR_MS]) {
      const rng = seededRng(3);
      const world = new World(() => ({ aheadMs, outMs: 10 + rng.next() * 300, backMs: 10 + rng.next() * 300 }));
      expect(world.measure('futures')).toBe(true);
      expect(world.requests).toHaveLength(5);
      const { ms, uncertaintyMs } = world.clock.now('futures');
      expect(Math.abs(ms - (world.scheduler.nowMs + aheadMs))).toBeLessThanOrEqual(uncertaintyMs);
      expect(uncertaintyMs).toBeLessThan(310);
      expect(world.clock.isMeasured('spot'), 'each market has its own').toBe(false);
    }
  });

  test('ServerClock is measured once for both markets of a service', () => {
    const world = new World(() => ({ aheadMs: 500, outMs: 10, backMs: 10 }), { shared: 'spot', samples: 3 });
    world.measure('futures');
    expect(world.requests).toEqual(['spot', 'spot', 'spot']);
    expect([world.clock.isMeasured('spot'), world.clock.isMeasured('futures')]).toEqual([true, true]);
    expect(world.clock.now('futures').ms).toBe(world.scheduler.nowMs + 500);
    expect(world.jumps).toEqual([]);
  });

  test('ServerClock becomes less certain with time, and certain again with a measurement', () => {
    const world = new World(() => ({ aheadMs: 0, outMs: 10, backMs: 10 }));
    world.measure('spot');
    const firstUncertainty = world.clock.now('spot').uncertaintyMs;
    world.pass(HOUR_MS);
    expect(world.clock.now('spot').uncertaintyMs - firstUncertainty).toBeCloseTo(360, 0);
    world.measure('spot');
    expect(world.clock.now('spot').uncertaintyMs).toBeCloseTo(firstUncertainty, 5);
  });

  test('ServerClock never runs backwards during a correction of up to JUMP_MS', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -JUMP_MS, max: JUMP_MS }), { maxLength: 8 }), fc.nat(), (steps, seed) => {
        const rng = seededRng(seed);
        let aheadMs = 0;
        const world = new World(() => ({ aheadMs, outMs: 5, backMs: 5 }));
        world.measure('spot');
        for (const step of steps) {
          aheadMs += step;
          let lastMs = world.clock.now('spot').ms;
          world.clock.measure('spot');
          for (let i = 0; i < 40; i++) {
            world.pass(Math.floor(rng.next() * 300));
            const { ms, uncertaintyMs } = world.clock.now('spot');
            expect(ms).toBeGreaterThanOrEqual(lastMs);
            if (i === 39) expect(Math.abs(ms - world.scheduler.nowMs - aheadMs)).toBeLessThanOrEqual(uncertaintyMs);
            lastMs = ms;
          }
          world.pass(5000);
        }
        expect(world.jumps).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('ServerClock corrects an error above JUMP_MS at once, and reports it', () => {
    let aheadMs = HOUR_MS;
    const world = new World(() => ({ aheadMs, outMs: 5, backMs: 5 }));
    world.measure('spot');
    world.clock.now('spot');
    aheadMs = 0;
    world.measure('spot');
    expect(world.clock.now('spot').ms).toBe(world.scheduler.nowMs);
    expect(world.jumps).toEqual([-HOUR_MS]);
  });

  test('ServerClock measures once for all simultaneous requests, and does not repeat a correction too soon', () => {
    const world = new World(() => ({ aheadMs: 0, outMs: 50, backMs: 50 }));
    const isMeasuredAtEnd: boolean[] = [];
    for (let i = 0; i < 4; i++) world.clock.measure('spot', (isMeasured) => void isMeasuredAtEnd.push(isMeasured));
    world.pass(1000);
    expect([isMeasuredAtEnd, world.requests.length]).toEqual([[true, true, true, true], 5]);
    expect(world.clock.isMeasuredSince('spot', START_MS - 1)).toBe(true);
    expect(world.clock.isMeasuredSince('spot', START_MS)).toBe(false);
    const correct = () => world.clock.correct('spot', (isMeasured) => void isMeasuredAtEnd.push(isMeasured));
    correct();
    correct();
    world.pass(1000);
    expect([isMeasuredAtEnd.slice(4), world.requests.length], 'together').toEqual([[true, true], 10]);
    correct();
    expect([isMeasuredAtEnd.at(-1), world.requests.length], 'too soon').toEqual([false, 10]);
    world.pass(5000);
    correct();
    world.pass(1000);
    expect([isMeasuredAtEnd.at(-1), world.requests.length]).toEqual([true, 15]);
  });

  test('ServerClock lets its callers wait for a measurement, but not soon after one has failed', () => {
    const world = new World(() => null);
    let readyCount = 0;
    const waitUntilReady = (): void => world.clock.whenReady('spot', () => void readyCount++);
    waitUntilReady();
    waitUntilReady();
    expect(readyCount).toBe(0);
    world.pass(1000);
    expect([readyCount, world.requests.length]).toEqual([2, 1]);
    waitUntilReady();
    expect([readyCount, world.requests.length], 'just failed').toEqual([3, 1]);
    world.pass(5000);
    world.path = () => ({ aheadMs: 0, outMs: 5, backMs: 5 });
    waitUntilReady();
    world.pass(1000);
    waitUntilReady();
    expect([readyCount, world.requests.length]).toEqual([5, 6]);
  });

  test('ServerClock keeps its offset when no reply comes, and accepts fewer replies than it requested', () => {
    const world = new World(() => null);
    expect(world.measure('spot')).toBe(false);
    expect([world.requests.length, world.clock.isMeasured('spot')]).toEqual([1, false]);
    let repliesLeft = 3;
    world.path = () => (repliesLeft-- > 0 ? { aheadMs: 700, outMs: 5, backMs: 5 } : null);
    expect(world.measure('spot')).toBe(true);
    expect(world.measure('spot')).toBe(false);
    expect(world.clock.now('spot').ms).toBe(world.scheduler.nowMs + 700);
  });

  test('ServerClock measures regularly while it is started, and not after stop', () => {
    const world = new World(() => ({ aheadMs: 0, outMs: 5, backMs: 5 }), { periodMs: 60_000, samples: 2 });
    world.clock.start(['spot', 'futures']);
    world.clock.start(['spot']);
    world.pass(5 * 60_000 + 1000);
    expect(world.requests).toHaveLength(6 * 2 * 2);
    world.clock.stop();
    world.pass(HOUR_MS);
    expect([world.requests.length, world.scheduler.nextMs]).toEqual([24, Infinity]);
  });

  test('ServerClock without a client cannot be measured', () => {
    const scheduler = new DueQueue();
    scheduler.runDue(START_MS);
    const reply: boolean[] = [];
    new ServerClock(scheduler).measure('spot', (isMeasured) => void reply.push(isMeasured));
    expect(reply).toEqual([false]);
  });
});
