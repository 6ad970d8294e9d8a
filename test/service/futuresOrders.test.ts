// Futures orders in the book: what rests and what does not, what a volume counts, closing, makers that cannot pay, conditions.

import { describe, expect, it } from 'vitest';
import { DELAYS } from '../../src/paperExchange/dialect/config.ts';
import { FuturesFixture, PERPETUAL, TRADERS } from './futuresFixture.ts';
import { codeOf } from './serviceFixture.ts';

const depth = (fixture: FuturesFixture) => fixture.open('/fapi/v1/depth?contractName=E-BTC-USDT').body.replace(/"time":\d+,/, '');
/** Bob sells 10 at 1000 and 10 at 1010. */
function offered(switches: object = {}): FuturesFixture {
  const fixture = new FuturesFixture({}, { ...switches });
  fixture.order('bob', 'SELL', 10, 1000);
  fixture.order('bob', 'SELL', 10, 1010);
  return fixture;
}

describe('a time in force', () => {
  it('IOC takes what there is and leaves nothing', () => {
    const fixture = offered();
    expect(fixture.info(fixture.order('alice', 'BUY', 15, 1000, { timeInForce: 'IOC' }))).toMatchObject({
      status: 'CANCELED',
      executedQty: 10,
    });
    expect(fixture.info(fixture.order('alice', 'BUY', 5, 990, { timeInForce: 'IOC' }))).toMatchObject({
      status: 'CANCELED',
      executedQty: 0,
    });
    expect(fixture.info(fixture.order('alice', 'BUY', 5, 1010, { timeInForce: 'IOC' }))).toMatchObject({
      status: 'FILLED',
      avgPrice: 1010,
    });
    expect(depth(fixture)).toBe('{"bids":[],"asks":[[1010,5]]}');
    expect(fixture.account()['accountLock']).toBe(0);
  });

  it('FOK takes all or nothing', () => {
    const setup = offered();
    expect(setup.info(setup.order('alice', 'BUY', 21, 1010, { timeInForce: 'FOK' }))).toMatchObject({ status: 'CANCELED', executedQty: 0 });
    expect(setup.info(setup.order('alice', 'BUY', 11, 1000, { timeInForce: 'FOK' }))).toMatchObject({ status: 'CANCELED', executedQty: 0 });
    expect(setup.info(setup.order('alice', 'BUY', 15, 1010, { timeInForce: 'FOK' }))).toMatchObject({ status: 'FILLED', executedQty: 15 });
    expect(setup.account()['accountLock']).toBe(0);
  });

  it('POST_ONLY rests or goes', () => {
    const rig = offered();
    expect(rig.info(rig.order('alice', 'BUY', 1, 1000, { timeInForce: 'POST_ONLY' }))).toMatchObject({
      status: 'CANCELED',
      executedQty: 0,
    });
    const id = rig.order('alice', 'BUY', 1, 999.9, { timeInForce: 'POST_ONLY' });
    expect(rig.info(id)).toMatchObject({ status: 'NEW', timeInForce: 'POST_ONLY' });
    rig.order('bob', 'SELL', 1, 999.9);
    expect(rig.info(id)['status']).toBe('FILLED');
    expect(rig.trades()).toMatchObject([{ isMaker: true, fee: '0.0002' }]);
  });
});

