// Money on futures: marks, funding and liquidation on the exchange's clock, and random scripts that neither make nor lose any of it.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { DELAYS } from '../../src/paperExchange/dialect/config.ts';
import { BackgroundLiquidity } from '../../src/paperExchange/market/backgroundLiquidity.ts';
import { FuturesFixture, INVERSE, PERPETUAL, TRADERS } from './futuresFixture.ts';
import { BTC, ETH, START_MS } from './serviceFixture.ts';
import { expectAtLeast, expectSame } from '../fixtures/alike.ts';

const HOURS_8 = 8 * 3_600_000;
const RATE = 100_000_000;
const money = (usdt: Readonly<Record<string, string>>) =>
  TRADERS.map((each) => ({ ...each, futures: { balances: { USDT: usdt[each.name] ?? '10000' } } }));

/** Alice is long 100 and bob short 100 at 1000, which is 100 USDT of each. */
function opposed(over: object = {}, accounts = TRADERS): FuturesFixture {
  const fixture = new FuturesFixture({ accounts, fundingRates: { [PERPETUAL.id]: RATE }, ...over });
  fixture.order('bob', 'SELL', 100, 1000);
  fixture.order('alice', 'BUY', 100, 1000);
  return fixture;
}

describe('funding', () => {
  it('funding is paid every eight hours at the mark, by longs to shorts where the rate is above 0', () => {
    const fixture = opposed();
    fixture.pass(HOURS_8 - 1);
    expect(fixture.positions()[0]).toMatchObject({ capitalFee: 0 });
    fixture.pass(1);
    expect(fixture.positions()[0]).toMatchObject({ capitalFee: -0.01 });
    expect(fixture.positions('bob')[0]).toMatchObject({ capitalFee: 0.01 });
    fixture.pass(2 * HOURS_8);
    expect(fixture.positions()[0]).toMatchObject({ capitalFee: -0.03 });
    fixture.order('bob', 'BUY', 100, 1000);
    fixture.order('alice', 'SELL', 40, 1000, { open: 'CLOSE' });
    fixture.order('alice', 'SELL', 60, 1000, { open: 'CLOSE' });
    // The first part has all funding until now; the second has the fees: 0.04 to open, 0.02 to close.
    expect(fixture.rows('/fapi/v1/profitHistorical')).toMatchObject([
      { volume: 60, capitalFee: 0, tradeFee: -0.03, historyRealizedAmount: -0.03, openPrice: 1000, openEndPrice: 1000 },
      { volume: 40, capitalFee: -0.03, tradeFee: -0.06, historyRealizedAmount: -0.09, ctime: START_MS },
    ]);
    expect(fixture.account()).toMatchObject({ accountNormal: 9999.88, totalEquity: 9999.88, positionVos: [] });
  });

  it('funding is taken of the mark of that very second, and ends at once what it leaves without its margin', () => {
    const setup = new FuturesFixture({ fundingRates: { [PERPETUAL.id]: 960 * RATE } });
    setup.post('/fapi/v1/edit_user_margin_model', { contractName: 'E-BTC-USDT', marginModel: 2 });
    setup.order('bob', 'SELL', 100, 1000);
    setup.order('alice', 'BUY', 100, 1000);
    setup.pass(HOURS_8 - 1);
    setup.order('bob', 'SELL', 1, 995);
    setup.order('alice', 'BUY', 1, 995);
    // 101 contracts at 995 owe 9.6475, of a margin of 5.0498: nothing trades after it, and she holds nothing any more.
    setup.pass(1);
    expect(setup.positions()).toEqual([]);
    expect(setup.rows('/fapi/v1/profitHistorical')[0]).toMatchObject({ capitalFee: -5.0498, volume: 101, openEndPrice: 995 });
    expect(setup.positions('bob')).toMatchObject([{ capitalFee: 9.6475 }]);
    setup.service.futures.venue.assertConserved();
  });

  it('funding has seeded rates, which are reported before they are paid', () => {
    const index = (rig: FuturesFixture) =>
      JSON.parse(rig.open('/fapi/v1/index?contractName=E-BTC-USDT').body) as { currentFundRate: number; nextFundRate: number };
    const otherFixture = opposed({ fundingRates: {} });
    const { currentFundRate, nextFundRate } = index(otherFixture);
    expect(currentFundRate).not.toBe(nextFundRate);
    otherFixture.pass(HOURS_8);
    expect(index(otherFixture).currentFundRate).toBe(nextFundRate);
    expect(Number(otherFixture.positions()[0]!['capitalFee'])).toBeCloseTo(-100 * currentFundRate, 3);
    expect(index(opposed({ fundingRates: {}, fundingSeed: 2 }))).not.toMatchObject({ currentFundRate });
  });
});

