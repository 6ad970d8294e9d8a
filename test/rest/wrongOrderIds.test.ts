// Tests orders that the exchange acknowledges with a wrong id, without a client order id. The bot finds the right id, and takes no order for a copy.

import { describe, expect, it } from 'vitest';
import { applyInbox } from '../../src/engine/loop/liveSteps.ts';
import { adopt } from '../../src/engine/router/adoption.ts';
import type { OrderId, VenueOrderId } from '../../src/model/order.ts';
import { atCall, atEveryCall, changeRows, replaceReplies } from '../fixtures/plantedFaults.ts';
import { BTC, ETH, RestWorld } from '../fixtures/restFixture.ts';
import { futuresTrader, spotTrader } from '../fixtures/restOthers.ts';
import { INVERSE, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';
import { LIMIT_TERMS } from './restTerms.ts';

/** An id that no order of the exchange has. */
const WRONG_ID = '777';

/** Returns the ids of the account's open orders at the exchange. */
const openIdsOf = ({ service }: RestWorld): readonly string[] =>
  service.spot
    .unendedOrders()
    .filter(({ account }) => account === 0)
    .map(({ id }) => id);

/** Opens a bot whose buy is acknowledged with a wrong id. */
async function openWithWrongId(): Promise<{ readonly world: RestWorld; readonly id: OrderId }> {
  const world = await RestWorld.open();
  world.plantFaults(replaceReplies('spot.newOrder', `{"orderId":${WRONG_ID}}`));
  const id = world.placeOrder(LIMIT_TERMS);
  world.passTime(1000);
  world.noFaults();
  return { world, id };
}

/** Opens a bot that trades a contract. Acknowledgements of contracts have an id alone. */
const openContracts = (): Promise<RestWorld> =>
  RestWorld.open({
    instruments: [PERPETUAL],
    service: { instruments: [BTC, ETH, PERPETUAL, INVERSE], accounts: TRADERS },
    parts: { contractSettingsTarget: () => ({ positionType: 1, leverage: 10, positionModel: 1 }) },
  });

describe('an order that is acknowledged with a wrong id', () => {
  it('the order is not cancelled as a second copy, no audit passes, and its right id is found', async () => {
    const { world, id } = await openWithWrongId();
    const [rightId] = openIdsOf(world);
    expect([world.orderById(id).venueId, world.audit('full').kind, world.haltCodes]).toEqual([WRONG_ID, 'mismatch', []]);
    world.passUntil(() => world.orderById(id).venueId === rightId, 120_000);
    expect([world.orderById(id).lifecycle, openIdsOf(world)]).toEqual(['working', [rightId]]);
    expect([world.audit('full').kind, world.exchange.raisedCauses]).toEqual(['ok', []]);
    expect(world.reported.filter((line) => line.includes('DUPLICATE'))).toEqual([]);
    world.cancel(id);
    world.passUntil(() => world.orderById(id).reason === 'canceled', 60_000);
    expect(openIdsOf(world)).toEqual([]);
  });

  it.each([
    ['0.1', 1000],
    ['0.03', 300],
  ])('an order of 0.1 coins that fills %s coins at once gets these fills, and the account none', async (soldQty, filledLots) => {
    const world = await RestWorld.open();
    spotTrader(world).placeLimit('bob', 'SELL', soldQty, '90');
    world.plantFaults(replaceReplies('spot.newOrder', `{"orderId":${WRONG_ID}}`));
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(1000);
    world.noFaults();
    expect(world.audit('full').kind).toBe('mismatch');
    world.passUntil(() => world.orderById(id).filledLots === filledLots, 120_000);
    expect(world.unattributedFills).toEqual([]);
    expect([world.audit('full').kind, world.cashChange]).toEqual(['ok', world.venueCashChange]);
  });

  it('the right id is found after a restart', async () => {
    const { world, id } = await openWithWrongId();
    const nextWorld = await world.restart();
    expect(nextWorld.audit('full').kind).toBe('mismatch');
    for (let audits = 0; audits < 10 && nextWorld.orderById(id).venueId === WRONG_ID; audits++) {
      nextWorld.passTime(5000);
      nextWorld.audit('fast');
    }
    nextWorld.passUntil(() => nextWorld.orderById(id).lifecycle === 'working', 60_000);
    expect(openIdsOf(nextWorld)).toEqual([String(nextWorld.orderById(id).venueId)]);
    expect(nextWorld.audit('full').kind).toBe('ok');
  });

  it('an order that is being cancelled is cancelled under its right id', async () => {
    const { world, id } = await openWithWrongId();
    world.cancel(id);
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 120_000);
    expect([world.orderById(id).reason, openIdsOf(world)]).toEqual(['canceled', []]);
  });

  it('the fill of an order of contracts is booked to it although it was acknowledged with the id of an earlier one', async () => {
    const world = await openContracts();
    futuresTrader(world).placeOrder('bob', 'BUY', 5, 950);
    const lateId = '1954000000000000002';
    world.plantFaults(
      atCall(1, 'NET.respDelay', 'futures.createOrder', { ms: 10_000 }),
      atCall(2, 'NET.replace', 'futures.createOrder', { status: 200, body: `{"orderId":"${lateId}"}` }),
      atEveryCall('NET.reqDrop', 'futures.openOrders'),
    );
    const late = world.placeOrder({ lots: 10, limit: 9000 });
    const filled = world.placeOrder({ lots: 5, limit: 9500, side: 'sell' });
    world.passTime(2000);
    world.noFaults();
    world.audit('full');
    world.passUntil(() => world.orderById(filled).reason === 'filled' && world.orderById(late).lifecycle === 'working', 120_000);
    expect([String(world.orderById(late).venueId), world.orderById(filled).filledLots]).toEqual([lateId, 5]);
    expect([world.unattributedFills, world.audit('full').kind]).toEqual([[], 'ok']);
    expect(world.reported.filter((line) => line.includes('DUPLICATE'))).toEqual([]);
  });

  it.each([
    ['has another price', { volume: 10, price: 930 }, 0],
    ['has the same terms and is older', { volume: 10, price: 900 }, 10_000],
  ])('an order of contracts that is acknowledged with the id of another program, whose order %s, is found', async (_, other, olderByMs) => {
    const world = await openContracts();
    const otherId = futuresTrader(world).placeOrder('alice', 'BUY', other.volume, other.price);
    world.passTime(olderByMs);
    world.plantFaults(replaceReplies('futures.createOrder', `{"orderId":"${otherId}"}`));
    const id = world.placeOrder({ lots: 10, limit: 9000 });
    world.passTime(1000);
    world.noFaults();
    for (let audits = 0; audits < 10 && world.orderById(id).venueId === otherId; audits++) {
      world.audit('full');
      world.passTime(5000);
    }
    world.passUntil(() => world.orderById(id).lifecycle === 'working', 60_000);
    const openIds = world.service.futures.unendedOrders().map(({ id: openId }) => openId);
    expect(openIds.toSorted()).toEqual([otherId, String(world.orderById(id).venueId)].toSorted());
    expect(world.reported.filter((line) => line.includes('DUPLICATE'))).toEqual([]);
  });

  it('a query that names another order under the id shows that the id is wrong', async () => {
    const world = await RestWorld.open();
    const otherId = spotTrader(world).placeLimit('alice', 'BUY', '0.1', '80', { newClientOrderId: 'other-1' });
    spotTrader(world).post('/sapi/v1/cancel', { symbol: 'BTCUSDT', orderId: otherId });
    world.passTime(1000);
    world.plantFaults(replaceReplies('spot.newOrder', `{"orderId":${otherId}}`), atEveryCall('NET.reqDrop', 'spot.openOrders'));
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(5000);
    // The query shows the other order, which is canceled. That of the bot is open.
    expect([world.orderById(id).lifecycle, openIdsOf(world).length]).toEqual(['unknown', 1]);
    world.noFaults();
    world.passUntil(() => world.orderById(id).lifecycle === 'working', 120_000);
    expect(openIdsOf(world)).toEqual([String(world.orderById(id).venueId)]);
  });

  it('the id of an order that had ended before the restart is not believed', async () => {
    const firstWorld = await openContracts();
    const first = firstWorld.placeOrder({ lots: 10, limit: 9000 });
    firstWorld.passUntil(() => firstWorld.orderById(first).lifecycle === 'working');
    firstWorld.cancel(first);
    firstWorld.passUntil(() => firstWorld.orderById(first).lifecycle === 'done', 60_000);
    const { venueId } = firstWorld.orderById(first);
    const world = await firstWorld.restart();
    world.plantFaults(
      replaceReplies('futures.createOrder', `{"orderId":"${venueId}"}`),
      atEveryCall('NET.reqDrop', 'futures.openOrders'),
      atEveryCall('NET.reqDrop', 'futures.orderHistory'),
    );
    const second = world.placeOrder({ lots: 10, limit: 9000 });
    world.passTime(5000);
    // A query of that id shows the first order, which is canceled, and has no client order id.
    expect([world.orderById(second).lifecycle, world.haltCodes]).toEqual(['unknown', expect.arrayContaining(['ECHO'])]);
    world.noFaults();
    world.passUntil(() => world.orderById(second).lifecycle === 'working', 120_000);
    expect(world.orderById(second).venueId).not.toBe(venueId);
  });
});

