// Tests orders through the REST adapter and the paper exchange in virtual time: acknowledged, filled, cancelled and refused.

import { describe, expect, it } from 'vitest';
import { InvariantError } from '../../src/base/errors.ts';
import { RestWorld, type RestWorldOptions } from '../fixtures/restFixture.ts';
import { spotTrader } from '../fixtures/restOthers.ts';

/** Opens a bot and its exchange in virtual time. */
const openWorld = (options: RestWorldOptions = {}) => RestWorld.open(options);

describe('an order', () => {
  it('an order that rests is acknowledged, seen as working by the audit, and ends after a confirmed cancel', async () => {
    const world = await openWorld();
    const id = world.placeOrder({ lots: 1000, limit: 9000 });
    world.passTime(200);
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'working', venueId: expect.stringMatching(/^\d+$/) });
    expect(world.audit('full')).toMatchObject({ kind: 'ok', differences: [] });
    world.cancel(id);
    world.passTime(1000);
    // One reading is not a proof: the exposure stays reserved until a second one agrees.
    expect(world.orderById(id).lifecycle).toBe('cancelSent');
    world.passUntil(() => world.orderById(id).lifecycle === 'done');
    expect(world.orderById(id)).toMatchObject({ reason: 'canceled', filledLots: 0 });
    expect(world.engine.reservations.openOrdersTotal).toBe(0);
    expect(world.sentCounts.get('POST /sapi/v1/cancel')).toBe(1);
  });

  it('an order whose fills are all read and booked a moment later is not cancelled, unless it does not end', async () => {
    const world = await openWorld();
    const [first, second, partlyFilled] = [9990, 9980, 9970].map((limit) => world.placeOrder({ lots: 10_000, limit }));
    world.passTime(500);
    // One list shows the fills of all. The first one that is booked cancels the others, as an OCO group does.
    const push = world.reported.push.bind(world.reported);
    world.reported.push = (text: string) => {
      if (text.startsWith(`filled ${first}`)) {
        world.cancel(second!);
        world.cancel(partlyFilled!);
      }
      return push(text);
    };
    spotTrader(world).placeLimit('bob', 'SELL', '2.5', '99.7');
    world.audit('full');
    world.passUntil(() => [first, second, partlyFilled].every((id) => world.orderById(id!).lifecycle === 'done'), 20_000);
    const endings = [first, second, partlyFilled].map((id) => [world.orderById(id!).reason, world.orderById(id!).filledLots]);
    expect(endings).toEqual([['filled', 10_000], ['filled', 10_000], ['canceled', 5000]]); // prettier-ignore
    expect(world.sentCounts.get('POST /sapi/v1/cancel')).toBe(1);
  });

  it('an order that fills is booked once to the last unit, and ends because its booked fills equal its amount', async () => {
    const world = await openWorld();
    spotTrader(world).placeLimit('bob', 'SELL', '0.3', '99.5');
    spotTrader(world).placeLimit('bob', 'SELL', '0.7', '99.9');
    const id = world.placeOrder({ lots: 10_000, limit: 10_000 });
    world.settle();
    world.passUntil(() => world.orderById(id).lifecycle === 'done');
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 10_000 });
    for (let audit = 0; audit < 3; audit++) expect(world.audit('full')).toMatchObject({ kind: 'ok' });
    const fills = world.engine.fills.columns();
    const fillRows = Array.from({ length: fills.length }, (_, index) => ({ price: fills.price[index], lots: fills.lots[index] }));
    expect(fillRows).toEqual([
      { price: 9950, lots: 3000 },
      { price: 9990, lots: 7000 },
    ]);
    expect(world.engine.ledger.cashTotal - 50_000 * 1e8).toBe(world.balance('USDT') - 100_000 * 1e8);
  });

  it('an order by amount ends as filled when the exchange reports it as filled', async () => {
    const world = await openWorld();
    spotTrader(world).placeLimit('bob', 'SELL', '5', '100');
    const id = world.placeOrder({ quoteUnits: 123.45e8 });
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 20_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 12_345 });
  });

  it('an order that is refused no longer reserves exposure', async () => {
    const world = await openWorld({ service: { off: ['spot.newOrder'] } });
    const id = world.placeOrder({ lots: 1000, limit: 9000 });
    world.passTime(200);
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'refused', code: '-1020' });
    expect(world.engine.reservations.openOrdersTotal).toBe(0);
  });

  it('an order waits until its record is durable, and for the earlier order on its side of the instrument', async () => {
    const world = await openWorld();
    world.journal.lasts = world.journal.durableSeq;
    const firstBuy = world.placeOrder({ lots: 1000, limit: 9000 });
    const secondBuy = world.placeOrder({ lots: 1000, limit: 9001 });
    const sale = world.placeOrder({ side: 'sell', lots: 1000, limit: 11_000 });
    world.passTime(500);
    expect(world.sentCounts.get('POST /sapi/v1/order')).toBeUndefined();
    world.journal.lasts = null;
    world.exchange.onDurable(world.journal.durableSeq);
    world.passTime(10);
    expect(world.sentCounts.get('POST /sapi/v1/order')).toBe(2);
    world.passTime(500);
    expect(world.sentCounts.get('POST /sapi/v1/order')).toBe(3);
    for (const id of [firstBuy, secondBuy, sale]) expect(world.orderById(id).lifecycle).toBe('working');
    expect(world.exchange.isIdle).toBe(true);
  });

  it('an order is not sent when its turn comes too late for its signature', async () => {
    const world = await openWorld();
    world.journal.lasts = world.journal.durableSeq;
    const id = world.placeOrder({ lots: 1000, limit: 9000 });
    world.passTime(6000);
    world.journal.lasts = null;
    world.exchange.onDurable(world.journal.durableSeq);
    world.passTime(100);
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'done', reason: 'notSent' });
    expect(world.sentCounts.get('POST /sapi/v1/order')).toBeUndefined();
  });

  it('an order is sent once, even if it is requested a second time', async () => {
    const world = await openWorld();
    const id = world.placeOrder({ lots: 1000, limit: 9000 });
    world.passTime(200);
    expect(() => world.exchange.submit(world.orderById(id) as never, 0)).toThrow(InvariantError);
    expect(world.placedCountOf(id)).toBe(1);
  });

  it('an order is found by its client order id in the list before its answer comes', async () => {
    const world = await openWorld();
    world.plantFault('NET.respDelay', { ms: 3000 });
    const id = world.placeOrder({ lots: 1000, limit: 9000 });
    world.passTime(500);
    expect(world.orderById(id).lifecycle).toBe('sent');
    world.audit('full');
    expect(world.orderById(id).lifecycle).toBe('working');
    world.passTime(5000);
    expect(world.reported.filter((line) => line.startsWith('acked'))).toHaveLength(1);
    expect(world.placedCountOf(id)).toBe(1);
  });
});
