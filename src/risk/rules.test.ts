// Tests the risk rules on spot: each just below, at and above its limit, and alone responsible for the denial.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { RiskFixture, USDT } from '../../test/fixtures/riskFixture.ts';
import type { DraftTerms } from '../../test/fixtures/drafts.ts';
import { LIMITS, type RiskLimits } from './limits/limits.ts';
import { FUTURES_RULES, RULES } from './rules.ts';

/** A situation in which orders below and at a limit pass. Only the rule of this code denies an order beyond the limit. */
interface Boundary {
  readonly code: string;
  readonly limits?: RiskLimits;
  readonly prepare?: (fixture: RiskFixture) => void;
  /** One step below the limit, at it, and one step beyond it. */
  readonly below: DraftTerms;
  readonly atLimit: DraftTerms;
  readonly beyond: DraftTerms;
}

const sizes = (below: number, terms: DraftTerms = {}): Pick<Boundary, 'below' | 'atLimit' | 'beyond'> => ({
  below: { ...terms, lots: below },
  atLimit: { ...terms, lots: below + 1 },
  beyond: { ...terms, lots: below + 2 },
});
const LIMIT_TERMS = { limit: 1000 };

/** For a rule without a number, `below` and `atLimit` are two orders that pass. */
const BOUNDARIES: readonly Boundary[] = [
  {
    code: 'TIME_IN_FORCE',
    below: { lots: 2, ...LIMIT_TERMS },
    atLimit: { lots: 3, ...LIMIT_TERMS, timeInForce: null },
    beyond: { lots: 3, ...LIMIT_TERMS, timeInForce: 'IOC' },
  },
  { code: 'PRECISION', below: { lots: 3 }, atLimit: { lots: 2 }, beyond: { lots: 1 } },
  { code: 'PRECISION', below: { quoteUnits: 2_000_001 }, atLimit: { quoteUnits: 2_000_000 }, beyond: { quoteUnits: 1_999_999 } },
  { code: 'PRECISION', below: { lots: 3 }, atLimit: { lots: 2 }, beyond: { lots: 0 } },
  {
    code: 'REDUCE_ONLY',
    prepare: (fixture) => fixture.hold(50),
    below: { lots: 3, side: 'sell', reduceOnly: true },
    atLimit: { lots: 3, side: 'buy' },
    beyond: { lots: 3, side: 'buy', reduceOnly: true },
  },
  { code: 'QTY_MAX', limits: { maxOrderQty: '0.0209' }, ...sizes(19) },
  // By amount: 19.8 million units buy at most 20 lots at the mark less the collar.
  {
    code: 'QTY_MAX',
    limits: { maxOrderQty: '0.02' },
    below: { quoteUnits: 19_799_999 },
    atLimit: { quoteUnits: 19_800_000 },
    beyond: { quoteUnits: 19_800_001 },
  },
  { code: 'NOTIONAL_MAX', limits: { maxOrderNotional: '0.2' }, ...sizes(19, LIMIT_TERMS) },
  { code: 'NOTIONAL_MAX', limits: { maxOrderNotional: '0.2' }, ...sizes(19, { limit: 700 }) },
  { code: 'NOTIONAL_MAX', limits: { maxOrderNotional: '0.202' }, ...sizes(19) },
  {
    code: 'NOTIONAL_MAX',
    limits: { maxOrderNotional: '0.2' },
    below: { quoteUnits: 2e7 - 1 },
    atLimit: { quoteUnits: 2e7 },
    beyond: { quoteUnits: 2e7 + 1 },
  },
  {
    code: 'COLLAR',
    limits: { priceBand: '0.03' },
    below: { lots: 5, limit: 1029 },
    atLimit: { lots: 5, limit: 1030 },
    beyond: { lots: 5, limit: 1031 },
  },
  {
    code: 'COLLAR',
    limits: { priceBand: '0.03' },
    prepare: (fixture) => fixture.hold(50),
    below: { lots: 5, limit: 971, side: 'sell' },
    atLimit: { lots: 5, limit: 970, side: 'sell' },
    beyond: { lots: 5, limit: 969, side: 'sell' },
  },
  { code: 'POSITION_MAX', limits: { maxPositionQty: '0.05' }, prepare: heldAndOpen, ...sizes(19, LIMIT_TERMS) },
  { code: 'POSITION_NOTIONAL', limits: { maxPositionNotional: '0.5' }, prepare: heldAndOpen, ...sizes(19, LIMIT_TERMS) },
  {
    code: 'POSITION_NOTIONAL',
    limits: { maxPositionNotional: '0.55' },
    prepare: (fixture) => (heldAndOpen(fixture), (fixture.marks[0] = 1100)),
    ...sizes(19, LIMIT_TERMS),
  },
  {
    code: 'PORTFOLIO',
    limits: { maxGrossNotional: '0.8' },
    prepare: (fixture) => (heldAndOpen(fixture), fixture.hold(30, 1, 1)),
    ...sizes(19, LIMIT_TERMS),
  },
  {
    code: 'PORTFOLIO',
    limits: { maxNetNotional: '0.8' },
    prepare: (fixture) => (heldAndOpen(fixture), fixture.hold(30, 1, 1)),
    ...sizes(19, LIMIT_TERMS),
  },
  // Equity of 20,030,000,000 units, less the order's fee of 10,000: 30 lots held and 10 bought are just below two thousandths of it.
  { code: 'LEVERAGE', limits: { maxLeverage: '0.002' }, prepare: (fixture) => fixture.hold(30, 1, 1), ...sizes(9, LIMIT_TERMS) },
  // 100 USDT of cash buy 9990 lots of 1,000,000 units and 0.1 % of fee.
  { code: 'MARGIN', ...sizes(9989, { limit: 1000 }) },
  // An amount and its fee use the cash to its last unit.
  { code: 'MARGIN', below: { quoteUnits: 9_990_009_989 }, atLimit: { quoteUnits: 9_990_009_990 }, beyond: { quoteUnits: 9_990_009_991 } },
  { code: 'MARGIN', prepare: heldAndOpen, ...sizes(9979, { limit: 1000 }) },
  { code: 'MARGIN', ...sizes(19_979, { limit: 500 }) },
  { code: 'MARGIN', prepare: (fixture) => (fixture.hold(50), fixture.send({ lots: 20, side: 'sell' })), ...sizes(29, { side: 'sell' }) },
  { code: 'MARGIN', prepare: (fixture) => fixture.ledger.deposit(0, 'BTC', 30_999), ...sizes(29, { side: 'sell', limit: 1200 }) },
];

