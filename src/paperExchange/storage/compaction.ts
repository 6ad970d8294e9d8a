// Compaction: replaces old segments by an archive file. The file is written and synced before the segments are removed.

import { DiskError, type Disk } from '../../ports/disk.ts';
import { sealText, type Seal } from './frame.ts';
import { isArchived, ArchiveIndex, archiveLine, archiveFileName, kindAt, type SegmentRange } from './archiveFile.ts';
import { LINE_FEED } from '../records/rowStore.ts';
import { Layout } from '../records/layout.ts';
import { archiveEndText, archiveHeadText, ARCHIVED } from './recordTable.ts';
import { type StoreSegment, storeSegmentNumber, type Segments } from './segments.ts';

/** Bytes that are processed at a time. Requests are answered in between. */
const PIECE_BYTES = 1 << 18;
/** With this many segments, compaction runs even if they are small, because each start leaves one. */
const MAX_SEGMENTS = 32;

/** Compacts the segments of one store in the background. */
export class Compaction {
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #segments: Segments;
  /** Minimum size in bytes of the segments that makes a compaction worthwhile. */
  readonly #minBytes: number;
  #activeWriter: ArchiveFileWriter | null = null;
  #isOff = false;
  #onStopped: (() => void) | null = null;

  constructor(disk: Disk, folder: string, segments: Segments, minBytes: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#segments = segments;
    this.#minBytes = minBytes;
  }

  /**
   * Starts a compaction if it is due. The newest segment must be durable and hold everything that a restart needs. `before`: the last seal
   * before it.
   */
  startIfDue(before: Seal): void {
    if (this.#activeWriter !== null || this.#isOff || this.#onStopped !== null) return;
    const files = this.#segments.all;
    const newest = files.at(-1);
    const firstSegment = files.findIndex(({ archive }) => archive === null);
    const oldSegments = files.slice(firstSegment, -1);
    const first = oldSegments[0];
    const last = oldSegments.at(-1);
    if (newest === undefined || first === undefined || last === undefined) return;
    if (newest.firstRowOffset - first.firstRowOffset < this.#minBytes && oldSegments.length < MAX_SEGMENTS) return;
    // The span includes files without a frame, which an earlier start may have left between the others.
    const span = { first: (files[firstSegment - 1]?.lastNumber ?? 0) + 1, last: newest.firstNumber - 1 };
    this.#attempt(() => {
      this.#activeWriter = new ArchiveFileWriter(this.#disk, {
        path: `${this.#folder}/${archiveFileName(span)}`,
        oldSegments,
        span,
        end: newest.firstRowOffset,
        before,
      });
      this.#step();
    });
  }

  /** Starts no further compaction. `done` is called once none is running. */
  stop(done: () => void): void {
    this.#onStopped = done;
    if (this.#activeWriter === null) done();
  }

  /** Writes the next piece of the archive file. After the last one the segments are replaced. */
  #step(): void {
    const archiveWriter = this.#activeWriter;
    if (archiveWriter === null) return;
    const isDone = archiveWriter.write();
    // Waiting for the disk after each piece also lets other events run.
    this.#sync(archiveWriter.path, () => (isDone ? this.#sync(this.#folder, () => this.#finish(archiveWriter)) : this.#step()));
  }

  /** Replaces the segments by the durable archive file. */
  #finish({ path, span, base, index, oldSegments }: ArchiveFileWriter): void {
    this.#segments.replace(oldSegments.length, {
      path,
      firstNumber: span.first,
      lastNumber: span.last,
      firstRowOffset: base,
      archive: index,
      layout: Layout.current(path),
    });
    for (const name of this.#disk.list(this.#folder)) {
      const number = storeSegmentNumber(name);
      if (number !== null && number >= span.first && number <= span.last) this.#disk.remove(`${this.#folder}/${name}`);
    }
    this.#activeWriter = null;
    this.#onStopped?.();
  }

  /** Syncs a file or folder, then calls `onSynced`. A failed sync switches compaction off. */
  #sync(path: string, onSynced: () => void): void {
    this.#disk.sync(path, (failure) => {
      if (this.#onStopped !== null) this.#end(false);
      else if (failure !== null) this.#end(true);
      else this.#attempt(onSynced);
    });
  }

  /**
   * Runs a disk operation. If it fails, compaction is switched off and the segments stay. Reporting a bad disk is left to the store writer.
   */
  #attempt(useDisk: () => void): void {
    try {
      useDisk();
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#end(true);
    }
  }

  /** Ends the running compaction. The next start removes its incomplete file. */
  #end(isOff: boolean): void {
    this.#isOff = isOff;
    this.#activeWriter = null;
    this.#onStopped?.();
  }
}

