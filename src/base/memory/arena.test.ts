// Memory on loan: arrays never overlap between two resets, and after a reset the same memory is used again.

import { expect, it } from 'vitest';
import { Arena } from './arena.ts';

it('arrays taken between two resets never overlap, however many are taken', () => {
  const arena = new Arena();
  const taken = Array.from({ length: 40 }, (_, at) => arena.take(10_000 * (at % 5)).fill(at));
  const bytes = arena.takeBytes(13).fill(255);
  const last = arena.take(3).fill(-1);
  taken.forEach((array, at) => {
    expect(array.length).toBe(10_000 * (at % 5));
    expect(array.every((value) => value === at)).toBe(true);
  });
  expect([...bytes]).toEqual(Array.from({ length: 13 }, () => 255));
  expect([...last]).toEqual([-1, -1, -1]);
});

it('after a reset the same memory is used again', () => {
  const arena = new Arena();
  arena.take(300_000);
  arena.reset();
  const { buffer } = arena.take(200_000);
  for (let turn = 0; turn < 3; turn++) {
    arena.reset();
    expect(arena.take(100_000).buffer).toBe(buffer);
    expect(arena.takeBytes(100_001).buffer).toBe(buffer);
  }
});