describe('liquidation', () => {
  /** Alice has 5.1 USDT for a margin of 5 and a fee of 0.04: a fall of about half a per cent is the end of it. */
  const SMALL = money({ alice: '5.1' });

  it('liquidation comes with the mark, as an order of its own kind', () => {
    const fixture = opposed({}, SMALL);
    const reduce = Number(fixture.positions()[0]!['reducePrice']);
    expect(reduce).toBeGreaterThan(950);
    expect(reduce).toBeLessThan(960);
    fixture.trigger('alice', 'SELL', '1', '900');
    fixture.order('bob', 'BUY', 1, 940);
    fixture.order('bob', 'SELL', 1, 940);
    expect(fixture.positions()).toMatchObject([{ positionVolume: 100 }]);
    fixture.pass(1000);
    expect(fixture.positions()).toEqual([]);
    expect(fixture.rows('/fapi/v1/orderHistorical')[0]).toMatchObject({
      type: 6,
      source: 4,
      status: 2,
      side: 'SELL',
      openOrClose: 'CLOSE',
      dealVolume: 100,
      avgPrice: 940,
      realizedAmount: -6,
      fee: 0,
    });
    expect(fixture.trades()[0]).toMatchObject({ side: 'SELL', qty: 100, price: 940, askUserId: 10_001, bidUserId: 1 });
    expect(fixture.rows('/fapi/v1/profitHistorical')).toMatchObject([{ closeProfit: -6, openEndPrice: 940 }]);
    // The insurance bears what she did not have.
    expect(fixture.account()).toMatchObject({ accountNormal: 0, accountLock: 0, totalEquity: 0 });
    fixture.service.futures.venue.assertConserved();
    expect(fixture.info(String(fixture.rows('/fapi/v1/orderHistorical')[0]!['orderId']))).toMatchObject({
      status: 'FILLED',
      type: 'LIMIT',
    });
  });

  it('liquidation cancels the orders of an account first, which may be enough', () => {
    const setup = opposed({}, money({ alice: '6.2' }));
    const id = setup.order('alice', 'BUY', 20, 900);
    setup.order('bob', 'BUY', 1, 940);
    setup.order('bob', 'SELL', 1, 940);
    setup.pass(1000);
    expect(setup.info(id)['status']).toBe('CANCELED');
    expect(setup.service.futures.markets[0]!.matcher.book.best('buy')).toBeNull();
  });

  it('liquidation of an isolated position takes its margin and no more', () => {
    const rig = new FuturesFixture({ fundingRates: { [PERPETUAL.id]: 0 } });
    rig.post('/fapi/v1/edit_user_margin_model', { contractName: 'E-BTC-USDT', marginModel: 2 });
    rig.order('bob', 'SELL', 100, 1000);
    rig.order('alice', 'BUY', 100, 1000, { positionType: 2 });
    expect(rig.positions()).toMatchObject([{ positionType: 2, holdAmount: 5 }]);
    expect(rig.account()).toMatchObject({ partPositionNormal: 5, totalPositionNormal: 0, partEquity: 5 });
    rig.order('bob', 'BUY', 1, 900);
    rig.order('bob', 'SELL', 1, 900);
    rig.pass(1000);
    expect(rig.positions()).toEqual([]);
    expect(rig.account()).toMatchObject({ accountNormal: 9994.96, partEquity: 0 });
  });

  it('liquidation does not follow one order or one trade: the mark is the middle of bid, ask and last', () => {
    const otherFixture = opposed({}, SMALL);
    otherFixture.order('bob', 'BUY', 5, 999);
    otherFixture.order('bob', 'SELL', 5, 1001);
    otherFixture.pass(1000);
    const { tagPrice } = JSON.parse(otherFixture.open('/fapi/v1/index?contractName=E-BTC-USDT').body) as { tagPrice: number };
    expect(tagPrice).toBe(1000);
    expect(otherFixture.positions()).toHaveLength(1);
  });
});

type Step =
  | {
      readonly kind: 'order';
      readonly as: string;
      readonly side: 'BUY' | 'SELL';
      readonly volume: number;
      readonly price: number | null;
      readonly more: object;
    }
  | {
      readonly kind: 'condition';
      readonly as: string;
      readonly side: 'BUY' | 'SELL';
      readonly type: string;
      readonly price: number;
      readonly volume: number;
    }
  | { readonly kind: 'setting'; readonly as: string; readonly leverage: number; readonly isolated: boolean; readonly net: boolean }
  | { readonly kind: 'cancel'; readonly as: string; readonly back: number }
  | { readonly kind: 'point'; readonly price: number; readonly lots: number }
  | { readonly kind: 'wait'; readonly ms: number };

