// Tests delays of admission, visibility and cancels, and the replies before they end.

import { describe, expect, it } from 'vitest';
import { DELAYS, type Delays } from '../../src/paperExchange/dialect/config.ts';
import { codeOf, ServiceFixture } from './serviceFixture.ts';

/** Returns a fixture without delays, except these. */
const fixtureWithDelays = (overrides: Partial<Delays>) => new ServiceFixture({ delays: { ...DELAYS.zero, ...overrides } });
/** Sends a cancel, and returns the reply. */
const cancelOrder = (fixture: ServiceFixture, orderId: string) => fixture.post('/sapi/v1/cancel', { orderId, symbol: 'BTCUSDT' });

describe('without delays', () => {
  it('without delays an order trades before the next request, and its own reply does not show the fill', () => {
    const fixture = fixtureWithDelays({});
    fixture.placeLimit('bob', 'SELL', '1', '100');
    const answer = fixture.post('/sapi/v1/order', { symbol: 'BTCUSDT', volume: 1, side: 'BUY', type: 'LIMIT', price: 100 });
    expect(JSON.parse(answer.body)).toMatchObject({ status: 0, executedQty: 0 });
    expect(fixture.queryOrder(/\d{19}/.exec(answer.body)![0])).toMatchObject({ status: 'FILLED', executedQty: 1 });
  });

  it('without delays a cancel answers PENDING_CANCEL, and the next query shows CANCELED', () => {
    const fixture = fixtureWithDelays({});
    const id = fixture.placeLimit('alice', 'BUY', '1', '100');
    expect(JSON.parse(cancelOrder(fixture, id).body)).toMatchObject({ status: 'PENDING_CANCEL' });
    expect(fixture.queryOrder(id)['status']).toBe('CANCELED');
  });
});

describe('admission', () => {
  it('an order locks its funds at once, and trades when the admission delay has ended', () => {
    const fixture = fixtureWithDelays({ admissionMs: 20 });
    fixture.placeLimit('bob', 'SELL', '1', '100');
    fixture.passTime(20);
    const id = fixture.placeLimit('alice', 'BUY', '1', '100');
    expect(fixture.balance('alice', 'USDT')).toEqual({ free: '99900', locked: '100' });
    fixture.passTime(19);
    expect(fixture.queryOrder(id)['status']).toBe('NEW');
    expect(fixture.getPublic('/sapi/v1/depth?symbol=BTCUSDT&limit=5').body).toContain('"bids":[],"asks":[[100,1]]');
    fixture.passTime(1);
    expect(fixture.queryOrder(id)['status']).toBe('FILLED');
  });

  it('an order that is cancelled within the admission delay never enters the book', () => {
    const fixture = fixtureWithDelays({ admissionMs: 20 });
    const id = fixture.placeLimit('alice', 'BUY', '1', '100');
    cancelOrder(fixture, id);
    fixture.passTime(100);
    expect(fixture.queryOrder(id)['status']).toBe('CANCELED');
    expect(fixture.getPublic('/sapi/v1/depth?symbol=BTCUSDT&limit=5').body).toContain('"bids":[]');
    expect(fixture.balance('alice', 'USDT')).toEqual({ free: '100000', locked: '0' });
  });
});

describe('visibility', () => {
  it('the visibility delay affects only what reads show', () => {
    const fixture = fixtureWithDelays({ visibilityMs: 50 });
    fixture.placeLimit('bob', 'SELL', '1', '100');
    const id = fixture.placeLimit('alice', 'BUY', '2', '100');
    expect(fixture.queryOrder(id)).toMatchObject({ data: null });
    expect(fixture.get('/sapi/v1/openOrders').body).toBe('[]');
    expect(fixture.get('/sapi/v1/myTrades').body).toBe('[]');
    expect(fixture.balance('alice', 'BTC').free).toBe('10.998');
    fixture.passTime(50);
    expect(fixture.queryOrder(id)).toMatchObject({ status: 'PARTIALLY_FILLED' });
    expect(fixture.get('/sapi/v1/openOrders').body).toContain(id);
    cancelOrder(fixture, id);
    expect(fixture.queryOrder(id)).toMatchObject({ status: 'PARTIALLY_FILLED' });
    expect(codeOf(cancelOrder(fixture, id))).toBe(-1145);
    fixture.passTime(50);
    expect(fixture.queryOrder(id)).toMatchObject({ status: 'CANCELED', executedQty: 1 });
  });

  it('an order that reads show as ended is not shown as open again when an earlier state had a longer visibility delay', () => {
    const fixture = fixtureWithDelays({ visibilityMs: 1000 });
    const id = fixture.placeLimit('alice', 'BUY', '1', '100');
    fixture.service.spot.delays = DELAYS.zero;
    cancelOrder(fixture, id);
    expect(fixture.queryOrder(id)['status']).toBe('CANCELED');
    fixture.passTime(1000);
    expect(fixture.queryOrder(id)['status']).toBe('CANCELED');
    expect(fixture.get('/sapi/v1/openOrders').body).toBe('[]');
  });
});

describe('a cancel that takes its time', () => {
  it('an order may still fill within the cancel delay', () => {
    const fixture = fixtureWithDelays({ cancelMs: 60 });
    const id = fixture.placeLimit('alice', 'BUY', '1', '100');
    cancelOrder(fixture, id);
    expect(fixture.queryOrder(id)['status']).toBe('PENDING_CANCEL');
    fixture.passTime(59);
    fixture.placeLimit('bob', 'SELL', '0.25', '100');
    expect(fixture.queryOrder(id)).toMatchObject({ status: 'PENDING_CANCEL', executedQty: 0.25 });
    fixture.passTime(1);
    expect(fixture.queryOrder(id)).toMatchObject({ status: 'CANCELED', executedQty: 0.25 });
    const secondId = fixture.placeLimit('alice', 'BUY', '1', '100');
    cancelOrder(fixture, secondId);
    fixture.placeLimit('bob', 'SELL', '1', '100');
    expect(fixture.queryOrder(secondId)['status']).toBe('FILLED');
    fixture.passTime(60);
    expect(fixture.queryOrder(secondId)['status']).toBe('FILLED');
    expect(codeOf(cancelOrder(fixture, secondId))).toBe(-1145);
  });

  it('a second cancel within the delay succeeds under secondCancel: again, and gets -1145 under refuse', () => {
    for (const [secondCancel, code] of [
      ['again', 0],
      ['refuse', -1145],
    ] as const) {
      const fixture = new ServiceFixture({ delays: DELAYS.realistic }, { secondCancel });
      const id = fixture.placeLimit('alice', 'BUY', '1', '100');
      expect([codeOf(cancelOrder(fixture, id)), codeOf(cancelOrder(fixture, id))]).toEqual([0, code]);
    }
  });
});