describe('the volume of a MARKET OPEN', () => {
  // A contract at 1000 is worth 1 USDT: the price has to be known before one can be valued.
  const bought = (switches: object, more: object, headers: object = {}): unknown => {
    const fixture = offered(switches);
    fixture.order('bob', 'BUY', 1, 1000);
    const order = { contractName: 'E-BTC-USDT', volume: 12.5, type: 'MARKET', side: 'BUY', open: 'OPEN', ...more };
    const answer = fixture.post('/fapi/v1/order', order, { headers: { ...headers } });
    if (codeOf(answer) !== 0) return codeOf(answer);
    const { origQty, executedQty, status } = fixture.info(/\d{19}/.exec(answer.body)![0]);
    return { origQty, executedQty, status };
  };
  it('the volume of a MARKET OPEN is a value, which buys the contracts that fit it, over the levels of the book', () => {
    // 9 at 1000 are 9 USDT; of the 3.5 that are left 3 contracts at 1010 cost 3.03.
    expect(bought({}, {})).toEqual({ origQty: 12.5, executedQty: 12, status: 'FILLED' });
    expect(bought({}, { volume: 100 })).toEqual({ origQty: 100, executedQty: 19, status: 'CANCELED' });
  });
  it('the volume of a MARKET OPEN is contracts where a switch says so', () => {
    expect(bought({ marketOpenUnit: 'contracts' }, { volume: 12 })).toEqual({ origQty: 12, executedQty: 12, status: 'FILLED' });
    expect(bought({ marketOpenUnit: 'contracts' }, {})).toBe(-1147);
  });
  it('the volume of a MARKET OPEN is what the newer version says, where its header is sent', () => {
    const v101 = { marketOpenUnit: 'v101' };
    const header = { 'futures-version': '101' };
    expect(bought(v101, {})).toEqual({ origQty: 12.5, executedQty: 12, status: 'FILLED' });
    expect(bought(v101, { volume: 12 }, header)).toEqual({ origQty: 12, executedQty: 12, status: 'FILLED' });
    expect(bought(v101, { orderUnit: 2, volume: 12 }, header)).toEqual({ origQty: 12, executedQty: 12, status: 'FILLED' });
    expect(bought(v101, { orderUnit: 3 }, header)).toEqual({ origQty: 12.5, executedQty: 12, status: 'FILLED' });
    expect(bought(v101, { orderUnit: 1, volume: '0.0125' }, header)).toEqual({ origQty: 12, executedQty: 12, status: 'FILLED' });
    expect(bought(v101, { orderUnit: 4 }, header)).toBe(-2100);
    expect(bought({ ...v101, unknownParams: 'reject' }, { orderUnit: 2, volume: 1 }, header)).toMatchObject({ executedQty: 1 });
  });
  it('the volume of a MARKET OPEN: of a CLOSE is contracts always', () => {
    const setup = offered();
    setup.order('alice', 'BUY', 10, 1000);
    setup.order('bob', 'BUY', 4, 990);
    const id = setup.order('alice', 'SELL', 6, null, { open: 'CLOSE' });
    expect(setup.info(id)).toMatchObject({ status: 'CANCELED', origQty: 6, executedQty: 4, action: 'CLOSE', realizedAmount: -0.04 });
    expect(setup.positions()).toMatchObject([{ positionVolume: 6, canCloseVolume: 6, realizedAmount: -0.04 }]);
  });
});

describe('positions', () => {
  it('positions turn round in net mode, and stand side by side in two-way mode', () => {
    const fixture = offered();
    fixture.order('alice', 'BUY', 4, 1000);
    fixture.order('bob', 'BUY', 20, 990);
    fixture.order('alice', 'SELL', 10, 990);
    expect(fixture.positions()).toMatchObject([{ positionSide: 'SELL', positionVolume: 6, openPrice: 990, realizedAmount: 0 }]);
    const two = offered();
    two.post('/fapi/v1/edit_user_position_model', { contractName: 'E-BTC-USDT', positionModel: 2 });
    two.order('alice', 'BUY', 4, 1000);
    two.order('bob', 'BUY', 20, 990);
    two.order('alice', 'SELL', 10, 990);
    expect(two.positions()).toMatchObject([
      { positionSide: 'BUY', positionVolume: 4 },
      { positionSide: 'SELL', positionVolume: 10 },
    ]);
    expect(codeOf(two.create('alice', 'SELL', 5, 900, { open: 'CLOSE' }))).toBe(10015);
    two.order('alice', 'SELL', 3, 1100, { open: 'CLOSE' });
    expect(two.positions()[0]).toMatchObject({ positionVolume: 4, canCloseVolume: 1 });
    expect(codeOf(two.create('alice', 'SELL', 2, 1100, { open: 'CLOSE' }))).toBe(10015);
  });

  it('positions are closed as what they are', () => {
    const setup = offered({ settingsInUse: 'accept' });
    setup.order('alice', 'BUY', 4, 1000, { positionType: 1 });
    setup.post('/fapi/v1/edit_user_margin_model', { contractName: 'E-BTC-USDT', marginModel: 2 });
    expect(codeOf(setup.create('alice', 'SELL', 1, 1100, { open: 'CLOSE', positionType: 2 }))).toBe(10015);
    expect(codeOf(setup.create('alice', 'SELL', 1, 1100, { open: 'CLOSE', positionType: 1 }))).toBe(0);
    expect(codeOf(setup.create('alice', 'BUY', 1, 900, { positionType: 1 }))).toBe(-2100);
  });

  it('positions of the coin that a contract is about: inverse ones count in it', () => {
    const rig = new FuturesFixture();
    const of = { contractName: 'E-BTC-USD' };
    rig.order('bob', 'SELL', 10, 50_000, of);
    rig.order('alice', 'BUY', 10, 50_000, of);
    // 10 contracts of 100 USD at 50,000 are 0.02 BTC; a twentieth is margin, 0.04 % the fee.
    expect(rig.positions('alice', 'E-BTC-USD')).toMatchObject([{ avgPrice: 50_000, holdAmount: 0.001, tradeFee: -0.000008 }]);
    expect(rig.account('alice', 'BTC')).toMatchObject({ accountNormal: 9.998992, totalPositionNormal: 0.001 });
  });
});

