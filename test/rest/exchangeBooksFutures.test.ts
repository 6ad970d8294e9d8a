// Tests that the futures books never claim more than the exchange shows: second copies, ids given twice, unexplained positions.

import { describe, expect, it } from 'vitest';
import { ticks } from '../../src/base/brand.ts';
import { parseTriggerTrackId } from '../../src/adapters/exchange/calls/triggers.ts';
import { applyInbox } from '../../src/engine/loop/liveSteps.ts';
import type { OrderId } from '../../src/model/order.ts';
import { atCall, atEveryCall, changeRows, replaceReplies } from '../fixtures/plantedFaults.ts';
import { BTC, ETH, RestWorld, type RestWorldOptions } from '../fixtures/restFixture.ts';
import { futuresTrader } from '../fixtures/restOthers.ts';
import { INVERSE, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';

/** Opens a bot that trades a contract, and its exchange, in virtual time. */
const openWorld = (parts: RestWorldOptions['parts'] = {}) =>
  RestWorld.open({
    instruments: [PERPETUAL],
    service: { instruments: [BTC, ETH, PERPETUAL, INVERSE], accounts: TRADERS },
    parts: { contractSettingsTarget: () => ({ positionType: 1, leverage: 10, positionModel: 1 }), ...parts },
  });

describe('contracts', () => {
  it('the second copy of a create of contracts fills: the fill is a position of the account, and the audit passes', async () => {
    const world = await openWorld();
    futuresTrader(world).placeOrder('bob', 'SELL', 40, 1000);
    world.plantFault('NET.dup', {}, 'futures.createOrder');
    const id = world.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.placedCountOf(id)).toBe(2);
    world.passUntil(() => world.unattributedFills.length > 0, 60_000);
    expect(world.unattributedFills).toMatchObject([{ symbol: PERPETUAL.id, side: 'buy', qty: '10', price: '1000' }]);
    expect(world.haltCodes).toContain('DUPLICATE');
    expect(world.audit('full').kind).toBe('mismatch');
    world.exchange.clear('DUPLICATE', null);
    expect(world.audit('full').kind).toBe('ok');
    // Twenty at the exchange: ten of the strategy, ten of the account.
    expect(futuresTrader(world).positions()).toMatchObject([{ positionSide: 'BUY', positionVolume: 20 }]);
    expect(world.engine.ledger.lots(0, 0)).toBe(10);
    expect(world.exchange.externalPositions).toMatchObject([{ qty: '10', fills: 1 }]);
  });

  it('the second copy of a create of contracts rests, then fills: the history has its client order id, the halt its fill', async () => {
    const world = await openWorld();
    world.plantFaults(atCall(1, 'NET.dup', 'futures.createOrder'), atEveryCall('NET.reqDrop', 'futures.cancelOrder'));
    const id = world.placeOrder({ lots: 10, limit: 9000 });
    world.passTime(2000);
    world.audit('full');
    expect(world.placedCountOf(id)).toBe(2);
    expect(world.haltCodes).toEqual(['DUPLICATE']);
    futuresTrader(world).placeOrder('bob', 'SELL', 13, 900);
    world.passTime(2000);
    expect(world.audit('full').kind).toBe('mismatch');
    const ownLots = world.orderById(id).filledLots;
    expect(world.unattributedFills).toMatchObject([{ symbol: PERPETUAL.id, side: 'buy', qty: String(13 - ownLots) }]);
    expect(world.engine.risk.halts.causes()[0]!.why).toContain(`it has bought ${13 - ownLots} for`);
  });

  it('two trigger orders that are acknowledged with one id are both unknown, found, and cancelled', async () => {
    const world = await openWorld();
    const placeTrigger = (level: number): OrderId => {
      const placedTrigger = { id: 0 as OrderId };
      applyInbox(world.engine, world.queue.nowMs, () => {
        const order = world.engine.newOrder(0, world.engine.execution[0]!, 'buy');
        const triggerTerms = {
          role: 'condition',
          reduceOnly: false,
          limit: ticks(level + 100),
          triggerTicks: ticks(level),
          triggersAbove: true,
        } as const;
        placedTrigger.id = world.engine.submit(Object.assign(order, { ...triggerTerms, lots: 10, slot: `at ${level}` }));
      });
      return placedTrigger.id;
    };
    const firstTrigger = placeTrigger(10_500);
    world.passUntil(() => world.orderById(firstTrigger).lifecycle === 'working', 5000);
    const { triggerId } = parseTriggerTrackId(String(world.orderById(firstTrigger).venueId))!;
    const body = JSON.stringify({ code: '0', msg: 'Success', data: { triggerIds: [triggerId], ids: [], cancelIds: [] } });
    world.plantFaults(replaceReplies('futures.createConditionOrder', body), atEveryCall('NET.reqDrop', 'futures.triggerOrderList'));
    const otherTrigger = placeTrigger(10_600);
    world.passTime(200);
    expect([firstTrigger, otherTrigger].map((id) => world.orderById(id).lifecycle)).toEqual(['unknown', 'unknown']);
    expect(world.haltCodes).toContain('ECHO');
    expect(world.audit('fast').kind).toBe('mismatch');
    world.noFaults();
    world.passUntil(() => [firstTrigger, otherTrigger].every((id) => world.orderById(id).lifecycle === 'working'), 180_000);
    expect(world.audit('full').kind).toBe('ok');
    for (const id of [firstTrigger, otherTrigger]) world.cancel(id);
    world.passUntil(() => [firstTrigger, otherTrigger].every((id) => world.orderById(id).lifecycle === 'done'), 60_000);
    expect(world.service.futures.triggers.pending()).toEqual([]);
  });

  it.each([
    ['positions', true],
    ['account', false],
  ] as const)('positions are read where the dialect says: %s', async (positionsFrom, readsList) => {
    const world = await openWorld({ positionsFrom });
    futuresTrader(world).placeOrder('bob', 'SELL', 40, 1000);
    const id = world.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.audit('full').kind).toBe('ok');
    expect(world.engine.ledger.lots(0, 0)).toBe(10);
    expect(world.sentCounts.has('GET /fapi/v1/positions')).toBe(readsList);
  });

  it('two orders that are acknowledged with one id are both unknown, and both are found', async () => {
    const world = await openWorld();
    const firstOrder = world.placeOrder({ lots: 10, limit: 9000 });
    world.passTime(200);
    const body = `{"orderId":"${world.orderById(firstOrder).venueId}"}`;
    world.plantFaults(
      replaceReplies('futures.createOrder', body),
      atEveryCall('NET.reqDrop', 'futures.openOrders'),
      atEveryCall('NET.reqDrop', 'futures.orderInformation'),
      atEveryCall('NET.reqDrop', 'futures.orderHistory'),
    );
    const otherOrder = world.placeOrder({ lots: 11, limit: 8900 });
    world.passTime(100);
    expect([firstOrder, otherOrder].map((id) => world.orderById(id).lifecycle)).toEqual(['unknown', 'unknown']);
    expect(world.haltCodes).toContain('ECHO');
    expect(world.audit('fast').kind).not.toBe('ok');
    world.noFaults();
    world.passUntil(() => [firstOrder, otherOrder].every((id) => world.orderById(id).lifecycle === 'working'), 180_000);
    expect(world.orderById(firstOrder).venueId).not.toBe(world.orderById(otherOrder).venueId);
    expect(world.audit('full').kind).toBe('ok');
  });

  it('a reply with trades of another contract is ignored', async () => {
    const world = await openWorld();
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 1000);
    world.plantFaults(changeRows('futures.myTrades', 'contractName', 'E-ETH-USDT'));
    const id = world.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    world.passTime(10_000);
    expect(world.fillCount).toBe(0);
    world.noFaults();
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.engine.ledger.lots(0, 0)).toBe(10);
    expect(world.audit('full').kind).toBe('ok');
  });
});
