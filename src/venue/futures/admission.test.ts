// Tests of the admission of futures orders: the code of each refusal, orders by value, account settings and cancels.

import { describe, expect, test } from 'vitest';
import { futuresIntent, type FuturesOrderOptions, linearContract, openFutures, trade } from '../../../test/fixtures/futuresVenue.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent, Side } from '../../model/order.ts';
import type { InstrumentState } from '../venueConfig.ts';
import type { FuturesVenueConfig } from './futuresConfig.ts';

const PRICE = 400_000;
type Config = Partial<FuturesVenueConfig> & { readonly deposit?: number };
const configWithState = (of: InstrumentState): Config => ({ state: { instruments: { [linearContract().id]: of } } });
const CLOSING = { closes: true };

/** Returns a venue of one contract with a last price. */
function fixture(config: Config = {}, contract: Instrument = linearContract()) {
  const { venue, seen } = openFutures([contract], config);
  venue.book(contract).lastPrice = PRICE;
  let ref = 100;
  /** Places an order and returns the code of its refusal, or 0. `check` must return the same, and a refusal changes nothing. */
  const refusalCode = (side: Side, lots: number, options: FuturesOrderOptions = {}, change: Partial<OrderIntent> = {}): number => {
    const intent = { ...futuresIntent(contract, side, lots, options), ...change };
    const checked = venue.check(0, intent);
    const wallet = venue.wallets.wallet(0, 0);
    const stateBefore = JSON.stringify([wallet, venue.wallets.sides(0, 0), venue.book(contract).working]);
    const order = venue.place(0, ++ref, intent, 1000);
    const placed = order === null ? venue.refusal : 0;
    expect(placed).toBe(checked);
    if (placed !== 0) expect(JSON.stringify([wallet, venue.wallets.sides(0, 0), venue.book(contract).working])).toBe(stateBefore);
    venue.assertConserved();
    return placed;
  };
  return { venue, seen, contract, refusalCode, openPosition: (side: Side, lots: number) => trade(venue, contract, side, lots, PRICE, 0) };
}

