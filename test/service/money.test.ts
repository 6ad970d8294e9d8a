// Tests random scripts of two accounts: no account is overdrawn, no money is created or lost, and the book is never crossed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { DELAYS } from '../../src/paperExchange/dialect/config.ts';
import { BackgroundLiquidity } from '../../src/paperExchange/market/backgroundLiquidity.ts';
import { ACCOUNTS, ServiceFixture } from './serviceFixture.ts';
import { expectAtLeast, expectEqual, expectSame } from '../fixtures/quickExpect.ts';

/** A step of a script. `as` is the account, `back` counts its orders from the newest, and `point` moves the background price. Prices are in cents. */
type Step =
  | { readonly kind: 'limit'; readonly as: string; readonly side: 'BUY' | 'SELL'; readonly volume: number; readonly price: number }
  | { readonly kind: 'market'; readonly as: string; readonly side: 'BUY' | 'SELL'; readonly volume: number }
  | { readonly kind: 'cancel'; readonly as: string; readonly back: number }
  | { readonly kind: 'point'; readonly price: number; readonly lots: number }
  | { readonly kind: 'wait'; readonly ms: number };

const accountArbitrary = fc.constantFrom('alice', 'bob');
const sideArbitrary = fc.constantFrom<'BUY' | 'SELL'>('BUY', 'SELL');
const volumeArbitrary = fc.integer({ min: 10, max: 40_000 });
const priceArbitrary = fc.integer({ min: 9900, max: 10_100 });
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('limit' as const),
      as: accountArbitrary,
      side: sideArbitrary,
      volume: volumeArbitrary,
      price: priceArbitrary,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('market' as const), as: accountArbitrary, side: sideArbitrary, volume: volumeArbitrary }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), as: accountArbitrary, back: fc.nat(6) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('point' as const), price: priceArbitrary, lots: fc.integer({ min: 1, max: 50_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(80) }) },
);

test.each([
  ['amount', DELAYS.zero],
  ['amount', DELAYS.realistic],
  ['amountPlusFee', DELAYS.zero],
] as const)('random spot scripts conserve money and never cross the book: lockedFormula %s, delays %o', (lockedFormula, delays) => {
  fc.assert(
    fc.property(fc.array(stepArbitrary, { minLength: 1, maxLength: 60 }), fc.nat(1000), (steps, seed) => {
      const fixture = new ServiceFixture({ delays, limits: {}, accounts: ACCOUNTS }, { lockedFormula });
      const { matcher } = fixture.service.spot.markets[0]!;
      const background = new BackgroundLiquidity(matcher, seededRng(seed), {
        levelsPerSide: 5,
        spreadTicks: 3,
        spacingTicks: 10,
        maxLotsPerLevel: 8000,
      });
      const ids: Record<string, string[]> = { alice: [], bob: [] };
      for (const step of steps) {
        runStep(fixture, step, ids, background);
        fixture.passTime(2);
        checkInvariants(fixture);
      }
      for (const name of ['alice', 'bob']) {
        for (const orderId of ids[name]!) fixture.post('/sapi/v1/cancel', { orderId, symbol: 'BTCUSDT' }, { as: name });
        fixture.passTime(5000);
        // Without open orders nothing is locked.
        for (const asset of ['BTC', 'USDT']) expect(fixture.balance(name, asset).locked).toBe('0');
      }
      checkInvariants(fixture);
    }),
    { numRuns: 120 },
  );
});

/** Carries out one step of a script. */
function runStep(fixture: ServiceFixture, step: Step, ids: Record<string, string[]>, background: BackgroundLiquidity): void {
  if (step.kind === 'wait') fixture.passTime(step.ms);
  else if (step.kind === 'point') background.moveTo({ timeMs: fixture.nowMs, priceTicks: step.price, lots: step.lots });
  else if (step.kind === 'cancel') {
    const orderId = ids[step.as]!.at(-1 - step.back);
    if (orderId !== undefined) fixture.post('/sapi/v1/cancel', { orderId, symbol: 'BTCUSDT' }, { as: step.as });
  } else {
    const order = { symbol: 'BTCUSDT', side: step.side, volume: step.volume / 10_000 };
    const typeFields = step.kind === 'limit' ? { type: 'LIMIT', price: step.price / 100 } : { type: 'MARKET' };
    const id = /"orderId":(\d+)/.exec(fixture.post('/sapi/v1/order', { ...order, ...typeFields }, { as: step.as }).body)?.[1];
    if (id !== undefined) ids[step.as]!.push(id);
  }
}

/** Checks that money is conserved, no balance is below 0, and no book is crossed or out of order. */
function checkInvariants({ service: { spot } }: ServiceFixture): void {
  spot.venue.assertConserved();
  for (const [account] of ACCOUNTS.entries()) {
    for (const asset of spot.assets().keys()) {
      expectAtLeast(spot.venue.free(account, asset), 0);
      expectAtLeast(spot.venue.locked(account, asset), 0);
    }
  }
  for (const { matcher } of spot.markets) {
    const bid = matcher.book.best('buy');
    const ask = matcher.book.best('sell');
    expectSame(bid === null || ask === null || bid.price < ask.price, true);
    for (const side of ['buy', 'sell'] as const) {
      const prices = matcher.book.levels(side, Infinity).map((level) => level.price);
      expectEqual(
        prices,
        prices.toSorted((a, b) => (side === 'buy' ? b - a : a - b)),
      );
    }
  }
}

/** Returns a decimal in units of 10^-8. */
const unitsOf = (text: string): bigint => {
  const [integerPart = '0', decimalPart = ''] = text.split('.');
  return BigInt(integerPart + decimalPart.padEnd(8, '0'));
};

test('the money of two accounts that trade with each other is conserved up to their fees, by the replies alone', () => {
  const orders = fc.oneof(stepArbitrary).filter((step) => step.kind !== 'point');
  let trades = 0;
  fc.assert(
    fc.property(fc.array(orders, { minLength: 1, maxLength: 40 }), (steps) => {
      const fixture = new ServiceFixture();
      const { matcher } = fixture.service.spot.markets[0]!;
      const noLiquidity = new BackgroundLiquidity(matcher, seededRng(0), {
        levelsPerSide: 1,
        spreadTicks: 1,
        spacingTicks: 1,
        maxLotsPerLevel: 1,
      });
      const ids: Record<string, string[]> = { alice: [], bob: [] };
      for (const step of steps) {
        runStep(fixture, step, ids, noLiquidity);
        fixture.passTime(50);
      }
      fixture.passTime(2000);
      const totals = new Map([
        ['BTC', 0n],
        ['USDT', 0n],
      ]);
      const addUnits = (asset: string, text: string) => totals.set(asset, (totals.get(asset) ?? 0n) + unitsOf(text));
      for (const name of ['alice', 'bob']) {
        for (const asset of ['BTC', 'USDT']) {
          const { free, locked } = fixture.balance(name, asset);
          addUnits(asset, free);
          addUnits(asset, locked);
        }
        for (const [, coin, fee] of fixture
          .get('/sapi/v1/myTrades?limit=1000', { as: name })
          .body.matchAll(/"feeCoin":"(\w+)","fee":([\d.]+)/g)) {
          addUnits(coin!, fee!);
          trades++;
        }
      }
      expect(totals).toEqual(
        new Map([
          ['BTC', unitsOf('20')],
          ['USDT', unitsOf('200000')],
        ]),
      );
    }),
    { numRuns: 150 },
  );
  expect(trades).toBeGreaterThan(100);
});
