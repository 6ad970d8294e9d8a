// Tests money on futures: marks, funding and liquidation. Random scripts neither create nor lose any money.

import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { seededRng } from '../../src/base/number/rng.ts';
import { DELAYS } from '../../src/paperExchange/dialect/config.ts';
import { BackgroundLiquidity } from '../../src/paperExchange/market/backgroundLiquidity.ts';
import { FuturesFixture, HISTORY_STATUS, INVERSE, PERPETUAL, TRADERS, TRIGGER_STATUS } from './futuresFixture.ts';
import { BTC, ETH, START_MS } from './serviceFixture.ts';
import { expectAtLeast, expectSame } from '../fixtures/quickExpect.ts';

const EIGHT_HOURS_MS = 8 * 3_600_000;
/** Type of a liquidation in the order history. */
const LIQUIDATION_TYPE = 6;
/** A funding rate of 0.01 %, whole in 10^-12. */
const FUNDING_RATE = 100_000_000;

/** Returns the two traders with these amounts of USDT; 10,000 for a trader without one. */
const tradersWithUsdt = (usdt: Readonly<Record<string, string>>) =>
  TRADERS.map((trader) => ({ ...trader, futures: { balances: { USDT: usdt[trader.name] ?? '10000' } } }));

/** Opens a long position of alice and a short one of bob: 100 contracts at 1000, which are worth 100 USDT. */
function openOppositePositions(overrides: object = {}, accounts = TRADERS): FuturesFixture {
  const fixture = new FuturesFixture({ accounts, fundingRates: { [PERPETUAL.id]: FUNDING_RATE }, ...overrides });
  fixture.placeOrder('bob', 'SELL', 100, 1000);
  fixture.placeOrder('alice', 'BUY', 100, 1000);
  return fixture;
}

describe('funding', () => {
  it('funding is paid every eight hours at the mark, from longs to shorts if the rate is above 0', () => {
    const fixture = openOppositePositions();
    fixture.passTime(EIGHT_HOURS_MS - 1);
    expect(fixture.positions()[0]).toMatchObject({ capitalFee: 0 });
    fixture.passTime(1);
    expect(fixture.positions()[0]).toMatchObject({ capitalFee: -0.01 });
    expect(fixture.positions('bob')[0]).toMatchObject({ capitalFee: 0.01 });
    fixture.passTime(2 * EIGHT_HOURS_MS);
    expect(fixture.positions()[0]).toMatchObject({ capitalFee: -0.03 });
    fixture.placeOrder('bob', 'BUY', 100, 1000);
    fixture.placeOrder('alice', 'SELL', 40, 1000, { open: 'CLOSE' });
    fixture.placeOrder('alice', 'SELL', 60, 1000, { open: 'CLOSE' });
    // The first part has all funding until now; the second has the fees: 0.04 to open, 0.02 to close.
    expect(fixture.listRows('/fapi/v1/profitHistorical')).toMatchObject([
      { volume: 60, capitalFee: 0, tradeFee: -0.03, historyRealizedAmount: -0.03, openPrice: 1000, openEndPrice: 1000 },
      { volume: 40, capitalFee: -0.03, tradeFee: -0.06, historyRealizedAmount: -0.09, ctime: START_MS },
    ]);
    expect(fixture.futuresAccount()).toMatchObject({ accountNormal: 9999.88, totalEquity: 9999.88, positionVos: [] });
  });

  it('funding uses the mark of its own second, and a position that it leaves without margin is liquidated at once', () => {
    const fixture = new FuturesFixture({ fundingRates: { [PERPETUAL.id]: 960 * FUNDING_RATE } });
    fixture.post('/fapi/v1/edit_user_margin_model', { contractName: 'E-BTC-USDT', marginModel: 2 });
    fixture.placeOrder('bob', 'SELL', 100, 1000);
    fixture.placeOrder('alice', 'BUY', 100, 1000);
    fixture.passTime(EIGHT_HOURS_MS - 1);
    fixture.placeOrder('bob', 'SELL', 1, 995);
    fixture.placeOrder('alice', 'BUY', 1, 995);
    // 101 contracts at 995 owe 9.6475, and their margin is 5.0498. The position is liquidated without a further trade.
    fixture.passTime(1);
    expect(fixture.positions()).toEqual([]);
    expect(fixture.listRows('/fapi/v1/profitHistorical')[0]).toMatchObject({ capitalFee: -5.0498, volume: 101, openEndPrice: 995 });
    expect(fixture.positions('bob')).toMatchObject([{ capitalFee: 9.6475 }]);
    fixture.service.futures.venue.assertConserved();
  });

  it('seeded funding rates are reported before they are paid', () => {
    const index = (fixture: FuturesFixture) =>
      JSON.parse(fixture.getPublic('/fapi/v1/index?contractName=E-BTC-USDT').body) as { currentFundRate: number; nextFundRate: number };
    const otherFixture = openOppositePositions({ fundingRates: {} });
    const { currentFundRate, nextFundRate } = index(otherFixture);
    expect(currentFundRate).not.toBe(nextFundRate);
    otherFixture.passTime(EIGHT_HOURS_MS);
    expect(index(otherFixture).currentFundRate).toBe(nextFundRate);
    expect(Number(otherFixture.positions()[0]!['capitalFee'])).toBeCloseTo(-100 * currentFundRate, 3);
    expect(index(openOppositePositions({ fundingRates: {}, fundingSeed: 2 }))).not.toMatchObject({ currentFundRate });
  });
});

