// The rate limiter: which calls go at once, which wait and how long, and which are rejected.

import { describe, expect, it } from 'vitest';
import { LimitsFixture, START_MS } from '../../../../test/fixtures/limitsFixture.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { LimiterOptions } from './limiter.ts';

/** What is added to a window for clocks that differ. */
const GUARD_MS = 9;

describe('calls within the limit', () => {
  it('calls within the limit go at once, within the call', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.newOrder', 'order', 80);
    expect(fixture.count()).toBe(80);
    fixture.ask('spot.newOrder', 'order');
    expect(fixture.count()).toBe(80);
    expect(fixture.limiter.state.classes).toEqual([
      {
        rateClass: 'spot.newOrder',
        scope: 'key',
        source: 'spec',
        windowMs: 2000,
        limit: 100,
        allowance: 100,
        used: 80,
        waiting: 1,
        stoppedUntilMs: null,
      },
    ]);
  });

  it('calls within the limit go again a window after they were answered, and not after they were sent', () => {
    const setup = new LimitsFixture();
    setup.ask('spot.openOrders', 'reconcile', 40);
    expect(setup.count()).toBe(16);
    setup.pass(700);
    setup.answer();
    setup.pass(2000);
    expect(setup.count()).toBe(16);
    setup.pass(GUARD_MS);
    expect(setup.count()).toBe(32);
    expect(setup.sent[16]!.atMs).toBe(700 + 2000 + GUARD_MS);
  });

  it('calls within the limit have their turn in the order of asking', () => {
    const rig = new LimitsFixture({ limits: { 'spot.openOrders': { count: 1 } } });
    const went: number[] = [];
    for (let i = 0; i < 4; i++) {
      rig.limiter.acquire(
        'spot.openOrders',
        'steady',
        (ticket) => {
          went.push(i);
          ticket.finish(200, null, null);
        },
        () => {},
      );
    }
    rig.pass(10_000);
    expect(went).toEqual([0, 1, 2, 3]);
  });

  it('calls within the limit count by class and by key; public ones by address, or by key where they carry it', () => {
    const otherFixture = new LimitsFixture();
    const second = otherFixture.another({ sameAddressAs: otherFixture.limiter });
    const third = otherFixture.another({ sameAddressAs: otherFixture.limiter, publicOnKey: true });
    for (const limiter of [otherFixture.limiter, second, third]) otherFixture.ask('spot.account', 'reconcile', 20, limiter);
    expect(otherFixture.count()).toBe(3 * 16);
    otherFixture.ask('spot.klines', 'reconcile', 10);
    otherFixture.ask('spot.depth', 'reconcile', 10, second);
    expect(otherFixture.count()).toBe(4 * 16);
    otherFixture.ask('spot.ticker', 'reconcile', 10, third);
    expect(otherFixture.count()).toBe(4 * 16 + 10);
  });

  it('calls within the limit cost what they weigh', () => {
    const stand = new LimitsFixture({ limits: { 'spot.newOrder': { count: 100, weight: 7 } } });
    stand.ask('spot.newOrder', 'order', 20);
    expect(stand.count()).toBe(11);
  });

  it('calls within the limit may ask for the next one, and be answered, while they go', () => {
    const stand = new LimitsFixture();
    let went = 0;
    const again = (): void => {
      stand.limiter.acquire(
        'spot.openOrders',
        'reconcile',
        (ticket) => {
          went++;
          again();
          ticket.finish(200, null, null);
          ticket.finish(429, null, null);
        },
        () => {},
      );
    };
    again();
    expect(went).toBe(16);
    stand.pass(2000 + GUARD_MS);
    expect(went).toBe(32);
    expect(stand.events).toEqual([]);
  });
});

