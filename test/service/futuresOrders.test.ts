// Tests futures orders in the book: time in force, units of volume, closing, makers that cannot pay, and trigger orders.

import { describe, expect, it } from 'vitest';
import { DELAYS } from '../../src/paperExchange/dialect/config.ts';
import { FuturesFixture, HISTORY_STATUS, PERPETUAL, TRADERS, TRIGGER_STATUS } from './futuresFixture.ts';
import { codeOf } from './serviceFixture.ts';

/** Returns the book as the exchange shows it, without the time. */
const bookText = (fixture: FuturesFixture) => fixture.getPublic('/fapi/v1/depth?contractName=E-BTC-USDT').body.replace(/"time":\d+,/, '');
/** Returns a fixture in which bob sells 10 at 1000 and 10 at 1010. */
function withOffers(switches: object = {}): FuturesFixture {
  const fixture = new FuturesFixture({}, { ...switches });
  fixture.placeOrder('bob', 'SELL', 10, 1000);
  fixture.placeOrder('bob', 'SELL', 10, 1010);
  return fixture;
}

describe('a time in force', () => {
  it('an IOC order fills what the book offers and cancels the rest', () => {
    const fixture = withOffers();
    expect(fixture.orderInformation(fixture.placeOrder('alice', 'BUY', 15, 1000, { timeInForce: 'IOC' }))).toMatchObject({
      status: 'CANCELED',
      executedQty: 10,
    });
    expect(fixture.orderInformation(fixture.placeOrder('alice', 'BUY', 5, 990, { timeInForce: 'IOC' }))).toMatchObject({
      status: 'CANCELED',
      executedQty: 0,
    });
    expect(fixture.orderInformation(fixture.placeOrder('alice', 'BUY', 5, 1010, { timeInForce: 'IOC' }))).toMatchObject({
      status: 'FILLED',
      avgPrice: 1010,
    });
    expect(bookText(fixture)).toBe('{"bids":[],"asks":[[1010,5]]}');
    expect(fixture.futuresAccount()['accountLock']).toBe(0);
  });

  it('a FOK order fills completely or not at all', () => {
    const fixture = withOffers();
    expect(fixture.orderInformation(fixture.placeOrder('alice', 'BUY', 21, 1010, { timeInForce: 'FOK' }))).toMatchObject({
      status: 'CANCELED',
      executedQty: 0,
    });
    expect(fixture.orderInformation(fixture.placeOrder('alice', 'BUY', 11, 1000, { timeInForce: 'FOK' }))).toMatchObject({
      status: 'CANCELED',
      executedQty: 0,
    });
    expect(fixture.orderInformation(fixture.placeOrder('alice', 'BUY', 15, 1010, { timeInForce: 'FOK' }))).toMatchObject({
      status: 'FILLED',
      executedQty: 15,
    });
    expect(fixture.futuresAccount()['accountLock']).toBe(0);
  });

  it('a POST_ONLY order rests, or is cancelled if it would trade at once', () => {
    const fixture = withOffers();
    expect(fixture.orderInformation(fixture.placeOrder('alice', 'BUY', 1, 1000, { timeInForce: 'POST_ONLY' }))).toMatchObject({
      status: 'CANCELED',
      executedQty: 0,
    });
    const id = fixture.placeOrder('alice', 'BUY', 1, 999.9, { timeInForce: 'POST_ONLY' });
    expect(fixture.orderInformation(id)).toMatchObject({ status: 'NEW', timeInForce: 'POST_ONLY' });
    fixture.placeOrder('bob', 'SELL', 1, 999.9);
    expect(fixture.orderInformation(id)['status']).toBe('FILLED');
    expect(fixture.trades()).toMatchObject([{ isMaker: true, fee: '0.0002' }]);
  });
});