describe('liquidation', () => {
  /** Alice has 5.1 USDT for a margin of 5 and a fee of 0.04. A fall of about five per cent liquidates her position. */
  const SMALL_ACCOUNT = tradersWithUsdt({ alice: '5.1' });

  it('a position is liquidated when the mark is taken, by an order of its own type', () => {
    const fixture = openOppositePositions({}, SMALL_ACCOUNT);
    const liquidationPrice = Number(fixture.positions()[0]!['reducePrice']);
    expect(liquidationPrice).toBeGreaterThan(950);
    expect(liquidationPrice).toBeLessThan(960);
    fixture.sendTriggerOrder('alice', 'SELL', '1', '900');
    fixture.placeOrder('bob', 'BUY', 1, 940);
    fixture.placeOrder('bob', 'SELL', 1, 940);
    expect(fixture.positions()).toMatchObject([{ positionVolume: 100 }]);
    fixture.passTime(1000);
    expect(fixture.positions()).toEqual([]);
    expect(fixture.listRows('/fapi/v1/orderHistorical')[0]).toMatchObject({
      type: LIQUIDATION_TYPE,
      source: 4,
      status: HISTORY_STATUS.filled,
      side: 'SELL',
      openOrClose: 'CLOSE',
      dealVolume: 100,
      avgPrice: 940,
      realizedAmount: -6,
      fee: 0,
    });
    expect(fixture.trades()[0]).toMatchObject({ side: 'SELL', qty: 100, price: 940, askUserId: 10_001, bidUserId: 1 });
    expect(fixture.listRows('/fapi/v1/profitHistorical')).toMatchObject([{ closeProfit: -6, openEndPrice: 940 }]);
    // The insurance account pays the loss beyond the money of alice.
    expect(fixture.futuresAccount()).toMatchObject({ accountNormal: 0, accountLock: 0, totalEquity: 0 });
    fixture.service.futures.venue.assertConserved();
    expect(fixture.orderInformation(String(fixture.listRows('/fapi/v1/orderHistorical')[0]!['orderId']))).toMatchObject({
      status: 'FILLED',
      type: 'LIMIT',
    });
  });

  it('liquidation first cancels the orders of the account', () => {
    const fixture = openOppositePositions({}, tradersWithUsdt({ alice: '6.2' }));
    const id = fixture.placeOrder('alice', 'BUY', 20, 900);
    fixture.placeOrder('bob', 'BUY', 1, 940);
    fixture.placeOrder('bob', 'SELL', 1, 940);
    fixture.passTime(1000);
    expect(fixture.orderInformation(id)['status']).toBe('CANCELED');
    expect(fixture.service.futures.markets[0]!.matcher.book.best('buy')).toBeNull();
  });

  it('liquidation of an isolated position takes only its margin', () => {
    const fixture = new FuturesFixture({ fundingRates: { [PERPETUAL.id]: 0 } });
    fixture.post('/fapi/v1/edit_user_margin_model', { contractName: 'E-BTC-USDT', marginModel: 2 });
    fixture.placeOrder('bob', 'SELL', 100, 1000);
    fixture.placeOrder('alice', 'BUY', 100, 1000, { positionType: 2 });
    expect(fixture.positions()).toMatchObject([{ positionType: 2, holdAmount: 5 }]);
    expect(fixture.futuresAccount()).toMatchObject({ partPositionNormal: 5, totalPositionNormal: 0, partEquity: 5 });
    fixture.placeOrder('bob', 'BUY', 1, 900);
    fixture.placeOrder('bob', 'SELL', 1, 900);
    fixture.passTime(1000);
    expect(fixture.positions()).toEqual([]);
    expect(fixture.futuresAccount()).toMatchObject({ accountNormal: 9994.96, partEquity: 0 });
  });

  it('the mark is the median of bid, ask and last trade, so that no single order or trade liquidates a position', () => {
    const fixture = openOppositePositions({}, SMALL_ACCOUNT);
    fixture.placeOrder('bob', 'BUY', 5, 999);
    fixture.placeOrder('bob', 'SELL', 5, 1001);
    fixture.passTime(1000);
    const { tagPrice } = JSON.parse(fixture.getPublic('/fapi/v1/index?contractName=E-BTC-USDT').body) as { tagPrice: number };
    expect(tagPrice).toBe(1000);
    expect(fixture.positions()).toHaveLength(1);
  });
});

