// Tests that arrays of an arena never overlap between two resets, and that a reset makes the same memory available again.

import { expect, it } from 'vitest';
import { Arena } from './arena.ts';

it('arrays of an arena never overlap between two resets', () => {
  const arena = new Arena();
  const columns = Array.from({ length: 40 }, (_, index) => arena.take(10_000 * (index % 5)).fill(index));
  const bytes = arena.takeBytes(13).fill(255);
  const lastArray = arena.take(3).fill(-1);
  columns.forEach((array, index) => {
    expect(array.length).toBe(10_000 * (index % 5));
    expect(array.every((value) => value === index)).toBe(true);
  });
  expect([...bytes]).toEqual(Array.from({ length: 13 }, () => 255));
  expect([...lastArray]).toEqual([-1, -1, -1]);
});

it('an arena uses the same memory again after a reset', () => {
  const arena = new Arena();
  arena.take(300_000);
  arena.reset();
  const { buffer } = arena.take(200_000);
  for (let round = 0; round < 3; round++) {
    arena.reset();
    expect(arena.take(100_000).buffer).toBe(buffer);
    expect(arena.takeBytes(100_001).buffer).toBe(buffer);
  }
});
