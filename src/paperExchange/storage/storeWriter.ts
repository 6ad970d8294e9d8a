// The writer of the exchange store: all changes are written as one frame and synced once, and only then may replies be sent.

import { InvariantError } from '../../base/errors.ts';
import { DiskError, syncFailureText, type Disk } from '../../ports/disk.ts';
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
  /** Number of the first segment that the writer creates. */
  readonly number: number;
  /** Offset in the store of the first row that the writer adds. It includes the bytes of files that were compacted. */
  readonly priorBytes: number;
  /** The seal of the last frame. */
  readonly seal: Seal;
  /** The previous file, which is synced before the first frame; null for the first file. */
  readonly priorPath: string | null;
  /** Fields that the head of each file repeats. */
  readonly head: Pick<SegmentHead, 'openedMs' | 'restarts' | 'instruments' | 'uids'>;
}

/** The collaborators of the writer. */
export interface StoreWriterDeps {
  readonly disk: Disk;
  readonly segments: Segments;
  readonly recorder: Recorder;
  /** Returns the time of the exchange (ms UTC). */
  readonly nowMs: () => number;
}

const DEFAULT_SEGMENT_BYTES = 16 * 2 ** 20;
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
  /** Bytes of the current file. */
  #fileBytes = 0;
  /** Offset in the store at which the current file begins. */
  #baseOffset: number;
  /** The seal of the last frame. */
  #lastSeal: Seal;
  /** The last seal before the current file. */
  #sealBeforeFile: Seal;
  /** True when the next frame begins a file. */
  #startsFile = true;
  /** True while a write or sync is under way. */
  #isBusy = false;
  /** True when the next write is scheduled. */
  #isScheduled = false;
  #failure: string | null = null;
  /** Called when the next frame is durable, or never can be. */
  #waitingCallbacks: ((isDurable: boolean) => void)[] = [];
  /** Set by `close`: called after the last write. */
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
    this.#lastSeal = this.#sealBeforeFile = start.seal;
    const compactBytes = (options.segmentBytes ?? DEFAULT_SEGMENT_BYTES) * COMPACTED_SEGMENTS;
    this.#compaction = new Compaction(disk, options.folder, segments, compactBytes);
    const { priorPath } = start;
    if (priorPath === null) {
      this.afterStep();
      return;
    }
    this.#isBusy = true;
    this.#sync(priorPath, () => this.#sync(options.folder, () => this.#endWrite()));
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
    else if (!this.#isBusy && !this.#isDirty && this.#waitingCallbacks.length === 0) done(true);
    else {
      this.#waitingCallbacks.push(done);
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
    const { waitingChangeCount, isShortOfIds } = this.#recorder;
    if (this.#whenClosed !== null && this.#isLastWritten) return false;
    const isIdleWriteDue = this.#nowMs() - this.#lastWriteMs >= IDLE_MS;
    return this.#startsFile || this.#whenClosed !== null || waitingChangeCount > 0 || isShortOfIds || isIdleWriteDue;
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
    const callbacks = this.#waitingCallbacks.splice(0);
    if (this.#failure !== null || !this.#isDirty) {
      for (const done of callbacks) done(this.#failure === null);
      if (this.#waitingCallbacks.length > 0) this.#scheduleWrite();
      else this.#onClosed();
      return;
    }
    this.#isBusy = true;
    const onDurable = (): void => {
      this.#reportStep('lasting');
      for (const done of callbacks) done(true);
      this.#compaction.startIfDue(this.#sealBeforeFile);
      this.#endWrite();
    };
    try {
      this.#reportStep('before');
      const isNewFile = this.#appendFrame();
      this.#reportStep('written');
      const syncFolder = (): void => this.#sync(this.#options.folder, onDurable, callbacks);
      this.#sync(this.#path, isNewFile ? syncFolder : onDurable, callbacks);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#fail(error.message, callbacks);
    }
  }

  /** Allows the next write. */
  #endWrite(): void {
    this.#isBusy = false;
    if (this.#waitingCallbacks.length > 0 || this.#isDirty || this.#whenClosed !== null) this.#scheduleWrite();
  }

  get #path(): string {
    return `${this.#options.folder}/${storeSegmentName(this.#segmentNumber)}`;
  }

  /** Appends a frame. Returns true if the file is new, because then its directory entry must be synced too. */
  #appendFrame(): boolean {
    if (this.#fileBytes >= (this.#options.segmentBytes ?? DEFAULT_SEGMENT_BYTES)) {
      this.#baseOffset += this.#fileBytes;
      this.#fileBytes = 0;
      this.#segmentNumber++;
      this.#startsFile = true;
    }
    const isNewFile = this.#startsFile;
    if (isNewFile) {
      const path = this.#path;
      this.#disk.create(path);
      const firstNumber = this.#segmentNumber;
      this.#segments.all.push({
        path,
        firstNumber,
        lastNumber: firstNumber,
        firstRowOffset: this.#baseOffset,
        archive: null,
        layout: Layout.current(path),
      });
      this.#sealBeforeFile = this.#lastSeal;
    }
    const rows = new FrameRows(this.#baseOffset + this.#fileBytes);
    if (isNewFile) rows.add(this.#headRow());
    this.#isLastWritten = this.#whenClosed !== null;
    this.#recorder.write(rows, isNewFile, this.#isLastWritten);
    this.#lastWriteMs = this.#nowMs();
    const { text, seal } = sealText(rows.text, this.#lastSeal.seq + 1, this.#lastWriteMs);
    this.#disk.append(this.#path, Buffer.from(text, 'latin1'));
    this.#fileBytes += text.length;
    this.#lastSeal = seal;
    this.#startsFile = false;
    return isNewFile;
  }

  /** Returns the first row of the current file. */
  #headRow(): string {
    const { seq, crc } = this.#lastSeal;
    return segmentHeadText({
      segment: this.#segmentNumber,
      priorSeq: seq,
      priorCrc: crc,
      priorBytes: this.#baseOffset,
      ...this.#start.head,
    });
  }

  /** Syncs a file or folder, then calls `onSynced`. A failed sync is never retried: a later success would prove nothing. */
  #sync(path: string, onSynced: () => void, callbacks: readonly ((isDurable: boolean) => void)[] = []): void {
    try {
      this.#disk.sync(path, (failure) => {
        if (failure === null && this.#failure === null) onSynced();
        else this.#fail(syncFailureText(path, failure), callbacks);
      });
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#fail(error.message, callbacks);
    }
  }

  /** Ends all writing. Passes false to `callbacks` and to everything else that waits. */
  #fail(reason: string, callbacks: readonly ((isDurable: boolean) => void)[]): void {
    const isFirstFailure = this.#failure === null;
    this.#failure ??= reason;
    this.#isBusy = false;
    for (const done of [...callbacks, ...this.#waitingCallbacks.splice(0)]) done(false);
    if (isFirstFailure) this.#options.failed(reason);
    this.#onClosed();
  }

  /** Stops compaction and completes `close`, if it was called. */
  #onClosed(): void {
    if (this.#whenClosed !== null) this.#compaction.stop(this.#whenClosed);
  }

  #reportStep(step: WriteStep): void {
    this.#options.step?.(step);
  }
}

/** Collects the rows of the next frame. It knows their offset in the store, so that the offset of each row is known before the write. */
class FrameRows implements RowWriter {
  readonly #storeOffset: number;
  readonly #lines: string[] = [];
  #bytes = 0;

  constructor(storeOffset: number) {
    this.#storeOffset = storeOffset;
  }

  get text(): string {
    return this.#lines.join('');
  }

  /** Adds a row. Returns its offset in the store. */
  add(row: string): number {
    if (row.includes('\n')) throw new InvariantError('a row must not contain a line feed');
    const storeOffset = this.#storeOffset + this.#bytes;
    this.#lines.push(`${row}\n`);
    this.#bytes += row.length + 1;
    return storeOffset;
  }
}