/** Gives the other strategy a holding of 20 lots, and opens a buy of 10 lots. */
function heldAndOpen(fixture: RiskFixture): void {
  fixture.hold(20, 1);
  fixture.send({ lots: 10, ...LIMIT_TERMS });
}

describe.each(BOUNDARIES.map((each, index) => ({ ...each, title: `${each.code}, boundary ${index + 1}` })))(
  '$title',
  ({ code, title, limits = {}, prepare, below, atLimit, beyond }) => {
    const preparedFixture = (without: readonly string[] = []) => {
      const newFixture = new RiskFixture(limits, without);
      prepare?.(newFixture);
      return newFixture;
    };
    test(`${title}: the rule passes orders below and at its limit`, () => {
      expect([preparedFixture().code(below), preparedFixture().code(atLimit)]).toEqual([null, null]);
    });
    test(`${title}: the rule denies an order beyond its limit, with its code and figures, and reserves nothing`, () => {
      const fixture = preparedFixture();
      const { reservations } = fixture;
      const figures = () => [reservations.openOrdersTotal, reservations.cash(0), reservations.sellLots(0, 0)];
      const before = figures();
      expect(fixture.code(beyond)).toBe(code);
      expect(fixture.risk.detail()).not.toMatch(/NaN|undefined|^$/);
      expect(figures()).toEqual(before);
    });
    test(`${title}: the order beyond the limit passes without this rule`, () => {
      expect(preparedFixture([code]).code(beyond)).toBeNull();
    });
  },
);

/** Sends four orders, the second with the terms of `other`, and returns their deny codes. */
const codesOfFourOrders = (limits: RiskLimits, other: DraftTerms, without: readonly string[] = []) => {
  const fixture = new RiskFixture(limits, without);
  return [1, 2, 3, 4].map((orderNumber) => fixture.code(orderNumber === 2 ? { lots: 5, ...other } : { lots: 5 }));
};

