// Tests the rules that compare an order with other orders, hours and ages: each just below, at and above its limit.

import { describe, expect, test } from 'vitest';
import { RiskFixture, USDT } from '../../../test/fixtures/riskFixture.ts';
import type { DraftTerms } from '../../../test/fixtures/drafts.ts';
import { fillOf } from '../../../test/fixtures/fills.ts';
import { ConfigError } from '../../base/errors.ts';
import type { OrderId } from '../../model/order.ts';
import type { RiskLimits } from '../limits/limits.ts';

const DAY_MS = 86_400_000;

describe('SELF_TRADE', () => {
  const limits: RiskLimits = { selfTrade: 'deny' };
  const codeAgainst = (resting: DraftTerms, terms: DraftTerms, activeLimits: RiskLimits = limits) => {
    const fixture = new RiskFixture(activeLimits);
    for (const strategy of [0, 1]) fixture.hold(100, strategy);
    fixture.send({ lots: 5, strategy: 1, ...resting });
    return fixture.code({ lots: 5, ...terms });
  };
  test('SELF_TRADE denies a buy at or above an own sell, of any strategy', () => {
    expect([1099, 1100, 1101].map((limit) => codeAgainst({ side: 'sell', limit: 1100 }, { limit }))).toEqual([
      null,
      'SELF_TRADE',
      'SELF_TRADE',
    ]);
    expect(codeAgainst({ side: 'sell', limit: 1100 }, { limit: 1101 }, {})).toBeNull();
    expect(codeAgainst({ side: 'sell', limit: 1100, instrumentIndex: 0 }, { limit: 1101, instrumentIndex: 1 })).toBeNull();
  });
  test('SELF_TRADE denies a sell at or below an own buy', () => {
    expect([901, 900].map((limit) => codeAgainst({ limit: 900 }, { side: 'sell', limit }))).toEqual([null, 'SELF_TRADE']);
  });
  test('SELF_TRADE uses the collar of a market order as its price', () => {
    expect([1011, 1010].map((limit) => codeAgainst({ side: 'sell', limit }, {}))).toEqual([null, 'SELF_TRADE']);
  });
});

describe('PARENT', () => {
  test('PARENT lets the orders of a bracket sell at most what its entry buys, and does not limit those of an unknown entry', () => {
    const fixture = new RiskFixture({ parent: 'deny' });
    fixture.hold(100);
    const leg = (parent: number) => (order: Record<string, unknown>) => Object.assign(order, { parent: parent as OrderId, id: 9 });
    const entry = fixture.send({ lots: 20 });
    fixture.risk.filled(
      Object.assign(fixture.draft({ lots: 12, side: 'sell' }), { parent: entry.id }),
      fillOf({ price: 1000, lots: 12, notional: 1 }),
    );
    expect([9, 8, 7].map((lots) => fixture.code({ lots, side: 'sell' }, leg(entry.id)))).toEqual(['PARENT', null, null]);
    expect(fixture.code({ lots: 30, side: 'sell' }, leg(77))).toBeNull();
  });
  test('PARENT counts the remaining quantity of an open sibling', () => {
    const fixture = new RiskFixture({ parent: 'deny' });
    fixture.hold(100);
    const entry = fixture.send({ lots: 20 });
    const sibling = Object.assign(fixture.draft({ lots: 12, side: 'sell', limit: 1100 }), { parent: entry.id, filledLots: 4 });
    fixture.risk.attach({ lastTicks: () => 1000, openOrders: () => [sibling] });
    const leg = (order: Record<string, unknown>) => Object.assign(order, { parent: entry.id, id: 9 });
    expect([13, 12].map((lots) => fixture.code({ lots, side: 'sell' }, leg))).toEqual(['PARENT', null]);
  });
});

describe('DUPLICATE', () => {
  const codeOfRepeat = (afterMs: number, terms: DraftTerms = {}) => {
    const fixture = new RiskFixture({ duplicateMs: 2000 });
    fixture.send({ lots: 5, limit: 900 });
    fixture.nowMs += afterMs;
    return fixture.code({ lots: 5, limit: 900, ...terms });
  };
  test('DUPLICATE denies an equal order within its time', () => {
    expect([codeOfRepeat(1999), codeOfRepeat(2000), codeOfRepeat(2001)]).toEqual(['DUPLICATE', null, null]);
    expect([
      codeOfRepeat(0, { lots: 6 }),
      codeOfRepeat(0, { limit: 901 }),
      codeOfRepeat(0, { strategy: 1 }),
      codeOfRepeat(0, { instrumentIndex: 1 }),
    ]).toEqual([null, null, null, null]);
  });
  test('DUPLICATE does not count an order of the other side', () => {
    const fixture = new RiskFixture({ duplicateMs: 2000 });
    fixture.hold(20);
    fixture.send({ lots: 5 });
    expect([fixture.code({ lots: 5, side: 'sell' }), fixture.code({ lots: 5 })]).toEqual([null, 'DUPLICATE']);
  });
  test('DUPLICATE passes orders of brackets', () => {
    const fixture = new RiskFixture({ duplicateMs: 2000 });
    fixture.hold(20);
    const leg = (order: Record<string, unknown>) => Object.assign(order, { parent: 7 as OrderId, id: 9 });
    const sell = { lots: 5, side: 'sell', limit: 1200 } as const;
    expect([fixture.code(sell, leg), fixture.code(sell, leg), fixture.code(sell)]).toEqual([null, null, 'DUPLICATE']);
  });
  test('DUPLICATE does not count an order that was denied', () => {
    const fixture = new RiskFixture({ duplicateMs: 2000, maxOrderQty: '0.004' });
    expect([fixture.code({ lots: 5 }), fixture.code({ lots: 5 })]).toEqual(['QTY_MAX', 'QTY_MAX']);
  });
});

