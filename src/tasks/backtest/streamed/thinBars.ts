// Reduces the bars of a run to few rows, from which its figures have the same values as from all rows.

import { DAY_MS } from '../../../base/calendar.ts';
import { GrowingColumn } from '../../../base/memory/growingColumn.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Interval } from '../../../model/interval.ts';
import type { FillColumns, OrderColumns } from '../../../model/run/run.ts';

const BAR_COLUMNS = ['openMs', 'closeMs', 'open', 'high', 'low', 'close', 'volume'] as const;
/** Number of rows at each end of a part that are always kept. */
const EDGE_ROWS = 2;

/** The rows of a part, in columns. */
export type PartOfBars = Pick<BarColumns, (typeof BAR_COLUMNS)[number]>;

/**
 * Keeps the rows at which an order was placed, arrived or filled, the rows beside them, and all rows before the run. The other rows are joined to
 * one row for each UTC day, with the open, high, low and close of the joined rows.
 */
export class ThinBars {
  /** Times of order events, ascending, and the index of the first one that no row has reached. */
  private readonly timesMs: Float64Array;
  private nextTime = 0;
  private readonly firstRow: number;
  private readonly columns: Record<(typeof BAR_COLUMNS)[number], GrowingColumn>;
  /** End of the day whose rows the last row of the columns joins, ms UTC; -Infinity: the last row is a kept one and joins no rows. */
  private dayEndMs = -Infinity;
  private isKept = new Uint8Array(0);

  constructor(orders: OrderColumns, fills: FillColumns, firstRow: number) {
    this.timesMs = timesOf(orders, fills);
    this.firstRow = firstRow;
    const column = (): GrowingColumn => new GrowingColumn();
    this.columns = {
      openMs: column(),
      closeMs: column(),
      open: column(),
      high: column(),
      low: column(),
      close: column(),
      volume: column(),
    };
  }

  /** Adds the rows from `from` to `to` (exclusive) of `part`. `row`: number of the first one among all bars. */
  take(part: PartOfBars, from: number, to: number, row: number): void {
    this.markKeptRows(part.closeMs, from, to);
    // Keep the rows before the run and its first two rows. The first one may have opened before the run, and buy-and-hold begins at an open inside it.
    this.isKept.fill(1, 0, Math.min(to - from, Math.max(0, this.firstRow - row + 2)));
    for (let index = from; index < to;) {
      if (this.isKept[index - from] === 1) {
        this.pushRow(part, index++);
        this.dayEndMs = -Infinity;
      } else {
        const next = this.isKept.indexOf(1, index - from);
        const end = next < 0 || from + next > to ? to : from + next;
        index = this.joinRows(part, index, end);
      }
    }
  }

  /** Returns the collected rows as bars. */
  bars(instrument: Instrument, interval: Interval): BarColumns {
    const { columns } = this;
    const view = (name: (typeof BAR_COLUMNS)[number]): Float64Array => columns[name].view();
    return {
      instrument,
      interval,
      length: columns.openMs.length,
      openMs: view('openMs'),
      closeMs: view('closeMs'),
      open: view('open'),
      high: view('high'),
      low: view('low'),
      close: view('close'),
      volume: view('volume'),
    };
  }

  /** Marks the rows to keep in `isKept`. The neighbours of a part are not known here, so the rows at its ends are kept. */
  private markKeptRows(closeMs: Float64Array, from: number, to: number): void {
    const rows = to - from;
    if (this.isKept.length < rows) this.isKept = new Uint8Array(rows);
    const isKept = this.isKept.fill(0);
    isKept.fill(1, 0, Math.min(EDGE_ROWS, rows));
    isKept.fill(1, Math.max(0, rows - EDGE_ROWS), rows);
    const { timesMs } = this;
    const lastMs = closeMs[to - 1]!;
    let row = 0;
    for (; this.nextTime < timesMs.length && timesMs[this.nextTime]! <= lastMs; this.nextTime++) {
      while (closeMs[from + row]! < timesMs[this.nextTime]!) row++;
      // Keep the row that closes at this time or after it, and the row that opens then. In a gap, keep the last closed row, too.
      isKept[row] = 1;
      if (row + 1 < rows) isKept[row + 1] = 1;
      if (row > 0 && closeMs[from + row] !== timesMs[this.nextTime]) isKept[row - 1] = 1;
    }
  }

  /** Adds a row of a part unchanged. */
  private pushRow(part: PartOfBars, row: number): void {
    for (const name of BAR_COLUMNS) this.columns[name].push(part[name][row]!);
  }

  /**
   * Joins the rows from `from` up to `to` that close on one day into one row. If the last row of the columns is of that day, it is that
   * row. Returns the next row.
   */
  private joinRows(part: PartOfBars, from: number, to: number): number {
    let row = from;
    if (part.closeMs[row]! > this.dayEndMs) {
      this.pushRow(part, row);
      this.dayEndMs = Math.ceil(part.closeMs[row++]! / DAY_MS) * DAY_MS;
    }
    const { closeMs, high, low, volume } = part;
    const { dayEndMs, columns } = this;
    const lastRow = columns.openMs.length - 1;
    let maxHigh = columns.high.values[lastRow]!;
    let minLow = columns.low.values[lastRow]!;
    let volumeSum = columns.volume.values[lastRow]!;
    for (; row < to && closeMs[row]! <= dayEndMs; row++) {
      if (high[row]! > maxHigh) maxHigh = high[row]!;
      if (low[row]! < minLow) minLow = low[row]!;
      volumeSum += volume[row]!;
    }
    columns.high.values[lastRow] = maxHigh;
    columns.low.values[lastRow] = minLow;
    columns.volume.values[lastRow] = volumeSum;
    columns.close.values[lastRow] = part.close[row - 1]!;
    columns.closeMs.values[lastRow] = closeMs[row - 1]!;
    return row;
  }
}

/** Returns the times at which orders were placed, arrived and were filled, ascending. */
function timesOf({ createdMs, arrivedMs }: OrderColumns, { timeMs }: FillColumns): Float64Array {
  const times = new Float64Array(createdMs.length + arrivedMs.length + timeMs.length);
  times.set(createdMs);
  times.set(arrivedMs, createdMs.length);
  times.set(timeMs, createdMs.length + arrivedMs.length);
  // An order that never arrived has no time (NaN). It is sorted last, and no row reaches it.
  return times.toSorted();
}
