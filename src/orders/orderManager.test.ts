// Tests the order manager, also under random histories: no order is lost or overfilled, and only a late arrival leaves `done`.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplayJournal } from '../adapters/replay/replayJournal.ts';
import { Scratch } from '../base/memory/rowLog.ts';
import { InvariantError } from '../base/errors.ts';
import { lots, ticks } from '../base/brand.ts';
import { ENDINGS } from '../model/run/run.ts';
import type { ApprovedOrder, Order, OrderId, VenueOrderId } from '../model/order.ts';
import type { OrderGateway } from '../ports/exchange.ts';
import { SpotLedger } from '../portfolio/spotLedger.ts';
import { RiskModule } from '../risk/riskModule.ts';
import { fillOf } from '../../test/fixtures/fills.ts';
import { spotInstrument } from '../../test/fixtures/drafts.ts';
import { STATE } from './lifecycle.ts';
import { OrderManager } from './orderManager.ts';
import type { BotOrder } from './botOrder.ts';
import { Reservations } from './reserve/reservation.ts';
import { REPLAY_ABSENCE_BOUNDS } from './prove/resolver.ts';

const BTC = spotInstrument();
const NOW_MS = 1000;

/** Accepts commands and never replies. The tests report the replies themselves. */
class SilentExchange implements OrderGateway {
  readonly submitted: number[] = [];
  readonly cancelled: number[] = [];
  submit({ id }: ApprovedOrder): void {
    this.submitted.push(id);
  }
  cancel({ id }: Order): void {
    this.cancelled.push(id);
  }
  read(): void {}
}

/** Returns an order manager with money, whose exchange never replies. */
function fixture() {
  const ledger = new SpotLedger([BTC], 1);
  ledger.deposit(0, 'USDT', 1e15);
  const reservations = new Reservations([BTC], 1, { collarPpm: 10_000, takerFeePpm: [1000], feesIn: 'received' });
  const exchange = new SilentExchange();
  const orders = new OrderManager(exchange, new ReplayJournal(), reservations, REPLAY_ABSENCE_BOUNDS, new Scratch());
  const risk = new RiskModule({ ledger, reservations, limits: {} });
  const send = (quantity: number, limit = 10_000, slot = `slot ${orders.count}`) => {
    const order = orders.draft(0, BTC, 0, 'buy', NOW_MS);
    order.lots = lots(quantity);
    order.limit = ticks(limit);
    order.role = 'limit';
    order.slot = slot;
    const code = orders.precheck(order, NaN);
    const approved = code === null ? risk.check(order, NOW_MS, 10_000) : null;
    if (approved === null) orders.deny(order, code ?? risk.code ?? '');
    else orders.submit(approved);
    return order;
  };
  return { orders, exchange, reservations, send };
}

/** Returns the notional of lots at the price of the orders, in units. */
const notional = (quantity: number) => quantity * 10_000 * 1000;

describe('OrderManager', () => {
  it('the order manager sends an order once', () => {
    const { orders, send } = fixture();
    const order = send(100);
    expect(() => orders.submit(order as never)).toThrow(InvariantError);
  });

  it('the order manager reuses the record of an ended order without any of its values', () => {
    const { orders, send } = fixture();
    const firstOrder = send(100);
    orders.acked(firstOrder, 7 as VenueOrderId, NOW_MS);
    orders.filled(firstOrder, fillOf({ tradeId: 1, price: 10_000, lots: 100, notional: notional(100), timeMs: NOW_MS }));
    const secondOrder = send(50);
    expect(secondOrder).toBe(firstOrder);
    expect(secondOrder).toMatchObject({
      id: 2,
      filledLots: 0,
      venueId: null,
      reason: null,
      state: STATE.sent,
      wantsCancel: false,
      wasUnknown: false,
    });
  });

  it('the order manager sends a cancel that was requested before the reply once the unknown outcome is resolved', () => {
    const { orders, exchange, send } = fixture();
    const order = send(100);
    orders.cancel(order, NOW_MS);
    orders.outcomeUnknown(order, NOW_MS);
    expect(exchange.cancelled).toEqual([]);
    orders.placed(order, null, NOW_MS);
    expect(exchange.cancelled).toEqual([1]);
    expect(order.lifecycle).toBe('cancelSent');
  });

  it('the order manager cancels an order that was proven absent and arrives late', () => {
    const { orders, exchange, reservations, send } = fixture();
    const order = send(100);
    orders.outcomeUnknown(order, NOW_MS);
    orders.noEffect(order, NOW_MS);
    expect(orders.active()).toEqual([]);
    expect(orders.get(1 as OrderId)).toBe(order);
    orders.filled(order, fillOf({ tradeId: 1, price: 10_000, lots: 40, notional: notional(40), timeMs: NOW_MS }));
    expect(order).toMatchObject({ lifecycle: 'cancelSent', reason: null, filledLots: 40 });
    expect(exchange.cancelled).toEqual([1]);
    expect(reservations.buyLots(0, 0)).toBe(60);
    expect(reservations.holdsAbsent).toBe(false);
    orders.ended(order, 'canceled', NOW_MS);
    expect(reservations.openOrdersTotal).toBe(0);
    expect(orders.columns()).toMatchObject({
      filledLots: new Float64Array([40]),
      ending: new Uint8Array([ENDINGS.indexOf('canceled')]),
    });
  });

  it('the order manager counts an impossible event and changes nothing', () => {
    const { orders, send } = fixture();
    const order = send(100);
    orders.noEffect(order, NOW_MS);
    orders.ended(order, 'canceled', NOW_MS);
    expect(orders.impossibleEvents).toBe(2);
    expect(order.lifecycle).toBe('sent');
  });

  it('the order manager throws at a fill beyond the size of the order', () => {
    const { orders, send } = fixture();
    const order = send(100);
    orders.acked(order, 1 as VenueOrderId, NOW_MS);
    expect(() => orders.filled(order, fillOf({ tradeId: 1, price: 10_000, lots: 101, notional: notional(101), timeMs: NOW_MS }))).toThrow(
      InvariantError,
    );
  });
});

