// The record of an exchange on a disk: what has changed is written as one frame, one sync covers it, and then answers may leave.

import { InvariantError } from '../../base/errors.ts';
import { DiskError, type Disk } from '../../ports/disk.ts';
import { Compaction } from './compaction.ts';
import { sealed, type Seal } from './frame.ts';
import type { Persistence } from '../service.ts';
import type { Recorder } from './recorder.ts';
import { rowText } from '../orders/rows.ts';
import type { RowWriter } from '../orders/rowStore.ts';
import { FORMAT, type HeadRow, type InstrumentRow, storeSegmentName, type Segments } from './segments.ts';

/** Where a write is: `before`: nothing of it is on the disk; `written`: it is, and may be lost with the power; `lasting`: answers leave now. */
export type WriteStep = 'before' | 'written' | 'lasting';

export interface StoreWriterOptions {
  readonly folder: string;
  /** A larger file is followed by the next, which begins with all that an exchange needs to go on. Default 16 MiB. */
  readonly segmentBytes?: number;
  /** Runs `run` soon, once the caller is done. Default: at the end of the event. */
  readonly soon?: (run: () => void) => void;
  /** Nothing lasts any more: no answer leaves. Told once. */
  readonly failed: (why: string) => void;
  /** For faults and crashes on order. */
  readonly step?: (step: WriteStep) => void;
}

export interface StoreWriterStart {
  readonly number: number;
  readonly priorBytes: number;
  readonly seal: Seal;
  /** The file before, to be synced before the first frame rests on it; null: there is none. */
  readonly priorPath: string | null;
  readonly openedMs: number;
  readonly restarts: number;
  readonly instruments: readonly InstrumentRow[];
  readonly uids: readonly string[];
}

const SEGMENT_BYTES = 16 * 2 ** 20;
/** So many files make way for one of what is over. */
const COMPACTED_SEGMENTS = 4;
/** Prices and bars of an exchange in which nobody does anything are written so often. */
const IDLE_MS = 60_000;

export class StoreWriter implements Persistence {
  readonly #disk: Disk;
  readonly #segments: Segments;
  readonly #recorder: Recorder;
  readonly #options: StoreWriterOptions;
  readonly #start: StoreWriterStart;
  readonly #compaction: Compaction;
  readonly #nowMs: () => number;
  readonly #soon: (run: () => void) => void;
  #number: number;
  /** Of the file at hand, and of those before it. */
  #bytes = 0;
  #base: number;
  #seal: Seal;
  /** The last one before the file at hand. */
  #before: Seal;
  #isNew = true;
  #isBusy = false;
  #isAsked = false;
  #failure: string | null = null;
  #waiting: ((lasts: boolean) => void)[] = [];
  #whenClosed: (() => void) | null = null;
  #lastMs = -Infinity;
  /** The exchange is closed, and the record says so. */
  #isLastWritten = false;

  constructor(
    disk: Disk,
    segments: Segments,
    recorder: Recorder,
    start: StoreWriterStart,
    nowMs: () => number,
    options: StoreWriterOptions,
  ) {
    this.#disk = disk;
    this.#segments = segments;
    this.#recorder = recorder;
    this.#options = options;
    this.#start = start;
    this.#nowMs = nowMs;
    this.#soon = options.soon ?? queueMicrotask;
    this.#number = start.number;
    this.#base = start.priorBytes;
    this.#seal = this.#before = start.seal;
    const value = (options.segmentBytes ?? SEGMENT_BYTES) * COMPACTED_SEGMENTS;
    this.#compaction = new Compaction(disk, options.folder, segments, value);
    const { priorPath } = start;
    if (priorPath === null) {
      this.afterStep();
      return;
    }
    this.#isBusy = true;
    this.#sync(priorPath, () => this.#sync(options.folder, () => this.#free()));
  }

  /** Why nothing lasts any more; null while all is well. */
  get failure(): string | null {
    return this.#failure;
  }