describe('shares', () => {
  it('shares leave 20 % to cancels, and 40 % to reconciliation, whatever steady traffic there is', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.myTrades', 'steady', 50);
    expect(fixture.count('steady')).toBe(8);
    fixture.ask('spot.myTrades', 'reconcile', 50);
    expect(fixture.count('reconcile')).toBe(8);
    fixture.ask('spot.myTrades', 'cancel', 50);
    expect(fixture.count('cancel')).toBe(4);
  });

  it('shares let bars take all of a limit that nothing else waits for', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.klines', 'bars', 50);
    expect(fixture.count('bars')).toBe(20);
    fixture.answer();
    fixture.pass(2000 + GUARD_MS);
    expect(fixture.count('bars')).toBe(40);
  });

  it('shares let a read of the time go before bars that wait', () => {
    const setup = new LimitsFixture();
    setup.ask('spot.klines', 'bars', 50);
    setup.ask('spot.serverTime', 'reconcile');
    setup.answer();
    setup.pass(2000 + GUARD_MS);
    expect(setup.sent[20]!.priority).toBe('reconcile');
    expect(setup.count('bars')).toBe(20 + 19);
  });

  it('shares keep a tenth for steady traffic that waits behind bars', () => {
    const rig = new LimitsFixture();
    rig.ask('spot.klines', 'bars', 100);
    rig.ask('spot.depth', 'steady', 5);
    for (let window = 0; window < 3; window++) {
      rig.answer();
      rig.pass(2000 + GUARD_MS);
    }
    expect(rig.count('steady')).toBeGreaterThanOrEqual(5);
    expect(rig.count('bars') + rig.count('steady')).toBeGreaterThanOrEqual(66);
  });

  it('shares let reconciliation take what steady traffic does not, but for a tenth while that waits', () => {
    const setup = new LimitsFixture();
    setup.ask('spot.myTrades', 'reconcile', 50);
    expect(setup.count('reconcile')).toBe(16);
    setup.ask('spot.myTrades', 'steady', 50);
    setup.answer();
    setup.pass(2000 + GUARD_MS);
    expect([setup.count('reconcile'), setup.count('steady')]).toEqual([16 + 14, 2]);
  });

  it('shares stop creates 20 % below their limit', () => {
    const rig = new LimitsFixture();
    rig.ask('spot.newOrder', 'order', 200);
    rig.ask('spot.batchOrders', 'order', 200);
    rig.ask('futures.createOrder', 'order', 200);
    expect(rig.count()).toBe(80 + 40 + 16);
  });

  it('shares have room for one call however small the limit is', () => {
    for (const priority of ['cancel', 'reconcile', 'order', 'steady'] as const) {
      const otherFixture = new LimitsFixture({ limits: { 'spot.account': { count: 1 }, 'spot.myTrades': { count: 2, weight: 2 } } });
      otherFixture.ask('spot.account', priority);
      otherFixture.ask('spot.myTrades', priority);
      expect(otherFixture.count(), priority).toBe(2);
    }
  });
});

describe('the queue', () => {
  it('the queue is bounded for each priority, and says when to come back', () => {
    const fixture = new LimitsFixture({ maxWaiting: 3 });
    fixture.ask('spot.account', 'steady', 8 + 3 + 1);
    expect([fixture.count(), fixture.refusals.length]).toEqual([8, 1]);
    expect(fixture.refusals[0]).toEqual({
      kind: 'queueFull',
      message: 'spot.account is not sent: 3 calls of its priority wait for the rate limit already',
      remedy: 'ask less often: fewer symbols, or longer periods',
      retryAtMs: START_MS + 2000,
    });
    fixture.ask('spot.account', 'reconcile', 8);
    fixture.ask('spot.account', 'cancel', 4);
    expect([fixture.count(), fixture.refusals.length]).toEqual([20, 1]);
  });

  it('a call that is given up leaves the queue, and is neither sent nor rejected', () => {
    const setup = new LimitsFixture({ maxWaiting: 1 });
    setup.ask('spot.account', 'steady', 8);
    const giveUp = setup.ask('spot.account');
    giveUp();
    giveUp();
    setup.ask('spot.account');
    expect(setup.refusals).toEqual([]);
    setup.answer();
    setup.pass(5000);
    expect(setup.count()).toBe(9);
  });

  it('an empty queue keeps no timer, so that a command can end', () => {
    const rig = new LimitsFixture();
    rig.ask('spot.account', 'steady', 8);
    rig.answer();
    expect(rig.queue.nextMs).toBe(Infinity);
  });
});

describe('settings', () => {
  const message = (options: LimiterOptions): string => {
    try {
      return String(new LimitsFixture(options).count());
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.remedy).not.toBe('');
      return error.message;
    }
  };

  it.each<[LimiterOptions, string]>([
    [{ limits: { 'spot.trades': { count: 5 } } }, 'limits.spot.trades: no such endpoint, and no such class of calls'],
    [{ limits: { 'spot.klines': { count: 0 } } }, 'limits.spot.klines.count: expected a whole number of 1 or more, got 0'],
    [{ limits: { 'spot.klines': { windowMs: 0.5 } } }, 'limits.spot.klines.windowMs: expected a whole number of 1 or more, got 0.5'],
    [
      { limits: { 'spot.batchOrders': { weight: 60 } } },
      'limits.spot.batchOrders: expected a count of at least 60, the weight of one call, got 50',
    ],
    [{ banMinMs: 1000 }, 'limits.banMinMs: expected 300000 ms or more, got 1000'],
    [{ maxWaiting: 0 }, 'mostWaiting: expected a whole number of 1 or more, got 0'],
  ])('settings: %j is refused', (options, expected) => {
    expect(message(options)).toBe(expected);
  });

  it('an endpoint with a count of its own leaves the class it shared; a class may be set as a whole', () => {
    const fixture = new LimitsFixture({
      limits: { 'spot.klines': { count: 10, windowMs: 1000 }, 'spot.public': { count: 40 }, 'spot.depth': { weight: 5 } },
    });
    fixture.ask('spot.klines', 'reconcile', 20);
    expect(fixture.count()).toBe(8);
    fixture.ask('spot.ticker', 'reconcile', 2);
    fixture.ask('spot.depth', 'reconcile', 20);
    expect(fixture.count()).toBe(8 + 2 + 6);
    expect(fixture.limiter.state.classes.map(({ rateClass, limit, source }) => [rateClass, limit, source])).toEqual([
      ['spot.klines', 10, 'configured'],
      ['spot.public', 40, 'configured'],
    ]);
  });
});
