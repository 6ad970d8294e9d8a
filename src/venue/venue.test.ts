// Tests of the spot venue: accounts, refusals in the order of the checks, cancels, and the pool of records.

import { describe, expect, test } from 'vitest';
import { limitIntent, marketIntent, openSpotVenue, SeenEvents, spotInstrument, venueConfig } from '../../test/fixtures/spotVenue.ts';
import { lots } from '../base/brand.ts';
import { ConfigError, InvariantError } from '../base/errors.ts';
import type { OrderIntent } from '../model/order.ts';
import { balance } from './accounts.ts';
import { Venue } from './venue.ts';
import type { InstrumentState, VenueConfig, VenueState } from './venueConfig.ts';
import { VENUE_STATUSES } from './venueOrder.ts';

const instrument = spotInstrument({ minLots: lots(5) });
const base = { instruments: [instrument] };
const sell = limitIntent(instrument, 'sell', 10, 10_000);

function configWithState(state: VenueState): Partial<VenueConfig> {
  return { ...base, state };
}
function configWithInstrument(state: InstrumentState): Partial<VenueConfig> {
  return configWithState({ instruments: { [instrument.id]: state } });
}
/** Returns the code with which an order is refused, 0 if it is accepted. The check before placing it must return the same. */
function codeOf(intent: OrderIntent, config: Partial<VenueConfig> = base, lastPrice = 0): number {
  const { venue, account, book } = openSpotVenue(config);
  book.lastPrice = lastPrice;
  const checked = venue.check(account, intent);
  const placed = venue.place(account, 1, intent, 0);
  const code = placed === null ? venue.refusal : 0;
  expect(checked).toBe(code);
  expect(book.working).toBe(placed === null ? 0 : 1);
  venue.assertConserved();
  return code;
}

