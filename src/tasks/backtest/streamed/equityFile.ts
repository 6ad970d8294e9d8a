// The equity of a run over bars that are read block by block: written to a file while the run proceeds, and read again for its results.

import { closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ArrowFile } from '../../../adapters/catalog/arrow/arrowReader.ts';
import { ArrowWriter, BATCH_ROWS, type ArrowColumn } from '../../../adapters/catalog/arrow/arrowWriter.ts';
import { fileError } from '../../../adapters/disk/fileError.ts';
import { assert } from '../../../base/assert.ts';
import type { MaxDrawdown } from '../../../base/number/maxDrawdown.ts';
import { pow10 } from '../../../base/number/exact.ts';
import type { EquitySink } from '../../../engine/book/equityRecorder.ts';
import type { EquityColumns, RunRecord } from '../../../model/run/run.ts';
import { EquitySampler, Sampling } from '../../../report/series/daily.ts';
import { equityMetadata } from '../../../report/summary/resultHash.ts';

/** Written in place of the result hash until it is known. */
const NO_HASH = '0'.repeat(64);

/** The parts of a run that its equity file describes. */
type EquityRun = Pick<RunRecord, 'name' | 'reportingAsset' | 'reportingDigits' | 'startUnits'>;

/** Receives all instants of a run with the equity. */
interface RowSink {
  /** `at`: index of the first instant in `closeMs`. `equity`: units, from index 0 on. */
  takeRows(closeMs: Float64Array, at: number, equity: Float64Array, length: number): void;
}

/** Writes the equity of each block to equity.arrow. The instants that daily figures need stay in memory, too. */
export class EquityFile implements EquitySink {
  /** Number of instants. */
  rows = 0;
  private readonly folder: string;
  private readonly path: string;
  private readonly handle: number;
  private readonly sampler: EquitySampler;
  private readonly times = new Float64Array(BATCH_ROWS);
  private readonly units = new Float64Array(BATCH_ROWS);
  /** Number of instants in `times` and `units` that are not written yet. */
  private bufferedRows = 0;
  private run: EquityRun | null = null;
  private writer: ArrowWriter | null = null;
  private rowSink: RowSink | null = null;
  /** The finished file, for reads. */
  private writtenFile: ArrowFile | null = null;
  private isReleased = false;

  /** Creates `folder`, which `release` removes. `fromMs` and `toMs`: the times of the run. */
  constructor(folder: string, fromMs: number, toMs: number) {
    this.folder = folder;
    this.path = join(folder, 'equity.arrow');
    mkdirSync(folder, { recursive: true });
    this.handle = openSync(this.path, 'w+');
    this.sampler = new EquitySampler(new Sampling(fromMs, toMs));
  }

  get drawdown(): MaxDrawdown {
    return this.sampler.drawdown;
  }

  /** Call it before the first bar. `rowSink` gets all instants too. */
  begin(run: EquityRun, rowSink: RowSink): void {
    this.run = run;
    this.rowSink = rowSink;
    this.writer = new ArrowWriter(this.handle, this.columnsOf(run), equityMetadata(run, NO_HASH));
    this.drawdown.begin(run.startUnits);
  }

  rowsOf(): Int32Array {
    throw new Error('an equity file takes every row, so no rows are selected');
  }

  take(timeMs: Float64Array, at: number, units: Float64Array, length: number): void {
    this.sampler.take(timeMs, at, units, length);
    this.rowSink!.takeRows(timeMs, at, units, length);
    for (let done = 0; done < length;) {
      const rows = Math.min(length - done, BATCH_ROWS - this.bufferedRows);
      this.times.set(timeMs.subarray(at + done, at + done + rows), this.bufferedRows);
      this.units.set(units.subarray(done, done + rows), this.bufferedRows);
      this.bufferedRows += rows;
      done += rows;
      if (this.bufferedRows === BATCH_ROWS) this.writeBatch();
    }
    this.rows += length;
  }

  /** Writes what is still in memory. Call it before the first read. */
  flush(): void {
    if (this.bufferedRows > 0) this.writeBatch();
    this.finish(NO_HASH);
    this.writtenFile = new ArrowFile(this.path, this.handle, null);
  }

  /** Reads the times of the instants from `row` on. */
  readTimes(row: number, target: Float64Array): void {
    this.writtenFile!.readTimes('time_ms', row, target);
  }

  /** Reads the equity of the instants from `row` on, in the reporting asset. */
  readEquity(row: number, target: Float64Array): void {
    this.writtenFile!.readFloats('equity', row, target);
  }

  /** Returns the equity at one instant in units of money. */
  unitsAt(row: number): number {
    const cell = new Float64Array(1);
    this.readEquity(row, cell);
    return Math.round(cell[0]! * pow10(this.run!.reportingDigits));
  }

  /** Writes the result hash into the file and moves it to `path`. */
  moveTo(path: string, resultHash: string): void {
    assert(resultHash.length === NO_HASH.length, `a hash of ${NO_HASH.length} digits`);
    this.finish(resultHash);
    try {
      renameSync(this.path, path);
    } catch (error) {
      throw fileError(path, 'cannot be written', error);
    }
  }

  /** Returns the instants that daily figures read, and the last one. */
  sampledEquity(): EquityColumns {
    return this.sampler.columns();
  }

  /** Removes the folder. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    closeSync(this.handle);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Returns the columns of the file over the buffers. */
  private columnsOf({ reportingDigits }: EquityRun): readonly ArrowColumn[] {
    return [
      { name: 'time_ms', kind: 'timestamp', values: this.times },
      { name: 'equity', kind: 'float64', values: this.units, divisor: pow10(reportingDigits) },
    ];
  }

  /** Writes the buffered rows to the file. Throws ConfigError if it cannot be written. */
  private writeBatch(): void {
    try {
      this.writer!.writeBatch(this.columnsOf(this.run!), 0, this.bufferedRows);
    } catch (error) {
      throw fileError(this.path, 'cannot be written', error);
    }
    this.bufferedRows = 0;
  }

  /** Writes the end of the file with the result hash. Throws ConfigError if it cannot be written. */
  private finish(resultHash: string): void {
    try {
      this.writer!.finish(equityMetadata(this.run!, resultHash));
    } catch (error) {
      throw fileError(this.path, 'cannot be written', error);
    }
  }
}
