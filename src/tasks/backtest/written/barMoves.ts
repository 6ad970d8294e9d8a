// Lists the ups and downs of bars with which a table in code could look ahead: of each bar, over several bars, and of each day.

import { DAY_MS } from '../../../base/calendar.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';

/** Distances, in bars, over which a table may contain the direction of the price. */
const DISTANCES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 20, 24, 30, 48, 60, 96, 120];
/** Maximum number of rows whose moves over several bars are compared. They suffice to find a longer table. */
const MAX_ROWS = 100_000;
/** Minimum of turns that must agree for moves over several bars. These seldom turn, so more of them can agree by accident. */
const MIN_TURNS = 20;

/** Ups (1) and downs (0) of bars. */
export interface BarMoves {
  readonly bits: Uint8Array;
  /** Number of changes between up and down that a table has to share. */
  readonly minTurns: number;
  /** Returns the row of the data at which a move begins. */
  rowOf(move: number): number;
}

type Prices = Pick<BarColumns, 'open' | 'high' | 'low' | 'close' | 'length'>;

/** Returns the moves of the bars, of several bars together, and of the days. */
export function movesOf(bars: BarColumns): BarMoves[] {
  const ownMoves = stepsOf(bars).map((bits) => ({ bits, minTurns: 0, rowOf: (move: number) => move }));
  const ofVolume = { bits: upsOf(bars.volume, bars.length, 1), minTurns: 0, rowOf: (move: number) => move };
  return [...ownMoves, ofVolume, ...distantOf(bars), ...dailyMovesOf(bars)];
}

/** Returns the moves inside each bar, and from bar to bar for each price column and for means of several columns. */
function stepsOf({ open, high, low, close, length }: Prices): Uint8Array[] {
  const ofBars = Uint8Array.from({ length }, (_, row) => Number(close[row]! > open[row]!));
  const middles = Float64Array.from({ length }, (_, row) => high[row]! + low[row]!);
  const typical = middles.map((sum, row) => sum + close[row]!);
  const means = typical.map((sum, row) => sum + open[row]!);
  return [ofBars, ...[close, open, high, low, middles, typical, means].map((of) => upsOf(of, length, 1))];
}

/** Returns 1 for each row whose price is lower than the price `distance` rows later, else 0. */
function upsOf(prices: ArrayLike<number>, length: number, distance: number): Uint8Array {
  return Uint8Array.from({ length: Math.max(0, length - distance) }, (_, row) => Number(prices[row + distance]! > prices[row]!));
}

/** Returns the moves of the close over several bars, for each distance. */
function distantOf({ close, length }: Prices): BarMoves[] {
  const rows = Math.min(length, MAX_ROWS);
  return DISTANCES.map((distance) => ({ bits: upsOf(close, rows, distance), minTurns: MIN_TURNS, rowOf: (move) => move }));
}

/** Whole UTC days that bars make up. */
export interface DayColumns extends Prices {
  /** The first row of each day. */
  readonly firstRows: readonly number[];
}

/** Returns the UTC days of bars; null if each bar is a day or longer. */
export function daysOf({ open, high, low, close, openMs, length }: BarColumns): DayColumns | null {
  const firstRows: number[] = [];
  const days = { open: [] as number[], high: [] as number[], low: [] as number[], close: [] as number[] };
  let day = NaN;
  for (let row = 0; row < length; row++) {
    const index = firstRows.length - 1;
    if (Math.floor(openMs[row]! / DAY_MS) === day) {
      days.high[index] = Math.max(days.high[index]!, high[row]!);
      days.low[index] = Math.min(days.low[index]!, low[row]!);
      days.close[index] = close[row]!;
      continue;
    }
    day = Math.floor(openMs[row]! / DAY_MS);
    firstRows.push(row);
    for (const [name, of] of Object.entries({ open, high, low, close })) days[name as keyof typeof days].push(of[row]!);
  }
  if (firstRows.length === length) return null;
  return {
    open: Float64Array.from(days.open),
    high: Float64Array.from(days.high),
    low: Float64Array.from(days.low),
    close: Float64Array.from(days.close),
    length: firstRows.length,
    firstRows,
  };
}

/** Returns the moves of whole UTC days; empty if each bar is a day or longer. */
export function dailyMovesOf(bars: BarColumns): BarMoves[] {
  const days = daysOf(bars);
  return days === null ? [] : stepsOf(days).map((bits) => ({ bits, minTurns: 0, rowOf: (move: number) => days.firstRows[move]! }));
}
