// Tests numbers of any size in requests, the maximum numbers of open orders, and internal errors of the exchange.

import { describe, expect, it } from 'vitest';
import { ContractMoney } from '../../src/venue/futures/contractMoney.ts';
import type { InternalError } from '../../src/paperExchange/internalError.ts';
import { checkExchangeBooks } from '../../src/paperExchange/checkBooks.ts';
import { truthOfMarkets } from '../../src/paperExchange/faults/truth.ts';
import { FuturesFixture, INVERSE, PERPETUAL } from './futuresFixture.ts';
import { ACCOUNTS, codeOf, ServiceFixture } from './serviceFixture.ts';

const SPOT_SALE = { symbol: 'BTCUSDT', side: 'SELL', type: 'LIMIT', volume: 0.01 };
const CONTRACT_LIMIT_BUY = { contractName: 'E-BTC-USDT', side: 'BUY', type: 'LIMIT', open: 'OPEN', volume: 1, price: 1000 };
const CONTRACT_MARKET_BUY = { contractName: 'E-BTC-USDT', side: 'BUY', type: 'MARKET', open: 'OPEN' };
const TRIGGER_ORDER = { ...CONTRACT_LIMIT_BUY, triggerType: '3', triggerPrice: '2000' };
/** A whole number beyond 2^64. */
const BEYOND_2_TO_64 = '99999999999999999999';

/** Returns a fixture with a position of each account, so that the markets have a price. */
function withTrades(overrides = {}): FuturesFixture {
  const fixture = new FuturesFixture(overrides);
  for (const contractName of ['E-BTC-USDT', 'E-BTC-USD']) {
    fixture.sendOrder('alice', 'BUY', 10, 1000, { contractName });
    fixture.sendOrder('bob', 'SELL', 10, 1000, { contractName });
  }
  return fixture;
}

describe('a number beyond its range is refused, and nothing else happens', () => {
  it.each<[number: string, path: string, body: object, code: number]>([
    ['a spot price of 2^53 units', '/sapi/v1/order', { ...SPOT_SALE, price: 99999999999999 }, -1138],
    ['a spot price of 2^51 units', '/sapi/v1/order', { ...SPOT_SALE, price: 2 ** 51 / 100 }, -1138],
    ['a spot volume', '/sapi/v1/order', { ...SPOT_SALE, price: 100, volume: BEYOND_2_TO_64 }, -2017],
    ['a spot price of 309 digits', '/sapi/v1/order', { ...SPOT_SALE, price: 1e308 }, -1138],
    ['a spot price of 309 digits as text', '/sapi/v1/order', { ...SPOT_SALE, price: '1e308' }, -1138],
    ['a spot price of 308 places', '/sapi/v1/order', { ...SPOT_SALE, price: '1e-308' }, -1147],
    ['a spot price that is too large and too precise', '/sapi/v1/order', { ...SPOT_SALE, price: `${BEYOND_2_TO_64}.001` }, -1147],
    ['a spot volume of 309 digits', '/sapi/v1/order', { ...SPOT_SALE, price: 100, volume: 1e308 }, -2017],
    ['a negative spot volume of 309 digits', '/sapi/v1/order', { ...SPOT_SALE, price: 100, volume: -1e308 }, -1136],
    ['a price that cannot be read as a number', '/sapi/v1/order', { ...SPOT_SALE, price: '1e401' }, -1102],
    ['a trigger price of 309 digits', '/fapi/v1/conditionOrder/', { ...TRIGGER_ORDER, triggerPrice: '1e308' }, -1138],
    ['a spot amount', '/sapi/v1/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', volume: BEYOND_2_TO_64 }, -2017],
    ['a value', '/fapi/v1/order', { ...CONTRACT_MARKET_BUY, volume: 9007199255 }, -2100],
    ['a value beyond counting', '/fapi/v1/order', { ...CONTRACT_MARKET_BUY, volume: BEYOND_2_TO_64 }, -2100],
    [
      'a value of a contract without a maximum',
      '/fapi/v1/order',
      { ...CONTRACT_MARKET_BUY, contractName: 'E-BTC-USD', volume: BEYOND_2_TO_64 },
      -2017,
    ],
    ['the price of a CLOSE', '/fapi/v1/order', { ...CONTRACT_LIMIT_BUY, side: 'SELL', open: 'CLOSE', price: 900719925474100 }, -1138],
    [
      'an inverse price',
      '/fapi/v1/order',
      { ...CONTRACT_LIMIT_BUY, contractName: 'E-BTC-USD', volume: 1000000, price: 9007199254740991 },
      -1138,
    ],
    ['the volume of a LIMIT order', '/fapi/v1/order', { ...CONTRACT_LIMIT_BUY, volume: 1_000_000_000 }, -2017],
    ['the volume of a LIMIT order beyond counting', '/fapi/v1/order', { ...CONTRACT_LIMIT_BUY, volume: BEYOND_2_TO_64 }, -2017],
    ['the volume of a MARKET order', '/fapi/v1/order', { ...CONTRACT_MARKET_BUY, side: 'SELL', open: 'CLOSE', volume: 5001 }, -2100],
    ['the volume of a CLOSE', '/fapi/v1/order', { ...CONTRACT_LIMIT_BUY, side: 'SELL', open: 'CLOSE', volume: BEYOND_2_TO_64 }, 10015],
    ['a trigger price', '/fapi/v1/conditionOrder/', { ...TRIGGER_ORDER, triggerPrice: BEYOND_2_TO_64 }, -1138],
    ['the price of a trigger order', '/fapi/v1/conditionOrder/', { ...TRIGGER_ORDER, price: BEYOND_2_TO_64 }, -1138],
    ['the volume of a trigger order', '/fapi/v1/conditionOrder/', { ...TRIGGER_ORDER, volume: BEYOND_2_TO_64 }, -2017],
    [
      'the volume of a trigger order that closes',
      '/fapi/v1/conditionOrder/',
      { ...TRIGGER_ORDER, open: 'CLOSE', volume: BEYOND_2_TO_64 },
      10015,
    ],
  ])('a number beyond its range is refused, and nothing else happens: %s', (_, path, body, code) => {
    const fixture = withTrades();
    const config = { accounts: ACCOUNTS } as never;
    const stateBefore = truthOfMarkets(fixture.service, config);
    expect(codeOf(fixture.post(path, body))).toBe(code);
    expect(truthOfMarkets(fixture.service, config)).toEqual(stateBefore);
  });

  it('a batch with a spot price of 2^53 units is refused', () => {
    const fixture = new ServiceFixture();
    const row = { side: 'SELL', batchType: 'LIMIT', volume: 0.01, price: 99999999999999 };
    expect(codeOf(fixture.post('/sapi/v1/batchOrders', { symbol: 'BTCUSDT', orders: [row] }))).toBe(-1138);
    expect(fixture.get('/sapi/v1/openOrders').body).toBe('[]');
  });
});

