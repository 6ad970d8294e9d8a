// Tests the risk rules on futures: each just below, at and above its limit, and alone responsible for the denial.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { DraftTerms } from '../../../test/fixtures/drafts.ts';
import { FuturesFixture, type FuturesFixtureOptions } from '../../../test/fixtures/futuresFixture.ts';
import { inverseContract, linearContract } from '../../../test/fixtures/futuresVenue.ts';
import { lots } from '../../base/brand.ts';
import type { LimitKey } from './limits.ts';
import { FUTURES_RULES } from '../rules.ts';

/** A situation in which orders below and at a limit pass. Only the rule of this code denies an order beyond the limit. */
interface Boundary {
  readonly code: string;
  /** For the title of the test. */
  readonly description: string;
  readonly options: FuturesFixtureOptions;
  readonly prepare: (fixture: FuturesFixture) => void;
  readonly below: DraftTerms;
  readonly atLimit: DraftTerms;
  readonly beyond: DraftTerms;
}

/** Returns the three orders of a boundary, which differ by one lot each. */
const sizes = (below: number, terms: DraftTerms = {}): Pick<Boundary, 'below' | 'atLimit' | 'beyond'> => ({
  below: { ...terms, lots: below },
  atLimit: { ...terms, lots: below + 1 },
  beyond: { ...terms, lots: below + 2 },
});

/** Returns the three orders of a boundary. */
const orders = (below: DraftTerms, atLimit: DraftTerms, beyond: DraftTerms) => ({ below, atLimit, beyond });
const boundary = (
  code: string,
  description: string,
  options: FuturesFixtureOptions,
  prepare: (fixture: FuturesFixture) => void,
  terms: Pick<Boundary, 'below' | 'atLimit' | 'beyond'>,
): Boundary => ({ code, description, options, prepare, ...terms });
const limitOf = (key: LimitKey, value: string) => ({ limits: { [key]: value } });
const doNothing = () => {};
const LIMIT_TERMS = { limit: 1000 };
const SELL = { side: 'sell' } as const;
const CLOSE = { reduceOnly: true } as const;
const TWO_WAY = { isNet: false } as const;
/** A leverage of 10 is allowed up to 20,000 units. */
const TIERS = [
  { upToUnits: 20_000, maintenancePpm: 5000, maxLeverage: 10 },
  { upToUnits: null, maintenancePpm: 10_000, maxLeverage: 9 },
];
/** The value is 100,000 units a lot at a price of 1,000,000 ticks, and twice that at half the price. */
const INVERSE = { instruments: [inverseContract()], mark: 1_000_000, cash: 1_000_000_000 };
const NOT_TRADING = { instruments: [linearContract({ isTrading: false })] };

/** 20 lots held, 10 in an open order of the same direction. */
const heldAndOpen = (sign: 1 | -1) => (fixture: FuturesFixture) => {
  fixture.hold(20 * sign);
  fixture.send({ lots: 10, side: sign > 0 ? 'buy' : 'sell', ...LIMIT_TERMS });
};

/** 20 lots short, 10 in an open sell, and a mark that has risen since. */
const shortAndRisen = (fixture: FuturesFixture) => {
  heldAndOpen(-1)(fixture);
  fixture.marks[0] = 1100;
};
const holdLots = (heldLots: number) => (fixture: FuturesFixture) => fixture.hold(heldLots);