it('an order that would have reduced a position which others have reduced holds margin instead, or goes', () => {
  const fixture = offered();
  fixture.order('bob', 'BUY', 10, 990);
  fixture.order('bob', 'BUY', 1, 995);
  fixture.order('alice', 'BUY', 6, 1000);
  expect(Number(fixture.account('bob')['accountLock'])).toBeGreaterThan(0);
  fixture.order('alice', 'SELL', 1, 995);
  // Bob is short 5, his bid for 10 closes those and opens 5: margin for 4.95 USDT, and the fee of 0.04 %.
  expect(fixture.positions('bob')).toMatchObject([{ positionSide: 'SELL', positionVolume: 5 }]);
  fixture.order('alice', 'SELL', 10, 990);
  expect(fixture.positions('bob')).toMatchObject([{ positionSide: 'BUY', positionVolume: 5 }]);
  fixture.service.futures.venue.assertConserved();
});

describe('a maker whose account cannot pay any more', () => {
  const small = TRADERS.map((each) => (each.name === 'bob' ? { ...each, futures: { balances: { USDT: '1' } } } : each));
  /** Bob's bid for 10 at 1000 was taken for leverage 20; at leverage 5 his money is good for 4. */
  function poor(): { fixture: FuturesFixture; id: string } {
    const fixture = new FuturesFixture({ accounts: small }, { settingsInUse: 'accept' });
    const id = fixture.order('bob', 'BUY', 10, 1000);
    fixture.order('alice', 'BUY', 5, 990);
    fixture.post('/fapi/v1/edit_lever', { contractName: 'E-BTC-USDT', nowLevel: '5' }, { as: 'bob' });
    return { fixture, id };
  }
  it('a maker whose account cannot pay any more fills as far as it can, and the rest of it goes', () => {
    const { fixture: setup, id } = poor();
    setup.post('/fapi/v1/edit_lever', { contractName: 'E-BTC-USDT', nowLevel: '20' });
    const taker = setup.order('alice', 'SELL', 8, 995);
    expect(setup.info(id, 'bob')).toMatchObject({ status: 'CANCELED', executedQty: 4 });
    expect(setup.info(taker)).toMatchObject({ status: 'PARTIALLY_FILLED', executedQty: 4 });
    expect(depth(setup)).toBe('{"bids":[[990,5]],"asks":[[995,4]]}');
    setup.service.futures.venue.assertConserved();
  });
  it('a maker whose account cannot pay any more is not a counterparty of an order of all or nothing', () => {
    const { fixture: rig } = poor();
    expect(rig.info(rig.order('alice', 'SELL', 5, 1000, { timeInForce: 'FOK' }))).toMatchObject({ status: 'CANCELED', executedQty: 0 });
    expect(rig.info(rig.order('alice', 'SELL', 4, 1000, { timeInForce: 'FOK' }))).toMatchObject({ status: 'FILLED' });
  });
  it('a maker whose account cannot pay any more of the taker: what its account cannot back is not left in the book across it', () => {
    const otherFixture = new FuturesFixture({ accounts: small }, { settingsInUse: 'accept' });
    otherFixture.order('alice', 'BUY', 100, 1200);
    // Held at the limit, which is far below what the bid makes it worth.
    const id = otherFixture.order('bob', 'SELL', 40, 400);
    expect(otherFixture.info(id, 'bob')['status']).toBe('CANCELED');
    expect(Number(otherFixture.info(id, 'bob')['executedQty'])).toBeGreaterThan(0);
    expect(Number(otherFixture.account('bob')['accountNormal'])).toBeGreaterThanOrEqual(0);
  });
});

