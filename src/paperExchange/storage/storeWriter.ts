// The writer of the exchange store: all changes are written as one frame and synced once, and only then may replies be sent.

import { InvariantError } from '../../base/errors.ts';
import { DiskError, type Disk } from '../../ports/disk.ts';
import { Compaction } from './compaction.ts';
import { sealText, type Seal } from './frame.ts';
import type { Persistence } from '../service.ts';
import type { Recorder } from './recorder.ts';
import { Layout } from '../records/layout.ts';
import type { RowWriter } from '../records/rowStore.ts';
import { type SegmentHead, segmentHeadText } from './recordTable.ts';
import { storeSegmentName, type Segments } from './segments.ts';

/**
 * The stage of a write. `before`: nothing is on the disk. `written`: written, but a power failure may lose it. `lasting`: durable, replies
 * are sent now.
 */
export type WriteStep = 'before' | 'written' | 'lasting';

/** The folder and the listeners of a writer. */
export interface StoreWriterOptions {
  readonly folder: string;
  /** Size at which the next file begins, with everything that a restart needs. Default 16 MiB. */
  readonly segmentBytes?: number;
  /** Runs a task soon after the caller has finished. Default: at the end of the event. */
  readonly soon?: (task: () => void) => void;
  /** Called once when nothing can become durable any more. No reply is sent from then on. */
  readonly failed: (reason: string) => void;
  /** Hook for fault injection. */
  readonly step?: (step: WriteStep) => void;
}

/** Where the writer begins: behind the last frame of the store. */
export interface StoreWriterStart {
  readonly number: number;
  readonly priorBytes: number;
  readonly seal: Seal;
  /** The previous file, which is synced before the first frame; null for the first file. */
  readonly priorPath: string | null;
  /** Fields that the head of each file repeats. */
  readonly head: Pick<SegmentHead, 'openedMs' | 'restarts' | 'instruments' | 'uids'>;
}

/** What the writer takes. */
export interface StoreWriterDeps {
  readonly disk: Disk;
  readonly segments: Segments;
  readonly recorder: Recorder;
  /** Returns the time of the exchange (ms UTC). */
  readonly nowMs: () => number;
}

const SEGMENT_BYTES = 16 * 2 ** 20;
/** Size, in segments, at which old segments are compacted into an archive file. */
const COMPACTED_SEGMENTS = 4;
/** How often prices and bars are written while no client is active, ms. */
const IDLE_MS = 60_000;

/** The writer of one exchange. It has at most one frame under way; later changes join the next one. */
export class StoreWriter implements Persistence {
  readonly #disk: Disk;
  readonly #segments: Segments;
  readonly #recorder: Recorder;
  readonly #options: StoreWriterOptions;
  readonly #start: StoreWriterStart;
  readonly #compaction: Compaction;
  readonly #nowMs: () => number;
  readonly #runSoon: (task: () => void) => void;
  #segmentNumber: number;
  /** Bytes of the current file, and of all files before it. */
  #bytes = 0;
  #baseOffset: number;
  #seal: Seal;
  /** The last seal before the current file. */
  #sealBeforeFile: Seal;
  /** True when the next frame begins a file. */
  #isNew = true;
  /** True while a write or sync is under way. */
  #isBusy = false;
  /** True when the next write is scheduled. */
  #isScheduled = false;
  #failure: string | null = null;
  #waiting: ((isDurable: boolean) => void)[] = [];
  #whenClosed: (() => void) | null = null;
  #lastWriteMs = -Infinity;
  /** True when the final state of a closed exchange has been written. */
  #isLastWritten = false;

  constructor({ disk, segments, recorder, nowMs }: StoreWriterDeps, start: StoreWriterStart, options: StoreWriterOptions) {
    this.#disk = disk;
    this.#segments = segments;
    this.#recorder = recorder;
    this.#options = options;
    this.#start = start;
    this.#nowMs = nowMs;
    this.#runSoon = options.soon ?? queueMicrotask;
    this.#segmentNumber = start.number;
    this.#baseOffset = start.priorBytes;
    this.#seal = this.#sealBeforeFile = start.seal;
    const compactBytes = (options.segmentBytes ?? SEGMENT_BYTES) * COMPACTED_SEGMENTS;
    this.#compaction = new Compaction(disk, options.folder, segments, compactBytes);
    const { priorPath } = start;
    if (priorPath === null) {
      this.afterStep();
      return;
    }
    this.#isBusy = true;
    this.#sync(priorPath, () => this.#sync(options.folder, () => this.#free()));
  }

  /** The disk failure after which nothing can become durable; null while the disk works. */
  get failure(): string | null {
    return this.#failure;
  }

