// Reads a few rows of stored bars at a time, without loading all of them.

import { closeSync, existsSync, openSync } from 'node:fs';
import type { BarColumns } from '../../../model/bars/bars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Interval } from '../../../model/interval.ts';
import { ArrowFile } from '../arrow/arrowReader.ts';
import { barsOf, emptyColumns, RAW, firstRowAtOrAfter, sliceColumns } from '../files/columns.ts';
import { barsPath, type BarKey } from '../files/paths.ts';

/** The rows of one series, open for reading. */
export interface RowReader {
  readonly interval: Interval;
  /** Returns the number of rows that open in [fromMs, toMs). */
  countBetween(fromMs: number, toMs: number): number;
  /** Returns at most `limit` rows that open in [fromMs, toMs). */
  read(instrument: Instrument, fromMs: number, toMs: number, limit: number): BarColumns;
  /** Number of stored rows behind the result of the last read, if several stored rows make one row. Absent when both numbers are equal. */
  readonly lastCount?: number;
  close(): void;
}

/** Opens a file of the catalog in `folder`. Null without a file, or for a file of another program. Checksums are not verified. */
export function openRows(folder: string, key: BarKey): RowReader | null {
  const path = barsPath(folder, key);
  if (!existsSync(path)) return null;
  const handle = openSync(path, 'r');
  try {
    return new FileRows(new ArrowFile(path, handle, null), key.interval, handle);
  } catch {
    closeSync(handle);
    return null;
  }
}

/** Rows of one Arrow file. It remembers where the last read ended, so that the next read needs no search. */
class FileRows implements RowReader {
  readonly interval: Interval;
  private readonly file: ArrowFile;
  private readonly handle: number;
  /** The row after the last read rows. */
  private nextRow = 0;
  /** Open time of that row, ms UTC. NaN when the row must be searched. */
  private nextMs = NaN;

  constructor(file: ArrowFile, interval: Interval, handle: number) {
    this.file = file;
    this.interval = interval;
    this.handle = handle;
  }

  countBetween(fromMs: number, toMs: number): number {
    return Math.max(0, this.file.rowAt('open_time', toMs) - this.file.rowAt('open_time', fromMs));
  }

  read(instrument: Instrument, fromMs: number, toMs: number, limit: number): BarColumns {
    const { file } = this;
    const from = fromMs === this.nextMs ? this.nextRow : file.rowAt('open_time', fromMs);
    const length = Math.max(0, Math.min(limit, file.rows - from));
    const raw = emptyColumns(length);
    if (length > 0) {
      file.readTimes('open_time', from, raw.openMs);
      for (const name of RAW.slice(1)) file.readFloats(name, from, raw[name]);
    }
    const bars = barsOf(sliceColumns(raw, 0, firstRowAtOrAfter(raw.openMs, toMs)), instrument, this.interval);
    this.nextRow = from + bars.length;
    this.nextMs = bars.length === 0 ? NaN : bars.closeMs[bars.length - 1]!;
    // The next row opens at `nextMs` only if there is no gap. Otherwise it must be searched.
    if (this.nextRow < file.rows && bars.length > 0) {
      const followingMs = new Float64Array(1);
      file.readTimes('open_time', this.nextRow, followingMs);
      if (followingMs[0] !== this.nextMs) this.nextMs = NaN;
    }
    return bars;
  }

  close(): void {
    closeSync(this.handle);
  }
}

/** Returns a reader of bars in memory. */
export function memoryRows(bars: BarColumns): RowReader {
  return {
    interval: bars.interval,
    countBetween: (fromMs, toMs) => Math.max(0, firstRowAtOrAfter(bars.openMs, toMs) - firstRowAtOrAfter(bars.openMs, fromMs)),
    read(instrument, fromMs, toMs, limit) {
      const from = firstRowAtOrAfter(bars.openMs.subarray(0, bars.length), fromMs);
      const to = Math.min(from + limit, Math.max(from, firstRowAtOrAfter(bars.openMs.subarray(0, bars.length), toMs)));
      return barsOf(sliceColumns(bars, from, to), instrument, bars.interval);
    },
    close() {},
  };
}
