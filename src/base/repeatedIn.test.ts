// Distinct and repeated values.

import { expect, it } from 'vitest';
import { repeatedIn } from './repeatedIn.ts';

it('returns each value that a list has twice or more, once', () => {
  expect([...repeatedIn(['a', 'b', 'a', 'c', 'a', 'c'])]).toEqual(['a', 'c']);
  expect([...repeatedIn(['a', 'b'])]).toEqual([]);
  expect([...repeatedIn([])]).toEqual([]);
});
