// Tests of liquidation by mark price: cross accounts, isolated positions, and the liquidation price that a position shows.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { futuresConfig, futuresIntent, inverseContract, linearContract, openFutures, trade } from '../../../test/fixtures/futuresVenue.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { FuturesVenueConfig } from './futuresConfig.ts';
import { FuturesVenue } from './futuresVenue.ts';

const PRICE = 400_000;
const DEPOSIT = 9_000_000;
const BTC = linearContract();
const ETH = linearContract({ contractId: 3 }, { base: 'ETH' });
const COIN = inverseContract();
const OPENING = { leverage: 10, isCross: true, isNet: true };

/** Opens a venue that lists its events as text: two accounts with 9,000,000 units, the first with a long of 100 lots in each of `longs`. */
function openVenue({ longs = [BTC, ETH], ...config }: Partial<FuturesVenueConfig> & { readonly longs?: readonly Instrument[] } = {}) {
  const messages: string[] = [];
  const instruments = [BTC, ETH, COIN];
  const name = (index: number) => instruments[index]!.base;
  const venue = new FuturesVenue(futuresConfig(instruments, config), {
    filled: () => {},
    ended: (order) => void messages.push(`canceled ${order.ref}`),
    onReduction: () => {},
    onFunding: () => {},
    onLiquidation: ({ account, index }, wasLong, { price, lots, fee, covered }) =>
      void messages.push(`${account}: ${wasLong ? 'long' : 'short'} of ${lots} ${name(index)} at ${price}, fee ${fee}, covered ${covered}`),
  });
  for (const account of [0, 1]) {
    venue.openAccount(`account ${account}`);
    venue.deposit(account, 'USDT', DEPOSIT);
    venue.deposit(account, 'BTC', 1_000_000_000);
    for (const contract of instruments) venue.book(contract).lastPrice = PRICE;
    for (const contract of instruments) venue.setMark(contract, PRICE);
  }
  for (const contract of longs) trade(venue, contract, 'buy', 100, PRICE, 0);
  const placeResting = (accountIndex: number, contract: Instrument, ref: number, limit = 300_000) =>
    venue.place(accountIndex, ref, futuresIntent(contract, 'buy', 1, { limit }), 0);
  /** Passes one row of marks for each of several contracts, and settles them together. */
  const settleMarks = (timeMs: number, of: readonly (readonly [Instrument, number, number?])[]) => {
    for (const [contract, worst, open = PRICE] of of) venue.markRow(contract, open, Math.max(open, worst), Math.min(open, worst), worst);
    venue.settleMarks(timeMs);
    venue.assertConserved();
  };
  const openNames = (account = 0) => [...venue.wallets.openPositions(account)].map(({ index }) => name(index));
  return { venue, messages, placeResting, settleMarks, openNames };
}

describe('a cross account', () => {
  // Each position has a value of 40,000,000 and paid a fee of 16,000. The maintenance rate is 0.5 %.
  test('in a cross account, the profit of one position covers the loss of another', () => {
    const { messages, settleMarks, openNames } = openVenue();
    settleMarks(1000, [[BTC, PRICE * 0.8], [ETH, PRICE * 1.2]]); // prettier-ignore
    expect([messages, openNames()]).toEqual([[], ['BTC', 'ETH']]);
    settleMarks(2000, [[ETH, PRICE * 0.985]]);
    expect(openNames()).toEqual(['BTC', 'ETH']);
    settleMarks(3000, [[ETH, PRICE * 0.984]]);
    expect(openNames()).toEqual(['ETH']);
  });

  test('a cross account without margin loses its orders, newest first, and then the position with the largest loss', () => {
    const { venue, messages, placeResting, settleMarks, openNames } = openVenue();
    for (const [contract, ref] of [[BTC, 1], [ETH, 2], [BTC, 3]] as const) placeResting(0, contract, ref);
    settleMarks(1000, [[BTC, PRICE * 0.95], [ETH, PRICE * 0.83]]); // prettier-ignore
    // 168,000 units are left in total, but 190,000 and 166,000 are required: ETH is closed where the margin suffices.
    const price = 333_889;
    const fee = Math.ceil((100 * price * 2000) / 1e6);
    expect(messages).toEqual(['canceled 3', 'canceled 1', 'canceled 2', `0: long of 100 ETH at ${price}, fee ${fee}, covered 0`]);
    expect(openNames()).toEqual(['BTC']);
    expect(venue.wallets.insurance[0]).toBe(fee);
    const remainder = DEPOSIT - 2 * 16_000 + 100 * (price - PRICE) - fee;
    expect(remainder + 100 * (PRICE * 0.95 - PRICE)).toBeGreaterThan(190_000);
    const { free, locked } = venue.wallets.wallet(0, 0);
    expect([free + venue.wallets.position(0, 0, true).marginUnits, locked]).toEqual([remainder, 0]);
  }); // prettier-ignore

  test('a gap closes all positions of a cross account, the largest loss first, and the insurance account covers the missing amount', () => {
    const { venue, messages, settleMarks, openNames } = openVenue();
    settleMarks(1000, [[BTC, PRICE * 0.8, PRICE * 0.8], [ETH, PRICE * 0.7, PRICE * 0.7]]); // prettier-ignore
    const missing = 32_000 + 8_000_000 + 12_000_000 - DEPOSIT;
    expect(messages).toEqual(['0: long of 100 ETH at 280000, fee 0, covered 0', `0: long of 100 BTC at 320000, fee 0, covered ${missing}`]);
    expect(openNames()).toEqual([]);
    expect([venue.wallets.wallet(0, 0).free, venue.wallets.insurance[0]]).toEqual([0, -missing]);
  });

  test('a liquidation leaves other accounts, other settlement assets and isolated positions unchanged', () => {
    const { venue, messages, placeResting, settleMarks } = openVenue({ longs: [], settingsInUse: 'accept' });
    for (const account of [0, 1]) {
      trade(venue, BTC, 'buy', account === 0 ? 200 : 20, PRICE, 0, { account });
      trade(venue, COIN, 'buy', 10, PRICE, 0, { account });
      placeResting(account, COIN, 10 + account);
      placeResting(account, BTC, 20 + account);
    }
    venue.setMarginMode(0, ETH, false);
    trade(venue, ETH, 'sell', 5, PRICE, 0);
    settleMarks(1000, [[BTC, PRICE * 0.85]]);
    expect(messages[0]).toBe('canceled 20');
    expect(messages.slice(1)).toEqual([expect.stringMatching(/^0: long of 200 BTC/)]);
    const survivors = [0, 1].map((account) => [...venue.wallets.openPositions(account)].map(({ index, isCross }) => [index, isCross]));
    expect(survivors).toEqual([[[1, false], [2, true]], [[0, true], [2, true]]]); // prettier-ignore
    expect([10, 11, 21].map((ref) => venue.book(ref === 21 ? BTC : COIN).newest((order) => order.ref === ref)?.isOpen)).toEqual([
      true,
      true,
      true,
    ]);
  });
});