describe('the codes with which the futures venue refuses orders (exchange dialect, 10.2)', () => {
  test('an order is refused with -1020 while the operation is off', () => {
    expect(fixture({ state: { off: ['place'] } }).refusalCode('buy', 1)).toBe(-1020);
  });
  test('an order for a contract of another venue, even with the same terms, is refused with -1121', () => {
    expect(fixture().refusalCode('buy', 1, {}, { instrument: linearContract() })).toBe(-1121);
  });
  test('an order with a limit below zero is refused with -1102', () => {
    expect(fixture().refusalCode('buy', 1, { limit: -1 })).toBe(-1102);
  });
  test('a MARKET order above the largest market volume is refused with -2100, and a LIMIT order of that size is accepted', () => {
    const venueFixture = fixture({}, linearContract({ maxMarketLots: 20 }));
    expect([
      venueFixture.refusalCode('buy', 20),
      venueFixture.refusalCode('buy', 21),
      venueFixture.refusalCode('buy', 21, { limit: PRICE }),
    ]).toEqual([0, -2100, 0]);
    const value = (contracts: number) => venueFixture.refusalCode('buy', 0, { value: contracts * PRICE });
    expect([value(20), value(21)]).toEqual([0, -2100]);
  });
  test('an order by value with lots, a limit or CLOSE is refused with -1014, and so is a time in force without a limit', () => {
    const venueFixture = fixture();
    const value = { value: 1_000_000 };
    expect(venueFixture.refusalCode('buy', 0, value)).toBe(0);
    expect(venueFixture.refusalCode('buy', 1, value)).toBe(-1014);
    expect(venueFixture.refusalCode('buy', 0, { ...value, limit: PRICE })).toBe(-1014);
    expect(venueFixture.refusalCode('sell', 0, { ...value, ...CLOSING })).toBe(-1014);
    for (const timeInForce of ['IOC', 'FOK', 'POST_ONLY'] as const) {
      expect([
        venueFixture.refusalCode('buy', 1, { timeInForce }),
        venueFixture.refusalCode('buy', 1, { timeInForce, limit: 399_000 }),
      ]).toEqual([-1014, 0]);
    }
  });
  test('an opening order of a contract that is not trading, and every order of a frozen contract, are refused with -2016', () => {
    const notTrading = fixture({}, linearContract({ isTrading: false }));
    expect([notTrading.refusalCode('buy', 1), notTrading.refusalCode('sell', 1, CLOSING)]).toEqual([-2016, 10015]);
    const frozen = fixture(configWithState({ frozen: true }));
    expect([frozen.refusalCode('buy', 1), frozen.refusalCode('sell', 1, CLOSING)]).toEqual([-2016, -2016]);
  });
  test('a MARKET order is refused with -1139 while market trading is off, or before there is a price for its margin', () => {
    const off = fixture(configWithState({ marketTrading: false }));
    expect([off.refusalCode('buy', 1), off.refusalCode('buy', 1, { limit: PRICE })]).toEqual([-1139, 0]);
    const withoutPrice = fixture();
    withoutPrice.venue.book(withoutPrice.contract).lastPrice = 0;
    expect([withoutPrice.refusalCode('buy', 1), withoutPrice.refusalCode('buy', 1, { limit: PRICE })]).toEqual([-1139, 0]);
  });
  test('a limit or a volume finer than its scale is refused with -1147, and such a value with -1111', () => {
    const venueFixture = fixture();
    expect(venueFixture.refusalCode('buy', 1, { limit: PRICE + 0.5 })).toBe(-1147);
    expect(venueFixture.refusalCode('buy', 1.5)).toBe(-1147);
    expect(venueFixture.refusalCode('buy', 0, { value: 1_000_000.5 })).toBe(-1111);
  });
  test('a volume of zero or below the smallest order, and a value below one contract, are refused with -1136', () => {
    const venueFixture = fixture({}, linearContract({}, { minLots: futuresIntent(linearContract(), 'buy', 3).lots }));
    expect([
      venueFixture.refusalCode('buy', 2),
      venueFixture.refusalCode('buy', 3),
      venueFixture.refusalCode('buy', 0),
      venueFixture.refusalCode('buy', -1),
    ]).toEqual([-1136, 0, -1136, -1136]);
    expect([venueFixture.refusalCode('buy', 0, { value: PRICE - 1 }), venueFixture.refusalCode('buy', 0, { value: PRICE })]).toEqual([
      -1136, 0,
    ]);
  });
  test('a limit outside of the price band, on either side, is refused with -1138', () => {
    const venueFixture = fixture(configWithState({ priceBandPpm: 20_000 }));
    const at = (limit: number) => venueFixture.refusalCode('buy', 1, { limit });
    expect([at(408_000), at(408_001), at(392_000), at(391_999)]).toEqual([0, -1138, 0, -1138]);
  });
  test('an order of a restricted account is refused with 35', () => {
    expect(fixture({ state: { restrictedAccounts: ['main'] } }).refusalCode('buy', 1)).toBe(35);
  });
  test('one order more than maxOpenOrders is refused with -1015 until another order has ended', () => {
    const venueFixture = fixture({ maxOpenOrders: 2 });
    const rest = () => venueFixture.refusalCode('buy', 1, { limit: 300_000 });
    expect([rest(), rest(), rest()]).toEqual([0, 0, -1015]);
    venueFixture.venue.cancel(venueFixture.venue.find(0, 1)!, 2000);
    expect(rest()).toBe(0);
  });
  test.each([true, false])(
    'a closing order for more lots than other closing orders leave is refused with 10015 (net mode: %s)',
    (isNet) => {
      const venueFixture = fixture({ opening: { leverage: 10, isCross: true, isNet } });
      expect(venueFixture.refusalCode('sell', 1, CLOSING)).toBe(10015);
      venueFixture.openPosition('buy', 10);
      expect([
        venueFixture.refusalCode('sell', 11, CLOSING),
        venueFixture.refusalCode('buy', 1, CLOSING),
        venueFixture.refusalCode('sell', 6, { ...CLOSING, limit: 500_000 }),
      ]).toEqual([10015, 10015, 0]);
      expect([venueFixture.refusalCode('sell', 5, CLOSING), venueFixture.refusalCode('sell', 4, CLOSING)]).toEqual([10015, 0]);
    },
  );
  test.each([true, false])('an opening sell does not reduce the lots that a closing order may close (net mode: %s)', (isNet) => {
    const venueFixture = fixture({ opening: { leverage: 10, isCross: true, isNet } });
    venueFixture.openPosition('buy', 10);
    expect([
      venueFixture.refusalCode('sell', 6, { limit: 500_000 }),
      venueFixture.refusalCode('sell', 8, { ...CLOSING, limit: 500_000 }),
    ]).toEqual([0, 0]);
    expect([venueFixture.refusalCode('sell', 3, CLOSING), venueFixture.refusalCode('sell', 2, CLOSING)]).toEqual([10015, 0]);
  });
  test('in net mode, open sells whose lots another order closes hold margin instead, newest first, or are canceled without margin', () => {
    const venueFixture = fixture({ deposit: 650_000 });
    venueFixture.openPosition('buy', 10);
    const place = (lots: number, of: FuturesOrderOptions) =>
      venueFixture.venue.place(0, 1, futuresIntent(venueFixture.contract, 'sell', lots, of), 1000)!;
    const older = place(6, { limit: 500_000 });
    const newer = place(4, { limit: 500_000 });
    place(1, { ...CLOSING, limit: 600_000 });
    expect([older, newer].map(({ offsetLots, lockedUnits }) => [offsetLots, lockedUnits])).toEqual([[6, 0], [3, 50_200]]); // prettier-ignore
    place(9, { ...CLOSING, limit: 600_000 });
    // 6 lots at 500,000 need 301,200 units, which are not left.
    expect([older.status, newer.status, newer.offsetLots, newer.lockedUnits]).toEqual(['CANCELED', 'NEW', 0, 200_800]);
    expect(venueFixture.seen.ends).toHaveLength(1);
    venueFixture.venue.assertConserved();
  });
  test('an order is refused with -2017 if the balance lacks one unit of its margin and the higher fee', () => {
    // 10 lots have a value of 4,000,000 units: 400,000 of margin at a leverage of ten, and 1,600 of taker fee.
    for (const limit of [0, PRICE]) {
      expect([
        fixture({ deposit: 401_600 }).refusalCode('buy', 10, { limit }),
        fixture({ deposit: 401_599 }).refusalCode('buy', 10, { limit }),
      ]).toEqual([0, -2017]);
    }
  });
  test('the margin of a sell counts at the higher of last price and limit, and losses of cross positions reduce the balance', () => {
    expect(fixture({ deposit: 401_600 }).refusalCode('sell', 10, { limit: 300_000 })).toBe(0);
    expect(fixture({ deposit: 401_599 }).refusalCode('sell', 10, { limit: 300_000 })).toBe(-2017);
    const codeAtMark = (mark: number, lots: number) => {
      const venueFixture = fixture({ deposit: 803_200 });
      venueFixture.openPosition('buy', 10);
      venueFixture.venue.setMark(venueFixture.contract, mark);
      return venueFixture.refusalCode('buy', lots);
    };
    expect([codeAtMark(PRICE, 10), codeAtMark(PRICE + 10_000, 11), codeAtMark(PRICE - 1, 10)]).toEqual([0, -2017, -2017]);
  }); // prettier-ignore
  test('an order is refused with -2100 if the account has too much leverage for the value that its position would have', () => {
    // From 500,000,000 units on the maximum leverage is 50.
    const venueFixture = fixture({ opening: { leverage: 100, isCross: true, isNet: true } });
    expect([venueFixture.refusalCode('buy', 1251, { limit: PRICE }), venueFixture.refusalCode('buy', 1250, { limit: PRICE })]).toEqual([
      -2100, 0,
    ]);
    venueFixture.openPosition('buy', 1000);
    expect([venueFixture.refusalCode('buy', 251), venueFixture.refusalCode('buy', 250)]).toEqual([-2100, 0]);
  });
  test('an order with several faults gets the code of the first check', () => {
    const contract = linearContract({ maxMarketLots: 20, isTrading: false });
    const off = {
      deposit: 1,
      maxOpenOrders: 1,
      state: { instruments: { [contract.id]: { priceBandPpm: 1 } }, restrictedAccounts: ['main'] },
    };
    const venueFixture = fixture(off, contract);
    expect(venueFixture.refusalCode('buy', 21, { timeInForce: 'IOC' })).toBe(-2100);
    expect(venueFixture.refusalCode('buy', 20.5, { timeInForce: 'IOC' })).toBe(-2100);
    expect(venueFixture.refusalCode('buy', 19.5, { timeInForce: 'IOC' })).toBe(-1014);
    expect(venueFixture.refusalCode('buy', 19.5)).toBe(-2016);
    expect(venueFixture.refusalCode('buy', 19.5, { limit: 500_000, ...CLOSING })).toBe(-1147);
    expect(venueFixture.refusalCode('buy', 19, { limit: 500_000, ...CLOSING })).toBe(-1138);
    expect(venueFixture.refusalCode('buy', 19, { limit: PRICE, ...CLOSING })).toBe(35);
  });
});

