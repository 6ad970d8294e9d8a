// Reads the files of an exchange's record back, strictly: frame after frame, or the first place at which they are not what was written.

import type { Disk } from '../../ports/disk.ts';
import { ConfigError } from '../../base/errors.ts';
import { frameAt, isTornFrame, NO_FRAME, type Frame, type Seal } from './frame.ts';
import { LINE_FEED } from './rowStore.ts';
import { FORMAT, type HeadRow, type Segment, segmentName, segmentNumber } from './segments.ts';

/** One file: its head, and where its frames are. */
export interface ReadSegment extends Segment {
  readonly head: HeadRow;
  readonly frames: readonly Frame[];
}

export interface Reading {
  /** Those that have a frame. */
  readonly segments: readonly ReadSegment[];
  readonly ending: Seal;
  /** Bytes of all frames. */
  readonly bytes: number;
  /** The next file gets this number. */
  readonly nextNumber: number;
  /** What a write left that did not finish, in words; null: there is none. It was never acknowledged. */
  readonly torn: string | null;
}

/** Throws ConfigError at files that are not what an exchange has written. */
export function readRecord(disk: Pick<Disk, 'list' | 'read'>, folder: string): Reading {
  const numbers = disk.list(folder).flatMap((name) => segmentNumber(name) ?? []);
  numbers.sort((a, b) => a - b);
  const segments: ReadSegment[] = [];
  let ending = NO_FRAME;
  let bytes = 0;
  let torn: string | null = null;
  numbers.forEach((number, at) => {
    const path = `${folder}/${segmentName(number)}`;
    if (number !== at + 1) throw damage(path, `expected ${segmentName(at + 1)} before it, got none`);
    const file = bytesOf(disk, path);
    const { frames, end } = framesOf(file, ending);
    if (end < file.length) {
      if (!isTornFrame(file, end))
        throw damage(path, `byte ${end}: expected frame ${ending.seq + frames.length + 1} whole, got something else`);
      torn = `${path}: ${file.length - end} bytes of a write that did not finish`;
    }
    const last = frames.at(-1);
    if (last === undefined) return;
    const head = headOf(file, frames[0]!, path);
    if (head[3] !== ending.seq || head[4] !== ending.crc || head[5] !== bytes) {
      throw damage(
        path,
        `it follows on frame ${head[3]} with checksum ${head[4]}, where frame ${ending.seq} with ${ending.crc} comes before it`,
      );
    }
    segments.push({ path, number, base: bytes, head, frames });
    ending = last.seal;
    bytes += end;
  });
  return { segments, ending, bytes, nextNumber: numbers.length + 1, torn };
}

/** Rows of a file, in their order, and where each lies. `kinds`: of what kinds, one letter each; null: all. */
export function visitRows(
  disk: Pick<Disk, 'read'>,
  { path, base, frames }: ReadSegment,
  kinds: string | null,
  visit: (row: readonly unknown[], place: number) => void,
): void {
  const bytes = bytesOf(disk, path);
  for (const { from, rowsEnd } of frames) {
    for (let at = from; at < rowsEnd;) {
      const end = bytes.indexOf(LINE_FEED, at);
      // A row begins `["o",`: those that nobody asks for need not be read.
      if (kinds === null || kinds.includes(String.fromCharCode(bytes[at + 2]!))) {
        const row: unknown = JSON.parse(bytes.toString('latin1', at, end));
        if (Array.isArray(row)) visit(row, base + at);
      }
      at = end + 1;
    }
  }
}

function framesOf(file: Buffer, before: Seal): { readonly frames: readonly Frame[]; readonly end: number } {
  const frames: Frame[] = [];
  let end = 0;
  for (let frame = frameAt(file, 0, before.seq + 1); frame !== null; frame = frameAt(file, end, frame.seal.seq + 1)) {
    frames.push(frame);
    end = frame.end;
  }
  return { frames, end };
}

function headOf(file: Buffer, { from }: Frame, path: string): HeadRow {
  const row: unknown = JSON.parse(file.toString('latin1', from, file.indexOf(LINE_FEED, from)));
  if (!Array.isArray(row) || row[0] !== 'head') throw damage(path, 'expected a head in its first line, got something else');
  if (typeof row[1] !== 'number' || row[1] > FORMAT) throw damage(path, `format ${String(row[1])} is one that this version does not know`);
  return row as unknown as HeadRow;
}

function bytesOf(disk: Pick<Disk, 'read'>, path: string): Buffer {
  const { buffer, byteOffset, byteLength } = disk.read(path);
  return Buffer.from(buffer, byteOffset, byteLength);
}

const damage = (path: string, says: string): ConfigError =>
  new ConfigError(`${path}: ${says}`, 'bring the folder back from a copy, or begin with an empty one; what it held is kept as it is');
