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
  /** True after a disk failure. */
  #isOff = false;
  /** Set by `stop`: called once no compaction is running. */
  #onStopped: (() => void) | null = null;

  constructor(disk: Disk, folder: string, segments: Segments, minBytes: number) {
    this.#disk = disk;
    this.#folder = folder;
    this.#segments = segments;
    this.#minBytes = minBytes;
  }

  /**
   * Starts a compaction if it is due. The newest segment must be durable and hold everything that a restart needs. `sealBefore`: the
   * last seal before it.
   */
  startIfDue(sealBefore: Seal): void {
    if (this.#activeWriter !== null || this.#isOff || this.#onStopped !== null) return;
    const files = this.#segments.all;
    const newest = files.at(-1);
    // The archive files come first.
    const firstSegmentIndex = files.findIndex(({ archive }) => archive === null);
    const oldSegments = files.slice(firstSegmentIndex, -1);
    const first = oldSegments[0];
    if (newest === undefined || first === undefined) return;
    const oldBytes = newest.firstRowOffset - first.firstRowOffset;
    if (oldBytes < this.#minBytes && oldSegments.length < MAX_SEGMENTS) return;
    // The span includes files without a frame, which an earlier start may have left between the others.
    const span = { first: (files[firstSegmentIndex - 1]?.lastNumber ?? 0) + 1, last: newest.firstNumber - 1 };
    this.#attempt(() => {
      this.#activeWriter = new ArchiveFileWriter(this.#disk, {
        path: `${this.#folder}/${archiveFileName(span)}`,
        oldSegments,
        span,
        endOffset: newest.firstRowOffset,
        sealBefore,
      });
      this.#writeNextPiece();
    });
  }

  /** Starts no further compaction. `done` is called once none is running. */
  stop(done: () => void): void {
    this.#onStopped = done;
    if (this.#activeWriter === null) done();
  }

  /** Writes the next piece of the archive file. After the last one the segments are replaced. */
  #writeNextPiece(): void {
    const archiveWriter = this.#activeWriter;
    if (archiveWriter === null) return;
    const isComplete = archiveWriter.writePiece();
    const syncFolder = (): void => this.#sync(this.#folder, () => this.#finish(archiveWriter));
    // Waiting for the disk after each piece also lets other events run.
    this.#sync(archiveWriter.path, () => (isComplete ? syncFolder() : this.#writeNextPiece()));
  }

  /** Replaces the segments by the durable archive file. */
  #finish({ path, span, firstRowOffset, index, oldSegments }: ArchiveFileWriter): void {
    this.#segments.replace(oldSegments.length, {
      path,
      firstNumber: span.first,
      lastNumber: span.last,
      firstRowOffset,
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
      if (this.#onStopped !== null) this.#end();
      else if (failure !== null) this.#switchOff();
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
      this.#switchOff();
    }
  }

  /** Ends the running compaction, and starts no other one. */
  #switchOff(): void {
    this.#isOff = true;
    this.#end();
  }

  /** Ends the running compaction. The next start removes its incomplete file. */
  #end(): void {
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
  /** Store offset of the segment that follows. */
  readonly endOffset: number;
  /** The last seal before that segment. */
  readonly sealBefore: Seal;
}

/** One archive file while it is written. */
class ArchiveFileWriter {
  readonly path: string;
  readonly oldSegments: readonly StoreSegment[];
  readonly span: SegmentRange;
  /** Store offset of the first row of the replaced segments. */
  readonly firstRowOffset: number;
  readonly index = new ArchiveIndex();
  readonly #disk: Disk;
  /** Store offset of the segment that follows. */
  readonly #endOffset: number;
  /** The last seal before that segment. */
  readonly #sealBefore: Seal;
  /** Store offset of the next row to read. */
  #storeOffset: number;
  /** Number of bytes that are written to the archive file. */
  #writtenBytes = 0;
  /** Number of frames that are written to the archive file. */
  #frameCount = 0;

  constructor(disk: Disk, { path, oldSegments, span, endOffset, sealBefore }: ArchiveFileOptions) {
    this.#disk = disk;
    this.path = path;
    this.oldSegments = oldSegments;
    this.span = span;
    this.firstRowOffset = this.#storeOffset = oldSegments[0]!.firstRowOffset;
    this.#endOffset = endOffset;
    this.#sealBefore = sealBefore;
    disk.create(path);
  }

  /** Writes the next piece. Returns true after the last one. */
  writePiece(): boolean {
    let lines = '';
    if (this.#frameCount === 0) {
      lines = `${archiveHeadText({ ...this.span, priorBytes: this.firstRowOffset })}\n`;
    }
    lines += this.#nextLines(this.#writtenBytes + lines.length);
    const isLast = this.#storeOffset === this.#endOffset;
    if (isLast) lines += `${archiveEndText({ bytes: this.#endOffset, ...this.#sealBefore })}\n`;
    const { text } = sealText(lines, ++this.#frameCount, this.#sealBefore.timeMs);
    this.#disk.append(this.path, Buffer.from(text, 'latin1'));
    this.#writtenBytes += text.length;
    return isLast;
  }

  /** Returns the archive lines of the next piece of the current segment. `fileOffset`: where the first of them will be in the file. */
  #nextLines(fileOffset: number): string {
    const segmentIndex = this.oldSegments.findLastIndex(({ firstRowOffset }) => firstRowOffset <= this.#storeOffset);
    const segment = this.oldSegments[segmentIndex]!;
    const segmentEnd = this.oldSegments[segmentIndex + 1]?.firstRowOffset ?? this.#endOffset;
    const rows = this.#readRows(segment, segmentEnd - this.#storeOffset);
    const lines: string[] = [];
    let linesLength = 0;
    for (let rowStart = 0; rowStart < rows.length;) {
      const rowEnd = rows.indexOf(LINE_FEED, rowStart);
      const kind = kindAt(rows, rowStart);
      if (isArchived(kind)) {
        const rowOffset = this.#storeOffset + rowStart;
        this.index.addRow(rowOffset, fileOffset + linesLength);
        const line = archiveLine(rowOffset, segment.layout.recodeRow(ARCHIVED[kind], rows.toString('latin1', rowStart, rowEnd)));
        lines.push(line);
        linesLength += line.length;
      }
      rowStart = rowEnd + 1;
    }
    this.#storeOffset += rows.length;
    return lines.join('');
  }

  /** Reads the next whole rows of a segment: one piece, or more if the first row is longer. Throws DiskError if no row ends in `bytesLeft`. */
  #readRows({ path, firstRowOffset }: StoreSegment, bytesLeft: number): Buffer {
    for (let length = Math.min(bytesLeft, PIECE_BYTES); ; length = Math.min(bytesLeft, length * 2)) {
      const { buffer, byteOffset, byteLength } = this.#disk.readAt(path, this.#storeOffset - firstRowOffset, length);
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      if (end > 0) return bytes.subarray(0, end);
      if (length === bytesLeft) throw new DiskError('EIO', path);
    }
  }
}
