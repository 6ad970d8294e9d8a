// Attributing a row to an order: by venue order id, by client order id if there is one, otherwise by its terms if only one order fits.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatus } from '../../../protocol/shapes/codes.ts';
import type { OrderId } from '../../../model/order.ts';
import { PlainOrder, spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { ticks } from '../../../base/brand.ts';
import { triggerTrackId } from '../calls/triggers.ts';
import { matchRow } from './match.ts';
import type { OrderRow } from '../calls/rows.ts';
import { TrackedOrder, TrackedOrders, copyRequest } from './trackedOrder.ts';

const BTC = spotInstrument();
const ROW: OrderRow = {
  venueId: '100', cid: null, side: 'buy', action: null, isMarket: false, isLiquidation: false, price: '90', qty: '0.1', executed: '0',
  status: readStatus('NEW'), timeMs: 5000,
}; // prettier-ignore

/** The state of an order in the order manager: waiting for its turn, or on the wire. */
const STAGES = {
  waiting: { lifecycle: 'sent', reason: null, isOnWire: false },
  sent: { lifecycle: 'sent', reason: null, isOnWire: true },
  unknown: { lifecycle: 'unknown', reason: null, isOnWire: true },
  absent: { lifecycle: 'done', reason: 'noEffect', isOnWire: true },
  live: { lifecycle: 'working', reason: null, isOnWire: true },
  ended: { lifecycle: 'done', reason: 'canceled', isOnWire: true },
  dead: { lifecycle: 'done', reason: 'refused', isOnWire: true },
} as const;
type Stage = keyof typeof STAGES;

interface Given {
  readonly lots: number;
  readonly limit: number;
  readonly side: 'buy' | 'sell';
  readonly stage: Stage;
  readonly venueId: string | null;
  readonly triggerTicks: number;
}
const GIVEN: Given = { lots: 100, limit: 9000, side: 'buy', stage: 'unknown', venueId: null, triggerTicks: 0 };

const WAITING: Partial<Given> = { triggerTicks: 8001, stage: 'live', venueId: triggerTrackId('7', 'CID9') };

function tracksOf(given: readonly Partial<Given>[]): TrackedOrders {
  const trackedOrders = new TrackedOrders(1);
  given.forEach((change, at) => {
    const { stage, venueId, triggerTicks, ...wanted } = { ...GIVEN, ...change };
    const order = new PlainOrder([BTC], wanted, at + 1);
    const tracked = new TrackedOrder(copyRequest(Object.assign(order, { triggerTicks: ticks(triggerTicks) })), `CID${at + 1}`, 5000, order);
    const { isOnWire, ...known } = STAGES[stage];
    Object.assign(order, known);
    tracked.isOnWire = isOnWire;
    tracked.venueId = venueId;
    trackedOrders.add(tracked);
  });
  return trackedOrders;
}

describe('matchRow', () => {
  it.each([
    ['the one that asks for the same', [{}], ROW, 'found'],
    ['by its id, whatever it asks for', [{ venueId: '100', lots: 5 }], ROW, 'known'],
    ['by its client order id in other letters', [{ lots: 5 }], { ...ROW, cid: 'cid1' }, 'found'],
    ['one whose order has another id', [{ venueId: '99' }], { ...ROW, cid: 'CID1' }, 'duplicate'],
    ['with the client order id of a stranger', [{}], { ...ROW, cid: 'STRANGER' }, 'alien'],
    ['two that ask for the same', [{}, {}], ROW, 'alien'],
    ['a lost one, though a trigger order waits that asks for the same', [{}, WAITING], ROW, 'found'],
    ['a waiting trigger order that has fired', [WAITING], ROW, 'found'],
    ['a lost trigger order and one that waits', [{ triggerTicks: 8000 }, WAITING], ROW, 'alien'],
    ['a trigger order that was proved absent and one that waits', [{ triggerTicks: 8000, stage: 'absent' }, WAITING], ROW, 'alien'],
    ['one that is refused, and stands all the same', [{ stage: 'dead' }], ROW, 'found'],
    ['one that never left', [{ stage: 'waiting' }], ROW, 'alien'],
    ['another side', [{ side: 'sell' }], ROW, 'alien'],
    ['another price', [{ limit: 9001 }], ROW, 'alien'],
    ['another quantity', [{ lots: 99 }], ROW, 'alien'],
    ['older than the order', [{}], { ...ROW, timeMs: 3999 }, 'alien'],
  ] as const)('matchRow: %s', (_, given, row, kind) => {
    expect(matchRow(row, 0, tracksOf(given)).kind).toBe(kind);
  });

  it('matchRow never attributes a row to an order with other terms, or to one of two orders', () => {
    const few = fc.record({
      lots: fc.integer({ min: 99, max: 101 }),
      limit: fc.integer({ min: 8999, max: 9001 }),
      side: fc.constantFrom<'buy' | 'sell'>('buy', 'sell'),
      stage: fc.constantFrom<Stage>('waiting', 'sent', 'unknown', 'absent', 'live', 'ended', 'dead'),
      venueId: fc.constantFrom(null, null, '98'),
    });
    fc.assert(
      fc.property(fc.array(few, { maxLength: 6 }), fc.constantFrom(null, 'CID1', 'CID3', 'OTHER'), (given, clientOrderId) => {
        const trackedOrders = tracksOf(given);
        const match = matchRow({ ...ROW, cid: clientOrderId }, 0, trackedOrders);
        const named = clientOrderId === null ? undefined : given[Number(clientOrderId.slice(3)) - 1];
        if (clientOrderId !== null) {
          expect(match.kind).toBe(named === undefined ? 'alien' : named.venueId === null ? 'found' : 'duplicate');
          return;
        }
        const same = given.filter(
          (each) =>
            each.lots === 100 &&
            each.limit === 9000 &&
            each.side === 'buy' &&
            each.venueId === null &&
            !['waiting', 'ended'].includes(each.stage),
        );
        expect(match.kind).toBe(same.length === 1 ? 'found' : 'alien');
      }),
      { numRuns: 2000 },
    );
  });

  it('matchRow ignores an order some time after its end, and never one that rows may still arrive for', () => {
    const trackedOrders = tracksOf([{ stage: 'ended' }, { stage: 'dead' }, { stage: 'unknown' }, { stage: 'absent' }]);
    for (const tracked of trackedOrders.all) if (tracked.lifecycle === 'done' && !tracked.isSought) trackedOrders.retire(tracked, 1000);
    trackedOrders.forget(1001, 1000);
    expect([1, 2, 3, 4].map((id) => trackedOrders.byId(id as OrderId)?.order.reason)).toEqual([undefined, 'refused', null, 'noEffect']);
    trackedOrders.forget(Infinity, Infinity);
    expect([
      trackedOrders.byClientOrderId('CID2'),
      trackedOrders.byClientOrderId('CID3')?.lifecycle,
      trackedOrders.byClientOrderId('CID4')?.isSought,
    ]).toEqual([undefined, 'unknown', true]);
  });
});
