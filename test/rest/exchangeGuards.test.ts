// Tests schedules in which one guard of the order path prevents a wrong order state after a fault (order safety, section 16).

import { describe, expect, it } from 'vitest';
import { EvidenceReader } from '../../src/adapters/exchange/prove/evidence.ts';
import type { HoldingsCheck } from '../../src/adapters/exchange/account/holdingsCheck.ts';
import type { OrderIdentifier } from '../../src/adapters/exchange/observe/orderIdentifier.ts';
import type { OrderAttribution } from '../../src/adapters/exchange/observe/attribution.ts';
import { pageOf } from '../../src/adapters/exchange/calls/spotCalls.ts';
import { TrackedOrder, TrackedOrders } from '../../src/adapters/exchange/order/trackedOrder.ts';
import { MAX_ROWS, type VenueCalls } from '../../src/adapters/exchange/calls/venueCalls.ts';
import { ticks } from '../../src/base/brand.ts';
import { immediate } from '../../src/base/task.ts';
import { applyInbox } from '../../src/engine/loop/liveSteps.ts';
import type { OrderId } from '../../src/model/order.ts';
import type { Evidence } from '../../src/ports/exchange.ts';
import { parseJson } from '../../src/protocol/json/parseJson.ts';
import { idText } from '../../src/protocol/shapes/value.ts';
import { BTC, ETH, RestWorld } from '../fixtures/restFixture.ts';
import { trader } from '../fixtures/restOthers.ts';
import { INVERSE, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';

const LIMIT = { lots: 1000, limit: 9000 } as const;

/** Records the evidence that the bot assesses, with the exchange's own time at that moment. */
function recordAssessments(world: RestWorld): { readonly seen: Evidence; readonly atMs: number }[] {
  const recorded: { readonly seen: Evidence; readonly atMs: number }[] = [];
  const { journal } = world;
  const recordEvidence = journal.evidence.bind(journal);
  journal.evidence = (order, evidence) => {
    recorded.push({ seen: evidence, atMs: world.nowMs });
    return recordEvidence(order, evidence);
  };
  return recorded;
}

describe('evidence', () => {
  it('evidence proves nothing before the exchange itself is past the absence horizon, however far ahead this computer is', async () => {
    const world = await RestWorld.open({ skewMs: 10_000 });
    world.fault('NET.reqDrop');
    const id = world.order(LIMIT);
    world.until(() => world.get(id).reason === 'noEffect');
    expect(world.nowMs - world.journal.signMs(world.get(id))).toBeGreaterThan(68_000);
  });

  it('evidence of a list whose reply is slow is as old as its request', async () => {
    const world = await RestWorld.open();
    const recorded = recordAssessments(world);
    world.faulty.faults.set({
      seed: 1,
      schedule: [{ point: 'NET.reqDrop', op: 'spot.newOrder', nth: 1 }, { point: 'NET.respDelay', op: 'spot.openOrders', p: 1, params: { ms: 2000 } }],
    }); // prettier-ignore
    world.order(LIMIT);
    world.until(() => recorded.some(({ seen }) => seen.channel === 'openOrders' && seen.complete), 60_000);
    const { seen, atMs } = recorded.find((entry) => entry.seen.channel === 'openOrders' && entry.seen.complete)!;
    expect(atMs - seen.venueMs).toBeGreaterThanOrEqual(2000);
  });

  it('evidence of trades starts before the order was signed: rows may become visible behind newer ones', () => {
    const fromIds: number[] = [];
    const unused = {} as OrderAttribution & HoldingsCheck & OrderIdentifier & VenueCalls;
    const reader = new EvidenceReader({
      venue: unused,
      attribution: unused,
      trackedOrders: new TrackedOrders(1),
      identify: unused,
      holdings: unused,
      sink: () => ({ evidence: () => {} }) as never,
      venueNow: () => immediate(90_000),
      isWaiting: () => false,
      lastMs: () => 90_000,
      readTrades: (_, sinceMs) => {
        fromIds.push(sinceMs);
        return immediate({ isWhole: true, unattributed: 0, newRows: 0 });
      },
    });
    const trackedRequest = { id: 1 as OrderId, instrumentIndex: 0, instrument: BTC } as ConstructorParameters<typeof TrackedOrder>[0];
    reader.read(
      new TrackedOrder(trackedRequest, 'A1', 50_000, { id: trackedRequest.id, lifecycle: 'unknown', reason: null }),
      { instrument: BTC, instrumentIndex: 0 },
      'myTrades',
    );
    expect(fromIds).toEqual([49_000]);
  });

  it('evidence of a list of open orders at its maximum length is incomplete', () => {
    const rows = Array.from({ length: MAX_ROWS }, (_, index) => index);
    const whole = (count: number): boolean => pageOf({ rows: rows.slice(0, count), refused: [] }, MAX_ROWS, (row) => row).isWhole;
    expect([whole(MAX_ROWS - 1), whole(MAX_ROWS)]).toEqual([true, false]);
  });
});

describe('an order of the bot', () => {
  it('an order of the bot that is not found by its id stays working, and is reported', async () => {
    const world = await RestWorld.open();
    const id = world.order(LIMIT);
    world.pass(200);
    world.faulty.faults.set({
      seed: 1,
      schedule: [{ point: 'NET.replace', op: 'spot.queryOrder', p: 1, params: { status: 200, body: '{"code":"0","msg":"succ","data":null}' } }],
    }); // prettier-ignore
    world.cancel(id);
    world.pass(20_000);
    expect(world.get(id)).toMatchObject({ lifecycle: 'cancelSent', isReserved: true });
    world.noFaults();
    world.until(() => world.get(id).lifecycle === 'done', 60_000);
    expect(world.audit('full').kind).toBe('ok');
  });

  it('an order of the bot has an id of more digits than a double holds', () => {
    const parsed = parseJson('{"orderId":1234567890123456789}');
    expect(parsed.ok && parsed.value instanceof Map ? idText(parsed.value.get('orderId') ?? null) : null).toBe('1234567890123456789');
  });
});

describe('a stop', () => {
  const open = async (): Promise<RestWorld> => {
    const world = await RestWorld.open({
      instruments: [PERPETUAL],
      service: { instruments: [BTC, ETH, PERPETUAL, INVERSE], accounts: TRADERS },
      parts: { contractSettingsTarget: () => ({ positionType: 1, leverage: 10, positionModel: 1 }) },
    });
    trader(world).order('bob', 'SELL', 10, 1000);
    const entry = world.order({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    world.until(() => world.get(entry).lifecycle === 'done', 20_000);
    return world;
  };
  const stop = (world: RestWorld, slot: string): OrderId => {
    const placed = { id: 0 as OrderId };
    applyInbox(world.engine, world.queue.nowMs, () => {
      const order = world.engine.newOrder(0, world.engine.execution[0]!, 'sell');
      const trackedRequest = {
        role: 'stopLoss',
        reduceOnly: true,
        triggerTicks: ticks(9600),
        triggersAbove: false,
        lots: 10,
        slot,
      } as const;
      placed.id = world.engine.submit(Object.assign(order, trackedRequest));
    });
    return placed.id;
  };

  it('a stop is not followed by a second one while its outcome is unknown, because two would reverse the position', async () => {
    const world = await open();
    world.fault('NET.reqDrop', {}, 'futures.createConditionOrder');
    const firstStop = stop(world, 'stop');
    world.until(() => world.get(firstStop).lifecycle === 'unknown', 20_000);
    stop(world, 'again');
    world.pass(1000);
    expect(world.sent.get('POST /fapi/v1/conditionOrder/')).toBe(1);
  });

  it('a stop with an unknown status counts as live', async () => {
    const world = await open();
    const id = stop(world, 'stop');
    world.until(() => world.get(id).lifecycle === 'working', 5000);
    world.faulty.faults.set({
      seed: 1,
      schedule: [{ point: 'READ.replace', op: 'futures.triggerOrderList', p: 1, params: { field: 'status', value: '77' } }],
    });
    world.audit('full');
    world.pass(20_000);
    expect(world.get(id)).toMatchObject({ lifecycle: 'working', isReserved: true });
    world.noFaults();
    world.audit('full');
    expect(world.get(id).lifecycle).toBe('working');
  });
});