  afterStep(): void {
    if (this.#isDirty) this.#ask();
  }

  /** Runs `run` once all that has happened so far lasts, at once where it does; false: it never will. */
  whenLasting(run: (lasts: boolean) => void): void {
    if (this.#failure !== null) run(false);
    else if (!this.#isBusy && !this.#isDirty && this.#waiting.length === 0) run(true);
    else {
      this.#waiting.push(run);
      this.#ask();
    }
  }

  /** Writes nothing more: what has changed since the last frame is not to last. */
  giveUp(why: string): void {
    this.#fail(why, []);
  }

  /** `done` is called once everything lasts, or never will. */
  close(done: () => void): void {
    this.#whenClosed = done;
    this.#ask();
  }

  get #isDirty(): boolean {
    const { waiting, isShortOfIds } = this.#recorder;
    if (this.#whenClosed !== null && this.#isLastWritten) return false;
    return this.#isNew || this.#whenClosed !== null || waiting > 0 || isShortOfIds || this.#nowMs() - this.#lastMs >= IDLE_MS;
  }

  #ask(): void {
    if (this.#isBusy || this.#isAsked) return;
    this.#isAsked = true;
    this.#soon(() => this.#next());
  }

  /** Writes what has changed; what changes until that lasts is for the next time. */
  #next(): void {
    this.#isAsked = false;
    if (this.#isBusy) return;
    const waiting = this.#waiting.splice(0);
    if (this.#failure !== null || !this.#isDirty) {
      for (const run of waiting) run(this.#failure === null);
      if (this.#waiting.length > 0) this.#ask();
      else this.#closed();
      return;
    }
    this.#isBusy = true;
    const lasts = (): void => {
      this.#step('lasting');
      for (const run of waiting) run(true);
      this.#compaction.startIfDue(this.#before);
      this.#free();
    };
    try {
      this.#step('before');
      const isNew = this.#write();
      this.#step('written');
      const path = this.#path;
      this.#sync(path, isNew ? () => this.#sync(this.#options.folder, lasts, waiting) : lasts, waiting);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#fail(error.message, waiting);
    }
  }

  #free(): void {
    this.#isBusy = false;
    if (this.#waiting.length > 0 || this.#isDirty || this.#whenClosed !== null) this.#ask();
  }

  get #path(): string {
    return `${this.#options.folder}/${storeSegmentName(this.#number)}`;
  }

  /** Appends the frame; true where the file is a new one, whose name has to last too. */
  #write(): boolean {
    if (this.#bytes >= (this.#options.segmentBytes ?? SEGMENT_BYTES)) {
      this.#base += this.#bytes;
      this.#bytes = 0;
      this.#number++;
      this.#isNew = true;
    }
    const isNew = this.#isNew;
    if (isNew) {
      this.#disk.create(this.#path);
      this.#segments.all.push({ path: this.#path, number: this.#number, last: this.#number, base: this.#base, archive: null });
      this.#before = this.#seal;
    }
    const rows = new FrameRows(this.#base + this.#bytes);
    if (isNew) rows.add(rowText(this.#head()));
    this.#isLastWritten = this.#whenClosed !== null;
    this.#recorder.write(rows, isNew, this.#isLastWritten);
    this.#lastMs = this.#nowMs();
    const { text, seal } = sealed(rows.text, this.#seal.seq + 1, this.#lastMs);
    this.#disk.append(this.#path, Buffer.from(text, 'latin1'));
    this.#bytes += text.length;
    this.#seal = seal;
    this.#isNew = false;
    return isNew;
  }

  #head(): HeadRow {
    const { openedMs, restarts, instruments, uids } = this.#start;
    return ['head', FORMAT, this.#number, this.#seal.seq, this.#seal.crc, this.#base, openedMs, restarts, instruments, uids];
  }

  /** A sync that fails is never tried again: one that then succeeds would prove nothing. */
  #sync(path: string, then: () => void, waiting: readonly ((lasts: boolean) => void)[] = []): void {
    try {
      this.#disk.sync(path, (failure) => {
        if (failure === null && this.#failure === null) then();
        else this.#fail(`${path}: ${failure}`, waiting);
      });
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#fail(error.message, waiting);
    }
  }

  #fail(why: string, waiting: readonly ((lasts: boolean) => void)[]): void {
    const isFirst = this.#failure === null;
    this.#failure ??= why;
    this.#isBusy = false;
    for (const run of [...waiting, ...this.#waiting.splice(0)]) run(false);
    if (isFirst) this.#options.failed(why);
    this.#closed();
  }

  #closed(): void {
    if (this.#whenClosed !== null) this.#compaction.stop(this.#whenClosed);
  }

  #step(step: WriteStep): void {
    this.#options.step?.(step);
  }
}

/** The rows of the next frame, which know already where they will lie. */
class FrameRows implements RowWriter {
  readonly #from: number;
  readonly #lines: string[] = [];
  #bytes = 0;

  constructor(from: number) {
    this.#from = from;
  }

  get text(): string {
    return this.#lines.join('');
  }

  add(row: string): number {
    if (row.includes('\n')) throw new InvariantError('a row is one line');
    const place = this.#from + this.#bytes;
    this.#lines.push(`${row}\n`);
    this.#bytes += row.length + 1;
    return place;
  }
}
