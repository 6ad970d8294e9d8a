// The writing end of a journal: lines queue up, one sync covers all that wait, and what lasts is told in order.

import { InvariantError } from '../../../base/errors.ts';
import { DiskError, REPLACED, type Disk } from '../../../ports/disk.ts';
import { guards } from '../records/guards.ts';
import { lineOf } from './line.ts';
import type { SegmentEnd } from './readJournal.ts';
import { FORMAT, type RecordBody, type RecordKind } from '../records/records.ts';
import { segmentName } from './segmentName.ts';

export interface JournalListener {
  /** All records up to `seq` last. Rising, each time once. */
  durable(seq: number): void;
  /** Nothing that is appended from now on lasts, for good: no order may leave any more, until a restart. Told once. */
  failed(why: string): void;
}

export interface JournalFileOptions {
  readonly folder: string;
  /** Whose journal it is; one that says otherwise is refused. */
  readonly account: string;
  /** Number of the file to begin, and how the journal ends so far. */
  readonly number: number;
  readonly ending: SegmentEnd;
  /** The file before, to be synced before the first record rests on it; null: there is none. */
  readonly prior: string | null;
  /** Files before that one, which are finished: none of them may go, or change, while the journal is written. */
  readonly past?: readonly string[];
  /** A file that is larger is followed by the next. Default 16 MiB. */
  readonly segmentBytes?: number;
  /** More than this waiting for the disk is a failure. Default 64 MiB. */
  readonly maxWaitingBytes?: number;
  /** Runs `run` soon, once the caller is done: all records of one event are then one write. Default: at the end of the event. */
  readonly soon?: (run: () => void) => void;
}

const SEGMENT_BYTES = 16 * 2 ** 20;
const MAX_WAITING_BYTES = 64 * 2 ** 20;
/** Finished files that are looked at with each sync. */
const PAST_LOOKS = 8;

/** Lines for one file that wait for the next write. */
interface Waiting {
  readonly path: string;
  /** The file has still to be made. */
  isNew: boolean;
  text: string;
  lastSeq: number;
}

export class JournalFile {
  readonly #disk: Disk;
  readonly #listener: JournalListener;
  readonly #options: JournalFileOptions;
  readonly #nowMs: () => number;
  readonly #soon: (run: () => void) => void;
  readonly #segmentBytes: number;
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #number: number;
  /** Of the file that is written. */
  #path = '';
  /** Of what was appended, written or not. */
  #ending: SegmentEnd;
  /** Finished files, and what tells each from another of its name; looked at in turn. */
  readonly #past: (readonly [path: string, identity: string])[] = [];
  #look = 0;
  /** The file that the newest write went to. */
  #written = '';
  #durableSeq: number;
  #isBusy = false;
  #isAsked = false;
  #failure: string | null = null;
  #whenClosed: (() => void) | null = null;

