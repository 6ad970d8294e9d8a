// Checksums of an Arrow file (CRC-32): of its head, of each record batch, and of its foot, in which all of them stand as metadata.

import { crc32 } from 'node:zlib';

const PARTS = 'isobar_crc32';
const FOOT = 'isobar_crc32_foot';
/** Stands where the checksum of the foot will, and is part of what that checksum is taken over. */
const OPEN = 'foot:________';

const textOf = (crc: number): string => crc.toString(16).padStart(8, '0');

/** What a file says of itself. */
export interface FileChecksums {
  /** Of the head, then of each record batch with its own header. */
  readonly parts: readonly string[];
  /** Of everything behind the last batch, as `sealed` wrote it. */
  readonly foot: string;
}

/** Collects the checksums of a file that is being written, part by part. */
export class Checksums {
  readonly #parts: string[] = [];

  part(bytes: readonly Uint8Array[]): void {
    this.#parts.push(textOf(bytes.reduce((crc, each) => crc32(each, crc), 0)));
  }

  /** Of the parts so far; the checksum of the foot is filled in by `sealed`. */
  pairs(): readonly (readonly [key: string, value: string])[] {
    return [
      [PARTS, this.#parts.join(' ')],
      [FOOT, OPEN],
    ];
  }
}

/** The foot of a file with its own checksum in it. */
export function sealed(foot: Buffer): Buffer {
  const at = foot.indexOf(OPEN);
  foot.write(`foot:${textOf(crc32(foot))}`, at, 'latin1');
  return foot;
}

/** Null for a file without checksums. */
export function checksumsIn(metadata: ReadonlyMap<string, string>): FileChecksums | null {
  const [parts, foot] = [metadata.get(PARTS), metadata.get(FOOT)];
  return parts === undefined || foot === undefined ? null : { parts: parts.split(' '), foot };
}

/** Whether a part has the bytes that were written. */
export const isPart = (bytes: Uint8Array, checksum: string | undefined): boolean => textOf(crc32(bytes)) === checksum;

/** Whether the foot has the bytes that were written. */
export function isFoot(bytes: Uint8Array, { foot }: FileChecksums): boolean {
  const copy = Buffer.from(bytes);
  const at = copy.indexOf(foot);
  if (at < 0 || foot.length !== OPEN.length) return false;
  copy.write(OPEN, at, 'latin1');
  return foot === `foot:${textOf(crc32(copy))}`;
}
