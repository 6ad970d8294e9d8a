// Tests that equal requests never have the same timestamp, and that timestamps run ahead only as far as that requires.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeMs } from '../../../base/brand.ts';
import { UniqueTimestamps } from './uniqueTimestamps.ts';

const request = fc.record({
  method: fc.constantFrom('GET' as const, 'POST' as const),
  signedPath: fc.constantFrom('/sapi/v1/account', '/sapi/v1/openOrders'),
  body: fc.constantFrom('', '{"limit":100}'),
});

test('a timestamp differs from those of equal requests, and runs ahead by at most their number in ms', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(request, fc.nat(3))), (requests) => {
      const times = new UniqueTimestamps();
      const usedTimestamps = new Set<string>();
      const counts = new Map<string, number>();
      let nowMs = 1_767_571_200_000;
      for (const [signedRequest, laterMs] of requests) {
        nowMs += laterMs;
        const key = JSON.stringify(signedRequest);
        const timestampMs = times.uniqueMs(signedRequest, timeMs(nowMs));
        const earlierCount = counts.get(key) ?? 0;
        expect(timestampMs - nowMs).toBeGreaterThanOrEqual(0);
        expect(timestampMs - nowMs).toBeLessThanOrEqual(earlierCount);
        expect(usedTimestamps.has(`${key} ${timestampMs}`)).toBe(false);
        usedTimestamps.add(`${key} ${timestampMs}`);
        counts.set(key, earlierCount + 1);
      }
    }),
  );
});

test('only old signing times are forgotten when there are many', () => {
  const times = new UniqueTimestamps();
  const requestOf = (orderId: number) => ({ method: 'GET' as const, signedPath: `/sapi/v1/order?orderId=${orderId}`, body: '' });
  const start = timeMs(1_767_571_200_000);
  for (let orderId = 0; orderId < 5000; orderId++) times.uniqueMs(requestOf(orderId), start);
  expect(times.uniqueMs(requestOf(4999), start)).toBe(start + 1);
  for (let orderId = 0; orderId < 5000; orderId++) expect(times.uniqueMs(requestOf(orderId), timeMs(start + 20_000))).toBe(start + 20_000);
});

test('timestamps follow a clock that is set back', () => {
  const times = new UniqueTimestamps();
  const readRequest = { method: 'GET' as const, signedPath: '/sapi/v1/account', body: '' };
  const start = timeMs(1_767_571_200_000);
  times.uniqueMs(readRequest, start);
  expect(times.uniqueMs(readRequest, timeMs(start - 3_600_000))).toBe(start - 3_600_000);
});