describe('an order with a second copy whose acknowledgement has no client order id', () => {
  it('the copy that a list shows first is cancelled once a query has shown the order under its own id', async () => {
    const world = await RestWorld.open();
    const [ownId, copyId] = ['1322000000000000001', '1322000000000000002'];
    world.plantFaults(
      atCall(1, 'NET.dup', 'spot.newOrder'),
      replaceReplies('spot.newOrder', `{"orderId":${ownId}}`),
      atEveryCall('NET.reqDrop', 'spot.queryOrder'),
      atEveryCall('NET.reqDrop', 'spot.openOrders'),
    );
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(100);
    // The list is newest first, so its first row is the copy.
    const wholeList = spotTrader(world).get('/sapi/v1/openOrders?symbol=BTCUSDT').body;
    const listWithoutOrder = replaceReplies('spot.openOrders', `${wholeList.slice(0, wholeList.indexOf('},{'))}}]`);
    expect(listWithoutOrder.params['body']).toContain(`"orderId":${copyId}`);
    world.plantFaults(listWithoutOrder, atEveryCall('NET.reqDrop', 'spot.queryOrder'));
    world.passTime(2000);
    expect([world.audit('fast').kind, openIdsOf(world), world.haltCodes]).toEqual(['mismatch', [ownId, copyId], []]);
    // Now no list shows the copy, and a query shows the order.
    world.plantFaults(replaceReplies('spot.openOrders', '[]'));
    world.passUntil(() => openIdsOf(world).length === 1, 60_000);
    expect([openIdsOf(world), world.haltCodes]).toEqual([[ownId], ['DUPLICATE']]);
    expect([world.orderById(id).venueId, world.orderById(id).lifecycle]).toEqual([ownId, 'working']);
  });
});

