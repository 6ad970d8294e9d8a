// Tests trigger orders on the wire: the id of a waiting order, its arguments, and how a list row about it is read.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { lots, ticks, timeMs, units } from '../../../base/brand.ts';
import type { OrderId } from '../../../model/order.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import { triggerOrderArgs, isTriggerOrder, triggerTrackId, parseTriggerTrackId, triggerAsOrderRow } from './triggers.ts';
import type { OrderRequest } from './types.ts';

const instrument = linearContract();
/** Returns a trigger order that sells. */
const requestWith = (overrides: Partial<OrderRequest>): OrderRequest => ({
  id: 1 as OrderId,
  instrumentIndex: 0,
  instrument,
  side: 'sell',
  role: 'stopLoss',
  lots: lots(7),
  quoteUnits: units(0),
  limit: ticks(0),
  reduceOnly: true,
  timeInForce: null,
  triggerTicks: ticks(650_005),
  triggersAbove: false,
  ...overrides,
});

describe('the id of a waiting trigger order', () => {
  it("the id of a waiting trigger order has the exchange's id and the client order id", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,19}$/), fc.stringMatching(/^[\w-]{1,32}$/), (triggerId, clientOrderId) => {
        expect(parseTriggerTrackId(triggerTrackId(triggerId, clientOrderId))).toEqual({ triggerId, clientOrderId });
        expect(parseTriggerTrackId(triggerId)).toBeNull();
      }),
    );
    expect(parseTriggerTrackId(null)).toBeNull();
  });
});

describe('the arguments of a trigger order', () => {
  it.each([
    [{ side: 'sell', triggersAbove: false, reduceOnly: true }, '1', 'CLOSE'],
    [{ side: 'sell', triggersAbove: true, reduceOnly: true }, '2', 'CLOSE'],
    [{ side: 'buy', triggersAbove: true, reduceOnly: true }, '1', 'CLOSE'],
    [{ side: 'buy', triggersAbove: false, reduceOnly: true }, '2', 'CLOSE'],
    [{ side: 'buy', triggersAbove: true, reduceOnly: false }, '3', 'OPEN'],
    [{ side: 'sell', triggersAbove: false, reduceOnly: false }, '4', 'OPEN'],
  ] as const)('the arguments of a trigger order with %o have the type %s', (overrides, triggerType, openOrClose) => {
    const args = triggerOrderArgs(requestWith(overrides), { open: openOrClose, positionType: 1 }, 'cid');
    expect(args).toMatchObject({
      triggerType,
      open: openOrClose,
      triggerPrice: '65000.5',
      type: 'MARKET',
      volume: '7',
      clientOrderId: 'cid',
      positionType: 1,
    });
    expect(args.side).toBe(overrides.side === 'buy' ? 'BUY' : 'SELL');
  });

  it('the arguments of a trigger order with a limit have the limit and no time in force', () => {
    expect(triggerOrderArgs(requestWith({ limit: ticks(650_000) }), { open: 'CLOSE', positionType: 2 }, 'cid')).toMatchObject({
      type: 'LIMIT',
      price: '65000',
    });
    const withTimeInForce = requestWith({ limit: ticks(650_000), timeInForce: 'IOC' });
    expect(() => triggerOrderArgs(withTimeInForce, { open: 'CLOSE', positionType: 2 }, 'cid')).toThrow('no time in force');
  });

  it('an order without a trigger price is not a trigger order', () => {
    expect([isTriggerOrder(requestWith({})), isTriggerOrder(requestWith({ triggerTicks: ticks(0) })), isTriggerOrder({})]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the row of a trigger order', () => {
  const trigger = (statusWord: TriggerOrder['status']['word']): TriggerOrder => ({
    triggerOrderId: '1622000000000000001',
    side: 'sell',
    triggerPrice: '65000.5',
    marginCoin: null,
    volume: '7',
    price: null,
    contractId: null,
    contractName: instrument.wireName,
    id: null,
    triggerType: { word: 'STOP_LOSS', raw: '1' },
    open: 'CLOSE',
    status: { word: statusWord, raw: '?' },
    ctime: timeMs(1_700_000_000_000),
  });

  it.each([
    ['PENDING', 'NEW'],
    ['EXPIRED', 'EXPIRED'],
    ['FAILED', 'REJECTED'],
    ['CANCELED', 'CANCELED'],
    ['UNKNOWN', 'UNKNOWN'],
  ] as const)('the row of a trigger order with status %s is read as %s', (statusWord, status) => {
    const id = triggerTrackId('1622000000000000001', 'cid');
    expect(triggerAsOrderRow(trigger(statusWord), id, 'cid')).toMatchObject({
      venueId: id,
      cid: 'cid',
      executed: '0',
      qty: '7',
      status: { word: status },
    });
  });

  it('the row of a trigger order that has fired is null, because the trigger order no longer exists', () => {
    expect(triggerAsOrderRow(trigger('TRIGGERED'), 'id', 'cid')).toBeNull();
  });
});
