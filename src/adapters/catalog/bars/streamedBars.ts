// Reads bars block by block from their file, so that a run of any length needs memory for a few batches of rows only.

import { createHash, type Hash } from 'node:crypto';
import { closeSync, existsSync, openSync } from 'node:fs';
import { pow10 } from '../../../base/number/exact.ts';
import type { BarColumns, BarWindow, PriceColumn, TickColumn } from '../../../model/bars/bars.ts';
import { NeedsWholeBars } from '../../../model/bars/wholeBars.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { closeOf, fixedLengthMs, type Interval } from '../../../model/interval.ts';
import { formatMinute } from '../../../model/time.ts';
import { BATCH_ROWS } from '../arrow/arrowWriter.ts';
import { ArrowFile, damagedArrowFile } from '../arrow/arrowReader.ts';
import { emptyColumns, RAW, type RawColumns } from '../files/columns.ts';
import { barsPath, instrumentPath, type BarKey } from '../files/paths.ts';
import { hasBarsIn, readInstrument, rowsIn, statedFacts, type BarRange, type LoadedBars } from './catalog.ts';
import { notInTicks } from './rowChecks.ts';
import { qualityOf } from './barQuality.ts';
import { noteHash } from './readHashes.ts';

/** Rows that a block may look back. A longer look-back needs all bars in memory. */
const MAX_ROWS_BACK = BATCH_ROWS;
/** Maximum rows of a block: four times the engine's default of 2,048, as a reserve. */
const MAX_BLOCK_ROWS = 8192;
/** Rows in memory: the look-back, a block, the next batch, and 64 rows for marks of equity, which may read a few more rows. */
const CAPACITY = MAX_ROWS_BACK + MAX_BLOCK_ROWS + BATCH_ROWS + 64;
const PRICES = ['open', 'high', 'low', 'close'] as const;

/** The file of the bars, and the rows of the run in it. */
interface BarFilePlace {
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
 * order, and verified as in `loadBars`. A row that is out of order or finer than a tick causes an error when it is read.
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
  private readonly place: BarFilePlace;
  private readonly hash: Hash = createHash('sha256');
  private readonly batches: Generator<readonly [from: number, to: number]>;
  private readonly lengthMs: number | null;
  /** Receives a single time, so that no array is allocated for each read. */
  private readonly timeBuffer = new Float64Array(1);
  private isClosed = false;

  constructor(file: ArrowFile, instrument: Instrument, interval: Interval, place: BarFilePlace) {
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

  /** Makes rows [from, to) readable through the columns. Earlier rows may leave the window. */
  hold(from: number, to: number): void {
    const endRow = Math.min(to, this.length);
    if (endRow <= this.end) return;
    if (from > this.base) this.moveWindow(from);
    while (this.end < endRow) this.readBatch();
  }

  /** Returns a price column in ticks. */
  ticksOf(price: PriceColumn): TickColumn {
    return this.ticks[price];
  }

  /** Returns the first row that closes after a time, ms UTC. */
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
    this.file.readTimes('open_time', this.place.start + row, this.timeBuffer);
    return this.timeBuffer[0]!;
  }

  closeMsOf(row: number): number {
    return this.closeOf(this.openMsOf(row));
  }

  closeOf(openMs: number): number {
    return this.lengthMs === null ? closeOf(this.interval, openMs) : openMs + this.lengthMs;
  }

  /** Reads `rows` rows again, from `row` on, into columns from `firstIndex` on. Any order is possible; bytes are not verified again. */
  readAgain(row: number, into: RawColumns, firstIndex: number, rows: number): void {
    const from = this.place.start + row;
    for (const name of RAW) {
      const part = into[name].subarray(firstIndex, firstIndex + rows);
      if (name === 'openMs') this.file.readTimes('open_time', from, part);
      else this.file.readFloats(name, from, part);
    }
  }

  /** Returns the first `rows` rows as bars in memory. */
  head(rows: number): BarColumns {
    const length = Math.min(rows, this.length);
    const raw = emptyColumns(length);
    this.readAgain(0, raw, 0, length);
    const { instrument, interval } = this;
    return { instrument, interval, ...raw, closeMs: raw.openMs.map((ms) => this.closeOf(ms)) };
  }

