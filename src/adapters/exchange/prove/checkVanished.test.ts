// Tests the check that the exchange does not know an acknowledged order any more.

import { expect, test } from 'vitest';
import { PlainOrder, spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { immediate, start } from '../../../base/task.ts';
import type { OrderId } from '../../../model/order.ts';
import { readStatus } from '../../../protocol/shapes/codes.ts';
import type { OrderAttribution } from '../observe/attribution.ts';
import type { Readers } from '../observe/readers.ts';
import { triggerTrackId } from '../calls/triggers.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';
import type { OrderRow } from '../calls/venueRows.ts';
import { copyRequest, TrackedOrder, TrackedOrders } from '../order/trackedOrder.ts';
import { checkVanished } from './checkVanished.ts';

/** What the exchange replies, and what the bot knows of the order. */
interface Situation {
  readonly order?: OrderRow | 'none' | null;
  readonly open?: readonly OrderRow[];
  readonly isOpenComplete?: boolean;
  readonly isTradesComplete?: boolean;
  readonly emptyReads?: number;
  readonly lifecycle?: 'working' | 'cancelSent' | 'unknown' | 'done';
  readonly venueId?: string;
  /** How long ago a query missed the order first, ms. */
  readonly missedMs?: number;
  readonly otherId?: string | null;
  readonly isLikeForeign?: boolean;
  /** Number of own trades whose order is not known. */
  readonly unattributed?: number;
}

/** When a query missed the order first, and the read lag, ms. */
const FIRST_MISSED_MS = 10_000;
const LAG_MS = 3000;
const ROW: OrderRow = {
  venueId: '100', cid: null, side: 'buy', action: null, isMarket: false, isLiquidation: false, price: '90', qty: '0.1', executed: '0',
  status: readStatus('NEW'), timeMs: 5000,
}; // prettier-ignore

/** Returns why the order may still exist. Without a change the exchange does not know it. */
function problemOf(situation: Situation): string | null {
  const {
    order = 'none', open = [], isOpenComplete = true, isTradesComplete = true, emptyReads = 3, lifecycle = 'working', venueId = '100',
    missedMs = LAG_MS, otherId = null, isLikeForeign = false, unattributed = 0,
  } = situation; // prettier-ignore
  const trackedOrders = new TrackedOrders(1, 5000);
  const plain = Object.assign(new PlainOrder([spotInstrument()], { lots: 100, limit: 9000, side: 'buy' }, 1), { lifecycle });
  const wire = { venueId, emptyReads, firstEmptyReadMs: FIRST_MISSED_MS, otherId, isOnWire: true };
  trackedOrders.add(Object.assign(new TrackedOrder(copyRequest(plain), 'CID1', 5000, plain), wire));
  const page = { rows: open, isCut: false, isReadable: true, isComplete: isOpenComplete };
  const venue = { findOrder: () => immediate(order), openOrders: () => immediate(page) } as unknown as VenueCalls;
  const readers = { readTrades: () => immediate({ isComplete: isTradesComplete, unattributed }) } as unknown as Readers;
  const result: { problem?: string | null } = {};
  const foreignOrders = new Map(
    isLikeForeign ? [['7', { venueId: '7', instrument: 0, isTrigger: false, row: { ...ROW, venueId: '7' } }]] : [],
  );
  const isExcluded = (id: string): boolean => id === '8';
  const attribution = { mayBeForeign: () => false, foreignOrders, isExcluded } as unknown as OrderAttribution;
  const times = { nowMs: () => FIRST_MISSED_MS + missedMs, lagMs: () => LAG_MS };
  start(checkVanished(1 as OrderId, { venue, trackedOrders, attribution, readers, ...times })).whenOver(
    (problem) => (result.problem = problem),
  );
  return result.problem!;
}

test('an order that no query and no list shows has vanished', () => {
  expect(problemOf({})).toBe(null);
  expect(problemOf({ lifecycle: 'cancelSent' })).toBe(null);
  // The operator has ignored an open order with the same terms.
  expect(problemOf({ open: [{ ...ROW, venueId: '8' }] })).toBe(null);
});

test.each([
  ['no query was answered', { order: null }, 'the exchange does not answer: try again'],
  ['a query finds it', { order: ROW }, 'the exchange has it as order 100, NEW'],
  ['a list has its id', { open: [ROW] }, 'it is in the list of open orders'],
  ['a list has its client order id', { open: [{ ...ROW, venueId: '7', cid: 'cid1' }] }, 'it is in the list of open orders'],
  ['the list of open orders is incomplete', { isOpenComplete: false }, 'the list of open orders did not come whole: try again'],
  ['the trades are incomplete', { isTradesComplete: false }, 'the list of own trades did not come whole, or shows a new fill: try again'],
  [
    'it was missed for less than the read lag',
    { missedMs: LAG_MS - 1 },
    'it is open: the exchange has not missed it several times in a row',
  ],
  [
    'a row has named it under another id',
    { otherId: '7' },
    'another order at the exchange may be this one: decide that one first (isobar orders)',
  ],
  [
    'a foreign order may be it',
    { isLikeForeign: true },
    'another order at the exchange may be this one: decide that one first (isobar orders)',
  ],
  ['an open order has its terms', { open: [{ ...ROW, venueId: '7' }] }, 'order 7, which is open, may be this one'],
  ['trades have no known order', { unattributed: 1 }, 'there are own trades whose order is not known: they may be of this one'],
  ['it was missed only once', { emptyReads: 1 }, 'it is open: the exchange has not missed it several times in a row'],
  ['it waits as a trigger order', { venueId: triggerTrackId('7', 'CID1') }, 'it waits as a trigger order: cancel it'],
  ['it has ended', { lifecycle: 'done' }, 'it has ended'],
] as const)('an order has not vanished if %s', (_, situation, problem) => {
  expect(problemOf(situation)).toBe(problem);
});
