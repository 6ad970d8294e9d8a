// Tests that a list of own trades is built again only when the account has more trades.

import { expect, it } from 'vitest';
import { TradeLists } from './tradeLists.ts';

/** Returns lists that count how often one was built. */
function countingLists() {
  const lists = new TradeLists();
  const count = { built: 0 };
  const read = (request: string, tradeCount: number, body = `${request} ${tradeCount}`): string =>
    lists.bodyOf(request, tradeCount, () => {
      count.built++;
      return body;
    });
  return { count, read };
}

it('a list is built once for each request and number of trades', () => {
  const { count, read } = countingLists();
  for (const tradeCount of [0, 0, 0, 1, 1, 2]) expect(read('0 A 100', tradeCount)).toBe(`0 A 100 ${tradeCount}`);
  expect(count.built).toBe(3);
  expect(read('1 A 100', 2)).toBe('1 A 100 2');
  expect(count.built).toBe(4);
});

it('a very long list is built each time, and only the newest 128 requests are kept', () => {
  const { count, read } = countingLists();
  const long = 'x'.repeat(70_000);
  for (let round = 0; round < 2; round++) expect(read('long', 1, long)).toBe(long);
  expect(count.built).toBe(2);
  for (let request = 0; request < 129; request++) read(String(request), 1);
  read('128', 1);
  read('0', 1);
  expect(count.built).toBe(2 + 129 + 1);
});
