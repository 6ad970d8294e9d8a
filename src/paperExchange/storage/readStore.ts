// Reads the files of an exchange store, frame by frame, and stops at the first place where they differ from what was written.

import type { Disk } from '../../ports/disk.ts';
import { frameAt, isTornFrame, NO_FRAME, type StoreFrame, type Seal } from './frame.ts';
import { ArchiveIndex, archiveFileName, type SegmentRange, segmentRangeOf } from './archiveFile.ts';
import { storeDamageError } from '../records/layout.ts';
import { valuesIn } from '../records/record.ts';
import { LINE_FEED } from '../records/rowStore.ts';
import { archiveEndIn, archiveHeadIn, type SegmentHead, segmentHeadIn } from './recordTable.ts';
import { type StoreSegment, storeSegmentName, storeSegmentNumber } from './segments.ts';

/** One segment: its head, and the positions of its frames. */
export interface ReadSegment extends StoreSegment {
  readonly head: SegmentHead;
  readonly frames: readonly StoreFrame[];
}

/** One archive file. */
export interface ArchiveReading extends StoreSegment {
  readonly archive: ArchiveIndex;
  readonly frames: readonly StoreFrame[];
}

/** The content of a store: its files, and where its last frame ends. */
export interface StoreReading {
  /** Archive files, which replace the oldest segments. */
  readonly archives: readonly ArchiveReading[];
  /** Segments that have a frame. */
  readonly segments: readonly ReadSegment[];
  /** The last seal. */
  readonly ending: Seal;
  /** Bytes of all frames, including those of segments that no longer exist. */
  readonly bytes: number;
  /** Number of the next file to write. */
  readonly nextNumber: number;
  /** Description of a torn write, which was never acknowledged; null if no write was torn. */
  readonly tornWrite: string | null;
  /** Names of files that are incomplete, or that other files have replaced. */
  readonly obsolete: readonly string[];
}

/** Reads a store. Throws ConfigError if its files are damaged or from another version. */
export function readStore(disk: Pick<Disk, 'list' | 'read'>, folder: string): StoreReading {
  const names = disk.list(folder);
  const numbers = names.flatMap((name) => storeSegmentNumber(name) ?? []);
  numbers.sort((a, b) => a - b);
  const ranges = neededArchives(
    names.flatMap((name) => segmentRangeOf(name) ?? []),
    new Set(numbers),
  );
  const archives: ArchiveReading[] = [];
  let ending = NO_FRAME;
  let bytes = 0;
  let nextNumber = 1;
  for (const range of ranges) {
    if (range.first !== nextNumber)
      throw storeDamageError(`${folder}/${archiveFileName(range)}`, `expected ${storeSegmentName(nextNumber)} before it, got none`);
    const reading = readArchive(disk, `${folder}/${archiveFileName(range)}`, range, bytes);
    archives.push(reading.archive);
    ending = reading.ending;
    bytes = reading.bytes;
    nextNumber = range.last + 1;
  }
  const remainingNumbers = numbers.filter((number) => number >= nextNumber);
  if (archives.length > 0 && remainingNumbers.length === 0)
    throw storeDamageError(`${folder}/${storeSegmentName(nextNumber)}`, 'expected this file after the archive, got none');
  const segmentsRead = readSegments(disk, folder, remainingNumbers, { nextNumber, ending, bytes });
  const neededFiles = new Set([...ranges.map(archiveFileName), ...remainingNumbers.map(storeSegmentName)]);
  const storeFiles = names.filter((name) => storeSegmentNumber(name) !== null || segmentRangeOf(name) !== null);
  return {
    ...segmentsRead,
    archives,
    nextNumber: (remainingNumbers.at(-1) ?? 0) + 1,
    obsolete: storeFiles.filter((name) => !neededFiles.has(name)),
  };
}

/**
 * Returns the archive files that are needed. Segments are removed only once their archive file is durable. While all of them exist, the
 * archive file is not needed and may not be durable. Of two overlapping archive files, the longer one is newer.
 */
function neededArchives(ranges: readonly SegmentRange[], segments: ReadonlySet<number>): readonly SegmentRange[] {
  const needed = ranges.filter(({ first, last }) => {
    for (let number = first; number <= last; number++) if (!segments.has(number)) return true;
    return false;
  });
  const isWithin = (inner: SegmentRange, outer: SegmentRange): boolean =>
    inner !== outer && outer.first <= inner.first && outer.last >= inner.last;
  return needed.filter((range) => !needed.some((other) => isWithin(range, other))).toSorted((a, b) => a.first - b.first);
}

/** The end of the files that precede the segments. */
interface PriorEnd {
  /** Number of the next segment. */
  readonly nextNumber: number;
  readonly ending: Seal;
  readonly bytes: number;
}

