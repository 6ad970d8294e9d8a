// CRC-32 checksums of an Arrow file: of its head, each record batch, and its foot. The foot's metadata contains all of them.

import { crc32 } from 'node:zlib';

const PARTS = 'isobar_crc32';
const FOOT = 'isobar_crc32_foot';
/** Placeholder for the checksum of the foot. It is included when that checksum is computed. */
const OPEN = 'foot:________';

const textOf = (crc: number): string => crc.toString(16).padStart(8, '0');

/** The checksums stored in a file. */
export interface FileChecksums {
  /** The checksum of the head, then that of each record batch including its header. */
  readonly parts: readonly string[];
  /** The checksum of everything behind the last batch, as written by `sealed`. */
  readonly foot: string;
}

/** Collects the checksums of a file while it is written, part by part. */
export class Checksums {
  readonly #parts: string[] = [];

  addPart(bytes: readonly Uint8Array[]): void {
    this.#parts.push(textOf(bytes.reduce((crc, each) => crc32(each, crc), 0)));
  }

  /** Returns the checksums of the parts written. `sealed` fills in that of the foot. */
  pairs(): readonly (readonly [key: string, value: string])[] {
    return [
      [PARTS, this.#parts.join(' ')],
      [FOOT, OPEN],
    ];
  }
}

/** Returns the foot with its own checksum filled in. */
export function sealed(foot: Buffer): Buffer {
  const at = foot.indexOf(OPEN);
  foot.write(`foot:${textOf(crc32(foot))}`, at, 'latin1');
  return foot;
}

/** Returns null for a file without checksums. */
export function checksumsIn(metadata: ReadonlyMap<string, string>): FileChecksums | null {
  const [parts, foot] = [metadata.get(PARTS), metadata.get(FOOT)];
  return parts === undefined || foot === undefined ? null : { parts: parts.split(' '), foot };
}

/** True if a part has the bytes that were written. */
export const isPart = (bytes: Uint8Array, checksum: string | undefined): boolean => textOf(crc32(bytes)) === checksum;

/** True if the foot has the bytes that were written. */
export function isFoot(bytes: Uint8Array, { foot }: FileChecksums): boolean {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(foot);
  if (at < 0 || foot.length !== OPEN.length) return false;
  copy.write(OPEN, at, 'latin1');
  return foot === `foot:${textOf(crc32(copy))}`;
}
