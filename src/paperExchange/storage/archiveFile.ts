// Archive files: rows of compacted segments that readers may still request. Each row keeps its original offset.

import { InvariantError } from '../../base/errors.ts';
import type { Disk } from '../../ports/disk.ts';
import { LINE_FEED } from '../records/rowStore.ts';
import { ARCHIVED, type ArchivedKind } from './recordTable.ts';

const FILE_NAME_PATTERN = /^exchange-(\d{6,9})-(\d{6,9})\.past$/;

/** The numbers of the segments that an archive file replaces. */
export interface SegmentRange {
  readonly first: number;
  readonly last: number;
}

/** Returns the name of the archive file for some segments. */
export const archiveFileName = ({ first, last }: SegmentRange): string => `exchange-${padNumber(first)}-${padNumber(last)}.past`;
const padNumber = (number: number): string => String(number).padStart(6, '0');

/** Returns the segments that an archive file replaces; null for the name of another file. */
export function segmentRangeOf(name: string): SegmentRange | null {
  const match = FILE_NAME_PATTERN.exec(name);
  const range = { first: Number(match?.[1]), last: Number(match?.[2]) };
  return range.first > 0 && range.first <= range.last && archiveFileName(range) === name ? range : null;
}

/** Returns a line: the original offset of the row, a space, the row. */
export const archiveLine = (storeOffset: number, row: string): string => `${storeOffset} ${row}\n`;

/** The index has one entry for this many rows. */
const ROWS_PER_ENTRY = 64;
/** Bytes of the first read in search of a row. Most rows between two entries of the index fit into it. */
const FIRST_READ_BYTES = 16_384;
/** Each further read of the search is this many times as long: 16 KiB, 128 KiB and 1 MiB. */
const READ_GROWTH = 8;
/** Bytes of the last read. A row that it does not contain counts as missing. */
const LAST_READ_BYTES = FIRST_READ_BYTES * READ_GROWTH ** 2;

const SPACE = 32;

/** A sparse index of an archive file. Finding a row means reading at most a few dozen rows. */
export class ArchiveIndex {
  readonly #storeOffsets: number[] = [];
  readonly #fileOffsets: number[] = [];
  #rows = 0;

  /**
   * Adds a row to the index. Rows must come in ascending order of `storeOffset`, their original offset. `fileOffset`: position of the line
   * in the file.
   */
  addRow(storeOffset: number, fileOffset: number): void {
    if (this.#rows++ % ROWS_PER_ENTRY !== 0) return;
    this.#storeOffsets.push(storeOffset);
    this.#fileOffsets.push(fileOffset);
  }

  /** Returns the row with the original offset `storeOffset`, without its line feed. Throws InvariantError if there is no such row. */
  read(disk: Pick<Disk, 'readAt'>, path: string, storeOffset: number): string {
    const from = this.#offsetBefore(storeOffset);
    for (let length = FIRST_READ_BYTES; length <= LAST_READ_BYTES; length *= READ_GROWTH) {
      const { buffer, byteOffset, byteLength } = disk.readAt(path, from, length);
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      for (
        let lineStart = 0, lineEnd = bytes.indexOf(LINE_FEED);
        lineEnd >= 0;
        lineStart = lineEnd + 1, lineEnd = bytes.indexOf(LINE_FEED, lineStart)
      ) {
        const space = bytes.indexOf(SPACE, lineStart);
        if (Number(bytes.toString('latin1', lineStart, space)) === storeOffset) return bytes.toString('latin1', space + 1, lineEnd);
      }
    }
    throw new InvariantError(`${path}: no row with the original offset ${storeOffset}`);
  }

  /** Returns the offset in the file of the last indexed row at or before `storeOffset`. */
  #offsetBefore(storeOffset: number): number {
    let low = 0;
    let high = this.#storeOffsets.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#storeOffsets[middle]! <= storeOffset) low = middle + 1;
      else high = middle;
    }
    return this.#fileOffsets[low - 1] ?? 0;
  }
}

const QUOTE = 34;

/** Returns the name of the record in the row that starts at `offset`; empty if the bytes are not a row. */
export function kindAt(bytes: Buffer, offset: number): string {
  const end = bytes.indexOf(QUOTE, offset + 2);
  return end < 0 ? '' : bytes.toString('latin1', offset + 2, end);
}

/** True for an ended order or trigger, a trade, and an entry of the profit history. */
export const isArchived = (kind: string): kind is ArchivedKind => Object.hasOwn(ARCHIVED, kind);
