// Reads a journal back strictly: all records in order, or the first place that differs from what was written.

import type { Disk } from '../../../ports/disk.ts';
import { guards } from '../records/guards.ts';
import { isRecord, parseLine } from './line.ts';
import { FORMAT, type JournalRecord } from '../records/records.ts';
import { segmentName, segmentNumber } from './segmentName.ts';
import { isTorn } from './tornTail.ts';

const LINE_FEED = 10;

/** The end of a journal: number, end offset and checksum of its last record. The next file begins with them. */
export interface SegmentEnd {
  readonly seq: number;
  /** Offset in its last file after the last record. */
  readonly bytes: number;
  readonly crc: string;
}
export const NOTHING: SegmentEnd = { seq: 0, bytes: 0, crc: '00000000' };

/** A place, with line numbers from 1, and a description of its content. */
export interface JournalDamage {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** The incomplete rest of the last write before a crash. It was never acknowledged, so nothing in it was sent, and it is ignored. */
export interface TornTail extends JournalDamage {
  readonly bytes: number;
}

export interface JournalSegment {
  readonly path: string;
  readonly number: number;
  /** 0 if the file has no record. */
  readonly firstSeq: number;
  readonly ending: SegmentEnd;
  readonly sizeBytes: number;
  readonly torn: TornTail | null;
}

export interface JournalReading {
  readonly segments: readonly JournalSegment[];
  /** Null for a journal without records. */
  readonly account: string | null;
  readonly ending: SegmentEnd;
  /** Null for a journal that can be continued. */
  readonly damage: JournalDamage | null;
  /** The format of a file written by another version; null if all files have this one's format. */
  readonly otherFormat: number | null;
}

/** Calls `visit` for every record up to the end or the damage. Throws DiskError if the disk cannot be read. */
export function readJournal(disk: Pick<Disk, 'list' | 'read'>, folder: string, visit: (record: JournalRecord) => void): JournalReading {
  const numbers = disk.list(folder).flatMap((name) => segmentNumber(name) ?? []);
  numbers.sort((a, b) => a - b);
  return readSegments(
    disk,
    numbers.map((number) => ({ path: `${folder}/${segmentName(number)}`, number })),
    1,
    visit,
  );
}

/** Reads one file by itself, whatever precedes it. */
export function readSegment(
  disk: Pick<Disk, 'read'>,
  path: string,
  number: number,
  visit: (record: JournalRecord) => void,
): JournalReading {
  return readSegments(disk, [{ path, number }], number, visit);
}

function readSegments(
  disk: Pick<Disk, 'read'>,
  files: readonly Pick<JournalSegment, 'path' | 'number'>[],
  firstNumber: number,
  visit: (record: JournalRecord) => void,
): JournalReading {
  const reader = new Reader(visit);
  for (const [at, { path, number }] of files.entries()) {
    const before = `${path.slice(0, -segmentName(number).length)}${segmentName(firstNumber + at)}`;
    if (number === firstNumber + at) reader.read(path, number, fileBytes(disk, path));
    else reader.damage = { path: before, line: 1, message: `expected the file that comes before ${segmentName(number)}, got none` };
    if (reader.damage) break;
  }
  return reader;
}

function fileBytes(disk: Pick<Disk, 'read'>, path: string): Buffer {
  const { buffer, byteOffset, byteLength } = disk.read(path);
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The place where a file stops being a valid journal. */
interface Stop {
  readonly line: number;
  readonly from: number;
  readonly message: string;
  /** True if the line was written like this, so it is not a torn write. */
  readonly isSealed: boolean;
}

class Reader implements JournalReading {
  readonly segments: JournalSegment[] = [];
  account: string | null = null;
  damage: JournalDamage | null = null;
  otherFormat: number | null = null;
  ending = NOTHING;
  readonly #visit: (record: JournalRecord) => void;
  /** First record of the current file; 0 before its first record. */
  #firstSeq = 0;

  constructor(visit: (record: JournalRecord) => void) {
    this.#visit = visit;
  }

  read(path: string, number: number, bytes: Buffer): void {
    const before = this.ending;
    this.ending = { ...before, bytes: 0 };
    this.#firstSeq = 0;
    const stop = this.#scan(number, bytes, before);
    const expected = this.ending.seq + 1;
    let torn: TornTail | null = null;
    if (stop) {
      const witness = witnessOf(bytes, stop, expected);
      const found = { path, line: stop.line, message: `expected record ${expected}, got ${stop.message}` };
      if (witness > 0 && guards.rejectsDamage)
        this.damage = { ...found, message: `${found.message}; line ${witness} was written when record ${expected} was on the disk` };
      else if (guards.rejectsDamage && (stop.isSealed || !isTorn(bytes, stop.from))) this.damage = found;
      else torn = { path, line: stop.line, message: 'the rest of a write that did not finish', bytes: bytes.length - stop.from };
    }
    this.segments.push({ path, number, firstSeq: this.#firstSeq, ending: this.ending, sizeBytes: bytes.length, torn });
  }

  /** Visits records up to the end or the first invalid line. */
  #scan(number: number, bytes: Buffer, before: SegmentEnd): Stop | null {
    for (let [from, line] = [0, 1]; from < bytes.length; line++) {
      const feed = bytes.indexOf(LINE_FEED, from);
      if (feed < 0) return { line, from, message: 'a line that breaks off', isSealed: false };
      const record = parseLine(bytes, from, feed);
      if (!isRecord(record)) return { line, from, message: record.flaw, isSealed: record.isSealed };
      const message = line === 1 ? this.#flawOfHead(record, number, before) : this.#flawOfPlace(record);
      if (message !== null) return { line, from, message, isSealed: true };
      if (line === 1) this.#firstSeq = record.seq;
      this.ending = { seq: record.seq, bytes: feed + 1, crc: record.crc };
      this.#visit(record);
      from = feed + 1;
    }
    return null;
  }

  #flawOfPlace({ seq, k, dur }: JournalRecord): string | null {
    if (seq !== this.ending.seq + 1) return `record ${seq}`;
    if (k === 'SEGMENT') return 'the head of another file';
    return dur < seq ? null : `a record that was on the disk before it was written (dur ${dur})`;
  }

  /** The first record of a file describes the end of the previous file. This finds a file that was cut, replaced or changed afterwards. */
  #flawOfHead(record: JournalRecord, number: number, before: SegmentEnd): string | null {
    if (record.k !== 'SEGMENT') return `a record of kind ${record.k} at the head of a file`;
    if (record.format !== FORMAT) {
      this.otherFormat = record.format;
      return `a journal of format ${record.format}: this version of isobar reads and writes format ${FORMAT}`;
    }
    if (record.number !== number) return `the head of ${segmentName(record.number)}`;
    if (this.account === null) {
      this.account = record.account;
      if (this.segments.length === 0 && number > 1) this.ending = { ...this.ending, seq: record.seq - 1 };
    }
    if (record.account !== this.account) return 'the journal of another account';
    const isKnown = number === 1 || this.segments.length > 0;
    const { priorSeq: seq, priorBytes, priorCrc: crc } = record;
    if (isKnown && (seq !== before.seq || priorBytes !== before.bytes || crc !== before.crc)) {
      return `a file that follows on ${endingText({ seq, bytes: priorBytes, crc })}, where ${endingText(before)} comes before it`;
    }
    return record.seq === this.ending.seq + 1 ? null : `record ${record.seq}`;
  }
}

const endingText = ({ seq, bytes, crc }: SegmentEnd): string => `record ${seq} at byte ${bytes} with checksum ${crc}`;

/** Returns the line of a later record that was written when record `seq` was known to be durable; 0 if no line was. */
function witnessOf(bytes: Buffer, stop: Stop, seq: number): number {
  let line = stop.line;
  for (let from = stop.from; from < bytes.length; line++) {
    const feed = bytes.indexOf(LINE_FEED, from);
    const to = feed < 0 ? bytes.length : feed;
    const record = parseLine(bytes, from, to);
    if (isRecord(record) && record.dur >= seq) return line;
    from = to + 1;
  }
  return 0;
}
