// Tests the effect of refusals by the exchange: a 429 stops a class of calls, and a 418 stops all calls.

import { describe, expect, it } from 'vitest';
import { LimitsFixture, START_MS } from '../../../../test/fixtures/limitsFixture.ts';
import type { Ban, BanStore } from './banStore.ts';

describe('after 429', () => {
  it.each([
    ['HTTP 429', 429, null],
    ['-1003 with HTTP 200', 200, -1003],
  ] as const)('after a 429 (as %s) its class stops for 2 s, then 4 s, then 8 s, and other classes continue', (_, status, code) => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.openOrders');
    for (const stopMs of [2000, 4000, 8000]) {
      fixture.answer(status, code);
      fixture.ask('spot.openOrders');
      fixture.pass(stopMs);
    }
    expect(fixture.sent.map(({ atMs }) => atMs)).toEqual([0, 2000, 6000, 14_000]);
    fixture.answer(status, code);
    fixture.ask('spot.myTrades');
    expect(fixture.count()).toBe(5);
  });

  it('after a 429 the replies to calls that were sent before it belong to the same stop', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.newOrder', 'order', 80);
    fixture.answer(429);
    expect(fixture.events).toEqual([{ kind: 'limited', rateClass: 'spot.newOrder', untilMs: START_MS + 2000, strikes: 1, allowance: 100 }]);
  });

  it('a Retry-After of a 429 is honoured only if it is longer than the stop', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.account');
    fixture.answer(429, null, 1000);
    fixture.ask('spot.myTrades');
    fixture.answer(429, null, 60_000);
    expect(fixture.limiter.state.classes.map(({ stoppedUntilMs }) => stoppedUntilMs)).toEqual([START_MS + 2000, START_MS + 60_000]);
  });

  it('after a 429 cancels continue, unless a cancel had the 429', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.newOrder', 'order');
    fixture.answer(429);
    fixture.ask('spot.cancelOrder', 'cancel', 100);
    expect(fixture.count('cancel')).toBe(100);
    fixture.answer(429);
    fixture.pass(1999);
    fixture.ask('spot.cancelOrder', 'cancel');
    expect(fixture.count('cancel')).toBe(100);
    fixture.pass(20);
    expect(fixture.count('cancel')).toBe(101);
  });

  it('after a 429 one call goes first, and the others after its reply', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.account');
    fixture.answer(429);
    fixture.ask('spot.account', 'reconcile', 5);
    fixture.pass(2000);
    expect(fixture.count()).toBe(2);
    fixture.pass(3000);
    expect(fixture.count()).toBe(2);
    fixture.answer(null);
    expect(fixture.count()).toBe(3);
    fixture.answer(503);
    expect(fixture.count()).toBe(6);
  });

  it('a class without a 429 for five minutes stops for 2 s again at the next one', () => {
    const fixture = new LimitsFixture();
    for (const waitMs of [2000, 4000 + 300_000]) {
      fixture.ask('spot.account');
      fixture.answer(429);
      fixture.pass(waitMs);
    }
    fixture.ask('spot.account');
    fixture.answer(429);
    expect(fixture.events.map((event) => 'strikes' in event && event.strikes)).toEqual([1, 2, 1]);
  });
});

/** Stores a ban in memory instead of on a disk. */
class MemoryBanStore implements BanStore {
  ban: Ban | null = null;
  read(): Ban | null {
    return this.ban;
  }
  write(ban: Ban): void {
    this.ban = ban;
  }
}

