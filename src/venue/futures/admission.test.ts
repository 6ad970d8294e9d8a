// Tests of the admission of futures orders: the code of each refusal, orders by value, account settings and cancels.

import { describe, expect, test } from 'vitest';
import { futuresIntent, type FuturesOrderOptions, linearContract, openFutures, trade } from '../../../test/fixtures/futuresVenue.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent, Side } from '../../model/order.ts';
import type { InstrumentState } from '../venueConfig.ts';
import type { FuturesVenueConfig } from './futuresConfig.ts';

const PRICE = 400_000;
type Config = Partial<FuturesVenueConfig> & { readonly deposit?: number };
const stateOf = (of: InstrumentState): Config => ({ state: { instruments: { [linearContract().id]: of } } });
const CLOSE = { closes: true };

/** Returns a venue of one contract with a last price. */
function fixture(config: Config = {}, contract: Instrument = linearContract()) {
  const { venue, seen } = openFutures([contract], config);
  venue.book(contract).lastPrice = PRICE;
  let ref = 100;
  /** Places an order and returns the code of its refusal, or 0. `check` must return the same, and a refusal changes nothing. */
  const code = (side: Side, lots: number, options: FuturesOrderOptions = {}, change: Partial<OrderIntent> = {}): number => {
    const intent = { ...futuresIntent(contract, side, lots, options), ...change };
    const checked = venue.check(0, intent);
    const wallet = venue.wallets.wallet(0, 0);
    const before = JSON.stringify([wallet, venue.wallets.sides(0, 0), venue.book(contract).working]);
    const order = venue.place(0, ++ref, intent, 1000);
    const placed = order === null ? venue.refusal : 0;
    expect(placed).toBe(checked);
    if (placed !== 0) expect(JSON.stringify([wallet, venue.wallets.sides(0, 0), venue.book(contract).working])).toBe(before);
    venue.assertConserved();
    return placed;
  };
  return { venue, seen, contract, code, hold: (side: Side, lots: number) => trade(venue, contract, side, lots, PRICE, 0) };
}