describe('an order that the operator has adopted', () => {
  /** Opens a bot that has adopted a resting buy of another program of its account. */
  async function openAdopted(): Promise<{ readonly world: RestWorld; readonly id: OrderId; readonly venueId: string }> {
    const world = await RestWorld.open();
    const venueId = spotTrader(world).placeLimit('alice', 'BUY', '0.1', '80', { newClientOrderId: 'by-hand' });
    world.audit('full');
    const { engine, exchange } = world;
    const adopted = { id: 0 as OrderId };
    applyInbox(engine, world.queue.nowMs, () => {
      const terms = { instrument: 0, side: 'buy', lots: 1000, limit: 8000, reduceOnly: false } as const;
      const order = adopt(engine, 0, terms, venueId as VenueOrderId);
      adopted.id = order.id;
      exchange.adoptFills(order, venueId);
    });
    return { world, id: adopted.id, venueId };
  }

  it('the adopted order keeps its id if the exchange acknowledges another order with it, and the symbol is halted with ECHO', async () => {
    const { world, id: adopted, venueId } = await openAdopted();
    world.plantFaults(replaceReplies('spot.newOrder', `{"orderId":${venueId}}`));
    const id = world.placeOrder({ side: 'sell', lots: 1000, limit: 12_000 });
    world.passTime(1000);
    world.noFaults();
    world.audit('full');
    world.passUntil(() => world.orderById(id).lifecycle === 'working', 120_000);
    expect(world.orderById(adopted)).toMatchObject({ lifecycle: 'working', venueId });
    expect(world.haltCodes).toContain('ECHO');
    expect(String(world.orderById(id).venueId)).not.toBe(venueId);
  });

  it('the adopted order keeps its id if a query shows another order under it, and the symbol is halted with ECHO', async () => {
    const { world, id, venueId } = await openAdopted();
    world.plantFaults(replaceReplies('spot.openOrders', '[]'), changeRows('spot.queryOrder', 'side', 'SELL'));
    world.audit('full');
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'working', venueId });
    expect(world.haltCodes).toContain('ECHO');
  });
});