describe('admission', () => {
  test.each<{ readonly situation: string; readonly intent: OrderIntent; readonly config: Partial<VenueConfig>; readonly code: number }>([
    { situation: 'placing is off', intent: sell, config: configWithState({ off: ['place'] }), code: -1020 },
    { situation: 'an instrument of another venue', intent: { ...sell, instrument: spotInstrument() }, config: base, code: -1121 },
    { situation: 'a negative limit', intent: limitIntent(instrument, 'sell', 10, -1), config: base, code: -1102 },
    { situation: 'a time in force', intent: { ...sell, timeInForce: 'IOC' }, config: base, code: -1014 },
    { situation: 'a market buy by lots', intent: { ...marketIntent(instrument, 'buy', 0), lots: lots(10) }, config: base, code: -1014 },
    { situation: 'a market sell by amount', intent: { ...marketIntent(instrument, 'buy', 1e6), side: 'sell' }, config: base, code: -1014 },
    { situation: 'a frozen instrument', intent: sell, config: configWithInstrument({ frozen: true }), code: -2016 },
    {
      situation: 'a market order while market trading is off',
      intent: marketIntent(instrument, 'sell', 10),
      config: configWithInstrument({ marketTrading: false }),
      code: -1139,
    },
    {
      situation: 'a limit order while market trading is off',
      intent: sell,
      config: configWithInstrument({ marketTrading: false }),
      code: 0,
    },
    { situation: 'a fraction of a tick', intent: limitIntent(instrument, 'sell', 10, 10_000.5), config: base, code: -1147 },
    { situation: 'a fraction of a lot', intent: limitIntent(instrument, 'sell', 10.5, 10_000), config: base, code: -1147 },
    { situation: 'a fraction of a unit of the quote asset', intent: marketIntent(instrument, 'buy', 1e6 + 0.5), config: base, code: -1111 },
    { situation: 'fewer lots than the minimum', intent: limitIntent(instrument, 'sell', 4, 10_000), config: base, code: -1136 },
    { situation: 'the minimum', intent: limitIntent(instrument, 'sell', 5, 10_000), config: base, code: 0 },
    { situation: 'no amount', intent: marketIntent(instrument, 'buy', 0), config: base, code: -1136 },
    { situation: 'NaN lots', intent: limitIntent(instrument, 'sell', NaN, 10_000), config: base, code: -1147 },
    { situation: 'a restricted account', intent: sell, config: configWithState({ restrictedAccounts: ['tester'] }), code: 35 },
    { situation: 'more base than the account has', intent: limitIntent(instrument, 'sell', 1e10 + 1, 10_000), config: base, code: -2017 },
    { situation: 'all base of the account', intent: limitIntent(instrument, 'sell', 1e10, 10_000), config: base, code: 0 },
    { situation: 'more quote than the account has', intent: limitIntent(instrument, 'buy', 1e8 + 1, 10_000), config: base, code: -2017 },
    { situation: 'all quote of the account', intent: limitIntent(instrument, 'buy', 1e8, 10_000), config: base, code: 0 },
    {
      situation: 'all quote of the account, and a fee in quote',
      intent: limitIntent(instrument, 'buy', 1e8, 10_000),
      config: { ...base, fees: { in: 'quote', rounding: 'halfUp' } },
      code: -2017,
    },
    { situation: 'an amount of all quote', intent: marketIntent(instrument, 'buy', 1e12), config: base, code: 0 },
    {
      situation: 'an amount of all quote, and a fee in quote',
      intent: marketIntent(instrument, 'buy', 1e12),
      config: { ...base, fees: { in: 'quote', rounding: 'halfUp' } },
      code: -2017,
    },
    { situation: 'a notional beyond 2^53', intent: limitIntent(instrument, 'buy', 1e12, 1e12), config: base, code: -2017 },
  ])('the venue answers an order with its code: $situation', ({ intent, config, code }) => {
    expect(codeOf(intent, config)).toBe(code);
  });

  test.each([
    [10_501, 10_000, -1138],
    [10_500, 10_000, 0],
    [9_500, 10_000, 0],
    [9_499, 10_000, -1138],
    [10_501, 0, 0],
    [105_001, 99_999, -1138],
    [104_998, 99_999, 0],
  ])('a limit of %i at a last price of %i, in a price band of 5 %%, gets the code %i', (price, lastPrice, code) => {
    expect(codeOf(limitIntent(instrument, 'sell', 10, price), configWithInstrument({ priceBandPpm: 50_000 }), lastPrice)).toBe(code);
  });

  test('one order above maxOpenOrders is refused until another has ended', () => {
    const { venue, account, sink, book, limit } = openSpotVenue({ ...base, maxOpenOrders: 2 });
    const first = limit('sell', 10, 20_000, 0);
    limit('sell', 10, 10_000, 0);
    expect([venue.place(account, 9, sell, 0), venue.refusal]).toEqual([null, -1015]);
    book.matchOpen(0, 10_000, 0);
    expect(sink.fills).toHaveLength(1);
    expect(venue.place(account, 9, sell, 0)).not.toBeNull();
    expect([venue.place(account, 9, sell, 0), venue.refusal]).toEqual([null, -1015]);
    venue.cancel(first, 0);
    expect(venue.place(account, 9, sell, 0)).not.toBeNull();
  });

  test('an order with several faults gets the code of the first check, in the order of the dialect', () => {
    const faulty: OrderIntent = { ...marketIntent(instrument, 'sell', 1e10 + 0.5), timeInForce: 'IOC' };
    const all = { frozen: true, marketTrading: false, priceBandPpm: 1 };
    const off: VenueState = { off: ['place'], restrictedAccounts: ['tester'], instruments: { [instrument.id]: all } };
    const { off: _off, ...on } = off;
    const open = (state: InstrumentState): VenueState => ({ ...on, instruments: { [instrument.id]: state } });
    expect(codeOf(faulty, configWithState(off))).toBe(-1020);
    expect(codeOf(faulty, configWithState(on))).toBe(-1014);
    const composed = { ...faulty, timeInForce: null };
    expect(codeOf(composed, configWithState(on))).toBe(-2016);
    expect(codeOf(composed, configWithState(open({ marketTrading: false })))).toBe(-1139);
    expect(codeOf(composed, configWithState(open({})))).toBe(-1147);
    expect(codeOf(limitIntent(instrument, 'sell', 1, 9_000), configWithState(open({ priceBandPpm: 1 })), 8_000)).toBe(-1136);
    expect(codeOf(limitIntent(instrument, 'sell', 2e10, 9_000), configWithState(open({ priceBandPpm: 1 })), 8_000)).toBe(-1138);
    expect(codeOf(limitIntent(instrument, 'sell', 2e10, 9_000), configWithState(open({})), 8_000)).toBe(35);
    expect(codeOf(limitIntent(instrument, 'sell', 2e10, 9_000), base, 8_000)).toBe(-2017);
  });
});

