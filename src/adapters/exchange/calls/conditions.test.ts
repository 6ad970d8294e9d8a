// Condition orders on the wire: the id under which one waits, its arguments, and the row that a list of those that wait makes of it.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearContract } from '../../../../test/fixtures/futuresVenue.ts';
import { lots, ticks, timeMs, units } from '../../../base/brand.ts';
import type { OrderId } from '../../../model/order.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import { conditionArgs, isCondition, waitingId, waitingIn, waitingRow } from './conditions.ts';
import type { Wanted } from './parts.ts';

const instrument = linearContract();
const wanted = (over: Partial<Wanted>): Wanted => ({
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
  condition: ticks(650_005),
  rises: false,
  ...over,
});

describe('the id of one that waits', () => {
  it('holds the id of the exchange and the client order id, and is no id of an order', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,19}$/), fc.stringMatching(/^[\w-]{1,32}$/), (triggerId, cid) => {
        expect(waitingIn(waitingId(triggerId, cid))).toEqual({ triggerId, cid });
        expect(waitingIn(triggerId)).toBeNull();
      }),
    );
    expect(waitingIn(null)).toBeNull();
  });
});

describe('its arguments', () => {
  it.each([
    [{ side: 'sell', rises: false, reduceOnly: true }, '1', 'CLOSE'],
    [{ side: 'sell', rises: true, reduceOnly: true }, '2', 'CLOSE'],
    [{ side: 'buy', rises: true, reduceOnly: true }, '1', 'CLOSE'],
    [{ side: 'buy', rises: false, reduceOnly: true }, '2', 'CLOSE'],
    [{ side: 'buy', rises: true, reduceOnly: false }, '3', 'OPEN'],
    [{ side: 'sell', rises: false, reduceOnly: false }, '4', 'OPEN'],
  ] as const)('%o is type %s', (over, triggerType, open) => {
    const args = conditionArgs(wanted(over), { open, positionType: 1 }, 'cid');
    expect(args).toMatchObject({
      triggerType,
      open,
      triggerPrice: '65000.5',
      type: 'MARKET',
      volume: '7',
      clientOrderId: 'cid',
      positionType: 1,
    });
    expect(args.side).toBe(over.side === 'buy' ? 'BUY' : 'SELL');
  });

  it('say the limit of one that rests when it has fired, and have no time in force', () => {
    expect(conditionArgs(wanted({ limit: ticks(650_000) }), { open: 'CLOSE', positionType: 2 }, 'cid')).toMatchObject({
      type: 'LIMIT',
      price: '65000',
    });
    const hasty = wanted({ limit: ticks(650_000), timeInForce: 'IOC' });
    expect(() => conditionArgs(hasty, { open: 'CLOSE', positionType: 2 }, 'cid')).toThrow('no time in force');
  });

  it('are for orders that wait for a price alone', () => {
    expect([isCondition(wanted({})), isCondition(wanted({ condition: ticks(0) })), isCondition({})]).toEqual([true, false, false]);
  });
});

describe('its row', () => {
  const trigger = (word: TriggerOrder['status']['word']): TriggerOrder => ({
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
    status: { word, raw: '?' },
    ctime: timeMs(1_700_000_000_000),
  });

  it.each([
    ['PENDING', 'NEW'],
    ['EXPIRED', 'EXPIRED'],
    ['FAILED', 'REJECTED'],
    ['CANCELED', 'CANCELED'],
    ['UNKNOWN', 'UNKNOWN'],
  ] as const)('%s stands as %s', (word, status) => {
    const id = waitingId('1622000000000000001', 'cid');
    expect(waitingRow(trigger(word), id, 'cid')).toMatchObject({
      venueId: id,
      cid: 'cid',
      executed: '0',
      qty: '7',
      status: { word: status },
    });
  });

  it('is none once it has fired', () => {
    expect(waitingRow(trigger('TRIGGERED'), 'id', 'cid')).toBeNull();
  });
});