describe('a MARKET order that opens a position by value', () => {
  const tradeByMarket = (requestedLots: number, value: number, price: number) => {
    const venueFixture = fixture();
    const order = venueFixture.venue.place(0, 1, futuresIntent(venueFixture.contract, 'buy', requestedLots, { value }), 0)!;
    venueFixture.venue.book(venueFixture.contract).matchOpen(0, price, 0);
    return [order.status, order.filledLots, order.filledUnits, venueFixture.venue.wallets.wallet(0, 0).locked];
  };
  test('an order by value buys the whole contracts that the value pays for at the fill price, and ends', () => {
    expect(tradeByMarket(0, 1_000_000, PRICE)).toEqual(['FILLED', 2, 800_000, 0]);
    expect(tradeByMarket(0, 1_000_000, 330_000)).toEqual(['FILLED', 3, 990_000, 0]);
    expect(tradeByMarket(0, 800_000, PRICE)).toEqual(['FILLED', 2, 800_000, 0]);
  });
  test('an order by value is canceled when the value is below one contract at the fill price', () => {
    expect(tradeByMarket(0, 1_000_000, 1_000_001)).toEqual(['CANCELED', 0, 0, 0]);
  });
  test('an order by lots buys that number of contracts', () => {
    expect(tradeByMarket(1000, 0, PRICE)).toEqual(['FILLED', 1000, 400_000_000, 0]);
  });
});