/**
 * A step of a random script. `as`: the account. `order` has no price at the market. `cancel` ends the order that is `ordersBack` before the
 * account's newest one. `point` moves the background price.
 */
type Step =
  | {
      readonly kind: 'order';
      readonly as: string;
      readonly side: 'BUY' | 'SELL';
      readonly volume: number;
      readonly price: number | null;
      readonly extraFields: object;
    }
  | {
      readonly kind: 'trigger';
      readonly as: string;
      readonly side: 'BUY' | 'SELL';
      readonly triggerType: string;
      readonly price: number;
      readonly volume: number;
    }
  | { readonly kind: 'setting'; readonly as: string; readonly leverage: number; readonly isIsolated: boolean; readonly isNet: boolean }
  | { readonly kind: 'cancel'; readonly as: string; readonly ordersBack: number }
  | { readonly kind: 'point'; readonly price: number; readonly lots: number }
  | { readonly kind: 'wait'; readonly ms: number };

const accountName = fc.constantFrom('alice', 'bob');
const side = fc.constantFrom<'BUY' | 'SELL'>('BUY', 'SELL');
/** About what an account of 50 USDT can hold at leverage 20, and a multiple of it. */
const volume = fc.integer({ min: 1, max: 900 });
const price = fc.integer({ min: 9000, max: 11_000 }).map((ticks) => ticks / 10);
const openOrClose = fc.constantFrom('OPEN', 'OPEN', 'CLOSE');
const timeInForce = fc.constantFrom(undefined, undefined, 'IOC', 'FOK', 'POST_ONLY');
const limitOrder = fc.record({
  kind: fc.constant('order' as const),
  as: accountName,
  side,
  volume,
  price,
  extraFields: fc.record({ open: openOrClose, timeInForce }),
});
const marketOrder = fc.record({
  kind: fc.constant('order' as const),
  as: accountName,
  side,
  volume,
  price: fc.constant(null),
  extraFields: fc.record({ open: openOrClose }),
});
const triggerOrder = fc.record({
  kind: fc.constant('trigger' as const),
  as: accountName,
  side,
  triggerType: fc.constantFrom('1', '2', '3', '4'),
  price,
  volume,
});
const setting = fc.record({
  kind: fc.constant('setting' as const),
  as: accountName,
  leverage: fc.integer({ min: 1, max: 100 }),
  isIsolated: fc.boolean(),
  isNet: fc.boolean(),
});
const cancel = fc.record({ kind: fc.constant('cancel' as const), as: accountName, ordersBack: fc.nat(6) });
const wait = fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(1, 30, 1000, EIGHT_HOURS_MS) });
/** Steps of users. A limit order is three times as likely as each other step. */
const userSteps: fc.Arbitrary<Step>[] = [limitOrder, limitOrder, limitOrder, marketOrder, triggerOrder, setting, cancel];
const liquidityPoint = fc.record({
  kind: fc.constant('point' as const),
  price: fc.integer({ min: 9000, max: 11_000 }),
  lots: fc.integer({ min: 1, max: 800 }),
});

