// Tests moving a stop that waits at the exchange. The position has a stop at every moment, even if a request or a reply fails.

import { describe, expect, it } from 'vitest';
import { parseTriggerTrackId } from '../../src/adapters/exchange/calls/triggers.ts';
import type { OrderId } from '../../src/model/order.ts';
import { atCall } from '../fixtures/plantedFaults.ts';
import type { RestWorld } from '../fixtures/restFixture.ts';
import { futuresTrader } from '../fixtures/restOthers.ts';
import { amend, CANCEL, CREATE, openWithStop, moveTo, placeStop, StopObserver, truthOf } from '../fixtures/stopObserver.ts';

/** Positions: the side of their stop, its trigger before and after it moves, and a price beyond both, in ticks. */
const SIDES = [
  { position: 'a long', isLong: true, side: 'sell', oldTicks: 9600, newTicks: 9800, beyondTicks: 9500 },
  { position: 'a short', isLong: false, side: 'buy', oldTicks: 10_400, newTicks: 10_200, beyondTicks: 10_500 },
] as const;

/** True when the order has ended; a bot that was restarted may not know it any more. */
const hasEnded = (world: RestWorld, id: OrderId): boolean => (world.engine.orders.get(id)?.lifecycle ?? 'done') === 'done';
/** Returns a function that tests whether the old stop has ended and the new one is working. */
const hasMoved = (world: RestWorld, oldStop: OrderId, newStop: OrderId) => (): boolean =>
  hasEnded(world, oldStop) && world.orderById(newStop).lifecycle === 'working';