describe('the volume of a MARKET OPEN', () => {
  /**
   * Sends a MARKET OPEN with these members. Returns the order, or the code of a refusal. A contract at 1000 is worth 1 USDT; a trade makes the
   * price known first.
   */
  const openByMarket = (switches: object, members: object, headers: object = {}): unknown => {
    const fixture = withOffers(switches);
    fixture.placeOrder('bob', 'BUY', 1, 1000);
    const order = { contractName: 'E-BTC-USDT', volume: 12.5, type: 'MARKET', side: 'BUY', open: 'OPEN', ...members };
    const reply = fixture.post('/fapi/v1/order', order, { headers: { ...headers } });
    if (codeOf(reply) !== 0) return codeOf(reply);
    const { origQty, executedQty, status } = fixture.orderInformation(/\d{19}/.exec(reply.body)![0]);
    return { origQty, executedQty, status };
  };
  it('the volume of a MARKET OPEN is a value, and the order buys the contracts that the value pays for', () => {
    // 9 at 1000 are 9 USDT; of the 3.5 that are left 3 contracts at 1010 cost 3.03.
    expect(openByMarket({}, {})).toEqual({ origQty: 12.5, executedQty: 12, status: 'FILLED' });
    expect(openByMarket({}, { volume: 100 })).toEqual({ origQty: 100, executedQty: 19, status: 'CANCELED' });
  });
  it('the volume of a MARKET OPEN counts contracts under marketOpenUnit: contracts', () => {
    expect(openByMarket({ marketOpenUnit: 'contracts' }, { volume: 12 })).toEqual({ origQty: 12, executedQty: 12, status: 'FILLED' });
    expect(openByMarket({ marketOpenUnit: 'contracts' }, {})).toBe(-1147);
  });
  it('the volume of a MARKET OPEN follows orderUnit if the request has the header of version 101', () => {
    const VERSION_101 = { marketOpenUnit: 'v101' };
    const header = { 'futures-version': '101' };
    expect(openByMarket(VERSION_101, {})).toEqual({ origQty: 12.5, executedQty: 12, status: 'FILLED' });
    expect(openByMarket(VERSION_101, { volume: 12 }, header)).toEqual({ origQty: 12, executedQty: 12, status: 'FILLED' });
    expect(openByMarket(VERSION_101, { orderUnit: 2, volume: 12 }, header)).toEqual({ origQty: 12, executedQty: 12, status: 'FILLED' });
    expect(openByMarket(VERSION_101, { orderUnit: 3 }, header)).toEqual({ origQty: 12.5, executedQty: 12, status: 'FILLED' });
    expect(openByMarket(VERSION_101, { orderUnit: 1, volume: '0.0125' }, header)).toEqual({
      origQty: 12,
      executedQty: 12,
      status: 'FILLED',
    });
    expect(openByMarket(VERSION_101, { orderUnit: 4 }, header)).toBe(-2100);
    expect(openByMarket({ ...VERSION_101, unknownParams: 'reject' }, { orderUnit: 2, volume: 1 }, header)).toMatchObject({
      executedQty: 1,
    });
  });
  it('the volume of a MARKET CLOSE always counts contracts', () => {
    const fixture = withOffers();
    fixture.placeOrder('alice', 'BUY', 10, 1000);
    fixture.placeOrder('bob', 'BUY', 4, 990);
    const id = fixture.placeOrder('alice', 'SELL', 6, null, { open: 'CLOSE' });
    expect(fixture.orderInformation(id)).toMatchObject({
      status: 'CANCELED',
      origQty: 6,
      executedQty: 4,
      action: 'CLOSE',
      realizedAmount: -0.04,
    });
    expect(fixture.positions()).toMatchObject([{ positionVolume: 6, canCloseVolume: 6, realizedAmount: -0.04 }]);
  });
});

