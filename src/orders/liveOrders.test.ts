// Tests the order manager against an exchange that answers late, twice, or after an order was proven absent.

import { describe, expect, it } from 'vitest';
import { ReplayJournal } from '../adapters/replay/replayJournal.ts';
import { lots, ticks } from '../base/brand.ts';
import { Scratch } from '../base/memory/rowLog.ts';
import type { OrderId, VenueOrderId } from '../model/order.ts';
import { SpotLedger } from '../portfolio/spotLedger.ts';
import { RiskModule } from '../risk/riskModule.ts';
import { fillOf } from '../../test/fixtures/fills.ts';
import { spotInstrument } from '../../test/fixtures/drafts.ts';
import { SilentExchange } from '../../test/fixtures/restartFixture.ts';
import { MeasuredAbsenceBounds } from './prove/absenceBounds.ts';
import { OrderManager } from './orderManager.ts';
import type { BotOrder } from './botOrder.ts';
import { Reservations } from './reserve/reservation.ts';
import type { RestoredOrder } from './restoreBotOrder.ts';

const BTC = spotInstrument();
const NOW_MS = 1000;
const VENUE_ID = 'v1' as VenueOrderId;

/** Returns an order manager with money, whose exchange never replies. */
function fixture() {
  const ledger = new SpotLedger([BTC], 1);
  ledger.deposit(0, 'USDT', 1e15);
  const reservations = new Reservations([BTC], 1, { collarPpm: 10_000, takerFeePpm: [1000], feesIn: 'received' });
  const exchange = new SilentExchange();
  const orders = new OrderManager(exchange, new ReplayJournal(), reservations, new MeasuredAbsenceBounds(), new Scratch());
  const risk = new RiskModule({ ledger, reservations, limits: {} });
  const send = (quantity = 100): BotOrder => {
    const order = orders.draft(0, BTC, 0, 'buy', NOW_MS);
    order.lots = lots(quantity);
    order.limit = ticks(10_000);
    order.role = 'limit';
    order.slot = `slot ${order.id}`;
    expect(orders.precheck(order, NaN)).toBeNull();
    orders.submit(risk.check(order, NOW_MS, 10_000)!);
    return order;
  };
  return { orders, exchange, reservations, send };
}
const fill = (quantity: number) => fillOf({ tradeId: 1, price: 10_000, lots: quantity, notional: quantity * 1e7, timeMs: NOW_MS });

describe('while an outcome is unknown', () => {
  const denyCodeOfNext = (orders: OrderManager, side: 'buy' | 'sell', slot: string): string | null => {
    const order = orders.draft(0, BTC, 0, side, NOW_MS);
    order.lots = lots(50);
    order.limit = ticks(9000);
    order.role = 'limit';
    order.slot = slot;
    return orders.precheck(order, NaN);
  };

  it('an order of unknown outcome blocks further orders on its side only', () => {
    const { orders, send } = fixture();
    orders.outcomeUnknown(send(), NOW_MS);
    expect([denyCodeOfNext(orders, 'buy', 'b'), denyCodeOfNext(orders, 'sell', 's')]).toEqual(['SIDE_UNKNOWN', null]);
  });

  it('an order is reserved from its approval until its end is certain', () => {
    const { orders, reservations, send } = fixture();
    const reservedFigures = (): readonly number[] => [reservations.openOrdersTotal, reservations.buyLots(0, 0)];
    const order = send();
    expect(reservedFigures()).toEqual([1, 100]);
    orders.outcomeUnknown(order, NOW_MS);
    expect(reservedFigures()).toEqual([1, 100]);
    orders.placed(order, VENUE_ID, NOW_MS);
    orders.cancel(order, NOW_MS);
    expect(reservedFigures()).toEqual([1, 100]);
    orders.ended(order, 'canceled', NOW_MS);
    expect(reservedFigures()).toEqual([0, 0]);
  });

  it('a decision slot is busy on either side while the outcome of its order is unknown', () => {
    const { orders, send } = fixture();
    const order = send();
    orders.outcomeUnknown(order, NOW_MS);
    expect(denyCodeOfNext(orders, 'sell', order.slot)).toBe('SLOT_BUSY');
    orders.noEffect(order, NOW_MS);
    expect(denyCodeOfNext(orders, 'sell', order.slot)).toBeNull();
  });
});

describe('late replies', () => {
  it('an acknowledgement resolves an unknown order', () => {
    const { orders, send } = fixture();
    const order = send();
    orders.outcomeUnknown(order, NOW_MS);
    orders.acked(order, VENUE_ID, NOW_MS);
    expect(order).toMatchObject({ lifecycle: 'working', venueId: VENUE_ID });
  });
  it('a refusal ends an unknown order, and does not change one that was proven absent', () => {
    const { orders, reservations, send } = fixture();
    const firstOrder = send();
    const secondOrder = send(50);
    orders.outcomeUnknown(firstOrder, NOW_MS);
    orders.refused(firstOrder, '-2010', NOW_MS);
    expect([firstOrder.reason, reservations.openOrdersTotal]).toEqual(['refused', 1]);
    orders.outcomeUnknown(secondOrder, NOW_MS);
    orders.noEffect(secondOrder, NOW_MS);
    orders.refused(secondOrder, '-2010', NOW_MS);
    expect([secondOrder.reason, orders.provenAbsent.size, reservations.openOrdersTotal, orders.impossibleEvents]).toEqual([
      'noEffect',
      1,
      1,
      0,
    ]);
  });
  it('a fill before the acknowledgement proves the order placed, and the acknowledgement sends a waiting cancel again', () => {
    const { orders, exchange, send } = fixture();
    const order = send();
    expect(orders.filled(order, fill(40))).toBeNull();
    expect(order).toMatchObject({ lifecycle: 'working', venueId: null, filledLots: 40 });
    orders.cancel(order, NOW_MS);
    orders.acked(order, VENUE_ID, NOW_MS);
    expect(order).toMatchObject({ lifecycle: 'cancelSent', venueId: VENUE_ID });
    expect(exchange.cancelled).toEqual([1, 1]);
    expect(orders.impossibleEvents).toBe(0);
  });
  it('a time-out changes nothing for an order that was acknowledged meanwhile', () => {
    const { orders, send } = fixture();
    const order = send();
    orders.acked(order, VENUE_ID, NOW_MS);
    expect(orders.outcomeUnknown(order, NOW_MS)).toBe(false);
    expect([order.lifecycle, orders.impossibleEvents]).toEqual(['working', 0]);
  });
});

