import { expect, test } from 'vitest';
import { once } from './once.ts';

test('once computes a result at the first call only, also a result of null', () => {
  let calls = 0;
  const result = once(() => {
    calls++;
    return null;
  });
  expect(calls).toBe(0);
  expect([result(), result()]).toEqual([null, null]);
  expect(calls).toBe(1);
});

test('once computes again after an error', () => {
  let calls = 0;
  const result = once(() => {
    if (++calls === 1) throw new Error('first');
    return calls;
  });
  expect(result).toThrow('first');
  expect([result(), result()]).toEqual([2, 2]);
});
