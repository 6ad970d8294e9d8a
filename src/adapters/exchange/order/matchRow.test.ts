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
    ['an order with the same terms', [{}], ROW, 'found'],
    ['an order with the same venue order id and other terms', [{ venueId: '100', lots: 5 }], ROW, 'known'],
    ['an order with the client order id in other letters', [{ lots: 5 }], { ...ROW, cid: 'cid1' }, 'found'],
    ['an order with the client order id and another venue order id', [{ venueId: '99' }], { ...ROW, cid: 'CID1' }, 'duplicate'],
    ['a foreign client order id', [{}], { ...ROW, cid: 'STRANGER' }, 'foreign'],
    ['two orders with the same terms', [{}, {}], ROW, 'foreign'],
    ['a lost order beside a waiting trigger order with the same terms', [{}, WAITING_TRIGGER], ROW, 'found'],
    ['a waiting trigger order that has fired', [WAITING_TRIGGER], ROW, 'found'],
    ['a lost trigger order beside a waiting one', [{ triggerTicks: 8000 }, WAITING_TRIGGER], ROW, 'foreign'],
    [
      'a trigger order that was proved absent beside a waiting one',
      [{ triggerTicks: 8000, stage: 'absent' }, WAITING_TRIGGER],
      ROW,
      'foreign',
    ],
    ['a refused order that exists at the exchange', [{ stage: 'refused' }], ROW, 'found'],
    ['an order that was not sent', [{ stage: 'waiting' }], ROW, 'foreign'],
    ['an order that was denied while it waited to be sent', [{ stage: 'withdrawn' }], ROW, 'foreign'],
    ['a lost order beside one with the same terms that was denied while it waited', [{ stage: 'withdrawn' }, {}], ROW, 'found'],
    [
      'a refused order beside a lost one, in a row of its admission window',
      [{ stage: 'refused' }, {}],
      { ...ROW, timeMs: 11_000 },
      'foreign',
    ],
    ['a refused order beside a lost one, in a later row', [{ stage: 'refused' }, {}], { ...ROW, timeMs: 11_001 }, 'found'],
    ['an absent order beside a lost one, in a later row', [{ stage: 'absent' }, {}], { ...ROW, timeMs: 11_001 }, 'found'],
    ['a refused order beside a lost one, in a row without a time', [{ stage: 'refused' }, {}], { ...ROW, timeMs: null }, 'foreign'],
    ['two lost orders, in a later row', [{}, {}], { ...ROW, timeMs: 11_001 }, 'foreign'],
    ['two absent orders, in a later row', [{ stage: 'absent' }, { stage: 'refused' }], { ...ROW, timeMs: 11_001 }, 'foreign'],
    [
      'a refused order beside a waiting trigger order, in a later row',
      [{ stage: 'refused' }, WAITING_TRIGGER],
      { ...ROW, timeMs: 11_001 },
      'found',
    ],
    [
      'a refused order beside two waiting trigger orders, in a later row',
      [{ stage: 'refused' }, WAITING_TRIGGER, { ...WAITING_TRIGGER, venueId: triggerTrackId('8', 'CID8') }],
      { ...ROW, timeMs: 11_001 },
      'foreign',
    ],
    ['a refused order alone, in a later row', [{ stage: 'refused' }], { ...ROW, timeMs: 11_001 }, 'found'],
    ['an order of another side', [{ side: 'sell' }], ROW, 'foreign'],
    ['an order with another price', [{ limit: 9001 }], ROW, 'foreign'],
    ['an order with another quantity', [{ lots: 99 }], ROW, 'foreign'],
    ['a row older than the order', [{}], { ...ROW, timeMs: 3999 }, 'foreign'],
  ] as const)('matchRow decides whether a row belongs to a tracked order: %s', (_, states, row, kind) => {
    expect(matchRow(row, 0, trackedOrdersOf(states)).kind).toBe(kind);
  });

  const SECOND_TRIGGER = { ...WAITING_TRIGGER, venueId: triggerTrackId('8', 'CID8') };
  it.each([
    ['two waiting trigger orders', [WAITING_TRIGGER, SECOND_TRIGGER], ROW, ['CID1', 'CID2'], ['CID1', 'CID2']],
    ['a lost order beside a waiting trigger order', [{ triggerTicks: 8000 }, WAITING_TRIGGER], ROW, ['CID1', 'CID2'], ['CID1', 'CID2']],
    ['two refused orders, in a later row', [{ stage: 'refused' }, { stage: 'refused' }], { ...ROW, timeMs: 11_001 }, ['CID1', 'CID2'], []],
    ['a row with a client order id', [{}, {}], { ...ROW, cid: 'OTHER' }, [], []],
  ] as const)('a foreign row names the orders with its terms and those that it may be: %s', (_, states, row, sameTerms, possible) => {
    const like = ordersLike(row, 0, trackedOrdersOf(states));
    const idsOf = (orders: readonly TrackedOrder[]) => orders.map(({ clientOrderId }) => clientOrderId);
    expect([idsOf(like.sameTerms), idsOf(like.possible)]).toEqual([sameTerms, possible]);
  });

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