/** What an archive file is made from. */
interface ArchiveFileOptions {
  readonly path: string;
  /** The segments that the file replaces, oldest first. */
  readonly oldSegments: readonly StoreSegment[];
  /** The numbers of these segments. */
  readonly span: SegmentRange;
  /** Start of the segment that follows. */
  readonly end: number;
  /** The last seal before that segment. */
  readonly before: Seal;
}

/** One archive file while it is written. */
class ArchiveFileWriter {
  readonly path: string;
  readonly oldSegments: readonly StoreSegment[];
  readonly span: SegmentRange;
  readonly base: number;
  readonly index = new ArchiveIndex();
  readonly #disk: Disk;
  /** Start of the segment that follows, and the last seal before it. */
  readonly #end: number;
  readonly #sealBefore: Seal;
  /** Position across all segments. */
  #storeOffset: number;
  /** Number of bytes that are written to the archive file. */
  #writtenBytes = 0;
  #seq = 0;

  constructor(disk: Disk, { path, oldSegments, span, end, before }: ArchiveFileOptions) {
    this.#disk = disk;
    this.path = path;
    this.oldSegments = oldSegments;
    this.span = span;
    this.base = this.#storeOffset = oldSegments[0]!.firstRowOffset;
    this.#end = end;
    this.#sealBefore = before;
    disk.create(path);
  }

  /** Writes the next piece. Returns true after the last one. */
  write(): boolean {
    let rows = '';
    if (this.#seq === 0) {
      rows = `${archiveHeadText({ ...this.span, priorBytes: this.base })}\n`;
    }
    rows += this.#nextLines(this.#writtenBytes + rows.length);
    const isLast = this.#storeOffset === this.#end;
    if (isLast) rows += `${archiveEndText({ bytes: this.#end, ...this.#sealBefore })}\n`;
    const { text } = sealText(rows, ++this.#seq, this.#sealBefore.timeMs);
    this.#disk.append(this.path, Buffer.from(text, 'latin1'));
    this.#writtenBytes += text.length;
    return isLast;
  }

  /** Returns the archive lines of the next piece of the current segment. `offset`: where the first of them will be in the file. */
  #nextLines(offset: number): string {
    const segmentIndex = this.oldSegments.findLastIndex(({ firstRowOffset }) => firstRowOffset <= this.#storeOffset);
    const { path, firstRowOffset, layout } = this.oldSegments[segmentIndex]!;
    const bytesLeft = (this.oldSegments[segmentIndex + 1]?.firstRowOffset ?? this.#end) - this.#storeOffset;
    let bytes: Buffer = Buffer.alloc(0);
    let end = 0;
    for (let length = Math.min(bytesLeft, PIECE_BYTES); end === 0; length = Math.min(bytesLeft, length * 2)) {
      const piece = this.#disk.readAt(path, this.#storeOffset - firstRowOffset, length);
      bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      end = bytes.lastIndexOf(LINE_FEED) + 1;
      if (end === 0 && length === bytesLeft) throw new DiskError('EIO', path);
    }
    const lines: string[] = [];
    let size = 0;
    for (let lineStart = 0; lineStart < end;) {
      const lineEnd = bytes.indexOf(LINE_FEED, lineStart);
      const kind = kindAt(bytes, lineStart);
      if (isArchived(kind)) {
        this.index.note(this.#storeOffset + lineStart, offset + size);
        const line = archiveLine(
          this.#storeOffset + lineStart,
          layout.recodeRow(ARCHIVED[kind], bytes.toString('latin1', lineStart, lineEnd)),
        );
        lines.push(line);
        size += line.length;
      }
      lineStart = lineEnd + 1;
    }
    this.#storeOffset += end;
    return lines.join('');
  }
}
