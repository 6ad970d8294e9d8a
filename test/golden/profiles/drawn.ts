// Inputs of profiles that no run of isobar has, or that are rare: drawn from a seed, at the edges of the tools' definitions.

import { seededRng } from '../../../src/base/number/rng.ts';
import { randomInput } from './random.ts';
import type { ProfileInput, ProfileTrades } from '../../../src/report/profiles/figures/input.ts';

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2023, 5, 1);

/** An input of daily bars with the given daily returns, and trades with the given results on 1,000 each. */
function drawn(returns: readonly number[], results: readonly number[], start = 1000, stepDays = 1): ProfileInput {
  let equity = start;
  const path = returns.map((change) => (equity *= 1 + change));
  const rng = seededRng(returns.length + results.length);
  let price = 100;
  const close = Float64Array.from(path, () => (price *= 0.99 + 0.02 * rng.next()));
  const openMs = Float64Array.from(path, (_, row) => FIRST_MS + row * stepDays * DAY_MS);
  return {
    startEquity: start,
    endEquity: equity,
    returns: {
      dayMs: openMs,
      values: Float64Array.from(returns),
      benchmark: close.map((value, row) => value / (close[row - 1] ?? 100) - 1),
    },
    bars: { intervalMs: stepDays * DAY_MS, openMs, equity: Float64Array.from(path), close },
    trades: tradesOf(results, openMs),
  };
}

function tradesOf(results: readonly number[], openMs: Float64Array): ProfileTrades {
  // A money of nautilus has eight digits.
  const pnl = Float64Array.from(results, (value) => Math.round(value * 1e8) / 1e8);
  const last = openMs.length - 1;
  const entryRow = pnl.map((_, row) => Math.floor((row * last) / pnl.length));
  return {
    length: pnl.length,
    isShort: Uint8Array.from(pnl, (_, row) => (row % 3 === 2 ? 1 : 0)),
    entryMs: entryRow.map((row) => openMs[row]!),
    exitMs: entryRow.map((row) => openMs[Math.min(last, row + 1)]! + 3_600_000),
    entryPrice: pnl.map(() => 100),
    exitPrice: pnl.map((profit) => 100 + profit / 10),
    quantity: pnl.map(() => 10),
    entryNotional: pnl.map(() => 1000),
    fees: pnl.map(() => 0),
    pnl,
    returnFraction: pnl.map((profit) => profit / 1000),
  };
}

/** Sums of three even draws, about normal. */
function draws(count: number, seed: number, middle: number, width: number): number[] {
  const rng = seededRng(seed);
  return Array.from({ length: count }, () => middle + width * (rng.next() + rng.next() + rng.next() - 1.5));
}

/** Equity that is 0 at the close of some bars within days, and comes back by the end of each day. */
function touchesZero(): ProfileInput {
  const daily = drawn(draws(20, 37, -0.01, 0.2), draws(14, 38, -3, 25));
  const stepMs = DAY_MS / 6;
  const equity = Float64Array.from({ length: 120 }, (_, row) => {
    const end = daily.bars.equity[Math.floor(row / 6)]!;
    return row % 6 === 5 ? end : row % 18 === 8 ? 0 : end * (1 + 0.01 * (row % 6));
  });
  const close = equity.map((_, row) => daily.bars.close![Math.floor(row / 6)]! + (row % 6));
  return { ...daily, bars: { intervalMs: stepMs, openMs: equity.map((_, row) => FIRST_MS + row * stepMs), equity, close } };
}

export const DRAWN: Readonly<Record<string, () => ProfileInput>> = {
  drawnLong: () => drawn(draws(500, 31, 0.0008, 0.03), draws(150, 32, 1, 40)),
  drawnWeeks: () => drawn(draws(60, 33, 0.002, 0.06), draws(20, 34, -2, 30), 1000, 7),
  drawnBigDays: () => drawn([0.2, 1.5, 0, 0.1, 3.2], [200, 1800], 1000),
  drawnHugeFirstDay: () => drawn([12, 0.5, 20], [12_000], 1000),
  drawnEqualDays: () =>
    drawn(
      Array.from({ length: 12 }, () => 0.25),
      [250, 312.5],
      1000,
    ),
  drawnBelowZero: () => drawn([0.01, -0.3, -1.2], [10, -303, -848.4], 1000),
  drawnOneFall: () => drawn([0.01, 0.02, 0.01, -0.005], [10, 20, -5], 1000),
  drawnOneBar: () => drawn([0.01], [], 1000),
  drawnLostAtOnce: () => drawn([-1], [-1000], 1000),
  drawnQuiet: () => drawn(draws(90, 35, 0.0001, 0.0015), draws(9, 36, 0.01, 0.5), 1_000_000),
  drawnTouchesZero: touchesZero,
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`random${at + 1}`, () => randomInput(at + 1)])),
};
