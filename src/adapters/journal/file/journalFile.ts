// Writes a journal. Lines wait in a queue, one sync covers all waiting lines of a file, and durable records are reported in sequence.

import { InvariantError } from '../../../base/errors.ts';
import { DiskError, REPLACED, syncFailureText, type Disk } from '../../../ports/disk.ts';
import { journalGuards } from '../records/guards.ts';
import { lineOf } from './journalLine.ts';
import type { SegmentEnd } from './readJournal.ts';
import { JOURNAL_FORMAT, type RecordBody, type RecordKind } from '../records/records.ts';
import { segmentName } from './segmentName.ts';

/** Receives the progress of a journal. */
export interface JournalListener {
  /** Reports that all records up to `seq` are durable. The numbers rise. */
  onDurable(seq: number): void;
  /** Reports, once, that nothing more becomes durable. Then no order may be sent until a restart. */
  onFailure(reason: string): void;
}

/** Where the journal is, and how large its segments are. */
export interface JournalFileOptions {
  readonly folder: string;
  /** The account of the journal. A journal of another account is rejected. */
  readonly account: string;
  /** Number of the file to begin, and the current end of the journal. */
  readonly number: number;
  readonly ending: SegmentEnd;
  /** The previous file, which must be synced before the first new record relies on it; null if there is no such file. */
  readonly prior: string | null;
  /** All earlier files. The journal fails if one of them disappears or changes while it is written. */
  readonly finishedFiles?: readonly string[];
  /** A file larger than this is followed by the next one. Default 16 MiB. */
  readonly segmentBytes?: number;
  /** The journal fails when more than this waits for the disk. Default 64 MiB. */
  readonly maxWaitingBytes?: number;
  /** Runs a task soon after the caller, so that all records of one event become one write. Default: at the end of the event. */
  readonly soon?: (task: () => void) => void;
}

const SEGMENT_BYTES = 16 * 2 ** 20;
const MAX_WAITING_BYTES = 64 * 2 ** 20;
/** Number of finished files that are checked after each sync. */
const FILES_CHECKED_PER_SYNC = 8;

/** Lines of one file that wait for the next write. */
interface WaitingLines {
  readonly path: string;
  /** True if the file must still be created. */
  isNew: boolean;
  text: string;
  lastSeq: number;
}

/** The files of a journal that is being written. */
export class JournalFile {
  readonly #disk: Disk;
  readonly #listener: JournalListener;
  readonly #options: JournalFileOptions;
  readonly #nowMs: () => number;
  readonly #soon: (task: () => void) => void;
  readonly #segmentBytes: number;
  readonly #waiting: WaitingLines[] = [];
  #waitingBytes = 0;
  #fileNumber: number;
  /** Path of the current file. */
  #path = '';
  /** End of the appended records, written or not. */
  #ending: SegmentEnd;
  /** Finished files and their identities. They are checked in turn. */
  readonly #finishedFiles: (readonly [path: string, identity: string])[] = [];
  #nextCheck = 0;
  /** The file that is being written; empty if it must still be created. */
  #writtenPath = '';
  #durableSeq: number;
  #isBusy = false;
  #isWritePlanned = false;
  #failure: string | null = null;
  #onClosed: (() => void) | null = null;