/** A running script: its exchange, and the ids of the orders of each account, oldest first. */
interface ScriptRun {
  readonly fixture: FuturesFixture;
  readonly background: BackgroundLiquidity;
  readonly ids: Record<string, string[]>;
}

/** Carries out one step of a script. */
function runStep(run: ScriptRun, step: Step): void {
  const { fixture, background, ids } = run;
  const contractName = 'E-BTC-USDT';
  switch (step.kind) {
    case 'wait':
      fixture.passTime(step.ms);
      break;
    case 'point':
      background.moveTo({ timeMs: fixture.nowMs, priceTicks: step.price, lots: step.lots });
      break;
    case 'cancel': {
      const orderId = ids[step.as]!.at(-1 - step.ordersBack);
      if (orderId !== undefined) fixture.post('/fapi/v1/cancel', { contractName, orderId }, { as: step.as });
      break;
    }
    case 'trigger':
      placeTrigger(fixture, step);
      break;
    case 'setting':
      fixture.post('/fapi/v1/edit_lever', { contractName, nowLevel: step.leverage }, { as: step.as });
      fixture.post('/fapi/v1/edit_user_margin_model', { contractName, marginModel: step.isIsolated ? 2 : 1 }, { as: step.as });
      fixture.post('/fapi/v1/edit_user_position_model', { contractName, positionModel: step.isNet ? 1 : 2 }, { as: step.as });
      break;
    case 'order':
      placeOrder(run, step);
  }
}

/** Places a trigger order. Types 1 and 2 close a position at the market, and types 3 and 4 open one by a limit. */
function placeTrigger(fixture: FuturesFixture, step: Step & { readonly kind: 'trigger' }): void {
  const isExit = step.triggerType < '3';
  const child = isExit ? { open: 'CLOSE', type: 'MARKET' } : { open: 'OPEN', type: 'LIMIT', price: step.price };
  fixture.sendTriggerOrder(step.as, step.side, step.triggerType, String(step.price), { volume: step.volume, ...child });
}

/** Places an order, and keeps its id if the exchange accepts it. */
function placeOrder({ fixture, ids }: ScriptRun, step: Step & { readonly kind: 'order' }): void {
  const reply = fixture.sendOrder(step.as, step.side, step.volume, step.price, { ...step.extraFields });
  const id = /\d{19}/.exec(reply.body)?.[0];
  if (id !== undefined) ids[step.as]!.push(id);
}

const eventCounts = { liquidations: 0, funding: 0, trades: 0, triggered: 0 };

/** Checks that money is conserved, no book is crossed, and no balance is below 0 without cover. */
function checkInvariants({ fixture }: ScriptRun): void {
  const { venue, markets } = fixture.service.futures;
  venue.assertConserved();
  const { book } = markets[0]!.matcher;
  const bid = book.best('buy');
  const ask = book.best('sell');
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
] as const)(
  'random futures scripts conserve money and never cross the book: changes of settings in use: %s, delays %o',
  (settingsInUse, delays) => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(...userSteps, wait, liquidityPoint), { minLength: 20, maxLength: 60 }),
        fc.nat(1000),
        (script, seed) => {
          const run = startScript({ delays }, { settingsInUse }, seed);
          const { fixture, ids } = run;
          for (const step of script) {
            runStep(run, step);
            fixture.passTime(2);
            checkInvariants(run);
          }
          for (const name of ['alice', 'bob']) {
            for (const orderId of ids[name]!) fixture.post('/fapi/v1/cancel', { contractName: 'E-BTC-USDT', orderId }, { as: name });
          }
          fixture.passTime(200);
          // Without open orders nothing is locked. A trigger order may still have placed one.
          const { venue } = fixture.service.futures;
          if (fixture.service.futures.unendedOrders().length === 0)
            for (const [account] of TRADERS.entries()) expect(venue.wallets.wallet(account, 0).locked).toBe(0);
          checkInvariants(run);
          countEvents(fixture);
        },
      ),
      { numRuns: 40 },
    );
  },
);