  constructor(disk: Disk, options: JournalFileOptions, nowMs: () => number, listener: JournalListener) {
    this.#disk = disk;
    this.#options = options;
    this.#nowMs = nowMs;
    this.#listener = listener;
    this.#soon = options.soon ?? queueMicrotask;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#number = options.number;
    this.#ending = options.ending;
    // What was read back counts as lasting once it was synced, which comes before the first write.
    this.#durableSeq = options.ending.seq;
    this.#begin();
    const { prior, past = [] } = options;
    for (const path of past) this.#past.push([path, disk.identity(path)]);
    if (prior === null) return;
    this.#isBusy = true;
    // Its name too, else a crash could leave the next file without this one.
    this.#sync(prior, () =>
      this.#sync(options.folder, () => {
        this.#isBusy = false;
        this.#next();
      }),
    );
  }

  get durableSeq(): number {
    return this.#durableSeq;
  }
  get lastSeq(): number {
    return this.#ending.seq;
  }
  /** Why nothing lasts any more; null while all is well. */
  get failure(): string | null {
    return this.#failure;
  }

  /** Returns the number of the record. After a failure numbers still rise, and nothing is written. */
  append<K extends RecordKind>(kind: K, body: RecordBody<K>): number {
    if (this.#whenClosed) throw new InvariantError(`journal: a ${kind} after the end`);
    if (this.#ending.bytes >= this.#segmentBytes) {
      this.#number++;
      this.#begin();
    }
    return this.#add(kind, body);
  }

  /** `done` is called once everything lasts, or never will. Nothing may be appended afterwards. */
  close(done: () => void): void {
    this.#whenClosed = done;
    if (!this.#isBusy) this.#soon(() => this.#next());
  }

  /** The next file, and in it how the one before it ended. */
  #begin(): void {
    const { seq: priorSeq, bytes: priorBytes, crc: priorCrc } = this.#ending;
    const { folder, account } = this.#options;
    this.#ending = { ...this.#ending, bytes: 0 };
    this.#path = `${folder}/${segmentName(this.#number)}`;
    this.#waiting.push({ path: this.#path, isNew: true, text: '', lastSeq: priorSeq });
    this.#add('SEGMENT', { format: FORMAT, number: this.#number, account, priorSeq, priorBytes, priorCrc });
  }

  #add<K extends RecordKind>(kind: K, body: RecordBody<K>): number {
    const seq = this.#ending.seq + 1;
    const { text, crc } = lineOf(seq, this.#nowMs(), kind, body, this.#durableSeq);
    this.#ending = { seq, bytes: this.#ending.bytes + text.length, crc };
    if (this.#failure !== null) return seq;
    const newest = this.#waiting.at(-1);
    if (newest) {
      newest.text += text;
      newest.lastSeq = seq;
    } else this.#waiting.push({ path: this.#path, isNew: false, text, lastSeq: seq });
    this.#waitingBytes += text.length;
    if (this.#waitingBytes > (this.#options.maxWaitingBytes ?? MAX_WAITING_BYTES))
      this.#fail(`${this.#waitingBytes} bytes wait for the disk`);
    else if (!this.#isBusy && !this.#isAsked) {
      this.#isAsked = true;
      this.#soon(() => this.#next());
    }
    return seq;
  }

  /** Writes what waits for one file and has it synced; what comes meanwhile waits for the next time. */
  #next(): void {
    this.#isAsked = false;
    if (this.#isBusy) return;
    const next = this.#failure === null ? this.#waiting.shift() : undefined;
    if (!next) {
      this.#whenClosed?.();
      return;
    }
    const { path, isNew, text, lastSeq } = next;
    if (isNew && this.#written !== '') return this.#finish(next);
    this.#waitingBytes -= text.length;
    try {
      if (isNew) {
        this.#disk.create(path);
        this.#written = path;
      }
      this.#disk.append(path, Buffer.from(text, 'latin1'));
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#fail(error.message);
      this.#next();
      return;
    }
    this.#isBusy = true;
    const lasts = (): void => this.#lasts(lastSeq);
    // Of a new file the name has to last too.
    this.#sync(path, isNew ? () => this.#sync(this.#options.folder, lasts) : lasts);
  }

  /** A file is finished. It is looked at once more, for it may have rested long: what has its name then is what later looks compare with. */
  #finish(next: Waiting): void {
    const path = this.#written;
    this.#written = '';
    this.#waiting.unshift(next);
    this.#isBusy = true;
    this.#sync(path, () => {
      const identity = identityOf(this.#disk, path);
      if (identity !== null) this.#past.push([path, identity]);
      this.#isBusy = false;
      this.#next();
    });
  }

  #lasts(seq: number): void {
    this.#isBusy = false;
    this.#durableSeq = seq;
    this.#listener.durable(seq);
    // The listener may have appended, and so asked for the next write; one that is asked for twice finds nothing to do.
    this.#next();
  }

  /** A sync that fails is never tried again: one that then succeeds would prove nothing (order-safety, W4). */
  #sync(path: string, then: () => void): void {
    this.#disk.sync(path, (failure) => {
      if (failure !== null && !guards.syncIsFinal) this.#sync(path, then);
      else if (this.#failure !== null || failure !== null) {
        this.#isBusy = false;
        this.#fail(failure === REPLACED ? goneText(path) : `${path}: ${failure}`);
        this.#next();
      } else if (this.#isPastWhole()) then();
      else this.#next();
    });
  }

  /** Some finished files are looked at with each sync: what was journalled once must be there at the next start. */
  #isPastWhole(): boolean {
    for (let looks = Math.min(PAST_LOOKS, this.#past.length); looks > 0; looks--) {
      const [path, identity] = this.#past[this.#look++ % this.#past.length]!;
      if (identityOf(this.#disk, path) === identity) continue;
      this.#isBusy = false;
      this.#fail(goneText(path));
      return false;
    }
    return true;
  }

  #fail(why: string): void {
    if (this.#failure !== null) return;
    this.#failure = why;
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.#listener.failed(why);
  }
}

const goneText = (path: string): string => `${path}: somebody has removed, replaced or changed it while it was in use`;

/** Null: there is no such file. */
function identityOf(disk: Disk, path: string): string | null {
  try {
    return disk.identity(path);
  } catch (error) {
    if (error instanceof DiskError) return null;
    throw error;
  }
}
