// Bars that are read block by block from their file, so that a run of any length needs the memory of a few batches of rows.

import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { pow10 } from '../../../base/number/exact.ts';
import type { BarColumns, BarWindow, PriceColumn, TickColumn } from '../../../model/bars/bars.ts';
import { NeedsWholeBars } from '../../../model/bars/wholeBars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { closeOf, fixedLengthMs, type Interval } from '../../../model/interval.ts';
import { formatMinute } from '../../../model/time.ts';
import { BATCH_ROWS } from '../arrow/arrowFile.ts';
import { ArrowFile, damaged } from '../arrow/arrowReader.ts';
import { emptyColumns, RAW, type RawColumns } from '../files/columns.ts';
import { barsPath, instrumentPath, type BarKey } from '../files/paths.ts';
import { endRow, hasBarsIn, notInTicks, readInstrument, statedFacts, type BarRange, type LoadedBars } from './catalog.ts';
import { qualityOf } from './quality.ts';
import { noteHash } from './readHashes.ts';

/** Rows that a block may look back. A longer look-back needs all bars in memory. */
const MAX_ROWS_BACK = BATCH_ROWS;
/** Rows of a block, with some to spare. */
const MAX_BLOCK_ROWS = 8192;
/** The look-back, a block, and the batch that is read when it does not suffice. A mark of equity may read a few rows behind them. */
const CAPACITY = MAX_ROWS_BACK + MAX_BLOCK_ROWS + BATCH_ROWS + 64;
const PRICES = ['open', 'high', 'low', 'close'] as const;

/** The file of the bars, and the rows that are taken. */
interface Place {
  readonly path: string;
  /** Path of the record of the instrument. */
  readonly record: string;
  readonly handle: number;
  /** The first row, and the end of the last one, in the file. */
  readonly start: number;
  readonly end: number;
}

/**
 * Bars whose columns are a window that moves forward over the rows of a file. Rows count from 0 over all of them. The file is read once in
 * order, and verified as in `loadBars`; a row that is out of order, or finer than a tick, is found when it is read.
 */
export class StreamedBars implements BarColumns, BarWindow {
  readonly instrument: Instrument;
  readonly interval: Interval;
  readonly length: number;
  readonly openMs = new Float64Array(CAPACITY);
  readonly closeMs = new Float64Array(CAPACITY);
  readonly open = new Float64Array(CAPACITY);
  readonly high = new Float64Array(CAPACITY);
  readonly low = new Float64Array(CAPACITY);
  readonly close = new Float64Array(CAPACITY);
  readonly volume = new Float64Array(CAPACITY);
  base = 0;
  readonly maxRowsBack = MAX_ROWS_BACK;
  /** The row after the last one in the window. */
  private end = 0;
  private readonly ticks: Record<PriceColumn, Int32Array>;
  private readonly file: ArrowFile;
  private readonly place: Place;
  private readonly hash: Hash = createHash('sha256');
  private readonly batches: Generator<readonly [from: number, to: number]>;
  private readonly lengthMs: number | null;
  private readonly one = new Float64Array(1);
  private isClosed = false;

  constructor(file: ArrowFile, instrument: Instrument, interval: Interval, place: Place) {
    this.file = file;
    this.instrument = instrument;
    this.interval = interval;
    this.place = place;
    this.length = place.end - place.start;
    this.lengthMs = fixedLengthMs(interval);
    const column = (): Int32Array => new Int32Array(CAPACITY);
    this.ticks = { open: column(), high: column(), low: column(), close: column() };
    this.batches = file.batchesInOrder(place.start, place.end, this.hash);
  }

  get window(): BarWindow {
    return this;
  }

  hold(from: number, to: number): void {
    const last = Math.min(to, this.length);
    if (last <= this.end) return;
    if (from > this.base) this.drop(from);
    while (this.end < last) this.readBatch();
  }

  ticksOf(price: PriceColumn): TickColumn {
    return this.ticks[price];
  }

  firstAfter(ms: number): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.closeMsOf(middle) <= ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  openMsOf(row: number): number {
    if (row >= this.base && row < this.end) return this.openMs[row - this.base]!;
    this.file.readTimes('open_time', this.place.start + row, this.one);
    return this.one[0]!;
  }

  closeMsOf(row: number): number {
    return this.closeOf(this.openMsOf(row));
  }

  closeOf(openMs: number): number {
    return this.lengthMs === null ? closeOf(this.interval, openMs) : openMs + this.lengthMs;
  }

  /** Reads rows again, in any order: those from `row` on, into columns from `at` on. Their bytes are not verified again. */
  readAgain(row: number, into: RawColumns, at: number, rows: number): void {
    const from = this.place.start + row;
    for (const name of RAW) {
      const part = into[name].subarray(at, at + rows);
      if (name === 'openMs') this.file.readTimes('open_time', from, part);
      else this.file.readFloats(name, from, part);
    }
  }