const as = fc.constantFrom('alice', 'bob');
const side = fc.constantFrom<'BUY' | 'SELL'>('BUY', 'SELL');
/** About what an account of 50 USDT can hold at leverage 20, and a multiple of it. */
const volume = fc.integer({ min: 1, max: 900 });
const price = fc.integer({ min: 9000, max: 11_000 }).map((ticks) => ticks / 10);
const open = fc.constantFrom('OPEN', 'OPEN', 'CLOSE');
const timeInForce = fc.constantFrom(undefined, undefined, 'IOC', 'FOK', 'POST_ONLY');
const limit = fc.record({ kind: fc.constant('order' as const), as, side, volume, price, more: fc.record({ open, timeInForce }) });
const market = fc.record({ kind: fc.constant('order' as const), as, side, volume, price: fc.constant(null), more: fc.record({ open }) });
const steps: fc.Arbitrary<Step>[] = [
  limit,
  limit,
  limit,
  market,
  fc.record({ kind: fc.constant('condition' as const), as, side, type: fc.constantFrom('1', '2', '3', '4'), price, volume }),
  fc.record({
    kind: fc.constant('setting' as const),
    as,
    leverage: fc.integer({ min: 1, max: 100 }),
    isolated: fc.boolean(),
    net: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('cancel' as const), as, back: fc.nat(6) }),
  fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 30, 1000, HOURS_8) }),
];
const points = fc.record({
  kind: fc.constant('point' as const),
  price: fc.integer({ min: 9000, max: 11_000 }),
  lots: fc.integer({ min: 1, max: 800 }),
});

interface Playing {
  readonly fixture: FuturesFixture;
  readonly background: BackgroundLiquidity;
  readonly ids: Record<string, string[]>;
}

function play({ fixture, background, ids }: Playing, of: Step): void {
  const contractName = 'E-BTC-USDT';
  if (of.kind === 'wait') fixture.pass(of.ms);
  else if (of.kind === 'point') background.step({ timeMs: fixture.nowMs, price: of.price, lots: of.lots });
  else if (of.kind === 'cancel') {
    const orderId = ids[of.as]!.at(-1 - of.back);
    if (orderId !== undefined) fixture.post('/fapi/v1/cancel', { contractName, orderId }, { as: of.as });
  } else if (of.kind === 'condition') {
    const isExit = of.type < '3';
    const more = isExit ? { open: 'CLOSE', type: 'MARKET' } : { open: 'OPEN', type: 'LIMIT', price: of.price };
    fixture.trigger(of.as, of.side, of.type, String(of.price), { volume: of.volume, ...more });
  } else if (of.kind === 'setting') {
    fixture.post('/fapi/v1/edit_lever', { contractName, nowLevel: of.leverage }, { as: of.as });
    fixture.post('/fapi/v1/edit_user_margin_model', { contractName, marginModel: of.isolated ? 2 : 1 }, { as: of.as });
    fixture.post('/fapi/v1/edit_user_position_model', { contractName, positionModel: of.net ? 1 : 2 }, { as: of.as });
  } else {
    const id = /\d{19}/.exec(fixture.create(of.as, of.side, of.volume, of.price, { ...of.more }).body)?.[0];
    if (id !== undefined) ids[of.as]!.push(id);
  }
}

const seen = { liquidations: 0, funding: 0, trades: 0, triggered: 0 };

function check({ fixture }: Playing): void {
  const { venue, markets } = fixture.service.futures;
  venue.assertConserved();
  const { book } = markets[0]!.matcher;
  const [bid, ask] = [book.best('buy'), book.best('sell')];
  expectSame(bid === null || ask === null || bid.price < ask.price, true);
  for (const [account] of TRADERS.entries()) {
    const { free, locked } = venue.wallets.wallet(account, 0);
    expectAtLeast(locked, 0);
    // Below 0 only if orders hold as much, or an unrealised profit covers it.
    const isCross = venue.wallets.openPositions(account, 0).some((position) => position.isCross);
    expectSame(free + locked >= 0 || isCross, true, `free ${free}, locked ${locked}`);
    for (const position of venue.wallets.openPositions(account)) expectAtLeast(position.lots, position.heldLots);
  }
}