describe('positions', () => {
  it('opposite orders reverse a position in net mode, and make a second position in two-way mode', () => {
    const fixture = withOffers();
    fixture.placeOrder('alice', 'BUY', 4, 1000);
    fixture.placeOrder('bob', 'BUY', 20, 990);
    fixture.placeOrder('alice', 'SELL', 10, 990);
    expect(fixture.positions()).toMatchObject([{ positionSide: 'SELL', positionVolume: 6, openPrice: 990, realizedAmount: 0 }]);
    const twoWay = withOffers();
    twoWay.post('/fapi/v1/edit_user_position_model', { contractName: 'E-BTC-USDT', positionModel: 2 });
    twoWay.placeOrder('alice', 'BUY', 4, 1000);
    twoWay.placeOrder('bob', 'BUY', 20, 990);
    twoWay.placeOrder('alice', 'SELL', 10, 990);
    expect(twoWay.positions()).toMatchObject([
      { positionSide: 'BUY', positionVolume: 4 },
      { positionSide: 'SELL', positionVolume: 10 },
    ]);
    expect(codeOf(twoWay.sendOrder('alice', 'SELL', 5, 900, { open: 'CLOSE' }))).toBe(10015);
    twoWay.placeOrder('alice', 'SELL', 3, 1100, { open: 'CLOSE' });
    expect(twoWay.positions()[0]).toMatchObject({ positionVolume: 4, canCloseVolume: 1 });
    expect(codeOf(twoWay.sendOrder('alice', 'SELL', 2, 1100, { open: 'CLOSE' }))).toBe(10015);
  });

  it('a CLOSE order must have the position type of the position', () => {
    const fixture = withOffers({ settingsInUse: 'accept' });
    fixture.placeOrder('alice', 'BUY', 4, 1000, { positionType: 1 });
    fixture.post('/fapi/v1/edit_user_margin_model', { contractName: 'E-BTC-USDT', marginModel: 2 });
    expect(codeOf(fixture.sendOrder('alice', 'SELL', 1, 1100, { open: 'CLOSE', positionType: 2 }))).toBe(10015);
    expect(codeOf(fixture.sendOrder('alice', 'SELL', 1, 1100, { open: 'CLOSE', positionType: 1 }))).toBe(0);
    expect(codeOf(fixture.sendOrder('alice', 'BUY', 1, 900, { positionType: 1 }))).toBe(-2100);
  });

  it('margin and fees of an inverse contract are in its base coin', () => {
    const fixture = new FuturesFixture();
    const inverse = { contractName: 'E-BTC-USD' };
    fixture.placeOrder('bob', 'SELL', 10, 50_000, inverse);
    fixture.placeOrder('alice', 'BUY', 10, 50_000, inverse);
    // 10 contracts of 100 USD at 50,000 are 0.02 BTC; a twentieth is margin, 0.04 % the fee.
    expect(fixture.positions('alice', 'E-BTC-USD')).toMatchObject([{ avgPrice: 50_000, holdAmount: 0.001, tradeFee: -0.000008 }]);
    expect(fixture.futuresAccount('alice', 'BTC')).toMatchObject({ accountNormal: 9.998992, totalPositionNormal: 0.001 });
  });
});

it('an order that no longer reduces a position holds margin instead', () => {
  const fixture = withOffers();
  fixture.placeOrder('bob', 'BUY', 10, 990);
  fixture.placeOrder('bob', 'BUY', 1, 995);
  fixture.placeOrder('alice', 'BUY', 6, 1000);
  expect(Number(fixture.futuresAccount('bob')['accountLock'])).toBeGreaterThan(0);
  fixture.placeOrder('alice', 'SELL', 1, 995);
  // Bob is short 5, his bid for 10 closes those and opens 5: margin for 4.95 USDT, and the fee of 0.04 %.
  expect(fixture.positions('bob')).toMatchObject([{ positionSide: 'SELL', positionVolume: 5 }]);
  fixture.placeOrder('alice', 'SELL', 10, 990);
  expect(fixture.positions('bob')).toMatchObject([{ positionSide: 'BUY', positionVolume: 5 }]);
  fixture.service.futures.venue.assertConserved();
});

