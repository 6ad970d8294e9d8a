// Tests of parsing orders: valid orders, the code of each invalid field, and the checks that the venue makes later.

import { describe, expect, test } from 'vitest';
import { openSpotVenue, spotInstrument } from '../../test/fixtures/spotVenue.ts';
import { type OrderText, parseOrder } from './orderText.ts';
import type { VenueConfig } from './venueConfig.ts';

const instrument = spotInstrument();
const instrumentOf = (symbol: string) => (symbol === 'ABCUSD' ? instrument : undefined);
const limit: OrderText = { symbol: 'ABCUSD', volume: '1.5', side: 'BUY', type: 'LIMIT', price: '100.25' };
const market: OrderText = { symbol: 'ABCUSD', volume: '1.5', side: 'SELL', type: 'MARKET' };

/** Returns the code with which the parser or the venue refuses an order; 0 when the venue accepts it. */
function codeOf(fields: OrderText, config: Partial<VenueConfig> = {}): number {
  const parsed = parseOrder(fields, instrumentOf);
  if (!parsed.ok) return parsed.code;
  const { venue, account } = openSpotVenue({ instruments: [instrument], ...config });
  return venue.place(account, 1, parsed.intent, 0) === null ? venue.refusal : 0;
}

describe('parseOrder', () => {
  test.each([
    [limit, { side: 'buy', role: 'limit', lots: 1_500, quoteUnits: 0, limit: 10_025 }],
    [
      { ...limit, symbol: 'abcUSD', side: 'SELL', volume: '2', price: '1e2' },
      { side: 'sell', lots: 2_000, limit: 10_000 },
    ],
    [market, { side: 'sell', role: 'market', lots: 1_500, quoteUnits: 0, limit: 0 }],
    [
      { ...market, side: 'BUY', volume: '12.34567' },
      { side: 'buy', role: 'market', lots: 0, quoteUnits: 1_234_567, limit: 0 },
    ],
    [{ ...market, price: 'ignored' }, { limit: 0 }],
    [{ ...market, volume: '1.50000' }, { lots: 1_500 }],
    [{ ...market, volume: '15E-1' }, { lots: 1_500 }],
  ] as const)('a valid order text is parsed into an intent: %j', (fields, expected) => {
    expect(parseOrder(fields, instrumentOf)).toMatchObject({ ok: true, intent: { instrument, timeInForce: null, ...expected } });
  });

  test.each([
    [{ ...limit, symbol: 'XYZUSD' }, -1121],
    [{ ...limit, symbol: '' }, -1121],
    [{ ...limit, symbol: null }, -1121],
    [{ ...limit, volume: null }, -1102],
    [{ ...limit, volume: '' }, -1105],
    [{ ...limit, volume: 'much' }, -1102],
    [{ ...limit, volume: '1e400' }, -1102],
    [{ ...limit, side: null }, -1102],
    [{ ...limit, side: '' }, -1105],
    [{ ...limit, side: 'buy' }, -1117],
    [{ ...limit, type: null }, -1102],
    [{ ...limit, type: 'STOP' }, -1116],
    [{ ...limit, price: null }, -1102],
    [{ ...limit, price: '' }, -1105],
    [{ ...limit, price: 'x' }, -1102],
    [{ ...limit, price: '0' }, -1102],
    [{ ...limit, price: '-1' }, -1102],
    // The first invalid field in the order of the table gives the code.
    [{ symbol: 'XYZUSD', volume: null, side: 'x', type: 'x', price: null }, -1121],
    [{ ...limit, side: 'x', type: 'x' }, -1117],
  ] as const)('an order text with an invalid field gets its code: %j gets %i', (fields, code) => {
    expect(parseOrder(fields, instrumentOf)).toEqual({ ok: false, code });
  });

  test.each([
    [limit, 0],
    [{ ...limit, price: '100.255' }, -1147],
    [{ ...limit, volume: '1.0001' }, -1147],
    [{ ...limit, price: '1e-40' }, -1147],
    [{ ...market, side: 'BUY', volume: '0.000001' }, -1111],
    [{ ...limit, volume: '0' }, -1136],
    [{ ...limit, volume: '-3' }, -1136],
    [{ ...market, side: 'BUY', volume: '0' }, -1136],
    [{ ...market, side: 'BUY', volume: '1e30' }, -2017],
    [{ ...limit, volume: '9'.repeat(40) }, -2017],
    [{ ...limit, price: '9'.repeat(40) }, -1138],
  ] as const)('an order text with valid fields is checked by the venue: %j gets %i', (fields, code) => {
    expect(codeOf(fields)).toBe(code);
  });

  test('a frozen instrument is refused before its precision is checked', () => {
    const state = { instruments: { [instrument.id]: { frozen: true } } };
    expect(codeOf({ ...limit, price: '100.255' }, { state })).toBe(-2016);
  });
});