test.each([
  ['refuse', DELAYS.zero],
  ['accept', DELAYS.zero],
  ['accept', DELAYS.realistic],
] as const)('settings in use %s, delays %o', (settingsInUse, delays) => {
  fc.assert(
    fc.property(fc.array(fc.oneof(...steps, points), { minLength: 20, maxLength: 60 }), fc.nat(1000), (script, seed) => {
      const playing = begin({ delays }, { settingsInUse }, seed);
      const { fixture, ids } = playing;
      for (const step of script) {
        play(playing, step);
        fixture.pass(2);
        check(playing);
      }
      for (const name of ['alice', 'bob']) {
        for (const orderId of ids[name]!) fixture.post('/fapi/v1/cancel', { contractName: 'E-BTC-USDT', orderId }, { as: name });
      }
      fixture.pass(200);
      // When nothing is open, nothing is held; but a trigger may have placed something.
      const { venue } = fixture.service.futures;
      if (fixture.service.futures.live().length === 0)
        for (const [account] of TRADERS.entries()) expect(venue.wallets.wallet(account, 0).locked).toBe(0);
      check(playing);
      count(fixture);
    }),
    { numRuns: 40 },
  );
});

function begin(over: object, switches: object, seed: number): Playing {
  const accounts = money({ alice: '50', bob: '50' });
  const instruments = [BTC, ETH, PERPETUAL, INVERSE];
  const fixture = new FuturesFixture(
    { instruments, accounts, fundingRates: { [PERPETUAL.id]: 40 * RATE }, ...over },
    { marketOpenUnit: 'contracts', ...switches },
  );
  const { matcher } = fixture.service.futures.markets[0]!;
  const background = new BackgroundLiquidity(matcher, seededRng(seed), { levels: 5, spread: 3, spacing: 10, lots: 300 });
  return { fixture, background, ids: { alice: [], bob: [] } };
}

function count(fixture: FuturesFixture): void {
  for (const name of ['alice', 'bob']) {
    const orders = fixture.rows('/fapi/v1/orderHistorical', { limit: 1000 }, name);
    seen.liquidations += orders.filter(({ type }) => type === 6).length;
    seen.trades += fixture.trades(name).length;
    seen.triggered += fixture.triggers(name).filter(({ status }) => status === 2).length;
    seen.funding += fixture.rows('/fapi/v1/profitHistorical', { limit: 1000 }, name).filter(({ capitalFee }) => capitalFee !== 0).length;
  }
}

test('the random scripts covered every kind of event', () => {
  expect(seen.trades).toBeGreaterThan(500);
  // Scripts differ each time. They give about twenty liquidations; as few as ten have been seen.
  for (const kind of ['liquidations', 'funding', 'triggered'] as const) expect(seen[kind], kind).toBeGreaterThan(4);
});

/** Units of 10^-4. */
const unitsOf = (value: unknown): bigint => BigInt(Math.round(Number(value) * 10_000));

test('between users alone, by the answers alone: what one wins the other loses, but for fees', () => {
  let trades = 0;
  fc.assert(
    fc.property(fc.array(fc.oneof(...steps.slice(0, 7)), { minLength: 15, maxLength: 50 }), (script) => {
      const playing = begin({ fundingRates: { [PERPETUAL.id]: 0 }, accounts: money({}) }, {}, 0);
      const { fixture } = playing;
      for (const step of script) {
        play(playing, step);
        fixture.pass(5);
      }
      fixture.pass(2000);
      let sum = 0n;
      let rows = 0;
      const [long, short] = [new Map<string, number>(), new Map<string, number>()];
      for (const name of ['alice', 'bob']) {
        const { totalEquity, partEquity } = fixture.account(name);
        sum += unitsOf(totalEquity) + unitsOf(partEquity);
        const own = fixture.trades(name);
        rows += own.length;
        for (const { fee } of own) sum += unitsOf(fee);
        for (const { positionSide, positionVolume } of fixture.positions(name))
          (positionSide === 'BUY' ? long : short).set(name, Number(positionVolume));
      }
      trades += rows;
      const total = (of: Map<string, number>) => Array.from(of.values()).reduce((a, b) => a + b, 0);
      const isLiquidated = ['alice', 'bob'].some((name) =>
        fixture.rows('/fapi/v1/orderHistorical', {}, name).some(({ type }) => type === 6),
      );
      // Where the insurance has paid, one has lost less than the other has won.
      if (isLiquidated || fixture.service.futures.venue.wallets.insurance[0] !== 0) return;
      expect(total(long)).toBe(total(short));
      // Parts of a position leave at rounded shares of what it came in at: half a unit each, at most.
      expect(Math.abs(Number(sum - unitsOf(20_000)))).toBeLessThanOrEqual(rows);
    }),
    { numRuns: 50 },
  );
  expect(trades).toBeGreaterThan(100);
});
