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
import { DEFAULT_ABSENCE_BOUNDS, RECV_WINDOW_MS } from '../../src/orders/prove/absenceBounds.ts';
import type { Evidence } from '../../src/ports/exchange.ts';
import { parseJson } from '../../src/protocol/json/parseJson.ts';
import { idText } from '../../src/protocol/shapes/value.ts';
import { atCall, atEveryCall, changeRows, replaceReplies } from '../fixtures/plantedFaults.ts';
import { BTC, ETH, RestWorld } from '../fixtures/restFixture.ts';
import { futuresTrader } from '../fixtures/restOthers.ts';
import { INVERSE, PERPETUAL, TRADERS } from '../service/futuresFixture.ts';
import { LIMIT_TERMS } from './restTerms.ts';

/** Time from the signing of an order to its absence horizon: the window of a request, the least wait, and the read lag of lists. */
const HORIZON_MS = RECV_WINDOW_MS + DEFAULT_ABSENCE_BOUNDS.deltaMinMs + DEFAULT_ABSENCE_BOUNDS.readLagMs;

/** Evidence that the bot has assessed, and the exchange's time at that moment. */
interface Assessment {
  readonly evidence: Evidence;
  readonly atMs: number;
}

/** Records each assessment of evidence in the returned list, from now on. */
function recordAssessments(world: RestWorld): readonly Assessment[] {
  const recorded: Assessment[] = [];
  const { journal } = world;
  const recordEvidence = journal.evidence.bind(journal);
  journal.evidence = (order, evidence) => {
    recorded.push({ evidence, atMs: world.nowMs });
    return recordEvidence(order, evidence);
  };
  return recorded;
}

describe('evidence', () => {
  it('evidence proves nothing before the exchange itself has reached the absence horizon, even if the clock of this computer is ahead', async () => {
    const world = await RestWorld.open({ skewMs: 10_000 });
    world.plantFault('NET.reqDrop');
    const id = world.placeOrder(LIMIT_TERMS);
    world.passUntil(() => world.orderById(id).reason === 'noEffect');
    expect(world.nowMs - world.journal.signMs(world.orderById(id))).toBeGreaterThan(HORIZON_MS);
  });

  it('an order is not proven absent before the operator has decided on a foreign order that it or a refused one may be', async () => {
    const world = await RestWorld.open({ switches: { openOrdersClientId: 'off' } });
    world.plantFaults(
      atCall(1, 'GW.code', 'spot.newOrder', { code: -1138 }),
      atCall(2, 'NET.respDrop', 'spot.newOrder'),
      changeRows('spot.queryOrder', 'clientOrderId', '0'),
    );
    const refused = world.placeOrder(LIMIT_TERMS);
    world.passUntil(() => world.orderById(refused).reason === 'refused');
    const lost = world.placeOrder(LIMIT_TERMS);
    world.passTime(120_000);
    expect(world.orderById(lost).lifecycle).toBe('unknown');
    const [foreign] = world.exchange.foreignOrders;
    expect(foreign!.why).toContain('nothing shows which one it is');
    world.ignore(foreign!.venueId);
    world.passUntil(() => world.orderById(lost).reason === 'noEffect');
  });

  it('evidence of a list whose reply is slow is as old as its request', async () => {
    const world = await RestWorld.open();
    const recorded = recordAssessments(world);
    world.plantFaults(atCall(1, 'NET.reqDrop', 'spot.newOrder'), atEveryCall('NET.respDelay', 'spot.openOrders', { ms: 2000 }));
    world.placeOrder(LIMIT_TERMS);
    const isOfOpenOrders = ({ evidence }: Assessment): boolean => evidence.channel === 'openOrders' && evidence.complete;
    world.passUntil(() => recorded.some(isOfOpenOrders), 60_000);
    const { evidence, atMs } = recorded.find(isOfOpenOrders)!;
    expect(atMs - evidence.venueMs).toBeGreaterThanOrEqual(2000);
  });

  it('evidence of trades starts before the order was signed: rows may become visible behind newer ones', () => {
    const readsSinceMs: number[] = [];
    const unused = {} as HoldingsCheck & OrderIdentifier & VenueCalls;
    const reader = new EvidenceReader({
      venue: unused,
      attribution: { mayBeForeign: () => false } as unknown as OrderAttribution,
      trackedOrders: new TrackedOrders(1, 5000),
      orderIdentifier: unused,
      holdings: unused,
      sink: () => ({ evidence: () => {} }) as never,
      venueNow: () => immediate(90_000),
      isKnownTrigger: () => false,
      lastMs: () => 90_000,
      readTrades: (_instrument, sinceMs) => {
        readsSinceMs.push(sinceMs);
        return immediate({ isComplete: true, unattributed: 0, newRows: 0 });
      },
    });
    const trackedRequest = { id: 1 as OrderId, instrumentIndex: 0, instrument: BTC } as ConstructorParameters<typeof TrackedOrder>[0];
    reader.read(
      new TrackedOrder(trackedRequest, 'A1', 50_000, { id: trackedRequest.id, lifecycle: 'unknown', reason: null }),
      { instrument: BTC, instrumentIndex: 0 },
      'myTrades',
    );
    // One second before the signing time.
    expect(readsSinceMs).toEqual([49_000]);
  });

  it('evidence of a list of open orders at its maximum length is incomplete', () => {
    const rows = Array.from({ length: MAX_ROWS }, (_, index) => index);
    const isCompleteWith = (count: number): boolean =>
      pageOf({ rows: rows.slice(0, count), refused: [] }, MAX_ROWS, (row) => row).isComplete;
    expect([isCompleteWith(MAX_ROWS - 1), isCompleteWith(MAX_ROWS)]).toEqual([true, false]);
  });
});

