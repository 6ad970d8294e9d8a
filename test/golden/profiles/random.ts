// Draws random inputs of profiles: length, step, spread, quiet days, ruin, and trades that mostly win, lose or come out even.

import { seededRng, type Rng } from '../../../src/base/number/rng.ts';
import type { ProfileBars, ProfileInput, ProfileTrades } from '../../../src/report/profiles/figures/profileInput.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MAX_BARS = 500;
const MAX_TRADES = 80;
/** Every ninth input loses everything. */
const RUIN_EVERY = 9;
/** Every fourth benchmark does not move. The benchmarks of odd seeds follow the returns. */
const FLAT_EVERY = 4;

/** Returns the input of a seed. */
export function randomInput(seed: number): ProfileInput {
  const rng = seededRng(seed);
  const drawOne = (values: readonly number[]) => values[Math.floor(rng.next() * values.length)]!;
  const days = 1 + Math.floor(rng.next() ** 2 * 400);
  const spread = drawOne([0.0005, 0.005, 0.02, 0.1, 0.5]);
  const quietFraction = rng.next() < 0.3 ? rng.next() : 0;
  const start = drawOne([1, 1000, 10_000, 250_000]);
  const isRuined = seed % RUIN_EVERY === 0;
  const bars = barsOf(rng, { stepHours: drawOne([1, 4, 8, 24, 24, 168]), days, spread, quietFraction, start, isRuined, seed });
  const firstDay = Math.floor(bars.openMs[0]! / DAY_MS) * DAY_MS;
  const values = Float64Array.from({ length: days }, () => (rng.next() < quietFraction ? 0 : spread * threeDraws(rng)));
  if (isRuined) values[days - 1] = -1;
  const benchmarkSpread = seed % FLAT_EVERY === 0 ? 0 : 0.02;
  const benchmark = values.map((value) => benchmarkSpread * threeDraws(rng) + (seed % 2) * 0.3 * value);
  return {
    startEquity: start,
    endEquity: bars.equity.at(-1)!,
    returns: { dayMs: values.map((_, day) => firstDay + day * DAY_MS), values, benchmark },
    bars,
    trades: tradesOf(rng, bars, start, drawOne([0, 0.5, 0.9, 1])),
  };
}

/** Returns a roughly normal number from -1.5 to 1.5. */
function threeDraws(rng: Rng): number {
  return rng.next() + rng.next() + rng.next() - 1.5;
}

/** What the random bars of an input depend on. */
interface BarTerms {
  readonly stepHours: number;
  readonly days: number;
  /** Standard size of a daily change, as a fraction. */
  readonly spread: number;
  /** Fraction of the rows without a change. */
  readonly quietFraction: number;
  readonly start: number;
  readonly isRuined: boolean;
  readonly seed: number;
}

/** Returns bars with a random equity and close. */
function barsOf(rng: Rng, { stepHours, days, spread, quietFraction, start, isRuined, seed }: BarTerms): ProfileBars {
  const intervalMs = stepHours * HOUR_MS;
  const length = Math.min(MAX_BARS, Math.max(2, Math.floor((days * DAY_MS) / intervalMs)));
  const offsetInDayMs = stepHours < 24 ? (seed % Math.floor(24 / stepHours)) * intervalMs : 0;
  const firstMs = Date.UTC(2023, 0, 1 + (seed % 40)) + offsetInDayMs;
  let equity = start;
  let price = 100;
  const openMs = Float64Array.from({ length }, (_, row) => firstMs + row * intervalMs);
  const path = openMs.map(() => {
    equity *= 1 + (rng.next() < quietFraction ? 0 : spread * Math.sqrt(stepHours / 24) * (rng.next() - 0.49));
    return rounded(equity, 8);
  });
  if (isRuined) path.fill(0, length >> 1);
  const close = openMs.map(() => rounded((price *= 1 + 0.02 * (rng.next() - 0.5)), 2));
  return { intervalMs, openMs, equity: path, close };
}

/** Returns random trades. Several of them close at the same time, and not in the order of the rows. */
function tradesOf(rng: Rng, { openMs }: ProfileBars, start: number, winFraction: number): ProfileTrades {
  // Every fifth input has at most two trades.
  const length = Math.floor(rng.next() * (rng.next() < 0.2 ? 3 : MAX_TRADES));
  const lastRow = openMs.length - 1;
  const pnl = Float64Array.from({ length }, () => drawPnl(rng, start, winFraction));
  const entryNotional = pnl.map(() => rounded(start * (0.2 + rng.next()), 2));
  const entryRow = pnl.map((_, row) => Math.floor((row * lastRow) / length));
  return {
    length,
    isShort: Uint8Array.from(pnl, () => (rng.next() < 0.5 ? 1 : 0)),
    entryMs: entryRow.map((row) => openMs[row]!),
    exitMs: entryRow.map((row, trade) => openMs[Math.min(lastRow, row + (trade % 3))]! + (trade % 2) * 60_000),
    entryPrice: pnl.map(() => 100),
    exitPrice: pnl.map(() => 101),
    quantity: pnl.map(() => 1),
    entryNotional,
    fees: pnl.map(() => 0),
    pnl,
    returnFraction: pnl.map((profit, row) => profit / entryNotional[row]!),
  };
}

/** Returns the result of a trade: zero for every tenth, otherwise at most 2 % of the start equity. */
function drawPnl(rng: Rng, start: number, winFraction: number): number {
  if (rng.next() < 0.1) return 0;
  const sign = rng.next() < winFraction ? 1 : -1;
  return rounded(sign * rng.next() * start * 0.02, 8);
}

/** Rounds to a number of decimals. */
function rounded(value: number, decimals: number): number {
  return Number(value.toFixed(decimals));
}
