// Tests lists at an exchange that refuses pages as long as the specification allows.

import { expect, test } from 'vitest';
import { profileOf } from '../../src/paperExchange/dialect/profile.ts';
import { PERPETUAL } from './futuresFixture.ts';
import { PairFixture } from './pairFixture.ts';

const contractName = PERPETUAL.wireName;
/** More orders than the shortest page has. */
const ORDER_COUNT = 105;
const MAX_ROWS = 1000;

/** Opens an exchange with this longest page of the order history, and places orders that are cancelled at once. */
function openWithOrders(historyMax: string, limitTooLarge: string): PairFixture {
  const fixture = new PairFixture(profileOf({ historyMax, limitTooLarge }));
  const terms = { contractName, side: 'BUY', type: 'LIMIT', open: 'OPEN', positionType: 1, price: '100', volume: '1' } as const;
  for (let count = 0; count < ORDER_COUNT; count++) {
    const { orderId } = fixture.ackedResult('futures.createOrder', terms);
    fixture.ackedResult('futures.cancelOrder', { contractName, orderId });
  }
  fixture.passOneSecond();
  return fixture;
}

test.each([
  ['1000', ORDER_COUNT],
  ['500', ORDER_COUNT],
  ['100', 100],
])('a history whose pages have at most %s rows is asked for with as many: %i of 105 orders', (historyMax, rowCount) => {
  const fixture = openWithOrders(historyMax, 'reject');
  for (let call = 0; call < 2; call++)
    expect(fixture.ackedResult('futures.orderHistory', { contractName, limit: MAX_ROWS }).rows).toHaveLength(rowCount);
});

test('a page that was refused is not asked for a second time', () => {
  const fixture = openWithOrders('100', 'reject');
  const limits: unknown[] = [];
  const handle = fixture.service.handle.bind(fixture.service);
  Object.assign(fixture.service, {
    handle: (request: { readonly target: string; readonly body: Uint8Array }, nowMs: number) => {
      if (request.target.includes('orderHistorical'))
        limits.push((JSON.parse(Buffer.from(request.body).toString()) as { limit: unknown }).limit);
      return handle(request as never, nowMs);
    },
  });
  for (let call = 0; call < 2; call++) fixture.ackedResult('futures.orderHistory', { contractName, limit: MAX_ROWS });
  expect(limits.map(Number)).toEqual([1000, 500, 100, 100]);
});

test('a smaller limit, and a refusal for another reason, are left as they are', () => {
  const fixture = openWithOrders('100', 'reject');
  expect(fixture.ackedResult('futures.orderHistory', { contractName, limit: 20 }).rows).toHaveLength(20);
  expect(fixture.refusalCode('futures.orderHistory', { contractName: 'E-NONE-USDT', limit: MAX_ROWS })).toBe(-1121);
});
