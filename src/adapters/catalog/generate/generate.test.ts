// Tests synthetic bars: they have the same bytes everywhere, valid rows, volatility clusters and the requested gaps.

import { describe, expect, it } from 'vitest';
import { ticksOf } from '../../../model/bars/bars.ts';
import { synthesizeBars } from './generate.ts';
import { dataHash, manifestOf, SYNTHETIC } from '../bars/barQuality.ts';
import { expectEqual } from '../../../../test/fixtures/quickExpect.ts';

const FROM_MS = Date.UTC(2024, 0, 1);
const generate = (seed: number, options: Partial<Parameters<typeof synthesizeBars>[0]> = {}) =>
  synthesizeBars({ symbol: 'SYNUSDT', interval: '1m', fromMs: FROM_MS, bars: 50_000, seed, ...options });

describe('synthesizeBars', () => {
  it('synthetic bars of a seed have the same bytes on every platform', () => {
    expect(dataHash(generate(1), null)).toBe('b6bc843d727efa5a88c379d14e7e5893fff4a0cbe795392cf49e6cc89ccfc84c');
    expect(dataHash(generate(7, { interval: '1h', price: 0.0123, gapShare: 0.05 }), null)).toBe(
      '0c31a9e3a4389dec12179fc2c7387bb1715311a397a8e141b645ccb800569555',
    );
    expect(dataHash(generate(2), null)).not.toBe(dataHash(generate(1), null));
  });

  it.each([
    { price: 30_000, digits: 2 },
    { price: 1, digits: 6 },
    { price: 0.00001, digits: 11 },
    { price: 250, digits: 4 },
    { price: 1e7, digits: 2 },
  ])('synthetic bars with a start price of $price are valid, and their prices have at most $digits digits', ({ price, digits }) => {
    const bars = generate(5, { price });
    expect(bars.instrument.priceDigits).toBe(digits);
    for (const name of ['open', 'high', 'low', 'close'] as const) ticksOf(bars, name);
    expect(manifestOf(bars, SYNTHETIC).wrong).toEqual([]);
    expect(bars.open[0]).toBe(price);
    expectEqual(bars.open.subarray(1), bars.close.subarray(0, -1));
    expect(bars.close.every((close) => close > price / 20 && close < price * 20)).toBe(true);
  });

  it('synthetic bars have clusters of volatility: squared returns correlate with earlier ones', () => {
    const { close, length } = generate(11);
    const squares = Array.from({ length: length - 1 }, (_, i) => (close[i + 1]! / close[i]! - 1) ** 2);
    const mean = squares.reduce((sum, x) => sum + x, 0) / squares.length;
    const covariance = (lag: number) => squares.slice(lag).reduce((sum, x, i) => sum + (x - mean) * (squares[i]! - mean), 0);
    expect(Math.sqrt(mean)).toBeCloseTo(0.0008, 4);
    for (const lag of [1, 5, 20]) expect(covariance(lag) / covariance(0)).toBeGreaterThan(0.05);
  });

  it('synthetic bars lack the share of bars that `gapShare` asks for', () => {
    const { rows, missingBars, longestGapBars: maxGapBars } = manifestOf(generate(3, { gapShare: 0.1 }), SYNTHETIC);
    expect(rows).toBe(50_000);
    expect(missingBars / (rows + missingBars)).toBeCloseTo(0.1, 2);
    expect(maxGapBars).toBeLessThanOrEqual(10);
    expect(manifestOf(generate(3), SYNTHETIC).missingBars).toBe(0);
  });

  it('synthetic monthly bars open at the starts of calendar months', () => {
    const { openMs } = generate(1, { interval: '1M', bars: 14, fromMs: FROM_MS + 5 * 86_400_000 });
    expect(openMs[0]).toBe(FROM_MS);
    expect(openMs[13]).toBe(Date.UTC(2025, 1, 1));
  });

  it.each([
    [{ bars: 0 }, 'bars: expected a whole number from 1 to 200000000, got 0'],
    [{ bars: NaN }, 'bars: expected a whole number'],
    [{ price: -1 }, 'price: expected a price from 0.000001 to 10000000, got -1'],
    [{ gapShare: 0.6 }, 'gap-share: expected a fraction from 0 to 0.5, got 0.6'],
    [{ seed: 0.5 }, 'seed: expected a whole number from 0 to 2147483647, got 0.5'],
    [{ seed: -1 }, 'seed: expected a whole number from 0 to 2147483647, got -1'],
    [{ seed: 2 ** 32 }, 'seed: expected a whole number from 0 to 2147483647, got 4294967296'],
    [{ symbol: 'FOOBAR' }, 'FOOBAR: the quote asset must be one of'],
    // A record with one asset on both sides could be written, and not be read again.
    [{ symbol: 'USDTUSDT' }, 'USDTUSDT: the quote asset must be one of'],
    [{ symbol: 'FOO-FOO' }, 'FOO-FOO: the quote asset must be one of'],
  ])('synthesizeBars rejects %j', (options, message) => expect(() => generate(1, options)).toThrow(message));
});