describe('a maker whose account cannot pay any more', () => {
  const ACCOUNTS_WITH_POOR_BOB = TRADERS.map((trader) =>
    trader.name === 'bob' ? { ...trader, futures: { balances: { USDT: '1' } } } : trader,
  );
  /** Returns a fixture with a bid of bob for 10 at 1000, accepted at leverage 20. At leverage 5 his money pays for 4. */
  function withBidThatBobCannotPay(): { fixture: FuturesFixture; id: string } {
    const fixture = new FuturesFixture({ accounts: ACCOUNTS_WITH_POOR_BOB }, { settingsInUse: 'accept' });
    const id = fixture.placeOrder('bob', 'BUY', 10, 1000);
    fixture.placeOrder('alice', 'BUY', 5, 990);
    fixture.post('/fapi/v1/edit_lever', { contractName: 'E-BTC-USDT', nowLevel: '5' }, { as: 'bob' });
    return { fixture, id };
  }
  it('a maker whose account cannot pay any more fills as far as it can, and its rest is cancelled', () => {
    const { fixture, id } = withBidThatBobCannotPay();
    fixture.post('/fapi/v1/edit_lever', { contractName: 'E-BTC-USDT', nowLevel: '20' });
    const takerId = fixture.placeOrder('alice', 'SELL', 8, 995);
    expect(fixture.orderInformation(id, 'bob')).toMatchObject({ status: 'CANCELED', executedQty: 4 });
    expect(fixture.orderInformation(takerId)).toMatchObject({ status: 'PARTIALLY_FILLED', executedQty: 4 });
    expect(bookText(fixture)).toBe('{"bids":[[990,5]],"asks":[[995,4]]}');
    fixture.service.futures.venue.assertConserved();
  });
  it('a FOK order does not count a maker whose account cannot pay', () => {
    const { fixture } = withBidThatBobCannotPay();
    expect(fixture.orderInformation(fixture.placeOrder('alice', 'SELL', 5, 1000, { timeInForce: 'FOK' }))).toMatchObject({
      status: 'CANCELED',
      executedQty: 0,
    });
    expect(fixture.orderInformation(fixture.placeOrder('alice', 'SELL', 4, 1000, { timeInForce: 'FOK' }))).toMatchObject({
      status: 'FILLED',
    });
  });
  it('the part of a taker that its account cannot pay for is cancelled, so that the book is not crossed', () => {
    const fixture = new FuturesFixture({ accounts: ACCOUNTS_WITH_POOR_BOB }, { settingsInUse: 'accept' });
    fixture.placeOrder('alice', 'BUY', 100, 1200);
    // The order holds margin for its limit, which is far below the price of the bid.
    const id = fixture.placeOrder('bob', 'SELL', 40, 400);
    expect(fixture.orderInformation(id, 'bob')['status']).toBe('CANCELED');
    expect(Number(fixture.orderInformation(id, 'bob')['executedQty'])).toBeGreaterThan(0);
    expect(Number(fixture.futuresAccount('bob')['accountNormal'])).toBeGreaterThanOrEqual(0);
  });
});