const STEP_KINDS = [
  'send',
  'acked',
  'refused',
  'notSent',
  'unknown',
  'placed',
  'noEffect',
  'fill',
  'cancel',
  'canceled',
  'expired',
] as const;

/** One step of a random history: what happens to which order. `sharePercent`: the size of a fill, as a share of the order. */
interface Step {
  readonly kind: (typeof STEP_KINDS)[number];
  readonly orderIndex: number;
  readonly sharePercent: number;
}
const anyStep = fc.record({
  kind: fc.constantFrom(...STEP_KINDS),
  orderIndex: fc.nat({ max: 5 }),
  sharePercent: fc.integer({ min: 1, max: 100 }),
});
const histories = fc.array(anyStep, { maxLength: 120 });

/** Applies one step of a random history to an order. */
function applyStep(orders: OrderManager, order: BotOrder, { kind, sharePercent }: Step, tradeId: number): void {
  switch (kind) {
    case 'send':
      break;
    case 'acked':
      return orders.acked(order, order.id as number as VenueOrderId, NOW_MS);
    case 'refused':
      return orders.refused(order, '-2017', NOW_MS);
    case 'notSent':
      return orders.notSent(order, 'down', NOW_MS);
    case 'unknown':
      return void orders.outcomeUnknown(order, NOW_MS);
    case 'placed':
      return orders.placed(order, null, NOW_MS);
    case 'noEffect':
      return orders.noEffect(order, NOW_MS);
    case 'fill': {
      const filledLots = Math.min(order.lots - order.filledLots, Math.ceil((order.lots * sharePercent) / 100));
      return void orders.filled(
        order,
        fillOf({ tradeId, price: 10_000, lots: filledLots, notional: notional(filledLots), timeMs: NOW_MS }),
      );
    }
    case 'cancel':
      return orders.cancel(order, NOW_MS);
    case 'canceled':
    case 'expired':
      return orders.ended(order, kind, NOW_MS);
  }
}

describe('random histories', () => {
  it('random histories lose no order and overfill none, and an order leaves done only by a late arrival', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const { orders, exchange, reservations, send } = fixture();
        const sentOrders = new Map<number, { requestedLots: number; filledLots: number }>();
        let tradeId = 0;
        for (const step of history) {
          if (step.kind === 'send') {
            const order = send(10 + step.sharePercent + 200 * orders.count);
            sentOrders.set(order.id, { requestedLots: order.lots, filledLots: 0 });
          }
          const knownOrders = [...sentOrders.keys()].map((id) => orders.get(id as OrderId)).filter((order) => order !== undefined);
          const order = knownOrders[step.orderIndex];
          if (step.kind === 'send' || !order) continue;
          const { id, lifecycle: before } = order;
          const filledBefore = order.filledLots;
          applyStep(orders, order, step, ++tradeId);
          const isSameOrder = order.id === id;
          if (before === 'done' && isSameOrder && order.lifecycle !== 'done') expect(['fill', 'acked']).toContain(step.kind);
          if (step.kind === 'fill') sentOrders.get(id)!.filledLots = order.filledLots;
          else if (isSameOrder) expect(order.filledLots).toBe(filledBefore);
        }
        const columns = orders.columns();
        expect(columns.length).toBe(sentOrders.size);
        let reservedLots = 0;
        for (const [id, { requestedLots, filledLots }] of sentOrders) {
          const row = id - 1;
          expect(columns.filledLots[row]).toBe(filledLots);
          expect(filledLots).toBeLessThanOrEqual(requestedLots);
          const ending = ENDINGS[columns.ending[row]!]!;
          if (filledLots === requestedLots) expect(ending).toBe('filled');
          // Every order is either finished, open or proven absent.
          const foundOrder = orders.get(id as OrderId);
          expect(foundOrder !== undefined).toBe(ending === 'open' || ending === 'noEffect');
          if (foundOrder) reservedLots += requestedLots - filledLots;
        }
        expect(reservations.buyLots(0, 0)).toBe(reservedLots);
        expect(new Set(exchange.submitted).size).toBe(exchange.submitted.length);
        expect(orders.active().every(({ state }) => state !== STATE.done)).toBe(true);
      }),
      { numRuns: 1500 },
    );
  });
});