describe('an isolated position', () => {
  test('an isolated position loses at most its margin, and the orders and other positions of the account stay', () => {
    const { venue, messages, placeResting, settleMarks, openNames } = openVenue({ opening: { ...OPENING, isCross: false } });
    placeResting(0, BTC, 1);
    const { free } = venue.wallets.wallet(0, 0);
    settleMarks(1000, [[BTC, PRICE * 0.5, PRICE * 0.5]]);
    // 4,000,000 units of margin against a loss of 20,000,000.
    expect(messages).toEqual(['0: long of 100 BTC at 200000, fee 0, covered 16000000']);
    expect([openNames(), venue.wallets.wallet(0, 0).free, venue.wallets.insurance[0]]).toEqual([['ETH'], free, -16_000_000]);
  });
  test('an isolated position that is closed in part pays from its remaining margin before the insurance account pays', () => {
    const { venue, messages, settleMarks } = openVenue({ longs: [BTC], opening: { ...OPENING, isCross: false } });
    const { free } = venue.wallets.wallet(0, 0);
    const position = venue.wallets.position(0, 0, true);
    // A lot loses 80,000 units and has 40,000 of margin. 30 lots use 2,400,000 of the 4,000,000, and 30 more use up the rest.
    trade(venue, BTC, 'sell', 30, PRICE * 0.8, 1, { closes: true });
    expect([position.marginUnits, venue.wallets.insurance[0]]).toEqual([1_600_000, 0]);
    expect(venue.wallets.wallet(0, 0).free).toBe(free - (30 * PRICE * 0.8 * 500) / 1e6);
    trade(venue, BTC, 'sell', 30, PRICE * 0.8, 2, { closes: true });
    expect([position.marginUnits, venue.wallets.insurance[0]]).toEqual([0, -800_000]);
    // Without margin the next mark liquidates it.
    settleMarks(3000, [[BTC, PRICE]]);
    expect(messages).toEqual([`0: long of 40 BTC at ${PRICE}, fee 0, covered 0`]);
  });
  test('closing orders of a liquidated isolated position are canceled', () => {
    const { venue, messages, settleMarks } = openVenue({ opening: { ...OPENING, isCross: false } });
    venue.place(0, 7, futuresIntent(BTC, 'sell', 60, { closes: true, limit: 500_000 }), 0);
    settleMarks(1000, [[BTC, PRICE * 0.5]]);
    expect(messages[0]).toBe('canceled 7');
    expect(venue.wallets.position(0, 0, true).heldLots).toBe(0);
  });
  test('the liquidation fee of an isolated position is at most its remaining margin', () => {
    const { venue, messages, settleMarks } = openVenue({ opening: { ...OPENING, isCross: false }, liquidationFeePpm: 100_000 });
    settleMarks(1000, [[BTC, PRICE * 0.5]]);
    // At 361,809 ticks 180,900 units of the margin are left, and 180,904.5 are required.
    expect(messages).toEqual(['0: long of 100 BTC at 361809, fee 180900, covered 0']);
    expect(venue.wallets.insurance[0]).toBe(180_900);
  });
});

