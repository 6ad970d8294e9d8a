// The maximum drawdown equals its definition, however the series is cut into pieces.

import { expect, test } from 'vitest';
import { MaxDrawdown } from './maxDrawdown.ts';
import { seededRng } from './rng.ts';

/** E_t / max(E_0..E_t) - 1 and the largest distance, as docs/metrics.md defines them. */
function byDefinition(start: number, values: readonly number[]): { fraction: number; units: number } {
  const series = [start, ...values];
  const drawdowns = series.map((value, t) => {
    const peak = Math.max(...series.slice(0, t + 1));
    return { fraction: value / peak - 1, units: peak - value };
  });
  const real = drawdowns.filter(({ fraction }) => fraction < -1e-12);
  return { fraction: Math.min(0, ...real.map((of) => of.fraction)), units: Math.max(0, ...real.map((of) => of.units)) };
}

test('the maximum drawdown of random walks, cut into random pieces and down to 0, equals its definition', () => {
  const rng = seededRng(20260123);
  const random = () => rng.next();
  for (let round = 0; round < 400; round++) {
    const start = 1e6 + Math.floor(random() * 1e9);
    const step = start * [0, 1e-9, 0.001, 0.05, 0.4][round % 5]!;
    let value = start;
    const values = Array.from({ length: 1 + Math.floor(random() * 120) }, () => (value += Math.round((random() - 0.52) * step)));
    const fall = new MaxDrawdown(start);
    for (let at = 0; at < values.length;) {
      const length = 1 + Math.floor(random() * 30);
      const piece = Float64Array.from(values.slice(at, at + length));
      fall.take(piece, piece.length);
      at += length;
    }
    const wanted = byDefinition(start, values);
    expect(fall.fraction).toBe(wanted.fraction);
    expect(fall.units).toBe(wanted.units);
  }
});

test('a series that never falls has a drawdown of 0, and begin() starts a new series', () => {
  const fall = new MaxDrawdown(100);
  fall.take(Float64Array.of(100, 101, 101, 105), 4);
  expect([fall.fraction, fall.units]).toEqual([0, 0]);
  fall.take(Float64Array.of(84, 200), 2);
  expect([fall.fraction, fall.units]).toEqual([84 / 105 - 1, 21]);
  fall.begin(50);
  fall.take(Float64Array.of(40), 1);
  expect([fall.fraction, fall.units]).toEqual([40 / 50 - 1, 10]);
});
