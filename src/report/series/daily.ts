// Samples the equity and the benchmark of a run at its start, at every midnight UTC, and at its end.

import { DAY_MS } from '../../base/calendar.ts';
import { MaxDrawdown } from '../../base/number/maxDrawdown.ts';
import type { BarColumns } from '../../model/bars/bars.ts';
import type { EquityColumns, FeedRecord, RunRecord } from '../../model/run/run.ts';

/** Equity and benchmark at the sampling instants. */
export interface DailyEquity {
  /** Sampling instants (ms UTC), ascending. The first is the start of the run. */
  readonly timeMs: Float64Array;
  /** The last known equity at each instant, in units of the reporting asset. */
  readonly equity: Float64Array;
  /** Buy-and-hold of the traded instruments with equal weights, 1 at the start of the run. Null without execution rows. */
  readonly benchmark: Float64Array | null;
}

/** Returns the sampled equity with its benchmark. */
export function dailyEquity(record: RunRecord): DailyEquity {
  const { timeMs, equity } = sampledEquity(record);
  return { timeMs, equity, benchmark: buyAndHold(record, timeMs) };
}

/** Returns the sampled equity without the benchmark: at each instant, the latest equity at or before it. */
export function sampledEquity(record: Pick<RunRecord, 'fromMs' | 'toMs' | 'startUnits' | 'equity'>): Omit<DailyEquity, 'benchmark'> {
  const timeMs = samplingTimes(record.fromMs, record.toMs);
  const { equity } = record;
  const values = new Float64Array(timeMs.length);
  for (let instant = 0; instant < timeMs.length; instant++) {
    const countBefore = countUpTo(equity.timeMs, equity.length, timeMs[instant]!);
    values[instant] = instant === 0 || countBefore === 0 ? record.startUnits : equity.units[countBefore - 1]!;
  }
  return { timeMs, equity: values };
}

/** Returns the deepest drawdowns over every instant of the equity column, beginning with the starting capital. */
export function barDrawdowns({ startUnits, equity }: Pick<RunRecord, 'startUnits' | 'equity'>): MaxDrawdown {
  const drawdowns = new MaxDrawdown(startUnits);
  drawdowns.take(equity.units, equity.length);
  return drawdowns;
}

/** The sampling instants of a time range. One object serves all runs of that range. */
export class Sampling {
  /** The sampling instants, ms UTC, ascending. */
  readonly timeMs: Float64Array;
  readonly #rows = new WeakMap<Float64Array, Int32Array>();

  constructor(fromMs: number, toMs: number) {
    this.timeMs = samplingTimes(fromMs, toMs);
  }

  /**
   * Returns the rows in [first, length) that the instants need, ascending: for each instant the newest row that closed at or before it,
   * then the last row. The result is cached by `closeMs`.
   */
  rowsOf(closeMs: Float64Array, first: number, length: number): Int32Array {
    let rows = this.#rows.get(closeMs);
    if (rows === undefined) {
      rows = newestRows(this.timeMs, closeMs, first, length);
      this.#rows.set(closeMs, rows);
    }
    return rows;
  }
}

/** Returns for each time the newest row that had closed by then, but each row once. */
function newestRows(timeMs: Float64Array, closeMs: Float64Array, first: number, length: number): Int32Array {
  const rows: number[] = [];
  let nextRow = first;
  for (const instantMs of timeMs) {
    const endRow = nextRow + countUpTo(closeMs.subarray(nextRow), length - nextRow, instantMs);
    if (endRow > nextRow) rows.push(endRow - 1);
    nextRow = endRow;
  }
  if (length > nextRow) rows.push(length - 1);
  return Int32Array.from(rows);
}

/** Samples an equity that arrives in pieces. Keeps the instants that `sampledEquity` would read, and the last one. */
export class EquitySampler {
  /** Drawdown over every bar, not only over the kept instants. */
  readonly drawdown = new MaxDrawdown(NaN);
  readonly #sampling: Sampling;
  /** Index of the next sampling instant. */
  #nextSample = 0;
  /** The kept instants. */
  #times: number[] = [];
  #units: number[] = [];
  #lastMs = NaN;
  #lastUnits = NaN;

  constructor(sampling: Sampling) {
    this.#sampling = sampling;
  }

  /** Returns the rows that the sampling needs (see `Sampling.rowsOf`). */
  rowsOf(closeMs: Float64Array, first: number, length: number): Int32Array {
    return this.#sampling.rowsOf(closeMs, first, length);
  }