  /** Verifies the rest of the file and records the hash of all its bytes, as `loadBars` does. */
  finish(): void {
    // Each step verifies one batch.
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

  /** Moves the window forward: row `from` becomes its first row. */
  private moveWindow(from: number): void {
    const firstIndex = from - this.base;
    const endIndex = this.end - this.base;
    for (const name of [...RAW, 'closeMs'] as const) this[name].copyWithin(0, firstIndex, endIndex);
    for (const price of PRICES) this.ticks[price].copyWithin(0, firstIndex, endIndex);
    this.base = from;
  }

  /**
   * Reads the next batch behind the rows in memory, and checks its times and prices. Throws ConfigError for a damaged file, NeedsWholeBars
   * if the batch does not fit.
   */
  private readBatch(): void {
    const { done, value } = this.batches.next();
    if (done === true) throw damagedArrowFile(this.place.path, `it ends after ${this.end} rows`);
    const [from, to] = value;
    const firstIndex = this.end - this.base;
    const rows = to - from;
    const endIndex = firstIndex + rows;
    if (endIndex > CAPACITY) throw new NeedsWholeBars(`${rows} rows beside ${firstIndex}`);
    this.file.readTimes('open_time', from, this.openMs.subarray(firstIndex, endIndex));
    for (const name of RAW.slice(1)) this.file.readFloats(name, from, this[name].subarray(firstIndex, endIndex));
    this.end += rows;
    this.addTimes(firstIndex, endIndex);
    for (const price of PRICES) this.addTicks(price, firstIndex, endIndex);
  }

  /** Fills in the close times of rows [from, to). Throws ConfigError if the open times do not rise. */
  private addTimes(from: number, to: number): void {
    const { openMs, closeMs, lengthMs } = this;
    for (let index = from; index < to; index++) {
      if (index > 0 && openMs[index]! <= openMs[index - 1]!)
        throw damagedArrowFile(this.place.path, `the times do not rise after ${formatMinute(openMs[index - 1]!)}`);
      closeMs[index] = lengthMs === null ? closeOf(this.interval, openMs[index]!) : openMs[index]! + lengthMs;
    }
  }

  /** Converts a price column to ticks in rows [from, to). Throws ConfigError for a price between two ticks. */
  private addTicks(name: PriceColumn, from: number, to: number): void {
    const prices = this[name];
    const ticks = this.ticks[name];
    const scale = pow10(this.instrument.priceDigits);
    const { path, record } = this.place;
    for (let index = addWholeTicks(prices, ticks, scale, from, to); index < to; index++) {
      const price = prices[index]!;
      const priceTicks = Math.round(price * scale);
      if (priceTicks / scale !== price)
        throw notInTicks({ path, record, openMs: this.openMs[index]!, column: name, price, priceDigits: this.instrument.priceDigits });
      ticks[index] = priceTicks;
      // The array holds 32-bit integers.
      if (ticks[index] !== priceTicks) throw new NeedsWholeBars('prices of more than 31 bits');
    }
  }
}

/**
 * Writes the ticks of the rows from `from` to `to` (exclusive) until a price is not a whole number of ticks below 2^31. Returns its row, or
 * `to`. Hot: docs/performance.md#index-loops.
 */
function addWholeTicks(prices: Float64Array, ticks: Int32Array, scale: number, from: number, to: number): number {
  let row = from;
  for (; row < to; row++) {
    const price = prices[row]!;
    // A price of 2^31 ticks or more becomes another number, which differs from it.
    const priceTicks = (price * scale + 0.5) | 0;
    if (priceTicks / scale !== price) break;
    ticks[row] = priceTicks;
  }
  return row;
}

/** When bars are read block by block. */
export interface Streaming {
  /** Shorter ranges are loaded whole. */
  readonly minRows: number;
}

/**
 * Opens bars to be read block by block. Returns null if they must be loaded whole: fewer rows, resampled bars, or bars that `loadBars`
 * rejects. `quality` has no counts yet, because no row has been read. The caller releases the bars.
 */
export function openStreamedBars(catalog: string, key: BarKey, range: BarRange, { minRows }: Streaming): LoadedBars | null {
  const path = barsPath(catalog, key);
  if (!existsSync(path)) return null;
  const handle = openSync(path, 'r');
  const opened = tryOpen(catalog, key, { path, handle }, { ...range, minRows });
  if (opened === null) closeSync(handle);
  return opened;
}

/** Returns the bars of an open file. Null if they must be loaded whole. */
function tryOpen(
  catalog: string,
  key: BarKey,
  { path, handle }: Pick<BarFilePlace, 'path' | 'handle'>,
  range: BarRange & Streaming,
): LoadedBars | null {
  try {
    const file = new ArrowFile(path, handle, null);
    const instrument = readInstrument(catalog, key.market, key.symbol);
    const fileFacts = statedFacts(file);
    if (instrument === null || hasBarsIn(file)) return null;
    const { first, start, end } = rowsIn(file, key.interval, range);
    if (end <= first || end - first < range.minRows) return null;
    const facts = { ...fileFacts, openLastBar: fileFacts.openLastBar && end === file.rows };
    const place = { path, record: instrumentPath(catalog, key.market, key.symbol), handle, start, end };
    const bars = new StreamedBars(file, instrument, key.interval, place);
    const quality = qualityOf({ ...bars.head(0), length: 0 }, 0, facts, file.metadata.get('manifest_sha256') ?? '');
    return { bars, firstRow: first - start, quality, facts };
  } catch {
    // `loadBars` finds the same fault and throws an error that names it.
    return null;
  }
}