test('in two-way mode each side of a contract is checked at its own worst mark of the row', () => {
  const { venue, messages, settleMarks } = openVenue({ longs: [BTC], opening: { leverage: 10, isCross: false, isNet: false } });
  trade(venue, BTC, 'sell', 100, PRICE, 0);
  venue.markRow(BTC, PRICE, PRICE * 1.2, PRICE * 0.8, PRICE);
  venue.settleMarks(1000);
  expect(messages.map((line) => line.slice(0, 8))).toEqual(['0: long ', '0: short']);
  settleMarks(2000, [[BTC, PRICE]]);
  expect(messages).toHaveLength(2);
});

describe('the liquidation price that is shown', () => {
  const contracts = fc.constantFrom('linear' as const, 'inverse' as const);
  const scenario = fc.record({
    kind: contracts,
    isLong: fc.boolean(),
    isCross: fc.boolean(),
    isNet: fc.boolean(),
    leverage: fc.integer({ min: 2, max: 20 }),
    lots: fc.integer({ min: 1, max: 5000 }),
    entry: fc.integer({ min: 100_000, max: 900_000 }),
    /** Free balance beside the margin of the position, in thousandths of the margin. */
    free: fc.integer({ min: 20, max: 3000 }),
    /** A second cross position, its lots (below 0 short) and the move of its mark since. */
    other: fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 950, max: 1050 })),
    funding: fc.integer({ min: -3_000_000_000, max: 3_000_000_000 }),
    rests: fc.boolean(),
  });

  test('the shown liquidation price is the first mark that liquidates the position, and one tick before nothing happens', () => {
    let liquidationCount = 0;
    fc.assert(
      fc.property(scenario, ({ kind, isLong, isCross, isNet, leverage, lots, entry, free, other: [otherLots, move], funding, rests }) => {
        const of = { base: 'XRP', ...(kind === 'linear' ? {} : { wireName: 'E-XRP-USD' }) };
        const second =
          kind === 'linear'
            ? linearContract({ contractId: 8 }, of)
            : { ...inverseContract({ contractId: 8 }), id: 'futures:second' as Instrument['id'] };
        const contract = kind === 'linear' ? BTC : COIN;
        const value = kind === 'linear' ? lots * entry : (lots * 1e11) / entry;
        const margin = Math.ceil(value / leverage);
        const deposit = Math.ceil(margin * (1 + free / 1000) + value * 0.001);
        const { venue, seen } = openFutures([contract, second], { deposit, opening: { leverage, isCross, isNet } });
        const side = isLong ? 'buy' : 'sell';
        if (trade(venue, contract, side, lots, entry, 0) === null) return;
        venue.setMark(contract, entry);
        if (otherLots !== 0) trade(venue, second, otherLots > 0 ? 'buy' : 'sell', Math.abs(otherLots), PRICE, 0);
        venue.setMark(second, Math.round((PRICE * move) / 1000));
        if (rests) venue.place(0, 9, futuresIntent(contract, side, 1, { limit: isLong ? 1000 : 10_000_000 }), 0);
        venue.fund(contract, entry, funding, 10);
        const position = venue.wallets.position(0, 0, isLong);
        const limit = venue.liquidationTicks(position);
        const step = isLong ? 1 : -1;
        // Skip a position that is due at its entry price already, or that no price liquidates.
        if (limit === 0 || limit === Infinity || (isLong ? limit >= entry : limit <= entry)) return;
        const near = limit + step;
        venue.markRow(contract, near, near, near, near);
        venue.settleMarks(1000);
        expect(seen.liquidations).toEqual([]);
        venue.markRow(contract, near, Math.max(near, limit), Math.min(near, limit), near);
        venue.settleMarks(2000);
        liquidationCount++;
        // Of several cross positions the one with the largest loss is closed first, which may be the other one.
        if (!isCross || otherLots === 0) expect(seen.liquidations).toMatchObject([{ index: 0, price: limit, lots, wasLong: isLong }]);
        else expect(seen.liquidations.length).toBeGreaterThan(0);
        venue.assertConserved();
      }),
      { numRuns: 1500 },
    );
    expect(liquidationCount).toBeGreaterThan(500);
  });

  test('the shown liquidation price is 0 for a long and Infinity for a short that no price liquidates', () => {
    const rich = openFutures([BTC], { opening: { ...OPENING, leverage: 1 } });
    trade(rich.venue, BTC, 'buy', 10, PRICE, 0);
    expect(rich.venue.liquidationTicks(rich.venue.wallets.position(0, 0, true))).toBe(0);
    const coins = openFutures([COIN], { deposit: 1_000_000_000, opening: { ...OPENING, leverage: 1 } });
    trade(coins.venue, COIN, 'sell', 10, PRICE, 0);
    expect(coins.venue.liquidationTicks(coins.venue.wallets.position(0, 0, false))).toBe(Infinity);
  });
});