  afterStep(): void {
    if (this.#isDirty) this.#scheduleWrite();
  }

  /** Calls `done` once: with true when everything up to now is durable, which may be at once, or with false if it never will be. */
  whenDurable(done: (isDurable: boolean) => void): void {
    if (this.#failure !== null) done(false);
    else if (!this.#isBusy && !this.#isDirty && this.#waiting.length === 0) done(true);
    else {
      this.#waiting.push(done);
      this.#scheduleWrite();
    }
  }

  /** Stops writing. Changes since the last frame are dropped. */
  giveUp(reason: string): void {
    this.#fail(reason, []);
  }

  /** Calls `done` once everything is durable, or never can be. */
  close(done: () => void): void {
    this.#whenClosed = done;
    this.#scheduleWrite();
  }

  /** True when something waits to be written. */
  get #isDirty(): boolean {
    const { waiting, isShortOfIds } = this.#recorder;
    if (this.#whenClosed !== null && this.#isLastWritten) return false;
    return this.#isNew || this.#whenClosed !== null || waiting > 0 || isShortOfIds || this.#nowMs() - this.#lastWriteMs >= IDLE_MS;
  }

  /** Schedules a write, unless one is under way or scheduled. */
  #scheduleWrite(): void {
    if (this.#isBusy || this.#isScheduled) return;
    this.#isScheduled = true;
    this.#runSoon(() => this.#writeNext());
  }

  /** Writes the pending changes. Changes during the sync go to the next frame. */
  #writeNext(): void {
    this.#isScheduled = false;
    if (this.#isBusy) return;
    const waiting = this.#waiting.splice(0);
    if (this.#failure !== null || !this.#isDirty) {
      for (const done of waiting) done(this.#failure === null);
      if (this.#waiting.length > 0) this.#scheduleWrite();
      else this.#onClosed();
      return;
    }
    this.#isBusy = true;
    const onDurable = (): void => {
      this.#step('lasting');
      for (const done of waiting) done(true);
      this.#compaction.startIfDue(this.#sealBeforeFile);
      this.#free();
    };
    try {
      this.#step('before');
      const isNew = this.#write();
      this.#step('written');
      const path = this.#path;
      this.#sync(path, isNew ? () => this.#sync(this.#options.folder, onDurable, waiting) : onDurable, waiting);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#fail(error.message, waiting);
    }
  }

  /** Allows the next write. */
  #free(): void {
    this.#isBusy = false;
    if (this.#waiting.length > 0 || this.#isDirty || this.#whenClosed !== null) this.#scheduleWrite();
  }

  get #path(): string {
    return `${this.#options.folder}/${storeSegmentName(this.#segmentNumber)}`;
  }

  /** Appends a frame. Returns true if the file is new, because then its directory entry must be synced too. */
  #write(): boolean {
    if (this.#bytes >= (this.#options.segmentBytes ?? SEGMENT_BYTES)) {
      this.#baseOffset += this.#bytes;
      this.#bytes = 0;
      this.#segmentNumber++;
      this.#isNew = true;
    }
    const isNew = this.#isNew;
    if (isNew) {
      this.#disk.create(this.#path);
      const path = this.#path;
      const firstNumber = this.#segmentNumber;
      this.#segments.all.push({
        path,
        firstNumber,
        lastNumber: firstNumber,
        firstRowOffset: this.#baseOffset,
        archive: null,
        layout: Layout.current(path),
      });
      this.#sealBeforeFile = this.#seal;
    }
    const rows = new FrameRows(this.#baseOffset + this.#bytes);
    if (isNew) rows.add(this.#head());
    this.#isLastWritten = this.#whenClosed !== null;
    this.#recorder.write(rows, isNew, this.#isLastWritten);
    this.#lastWriteMs = this.#nowMs();
    const { text, seal } = sealText(rows.text, this.#seal.seq + 1, this.#lastWriteMs);
    this.#disk.append(this.#path, Buffer.from(text, 'latin1'));
    this.#bytes += text.length;
    this.#seal = seal;
    this.#isNew = false;
    return isNew;
  }

  /** Returns the first row of the current file. */
  #head(): string {
    const { seq, crc } = this.#seal;
    return segmentHeadText({
      segment: this.#segmentNumber,
      priorSeq: seq,
      priorCrc: crc,
      priorBytes: this.#baseOffset,
      ...this.#start.head,
    });
  }

  /** Syncs a file or folder, then calls `onSynced`. A failed sync is never retried: a later success would prove nothing. */
  #sync(path: string, onSynced: () => void, waiting: readonly ((isDurable: boolean) => void)[] = []): void {
    try {
      this.#disk.sync(path, (failure) => {
        if (failure === null && this.#failure === null) onSynced();
        else this.#fail(`${path}: ${failure}`, waiting);
      });
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#fail(error.message, waiting);
    }
  }

  /** Ends all writing. Passes false to everything that waits. */
  #fail(reason: string, waiting: readonly ((isDurable: boolean) => void)[]): void {
    const isFirst = this.#failure === null;
    this.#failure ??= reason;
    this.#isBusy = false;
    for (const done of [...waiting, ...this.#waiting.splice(0)]) done(false);
    if (isFirst) this.#options.failed(reason);
    this.#onClosed();
  }

  /** Stops compaction and completes `close`, if it was called. */
  #onClosed(): void {
    if (this.#whenClosed !== null) this.#compaction.stop(this.#whenClosed);
  }

  #step(step: WriteStep): void {
    this.#options.step?.(step);
  }
}

/** Collects the rows of the next frame. `from`: their offset in the store, so that each is known before the write. */
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
    if (row.includes('\n')) throw new InvariantError('a row must not contain a line feed');
    const storeOffset = this.#from + this.#bytes;
    this.#lines.push(`${row}\n`);
    this.#bytes += row.length + 1;
    return storeOffset;
  }
}
