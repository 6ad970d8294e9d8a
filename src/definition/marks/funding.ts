// Funding of a run: each funding time with its rate, and the mark price of which it is taken.

import { rowAt } from '../../adapters/catalog/files/columns.ts';
import { RATE_DIGITS, type SeriesColumns } from '../../adapters/catalog/series/series.ts';
import type { FundingTime } from '../../model/bars/marks.ts';
import { pow10 } from '../../base/number/exact.ts';

/** Funding times of exchanges jitter by some ms around the hour at which a kline opens. */
const WINDOW_MS = 60_000;

/** Prices in ticks with the times of their rows: klines of the mark price, or the bars. */
export interface PricedRows {
  readonly openMs: Float64Array;
  readonly closeMs: Float64Array;
  readonly open: ArrayLike<number>;
  readonly close: ArrayLike<number>;
}

export interface FundingPlan {
  /** By the times at which they are booked, in their order. */
  readonly funding: readonly FundingTime[];
  /** Times at which no row was under way: taken of the first price after them. */
  readonly distant: readonly number[];
  /** Times after which there is no price: not charged. */
  readonly unpriced: readonly number[];
}

/**
 * The funding times after `fromMs` up to `toMs`, each booked at the close of the bar under way, because only then it is known what the
 * bar has filled; one that is up to 60 s late, at the close just before; one between bars at its own time, because who holds a position
 * when trading goes on may be another. The price is that of the first mark at or after the time: the open of the kline that opens within
 * 60 s of it, else the close of the one that is under way. Where the mark klines have neither, the bars are asked alike, and in the end the
 * first open after it is taken, however late; at the very end of the data, a close up to 60 s before.
 */
export function fundingOf(
  rates: SeriesColumns,
  rows: readonly PricedRows[],
  bars: Pick<PricedRows, 'openMs' | 'closeMs'>,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): FundingPlan {
  const funding: FundingTime[] = [];
  const distant: number[] = [];
  const unpriced: number[] = [];
  const [rate = new Float64Array(0)] = rates.figures;
  for (let at = rowAt(rates.timeMs, fromMs); at < rates.length && rates.timeMs[at]! <= toMs + WINDOW_MS; at++) {
    const timeMs = rates.timeMs[at]!;
    const bookedMs = bookingTime(bars, timeMs);
    if (bookedMs === null || bookedMs <= fromMs || bookedMs > toMs) continue;
    const near =
      firstOf(rows, (of) => openingPrice(of, timeMs) ?? closingPrice(of, timeMs)) ?? firstOf(rows, (of) => lastPrice(of, timeMs));
    const markTicks = near ?? nextOpen(rows, timeMs);
    if (near === null) (markTicks === null ? unpriced : distant).push(timeMs);
    if (markTicks !== null) funding.push({ timeMs: bookedMs, rate: Math.round(rate[at]! * pow10(RATE_DIGITS)), markTicks });
  }
  return { funding, distant, unpriced };
}

/** The close nearest to the time, within the window; else that of the bar under way, or the time itself. Null: the bars end before. */
function bookingTime({ openMs, closeMs }: Pick<PricedRows, 'openMs' | 'closeMs'>, timeMs: number): number | null {
  const after = rowAt(closeMs, timeMs);
  const lateMs = timeMs - (closeMs[after - 1] ?? -Infinity);
  const isLate = lateMs <= WINDOW_MS && lateMs < (closeMs[after] ?? Infinity) - timeMs;
  if (isLate) return closeMs[after - 1]!;
  return openMs[after]! > timeMs ? timeMs : (closeMs[after] ?? null);
}

function firstOf(rows: readonly PricedRows[], priceOf: (rows: PricedRows) => number | null): number | null {
  for (const each of rows) {
    const price = priceOf(each);
    if (price !== null) return price;
  }
  return null;
}

/** The open of the row that opens nearest to the time, within the window. */
function openingPrice({ openMs, open }: PricedRows, timeMs: number): number | null {
  const after = rowAt(openMs, timeMs);
  const isBefore = after > 0 && !(openMs[after]! - timeMs <= timeMs - openMs[after - 1]!);
  const nearest = isBefore ? after - 1 : after;
  return Math.abs((openMs[nearest] ?? Infinity) - timeMs) <= WINDOW_MS ? open[nearest]! : null;
}

/** The close of the row that is under way, or ends at the time. */
function closingPrice({ openMs, closeMs, close }: PricedRows, timeMs: number): number | null {
  const row = rowAt(closeMs, timeMs);
  return row < closeMs.length && openMs[row]! <= timeMs ? close[row]! : null;
}

/** The first open after the time; where several rows open then, of the first of them. */
function nextOpen(rows: readonly PricedRows[], timeMs: number): number | null {
  let [price, atMs]: [number | null, number] = [null, Infinity];
  for (const { openMs, open } of rows) {
    const row = rowAt(openMs, timeMs);
    if ((openMs[row] ?? Infinity) < atMs) [price, atMs] = [open[row]!, openMs[row]!];
  }
  return price;
}

/** The close of the row that ended within the window before the time. */
function lastPrice({ closeMs, close }: PricedRows, timeMs: number): number | null {
  const row = rowAt(closeMs, timeMs) - 1;
  return row >= 0 && timeMs - closeMs[row]! <= WINDOW_MS ? close[row]! : null;
}
