// Tests foreign orders that may be an order of the bot: no order is proven absent because of them, and none of them blocks an order permanently.

import { describe, expect, it } from 'vitest';
import { readForeignOrder } from '../../src/adapters/exchange/prove/readForeignOrder.ts';
import type { OrderId } from '../../src/model/order.ts';
import { atCall, changeRows, replaceReplies } from '../fixtures/plantedFaults.ts';
import { RestWorld } from '../fixtures/restFixture.ts';
import { spotTrader } from '../fixtures/restOthers.ts';
import { LIMIT_TERMS } from './restTerms.ts';

/** Hides the client order ids of all orders from reads. */
const HIDDEN_IDS = [changeRows('spot.openOrders', 'clientOrderId', '0'), changeRows('spot.queryOrder', 'clientOrderId', '0')] as const;

/** Returns the foreign orders that wait for a decision. */
const foreignOf = ({ exchange }: RestWorld): readonly string[] => exchange.foreignOrders.map(({ venueId }) => venueId);
/** Cancels an order at the exchange without the bot. */
function cancelManually(world: RestWorld, venueId: string): void {
  const { body } = spotTrader(world).post('/sapi/v1/cancel', { symbol: 'BTCUSDT', orderId: venueId });
  expect(body).toMatch(/"status":"?(CANCELED|PENDING_CANCEL|4|5)/);
}
/** Clears the halt for foreign orders without a decision. */
function clearHalt(world: RestWorld): void {
  world.engine.risk.resume({ kind: 'account' }, 'ALIEN', 'operator', world.nowMs);
  world.exchange.clear('ALIEN', null);
}

/** Opens a bot with a refused order and an order of the same terms whose reply is lost or late. Its row is a foreign order. */
async function openWithForeign(...faultOfReply: Parameters<typeof atCall> | []) {
  const world = await RestWorld.open();
  const [nth = 2, point = 'NET.respDrop', op = 'spot.newOrder', params = {}] = faultOfReply;
  world.plantFaults(atCall(1, 'GW.code', 'spot.newOrder', { code: -1138 }), atCall(nth, point, op, params), ...HIDDEN_IDS);
  const refused = world.placeOrder(LIMIT_TERMS);
  world.passUntil(() => world.orderById(refused).reason === 'refused');
  const lost = world.placeOrder(LIMIT_TERMS);
  world.passUntil(() => world.exchange.foreignOrders.length > 0, 30_000);
  return { world, refused, lost, venueId: foreignOf(world)[0]! };
}

describe('a foreign order that may be an order of unknown outcome', () => {
  it('an operator who clears the halt without a decision is asked again after a restart, and no order is proven absent before', async () => {
    const { world: firstWorld, refused, lost, venueId } = await openWithForeign();
    cancelManually(firstWorld, venueId);
    clearHalt(firstWorld);
    firstWorld.passTime(120_000);
    expect(firstWorld.orderById(lost).lifecycle).toBe('unknown');
    const nextWorld = await firstWorld.restart({ keepsHalts: true });
    nextWorld.passTime(120_000);
    expect(nextWorld.orderById(lost).lifecycle).toBe('unknown');
    expect([foreignOf(nextWorld), nextWorld.haltCodes.includes('ALIEN')]).toEqual([[venueId], true]);
    const names = [refused, lost].map((id) => nextWorld.clientOrderIdOf(id));
    expect(nextWorld.exchange.foreignOrders[0]!.why).toContain(`it may be ${names.join(' or ')}`);
    nextWorld.ignore(venueId);
    nextWorld.passUntil(() => nextWorld.orderById(lost).reason === 'noEffect');
  });

  it('a list that names the foreign order as an order of the bot assigns it, books its fills, and withdraws the halt', async () => {
    const { world, lost, venueId } = await openWithForeign();
    spotTrader(world).placeLimit('bob', 'SELL', '0.03', '90');
    world.audit('full');
    expect([foreignOf(world), world.orderById(lost).filledLots]).toEqual([[venueId], 0]);
    world.noFaults();
    world.passUntil(() => world.orderById(lost).filledLots === 300, 60_000);
    expect(world.orderById(lost)).toMatchObject({ lifecycle: 'working', venueId });
    expect([foreignOf(world), world.haltCodes.includes('ALIEN')]).toEqual([[], false]);
    expect([world.audit('full').kind, world.unattributedFills]).toEqual(['ok', []]);
  });

  it('an order is not proven absent while a list names it under an id that the operator has ignored', async () => {
    const { world, lost, venueId } = await openWithForeign();
    world.ignore(venueId);
    world.noFaults();
    world.passTime(120_000);
    expect(world.orderById(lost).lifecycle).toBe('unknown');
  });

  it('an order is not proven absent if a list has named it under an id that the operator ignored, also after its end', async () => {
    const { world, lost, venueId } = await openWithForeign();
    world.ignore(venueId);
    world.noFaults();
    world.audit('full');
    cancelManually(world, venueId);
    world.passTime(200_000);
    expect(world.orderById(lost).lifecycle).toBe('unknown');
  });

  it('a foreign order that may be an order of unknown outcome cannot be adopted as another one before that outcome is decided', async () => {
    const { world, lost, venueId } = await openWithForeign();
    const reasonOf = (): unknown => {
      const replies: unknown[] = [];
      world.exchange.readForDecision(
        (deps) => readForeignOrder(venueId, deps),
        (reply) => replies.push(reply),
      );
      world.passTime(1000);
      return replies[0];
    };
    expect(reasonOf()).toBe(
      `it may be ${world.clientOrderIdOf(lost)}, whose outcome is not known: decide that first (isobar orders resolve)`,
    );
    world.ignore(venueId);
    world.passUntil(() => world.orderById(lost).reason === 'noEffect');
    expect(reasonOf()).toBe(`${venueId} is not an order that waits for a decision`);
  });

  it('a foreign order that a late reply shows to be a second copy is named so, and its fills belong to the account', async () => {
    const { world, lost, venueId } = await openWithForeign(2, 'NET.respDelay', 'spot.newOrder', { ms: 20_000 });
    spotTrader(world).placeLimit('bob', 'SELL', '0.03', '90');
    world.audit('full');
    expect(foreignOf(world)).toEqual([venueId]);
    const row = { symbol: 'BTCUSDT', orderId: '888', clientOrderId: world.clientOrderIdOf(lost), price: '90', origQty: '0.1', executedQty: '0', type: 'LIMIT', side: 'BUY', status: 'NEW', time: world.nowMs }; // prettier-ignore
    world.plantFaults(replaceReplies('spot.openOrders', JSON.stringify([row])), replaceReplies('spot.queryOrder', JSON.stringify(row)));
    world.passUntil(() => world.orderById(lost).venueId === '888', 15_000);
    world.passUntil(() => world.haltCodes.includes('DUPLICATE'), 60_000);
    expect([foreignOf(world), world.haltCodes.includes('ALIEN')]).toEqual([[], false]);
    expect(world.unattributedFills).toMatchObject([{ side: 'buy', qty: '0.03' }]);
  });
});

describe('a foreign order that was reported while an order of the bot had a wrong id', () => {
  /**
   * Opens a bot whose buy and sale are acknowledged with one wrong id. The row of the buy was foreign before. `isCleared`: the operator clears
   * the halt for it between the two.
   */
  async function openContested({ isCleared = false } = {}) {
    const world = await RestWorld.open();
    world.plantFaults(replaceReplies('spot.newOrder', '{"orderId":777}'), ...HIDDEN_IDS);
    const bought = world.placeOrder(LIMIT_TERMS);
    world.passUntil(() => world.exchange.foreignOrders.length > 0, 30_000);
    if (isCleared) clearHalt(world);
    const sold: OrderId = world.placeOrder({ side: 'sell', lots: 1000, limit: 12_000 });
    world.passUntil(() => world.orderById(bought).lifecycle === 'unknown', 30_000);
    return { world, bought, sold, venueId: foreignOf(world)[0]! };
  }

  it('the order is not proven absent, the halt names it, and a list that names it assigns it', async () => {
    const { world, bought, sold, venueId } = await openContested();
    world.passTime(200_000);
    expect(world.orderById(bought).lifecycle).toBe('unknown');
    const { why } = world.exchange.foreignOrders[0]!;
    expect(why).toContain(`it may be ${world.clientOrderIdOf(bought)}, whose id`);
    expect(why).not.toContain(world.clientOrderIdOf(sold));
    world.noFaults();
    world.passUntil(() => world.orderById(bought).lifecycle === 'working', 60_000);
    expect([world.orderById(bought).venueId, foreignOf(world)]).toEqual([venueId, []]);
  });

  it.each([false, true])('the order is not proven absent after a restart (halt cleared before: %s)', async (isCleared) => {
    const { world: firstWorld, bought, venueId } = await openContested({ isCleared });
    cancelManually(firstWorld, venueId);
    const world = await firstWorld.restart({ keepsHalts: true });
    world.passTime(200_000);
    expect(world.orderById(bought).lifecycle).toBe('unknown');
    world.ignore(venueId);
    world.passUntil(() => world.orderById(bought).reason === 'noEffect');
  });
});

describe('the reason of a foreign order', () => {
  it('a foreign order that was created after the admission windows of refused orders with its terms may be none of them', async () => {
    const world = await RestWorld.open();
    world.plantFaults(...[1, 2].map((nth) => atCall(nth, 'GW.code', 'spot.newOrder', { code: -1138 })), ...HIDDEN_IDS);
    const refused = [LIMIT_TERMS, LIMIT_TERMS].map((terms) => {
      const id = world.placeOrder(terms);
      world.passUntil(() => world.orderById(id).reason === 'refused');
      return world.clientOrderIdOf(id);
    });
    world.passTime(30_000);
    world.plantFaults(...HIDDEN_IDS);
    spotTrader(world).placeLimit('alice', 'BUY', '0.1', '90');
    world.audit('full');
    expect(world.exchange.foreignOrders[0]!.why).toBe(
      `it asks for what ${refused.join(' and ')} ask for, but it was created too late to be one of them`,
    );
  });
});