describe('orders, by the code of their refusal (exchange dialect, 10.2)', () => {
  test('-1020: the operation is off', () => {
    expect(fixture({ state: { off: ['place'] } }).code('buy', 1)).toBe(-1020);
  });
  test('-1121: a contract of another venue, even with the same terms', () => {
    expect(fixture().code('buy', 1, {}, { instrument: linearContract() })).toBe(-1121);
  });
  test('-1102: a price below zero', () => {
    expect(fixture().code('buy', 1, { limit: -1 })).toBe(-1102);
  });
  test('-2100: a MARKET volume above the largest one; a LIMIT order may be larger', () => {
    const venueFixture = fixture({}, linearContract({ maxMarketLots: 20 }));
    expect([venueFixture.code('buy', 20), venueFixture.code('buy', 21), venueFixture.code('buy', 21, { limit: PRICE })]).toEqual([
      0, -2100, 0,
    ]);
    const value = (contracts: number) => venueFixture.code('buy', 0, { value: contracts * PRICE });
    expect([value(20), value(21)]).toEqual([0, -2100]);
  });
  test('-1014: by value with lots, with a price, or closing; a time in force without a price', () => {
    const venueFixture = fixture();
    const value = { value: 1_000_000 };
    expect(venueFixture.code('buy', 0, value)).toBe(0);
    expect([venueFixture.code('buy', 1, value), venueFixture.code('buy', 0, { ...value, limit: PRICE }), venueFixture.code('sell', 0, { ...value, ...CLOSE })]).toEqual(
      [-1014, -1014, -1014],
    ); // prettier-ignore
    for (const timeInForce of ['IOC', 'FOK', 'POST_ONLY'] as const) {
      expect([venueFixture.code('buy', 1, { timeInForce }), venueFixture.code('buy', 1, { timeInForce, limit: 399_000 })]).toEqual([
        -1014, 0,
      ]);
    }
  });
  test('-2016: an opening order of a contract that is not trading, and every order of a frozen one', () => {
    const shut = fixture({}, linearContract({ isTrading: false }));
    expect([shut.code('buy', 1), shut.code('sell', 1, CLOSE)]).toEqual([-2016, 10015]);
    const frozen = fixture(stateOf({ frozen: true }));
    expect([frozen.code('buy', 1), frozen.code('sell', 1, CLOSE)]).toEqual([-2016, -2016]);
  });
  test('-1139: market trading is off, or there is no price yet for the margin', () => {
    const off = fixture(stateOf({ marketTrading: false }));
    expect([off.code('buy', 1), off.code('buy', 1, { limit: PRICE })]).toEqual([-1139, 0]);
    const blind = fixture();
    blind.venue.book(blind.contract).lastPrice = 0;
    expect([blind.code('buy', 1), blind.code('buy', 1, { limit: PRICE })]).toEqual([-1139, 0]);
  });
  test('-1147, -1111: a price, volume or value finer than its scale', () => {
    const venueFixture = fixture();
    expect([venueFixture.code('buy', 1, { limit: PRICE + 0.5 }), venueFixture.code('buy', 1.5), venueFixture.code('buy', 0, { value: 1_000_000.5 })]).toEqual(
      [-1147, -1147, -1111],
    ); // prettier-ignore
  });
  test('-1136: a volume below the smallest order or of zero, or a value below one contract', () => {
    const venueFixture = fixture({}, linearContract({}, { minLots: futuresIntent(linearContract(), 'buy', 3).lots }));
    expect([venueFixture.code('buy', 2), venueFixture.code('buy', 3), venueFixture.code('buy', 0), venueFixture.code('buy', -1)]).toEqual([
      -1136, 0, -1136, -1136,
    ]);
    expect([venueFixture.code('buy', 0, { value: PRICE - 1 }), venueFixture.code('buy', 0, { value: PRICE })]).toEqual([-1136, 0]);
  });
  test('-1138: a limit outside of the band, on either side', () => {
    const venueFixture = fixture(stateOf({ priceBandPpm: 20_000 }));
    const at = (limit: number) => venueFixture.code('buy', 1, { limit });
    expect([at(408_000), at(408_001), at(392_000), at(391_999)]).toEqual([0, -1138, 0, -1138]);
  });
  test('35: an account that may not order', () => {
    expect(fixture({ state: { restrictedAccounts: ['main'] } }).code('buy', 1)).toBe(35);
  });
  test('-1015: one order more than maxOpenOrders, until another has ended', () => {
    const venueFixture = fixture({ maxOpenOrders: 2 });
    const rest = () => venueFixture.code('buy', 1, { limit: 300_000 });
    expect([rest(), rest(), rest()]).toEqual([0, 0, -1015]);
    venueFixture.venue.cancel(venueFixture.venue.find(0, 1)!, 2000);
    expect(rest()).toBe(0);
  });
  test.each([true, false])('10015: more lots than can be closed beside other closing orders (net: %s)', (isNet) => {
    const venueFixture = fixture({ opening: { leverage: 10, isCross: true, isNet } });
    expect(venueFixture.code('sell', 1, CLOSE)).toBe(10015);
    venueFixture.hold('buy', 10);
    expect([
      venueFixture.code('sell', 11, CLOSE),
      venueFixture.code('buy', 1, CLOSE),
      venueFixture.code('sell', 6, { ...CLOSE, limit: 500_000 }),
    ]).toEqual([10015, 10015, 0]);
    expect([venueFixture.code('sell', 5, CLOSE), venueFixture.code('sell', 4, CLOSE)]).toEqual([10015, 0]);
  });
  test.each([true, false])('10015: an opening sell does not reduce the lots that can be closed (net: %s)', (isNet) => {
    const venueFixture = fixture({ opening: { leverage: 10, isCross: true, isNet } });
    venueFixture.hold('buy', 10);
    expect([venueFixture.code('sell', 6, { limit: 500_000 }), venueFixture.code('sell', 8, { ...CLOSE, limit: 500_000 })]).toEqual([0, 0]);
    expect([venueFixture.code('sell', 3, CLOSE), venueFixture.code('sell', 2, CLOSE)]).toEqual([10015, 0]);
  });
  test('net: when an order closes their lots, open sells hold margin instead, newest first, and are canceled without margin', () => {
    const venueFixture = fixture({ deposit: 650_000 });
    venueFixture.hold('buy', 10);
    const place = (lots: number, of: FuturesOrderOptions) =>
      venueFixture.venue.place(0, 1, futuresIntent(venueFixture.contract, 'sell', lots, of), 1000)!;
    const older = place(6, { limit: 500_000 });
    const newer = place(4, { limit: 500_000 });
    place(1, { ...CLOSE, limit: 600_000 });
    expect([older, newer].map(({ offsetLots, lockedUnits }) => [offsetLots, lockedUnits])).toEqual([[6, 0], [3, 50_200]]); // prettier-ignore
    place(9, { ...CLOSE, limit: 600_000 });
    // 6 lots at 500,000 need 301,200 units, which are not left.
    expect([older.status, newer.status, newer.offsetLots, newer.lockedUnits]).toEqual(['CANCELED', 'NEW', 0, 200_800]);
    expect(venueFixture.seen.ends).toHaveLength(1);
    venueFixture.venue.assertConserved();
  });
  test('-2017: less than margin and the higher fee, to the unit', () => {
    // 10 lots have a value of 4,000,000 units: 400,000 of margin at a leverage of ten, and 1,600 of taker fee.
    for (const limit of [0, PRICE]) {
      expect([fixture({ deposit: 401_600 }).code('buy', 10, { limit }), fixture({ deposit: 401_599 }).code('buy', 10, { limit })]).toEqual([
        0, -2017,
      ]);
    }
  });
  test('-2017: a sell counts at the higher of last price and limit; losses of cross positions count, profits do not', () => {
    expect([fixture({ deposit: 401_600 }).code('sell', 10, { limit: 300_000 }), fixture({ deposit: 401_599 }).code('sell', 10, { limit: 300_000 })]).toEqual([0, -2017]);
    const marked = (mark: number, lots: number) => {
      const venueFixture = fixture({ deposit: 803_200 });
      venueFixture.hold('buy', 10);
      venueFixture.venue.setMark(venueFixture.contract, mark);
      return venueFixture.code('buy', lots);
    };
    expect([marked(PRICE, 10), marked(PRICE + 10_000, 11), marked(PRICE - 1, 10)]).toEqual([0, -2017, -2017]);
  }); // prettier-ignore
  test('-2100: the leverage of the account is too large for the value that the position would have', () => {
    // From 500,000,000 units on the maximum leverage is 50.
    const venueFixture = fixture({ opening: { leverage: 100, isCross: true, isNet: true } });
    expect([venueFixture.code('buy', 1251, { limit: PRICE }), venueFixture.code('buy', 1250, { limit: PRICE })]).toEqual([-2100, 0]);
    venueFixture.hold('buy', 1000);
    expect([venueFixture.code('buy', 251), venueFixture.code('buy', 250)]).toEqual([-2100, 0]);
  });
  test('an order with several faults gets the code of the first check', () => {
    const contract = linearContract({ maxMarketLots: 20, isTrading: false });
    const off = {
      deposit: 1,
      maxOpenOrders: 1,
      state: { instruments: { [contract.id]: { priceBandPpm: 1 } }, restrictedAccounts: ['main'] },
    };
    const venueFixture = fixture(off, contract);
    expect(venueFixture.code('buy', 21, { timeInForce: 'IOC' })).toBe(-2100);
    expect(venueFixture.code('buy', 20.5, { timeInForce: 'IOC' })).toBe(-2100);
    expect(venueFixture.code('buy', 19.5, { timeInForce: 'IOC' })).toBe(-1014);
    expect(venueFixture.code('buy', 19.5)).toBe(-2016);
    expect(venueFixture.code('buy', 19.5, { limit: 500_000, ...CLOSE })).toBe(-1147);
    expect(venueFixture.code('buy', 19, { limit: 500_000, ...CLOSE })).toBe(-1138);
    expect(venueFixture.code('buy', 19, { limit: PRICE, ...CLOSE })).toBe(35);
  });
});

