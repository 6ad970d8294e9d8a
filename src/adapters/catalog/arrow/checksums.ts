// Computes and checks the CRC-32 checksums of an Arrow file: of its head, each record batch and its foot. The foot stores them all.

import { crc32 } from 'node:zlib';

/** Keys of the checksums in the metadata of the foot. */
const PARTS_KEY = 'isobar_crc32';
const FOOT_KEY = 'isobar_crc32_foot';
/** Stands in the foot while the foot's own checksum is computed, and is then replaced by the checksum. */
const PLACEHOLDER = 'foot:________';

const crcText = (crc: number): string => crc.toString(16).padStart(8, '0');

const checksumOf = (pieces: readonly Uint8Array[]): string => crcText(pieces.reduce((crc, piece) => crc32(piece, crc), 0));

/** The checksums stored in a file. */
export interface FileChecksums {
  /** The checksum of the head, then that of each record batch including its header. */
  readonly parts: readonly string[];
  /** The checksum of all bytes after the last batch, as written by `withFootChecksum`. */
  readonly foot: string;
}

/** Collects the checksums of a file while it is written, part by part. */
export class Checksums {
  readonly #parts: string[] = [''];

  /** Sets the checksum of the head. A later call replaces it. */
  setHead(bytes: readonly Uint8Array[]): void {
    this.#parts[0] = checksumOf(bytes);
  }

  /** Adds the checksum of the bytes of a record batch. */
  addBatch(bytes: readonly Uint8Array[]): void {
    this.#parts.push(checksumOf(bytes));
  }

  /** Returns the checksums of the parts written. `withFootChecksum` fills in that of the foot. */
  pairs(): readonly (readonly [key: string, value: string])[] {
    return [
      [PARTS_KEY, this.#parts.join(' ')],
      [FOOT_KEY, PLACEHOLDER],
    ];
  }
}

/** Fills the foot's own checksum in, and returns the same buffer. */
export function withFootChecksum(foot: Buffer): Buffer {
  const position = foot.indexOf(PLACEHOLDER);
  foot.write(`foot:${crcText(crc32(foot))}`, position, 'latin1');
  return foot;
}

/** Returns the checksums in the metadata of a foot; null for a file without checksums. */
export function checksumsIn(metadata: ReadonlyMap<string, string>): FileChecksums | null {
  const parts = metadata.get(PARTS_KEY);
  const foot = metadata.get(FOOT_KEY);
  return parts === undefined || foot === undefined ? null : { parts: parts.split(' '), foot };
}

/** True if a part with the CRC-32 `crc` has the bytes that were written. */
export const isPartUnchanged = (crc: number, checksum: string | undefined): boolean => crcText(crc) === checksum;

/** True if the foot has the bytes that were written. */
export function isFootUnchanged(bytes: Uint8Array, { foot }: FileChecksums): boolean {
  const copy = Buffer.from(bytes);
  const position = copy.indexOf(foot);
  if (position < 0 || foot.length !== PLACEHOLDER.length) return false;
  copy.write(PLACEHOLDER, position, 'latin1');
  return foot === `foot:${crcText(crc32(copy))}`;
}
