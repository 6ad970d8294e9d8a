// Tests the risk rules on futures with prices that are not known, and with sizes beyond exact integers.

import { describe, expect, test } from 'vitest';
import type { DraftTerms } from '../../../test/fixtures/drafts.ts';
import { FuturesFixture, type FuturesFixtureOptions } from '../../../test/fixtures/futuresFixture.ts';

const LIMIT_TERMS = { limit: 1000 };
const SELL = { side: 'sell' } as const;
const CLOSE = { reduceOnly: true } as const;

describe('an unknown price', () => {
  const codeWhileHolding = (heldLots: number, options: FuturesFixtureOptions, terms: DraftTerms = { lots: 1 }) => {
    const fixture = new FuturesFixture(options);
    fixture.hold(heldLots, 0, 1);
    fixture.marks[1] = NaN;
    return fixture.code(terms);
  };
  test.each([5, -5])(
    'an unknown price of another position of %i lots denies the order wherever it matters, without an error',
    (heldLots) => {
      expect(codeWhileHolding(heldLots, { limits: { maxGrossNotional: '100' } })).toBe('PORTFOLIO');
      expect(codeWhileHolding(heldLots, { limits: { maxLeverage: '100.000000001' } })).toBe('LEVERAGE');
      expect(codeWhileHolding(heldLots, {})).toBe('MARGIN');
      expect(codeWhileHolding(heldLots, { isCross: false })).toBeNull();
    },
  );
  test('an unknown price of another open order denies the order', () => {
    const fixture = new FuturesFixture({ limits: { maxGrossNotional: '100' } });
    fixture.send({ lots: 5, instrumentIndex: 1, ...SELL, ...LIMIT_TERMS });
    fixture.marks[1] = NaN;
    expect(fixture.code({ lots: 1 })).toBe('PORTFOLIO');
  });
  test('an unknown price of its own contract denies an order of any kind', () => {
    const fixture = new FuturesFixture();
    fixture.hold(5);
    fixture.marks[0] = NaN;
    expect([fixture.code({ lots: 1 }), fixture.code({ lots: 1, ...SELL, ...CLOSE })]).toEqual(['BAD_INPUT', 'BAD_INPUT']);
  });
});

test('sizes beyond exact integers are denied without an error', () => {
  const hugeOrder = { lots: 2 ** 53 - 1, limit: 2 ** 40 };
  expect(new FuturesFixture({ without: ['TIER'] }).code(hugeOrder)).toBe('MARGIN');
  expect(new FuturesFixture().code(hugeOrder)).toBe('TIER');
  expect(new FuturesFixture({ limits: { maxLeverage: '1.000000001' } }).code(hugeOrder)).toBe('LEVERAGE');
  expect(new FuturesFixture().code({ quoteUnits: 2 ** 53 - 1 })).not.toBeNull();
});