describe('a risk limit keeps no strategy in a position', () => {
  const SELL = { side: 'sell' } as const;
  /** A fixture whose limits are tightened after strategy 0 has bought 90 lots. */
  const tightened = (limits: RiskLimits): RiskFixture => {
    const fixture = new RiskFixture();
    fixture.hold(90);
    fixture.risk.tighten(limits);
    return fixture;
  };
  test.each<[string, RiskLimits]>([
    ['QTY_MAX', { maxOrderQty: '0.02' }],
    ['NOTIONAL_MAX', { maxOrderNotional: '0.2' }],
    ['POSITION_MAX', { maxPositionQty: '0.02' }],
    ['POSITION_NOTIONAL', { maxPositionNotional: '0.2' }],
    ['PORTFOLIO', { maxGrossNotional: '0.2' }],
    ['PORTFOLIO', { maxNetNotional: '0.2' }],
    ['LEVERAGE', { maxLeverage: '0.0001' }],
    ['CONCENTRATION', { maxConcentration: '0.0001' }],
  ])('a tightened limit of %s (%o) denies a buy, and passes sales of the whole holding', (code, limits) => {
    expect(tightened(limits).code({ lots: 30 })).toBe(code);
    expect(tightened(limits).code({ ...SELL, lots: 90 })).toBeNull();
    expect(tightened(limits).code({ ...SELL, lots: 90, limit: 1200 })).toBeNull();
    // More than the holding is no reduction.
    expect(tightened(limits).code({ ...SELL, lots: 91 })).not.toBeNull();
  });
  test.each<[string, RiskLimits]>([
    ['OPEN_ORDERS', { maxOpenOrders: 2 }],
    ['OPEN_ORDERS', { maxOpenOrdersTotal: 2 }],
    ['MESSAGE_RATE', { maxOrdersPerMinute: 2 }],
  ])('%s (%o) denies a buy and a sale with a limit, and passes a sale at the market, which ends at once', (code, limits) => {
    const fixture = tightened(limits);
    for (const lots of [2, 3]) fixture.send({ lots, limit: 900 });
    expect(fixture.code({ lots: 4, limit: 900 })).toBe(code);
    expect(fixture.code({ ...SELL, lots: 90, limit: 1200 })).toBe(code);
    expect(fixture.code({ ...SELL, lots: 50 })).toBeNull();
    expect(fixture.code({ ...SELL, lots: 40 })).toBeNull();
  });
  test('DUPLICATE denies the same buy, and the same sale with a limit, and passes the same sale at the market', () => {
    const fixture = tightened({ duplicateMs: 2000 });
    const sent = [{ lots: 2 }, { ...SELL, lots: 20, limit: 1200 }, { ...SELL, lots: 20 }];
    for (const terms of sent) fixture.send(terms);
    expect(sent.map((terms) => fixture.code(terms))).toEqual(['DUPLICATE', 'DUPLICATE', null]);
  });
  test('a market order beyond what is held is no reduction, and counts as any other', () => {
    const fixture = tightened({ maxOpenOrders: 1 });
    fixture.send({ lots: 2, limit: 900 });
    fixture.send({ ...SELL, lots: 60 });
    expect(fixture.code({ ...SELL, lots: 40 })).toBe('OPEN_ORDERS');
  });
});

describe('OPEN_ORDERS', () => {
  test('OPEN_ORDERS counts the orders of a symbol', () => {
    expect(codesOfFourOrders({ maxOpenOrders: 2 }, {})).toEqual([null, null, 'OPEN_ORDERS', 'OPEN_ORDERS']);
    expect(codesOfFourOrders({ maxOpenOrders: 2 }, { instrumentIndex: 1 })).toEqual([null, null, null, 'OPEN_ORDERS']);
    expect(codesOfFourOrders({ maxOpenOrders: 2 }, {}, ['OPEN_ORDERS'])).toEqual([null, null, null, null]);
  });
  test('OPEN_ORDERS counts the orders of all strategies of the account', () => {
    expect(codesOfFourOrders({ maxOpenOrdersTotal: 3 }, { instrumentIndex: 1, strategy: 1 })).toEqual([null, null, null, 'OPEN_ORDERS']);
    expect(codesOfFourOrders({ maxOpenOrdersTotal: 3 }, { instrumentIndex: 1 }, ['OPEN_ORDERS'])).toEqual([null, null, null, null]);
  });
  test('OPEN_ORDERS no longer counts a finished order, and still counts one that is proven absent', () => {
    const fixture = new RiskFixture({ maxOpenOrders: 1 });
    const first = fixture.send({ lots: 5 });
    const second = fixture.code({ lots: 5 });
    fixture.fill(first, 5);
    const third = fixture.send({ lots: 5 });
    fixture.reservations.holdAbsent(third, fixture.nowMs);
    expect([second, fixture.code({ lots: 5 })]).toEqual(['OPEN_ORDERS', 'OPEN_ORDERS']);
    fixture.nowMs += 30 * 60_000;
    expect(fixture.code({ lots: 5 })).toBeNull();
  });
});

