// Tests which lots of the fills of an order count as those of the account.

import { expect, test } from 'vitest';
import { PlainOrder, spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import { copyRequest, TrackedOrder, TrackedOrders } from './trackedOrder.ts';

test('the lots of the account follow the venue order id, at a restart and when an order gets another id', () => {
  const accountLots: Readonly<Record<string, number>> = { waiting: 1, fired: 4 };
  const trackedOrders = new TrackedOrders(1, 5000, (_, venueId) => new Decimal(accountLots[venueId] ?? 0));
  const plain = new PlainOrder([spotInstrument()], { lots: 100, limit: 9000, side: 'buy' }, 1);
  const tracked = new TrackedOrder(copyRequest(plain), 'CID1', 5000, plain);
  Object.assign(tracked, { venueId: 'waiting', filledLots: 10 });
  trackedOrders.add(tracked);
  expect(tracked.executedLots).toBe(11);
  trackedOrders.setVenueId(tracked, 'fired');
  expect(tracked.executedLots).toBe(14);
  trackedOrders.removeVenueId(tracked);
  expect(tracked.executedLots).toBe(10);
});
