// Tests moving a stop that waits at the exchange. The position has a stop at every moment, whatever fails on the way.

import { describe, expect, it } from 'vitest';
import { parseTriggerTrackId } from '../../src/adapters/exchange/calls/triggers.ts';
import type { OrderId } from '../../src/model/order.ts';
import type { RestWorld } from '../fixtures/restFixture.ts';
import { trader } from '../fixtures/restOthers.ts';
import { amend, CANCEL, CREATE, openWithStop, moveTo, placeStop, StopObserver, truthOf } from '../fixtures/stopObserver.ts';

const SIDES = [
  { what: 'a long', isLong: true, side: 'sell', before: 9600, after: 9800, beyond: 9500 },
  { what: 'a short', isLong: false, side: 'buy', before: 10_400, after: 10_200, beyond: 10_500 },
] as const;

const isOver = (world: RestWorld, id: OrderId): boolean => (world.engine.orders.get(id)?.lifecycle ?? 'done') === 'done';
const isMoved = (world: RestWorld, old: OrderId, newStop: OrderId) => (): boolean =>
  isOver(world, old) && world.get(newStop).lifecycle === 'working';

describe.each(SIDES)('the stop of $what', ({ isLong, side, before, after, beyond }) => {
  it('when a stop moves, the new one is active before the old one is cancelled', async () => {
    const { world, stop } = await openWithStop(isLong);
    const watch = new StopObserver();
    const newStop = amend(world, stop, after)!;
    expect(newStop).toBeGreaterThan(stop);
    watch.until(world, isMoved(world, stop, newStop));
    expect(truthOf(world)).toEqual({ held: isLong ? 10 : -10, stops: [`${side} 10 @ ${after}`] });
    expect([watch.broken, watch.maxUnprotectedMs, watch.maxStops]).toEqual([[], 0, 2]);
    expect(world.get(stop).reason).toBe('canceled');
    expect(world.audit('full').kind).toBe('ok');
  });

  it.each([
    ['is refused', { point: 'GW.code', params: { code: -1102 } }],
    ['is lost', { point: 'NET.reqDrop', params: {} }],
    ['is not carried out, and nobody says so', { point: 'BUS.unknown', params: { executed: 0, code: 504 } }],
    ['is too late for the exchange', { point: 'NET.reqDelay', params: { ms: 7000 } }],
  ])('the stop stays if the new one %s, and can be moved again', async (_, { point, params }) => {
    const { world, stop } = await openWithStop(isLong);
    const watch = new StopObserver();
    world.fault(point, params, CREATE);
    const lost = amend(world, stop, after)!;
    watch.pass(world, 100);
    // The stop is not moved again while the outcome of the first move is unknown.
    if (!isOver(world, lost)) expect(amend(world, stop, after)).toBeNull();
    watch.until(world, () => isOver(world, lost), 1_500_000);
    expect([truthOf(world).stops, world.get(stop).lifecycle]).toEqual([[`${side} 10 @ ${before}`], 'working']);
    const newStop = amend(world, stop, after)!;
    watch.until(world, isMoved(world, stop, newStop));
    // Its price differs from that of the lost stop, which may still arrive.
    const price = world.get(lost).reason === 'noEffect' ? after + (isLong ? 1 : -1) : after;
    expect(truthOf(world).stops).toEqual([`${side} 10 @ ${price}`]);
    expect([watch.broken, watch.maxUnprotectedMs]).toEqual([[], 0]);
  });

  it.each([
    ['its answer is lost', { point: 'NET.respDrop', params: {} }],
    ['its answer is late', { point: 'NET.respDelay', params: { ms: 20_000 } }],
    ['it arrives late', { point: 'NET.reqDelay', params: { ms: 4500 } }],
    ['nobody says that it was carried out', { point: 'BUS.unknown', params: { executed: 1, code: -1006 } }],
    ['its answer is cut off', { point: 'NET.truncate', params: { bytes: 20 } }],
  ])('the stop moves although %s', async (_, { point, params }) => {
    const { world, stop } = await openWithStop(isLong);
    const watch = new StopObserver();
    world.fault(point, params, CREATE);
    const newStop = amend(world, stop, after)!;
    watch.until(world, isMoved(world, stop, newStop));
    expect(truthOf(world).stops).toEqual([`${side} 10 @ ${after}`]);
    expect([watch.broken, watch.maxUnprotectedMs, watch.maxStops]).toEqual([[], 0, 2]);
    expect(world.audit('full').kind).toBe('ok');
  });

  it.each([
    ['refused', { point: 'GW.code', params: { code: -1001 } }],
    ['lost', { point: 'NET.reqDrop', params: {} }],
    ['carried out, and its answer lost', { point: 'NET.respDrop', params: {} }],
    ['slow', { point: 'BUS.cancelDelay', params: { ms: 10_000 } }],
  ])('the stop moves although the cancel of the old one is %s', async (_, { point, params }) => {
    const { world, stop } = await openWithStop(isLong);
    const watch = new StopObserver();
    world.fault(point, params, CANCEL);
    const newStop = amend(world, stop, after)!;
    watch.until(world, () => world.get(newStop).lifecycle === 'working');
    // Both may be active, so a third one is not placed.
    if (!isOver(world, stop)) expect(amend(world, newStop, after + (isLong ? 10 : -10))).toBeNull();
    watch.until(world, isMoved(world, stop, newStop));
    expect(truthOf(world).stops).toEqual([`${side} 10 @ ${after}`]);
    expect([watch.broken, watch.maxUnprotectedMs, watch.maxStops]).toEqual([[], 0, 2]);
  });

  it('the stop that fires while the new one is on its way closes the position, and no order remains', async () => {
    const { world, stop } = await openWithStop(isLong);
    const watch = new StopObserver();
    world.fault('NET.respDelay', { ms: 3000 }, CREATE);
    const newStop = amend(world, stop, isLong ? 9700 : 10_300)!;
    watch.pass(world, 10);
    moveTo(world, isLong, beyond);
    watch.pass(world, 60);
    world.audit('fast');
    watch.until(world, () => isOver(world, stop) && isOver(world, newStop));
    expect(truthOf(world)).toEqual({ held: 0, stops: [] });
    expect([watch.broken, world.engine.ledger.isFlat(0, 0), world.audit('full').kind]).toEqual([[], true, 'ok']);
  });

  it('the stop and the new one that are both reached close the position once: the other is refused, and no order follows', async () => {
    const { world, stop } = await openWithStop(isLong);
    const watch = new StopObserver();
    world.fault('BUS.cancelDelay', { ms: 60_000 }, CANCEL);
    const newStop = amend(world, stop, after)!;
    watch.until(world, () => world.get(newStop).lifecycle === 'working');
    const created = world.sent.get('POST /fapi/v1/order');
    moveTo(world, isLong, beyond);
    watch.pass(world, 1000);
    world.audit('fast');
    watch.until(world, () => isOver(world, stop) && isOver(world, newStop));
    watch.pass(world, 5000);
    expect(truthOf(world)).toEqual({ held: 0, stops: [] });
    expect([watch.broken, world.engine.ledger.isFlat(0, 0), world.audit('full').kind]).toEqual([[], true, 'ok']);
    expect(world.sent.get('POST /fapi/v1/order')).toBe(created);
  });

  it('the stop that was proven absent and arrives late is cancelled, and the active one stays', async () => {
    const { world, stop } = await openWithStop(isLong);
    const watch = new StopObserver();
    world.fault('NET.reqDrop', {}, CREATE);
    const lost = amend(world, stop, after)!;
    world.until(() => world.get(lost).reason === 'noEffect', 300_000);
    trader(world).trigger('alice', isLong ? 'SELL' : 'BUY', '1', String(after / 10), { volume: 10, positionType: 1 });
    watch.look(world);
    world.audit('full');
    watch.until(world, () => world.get(lost).reason === 'canceled');
    expect([truthOf(world).stops, watch.broken, watch.maxUnprotectedMs]).toEqual([[`${side} 10 @ ${before}`], [], 0]);
  });

  it.each([
    ['is there', 1, after],
    ['is not', 0, before],
  ])('the stop stays although the reply about the new one names the old one, and the new one %s', async (_, executed, stands) => {
    const { world, stop } = await openWithStop(isLong);
    const watch = new StopObserver();
    const { triggerId } = parseTriggerTrackId(String(world.get(stop).venueId))!;
    const body = `{"code":"0","msg":"Success","data":{"triggerIds":[${triggerId}],"ids":[],"cancelIds":[]},"msgData":null,"succ":true}`;
    const schedule = [{ point: 'NET.replace', op: CREATE, nth: 1, params: { status: 200, body } }];
    const unknown = { point: 'BUS.unknown', op: CREATE, nth: 1, params: { executed, code: 504 } };
    world.faulty.faults.set({ seed: 1, schedule: executed === 1 ? schedule : [unknown, ...schedule] });
    const newStop = amend(world, stop, after)!;
    watch.until(
      world,
      () => isOver(world, executed === 1 ? stop : newStop) && world.get(executed === 1 ? newStop : stop).lifecycle === 'working',
      1_500_000,
    );
    expect([truthOf(world).stops, watch.broken, watch.maxUnprotectedMs]).toEqual([[`${side} 10 @ ${stands}`], [], 0]);
  });

  it('the stop moves although a network delivers the new one twice: the second copy is foreign, and the operator is notified', async () => {
    const { world, stop } = await openWithStop(isLong);
    const watch = new StopObserver();
    world.fault('NET.dup', {}, CREATE);
    const newStop = amend(world, stop, after)!;
    watch.until(world, isMoved(world, stop, newStop));
    expect(world.audit('full')).toMatchObject({ kind: 'mismatch', differences: [{ code: 'ALIEN' }] });
    moveTo(world, isLong, beyond);
    watch.pass(world, 1000);
    world.audit('fast');
    watch.until(world, () => isOver(world, newStop));
    // Both copies have fired, and closed the position once.
    expect([truthOf(world), watch.broken, watch.maxUnprotectedMs]).toEqual([{ held: 0, stops: [] }, [], 0]);
  });

  it('the stop is cancelled together with the new one', async () => {
    const { world, stop } = await openWithStop(isLong);
    const newStop = amend(world, stop, after)!;
    world.cancel(newStop);
    world.until(() => isOver(world, stop) && isOver(world, newStop), 30_000);
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
    const watch = new StopObserver();
    if (fault !== null) world.fault(fault.point, fault.params, fault.op);
    const newStop = amend(world, stop, after)!;
    if (ms > 0) watch.pass(world, ms);
    world.noFaults();
    const again = await world.restart();
    watch.look(again);
    watch.until(again, () => truthOf(again).stops.length === 1 && again.engine.orders.active().length === 1, 300_000);
    const stands = again.engine.orders.active()[0]!;
    expect([stop, newStop]).toContain(stands.id);
    expect(truthOf(again)).toEqual({ held: isLong ? 10 : -10, stops: [`${side} 10 @ ${stands.triggerTicks}`] });
    expect([watch.broken, watch.maxUnprotectedMs, again.audit('full').kind]).toEqual([[], 0, 'ok']);
    // The stop can be moved again.
    const last = amend(again, stands.id, after + (isLong ? 20 : -20))!;
    watch.until(again, isMoved(again, stands.id, last));
    expect(truthOf(again).stops).toEqual([`${side} 10 @ ${after + (isLong ? 20 : -20)}`]);
  });

  it('the stop is cancelled after a restart between the acknowledgement of the new one and the cancel of the old one', async () => {
    const { world, stop } = await openWithStop(isLong);
    const watch = new StopObserver();
    // The journal ends before the record of the cancel, as if it had never been requested.
    const { amended } = world.engine.orders;
    amended.cancelOld = () => {};
    const newStop = amend(world, stop, after)!;
    watch.until(world, () => world.get(newStop).lifecycle === 'working');
    expect(truthOf(world).stops).toHaveLength(2);
    const again = await world.restart();
    watch.until(again, isMoved(again, stop, newStop));
    expect([truthOf(again).stops, watch.broken, watch.maxUnprotectedMs]).toEqual([[`${side} 10 @ ${after}`], [], 0]);
  });
});

it('a trigger order from before a restart ends with the position that it should close', async () => {
  const { world } = await openWithStop(true);
  const part = [...world.engine.orders.active()][0]!;
  world.cancel(part.id);
  world.until(() => isOver(world, part.id), 30_000);
  placeStop(world, 9600, 4);
  world.until(() => world.engine.orders.active()[0]?.lifecycle === 'working', 5000);
  const again = await world.restart();
  trader(again).order('bob', 'BUY', 10, 1000);
  again.order({ side: 'sell', lots: 10, limit: 10_000, timeInForce: 'IOC' });
  again.until(() => truthOf(again).held === 0 && truthOf(again).stops.length === 0, 60_000);
});
