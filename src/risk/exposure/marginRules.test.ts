// Tests the margin rules: each at its limit, beyond it, and where it does not apply.

import { describe, expect, test } from 'vitest';
import { FuturesFixture, type FuturesFixtureOptions } from '../../../test/fixtures/futuresFixture.ts';
import { linearContract } from '../../../test/fixtures/futuresVenue.ts';
import type { DraftTerms } from '../../../test/fixtures/drafts.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import { resolveLimits } from '../limits/resolve.ts';
import { tightenLimits } from '../limits/tighten.ts';

const SELL = { side: 'sell' } as const;
const HALF = { limits: { marginBuffer: '0.5' }, cash: 4020 };
const QUARTER = { limits: { marginBuffer: '0.25' }, cash: 6020 };
/**
 * Both strategies have 8000 units; a lot loses 400 in 20 ranges of 20 ticks, needs 3 there (7 where it is short), and pays half a unit of
 * fees.
 */
const FAR = { limits: { minLiquidationAtrs: '20' }, range: 20, cash: 4000 };
/** 20 lots of 900 have 1800 units of margin and gain 2000; each lot loses 100 in 5 ranges, puts up 100, and needs 4.5 there. */
const ALONE = { limits: { minLiquidationAtrs: '5' }, range: 20, isCross: false };
const doNothing = () => {};

/** A margin rule in a situation that a function prepares: orders up to `maxLots` lots pass, and one lot more is denied. */
type MarginCase = [code: string, situation: string, FuturesFixtureOptions, (fixture: FuturesFixture) => void, maxLots: number, DraftTerms];

describe.each<MarginCase>([
  // 20 lots take 2000 units of margin and 10 of fees: half of the equity stays.
  ['MARGIN_BUFFER', 'opens', HALF, doNothing, 20, {}],
  ['MARGIN_BUFFER', 'opens a short', HALF, doNothing, 20, SELL],
  ['MARGIN_BUFFER', 'beside a position', QUARTER, (fixture) => fixture.hold(20), 25, {}],
  ['MARGIN_BUFFER', 'beside an order', HALF, (fixture) => fixture.send({ lots: 10, limit: 1000 }), 10, {}],
  ['LIQUIDATION_DISTANCE', 'cross, long', FAR, doNothing, 19, {}],
  ['LIQUIDATION_DISTANCE', 'cross, short', FAR, doNothing, 19, SELL],
  ['LIQUIDATION_DISTANCE', 'cross, reversed', FAR, (fixture) => fixture.hold(5), 24, SELL],
  ['LIQUIDATION_DISTANCE', 'beside an order', FAR, (fixture) => fixture.send({ lots: 9, limit: 1000 }), 10, {}],
  ['LIQUIDATION_DISTANCE', 'beside another contract', FAR, (fixture) => fixture.hold(100, 1, 1), 18, {}],
  // An order on the other side: the lots that it closes need no margin afterwards.
  ['LIQUIDATION_DISTANCE', 'cross, reversed from a large position', { ...FAR, leverage: 100 }, (fixture) => fixture.hold(60), 79, SELL],
  // 100 lots short need 500 units at the mark, in addition to 5 long.
  [
    'LIQUIDATION_DISTANCE',
    'two-way, beside the other side',
    { ...FAR, leverage: 100, isNet: false },
    (fixture) => (fixture.hold(-100), fixture.hold(5)),
    13,
    {},
  ],
  // A price can fall by at most its whole value: with 8000 units, eight lots that lose 999 of 1000 are possible.
  ['LIQUIDATION_DISTANCE', 'a move beyond the price', { ...FAR, leverage: 5, range: 51 }, doNothing, 8, {}],
  // 400.2 ticks count as 401: 19 lots have 13 units left at 600, and lack 6 at 599.
  ['LIQUIDATION_DISTANCE', 'a move between two ticks', { ...FAR, cash: 3840, range: 20.01 }, doNothing, 18, {}],
  ['LIQUIDATION_DISTANCE', 'isolated', ALONE, (fixture) => fixture.hold(20, 0, 0, 900), 379, {}],
])('%s, %s', (code, situation, options, prepare, maxLots, terms) => {
  const codeOf = (lots: number, without: readonly string[] = []) => {
    const fixture = new FuturesFixture({ ...options, without });
    prepare(fixture);
    const denyCode = fixture.code({ limit: 1000, ...terms, lots });
    if (denyCode !== null) expect(fixture.risk.detail()).not.toMatch(/NaN|undefined|Infinity|^$/);
    return denyCode;
  };
  test(`${code}, ${situation}: the rule passes an order at its bound, and is the only rule that denies one lot more`, () => {
    expect([codeOf(maxLots - 1), codeOf(maxLots), codeOf(maxLots + 1), codeOf(maxLots + 1, [code])]).toEqual([null, null, code, null]);
  });
});

test('the rule on liquidation distance denies entries and passes reductions while no average range is known', () => {
  const fixture = new FuturesFixture({ limits: { minLiquidationAtrs: '0.1' } });
  fixture.hold(5);
  expect([fixture.code({ lots: 1 }), fixture.risk.detail()]).toEqual([
    'LIQUIDATION_DISTANCE',
    'no average range is known yet: too few bars have closed',
  ]);
  expect(fixture.code({ lots: 5, ...SELL, reduceOnly: true })).toBe(null);
});

test('margin limits of a spot instrument are rejected', () => {
  expect(() => resolveLimits({ marginBuffer: '0.2' }, [spotInstrument()])).toThrow(
    'risk.marginBuffer: expected contracts, coins have no margin',
  );
  expect(() => resolveLimits({ minLiquidationAtrs: '3' }, [spotInstrument()])).toThrow('risk.minLiquidationAtrs: expected contracts');
});

test('a running bot accepts a larger minimum, and rejects a smaller one', () => {
  const contracts = [linearContract()];
  const current = { marginBuffer: '0.2', minLiquidationAtrs: '3', duplicateMs: 2000 };
  expect(tightenLimits(current, { marginBuffer: '0.3', duplicateMs: 3000 }, contracts)).toEqual({
    ...current,
    marginBuffer: '0.3',
    duplicateMs: 3000,
  });
  for (const wider of [{ marginBuffer: '0.1' }, { minLiquidationAtrs: '2' }, { duplicateMs: 1000 }]) {
    expect(() => tightenLimits(current, wider, contracts)).toThrow('expected at least');
  }
});
