// Tests the rate limiter: which calls are sent at once, which wait and for how long, and which are rejected.

import { describe, expect, it } from 'vitest';
import { LimitsFixture, START_MS } from '../../../../test/fixtures/limitsFixture.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { LimiterOptions } from './limiter.ts';

/** Added to each window, because clocks differ. */
const GUARD_MS = 9;

describe('calls within the limit', () => {
  it('calls within the limit are sent at once, before acquire returns', () => {
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

  it('a call frees its place one window after its reply, not after it was sent', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.openOrders', 'reconcile', 40);
    expect(fixture.count()).toBe(16);
    fixture.pass(700);
    fixture.answer();
    fixture.pass(2000);
    expect(fixture.count()).toBe(16);
    fixture.pass(GUARD_MS);
    expect(fixture.count()).toBe(32);
    expect(fixture.sent[16]!.atMs).toBe(700 + 2000 + GUARD_MS);
  });

  it('a process that may follow another one makes no call of a long window before that window has ended, unless it is killed', () => {
    const limits = { 'spot.queryOrder': { count: 4, windowMs: 8000 }, 'spot.cancelOrder': { count: 2, windowMs: 8000 } };
    let isKilled = false;
    const fixture = new LimitsFixture({ limits, awaitsWindows: () => !isKilled });
    fixture.pass(1000);
    fixture.ask('spot.queryOrder', 'reconcile', 2);
    fixture.ask('spot.cancelOrder', 'cancel');
    expect(fixture.count()).toBe(0);
    isKilled = true;
    fixture.ask('spot.cancelOrder', 'cancel');
    expect(fixture.count('cancel')).toBe(2);
    isKilled = false;
    fixture.pass(8000);
    expect(fixture.sent.filter(({ priority }) => priority === 'reconcile').map(({ atMs }) => atMs)).toEqual([8033, 8033]);
  });

  it('a process that may follow another one does not wait for windows of 2 s and of more than 10 s', () => {
    const limits = { 'spot.queryOrder': { count: 600, windowMs: 60_000 } };
    const fixture = new LimitsFixture({ limits, awaitsWindows: () => true });
    fixture.ask('spot.queryOrder', 'reconcile');
    fixture.ask('spot.openOrders');
    expect(fixture.count()).toBe(2);
  });

  it('a process that follows no other one, such as a kill, does not wait for a window before its first call', () => {
    const fixture = new LimitsFixture({ limits: { 'spot.queryOrder': { count: 4, windowMs: 8000 } } });
    fixture.ask('spot.queryOrder', 'reconcile');
    expect(fixture.count()).toBe(1);
  });

  it('waiting calls are sent in the order in which they were requested', () => {
    const fixture = new LimitsFixture({ limits: { 'spot.openOrders': { count: 1 } } });
    const sent: number[] = [];
    for (let i = 0; i < 4; i++) {
      fixture.limiter.acquire(
        'spot.openOrders',
        'steady',
        (ticket) => {
          sent.push(i);
          ticket.finish(200, null, null);
        },
        () => {},
      );
    }
    fixture.pass(10_000);
    expect(sent).toEqual([0, 1, 2, 3]);
  });

  it('calls count by class and key, and public calls by address unless they carry the key', () => {
    const fixture = new LimitsFixture();
    const secondLimiter = fixture.another({ sameAddressAs: fixture.limiter });
    const publicOnKeyLimiter = fixture.another({ sameAddressAs: fixture.limiter, publicOnKey: true });
    for (const limiter of [fixture.limiter, secondLimiter, publicOnKeyLimiter]) fixture.ask('spot.account', 'reconcile', 20, limiter);
    expect(fixture.count()).toBe(3 * 16);
    fixture.ask('spot.klines', 'reconcile', 10);
    fixture.ask('spot.depth', 'reconcile', 10, secondLimiter);
    expect(fixture.count()).toBe(4 * 16);
    fixture.ask('spot.ticker', 'reconcile', 10, publicOnKeyLimiter);
    expect(fixture.count()).toBe(4 * 16 + 10);
  });

  it('calls count with their weight', () => {
    const fixture = new LimitsFixture({ limits: { 'spot.newOrder': { count: 100, weight: 7 } } });
    fixture.ask('spot.newOrder', 'order', 20);
    expect(fixture.count()).toBe(11);
  });

  it('a call may request the next one, and get its reply, while it is being sent', () => {
    const fixture = new LimitsFixture();
    let sent = 0;
    const requestAndRepeat = (): void => {
      fixture.limiter.acquire(
        'spot.openOrders',
        'reconcile',
        (ticket) => {
          sent++;
          requestAndRepeat();
          ticket.finish(200, null, null);
          ticket.finish(429, null, null);
        },
        () => {},
      );
    };
    requestAndRepeat();
    expect(sent).toBe(16);
    fixture.pass(2000 + GUARD_MS);
    expect(sent).toBe(32);
    expect(fixture.events).toEqual([]);
  });
});

describe('the shares of the priorities', () => {
  it('steady traffic leaves 20 % to cancels and 40 % to reconciliation', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.myTrades', 'steady', 50);
    expect(fixture.count('steady')).toBe(8);
    fixture.ask('spot.myTrades', 'reconcile', 50);
    expect(fixture.count('reconcile')).toBe(8);
    fixture.ask('spot.myTrades', 'cancel', 50);
    expect(fixture.count('cancel')).toBe(4);
  });

  it('bars may use the whole limit while no other call waits', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.klines', 'bars', 50);
    expect(fixture.count('bars')).toBe(20);
    fixture.answer();
    fixture.pass(2000 + GUARD_MS);
    expect(fixture.count('bars')).toBe(40);
  });

  it('a read of the time is sent before waiting bars', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.klines', 'bars', 50);
    fixture.ask('spot.serverTime', 'reconcile');
    fixture.answer();
    fixture.pass(2000 + GUARD_MS);
    expect(fixture.sent[20]!.priority).toBe('reconcile');
    expect(fixture.count('bars')).toBe(20 + 19);
  });

  it('steady traffic that waits behind bars gets a tenth of the limit', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.klines', 'bars', 100);
    fixture.ask('spot.depth', 'steady', 5);
    for (let window = 0; window < 3; window++) {
      fixture.answer();
      fixture.pass(2000 + GUARD_MS);
    }
    expect(fixture.count('steady')).toBeGreaterThanOrEqual(5);
    expect(fixture.count('bars') + fixture.count('steady')).toBeGreaterThanOrEqual(66);
  });

  it('reconciliation may use the share of steady traffic, except for a tenth while steady traffic waits', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.myTrades', 'reconcile', 50);
    expect(fixture.count('reconcile')).toBe(16);
    fixture.ask('spot.myTrades', 'steady', 50);
    fixture.answer();
    fixture.pass(2000 + GUARD_MS);
    expect([fixture.count('reconcile'), fixture.count('steady')]).toEqual([16 + 14, 2]);
  });

  it('creates use at most 80 % of their limit', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.newOrder', 'order', 200);
    fixture.ask('spot.batchOrders', 'order', 200);
    fixture.ask('futures.createOrder', 'order', 200);
    expect(fixture.count()).toBe(80 + 40 + 16);
  });

  it('one call of each priority may be sent even under a limit of one weight', () => {
    for (const priority of ['cancel', 'reconcile', 'order', 'steady'] as const) {
      const fixture = new LimitsFixture({ limits: { 'spot.account': { count: 1 }, 'spot.myTrades': { count: 2, weight: 2 } } });
      fixture.ask('spot.account', priority);
      fixture.ask('spot.myTrades', priority);
      expect(fixture.count(), priority).toBe(2);
    }
  });
});

describe('the queue', () => {
  it('the queue is bounded for each priority, and a rejection says when to retry', () => {
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

  it('a cancelled call leaves the queue, and is neither sent nor rejected', () => {
    const fixture = new LimitsFixture({ maxWaiting: 1 });
    fixture.ask('spot.account', 'steady', 8);
    const cancel = fixture.ask('spot.account');
    cancel();
    cancel();
    fixture.ask('spot.account');
    expect(fixture.refusals).toEqual([]);
    fixture.answer();
    fixture.pass(5000);
    expect(fixture.count()).toBe(9);
  });

  it('an empty queue keeps no timer, so that a command can end', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.account', 'steady', 8);
    fixture.answer();
    expect(fixture.queue.nextMs).toBe(Infinity);
  });
});

describe('settings', () => {
  const settingsError = (options: LimiterOptions): string => {
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
    [{ maxWaiting: 0 }, 'maxWaiting: expected a whole number of 1 or more, got 0'],
  ])('limiter settings are rejected: %j', (options, expected) => {
    expect(settingsError(options)).toBe(expected);
  });

  it('an endpoint with its own count leaves its shared class', () => {
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
