// Tests that the rules of contracts let an order pass that only reduces a position.

import { describe, expect, test } from 'vitest';
import type { DraftTerms } from '../../../test/fixtures/drafts.ts';
import { FuturesFixture } from '../../../test/fixtures/futuresFixture.ts';
import { inverseContract } from '../../../test/fixtures/futuresVenue.ts';
import type { RiskLimits } from './limits.ts';

const LIMIT_TERMS = { limit: 1000 };
const SELL = { side: 'sell' } as const;
const CLOSE = { reduceOnly: true } as const;
const TWO_WAY = { isNet: false } as const;
const INVERSE = { instruments: [inverseContract()], mark: 1_000_000, cash: 1_000_000_000 };

describe('reductions', () => {
  const tight = { maxPositionQty: '1', maxPositionNotional: '0.1', maxGrossNotional: '0.1', maxLeverage: '0.0001' };
  test('reductions pass every limit on exposure, and need no margin, even when nothing is available', () => {
    const fixture = new FuturesFixture({ limits: tight, cash: 2000 });
    fixture.hold(20);
    expect([fixture.code({ lots: 12, ...SELL, ...LIMIT_TERMS }), fixture.code({ lots: 8, ...SELL, ...CLOSE })]).toEqual([null, null]);
    expect(fixture.code({ lots: 1, ...SELL, ...LIMIT_TERMS })).toBe('POSITION_MAX');
  });
  test.each([
    ['net', {}, SELL],
    ['two-way', TWO_WAY, { ...SELL, ...CLOSE }],
    ['inverse', INVERSE, SELL],
  ])(
    'a tightened limit on one order denies an opening order, and passes one that closes the whole position (%s)',
    (_, options, closing) => {
      const code = (limits: RiskLimits, terms: DraftTerms) => {
        const fixture = new FuturesFixture(options);
        fixture.hold(20);
        fixture.risk.tighten(limits);
        return fixture.code(terms);
      };
      const limitTicks = new FuturesFixture(options).marks[0]!;
      for (const terms of [{}, { limit: limitTicks }, { triggerTicks: limitTicks - 100 }]) {
        expect(code({ maxOrderQty: '5' }, { ...closing, ...terms, lots: 20 })).toBeNull();
        expect(code({ maxOrderNotional: '0.0001' }, { ...closing, ...terms, lots: 20 })).toBeNull();
      }
      expect(code({ maxOrderQty: '5' }, { lots: 6 })).toBe('QTY_MAX');
      expect(code({ maxOrderNotional: '0.0001' }, { lots: 6 })).toBe('NOTIONAL_MAX');
      // A reversal opens a position, so the limit denies it as a whole.
      if (options !== TWO_WAY) expect(code({ maxOrderQty: '5' }, { ...SELL, lots: 21 })).toBe('QTY_MAX');
    },
  );
  test.each<[string, RiskLimits]>([
    ['OPEN_ORDERS', { maxOpenOrders: 1 }],
    ['MESSAGE_RATE', { maxOrdersPerMinute: 1 }],
  ])('%s (%o) passes an order that closes at the market, and denies one that waits for a price', (code, limits) => {
    const fixture = new FuturesFixture({ limits });
    fixture.hold(20);
    fixture.send({ lots: 1, limit: 900 });
    const close = { ...SELL, ...CLOSE, lots: 10 };
    const waiting = [
      { ...close, limit: 1200 },
      { ...close, triggerTicks: 900 },
    ];
    // An order to close that is above the largest market order is sent as a limit that does not rest.
    const atCollar = { ...close, role: 'market', limit: 990, timeInForce: 'IOC' } as const;
    expect([...waiting, close, atCollar].map((terms) => fixture.code(terms))).toEqual([code, code, null, null]);
  });
  test('a price band narrower than the collar passes an order that closes at the collar, and denies a limit of the strategy', () => {
    const fixture = new FuturesFixture({ limits: { priceBand: '0.005' } });
    fixture.hold(20);
    const atCollar = { ...SELL, lots: 20, limit: 990, timeInForce: 'IOC' } as const;
    expect([fixture.code(atCollar), fixture.code({ ...atCollar, lots: 21, role: 'market' })]).toEqual(['COLLAR', 'COLLAR']);
    expect(fixture.code({ ...atCollar, role: 'market' })).toBeNull();
  });
  test('reductions in two-way mode are only orders that close', () => {
    const fixture = new FuturesFixture({ ...TWO_WAY, limits: { maxPositionQty: '1' } });
    fixture.hold(20);
    expect([fixture.code({ lots: 5, ...SELL }), fixture.code({ lots: 5, ...SELL, ...CLOSE })]).toEqual(['POSITION_MAX', null]);
  });
  test('reductions count orders that are proven absent as if they could still arrive', () => {
    const fixture = new FuturesFixture();
    fixture.hold(20);
    fixture.reservations.holdAbsent(fixture.send({ lots: 15, ...SELL, ...CLOSE }), fixture.nowMs);
    expect([fixture.code({ lots: 6, ...SELL, ...CLOSE }), fixture.code({ lots: 5, ...SELL, ...CLOSE })]).toEqual(['MARGIN', null]);
  });
});
