// Makes inputs of profiles at the edges of the tools' definitions, such as a day that loses everything. Real runs have them rarely or never.

import { seededRng } from '../../../src/base/number/rng.ts';
import { randomInput } from './random.ts';
import type { ProfileInput, ProfileTrades } from '../../../src/report/profiles/figures/profileInput.ts';

const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2023, 5, 1);

/** Returns an input with the given returns of bars, and trades with the given results on a notional of 1,000 each. */
function inputWith(returns: readonly number[], tradeResults: readonly number[], startEquity = 1000, stepDays = 1): ProfileInput {
  let equity = startEquity;
  const path = returns.map((change) => (equity *= 1 + change));
  const rng = seededRng(returns.length + tradeResults.length);
  let price = 100;
  const close = Float64Array.from(path, () => (price *= 0.99 + 0.02 * rng.next()));
  const openMs = Float64Array.from(path, (_, row) => FIRST_MS + row * stepDays * DAY_MS);
  return {
    startEquity,
    endEquity: equity,
    returns: {
      dayMs: openMs,
      values: Float64Array.from(returns),
      benchmark: close.map((value, row) => value / (close[row - 1] ?? 100) - 1),
    },
    bars: { intervalMs: stepDays * DAY_MS, openMs, equity: Float64Array.from(path), close },
    trades: tradesOf(tradeResults, openMs),
  };
}

/** Returns trades with the given results, spread over the bars. Every third is short. */
function tradesOf(results: readonly number[], openMs: Float64Array): ProfileTrades {
  // The tool nautilus keeps money with eight decimals.
  const pnl = Float64Array.from(results, (value) => Math.round(value * 1e8) / 1e8);
  const lastRow = openMs.length - 1;
  const entryRow = pnl.map((_, row) => Math.floor((row * lastRow) / pnl.length));
  return {
    length: pnl.length,
    isShort: Uint8Array.from(pnl, (_, row) => (row % 3 === 2 ? 1 : 0)),
    entryMs: entryRow.map((row) => openMs[row]!),
    exitMs: entryRow.map((row) => openMs[Math.min(lastRow, row + 1)]! + 3_600_000),
    entryPrice: pnl.map(() => 100),
    exitPrice: pnl.map((profit) => 100 + profit / 10),
    quantity: pnl.map(() => 10),
    entryNotional: pnl.map(() => 1000),
    fees: pnl.map(() => 0),
    pnl,
    returnFraction: pnl.map((profit) => profit / 1000),
  };
}

/** Returns roughly normal numbers: each is the sum of three uniform draws. */
function normalDraws(count: number, seed: number, middle: number, width: number): number[] {
  const rng = seededRng(seed);
  return Array.from({ length: count }, () => middle + width * (rng.next() + rng.next() + rng.next() - 1.5));
}

/** Returns an input whose equity is 0 at the close of some bars, and recovers by the end of each day. */
function inputThatTouchesZero(): ProfileInput {
  const daily = inputWith(normalDraws(20, 37, -0.01, 0.2), normalDraws(14, 38, -3, 25));
  const stepMs = DAY_MS / 6;
  const equity = Float64Array.from({ length: 120 }, (_, row) => {
    const endOfDay = daily.bars.equity[Math.floor(row / 6)]!;
    const isEndOfDay = row % 6 === 5;
    if (isEndOfDay) return endOfDay;
    const isZero = row % 18 === 8;
    return isZero ? 0 : endOfDay * (1 + 0.01 * (row % 6));
  });
  const close = equity.map((_, row) => daily.bars.close![Math.floor(row / 6)]! + (row % 6));
  return { ...daily, bars: { intervalMs: stepMs, openMs: equity.map((_, row) => FIRST_MS + row * stepMs), equity, close } };
}

/** Inputs by name. */
export const DRAWN: Readonly<Record<string, () => ProfileInput>> = {
  drawnLong: () => inputWith(normalDraws(500, 31, 0.0008, 0.03), normalDraws(150, 32, 1, 40)),
  drawnWeeks: () => inputWith(normalDraws(60, 33, 0.002, 0.06), normalDraws(20, 34, -2, 30), 1000, 7),
  drawnBigDays: () => inputWith([0.2, 1.5, 0, 0.1, 3.2], [200, 1800], 1000),
  drawnHugeFirstDay: () => inputWith([12, 0.5, 20], [12_000], 1000),
  drawnEqualDays: () =>
    inputWith(
      Array.from({ length: 12 }, () => 0.25),
      [250, 312.5],
      1000,
    ),
  drawnBelowZero: () => inputWith([0.01, -0.3, -1.2], [10, -303, -848.4], 1000),
  drawnOneFall: () => inputWith([0.01, 0.02, 0.01, -0.005], [10, 20, -5], 1000),
  drawnOneBar: () => inputWith([0.01], [], 1000),
  drawnLostAtOnce: () => inputWith([-1], [-1000], 1000),
  drawnQuiet: () => inputWith(normalDraws(90, 35, 0.0001, 0.0015), normalDraws(9, 36, 0.01, 0.5), 1_000_000),
  drawnTouchesZero: inputThatTouchesZero,
  ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`random${index + 1}`, () => randomInput(index + 1)])),
};