describe('a condition', () => {
  /** Alice is long 10 at 1000; bob bids for 20 at 980. */
  function long(): FuturesFixture {
    const fixture = offered();
    fixture.order('alice', 'BUY', 10, 1000);
    fixture.order('bob', 'BUY', 20, 980);
    return fixture;
  }
  const tradeAt = (setup: FuturesFixture, price: number) => {
    setup.order('bob', 'BUY', 1, price);
    setup.order('bob', 'SELL', 1, price);
  };

  it('stop-loss closes when a trade reaches its price, and its order is found by its client id', () => {
    const rig = long();
    rig.trigger('alice', 'SELL', '1', '985', { volume: 10, clientOrderId: 'stop' });
    tradeAt(rig, 990);
    expect(rig.triggers()).toMatchObject([{ status: 0, triggerType: 1 }]);
    tradeAt(rig, 985);
    expect(rig.triggers()).toMatchObject([{ status: 2 }]);
    expect(rig.rows('/fapi/v1/orderHistorical')[0]).toMatchObject({
      clientId: 'stop',
      openOrClose: 'CLOSE',
      type: 2,
      status: 2,
      dealVolume: 10,
      avgPrice: 980,
      realizedAmount: -0.2,
    });
    expect(rig.positions()).toEqual([]);
  });

  it('a condition is triggered once; what is not there to be closed any more fails', () => {
    const otherFixture = long();
    otherFixture.trigger('alice', 'SELL', '1', '985', { volume: 10 });
    otherFixture.trigger('alice', 'SELL', '1', '984', { volume: 10 });
    otherFixture.order('bob', 'BUY', 1, 984);
    otherFixture.order('bob', 'SELL', 1, 984);
    expect(otherFixture.triggers()).toMatchObject([{ status: 3 }, { status: 2 }]);
    tradeAt(otherFixture, 984);
    expect(otherFixture.rows('/fapi/v1/orderHistorical').filter(({ openOrClose }) => openOrClose === 'CLOSE')).toHaveLength(1);
  });

  it('a condition that is reached already acts at once', () => {
    const rig = long();
    rig.trigger('alice', 'SELL', '2', '1000', { volume: 4 });
    expect(rig.triggers()).toMatchObject([{ status: 2, triggerType: 2 }]);
    expect(rig.positions()).toMatchObject([{ positionVolume: 6 }]);
  });

  it('a condition opens when the price rises or falls to it, as a limit that may rest', () => {
    const rig = offered();
    const limit = { open: 'OPEN', type: 'LIMIT', volume: 3 };
    rig.trigger('alice', 'BUY', '3', '1005', { ...limit, price: 1004 });
    rig.trigger('alice', 'BUY', '4', '995', { ...limit, price: 990 });
    tradeAt(rig, 996);
    expect(rig.triggers().map(({ status }) => status)).toEqual([0, 0]);
    rig.order('alice', 'BUY', 11, 1010);
    expect(rig.triggers().map(({ status }) => status)).toEqual([0, 2]);
    expect(depth(rig)).toBe('{"bids":[[1004,3]],"asks":[[1010,9]]}');
    rig.order('bob', 'BUY', 1, 995);
    rig.order('bob', 'SELL', 4, 995);
    expect(rig.triggers().map(({ status }) => status)).toEqual([2, 2]);
    expect(depth(rig)).toBe('{"bids":[[990,3]],"asks":[[1010,9]]}');
  });

  it('a condition that is cancelled does nothing', () => {
    const rig = long();
    rig.trigger('alice', 'SELL', '1', '985');
    rig.post('/v1/inner/trigger_order_cancel', { contractName: 'E-BTC-USDT', orderId: '1622000000000000001' });
    tradeAt(rig, 985);
    expect(rig.triggers()).toMatchObject([{ status: 4 }]);
    expect(rig.positions()).toMatchObject([{ positionVolume: 10 }]);
  });

  const TAKEN_BACK = { contractName: 'E-BTC-USDT', orderId: '1622000000000000001' };
  const takeBack = (rig: FuturesFixture) => codeOf(rig.post('/v1/inner/trigger_order_cancel', TAKEN_BACK));
  const slow = (secondCancel: 'again' | 'refuse' = 'again') => {
    const rig = new FuturesFixture({ delays: { ...DELAYS.zero, cancelMs: 60 } }, { secondCancel });
    rig.order('bob', 'SELL', 10, 1000);
    rig.order('alice', 'BUY', 10, 1000);
    rig.order('bob', 'BUY', 20, 980);
    return rig;
  };

  it('a condition that is cancelled waits until the cancel has its effect, and fires before that', () => {
    const rig = slow();
    rig.trigger('alice', 'SELL', '1', '985', { volume: 10 });
    expect([takeBack(rig), takeBack(rig)]).toEqual([0, 0]);
    rig.pass(59);
    expect(rig.triggers()).toMatchObject([{ status: 0 }]);
    rig.pass(1);
    expect(rig.triggers()).toMatchObject([{ status: 4 }]);
    expect(takeBack(rig)).toBe(-1145);
    const late = slow('refuse');
    late.trigger('alice', 'SELL', '1', '985', { volume: 10 });
    expect([takeBack(late), takeBack(late)]).toEqual([0, -1145]);
    late.pass(59);
    tradeAt(late, 985);
    late.pass(1);
    expect([late.triggers(), late.positions()]).toMatchObject([[{ status: 2 }], []]);
  });

  it('a condition that has fired before its cancel has an effect cancels what it has placed', () => {
    const rig = slow();
    rig.trigger('alice', 'BUY', '3', '1001', { open: 'OPEN', type: 'LIMIT', price: 970, volume: 3 });
    takeBack(rig);
    tradeAt(rig, 1001);
    expect(rig.rows('/fapi/v1/orderHistorical')[0]).toMatchObject({ price: 970, status: 1 });
    rig.pass(60);
    expect(rig.rows('/fapi/v1/orderHistorical')[0]).toMatchObject({ price: 970, status: 4 });
    expect(rig.triggers()).toMatchObject([{ status: 2 }]);
  });
});

