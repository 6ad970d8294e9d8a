// Tests the random walk that makes the synthetic prices of a market.

import { expect, test } from 'vitest';
import { seededRng } from '../../base/number/rng.ts';
import { randomWalk } from './priceSource.ts';

const POINTS = 5000;
/** The pace of the paper exchange. */
const PACE = { stepMs: 400, stepPpm: 30, lots: 5 };

/** Returns the prices of a walk that begins at `first` ticks. */
function pricesFrom(firstTicks: number): readonly number[] {
  const nextPoint = randomWalk(seededRng(7), 0, { ...PACE, firstTicks });
  return Array.from({ length: POINTS }, () => nextPoint()!.priceTicks);
}

// A step of 30 ppm is less than half a tick below 16,667 ticks.
test.each([10_000, 1000, 16_000])('a walk from %d ticks is that of ticks a thousand times finer, rounded', (firstTicks) => {
  const coarsePrices = pricesFrom(firstTicks);
  const finePrices = pricesFrom(firstTicks * 1000);
  for (const [index, price] of coarsePrices.entries())
    expect(Math.abs(price - finePrices[index]! / 1000), `point ${index}`).toBeLessThan(0.75);
  expect(new Set(coarsePrices).size).toBeGreaterThan(1);
});

test('a walk stays above zero from a price of one tick', () => {
  for (const price of pricesFrom(1)) expect(price).toBeGreaterThanOrEqual(1);
});
