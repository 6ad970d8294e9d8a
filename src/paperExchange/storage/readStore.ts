// Reads the files of an exchange store, frame by frame, and stops at the first place where they differ from what was written.

import type { Disk } from '../../ports/disk.ts';
import { ConfigError } from '../../base/errors.ts';
import { frameAt, isTornFrame, NO_FRAME, type StoreFrame, type Seal } from './frame.ts';
import { type ArchiveEndRow, ArchiveIndex, archiveFileName, sealOfEnd, type SegmentRange, spanOf } from './archiveFile.ts';
import { LINE_FEED } from '../orders/rowStore.ts';
import { FORMAT, type HeadRow, type StoreSegment, storeSegmentName, storeSegmentNumber } from './segments.ts';

/** One segment: its head, and the positions of its frames. */
export interface ReadSegment extends StoreSegment {
  readonly head: HeadRow;
  readonly frames: readonly StoreFrame[];
}

/** One archive file. */
export interface ArchiveReading extends StoreSegment {
  readonly archive: ArchiveIndex;
  readonly frames: readonly StoreFrame[];
}

export interface StoreReading {
  /** Archive files, which replace the oldest segments. */
  readonly pasts: readonly ArchiveReading[];
  /** Segments that have a frame. */
  readonly segments: readonly ReadSegment[];
  readonly ending: Seal;
  /** Bytes of all frames, including those of segments that no longer exist. */
  readonly bytes: number;
  /** Number for the next file. */
  readonly nextNumber: number;
  /** Description of a torn write, which was never acknowledged; null if no write was torn. */
  readonly torn: string | null;
  /** Files that are incomplete, or that others have replaced. */
  readonly needless: readonly string[];
}

/** Throws ConfigError if the files are not what an exchange has written. */
export function readStore(disk: Pick<Disk, 'list' | 'read'>, folder: string): StoreReading {
  const names = disk.list(folder);
  const numbers = names.flatMap((name) => storeSegmentNumber(name) ?? []);
  numbers.sort((a, b) => a - b);
  const spans = neededSpans(
    names.flatMap((name) => spanOf(name) ?? []),
    new Set(numbers),
  );
  const pasts: ArchiveReading[] = [];
  let [ending, bytes, next] = [NO_FRAME, 0, 1];
  for (const span of spans) {
    if (span.first !== next) throw damage(`${folder}/${archiveFileName(span)}`, `expected ${storeSegmentName(next)} before it, got none`);
    const found = readArchive(disk, `${folder}/${archiveFileName(span)}`, span, bytes);
    pasts.push(found.past);
    [ending, bytes, next] = [found.ending, found.bytes, span.last + 1];
  }
  const left = numbers.filter((number) => number >= next);
  if (pasts.length > 0 && left.length === 0) throw damage(`${folder}/${storeSegmentName(next)}`, 'expected what came last, got none');
  const read = readSegments(disk, folder, left, { next, ending, bytes });
  const kept = new Set([...spans.map(archiveFileName), ...left.map(storeSegmentName)]);
  const own = names.filter((name) => storeSegmentNumber(name) !== null || spanOf(name) !== null);
  return { ...read, pasts, nextNumber: (left.at(-1) ?? 0) + 1, needless: own.filter((name) => !kept.has(name)) };
}

/**
 * Returns the archive files that are needed. Segments are removed only once their archive file is durable. While all of them exist, the
 * archive file is not needed and may not be durable. Of two overlapping archive files, the longer one is newer.
 */
function neededSpans(all: readonly SegmentRange[], segments: ReadonlySet<number>): readonly SegmentRange[] {
  const needed = all.filter(({ first, last }) => {
    for (let number = first; number <= last; number++) if (!segments.has(number)) return true;
    return false;
  });
  const isWithin = (of: SegmentRange, other: SegmentRange): boolean => of !== other && other.first <= of.first && other.last >= of.last;
  return needed.filter((span) => !needed.some((other) => isWithin(span, other))).toSorted((a, b) => a.first - b.first);
}