describe('a trigger order', () => {
  /** Returns a fixture in which alice is long 10 at 1000, and bob bids for 20 at 980. */
  function withLongPosition(): FuturesFixture {
    const fixture = withOffers();
    fixture.placeOrder('alice', 'BUY', 10, 1000);
    fixture.placeOrder('bob', 'BUY', 20, 980);
    return fixture;
  }
  /** Lets bob trade with himself at a price. */
  const tradeAt = (fixture: FuturesFixture, price: number) => {
    fixture.placeOrder('bob', 'BUY', 1, price);
    fixture.placeOrder('bob', 'SELL', 1, price);
  };

  it('a stop-loss closes the position when a trade reaches its price, and its order has its client order id', () => {
    const fixture = withLongPosition();
    fixture.sendTriggerOrder('alice', 'SELL', '1', '985', { volume: 10, clientOrderId: 'stop' });
    tradeAt(fixture, 990);
    expect(fixture.triggerOrders()).toMatchObject([{ status: TRIGGER_STATUS.pending, triggerType: 1 }]);
    tradeAt(fixture, 985);
    expect(fixture.triggerOrders()).toMatchObject([{ status: TRIGGER_STATUS.triggered }]);
    expect(fixture.listRows('/fapi/v1/orderHistorical')[0]).toMatchObject({
      clientId: 'stop',
      openOrClose: 'CLOSE',
      type: 2,
      status: HISTORY_STATUS.filled,
      dealVolume: 10,
      avgPrice: 980,
      realizedAmount: -0.2,
    });
    expect(fixture.positions()).toEqual([]);
  });

  it('a trigger order fires once, and fails if its position is already closed', () => {
    const fixture = withLongPosition();
    fixture.sendTriggerOrder('alice', 'SELL', '1', '985', { volume: 10 });
    fixture.sendTriggerOrder('alice', 'SELL', '1', '984', { volume: 10 });
    fixture.placeOrder('bob', 'BUY', 1, 984);
    fixture.placeOrder('bob', 'SELL', 1, 984);
    expect(fixture.triggerOrders()).toMatchObject([{ status: TRIGGER_STATUS.failed }, { status: TRIGGER_STATUS.triggered }]);
    tradeAt(fixture, 984);
    expect(fixture.listRows('/fapi/v1/orderHistorical').filter(({ openOrClose }) => openOrClose === 'CLOSE')).toHaveLength(1);
  });

  it('a trigger order whose price is already reached fires at once', () => {
    const fixture = withLongPosition();
    fixture.sendTriggerOrder('alice', 'SELL', '2', '1000', { volume: 4 });
    expect(fixture.triggerOrders()).toMatchObject([{ status: TRIGGER_STATUS.triggered, triggerType: 2 }]);
    expect(fixture.positions()).toMatchObject([{ positionVolume: 6 }]);
  });

  it('a trigger order opens when the price rises or falls to its trigger, and its limit order may rest', () => {
    const fixture = withOffers();
    const limit = { open: 'OPEN', type: 'LIMIT', volume: 3 };
    fixture.sendTriggerOrder('alice', 'BUY', '3', '1005', { ...limit, price: 1004 });
    fixture.sendTriggerOrder('alice', 'BUY', '4', '995', { ...limit, price: 990 });
    tradeAt(fixture, 996);
    expect(fixture.triggerOrders().map(({ status }) => status)).toEqual([TRIGGER_STATUS.pending, TRIGGER_STATUS.pending]);
    fixture.placeOrder('alice', 'BUY', 11, 1010);
    expect(fixture.triggerOrders().map(({ status }) => status)).toEqual([TRIGGER_STATUS.pending, TRIGGER_STATUS.triggered]);
    expect(bookText(fixture)).toBe('{"bids":[[1004,3]],"asks":[[1010,9]]}');
    fixture.placeOrder('bob', 'BUY', 1, 995);
    fixture.placeOrder('bob', 'SELL', 4, 995);
    expect(fixture.triggerOrders().map(({ status }) => status)).toEqual([TRIGGER_STATUS.triggered, TRIGGER_STATUS.triggered]);
    expect(bookText(fixture)).toBe('{"bids":[[990,3]],"asks":[[1010,9]]}');
  });

  it('a cancelled trigger order does nothing', () => {
    const fixture = withLongPosition();
    fixture.sendTriggerOrder('alice', 'SELL', '1', '985');
    fixture.post('/v1/inner/trigger_order_cancel', { contractName: 'E-BTC-USDT', orderId: '1622000000000000001' });
    tradeAt(fixture, 985);
    expect(fixture.triggerOrders()).toMatchObject([{ status: TRIGGER_STATUS.cancelled }]);
    expect(fixture.positions()).toMatchObject([{ positionVolume: 10 }]);
  });

  const CANCEL_FIRST_TRIGGER = { contractName: 'E-BTC-USDT', orderId: '1622000000000000001' };
  const cancelFirstTrigger = (fixture: FuturesFixture) => codeOf(fixture.post('/v1/inner/trigger_order_cancel', CANCEL_FIRST_TRIGGER));
  /** Returns a fixture in which a cancel takes effect after 60 ms. Alice is long 10 at 1000, and bob bids for 20 at 980. */
  const withSlowCancels = (secondCancel: 'again' | 'refuse' = 'again') => {
    const fixture = new FuturesFixture({ delays: { ...DELAYS.zero, cancelMs: 60 } }, { secondCancel });
    fixture.placeOrder('bob', 'SELL', 10, 1000);
    fixture.placeOrder('alice', 'BUY', 10, 1000);
    fixture.placeOrder('bob', 'BUY', 20, 980);
    return fixture;
  };

  it('a trigger order may still fire until its cancel takes effect', () => {
    const fixture = withSlowCancels();
    fixture.sendTriggerOrder('alice', 'SELL', '1', '985', { volume: 10 });
    expect([cancelFirstTrigger(fixture), cancelFirstTrigger(fixture)]).toEqual([0, 0]);
    fixture.passTime(59);
    expect(fixture.triggerOrders()).toMatchObject([{ status: TRIGGER_STATUS.pending }]);
    fixture.passTime(1);
    expect(fixture.triggerOrders()).toMatchObject([{ status: TRIGGER_STATUS.cancelled }]);
    expect(cancelFirstTrigger(fixture)).toBe(-1145);
    const refusing = withSlowCancels('refuse');
    refusing.sendTriggerOrder('alice', 'SELL', '1', '985', { volume: 10 });
    expect([cancelFirstTrigger(refusing), cancelFirstTrigger(refusing)]).toEqual([0, -1145]);
    refusing.passTime(59);
    tradeAt(refusing, 985);
    refusing.passTime(1);
    expect([refusing.triggerOrders(), refusing.positions()]).toMatchObject([[{ status: TRIGGER_STATUS.triggered }], []]);
  });

  it('if a trigger order fires before its cancel takes effect, the cancel ends the order that it has placed', () => {
    const fixture = withSlowCancels();
    fixture.sendTriggerOrder('alice', 'BUY', '3', '1001', { open: 'OPEN', type: 'LIMIT', price: 970, volume: 3 });
    cancelFirstTrigger(fixture);
    tradeAt(fixture, 1001);
    expect(fixture.listRows('/fapi/v1/orderHistorical')[0]).toMatchObject({ price: 970, status: HISTORY_STATUS.new });
    fixture.passTime(60);
    expect(fixture.listRows('/fapi/v1/orderHistorical')[0]).toMatchObject({ price: 970, status: HISTORY_STATUS.cancelled });
    expect(fixture.triggerOrders()).toMatchObject([{ status: TRIGGER_STATUS.triggered }]);
  });
});

