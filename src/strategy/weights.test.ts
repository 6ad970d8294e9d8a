// Tests the weights against their definition (equal shares of the risk), a closed form, and a second, slow method.

import { describe, expect, it, test } from 'vitest';
import { seededRng } from '../base/number/rng.ts';
import type { Series } from '../indicators/graph/series.ts';
import { covarianceMatrix, equalWeights, inverseVolatility, riskParity } from './weights.ts';

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** Returns covariances of random returns, whose sizes range from 1e-4 to 1. */
function randomCovariances(count: number, seed: number): { symbols: string[]; matrix: number[][] } {
  const rng = seededRng(seed);
  const common = Array.from({ length: 3 * count + 5 }, () => rng.next() - 0.5);
  const columns = Array.from({ length: count }, () => {
    const scale = 10 ** (-4 * rng.next());
    const share = rng.next() * 1.6 - 0.6;
    return common.map((value) => scale * (share * value + rng.next() - 0.5));
  });
  const centred = columns.map((a) => ((mean) => a.map((x) => x - mean))(sum(a) / a.length));
  const matrix = centred.map((a) => centred.map((b) => sum(a.map((x, row) => x * b[row]!)) / (a.length - 1)));
  return { symbols: columns.map((_, index) => `S${index}`), matrix };
} // prettier-ignore

/** Returns the share of each symbol in the variance of the portfolio. */
const contributions = (weights: readonly number[], matrix: readonly (readonly number[])[]) => {
  const marginal = matrix.map((row) => sum(row.map((value, index) => value * weights[index]!)));
  const variance = sum(weights.map((weight, index) => weight * marginal[index]!));
  return weights.map((weight, index) => (weight * marginal[index]!) / variance);
};

describe('riskParity', () => {
  test.each([2, 3, 5, 20, 60])('riskParity: %i symbols have equal shares of the risk, within 1e-9', (count) => {
    for (let seed = 1; seed <= 20; seed++) {
      const { symbols, matrix } = randomCovariances(count, seed * 100 + count);
      const weights = Object.values(riskParity(symbols, matrix));
      expect(Math.abs(sum(weights) - 1)).toBeLessThan(1e-12);
      expect(Math.min(...weights)).toBeGreaterThan(0);
      for (const share of contributions(weights, matrix)) expect(Math.abs(share - 1 / count)).toBeLessThan(1e-9);
    }
  });
  it('riskParity of two symbols equals inverse volatility for every correlation', () => {
    for (const rho of [-0.99, -0.5, 0, 0.7, 0.999]) {
      const { A, B } = riskParity(['A', 'B'], [[4e-6, rho * 6e-6], [rho * 6e-6, 9e-6]]); // prettier-ignore
      expect(A).toBeCloseTo(0.6, 12);
      expect(B).toBeCloseTo(0.4, 12);
    }
  });
  it('with budgets, the shares of the risk are in proportion to the budgets', () => {
    const { symbols, matrix } = randomCovariances(4, 9);
    const weights = Object.values(riskParity(symbols, matrix, { budgets: { S0: 4, S1: 3, S2: 2 }, total: 0.5 }));
    expect(sum(weights)).toBeCloseTo(0.5, 12);
    contributions(weights, matrix).forEach((share, index) => expect(share).toBeCloseTo([0.4, 0.3, 0.2, 0.1][index]!, 9));
  });
  it('riskParity equals the result of a slow gradient descent', () => {
    const { symbols, matrix } = randomCovariances(3, 4);
    const scale = matrix.map((row, index) => Math.sqrt(row[index]!));
    // `y` are the weights in units of each volatility. The steps are small enough not to overshoot the minimum.
    const y = [1, 1, 1];
    for (let step = 0; step < 20_000; step++) {
      const slope = y.map((value, i) => sum(y.map((other, j) => (matrix[i]![j]! / scale[i]! / scale[j]!) * other)) - 1 / 3 / value);
      slope.forEach((value, index) => (y[index] = y[index]! - 0.01 * value));
    }
    const expected = y.map((value, index) => value / scale[index]!);
    Object.values(riskParity(symbols, matrix)).forEach((weight, index) => expect(weight).toBeCloseTo(expected[index]! / sum(expected), 9));
  });
  it('riskParity leaves out symbols without a variance', () => {
    expect(riskParity(['A', 'B', 'C'], [[1, NaN, 0], [NaN, NaN, NaN], [0, NaN, 4]])).toEqual({ A: 2 / 3, C: 1 / 3 }); // prettier-ignore
    expect(riskParity(['A'], [[NaN]])).toEqual({});
  });
  it('riskParity rejects a matrix that is not one of covariances', () => {
    expect(() => riskParity(['A', 'B'], [[1, 0]])).toThrow('expected a row and a column for each of the 2 symbols, got 1 rows');
    expect(() => riskParity(['A', 'A'], [[1, 0], [0, 1]])).toThrow('A is named twice'); // prettier-ignore
    expect(() => riskParity(['A', 'B'], [[1, -3], [-3, 1]])).toThrow('no weights of equal risk'); // prettier-ignore
    expect(() => riskParity(['A'], [[1]], { budgets: { A: 0 } })).toThrow('the budget of A');
  });
});

test('equalWeights and inverseVolatility return weights that sum to the total', () => {
  expect(equalWeights(['A', 'B', 'C', 'D'])).toEqual({ A: 0.25, B: 0.25, C: 0.25, D: 0.25 });
  expect(equalWeights([])).toEqual({});
  expect(inverseVolatility({ A: 1, B: 3, C: NaN, D: 0 }, 0.8)).toEqual({ A: 0.6000000000000001, B: 0.2 });
});

test('covarianceMatrix returns the covariances of the last values', () => {
  const series = (values: readonly number[]): Series => ({ value: NaN, prev: NaN, ready: true, ago: (bars) => values.at(-1 - bars)! });
  const a = [9, 1, 2, 4, 9];
  const b = [0, 3, 1, 1, 5];
  const expected = [
    [38 / 3, 14 / 3],
    [14 / 3, 11 / 3],
  ];
  expect(covarianceMatrix([series(a), series(b)], 4)).toEqual(expected.map((row) => row.map((value) => expect.closeTo(value, 12))));
  expect(() => covarianceMatrix([], 1)).toThrow('expected a whole number from 2');
});
