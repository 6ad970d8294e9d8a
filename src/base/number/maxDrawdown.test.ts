// Tests that the maximum drawdown equals its definition, for a series cut into any pieces.

import { expect, test } from 'vitest';
import { MaxDrawdown } from './maxDrawdown.ts';
import { seededRng } from './rng.ts';

/** Returns the minimum of E_t / max(E_0..E_t) - 1 and the largest distance, as docs/metrics.md defines them. */
function byDefinition(start: number, values: readonly number[]): { fraction: number; units: number } {
  const series = [start, ...values];
  const drawdowns = series.map((value, t) => {
    const peak = Math.max(...series.slice(0, t + 1));
    return { fraction: value / peak - 1, units: peak - value };
  });
  // A smaller fraction is a rounding error of the division.
  const beyondRounding = drawdowns.filter(({ fraction }) => fraction < -1e-12);
  return {
    fraction: Math.min(0, ...beyondRounding.map((drawdown) => drawdown.fraction)),
    units: Math.max(0, ...beyondRounding.map((drawdown) => drawdown.units)),
  };
}

test('the maximum drawdown of random walks in random pieces equals its definition', () => {
  const rng = seededRng(20260123);
  const next = () => rng.next();
  for (let caseIndex = 0; caseIndex < 400; caseIndex++) {
    const startValue = 1e6 + Math.floor(next() * 1e9);
    const step = startValue * [0, 1e-9, 0.001, 0.05, 0.4][caseIndex % 5]!;
    let value = startValue;
    const values = Array.from({ length: 1 + Math.floor(next() * 120) }, () => (value += Math.round((next() - 0.52) * step)));
    const drawdown = new MaxDrawdown(startValue);
    for (let start = 0; start < values.length;) {
      const length = 1 + Math.floor(next() * 30);
      const piece = Float64Array.from(values.slice(start, start + length));
      drawdown.take(piece, piece.length);
      start += length;
    }
    const expected = byDefinition(startValue, values);
    expect(drawdown.fraction).toBe(expected.fraction);
    expect(drawdown.units).toBe(expected.units);
  }
});

test('the maximum drawdown is 0 before a fall, and begin() starts a new series', () => {
  const drawdown = new MaxDrawdown(100);
  drawdown.take(Float64Array.of(100, 101, 101, 105), 4);
  expect([drawdown.fraction, drawdown.units]).toEqual([0, 0]);
  drawdown.take(Float64Array.of(84, 200), 2);
  expect([drawdown.fraction, drawdown.units]).toEqual([84 / 105 - 1, 21]);
  drawdown.begin(50);
  drawdown.take(Float64Array.of(40), 1);
  expect([drawdown.fraction, drawdown.units]).toEqual([40 / 50 - 1, 10]);
});
