// Tests that every term of an order is restored from the journal, so that evidence after a restart matches the same order.

import { expect, it } from 'vitest';
import { lots, ticks, units } from '../../../base/brand.ts';
import type { OrderId, VenueOrderId } from '../../../model/order.ts';
import { BotOrder } from '../../../orders/botOrder.ts';
import { restoreBotOrder } from '../../../orders/restoreBotOrder.ts';
import { PERPETUAL } from '../../../../test/service/futuresFixture.ts';
import { intentOf } from './orderText.ts';
import { sentOrder } from './restoredOrders.ts';

/** Members that an INTENT record lacks. Later records have the lifecycle, and each process computes worst case and pool itself. */
const NOT_IN_INTENT = new Set([
  'state', 'reason', 'confirmed', 'venueId', 'filledLots', 'filledUnits', 'changedMs', 'arrivedMs',
  'worstTicks', 'worstLots', 'worstUnits', 'worstCash', 'isReserved', 'wantsCancel', 'wasUnknown', 'code', 'nextFree', 'isFree',
  // The requested size beyond the sent one is read only by the rate guard, at the moment of the decision.
  'fingerprintOffset',
]); // prettier-ignore

/** Returns an order that buys a contract. */
const newOrder = (): BotOrder => {
  const order = new BotOrder();
  order.begin(1, 0, PERPETUAL, 0, 'buy', 1);
  return order;
};

/** Returns an order in which every term differs from that of a new order. */
function orderWithAllTerms(): BotOrder {
  const order = new BotOrder();
  order.begin(7, 2, { ...PERPETUAL }, 1, 'sell', 1_795_710_540_000);
  return Object.assign(order, {
    role: 'stopLoss', lots: lots(11), quoteUnits: units(13), limit: ticks(17), reduceOnly: true, timeInForce: 'IOC', slot: 'exit',
    parent: 5 as OrderId, takeProfit: ticks(19), ladder: [{ at: ticks(19), sharePpm: 500_000 }, { at: ticks(18), sharePpm: 400_000 }],
    stopLoss: ticks(23), trailing: ticks(29), trailingPpm: 41, trailingFrom: ticks(43), isGuarded: true, firedAtTicks: ticks(31),
    triggerTicks: ticks(37), triggersAbove: true, amends: 6 as OrderId,
  }); // prettier-ignore
}

it('every term of an order is the same after a restart', () => {
  const order = orderWithAllTerms();
  const line = JSON.stringify(intentOf(order, { cid: 'A', reason: '', riskReserve: '0' }));
  const restored = sentOrder(JSON.parse(line), [{ ...PERPETUAL, id: 'futures:OTHER' as never }, order.instrument]);
  const restoredOrder = restoreBotOrder({ ...restored, venueId: '1' as unknown as VenueOrderId });
  const names = Object.keys(order).filter((name) => !NOT_IN_INTENT.has(name)) as (keyof BotOrder)[];
  const defaultOrder = newOrder();
  for (const name of names) {
    expect(order[name], `the order of this test needs its own value of ${name}`).not.toBe(defaultOrder[name]);
    expect(restoredOrder[name], name).toStrictEqual(order[name]);
  }
});