describe('MARKET OPEN by value', () => {
  const traded = (requestedLots: number, value: number, price: number) => {
    const venueFixture = fixture();
    const order = venueFixture.venue.place(0, 1, futuresIntent(venueFixture.contract, 'buy', requestedLots, { value }), 0)!;
    venueFixture.venue.book(venueFixture.contract).matchOpen(0, price, 0);
    return [order.status, order.filledLots, order.filledUnits, venueFixture.venue.wallets.wallet(0, 0).locked];
  };
  test('buys the whole contracts that the value pays for at the fill price, and ends', () => {
    expect(traded(0, 1_000_000, PRICE)).toEqual(['FILLED', 2, 800_000, 0]);
    expect(traded(0, 1_000_000, 330_000)).toEqual(['FILLED', 3, 990_000, 0]);
    expect(traded(0, 800_000, PRICE)).toEqual(['FILLED', 2, 800_000, 0]);
  });
  test('is canceled when the value is below one contract at the fill price', () => {
    expect(traded(0, 1_000_000, 1_000_001)).toEqual(['CANCELED', 0, 0, 0]);
  });
  test('the same number as a volume is a number of contracts', () => {
    expect(traded(1000, 0, PRICE)).toEqual(['FILLED', 1000, 400_000_000, 0]);
  });
});

