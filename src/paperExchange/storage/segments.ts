// The files of the exchange store: their names, and how to find a record by its offset.

import { InvariantError } from '../../base/errors.ts';
import type { Disk } from '../../ports/disk.ts';
import type { ArchiveIndex } from './archiveFile.ts';
import type { Layout } from '../records/layout.ts';
import type { RecordSpec } from '../records/record.ts';
import { LINE_FEED, type StoredRecordReader } from '../records/rowStore.ts';

const SEGMENT_NAME = /^exchange-(\d{6,9})\.rows$/;

/** Returns the file name of the segment with this number. */
export const storeSegmentName = (number: number): string => `exchange-${String(number).padStart(6, '0')}.rows`;

/** Returns the number of the segment with this file name; null if the file is not a segment. */
export function storeSegmentNumber(name: string): number | null {
  const number = Number(SEGMENT_NAME.exec(name)?.[1] ?? 0);
  // Segments are numbered from 1. The second check rejects superfluous leading zeros.
  return number > 0 && storeSegmentName(number) === name ? number : null;
}

/** A file of rows: a segment, or an archive file that replaces several segments. */
export interface StoreSegment {
  readonly path: string;
  /** Number of the segment; for an archive file, of the first segment that it replaces. */
  readonly firstNumber: number;
  /** Number of the segment; for an archive file, of the last segment that it replaces. */
  readonly lastNumber: number;
  /** Index of the archive file; null for a segment. */
  readonly archive: ArchiveIndex | null;
  /** Store offset of the first row: the bytes of all earlier files. */
  readonly firstRowOffset: number;
  /** Order of the fields in the rows. */
  readonly layout: Layout;
}

/** Bytes of the first read of a row. Most rows are shorter. */
const FIRST_READ_BYTES = 512;
/** Each further read of a row is this many times as long: 512 B, 4 KiB, 32 KiB and 256 KiB. */
const READ_GROWTH = 8;
/** Bytes of the last read of a row. A longer row counts as damage. */
const LAST_READ_BYTES = FIRST_READ_BYTES * READ_GROWTH ** 3;

/** All files of a store, oldest first. */
export class Segments implements StoredRecordReader {
  readonly all: StoreSegment[] = [];
  readonly #disk: Pick<Disk, 'readAt'>;

  constructor(disk: Pick<Disk, 'readAt'>) {
    this.#disk = disk;
  }

  /** Replaces the oldest `count` segments, which follow the archive files, by an archive file. */
  replace(count: number, archiveFile: StoreSegment): void {
    this.all.splice(
      this.all.findIndex(({ archive }) => archive === null),
      count,
      archiveFile,
    );
  }

  /** Reads the record of the row at a store offset. Throws InvariantError if there is no row. */
  read<R>(spec: RecordSpec<R>, storeOffset: number): R {
    const segment = this.#fileWith(storeOffset);
    return segment.layout.read(spec, this.#rowText(segment, storeOffset));
  }

  /** Returns the text of the row at a store offset, without its line feed. */
  #rowText({ path, firstRowOffset, archive }: StoreSegment, storeOffset: number): string {
    if (archive !== null) return archive.read(this.#disk, path, storeOffset);
    for (let length = FIRST_READ_BYTES; length <= LAST_READ_BYTES; length *= READ_GROWTH) {
      const { buffer, byteOffset, byteLength } = this.#disk.readAt(path, storeOffset - firstRowOffset, length);
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      const lineEnd = bytes.indexOf(LINE_FEED);
      if (lineEnd >= 0) return bytes.toString('latin1', 0, lineEnd);
    }
    throw new InvariantError(`${path}: no row at byte ${storeOffset - firstRowOffset}`);
  }

  /** Returns the file that has the row at a store offset, by binary search. */
  #fileWith(storeOffset: number): StoreSegment {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.all[middle]!.firstRowOffset <= storeOffset) low = middle + 1;
      else high = middle;
    }
    const file = this.all[low - 1];
    if (file === undefined) throw new InvariantError(`no file of the store has a row at ${storeOffset}`);
    return file;
  }
}