describe('RESTRICTED', () => {
  const codeAt = (time: string, restricted: string, terms: DraftTerms = {}) => {
    const fixture = new RiskFixture({ restricted });
    fixture.hold(10);
    const [hour = 0, minute = 0] = time.split(':').map(Number);
    fixture.nowMs = 19_000 * DAY_MS + (hour * 60 + minute) * 60_000;
    return fixture.code({ lots: 5, ...terms });
  };
  test('RESTRICTED denies from the first minute of a window to the last before its end, and passes reductions', () => {
    const times = ['22:54', '22:55', '23:04', '23:05'];
    expect(times.map((time) => codeAt(time, '22:55-23:05'))).toEqual([null, 'RESTRICTED', 'RESTRICTED', null]);
    expect(['23:59', '00:09', '00:10'].map((time) => codeAt(time, '01:00-01:01, 23:50-00:10'))).toEqual(['RESTRICTED', 'RESTRICTED', null]);
    expect(['23:49', '23:50', '00:00'].map((time) => codeAt(time, '23:50-00:10'))).toEqual([null, 'RESTRICTED', 'RESTRICTED']);
    expect(['00:00', '23:59'].map((time) => codeAt(time, '00:00-23:59'))).toEqual(['RESTRICTED', null]);
    expect(codeAt('23:00', '22:55-23:05', { side: 'sell' })).toBeNull();
    expect(codeAt('23:00', '22:55-23:05', { side: 'sell', lots: 11 })).toBe('RESTRICTED');
  });
  test('RESTRICTED windows with an invalid time are rejected', () => {
    for (const text of ['', '24:00-01:00', '1:00-2:00', '10:00', '10:00-10:60'])
      expect(() => new RiskFixture({ restricted: text })).toThrow(ConfigError);
  });
});

describe('DEPLOY_CAP', () => {
  test('DEPLOY_CAP allows a share of every size limit, rounded down', () => {
    const fixture = new RiskFixture({ deployShare: '0.1', maxOrderQty: '0.055', maxOrderNotional: '100' });
    expect([4, 5, 6].map((lots) => fixture.code({ lots }))).toEqual([null, null, 'QTY_MAX']);
  });
  test('DEPLOY_CAP allows one symbol only', () => {
    const fixture = new RiskFixture({ deployShare: '1' });
    fixture.hold(10);
    expect([fixture.code({ lots: 5 }), fixture.code({ lots: 5, instrumentIndex: 1 }), fixture.code({ lots: 5, side: 'sell' })]).toEqual([
      null,
      'DEPLOY_CAP',
      null,
    ]);
    expect(new RiskFixture({ deployShare: '1' }).code({ lots: 5, instrumentIndex: 1 })).toBeNull();
  });
  test('DEPLOY_CAP counts a symbol that is only held or only ordered, and passes reductions of any symbol', () => {
    const holdingOnly = new RiskFixture({ deployShare: '1' });
    holdingOnly.hold(10);
    expect(holdingOnly.code({ lots: 5, instrumentIndex: 1 })).toBe('DEPLOY_CAP');
    const orderOnly = new RiskFixture({ deployShare: '1' });
    orderOnly.send({ lots: 5, limit: 900 });
    expect(orderOnly.code({ lots: 5, instrumentIndex: 1 })).toBe('DEPLOY_CAP');
    holdingOnly.hold(10, 0, 1);
    expect([holdingOnly.code({ lots: 11, side: 'sell' }), holdingOnly.code({ lots: 10, side: 'sell' })]).toEqual(['MARGIN', null]);
  });
});

describe('CONCENTRATION', () => {
  test('CONCENTRATION compares the worst notional of one symbol with the equity after fees', () => {
    // Equity is 200 USDT. A lot at 1000 ticks is worth 0.01 USDT and costs a thousandth of that, so 1000 lots are 10 of 199.99 USDT.
    const codeOfBuy = (lots: number, limits: RiskLimits = { maxConcentration: '0.05' }) =>
      new RiskFixture(limits).code({ lots, limit: 1000 });
    expect([codeOfBuy(998), codeOfBuy(999), codeOfBuy(1000), codeOfBuy(1000, {})]).toEqual([null, null, 'CONCENTRATION', null]);
    const otherHolding = new RiskFixture({ maxConcentration: '0.05' });
    otherHolding.hold(900, 0, 1);
    expect([otherHolding.code({ lots: 900, limit: 1000 }), otherHolding.code({ lots: 900, side: 'sell', instrumentIndex: 1 })]).toEqual([
      null,
      null,
    ]);
    expect(otherHolding.ledger.cash(0)).toBe(100 * USDT);
  });
});
