// Tests trigger orders through the REST adapter: they wait at the exchange, fire, continue as the placed order, or are cancelled.

import { describe, expect, it } from 'vitest';
import { ticks } from '../../src/base/brand.ts';
import { applyInbox } from '../../src/engine/loop/liveSteps.ts';
import type { OrderId } from '../../src/model/order.ts';
import { parseTriggerTrackId } from '../../src/adapters/exchange/calls/triggers.ts';
import { atCall, atEveryCall, changeRows } from '../fixtures/plantedFaults.ts';
import { BTC, ETH, RestWorld } from '../fixtures/restFixture.ts';
import { futuresTrader } from '../fixtures/restOthers.ts';
import { INVERSE, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';

/** The request that creates a trigger order, as `sentCounts` has it. */
const CREATE_REQUEST = 'POST /fapi/v1/conditionOrder/';

/** Opens a bot without a position, and its exchange, in virtual time. */
const openWorld = (): Promise<RestWorld> =>
  RestWorld.open({
    instruments: [PERPETUAL],
    service: { instruments: [BTC, ETH, PERPETUAL, INVERSE], accounts: TRADERS },
    parts: { contractSettingsTarget: () => ({ positionType: 1, leverage: 10, positionModel: 1 }) },
  });

/** Opens a bot that is long ten contracts, bought at 1000.0. */
async function openLong(): Promise<RestWorld> {
  const world = await openWorld();
  futuresTrader(world).placeOrder('bob', 'SELL', 10, 1000);
  const entry = world.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
  world.passUntil(() => world.orderById(entry).lifecycle === 'done', 20_000);
  return world;
}

/** Opens a bot that is short ten contracts, sold at 1000.0. */
async function openShort(): Promise<RestWorld> {
  const world = await openWorld();
  futuresTrader(world).placeOrder('bob', 'BUY', 10, 1000);
  const entry = world.placeOrder({ side: 'sell', lots: 10, limit: 10_000, timeInForce: 'IOC' });
  world.passUntil(() => world.orderById(entry).lifecycle === 'done', 20_000);
  return world;
}

/** Makes the contract trade at a price. */
function trade(world: RestWorld, price: number): void {
  futuresTrader(world).placeOrder('bob', 'BUY', 1, price);
  futuresTrader(world).placeOrder('bob', 'SELL', 1, price);
}

/** A stop of a long position at 960.0. */
const STOP = { side: 'sell', role: 'stopLoss', reduceOnly: true, triggerTicks: ticks(9600), triggersAbove: false } as const;
/** A buy with a limit, once the price rises to 1050.0. */
const ENTRY_ABOVE = {
  side: 'buy',
  role: 'condition',
  reduceOnly: false,
  limit: ticks(10_600),
  triggerTicks: ticks(10_500),
  triggersAbove: true,
} as const;
/** A stop of a short position at 1040.0. */
const BUY_STOP = { ...STOP, side: 'buy', triggerTicks: ticks(10_400), triggersAbove: true } as const;
/** A take-profit of a short position at 950.0. */
const BUY_PROFIT = { ...STOP, side: 'buy', role: 'condition', triggerTicks: ticks(9500) } as const;
/** A buy with a limit, once the price falls to 950.0. */
const ENTRY_BELOW = {
  side: 'buy',
  role: 'condition',
  reduceOnly: false,
  limit: ticks(9600),
  triggerTicks: ticks(9500),
  triggersAbove: false,
} as const;

/** The terms of a trigger order of these tests. */
type TriggerTerms = typeof STOP | typeof BUY_STOP | typeof BUY_PROFIT | typeof ENTRY_ABOVE | typeof ENTRY_BELOW;

/** Places a trigger order for ten contracts, by default a stop at 960.0, under a tag. Returns its id. */
function placeTrigger(world: RestWorld, terms: TriggerTerms = STOP, tag = 'stop'): OrderId {
  const { engine } = world;
  const placedOrder = { id: 0 as OrderId };
  applyInbox(engine, world.queue.nowMs, () => {
    const order = engine.newOrder(0, engine.execution[0]!, terms.side);
    placedOrder.id = engine.submit(Object.assign(order, { ...terms, lots: 10, slot: tag }));
  });
  return placedOrder.id;
}

/** Lets another trader bid for ten contracts at 950.0, and moves the price there, below the stop at 960.0. */
function moveBelowStop(world: RestWorld): void {
  futuresTrader(world).placeOrder('bob', 'BUY', 11, 950);
  futuresTrader(world).placeOrder('bob', 'SELL', 1, 950);
}

/** Moves the price below the stop, and runs the next audit. */
function moveBelowStopAndAudit(world: RestWorld): void {
  moveBelowStop(world);
  world.audit('fast');
}

/** Returns a function that tests whether the order is working. */
const isWorking = (world: RestWorld, id: OrderId) => (): boolean => world.orderById(id).lifecycle === 'working';
/** Returns a function that tests whether the order is done. */
const isDone = (world: RestWorld, id: OrderId) => (): boolean => world.orderById(id).lifecycle === 'done';

describe('a trigger order', () => {
  it('a trigger order waits at the exchange and fires, and the order that it places is booked as this order', async () => {
    const world = await openLong();
    const id = placeTrigger(world);
    world.passUntil(isWorking(world, id), 5000);
    expect(parseTriggerTrackId(String(world.orderById(id).venueId))).not.toBeNull();
    expect(world.audit('full').kind).toBe('ok');
    world.passTime(10_000);
    expect(isWorking(world, id)()).toBe(true);
    moveBelowStopAndAudit(world);
    world.passUntil(isDone(world, id), 30_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 10 });
    expect(world.engine.ledger.isFlat(0, 0)).toBe(true);
    expect(world.audit('full').kind).toBe('ok');
    expect(world.engine.risk.halts.causes()).toEqual([]);
    expect(world.cashChange).toBe(world.venueCashChange);
    expect(world.sentCounts.get(CREATE_REQUEST)).toBe(1);
  });

  it('a trigger order is cancelled while it waits', async () => {
    const world = await openLong();
    const id = placeTrigger(world);
    world.passUntil(isWorking(world, id), 5000);
    world.cancel(id);
    world.passUntil(isDone(world, id), 30_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'canceled', filledLots: 0 });
    expect(world.service.futures.triggers.pending()).toEqual([]);
    moveBelowStopAndAudit(world);
    world.passTime(10_000);
    expect(world.engine.ledger.isFlat(0, 0)).toBe(false);
  });

  it('a trigger order whose cancel comes too late has the end of the order it placed: filled', async () => {
    const world = await openLong();
    const id = placeTrigger(world);
    world.passUntil(isWorking(world, id), 5000);
    moveBelowStop(world);
    world.cancel(id);
    world.passUntil(isDone(world, id), 60_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 10 });
    expect(world.audit('full').kind).toBe('ok');
  });

  it('a trigger order still waits after a restart, and fires in the next process', async () => {
    const world = await openWorld();
    trade(world, 1000);
    const id = placeTrigger(world, ENTRY_ABOVE);
    world.passUntil(isWorking(world, id), 5000);
    const restarted = await world.restart();
    futuresTrader(restarted).placeOrder('bob', 'SELL', 11, 1050);
    futuresTrader(restarted).placeOrder('bob', 'BUY', 1, 1050);
    restarted.audit('fast');
    restarted.passUntil(isDone(restarted, id), 30_000);
    expect(restarted.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 10 });
    expect([restarted.sentCounts.get(CREATE_REQUEST), restarted.cashChange]).toEqual([1, restarted.venueCashChange]);
  });

  it('a trigger order whose reply is lost is found in the list of waiting ones', async () => {
    const world = await openLong();
    world.plantFault('NET.respDrop', {}, 'futures.createConditionOrder');
    const id = placeTrigger(world);
    world.passUntil(() => world.reported.some((line) => line.startsWith(`unknown ${id}`)), 20_000);
    world.passUntil(isWorking(world, id), 60_000);
    expect(parseTriggerTrackId(String(world.orderById(id).venueId))).not.toBeNull();
    moveBelowStopAndAudit(world);
    world.passUntil(isDone(world, id), 60_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 10 });
    expect(world.sentCounts.get(CREATE_REQUEST)).toBe(1);
  });

  it.each([
    { trigger: 'a sell stop', terms: STOP, recordsDirection: true },
    { trigger: 'a buy stop', terms: BUY_STOP, recordsDirection: true },
    { trigger: 'a take-profit of a short', terms: BUY_PROFIT, recordsDirection: true },
    { trigger: 'an entry on a rise', terms: ENTRY_ABOVE, recordsDirection: true },
    { trigger: 'an entry on a fall', terms: ENTRY_BELOW, recordsDirection: true },
    { trigger: 'an entry on a rise, of a journal without directions,', terms: ENTRY_ABOVE, recordsDirection: false },
  ])('$trigger whose reply is lost is found after a restart', async ({ terms, recordsDirection }) => {
    const openPosition = terms.side === 'sell' ? openLong : openShort;
    const world = await (terms.reduceOnly ? openPosition() : openWorld());
    if (!terms.reduceOnly) trade(world, 1000);
    world.plantFault('NET.respDrop', {}, 'futures.createConditionOrder');
    const id = placeTrigger(world, terms);
    world.passUntil(() => world.reported.some((line) => line.startsWith(`unknown ${id}`)), 20_000);
    expect(world.service.futures.triggers.pending()).toHaveLength(1);
    const restarted = await world.restart({ recordsTriggerDirection: recordsDirection });
    restarted.passUntil(() => restarted.orderById(id).lifecycle !== 'unknown', 200_000);
    expect(restarted.orderById(id)).toMatchObject({
      lifecycle: 'working',
      triggerTicks: terms.triggerTicks,
      triggersAbove: recordsDirection && terms.triggersAbove,
    });
    expect(restarted.audit('full').kind).toBe('ok');
    expect(restarted.sentCounts.get(CREATE_REQUEST)).toBe(1);
  });

  it('a trigger order whose request is lost is proved to have no effect after a restart too, by the absence horizon alone', async () => {
    const world = await openShort();
    world.plantFault('NET.reqDrop', {}, 'futures.createConditionOrder');
    const id = placeTrigger(world, BUY_STOP);
    world.passUntil(() => world.reported.some((line) => line.startsWith(`unknown ${id}`)), 20_000);
    const restarted = await world.restart();
    restarted.passUntil(() => restarted.orderById(id).reason === 'noEffect', 200_000);
    expect([restarted.sentCounts.get(CREATE_REQUEST), restarted.service.futures.triggers.pending()]).toEqual([1, []]);
  });

  it('a trigger order whose reply is lost, and that fires before any read, is found by its client order id', async () => {
    const world = await openLong();
    world.plantFault('NET.respDrop', {}, 'futures.createConditionOrder');
    const id = placeTrigger(world);
    world.passTime(25);
    moveBelowStop(world);
    world.passUntil(isDone(world, id), 60_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 10 });
    expect(world.audit('full').kind).toBe('ok');
  });

  it('a trigger order whose request is lost has no effect after the absence horizon, and is cancelled if it arrives later', async () => {
    const world = await openLong();
    world.plantFault('NET.reqDrop', {}, 'futures.createConditionOrder');
    const id = placeTrigger(world);
    world.passTime(60_000, 50);
    expect(world.orderById(id).lifecycle).toBe('unknown');
    world.passUntil(() => world.orderById(id).reason === 'noEffect', 120_000);
    expect(world.sentCounts.get(CREATE_REQUEST)).toBe(1);
    // The request was in a queue of the exchange the whole time.
    futuresTrader(world).sendTriggerOrder('alice', 'SELL', '1', '960', { volume: 10, positionType: 1 });
    world.audit('full');
    expect(world.reported).toContain(`arrivedLate ${id}`);
    world.passUntil(() => world.orderById(id).reason === 'canceled', 60_000);
    expect(world.service.futures.triggers.pending()).toEqual([]);
  });

  it('a trigger order is in doubt while an equal one with an earlier time waits, until the operator has identified that one', async () => {
    const world = await openLong();
    futuresTrader(world).sendTriggerOrder('alice', 'SELL', '1', '960', { volume: 10, positionType: 1 });
    world.passTime(10_000);
    const equalTrigger = world.service.futures.triggers.pending()[0]!.id;
    world.plantFault('NET.reqDrop', {}, 'futures.createConditionOrder');
    const id = placeTrigger(world);
    world.passTime(200_000, 50);
    expect(world.orderById(id).lifecycle).toBe('unknown');
    const audit = world.audit('full');
    expect(audit).toMatchObject({ kind: 'mismatch' });
    expect(JSON.stringify(audit)).toContain('says that it is older');
    world.exchange.ignore(equalTrigger);
    world.passUntil(() => world.orderById(id).reason === 'noEffect', 200_000);
    expect(world.service.futures.triggers.pending()).toHaveLength(1);
  });

  it('a trigger order with the terms of one that waits is foreign, and its halt says that it may be a second copy', async () => {
    const world = await openLong();
    const id = placeTrigger(world);
    world.passUntil(isWorking(world, id), 5000);
    futuresTrader(world).sendTriggerOrder('alice', 'SELL', '1', '960', { volume: 10, positionType: 1 });
    world.passTime(10_000);
    const audit = world.audit('full');
    expect(audit).toMatchObject({ kind: 'mismatch' });
    expect(JSON.stringify(audit)).toMatch(/is foreign: it waits like \w+, which has another id: it may be a second copy/);
  });

  it('an earlier trigger order that has ended with the same fingerprint causes no doubt', async () => {
    const world = await openLong();
    const firstStop = placeTrigger(world);
    world.passUntil(isWorking(world, firstStop), 5000);
    world.cancel(firstStop);
    world.passUntil(isDone(world, firstStop), 30_000);
    world.passTime(10_000);
    world.plantFault('NET.reqDrop', {}, 'futures.createConditionOrder');
    const id = placeTrigger(world);
    world.passUntil(() => world.orderById(id).reason === 'noEffect', 200_000);
    expect(world.audit('full').kind).toBe('ok');
  });

  it('a waiting trigger order of the same terms as another one keeps the fills that came while the order that it placed was foreign', async () => {
    const world = await openWorld();
    const fired = placeTrigger(world, ENTRY_ABOVE, 'near');
    const waiting = placeTrigger(world, { ...ENTRY_ABOVE, triggerTicks: ticks(10_550) }, 'far');
    world.passUntil(() => isWorking(world, fired)() && isWorking(world, waiting)(), 20_000);
    world.plantFaults(changeRows('futures.orderHistory', 'clientId', '0'));
    futuresTrader(world).placeOrder('bob', 'SELL', 11, 1052);
    futuresTrader(world).placeOrder('bob', 'BUY', 1, 1052);
    world.passTime(20_000);
    expect([world.exchange.foreignOrders.length, world.haltCodes]).toEqual([1, ['ALIEN']]);
    world.noFaults();
    world.audit('full');
    world.passUntil(isDone(world, fired), 60_000);
    expect(world.orderById(fired)).toMatchObject({ reason: 'filled', filledLots: 10 });
    expect(isWorking(world, waiting)()).toBe(true);
    expect([world.exchange.foreignOrders, world.audit('full').kind, world.haltCodes]).toEqual([[], 'ok', []]);
    expect(world.cashChange).toBe(world.venueCashChange);
  });

  it('a trigger order of another owner is a foreign order', async () => {
    const world = await openLong();
    const id = placeTrigger(world);
    world.passUntil(isWorking(world, id), 5000);
    futuresTrader(world).sendTriggerOrder('alice', 'SELL', '1', '940', { volume: 3, positionType: 1 });
    expect(world.audit('full')).toMatchObject({ kind: 'mismatch', differences: [{ code: 'ALIEN' }] });
  });
});

