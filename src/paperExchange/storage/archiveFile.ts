// Archive files: rows of compacted segments that readers may still request. Each row keeps its original offset.

import { InvariantError } from '../../base/errors.ts';
import type { Disk } from '../../ports/disk.ts';
import type { Seal } from './frame.ts';
import { LINE_FEED } from '../orders/rowStore.ts';

const PATTERN = /^exchange-(\d{6,9})-(\d{6,9})\.past$/;

/** The numbers of the segments that an archive file replaces. */
export interface SegmentRange {
  readonly first: number;
  readonly last: number;
}

export const archiveFileName = ({ first, last }: SegmentRange): string => `exchange-${padded(first)}-${padded(last)}.past`;
const padded = (number: number): string => String(number).padStart(6, '0');

/** Returns null if the file is not an archive file. */
export function spanOf(name: string): SegmentRange | null {
  const found = PATTERN.exec(name);
  const span = { first: Number(found?.[1]), last: Number(found?.[2]) };
  return span.first > 0 && span.first <= span.last && archiveFileName(span) === name ? span : null;
}

/** The first row of a file. Its frames have the same form as those of segments. */
export type ArchiveHeadRow = readonly [kind: 'past', format: number, first: number, last: number, base: number];
/** The last row of a file; without it the file is incomplete. It holds the start of the next segment and the last seal before that. */
export type ArchiveEndRow = readonly [kind: 'end', bytes: number, seq: number, timeMs: number, crc: string];

export const endRow = (bytes: number, { seq, timeMs, crc }: Seal): ArchiveEndRow => ['end', bytes, seq, timeMs, crc];
export const sealOfEnd = ([, , seq, timeMs, crc]: ArchiveEndRow): Seal => ({ seq, timeMs, crc });

/** Returns a line: the original offset of the row, a space, the row. */
export const archiveLine = (place: number, row: string): string => `${place} ${row}\n`;

/** The index keeps the offset of one row in this many. */
const STRIDE = 64;
const PIECE_BYTES = 16_384;
const MAX_BYTES = 1 << 22;

/** A sparse index of an archive file. Finding a row means reading at most a few dozen rows. */
export class ArchiveIndex {
  readonly #places: number[] = [];
  readonly #offsets: number[] = [];
  #rows = 0;

  /**
   * Adds a row to the index. Rows must come in ascending order of `place`, their original offset. `offset`: position of the line in the
   * file.
   */
  note(place: number, offset: number): void {
    if (this.#rows++ % STRIDE !== 0) return;
    this.#places.push(place);
    this.#offsets.push(offset);
  }

  /** Returns the row with the original offset `place`, without its line feed. Throws InvariantError if there is no such row. */
  read(disk: Pick<Disk, 'readAt'>, path: string, place: number): string {
    const from = this.#offsetBefore(place);
    for (let length = PIECE_BYTES; length <= MAX_BYTES; length *= 8) {
      const { buffer, byteOffset, byteLength } = disk.readAt(path, from, length);
      const bytes = Buffer.from(buffer, byteOffset, byteLength);
      for (let at = 0, end = bytes.indexOf(LINE_FEED); end >= 0; at = end + 1, end = bytes.indexOf(LINE_FEED, at)) {
        const space = bytes.indexOf(SPACE, at);
        if (Number(bytes.toString('latin1', at, space)) === place) return bytes.toString('latin1', space + 1, end);
      }
    }
    throw new InvariantError(`${path}: no row lay at ${place}`);
  }

  #offsetBefore(place: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#places[middle]! <= place) low = middle + 1;
      else high = middle;
    }
    return this.#offsets[low - 1] ?? 0;
  }
}

const SPACE = 32;

/**
 * True for an ended order or trigger, a trade, and a record of the profit history. Clients may still request such rows, or they are needed
 * to find one. All other rows of a segment are repeated at the start of a later one.
 */
export function isArchivedRow(bytes: Buffer, at: number, end: number): boolean {
  if (bytes[at + 3] !== QUOTE) return false;
  const kind = bytes[at + 2];
  // The last member of an order is the venue's part, which is null once the order has ended.
  if (kind === ORDER) return bytes.toString('latin1', end - OVER.length, end) === OVER;
  if (kind === TRIGGER) return !WAITS.test(bytes.toString('latin1', end - WAITS_BYTES, end));
  return kind === TRADE || kind === REDUCTION;
}
const QUOTE = 34;
const [ORDER, TRADE, REDUCTION, TRIGGER] = [111, 116, 114, 103];
const OVER = ',null]';
const WAITS = /"pending",-?\d+\]$/;
const WAITS_BYTES = 32;