/** Reads the segments in sequence. */
function readSegments(
  disk: Pick<Disk, 'read'>,
  folder: string,
  numbers: readonly number[],
  prior: PriorEnd,
): Pick<StoreReading, 'segments' | 'ending' | 'bytes' | 'tornWrite'> {
  const segments: ReadSegment[] = [];
  let { ending, bytes } = prior;
  let torn: string | null = null;
  numbers.forEach((firstNumber, index) => {
    const path = `${folder}/${storeSegmentName(firstNumber)}`;
    const expectedNumber = prior.nextNumber + index;
    if (firstNumber !== expectedNumber) throw storeDamageError(path, `expected ${storeSegmentName(expectedNumber)} before it, got none`);
    const file = bytesOf(disk, path);
    const { frames, end } = framesOf(file, ending);
    const headAndLayout = frames.length === 0 ? null : segmentHeadIn(fieldsAt(file, frames[0]!.from), path);
    if (end < file.length) {
      if (!isTornFrame(file, end))
        throw storeDamageError(path, `byte ${end}: expected a complete frame ${ending.seq + frames.length + 1}, got something else`);
      torn = `${path}: ${file.length - end} bytes of a write that did not finish`;
    }
    const last = frames.at(-1);
    if (last === undefined || headAndLayout === null) return;
    const { head, layout } = headAndLayout;
    if (head.priorSeq !== ending.seq || head.priorCrc !== ending.crc || head.priorBytes !== bytes) {
      throw storeDamageError(
        path,
        `expected frame ${head.priorSeq} with checksum ${head.priorCrc} before it, got frame ${ending.seq} with ${ending.crc}`,
      );
    }
    segments.push({ path, firstNumber, lastNumber: firstNumber, firstRowOffset: bytes, archive: null, layout, head, frames });
    ending = last.seal;
    bytes += end;
  });
  return { segments, ending, bytes, tornWrite: torn };
}

/** Reads the frames, the head and the end line of an archive file. */
function readArchive(
  disk: Pick<Disk, 'read'>,
  path: string,
  { first, last: lastNumber }: SegmentRange,
  firstRowOffset: number,
): { readonly archive: ArchiveReading; readonly ending: Seal; readonly bytes: number } {
  const file = bytesOf(disk, path);
  const { frames, end } = framesOf(file, NO_FRAME);
  const lastFrame = frames.at(-1);
  if (end < file.length || lastFrame === undefined)
    throw storeDamageError(path, `byte ${end}: expected a complete frame ${frames.length + 1}, got something else`);
  const { head, layout } = archiveHeadIn(fieldsAt(file, 0), path);
  if (head.first !== first || head.last !== lastNumber || head.priorBytes !== firstRowOffset)
    throw storeDamageError(path, 'expected a first line that fits its name and the files before it, got another');
  const endLineStart = file.lastIndexOf(LINE_FEED, lastFrame.rowsEnd - 2) + 1;
  const endRow = archiveEndIn(fieldsAt(file, endLineStart), path);
  if (endRow === null) throw storeDamageError(path, 'expected an end line, got an unfinished file');
  const { bytes, ...ending } = endRow;
  return { archive: { path, firstNumber: first, lastNumber, firstRowOffset, archive: new ArchiveIndex(), layout, frames }, ending, bytes };
}

/** Returns the fields of the line that starts at `from`. The checksum of its frame has been verified. */
const fieldsAt = (file: Buffer, from: number): readonly unknown[] => valuesIn(file.toString('latin1', from, file.indexOf(LINE_FEED, from)));

/** Visits the lines of a file. `start` and `end` are positions in `bytes`, without the line feed. */
export function visitLines(
  disk: Pick<Disk, 'read'>,
  { path, frames }: ReadSegment | ArchiveReading,
  visit: (bytes: Buffer, start: number, end: number) => void,
): void {
  const bytes = bytesOf(disk, path);
  for (const { from, rowsEnd } of frames) {
    for (let lineStart = from; lineStart < rowsEnd;) {
      const lineEnd = bytes.indexOf(LINE_FEED, lineStart);
      visit(bytes, lineStart, lineEnd);
      lineStart = lineEnd + 1;
    }
  }
}

/** Returns the frames of a file, and where the last complete one ends. */
function framesOf(file: Buffer, before: Seal): { readonly frames: readonly StoreFrame[]; readonly end: number } {
  const frames: StoreFrame[] = [];
  let end = 0;
  for (let frame = frameAt(file, 0, before.seq + 1); frame !== null; frame = frameAt(file, end, frame.seal.seq + 1)) {
    frames.push(frame);
    end = frame.end;
  }
  return { frames, end };
}

/** Returns the content of a file. */
function bytesOf(disk: Pick<Disk, 'read'>, path: string): Buffer {
  const { buffer, byteOffset, byteLength } = disk.read(path);
  return Buffer.from(buffer, byteOffset, byteLength);
}