  constructor(disk: Disk, options: JournalFileOptions, nowMs: () => number, listener: JournalListener) {
    this.#disk = disk;
    this.#options = options;
    this.#nowMs = nowMs;
    this.#listener = listener;
    this.#soon = options.soon ?? queueMicrotask;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#fileNumber = options.number;
    this.#ending = options.ending;
    // Records that were read back count as durable once they are synced, which happens before the first write.
    this.#durableSeq = options.ending.seq;
    this.#beginFile(undefined);
    const { prior, finishedFiles = [] } = options;
    for (const path of finishedFiles) this.#finishedFiles.push([path, disk.identity(path)]);
    if (prior === null) return;
    this.#isBusy = true;
    // Sync the folder too; otherwise a crash could leave the next file without this one.
    this.#sync(prior, () =>
      this.#sync(options.folder, () => {
        this.#isBusy = false;
        this.#writeNext();
      }),
    );
  }

  /** Number of the newest record that is synced to disk. */
  get durableSeq(): number {
    return this.#durableSeq;
  }
  /** Number of the newest record, whether synced or not. */
  get lastSeq(): number {
    return this.#ending.seq;
  }
  /** Why the journal has failed; null while it works. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Appends a record and returns its number. After a failure, numbers still rise, but nothing is written. */
  append<K extends RecordKind>(kind: K, body: RecordBody<K>): number {
    if (this.#onClosed) throw new InvariantError(`journal: a ${kind} after the end`);
    if (this.#ending.bytes >= this.#segmentBytes) {
      this.#fileNumber++;
      this.#beginFile(true);
    }
    return this.#addLine(kind, body);
  }

  /** Calls `done` when everything is durable or never will be. Nothing may be appended afterwards. */
  close(done: () => void): void {
    this.#onClosed = done;
    if (!this.#isBusy) this.#soon(() => this.#writeNext());
  }

  /** Begins the next file. Its first record describes the end of the previous file. `goesOn`: true if this process wrote that one. */
  #beginFile(goesOn: true | undefined): void {
    const { seq: priorSeq, bytes: priorBytes, crc: priorCrc } = this.#ending;
    const { folder, account } = this.#options;
    this.#ending = { ...this.#ending, bytes: 0 };
    this.#path = `${folder}/${segmentName(this.#fileNumber)}`;
    this.#waiting.push({ path: this.#path, isNew: true, text: '', lastSeq: priorSeq });
    this.#addLine('SEGMENT', { format: JOURNAL_FORMAT, number: this.#fileNumber, account, priorSeq, priorBytes, priorCrc, goesOn });
  }

  /** Adds the line of a record to the current file. */
  #addLine<K extends RecordKind>(kind: K, body: RecordBody<K>): number {
    const seq = this.#ending.seq + 1;
    const { text, crc } = lineOf(seq, this.#nowMs(), kind, body, this.#durableSeq);
    this.#ending = { seq, bytes: this.#ending.bytes + text.length, crc };
    if (this.#failure !== null) return seq;
    const newestLines = this.#waiting.at(-1);
    if (newestLines) {
      newestLines.text += text;
      newestLines.lastSeq = seq;
    } else this.#waiting.push({ path: this.#path, isNew: false, text, lastSeq: seq });
    this.#waitingBytes += text.length;
    if (this.#waitingBytes > (this.#options.maxWaitingBytes ?? MAX_WAITING_BYTES))
      this.#fail(`${this.#waitingBytes} bytes wait for the disk`);
    else if (!this.#isBusy && !this.#isWritePlanned) {
      this.#isWritePlanned = true;
      this.#soon(() => this.#writeNext());
    }
    return seq;
  }

  /** Writes and syncs the waiting lines of one file. Later lines wait for the next write. */
  #writeNext(): void {
    this.#isWritePlanned = false;
    if (this.#isBusy) return;
    const nextLines = this.#failure === null ? this.#waiting.shift() : undefined;
    if (!nextLines) {
      this.#onClosed?.();
      return;
    }
    const { path, isNew, text, lastSeq } = nextLines;
    if (isNew && this.#writtenPath !== '') return this.#finish(nextLines);
    this.#waitingBytes -= text.length;
    try {
      if (isNew) {
        this.#disk.create(path);
        this.#writtenPath = path;
      }
      this.#disk.append(path, Buffer.from(text, 'latin1'));
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#fail(error.message);
      this.#writeNext();
      return;
    }
    this.#isBusy = true;
    const report = (): void => this.#reportDurable(lastSeq);
    // The name of a new file must be durable too.
    this.#sync(path, isNew ? () => this.#sync(this.#options.folder, report) : report);
  }

  /** Finishes a file: syncs it, and notes its identity for later checks. */
  #finish(nextLines: WaitingLines): void {
    const path = this.#writtenPath;
    this.#writtenPath = '';
    this.#waiting.unshift(nextLines);
    this.#isBusy = true;
    this.#sync(path, () => {
      const identity = identityOf(this.#disk, path);
      if (identity !== null) this.#finishedFiles.push([path, identity]);
      this.#isBusy = false;
      this.#writeNext();
    });
  }

  #reportDurable(seq: number): void {
    this.#isBusy = false;
    this.#durableSeq = seq;
    this.#listener.onDurable(seq);
    // The listener may have appended and so requested the next write. A second request finds nothing to do.
    this.#writeNext();
  }

  /** Syncs the path, then calls `onSynced`. A failed sync is never retried, because a later success would prove nothing (order-safety, W4). */
  #sync(path: string, onSynced: () => void): void {
    const finish = (failure: string | null): void => {
      if (failure !== null && !journalGuards.syncIsFinal) this.#sync(path, onSynced);
      else if (this.#failure !== null || failure !== null) {
        this.#isBusy = false;
        this.#fail(syncFailureText(path, failure));
        this.#writeNext();
      } else if (this.#areFinishedFilesUnchanged()) onSynced();
      else this.#writeNext();
    };
    try {
      this.#disk.sync(path, finish);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      // A file that has become read-only or no longer exists cannot be opened for the sync.
      this.#soon(() => finish(error.code));
    }
  }

  /** Checks some of the finished files. Every journalled record must still be there at the next start. */
  #areFinishedFilesUnchanged(): boolean {
    for (let checksLeft = Math.min(FILES_CHECKED_PER_SYNC, this.#finishedFiles.length); checksLeft > 0; checksLeft--) {
      const [path, identity] = this.#finishedFiles[this.#nextCheck++ % this.#finishedFiles.length]!;
      if (identityOf(this.#disk, path) === identity) continue;
      this.#isBusy = false;
      this.#fail(syncFailureText(path, REPLACED));
      return false;
    }
    return true;
  }

  #fail(reason: string): void {
    if (this.#failure !== null) return;
    this.#failure = reason;
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#listener.onFailure(reason);
  }
}

/** Returns null if the file does not exist. */
function identityOf(disk: Disk, path: string): string | null {
  try {
    return disk.identity(path);
  } catch (error) {
    if (error instanceof DiskError) return null;
    throw error;
  }
}