describe.each(SIDES)('the stop of $position', ({ isLong, side, oldTicks, newTicks, beyondTicks }) => {
  it('when a stop moves, the new one is active before the old one is cancelled', async () => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    const newStop = amend(world, stop, newTicks)!;
    expect(newStop).toBeGreaterThan(stop);
    observer.passUntil(world, hasMoved(world, stop, newStop));
    expect(truthOf(world)).toEqual({ held: isLong ? 10 : -10, stops: [`${side} 10 @ ${newTicks}`] });
    expect([observer.broken, observer.maxUnprotectedMs, observer.maxStops]).toEqual([[], 0, 2]);
    expect(world.orderById(stop).reason).toBe('canceled');
    expect(world.audit('full').kind).toBe('ok');
  });

  it.each([
    ['is refused', { point: 'GW.code', params: { code: -1102 } }],
    ['is lost', { point: 'NET.reqDrop', params: {} }],
    ['is not carried out, and the exchange reports an unknown outcome', { point: 'BUS.unknown', params: { executed: 0, code: 504 } }],
    ['is too late for the exchange', { point: 'NET.reqDelay', params: { ms: 7000 } }],
  ])('the stop stays if the new one %s, and can be moved again', async (_, { point, params }) => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    world.plantFault(point, params, CREATE);
    const lostStop = amend(world, stop, newTicks)!;
    observer.passTime(world, 100);
    // The stop is not moved again while the outcome of the first move is unknown.
    if (!hasEnded(world, lostStop)) expect(amend(world, stop, newTicks)).toBeNull();
    observer.passUntil(world, () => hasEnded(world, lostStop), 1_500_000);
    expect([truthOf(world).stops, world.orderById(stop).lifecycle]).toEqual([[`${side} 10 @ ${oldTicks}`], 'working']);
    const newStop = amend(world, stop, newTicks)!;
    observer.passUntil(world, hasMoved(world, stop, newStop));
    // Its price differs from that of the lost stop, which may still arrive.
    const price = world.orderById(lostStop).reason === 'noEffect' ? newTicks + (isLong ? 1 : -1) : newTicks;
    expect(truthOf(world).stops).toEqual([`${side} 10 @ ${price}`]);
    expect([observer.broken, observer.maxUnprotectedMs]).toEqual([[], 0]);
  });

  it.each([
    ['its answer is lost', { point: 'NET.respDrop', params: {} }],
    ['its answer is late', { point: 'NET.respDelay', params: { ms: 20_000 } }],
    ['it arrives late', { point: 'NET.reqDelay', params: { ms: 4500 } }],
    ['it was carried out, and the exchange reports an unknown outcome', { point: 'BUS.unknown', params: { executed: 1, code: -1006 } }],
    ['its answer is cut off', { point: 'NET.truncate', params: { bytes: 20 } }],
  ])('the stop moves although %s', async (_, { point, params }) => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    world.plantFault(point, params, CREATE);
    const newStop = amend(world, stop, newTicks)!;
    observer.passUntil(world, hasMoved(world, stop, newStop));
    expect(truthOf(world).stops).toEqual([`${side} 10 @ ${newTicks}`]);
    expect([observer.broken, observer.maxUnprotectedMs, observer.maxStops]).toEqual([[], 0, 2]);
    expect(world.audit('full').kind).toBe('ok');
  });

  it.each([
    ['refused', { point: 'GW.code', params: { code: -1001 } }],
    ['lost', { point: 'NET.reqDrop', params: {} }],
    ['carried out, and its answer lost', { point: 'NET.respDrop', params: {} }],
    ['slow', { point: 'BUS.cancelDelay', params: { ms: 10_000 } }],
  ])('the stop moves although the cancel of the old one is %s', async (_, { point, params }) => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    world.plantFault(point, params, CANCEL);
    const newStop = amend(world, stop, newTicks)!;
    observer.passUntil(world, () => world.orderById(newStop).lifecycle === 'working');
    // Both may be active, so a third one is not placed.
    if (!hasEnded(world, stop)) expect(amend(world, newStop, newTicks + (isLong ? 10 : -10))).toBeNull();
    observer.passUntil(world, hasMoved(world, stop, newStop));
    expect(truthOf(world).stops).toEqual([`${side} 10 @ ${newTicks}`]);
    expect([observer.broken, observer.maxUnprotectedMs, observer.maxStops]).toEqual([[], 0, 2]);
  });

  it('the stop that fires while the new one is on its way closes the position, and no order remains', async () => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    world.plantFault('NET.respDelay', { ms: 3000 }, CREATE);
    const newStop = amend(world, stop, isLong ? 9700 : 10_300)!;
    observer.passTime(world, 10);
    moveTo(world, isLong, beyondTicks);
    observer.passTime(world, 60);
    world.audit('fast');
    observer.passUntil(world, () => hasEnded(world, stop) && hasEnded(world, newStop));
    expect(truthOf(world)).toEqual({ held: 0, stops: [] });
    expect([observer.broken, world.engine.ledger.isFlat(0, 0), world.audit('full').kind]).toEqual([[], true, 'ok']);
  });

  it('the stop and the new one that are both reached close the position once: the other is refused, and no order follows', async () => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    world.plantFault('BUS.cancelDelay', { ms: 60_000 }, CANCEL);
    const newStop = amend(world, stop, newTicks)!;
    observer.passUntil(world, () => world.orderById(newStop).lifecycle === 'working');
    const createCount = world.sentCounts.get('POST /fapi/v1/order');
    moveTo(world, isLong, beyondTicks);
    observer.passTime(world, 1000);
    world.audit('fast');
    observer.passUntil(world, () => hasEnded(world, stop) && hasEnded(world, newStop));
    observer.passTime(world, 5000);
    expect(truthOf(world)).toEqual({ held: 0, stops: [] });
    expect([observer.broken, world.engine.ledger.isFlat(0, 0), world.audit('full').kind]).toEqual([[], true, 'ok']);
    expect(world.sentCounts.get('POST /fapi/v1/order')).toBe(createCount);
  });

  it('the stop that was proven absent and arrives late is cancelled, and the active one stays', async () => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    world.plantFault('NET.reqDrop', {}, CREATE);
    const lostStop = amend(world, stop, newTicks)!;
    world.passUntil(() => world.orderById(lostStop).reason === 'noEffect', 300_000);
    futuresTrader(world).sendTriggerOrder('alice', isLong ? 'SELL' : 'BUY', '1', String(newTicks / 10), { volume: 10, positionType: 1 });
    observer.checkStops(world);
    world.audit('full');
    observer.passUntil(world, () => world.orderById(lostStop).reason === 'canceled');
    expect([truthOf(world).stops, observer.broken, observer.maxUnprotectedMs]).toEqual([[`${side} 10 @ ${oldTicks}`], [], 0]);
  });

  it.each([
    ['is there', 1, newTicks],
    ['is not', 0, oldTicks],
  ])('the stop stays although the reply about the new one names the old one, and the new one %s', async (_, executed, activeTicks) => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    const { triggerId } = parseTriggerTrackId(String(world.orderById(stop).venueId))!;
    const body = `{"code":"0","msg":"Success","data":{"triggerIds":[${triggerId}],"ids":[],"cancelIds":[]},"msgData":null,"succ":true}`;
    const schedule = [atCall(1, 'NET.replace', CREATE, { status: 200, body })];
    const unknown = atCall(1, 'BUS.unknown', CREATE, { executed, code: 504 });
    world.plantFaults(...(executed === 1 ? schedule : [unknown, ...schedule]));
    const newStop = amend(world, stop, newTicks)!;
    const [endedStop, activeStop] = executed === 1 ? [stop, newStop] : [newStop, stop];
    observer.passUntil(world, () => hasEnded(world, endedStop) && world.orderById(activeStop).lifecycle === 'working', 1_500_000);
    expect([truthOf(world).stops, observer.broken, observer.maxUnprotectedMs]).toEqual([[`${side} 10 @ ${activeTicks}`], [], 0]);
  });

  it('the stop moves although a network delivers the new one twice: the second copy is foreign, and the operator is notified', async () => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    world.plantFault('NET.dup', {}, CREATE);
    const newStop = amend(world, stop, newTicks)!;
    observer.passUntil(world, hasMoved(world, stop, newStop));
    expect(world.audit('full')).toMatchObject({ kind: 'mismatch', differences: [{ code: 'ALIEN' }] });
    moveTo(world, isLong, beyondTicks);
    observer.passTime(world, 1000);
    world.audit('fast');
    observer.passUntil(world, () => hasEnded(world, newStop));
    // Both copies have fired, and closed the position once.
    expect([truthOf(world), observer.broken, observer.maxUnprotectedMs]).toEqual([{ held: 0, stops: [] }, [], 0]);
  });

  it('the stop is cancelled together with the new one', async () => {
    const { world, stop } = await openWithStop(isLong);
    const newStop = amend(world, stop, newTicks)!;
    world.cancel(newStop);
    world.passUntil(() => hasEnded(world, stop) && hasEnded(world, newStop), 30_000);
    expect(truthOf(world).stops).toEqual([]);
  });

  it.each([
    ['the new one is sent', null, 0],
    ['the new one is lost', { point: 'NET.reqDrop', op: CREATE, params: {} }, 200],
    ['the new one has arrived', { point: 'NET.respDrop', op: CREATE, params: {} }, 200],
    ['the old one is being cancelled', { point: 'NET.reqDrop', op: CANCEL, params: {} }, 100],
    ['it is not known whether the old one is cancelled', { point: 'NET.respDrop', op: CANCEL, params: {} }, 100],
  ])('the stop survives a restart as soon as %s', async (_, fault, ms) => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    if (fault !== null) world.plantFault(fault.point, fault.params, fault.op);
    const newStop = amend(world, stop, newTicks)!;
    if (ms > 0) observer.passTime(world, ms);
    world.noFaults();
    const restarted = await world.restart();
    observer.checkStops(restarted);
    observer.passUntil(restarted, () => truthOf(restarted).stops.length === 1 && restarted.engine.orders.active().length === 1, 300_000);
    const activeStop = restarted.engine.orders.active()[0]!;
    expect([stop, newStop]).toContain(activeStop.id);
    expect(truthOf(restarted)).toEqual({ held: isLong ? 10 : -10, stops: [`${side} 10 @ ${activeStop.triggerTicks}`] });
    expect([observer.broken, observer.maxUnprotectedMs, restarted.audit('full').kind]).toEqual([[], 0, 'ok']);
    // The stop can be moved again.
    const lastStop = amend(restarted, activeStop.id, newTicks + (isLong ? 20 : -20))!;
    observer.passUntil(restarted, hasMoved(restarted, activeStop.id, lastStop));
    expect(truthOf(restarted).stops).toEqual([`${side} 10 @ ${newTicks + (isLong ? 20 : -20)}`]);
  });

  it('the stop is cancelled after a restart between the acknowledgement of the new one and the cancel of the old one', async () => {
    const { world, stop } = await openWithStop(isLong);
    const observer = new StopObserver();
    // The journal ends before the record of the cancel, as if it had never been requested.
    const { amended } = world.engine.orders;
    amended.cancelOld = () => {};
    const newStop = amend(world, stop, newTicks)!;
    observer.passUntil(world, () => world.orderById(newStop).lifecycle === 'working');
    expect(truthOf(world).stops).toHaveLength(2);
    const restarted = await world.restart();
    observer.passUntil(restarted, hasMoved(restarted, stop, newStop));
    expect([truthOf(restarted).stops, observer.broken, observer.maxUnprotectedMs]).toEqual([[`${side} 10 @ ${newTicks}`], [], 0]);
  });
});

it('a trigger order from before a restart ends with the position that it should close', async () => {
  const { world } = await openWithStop(true);
  const oldStop = [...world.engine.orders.active()][0]!;
  world.cancel(oldStop.id);
  world.passUntil(() => hasEnded(world, oldStop.id), 30_000);
  placeStop(world, 9600, 4);
  world.passUntil(() => world.engine.orders.active()[0]?.lifecycle === 'working', 5000);
  const restarted = await world.restart();
  futuresTrader(restarted).placeOrder('bob', 'BUY', 10, 1000);
  restarted.placeOrder({ side: 'sell', lots: 10, limit: 10_000, timeInForce: 'IOC' });
  restarted.passUntil(() => truthOf(restarted).held === 0 && truthOf(restarted).stops.length === 0, 60_000);
});