describe('a number is what it is worth, however it is written', () => {
  it.each([`100.${'0'.repeat(300)}`, `${'0'.repeat(300)}100`, '1e2', '0.0000001e9'])('a price written as %s counts as 100', (price) => {
    const fixture = new ServiceFixture();
    expect(codeOf(fixture.post('/sapi/v1/order', { ...SPOT_SALE, price }))).toBe(0);
    expect(fixture.get('/sapi/v1/openOrders').body).toContain('"price":100,');
  });

  it.each(['101', '9007199254740993', BEYOND_2_TO_64, '9'.repeat(100)])(
    'a limit of %s rows returns the maximum, or is rejected under limitTooLarge: reject',
    (limit) => {
      expect(codeOf(new ServiceFixture().getPublic(`/sapi/v1/depth?symbol=BTCUSDT&limit=${limit}`))).toBe(0);
      expect(codeOf(new ServiceFixture({}, { limitTooLarge: 'reject' }).getPublic(`/sapi/v1/depth?symbol=BTCUSDT&limit=${limit}`))).toBe(
        -1102,
      );
    },
  );

  it('a recvWindow of any length is accepted', () => {
    expect(codeOf(new ServiceFixture().post('/sapi/v1/cancel', { symbol: 'BTCUSDT', orderId: '1', recvWindow: BEYOND_2_TO_64 }))).toBe(
      -2013,
    );
  });

  it('the price of a MARKET order is not read', () => {
    const fixture = new FuturesFixture();
    for (const price of [0, '', '0', -1, 'none', 1e308]) {
      const order = { symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', volume: 0.01, price };
      expect(codeOf(fixture.post('/sapi/v1/order/test', order)), String(price)).toBe(0);
      const strictFixture = new ServiceFixture({}, { unknownParams: 'reject' });
      expect(codeOf(strictFixture.post('/sapi/v1/order/test', order)), String(price)).toBe(-1106);
    }
    for (const price of [{}, [], true]) {
      expect(codeOf(fixture.post('/sapi/v1/order/test', { symbol: 'BTCUSDT', side: 'SELL', type: 'MARKET', volume: 0.01, price }))).toBe(
        -1102,
      );
    }
  });
});

describe('money beyond counting', () => {
  it('an account can be read if the value of its position at the mark is beyond 2^53', () => {
    const fixture = new FuturesFixture();
    fixture.sendOrder('alice', 'BUY', 5_000_000_000, 0.1);
    fixture.sendOrder('bob', 'SELL', 5_000_000_000, 0.1);
    // Two others move the price by one contract.
    fixture.sendOrder('alice', 'SELL', 1, 90_000_000, { open: 'CLOSE' });
    fixture.sendOrder('bob', 'BUY', 1, 90_000_000, { open: 'CLOSE' });
    fixture.passTime(5000);
    for (const as of ['alice', 'bob']) {
      for (const path of ['/fapi/v1/account', '/fapi/v1/positions?contractName=E-BTC-USDT']) {
        const { status, body } = fixture.get(path, { as });
        expect([status, /Infinity|NaN|e\+/.test(body)], body).toEqual([200, false]);
      }
    }
    checkExchangeBooks(fixture.service.sides);
  });

  it.each([PERPETUAL, INVERSE])('the lots that a value pays for are found in fewer than 150 steps for $id', (instrument) => {
    const money = new ContractMoney(instrument);
    // Counts the calls of `value`, one for each step of the search.
    let steps = 0;
    const value = money.value.bind(money);
    money.value = (lots, ticks) => (steps++, value(lots, ticks));
    for (const units of [1, 7, 12_345, 10 ** 9, 2 ** 50 + 3, Number.MAX_SAFE_INTEGER, Infinity]) {
      for (const ticks of [1, 2, 999, 650_000, 2 ** 40 + 1, 2 ** 51 - 1]) {
        steps = 0;
        const lots = money.lotsWithin(units, ticks);
        expect(steps, `${units} at ${ticks}`).toBeLessThan(150);
        expect(value(lots, ticks) <= units).toBe(true);
        expect(value(lots + 1, ticks) > units || lots >= Number.MAX_SAFE_INTEGER / instrument.contract!.multiplier - 1).toBe(true);
      }
    }
  });
});

it('an order by value ends when its value is spent, also if a contract is worth less than a unit', () => {
  const fixture = new FuturesFixture();
  const contract = { contractName: 'E-BTC-USD' };
  fixture.sendOrder('bob', 'SELL', 1_000_001, 30_000_000_000, contract);
  fixture.sendOrder('alice', 'BUY', 1, 30_000_000_000, contract);
  expect(codeOf(fixture.post('/fapi/v1/order', { ...CONTRACT_MARKET_BUY, ...contract, volume: '0.00000001' }))).toBe(0);
  fixture.passTime(0);
  expect(fixture.get('/fapi/v1/myTrades?contractName=E-BTC-USD').body.match(/"tradeId"/g)).toHaveLength(2);
});

describe('open orders of an account on an instrument', () => {
  /** Returns a price that differs for each number. */
  const priceOf = (orderNumber: number): object => ({ price: (10 + orderNumber / 100).toFixed(2) });

  it('an account has at most 200 open orders on an instrument, and MARKET orders and other instruments are not counted', () => {
    const fixture = new ServiceFixture({ limits: { 'spot.newOrder': null } });
    const order = { ...SPOT_SALE, side: 'BUY' };
    for (let index = 0; index < 200; index++) expect(codeOf(fixture.post('/sapi/v1/order', { ...order, ...priceOf(index) }))).toBe(0);
    expect(codeOf(fixture.post('/sapi/v1/order', { ...order, ...priceOf(1) }))).toBe(-1015);
    // Checks that come before the maximum still decide the code.
    expect(codeOf(fixture.post('/sapi/v1/order', { ...order, price: 1.001 }))).toBe(-1147);
    expect(codeOf(fixture.post('/sapi/v1/order', { ...order, volume: 10 ** 6, price: 100 }))).toBe(-1015);
    expect(codeOf(fixture.post('/sapi/v1/order', { ...SPOT_SALE, type: 'MARKET' }))).toBe(0);
    expect(codeOf(fixture.post('/sapi/v1/order', { ...order, symbol: 'ETHUSDT', ...priceOf(1) }))).toBe(0);
    expect(codeOf(fixture.post('/sapi/v1/order', { ...order, ...priceOf(1) }, { as: 'bob' }))).toBe(0);
  });

  it('an account has at most the configured number of open orders on an instrument, and one that ends frees a place', () => {
    const fixture = new FuturesFixture({ maxOpenOrdersPerSymbol: 1 });
    const id = /\d{19}/.exec(fixture.post('/fapi/v1/order', CONTRACT_LIMIT_BUY).body)![0];
    expect(codeOf(fixture.post('/fapi/v1/order', CONTRACT_LIMIT_BUY))).toBe(-1015);
    fixture.post('/fapi/v1/cancel', { contractName: 'E-BTC-USDT', orderId: id });
    expect(codeOf(fixture.post('/fapi/v1/order', CONTRACT_LIMIT_BUY))).toBe(0);
  });
});

describe('a GET signed over its bare path, under signQuery: either', () => {
  /** Returns the code of a GET with this query, signed without the query. */
  const codeOfBareGet = (query: string): number => {
    const fixture = new ServiceFixture();
    return codeOf(fixture.get(`/sapi/v1/openOrders?${query}`, { signedText: `${fixture.nowMs}GET/sapi/v1/openOrders` }));
  };

  it.each([
    ['symbol=BTCUSDT&limit=5', 0],
    ['symbol=BTCUSDT&recvWindow=5000', 0],
    ['symbol=BTCUSDT&recvWindow=5001', -1022],
    ['symbol=BTCUSDT&recWindow=60000', -1022],
    ['symbol=BTCUSDT&other=1', -1022],
  ])('a GET signed over its bare path, under signQuery: either: %s: %i', (query, code) => {
    expect(codeOfBareGet(query)).toBe(code);
  });

  it('a GET signed with its query may have any parameter', () => {
    expect(codeOf(new ServiceFixture().get('/sapi/v1/openOrders?symbol=BTCUSDT&other=1&recvWindow=60000'))).toBe(0);
  });
});

describe('an error of the exchange itself', () => {
  /** Returns a fixture, and the internal errors that its exchange reports. */
  const withErrorLog = (): { fixture: ServiceFixture; errors: InternalError[] } => {
    const fixture = new ServiceFixture();
    const errors: InternalError[] = [];
    fixture.service.onInternalError = (error) => void errors.push(error);
    return { fixture, errors };
  };
  const order = { ...SPOT_SALE, price: 100 };
  const throwPlanted = (): never => {
    throw new RangeError('planted');
  };

  it('an internal error answers -1000 to its request and is reported, and the exchange continues if its books agree', () => {
    const { fixture, errors } = withErrorLog();
    const { venue } = fixture.service.spot;
    const place = venue.place.bind(venue);
    venue.place = throwPlanted;
    expect(codeOf(fixture.post('/sapi/v1/order', order))).toBe(-1000);
    expect(errors).toMatchObject([{ where: 'spot.newOrder', doubt: null, cause: { message: 'planted' } }]);
    venue.place = place;
    expect(codeOf(fixture.post('/sapi/v1/order', order))).toBe(0);
    expect(fixture.service.isInDoubt).toBe(false);
  });

  it('an internal error that leaves the books in doubt stops the exchange, and every later reply is -1000', () => {
    const { fixture, errors } = withErrorLog();
    fixture.service.spot.orders.add = throwPlanted;
    expect(codeOf(fixture.post('/sapi/v1/order', order))).toBe(-1000);
    expect(errors).toMatchObject([{ where: 'spot.newOrder', doubt: expect.stringContaining('open orders: expected 0, got 1') as string }]);
    expect(fixture.service.isInDoubt).toBe(true);
    expect(codeOf(fixture.get('/sapi/v1/account'))).toBe(-1000);
  });

  it('an internal error while time passes stops the exchange', () => {
    const { fixture, errors } = withErrorLog();
    fixture.service.scheduler.at(fixture.nowMs + 10, throwPlanted);
    fixture.passTime(20);
    expect(errors).toMatchObject([{ where: 'time', doubt: 'RangeError: planted' }]);
    expect(codeOf(fixture.get('/sapi/v1/time'))).toBe(-1000);
  });
});

it('the profit history accepts a start and an end together, and rejects one of them alone', () => {
  const fixture = withTrades();
  const startMs = fixture.nowMs;
  for (let index = 0; index < 4; index++) {
    fixture.passTime(1000);
    fixture.sendOrder('alice', 'SELL', 1, 1000, { open: 'CLOSE' });
    fixture.sendOrder('bob', 'BUY', 1, 1000, { open: 'CLOSE' });
  }
  const times = (range: object): number[] => {
    const rows = JSON.parse(fixture.post('/fapi/v1/profitHistorical', { limit: '100', ...range }).body) as
      | { mtime: number }[]
      | { data: { mtime: number }[] };
    return (Array.isArray(rows) ? rows : rows.data).map(({ mtime }) => (mtime - startMs) / 1000);
  };
  expect(times({})).toEqual([4, 3, 2, 1]);
  expect(times({ startTime: startMs + 2000, endTime: startMs + 3000 })).toEqual([3, 2]);
  expect(times({ startTime: startMs + 2001, endTime: startMs + 2999 })).toEqual([]);
  expect(codeOf(fixture.post('/fapi/v1/profitHistorical', { startTime: startMs }))).toBe(-1102);
});