describe('money', () => {
  test('the fee is paid in the received coin or in quote, at the rate of the account and instrument', () => {
    for (const [feesIn, buyFee, sellFee] of [
      ['received', { fee: 200, feeInBase: true }, { fee: 20_000, feeInBase: false }],
      ['quote', { fee: 20_000, feeInBase: false }, { fee: 20_000, feeInBase: false }],
    ] as const) {
      const { venue, account, book, sink, market } = openSpotVenue({ fees: { in: feesIn, rounding: 'halfUp' } });
      market('buy', 10_000_000, 0);
      market('sell', 1_000, 0);
      book.matchOpen(0, 10_000, 0);
      expect(sink.fills).toMatchObject([
        { lots: 1_000, notional: 10_000_000, ...buyFee },
        { lots: 1_000, notional: 10_000_000, ...sellFee },
      ]);
      expect(venue.feesTaken('ABC') + venue.feesTaken('USD')).toBe(buyFee.fee + sellFee.fee);
      venue.setFees(account, book.instrument, 0, 5_000);
      market('sell', 1_000, 0);
      book.matchOpen(0, 10_000, 0);
      expect(sink.fills[2]).toMatchObject({ fee: 50_000 });
      venue.assertConserved();
    }
  });

  test('fee rates of the config replace those of the instruments', () => {
    const { book, sink, market } = openSpotVenue({ fees: { in: 'quote', rounding: 'up', makerPpm: 0, takerPpm: 1 } });
    market('sell', 1, 0);
    book.matchOpen(0, 10_000, 0);
    expect(sink.fills[0]).toMatchObject({ fee: 1 });
  });

  test('a balance too large for exact numbers throws ConfigError, one below 0 InvariantError', () => {
    expect(balance(Number.MAX_SAFE_INTEGER)).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => balance(2 ** 53)).toThrow(ConfigError);
    expect(() => balance(Infinity)).toThrow(ConfigError);
    for (const units of [-1, NaN]) expect(() => balance(units)).toThrow(InvariantError);
  });

  test('instruments that share an asset share its balance, and must have the same digits for it', () => {
    const other = spotInstrument({ wireName: 'XYZUSD', base: 'XYZ' });
    const { venue, account } = openSpotVenue({ instruments: [instrument, other] });
    venue.place(account, 1, limitIntent(other, 'buy', 10, 100), 0);
    expect([venue.locked(account, 'USD'), venue.free(account, 'USD')]).toEqual([1_000, 1e12 - 1_000]);
    const coarse = spotInstrument({ wireName: 'XYZUSD', base: 'XYZ', quoteDigits: 2 });
    expect(() => openSpotVenue({ instruments: [instrument, coarse] })).toThrow('spot:XYZUSD: USD has 2 digits, but 5 in spot:ABCUSD');
  });

  test('accounts have separate balances', () => {
    const { venue, sink, account, book } = openSpotVenue();
    const other = venue.openAccount('other');
    expect(venue.place(other, 1, marketIntent(book.instrument, 'sell', 1), 0)).toBeNull();
    venue.deposit(other, 'ABC', 100);
    expect(venue.place(other, 1, marketIntent(book.instrument, 'sell', 1), 0)).not.toBeNull();
    book.matchOpen(0, 10_000, 0);
    expect(sink.fills).toHaveLength(1);
    expect([venue.free(account, 'USD'), venue.free(other, 'USD'), venue.free(other, 'ABC')]).toEqual([1e12, 10_000 - 20, 0]);
    expect(() => venue.openAccount('other')).toThrow('the name is taken');
    expect(() => venue.free(2, 'USD')).toThrow('no account 2');
    expect(() => venue.free(0, 'EUR')).toThrow('asset EUR: no instrument of this venue trades it');
  });

  test.each([-1, 0.5, NaN, 2 ** 53])('a deposit of %d throws', (units) => {
    const { venue, account } = openSpotVenue();
    expect(() => venue.deposit(account, 'USD', units)).toThrow();
    venue.assertConserved();
  });
});

