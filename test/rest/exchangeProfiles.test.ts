// Tests the REST adapter with every shipped profile: each finds and ends the same orders.

import { describe, expect, it } from 'vitest';
import { PROFILES } from '../../src/paperExchange/dialect/profile.ts';
import type { Profile } from '../../src/paperExchange/dialect/switches.ts';
import { BARE } from '../fixtures/bareProfile.ts';
import { spotTrader, futuresTrader } from '../fixtures/restOthers.ts';
import { atCall } from '../fixtures/plantedFaults.ts';
import { BTC, ETH, RestWorld, type RestWorldOptions } from '../fixtures/restFixture.ts';
import { INVERSE, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';

const FUTURES: RestWorldOptions = {
  instruments: [PERPETUAL],
  parts: { contractSettingsTarget: () => ({ positionType: 1, leverage: 10, positionModel: 1 }) },
};

/** Returns the options of a world with a contract whose exchange has this profile. */
const futuresWithProfile = (profile: Profile): RestWorldOptions => ({
  ...FUTURES,
  service: { instruments: [BTC, ETH, PERPETUAL, INVERSE], accounts: TRADERS, profile },
});

describe.each(Object.entries({ ...PROFILES, bare: BARE }))('profile %s', (_, profile) => {
  it('a spot order is found after a lost reply, filled and cancelled', async () => {
    const world = await RestWorld.open({ service: { profile } });
    world.plantFault('NET.respDrop');
    const lostOrder = world.placeOrder({ lots: 1000, limit: 9000 });
    world.passUntil(() => world.orderById(lostOrder).lifecycle === 'working', 60_000);
    world.noFaults();
    spotTrader(world).placeLimit('bob', 'SELL', '0.04', '90');
    world.cancel(lostOrder);
    world.passUntil(() => world.orderById(lostOrder).lifecycle === 'done', 60_000);
    expect(world.orderById(lostOrder)).toMatchObject({ reason: 'canceled', filledLots: 400 });
    expect(world.placedCountOf(lostOrder)).toBe(1);
    expect(world.audit('full')).toMatchObject({ kind: 'ok' });
    expect(world.cashChange).toBe(world.venueCashChange);
  });

  it('a futures order is found after a lost reply, filled and cancelled', async () => {
    const world = await RestWorld.open(futuresWithProfile(profile));
    world.plantFault('NET.respDrop', {}, 'futures.createOrder');
    const lostOrder = world.placeOrder({ lots: 10, limit: 9000 });
    world.passUntil(() => world.orderById(lostOrder).lifecycle === 'working', 60_000);
    world.noFaults();
    futuresTrader(world).sendOrder('bob', 'SELL', 4, 900, { positionType: 1 });
    world.cancel(lostOrder);
    world.passUntil(() => world.orderById(lostOrder).lifecycle === 'done', 60_000);
    expect(world.orderById(lostOrder)).toMatchObject({ reason: 'canceled', filledLots: 4 });
    expect(world.placedCountOf(lostOrder)).toBe(1);
    expect(world.audit('full')).toMatchObject({ kind: 'ok' });
    expect(world.cashChange).toBe(world.venueCashChange);
  });
});

describe('lists that are shorter than requested', () => {
  it.each(['100', '500', '1000'])('a history of at most %s rows hides no order', async (historyMax) => {
    const world = await RestWorld.open({
      ...FUTURES,
      switches: { historyMax },
      service: {
        instruments: [BTC, ETH, PERPETUAL, INVERSE],
        accounts: TRADERS,
        limits: { 'futures.createOrder': null, 'futures.cancelOrder': null },
      },
    });
    // The order fills at once, and many orders by hand follow it; only the history has its client order id.
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 900);
    world.plantFaults(
      atCall(1, 'NET.respDrop', 'futures.createOrder'),
      atCall(1, 'NET.reqDrop', 'futures.orderHistory'),
      atCall(2, 'NET.reqDrop', 'futures.orderHistory'),
      atCall(3, 'NET.reqDrop', 'futures.orderHistory'),
    );
    const lostOrder = world.placeOrder({ lots: 10, limit: 9000 });
    world.passTime(100);
    for (let manualOrder = 0; manualOrder < 120; manualOrder++) {
      const id = futuresTrader(world).placeOrder('alice', 'BUY', 1, 500);
      futuresTrader(world).post('/fapi/v1/cancel', { contractName: 'E-BTC-USDT', orderId: id }, { as: 'alice' });
    }
    world.noFaults();
    world.passUntil(() => world.orderById(lostOrder).lifecycle === 'done', 120_000);
    expect(world.orderById(lostOrder)).toMatchObject({ reason: 'filled', filledLots: 10 });
  });
});
