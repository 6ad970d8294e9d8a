// The files of the exchange store: their names, their heads, and how to find a row by its offset.

import { InvariantError } from '../../base/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Disk } from '../../ports/disk.ts';
import type { ArchiveIndex } from './archiveFile.ts';
import { LINE_FEED, type RowReader } from '../orders/rowStore.ts';

const PATTERN = /^exchange-(\d{6,9})\.rows$/;
/** Format 2: archive files may replace old segments. Format 3: futures orders and positions have their average prices. */
export const FORMAT = 3;

export const storeSegmentName = (number: number): string => `exchange-${String(number).padStart(6, '0')}.rows`;
/** Returns the number of a segment; null if the file is not a segment. */
export function storeSegmentNumber(name: string): number | null {
  const number = Number(PATTERN.exec(name)?.[1] ?? 0);
  return number > 0 && storeSegmentName(number) === name ? number : null;
}

/** Digits that define the scales of amounts. They must never change. */
export type InstrumentRow = readonly [id: string, price: number, quantity: number, quote: number, base: number];
export const instrumentRow = ({ id, priceDigits, quantityDigits, quoteDigits, baseDigits }: Instrument): InstrumentRow => [
  id,
  priceDigits,
  quantityDigits,
  quoteDigits,
  baseDigits,
];

/** The first row of a file: what precedes it, and the instruments and accounts of its rows. */
export type HeadRow = readonly [
  kind: 'head',
  format: number,
  number: number,
  priorSeq: number,
  priorCrc: string,
  /** Bytes of the files before it. */
  priorBytes: number,
  /** Time of the first opening of the exchange, ms. */
  openedMs: number,
  /** Number of restarts before. */
  restarts: number,
  instruments: readonly InstrumentRow[],
  /** Uids of the accounts. */
  uids: readonly string[],
];

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
}

/** Most rows are shorter. */
const PIECE_BYTES = 512;
const MAX_BYTES = 1 << 20;

export class Segments implements RowReader {
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

  read(place: number): string {
    const { path, base, archive } = this.#of(place);
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