  /** Reads opening times again. */
  readTimesAgain(row: number, into: Float64Array): void {
    this.file.readTimes('open_time', this.place.start + row, into);
  }

  /** Returns the first `rows` rows as bars in memory. */
  head(rows: number): BarColumns {
    const length = Math.min(rows, this.length);
    const raw = emptyColumns(length);
    this.readAgain(0, raw, 0, length);
    const { instrument, interval } = this;
    return { instrument, interval, ...raw, closeMs: raw.openMs.map((ms) => this.closeOf(ms)) };
  }

  /** Verifies the rest of the file, and notes the hash of all its bytes, as for a file that was loaded. */
  finish(): void {
    while (this.batches.next().done !== true);
    noteHash(this.place.path, this.hash.digest('hex'));
  }

  /** Closes the file. Nothing can be read afterwards. */
  release(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.batches.return(undefined);
    closeSync(this.place.handle);
  }

  private drop(from: number): void {
    const first = from - this.base;
    const last = this.end - this.base;
    for (const name of [...RAW, 'closeMs'] as const) this[name].copyWithin(0, first, last);
    for (const price of PRICES) this.ticks[price].copyWithin(0, first, last);
    this.base = from;
  }

  private readBatch(): void {
    const { done, value } = this.batches.next();
    if (done === true) throw damaged(this.place.path, `it ends after ${this.end} rows`);
    const [from, to] = value;
    const at = this.end - this.base;
    const rows = to - from;
    if (at + rows > CAPACITY) throw new NeedsWholeBars(`${rows} rows beside ${at}`);
    this.file.readTimes('open_time', from, this.openMs.subarray(at, at + rows));
    for (const name of RAW.slice(1)) this.file.readFloats(name, from, this[name].subarray(at, at + rows));
    this.end += rows;
    this.addTimes(at, at + rows);
    for (const price of PRICES) this.addTicks(price, at, at + rows);
  }

  private addTimes(from: number, to: number): void {
    const { openMs, closeMs, lengthMs } = this;
    for (let at = from; at < to; at++) {
      if (at > 0 && openMs[at]! <= openMs[at - 1]!)
        throw damaged(this.place.path, `the times do not rise after ${formatMinute(openMs[at - 1]!)}`);
      closeMs[at] = lengthMs === null ? closeOf(this.interval, openMs[at]!) : openMs[at]! + lengthMs;
    }
  }

  private addTicks(name: PriceColumn, from: number, to: number): void {
    const prices = this[name];
    const ticks = this.ticks[name];
    const scale = pow10(this.instrument.priceDigits);
    const { path, record } = this.place;
    for (let at = from; at < to; at++) {
      const whole = Math.round(prices[at]! * scale);
      if (whole / scale !== prices[at]!) throw notInTicks(path, this.openMs[at]!, name, prices[at]!, this.instrument, record);
      ticks[at] = whole;
      if (ticks[at] !== whole) throw new NeedsWholeBars('prices of more than 31 bits');
    }
  }
}

/** How many rows a set of bars must have to be read block by block. */
export interface Streaming {
  readonly minRows: number;
}

/**
 * Opens bars that are to be read block by block; null for those that are not: fewer rows, bars made from finer ones, and all that `loadBars`
 * refuses. `quality` counts nothing yet, because no row has been read. The caller releases them.
 */
export function openStreamedBars(catalog: string, key: BarKey, range: BarRange, { minRows }: Streaming): LoadedBars | null {
  const path = barsPath(catalog, key);
  if (!existsSync(path)) return null;
  const handle = openSync(path, 'r');
  const opened = opening(catalog, key, range, minRows, { path, handle });
  if (opened === null) closeSync(handle);
  return opened;
}

function opening(
  catalog: string,
  key: BarKey,
  range: BarRange,
  minRows: number,
  { path, handle }: Pick<Place, 'path' | 'handle'>,
): LoadedBars | null {
  try {
    const file = new ArrowFile(path, handle, null);
    const instrument = readInstrument(catalog, key.market, key.symbol);
    const stated = statedFacts(file, path);
    if (instrument === null || hasBarsIn(file)) return null;
    const first = range.fromMs === undefined ? 0 : file.rowAt('open_time', range.fromMs);
    const start = Math.max(0, first - (range.warmupRows ?? 0));
    const end = range.toMs === undefined ? file.rows : endRow(file, key.interval, range.toMs);
    if (end <= first || end - first < minRows) return null;
    const facts = { ...stated, openLastBar: stated.openLastBar && end === file.rows };
    const place = { path, record: instrumentPath(catalog, key.market, key.symbol), handle, start, end };
    const bars = new StreamedBars(file, instrument, key.interval, place);
    const quality = qualityOf({ ...bars.head(0), length: 0 }, 0, facts, file.metadata.get('manifest_sha256') ?? '');
    return { bars, firstRow: first - start, quality, facts };
  } catch {
    // Loaded whole, the same fault has its message.
    return null;
  }
}