describe('cancel requests', () => {
  test('a requested cancel makes an order PENDING_CANCEL, and a finished cancel frees its funds and is reported as CANCELED', () => {
    const { venue, account, sink, book, limit } = openSpotVenue();
    const order = limit('buy', 10, 9_000, 0);
    expect(order.status).toBe('NEW');
    expect(venue.finishCancel(order, 5)).toBe(false);
    expect(venue.requestCancel(order)).toBe(true);
    expect(order.status).toBe('PENDING_CANCEL');
    expect(venue.requestCancel(order)).toBe(true);
    expect(venue.locked(account, 'USD')).toBe(90_000);
    expect(venue.finishCancel(order, 7)).toBe(true);
    expect(sink.ends).toEqual([{ id: 1, ref: 1, status: 'CANCELED', timeMs: 7 }]);
    expect([venue.locked(account, 'USD'), venue.free(account, 'USD'), book.working]).toEqual([0, 1e12, 0]);
  });

  test('an order in PENDING_CANCEL may still fill, and its cancel is then refused', () => {
    const { venue, sink, book, limit } = openSpotVenue({ maxVolumeSharePpm: 1_000_000 });
    const order = limit('buy', 10, 9_000, 0);
    venue.requestCancel(order);
    book.matchOpen(0, 9_000, 4);
    expect(order).toMatchObject({ status: 'PENDING_CANCEL', filledLots: 4 });
    book.matchOpen(60_000, 9_000, 100);
    expect(order).toMatchObject({ status: 'FILLED', filledLots: 10 });
    expect([venue.finishCancel(order, 60_000), venue.refusal]).toEqual([false, -1145]);
    expect(sink.ends).toEqual([]);
  });

  test('a cancel of a filled or canceled order is refused with -1145', () => {
    const { venue, book, limit } = openSpotVenue();
    const filled = limit('buy', 10, 9_000, 0);
    book.matchOpen(0, 9_000, 0);
    expect([venue.cancel(filled, 1), venue.refusal]).toEqual([false, -1145]);
    const canceled = limit('buy', 10, 8_000, 0);
    venue.cancel(canceled, 1);
    expect([venue.cancel(canceled, 1), venue.refusal]).toEqual([false, -1145]);
  });

  test('a cancel by id of an unknown order is refused with -2013 or the configured code', () => {
    const { venue, account, limit } = openSpotVenue();
    const order = limit('buy', 10, 8_000, 0);
    expect([venue.requestCancelById(account, 77), venue.refusal]).toEqual([null, -2013]);
    expect(venue.requestCancelById(account, order.id)).toBe(order);
    const unusual = openSpotVenue({ state: { missingOrderCode: -1112 } });
    expect([unusual.venue.requestCancelById(account, 77), unusual.venue.refusal]).toEqual([null, -1112]);
  });

  test('a cancel is refused with -1020 while cancelling is off, also by the id of an unknown order', () => {
    const disabledVenue = openSpotVenue({ state: { off: ['cancel'] } });
    const workingOrder = disabledVenue.limit('buy', 10, 8_000, 0);
    expect([disabledVenue.venue.cancel(workingOrder, 0), disabledVenue.venue.refusal]).toEqual([false, -1020]);
    expect([disabledVenue.venue.requestCancelById(disabledVenue.account, 77), disabledVenue.venue.refusal]).toEqual([null, -1020]);
  });
});

describe('the records of orders', () => {
  test('an order is found by its id and its account until it is released', () => {
    const { venue, account, limit } = openSpotVenue();
    const other = venue.openAccount('other');
    const order = limit('buy', 10, 8_000, 0);
    expect(venue.find(account, order.id)).toBe(order);
    for (const id of [0, -1, 1.5, 2, 1e6, NaN]) expect([venue.find(account, id), venue.refusal]).toEqual([null, -2013]);
    expect([venue.find(other, order.id), venue.refusal]).toEqual([null, -2013]);
    expect(() => venue.release(order)).toThrow('ended before it is released');
    venue.cancel(order, 0);
    expect(venue.find(account, order.id)).toBe(order);
    venue.release(order);
    expect(venue.find(account, 1)).toBeNull();
    expect(() => venue.release(order)).toThrow('released once');
  });

  test('records of orders are reused and ids are not, and an old order is found among thousands of newer ones', () => {
    const { venue, account, sink, book, limit, market } = openSpotVenue();
    const old = limit('buy', 10, 1, 0);
    const records = new Set<unknown>();
    sink.onFill = (order) => venue.release(order);
    for (let i = 2; i < 5_000; i++) {
      const order = market('sell', 1, 0);
      expect(order.id).toBe(i);
      records.add(order);
      book.matchOpen(0, 10_000, 0);
    }
    expect(records.size).toBe(1);
    expect(venue.find(account, 1)).toBe(old);
    expect(venue.find(account, 2_500)).toBeNull();
    expect(VENUE_STATUSES).toContain(old.status);
  });
});

describe('the config of a spot venue', () => {
  test.each<[string, Partial<VenueConfig>, string]>([
    ['no instrument', { instruments: [] }, 'instruments: expected at least one'],
    ['an instrument twice', { instruments: [instrument, spotInstrument()] }, 'spot:ABCUSD is listed twice'],
    ['a futures contract', { instruments: [spotInstrument({ market: 'futures' })] }, 'expected a spot instrument, got futures'],
    ['an instrument with one asset', { instruments: [spotInstrument({ base: 'USD' })] }, 'expected two assets'],
    ['a negative fee', { instruments: [spotInstrument({ makerFeePpm: -1 })] }, 'makerFeePpm: expected a whole number of millionths'],
    ['a fee above 100 %', { fees: { in: 'quote', rounding: 'down', takerPpm: 1_000_001 } }, 'fees.takerPpm'],
    ['a volume share of half a ppm', { maxVolumeSharePpm: 0.5 }, 'maxVolumeSharePpm'],
    ['no open orders', { maxOpenOrders: 0 }, 'maxOpenOrders: expected a whole number above 0, got 0'],
    [
      'a state of an unknown instrument',
      { state: { instruments: { [spotInstrument({ wireName: 'X' }).id]: {} } } },
      'spot:X is not an instrument of this venue',
    ],
  ])('a spot venue rejects a config with %s', (_case, overrides, message) => {
    expect(() => new Venue(venueConfig(overrides), new SeenEvents())).toThrow(message);
  });
});
