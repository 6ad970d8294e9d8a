// Random inputs of profiles: any length, step, spread, share of days without a change, ruin, and trades that mostly win, lose or come out even.

import { seededRng, type Rng } from '../../../src/base/number/rng.ts';
import type { ProfileBars, ProfileInput, ProfileTrades } from '../../../src/report/profiles/figures/input.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MAX_BARS = 500;
const MAX_TRADES = 80;
/** Every ninth input ends with nothing. */
const RUIN = 9;
/** Every fourth benchmark does not move. Those of uneven seeds follow the returns. */
const FLAT = 4;

export function randomInput(seed: number): ProfileInput {
  const rng = seededRng(seed);
  const pick = (values: readonly number[]) => values[Math.floor(rng.next() * values.length)]!;
  const days = 1 + Math.floor(rng.next() ** 2 * 400);
  const spread = pick([0.0005, 0.005, 0.02, 0.1, 0.5]);
  const still = rng.next() < 0.3 ? rng.next() : 0;
  const start = pick([1, 1000, 10_000, 250_000]);
  const isRuined = seed % RUIN === 0;
  const bars = barsOf(rng, { stepHours: pick([1, 4, 8, 24, 24, 168]), days, spread, still, start, isRuined, seed });
  const firstDay = Math.floor(bars.openMs[0]! / DAY_MS) * DAY_MS;
  const values = Float64Array.from({ length: days }, () => (rng.next() < still ? 0 : spread * threeDraws(rng)));
  if (isRuined) values[days - 1] = -1;
  const moves = seed % FLAT === 0 ? 0 : 0.02;
  const benchmark = values.map((value) => moves * threeDraws(rng) + (seed % 2) * 0.3 * value);
  return {
    startEquity: start,
    endEquity: bars.equity.at(-1)!,
    returns: { dayMs: values.map((_, day) => firstDay + day * DAY_MS), values, benchmark },
    bars,
    trades: tradesOf(rng, bars, start, pick([0, 0.5, 0.9, 1])),
  };
}

/** About normal, from -1.5 to 1.5. */
function threeDraws(rng: Rng): number {
  return rng.next() + rng.next() + rng.next() - 1.5;
}

interface BarTerms {
  readonly stepHours: number;
  readonly days: number;
  readonly spread: number;
  readonly still: number;
  readonly start: number;
  readonly isRuined: boolean;
  readonly seed: number;
}

function barsOf(rng: Rng, { stepHours, days, spread, still, start, isRuined, seed }: BarTerms): ProfileBars {
  const intervalMs = stepHours * HOUR_MS;
  const length = Math.min(MAX_BARS, Math.max(2, Math.floor((days * DAY_MS) / intervalMs)));
  const firstMs = Date.UTC(2023, 0, 1 + (seed % 40)) + (stepHours < 24 ? (seed % Math.floor(24 / stepHours)) * intervalMs : 0);
  let [equity, price] = [start, 100];
  const openMs = Float64Array.from({ length }, (_, row) => firstMs + row * intervalMs);
  const path = openMs.map(() => {
    equity *= 1 + (rng.next() < still ? 0 : spread * Math.sqrt(stepHours / 24) * (rng.next() - 0.49));
    return digits(equity, 8);
  });
  if (isRuined) path.fill(0, length >> 1);
  const close = openMs.map(() => digits((price *= 1 + 0.02 * (rng.next() - 0.5)), 2));
  return { intervalMs, openMs, equity: path, close };
}

/** Several trades close at one time, and not in the order of the rows. */
function tradesOf(rng: Rng, { openMs }: ProfileBars, start: number, wins: number): ProfileTrades {
  const length = Math.floor(rng.next() * (rng.next() < 0.2 ? 3 : MAX_TRADES));
  const last = openMs.length - 1;
  const pnl = Float64Array.from({ length }, () =>
    rng.next() < 0.1 ? 0 : digits((rng.next() < wins ? 1 : -1) * rng.next() * start * 0.02, 8),
  );
  const entryNotional = pnl.map(() => digits(start * (0.2 + rng.next()), 2));
  const entryRow = pnl.map((_, row) => Math.floor((row * last) / length));
  return {
    length,
    isShort: Uint8Array.from(pnl, () => (rng.next() < 0.5 ? 1 : 0)),
    entryMs: entryRow.map((row) => openMs[row]!),
    exitMs: entryRow.map((row, trade) => openMs[Math.min(last, row + (trade % 3))]! + (trade % 2) * 60_000),
    entryPrice: pnl.map(() => 100),
    exitPrice: pnl.map(() => 101),
    quantity: pnl.map(() => 1),
    entryNotional,
    fees: pnl.map(() => 0),
    pnl,
    returnFraction: pnl.map((profit, row) => profit / entryNotional[row]!),
  };
}

function digits(value: number, count: number): number {
  return Number(value.toFixed(count));
}