describe('delays', () => {
  it('delays show in the status of an order: INIT before the book, PENDING_CANCEL before the end, and invisible before the visibility delay', () => {
    const fixture = new FuturesFixture({ delays: { admissionMs: 20, visibilityMs: 0, cancelMs: 60 } });
    const id = fixture.placeOrder('alice', 'BUY', 1, 1000);
    expect(fixture.orderInformation(id)['status']).toBe('INIT');
    fixture.passTime(20);
    expect(fixture.orderInformation(id)['status']).toBe('NEW');
    fixture.post('/fapi/v1/cancel', { contractName: 'E-BTC-USDT', orderId: id });
    expect(fixture.orderInformation(id)['status']).toBe('PENDING_CANCEL');
    fixture.passTime(60);
    expect(fixture.orderInformation(id)['status']).toBe('CANCELED');

    const delayed = new FuturesFixture({ delays: { ...DELAYS.zero, visibilityMs: 50 } });
    delayed.placeOrder('bob', 'SELL', 1, 1000);
    const filledId = delayed.placeOrder('alice', 'BUY', 1, 1000);
    delayed.placeOrder('bob', 'BUY', 1, 1000);
    delayed.placeOrder('alice', 'SELL', 1, 1000, { open: 'CLOSE' });
    /** Returns the lengths of the lists of orders, of profits and of trades. */
    const listLengths = () => [
      delayed.listRows('/fapi/v1/orderHistorical').length,
      delayed.listRows('/fapi/v1/profitHistorical').length,
      delayed.trades().length,
    ];
    expect(delayed.orderInformation(filledId)).toMatchObject({ data: null });
    expect(listLengths()).toEqual([0, 0, 0]);
    delayed.passTime(50);
    expect(listLengths()).toEqual([2, 1, 2]);
  });
});

it('ticker and klines of a contract follow its trades', () => {
  const fixture = withOffers();
  fixture.placeOrder('alice', 'BUY', 15, 1010);
  expect(JSON.parse(fixture.getPublic('/fapi/v1/ticker?contractName=E-BTC-USDT').body)).toMatchObject({
    high: '1010',
    low: '1000',
    vol: '15',
  });
  expect(JSON.parse(fixture.getPublic(`/fapi/v1/klines?contractName=${PERPETUAL.wireName}&interval=5min`).body)).toMatchObject([
    { open: '1000', close: '1010', vol: '15' },
  ]);
});