  /** Takes `length` instants, each later than the one before: the equity is `units[i]` at `timeMs[from + i]`. */
  take(timeMs: Float64Array, from: number, units: Float64Array, length: number): void {
    const times = timeMs.subarray(from, from + length);
    const samples = this.#sampling.timeMs;
    const lastMs = times[length - 1]!;
    for (; this.#nextSample < samples.length && samples[this.#nextSample]! < lastMs; this.#nextSample++) {
      const countBefore = countUpTo(times, length, samples[this.#nextSample]!);
      if (countBefore === 0) this.#append(this.#lastMs, this.#lastUnits);
      else this.#append(times[countBefore - 1]!, units[countBefore - 1]!);
    }
    this.#lastMs = lastMs;
    this.#lastUnits = units[length - 1]!;
  }

  /** Ends the sampling. Returns the kept instants. */
  columns(): EquityColumns {
    this.#append(this.#lastMs, this.#lastUnits);
    return { length: this.#times.length, timeMs: Float64Array.from(this.#times), units: Float64Array.from(this.#units) };
  }

  /** Keeps an instant once. Skips a time before the first instant (NaN). */
  #append(timeMs: number, units: number): void {
    if (!(timeMs > (this.#times[this.#times.length - 1] ?? -Infinity))) return;
    this.#times.push(timeMs);
    this.#units.push(units);
  }
}

/** Returns the sampling instants: the start, every midnight UTC inside the range, and the end. */
function samplingTimes(fromMs: number, toMs: number): Float64Array {
  const times = [fromMs];
  for (let day = (Math.floor(fromMs / DAY_MS) + 1) * DAY_MS; day < toMs; day += DAY_MS) times.push(day);
  if (toMs > fromMs) times.push(toMs);
  return Float64Array.from(times);
}

/**
 * Returns the value of buy-and-hold at each instant, 1 at the start. Each traded instrument is bought with an equal part of the money, at
 * its first open at or after the start. It is valued at its last close. For a run without fills, all its instruments are held. Null without
 * execution rows.
 */
export function buyAndHold(
  { feeds, fills, instruments, fromMs }: Pick<RunRecord, 'feeds' | 'fills' | 'instruments' | 'fromMs'>,
  timeMs: Float64Array,
): Float64Array | null {
  const tradedInstruments = tradedIds(fills, instruments);
  const executed = executionFeeds(feeds);
  const heldFeeds = tradedInstruments.size === 0 ? executed : executed.filter(({ bars }) => tradedInstruments.has(bars.instrument.id));
  if (heldFeeds.length === 0) return null;
  const values = new Float64Array(timeMs.length);
  for (const { bars, firstRow } of heldFeeds) {
    const boughtRow = firstOpenAfter(bars, firstRow, fromMs);
    for (let instant = 0; instant < timeMs.length; instant++) {
      const row = instant === 0 ? -1 : countUpTo(bars.closeMs, bars.length, timeMs[instant]!) - 1;
      const growth = row < boughtRow ? 1 : bars.close[row]! / bars.open[boughtRow]!;
      values[instant]! += growth / heldFeeds.length;
    }
  }
  return values;
}

/**
 * Returns the first row from `firstRow` on that opens at or after `fromMs`. The first row of a run may have opened before its start, and no
 * order trades at that open. `length` without such a row.
 */
export function firstOpenAfter({ openMs, length }: BarColumns, firstRow: number, fromMs: number): number {
  let row = firstRow;
  while (row < length && openMs[row]! < fromMs) row++;
  return row;
}

/** Returns the ids of the instruments that have fills. */
function tradedIds({ instrument, length }: RunRecord['fills'], instruments: RunRecord['instruments']): ReadonlySet<string> {
  const isTraded = new Uint8Array(instruments.length);
  for (let row = 0; row < length; row++) isTraded[instrument[row]!] = 1;
  return new Set(instruments.filter((_, index) => isTraded[index] === 1).map(({ id }) => id));
}

/** Returns the execution feeds with at least one row inside the run. Orders fill and positions are valued in them. */
export function executionFeeds(feeds: readonly FeedRecord[]): readonly FeedRecord[] {
  return feeds.filter((feed) => feed.execution && feed.firstRow < feed.bars.length);
}

/** Returns the first execution feed of each instrument, by the id of the instrument. */
export function executionFeedById(feeds: readonly FeedRecord[]): ReadonlyMap<string, FeedRecord> {
  const feedById = new Map<string, FeedRecord>();
  for (const feed of executionFeeds(feeds)) {
    const { id } = feed.bars.instrument;
    if (!feedById.has(id)) feedById.set(id, feed);
  }
  return feedById;
}

/** Returns how many of the first `length` ascending times are at or before `timeMs`. */
export function countUpTo(times: Float64Array, length: number, timeMs: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
