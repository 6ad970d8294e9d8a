// The files of the exchange store: their names, and how to find a record by its offset.

import { InvariantError } from '../../base/errors.ts';
import type { Disk } from '../../ports/disk.ts';
import type { ArchiveIndex } from './archiveFile.ts';
import type { Layout } from '../records/layout.ts';
import type { RecordSpec } from '../records/record.ts';
import { LINE_FEED, type RecordReader } from '../records/rowStore.ts';

const PATTERN = /^exchange-(\d{6,9})\.rows$/;
export const storeSegmentName = (number: number): string => `exchange-${String(number).padStart(6, '0')}.rows`;
/** Returns the number of a segment; null if the file is not a segment. */
export function storeSegmentNumber(name: string): number | null {
  const number = Number(PATTERN.exec(name)?.[1] ?? 0);
  return number > 0 && storeSegmentName(number) === name ? number : null;
}

/** A file of rows: a segment, or an archive file that replaces several segments. */
export interface StoreSegment {
  readonly path: string;
  /** Number of the segment, or of the first and the last segment that it replaces. */
  readonly number: number;
  readonly last: number;
  /** Null for a segment. */
  readonly archive: ArchiveIndex | null;
  /** Bytes of all files before it, which is the offset of its first row. */
  readonly base: number;
  /** The fields of its rows. */
  readonly layout: Layout;
}

/** Most rows are shorter. */
const PIECE_BYTES = 512;
const MAX_BYTES = 1 << 20;

export class Segments implements RecordReader {
  readonly all: StoreSegment[] = [];
  readonly #disk: Pick<Disk, 'readAt'>;

  constructor(disk: Pick<Disk, 'readAt'>) {
    this.#disk = disk;
  }

  /** Replaces the oldest `count` segments by an archive file. */
  replace(count: number, by: StoreSegment): void {
    this.all.splice(
      this.all.findIndex(({ archive }) => archive === null),
      count,
      by,
    );
  }

  read<R>(spec: RecordSpec<R>, place: number): R {
    const segment = this.#of(place);
    return segment.layout.read(spec, this.#row(segment, place));
  }

  #row({ path, base, archive }: StoreSegment, place: number): string {
    if (archive !== null) return archive.read(this.#disk, path, place);
    for (let length = PIECE_BYTES; length <= MAX_BYTES; length *= 8) {
      const { buffer, byteOffset, byteLength } = this.#disk.readAt(path, place - base, length);
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      const end = bytes.indexOf(LINE_FEED);
      if (end >= 0) return bytes.toString('latin1', 0, end);
    }
    throw new InvariantError(`${path}: no row at byte ${place - base}`);
  }

  #of(place: number): StoreSegment {
    let [low, high] = [0, this.all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.all[middle]!.base <= place) low = middle + 1;
      else high = middle;
    }
    const found = this.all[low - 1];
    if (found === undefined) throw new InvariantError(`no file has a row at ${place}`);
    return found;
  }
}
