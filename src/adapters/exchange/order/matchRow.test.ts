// Tests the attribution of a row to an order: by venue order id, by client order id, or by its terms if only one order fits.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatus } from '../../../protocol/shapes/codes.ts';
import type { OrderId } from '../../../model/order.ts';
import { PlainOrder, spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { ticks } from '../../../base/brand.ts';
import { triggerTrackId } from '../calls/triggers.ts';
import { matchRow, ordersLike } from './matchRow.ts';
import type { OrderRow } from '../calls/venueRows.ts';
import { TrackedOrder, TrackedOrders, copyRequest } from './trackedOrder.ts';

const BTC = spotInstrument();
const WINDOW_MS = 5000;
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
  refused: { lifecycle: 'done', reason: 'refused', isOnWire: true },
  withdrawn: { lifecycle: 'done', reason: 'notSent', isOnWire: false },
} as const;
type Stage = keyof typeof STAGES;

/** The state of one of our orders. */
interface TrackedState {
  readonly lots: number;
  readonly limit: number;
  readonly side: 'buy' | 'sell';
  readonly stage: Stage;
  readonly venueId: string | null;
  readonly triggerTicks: number;
}
const DEFAULT_STATE: TrackedState = { lots: 100, limit: 9000, side: 'buy', stage: 'unknown', venueId: null, triggerTicks: 0 };

const WAITING_TRIGGER: Partial<TrackedState> = { triggerTicks: 8001, stage: 'live', venueId: triggerTrackId('7', 'CID9') };

/** Returns tracked orders in these states, numbered from 1. */
function trackedOrdersOf(states: readonly Partial<TrackedState>[]): TrackedOrders {
  const trackedOrders = new TrackedOrders(1, WINDOW_MS);
  states.forEach((change, index) => {
    const { stage, venueId, triggerTicks, ...terms } = { ...DEFAULT_STATE, ...change };
    const order = new PlainOrder([BTC], terms, index + 1);
    const tracked = new TrackedOrder(
      copyRequest(Object.assign(order, { triggerTicks: ticks(triggerTicks) })),
      `CID${index + 1}`,
      5000,
      order,
    );
    const { isOnWire, ...managerState } = STAGES[stage];
    Object.assign(order, managerState);
    tracked.isOnWire = isOnWire;
    tracked.venueId = venueId;
    trackedOrders.add(tracked);
  });
  return trackedOrders;
}

