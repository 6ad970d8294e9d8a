// The equity of a run over bars that are read block by block: written to a file while the run proceeds, and read again for its results.

import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../../base/assert.ts';
import type { MaxDrawdown } from '../../../base/number/maxDrawdown.ts';
import type { EquitySink } from '../../../engine/book/equityRecorder.ts';
import type { EquityColumns } from '../../../model/run/run.ts';
import { EquitySampler, Sampling } from '../../../report/series/daily.ts';
import { bytesOf } from '../../../adapters/catalog/arrow/arrowFile.ts';

/** Instants that are written at once. */
const BUFFER_ROWS = 65_536;
const BYTES = 8;

/** Takes the equity of each block: one double for each instant goes to the file, and what daily figures need stays in memory. */
export class EquityFile implements EquitySink {
  /** Number of instants. */
  rows = 0;
  private readonly folder: string;
  private readonly handle: number;
  private readonly sampler: EquitySampler;
  private readonly buffer = new Float64Array(BUFFER_ROWS);
  private buffered = 0;
  private isReleased = false;

  /** `folder` is made, and removed by `release`. `fromMs` and `toMs`: the times of the run. */
  constructor(folder: string, fromMs: number, toMs: number) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    this.handle = openSync(join(folder, 'equity.units'), 'w+');
    this.sampler = new EquitySampler(new Sampling(fromMs, toMs));
  }

  get drawdown(): MaxDrawdown {
    return this.sampler.drawdown;
  }

  rowsOf(): Int32Array {
    throw new Error('every row is taken');
  }

  take(timeMs: Float64Array, at: number, units: Float64Array, length: number): void {
    this.sampler.take(timeMs, at, units, length);
    if (this.buffered + length > BUFFER_ROWS) this.flush();
    this.buffer.set(units.subarray(0, length), this.buffered);
    this.buffered += length;
    this.rows += length;
  }

  /** Writes what is still in memory. Call it before the first `read`. */
  flush(): void {
    write(this.handle, bytesOf(this.buffer, 0, this.buffered));
    this.buffered = 0;
  }

  /** Reads the units of the instants from `row` on. */
  read(row: number, into: Float64Array): void {
    const bytes = bytesOf(into, 0, into.length);
    for (let done = 0; done < bytes.length;) {
      const got = readSync(this.handle, bytes, done, bytes.length - done, row * BYTES + done);
      assert(got > 0, `the equity in ${this.folder} has ${this.rows} instants`);
      done += got;
    }
  }

  /** Returns the instants that daily figures read, and the last one. */
  sampled(): EquityColumns {
    return this.sampler.columns();
  }

  /** Removes the folder. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    closeSync(this.handle);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function write(handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(handle, bytes, done);
}
