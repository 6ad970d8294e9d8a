import { Decimal } from 'decimal.js';
import { expect, it } from 'vitest';
import { seededRng } from '../base/number/rng.ts';
import { kellySize, riskSize, volatilitySize } from './sizing.ts';

const SEED = 1956;

/** A drawn number of at most `digits` decimals below `top`, as text and as a whole number of 10^-digits. */
function drawn(next: () => number, top: number, digits: number): { readonly text: string; readonly whole: bigint } {
  const whole = 1n + BigInt(Math.floor(next() * top * 10 ** digits));
  const padded = whole.toString().padStart(digits + 1, '0');
  return { text: `${padded.slice(0, -digits)}.${padded.slice(-digits)}`, whole };
}

it('a size by risk loses the risk at its stop, and one unit more would lose more', () => {
  const rng = seededRng(SEED);
  const next = () => rng.next();
  for (let draw = 0; draw < 2000; draw++) {
    const [risk, equity, entry, stop, costs] = [drawn(next, 0.2, 4), drawn(next, 1e7, 2), drawn(next, 1e5, 3), drawn(next, 1e5, 3), drawn(next, 0.01, 5)]; // prettier-ignore
    if (entry.whole === stop.whole) continue;
    const { base } = riskSize({ risk: risk.text, equity: equity.text, entry: entry.text, stop: stop.text, costs: costs.text });
    // In whole numbers: size / 10^8 x (|entry - stop| + costs x entry) against equity x risk, both in 10^-16.
    const distance = entry.whole > stop.whole ? entry.whole - stop.whole : stop.whole - entry.whole;
    const perUnit = distance * 100_000n + costs.whole * entry.whole;
    const allowed = equity.whole * risk.whole * 10n ** 10n;
    const size = BigInt(new Decimal(base!).times(1e8).floor().toFixed());
    const name = `draw ${draw}, seed ${SEED}: ${JSON.stringify([risk.text, equity.text, entry.text, stop.text, costs.text])}`;
    expect(size * perUnit <= allowed, name).toBe(true);
    // The quotient has 20 digits: its last one may be rounded.
    expect((size + 2n + size / 10n ** 15n) * perUnit > allowed, name).toBe(true);
  }
});

it('figures by hand', () => {
  expect(Number(riskSize({ risk: 0.01, equity: 10_000, entry: 100, stop: 95 }).base)).toBe(20);
  expect(Number(riskSize({ risk: '0.01', equity: '10000', entry: '95', stop: '100' }).base)).toBe(20);
  expect(Number(riskSize({ risk: 0.01, equity: 10_000, entry: 100, stop: 95, costs: 0.05 }).base)).toBe(10);
  // 365 bars a year of 2 % / √365 each are 2 % a year; a target of 1 % is half of the equity.
  const day = { equity: 1000, price: 10, barMs: 86_400_000 };
  expect(Number(volatilitySize({ ...day, target: 0.01, deviation: 0.02 / Math.sqrt(365) }).base)).toBeCloseTo(50, 10);
  expect(Number(volatilitySize({ ...day, target: 0.5, deviation: 0.001 }).base), 'the cap of the equity').toBe(100);
  expect(Number(volatilitySize({ ...day, target: 0.5, deviation: 0, cap: 2 }).base)).toBe(200);
  expect(Number(kellySize({ winRate: 0.6, payoff: 1, cap: 1, fraction: 1 }).equity)).toBeCloseTo(0.2, 12);
  expect(Number(kellySize({ winRate: 0.6, payoff: 1 }).equity)).toBeCloseTo(0.1, 12);
  expect(Number(kellySize({ winRate: 0.9, payoff: 3 }).equity)).toBe(0.25);
  expect(Number(kellySize({ winRate: 0.3, payoff: 1 }).equity)).toBe(0);
});

it('a figure that is no number, or a stop at the entry, denies the order', () => {
  const risk = { risk: 0.01, equity: 1000, entry: 100, stop: 95 };
  for (const wrong of [{ stop: 100 }, { stop: NaN }, { entry: 'x' }, { equity: NaN }, { risk: Infinity }])
    expect(riskSize({ ...risk, ...wrong }).base, JSON.stringify(wrong)).toBeNaN();
  const volatility = { target: 0.1, equity: 1000, price: 10, deviation: 0.01, barMs: 60_000 };
  for (const wrong of [{ deviation: NaN }, { deviation: -0.1 }, { price: 0 }, { barMs: 0 }, { target: '' }])
    expect(volatilitySize({ ...volatility, ...wrong }).base, JSON.stringify(wrong)).toBeNaN();
  for (const wrong of [{ winRate: 1.1 }, { winRate: -0.1 }, { winRate: NaN }, { payoff: 0 }, { payoff: -1 }])
    expect(kellySize({ winRate: 0.5, payoff: 1, ...wrong }).equity, JSON.stringify(wrong)).toBeNaN();
});