describe('late arrivals', () => {
  it.each<[string, (orders: OrderManager, order: BotOrder) => void]>([
    ['proven absent', (orders, order) => (orders.outcomeUnknown(order, NOW_MS), orders.noEffect(order, NOW_MS))],
    ['refused', (orders, order) => orders.refused(order, '-2010', NOW_MS)],
    ['not sent', (orders, order) => orders.notSent(order, 'no connection', NOW_MS)],
  ])('an order that was %s and arrives late is recognised, reserved again and cancelled', (_, end) => {
    const { orders, exchange, reservations, send } = fixture();
    const order = send();
    end(orders, order);
    expect(orders.get(1 as OrderId)).toBe(order);
    expect(orders.arrivedLate(order, VENUE_ID, NOW_MS)).toBe(true);
    expect(order).toMatchObject({ lifecycle: 'cancelSent', venueId: VENUE_ID, reason: null });
    expect([exchange.cancelled, reservations.openOrdersTotal, orders.active().length]).toEqual([[1], 1, 1]);
    expect(orders.arrivedLate(order, VENUE_ID, NOW_MS)).toBe(false);
    orders.ended(order, 'canceled', NOW_MS);
    expect([reservations.openOrdersTotal, orders.provenAbsent.size]).toEqual([0, 0]);
  });
  it('an acknowledgement of an order that was proven absent is a late arrival', () => {
    const { orders, exchange, send } = fixture();
    const order = send();
    orders.outcomeUnknown(order, NOW_MS);
    orders.noEffect(order, NOW_MS);
    orders.acked(order, VENUE_ID, NOW_MS);
    expect([order.lifecycle, exchange.cancelled]).toEqual(['cancelSent', [1]]);
  });
  it('a fill of an order that was proven absent is reported as a late arrival', () => {
    const { orders, send } = fixture();
    const order = send();
    orders.outcomeUnknown(order, NOW_MS);
    orders.noEffect(order, NOW_MS);
    expect(orders.filled(order, fill(40))).toBe('LATE_LANDING');
    expect(order).toMatchObject({ lifecycle: 'cancelSent', filledLots: 40 });
  });
});

describe('anomalous fills', () => {
  it('a fill after the end and a fill beyond the size are booked and reported', () => {
    const { orders, reservations, send } = fixture();
    const ended = send();
    const filled = send(50);
    orders.acked(ended, VENUE_ID, NOW_MS);
    orders.ended(ended, 'canceled', NOW_MS);
    expect(orders.filled(ended, fill(30))).toBe('FILL_AFTER_END');
    expect(ended).toMatchObject({ lifecycle: 'done', reason: 'canceled', filledLots: 30 });
    orders.acked(filled, 'v2' as VenueOrderId, NOW_MS);
    expect(orders.filled(filled, fill(51))).toBe('OVERFILLED');
    expect([filled.filledLots, reservations.sellLots(0, 0)]).toEqual([51, 0]);
  });
});

it('an order that has ended stays known for two hours, while others begin and end', () => {
  const HOUR_MS = 3_600_000;
  const { orders, send } = fixture();
  const ended = [0, 1, 2.5, 3].map((hours) => {
    const order = send();
    orders.acked(order, `v${order.id}` as VenueOrderId, NOW_MS);
    orders.ended(order, 'canceled', NOW_MS + hours * HOUR_MS);
    return order.id;
  });
  expect(ended.map((id) => orders.get(id)?.reason)).toEqual([undefined, 'canceled', 'canceled', 'canceled']);
  expect(orders.filled(orders.get(ended[1]!)!, fill(10))).toBe('FILL_AFTER_END');
});

it('order numbers continue above those of earlier processes, whose orders have no row in the log', () => {
  const { orders, send, reservations } = fixture();
  const restored: RestoredOrder = {
    id: 7 as OrderId, strategy: 0, instrument: BTC, instrumentIndex: 0, side: 'buy', role: 'limit', lots: lots(60), quoteUnits: 0 as never,
    limit: ticks(9000), reduceOnly: false, timeInForce: null, slot: 'a', parent: 0 as OrderId, takeProfit: 0 as never, stopLoss: 0 as never,
    trailing: 0 as never, trailingPpm: 0, trailingFrom: 0 as never, firedAtTicks: 0 as never, triggerTicks: 0 as never, triggersAbove: false,
    amends: 0 as never, createdMs: 5 as never, signMs: 5, venueId: VENUE_ID, filledLots: lots(20), filledUnits: 0 as never,
    pendingTargetLots: lots(0), state: 'working', endMs: NaN,
  }; // prettier-ignore
  orders.restore({ lastOrder: 41, orders: [restored] }, () => 10_000, NOW_MS);
  expect([orders.get(7 as OrderId)?.lifecycle, reservations.buyLots(0, 0)]).toEqual(['working', 40]);
  expect(send().id).toBe(42);
  expect([...orders.columns().id]).toEqual([42]);
});