describe('matchRow', () => {
  it.each([
    { situation: 'an order with the same terms', states: [{}], row: ROW, kind: 'found' },
    { situation: 'an order with the same venue order id and other terms', states: [{ venueId: '100', lots: 5 }], row: ROW, kind: 'known' },
    { situation: 'an order with the client order id in other letters', states: [{ lots: 5 }], row: { ...ROW, cid: 'cid1' }, kind: 'found' },
    {
      situation: 'an order with the client order id and another venue order id',
      states: [{ venueId: '99' }],
      row: { ...ROW, cid: 'CID1' },
      kind: 'duplicate',
    },
    { situation: 'a foreign client order id', states: [{}], row: { ...ROW, cid: 'STRANGER' }, kind: 'foreign' },
    { situation: 'two orders with the same terms', states: [{}, {}], row: ROW, kind: 'foreign' },
    {
      situation: 'a lost order beside a waiting trigger order with the same terms',
      states: [{}, WAITING_TRIGGER],
      row: ROW,
      kind: 'found',
    },
    { situation: 'a waiting trigger order that has fired', states: [WAITING_TRIGGER], row: ROW, kind: 'found' },
    {
      situation: 'a lost trigger order beside a waiting one',
      states: [{ triggerTicks: 8000 }, WAITING_TRIGGER],
      row: ROW,
      kind: 'foreign',
    },
    {
      situation: 'a trigger order that was proved absent beside a waiting one',
      states: [{ triggerTicks: 8000, stage: 'absent' }, WAITING_TRIGGER],
      row: ROW,
      kind: 'foreign',
    },
    { situation: 'a refused order that exists at the exchange', states: [{ stage: 'refused' }], row: ROW, kind: 'found' },
    { situation: 'an order that was not sent', states: [{ stage: 'waiting' }], row: ROW, kind: 'foreign' },
    { situation: 'an order that was denied while it waited to be sent', states: [{ stage: 'withdrawn' }], row: ROW, kind: 'foreign' },
    {
      situation: 'a lost order beside one with the same terms that was denied while it waited',
      states: [{ stage: 'withdrawn' }, {}],
      row: ROW,
      kind: 'found',
    },
    {
      situation: 'a refused order beside a lost one, in a row of its admission window',
      states: [{ stage: 'refused' }, {}],
      row: { ...ROW, timeMs: 11_000 },
      kind: 'foreign',
    },
    {
      situation: 'a refused order beside a lost one, in a later row',
      states: [{ stage: 'refused' }, {}],
      row: { ...ROW, timeMs: 11_001 },
      kind: 'found',
    },
    {
      situation: 'an absent order beside a lost one, in a later row',
      states: [{ stage: 'absent' }, {}],
      row: { ...ROW, timeMs: 11_001 },
      kind: 'found',
    },
    {
      situation: 'a refused order beside a lost one, in a row without a time',
      states: [{ stage: 'refused' }, {}],
      row: { ...ROW, timeMs: null },
      kind: 'foreign',
    },
    { situation: 'two lost orders, in a later row', states: [{}, {}], row: { ...ROW, timeMs: 11_001 }, kind: 'foreign' },
    {
      situation: 'two absent orders, in a later row',
      states: [{ stage: 'absent' }, { stage: 'refused' }],
      row: { ...ROW, timeMs: 11_001 },
      kind: 'foreign',
    },
    {
      situation: 'a refused order beside a waiting trigger order, in a later row',
      states: [{ stage: 'refused' }, WAITING_TRIGGER],
      row: { ...ROW, timeMs: 11_001 },
      kind: 'found',
    },
    {
      situation: 'a refused order beside two waiting trigger orders, in a later row',
      states: [{ stage: 'refused' }, WAITING_TRIGGER, { ...WAITING_TRIGGER, venueId: triggerTrackId('8', 'CID8') }],
      row: { ...ROW, timeMs: 11_001 },
      kind: 'foreign',
    },
    { situation: 'a refused order alone, in a later row', states: [{ stage: 'refused' }], row: { ...ROW, timeMs: 11_001 }, kind: 'found' },
    { situation: 'an order of another side', states: [{ side: 'sell' }], row: ROW, kind: 'foreign' },
    { situation: 'an order with another price', states: [{ limit: 9001 }], row: ROW, kind: 'foreign' },
    { situation: 'an order with another quantity', states: [{ lots: 99 }], row: ROW, kind: 'foreign' },
    { situation: 'a row older than the order', states: [{}], row: { ...ROW, timeMs: 3999 }, kind: 'foreign' },
  ] as const)('matchRow decides whether a row belongs to a tracked order: $situation', ({ states, row, kind }) => {
    expect(matchRow(row, 0, trackedOrdersOf(states)).kind).toBe(kind);
  });

  const SECOND_TRIGGER = { ...WAITING_TRIGGER, venueId: triggerTrackId('8', 'CID8') };
  it.each([
    {
      situation: 'two waiting trigger orders',
      states: [WAITING_TRIGGER, SECOND_TRIGGER],
      row: ROW,
      sameTerms: ['CID1', 'CID2'],
      possible: ['CID1', 'CID2'],
    },
    {
      situation: 'a lost order beside a waiting trigger order',
      states: [{ triggerTicks: 8000 }, WAITING_TRIGGER],
      row: ROW,
      sameTerms: ['CID1', 'CID2'],
      possible: ['CID1', 'CID2'],
    },
    {
      situation: 'two refused orders, in a later row',
      states: [{ stage: 'refused' }, { stage: 'refused' }],
      row: { ...ROW, timeMs: 11_001 },
      sameTerms: ['CID1', 'CID2'],
      possible: [],
    },
    { situation: 'a row with a client order id', states: [{}, {}], row: { ...ROW, cid: 'OTHER' }, sameTerms: [], possible: [] },
  ] as const)(
    'a foreign row names the orders with its terms and those that it may be: $situation',
    ({ states, row, sameTerms, possible }) => {
      const like = ordersLike(row, 0, trackedOrdersOf(states));
      const idsOf = (orders: readonly TrackedOrder[]) => orders.map(({ clientOrderId }) => clientOrderId);
      expect([idsOf(like.sameTerms), idsOf(like.possible)]).toEqual([sameTerms, possible]);
    },
  );

  it('matchRow never attributes a row to an order with other terms, or to one of two orders', () => {
    const drawnState = fc.record({
      lots: fc.integer({ min: 99, max: 101 }),
      limit: fc.integer({ min: 8999, max: 9001 }),
      side: fc.constantFrom<'buy' | 'sell'>('buy', 'sell'),
      stage: fc.constantFrom<Stage>('waiting', 'sent', 'unknown', 'absent', 'live', 'ended', 'refused', 'withdrawn'),
      venueId: fc.constantFrom(null, null, '98'),
    });
    fc.assert(
      fc.property(fc.array(drawnState, { maxLength: 6 }), fc.constantFrom(null, 'CID1', 'CID3', 'OTHER'), (states, clientOrderId) => {
        const trackedOrders = trackedOrdersOf(states);
        const match = matchRow({ ...ROW, cid: clientOrderId }, 0, trackedOrders);
        const namedState = clientOrderId === null ? undefined : states[Number(clientOrderId.slice(3)) - 1];
        if (clientOrderId !== null) {
          const kindOfNamed = namedState?.venueId === null ? 'found' : 'duplicate';
          expect(match.kind).toBe(namedState === undefined ? 'foreign' : kindOfNamed);
          return;
        }
        const fittingStates = states.filter(
          (state) =>
            state.lots === 100 &&
            state.limit === 9000 &&
            state.side === 'buy' &&
            state.venueId === null &&
            !['waiting', 'ended', 'withdrawn'].includes(state.stage),
        );
        expect(match.kind).toBe(fittingStates.length === 1 ? 'found' : 'foreign');
      }),
      { numRuns: 2000 },
    );
  });

  it('matchRow ignores an order some time after its end, except an order whose rows may still arrive', () => {
    const trackedOrders = trackedOrdersOf([{ stage: 'ended' }, { stage: 'refused' }, { stage: 'unknown' }, { stage: 'absent' }]);
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
