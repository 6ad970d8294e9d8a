// Delays of admission, visibility and cancels, and the answers that come before them.

import { describe, expect, it } from 'vitest';
import { DELAYS, type Delays } from '../../src/paperExchange/dialect/config.ts';
import { codeOf, Fixture } from './serviceFixture.ts';

const fixture = (over: Partial<Delays>) => new Fixture({ delays: { ...DELAYS.zero, ...over } });
const cancel = (of: Fixture, orderId: string) => of.post('/sapi/v1/cancel', { orderId, symbol: 'BTCUSDT' });

describe('without delays', () => {
  it('an order has traded before the next request, and its own answer does not say so', () => {
    const of = fixture({});
    of.limit('bob', 'SELL', '1', '100');
    const answer = of.post('/sapi/v1/order', { symbol: 'BTCUSDT', volume: 1, side: 'BUY', type: 'LIMIT', price: 100 });
    expect(JSON.parse(answer.body)).toMatchObject({ status: 0, executedQty: 0 });
    expect(of.query(/\d{19}/.exec(answer.body)![0])).toMatchObject({ status: 'FILLED', executedQty: 1 });
  });

  it('a cancel answers PENDING_CANCEL and is done', () => {
    const of = fixture({});
    const id = of.limit('alice', 'BUY', '1', '100');
    expect(JSON.parse(cancel(of, id).body)).toMatchObject({ status: 'PENDING_CANCEL' });
    expect(of.query(id)['status']).toBe('CANCELED');
  });
});

describe('admission', () => {
  it('admission holds the funds at once and trades when the delay has ended', () => {
    const of = fixture({ admissionMs: 20 });
    of.limit('bob', 'SELL', '1', '100');
    of.pass(20);
    const id = of.limit('alice', 'BUY', '1', '100');
    expect(of.balance('alice', 'USDT')).toEqual({ free: '99900', locked: '100' });
    of.pass(19);
    expect(of.query(id)['status']).toBe('NEW');
    expect(of.open('/sapi/v1/depth?symbol=BTCUSDT&limit=5').body).toContain('"bids":[],"asks":[[100,1]]');
    of.pass(1);
    expect(of.query(id)['status']).toBe('FILLED');
  });

  it('admission of an order that was cancelled before brings nothing into the book', () => {
    const of = fixture({ admissionMs: 20 });
    const id = of.limit('alice', 'BUY', '1', '100');
    cancel(of, id);
    of.pass(100);
    expect(of.query(id)['status']).toBe('CANCELED');
    expect(of.open('/sapi/v1/depth?symbol=BTCUSDT&limit=5').body).toContain('"bids":[]');
    expect(of.balance('alice', 'USDT')).toEqual({ free: '100000', locked: '0' });
  });
});

describe('visibility', () => {
  it('visibility delays what reads show, and nothing else', () => {
    const of = fixture({ visibilityMs: 50 });
    of.limit('bob', 'SELL', '1', '100');
    const id = of.limit('alice', 'BUY', '2', '100');
    expect(of.query(id)).toMatchObject({ data: null });
    expect(of.get('/sapi/v1/openOrders').body).toBe('[]');
    expect(of.get('/sapi/v1/myTrades').body).toBe('[]');
    expect(of.balance('alice', 'BTC').free).toBe('10.998');
    of.pass(50);
    expect(of.query(id)).toMatchObject({ status: 'PARTIALLY_FILLED' });
    expect(of.get('/sapi/v1/openOrders').body).toContain(id);
    cancel(of, id);
    expect(of.query(id)).toMatchObject({ status: 'PARTIALLY_FILLED' });
    expect(codeOf(cancel(of, id))).toBe(-1145);
    of.pass(50);
    expect(of.query(id)).toMatchObject({ status: 'CANCELED', executedQty: 1 });
  });
});

describe('a cancel that takes its time', () => {
  it('a cancel that takes its time leaves the order in the book, where it may still fill', () => {
    const of = fixture({ cancelMs: 60 });
    const id = of.limit('alice', 'BUY', '1', '100');
    cancel(of, id);
    expect(of.query(id)['status']).toBe('PENDING_CANCEL');
    of.pass(59);
    of.limit('bob', 'SELL', '0.25', '100');
    expect(of.query(id)).toMatchObject({ status: 'PENDING_CANCEL', executedQty: 0.25 });
    of.pass(1);
    expect(of.query(id)).toMatchObject({ status: 'CANCELED', executedQty: 0.25 });
    const other = of.limit('alice', 'BUY', '1', '100');
    cancel(of, other);
    of.limit('bob', 'SELL', '1', '100');
    expect(of.query(other)['status']).toBe('FILLED');
    of.pass(60);
    expect(of.query(other)['status']).toBe('FILLED');
    expect(codeOf(cancel(of, other))).toBe(-1145);
  });

  it('a cancel that takes its time answers a second one alike, or -1145 where a switch says so', () => {
    for (const [secondCancel, code] of [
      ['again', 0],
      ['refuse', -1145],
    ] as const) {
      const of = new Fixture({ delays: DELAYS.realistic }, { secondCancel });
      const id = of.limit('alice', 'BUY', '1', '100');
      expect([codeOf(cancel(of, id)), codeOf(cancel(of, id))]).toEqual([0, code]);
    }
  });
});
