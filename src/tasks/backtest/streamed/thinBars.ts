// Some rows of the bars of a run, from which its figures come out as from all of them.

import { GrowingColumn } from '../../../base/memory/growingColumn.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Interval } from '../../../model/interval.ts';
import type { FillColumns, OrderColumns } from '../../../model/run/run.ts';
import { DAY_MS } from '../../../report/kernels/portfolio.ts';

const COLUMNS = ['openMs', 'closeMs', 'open', 'high', 'low', 'close', 'volume'] as const;
/** Rows before and behind the one in which something happened, and at the ends of a part. */
const BEFORE = 1;
const BEHIND = 2;
const EDGE = 3;

/** The rows of a part, in columns. */
export type PartOfBars = Pick<BarColumns, (typeof COLUMNS)[number]>;

/**
 * Keeps the rows at which an order was placed, arrived or filled, those beside them, and all rows before the run. What lies between two of
 * them is joined to one row for each day (UTC): its open, high, low and close are those of the rows that it joins.
 */
export class ThinBars {
  /** When something happened, ascending; and the first of them that no row has reached. */
  private readonly timesMs: Float64Array;
  private next = 0;
  private readonly firstRow: number;
  private readonly columns: Record<(typeof COLUMNS)[number], GrowingColumn>;
  /** The last row of the columns joins rows, and may join more of this day. NaN: it joins none. */
  private dayOfLast = NaN;
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

  /** Takes the rows from `from` to `to` (exclusive) of `part`; the first of them is row `row` of all bars. */
  take(part: PartOfBars, from: number, to: number, row: number): void {
    this.mark(part.closeMs, from, to);
    for (let at = from; at < to; at++) {
      const isOwn = this.isKept[at - from] === 1 || row + at - from <= this.firstRow;
      const day = Math.ceil(part.closeMs[at]! / DAY_MS);
      if (!isOwn && day === this.dayOfLast) this.join(part, at);
      else {
        for (const name of COLUMNS) this.columns[name].push(part[name][at]!);
        this.dayOfLast = isOwn ? NaN : day;
      }
    }
  }

  bars(instrument: Instrument, interval: Interval): BarColumns {
    const { columns } = this;
    const view = (name: (typeof COLUMNS)[number]): Float64Array => columns[name].values.slice(0, columns[name].length);
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

  /** Marks the rows to keep. A part does not know the rows around it, so it keeps those at its ends. */
  private mark(closeMs: Float64Array, from: number, to: number): void {
    const rows = to - from;
    if (this.isKept.length < rows) this.isKept = new Uint8Array(rows);
    const kept = this.isKept.fill(0);
    kept.fill(1, 0, Math.min(EDGE, rows));
    kept.fill(1, Math.max(0, rows - EDGE), rows);
    const { timesMs } = this;
    const lastMs = closeMs[to - 1]!;
    let row = 0;
    for (; this.next < timesMs.length && timesMs[this.next]! <= lastMs; this.next++) {
      while (closeMs[from + row]! < timesMs[this.next]!) row++;
      kept.fill(1, Math.max(0, row - BEFORE), Math.min(rows, row + BEHIND + 1));
    }
  }

  private join(part: PartOfBars, at: number): void {
    const { high, low, close, closeMs, volume, openMs } = this.columns;
    const last = openMs.length - 1;
    high.values[last] = Math.max(high.values[last]!, part.high[at]!);
    low.values[last] = Math.min(low.values[last]!, part.low[at]!);
    close.values[last] = part.close[at]!;
    closeMs.values[last] = part.closeMs[at]!;
    volume.values[last]! += part.volume[at]!;
  }
}

/** Returns when orders were placed, arrived and were filled, ascending. */
function timesOf({ createdMs, arrivedMs }: OrderColumns, { timeMs }: FillColumns): Float64Array {
  const times = new Float64Array(createdMs.length + arrivedMs.length + timeMs.length);
  times.set(createdMs);
  times.set(arrivedMs, createdMs.length);
  times.set(timeMs, createdMs.length + arrivedMs.length);
  // An order that never arrived has no time (NaN): it comes last, and no row reaches it.
  return times.sort();
}