interface Before {
  /** Number of the next segment. */
  readonly next: number;
  readonly ending: Seal;
  readonly bytes: number;
}

function readSegments(
  disk: Pick<Disk, 'read'>,
  folder: string,
  numbers: readonly number[],
  before: Before,
): Pick<StoreReading, 'segments' | 'ending' | 'bytes' | 'torn'> {
  const segments: ReadSegment[] = [];
  let { ending, bytes } = before;
  let torn: string | null = null;
  numbers.forEach((number, at) => {
    const path = `${folder}/${storeSegmentName(number)}`;
    if (number !== before.next + at) throw damage(path, `expected ${storeSegmentName(before.next + at)} before it, got none`);
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
    segments.push({ path, number, last: number, base: bytes, archive: null, head, frames });
    ending = last.seal;
    bytes += end;
  });
  return { segments, ending, bytes, torn };
}

function readArchive(
  disk: Pick<Disk, 'read'>,
  path: string,
  { first, last }: SegmentRange,
  base: number,
): { readonly past: ArchiveReading; readonly ending: Seal; readonly bytes: number } {
  const file = bytesOf(disk, path);
  const { frames, end } = framesOf(file, NO_FRAME);
  const closing = frames.at(-1);
  if (end < file.length || closing === undefined)
    throw damage(path, `byte ${end}: expected frame ${frames.length + 1} whole, got something else`);
  const head = lineAt(file, 0);
  if (head[0] !== 'past' || head[2] !== first || head[3] !== last || head[4] !== base) throw damage(path, 'expected another first line');
  checkFormat(head[1], path);
  const endAt = file.lastIndexOf(LINE_FEED, closing.rowsEnd - 2) + 1;
  const row = lineAt(file, endAt) as unknown as ArchiveEndRow;
  if (row[0] !== 'end') throw damage(path, 'it is not finished');
  return { past: { path, number: first, last, base, archive: new ArchiveIndex(), frames }, ending: sealOfEnd(row), bytes: row[1] };
}

const lineAt = (file: Buffer, from: number): readonly unknown[] => {
  const row: unknown = JSON.parse(file.toString('latin1', from, file.indexOf(LINE_FEED, from)));
  return Array.isArray(row) ? row : [];
};

/** Visits the lines of a file. `at` and `end` are positions in `bytes`, without the line feed. */
export function visitLines(
  disk: Pick<Disk, 'read'>,
  { path, frames }: ReadSegment | ArchiveReading,
  visit: (bytes: Buffer, at: number, end: number) => void,
): void {
  const bytes = bytesOf(disk, path);
  for (const { from, rowsEnd } of frames) {
    for (let at = from; at < rowsEnd;) {
      const end = bytes.indexOf(LINE_FEED, at);
      visit(bytes, at, end);
      at = end + 1;
    }
  }
}

function framesOf(file: Buffer, before: Seal): { readonly frames: readonly StoreFrame[]; readonly end: number } {
  const frames: StoreFrame[] = [];
  let end = 0;
  for (let frame = frameAt(file, 0, before.seq + 1); frame !== null; frame = frameAt(file, end, frame.seal.seq + 1)) {
    frames.push(frame);
    end = frame.end;
  }
  return { frames, end };
}

function headOf(file: Buffer, { from }: StoreFrame, path: string): HeadRow {
  const row = lineAt(file, from);
  if (row[0] !== 'head') throw damage(path, 'expected a head in its first line, got something else');
  checkFormat(row[1], path);
  return row as unknown as HeadRow;
}

function checkFormat(format: unknown, path: string): void {
  if (typeof format !== 'number' || format > FORMAT) throw damage(path, `format ${String(format)} is one that this version does not know`);
}

function bytesOf(disk: Pick<Disk, 'read'>, path: string): Buffer {
  const { buffer, byteOffset, byteLength } = disk.read(path);
  return Buffer.from(buffer, byteOffset, byteLength);
}

const damage = (path: string, message: string): ConfigError =>
  new ConfigError(`${path}: ${message}`, 'bring the folder back from a copy, or begin with an empty one; what it held is kept as it is');