const BOUNDARIES: readonly Boundary[] = [
  // For a rule without a number, `below` and `atLimit` are two orders that pass.
  boundary(
    'NOT_TRADING',
    'opens',
    NOT_TRADING,
    holdLots(20),
    orders({ lots: 3, ...SELL, ...CLOSE }, { lots: 20, ...SELL, ...CLOSE }, { lots: 1 }),
  ),
  boundary(
    'PRECISION',
    'lots',
    { instruments: [linearContract({}, { minLots: lots(2) })] },
    doNothing,
    orders({ lots: 3 }, { lots: 2 }, { lots: 1 }),
  ),
  boundary('PRECISION', 'by value', {}, doNothing, orders({ quoteUnits: 1001 }, { quoteUnits: 1000 }, { quoteUnits: 999 })),
  boundary('QTY_MAX', 'buy', limitOf('maxOrderQty', '20.9'), doNothing, sizes(19, LIMIT_TERMS)),
  boundary('QTY_MAX', 'sell', limitOf('maxOrderQty', '20'), doNothing, sizes(19, { ...SELL, ...LIMIT_TERMS })),
  // 990 units a lot at the mark less the collar, and one lot more for a rounded division.
  boundary(
    'QTY_MAX',
    'by value',
    limitOf('maxOrderQty', '20'),
    doNothing,
    orders({ quoteUnits: 18_000 }, { quoteUnits: 18_810 }, { quoteUnits: 18_811 }),
  ),
  boundary(
    'QTY_MAX',
    'by value, inverse: the higher price buys more',
    { ...INVERSE, ...limitOf('maxOrderQty', '20') },
    doNothing,
    orders({ quoteUnits: 1_800_000 }, { quoteUnits: 1_881_188 }, { quoteUnits: 1_881_189 }),
  ),
  boundary('NOTIONAL_MAX', 'limit at the mark', limitOf('maxOrderNotional', '2'), doNothing, sizes(19, LIMIT_TERMS)),
  boundary('NOTIONAL_MAX', 'limit below the mark', limitOf('maxOrderNotional', '2'), doNothing, sizes(19, { limit: 700 })),
  boundary('NOTIONAL_MAX', 'sell above the mark', limitOf('maxOrderNotional', '2.4'), doNothing, sizes(19, { ...SELL, limit: 1200 })),
  boundary('NOTIONAL_MAX', 'market: the collar', limitOf('maxOrderNotional', '2.02'), doNothing, sizes(19, SELL)),
  boundary(
    'NOTIONAL_MAX',
    'by value',
    limitOf('maxOrderNotional', '2'),
    doNothing,
    orders({ quoteUnits: 19_999 }, { quoteUnits: 20_000 }, { quoteUnits: 20_001 }),
  ),
  boundary(
    'NOTIONAL_MAX',
    'inverse, at the mark',
    { ...INVERSE, ...limitOf('maxOrderNotional', '0.02') },
    doNothing,
    sizes(19, { limit: 1_250_000 }),
  ),
  boundary(
    'NOTIONAL_MAX',
    'inverse, at half the price',
    { ...INVERSE, ...limitOf('maxOrderNotional', '0.04') },
    doNothing,
    sizes(19, { limit: 500_000 }),
  ),
  boundary(
    'COLLAR',
    'buy',
    limitOf('priceBand', '0.03'),
    doNothing,
    orders({ lots: 5, limit: 1029 }, { lots: 5, limit: 1030 }, { lots: 5, limit: 1031 }),
  ),
  boundary(
    'COLLAR',
    'sell',
    limitOf('priceBand', '0.03'),
    doNothing,
    orders({ lots: 5, ...SELL, limit: 971 }, { lots: 5, ...SELL, limit: 970 }, { lots: 5, ...SELL, limit: 969 }),
  ),
  boundary(
    'CONTRACT_TAKEN',
    'held',
    {},
    holdLots(1),
    orders({ lots: 3, strategy: 0 }, { lots: 3, strategy: 1, instrumentIndex: 1 }, { lots: 3, strategy: 1 }),
  ),
  boundary(
    'CONTRACT_TAKEN',
    'an order is open',
    {},
    (fixture) => fixture.send({ lots: 2, ...LIMIT_TERMS }),
    orders({ lots: 3, strategy: 0 }, { lots: 3, strategy: 1, instrumentIndex: 1 }, { lots: 3, strategy: 1 }),
  ),
  boundary('POSITION_MAX', 'long', limitOf('maxPositionQty', '50'), heldAndOpen(1), sizes(19, LIMIT_TERMS)),
  boundary('POSITION_MAX', 'short', limitOf('maxPositionQty', '50'), heldAndOpen(-1), sizes(19, { ...SELL, ...LIMIT_TERMS })),
  boundary('POSITION_MAX', 'net: reversed', limitOf('maxPositionQty', '20'), holdLots(20), sizes(39, { ...SELL, ...LIMIT_TERMS })),
  // Orders that only close may take the 20 lots first. Then all opening orders are short.
  boundary(
    'POSITION_MAX',
    'net: beside a close',
    limitOf('maxPositionQty', '30'),
    (fixture) => (fixture.hold(20), fixture.send({ lots: 20, ...SELL, ...CLOSE })),
    sizes(29, { ...SELL, ...LIMIT_TERMS }),
  ),
  boundary(
    'POSITION_MAX',
    'two-way: sides apart',
    { ...TWO_WAY, ...limitOf('maxPositionQty', '20') },
    holdLots(20),
    sizes(19, { ...SELL, ...LIMIT_TERMS }),
  ),
  boundary(
    'POSITION_MAX',
    'two-way: closes open nothing',
    { ...TWO_WAY, ...limitOf('maxPositionQty', '20') },
    (fixture) => (fixture.hold(15), fixture.hold(-15), fixture.send({ lots: 15, ...CLOSE })),
    sizes(4, LIMIT_TERMS),
  ),
  boundary('POSITION_NOTIONAL', 'long', limitOf('maxPositionNotional', '5'), heldAndOpen(1), sizes(19, LIMIT_TERMS)),
  boundary(
    'POSITION_NOTIONAL',
    'short after a rise: open sells at the mark',
    limitOf('maxPositionNotional', '5.5'),
    shortAndRisen,
    sizes(19, { ...SELL, ...LIMIT_TERMS }),
  ),
  boundary('POSITION_NOTIONAL', 'net: reversed', limitOf('maxPositionNotional', '2'), holdLots(20), sizes(39, { ...SELL, ...LIMIT_TERMS })),
  boundary(
    'POSITION_NOTIONAL',
    'inverse, a fall raises the value',
    { ...INVERSE, ...limitOf('maxPositionNotional', '0.1') },
    (fixture) => (fixture.hold(20), fixture.send({ lots: 10, limit: 1_000_000 }), (fixture.marks[0] = 500_000)),
    sizes(19, { limit: 500_000 }),
  ),
  boundary(
    'PORTFOLIO',
    'two contracts',
    limitOf('maxGrossNotional', '8'),
    (fixture) => (heldAndOpen(1)(fixture), fixture.hold(-30, 1, 1)),
    sizes(19, LIMIT_TERMS),
  ),
  boundary(
    'PORTFOLIO',
    'net: the larger side',
    limitOf('maxGrossNotional', '4'),
    (fixture) => (fixture.hold(20), fixture.send({ lots: 20, ...LIMIT_TERMS })),
    sizes(59, { ...SELL, ...LIMIT_TERMS }),
  ),
  boundary(
    'PORTFOLIO',
    'two-way: both sides',
    { ...TWO_WAY, ...limitOf('maxGrossNotional', '4') },
    holdLots(20),
    sizes(19, { ...SELL, ...LIMIT_TERMS }),
  ),
  // 30 lots of another contract on the other side are netted; orders that would close them are not.
  boundary(
    'PORTFOLIO',
    'net of contracts: a buy',
    limitOf('maxNetNotional', '2'),
    (fixture) => fixture.hold(-30, 1, 1),
    sizes(49, LIMIT_TERMS),
  ),
  boundary(
    'PORTFOLIO',
    'net of contracts: a sell',
    limitOf('maxNetNotional', '2'),
    (fixture) => fixture.hold(30, 1, 1),
    sizes(49, { ...SELL, ...LIMIT_TERMS }),
  ),
  boundary(
    'PORTFOLIO',
    'net of contracts: beside a close and an open order',
    limitOf('maxNetNotional', '2'),
    (fixture) => (
      fixture.hold(-30, 1, 1),
      fixture.send({ lots: 10, strategy: 1, instrumentIndex: 1, ...CLOSE, ...LIMIT_TERMS }),
      fixture.send({ lots: 5, ...LIMIT_TERMS })
    ),
    sizes(34, LIMIT_TERMS),
  ),
  // Equity of 20,000,000 units in 10,000,000 of either book; fees of a unit for two lots.
  boundary('LEVERAGE', 'equity after fees', limitOf('maxLeverage', '0.002'), (fixture) => fixture.hold(30, 1, 1), sizes(8, LIMIT_TERMS)),
  boundary(
    'LEVERAGE',
    'a loss counts',
    limitOf('maxLeverage', '0.0025'),
    (fixture) => fixture.hold(30, 1, 1, 71_000),
    sizes(13, LIMIT_TERMS),
  ),
  // A leverage of 10 is allowed up to 20,000 units.
  boundary('TIER', 'long', { instruments: [linearContract({ tiers: TIERS })] }, holdLots(10), sizes(9, LIMIT_TERMS)),
  boundary(
    'TIER',
    'net: reversed',
    { instruments: [linearContract({ tiers: TIERS })] },
    holdLots(10),
    sizes(29, { ...SELL, ...LIMIT_TERMS }),
  ),
  // A lot takes 100 units of margin; 20 lots take 10 units of fees, and a part of it none below a unit.
  boundary('MARGIN', 'opens', { cash: 2010 }, doNothing, sizes(19, LIMIT_TERMS)),
  boundary(
    'MARGIN',
    'beside what is open',
    { cash: 3015 },
    (fixture) => fixture.send({ lots: 10, ...LIMIT_TERMS }),
    sizes(19, LIMIT_TERMS),
  ),
  boundary('MARGIN', 'beside a position', { cash: 4010 }, holdLots(20), sizes(19, LIMIT_TERMS)),
  boundary('MARGIN', 'net: reversed', { cash: 3010 }, holdLots(10), sizes(29, { ...SELL, ...LIMIT_TERMS })),
  boundary(
    'MARGIN',
    'a loss of a cross position',
    { cash: 3010 },
    (fixture) => (fixture.hold(10, 0, 1, 1050), (fixture.marks[1] = 1005)),
    sizes(14, LIMIT_TERMS),
  ),
  boundary('MARGIN', 'closes', {}, holdLots(20), sizes(19, { ...SELL, ...CLOSE })),
  boundary('MARGIN', 'closes, limit', {}, (fixture) => fixture.hold(-20), sizes(19, { ...CLOSE, limit: 1100 })),
  boundary(
    'MARGIN',
    'closes beside another close',
    {},
    (fixture) => (fixture.hold(30), fixture.send({ lots: 10, ...SELL, ...CLOSE })),
    sizes(19, { ...SELL, ...CLOSE }),
  ),
  boundary(
    'MARGIN',
    'net: closes beside an open sell',
    {},
    (fixture) => (fixture.hold(30), fixture.send({ lots: 10, ...SELL, limit: 1100 })),
    sizes(19, { ...SELL, ...CLOSE }),
  ),
  boundary(
    'MARGIN',
    'two-way: an open sell takes nothing from a long',
    TWO_WAY,
    (fixture) => (fixture.hold(20), fixture.send({ lots: 10, ...SELL, limit: 1100 })),
    sizes(19, { ...SELL, ...CLOSE }),
  ),
];

