// Tests request arguments from orders in whole numbers: decimals are exact, and a quantity cannot be swapped for an amount.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { lots, ticks, units } from '../base/brand.ts';
import { Decimal, toScaled } from '../base/number/decimal.ts';
import { InvariantError } from '../base/errors.ts';
import { instrumentId, type Instrument } from '../model/instrument.ts';
import { futuresOrderArgs, spotOrderArgs, type SizedOrder } from './orderArgs.ts';
import { buildRequest } from './request.ts';

const BTC: Instrument = {
  id: instrumentId('spot', 'BTCUSDT'),
  market: 'spot',
  wireName: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  priceDigits: 2,
  quantityDigits: 5,
  quoteDigits: 8,
  baseDigits: 8,
  minLots: lots(1),
  makerFeePpm: 1000,
  takerFeePpm: 1000,
};
const PERP: Instrument = {
  ...BTC,
  id: instrumentId('futures', 'E-BTC-USDT'),
  market: 'futures',
  wireName: 'E-BTC-USDT',
  quantityDigits: 0,
};

/** Returns an order without a size. */
const order = (changes: Partial<SizedOrder>): SizedOrder => ({
  instrument: BTC,
  side: 'buy',
  lots: lots(0),
  quoteUnits: units(0),
  limit: ticks(0),
  timeInForce: null,
  ...changes,
});

test('a spot limit order, a market buy by amount and a market sell have exact arguments', () => {
  const limit = spotOrderArgs(order({ lots: lots(100_000), limit: ticks(6_500_050) }), 'c1');
  expect(limit).toEqual({ symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', volume: '1', price: '65000.5', newClientOrderId: 'c1' });
  expect(buildRequest('spot.newOrder', limit).body).toContain('"volume":1,"side":"BUY","type":"LIMIT","price":65000.5');
  expect(spotOrderArgs(order({ quoteUnits: units(2_500_000_000) }), 'c2'), 'an amount').toMatchObject({
    type: 'MARKET',
    side: 'BUY',
    volume: '25',
  });
  expect(spotOrderArgs(order({ side: 'sell', lots: lots(1) }), 'c3'), 'a quantity').toMatchObject({
    type: 'MARKET',
    side: 'SELL',
    volume: '0.00001',
  });
});

test.each<[string, Partial<SizedOrder>]>([
  ['a market buy by quantity', { lots: lots(5) }],
  ['a market sell by amount', { side: 'sell', quoteUnits: units(5) }],
  ['a limit by amount', { quoteUnits: units(5), limit: ticks(5) }],
  ['a quantity and an amount', { lots: lots(5), quoteUnits: units(5) }],
  ['neither a quantity nor an amount', {}],
  ['a time in force', { lots: lots(5), limit: ticks(5), timeInForce: 'IOC' }],
  ['a contract', { instrument: PERP, lots: lots(5), limit: ticks(5) }],
])('spot order arguments are rejected for %s', (_, changes) => {
  expect(() => spotOrderArgs(order(changes), 'c')).toThrow(InvariantError);
});

test('futures order arguments are in contracts and name the position', () => {
  const terms = { open: 'CLOSE', positionType: 1 } as const;
  const perp = (changes: Partial<SizedOrder>) => order({ instrument: PERP, lots: lots(3), ...changes });
  expect(futuresOrderArgs(perp({}), terms, 'c')).toEqual({
    contractName: 'E-BTC-USDT',
    side: 'BUY',
    type: 'MARKET',
    volume: '3',
    open: 'CLOSE',
    positionType: 1,
    clientOrderId: 'c',
  });
  expect(futuresOrderArgs(perp({ limit: ticks(100), timeInForce: 'IOC', side: 'sell' }), { ...terms, open: 'OPEN' }, 'c')).toMatchObject({
    type: 'LIMIT',
    price: '1',
    timeInForce: 'IOC',
    side: 'SELL',
    open: 'OPEN',
  });
  expect(futuresOrderArgs(perp({ limit: ticks(100) }), terms, 'c')).not.toHaveProperty('timeInForce');
  for (const invalidTerms of [{ lots: lots(0) }, { quoteUnits: units(1) }, { instrument: BTC }, { timeInForce: 'FOK' as const }]) {
    expect(() => futuresOrderArgs(perp(invalidTerms), terms, 'c')).toThrow(InvariantError);
  }
});

test('every size and price is written to the last digit, as decimal.js writes it', () => {
  const positiveInteger = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
  const digits = fc.integer({ min: 0, max: 12 });
  fc.assert(
    fc.property(positiveInteger, positiveInteger, digits, digits, (size, price, quantityDigits, priceDigits) => {
      const instrument = { ...BTC, quantityDigits, priceDigits };
      const args = spotOrderArgs(order({ instrument, lots: lots(size), limit: ticks(price) }), 'c');
      expect(args.volume).toBe(new Decimal(size).div(Decimal.pow(10, quantityDigits)).toFixed());
      expect(toScaled(args.price ?? '', priceDigits)).toBe(price);
      expect(buildRequest('spot.newOrder', args).body).toContain(`"volume":${args.volume},`);
    }),
    { numRuns: 500 },
  );
});
