// Tests the outcome of a create: its classes, and which differences of an echo make the outcome unknown.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES, refusesCreate } from '../../../protocol/errors/errorCodes.ts';
import { outcomeOf } from '../../../protocol/outcome.ts';
import { PlainOrder, spotInstrument } from '../../../../test/fixtures/drafts.ts';
import { accountHaltCode, createOutcome, echoProblem } from './createOutcome.ts';
import type { CreatedOrder } from './venueCalls.ts';

const BTC = spotInstrument();
const ORDER = new PlainOrder([BTC], { lots: 100, limit: 9000 });
const CLIENT_ORDER_ID = '01KE6ZJ8000000AB0000000001';
const ECHO: CreatedOrder = {
  venueId: '7',
  clientOrderId: CLIENT_ORDER_ID,
  symbol: 'btcusdt',
  side: 'buy',
  isMarket: false,
  price: '90.000',
  qty: '0.1',
  timeMs: 1,
};
const EMPTY_ECHO: CreatedOrder = {
  venueId: '7',
  clientOrderId: null,
  symbol: null,
  side: null,
  isMarket: null,
  price: null,
  qty: null,
  timeMs: null,
};
const replyOutcome = (status: number, body: string) =>
  outcomeOf('futures.createOrder', { kind: 'reply', status, body: new TextEncoder().encode(body) });

describe('createOutcome', () => {
  it('createOutcome accepts an echo with the same values in any notation, or without values', () => {
    for (const echo of [ECHO, EMPTY_ECHO, { ...ECHO, clientOrderId: '0' }, { ...ECHO, clientOrderId: CLIENT_ORDER_ID.toLowerCase() }])
      expect(echoProblem(echo, ORDER, CLIENT_ORDER_ID)).toBeNull();
  });
  it.each([
    ['clientOrderId', { clientOrderId: 'OTHER' }],
    ['symbol', { symbol: 'ETHUSDT' }],
    ['side', { side: 'sell' }],
    ['type', { isMarket: true }],
    ['price', { price: '90.01' }],
    ['origQty', { qty: '0.2' }],
  ] as const)('createOutcome is unknown for an echo with another %s', (name, change) => {
    const echo = { ...ECHO, ...change };
    expect(echoProblem(echo, ORDER, CLIENT_ORDER_ID)).toContain(name);
    expect(createOutcome({ kind: 'acked', value: echo }, ORDER, CLIENT_ORDER_ID)).toMatchObject({
      kind: 'unknown',
      echo: expect.stringContaining(name),
    });
  });
  it('createOutcome does not compare the quantity of an order by amount', () => {
    const market = new PlainOrder([BTC], { quoteUnits: 5e9 });
    expect(echoProblem({ ...EMPTY_ECHO, isMarket: true, qty: '50' }, market, CLIENT_ORDER_ID)).toBeNull();
  });

  it('createOutcome is refused only for the code of a refusal in a complete reply with 2xx or 4xx, else unknown', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(...ERROR_CODES.map(({ code }) => code)), fc.integer({ min: -3000, max: 20_000 })),
        fc.constantFrom(200, 400, 401, 403, 418, 429, 500, 502, 503, 504, 302),
        fc.nat({ max: 120 }),
        (code, status, cutLength) => {
          const fullBody = JSON.stringify({ code: String(code), msg: 'no', data: null, succ: false });
          const body = fullBody.slice(0, Math.max(0, fullBody.length - Math.max(0, cutLength - 40)));
          const outcome = createOutcome(replyOutcome(status, body) as never, ORDER, CLIENT_ORDER_ID);
          const isStrict = body === fullBody && (Math.floor(status / 100) === 2 || Math.floor(status / 100) === 4);
          if (code === 0) return;
          expect(outcome.kind).toBe(isStrict && refusesCreate(code) ? 'refused' : 'unknown');
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('createOutcome is notSent only with proof that no byte was sent', () => {
    const failed = (bytesWritten: number | null) => outcomeOf('futures.createOrder', { kind: 'failed', cause: 'reset', bytesWritten });
    expect(createOutcome(failed(0) as never, ORDER, CLIENT_ORDER_ID).kind).toBe('notSent');
    for (const bytes of [1, null]) expect(createOutcome(failed(bytes) as never, ORDER, CLIENT_ORDER_ID).kind).toBe('unknown');
  });

  it.each([
    [-2016, 'LOCKED'],
    [35, 'LOCKED'],
    [-2015, 'KEY'],
    [-2200, 'KEY'],
    [-1006, 'INCIDENT'],
    [-1007, 'INCIDENT'],
    [-1000, null],
    [-2017, null],
  ])('the error code %i of a create raises the halt %s for the account', (code, problem) => {
    expect(accountHaltCode(replyOutcome(400, JSON.stringify({ code: String(code), msg: 'no', data: null, succ: false })))).toBe(problem);
  });
});
