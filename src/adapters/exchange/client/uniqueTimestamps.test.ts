// Equal requests never have the same timestamp, and timestamps run ahead only as far as equal requests in one ms require.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeMs } from '../../../base/brand.ts';
import { UniqueTimestamps } from './uniqueTimestamps.ts';

const request = fc.record({
  method: fc.constantFrom('GET' as const, 'POST' as const),
  signedPath: fc.constantFrom('/sapi/v1/account', '/sapi/v1/openOrders'),
  body: fc.constantFrom('', '{"limit":100}'),
});

test('equal requests never have equal timestamps, and a timestamp runs ahead by at most the number of equal requests before it', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(request, fc.nat(3))), (asked) => {
      const times = new UniqueTimestamps();
      const seen = new Set<string>();
      const counts = new Map<string, number>();
      let nowMs = 1_767_571_200_000;
      for (const [each, laterMs] of asked) {
        nowMs += laterMs;
        const key = JSON.stringify(each);
        const next = times.next(each, timeMs(nowMs));
        const before = counts.get(key) ?? 0;
        expect(next - nowMs).toBeGreaterThanOrEqual(0);
        expect(next - nowMs).toBeLessThanOrEqual(before);
        expect(seen.has(`${key} ${next}`)).toBe(false);
        seen.add(`${key} ${next}`);
        counts.set(key, before + 1);
      }
    }),
  );
});

test('old signing times are forgotten when there are many, and recent ones are not', () => {
  const times = new UniqueTimestamps();
  const of = (at: number) => ({ method: 'GET' as const, signedPath: `/sapi/v1/order?orderId=${at}`, body: '' });
  const start = timeMs(1_767_571_200_000);
  for (let at = 0; at < 5000; at++) times.next(of(at), start);
  expect(times.next(of(4999), start)).toBe(start + 1);
  for (let at = 0; at < 5000; at++) expect(times.next(of(at), timeMs(start + 20_000))).toBe(start + 20_000);
});

test('timestamps follow a clock that is set back', () => {
  const times = new UniqueTimestamps();
  const read = { method: 'GET' as const, signedPath: '/sapi/v1/account', body: '' };
  const start = timeMs(1_767_571_200_000);
  times.next(read, start);
  expect(times.next(read, timeMs(start - 3_600_000))).toBe(start - 3_600_000);
});
