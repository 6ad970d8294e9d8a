// The files of an exchange's record: their names, how each begins, and the way from a place to a row.

import { InvariantError } from '../../base/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Disk } from '../../ports/disk.ts';
import type { ArchiveIndex } from './archiveFile.ts';
import { LINE_FEED, type RowReader } from '../orders/rowStore.ts';

const PATTERN = /^exchange-(\d{6,9})\.rows$/;
/** 2: old segments may have given way to files of what is over. 3: orders and positions on futures bear their average prices. */
export const FORMAT = 3;

export const storeSegmentName = (number: number): string => `exchange-${String(number).padStart(6, '0')}.rows`;
/** The number of a segment; null for a file that is none. */
export function storeSegmentNumber(name: string): number | null {
  const number = Number(PATTERN.exec(name)?.[1] ?? 0);
  return number > 0 && storeSegmentName(number) === name ? number : null;
}

/** Digits by which amounts are whole numbers: they have to be the same for ever. */
export type InstrumentRow = readonly [id: string, price: number, quantity: number, quote: number, base: number];
export const instrumentRow = ({ id, priceDigits, quantityDigits, quoteDigits, baseDigits }: Instrument): InstrumentRow => [
  id,
  priceDigits,
  quantityDigits,
  quoteDigits,
  baseDigits,
];

/** The first row of a file: what came before it, and what its rows speak of. */
export type HeadRow = readonly [
  kind: 'head',
  format: number,
  number: number,
  priorSeq: number,
  priorCrc: string,
  /** Of the files before it. */
  priorBytes: number,
  /** When the exchange was opened for the first time, ms. */
  openedMs: number,
  /** How often it has been opened before. */
  restarts: number,
  instruments: readonly InstrumentRow[],
  /** Of its accounts. */
  uids: readonly string[],
];

/** A file of rows; of what is over it is one in the stead of several segments. */
export interface StoreSegment {
  readonly path: string;
  /** Of the segment, or of the first and the last one in whose stead it is. */
  readonly number: number;
  readonly last: number;
  /** Null: a segment itself. */
  readonly archive: ArchiveIndex | null;
  /** Bytes of all files before it: the place of its first row. */
  readonly base: number;
}

/** Rows are mostly shorter. */
const PIECE_BYTES = 512;
const MAX_BYTES = 1 << 20;

export class Segments implements RowReader {
  readonly all: StoreSegment[] = [];
  readonly #disk: Pick<Disk, 'readAt'>;

  constructor(disk: Pick<Disk, 'readAt'>) {
    this.#disk = disk;
  }

  /** One takes the place of the oldest `count` that are segments themselves. */
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
