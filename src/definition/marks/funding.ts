// Computes the funding of a run: each funding time with its rate, and the mark price that the rate applies to.

import { firstRowAtOrAfter } from '../../adapters/catalog/files/columns.ts';
import { RATE_DIGITS, type SeriesColumns } from '../../adapters/catalog/series/seriesColumns.ts';
import type { FundingTime } from '../../model/bars/contractData.ts';
import { pow10 } from '../../base/number/exact.ts';

/** Exchanges pay funding some ms before or after the hour at which a kline opens. */
const WINDOW_MS = 60_000;

/** Prices in ticks with the times of their rows: mark klines, or the bars. */
export interface PricedRows {
  readonly openMs: Float64Array;
  readonly closeMs: Float64Array;
  readonly open: ArrayLike<number>;
  readonly close: ArrayLike<number>;
}

/** The funding of a contract over the run. */
export interface FundingPlan {
  /** Funding in the order of its booking times. */
  readonly funding: readonly FundingTime[];
  /** Funding times that lie in no row. They use the first price after them. */
  readonly distant: readonly number[];
  /** Funding times with no price after them. They are not charged. */
  readonly unpriced: readonly number[];
}

/**
 * Returns the funding times after `fromMs` up to `toMs`.
 * Booking time: the close of the bar in progress, because only then are the bar's fills known. A time at most 60 s after a close is booked
 * at that close. A time between bars is booked at itself, because the position may differ when trading resumes.
 * Price: the first mark at or after the time. This is the open of a kline that opens within 60 s of it, else the close of the kline in
 * progress. Without such a mark kline, the bars are used in the same way. If they have no such price either, it is a close up to 60 s
 * earlier, else the next open, however late.
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
  const [rateColumn = new Float64Array(0)] = rates.figures;
  for (let row = firstRowAtOrAfter(rates.timeMs, fromMs); row < rates.length && rates.timeMs[row]! <= toMs + WINDOW_MS; row++) {
    const timeMs = rates.timeMs[row]!;
    const bookedMs = bookingTime(bars, timeMs);
    if (bookedMs === null || bookedMs <= fromMs || bookedMs > toMs) continue;
    const priceAtTime = firstPrice(rows, (source) => openingPrice(source, timeMs) ?? closingPrice(source, timeMs));
    const priceNear = priceAtTime ?? firstPrice(rows, (source) => lastPrice(source, timeMs));
    const markTicks = priceNear ?? nextOpen(rows, timeMs);
    if (priceNear === null) (markTicks === null ? unpriced : distant).push(timeMs);
    if (markTicks !== null) funding.push({ timeMs: bookedMs, rate: Math.round(rateColumn[row]! * pow10(RATE_DIGITS)), markTicks });
  }
  return { funding, distant, unpriced };
}

/**
 * Returns the close nearest to the time, within the window; else that of the bar in progress, or the time itself between bars. Null if the
 * bars end before.
 */
function bookingTime({ openMs, closeMs }: Pick<PricedRows, 'openMs' | 'closeMs'>, timeMs: number): number | null {
  const nextRow = firstRowAtOrAfter(closeMs, timeMs);
  const lateMs = timeMs - (closeMs[nextRow - 1] ?? -Infinity);
  const isLate = lateMs <= WINDOW_MS && lateMs < (closeMs[nextRow] ?? Infinity) - timeMs;
  if (isLate) return closeMs[nextRow - 1]!;
  return openMs[nextRow]! > timeMs ? timeMs : (closeMs[nextRow] ?? null);
}

/** Returns the price of the first source that has one; null: none has. */
function firstPrice(sources: readonly PricedRows[], priceOf: (source: PricedRows) => number | null): number | null {
  for (const source of sources) {
    const price = priceOf(source);
    if (price !== null) return price;
  }
  return null;
}

/** Returns the open of the row that opens nearest to the time, within the window; null if no row does. */
function openingPrice({ openMs, open }: PricedRows, timeMs: number): number | null {
  const nextRow = firstRowAtOrAfter(openMs, timeMs);
  const isBefore = nextRow > 0 && !(openMs[nextRow]! - timeMs <= timeMs - openMs[nextRow - 1]!);
  const nearest = isBefore ? nextRow - 1 : nextRow;
  return Math.abs((openMs[nearest] ?? Infinity) - timeMs) <= WINDOW_MS ? open[nearest]! : null;
}

/** Returns the close of the row that is in progress or ends at the time; null if no row is. */
function closingPrice({ openMs, closeMs, close }: PricedRows, timeMs: number): number | null {
  const row = firstRowAtOrAfter(closeMs, timeMs);
  return row < closeMs.length && openMs[row]! <= timeMs ? close[row]! : null;
}

/** Returns the first open after the time. If several rows open then, the first of them counts. */
function nextOpen(rows: readonly PricedRows[], timeMs: number): number | null {
  let price: number | null = null;
  let atMs: number = Infinity;
  for (const { openMs, open } of rows) {
    const row = firstRowAtOrAfter(openMs, timeMs);
    if ((openMs[row] ?? Infinity) >= atMs) continue;
    price = open[row]!;
    atMs = openMs[row]!;
  }
  return price;
}

/** Returns the close of the row that ended within the window before the time; null if no row did. */
function lastPrice({ closeMs, close }: PricedRows, timeMs: number): number | null {
  const row = firstRowAtOrAfter(closeMs, timeMs) - 1;
  return row >= 0 && timeMs - closeMs[row]! <= WINDOW_MS ? close[row]! : null;
}
