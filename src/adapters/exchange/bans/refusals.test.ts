// What the exchange's refusals change: a 429 stops a class, a 418 stops everything.

import { describe, expect, it } from 'vitest';
import { LimitsDesk, START_MS } from '../../../../test/fixtures/limitsDesk.ts';
import type { Ban, BanStore } from './banStore.ts';

describe('after 429', () => {
  it.each([
    ['HTTP 429', 429, null],
    ['-1003 with HTTP 200', 200, -1003],
  ] as const)('%s its class stops for 2 s, then 4, then 8; the others go on', (_, status, code) => {
    const desk = new LimitsDesk();
    desk.ask('spot.openOrders');
    for (const stopMs of [2000, 4000, 8000]) {
      desk.answer(status, code);
      desk.ask('spot.openOrders');
      desk.pass(stopMs);
    }
    expect(desk.sent.map(({ atMs }) => atMs)).toEqual([0, 2000, 6000, 14_000]);
    desk.answer(status, code);
    desk.ask('spot.myTrades');
    expect(desk.count()).toBe(5);
  });

  it('answers to what had left before belong to the same stop', () => {
    const desk = new LimitsDesk();
    desk.ask('spot.newOrder', 'order', 80);
    desk.answer(429);
    expect(desk.events).toEqual([{ kind: 'limited', rateClass: 'spot.newOrder', untilMs: START_MS + 2000, strikes: 1, allowance: 100 }]);
  });

  it('a longer Retry-After is honoured, a shorter one is not', () => {
    const desk = new LimitsDesk();
    desk.ask('spot.account');
    desk.answer(429, null, 1000);
    desk.ask('spot.myTrades');
    desk.answer(429, null, 60_000);
    expect(desk.limiter.state.classes.map((each) => each.stoppedUntilMs)).toEqual([START_MS + 2000, START_MS + 60_000]);
  });

  it('cancels go on, unless it was their own class', () => {
    const desk = new LimitsDesk();
    desk.ask('spot.newOrder', 'order');
    desk.answer(429);
    desk.ask('spot.cancelOrder', 'cancel', 100);
    expect(desk.count('cancel')).toBe(100);
    desk.answer(429);
    desk.pass(1999);
    desk.ask('spot.cancelOrder', 'cancel');
    expect(desk.count('cancel')).toBe(100);
    desk.pass(20);
    expect(desk.count('cancel')).toBe(101);
  });

  it('one call goes ahead, and the others once it was answered', () => {
    const desk = new LimitsDesk();
    desk.ask('spot.account');
    desk.answer(429);
    desk.ask('spot.account', 'reconcile', 5);
    desk.pass(2000);
    expect(desk.count()).toBe(2);
    desk.pass(3000);
    expect(desk.count()).toBe(2);
    desk.answer(null);
    expect(desk.count()).toBe(3);
    desk.answer(503);
    expect(desk.count()).toBe(6);
  });

  it('a class that has behaved for five minutes starts from 2 s again', () => {
    const desk = new LimitsDesk();
    for (const waitMs of [2000, 4000 + 300_000]) {
      desk.ask('spot.account');
      desk.answer(429);
      desk.pass(waitMs);
    }
    desk.ask('spot.account');
    desk.answer(429);
    expect(desk.events.map((event) => 'strikes' in event && event.strikes)).toEqual([1, 2, 1]);
  });
});

/** What a disk would keep. */
class Shelf implements BanStore {
  ban: Ban | null = null;
  read(): Ban | null {
    return this.ban;
  }
  write(ban: Ban): void {
    this.ban = ban;
  }
}