/** Opens an exchange with two traders and background liquidity. */
function startScript(overrides: object, switches: object, seed: number): ScriptRun {
  const accounts = tradersWithUsdt({ alice: '50', bob: '50' });
  const instruments = [BTC, ETH, PERPETUAL, INVERSE];
  const fixture = new FuturesFixture(
    { instruments, accounts, fundingRates: { [PERPETUAL.id]: 40 * FUNDING_RATE }, ...overrides },
    { marketOpenUnit: 'contracts', ...switches },
  );
  const { matcher } = fixture.service.futures.markets[0]!;
  const background = new BackgroundLiquidity(matcher, seededRng(seed), {
    levelsPerSide: 5,
    spreadTicks: 3,
    spacingTicks: 10,
    maxLotsPerLevel: 300,
  });
  return { fixture, background, ids: { alice: [], bob: [] } };
}

/** Adds the events of a script to the counts, which show that scripts reach each of them. */
function countEvents(fixture: FuturesFixture): void {
  for (const name of ['alice', 'bob']) {
    const orders = fixture.listRows('/fapi/v1/orderHistorical', { limit: 1000 }, name);
    eventCounts.liquidations += orders.filter(({ type }) => type === LIQUIDATION_TYPE).length;
    eventCounts.trades += fixture.trades(name).length;
    eventCounts.triggered += fixture.triggerOrders(name).filter(({ status }) => status === TRIGGER_STATUS.triggered).length;
    eventCounts.funding += fixture
      .listRows('/fapi/v1/profitHistorical', { limit: 1000 }, name)
      .filter(({ capitalFee }) => capitalFee !== 0).length;
  }
}

test('the random scripts covered every kind of event', () => {
  expect(eventCounts.trades).toBeGreaterThan(500);
  // Scripts differ each time. They give about twenty liquidations; as few as ten have been seen.
  for (const kind of ['liquidations', 'funding', 'triggered'] as const) expect(eventCounts[kind], kind).toBeGreaterThan(4);
});

/** Returns a decimal in units of 10^-4. */
const unitsOf = (value: unknown): bigint => BigInt(Math.round(Number(value) * 10_000));

test('in the replies alone, the equity of two users that trade with each other changes only by fees', () => {
  let trades = 0;
  fc.assert(
    fc.property(fc.array(fc.oneof(...userSteps), { minLength: 15, maxLength: 50 }), (script) => {
      const run = startScript({ fundingRates: { [PERPETUAL.id]: 0 }, accounts: tradersWithUsdt({}) }, {}, 0);
      const { fixture } = run;
      for (const step of script) {
        runStep(run, step);
        fixture.passTime(5);
      }
      fixture.passTime(2000);
      let sum = 0n;
      let tradeCount = 0;
      const longByName = new Map<string, number>();
      const shortByName = new Map<string, number>();
      for (const name of ['alice', 'bob']) {
        const { totalEquity, partEquity } = fixture.futuresAccount(name);
        sum += unitsOf(totalEquity) + unitsOf(partEquity);
        const ownTrades = fixture.trades(name);
        tradeCount += ownTrades.length;
        for (const { fee } of ownTrades) sum += unitsOf(fee);
        for (const { positionSide, positionVolume } of fixture.positions(name))
          (positionSide === 'BUY' ? longByName : shortByName).set(name, Number(positionVolume));
      }
      trades += tradeCount;
      const totalVolume = (volumeByName: Map<string, number>) => Array.from(volumeByName.values()).reduce((a, b) => a + b, 0);
      const isLiquidated = ['alice', 'bob'].some((name) =>
        fixture.listRows('/fapi/v1/orderHistorical', {}, name).some(({ type }) => type === LIQUIDATION_TYPE),
      );
      // If the insurance account has paid, the loser has lost less than the winner has won.
      if (isLiquidated || fixture.service.futures.venue.wallets.insurance[0] !== 0) return;
      expect(totalVolume(longByName)).toBe(totalVolume(shortByName));
      // Each partial close rounds its share of the entry value by at most half a unit.
      expect(Math.abs(Number(sum - unitsOf(20_000)))).toBeLessThanOrEqual(tradeCount);
    }),
    { numRuns: 100 },
  );
  expect(trades).toBeGreaterThan(100);
});