describe('an order of the bot', () => {
  it('an order of the bot that is not found by its id stays working, and is reported', async () => {
    const world = await RestWorld.open();
    const id = world.placeOrder(LIMIT_TERMS);
    world.passTime(200);
    world.plantFaults(replaceReplies('spot.queryOrder', '{"code":"0","msg":"succ","data":null}'));
    world.cancel(id);
    world.passTime(20_000);
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'cancelSent', isReserved: true });
    world.noFaults();
    world.passUntil(() => world.orderById(id).lifecycle === 'done', 60_000);
    expect(world.audit('full').kind).toBe('ok');
  });

  it('an order of the bot has an id of more digits than a double holds', () => {
    const parsed = parseJson('{"orderId":1234567890123456789}');
    expect(parsed.ok && parsed.value instanceof Map ? idText(parsed.value.get('orderId') ?? null) : null).toBe('1234567890123456789');
  });
});

describe('a stop', () => {
  /** Opens a bot that is long ten contracts, bought at 1000.0. */
  const openLong = async (): Promise<RestWorld> => {
    const world = await RestWorld.open({
      instruments: [PERPETUAL],
      service: { instruments: [BTC, ETH, PERPETUAL, INVERSE], accounts: TRADERS },
      parts: { contractSettingsTarget: () => ({ positionType: 1, leverage: 10, positionModel: 1 }) },
    });
    futuresTrader(world).placeOrder('bob', 'SELL', 10, 1000);
    const entry = world.placeOrder({ lots: 10, limit: 10_000, timeInForce: 'IOC' });
    world.passUntil(() => world.orderById(entry).lifecycle === 'done', 20_000);
    return world;
  };
  /** Places a stop at 960.0 at the exchange. Returns its id. */
  const placeStop = (world: RestWorld, slot: string): OrderId => {
    const placedStop = { id: 0 as OrderId };
    applyInbox(world.engine, world.queue.nowMs, () => {
      const order = world.engine.newOrder(0, world.engine.execution[0]!, 'sell');
      const stopTerms = {
        role: 'stopLoss',
        reduceOnly: true,
        triggerTicks: ticks(9600),
        triggersAbove: false,
        lots: 10,
        slot,
      } as const;
      placedStop.id = world.engine.submit(Object.assign(order, stopTerms));
    });
    return placedStop.id;
  };

  it('no second stop is sent while the outcome of the first is unknown, because two would reverse the position', async () => {
    const world = await openLong();
    world.plantFault('NET.reqDrop', {}, 'futures.createConditionOrder');
    const firstStop = placeStop(world, 'stop');
    world.passUntil(() => world.orderById(firstStop).lifecycle === 'unknown', 20_000);
    placeStop(world, 'again');
    world.passTime(1000);
    expect(world.sentCounts.get('POST /fapi/v1/conditionOrder/')).toBe(1);
  });

  it('a stop with an unknown status counts as live', async () => {
    const world = await openLong();
    const id = placeStop(world, 'stop');
    world.passUntil(() => world.orderById(id).lifecycle === 'working', 5000);
    world.plantFaults(changeRows('futures.triggerOrderList', 'status', '77'));
    world.audit('full');
    world.passTime(20_000);
    expect(world.orderById(id)).toMatchObject({ lifecycle: 'working', isReserved: true });
    world.noFaults();
    world.audit('full');
    expect(world.orderById(id).lifecycle).toBe('working');
  });
});
