// Tests the sizing helpers against exact fractions of big integers, rounded down to twelve decimals.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sizeByKelly, sizeByRisk, sizeByVolatility } from './sizes.ts';

const ONE = 10n ** 12n;

/** Draws a decimal with eight digits after the point: as text for the helper, and as units of 10^-8 for the fraction. */
const amount = (max: number, min = 0) =>
  fc.bigInt({ min: BigInt(min), max: BigInt(max) * 10n ** 8n }).map((units) => {
    const fraction = String(units % 10n ** 8n).padStart(8, '0');
    return { units, text: `${units / 10n ** 8n}.${fraction}` };
  });
const SCALE = 10n ** 8n;
const lower = (a: bigint, b: bigint): bigint => (a < b ? a : b);
/** Returns a value in units of 10^-12, rounded down. */
const unitsOf = (value: unknown): bigint => {
  const [integerDigits = '0', fractionDigits = ''] = (value as { toFixed(): string }).toFixed().split('.');
  return BigInt(integerDigits) * ONE + BigInt(fractionDigits.padEnd(12, '0'));
};
const RUNS = { numRuns: 1000 };

describe('sizes by rule', () => {
  it('sizeByRisk returns risk x equity / distance, at most cap x equity / entry', () => {
    fc.assert(
      fc.property(amount(10_000_000), amount(1), amount(100_000, 1), amount(100_000, 1), amount(5), (equity, risk, entry, stop, cap) => {
        const { base } = sizeByRisk({ equity: equity.text, risk: risk.text, entry: entry.text, stop: stop.text, cap: cap.text });
        const distance = entry.units > stop.units ? entry.units - stop.units : stop.units - entry.units;
        fc.pre(distance !== 0n);
        const byRisk = (equity.units * risk.units * ONE) / (distance * SCALE);
        const byCap = (equity.units * cap.units * ONE) / (entry.units * SCALE);
        expect(unitsOf(base)).toBe(lower(byRisk, byCap));
      }),
      RUNS,
    );
  });

  it('sizeByVolatility returns target / volatility, at most cap', () => {
    fc.assert(
      fc.property(amount(3), amount(3, 1), amount(4), (target, volatility, cap) => {
        const { equity } = sizeByVolatility({ target: target.text, volatility: volatility.text, cap: cap.text });
        expect(unitsOf(equity)).toBe(lower((target.units * ONE) / volatility.units, (cap.units * ONE) / SCALE));
      }),
      RUNS,
    );
  });

  it('sizeByKelly returns fraction x (p - (1 - p) / b), at least 0 and at most cap', () => {
    fc.assert(
      fc.property(amount(1), amount(20, 1), amount(1), amount(1), (winRate, payoff, fraction, cap) => {
        const { equity } = sizeByKelly({ winRate: winRate.text, payoff: payoff.text, fraction: fraction.text, cap: cap.text });
        // The formula is (p b - (1 - p)) f / b, with each factor in units of 10^-8.
        const edge = winRate.units * payoff.units - (SCALE - winRate.units) * SCALE;
        const full = edge <= 0n ? 0n : (edge * fraction.units * ONE) / (payoff.units * SCALE * SCALE);
        expect(unitsOf(equity)).toBe(lower(full, (cap.units * ONE) / SCALE));
      }),
      RUNS,
    );
  });

  it('the sizing helpers return sizes that were computed by hand', () => {
    expect(String(sizeByRisk({ equity: 10_000, risk: '0.01', entry: 50_000, stop: 49_000 }).base)).toBe('0.1');
    expect(String(sizeByVolatility({ target: '0.2', volatility: '0.8' }).equity)).toBe('0.25');
    // With a win rate of 60 % and equal wins and losses, the full Kelly share is 0.2, and half of it 0.1.
    expect(String(sizeByKelly({ winRate: '0.6', payoff: 1 }).equity)).toBe('0.1');
    expect(String(sizeByKelly({ winRate: '0.9', payoff: 2 }).equity)).toBe('0.25');
    expect(String(sizeByKelly({ winRate: '0.3', payoff: 1 }).equity)).toBe('0');
  });

  it('an input that is NaN makes the size NaN, and an invalid input is an error that names it', () => {
    expect(sizeByRisk({ equity: 1, risk: 1, entry: NaN, stop: 1 }).base).toBeNaN();
    expect(sizeByRisk({ equity: NaN, risk: 1, entry: 2, stop: 1 }).base).toMatchObject({ s: NaN });
    expect(sizeByVolatility({ target: 1, volatility: 0 }).equity).toBeNaN();
    expect(sizeByKelly({ winRate: NaN, payoff: 1 }).equity).toBeNaN();
    expect(() => sizeByRisk({ equity: 1, risk: 'much', entry: 2, stop: 1 })).toThrow('risk is much');
    expect(() => sizeByVolatility({ target: -1, volatility: 1 })).toThrow('target is -1, below 0');
    expect(() => sizeByKelly({ winRate: 55, payoff: 1 })).toThrow('winRate 55 is above 1');
  });
});