describe('delays', () => {
  it('an order is INIT until it meets the book, PENDING_CANCEL until it ends, and seen late', () => {
    const fixture = new FuturesFixture({ delays: { admissionMs: 20, visibilityMs: 0, cancelMs: 60 } });
    const id = fixture.order('alice', 'BUY', 1, 1000);
    expect(fixture.info(id)['status']).toBe('INIT');
    fixture.pass(20);
    expect(fixture.info(id)['status']).toBe('NEW');
    fixture.post('/fapi/v1/cancel', { contractName: 'E-BTC-USDT', orderId: id });
    expect(fixture.info(id)['status']).toBe('PENDING_CANCEL');
    fixture.pass(60);
    expect(fixture.info(id)['status']).toBe('CANCELED');

    const late = new FuturesFixture({ delays: { ...DELAYS.zero, visibilityMs: 50 } });
    late.order('bob', 'SELL', 1, 1000);
    const other = late.order('alice', 'BUY', 1, 1000);
    late.order('bob', 'BUY', 1, 1000);
    late.order('alice', 'SELL', 1, 1000, { open: 'CLOSE' });
    const lists = () => [late.rows('/fapi/v1/orderHistorical').length, late.rows('/fapi/v1/profitHistorical').length, late.trades().length];
    expect(late.info(other)).toMatchObject({ data: null });
    expect(lists()).toEqual([0, 0, 0]);
    late.pass(50);
    expect(lists()).toEqual([2, 1, 2]);
  });
});

it('the market data of a contract is made of its trades', () => {
  const fixture = offered();
  fixture.order('alice', 'BUY', 15, 1010);
  expect(JSON.parse(fixture.open('/fapi/v1/ticker?contractName=E-BTC-USDT').body)).toMatchObject({ high: '1010', low: '1000', vol: '15' });
  expect(JSON.parse(fixture.open(`/fapi/v1/klines?contractName=${PERPETUAL.wireName}&interval=5min`).body)).toMatchObject([
    { open: '1000', close: '1010', vol: '15' },
  ]);
});