/** Sends an order at each of `times` and returns their deny codes. */
const codesAtTimes = (times: readonly number[], without: readonly string[] = []) => {
  const fixture = new RiskFixture({ maxOrdersPerMinute: 2 }, without);
  return times.map((ms) => {
    fixture.nowMs = ms;
    return fixture.code({ lots: 2 });
  });
};

describe('MESSAGE_RATE', () => {
  test('MESSAGE_RATE passes at most the limit in any 60 s, and no longer counts an order after exactly 60 s', () => {
    expect(codesAtTimes([0, 30_000, 59_999, 60_000, 60_001, 89_999, 90_000])).toEqual([
      null,
      null,
      'MESSAGE_RATE',
      null,
      'MESSAGE_RATE',
      'MESSAGE_RATE',
      null,
    ]);
    expect(codesAtTimes([0, 0, 0], ['MESSAGE_RATE'])).toEqual([null, null, null]);
  });
  test('MESSAGE_RATE does not count an order that another rule denies', () => {
    const fixture = new RiskFixture({ maxOrdersPerMinute: 1 });
    expect([fixture.code({ lots: 1 }), fixture.code({ lots: 2 }), fixture.code({ lots: 2 })]).toEqual(['PRECISION', null, 'MESSAGE_RATE']);
  });
});

test('INSTRUMENT denies an instrument that is not in this run', () => {
  const foreign = new RiskFixture().instruments[1]!;
  for (const instrument of [foreign, { ...foreign, market: 'futures' as const }]) {
    const change = (order: Record<string, unknown>) => (order['instrument'] = instrument);
    expect(new RiskFixture().code({ lots: 5 }, change)).toBe('INSTRUMENT');
    expect(new RiskFixture({}, ['INSTRUMENT']).code({ lots: 5 }, change)).toBeNull();
  }
});
test('an order whose instrument differs from its index is denied', () => {
  const fixture = new RiskFixture();
  for (const [index, strategy] of [[1, 0], [1, 1], [0, 1], [1, 1]] as const) {
    const terms = { lots: 5, strategy, instrumentIndex: index };
    expect(fixture.code(terms, (order) => (order['instrument'] = fixture.instruments[1 - index]))).toBe('INSTRUMENT');
    expect(fixture.code(terms, (order) => (order['instrumentIndex'] = 2))).toBe('BAD_INPUT');
    expect(fixture.code(terms, (order) => (order['strategy'] = 2))).toBe('BAD_INPUT');
    expect(fixture.code(terms)).toBeNull();
  }
}); // prettier-ignore

describe('reductions', () => {
  test('reductions pass the exposure rules even when a limit is already exceeded', () => {
    const fixture = new RiskFixture({ maxPositionQty: '0.01', maxPositionNotional: '0.1', maxGrossNotional: '0.1', maxLeverage: '0.0001' });
    fixture.hold(40);
    expect(fixture.code({ lots: 5 })).toBe('POSITION_MAX');
    expect(fixture.code({ lots: 5, side: 'sell' })).toBeNull();
  });
});

