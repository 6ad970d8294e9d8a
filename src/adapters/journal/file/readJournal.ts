// Reads a journal back strictly: all records in sequence, up to the end or to the first damage.

import type { Disk } from '../../../ports/disk.ts';
import { journalGuards } from '../records/guards.ts';
import { isRecord, parseLine } from './journalLine.ts';
import { JOURNAL_FORMAT, type JournalRecord } from '../records/records.ts';
import { segmentName, segmentNumber } from './segmentName.ts';
import { isTorn } from './tornTail.ts';

const LINE_FEED = 10;

/** The end of a journal: the number, end offset and checksum of its last record. The next file repeats them in its first record. */
export interface SegmentEnd {
  readonly seq: number;
  /** Offset after the last record, in the last file. */
  readonly bytes: number;
  readonly crc: string;
}
/** The end of an empty journal. */
export const EMPTY_JOURNAL_END: SegmentEnd = { seq: 0, bytes: 0, crc: '00000000' };

/** A damaged line, counted from 1, and a description of the damage. */
export interface JournalDamage {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** The incomplete last write before a crash. It is ignored: it was never reported durable, so nothing in it was sent. */
export interface TornTail extends JournalDamage {
  readonly bytes: number;
}

/** One file of a journal, as read. */
export interface JournalSegment {
  readonly path: string;
  readonly number: number;
  /** 0 if the file has no record. */
  readonly firstSeq: number;
  readonly ending: SegmentEnd;
  readonly sizeBytes: number;
  readonly torn: TornTail | null;
}

/** The result of reading a journal. */
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

/** Reads one file alone. Earlier files are not needed. */
export function readSegment(
  disk: Pick<Disk, 'read'>,
  path: string,
  number: number,
  visit: (record: JournalRecord) => void,
): JournalReading {
  return readSegments(disk, [{ path, number }], number, visit);
}

/** Reads files in sequence, and stops at the first damage. */
function readSegments(
  disk: Pick<Disk, 'read'>,
  files: readonly Pick<JournalSegment, 'path' | 'number'>[],
  firstNumber: number,
  visit: (record: JournalRecord) => void,
): JournalReading {
  const reader = new JournalReader(visit);
  for (const [index, { path, number }] of files.entries()) {
    const expectedPath = `${path.slice(0, -segmentName(number).length)}${segmentName(firstNumber + index)}`;
    if (number === firstNumber + index) reader.read(path, number, fileBytes(disk, path));
    else reader.damage = { path: expectedPath, line: 1, message: `expected the file that comes before ${segmentName(number)}, got none` };
    if (reader.damage) break;
  }
  return reader;
}

function fileBytes(disk: Pick<Disk, 'read'>, path: string): Buffer {
  const { buffer, byteOffset, byteLength } = disk.read(path);
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The first invalid line of a file. `from`: its offset. */
interface InvalidLine {
  readonly line: number;
  readonly from: number;
  readonly message: string;
  /** True if the line was written like this, so it is not a torn write. */
  readonly isSealed: boolean;
}

/** Reads lines of one journal, and checks that each continues the previous line. */
class JournalReader implements JournalReading {
  readonly segments: JournalSegment[] = [];
  account: string | null = null;
  damage: JournalDamage | null = null;
  otherFormat: number | null = null;
  ending = EMPTY_JOURNAL_END;
  readonly #visit: (record: JournalRecord) => void;
  /** First record of the current file; 0 before its first record. */
  #firstSeq = 0;

  constructor(visit: (record: JournalRecord) => void) {
    this.#visit = visit;
  }

  /** Reads the next file. */
  read(path: string, number: number, bytes: Buffer): void {
    const previousEnd = this.ending;
    this.ending = { ...previousEnd, bytes: 0 };
    this.#firstSeq = 0;
    const invalid = this.#scan(number, bytes, previousEnd);
    const expected = this.ending.seq + 1;
    let torn: TornTail | null = null;
    if (invalid) {
      const laterLine = lineAfterDurable(bytes, invalid, expected);
      const damagedLine = { path, line: invalid.line, message: `expected record ${expected}, got ${invalid.message}` };
      if (laterLine > 0 && journalGuards.rejectsDamage)
        this.damage = {
          ...damagedLine,
          message: `${damagedLine.message}; line ${laterLine} was written when record ${expected} was on the disk`,
        };
      else if (journalGuards.rejectsDamage && (invalid.isSealed || !isTorn(bytes, invalid.from))) this.damage = damagedLine;
      else torn = { path, line: invalid.line, message: 'the rest of a write that did not finish', bytes: bytes.length - invalid.from };
    }
    this.segments.push({ path, number, firstSeq: this.#firstSeq, ending: this.ending, sizeBytes: bytes.length, torn });
  }

  /** Visits records up to the end or the first invalid line. */
  #scan(number: number, bytes: Buffer, previousEnd: SegmentEnd): InvalidLine | null {
    for (let [from, line] = [0, 1]; from < bytes.length; line++) {
      const lineFeed = bytes.indexOf(LINE_FEED, from);
      if (lineFeed < 0) return { line, from, message: 'a line that breaks off', isSealed: false };
      const record = parseLine(bytes, from, lineFeed);
      if (!isRecord(record)) return { line, from, message: record.flaw, isSealed: record.isSealed };
      const message = line === 1 ? this.#headProblem(record, number, previousEnd) : this.#sequenceProblem(record);
      if (message !== null) return { line, from, message, isSealed: true };
      if (line === 1) this.#firstSeq = record.seq;
      this.ending = { seq: record.seq, bytes: lineFeed + 1, crc: record.crc };
      this.#visit(record);
      from = lineFeed + 1;
    }
    return null;
  }

  /** Returns why a record does not follow the previous one, or null. */
  #sequenceProblem({ seq, k, dur }: JournalRecord): string | null {
    if (seq !== this.ending.seq + 1) return `record ${seq}`;
    if (k === 'SEGMENT') return 'the head of another file';
    return dur < seq ? null : `a record that was on the disk before it was written (dur ${dur})`;
  }

  /** Returns why the first record of a file does not fit the end of the previous file, or null. Finds files that were cut or replaced. */
  #headProblem(record: JournalRecord, number: number, previousEnd: SegmentEnd): string | null {
    if (record.k !== 'SEGMENT') return `a record of kind ${record.k} at the head of a file`;
    if (record.format !== JOURNAL_FORMAT) {
      this.otherFormat = record.format;
      return `a journal of format ${record.format}: this version of isobar reads and writes format ${JOURNAL_FORMAT}`;
    }
    if (record.number !== number) return `the head of ${segmentName(record.number)}`;
    if (this.account === null) {
      this.account = record.account;
      if (this.segments.length === 0 && number > 1) this.ending = { ...this.ending, seq: record.seq - 1 };
    }
    if (record.account !== this.account) return 'the journal of another account';
    const isKnown = number === 1 || this.segments.length > 0;
    const { priorSeq: seq, priorBytes, priorCrc: crc } = record;
    if (isKnown && (seq !== previousEnd.seq || priorBytes !== previousEnd.bytes || crc !== previousEnd.crc)) {
      return `a file that follows on ${endingText({ seq, bytes: priorBytes, crc })}, where ${endingText(previousEnd)} comes before it`;
    }
    return record.seq === this.ending.seq + 1 ? null : `record ${record.seq}`;
  }
}

const endingText = ({ seq, bytes, crc }: SegmentEnd): string => `record ${seq} at byte ${bytes} with checksum ${crc}`;

/** Returns the line of a later record that was written when record `seq` was durable already; 0 without one. */
function lineAfterDurable(bytes: Buffer, invalid: InvalidLine, seq: number): number {
  let line = invalid.line;
  for (let from = invalid.from; from < bytes.length; line++) {
    const lineFeed = bytes.indexOf(LINE_FEED, from);
    const to = lineFeed < 0 ? bytes.length : lineFeed;
    const record = parseLine(bytes, from, to);
    if (isRecord(record) && record.dur >= seq) return line;
    from = to + 1;
  }
  return 0;
}