describe.each(BOUNDARIES.map((each) => ({ ...each, title: `${each.code}, ${each.description}` })))(
  '$title',
  ({ code, title, options, prepare, below, atLimit, beyond }) => {
    const preparedFixture = (without: readonly string[] = []) => {
      const newFixture = new FuturesFixture({ ...options, without });
      prepare(newFixture);
      return newFixture;
    };
    test(`${title}: the rule passes orders below and at its limit`, () => {
      expect([preparedFixture().code(below), preparedFixture().code(atLimit)]).toEqual([null, null]);
    });
    test(`${title}: the rule denies an order beyond its limit, with its code and figures, and reserves nothing`, () => {
      const fixture = preparedFixture();
      const figures = () => [
        fixture.reservations.openOrdersTotal,
        fixture.reservations.cash(0),
        fixture.reservations.sellLots(0, 0),
        fixture.reservations.buyLots(0, 0),
      ];
      const before = figures();
      expect(fixture.code(beyond)).toBe(code);
      expect(fixture.risk.detail()).not.toMatch(/NaN|undefined|Infinity|^$/);
      expect(figures()).toEqual(before);
    });
    test(`${title}: the order beyond the limit passes without this rule`, () => {
      expect(preparedFixture([code]).code(beyond)).toBeNull();
    });
  },
);

