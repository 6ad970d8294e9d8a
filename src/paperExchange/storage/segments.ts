// The files of the exchange store: their names, and how to find a record by its offset.

import { InvariantError } from '../../base/errors.ts';
import type { Disk } from '../../ports/disk.ts';
import type { ArchiveIndex } from './archiveFile.ts';
import type { Layout } from '../records/layout.ts';
import type { RecordSpec } from '../records/record.ts';
import { LINE_FEED, type StoredRecordReader } from '../records/rowStore.ts';

const PATTERN = /^exchange-(\d{6,9})\.rows$/;
/** Returns the name of a segment. */
export const storeSegmentName = (number: number): string => `exchange-${String(number).padStart(6, '0')}.rows`;
/** Returns the number of a segment; null if the file is not a segment. */
export function storeSegmentNumber(name: string): number | null {
  const number = Number(PATTERN.exec(name)?.[1] ?? 0);
  return number > 0 && storeSegmentName(number) === name ? number : null;
}

/** A file of rows: a segment, or an archive file that replaces several segments. */
export interface StoreSegment {
  readonly path: string;
  /** Number of the segment, or numbers of the first and the last segment that the archive file replaces. */
  readonly number: number;
  readonly last: number;
  /** Null for a segment. */
  readonly archive: ArchiveIndex | null;
  /** Offset of the first row: the bytes of all earlier files. */
  readonly base: number;
  /** Order of the fields in the rows. */
  readonly layout: Layout;
}

/** Bytes that are read first in search of a row, and at most. Most rows are shorter than the first piece. */
const PIECE_BYTES = 512;
const MAX_BYTES = 1 << 20;

/** All files of a store, oldest first. */
export class Segments implements StoredRecordReader {
  readonly all: StoreSegment[] = [];
  readonly #disk: Pick<Disk, 'readAt'>;

  constructor(disk: Pick<Disk, 'readAt'>) {
    this.#disk = disk;
  }

  /** Replaces the oldest `count` segments by an archive file. */
  replace(count: number, archiveFile: StoreSegment): void {
    this.all.splice(
      this.all.findIndex(({ archive }) => archive === null),
      count,
      archiveFile,
    );
  }

  read<R>(spec: RecordSpec<R>, storeOffset: number): R {
    const segment = this.#fileWith(storeOffset);
    return segment.layout.read(spec, this.#row(segment, storeOffset));
  }

  /** Reads the text of a row. */
  #row({ path, base, archive }: StoreSegment, storeOffset: number): string {
    if (archive !== null) return archive.read(this.#disk, path, storeOffset);
    for (let length = PIECE_BYTES; length <= MAX_BYTES; length *= 8) {
      const { buffer, byteOffset, byteLength } = this.#disk.readAt(path, storeOffset - base, length);
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      const lineEnd = bytes.indexOf(LINE_FEED);
      if (lineEnd >= 0) return bytes.toString('latin1', 0, lineEnd);
    }
    throw new InvariantError(`${path}: no row at byte ${storeOffset - base}`);
  }

  /** Returns the file that has the row at an offset. */
  #fileWith(storeOffset: number): StoreSegment {
    let low = 0;
    let high = this.all.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.all[middle]!.base <= storeOffset) low = middle + 1;
      else high = middle;
    }
    const file = this.all[low - 1];
    if (file === undefined) throw new InvariantError(`no file of the store has a row at ${storeOffset}`);
    return file;
  }
}