describe('settings', () => {
  type Change = (venueFixture: ReturnType<typeof fixture>) => boolean;
  const CHANGES: readonly (readonly [string, Change])[] = [
    ['leverage', ({ venue, contract }) => venue.setLeverage(0, contract, 5)],
    ['margin mode', ({ venue, contract }) => venue.setMarginMode(0, contract, false)],
    ['position mode', ({ venue, contract }) => venue.setPositionMode(0, contract, false)],
  ];
  describe.each(CHANGES)('%s', (name, change) => {
    test('can be changed without positions and orders', () => {
      const venueFixture = fixture();
      expect(change(venueFixture)).toBe(true);
    });
    test('-1020 while there is a position or an order', () => {
      const venueFixture = fixture();
      venueFixture.hold('buy', 10);
      expect([change(venueFixture), venueFixture.venue.refusal]).toEqual([false, -1020]);
      venueFixture.hold('sell', 10);
      venueFixture.code('buy', 1, { limit: 300_000 });
      expect([change(venueFixture), venueFixture.venue.refusal]).toEqual([false, -1020]);
      venueFixture.venue.book(venueFixture.contract).cancel(
        venueFixture.venue.book(venueFixture.contract).newest(() => true)!,
        3000,
      );
      expect(change(venueFixture)).toBe(true);
    });
    test('with settingsInUse accept, only the position mode is refused', () => {
      const venueFixture = fixture({ settingsInUse: 'accept' });
      venueFixture.hold('buy', 10);
      expect(change(venueFixture)).toBe(name !== 'position mode');
    });
  });
  test('-2100: a leverage outside the limits of the contract, or not a whole number', () => {
    const { venue, contract } = fixture({}, linearContract({ minLeverage: 2, maxLeverage: 20 }));
    const set = (leverage: number) => (venue.setLeverage(0, contract, leverage) ? 0 : venue.refusal);
    expect([set(1), set(2), set(20), set(21), set(2.5), set(NaN)]).toEqual([-2100, 0, 0, -2100, -2100, -2100]);
    expect(venue.setting(0, contract).leverage).toBe(20);
  });
  test('a new setting applies to later openings', () => {
    const venueFixture = fixture({ settingsInUse: 'accept' });
    venueFixture.hold('buy', 10);
    venueFixture.venue.setLeverage(0, venueFixture.contract, 4);
    venueFixture.hold('buy', 10);
    expect(venueFixture.venue.wallets.position(0, 0, true)).toMatchObject({ leverage: 10, marginUnits: 400_000 + 1_000_000 });
  });
});

describe('cancels', () => {
  test('-1112 for an unknown order or that of another account; -1145 for one that has ended', () => {
    const venueFixture = fixture();
    venueFixture.hold('buy', 1);
    venueFixture.venue.openAccount('other');
    const cancel = (account: number, id: number) =>
      venueFixture.venue.requestCancelById(account, id) === null ? venueFixture.venue.refusal : 0;
    expect([cancel(0, 77), cancel(1, 1), cancel(0, 1)]).toEqual([-1112, -1112, -1145]);
  });
});