describe('after 418', () => {
  it('nothing at all is sent for five minutes, cancels included, and those who wait are told', () => {
    const desk = new LimitsDesk();
    desk.ask('spot.openOrders', 'steady', 10);
    desk.answer(418);
    expect(desk.refusals).toHaveLength(2);
    for (const op of ['spot.cancelOrder', 'futures.cancelOrder', 'spot.ping'] as const) desk.ask(op, 'cancel');
    expect(desk.refusals[2]).toEqual({
      kind: 'banned',
      message:
        'spot.cancelOrder is not sent: the exchange has banned this address (HTTP 418); nothing is sent before 2026-01-05T00:05:00.000Z',
      remedy: 'wait; sending meanwhile, from here or by another program, makes the ban longer',
      retryAtMs: START_MS + 300_000,
    });
    desk.pass(299_999);
    desk.ask('spot.cancelOrder', 'cancel');
    expect([desk.count(), desk.refusals.length]).toEqual([8, 6]);
    expect(desk.limiter.state.bannedUntilMs).toBe(START_MS + 300_000);
    desk.pass(1);
    desk.ask('spot.cancelOrder', 'cancel');
    expect(desk.count()).toBe(9);
    expect(desk.limiter.state.bannedUntilMs).toBeNull();
  });

  it('all keys of the address are stopped, and one call goes ahead for all of them', () => {
    const desk = new LimitsDesk();
    const second = desk.another({ sameAddressAs: desk.limiter });
    desk.ask('spot.account', 'steady', 20, second);
    desk.ask('spot.openOrders');
    desk.sent.at(-1)!.ticket.answered(418, null, null);
    expect(desk.refusals).toHaveLength(12);
    desk.pass(300_000);
    desk.ask('spot.myTrades', 'steady', 3);
    desk.ask('spot.queryOrder', 'steady', 3, second);
    expect(desk.count()).toBe(10);
    desk.answer(200);
    expect(desk.count()).toBe(15);
  });

  it('each ban is twice as long, a longer Retry-After is honoured, a shorter one is not', () => {
    const desk = new LimitsDesk();
    const lengths: number[] = [];
    for (const retryAfterMs of [null, 1000, 86_400_000, null]) {
      desk.ask('spot.account');
      const { ms } = desk;
      desk.answer(418, null, retryAfterMs);
      const untilMs = desk.limiter.state.bannedUntilMs! - START_MS;
      lengths.push(untilMs - ms);
      desk.pass(untilMs - ms);
    }
    expect(lengths).toEqual([300_000, 600_000, 86_400_000, 2_400_000]);
  });

  it('a restart goes on with it, and with how many there were', () => {
    const bans = new Shelf();
    const desk = new LimitsDesk({ bans });
    desk.ask('spot.account');
    desk.answer(418);
    desk.pass(100_000);
    const restarted = desk.another({ bans });
    desk.ask('spot.account', 'steady', 1, restarted);
    expect(desk.refusals).toHaveLength(1);
    desk.pass(200_000);
    desk.ask('spot.account', 'steady', 2, restarted);
    expect(desk.count()).toBe(2);
    desk.sent.at(-1)!.ticket.answered(418, null, null);
    expect(restarted.state.bannedUntilMs).toBe(START_MS + 300_000 + 600_000);
    desk.pass(600_000 + 86_400_000);
    desk.ask('spot.account', 'steady', 2, desk.another({ bans }));
    expect(desk.count()).toBe(4);
  });

  it('a clock that was set back does not end it early', () => {
    const bans = new Shelf();
    bans.ban = { sinceMs: START_MS + 3_600_000, untilMs: START_MS + 3_900_000, strikes: 1 };
    expect(new LimitsDesk({ bans }).limiter.state.bannedUntilMs).toBe(START_MS + 300_000);
  });

  it('what another program has learned meanwhile is kept to', () => {
    const bans = new Shelf();
    const desk = new LimitsDesk({ bans });
    bans.ban = { sinceMs: START_MS - 1000, untilMs: START_MS + 9_000_000, strikes: 4 };
    desk.ask('spot.account');
    desk.answer(418);
    expect(bans.ban).toEqual({ sinceMs: START_MS, untilMs: START_MS + 9_000_000, strikes: 4 });
    expect(desk.limiter.state.bannedUntilMs).toBe(START_MS + 9_000_000);
  });

  it('a person is told once, also that it could not be kept', () => {
    const bans: BanStore = {
      read: () => null,
      write: () => {
        throw new Error('the disk is full');
      },
    };
    const desk = new LimitsDesk({ bans });
    desk.ask('spot.account', 'reconcile', 10);
    desk.answer(418);
    const ban = { sinceMs: START_MS, untilMs: START_MS + 300_000, strikes: 1 };
    expect(desk.events).toEqual([
      { kind: 'banNotSaved', ban, cause: 'the disk is full' },
      { kind: 'banned', ban },
    ]);
  });
});