describe('the settings of an account for a contract', () => {
  type Change = (venueFixture: ReturnType<typeof fixture>) => boolean;
  const CHANGES: readonly (readonly [string, Change])[] = [
    ['leverage', ({ venue, contract }) => venue.setLeverage(0, contract, 5)],
    ['margin mode', ({ venue, contract }) => venue.setMarginMode(0, contract, false)],
    ['position mode', ({ venue, contract }) => venue.setPositionMode(0, contract, false)],
  ];
  describe.each(CHANGES)('a change of the %s', (name, change) => {
    test('a setting can be changed without positions and orders', () => {
      const venueFixture = fixture();
      expect(change(venueFixture)).toBe(true);
    });
    test('a change of a setting is refused with -1020 while there is a position or an order', () => {
      const venueFixture = fixture();
      venueFixture.openPosition('buy', 10);
      expect([change(venueFixture), venueFixture.venue.refusal]).toEqual([false, -1020]);
      venueFixture.openPosition('sell', 10);
      venueFixture.refusalCode('buy', 1, { limit: 300_000 });
      expect([change(venueFixture), venueFixture.venue.refusal]).toEqual([false, -1020]);
      venueFixture.venue.book(venueFixture.contract).cancel(
        venueFixture.venue.book(venueFixture.contract).newest(() => true)!,
        3000,
      );
      expect(change(venueFixture)).toBe(true);
    });
    test('with settingsInUse accept, only a change of the position mode is refused', () => {
      const venueFixture = fixture({ settingsInUse: 'accept' });
      venueFixture.openPosition('buy', 10);
      expect(change(venueFixture)).toBe(name !== 'position mode');
    });
  });
  test('a leverage outside the limits of the contract, or not a whole number, is refused with -2100', () => {
    const { venue, contract } = fixture({}, linearContract({ minLeverage: 2, maxLeverage: 20 }));
    const set = (leverage: number) => (venue.setLeverage(0, contract, leverage) ? 0 : venue.refusal);
    expect([set(1), set(2), set(20), set(21), set(2.5), set(NaN)]).toEqual([-2100, 0, 0, -2100, -2100, -2100]);
    expect(venue.setting(0, contract).leverage).toBe(20);
  });
  test('a new setting applies to later openings', () => {
    const venueFixture = fixture({ settingsInUse: 'accept' });
    venueFixture.openPosition('buy', 10);
    venueFixture.venue.setLeverage(0, venueFixture.contract, 4);
    venueFixture.openPosition('buy', 10);
    expect(venueFixture.venue.wallets.position(0, 0, true)).toMatchObject({ leverage: 10, marginUnits: 400_000 + 1_000_000 });
  });
});

describe('cancel requests', () => {
  test('a cancel of an unknown order or of another account is refused with -1112, and of an ended order with -1145', () => {
    const venueFixture = fixture();
    venueFixture.openPosition('buy', 1);
    venueFixture.venue.openAccount('other');
    const cancel = (accountIndex: number, id: number) =>
      venueFixture.venue.requestCancelById(accountIndex, id) === null ? venueFixture.venue.refusal : 0;
    expect([cancel(0, 77), cancel(1, 1), cancel(0, 1)]).toEqual([-1112, -1112, -1145]);
  });
});