describe('an exchange whose order times are 30 s behind the clock that checks requests', () => {
  /** Sets the clock that checks requests 30 s ahead of the times of orders, and lets the bot measure it. */
  const openSkewed = async (openUnskewed: () => Promise<RestWorld>): Promise<RestWorld> => {
    const world = await openUnskewed();
    world.service.clockOffsetMs = 30_000;
    world.clock.measure('futures');
    world.passTime(1000);
    return world;
  };
  /** Sets both clocks equal again, and lets the price reach a waiting entry. */
  const fireEntry = (world: RestWorld): void => {
    world.service.clockOffsetMs = 0;
    world.clock.measure('futures');
    world.passTime(1000);
    trade(world, 1055);
    world.passTime(3000);
  };

  it('a trigger order that a list shows before its reply arrives is not reported as foreign', async () => {
    const world = await openSkewed(openLong);
    world.plantFault('NET.respDelay', { ms: 3000 }, 'futures.createConditionOrder');
    const id = placeTrigger(world);
    world.passTime(500);
    world.audit('full');
    expect([world.orderById(id).lifecycle, world.haltCodes]).toEqual(['sent', []]);
    world.passUntil(() => world.orderById(id).lifecycle === 'working', 20_000);
    expect([world.audit('full').kind, world.haltCodes]).toEqual(['ok', []]);
  });

  it('an order that a list shows before its reply arrives is not reported as foreign', async () => {
    const world = await openSkewed(openWorld);
    world.plantFaults(atCall(1, 'NET.respDelay', 'futures.createOrder', { ms: 4000 }), atEveryCall('NET.reqDrop', 'futures.orderHistory'));
    const id = world.placeOrder({ lots: 10, limit: 9000 });
    world.passTime(100);
    expect(world.orderById(id).lifecycle).toBe('sent');
    // Several lists show the order, and the order history does not name it.
    for (let read = 0; read < 5; read++) world.audit('full');
    world.noFaults();
    world.passUntil(() => world.orderById(id).lifecycle === 'working', 20_000);
    expect([world.audit('full').kind, world.haltCodes]).toEqual(['ok', []]);
    expect(world.reported.filter((line) => line.includes('ALIEN'))).toEqual([]);
  });

  it('the order that a trigger order places is recognised although its time lies before the request', async () => {
    const world = await openSkewed(openWorld);
    const id = placeTrigger(world, ENTRY_ABOVE);
    world.passUntil(() => world.orderById(id).lifecycle === 'working', 20_000);
    fireEntry(world);
    expect(world.audit('full').kind).toBe('ok');
    expect(world.haltCodes).toEqual([]);
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 1050);
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 20_000);
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 10 });
  });

  it('a trigger order whose reply is lost is found by its terms, although the times of orders are behind', async () => {
    const world = await openSkewed(openWorld);
    const resting = world.placeOrder({ lots: 10, limit: 9000 });
    world.passUntil(() => world.orderById(resting).lifecycle === 'working', 20_000);
    world.plantFault('NET.respDrop', {}, 'futures.createConditionOrder');
    const id = placeTrigger(world, ENTRY_ABOVE);
    world.passUntil(() => world.orderById(id).lifecycle === 'unknown', 120_000);
    world.audit('full');
    world.passUntil(() => world.orderById(id).lifecycle === 'working', 120_000);
    expect(parseTriggerTrackId(String(world.orderById(id).venueId))).not.toBeNull();
    expect([world.audit('full').kind, world.haltCodes]).toEqual(['ok', []]);
  });

  it('a trigger order whose reply is lost stays in doubt beside a second one with its terms', async () => {
    const world = await openSkewed(openLong);
    const resting = world.placeOrder({ lots: 10, limit: 9000 });
    world.passUntil(() => world.orderById(resting).lifecycle === 'working', 20_000);
    // Another program of the account, whose clock is right.
    world.service.clockOffsetMs = 0;
    futuresTrader(world).sendTriggerOrder('alice', 'SELL', '1', '960', { volume: 10, positionType: 1 });
    world.service.clockOffsetMs = 30_000;
    world.plantFault('NET.respDrop', {}, 'futures.createConditionOrder');
    const id = placeTrigger(world);
    world.passUntil(() => world.orderById(id).lifecycle === 'unknown', 120_000);
    world.passTime(200_000, 50);
    expect([world.orderById(id).lifecycle, world.haltCodes]).toEqual(['unknown', expect.arrayContaining(['ALIEN'])]);
  });

  it('the halt of a trigger order in doubt is withdrawn once the order that it places has its client order id', async () => {
    const world = await openSkewed(openWorld);
    world.plantFault('NET.respDrop', {}, 'futures.createConditionOrder');
    const id = placeTrigger(world, ENTRY_ABOVE);
    world.passUntil(() => world.orderById(id).lifecycle === 'unknown', 120_000);
    world.audit('full');
    expect(world.haltCodes).toContain('ALIEN');
    fireEntry(world);
    world.passUntil(() => world.orderById(id).lifecycle === 'working', 60_000);
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 1050);
    world.settle();
    expect(world.orderById(id)).toMatchObject({ reason: 'filled', filledLots: 10 });
    expect([world.audit('full').kind, world.haltCodes]).toEqual(['ok', []]);
    expect(world.reported.filter((line) => line.startsWith('halt cleared ALIEN'))).toEqual([
      expect.stringContaining(`is an order of this bot, by the order that ${world.clientOrderIdOf(id)} has placed`),
    ]);
  });
});