test('OPEN_ORDERS and MESSAGE_RATE count closing orders too', () => {
  const codesOfFourOrders = (options: FuturesFixtureOptions) => {
    const fixture = new FuturesFixture(options);
    fixture.hold(20);
    return [1, 2, 3, 4].map((orderNumber) => fixture.code(orderNumber === 2 ? { lots: 2, ...SELL, ...CLOSE } : { lots: 1 }));
  };
  expect(codesOfFourOrders({ limits: { maxOpenOrders: 3 } })).toEqual([null, null, null, 'OPEN_ORDERS']);
  expect(codesOfFourOrders({ limits: { maxOpenOrdersTotal: 2 } })).toEqual([null, null, 'OPEN_ORDERS', 'OPEN_ORDERS']);
  expect(codesOfFourOrders({ limits: { maxOpenOrders: 3 }, without: ['OPEN_ORDERS'] })).toEqual([null, null, null, null]);
  expect(codesOfFourOrders({ limits: { maxOrdersPerMinute: 3 } })).toEqual([null, null, null, 'MESSAGE_RATE']);
  expect(codesOfFourOrders({ limits: { maxOrdersPerMinute: 3 }, without: ['MESSAGE_RATE'] })).toEqual([null, null, null, null]);
});

describe.each([['DAILY_LOSS', { maxDailyLoss: '0.1' }], ['DRAWDOWN', { maxDrawdown: '0.1' }]])('%s', (code, limits) => {
  const codeAfterEquity = (equity: number, terms: DraftTerms, options: FuturesFixtureOptions = {}) => {
    const fixture = new FuturesFixture({ limits, ...options });
    fixture.hold(20);
    fixture.risk.begin(1000, fixture.nowMs);
    fixture.risk.observe(Float64Array.of(fixture.nowMs), Float64Array.of(equity), 1);
    return fixture.code(terms);
  };
  test('the rule halts new risk at its bound, passes reductions in either mode, and is the only rule that halts', () => {
    expect([codeAfterEquity(901, { lots: 1 }), codeAfterEquity(900, { lots: 1 }), codeAfterEquity(899, { lots: 1 })]).toEqual([null, code, code]);
    expect([codeAfterEquity(900, { lots: 20, ...SELL }), codeAfterEquity(900, { lots: 21, ...SELL })]).toEqual([null, code]);
    expect([codeAfterEquity(900, { lots: 20, ...SELL }, TWO_WAY), codeAfterEquity(900, { lots: 20, ...SELL, ...CLOSE }, TWO_WAY)]).toEqual([code, null]);
    expect(codeAfterEquity(900, { lots: 1 }, { without: [code] })).toBeNull();
  });
  test('an account without money is denied new risk', () => {
    expect([codeAfterEquity(0, { lots: 1 }), codeAfterEquity(-5, { lots: 1 })]).toEqual([code, code]);
  });
}); // prettier-ignore

test('INSTRUMENT denies a contract that is not in this run', () => {
  const codeWithout = (without: readonly string[]) => {
    const fixture = new FuturesFixture({ without });
    const order = Object.assign(fixture.draft({ lots: 5 }), { instrument: linearContract() });
    return fixture.risk.check(order, fixture.nowMs, 1000) === null ? fixture.risk.code : null;
  };
  expect([codeWithout([]), codeWithout(['INSTRUMENT'])]).toEqual(['INSTRUMENT', null]);
});

test('the page on risk names every rule of futures', () => {
  const page = readFileSync(new URL('../../../docs/risk.md', import.meta.url), 'utf8');
  for (const { code } of FUTURES_RULES) expect(page).toContain(`\`${code}\``);
});