describe('BAD_INPUT', () => {
  const invalidValues = [NaN, undefined, -1, 0.5, Infinity, 2 ** 53, null, '5'];
  const fields = ['lots', 'quoteUnits', 'limit', 'instrumentIndex', 'strategy', 'filledLots', 'sign'];
  // A sign of -1 is valid, because it is that of a sell. So 0 is drawn in its place.
  const cases = fields.flatMap((field) => invalidValues.map((value) => ({ field, value: field === 'sign' && value === -1 ? 0 : value })));
  test.each(cases)('an order with $field = $value is denied as BAD_INPUT', ({ field, value }) => {
    expect(new RiskFixture().code({ lots: 5, limit: 1000 }, (order) => (order[field] = value))).toBe('BAD_INPUT');
  });
  test.each([...invalidValues, 0])('an order at a mark of %s is denied as BAD_INPUT', (value) => {
    const fixture = new RiskFixture();
    fixture.marks[0] = value as number;
    expect(fixture.code({ lots: 5, limit: 1000 })).toBe('BAD_INPUT');
    expect(fixture.risk.detail()).toContain('last price');
  });
  test.each([NaN, undefined, Infinity])('an order at a time of %s is denied as BAD_INPUT', (value) => {
    const fixture = new RiskFixture();
    fixture.nowMs = value as number;
    expect(fixture.code({ lots: 5, limit: 1000 })).toBe('BAD_INPUT');
  });
  test('an order with contradictory terms, or one that is already reserved, is denied as BAD_INPUT', () => {
    expect(new RiskFixture().code({ lots: 5, quoteUnits: 5e6 })).toBe('BAD_INPUT');
    expect(new RiskFixture().code({ side: 'sell', quoteUnits: 5e6 })).toBe('BAD_INPUT');
    expect(new RiskFixture().code({ limit: 1000, quoteUnits: 5e6 })).toBe('BAD_INPUT');
    expect(new RiskFixture().code({ quoteUnits: 5e6 }, (order) => (order['filledUnits'] = 1))).toBe('BAD_INPUT');
    const fixture = new RiskFixture();
    const order = fixture.send({ lots: 5 });
    expect(fixture.risk.check(order, fixture.nowMs, 1000)).toBeNull();
    expect(fixture.risk.code).toBe('BAD_INPUT');
  });
  test('a missing mark of another holding or open order denies the order in the rules that need it', () => {
    const fixture = new RiskFixture({ maxGrossNotional: '100' });
    fixture.hold(5, 0, 1);
    fixture.marks[1] = NaN;
    expect(fixture.code({ lots: 5 })).toBe('PORTFOLIO');
    const levered = new RiskFixture({ maxLeverage: '1' });
    levered.hold(5, 0, 1);
    levered.marks[1] = NaN;
    expect(levered.code({ lots: 5 })).toBe('LEVERAGE');
    const resting = new RiskFixture({ maxLeverage: '1' });
    resting.send({ lots: 5, instrumentIndex: 1 });
    resting.marks[1] = NaN;
    expect(resting.code({ lots: 5 })).toBe('LEVERAGE');
  });
  test('sizes beyond exact integers are denied without an error', () => {
    expect(new RiskFixture().code({ lots: 2 ** 53 - 1, limit: 2 ** 40 })).toBe('MARGIN');
    expect(new RiskFixture().code({ quoteUnits: 2 ** 53 - 1 })).toBe('MARGIN');
    expect(new RiskFixture({ maxLeverage: '1000000' }).code({ lots: 2 ** 53 - 1, limit: 2 ** 40 })).toBe('LEVERAGE');
  });
});

test('every limit belongs to a rule with its code, and only rules whose limits are set are on', () => {
  const allRules = [...RULES, ...FUTURES_RULES];
  for (const { key, code } of LIMITS) expect(allRules.find((rule) => rule.code === code)?.keys).toContain(key);
  const alwaysOn = ['TIME_IN_FORCE', 'INSTRUMENT', 'PRECISION', 'REDUCE_ONLY', 'MARGIN'];
  expect(new RiskFixture().risk.rulesOn()).toEqual(alwaysOn);
  expect(new RiskFixture({ maxDrawdown: '0.1', maxOpenOrdersTotal: 5 }).risk.rulesOn()).toEqual([
    'DRAWDOWN',
    ...alwaysOn.slice(0, 4),
    'OPEN_ORDERS',
    'MARGIN',
  ]);
});

test('the page on risk lists every rule with its limits, in the order in which they are checked', () => {
  const page = readFileSync(new URL('../../docs/risk.md', import.meta.url), 'utf8');
  const pageLines = RULES.map(({ code, keys }) =>
    page.split('\n').findIndex((line) => line.startsWith(`| \`${code}\` |`) && keys.every((key) => line.includes(key))),
  );
  expect(pageLines).not.toContain(-1);
  expect(pageLines).toEqual(pageLines.toSorted((a, b) => a - b));
});

test('of several rules that an order breaks, the first in the documented order gives the code', () => {
  const fixture = new RiskFixture({ maxOrderQty: '0.003', maxOrderNotional: '0.01', priceBand: '0.01', maxOpenOrders: 1 });
  expect(fixture.code({ lots: 9, limit: 9000, timeInForce: 'FOK' })).toBe('TIME_IN_FORCE');
  expect(fixture.code({ lots: 9, limit: 9000 })).toBe('QTY_MAX');
  expect(fixture.code({ lots: 3, limit: 9000 })).toBe('NOTIONAL_MAX');
  expect(fixture.ledger.cash(0)).toBe(100 * USDT);
});