describe('after 418', () => {
  it('after a 418 no call is sent for five minutes, cancels included, and waiting calls are rejected', () => {
    const fixture = new LimitsFixture();
    fixture.ask('spot.openOrders', 'steady', 10);
    fixture.answer(418);
    expect(fixture.refusals).toHaveLength(2);
    for (const op of ['spot.cancelOrder', 'futures.cancelOrder', 'spot.ping'] as const) fixture.ask(op, 'cancel');
    expect(fixture.refusals[2]).toEqual({
      kind: 'banned',
      message:
        'spot.cancelOrder is not sent: the exchange has banned this address (HTTP 418); nothing is sent before 2026-01-05T00:05:00.000Z',
      remedy: 'wait; sending meanwhile, from here or by another program, makes the ban longer',
      retryAtMs: START_MS + 300_000,
    });
    fixture.pass(299_999);
    fixture.ask('spot.cancelOrder', 'cancel');
    expect([fixture.count(), fixture.refusals.length]).toEqual([8, 6]);
    expect(fixture.limiter.state.bannedUntilMs).toBe(START_MS + 300_000);
    fixture.pass(1);
    fixture.ask('spot.cancelOrder', 'cancel');
    expect(fixture.count()).toBe(9);
    expect(fixture.limiter.state.bannedUntilMs).toBeNull();
  });

  it('a ban stops all keys of the address, and one call goes first for all of them', () => {
    const fixture = new LimitsFixture();
    const secondLimiter = fixture.another({ sameAddressAs: fixture.limiter });
    fixture.ask('spot.account', 'steady', 20, secondLimiter);
    fixture.ask('spot.openOrders');
    fixture.sent.at(-1)!.ticket.finish(418, null, null);
    expect(fixture.refusals).toHaveLength(12);
    fixture.pass(300_000);
    fixture.ask('spot.myTrades', 'steady', 3);
    fixture.ask('spot.queryOrder', 'steady', 3, secondLimiter);
    expect(fixture.count()).toBe(10);
    fixture.answer(200);
    expect(fixture.count()).toBe(15);
  });

  it('each ban is twice as long as the one before, or as long as a longer Retry-After', () => {
    const fixture = new LimitsFixture();
    const lengths: number[] = [];
    for (const retryAfterMs of [null, 1000, 86_400_000, null]) {
      fixture.ask('spot.account');
      const { ms } = fixture;
      fixture.answer(418, null, retryAfterMs);
      const untilMs = fixture.limiter.state.bannedUntilMs! - START_MS;
      lengths.push(untilMs - ms);
      fixture.pass(untilMs - ms);
    }
    expect(lengths).toEqual([300_000, 600_000, 86_400_000, 2_400_000]);
  });

  it('a restart continues the ban and counts earlier bans', () => {
    const bans = new MemoryBanStore();
    const fixture = new LimitsFixture({ bans });
    fixture.ask('spot.account');
    fixture.answer(418);
    fixture.pass(100_000);
    const restarted = fixture.another({ bans });
    fixture.ask('spot.account', 'steady', 1, restarted);
    expect(fixture.refusals).toHaveLength(1);
    fixture.pass(200_000);
    fixture.ask('spot.account', 'steady', 2, restarted);
    expect(fixture.count()).toBe(2);
    fixture.sent.at(-1)!.ticket.finish(418, null, null);
    expect(restarted.state.bannedUntilMs).toBe(START_MS + 300_000 + 600_000);
    fixture.pass(600_000 + 86_400_000);
    fixture.ask('spot.account', 'steady', 2, fixture.another({ bans }));
    expect(fixture.count()).toBe(4);
  });

  it('a clock that was set back does not end the ban early', () => {
    const bans = new MemoryBanStore();
    bans.ban = { sinceMs: START_MS + 3_600_000, untilMs: START_MS + 3_900_000, strikes: 1 };
    expect(new LimitsFixture({ bans }).limiter.state.bannedUntilMs).toBe(START_MS + 300_000);
  });

  it('a ban that another program has received is respected', () => {
    const bans = new MemoryBanStore();
    const fixture = new LimitsFixture({ bans });
    bans.ban = { sinceMs: START_MS - 1000, untilMs: START_MS + 9_000_000, strikes: 4 };
    fixture.ask('spot.account');
    fixture.answer(418);
    expect(bans.ban).toEqual({ sinceMs: START_MS, untilMs: START_MS + 9_000_000, strikes: 4 });
    expect(fixture.limiter.state.bannedUntilMs).toBe(START_MS + 9_000_000);
  });

  it('a ban that cannot be stored is reported to the operator once', () => {
    const bans: BanStore = {
      read: () => null,
      write: () => {
        throw new Error('the disk is full');
      },
    };
    const fixture = new LimitsFixture({ bans });
    fixture.ask('spot.account', 'reconcile', 10);
    fixture.answer(418);
    const ban = { sinceMs: START_MS, untilMs: START_MS + 300_000, strikes: 1 };
    expect(fixture.events).toEqual([
      { kind: 'banNotSaved', ban, cause: 'the disk is full' },
      { kind: 'banned', ban },
    ]);
  });
});
